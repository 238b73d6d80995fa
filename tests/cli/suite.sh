#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kernel on every machine, in the small size: it runs, and its conservation laws hold (the program checks them).
. "$(dirname "$0")/../lib.sh"
mapfile -t all < <(kernels)

# No part of a whole is above it: what, JSON of runs.
whole() {
  local out
  out=$(sed -nE 's/^ *"(kernel|hit_rate|share_used|[a-z_]*fraction|percent)": ([^,]*),?$/\1 \2/p' "$2" |
    awk '$1 == "kernel" { k = $2 } $2 ~ /^[0-9.e+-]+$/ { n++; if ($2 > ($1 == "percent" ? 100 : 1)) print k, $0 } END { if (!n) print "nothing" }')
  if [ -z "$out" ]; then ok "$1: no share above 1"; else not_ok "$1: no share above 1" "$out"; fi
}

for machine in gtx980 gtx480 maxwell rtx2060; do
  for k in "${all[@]}"; do
    check "$k on $machine, every operand checked" "$regtwin" run "$k" --size small --config $machine --set sim.check=true --json "$tmp/$k"
    cat "$tmp/$k" >>"$tmp/$machine"
  done
  whole "$machine" "$tmp/$machine"
done
# Four SMs: counters are sums over them.
for system in baseline CERF LB LTRF Malekeh; do
  check "four SMs, $system" "$regtwin" run vecadd transpose --size small --sms 4 --system $system --json "$tmp/j"
  whole "four SMs, $system" "$tmp/j"
done
# One SM of very many, and hardly any DRAM: nearly all of a store's time lies behind the end of the launch.
few=(nw vecadd transpose backprop)
for set in 'gpu.sms=1024 l2.bytes=8388608' 'dram.mbps=20000' 'noc.request_bytes=1' 'l1.bytes=0 dram.latency=0'; do
  read -ra keys <<<"$set"
  check "$set" "$regtwin" run "${few[@]}" --size small "${keys[@]/#/--set=}" --json "$tmp/j"
  whole "$set" "$tmp/j"
done
