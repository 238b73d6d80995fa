#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make mutate [BLOCK=] [MUTANTS=240] [CYCLES=]: seeded faults under the block's own bench.
# RTL: Yosys's mutate, all faults in one Verilated model, an extra input chooses; seen at the ports only, for the netlist has
# no registers by name. C: cosim/cmutate. A fault is killed when the bench sees it, or when the model crashes or takes more than
# ten times the processor time of a run without fault. A program that the system ended is no kill, but an error.
# Of the survivors, cosim/equal.sh proves what it can; those count as no fault. The others must be explained in
# tb/SYSTEM/BLOCK.survivors, or they are listed: lines of a pattern, " -- ", a reason. The pattern is held against the fault
# as it is listed ("rtl const0 eq.A[3] @ the operator's source text"), only * is special; one that also fits a fault that the
# bench kills is too wide, and an error. Faults keep their description when lines move.
# build/mutate/SYSTEM-BLOCK.tsv: side, number, place, fault, cycle of the first difference or -, what became of it.
# Score: killed, of those that are neither proven nor explained to be equal.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
blocks=()
tools "$VERILATOR" "$YOSYS"
choose_blocks
is_number MUTANTS "$MUTANTS"
[ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
out=$PWD/build/mutate
mkdir -p "$out"
touch "$out/results.tsv"
export out COSIM_OUT CYCLES

rtl_build() {   # block: the model with all faults; its list in $dir/list
  local b=$1 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/mut files stamp bits=1
  mkdir -p "$dir"
  files=$(ls "$COSIM_RTL"/common/*.sv "$COSIM_RTL/$system"/*.sv 2>/dev/null | sort -u | tr '\n' ' ')
  # shellcheck disable=SC2086
  stamp=$(cat $files cosim/mutate.sh | sha256sum | cut -c1-16)-$MUTANTS
  if [ -f "$dir/V$name.mk" ] && [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  while [ $((1 << bits)) -le "$MUTANTS" ]; do bits=$((bits + 1)); done
  "$YOSYS" -qq -p "read_verilog -sv -defer $files; hierarchy -top $name; rename -top $name; proc; flatten; pmuxtree; opt_expr; opt_clean; memory_collect;
    write_rtlil $dir/plain.il; mutate -list $((3 * MUTANTS)) -seed 1 -ctrl mutsel_i $bits 1 -o $dir/all" >"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; return 2; }
  # no cnot, one bit inverted by another, and no vector of several stages: Verilator 5.006 computes wrong values of a loop
  awk -v m="$MUTANTS" '!/ -mode cnot/ && n < m { $5 = ++n; print }' "$dir/all" >"$dir/list"
  "$YOSYS" -qq -p "read_rtlil $dir/plain.il; script $dir/list; opt_clean; write_rtlil $dir/$name.il; splitnets -driver; write_verilog -noattr $dir/$name.v" \
    >"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; return 2; }
  "$VERILATOR" --cc -O3 --x-assign fast --x-initial unique -Wno-lint -Wno-style -Wno-fatal --prefix "V$name" --top-module "$name" --Mdir "$dir" \
    "$dir/$name.v" >>"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; return 2; }
  ! grep UNOPTFLAT "$dir/log" >&2 || return 2
  echo "$stamp" >"$dir/stamp"
}

# number, place and fault of each line of Yosys's list: "const0 wire[3] @ text", or the cell's kind and port where its wire has no name
rtl_names() {   # list
  awk '
    function text(span,   p, a, z, file, s, n) {      # FILE:LINE.COL-LINE.COL, from the source
      match(span, /:[0-9]+\.[0-9]+-/); file = substr(span, 1, RSTART - 1)
      split(substr(span, RSTART + 1), p, "-"); split(p[1], a, "."); split(p[2], z, ".")
      if (!(file in lines)) { while ((getline s < file) > 0) line[file, ++n] = s; lines[file] = n }
      s = line[file, a[1]]
      s = a[1] == z[1] ? substr(s, a[2], z[2] - a[2]) : substr(s, a[2]) " ..."
      gsub(/[ \t]+/, " ", s); sub(/^ /, "", s)
      return s
    }
    function size(span,   p, a, z) {
      match(span, /:[0-9]+\.[0-9]+-/); split(substr(span, RSTART + 1), p, "-"); split(p[1], a, "."); split(p[2], z, ".")
      return (z[1] - a[1]) * 1000 + z[2] - a[2]
    }
    { mode = what = wire = bit = port = by = best = ""
      for (i = 2; i < NF; i++) {
        v = $(i + 1)
        if ($i == "-mode") mode = v
        if ($i == "-cell") what = v
        if ($i == "-port") port = "." v
        if ($i == "-portbit") portbit = "[" v "]"
        if ($i == "-ctrlbit") by = " by [" v "]"
        if ($i == "-wire") wire = v
        if ($i == "-wirebit") bit = "[" v "]"
        if ($i == "-src" && v !~ /:0\.0-0\.0$/ && (best == "" || size(v) < size(best))) best = v
      }
      sub(/^\\/, "", wire)
      sub(/^\$flatten\\/, "", what); sub(/^\$/, "", what); sub(/\.\$/, ".", what); sub(/\$[^$]*:[0-9]+\$[0-9]+/, "", what); sub(/\$[0-9]+/, "", what)
      place = best; sub(/.*\//, "", place); sub(/\..*/, ".sv:", place); match(best, /:[0-9]+/); place = place substr(best, RSTART + 1, RLENGTH - 1)
      print NR "\t" (best == "" ? "?" : place) "\trtl " mode " " (wire == "" ? what port portbit : wire bit) by (best == "" ? "" : " @ " text(best)) }' "$1"
}

