#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Register slices: every kernel in narrow code on the SM, every operand checked, computes what the same code computes
# without timing;
# no statistic depends on whether payloads are modelled; the output of run and compare; unsupported settings.
. "$(dirname "$0")/../lib.sh"
machine=(--config gtx480 --system)

counters() { sed -n '/"counters"/,/}/p' "$1" | grep -v operands_checked; }
results() { sed -n 's/.*"results_hash": "\(.*\)".*/\1/p' "$1"; }
mapfile -t all < <(kernels)
for s in SL-WB2 SL-Full-P; do
  "$regtwin" run "${all[@]}" --size small "${machine[@]}" $s --set sim.check=true --json "$tmp/checked" >/dev/null 2>"$tmp/err"
  check "$s: all kernels, every operand is the value last written, quality as asked" test $? -eq 0
  "$regtwin" run "${all[@]}" --size small "${machine[@]}" $s --json "$tmp/plain" >/dev/null 2>&1
  counters "$tmp/checked" >"$tmp/a"
  counters "$tmp/plain" >"$tmp/b"
  same "$s: the same statistics with and without values" "$tmp/a" "$tmp/b"
done
"$regtwin" run "${all[@]}" --size small --functional "${machine[@]}" SL-Full-P --json "$tmp/executed" >/dev/null 2>&1
results "$tmp/executed" >"$tmp/a"
results "$tmp/plain" >"$tmp/b"
same 'all kernels: the results of the same code without timing' "$tmp/a" "$tmp/b"
equal 'of each kernel' "$(wc -l <"$tmp/a")" "${#all[@]}"
"$regtwin" run "${all[@]}" --size small "${machine[@]}" SL-Full-P --set sim.skip=false --json "$tmp/slow" >/dev/null 2>&1
counters "$tmp/slow" >"$tmp/a"
counters "$tmp/plain" >"$tmp/b"
same 'the same statistics without skipping' "$tmp/a" "$tmp/b"

# ---- output
systems=SL-Orig,SL-Int,SL-Full-P,SL-Full-H,SL-ArtOcc
"$regtwin" compare IMGVF --config gtx480 --size small --systems $systems --all --json "$tmp/c" >"$tmp/table" 2>"$tmp/err"
check 'compare IMGVF' test $? -eq 0
for what in '^IPC' '^registers per thread' '^occupancy' '^quality of the results' 'SL-ArtOcc: SL-Orig, its register file'; do
  has "its table: $what" "$what" "$tmp/table"
done
value() {   # measure, which system
  sed -n "/\"$1\": {/,/}/s/.*\"value\": \([^,]*\),*/\1/p" "$tmp/c" | sed -n "$2p"
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a < b) }'; }
check 'fewer physical registers' below "$(value pressure 3)" "$(value pressure 1)"
check 'more warps fit' below "$(value occupancy 1)" "$(value occupancy 3)"
equal 'as many on SL-ArtOcc' "$(value occupancy 5)" "$(value occupancy 3)"
equal 'of registers as many as before' "$(value pressure 5)" "$(value pressure 1)"

# ---- errors
mkdir "$tmp/ssao"
cp traces/kernels/ssao/ssao.ptx "$tmp/ssao/"
sed '/^high:/,$d' traces/kernels/ssao/ssao.widths >"$tmp/ssao/ssao.widths"
small_launch ssao >"$tmp/ssao/small.launch"
said() {   # name, exit status, pattern, arguments...
  local name=$1 want=$2 pattern=$3
  shift 3
  "$regtwin" run "$@" >"$tmp/out" 2>"$tmp/err"
  equal "$name: exit status" $? "$want"
  has "$name" "$pattern" "$tmp/err"
}
said 'a kernel without a metric' 2 'small.launch: error: found no about.yaml beside it, expected one' "$tmp/ssao/small.launch" "${machine[@]}" SL-Full-P
check 'integers need none' "$regtwin" run "$tmp/ssao/small.launch" "${machine[@]}" SL-Int
cp traces/kernels/ssao/about.yaml "$tmp/ssao/"
said 'no widths' 0 'small: no widths of quality high beside .*/small.launch: its floats keep 32 bits' "$tmp/ssao/small.launch" "${machine[@]}" SL-Full-H
sed -E '/^ +"%/s/: [0-9]+$/: 8/' traces/kernels/ssao/ssao.widths >"$tmp/ssao/ssao.widths"
said 'widths that are too narrow' 1 'the quality of its results is (low|high) \(ssim 0[^)]*\), expected perfect' "$tmp/ssao/small.launch" "${machine[@]}" SL-Full-P
echo '// changed' >>"$tmp/ssao/ssao.ptx"
said 'widths of another version' 2 'ssao.widths:2:7: error: found widths of another version of' "$tmp/ssao/small.launch" "${machine[@]}" SL-Full-P
said 'narrow code in another file' 2 'found compile.narrow without slot.storage slices' vecadd --set compile.narrow=int
