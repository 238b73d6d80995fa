#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare without --systems: every paper's systems on one machine. Its numbers are those of compare with --systems; what it keeps on disk gives the
# same again; on a paper's machine that paper's systems; what does not fit is refused with what would.
. "$(dirname "$0")/../lib.sh"

row() { sed -n "/^  $1 /p" "$2" | head -n 1; }   # of the first table: label, file
"$regtwin" compare vecadd,sgemm,reduction --size small --db "$tmp/db" --json "$tmp/j" >"$tmp/t" 2>"$tmp/err"
equal 'status' $? 0
has 'the machine' ' systems on common, one SM, 3 kernels, size small$' "$tmp/t"
systems=$(sed -n 's/^ *"system": "\(.*\)",*$/\1/p' "$tmp/j")
check 'of five papers' test "$(grep -o '"paper": "[a-z]*"' "$tmp/j" | sort -u | wc -l)" -ge 5
for paper in finereg linebacker ltrf malekeh slices; do has "of $paper" "\"paper\": \"$paper\"" "$tmp/j"; done

# IPC over the first system, and over a base: as compare has them
for s in LB 'Malekeh:sm.subcores=true:rf.results=2'; do
  "$regtwin" compare vecadd,sgemm,reduction --size small --config common --measures ipc \
    --systems "baseline,$s" 2>/dev/null | awk '/relative to/ { on = 1 } on && /geometric mean/ { print $NF }' >"$tmp/want"
  equal "IPC of ${s%%:*} over the baseline" "$(sed -nE "s/^  ${s%%:*} +[A-Za-z-]+ +([0-9.]+) .*/\1/p" "$tmp/t" | head -n 1)" "$(cat "$tmp/want")"
done
on='sm.subcores=true:rf.results=2'
"$regtwin" compare vecadd,sgemm,reduction --size small --config common --measures ipc --systems "MK-Base:$on,Malekeh:$on" 2>/dev/null |
  awk '/relative to/ { on = 1 } on && /geometric mean/ { print $NF }' >"$tmp/want"
equal 'IPC of Malekeh over its base' "$(row Malekeh <(sed '1,/^means over/d' "$tmp/t") | awk '{ print $4 }')" "$(cat "$tmp/want")"
check 'no system fails' test "$(grep -c ' failed: ' "$tmp/t")" -eq 0
check 'a system that cannot run says why' grep -qE '^Malekeh_PR does not run on this machine: .*collector\.units' "$tmp/t"
has 'bits of FineReg' "^  FineReg +baseline +[1-9][0-9,]+ " "$tmp/t"

# the class is that of bottleneck
"$regtwin" bottleneck vecadd sgemm reduction --size small --config common --db "$tmp/db" --json "$tmp/b" >/dev/null 2>&1
equal 'classes' "$(sed -n '/"classes"/,/}/s/^ *"\(.*\)": "\(.*\)",*$/\1 \2/p' "$tmp/j" | sort | tr '\n' ';')" \
  "$(awk -F'"' '$2 == "kernel" { k = $4 } $2 == "class" { print k, $4 }' "$tmp/b" | sort | tr '\n' ';')"

# again, from disk; in another number of children; by --measures
"$regtwin" compare vecadd,sgemm,reduction --size small --db "$tmp/db" --jobs 1 >"$tmp/again" 2>/dev/null
same 'the same from disk' "$tmp/t" "$tmp/again"
"$regtwin" compare vecadd,sgemm --size small --db "$tmp/db" --measures file_reads >"$tmp/m" 2>/dev/null
has 'a measure for each kernel' '^register-file reads' "$tmp/m"
"$regtwin" compare vecadd --size small --markdown=brief --db "$tmp/db" >"$tmp/md" 2>/dev/null
# shellcheck disable=SC2016  # backquotes of Markdown
has 'Markdown' '^\| LB \| `LB` \|' "$tmp/md"

"$regtwin" compare vecadd --size small --config gtx480 >"$tmp/own" 2>/dev/null
has "a paper's machine" ' systems on gtx480, one SM' "$tmp/own"
has 'has its systems' '^  SL-Full-P ' "$tmp/own"
hasnt 'and no others' '^  (LB|Malekeh|FineReg) ' "$tmp/own"

refused() {   # name, pattern, arguments...
  local name=$1 pattern=$2
  shift 2
  "$regtwin" compare "$@" >"$tmp/out" 2>"$tmp/err"
  equal "$name: status" $? 2
  has "$name: message" "$pattern" "$tmp/err"
}
printf 'gpu:\n  sms: 4\n' >"$tmp/mine.conf"
refused 'a machine of no paper' "found machine '.*mine.conf' without --systems, expected common, the machine of a paper, or --systems" vecadd --config "$tmp/mine.conf"
refused 'a key that fits no system' 'found no system that runs on machine .common. so configured; baseline: .*rf.banks 7, expected' vecadd --set rf.banks=7
refused '--plots beside --systems' 'found --plots beside --systems, expected one of them' vecadd --systems baseline --plots "$tmp"
refused '--plot without --systems' 'found --plot without --systems, expected both, or --plots' vecadd --plot "$tmp/x.png"
refused '--markdown=long' "found 'long', expected brief or nothing" vecadd --markdown=long
if command -v gnuplot >/dev/null; then
  "$regtwin" compare vecadd,sgemm --size small --db "$tmp/db" --plots "$tmp" >/dev/null 2>&1
  for f in pareto.png pareto.svg map.png map.svg; do check "picture $f" test -s "$tmp/$f"; done
fi
check 'each label once' test -z "$(sed -n 's/^ *"label": //p' "$tmp/j" | sort | uniq -d)"
check 'systems are named' test -n "$systems"
refused 'a size that no kernel has' "smal" vecadd,sgemm --size smal
check 'it is refused before anything runs' test "$(wc -l <"$tmp/err")" -eq 1
