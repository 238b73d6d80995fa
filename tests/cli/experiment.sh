#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# experiment: its numbers are those of compare, characterize and the manifest; results are kept and found again; what
# cannot be run is reported.
. "$(dirname "$0")/../lib.sh"

experiment() { "$regtwin" experiment --db "$tmp/db" --size small "$@"; }

# ---- E-FR1: the same kernels on the same systems as compare
experiment e-fr1 >"$tmp/t"
equal 'status' $? 0
kept=$(ran "$tmp/db")
"$regtwin" compare finereg --db "$tmp/db" --systems FR-Base,Sched-2,Both-2 --size small >"$tmp/c"
equal 'compare finds its results' "$(ran "$tmp/db")" "$kept"
"$regtwin" compare bfs sgemm --systems FR-Base,Sched-2,Both-2 --size small >"$tmp/again"
two() { awk '/^ *(bfs|sgemm) / { print $1, $(NF - 2), $(NF - 1), $NF }' "$1"; }
two "$tmp/again" >"$tmp/want"
two "$tmp/c" >"$tmp/found"
same 'without them two kernels have the same' "$tmp/want" "$tmp/found"
awk '/^IPC, relative/ { on = 1; next } !NF { on = 0 } on && !/mean/ { print $2, $3, $4, $5 }' "$tmp/c" >"$tmp/want"
sed '/ours/,$d' "$tmp/t" >"$tmp/sheet"
awk 'NF == 9 && !/mean/ { print $2, $3, $5, $9 }' "$tmp/sheet" >"$tmp/found"
same 'E-FR1 is what compare says' "$tmp/want" "$tmp/found"
mean() { awk -v column="$1" -v from="$2" -v to="$3" '$2 ~ /^(BF|BI|CS|FD|KM|MC|NW|ST|SY2)$/ { k = "s" }
  $2 ~ /^(AT|CF|HS|LI|LB|SG|SR2|TA|TR)$/ { k = "r" } k == from { s += $(column + 2); n++ } { k = "" }
  END { d = s / n - to; print n, (d < 0.001 && d > -0.001) }' "$tmp/sheet"; }
ours() { sed -n "s/^  $1 *\([0-9.]*\) *[0-9.]*$/\1/p" "$tmp/t"; }
equal 'the mean of type-s on Sched x2' "$(mean 3 s "$(ours 'IPC, Sched x2, type-s')")" '9 1'
equal 'the mean of type-r on Both x2' "$(mean 7 r "$(ours 'IPC, Both x2, type-r')")" '9 1'
has 'the paper beside it' '^  IPC, Both x2, type-r +[0-9.]+ +1.986$' "$tmp/t"

# ---- E-FR2: sgemm takes 8 warps x 44 registers x 128 bytes and 2048 bytes; bfs 8 x 7 x 128 and none
experiment E-FR2 >"$tmp/t"
has 'KB of one more CTA: sgemm' '^  sgemm +SG +44.0 +2.0 +46.0 +95.7$' "$tmp/t"
has 'KB of one more CTA: bfs' '^  bfs +BF +7.0 +0.0 +7.0 +100.0$' "$tmp/t"
has 'the most' '^  KB, most +46.0 +37.3$' "$tmp/t"

# ---- E-FR4, E-FR5: as characterize measures
experiment E-FR4 E-FR5 >"$tmp/t"
"$regtwin" characterize CS cfd --size small >"$tmp/c"
accessed=$(awk '/^  accessed in 1000 insn of the SM/ { on = 1; printf "%s ", $(NF - 1) } on && /^    (least|most)/ { printf "%s ", $(NF - 1) }
  /insn of a CTA/ { on = 0 }' "$tmp/c")
equal 'registers of CS' "$(awk '$2 == "CS" { print $3, $4, $5 " "; exit }' "$tmp/t")" "$accessed"
stall=$(awk '/^  first, after/ { print $(NF - 1), $NF }' "$tmp/c")
equal 'stalls of CS and CF' "$(awk '/first complete stall$/ { on = 1 } on && ($2 == "CS" || $2 == "CF") { printf "%s%s", $3, $2 == "CS" ? " " : "" }' "$tmp/t" | tr -d ,)" "$stall"
has 'and the paper'"'"'s' '^  convolutionSeparable +CS +[0-9,]+ +512$' "$tmp/t"

"$regtwin" list experiments >"$tmp/t"
equal 'list experiments is experiment --list' "$(cat "$tmp/t")" "$("$regtwin" experiment --list)"

# ---- kept results
before=$(ran "$tmp/db")
check 'results are kept' test "$before" -ge 126
experiment E-FR1 --json "$tmp/j1" --plots "$tmp" >/dev/null
equal 'nothing runs twice' "$(ran "$tmp/db")" "$before"
check 'its picture' test "$(head -c 4 "$tmp/E-FR1.png" | tail -c 3)" = PNG
run=$(sqlite3 "$tmp/db" "SELECT run FROM results WHERE kernel = 'sgemm' AND state = 'done' LIMIT 1")
sqlite3 "$tmp/db" "UPDATE result SET cycles = cycles + 1 WHERE run = '$run'"
experiment E-FR1 --json "$tmp/j2" >/dev/null 2>"$tmp/err"
experiment E-FR2 >/dev/null 2>>"$tmp/err"
same 'a result that was changed is run again' "$tmp/j1" "$tmp/j2"
has 'and said to be damaged' "^regtwin: warning: $tmp/db: found a damaged result \(run ${run:0:12}\)" "$tmp/err"
equal 'once' "$(ran "$tmp/db")" $((before + 1))
export REGTWIN_TRACES=$tmp/traces
cp -r traces/kernels "$REGTWIN_TRACES"
echo '# edited' >>"$REGTWIN_TRACES/sgemm/sgemm.launch"
experiment E-FR1 >/dev/null
equal 'an edited kernel runs again, it alone' "$(ran "$tmp/db")" $((before + 8))
unset REGTWIN_TRACES

# ---- energy: the mean of the parts is compare's; the widest bar of the tornado is first
experiment E-FR10b --plots "$tmp" >"$tmp/t"
"$regtwin" compare finereg --db "$tmp/db" --size small --systems FR-Base,FineReg --measures energy >"$tmp/c"
equal 'energy of FineReg' "$(awk '/^  all +1.000/ { print $NF }' "$tmp/t")" \
  "$(awk '/^energy, relative to/ { on = 1 } on && /^  arithmetic mean/ { print $NF; exit }' "$tmp/c")"
has 'what it hangs on' '^  idle power of the SM +[0-9.]+ +[0-9.]+$' "$tmp/t"
# shellcheck disable=SC2016
check 'the widest bar is first' awk '/^  .* [0-9.]+ +[0-9.]+$/ && on { d = $NF - $(NF - 1); if (d < 0) d = -d; if (n++ && d > last + 0.0002) exit 1; last = d }
  /with one energy per event changed/ { on = 1 } END { exit n < 5 }' "$tmp/t"
check 'its picture' test "$(head -c 4 "$tmp/E-FR10b.png" | tail -c 3)" = PNG

# ---- E-FR16: as map draws it
experiment E-FR16 --plots "$tmp" >"$tmp/t"
"$regtwin" map finereg --size small --db "$tmp/db" --system VT --against FR-Base --x noc.latency=64,256,512 --y dram.mbps=x0.5,x1,x4 >"$tmp/m"
awk '/^  [0-9]+ +MB/ { sub(/\*/, ""); print $1, $(NF - 2), $(NF - 1), $NF }' "$tmp/m" >"$tmp/want"
awk '/^IPC of/ { on = $3 == "VT" } on && /^  [0-9]/ { sub(/\*/, ""); print $1, $2, $3, $4 }' "$tmp/t" >"$tmp/found"
same 'E-FR16: the map of VT' "$tmp/want" "$tmp/found"
equal 'it has three rows' "$(wc -l <"$tmp/found")" 3
has 'the own point: the column' '^ +64\* +256 +512$' "$tmp/t"
has 'the own point: the row' '^  352500\* +[0-9.]+ ' "$tmp/t"
has 'the paper beside it' "^VT: FineReg \(MICRO.18\), Fig 13 has 1.121 in the mean of its kernels: reached at [0-9] of 9 points$" "$tmp/t"
equal 'a picture of three maps' "$(grep -o '<text>IPC of [A-Za-z-]*' "$tmp/E-FR16.svg" | sort -u | wc -l)" 3

# ---- failures
experiment E-FR1 --set shared.bytes=4096 >"$tmp/t" 2>"$tmp/err"
equal 'a kernel that does not fit: status 2' $? 2
has 'which, where, why' '^regtwin: E-FR1: tpacf on FR-Base: .*one CTA needs 13312 shared memory' "$tmp/err"
has 'the others are there' '^  sgemm +SG +1.000 +' "$tmp/t"
has 'and that one is not' '^  tpacf +TA +- +- ' "$tmp/t"

# ---- the page: a section for each; sections without runs equal the program's output
page=docs/results/finereg.md
page_of "$page" E-FR
size=$(sed -n '/^## E-FR2:/,/^## /s/.*, size \([a-z]*\), .*/\1/p' "$page")
experiment E-FR2 --size "$size" --markdown=../img/finereg >"$tmp/want"
sed -n '/^## E-FR2:/,/^## E-FR3:/{/^## E-FR3:/!p}' "$page" >"$tmp/found"
same 'E-FR2 is up to date' "$tmp/want" "$tmp/found"
