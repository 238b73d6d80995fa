#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On the whole SM, in every cycle of real kernels, the twins agree, with statistics equal to the C-only run's; planted faults are found
# there and shown again by the block alone.
# needs: binary cosim-built
. "$(dirname "$0")/../lib.sh"

cosim=$PWD/build/regtwin-cosim
whole() {   # name, arguments...: agrees, something was compared
  local name=$1
  shift
  "$cosim" run "$@" >"$tmp/out" 2>&1
  local status=$?
  if [ $status -eq 0 ] && grep -qE ', 0 mismatches in [1-9][0-9]* cycles of blocks' "$tmp/out" &&
    grep -q '^statistics equal the C-only' "$tmp/out"; then ok "$name"
  else not_ok "$name" "exit status $status" "$(tail -n 20 "$tmp/out")"; fi
}
# Under slices the SM takes 8,000 cycles a second: less of a kernel, without its results, which the C-only run has too.
less() {   # kernel, change of its launch file
  mkdir -p "$tmp/less"
  cp -r "traces/kernels/$1" "$tmp/less/"
  sed -e "$2" -e '/^size [a-z]* *{$/,/^}/d; /expect/d; /^image/d' "traces/kernels/$1/$1.launch" >"$tmp/less/$1/$1.launch"
  check "less of $1" test "$(diff "traces/kernels/$1/$1.launch" "$tmp/less/$1/$1.launch" | grep -c '^> ')" -eq 1
}
less vecadd 's/n = 50001/n = 6001/'
less ssao 's/w = 64;  let h = 40;/w = 32; let h = 8;/'
vecadd=$tmp/less/vecadd/vecadd.launch ssao=$tmp/less/ssao/ssao.launch
whole 'vecadd, all slice blocks in lockstep' "$vecadd" --config gtx480 --system slices-identity --twin all
whole 'ssao, the SM driven by the Verilog of dit, vt, scu and sit' "$ssao" --config gtx480 --system SL-Full-P --twin slice/dit,slice/vt,slice/scu,slice/sit --drive rtl
whole 'reduction on another machine' reduction --config gtx980 --system slices-identity --twin all
whole 'ssao in narrow code: widths, signs, conversions, two parts' "$ssao" --config gtx480 --system SL-Full-P --twin all
has 'a block that another holds is reported there' '^slice/vcl +inside vc +0$' "$tmp/out"
"$regtwin" run "$ssao" --size small --config gtx480 --system SL-Full-P --json "$tmp/ssao" >/dev/null 2>&1
for event in slice_splits slice_conversions slice_lookup_waits; do check "which has them: $event" test "$(get $event "$tmp/ssao")" -gt 0; done
whole 'vecadd, the SM driven by the Verilog of dit and vt' "$vecadd" --config gtx480 --system slices-identity --twin slice/dit,slice/vt --drive rtl
whole 'stencil under FineReg: all of its blocks; spills, swaps, refusals' stencil --config gtx980 --system FineReg
cycles=$(awk '$1 == "finereg/rmu" { print $3 }' "$tmp/out")
equal "rmu's parts are compared in each of its cycles" "$(grep -cE "^finereg/(fsmon|lrvc|pcrf|ppt|rid) +inside rmu +$cycles$" "$tmp/out")" 3
has 'no part of what the SM does not have' '^slice/vcl +0 +0$' "$tmp/out"
"$regtwin" run stencil --config gtx980 --system FineReg --json "$tmp/stencil" >/dev/null 2>&1
for event in spills swaps refused; do check "which has them: $event" test "$(get $event "$tmp/stencil")" -gt 0; done
whole 'the SM driven by the Verilog of FineReg' CS --config gtx980 --system FineReg --twin finereg/csm,finereg/csw,finereg/rmu --drive rtl
whole 'KM under Linebacker: all of its blocks, windows of the paper' KM --system LB --size default
whole 'MV under Linebacker, the SM driven by the Verilog' MV --size small --system LB --set linebacker.period=2000 --drive rtl
for b in ctl lm vtt; do has "with $b" "^linebacker/$b +1 +[1-9][0-9]*\$" "$tmp/out"; done
"$regtwin" run MV --size small --system LB --set linebacker.period=2000 --json "$tmp/mv" >/dev/null 2>&1
for event in throttled reactivated victim_hits victim_inserts; do check "which has them: $event" test "$(get $event "$tmp/mv")" -gt 0; done
whole 'GE under DYNCTA, the SM driven by the Verilog' GE --size small --system DYNCTA --drive rtl
whole 'sgemm under LTRF+: pfu and its parts' sgemm --size small --config maxwell --system LTRF+
for b in aau farb pfu; do has "with $b" "^ltrf/$b +(1|inside pfu) +[1-9][0-9]*\$" "$tmp/out"; done
"$regtwin" run sgemm --size small --config maxwell --system LTRF+ --json "$tmp/sgemm" >/dev/null 2>&1
for event in prefetches activations deactivations cache_fills cache_spills; do check "which has them: $event" test "$(get $event "$tmp/sgemm")" -gt 0; done
whole 'bfs under LTRF, the SM driven by the Verilog: paths that go on inside an interval' bfs --size small --config maxwell --system LTRF --drive rtl
whole 'hotspot under Malekeh: all of its blocks' hotspot --size small --config rtx2060 --system Malekeh --set malekeh.interval=1000
for b in alloc,4 ccu,8 rarb,4 sthld,1 wfil,4; do has "with ${b#*,} of ${b%,*}" "^malekeh/${b%,*} +${b#*,} +[1-9][0-9]*\$" "$tmp/out"; done
"$regtwin" run hotspot --size small --config rtx2060 --system Malekeh --set malekeh.interval=1000 --json "$tmp/hotspot" >/dev/null 2>&1
for event in ccu_writes ccu_drops ccu_flushes ccu_waits sthld_intervals sthld_sum; do check "which has them: $event" test "$(get $event "$tmp/hotspot")" -gt 0; done
whole 'bfs under Malekeh, the SM driven by the Verilog' bfs --size small --config rtx2060 --system Malekeh --set malekeh.interval=1000 --drive rtl
mkdir "$tmp/streams"
whole 'a run that records' vecadd --system slices-identity --twin slice/sit --record "$tmp/streams" --record-cycles 300
mkdir "$tmp/finereg"
whole 'a run that records FineReg' CS --config gtx980 --system FineReg --record "$tmp/finereg" --record-cycles 30000
finereg=(CS --config gtx980 --system FineReg)
sees() {   # program, folder of streams, blocks: each sees the whole stream
  local b blocks
  blocks=$(printf ',finereg/%s' "${@:3}")
  "$1" run "${finereg[@]}" --twin "${blocks:1}" --streams "$2" >"$tmp/out" 2>&1
  for b in "${@:3}"; do has "$b's stream is what it sees: $2" "^finereg/$b +30000 of +30000 cycles as recorded\$" "$tmp/out"; done
}
sees "$cosim" traces/streams/finereg csm csw fsmon lrvc ppt rmu
sees "$cosim" "$tmp/finereg" csm csw fsmon lrvc ppt rmu
check 'its stream is replayed' make -s cosim BLOCK=slice/sit REPLAY="$tmp/streams/sit-vecadd.stim"