# As rtl_names for the C faults: "kind found -> put @ line", with #2 if the found text stands there a second time.
c_names() {   # source, list
  awk -F'\t' -v name="${1##*/}" '
    FNR == NR { line[FNR] = $0; next }
    { s = line[$2]; found = $5; sub(/ -> .*/, "", found); at = 0; count = 0; times = 0
      while (found != "" && (k = index(substr(s, at + 1), found))) { at += k; times++; if (at <= $3) count++ }
      gsub(/[ \t]+/, " ", s); sub(/^ /, "", s)
      print $1 "\t" name ":" $2 "\tc " $4 " " $5 (times > 1 ? " #" count : "") " @ " s }' FS='\n' "$1" FS='\t' "$2"
}

# How a run ended: its last line's last field, or why there is none. What the system did (killed, cannot run) begins with "?".
ended() {   # exit status, last line
  case $1 in
    0) [ -n "$2" ] && echo "${2##*	}" || echo '?nothing' ;;
    2) echo 'stopped:refused' ;;
    132 | 134 | 135 | 136 | 139) echo 'stopped:crash' ;;
    152) echo 'stopped:endless' ;;
    *) echo "?$1" ;;
  esac
}

run_limited() {   # program, arguments: sets `last` and returns its exit status
  last=$( (ulimit -c 0; ulimit -t "$CPU_LIMIT"; exec timeout 3600 "$@" ${CYCLES:+--cycles "$CYCLES"}) 2>/dev/null | tail -n 1; exit "${PIPESTATUS[0]}")
}

rtl_one() {   # block, number: "number cycle"
  local last
  run_limited "$COSIM_OUT/obj/$1/mut/run" --mutant "$2"
  printf '%s\t%s\n' "$2" "$(ended $? "$last")"
}

