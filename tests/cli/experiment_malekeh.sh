#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments of the Malekeh paper: reuse distances are those of analyze, knees and marks follow from the tables, the threshold controller ends where
# its curve says, storage is what regtwin cost says; the page.
. "$(dirname "$0")/../lib.sh"

experiment() { "$regtwin" experiment --db "$tmp/db" --size small "$@"; }
# Of table I of the JSON the rows of kernels (those before the means): name and values.
rows() { jq -r ".tables[$1].rows[] | select(.name | startswith(\"mean\") | not) | [.name, (.values[] | if type == \"number\" then . + 0 else . end)] | @tsv" "$2"; }

# ---- E-MK1: as analyze counts
experiment E-MK1 --json "$tmp/j" >"$tmp/t"
equal 'status' $? 0
for k in lud hotspot gemm_tensor; do
  "$regtwin" analyze "$k" --size small --reuse=all >"$tmp/a"
  equal "reuses of $k above 3 and 10" "$(rows 1 "$tmp/j" | awk -v k="$k" '$1 == k { printf "%.1f %.1f", $2, $3 }')" \
    "$(sed -n 's/.*reuses.*: \([0-9.]*\) % at a distance above 3, \([0-9.]*\) % above 10$/\1 \2/p' "$tmp/a" | tail -n 1)"
done
rows 0 "$tmp/j" | awk '{ s = 0; for (i = 2; i <= NF; i++) s += $i; print (s > 99.99 && s < 100.01) }' | sort -u >"$tmp/found"
equal 'the parts are all reuses' "$(cat "$tmp/found")" 1
mean=$(rows 1 "$tmp/j" | awk '/_tensor/ { s += $2; n++ } END { printf "%.1f", s / n }')
has 'the mean of DeepBench' "^  % above 3, DeepBench, mean +$mean +50.2\$" "$tmp/t"

# ---- E-MK3b: what the last two tables say follows from the others
experiment E-MK3b --json "$tmp/j" >"$tmp/t"
equal 'as many kernels as intervals' "$(rows 3 "$tmp/j" | wc -l)" 17
rows 1 "$tmp/j" | awk '{ split("0 1 2 4 8 16", at, " "); i = 1; while (i < 6 && $(i + 2) >= 0.98) i++; printf "%s %d %.4f\n", $1, at[i], $8 / $(i + 1) }' >"$tmp/want"
paste <(rows 3 "$tmp/j" | sed 's/ \*//') <(rows 4 "$tmp/j") | awk '{ printf "%s %d %.4f\n", $1, $3, $6 }' >"$tmp/found"
same 'knees, and IPC relative to that there' "$tmp/want" "$tmp/found"
few=$(rows 3 "$tmp/j" | awk -F '\t' '$2 < 20 { n++ } END { print n + 0 }')
check 'some kernels have few intervals at this size' test "$few" -gt 0
equal 'those are marked' "$(rows 3 "$tmp/j" | awk -F '\t' '$1 ~ / \*$/ { n++ } END { print n + 0 }')" "$few"
has 'and counted' "^  kernels of fewer than 20 intervals +$few +-\$" "$tmp/t"
"$regtwin" run lud --config rtx2060 --system Malekeh --size small --json "$tmp/r" >/dev/null
equal 'intervals of lud are those of a run' "$(rows 3 "$tmp/j" | awk '$1 == "lud" { print $(NF - 1) }')" "$(jq '.counters.sthld_intervals' "$tmp/r")"

# ---- E-MK6: a heavier crossbar favours neither the banks nor a system of more units
experiment E-MK6 --json "$tmp/j" >"$tmp/t"
for s in MK-Base Malekeh Malekeh_PR; do
  "$regtwin" run lud --config rtx2060 --system $s --size small --json "$tmp/$s" >/dev/null
