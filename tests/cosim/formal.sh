#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proofs of synth/formal/proofs.tsv are as stated there, and planted faults make their proof fail; those marked long apart. Of the
# blocks whose proofs are recorded for these very sources (docs/twins.tsv), a ninth in each run, by the number of commits, since a proof of
# the same text has the same result; all others always. FORMAL_ALL=1, or a tree without git: all of them.
. "$(dirname "$0")/../lib.sh"
. cosim/lib.sh

parts=9
turn=$(git rev-list --count HEAD 2>/dev/null) || FORMAL_ALL=1
# rows, planted faults or the solver's script have changed since the proofs were recorded
git diff --quiet "$(git log -1 --format=%H -- docs/twins.tsv 2>/dev/null)" -- synth/formal 2>/dev/null || FORMAL_ALL=1
recorded() { grep -qxE "$1"$'\t'"$(hash_of "$1" proofs)"$'\t''proofs'$'\t''([0-9]+)/\1' docs/twins.tsv; }
mapfile -t blocks < <(grep -vE '^(#|$)' synth/formal/proofs.tsv | cut -f1 | uniq)
chosen=() left=()
for i in "${!blocks[@]}"; do
  if [ -z "${FORMAL_ALL:-}" ] && [ $(((i + turn) % parts)) -ne 0 ] && recorded "${blocks[i]}"; then left+=("${blocks[i]}")
  else chosen+=("${blocks[i]}"); fi
done
[ ${#left[@]} -eq 0 ] || echo "proven before from the same sources, not in this run: ${left[*]}"
check 'some blocks are proven in this run' test "${#chosen[@]}" -ge $((${#blocks[@]} / parts))

# rows NAME TABLE PATTERN: for each block chosen, as many lines as it has rows in the table, all of the pattern
rows() {
  local b want found
  for b in "${chosen[@]}"; do
    want=$(grep -v 'long$' "$2" | grep -c "^$b"$'\t')
    found=$(grep -cE "^$b +$3" "$tmp/out")
    if [ "$want" = "$found" ]; then ok "$1: $b, $want of $want"
    else not_ok "$1: $b" "$found of $want" "$(grep "^$b " "$tmp/out")"; fi
  done
}
FORMAL_SHORT=1 synth/formal/run.sh "${chosen[@]}" >"$tmp/out" 2>&1
status=$?
rows proofs synth/formal/proofs.tsv '.* (complete|induction) '
check 'proofs: exit status' test $status -eq 0
mapfile -t faulty < <(for b in "${chosen[@]}"; do grep -q "^$b"$'\t' synth/formal/planted.tsv && echo "$b"; done)
FORMAL_SHORT=1 synth/formal/run.sh --planted "${faulty[@]}" >"$tmp/out" 2>&1
status=$?
rows 'planted faults' synth/formal/planted.tsv 'caught '
check 'planted faults: exit status' test $status -eq 0
make --no-print-directory -s formal BLOCK=slice/nothing >"$tmp/out" 2>&1
status=$?
if [ $status -eq 2 ] && grep -q "^formal: found block 'slice/nothing', expected one of: " "$tmp/out"; then
  ok 'an unknown block'
else not_ok 'an unknown block' "exit status $status" "$(cat "$tmp/out")"; fi
