#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# map: each point is the ratio of two plain runs; the machine's own point, the paper's number, failures, kept results, pictures.
. "$(dirname "$0")/../lib.sh"

map() { "$regtwin" map "$@" --size small --db "$tmp/db"; }
cycles() { "$regtwin" run "$@" --size small --json "$tmp/r" >/dev/null && get cycles "$tmp/r"; }
png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] && [ "$(tail -c 8 "$1" | head -c 4)" = IEND ]; }

# ---- two kernels on four points: the same as run, and the geometric mean
map sgemm vecadd --x dram.latency=106,400 --y dram.mbps=100000,352500 --system FineReg --against FR-Base --json "$tmp/j" >"$tmp/t"
equal 'status' $? 0
for x in 106 400; do
  for y in 352500 100000; do
    set=(--set "dram.latency=$x" --set "dram.mbps=$y")
    for k in sgemm vecadd; do echo "$(cycles $k --system FR-Base "${set[@]}") $(cycles $k --system FineReg "${set[@]}")"; done |
      awk -v at="$x $y" '{ l += log($1 / $2); n++ } END { printf "%s %.3f\n", at, exp(l / n) }'
  done
done >"$tmp/want"
awk '/^  (352500|100000) / { sub(/\*/, ""); a[$1] = $(NF - 1); b[$1] = $NF }
  END { printf "106 352500 %s\n106 100000 %s\n400 352500 %s\n400 100000 %s\n", a[352500], a[100000], b[352500], b[100000] }' "$tmp/t" >"$tmp/found"
same 'each point is the geometric mean of run'"'"'s ratios' "$tmp/want" "$tmp/found"
check 'they are not all the same' test "$(cut -d' ' -f3 "$tmp/want" | sort -u | wc -l)" -gt 1
has 'what is compared' 'IPC of FineReg relative to FR-Base, one SM of gtx980, size small, geometric mean of 2 kernels$' "$tmp/t"
has 'the largest of the rows is on top, the own point marked' '^  352500 +MB/s +\*[0-9.]+ +[0-9.]+$' "$tmp/t"
has 'the machine as it is' '^\* the machine as it is: dram.latency 106, dram.mbps 352500$' "$tmp/t"
has 'the paper' '^The paper has 1.328 in the mean of its kernels \(FineReg \(MICRO.18\), .*\): reached at 0 of 4 points.$' "$tmp/t"
has 'whose mean it is' "^It does not compare: the paper's kernels are 18 here, at size default; this map has 2 at size small\\.$" "$tmp/t"
equal 'JSON: whose mean it is' "$(get paper_kernels "$tmp/j")" false
equal 'JSON: the point' "$(get own "$tmp/j") $(get paper "$tmp/j") $(grep -c '"geometric_mean"' "$tmp/j")" '106 "1.328" 4'
equal 'JSON: one of them is the own' "$(grep -c '"own": true' "$tmp/j")" 1

# ---- the baseline under another name is the paper's; another machine is not
map vecadd --x l1.mshrs=32,64 --y l1.ways=8 --system FineReg >"$tmp/t"
has 'baseline is FR-Base' '^The paper has 1.328 ' "$tmp/t"
map vecadd --x l1.mshrs=32,64 --y l1.ways=4 --config gtx480 --system VT >"$tmp/t"
hasnt 'no number for another machine' 'The paper has' "$tmp/t"
map vecadd --x l1.mshrs=32,64 --y l1.ways=8 --system null --json "$tmp/j" >"$tmp/t"
hasnt 'nor for a system without one' 'The paper has' "$tmp/t"
equal 'a system that does nothing gains nothing' "$(awk '/^  8 / { print $(NF - 1), $NF }' "$tmp/t")" '1.000 *1.000'

# ---- where the own point is
map vecadd --x l1.mshrs=32,128 --y l1.ways=8 --system VT >"$tmp/t"
has 'between points' '^\* the machine as it is: l1.mshrs 64, l1.ways 8 \(between points\)$' "$tmp/t"
map vecadd --x l1.mshrs=128,256 --y l1.ways=8 --system VT >"$tmp/t"
has 'outside' '^Not in this map: the machine as it is: l1.mshrs 64, l1.ways 8$' "$tmp/t"
map vecadd --x l1.bytes=x0.5,x1,x2 --y l1.ways=8 --system VT >"$tmp/t"
has 'multiples of its own' '^ +24576 +49152 +98304$' "$tmp/t"

# ---- a point where a kernel does not fit: the others go on
map tpacf vecadd --x shared.bytes=1024,98304 --y l1.ways=8 --system VT >"$tmp/t" 2>"$tmp/err"
equal 'a kernel that fails: status 2' $? 2
has 'which, where, why' 'tpacf on VT at shared.bytes=1024, l1.ways=8 failed: .*one CTA needs 13312 shared memory' "$tmp/err"
has 'the means are of the other' 'geometric mean of 1 kernel$' "$tmp/t"

# ---- results are kept; as many at a time as one likes
before=$(ran "$tmp/db")
map sgemm vecadd --x dram.latency=106,400 --y dram.mbps=100000,352500 --system FineReg --against FR-Base --json "$tmp/j2" >/dev/null
equal 'nothing runs twice' "$(ran "$tmp/db")" "$before"
for n in 1 3; do
  "$regtwin" map vecadd --x l1.mshrs=32,64 --y l1.ways=4,8 --system VT --size small --jobs $n --db "$tmp/db$n" --json "$tmp/j$n" >"$tmp/t$n"
done
same 'the same with one and with three' "$tmp/j1" "$tmp/j3"
same 'and the same table' "$tmp/t1" "$tmp/t3"

# ---- pictures
map vecadd --x l1.mshrs=32,64 --y l1.ways=4,8 --system FineReg --plot "$tmp/m.png" >/dev/null
check 'a PNG' png "$tmp/m.png"
map vecadd --x l1.mshrs=32,64 --y l1.ways=4,8 --system FineReg --plot "$tmp/m.svg" >/dev/null
has 'an SVG: what it shows' 'IPC of FineReg relative to baseline' "$tmp/m.svg"
has 'the own point' 'the machine as it is' "$tmp/m.svg"
has 'the paper' 'the paper.*s 1.328 is reached' "$tmp/m.svg"
