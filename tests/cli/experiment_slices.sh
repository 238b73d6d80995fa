#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiments of the slices paper: its machine and its kind of mean; numbers are those of compare; remarks on narrow
# code; formats; the page.
. "$(dirname "$0")/../lib.sh"

experiment() { "$regtwin" experiment --db "$tmp/db" --size small "$@"; }
sheet() { awk -v title="$1" '$0 == title { on = 1; next } !NF { on = 0 } on' "$2"; }

# ---- E-SL1: one kernel, on the paper's machine unless another is named
experiment e-sl1 >"$tmp/t"
equal 'status' $? 0
has 'the machine is the paper'"'"'s' '^one SM of gtx480, size small, 6 runs$' "$tmp/t"
"$regtwin" compare slices:IMGVF --config gtx480 --size small --systems SL-Orig,SL-Int,SL-Float-P,SL-Full-P,SL-ArtOcc --all >"$tmp/c" 2>"$tmp/err"
column() { awk -v title="$1" 'index($0, title) == 1 { on = 1; next } !NF { on = 0 } on && $1 == "imgvf" { $1 = $2 = ""; print; exit }' "$tmp/c"; }
equal 'registers are what compare says' "$(sheet 'registers per thread' "$tmp/t" | awk '{ $1 = $2 = ""; print }')" "$(column 'registers per thread,')"
equal 'IPC is what compare says' "$(sheet 'IPC, relative to SL-Orig' "$tmp/t" | awk '{ $1 = $2 = ""; print }')" "$(column 'IPC, relative')"
thread_ipc=$("$regtwin" run imgvf --config gtx480 --system SL-Orig --size small | awk '/^  thread instructions per cycle/ { print $NF }')
equal 'thread instructions of 15 SMs' \
  "$(sheet 'thread instructions per cycle, 15 SMs' "$tmp/t" | awk -v one="$thread_ipc" '{ d = $3 - 15 * one; print (d < 1 && d > -1) }')" 1
has 'the paper beside it' '^  registers per thread, SL-Full-P, IMGVF +[0-9]+ +29$' "$tmp/t"
experiment E-SL1 --config gtx980 >"$tmp/t" 2>"$tmp/err"
has 'another machine' '^one SM of gtx980, ' "$tmp/t"

# ---- E-SL2 is two figures
experiment E-SL2 >"$tmp/t"
equal 'both figures' "$(sed -n 's/^\(E-SL2[a-z]*\) .*/\1/p' "$tmp/t" | tr '\n' ' ')" 'E-SL2a E-SL2b '
sheet 'registers per thread' "$tmp/t" >"$tmp/sheet"
equal 'narrow integers never need more registers' "$(awk '!/Orig|mean/ { n += $4 <= $3 } END { print n }' "$tmp/sheet")" 11
equal 'nor do floats on top of them' "$(awk '!/Orig|mean/ { n += $7 <= $4 && $8 <= $4 } END { print n }' "$tmp/sheet")" 11
equal 'the mean is geometric' "$(awk '!/mean/ { s += log($3); n++ } /^  geometric mean +[0-9]/ { d = $3 - exp(s / n); print n, (d <= 0.5 && d >= -0.5) }' "$tmp/sheet")" '11 1'

# ---- E-SL3
experiment E-SL3 --json "$tmp/j" >"$tmp/t"
sheet 'IPC, relative to SL-Orig' "$tmp/t" >"$tmp/sheet"
equal 'its mean is geometric' "$(awk '!/mean/ { s += log($4); n++ } /^  geometric mean +[0-9]/ { d = $4 - exp(s / n); print n, (d < 0.001 && d > -0.001) }' "$tmp/sheet")" '11 1'
has 'a claim that is a range' '^  IPC, SL-Full-H, CFD +[0-9.]+ +1.09 to 1.79$' "$tmp/t"
has 'a claim that is a bound' '^  IPC, SL-Full-P, GICOV +[0-9.]+ +below 1$' "$tmp/t"
has 'json: the paper' '"paper": "Static data compression' "$tmp/j"
has 'json: a number of the paper' '"paper": "1.1575"' "$tmp/j"
has 'json: remarks' '"remarks": \[$' "$tmp/j"
has 'json: nothing failed' '"complaints": \[\]$' "$tmp/j"