c_one() {   # block, number; "none": the source as it is
  local b=$1 n=$2 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/cmut
  local x=$dir/m$n comb=() last
  grep -q ^COMBINATIONAL "$COSIM_C/blocks/$b.def" && comb=(-DDESC_COMBINATIONAL)
  if [ "$n" = none ]; then cp "$COSIM_C/blocks/$b.c" "$x.c"; else "$COSIM_OUT/obj/cmutate" apply "$COSIM_C/blocks/$b.c" "$n" >"$x.c"; fi
  if ! gcc -std=gnu11 -O1 -w -ffp-contract=off -I. -I"$COSIM_C" -I"$COSIM_C/blocks/$system" -Icmodel -Icosim -DDESC_BLOCK="$name" \
    -DDESC_DEF="\"blocks/$b.def\"" -DDESC_SOURCE="\"$x.c\"" "${comb[@]}" -c cosim/describe.c -o "$x.o" 2>/dev/null; then
    printf '%s\tstillborn\n' "$n"
  else
    # shellcheck disable=SC2046
    if gcc "$x.o" $(cat "$dir/parts") -lstdc++ -lzstd -lz -lmpfr -lgmp -lm -pthread -o "$x" 2>/dev/null; then
      run_limited "$x" --mutants
      printf '%s\t%s\n' "$n" "$(ended $? "$last")"
    else
      printf '%s\t?link\n' "$n"
    fi
  fi
  rm -f "$x" "$x.o" "$x.c"
}
export -f rtl_one c_one run_limited ended
export COSIM_C

counted() {   # what, of how many: passes lines through
  local n=0 line
  while IFS= read -r line; do
    printf '%s\n' "$line"
    n=$((n + 1))
    [ ! -t 2 ] || printf '\r  %s %d/%d \r' "$1" "$n" "$2" >&2
  done
}

