#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# results: what a database has is what was run; commands that it prints repeat the runs; the report is a whole page with the same bytes each
# time, of nothing but itself; readers at the same time as a writer; what is refused.
. "$(dirname "$0")/../lib.sh"

db=$tmp/runs.db
fill() { "$regtwin" compare "$@" --size small --db "$db" >/dev/null 2>&1; }
results() { "$regtwin" results "$1" --db "$db" "${@:2}"; }
cycles() { "$regtwin" "$@" --json "$tmp/r" >/dev/null && get cycles "$tmp/r"; }
column() { awk -F, -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next } { print $c }' "$2"; }   # name, file

fill vecadd bfs reduction --systems FR-Base,VT,FineReg
fill vecadd bfs --systems FR-Base,VT --set l1.mshrs=16
fill tpacf --systems FR-Base --set shared.bytes=1024
fill sgemm --systems FR-Base --set sim.stop_cycles=2000

# ---- lists
results list >"$tmp/l"
equal 'list: how many runs, and of which states' "$(tail -n 1 "$tmp/l")" '15 runs: 14 done, 1 failed; 1 of them partial: cut short, in no mean'
has 'a line: what differs from the preset' '^[0-9a-f]{12}  bfs +small +- +gtx980 +VT +done +[0-9.]+ +[0-9]+ +l1.mshrs=16 ?$' "$tmp/l"
has 'a run that failed: why' ' failed +- +- +shared.bytes=1024 .*one CTA needs 13312 shared memory' "$tmp/l"
has 'a run that was cut short' ' sgemm .* partial ' "$tmp/l"
equal 'filters' "$(results list --kernel bfs --system VT | tail -n 1)" '2 runs: 2 done'
equal 'filters: the state' "$(results list --state failed | tail -n 1)" '1 runs: 1 failed'
results list --kernel nonsense >"$tmp/out" 2>"$tmp/err"
equal 'nothing of that: status 2' $? 2
has 'nothing of that: says so' 'found no run of what was asked for' "$tmp/err"

# ---- one run
results show vecadd+VT >"$tmp/out" 2>"$tmp/err"
equal 'two runs are not one: status 2' $? 2
has 'two runs are not one: only the key tells them apart' "found 2 runs of 'vecadd\\+VT', expected one: give its key \\(the first column\\)\$" "$tmp/err"
has 'both are listed' '^[0-9a-f]{12}  vecadd .* l1.mshrs=16' "$tmp/err"
key=$(awk '/ vecadd .* VT .*l1.mshrs=16/ { print $1 }' "$tmp/l")
results show "$key" >"$tmp/s"
has 'show: its key' "^run +${key}[0-9a-f]{52}\$" "$tmp/s"
command=$(sed -n 's/^repeat by *regtwin //p' "$tmp/s")
equal 'show: the command' "$command" 'run vecadd --size small --config gtx980 --system VT --set l1.mshrs=16'
# shellcheck disable=SC2086
equal 'the command repeats it' "$(cycles $command)" "$(sed -n 's/^ *cycles *\([0-9,]*\)$/\1/p' "$tmp/s" | tr -d ,)"

# ---- two
results diff "$key" "$(awk '/ vecadd .* VT / && !/mshrs/ { print $1 }' "$tmp/l")" >"$tmp/d"
has 'diff: the key' '^l1.mshrs +16 +64$' "$tmp/d"
has 'diff: a measure' '^ipc +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$tmp/d"
has 'diff: a counter' '^lsu_stall_mshr +[0-9]+ +[0-9]+ +[0-9.]+$' "$tmp/d"
hasnt 'diff: nothing of the host' 'host_ns|peak_rss' "$tmp/d"
equal 'diff of a run and itself' "$(results diff "$key" "$key" | grep -c 'no difference$')" 4
cp "$db" "$tmp/copy.db"
equal 'diff of a database and itself' "$("$regtwin" results diff "$db" "$tmp/copy.db" | tail -n 1)" \
  '14 runs are the same to the bit, 0 differ, 0 are in the first only, 0 in the second only, 1 without a result in one of them'

# ---- numbers
results csv >"$tmp/c"
equal 'csv: a line for each run' "$(wc -l <"$tmp/c")" 16
equal 'csv: every line has as many cells' "$(grep -v '"' "$tmp/c" | awk -F, '{ print NF }' | sort -u | wc -l)" 1
equal 'csv: cycles are those of run' "$(awk -F, '$2 == "bfs" && $6 == "FineReg"' "$tmp/c" | cut -d, -f1-2 | wc -l) $(grep ',bfs,small,0,gtx980,FineReg,' "$tmp/c" |
  cat <(head -n 1 "$tmp/c") - >"$tmp/one"; column cycles "$tmp/one")" "1 $(cycles run bfs --size small --system FineReg)"
