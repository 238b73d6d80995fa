#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run --timeline: pictures, and that drawing one changes nothing else. Their contents: tests/unit/timeline_test.c.
. "$(dirname "$0")/../lib.sh"

"$regtwin" run CS --size small --json "$tmp/j" >/dev/null
check 'an SVG' "$regtwin" run CS --size small --timeline "$tmp/t.svg" --json "$tmp/k"
statistics "$tmp/j" >"$tmp/want"
statistics "$tmp/k" >"$tmp/found"
same 'statistics are the same' "$tmp/want" "$tmp/found"
cycles=$(sed -n 's/^ *"cycles": \([0-9]*\),$/\1/p' "$tmp/j" | head -n 1)
has 'its title' "convolutionSeparable, size small on one SM of gtx980, system baseline: [0-9]+ cycles, drawn in steps of 32" "$tmp/t.svg"
has 'launches' 'convolution_columns' "$tmp/t.svg"
has 'legend' 'active: its warps may issue \([0-9.]+ %\)' "$tmp/t.svg"
end=$(grep -oE 'system baseline: [0-9]+' "$tmp/t.svg" | grep -oE '[0-9]+$')
equal "as long as the run's launches" "$end" "$cycles"
check 'a PNG' "$regtwin" run tests/character/walk.launch --timeline "$tmp/t.png"
check 'it is one' test "$(head -c 4 "$tmp/t.png" | tail -c 3)" = PNG
check 'nothing is left beside them' test "$(find "$tmp" -name 't.*' | wc -l)" -eq 2
