#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# regtwin sweep: every run of a plan is run once, whatever ends the sweep; what is lost is tried again, what fails is not; limits,
# refusals, several sweeps and readers at once, full disks.
. "$(dirname "$0")/../lib.sh"

plan() { cat >"$tmp/$1.yaml"; }
sweep() { "$regtwin" sweep "$tmp/$1.yaml" --db "$tmp/${2:-db}" "${@:3}"; }
sql() { sqlite3 -cmd ".timeout 30000" "$tmp/${2:-db}" "$1"; }

# ---- what a plan gives
plan all <<END
name: all
kernels: [vecadd, sgemm]
size: small
seeds: [1, 2]
machines: [gtx980, gtx480]
systems: [baseline, VT, "baseline:l1.mshrs=16"]
set: {sim.check: true, l1.hash: none}
sweep:
  sm.warps: {from: 32, to: 48, step: 16}
  l1.ways: [4, x2]
zip:
  - {dram.latency: 100, l2.latency: 90}
  - {dram.latency: 200, l2.latency: 100}
exclude:
  - {system: VT, kernel: sgemm}
  - {machine: gtx480, sm.warps: 32}
  - {seed: 2, dram.latency: 200}
base: baseline
END
sweep all >"$tmp/t"
equal 'status 0' $? 0
# 2 machines: gtx480 without 32 warps; 3 rows and seeds; 2 values of ways; 5 of kernel and system
equal 'as many runs as the plan says' "$(cat "$tmp/t")" "all: $(((2 + 1) * 3 * 2 * 5)) runs: 90 done"
equal 'values are those of the plan' "$(sql 'SELECT DISTINCT "sm.warps" || "/" || "l1.ways" || "/" || "dram.latency" || "/" || "l2.latency" AS v FROM config WHERE machine = "gtx980" ORDER BY v' | paste -sd,)" \
  32/16/100/90,32/16/200/100,32/4/100/90,32/4/200/100,48/16/100/90,48/16/200/100,48/4/100/90,48/4/200/100
equal 'an excluded kernel' "$(sql 'SELECT count(*) FROM member WHERE system = "VT" AND kernel = "sgemm"')" 0
equal 'launches are kept' "$(sql 'SELECT count(DISTINCT run) FROM launch')" 90
equal 'and sum to the run' "$(sql 'SELECT count(*) FROM result WHERE gpu_cycles <> (SELECT sum(gpu_cycles) FROM launch WHERE launch.run = result.run)')" 0
sweep all >/dev/null
equal 'the same command runs nothing' "$(ran "$tmp/db")" 90
"$regtwin" compare vecadd sgemm --systems baseline,baseline:l1.mshrs=16 --size small --config gtx480 --db "$tmp/db" --json "$tmp/j" >/dev/null
before=$(ran "$tmp/db")
"$regtwin" compare vecadd sgemm --systems baseline,baseline:l1.mshrs=16 --size small --config gtx480 --db "$tmp/db" >/dev/null
equal 'compare adds its runs, once' "$before $(ran "$tmp/db")" '94 94'
sweep all db --status >"$tmp/t"
equal 'the status' "$(cat "$tmp/t")" 'all: 90 runs: 90 done'
sed -i 's/kernel: sgemm}/kernel: sgem}/' "$tmp/all.yaml"
sweep all db --status >"$tmp/t" 2>"$tmp/err"
equal 'the status of an edited plan: what was run' "$(cat "$tmp/t")" 'all: 90 runs: 90 done'
has 'and that it is not of this plan' 'all\.yaml: it was changed since the last sweep' "$tmp/err"
sed -i 's/^name: all/name: other/' "$tmp/all.yaml"
equal 'the status of a plan that was not begun' "$(sweep all db --status)" 'other: not begun, by this database'
sed -i 's/kernel: sgem}/kernel: sgemm}/; s/^name: other/name: all/' "$tmp/all.yaml"

