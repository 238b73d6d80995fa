#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cosim/mutate/equal.sh SYSTEM/BLOCK [NUMBER...]: are faults that the bench does not detect equivalent to the block?
# For each number of make mutate's RTL faults, Yosys's SAT solver compares the netlist with and without the fault: from
# the same state, which is any state, the same outputs and the same next state, for all inputs. tb/SYSTEM/BLOCK.legal, if
# it exists, restricts that: one Verilog expression over inputs and registers, of legal inputs and of what make formal proves
# of the registers. Its line "// cut: wires" helps the solver: these are compared, and what follows them gets any value, the
# same on both sides. A memory's read data is any value, the same on both sides when the addresses are. A name that is no wire of
# the netlist is an error: Yosys would cut nothing. Without a number only this is checked.
# Its lines "// apart: registers" and "// while: expression" are for faults that are visible in registers only: these may
# differ between the two as long as the expression holds, in which x_q is the block's register and x_q' that of the block
# with the fault. The proof includes that a reset makes it hold and that it holds in the next cycle.
# tb/SYSTEM/BLOCK.one is for a block of identical, independent lanes: its first line is
# "// gen_lane=Lanes ...", the generate blocks and their parameters; then the rule for a block where those are 1. A
# fault whose cell is also in that block (cosim/mutate/equal_one.awk) is compared there, the others in the whole block.
# "equal" is a proof; "differs" is not one where registers are concerned: the difference may be unobservable.
# Prints "NUMBER equal", "NUMBER differs: where; inputs" or "NUMBER unknown". Exit status: 0 all equal, 1 not, 2 wrong
# call.
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 1 ] || { echo "usage: cosim/mutate/equal.sh SYSTEM/BLOCK [NUMBER...]" >&2; exit 2; }
block=$1 name=${1##*/}
shift
yosys=${YOSYS:-yosys}
. cosim/yosys.sh
lower=$(yosys_lower "$yosys")
whole=${COSIM_OUT:-build/cosim}/obj/$block/mut
tb=${COSIM_TB:-tb} rtl=${COSIM_RTL:-rtl}
[ -f "$whole/$name.il" ] || { echo "equal: $whole/$name.il: not found; run make mutate BLOCK=$block" >&2; exit 2; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# What is derived from the netlist is kept for the next call, as are the numbers that are proven equal.
is_new() {   # its stamp, what it depends on
  sum=$(cat "${@:2}" | sha256sum)
  [ "$sum" != "$(cat "$1" 2>/dev/null)" ]
}

make_one() {   # the block with one lane and its list of faults, in $whole/one
  local files pairs params='' arrays='' p
  mapfile -t files < <(printf '%s\n' "$rtl"/{common,"${block%/*}"}/*.sv | grep -v '\*' | sort -u)
  read -ra pairs < <(sed -n '1s,^// ,,p' "$tb/$block.one")
  for p in "${pairs[@]}"; do
    arrays+="${p%%=*} "
    params+=" -chparam ${p#*=} 1"
  done
  mkdir -p "$whole/one"
  if ! { "$yosys" -q -p "read_verilog -sv -defer ${files[*]};
      hierarchy -top $name $params; rename -top $name; proc; flatten; pmuxtree; opt_expr -mux_undef; opt_clean;
      memory_collect; write_rtlil $tmp/plain.il" &&
    awk -v list="$whole/list" -v arrays="$arrays" -f cosim/mutate/equal_one.awk "$whole/plain.il" "$tmp/plain.il" \
      >"$tmp/list" &&
    "$yosys" -q -p "read_rtlil $tmp/plain.il; script $tmp/list; opt_clean; write_rtlil $tmp/$name.il"; } \
    >"$tmp/log" 2>&1; then
    echo "equal: $block: no block with one lane" >&2
    tail -n 3 "$tmp/log" | cut -c1-300 >&2
    exit 2
  fi
  mv "$tmp/plain.il" "$tmp/list" "$tmp/$name.il" "$whole/one"
}

cut_steps() {
  echo "proc; flatten; opt_clean; memory_collect; cd $name; script $tmp/names; cd ..;
    async2sync; dffunmap; opt_clean; rename -enumerate -pattern reg_% t:\$dff;
    read_verilog -noblackbox cosim/mutate/cut.v; techmap -D MAP -map cosim/mutate/cut.v t:\$dff t:\$mem_v2;
    hierarchy -top $name; expose -evert -sep __ t:*cut_*; $expose opt_clean; select $name"
}

# the block without registers: each has become ports; those that the rule names are outputs besides. cells.il: the same
# without faults, with the cells' names
make_cut() {
  local expose='' w wires
  read -ra wires < <(sed -n "s,^// cut: ,,p" "$legal" 2>/dev/null)
  for w in "${wires[@]}"; do expose+="expose -cut -sep __ w:$w; "; done
  while read -r w; do expose+="expose w:$(sed 's/^\\//; s/[][]/?/g' <<<"$w"); "; done \
    < <(grep -oE '\\[^ ]+|[A-Za-z_][A-Za-z0-9_]*' <<<"$rule" | grep -E '_q(\[|$)' | sort -u)
  # registers by their names before the faults: one at its output would hide it
  awk '$1 == "cell" { cell = $2 ~ /^\$a?dffe?$/ ? $3 : "" }
    cell != "" && $2 == "\\Q" && NF == 3 && $3 ~ /^\\/ { print "rename " cell " " $3 "$ff" }' "$dir/plain.il" >"$tmp/names"
  "$yosys" -q -p "read_rtlil $dir/$name.il; $(cut_steps); write_verilog -noattr -selected $tmp/cut.v;
    design -reset; read_rtlil $dir/plain.il; $(cut_steps); write_rtlil -selected $dir/cells.il" >"$tmp/log" 2>&1
  grep -qE '^ *always|cut_reg|cut_rd|cut_wr|^ *reg .*\[.*\];$' "$tmp/cut.v" 2>/dev/null || [ ! -s "$tmp/cut.v" ] &&
    { echo "equal: $block: its registers could not be made ports" >&2; tail -n 3 "$tmp/log" | cut -c1-300 >&2; exit 2; }
  mv "$tmp/cut.v" "$cut"
  rm -f "$dir/proven"
}

rule_of() {   # directory, rule's file: sets dir, legal, rule and cut
  dir=$1 legal=$2 rule="1'b1" cut=$1/cut.v
  [ ! -f "$legal" ] || rule=$(grep -v '^//' "$legal" | tr '\n' ' ')
}

# Ends with status 2 if the rule, its "// cut:" or its "// apart:" has a name that is no wire of the netlist.
check_names() {
  local word bad=0
  awk '$1 == "wire" { sub(/^\\/, "", $NF); print $NF }' "$dir/$name.il" >"$tmp/wires"
  while read -r word; do
    grep -qx -- "$(sed 's/[][\.^$]/\\&/g; s/[*]/.*/g; s/?/./g' <<<"$word")" "$tmp/wires" && continue
    echo "equal: $legal: found $(printf %q "$word"), expected a wire of the netlist of $block" >&2
    bad=1
  done < <({ about cut; about apart; echo; printf '%s\n' "$rule" | sed "s/[0-9]*'s*[bodh][0-9a-fA-F_xzXZ]*//g" | grep -oE '\\[^ ]+|[A-Za-z_][A-Za-z0-9_]*'; } |
    tr ' ' '\n' | sed 's/^\\//; /^$/d' | sort -u)
  [ $bad -eq 0 ] || exit 2
}

use() {   # as rule_of; sets the ports of the block without registers, too
  rule_of "$@"
  if is_new "$dir/cut.stamp" "$dir/$name.il" cosim/mutate/{cut.v,equal.sh} <(cat "$legal" 2>/dev/null); then
    check_names
    make_cut
    echo "$sum" >"$dir/cut.stamp"
  fi
  # one per line: kind range name
  awk -v m="module $name(" 'index($0, m) == 1 { on = 1 } /^endmodule/ { on = 0 } on && /^ *(input|output) / {
    gsub(/;/, ""); print $1, $2 ~ /^\[[0-9]+:[0-9]+\]$/ ? $2 : "-", $NF }' "$cut" >"$tmp/ports"
}

about() { sed -n "s,^// $1: ,,p" "$legal" 2>/dev/null | tr '\n' ' '; }   # which lines of the rule

# The outputs that the fault's cell can reach, in $tmp/reach; all, "*", if it is a register or memory or reaches
# a memory's read address, since what is read is an input here.
reach() {   # number
  local cell kind
  echo '*' >"$tmp/reach"
  cell=$(sed -n "$1p" "$dir/list" | sed -n 's/.* -cell \([^ ]*\) .*/\1/p')
  kind=$(awk -v c="$cell" '$1 == "cell" && $3 == c { print $2 }' "$dir/plain.il")
  case $kind in '' | *ff* | *mem* | *latch*) return ;; esac
  "$yosys" -q -p "read_rtlil $dir/cells.il; cd $name; select -write $tmp/reached c:${cell//[][]/?} %co* o:* %i" \
    >"$tmp/log" 2>&1 || return
  grep -q '__ra$' "$tmp/reached" || sed "s,^$name/,," "$tmp/reached" >"$tmp/reach"
}

top() {   # number, registers that may differ, while what holds of them
  if [ -z "$3" ]; then reach "$1"; else echo '*' >"$tmp/reach"; fi
  awk -v reach="$tmp/reach" -v n="$1" -v name="$name" -v rule="$rule" -v apart=" $2 " -v same="$3" '
    # the last now or, of what the registers become, in the next cycle
    function related(next_,   s, t, r, other, k) {
      for (s = same; match(s, /[A-Za-z_][A-Za-z0-9_.]*_q\x27?/); s = substr(s, RSTART + RLENGTH)) {
        r = substr(s, RSTART, RLENGTH)
        other = sub(/\x27$/, "", r)
        k = id[r (next_ ? "__d" : "__q")]
        if (k == "") { print "equal: while: found " r ", expected a register" > "/dev/stderr"; exit 2 }
        t = t substr(s, 1, RSTART - 1) (next_ ? (other ? "b" : "g") k : other ? "b" k : "\\" plain[k] " ")
      }
      return t s
    }
    function reached(port) { sub(/^\\/, "", port); return "*" in reaches || port in reaches }
    BEGIN { while ((getline port < reach) > 0) reaches[port] }
    { range = $2 == "-" ? "" : $2; id[$3] = NR; reg = $3; sub(/^\\/, "", reg); plain[NR] = reg
      if (sub(/\$ff__/, "__", reg)) id[reg] = NR
      free = sub(/__[dq]$/, "", reg) && index(apart, " " reg " ")
      port = $3 ($3 ~ /^\\/ ? " " : "")
      own = $3 == "mutsel_i" ? "" : "p" NR }
    $3 == "mutsel_i" { split(substr(range, 2), w, ":"); sel = w[1] + 1; next }
    $1 == "input" && $3 ~ /__rd$/ {        # memory: any value
      decl = decl "  (* anyseq, keep *) wire " range " g" NR ", other" NR ";\n  wire " range " b" NR ";\n"
      memory[NR] = substr($3, 1, length($3) - 4); good = good ", ." port "(g" NR ")"; bad = bad ", ." port "(b" NR ")"; next }
    $1 == "input" && free {
      decl = decl "  (* anyseq, keep *) wire " range " " port ";\n  (* anyseq, keep *) wire " range " b" NR ";\n"
      good = good ", ." port "(" port ")"; bad = bad ", ." port "(b" NR ")"; next }
    $1 == "input" {
      decl = decl "  (* anyseq, keep *) wire " range " " port ";\n"
      good = good ", ." port "(" port ")"; bad = bad ", ." port "(" port ")"; next }
    $3 ~ /_q(\[[0-9]+\])?$/ && index(rule, $3) {   # a register that the rule names
      decl = decl "  wire " range " " port ";\n"; good = good ", ." port "(" port ")"; next }
    { decl = decl "  wire " range " g" NR ", b" NR ";\n"
      good = good ", ." port "(g" NR ")"; bad = bad ", ." port "(b" NR ")"
      if ($3 !~ /__(ra|wa|wd)$/ && !free && reached($3)) out[NR] = $3
      if ($3 ~ /__we$/) write[NR] = substr($3, 1, length($3) - 4) }
    END {
      for (k in memory) {
        ra = id[memory[k] "__ra"]
        decl = decl "  assign b" k " = g" ra " == b" ra " ? g" k " : other" k ";\n"
      }
      for (we in write) {
        wa = id[write[we] "__wa"]; wd = id[write[we] "__wd"]
        if (!reached(write[we] "__we") && !reached(write[we] "__wa") && !reached(write[we] "__wd")) continue
        differ = differ " || (|g" we " && g" wa " != b" wa ") || ((g" wd " ^ b" wd ") & g" we ") != 0"
      }
      for (k in out) differ = differ " || g" k " != b" k
      if (same != "") differ = differ " || !(" related(1) ")"
      print "module top(differ);\n  output differ;\n" decl
      print "  " name " good(.mutsel_i(" sel "\047d0)" good ");\n  " name " bad(.mutsel_i(" sel "\047d" n ")" bad ");"
      print "  assign differ = 1\047b0" differ ";\n  always @* assume((" rule ")" (same == "" ? "" : " && (!rst_ni || (" related(0) "))") ");\nendmodule"
    }' "$tmp/ports"
}

compare() {   # as top; the answer is in $tmp/log: quickly, or with gates made and merged before
  local seconds opt
  top "$@" >"$tmp/top.sv" || return
  for opt in 'opt -fast' 'opt -full; techmap; opt -full'; do
    seconds=${EQUAL_SECONDS:-120}
    [ "$opt" != 'opt -fast' ] || seconds=$((seconds / 8))
    (ulimit -t "$seconds"; "$yosys" -p "read_verilog $cut; read_verilog -formal $tmp/top.sv; hierarchy -top top; proc; $lower
      flatten; opt_clean; setundef -undriven -anyseq; $opt; sat -prove differ 0 -set-assumes -show-inputs -show-all -verify") \
      >"$tmp/log" 2>&1
    ! grep -qE 'SUCCESS!|proof did fail' "$tmp/log" || break
  done
  return 0
}

# Is the bit that the fault makes constant that constant already?
trivial() {   # number
  sed -n "$1p" "$dir/list" | awk -v il="$dir/plain.il" '{
      for (i = 2; i < NF; i++) f[$i] = $(i + 1)
      if (f["-mode"] !~ /^const[01]$/) exit 1
      while ((getline s < il) > 0) {
        split(s, w, " ")
        if (w[1] == "cell") here = w[3] == f["-cell"]
        if (here && w[1] == "connect" && w[2] == "\\" f["-port"]) v = substr(s, index(s, w[2]) + length(w[2]) + 1)
      }
      if (v ~ /^[0-9]+\x27[01]+$/) bit = substr(v, length(v) - f["-portbit"], 1)
      else if (v ~ /^[0-9]+$/) bit = int(v / 2 ^ f["-portbit"]) % 2
      else exit 1
      exit bit == substr(f["-mode"], 6) ? 0 : 1
    }'
}

if [ -f "$tb/$block.one" ] &&
  is_new "$whole/one/stamp" "$whole"/{plain.il,list} "$tb/$block.one" cosim/mutate/equal{.sh,_one.awk}; then
  make_one
  echo "$sum" >"$whole/one/stamp"
fi
if [ $# -eq 0 ]; then
  if [ -f "$tb/$block.one" ]; then
    rule_of "$whole/one" "$tb/$block.one"
    check_names
  fi
  rule_of "$whole" "$tb/$block.legal"
  check_names
fi
status=0
for k in "$@"; do
  [[ $k =~ ^[0-9]+$ ]] || { echo "equal: found \"$k\", expected a number" >&2; exit 2; }
  if [ -f "$tb/$block.one" ] && [ -n "$(sed -n "${k}p" "$whole/one/list")" ]; then
    use "$whole/one" "$tb/$block.one"
  else
    use "$whole" "$tb/$block.legal"
  fi
  if grep -qsx "$k" "$dir/proven" || trivial "$k"; then
    echo "$k equal"
    continue
  fi
  compare "$k" "" "" || exit 2
  if grep -q 'proof did fail' "$tmp/log" && [ -n "$(about while)" ]; then compare "$k" "$(about apart)" "$(about while)" || exit 2; fi
  if grep -q 'SUCCESS!' "$tmp/log"; then
    echo "$k equal"
    echo "$k" >>"$dir/proven"
  elif grep -q 'proof did fail' "$tmp/log"; then
    echo "$k differs: $(awk 'NR == FNR { name["p" NR] = name["g" NR] = $3; next }
      $1 ~ /^\\g[0-9]+$/ { good[substr($1, 3)] = $3 } $1 ~ /^\\b[0-9]+$/ { bad[substr($1, 3)] = $3 }
      $1 ~ /^\\[A-Za-z_][A-Za-z0-9_]*$/ && $1 !~ /^\\[gb][0-9]+$/ && length($3) < 17 { ins = ins " " substr($1, 2) "=" $3 }
      END { for (k in good) if (good[k] != bad[k]) printf "%s ", name["g" k]; print ";" ins }' "$tmp/ports" "$tmp/log" | cut -c1-400)"
    status=1
  else
    echo "$k unknown: $(tail -n 1 "$tmp/log")"
    status=1
  fi
done
exit $status
