#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Traces: a replay under the recording's configuration has the statistics of the execution, for every kernel; what a trace cannot
# serve is refused by name; a file that breaks off, a full disk. `make trace-all` has all kernels on all machines.
. "$(dirname "$0")/../lib.sh"

stats() { statistics "$1" | grep -v '"launch_file"'; }   # JSON file
quiet() { "$@" >"$tmp/out" 2>"$tmp/err"; }
refused() {   # name, text, command...
  local name=$1 want=$2
  shift 2
  quiet "$@"
  equal "$name: exit status" "$?" 2
  has "$name" "$want" "$tmp/err"
  equal "$name: nothing printed" "$(stat -c %s "$tmp/out") bytes" '0 bytes'
}
# KERNEL options...: recorded into $tmp/KERNEL.trf, and run and replayed into $tmp/run and $tmp/replay.
both() {
  local k=$1
  shift
  quiet "$regtwin" trace record "$k" --size small -o "$tmp/$k.trf" "$@" && quiet "$regtwin" run "$k" --size small --json "$tmp/j" "$@" &&
    stats "$tmp/j" >"$tmp/run" && quiet "$regtwin" run "$tmp/$k.trf" --json "$tmp/j" "$@" && stats "$tmp/j" >"$tmp/replay"
}

# ---- every kernel, each on one of the machines ----
mapfile -t all < <(kernels)
machines=(rtx2060 gtx480 gtx980 maxwell) i=0
for k in "${all[@]}"; do
  machine=${machines[i++ % 4]}
  rm -f "$tmp/run" "$tmp/replay"
  both "$k" --config "$machine"
  same "$k on $machine" "$tmp/run" "$tmp/replay"
  case $k in gather) most=8 ;; bfs_frontier) most=6 ;; *) most=4 ;; esac
  "$regtwin" trace info "$tmp/$k.trf" --json - >"$tmp/j"
  bytes=$(get bytes_per_insn "$tmp/j")
  # The limit of the mean was set for one address a lane; the linear filters of these two record four and eight. They keep to $most.
  case $k in tex_warp | tex_volume) ;; *) echo "$bytes" >>"$tmp/bytes" ;; esac
  check "$k: $bytes bytes a warp instruction" awk -v b="$bytes" -v m=$most 'BEGIN { exit !(b > 0 && b <= m) }'
done
mean=$(awk '{ s += $1 } END { print s / NR }' "$tmp/bytes")
check "mean: $mean bytes" awk -v b="$mean" 'BEGIN { exit !(b > 0 && b <= 0.5) }'

# ---- other systems, and near bits ----
while read -r machine system kernel options; do
  # shellcheck disable=SC2086  # options are words
  both "$kernel" --config "$machine" --system "$system" $options
  same "$kernel on $system $options" "$tmp/run" "$tmp/replay"
  hasnt "$kernel on $system $options: the same configuration" 'another configuration' "$tmp/err"
done <<'END'
gtx980 FineReg spmv
gtx980 VT-RegMutex hotspot
gtx980 LB bfs
maxwell LTRF+ sgemm --set rf.technology=7
maxwell RFC reduction
gtx980 SL-Orig stencil
rtx2060 Malekeh bfs
rtx2060 Malekeh stencil_pipeline
rtx2060 Malekeh_PR gemm_pipeline
rtx2060 Malekeh gemm_tensor --set malekeh.near=exact
gtx980 baseline bfs --set compile.schedule=list
gtx980 baseline sgemm --set sm.cta_stride=4
gtx980 baseline spmv --set sim.skip=false
END
# near bits of a file: those of the recording; other files are not of a trace
quiet "$regtwin" analyze stencil_pipeline --size small --config rtx2060 --reuse --write-profile "$tmp/p.reuse"
both stencil_pipeline --system Malekeh --set "malekeh.profile=$tmp/p.reuse"
same 'near bits of a file' "$tmp/run" "$tmp/replay"
"$regtwin" trace info "$tmp/stencil_pipeline.trf" >"$tmp/out"
has 'trace info: near bits' 'stencil_pipeline\.trf: whole, with near bits$' "$tmp/out"
cp "$tmp/p.reuse" "$tmp/q.reuse"
sed -E '/^entry|^regtwin/!s|([0-9]+)/([0-9]+)|\2/\1|g' "$tmp/q.reuse" >"$tmp/p.reuse"
refused 'the file has changed since then' 'p\.reuse: error: found other near bits than .*stencil_pipeline\.trf was recorded with' \
  "$regtwin" run "$tmp/stencil_pipeline.trf" --system Malekeh --set "malekeh.profile=$tmp/p.reuse"
