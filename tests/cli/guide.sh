#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The guide of docs/use/launch-files.md: PTX from clang for a kernel that is not in the suite, and a launch file by hand.
# needs: binary lib host host-programs
. "$(dirname "$0")/../lib.sh"
clang=$(cmodel/make/llvm.sh clang)
cp tests/data/guide/triad.cl tests/data/guide/triad.launch "$tmp"
check 'clang compiles a kernel that is not in the suite' "$clang" -x cl -cl-std=CL1.2 -cl-no-stdinc \
  -include traces/kernels/include/own_cl.h --target=nvptx64-nvidia-cuda -march=sm_75 -O2 -S "$tmp/triad.cl" -o "$tmp/triad.ptx"
check 'it runs from a launch file, with the results expected' "$regtwin" run "$tmp/triad.launch"
check 'the same from another directory' env -C "$tmp" "$regtwin" run triad.launch --config rtx2060

# The guide as printed: its kernel and its launch file, extracted from the page.
part() { awk -v n="$1" '/^```/ { if (in_block) in_block = 0; else { in_block = 1; k++ } next } in_block && k == n' docs/use/launch-files.md; }
part 1 > "$tmp/saxpy.cl"
part 2 > "$tmp/compile"
part 3 > "$tmp/saxpy.launch"
sed -i "s|saxpy\\.cl|$tmp/saxpy.cl|; s|saxpy\\.ptx|$tmp/saxpy.ptx|; s|^clang-14 |$clang |" "$tmp/compile"
check "the guide's own kernel compiles" bash -e "$tmp/compile"
check "the guide's own launch file runs" "$regtwin" run "$tmp/saxpy.launch"
check 'also with another seed' "$regtwin" run "$tmp/saxpy.launch" --seed 3

# A file that is no launch file is refused with advice; the skeleton that analyze --launch prints runs, for each entry.
"$regtwin" run "$tmp/saxpy.ptx" >"$tmp/out" 2>"$tmp/err"
equal 'run of a PTX file: status 2' $? 2
has 'what is missing, and how to get it' \
  "saxpy.ptx: error: found a PTX file, expected a launch file, .*'regtwin analyze --launch [^ ]*saxpy.ptx' .*docs/use/launch-files.md" "$tmp/err"
"$regtwin" analyze --launch "$tmp/saxpy.ptx" >"$tmp/made.launch"
has 'its parameters' '^# saxpy\(u64 saxpy_param_0, u64 saxpy_param_1, f32 saxpy_param_2, u32 saxpy_param_3\)$' "$tmp/made.launch"
has 'its launch' '^launch saxpy grid \(n \+ 255\) / 256 block 256 args \(buf0, buf1, f32:1, u32:n\)$' "$tmp/made.launch"
check 'the launch file made for it runs' "$regtwin" run "$tmp/made.launch"
for k in vecadd sgemm srad_v1 mma_tile; do
  [ -f "traces/kernels/$k/$k.ptx" ] || continue
  cp "traces/kernels/$k/$k.ptx" "$tmp"
  "$regtwin" analyze --launch "traces/kernels/$k/$k.ptx" >"$tmp/$k.launch"
  equal "$k: every entry is in it" "$(grep -c '^launch ' "$tmp/$k.launch")" "$(grep -c '\.entry' "traces/kernels/$k/$k.ptx")"
done
check 'and is read' "$regtwin" run "$tmp/vecadd.launch"
cat >"$tmp/odd.ptx" <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry odd(.param .f64 a, .param .align 8 .b8 b[24], .param .align 4 .b8 c[12], .param .s16 d, .param .u8 e)
.reqntid 8, 4, 1
{
  ret;
}
END
"$regtwin" analyze --launch "$tmp/odd.ptx" >"$tmp/odd.launch"
has 'structs by value, and the block that is asked for' \
  'block \(8, 4, 1\) args \(f64:1, struct \{u64:0, u64:0, u64:0\}, struct \{u32:0, u32:0, u32:0\}, s16:0, u8:0\)$' "$tmp/odd.launch"
check 'it runs, too' "$regtwin" run "$tmp/odd.launch"

# A wrong expectation must fail, else the three checks above prove nothing.
sed 's/^expect peak\[0\] .*/expect peak[0] 64/' tests/data/guide/triad.launch > "$tmp/wrong.launch"
out=$("$regtwin" run "$tmp/wrong.launch" 2>&1)
status=$?
if [ $status -ne 0 ] && [[ $out == *'found peak[0] = 64.5, expected 64'* ]]; then ok 'a wrong result is reported'
else not_ok 'a wrong result is reported' "exit status $status" "$out"; fi