each() {   # function, block, what is shown: numbers come in, lines go out
  local numbers
  mapfile -t numbers
  printf '%s\n' "${numbers[@]}" | xargs -P "${JOBS:-2}" -I{} bash -c "$1 $2 {}" | counted "$2: $3" ${#numbers[@]}
}

limit_of() {   # command: ten times the seconds that it takes
  local TIMEFORMAT=%U s
  s=$({ time "$@" >/dev/null 2>&1; } 2>&1)
  awk -v s="$s" 'BEGIN { printf "%d", 10 + 10 * s }'
}

c_list() {   # block: what the runner links, and the list of faults
  local b=$1 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/cmut
  mkdir -p "$dir"
  # all that the runner links, but for the twin
  echo "$COSIM_OUT/obj/$b/plain/shim.o $COSIM_OUT/obj/$b/tb.o $(ls "$COSIM_OUT"/obj/engine/{engine,main,report,wave,stim,shrink}.o | tr '\n' ' ')" \
    "$COSIM_OUT/obj/$system/twins.a $COSIM_OUT/obj/$b/plain/V${name}__ALL.a" \
    "$COSIM_OUT/obj/engine/verilated.o $COSIM_OUT/obj/engine/verilated_threads.o $COSIM_OUT/obj/engine/fstapi.o" >"$dir/parts"
  "$COSIM_OUT/obj/cmutate" list "$COSIM_C/blocks/$b.c" >"$dir/list"
}

rows() {   # names: rows of the table from lines "number result"
  join -t $'\t' <(sort -k1,1 -t $'\t') <(sort -k1,1 -t $'\t' "$1") |
    awk -F'\t' -v OFS='\t' '{ split($4, side, " "); print side[1], $1, $3, $4, $2 }' | sort -t $'\t' -k2,2n
}

# The table with what became of each fault; patterns that fit none of it or one that is killed go to standard error.
judge() {   # survivors file, equal numbers, table
  local file=$1
  [ -f "$file" ] || file=/dev/null
  awk -F'\t' -v OFS='\t' -v patterns="$file" -v equal=" $2 " '
    BEGIN {
      while ((getline s < patterns) > 0) {
        if (s ~ /^#/ || s == "") continue
        at = index(s, " -- ")
        if (!at) { print "bad", s > "/dev/stderr"; continue }
        p[++n] = substr(s, 1, at - 1); r = p[n]
        gsub(/[][\\.^$+?(){}|]/, "\\\\&", r); gsub(/\*/, ".*", r); re[n] = "^" r "$"
      }
    }
    { fate = $5 == "stillborn" ? "stillborn" : $5 ~ /^\?/ ? "error" : $5 == "-" ? "open" : "killed"
      for (k = 1; k <= n; k++) {
        if ($4 !~ re[k]) continue
        used[k] = 1
        if (fate == "open") fate = "explained"
        if (fate == "killed") print "wide", p[k], $1, $2, $4 > "/dev/stderr"
      }
      if (fate == "open" && $1 == "rtl" && index(equal, " " $2 " ")) fate = "equal"
      print $1, $2, $3, $4, $5, fate }
    END { for (k = 1; k <= n; k++) if (!used[k]) print "unused", p[k] > "/dev/stderr" }' "$3"
}

status=0
printf '%-12s %12s %12s %7s %10s %8s %8s\n' block 'RTL killed' 'C killed' equal explained score seconds
for b in "${blocks[@]}"; do
  SECONDS=0
  tsv=$out/${b//\//-}.tsv
  build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/plain/run" "$COSIM_OUT/obj/cmutate" || { status=2; continue; }
  rtl_build "$b" || { status=2; continue; }
  build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/mut/run" || { status=2; continue; }
  c_list "$b"
  # without a fault both agree, or a kill means nothing
  export CPU_LIMIT=3600
  CPU_LIMIT=$(limit_of rtl_one "$b" 0)
  base="$(rtl_one "$b" 0) $(c_one "$b" none)"
  if [ "$base" != "0	- none	-" ]; then
    echo "$b: without a fault there is a difference, too: $base" >&2
    status=2
    continue
  fi
  rtl_names "$COSIM_OUT/obj/$b/mut/list" >"$out/names"
  cut -f1 "$out/names" | each rtl_one "$b" 'RTL faults' | rows "$out/names" >"$out/ran"
  c_names "$COSIM_C/blocks/$b.c" "$COSIM_OUT/obj/$b/cmut/list" >"$out/names"
  # evenly spread
  awk -v m="$MUTANTS" -v all="$(wc -l <"$out/names")" 'BEGIN { if (m > all) m = all; for (i = 0; i < m; i++) print int(i * all / m) }' |
    each c_one "$b" 'C faults' | rows "$out/names" >>"$out/ran"
  equal=''
  mapfile -t open < <(judge "$COSIM_TB/$b.survivors" '' "$out/ran" 2>/dev/null | awk -F'\t' '$1 == "rtl" && $6 == "open" { print $2 }')
  [ ${#open[@]} -eq 0 ] ||
    equal=$(printf '%s\n' "${open[@]}" | each cosim/equal.sh "$b" 'proofs' | awk '$2 == "equal" { print $1 }' | tr '\n' ' ')
  judge "$COSIM_TB/$b.survivors" "$equal" "$out/ran" >"$tsv" 2>"$out/patterns"
  of() { awk -F'\t' -v side="$1" -v fates="$2" '(side == "" || $1 == side) && index(fates, $6)' "$tsv" | wc -l; }
  killed=$(of '' killed) faults=$(of '' 'killed open error')
  printf '%-12s %12s %12s %7d %10d %7s%% %8d\n' "$b" "$(of rtl killed)/$(of rtl 'killed open error equal explained')" \
    "$(of c killed)/$(of c 'killed open error explained')" "$(of '' equal)" "$(of '' explained)" \
    "$(awk -v k="$killed" -v a="$faults" 'BEGIN { printf "%.1f", a ? 100 * k / a : 0 }')" $SECONDS
  awk -F'\t' '$6 == "open" { print "    survivor: " $2 "  " $3 "  " $4 } $6 == "error" { print "    no result (" $5 "): " $2 "  " $3 "  " $4 }' "$tsv"
  awk -F'\t' -v f="$COSIM_TB/$b.survivors" '$1 == "bad" { print "    " f ": expected \"pattern -- reason\", found \"" $2 "\"" }
    $1 == "wide" { print "    " f ": \"" $2 "\" is too wide: it fits a fault that is killed: " $4 "  " $5 }
    $1 == "unused" { print "    " f ": \"" $2 "\" fits no fault of this run" }' "$out/patterns"
  [ "$killed" -eq "$faults" ] && ! grep -qE '^(bad|wide)' "$out/patterns" || [ $status -ne 0 ] || status=1
  [ "$(of '' error)" -eq 0 ] || status=2
  { grep -vP "^$b\t" "$out/results.tsv"; printf '%s\t%s\t%s\t%s\n' "$b" "$(hash_of "$b")" "$killed" "$faults"; } >"$out/results.new"
  mv "$out/results.new" "$out/results.tsv"
done
exit $status
