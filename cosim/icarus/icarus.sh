#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make icarus: the RTL under a second simulator. Streams recorded from kernels and what a block's bench
# drives (or REPLAY=file alone) go to the golden model, which writes the expected values, and to Icarus Verilog,
# which simulates the source and compares. A line per block and stream.
# Exit status: 0 no mismatch, 1 some, 2 something could not be built or run.
cd "$(dirname "$0")/../.." || exit 2
. cosim/lib.sh

# The block's streams, into the array `streams`. The bench ends where ICARUS_CYCLES says: its bins need not be
# full by then; a difference of the twins is found below.
choose_streams() {   # block
  local run=$COSIM_OUT/obj/$1/plain/run file=$COSIM_OUT/icarus/$1/bench.stim
  if [ -n "$REPLAY" ]; then streams=("$REPLAY"); return; fi
  "$run" --block "$1" --cycles "$ICARUS_CYCLES" --no-states --record "$file" >"$file.log" 2>&1
  [ -f "$file" ] || { cat "$file.log" >&2; return 2; }
  mapfile -t streams < <(echo "$file"; ls "traces/streams/$1"-*.stim 2>/dev/null)
}

judge() {   # block, stream: prints its line
  local b=$1 dir=$COSIM_OUT/icarus/$1 line cycles bad asserts
  "$dir/expect" "$2" "$ICARUS_CYCLES" "$dir/lines" || return 2
  timeout "$ICARUS_SECONDS" vvp -n "$dir/sim" "+lines=$dir/lines" >"$dir/log" 2>&1
  [ $? -ne 124 ] || { echo "$b: $2: not done in $ICARUS_SECONDS s" >&2; return 2; }
  line=$(grep -E "^${b##*/} $(wc -l <"$dir/lines") [0-9]+$" "$dir/log") ||
    { echo "$b: $2: the simulation did not come to its end:" >&2; tail -n 20 "$dir/log" >&2; return 2; }
  read -r _ cycles bad <<<"$line"
  # an assertion that fails: a cycle takes ten units, its edge comes in the middle
  asserts=$(awk '/^ERROR: / { at = $2; sub(/:$/, "", at) } at != "" && / Time: / {
    printf "  cycle %d: %s: assertion of %s failed\n", int($2 / 10000), at, $4; at = "" }' "$dir/log")
  [ -z "$asserts" ] || bad=$((bad + $(wc -l <<<"$asserts")))
  printf '%-12s %-16s %8s %10s\n' "$b" "$(basename "$2" .stim)" "$cycles" "$bad"
  [ "$bad" -eq 0 ] && return 0
  { grep '^  cycle ' "$dir/log"; [ -z "$asserts" ] || echo "$asserts"; } | head -n 20 | cut -c1-160
  return 1
}

one() {   # block
  local b=$1 dir=$COSIM_OUT/icarus/$1 s worst=0 streams
  "$dir/expect" >"$dir/tb.v" || return 2
  iverilog -g2012 -DASSERT_ON -I "$COSIM_RTL/common" -I "$COSIM_RTL/${b%/*}" -s tb -o "$dir/sim" "$dir/tb.v" "$COSIM_RTL/$b.sv" \
    -y "$COSIM_RTL/${b%/*}" -y "$COSIM_RTL/common" -Y .sv \
    >"$dir/compile.log" 2>&1 || { cat "$dir/compile.log" >&2; return 2; }
  choose_streams "$b" || return 2
  for s in "${streams[@]}"; do
    judge "$b" "$s" || { s=$?; [ $s -gt $worst ] && worst=$s; }
  done
  return $worst
}

ICARUS_SECONDS=${ICARUS_SECONDS:-300}
tools iverilog vvp
choose_blocks
is_number ICARUS_CYCLES "$ICARUS_CYCLES"
[ -z "$REPLAY" ] || [ -n "$BLOCK" ] || die "REPLAY needs BLOCK="
[ -z "$REPLAY" ] || [ -f "$REPLAY" ] || die "REPLAY=$REPLAY: no such file"
[ -n "$REPLAY" ] || tools "$VERILATOR" "$YOSYS"   # for the bench
targets=()
for b in "${blocks[@]}"; do
  targets+=("$COSIM_OUT/icarus/$b/expect")
  [ -n "$REPLAY" ] || targets+=("$COSIM_OUT/obj/$b/plain/run")
done
build "icarus-${BLOCK:-all}" "${targets[@]}" || die 'could not be built'
status=0
printf '%-12s %-16s %8s %10s\n' block stream cycles mismatches
for b in "${blocks[@]}"; do
  one "$b" || { s=$?; [ $s -gt $status ] && status=$s; }
done
exit $status