# the serial engine is a set of rmu, on an SM of its own; pcrf and rid are in no other engine
at=build/cosim-test/serial
make -s COSIM_OUT=$at COSIM_SM=$at/regtwin-cosim COSIM_BLOCKS="$(printf 'finereg/%s ' fsmon lrvc pcrf ppt rid rmu)" SETS=serial \
  $at/regtwin-cosim >"$tmp/log" 2>&1 || cat "$tmp/log"
cosim=$at/regtwin-cosim whole 'stencil with the serial engine' stencil --config gtx980 --system FineReg --set finereg.engine=serial
cycles=$(awk '$1 == "finereg/rmu" { print $3 }' "$tmp/out")
equal 'it has two parts more' "$(grep -cE "^finereg/(fsmon|lrvc|pcrf|ppt|rid) +inside rmu +$cycles$" "$tmp/out")" 5
cosim=$at/regtwin-cosim whole 'a run that records the serial engine' CS --config gtx980 --system FineReg --set finereg.engine=serial --record "$tmp/finereg" --record-cycles 30000
finereg+=(--set finereg.engine=serial)
sees "$cosim" traces/streams/finereg pcrf rid
sees $at/regtwin-cosim "$tmp/finereg" pcrf rid
# a stream of another run: what differs is shown
"$cosim" run CS --config gtx980 --system FineReg --set finereg.context_cycles=9 --twin finereg/csw --streams traces/streams/finereg >"$tmp/out" 2>&1
equal 'a stream of another run: exit status' $? 1
has 'the block and the cycle' '^DIFFERS finereg/csw, cycle [0-9]+ of the SM, [0-9]+ of the stream$' "$tmp/out"
has 'a port and its values' '^! [a-z0-9_]+_i +\[ *[0-9]+\]  recorded [0-9a-f]+, found [0-9a-f]+$' "$tmp/out"
has 'what to do' '^make streams records them again' "$tmp/out"
"$cosim" run "${finereg[@]}" --drive rtl --streams traces/streams/finereg >"$tmp/out" 2>&1
equal 'streams and driven by the Verilog: exit status' $? 2
has 'and its message' '--streams: found --drive beside it' "$tmp/out"
"$cosim" run vecadd --config gtx980 --system FineReg --streams traces/streams/finereg >"$tmp/out" 2>&1
equal 'a kernel without a stream: exit status' $? 2
has 'and its message' 'traces/streams/finereg: error: found no stream BLOCK-vecadd\.stim of these blocks' "$tmp/out"
head -c 100 traces/streams/finereg/rid-CS.stim >"$tmp/finereg/rid-CS.stim"
"$cosim" run "${finereg[@]}" --streams "$tmp/finereg" >"$tmp/out" 2>&1
equal 'a stream that is cut off: exit status' $? 2
has 'and its message' 'rid-CS\.stim: error: truncated' "$tmp/out"

