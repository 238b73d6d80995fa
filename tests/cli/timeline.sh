#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run --timeline, --plot: pictures, and that drawing one changes nothing else. Their contents: tests/unit/timeline_test.c,
# load_latency_test.c.
. "$(dirname "$0")/../lib.sh"

"$regtwin" run CS --size small --json "$tmp/j" >/dev/null
check 'an SVG' "$regtwin" run CS --size small --timeline "$tmp/t.svg" --json "$tmp/k"
statistics "$tmp/j" >"$tmp/want"
statistics "$tmp/k" >"$tmp/found"
same 'statistics are the same' "$tmp/want" "$tmp/found"
cycles=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$tmp/j" | head -n 1)
has 'its title' "convolutionSeparable, size small on one SM of gtx980, system baseline: [0-9]+ cycles, drawn in steps of 64" "$tmp/t.svg"
has 'launches' 'convolution_columns' "$tmp/t.svg"
has 'legend' 'active: its warps may issue \([0-9.]+ %\)' "$tmp/t.svg"
end=$(grep -oE 'system baseline: [0-9]+' "$tmp/t.svg" | grep -oE '[0-9]+$')
drain=$(sed -n 's/^ *"drain_cycles": \([0-9]*\),*$/\1/p' "$tmp/j" | head -n 1)
equal "as long as the run's launches, up to their last CTA's end" "$end" $((cycles - drain))
check 'a PNG' "$regtwin" run tests/data/character/walk.launch --timeline "$tmp/t.png"
check 'it is one' test "$(head -c 4 "$tmp/t.png" | tail -c 3)" = PNG
check 'nothing is left beside them' test "$(find "$tmp" -name 't.*' | wc -l)" -eq 2

check 'load latencies: an SVG' "$regtwin" run CS --size small --plot "$tmp/l.svg" --json "$tmp/k"
statistics "$tmp/k" >"$tmp/found"
same 'load latencies: statistics are the same' "$tmp/want" "$tmp/found"
loads=$(jq .load_latency.all.loads "$tmp/j")
has 'load latencies: title' "convolutionSeparable, size small on one SM of gtx980, system baseline: $loads loads" "$tmp/l.svg"
for l in l1:L1 l2:L2 dram:DRAM; do
  has "load latencies: ${l#*:} in the legend" \
    "${l#*:}: [0-9.]+ %, mean [0-9.]+, p50 $(jq ".load_latency.${l%:*}.p50 // 0" "$tmp/j"), p95" "$tmp/l.svg"
done
equal 'load latencies: levels sum to all' "$(jq '.load_latency | .l1.loads + .l2.loads + .dram.loads' "$tmp/j")" "$loads"
check 'load latencies: a PNG' "$regtwin" run tests/data/character/walk.launch --plot "$tmp/l.png"
check 'it is one' test "$(head -c 4 "$tmp/l.png" | tail -c 3)" = PNG