rm "$tmp/p.reuse"
check 'the file is gone' "$regtwin" run "$tmp/stencil_pipeline.trf" --system Malekeh --set "malekeh.profile=$tmp/p.reuse"
refused 'near bits of another file' 'found a trace with a file of near bits' \
  "$regtwin" run "$tmp/stencil_pipeline.trf" --system Malekeh --set "malekeh.profile=$tmp/q.reuse"

# recorded by one system, timed on another: the same as executed there, where nothing depends on time
quiet "$regtwin" trace record spmv --size small -o "$tmp/spmv.trf"
quiet "$regtwin" run spmv --size small --system FineReg --json "$tmp/j" && stats "$tmp/j" >"$tmp/run"
quiet "$regtwin" run "$tmp/spmv.trf" --system FineReg --json "$tmp/j" && stats "$tmp/j" >"$tmp/replay"
same 'another system than the recording' "$tmp/run" "$tmp/replay"
has 'which one line says' 'recorded under another configuration \(.*slot' "$tmp/err"
quiet "$regtwin" run spmv --size small --set compile.regs=need --json "$tmp/j" && stats "$tmp/j" >"$tmp/run"
quiet "$regtwin" run "$tmp/spmv.trf" --set compile.regs=need --json "$tmp/j" && stats "$tmp/j" >"$tmp/replay"
same 'compiled anew' "$tmp/run" "$tmp/replay"

# ---- several SMs, threads ----
for k in bfs_frontier gemm_tensor; do
  for t in 1 2 4; do
    quiet "$regtwin" trace record $k --size small --sms 4 --threads $t -o "$tmp/t$t.trf"
    quiet "$regtwin" run "$tmp/t1.trf" --sms 4 --threads $t --json "$tmp/j"
    stats "$tmp/j" | grep -v '"kernel"' >"$tmp/s$t"
  done
  quiet "$regtwin" run $k --size small --sms 4 --json "$tmp/j"
  stats "$tmp/j" | grep -v '"kernel"' >"$tmp/run"
  for t in 1 2 4; do same "$k on 4 SMs, replayed by $t threads" "$tmp/run" "$tmp/s$t"; done
  for t in 2 4; do check "$k: recorded by $t threads" cmp "$tmp/t1.trf" "$tmp/t$t.trf"; done
done

# ---- values ----
quiet "$regtwin" trace record bfs --size small --values -o "$tmp/bfs.trf"
quiet "$regtwin" run bfs --size small --set sim.check=true --json "$tmp/j" && stats "$tmp/j" >"$tmp/run"
quiet "$regtwin" run "$tmp/bfs.trf" --set sim.check=true --json "$tmp/j" && stats "$tmp/j" >"$tmp/replay"
same 'values are checked' "$tmp/run" "$tmp/replay"

# ---- without timing ----
quiet "$regtwin" trace record spmv --size small --functional -o "$tmp/f.trf"
quiet "$regtwin" run spmv --size small --json "$tmp/j" && stats "$tmp/j" | grep -v '"kernel"' >"$tmp/run"
quiet "$regtwin" run "$tmp/f.trf" --json "$tmp/j" && stats "$tmp/j" | grep -v '"kernel"' >"$tmp/replay"
same 'recorded without timing' "$tmp/run" "$tmp/replay"
has 'and it says so' 'recorded without timing' "$tmp/err"

# ---- compare ----
mkdir "$tmp/room"
TMPDIR=$tmp/room quiet "$regtwin" compare bfs_frontier,spmv --systems baseline,FineReg --size small --same-work
equal '--same-work' "$(find "$tmp/room" -mindepth 1 | wc -l)-$(grep -c 'did other work' "$tmp/err")" 0-0
has '--same-work: the heading says whose' 'size small, the work of baseline$' "$tmp/out"
quiet "$regtwin" compare bfs_frontier --systems baseline,FineReg --size small
has 'without it' 'bfs_frontier did other work' "$tmp/err"
quiet "$regtwin" compare "$tmp/spmv.trf" --systems baseline,FineReg --db "$tmp/db"
quiet "$regtwin" compare "$tmp/spmv.trf" --systems baseline,FineReg --db "$tmp/db"
equal 'a trace in a database' "$(ran "$tmp/db")" 2

# ---- as text ----
"$regtwin" trace dump "$tmp/spmv.trf" >"$tmp/dump"
"$regtwin" trace info "$tmp/spmv.trf" --json - >"$tmp/j"
equal 'dump: a line for each instruction' "$(grep -c '^  ' "$tmp/dump")" "$(get warp_insns "$tmp/j")"
"$regtwin" trace dump "$tmp/spmv.trf" --launch 0 --cta 3 --warp 1 --limit 5 >"$tmp/dump"
equal 'dump: registers are those that were allocated' "$(grep -c '%v' "$tmp/dump")-$(grep -c ' R[0-9]' "$tmp/dump")" 0-4
equal 'dump: five of them' "$(grep -c '^  ' "$tmp/dump")-$(grep -c '^launch 0 spmv.* CTA 3 warp 1$' "$tmp/dump")" 5-1