# a fault in one block's Verilog is found on the whole SM, and shown again by the block alone
at=build/cosim-test/sm
rm -rf $at/rtl
mkdir -p $at
cp -r rtl $at/
sed -i 's/result_valid_q \& ~result_ready_i/result_valid_q \& result_ready_i/' $at/rtl/slice/dit.sv
# What is shrunk is stored beside the benches: a copy of them, since other tests build from tb/ meanwhile.
rm -rf $at/tb
cp -r tb $at/
places=("COSIM_RTL=$at/rtl" "COSIM_TB=$at/tb" "COSIM_OUT=$at/out")
whole_fault() {   # what, block, make arguments of the replay, kernel and arguments: found on the whole SM, shown by the block alone, not by the good one
  local what=$1 block=$2 more stim
  read -ra more <<<"$3"
  shift 3
  check "$what: it is planted" test "$(cmp "rtl/$block.sv" "$at/rtl/$block.sv" | wc -l)" -eq 1
  make -s "${places[@]}" COSIM_BLOCKS="$block" COSIM_UNITS= COSIM_SM=$at/regtwin-cosim $at/regtwin-cosim >"$tmp/log" 2>&1 || cat "$tmp/log"
  $at/regtwin-cosim run "$@" >"$tmp/out" 2>&1
  check "$what: exit status 1" test $? -eq 1
  has "$what: its place" "^DIVERGE $block instance 0, cycle [0-9]+ of the SM" "$tmp/out"
  stim=$(sed -n 's/.* REPLAY=\([^ ]*\) .*/\1/p' "$tmp/out")
  check "$what: its stimulus is there" test -s "$stim"
  make -s cosim BLOCK="$block" "${places[@]}" REPLAY="$stim" "${more[@]}" >"$tmp/out" 2>&1
  has "$what: the block alone diverges" "^DIVERGE ${block#*/} cycle" "$tmp/out"
  check "$what: the good block does not" make -s cosim BLOCK="$block" REPLAY="$stim"
}
whole_fault 'a fault on the whole SM' slice/dit '' vecadd --config gtx480 --system slices-identity