# ---- what a plan cannot mean
plan odd <<END
name: odd
kernels: [vecadd, ./none.launch]
systems: baseline
exclude: [{kernel: vecadd}, {kernel: sgem}]
END
refuses() {   # NAME TEXT: status 2, the text on stderr, no rows
  sweep odd odd >"$tmp/t" 2>"$tmp/err"
  equal "$1: status 2" $? 2
  has "$1" "$2" "$tmp/err"
}
refuses 'no launch file: its place in the plan' "odd\.yaml:2:19: error: kernels: cannot read './none.launch': No such file"
sed -i 's|, ./none.launch||' "$tmp/odd.yaml"
refuses 'all are excluded' 'odd\.yaml:4:[0-9]+: error: found no run that is left'
equal 'and nothing is in the database' "$(sql 'SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM campaign)' odd)" 0
sed -i 's/kernel: vecadd}/l1.ways: x2}/' "$tmp/odd.yaml"
refuses 'a factor in exclude' "odd\.yaml:4:[0-9]+: error: found factor 'x2' in exclude, expected a value"
sed -i 's/{l1.ways: x2}, //; s/^systems/size: small\nsystems/' "$tmp/odd.yaml"
sweep odd odd >"$tmp/t" 2>"$tmp/err"
equal 'a row of exclude with a wrong word: the runs' "$(cat "$tmp/t")" 'odd: 1 runs: 1 done'
has 'and a warning' 'odd\.yaml:5:[0-9]+: this row of exclude leaves out no run' "$tmp/err"

# ---- systems whose settings depend on the kernel
plan chosen <<END
name: chosen
kernels: sgemm
size: small
systems: [FR-Base, UM, Best-DYNCTA, VT+RegMutex]
END
sweep chosen chosen >"$tmp/t"
check 'their points are runs' test "$(sql 'SELECT count(*) FROM member WHERE choice <> ""' chosen)" -ge 2

# ---- what fails, and what is refused
sed "s|^ptx .*|ptx $PWD/traces/kernels/vecadd/vecadd.ptx|" traces/kernels/vecadd/vecadd.launch >"$tmp/wrong.launch"
echo 'expect c fnv 0123456789abcdef' >>"$tmp/wrong.launch"
plan bad <<END
name: bad
kernels: [$tmp/wrong.launch, vecadd]
size: small
systems: baseline
sweep: {sm.warps: [62, 64]}
END
sweep bad bad >"$tmp/t"
equal 'status 2' $? 2
has 'the counts' '^bad: 4 runs: 1 done, 1 failed, 2 refused$' "$tmp/t"
has 'why one failed' '^failed: wrong on baseline, gtx980, sm\.warps=64: .*wrong\.launch:[0-9]+:[0-9]+: error: .*expected 0123456789abcdef' "$tmp/t"
has 'why one was refused' '^refused: wrong on baseline, gtx980, sm\.warps=62, and 1 other: .*sm.warps' "$tmp/t"
sweep bad bad >/dev/null
equal 'a failure is not tried again' "$(ran "$tmp/bad")" 2
sweep bad bad --retry >/dev/null
equal 'unless --retry asks for it' "$(sql 'SELECT sum(tries) FROM run WHERE state = "failed"' bad)" 1
sed -i 's/0123456789abcdef/fedcba9876543210/' "$tmp/wrong.launch"
sweep bad bad >/dev/null
equal 'an edited file is other work' "$(sql 'SELECT count(*) FROM run WHERE state = "failed"' bad)" 2

# ---- limits
plan slow <<END
name: slow
kernels: conv_tensor
systems: baseline
limits: {seconds: 1, tries: 1}
END
sweep slow slow >"$tmp/t"
equal 'a run above the limit: status 2' $? 2
has 'lost, tried again, and why' '^lost: conv_tensor on baseline, .*, 2 times: .*found no result after 1 s' "$tmp/t"
sweep slow slow >/dev/null
equal 'not more often' "$(ran "$tmp/slow")" 2
sed -i 's/seconds: 1, tries: 1/memory_mb: 4, tries: 0/; s/slow/small/' "$tmp/slow.yaml"
sweep slow small >"$tmp/t"
has 'more memory than the limit' '^lost: conv_tensor on baseline, .*, 1 times: .*found more than 4 MB in use' "$tmp/t"

# ---- kill -9 at any time, then the same command
plan many <<END
name: many
kernels: [vecadd, sgemm, bfs, reduction]
size: small
systems: [baseline, VT]
seeds: [1, 2]
sweep: {l1.ways: [2, 4, 8, 16]}
END
kills=0
for part in 5 20 35 50; do
  "$regtwin" sweep "$tmp/many.yaml" --db "$tmp/many" --jobs 2 >/dev/null 2>&1 &
  pid=$!
  for ((i = 0; i < 600; i++)); do
    [ "$(sql "SELECT count(*) FROM run WHERE state = 'done'" many 2>/dev/null || echo 0)" -ge $part ] && break
    sleep 0.02
  done
  { kill -9 $pid && kills=$((kills + 1)); wait $pid; } 2>/dev/null
