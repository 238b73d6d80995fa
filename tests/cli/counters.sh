#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two small kernels or more under each system count what tests/data/counters/ says; a count that differs is shown with its old and its new value.
# needs: binary
. "$(dirname "$0")/../lib.sh"
"$regtwin" list systems --names | sort >"$tmp/systems"
same 'each system has its file in tests/data/counters' "$tmp/systems" <(find tests/data/counters -type f -printf '%f\n' | sort)
for s in $(<"$tmp/systems"); do
  check "$s: two kernels or more" test "$(grep -c '^# ' "tests/data/counters/$s")" -ge 2
done
tests/counters.sh check >"$tmp/out" 2>"$tmp/err"
equal 'tests/counters.sh check: messages' "$(wc -l <"$tmp/err")" 0
while read -r system kernel what; do
  case $what in
    same) ok "$system $kernel" ;;
    differs) not_ok "$system $kernel" 'make counters-record writes what it counts now, if that is meant' "$(grep "^  $system $kernel: " "$tmp/out")" ;;
  esac
done < <(grep -v '^ ' "$tmp/out")
equal 'so many were run' "$(grep -cv '^ ' "$tmp/out")" "$(cat tests/data/counters/* | grep -c '^# ')"

# ---- one that differs, one that is gone, one that is new
mkdir "$tmp/c"
sed -E '/^cycles /s/$/0/; /^fetched /d; $a zz 7' tests/data/counters/baseline >"$tmp/c/baseline"
COUNTERS=$tmp/c tests/counters.sh check baseline >"$tmp/out" 2>&1
check 'a count that differs: the status' test $? -ne 0
has 'is shown with its old and new value' '^  baseline [a-z]+: cycles was ([0-9]+)0, is [0-9]+$' "$tmp/out"
has 'one that was not counted before' '^  baseline [a-z]+: fetched was 0, is [1-9][0-9]*$' "$tmp/out"
has 'one that is no longer counted' '^  baseline [a-z]+: zz was 7, is 0$' "$tmp/out"
COUNTERS=$tmp/c tests/counters.sh record baseline >"$tmp/out" 2>&1
check 'recorded again, it is as before' cmp "$tmp/c/baseline" tests/data/counters/baseline
: >"$tmp/c/VT"
COUNTERS=$tmp/c tests/counters.sh check VT >"$tmp/out" 2>&1
check 'a file without a kernel: the status' test $? -ne 0
has 'and its message' "c/VT: found no line '# KERNEL" "$tmp/out"
echo '# nokernel' >"$tmp/c/VT"
COUNTERS=$tmp/c tests/counters.sh check VT >"$tmp/out" 2>&1
check 'an unknown kernel: the status' test $? -ne 0
has 'and its message' 'c/VT: # nokernel: it cannot be run' "$tmp/out"
