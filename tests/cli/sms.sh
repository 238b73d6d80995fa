#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several SMs on the command line: the whole machines, host threads, sums over SMs and launches, the watched SM.
. "$(dirname "$0")/../lib.sh"

run() {   # kernel, file, options...
  "$regtwin" run "$1" --size small --json "$tmp/$2" "${@:3}" >"$tmp/$2.table" 2>"$tmp/$2.err" && statistics "$tmp/$2" >"$tmp/$2.stats"
}

# ---- the four machines at full size, any number of threads ----
for machine in gtx480 gtx980 maxwell rtx2060; do
  sms=$("$regtwin" config --dump --config $machine | awk '/^[a-z]/ { section = $1 } section == "gpu:" && $1 == "sms:" { print $2 }')
  for k in vecadd sgemm bfs_frontier; do
    check "$k on $machine: all $sms SMs" run $k base --config $machine --sms all --threads 1
    equal "$k on $machine: so many" "$(get sms "$tmp/base")" "$sms"
    for threads in 2 4 16; do
      run $k other --config $machine --sms all --threads $threads
      same "$k on $machine: with $threads threads" "$tmp/base.stats" "$tmp/other.stats"
    done
  done
  has "$machine: the title" "all $sms SMs of $machine" "$tmp/base.table"
done

values() { sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" "$2"; }   # counter, file

# ---- sums: the first value of a counter is the total, the others are the SMs' or the launches' ----
add_up() {   # name, counter, file
  equal "$1: $2" "$(values "$2" "$3" | awk 'NR > 1 { sum += $1 } END { print sum }')" "$(get "$2" "$3")"
}
run bfs sms --sms 6 --per-sm
run bfs launches --sms 6 --per-launch
for counter in warp_insns thread_insns cta_cycles slot_issued l1_read_misses rf_reads; do
  add_up 'over SMs' $counter "$tmp/sms"
  add_up 'over launches' $counter "$tmp/launches"
done
equal 'a row for each SM' "$(grep -cE '^ *SM [0-9]+ ' "$tmp/sms.table")" 6
equal 'a row for each launch' "$(grep -cE '^ *[0-9]+ bfs_(expand|advance) ' "$tmp/launches.table")" "$(get launches "$tmp/launches")"
equal 'cycles of the launches' "$(sed -n 's/^      "cycles": \([0-9]*\),$/\1/p' "$tmp/launches" | awk '{ sum += $1 } END { print sum }')" \
  "$(get cycles "$tmp/launches")"
run bfs plain
run bfs one --sms 1
same '--sms 1 is the default' "$tmp/plain.stats" "$tmp/one.stats"

run vecadd share --sms 4
equal "DRAM's share of four SMs, as in the table" "$(get share_used "$tmp/share" | awk '{ printf "%.1f\n", 100 * $1 }')" \
  "$(sed -n 's/^ *bandwidth  *% of share  *//p' "$tmp/share.table")"

# ---- quanta that an SM sleeps through ----
run bfs pcal --system PCAL   # its windows go on over launches, without the time between them: 91201 when no quantum was left out
equal 'PCAL: an SM that has nothing more to do is still told the time' "$(get cycles "$tmp/pcal")" 91201
for skip in true false; do
  run backprop skip.$skip --sms 4 --per-sm --max-cycles 300 --set sim.skip=$skip
  sed -i '/"skip"/d' "$tmp/skip.$skip.stats"
done
same 'a run that stops counts the cycles of SMs that sleep' "$tmp/skip.true.stats" "$tmp/skip.false.stats"

# ---- the watched SM ----
run spmv first --sms 4
run spmv third --sms 4 --watch-sm 2
sed -i '/watch_sm/d' "$tmp/first.stats" "$tmp/third.stats"
same 'nothing depends on the watched SM' "$tmp/first.stats" "$tmp/third.stats"
"$regtwin" characterize spmv --size small --sms 4 --watch-sm 2 --json "$tmp/character" >"$tmp/table"
run spmv each --sms 4 --per-sm
third=$(values warp_insns "$tmp/each" | sed -n 4p) # after the total, SM 0 and SM 1
equal 'characterize describes it' "$(get warp_instructions "$tmp/character")" "$third"
has 'and says so' 'the watched SM of gtx980' "$tmp/table"

# ---- a launch file with a stride: several SMs time all CTAs ----
for set in '' sm.cta_stride=1; do
  "$regtwin" run sgemm --sms 4 --max-ctas 8 ${set:+--set $set} --json "$tmp/stride$set" >"$tmp/table" 2>"$tmp/err$set"
  statistics "$tmp/stride$set" | grep -v '"\(unit_\)\?cta_stride"' >"$tmp/stride$set.stats"
done
same 'as with --set sm.cta_stride=1' "$tmp/stride.stats" "$tmp/stridesm.cta_stride=1.stats"
equal 'no CTA is left to other SMs' "$(get untimed_ctas "$tmp/stride")" 0
has 'and says so' 'sgemm: 4 SMs time all CTAs; the launch file.s stride of up to 16 is for one SM' "$tmp/err"
hasnt 'not where it was asked for' 'stride' "$tmp/errsm.cta_stride=1"

# ---- many runs ----
for threads in 1 2; do
  "$regtwin" compare bfs,spmv --systems baseline,FineReg --size small --sms 4 --threads $threads --jobs 2 --json "$tmp/compare" >"$tmp/table"
  statistics "$tmp/compare" >"$tmp/compare.$threads"
done
same 'compare: with 1 and 2 threads' "$tmp/compare.1" "$tmp/compare.2"
has 'compare: the title' '4 SMs of gtx980, size small' "$tmp/table"
"$regtwin" bottleneck bfs --size small --sms 3 --relax none --db "$tmp/db" >"$tmp/table" 2>&1
has 'bottleneck: the title' '3 SMs of gtx980' "$tmp/table"
