#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What must not change a statistic does not: compiler, optimisation, skipping of idle cycles, the null system, another run.
. "$(dirname "$0")/../lib.sh"

stats() {   # program, kernel, machine, options...
  local program=$1 kernel=$2 machine=$3
  shift 3
  "$program" run "$kernel" --size small --config "$machine" --json - "$@" >"$tmp/j" && statistics "$tmp/j"
}

mapfile -t all < <(kernels)
for k in "${all[@]}"; do
  case $k in bfs | reduction | gather) machine=rtx2060 ;; *) machine=gtx980 ;; esac
  stats "$regtwin" "$k" $machine >"$tmp/base"
  stats "$regtwin" "$k" $machine >"$tmp/again"
  same "$k on $machine: again" "$tmp/base" "$tmp/again"
  stats "$regtwin" "$k" $machine --set sim.skip=false | grep -v '"skip"' >"$tmp/noskip"
  grep -v '"skip"' "$tmp/base" >"$tmp/skip"
  same "$k on $machine: without skipping" "$tmp/skip" "$tmp/noskip"
  slots='"(system|residency|storage|collector|scheduler|l1)": "'
  stats "$regtwin" "$k" $machine --system null | grep -vE "$slots" >"$tmp/null"
  grep -vE "$slots" "$tmp/base" >"$tmp/noslots"
  same "$k on $machine: null system" "$tmp/noslots" "$tmp/null"
done
for k in sgemm bfs reduction; do
  for machine in gtx980 maxwell; do
    stats "$regtwin" $k $machine >"$tmp/base"
    for variant in o0 clang; do
      stats "$PWD/build/$variant/regtwin" $k $machine >"$tmp/other"
      same "$k on $machine: gcc -O3 and build/$variant" "$tmp/base" "$tmp/other"
    done
  done
done
