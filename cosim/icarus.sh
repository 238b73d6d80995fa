#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make icarus: a second simulator's opinion. Each block's bench is recorded (or REPLAY=file taken), the golden model
# writes the expected values, and Icarus Verilog judges the RTL by itself. Prints `block cycles mismatches` per block.
# Exit status: 0 no mismatch, 1 some, 2 something could not be built.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh

settles() {   # directory, sources...: compiled, and two cycles tried: 124 when they do not end
  local dir=$1
  shift
  iverilog -g2012 -s tb -o "$dir/sim" "$dir/tb.v" "$@" >"$dir/compile.log" 2>&1 || { cat "$dir/compile.log" >&2; return 2; }
  (cd "$dir" && timeout 20 vvp -n sim +cycles=2) >"$dir/log" 2>&1
}

one() {   # block
  local b=$1 dir=$COSIM_OUT/icarus/$1 stim=$REPLAY name=${1##*/} line cycles bad
  mkdir -p "$dir"
  if [ -z "$stim" ]; then
    stim=$dir/bench.stim
    # the bench ends where CYCLES says; its bins need not be full by then, and a mismatch is seen below
    "$COSIM_OUT/obj/$b/plain/run" --block "$b" --cycles "$ICARUS_CYCLES" --record "$stim" >"$dir/record.log" 2>&1
    [ -f "$stim" ] || { cat "$dir/record.log" >&2; return 2; }
  fi
  "$dir/expect" "$stim" "$ICARUS_CYCLES" "$dir" || return 2
  # Icarus says "sorry: constant selects" of always_* and goes on, waking such a block on every bit that it reads: one that
  # reads what it wrote itself (rank[s] from rank[s-1]) then never settles. What does not end goes through Yosys first,
  # which makes assignments of it; the line says so.
  local how=rtl
  settles "$dir" -y "$COSIM_RTL/${b%/*}" -y "$COSIM_RTL/common" -Y .sv "$COSIM_RTL/$b.sv" || {
    [ $? -eq 124 ] || return 2
    how=yosys
    local all
    all=$(find "$COSIM_RTL/${b%/*}" "$COSIM_RTL/common" -name '*.sv' 2>/dev/null | sort | tr '\n' ' ')
    "$YOSYS" -qq -p "read_verilog -sv -defer $all;
      hierarchy -top $name; rename -top $name; proc; write_verilog -noattr $dir/rtl.v" >"$dir/yosys.log" 2>&1 ||
      { cat "$dir/yosys.log" >&2; return 2; }
    settles "$dir" "$dir/rtl.v" || { echo "$b: does not settle" >&2; return 2; }
  }
  (cd "$dir" && timeout "$ICARUS_SECONDS" vvp -n sim) >"$dir/log" 2>&1
  [ $? -ne 124 ] || { echo "$b: $ICARUS_CYCLES cycles not done in $ICARUS_SECONDS s" >&2; return 2; }
  line=$(grep -E "^$name [0-9]+ [0-9]+$" "$dir/log") || { echo "$b: the simulation did not end:" >&2; tail -n 20 "$dir/log" >&2; return 2; }
  read -r _ cycles bad <<<"$line"
  printf '%-12s %10s %10s  %s\n' "$b" "$cycles" "$bad" "$how"
  [ "$bad" -eq 0 ] && return 0
  grep '^  cycle ' "$dir/log" | cut -c1-200
  return 1
}

ICARUS_SECONDS=${ICARUS_SECONDS:-300}
tools "$VERILATOR" "$YOSYS" iverilog vvp
choose_blocks
is_number ICARUS_CYCLES "$ICARUS_CYCLES"
[ -z "$REPLAY" ] || [ -n "$BLOCK" ] || die "REPLAY needs BLOCK="
[ -z "$REPLAY" ] || [ -f "$REPLAY" ] || die "REPLAY=$REPLAY: no such file"
targets=()
for b in "${blocks[@]}"; do
  targets+=("$COSIM_OUT/icarus/$b/expect")
  [ -n "$REPLAY" ] || targets+=("$COSIM_OUT/obj/$b/plain/run")
done
build "icarus-${BLOCK:-all}" "${targets[@]}" || die 'could not be built'
status=0
printf '%-12s %10s %10s  %s\n' block cycles mismatches source
for b in "${blocks[@]}"; do
  one "$b" || { s=$?; [ $s -gt $status ] && status=$s; }
done
exit $status
