#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The guide of docs/launch-files.md: PTX from clang-14 for a kernel that is not in the suite, and a launch file by hand.
. "$(dirname "$0")/../lib.sh"
cp tests/guide/triad.cl tests/guide/triad.launch "$tmp"
check 'clang-14 compiles a kernel that is not in the suite' clang-14 -x cl -cl-std=CL1.2 -cl-no-stdinc \
  -include traces/include/own_cl.h --target=nvptx64-nvidia-cuda -march=sm_75 -O2 -S "$tmp/triad.cl" -o "$tmp/triad.ptx"
check 'it runs from a launch file, with the results expected' "$regtwin" run "$tmp/triad.launch"
check 'the same from another directory' env -C "$tmp" "$regtwin" run triad.launch --config rtx2060

# And the guide as printed: its kernel and its launch file, taken out of the page.
part() { awk -v n="$1" '/^```/ { if (in_block) in_block = 0; else { in_block = 1; k++ } next } in_block && k == n' docs/launch-files.md; }
part 1 > "$tmp/saxpy.cl"
part 2 > "$tmp/compile"
part 3 > "$tmp/saxpy.launch"
sed -i "s|saxpy\\.cl|$tmp/saxpy.cl|; s|saxpy\\.ptx|$tmp/saxpy.ptx|" "$tmp/compile"
check "the guide's own kernel compiles" bash -e "$tmp/compile"
check "the guide's own launch file runs" "$regtwin" run "$tmp/saxpy.launch"
check 'also with another seed' "$regtwin" run "$tmp/saxpy.launch" --seed 3

# A wrong expectation must fail, else the three above say nothing.
sed 's/^expect peak\[0\] .*/expect peak[0] 64/' tests/guide/triad.launch > "$tmp/wrong.launch"
out=$("$regtwin" run "$tmp/wrong.launch" 2>&1)
status=$?
if [ $status -ne 0 ] && [[ $out == *'found peak[0] = 64.5, expected 64'* ]]; then ok 'a wrong result is reported'
else not_ok 'a wrong result is reported' "exit status $status" "$out"; fi