sed -i 's/assign touch = compare_insert_q || /assign touch = /' $at/rtl/linebacker/vtt.sv
whole_fault 'a fault of the victim tag table, shrunk' linebacker/vtt 'SHRINK=1 SHRINK_SECONDS=5' MV --size small --system LB --set linebacker.period=2000
check 'a fault of the victim tag table, shrunk: what was found is stored with the benches given' test -s "$(ls $at/tb/linebacker/regress/vtt-*.stim)"

# make lockstep-all, one class of one system: it agrees, is not run again, and says so of the fault
lockstep_all() { JOBS=2 LOCKSTEP_OUT=$tmp/lockstep LOCKSTEP_SYSTEMS=VT LOCKSTEP_CLASSES=memory COSIM_SM=$1 cosim/whole_sm/lockstep.sh run >"$tmp/out" 2>&1; }
lockstep_all build/regtwin-cosim
equal 'lockstep of a system: exit status' $? 0
equal 'beside the Verilog, and driven' "$(grep -cE '^\[[12]/2\] VT memory [a-z0-9_]+ (c|rtl): [1-9][0-9]* cycles, 2 blocks, 0 mismatches, statistics equal' "$tmp/out")" 2
has 'the sum' '^2 runs of 1 systems, 1 kernels: [1-9][0-9]* cycles of the SM, 0 runs with a mismatch' "$tmp/out"
lockstep_all build/regtwin-cosim
equal 'nothing is run again' "$(grep -c ': as before$' "$tmp/out")" 2
sed -i 's/freeze_valid_o ? outgoing_cta_q/freeze_valid_o ? incoming_cta_q/' $at/rtl/finereg/csw.sv
make -s "${places[@]}" COSIM_BLOCKS=finereg/csw COSIM_UNITS= COSIM_SM=$at/regtwin-cosim $at/regtwin-cosim >"$tmp/log" 2>&1 || cat "$tmp/log"
rm -r "$tmp/lockstep/runs"
lockstep_all $at/regtwin-cosim
equal 'with the fault: exit status' $? 1
has 'which block' 'DIVERGE finereg/csw instance 0, cycle' "$tmp/out"
has 'the sum' ', 2 runs with a mismatch' "$tmp/out"

sed -i 's/if (clear_valid_i) valid_d/if (clear_valid_i \&\& !write_valid_i) valid_d/' $at/rtl/finereg/ppt.sv
whole_fault 'a fault of a part that only rmu drives' finereg/ppt '' stencil --config gtx980 --system FineReg

refused() {   # name, pattern, arguments...
  local name=$1 want=$2
  shift 2
  "$cosim" "$@" >"$tmp/out" 2>&1
  local status=$?
  if [ $status -eq 2 ] && grep -qE -- "$want" "$tmp/out"; then ok "$name"
  else not_ok "$name" "exit status $status, expected 2 and: $want" "$(head -n 5 "$tmp/out")"; fi
}
refused 'no command' 'found no command, expected: regtwin-cosim run'
refused 'no kernel' 'found no kernel' run
refused 'an unknown block' "found unknown block 'slice/x', expected all, or some of example/limit, finereg/csm, finereg/csw" run vecadd --twin slice/x
refused 'a system without the blocks' 'system baseline has none of these blocks' run vecadd --system baseline
refused 'a drive that is none' "found 'c', expected rtl" run vecadd --drive c
refused 'streams to nowhere' 'No such file or directory' run vecadd --system slices-identity --twin slice/sit --record "$tmp/none"
