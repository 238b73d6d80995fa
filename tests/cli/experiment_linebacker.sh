#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments of the Linebacker paper: traits are those of characterize, plans try what they say, storage is what regtwin cost says; the page.
. "$(dirname "$0")/../lib.sh"

experiment() { "$regtwin" experiment --db "$tmp/db" --size small --set linebacker.period=2000 "$@"; }
sheet() { awk -v title="$1" '$0 == title { on = 1; next } !NF { on = 0 } on' "$2"; }

# ---- E-LB1: as characterize measures
experiment E-LB1 --json "$tmp/j" >"$tmp/t"
equal 'status' $? 0
"$regtwin" run atax --size small --system LB-Base --json "$tmp/r" >/dev/null
equal 'misses of atax are those of a run' \
  "$(awk '$1 == "atax" { print $3; exit }' "$tmp/t")" "$(jq '.counters | 100 * .l1_read_misses / .l1_reads' "$tmp/r" | awk '{ printf "%.1f", $1 }')"
equal 'programs that reuse more than 48 KB' "$(awk '/^  programs of 20 that reuse/ { print $(NF - 1) }' "$tmp/t")" \
  "$(awk '/^ +reused by the top/ { on = 1; next } /^ +read by/ { on = 0 } on && NF == 4 && $3 > 48 { n++ } END { print n + 0 }' "$tmp/t")"
has 'the paper beside it' '^  % of the line reads that miss, mean +[0-9.]+ +66.6$' "$tmp/t"

# ---- the plans: each number of CTAs, the largest L1 that registers leave room for
"$regtwin" compare AT --size small --measures ipc --systems LB-Base,Best-SWL,CacheExt,Best-SWL+CacheExt,Best-PCAL --json "$tmp/j" >"$tmp/t"
has 'Best-SWL tries all' '^  atax +(sm.ctas=[0-9]+|no limit), the best of 9 runs$' "$tmp/t"
has 'Best-PCAL too' '^  atax +pcal.point=[0-9]+, the best of 17 runs$' "$tmp/t"
ipc() { awk -v column="$1" '/^IPC, relative/ { on = 1; next } on && $1 == "atax" { print $(column + 2); exit }' "$tmp/t"; }
check 'the best of all is not below the baseline' awk -v best="$(ipc 2)" 'BEGIN { exit !(best >= 1) }'
check 'and the best with a larger L1 not below that of all CTAs' awk -v all="$(ipc 3)" -v best="$(ipc 4)" 'BEGIN { exit !(best >= all) }'
has 'CacheExt says how large the L1 is' '^  atax +L1 of [0-9]+ KB' "$tmp/t"

# ---- hits, traffic and throttled CTAs are in the short table
"$regtwin" compare KM --size small --systems LB-Base,SVC,LB --set linebacker.period=2000 >"$tmp/t"
for row in IPC 'L1 hit ratio' 'L1 miss ratio' 'off-chip traffic' 'CTAs throttled'; do has "compare shows: $row" "^  $row " "$tmp/t"; done

# ---- E-LB11b: storage
experiment E-LB11b >"$tmp/t"
has 'the sum of the paper' '^  total, bytes +[0-9]+ +5.88 KB$' "$tmp/t"
equal 'what was built is what cost --papers says' "$(sed -n 's/^  total, bytes *\([0-9]*\) .*/\1/p' "$tmp/t")" \
  "$("$regtwin" cost --papers | awk -F '\t' '$1 == "Linebacker" && $2 == "total" { print $6 }')"

# ---- the page
page=docs/results/linebacker.md
page_of "$page" E-LB
equal 'of the default size' "$(sed -n '/^## E-LB6:/,/^## /s/.*, size \([a-z]*\), .*/\1/p' "$page")" default