results csv --measure ipc --ratio >"$tmp/t"
equal 'csv --measure: a column for each value of a key' "$(head -n 1 "$tmp/t")" 'machine,size,kernel,FR-Base,FR-Base:l1.mshrs=16,VT,VT:l1.mshrs=16,FineReg'
equal 'csv --measure --ratio: kernels and systems' "$(sed -n 's/^gtx980,small,bfs,//p' "$tmp/t" | tr , '\n' | awk '{ printf "%.4f ", $1 }')" \
  "$(for s in FR-Base 'FR-Base --set l1.mshrs=16' VT 'VT --set l1.mshrs=16' FineReg; do
    # shellcheck disable=SC2086
    echo "$(cycles run bfs --size small --system FR-Base) $(cycles run bfs --size small --system $s)"; done | awk '{ printf "%.4f ", $1 / $2 }')"
has 'the run that was cut short is in no cell' '^gtx980,small,sgemm,,,,,$' "$tmp/t"
equal 'systems below each other' "$(results csv --measure ipc --rows systems | cut -d, -f3 | tr '\n' ' ')" 'system FR-Base FR-Base:l1.mshrs=16 VT VT:l1.mshrs=16 FineReg '
equal 'as compare calls them' "$("$regtwin" compare bfs --systems VT:l1.mshrs=16 --size small --measures ipc --csv - | tail -n 1 | cut -d, -f5 | awk '{ printf "%.6f", $1 }')" \
  "$(results csv --measure ipc >"$tmp/ipc"; sed -n 's/^gtx980,small,bfs,//p' "$tmp/ipc" | cut -d, -f4 | awk '{ printf "%.6f", $1 }')"
# keys that always change together are all in the name; an area that is not known says why
cat >"$tmp/zip.yaml" <<'END'
name: zipped
kernels: [vecadd]
size: small
systems: [FineReg]
zip:
  - {finereg.acrf_bytes: 131072, finereg.pcrf_bytes: 131072}
  - {finereg.acrf_bytes: 196608, finereg.pcrf_bytes: 49920}
END
"$regtwin" sweep "$tmp/zip.yaml" --db "$tmp/zip.db" >"$tmp/out" 2>&1
zipped=FineReg:finereg.acrf_bytes=196608:finereg.pcrf_bytes=49920
why=$("$regtwin" cost $zipped 2>&1 | sed -n 's/^regtwin: error: //p')
has 'csv: a size that is not recorded' '^found finereg/rmu at NumEntries=390 ' <(echo "$why")
equal 'csv --measure: zipped keys in the name' "$("$regtwin" results csv --db "$tmp/zip.db" --measure ipc | head -n 1)" "machine,size,kernel,FineReg,$zipped"
"$regtwin" results csv --db "$tmp/zip.db" --measure area >"$tmp/t"
equal 'csv --measure area: why a cell is empty' "$(sed -n 's/^gtx980,small,vecadd,[0-9.]*,,"\(.*\)"$/\1/p' "$tmp/t" | sed 's/""/"/g')" "$zipped: no area: $why"
"$regtwin" results csv --db "$tmp/zip.db" --measure energy --rows systems >"$tmp/t"
has 'csv --measure energy: whose logic it takes' "^gtx980,small,$zipped,[0-9.]+,[0-9.]+,\"$zipped: its energy takes the logic of a block's first set: found finereg/rmu" "$tmp/t"
has 'csv --measure energy: nothing of a size that is recorded' '^gtx980,small,FineReg,[0-9.]+,[0-9.]+,$' "$tmp/t"
"$regtwin" results csv --db "$tmp/zip.db" >"$tmp/t"
has 'csv: columns of what is lacking' ',no_area,no_energy(,|$)' <(head -n 1 "$tmp/t")
has 'csv: a run without an area' ',"no area: found finereg/rmu at NumEntries=390 ' "$tmp/t"
results csv --launches >"$tmp/launches"
equal 'csv --launches: their cycles sum to the run'"'"'s' "$(grep ',bfs,small,0,gtx980,FineReg,' "$tmp/launches" | cat <(head -n 1 "$tmp/launches") - >"$tmp/one"
  column gpu_cycles "$tmp/one" | awk '{ s += $1 } END { print s }')" "$(cycles run bfs --size small --system FineReg)"

