#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile.schedule=list: every kernel stores the same results (its launch file's expectations), also with narrow
# integers and under other systems; the counts of analyze --registers; what a launch file's regs does; the stream hash.
. "$(dirname "$0")/../lib.sh"

list=(--set compile.schedule=list)
mapfile -t all < <(kernels)
check 'the suite was found' test ${#all[@]} -ge 50
check 'all kernels: results' "$regtwin" run "${all[@]}" --size small --functional "${list[@]}"
check 'with few registers' "$regtwin" run "${all[@]}" --size small --functional "${list[@]}" --set compile.schedule_regs=4
check 'with many' "$regtwin" run "${all[@]}" --size small --functional "${list[@]}" --set compile.schedule_regs=255 \
  --set compile.regs=need
unrolled=("${list[@]}" --set compile.schedule_unroll=4)
check 'loops unrolled: results' "$regtwin" run "${all[@]}" --size small --functional "${unrolled[@]}"
check 'loops unrolled: idle and skip agree' "$regtwin" run convolutionSeparable lud --size small --set sim.check=true "${unrolled[@]}"
# A wrong order is found: results are checked at all, as the launch files' sums are changed.
mkdir -p "$tmp/wrong"
cp traces/kernels/sgemm/sgemm.ptx "$tmp/wrong"
sed -E 's/(fnv )[0-9a-f]{4}/\10000/' traces/kernels/sgemm/sgemm.launch >"$tmp/wrong/sgemm.launch"
"$regtwin" run "$tmp/wrong/sgemm.launch" --size small --functional "${list[@]}" >"$tmp/out" 2>"$tmp/err"
equal 'other results are refused' $? 2

timed=(atax srad_v1 sgemm stencil nw hybridsort gemm_tensor)
check 'timed, idle and skip agree' "$regtwin" run "${timed[@]}" --size small --set sim.check=true "${list[@]}"
check 'under FineReg' "$regtwin" run srad_v1 sgemm lud --size small --set sim.check=true --system FineReg "${list[@]}"
check 'in sub-cores' "$regtwin" run srad_v1 sgemm --size small --set sim.check=true --config rtx2060 "${list[@]}"

# Narrow integers change no result, in whatever order.
narrow() {   # file, options...
  "$regtwin" run srad_v1 nw sgemm pathfinder --size small --config gtx480 --system SL-Int --json "$1" "${@:2}" >"$tmp/out"
}
narrow "$tmp/a" && narrow "$tmp/b" "${list[@]}"
sed -n 's/.*"results_hash": //p' "$tmp/a" >"$tmp/ha"
sed -n 's/.*"results_hash": //p' "$tmp/b" >"$tmp/hb"
equal 'narrow integers: four results' "$(wc -l <"$tmp/ha")" 4
same 'narrow integers: the same results' "$tmp/ha" "$tmp/hb"

# The stream hash is of instructions in their order.
for s in none list list; do
  "$regtwin" run srad_v1 --size small --set compile.schedule=$s --json "$tmp/j" >"$tmp/out"
  get stream_hash "$tmp/j"
done >"$tmp/hash"
check 'another order has another stream hash' test "$(sed -n 1p "$tmp/hash")" != "$(sed -n 2p "$tmp/hash")"
equal 'the same order the same' "$(sed -n 3p "$tmp/hash")" "$(sed -n 2p "$tmp/hash")"
"$regtwin" compare srad_v1 --size small --systems baseline,baseline:compile.schedule=list >"$tmp/out" 2>"$tmp/err"
equal 'compare: both orders' $? 0
hasnt 'which is not said to be other work' 'other work' "$tmp/err"
"$regtwin" compare lud --size small --systems baseline:compile.schedule=list,baseline:compile.schedule=list:compile.schedule_unroll=4 >"$tmp/out" 2>"$tmp/err"
equal 'compare: loops unrolled' $? 0
hasnt 'which is not said to be other work, either' 'other work' "$tmp/err"

# Registers: as written, scheduled, forced, by ptxas.
"$regtwin" analyze --registers >"$tmp/out"
equal 'a line for each kernel' "$(sed '1d;/^$/,$d' "$tmp/out" | cut -d' ' -f1 | sort -u | wc -l)" ${#all[@]}
has 'sgemm: the file forces what ptxas gave' '^sgemm +sgemm +17 +17 +47 +44 +44 +sm_75, 13$' "$tmp/out"
has 'a sum' '^[0-9]+ of them by ptxas: mean [0-9.]+ none, [0-9.]+ list, [0-9.]+ ptxas; mean absolute difference from ptxas ' "$tmp/out"
has 'loops: what is unrolled' '^ssao +blur +[0-9]+ +28 +4 +all$' "$tmp/out"
has 'loops: the pragma is obeyed' '^libor +libor +[0-9]+ +6 +32 +none: .pragma "nounroll"$' "$tmp/out"
"$regtwin" analyze ssao --registers --set compile.schedule_unroll=4 >"$tmp/out"
has 'registers of an unrolled loop' '^ssao +blur +12 +12 +23 ' "$tmp/out"
"$regtwin" analyze stencil --registers --set compile.schedule_regs=1 >"$tmp/out"
has 'one kernel, no more registers than as written' '^stencil +stencil +20 +20 +20 +- +- +-$' "$tmp/out"
"$regtwin" analyze stencil "${list[@]}" | sed -n 's/^  registers *\([0-9]*\).*/\1/p' >"$tmp/n"
equal 'analyze: the scheduled code' "$(cat "$tmp/n")" 24
cp -r traces/kernels/kmeans "$tmp/wrong"
sed -i 's/kmeans_update: 18}/no_such: 18}/' "$tmp/wrong/kmeans/about.yaml"
"$regtwin" analyze "$tmp/wrong/kmeans/kmeans.launch" --registers >"$tmp/out" 2>"$tmp/err"
equal 'a count of an entry that is not launched' $? 2
has 'is named' "found no launch of 'no_such', of which about.yaml has ptxas's count" "$tmp/err"

# regs of a launch file: kept to without spilling, or refused.
cp traces/kernels/sgemm/sgemm.ptx "$tmp"
for n in 17 18 30; do
  small_launch sgemm | sed "s/ regs 44 / regs $n /" >"$tmp/$n.launch"
  "$regtwin" run "$tmp/$n.launch" --functional --json "$tmp/j" "${list[@]}" >"$tmp/out" 2>"$tmp/err"
  equal "regs $n" $? 0
done
small_launch sgemm | sed 's/ regs 44 / regs 16 /' >"$tmp/16.launch"
"$regtwin" run "$tmp/16.launch" --functional >"$tmp/out" 2>"$tmp/err"
equal 'regs 16: spilled as written' $? 0
"$regtwin" run "$tmp/16.launch" --functional --json "$tmp/none" "${list[@]}" >"$tmp/out" 2>"$tmp/err"
equal 'and refused when scheduled' $? 2
has 'with what to do' "found regs 16, expected at least 17: with compile.schedule=list nothing is spilled.*compile.regs=need" "$tmp/err"
check 'nothing is written' test ! -e "$tmp/none" -a ! -s "$tmp/out"
check 'which helps' "$regtwin" run "$tmp/16.launch" --functional "${list[@]}" --set compile.regs=need
