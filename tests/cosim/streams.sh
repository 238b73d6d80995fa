#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the SM gives each block in a kernel is what traces/streams/ has recorded, to the end of every stream. Those of FineReg, and what is said of a stream
# that is not, are in whole.sh.
# needs: binary cosim-built
. "$(dirname "$0")/../lib.sh"
cosim/whole_sm/streams.sh check >"$tmp/out" 2>"$tmp/err"
equal 'all streams: exit status' $? 0
[ ! -s "$tmp/err" ] || not_ok 'all streams: messages' "$(head -n 20 "$tmp/err")"
if grep -q '^DIFFERS' "$tmp/out"; then not_ok 'an input that differs' "$(grep -A6 '^DIFFERS' "$tmp/out")"; fi
while read -r block found _ all _; do
  equal "$block, $all cycles" "$found" "$all"
done < <(grep -E '^[a-z0-9]+/[a-z0-9_]+ +[0-9]+ of ' "$tmp/out")
equal 'each stream is compared' "$(grep -cE '^[a-z0-9]+/[a-z0-9_]+ +([0-9]+) of +\1 ' "$tmp/out")" "$(find traces/streams -name '*.stim' | wc -l)"
cosim/whole_sm/streams.sh check nothing-has-this >"$tmp/out" 2>&1
equal 'no row with the word: exit status' $? 2
has 'and its message' 'plan\.tsv: found no row with nothing-has-this' "$tmp/out"

# ---- one block's streams recorded again: the same bytes, and no other file
cp -r traces/streams "$tmp/streams"
stream=$(find "$tmp/streams/malekeh" -maxdepth 1 -name 'sthld-*.stim' | sort | head -n 1)
other=$(find "$tmp/streams/malekeh" -maxdepth 1 -name 'rarb-*.stim' | sort | head -n 1)
echo old >"$stream"
touch -d 2020-01-01 "$other"
STREAMS=$tmp/streams make --no-print-directory -s streams BLOCK=sthld COSIM_SM=build/none/regtwin-cosim >"$tmp/out" 2>&1
equal 'make streams BLOCK=: exit status' $? 0
has 'it says what it runs' '^streams: .* cycles of malekeh/sthld into ' "$tmp/out"
check 'that block'\''s are recorded as they were' diff -r traces/streams "$tmp/streams"
equal 'and no other' "$(stat -c %y "$other" | cut -d ' ' -f 1)" 2020-01-01
BLOCK=slice/tve cosim/whole_sm/streams.sh record >"$tmp/out" 2>&1
equal 'a block without a row: exit status' $? 2
has 'and its message' 'plan\.tsv: found no row with slice/tve' "$tmp/out"