done
check 'killed while it ran' test "$kills" -ge 3
sweep many many >"$tmp/t"
equal 'then all are done' "$(cat "$tmp/t")" 'many: 64 runs: 64 done'
equal 'and each was finished once' "$(sql 'SELECT min(tries) || max(tries) FROM run' many)" 11
sweep many again --jobs 1 >/dev/null
dump() { sqlite3 "$tmp/$1" "SELECT run, stream_hash, $(sed -n 's/^STAT(\([a-z0-9_]*\),.*/\1/p' cmodel/sm/stats.def | paste -sd,) FROM result ORDER BY run"; }
dump many >"$tmp/many.txt"
dump again >"$tmp/again.txt"
same 'as without any kill, and one at a time' "$tmp/many.txt" "$tmp/again.txt"

# ---- a child that dies is tried again
plan die <<END
name: die
kernels: conv_tensor
systems: baseline
END
"$regtwin" sweep "$tmp/die.yaml" --db "$tmp/die" >"$tmp/t" 2>&1 &
pid=$!
for ((i = 0; i < 500; i++)); do child=$(pgrep -P $pid 2>/dev/null) && break; sleep 0.02; done
kill -9 "$child"
wait $pid
equal 'status 0' $? 0
equal 'the second try' "$(sql 'SELECT state || tries FROM run' die)" done2

# ---- two sweeps and eight readers at once
for i in 1 2; do "$regtwin" sweep "$tmp/many.yaml" --db "$tmp/both" --jobs 1 >"$tmp/both$i" 2>&1 & writers[i]=$!; done
readers=()
for ((i = 0; i < 500; i++)); do sql 'SELECT count(*) FROM member' both 2>/dev/null | grep -q '^[1-9]' && break; sleep 0.02; done
for i in 1 2 3 4 5 6 7 8; do
  (until [ -e "$tmp/enough" ]; do "$regtwin" results list --db "$tmp/both" || exit 1; sleep 0.02; done) >/dev/null 2>"$tmp/reader$i" & readers[i]=$!
done
failed=0
for i in 1 2; do wait "${writers[i]}" || failed=$((failed + 1)); done
equal 'both sweeps end well' $failed 0
touch "$tmp/enough"
for i in 1 2 3 4 5 6 7 8; do wait "${readers[i]}" || failed=$((failed + 1)); done
equal 'so do the readers' $failed 0
equal 'and each run was finished once' "$(sql 'SELECT count(*) || " " || min(tries) || max(tries) FROM run' both)" '64 11'
dump both >"$tmp/both.txt"
same 'the same results' "$tmp/many.txt" "$tmp/both.txt"

# ---- a result that was changed on the disk, and one that was taken out
sql "UPDATE result SET gpu_cycles = 7 WHERE run = (SELECT min(run) FROM result)" both
sql "DELETE FROM result WHERE run = (SELECT max(run) FROM result)" both
"$regtwin" results list --db "$tmp/both" >"$tmp/t" 2>"$tmp/err"
has 'a changed result is found' 'found a damaged result .*; the next sweep of it makes it again' "$tmp/err"
sweep many both >"$tmp/t" 2>/dev/null
equal 'and made again' "$(ran "$tmp/both")" 66
dump both >"$tmp/both.txt"
same 'as it was' "$tmp/many.txt" "$tmp/both.txt"

# ---- a full disk, another version
(ulimit -f 200; sweep many full --jobs 2 >"$tmp/t" 2>"$tmp/err")
equal 'a file that may not grow: status 2' $? 2
equal 'one message' "$(grep -c 'error: ' "$tmp/err")" 1
sweep many full >"$tmp/t"
equal 'with more room it goes on' "$(cat "$tmp/t")" 'many: 64 runs: 64 done'
equal 'and repeats nothing' "$(sql 'SELECT min(tries) || max(tries) FROM run' full)" 11
sql 'PRAGMA user_version = 2' full
sweep many full >"$tmp/t" 2>"$tmp/err"
equal 'another version: status 2' $? 2
has 'and what to do' 'found a database of version 2, expected version 1: use the regtwin that made it, or another --db' "$tmp/err"
