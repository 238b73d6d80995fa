#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every parameter set that is not a block's first one agrees: by its line in tests/sets.tsv if that is of these files, else, up to ten
# of them, by a run. One that the table does not have yet is skipped. FRESH=1 does not run them again; make sets-record writes the table.
# needs: none
. "$(dirname "$0")/../lib.sh"
. tests/kept.sh
unset MAKEFLAGS MFLAGS BLOCK SETS SET SEED CYCLES WAVES SHRINK REPLAY RECORD BINS MODEL COSIM_C COSIM_RTL COSIM_TB COSIM_SHIM COSIM_OUT
table=${SETS_TABLE:-tests/sets.tsv} most=10   # SETS_BLOCK: of this block alone
BLOCK=${SETS_BLOCK-} cosim/sets.sh state >"$tmp/state" 2>"$tmp/err" || not_ok 'the state of each set' "$(cat "$tmp/err")"
todo=()
while read -r unit hash state text; do
  case $state in
    kept) ok "$unit: $text (kept)" ;;
    failed) not_ok "$unit" "$text" "replay: make cosim BLOCK=${unit%@*} SETS=${unit#*@}" ;;
    new) skip "$unit" 'it is not in the table yet: make sets-record' ;;
    *) todo+=("$unit $hash $state") ;;
  esac
done <"$tmp/state"
if [ ${#todo[@]} -gt $most ]; then
  not_ok 'the results of parameter sets are of these files' "${#todo[@]} sets have no result of these files in $table, expected at most $most:" \
    "$(printf '%s\n' "${todo[@]}" | awk '{ split($1, part, "@"); n[part[1]]++ } END { for (b in n) print b ": " n[b] }' | sort)" \
    'make sets-record runs them; commit the table with the change'
elif [ ${#todo[@]} -gt 0 ]; then
  JOBS=$(nproc) cosim/sets.sh run "${todo[@]%% *}" >"$tmp/ran" 2>"$tmp/err"
  for t in "${todo[@]}"; do
    read -r unit hash _ <<<"$t"
    text=$(sed -n "s,^SET $unit [0-9]* ,,p" "$tmp/ran")
    if [[ $text = agree* ]]; then
      keep "set $unit" "$hash" "$text"
      ok "$unit: $text"
    else not_ok "$unit" "${text:-could not be built}" "$(grep -A 20 "^$unit: " "$tmp/err" | head -n 25)" "$(tail -n 5 "$tmp/err")"; fi
  done
fi
check 'every line of the table is of a set' test -z "$(awk 'FNR == NR { there[$1] = 1; next } !/^#/ && (block == "" || $1 == block) && !($1 "@" $2 in there) { print $1, $2 }' block="${SETS_BLOCK-}" "$tmp/state" "$table")"