# ---- floats without widths keep 32 bits, with a remark
export REGTWIN_TRACES=$tmp/traces
cp -r traces/kernels "$REGTWIN_TRACES"
sed -i '/^high:/,$d' "$REGTWIN_TRACES/gicov/gicov.widths"
experiment E-SL2b >"$tmp/t"
equal 'a kernel without widths: status' $? 0
has 'a kernel without widths' '^SL-Full-H: floats keep 32 bits for want of a widths file: gicov$' "$tmp/t"
unset REGTWIN_TRACES

# ---- E-SL4: relative to no delay
experiment E-SL4 >"$tmp/t"
sheet 'IPC, relative to no delay' "$tmp/t" >"$tmp/sheet"
equal 'no delay is 1' "$(awk '!/mean/ { print $3 }' "$tmp/sheet" | sort | uniq -c | awk '{ print $1, $2 }')" '11 1.000'
equal 'eight cycles are slower than two for most' "$(awk '!/mean/ { n += $6 < $4 } END { print (n >= 6) }' "$tmp/sheet")" 1

# ---- E-SL5: no runs; all of the codes
experiment E-SL5 --plots "$tmp" >"$tmp/t"
hasnt 'no SM' '^one SM' "$tmp/t"
equal 'codes come back, NaN apart; none is wrong' \
  "$(awk '/^codes, / { on = 1; next } !NF { on = 0 } on && $5 == $6 + $7 && $10 == 0 { print $3, $4 }
          on { gsub(",", "") } on && $1 > 20 { next }' <(sed '/^codes, /,/^$/s/\([0-9]\),/\1/g' "$tmp/t") | tr '\n' ' ')" \
  '3 4 4 7 5 10 5 14 6 17 7 20 '
equal 'all codes of 8 to 20 bits' "$(sed '/^codes, /,/^$/s/\([0-9]\),/\1/g' "$tmp/t" | awk '/^codes, / { on = 1; next } !NF { on = 0 } on && $1 <= 20 { n += $5 == 2 ^ $1 } END { print n }')" 4
equal 'rounding is to nearest even' "$(awk '/^numbers of 32 bits/ { on = 1; next } !NF { on = 0 } on { print $NF }' "$tmp/t" | sort -u)" 0
equal 'formats are the paper'"'"'s' "$(awk '/^  [0-9]+ bits, (exponent|mantissa) bits/ { n += $(NF - 1) == $NF } END { print n }' "$tmp/t")" 14
check 'its pictures' test "$(head -c 4 "$tmp/E-SL5.png" | tail -c 3)" = PNG -a "$(grep -c '<svg' "$tmp/E-SL5.svg")" = 1

# ---- unknown names
for id in E-SL E-SL2c E-SL99 E-SL22; do
  experiment $id >"$tmp/t" 2>&1
  equal "$id: status" $? 2
done

# ---- the page: a section for each; sections without runs equal the program's output
page=docs/results/slices.md
page_of "$page" E-SL
size=$(sed -n '/^## E-SL3:/,/^## /s/.*, size \([a-z]*\), .*/\1/p' "$page")
equal 'of the default size' "$size" default
experiment E-SL5 --markdown=../img/slices >"$tmp/want"
sed -n '/^## E-SL5:/,/^<!--/{/^<!--/!p}' "$page" >"$tmp/found"
same 'E-SL5 is up to date' "$tmp/want" "$tmp/found"
experiment E-FR14 E-SL6 --markdown=../img/cost >"$tmp/want"
sed -n '/^## E-FR14:/,/^## E-FR10a/{/^## E-FR10a/!p}' docs/results/cost.md >"$tmp/found"
same 'so are E-FR14 and E-SL6' "$tmp/want" "$tmp/found"
