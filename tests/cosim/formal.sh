#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every proof of synth/formal/proofs.tsv, the long one apart, is as stated there, and every planted fault, those marked long apart,
# makes its proof fail.
. "$(dirname "$0")/../lib.sh"

# rows NAME TABLE PATTERN: for each block of the table, as many lines as it has rows there, all of the pattern
rows() {
  local b want found
  for b in $(grep -vE '^(#|$)' "$2" | cut -f1 | uniq); do
    want=$(grep -v 'long$' "$2" | grep -c "^$b"$'\t')
    found=$(grep -cE "^$b +$3" "$tmp/out")
    if [ "$want" -gt 0 ] && [ "$want" = "$found" ]; then ok "$1: $b, $want of $want"
    else not_ok "$1: $b" "$found of $want" "$(grep "^$b " "$tmp/out")"; fi
  done
}
FORMAL_SHORT=1 make --no-print-directory -s formal >"$tmp/out" 2>&1
status=$?
rows proofs synth/formal/proofs.tsv '.* (complete|induction) '
check 'proofs: exit status' test $status -eq 0
FORMAL_SHORT=1 make --no-print-directory -s formal-planted >"$tmp/out" 2>&1
status=$?
rows 'planted faults' synth/formal/planted.tsv 'caught '
check 'planted faults: exit status' test $status -eq 0
make --no-print-directory -s formal BLOCK=slice/nothing >"$tmp/out" 2>&1
status=$?
if [ $status -eq 2 ] && grep -q "^formal: found block 'slice/nothing', expected one of: " "$tmp/out"; then
  ok 'an unknown block'
else not_ok 'an unknown block' "exit status $status" "$(cat "$tmp/out")"; fi