# ---- the report
results html -o "$tmp/a.html"
equal 'html: status' $? 0
"$regtwin" results html --db "$tmp/copy.db" -o "$tmp/b.html"
same 'of a copy of the database the same bytes' "$tmp/a.html" "$tmp/b.html"
check 'every tag is closed, every attribute quoted' xmllint --noout "$tmp/a.html"
hasnt 'no script, no other file, no network' '<script|<link|<img|<iframe|src=|@import|url\(|https?:' "$tmp/a.html"
hasnt 'no host' "$(hostname)" "$tmp/a.html"
hasnt 'no number that is none' '[^a-z]-?(nan|inf)[^a-z]' "$tmp/a.html"
has 'the map: who failed' '<td class="f" title="[^"]*13312 shared memory[^"]*">failed</td>' "$tmp/a.html"
has 'the map: what was cut short' '<td class="q" title="partial: [^"]*">[0-9.]+&#8224;</td>' "$tmp/a.html"
has 'the mean: of which kernels' 'over the 3 of 5 kernels that have a whole result on every system; without sgemm, tpacf' "$tmp/a.html"
has 'a curve of the swept key' '<h3>l1.mshrs \(entries\)</h3>' "$tmp/a.html"
has "papers' numbers beside ours" '^<tr><td>IPC, VT, .*</td><td class="n">[0-9.]+.*</td><td class="n">[0-9.]+</td></tr>$' "$tmp/a.html"
sed -n 's/.*<code>regtwin \(run reduction .*FineReg\)<\/code>.*/\1/p' "$tmp/a.html" >"$tmp/command"
# shellcheck disable=SC2046
equal 'a command of it repeats the run' "$(cycles $(cat "$tmp/command"))" "$(grep ',reduction,small,0,gtx980,FineReg,' "$tmp/c" |
  cat <(head -n 1 "$tmp/c") - >"$tmp/one"; column cycles "$tmp/one")"
sed -n 's/.*href="data:text\/csv;charset=utf-8,\([^"]*\)".*/\1/p' "$tmp/a.html" | sed 's/%/\\x/g' >"$tmp/link"
printf '%b' "$(cat "$tmp/link")" >"$tmp/inside.csv"
same 'the CSV in it' "$tmp/c" "$tmp/inside.csv"
results html -o "$tmp/none/x.html" 2>"$tmp/err"
equal 'a report that cannot be written: status 2' $? 2

# ---- names: launch files of equal contents, systems of equal keys, a name that a spreadsheet takes for a formula
mkdir "$tmp/names"
cp traces/kernels/vecadd/vecadd.ptx "$tmp/names"
formula='=HYPERLINK("http:||example.org","x")'
for k in one two "$formula"; do cp traces/kernels/vecadd/vecadd.launch "$tmp/names/$k.launch"; done
(cd "$tmp/names" && printf '%s\n' 'name: names' 'size: small' 'machines: [gtx980]' "systems: [baseline, 'baseline:sm.warps=64', VT]" \
  "kernels: [./one.launch, ./two.launch, './$formula.launch']" >plan.yaml)
(cd "$tmp/names" && "$regtwin" sweep plan.yaml --db names.db >"$tmp/out" 2>"$tmp/err")
names() { "$regtwin" results "$1" --db "$tmp/names/names.db" "${@:2}"; }
names list >"$tmp/l"
equal 'every name of a plan has a row' "$(awk '/gtx980/ { print $2 "+" $6 }' "$tmp/l" | sort | xargs)" "$(for k in "$formula" one two; do
  for s in VT baseline baseline:sm.warps=64; do printf '%s ' "$k+$s"; done; done | tr ' ' '\n' | sort | xargs)"
equal 'equal contents are one run' "$(tail -n 1 "$tmp/l") $(ran "$tmp/names/names.db")" '2 runs under 9 names: 2 done 2'
equal 'a name selects its row' "$(names list --kernel two --system VT | tail -n 1)" '1 runs: 1 done'
equal 'a run of several names is one' "$(names show two+VT | sed -n 's/^kernel *//p')" two
names csv >"$tmp/t"
names csv --measure ipc >>"$tmp/t"
names csv --launches >>"$tmp/t"
equal 'a formula is a text in each table' "$(grep -c "\"'=HYPERLINK(\"\"http:||example.org\"\",\"\"x\"\")\"," "$tmp/t")" 7
hasnt 'a formula is nowhere a formula' '(^|,)"?=' "$tmp/t"

# ---- eight readers and a writer
for i in 1 2 3 4 5 6 7 8; do
  { for _ in 1 2 3; do results list >"$tmp/list$i" && results html -o "$tmp/h$i.html" || echo "reader $i"; done; } >>"$tmp/readers" 2>&1 &
done
fill transpose gather stencil vecadd --systems FR-Base,VT --set l1.mshrs=32
equal 'the writer' $? 0
wait
check 'eight readers while it wrote' test ! -s "$tmp/readers"
check 'their pages are whole' xmllint --noout "$tmp"/h?.html
equal 'then all is there' "$(results list | tail -n 1 | cut -d: -f1)" '23 runs'

# ---- what is no database
printf 'nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense nonsense' >"$tmp/text.db"
for f in "$tmp/text.db" "$tmp/missing.db" "$tmp"; do
  "$regtwin" results html --db "$f" -o "$tmp/x.html" >"$tmp/out" 2>"$tmp/err"
  equal "${f##*/}: status 2" $? 2
  equal "${f##*/}: one message" "$(wc -l <"$tmp/err")" 1
done
head -c 40000 "$db" >"$tmp/cut.db"
"$regtwin" results html --db "$tmp/cut.db" -o "$tmp/x.html" >"$tmp/out" 2>"$tmp/err"
equal 'a database that was cut off: status 2' $? 2
check 'nothing is left of all that' test ! -e "$tmp/x.html"
