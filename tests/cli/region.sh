#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Parts of a run: --roi, --max-cycles, --max-ctas. The result says so wherever it is shown, and no mean takes it unseen.
. "$(dirname "$0")/../lib.sh"

run() { "$regtwin" run "$1" --size small --json "$tmp/j" --per-launch "${@:2}" >"$tmp/table" 2>"$tmp/err"; }   # kernel, options...
timed() { sed -n 's/^ *"timed": \([a-z]*\),$/\1/p' "$tmp/j" | tr -d '\n' | sed 's/true/1/g; s/false/0/g'; }

run bfs
equal 'a whole run' "$(get partial "$tmp/j")" null
hasnt 'a whole run: no star' '\*' "$tmp/table"

check 'two launches' run bfs --roi 2..3
equal 'two launches: of 14' "$(timed)" 00110000000000
equal 'two launches: JSON' "$(get launches_timed "$tmp/j") $(get roi "$tmp/j") $(get max_cycles "$tmp/j")" '2 true false'
has 'two launches: the head of the column' '^ +bfs \*$' "$tmp/table"
has 'two launches: below the table' '^\* bfs: of a part of the run: 2 of 14 launches, sim.roi 2..3$' "$tmp/table"
has 'two launches: a note' 'bfs: its result is of a part of the run: 2 of 14 launches' "$tmp/err"
run bfs --roi bfs_advance
equal 'a kernel' "$(timed)" 01010101010101
run bfs --roi 3..bfs_advance
equal 'a number and a kernel, FROM included' "$(timed)" 00010000000000
run bfs --roi bfs_advance..bfs_expand
equal 'two kernels' "$(timed)" 01100000000000
run bfs --roi 12..
equal 'to the end' "$(timed)" 00000000000011
run bfs --roi 0..99
equal 'all: not a part' "$(get partial "$tmp/j")" null

check 'cycles' run bfs --max-cycles 10000 --sms 2
has 'cycles: below the table' '^\* bfs: of a part of the run: stopped in launch [0-9]+ after 100[0-9][0-9] cycles and [0-9]+ CTAs$' "$tmp/table"
equal 'cycles: JSON' "$(get roi "$tmp/j") $(get max_cycles "$tmp/j") $(get max_ctas "$tmp/j")" 'false true false'
has 'cycles: the launch that was cut' '\(stopped\)' "$tmp/table"
cp "$tmp/j" "$tmp/first"
run bfs --max-cycles 10000 --sms 2 --threads 2
statistics "$tmp/first" >"$tmp/first.stats"
statistics "$tmp/j" >"$tmp/second.stats"
same 'cycles: with two threads' "$tmp/first.stats" "$tmp/second.stats"
check 'CTAs' run bfs --max-ctas 30
equal 'CTAs: JSON' "$(get max_cycles "$tmp/j") $(get max_ctas "$tmp/j")" 'false true'
run bfs --max-cycles 100000000 --max-ctas 100000000
equal 'limits that are not reached' "$(get partial "$tmp/j")" null

# What is executed without time still computes: the launch file's expectations hold, or do not.
cp traces/kernels/vecadd/vecadd.ptx "$tmp"
for sum in 3 4; do
  cat >"$tmp/sum$sum.launch" <<END
ptx vecadd.ptx
buffer a f32 1000 fill 1
buffer b f32 1000 fill 1
buffer c f32 1000 zero
launch vecadd grid 4 block 256 args(a, b, c, u32:1000)
launch vecadd grid 4 block 256 args(a, c, b, u32:1000)
expect b[999] $sum
END
done
check 'the first launch without time, results right' "$regtwin" run "$tmp/sum3.launch" --roi 1
"$regtwin" run "$tmp/sum4.launch" --roi 1 >/dev/null 2>"$tmp/err"
equal 'and wrong: status' "$?" 2
has 'and wrong' 'expected 4' "$tmp/err"

# ---- means ----
"$regtwin" compare bfs,nw --systems baseline,VT --size small --roi 0..3 --json "$tmp/c" >"$tmp/table" 2>"$tmp/err"
equal 'compare: status' "$?" 0
equal 'compare: kernels and means are marked' "$(grep -cE '^ *(bfs|nw|arithmetic mean|geometric mean) \*' "$tmp/table")" 4
has 'compare: what the star means' '^\* with results of a part of a run$' "$tmp/table"
has 'compare: each run is told' 'warning: nw on VT: its result is of a part of the run: 4 of [0-9]+ launches' "$tmp/err"
equal 'compare: JSON of the means' "$(sed -n 's/^          "partial": \(true\|false\),*$/\1/p' "$tmp/c" | sort -u)" true
"$regtwin" compare bfs,nw --systems baseline,VT --size small --json "$tmp/c" >"$tmp/table" 2>"$tmp/err"
hasnt 'compare: whole runs' '\*' "$tmp/table"
equal 'compare: JSON of whole runs' "$(sed -n 's/^          "partial": \(true\|false\),*$/\1/p' "$tmp/c" | sort -u)" false
"$regtwin" bottleneck bfs --size small --max-cycles 10000 --relax none --db "$tmp/db" >"$tmp/table" 2>"$tmp/err"
equal 'bottleneck: status' "$?" 2
has 'bottleneck: refused' 'found a part of the run \(stopped in launch .*\), expected a whole run' "$tmp/err"
"$regtwin" experiment E-FR6 --size small --max-cycles 500 --db "$tmp/db" >"$tmp/table" 2>"$tmp/err"
equal 'experiment: status' "$?" 2
has 'experiment: refused' 'transpose on .*found a part of the run' "$tmp/err"
