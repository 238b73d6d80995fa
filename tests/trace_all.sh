#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kernel, size small, recorded and replayed on every machine, with one SM and with five on two threads, and with every system on
# its own machine: the same statistics as the execution, bit by bit, and the bytes of a warp instruction. Systems with narrow code are
# refused. Some minutes for the machines, half an hour for the systems. `make trace-all` runs it.
#   TRACE_MACHINES="gtx980 ..." TRACE_SYSTEMS="LTRF ..." TRACE_KERNELS="bfs ..." TRACE_SIZE=small tests/trace_all.sh
# An empty list is none.
. "$(dirname "$0")/lib.sh"

size=${TRACE_SIZE:-small}
read -ra machines <<<"${TRACE_MACHINES-gtx480 gtx980 maxwell rtx2060}"
read -ra systems <<<"${TRACE_SYSTEMS-$("$regtwin" list systems --names | tr '\n' ' ')}"
if [ -n "${TRACE_KERNELS:-}" ]; then read -ra all <<<"$TRACE_KERNELS"; else mapfile -t all < <(kernels); fi
different=0 n=0 refused=0
stats() { statistics "$1" | grep -v '"launch_file"'; }

replay() {   # kernel, what, options...
  local k=$1 what=$2 why=
  shift 2
  rm -f "$tmp"/*
  "$regtwin" run "$k" --size "$size" "$@" --json "$tmp/run.json" >"$tmp/out" 2>&1 || why='it cannot be run'
  "$regtwin" trace record "$k" --size "$size" "$@" -o "$tmp/$k.trf" >"$tmp/out" 2>&1 || why=${why:-'it cannot be recorded'}
  if grep -q 'found compile.narrow to be recorded, expected none' "$tmp/out"; then
    refused=$((refused + 1))
    return
  fi
  "$regtwin" run "$tmp/$k.trf" "$@" --json "$tmp/replay.json" >"$tmp/out" 2>&1 || why=${why:-'it cannot be replayed'}
  [ -n "$why" ] || diff <(stats "$tmp/run.json") <(stats "$tmp/replay.json") >"$tmp/diff" || why='it differs'
  n=$((n + 1))
  if [ -z "$why" ]; then
    "$regtwin" trace info "$tmp/$k.trf" --json "$tmp/info.json" >"$tmp/out"
    ok "$k on $what: $(get bytes_per_insn "$tmp/info.json") bytes a warp instruction"
    get bytes_per_insn "$tmp/info.json" >>"$tmp.bytes"
  else
    different=$((different + 1))
    not_ok "$k on $what" "$why" "$(head -n 5 "$tmp/out" "$tmp/diff" 2>/dev/null)"
  fi
}

: >"$tmp.bytes"
trap 'rm -rf "$tmp" "$tmp.bytes"' EXIT
for machine in "${machines[@]}"; do
  for k in "${all[@]}"; do
    replay "$k" "$machine" --config "$machine"
    replay "$k" "$machine, 5 SMs" --config "$machine" --sms 5 --threads 2
  done
done
for system in "${systems[@]}"; do
  for k in "${all[@]}"; do replay "$k" "$system" --system "$system"; done
done
echo "$n recorded and replayed, $different different, $refused refused for their narrow code; mean $(awk '{ s += $1 } END { print s / NR }' "$tmp.bytes") bytes a warp instruction"
[ "$different" -eq 0 ]