# ---- what it cannot serve ----
refused 'races' 'found a trace with --races' "$regtwin" run "$tmp/spmv.trf" --races
refused 'pictures of buffers' 'found a trace with --images' "$regtwin" run "$tmp/spmv.trf" --images "$tmp"
refused 'values' 'this trace has no values of registers' "$regtwin" run "$tmp/spmv.trf" --set sim.check=true
refused 'narrow integers' 'narrow code is made from' "$regtwin" run "$tmp/spmv.trf" --system SL-Int
refused 'rounded floats' 'rounded floats change' "$regtwin" run "$tmp/spmv.trf" --system SL-Full-P
refused 'another order' 'its instructions differ' "$regtwin" run "$tmp/spmv.trf" --set compile.schedule=list
refused 'another seed' 'found seed 9, expected' "$regtwin" run "$tmp/spmv.trf" --seed 9
refused 'quality' 'found a trace, expected a launch file' "$regtwin" quality "$tmp/spmv.trf" spmv
refused 'no trace' 'found no head of a trace' "$regtwin" run "$(cp Makefile "$tmp/no.trf" && echo "$tmp/no.trf")"
refused 'narrow code to be recorded' 'traces have no narrow code' "$regtwin" trace record spmv --size small --system SL-Int -o "$tmp/n.trf"
refused 'a part to be recorded' 'CTAs would be cut off' "$regtwin" trace record spmv --size small --max-ctas 3 -o "$tmp/n.trf"
refused 'a region to be recorded' 'found sim.roi in a recording' "$regtwin" trace record bfs --size small --roi 2 -o "$tmp/n.trf"
refused 'no name of a trace' 'expected a name that ends in .trf' "$regtwin" trace record spmv -o "$tmp/n.bin"
refused 'recorded again' 'it is recorded already' "$regtwin" trace record "$tmp/spmv.trf" -o "$tmp/n.trf"
refused 'an unknown part' 'found .x., expected' "$regtwin" trace x
equal 'nothing left' "$(find "$tmp" -name 'n.*' | wc -l)" 0

# ---- a file that breaks off ----
quiet "$regtwin" trace record spmv --size default -o "$tmp/long.trf"
head -c 900000 "$tmp/long.trf" >"$tmp/part.trf"
quiet "$regtwin" trace info "$tmp/part.trf"
equal 'info: exit status' "$?" 2
has 'info: where' 'section FRAME at byte [0-9]+: found' "$tmp/err"
has 'info: how many CTAs' '1 launches, [1-9][0-9]* CTAs whole' "$tmp/out"
refused 'a run' 'expected a whole trace \(--partial' "$regtwin" run "$tmp/part.trf"
quiet "$regtwin" run "$tmp/part.trf" --partial --json "$tmp/j"
equal 'a run of a part' "$?" 0
has 'which is marked' 'of a trace that breaks off' "$tmp/err"
check 'and has fewer instructions' test "$(get warp_insns "$tmp/j")" -lt 800000
head -c 2200 "$tmp/long.trf" >"$tmp/none.trf"
refused 'a run of a trace that breaks off in its code' 'section CODE at byte [0-9]+: found .*; expected a whole trace \(--partial' "$regtwin" run "$tmp/none.trf"
quiet "$regtwin" run "$tmp/spmv.trf" --max-ctas 3
hasnt 'a part of a trace is no other configuration' 'another configuration' "$tmp/err"
head -c 9000 "$tmp/long.trf" >"$tmp/none.trf"
refused 'no whole CTA' 'no CTA is whole' "$regtwin" run "$tmp/none.trf" --partial
cp "$tmp/spmv.trf" "$tmp/bad.trf"
printf '\x55' | dd of="$tmp/bad.trf" bs=1 seek=30000 conv=notrunc status=none
refused 'a damaged frame' 'section FRAME at byte [0-9]+: found damaged bytes' "$regtwin" run "$tmp/bad.trf"

# ---- a full disk ----
(ulimit -f 100; "$regtwin" trace record spmv --size default -o "$tmp/full.trf" >"$tmp/out" 2>"$tmp/err")
equal 'a full disk: exit status' "$?" 2
has 'a full disk' 'full.trf: error: cannot be written: File too large' "$tmp/err"
equal 'a full disk: one message, nothing left' "$(grep -c . "$tmp/err")-$(find "$tmp" -name 'full*' | wc -l)" 1-0
