#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Statistics do not depend on compiler and optimisation (gcc -O0: system_folder.sh), skipping of idle cycles, hooks without effect, or the run.
# needs: binary asan:binary
. "$(dirname "$0")/../lib.sh"

stats() {   # program, kernel, machine, options...
  local program=$1 kernel=$2 machine=$3
  shift 3
  "$program" run "$kernel" --size small --config "$machine" --json - "$@" >"$tmp/j" && statistics "$tmp/j"
}

mapfile -t all < <(kernels)
machines=(gtx980 maxwell rtx2060 gtx480) i=0
for k in "${all[@]}"; do
  machine=${machines[i++ % 4]}
  stats "$regtwin" "$k" "$machine" >"$tmp/base"
  stats "$regtwin" "$k" "$machine" >"$tmp/again"
  same "$k on $machine: again" "$tmp/base" "$tmp/again"
  stats "$regtwin" "$k" "$machine" --set sim.skip=false | grep -v '"skip"' >"$tmp/noskip"
  grep -v '"skip"' "$tmp/base" >"$tmp/skip"
  same "$k on $machine: without skipping" "$tmp/skip" "$tmp/noskip"
  grep -v '"null_hooks"' "$tmp/base" >"$tmp/want"
  stats "$regtwin" "$k" "$machine" --set sim.null_hooks=true | grep -v '"null_hooks"' >"$tmp/null"
  same "$k on $machine: with hooks that do nothing" "$tmp/want" "$tmp/null"
done
# The system of that name is the baseline of every machine, whatever the machine has chosen; and hooks change nothing in
# systems that take most of them.
for machine in "${machines[@]}"; do
  for k in reduction bfs sgemm; do
    stats "$regtwin" $k "$machine" | grep -vE '"(system|null_hooks)"' >"$tmp/want"
    stats "$regtwin" $k "$machine" --system null | grep -vE '"(system|null_hooks)"' >"$tmp/null"
    same "$k on $machine: system null" "$tmp/want" "$tmp/null"
  done
done
while read -r machine system; do
  for k in reduction bfs hotspot; do
    stats "$regtwin" $k "$machine" --system "$system" --set sim.check=true | grep -v '"null_hooks"' >"$tmp/want"
    stats "$regtwin" $k "$machine" --system "$system" --set sim.check=true --set sim.null_hooks=true | grep -v '"null_hooks"' >"$tmp/null"
    same "$k on $machine, $system: with hooks that do nothing" "$tmp/want" "$tmp/null"
  done
done <<'END'
gtx980 VT
maxwell FineReg
rtx2060 RegDRAM
gtx980 VT-RegMutex
gtx480 SL-Full-P
END
for k in sgemm bfs reduction; do
  for machine in gtx980 maxwell; do
    stats "$regtwin" $k "$machine" >"$tmp/base"
    stats "$PWD/build/asan/regtwin" $k $machine >"$tmp/other"
    same "$k on $machine: gcc -O3 and clang -O1" "$tmp/base" "$tmp/other"
  done
done
