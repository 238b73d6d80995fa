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
# fault whose cell is also in that block (cosim/mutate/equal_lanes.c) is compared there, the others in the whole block.
# "equal" is a proof; "differs" is not one where registers are concerned: the difference may be unobservable.
# Prints "NUMBER equal", "NUMBER differs: where; inputs" or "NUMBER unknown". Exit status: 0 all equal, 1 not, 2 wrong
# call. Netlists, rules and answers are read by the program `equal` (cosim/mutate/equal.c), which make mutate builds.
cd "$(dirname "$0")/../.." || exit 2
[ $# -ge 1 ] || { echo "usage: cosim/mutate/equal.sh SYSTEM/BLOCK [NUMBER...]" >&2; exit 2; }
block=$1 name=${1##*/}
shift
yosys=${YOSYS:-yosys}
. cosim/yosys.sh
lower=$(yosys_lower "$yosys")
whole=${COSIM_OUT:-build/cosim}/obj/$block/mut program=${COSIM_OUT:-build/cosim}/obj/equal
tb=${COSIM_TB:-tb} rtl=${COSIM_RTL:-rtl}
for f in "$whole/$name.il" "$program"; do
  [ -f "$f" ] || { echo "equal: $f: not found; run make mutate BLOCK=$block" >&2; exit 2; }
done
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
    params+=" -set ${p#*=} 1"
  done
  mkdir -p "$whole/one"
  # The parameters are set before: hierarchy -chparam ends in an assertion of Yosys where a port gets an element of an array (its issue 3981).
  if ! { "$yosys" -q -p "read_verilog -sv -defer ${files[*]};
      chparam $params \$abstract\\$name; hierarchy -top $name; rename -top $name; proc; flatten; pmuxtree; opt_expr -mux_undef; opt_clean;
      memory_collect; write_rtlil $tmp/plain.il" &&
    "$program" lanes "$arrays" "$whole/list" "$whole/plain.il" "$tmp/plain.il" >"$tmp/list" &&
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
  local expose
  expose=$("$program" expose "$legal") || exit 2
  # registers by their names before the faults: one at its output would hide it
  "$program" registers "$dir/plain.il" >"$tmp/names" || exit 2
  "$yosys" -q -p "read_rtlil $dir/$name.il; $(cut_steps); write_verilog -noattr -selected $tmp/cut.v;
    design -reset; read_rtlil $dir/plain.il; $(cut_steps); write_rtlil -selected $dir/cells.il" >"$tmp/log" 2>&1
  grep -qE '^ *always|cut_reg|cut_rd|cut_wr|^ *reg .*\[.*\];$' "$tmp/cut.v" 2>/dev/null || [ ! -s "$tmp/cut.v" ] &&
    { echo "equal: $block: its registers could not be made ports" >&2; tail -n 3 "$tmp/log" | cut -c1-300 >&2; exit 2; }
  mv "$tmp/cut.v" "$cut"
  rm -f "$dir/proven"
}

use_rule() {   # directory, rule's file: sets dir, legal and cut
  dir=$1 legal=$2 cut=$1/cut.v
}

# Ends with status 2 if the rule, its "// cut:" or its "// apart:" has a name that is no wire of the netlist.
check_names() {
  local word missing status=0
  missing=$("$program" check "$legal" "$dir/$name.il") || status=$?
  [ $status -ne 0 ] || return 0
  [ $status -ne 1 ] || while read -r word; do
    echo "equal: $legal: found $(printf %q "$word"), expected a wire of the netlist of $block" >&2
  done <<<"$missing"
  exit 2
}

use() {   # as use_rule; makes the block without registers, too
  use_rule "$@"
  if is_new "$dir/cut.stamp" "$dir/$name.il" cosim/mutate/{cut.v,equal.sh} "$program" <(cat "$legal" 2>/dev/null); then
    check_names
    make_cut
    echo "$sum" >"$dir/cut.stamp"
  fi
}

# The outputs that the fault's cell can reach, in $tmp/reach; all, "*", if it is a register or memory or reaches
# a memory's read address, since what is read is an input here.
reach() {   # type of the cell, its name
  echo '*' >"$tmp/reach"
  case $1 in *ff* | *mem* | *latch*) return ;; esac
  "$yosys" -q -p "read_rtlil $dir/cells.il; cd $name; select -write $tmp/reached c:${2//[][]/?} %co* o:* %i" \
    >"$tmp/log" 2>&1 || return
  grep -q '__ra$' "$tmp/reached" || sed "s,^$name/,," "$tmp/reached" >"$tmp/reach"
}

# The answer is in $tmp/log: quickly, or with gates made and merged before.
compare() {   # miter, or related: registers may differ as the rule says; number
  local seconds opt
  "$program" "$1" "$2" "$name" "$cut" "$legal" "$tmp/reach" >"$tmp/top.sv" || return
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

if [ -f "$tb/$block.one" ] &&
  is_new "$whole/one/stamp" "$whole"/{plain.il,list} "$tb/$block.one" cosim/mutate/equal.sh "$program"; then
  make_one
  echo "$sum" >"$whole/one/stamp"
fi
if [ $# -eq 0 ]; then
  if [ -f "$tb/$block.one" ]; then
    use_rule "$whole/one" "$tb/$block.one"
    check_names
  fi
  use_rule "$whole" "$tb/$block.legal"
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
  if grep -qsx "$k" "$dir/proven"; then
    echo "$k equal"
    continue
  fi
  cell=$("$program" fault "$k" "$dir/list" "$dir/plain.il") || exit 2
  read -r type effect cell <<<"$cell"
  if [ "$effect" = same ]; then
    echo "$k equal"
    continue
  fi
  reach "$type" "$cell"
  compare miter "$k" || exit 2
  if grep -q 'proof did fail' "$tmp/log" && grep -qs '^// while: ' "$legal"; then
    echo '*' >"$tmp/reach"
    compare related "$k" || exit 2
  fi
  if grep -q 'SUCCESS!' "$tmp/log"; then
    echo "$k equal"
    echo "$k" >>"$dir/proven"
  elif grep -q 'proof did fail' "$tmp/log"; then
    echo "$k differs: $("$program" differ "$name" "$cut" "$tmp/log")"
    status=1
  else
    echo "$k unknown: $(tail -n 1 "$tmp/log")"
    status=1
  fi
done
exit $status