done
# The energy is linear in the weight w: (a + w b) / (c + w d), where b and d are transfers, with those of eight units four times as dear; so from
# three weights the ratio of transfers follows.
transfers() { jq '.counters | .rf_reads + .ccu_writes' "$tmp/$1"; }
energy() { rows "$1" "$tmp/j" | awk -v c="$2" '$1 == "lud" { print $(c + 1) }'; }
for s in Malekeh:3:1 Malekeh_PR:5:4; do
  IFS=: read -r name column times <<<"$s"
  awk -v e3="$(energy 0 "$column")" -v e1="$(energy 1 "$column")" -v e10="$(energy 2 "$column")" \
    -v want="$(transfers "$name" | awk -v times="$times" -v base="$(transfers MK-Base)" '{ print times * $1 / base }')" 'BEGIN {
      # e (1 + w d) = a + w b, with c = 1: three equations in a, b, d
      x = (e3 - e1) / 0.2; y = (e10 - e1) / 0.9          # 0.3, 0.1 and 1
      d = (x - y) / ((e10 - 0.1 * e1) / 0.9 - (0.3 * e3 - 0.1 * e1) / 0.2)
      b = x + d * (0.3 * e3 - 0.1 * e1) / 0.2
      print (b / d - want < 0.002 && want - b / d < 0.002), b / d, want }' >"$tmp/found"
  check "transfers of $name, from the energies: $(cat "$tmp/found")" grep -q '^1 ' "$tmp/found"
done

# ---- E-MK9: a curve that is flat to K ends at K; without `moved` a walk that reaches 0 steps back up
experiment E-MK9 --json "$tmp/j" --plots "$tmp" >"$tmp/t"
rows 1 "$tmp/j" | awk '{ print $1, $2, $3, $5, $6 }' >"$tmp/found"
awk 'BEGIN { for (k = 0; k <= 20; k++) print k, k, 6, k ? k : 1, 6 }' >"$tmp/want"
same 'K, threshold and state, with moved and without' "$tmp/want" "$tmp/found"
equal 'on a curve that falls by 1 % it never turns' "$(rows 0 "$tmp/j" | awk -F '\t' '{ n += $10 == $1 - 1 } END { print n }')" 40
check 'lines are drawn' grep -q 'flat to 0, without moved' "$tmp/E-MK9.svg"

# Another table: the threshold goes up by 7 in each interval, to 63.
for s in start flat guess steep settle hold; do printf '%s small +7 hold\n%s large +7 hold\n' $s $s; done >"$tmp/table"
experiment E-MK9 --json "$tmp/j" --set malekeh.table="$tmp/table" >"$tmp/t"
equal 'a table of a file sets the thresholds' "$(rows 0 "$tmp/j" | awk -F '\t' '{ for (i = 2; i <= NF; i++) n += $i == ($1 < 10 ? 7 * ($1 - 1) : 63) } END { print n }')" 360
equal 'and all ends' "$(rows 1 "$tmp/j" | cut -f 2 | sort -u)" 63
sed -i 3s/flat/fiat/ "$tmp/table"
experiment E-MK9 --set malekeh.table="$tmp/table" >"$tmp/t" 2>"$tmp/err"
equal 'status of a table with an error' $? 2
has 'and its place' "$tmp/table:3:1: error: found 'fiat', expected a state" "$tmp/err"

# ---- E-MK10: storage
experiment E-MK10 >"$tmp/t"
has 'what the units of Malekeh have more' '^  bytes, Malekeh beyond MK-Base +2048 +2 KB$' "$tmp/t"
equal 'what was built is what cost --papers says' "$(sed -n 's/^  total, bytes *\([0-9-]*\)~* .*/\1/p' "$tmp/t")" \
  "$("$regtwin" cost --papers | awk -F '\t' '$1 == "Malekeh" && $2 == "total" { print $6 == "" ? "-" : $6 }')"

# ---- the page
page=docs/results/malekeh.md
page_of "$page" E-MK
equal 'of the default size' "$(sed -n '/^## E-MK4a:/,/^## /s/.*, size \([a-z]*\), .*/\1/p' "$page")" default
equal 'but the thresholds one by one' "$(sed -n '/^## E-MK3a:/,/^## /s/.*, size \([a-z]*\), .*/\1/p' "$page")" small
