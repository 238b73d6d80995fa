#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Results of the parameter sets that are not a block's first one, kept by the hash of what each depends on (twins_hash in cosim/lib.sh).
# tests/sets.tsv has a line for each: block, set, hash, result, seconds of its build and run.
# The hash is of the sources alone: another version of Verilator runs every block's first set again (tests/cosim/lockstep.sh), not these.
# usage: cosim/sets.sh state             "BLOCK@SET HASH STATE RESULT" of each set, nothing is built; STATE: kept, changed, new, failed
#        cosim/sets.sh run BLOCK@SET...  builds and runs these: "SET BLOCK@SET SECONDS RESULT" as each one ends; reports of failures to stderr
#        cosim/sets.sh planted          the faults of tests/cosim/sets_planted.tsv: none at the first set, found at another one (make sets-planted)
#        cosim/sets.sh record            runs all that are not kept, and writes each result into the table at once (make sets-record)
# env: BLOCK, SETS: some of them; JOBS; SETS_TABLE: another table; the variables of COSIM_ENV, which make sets
# Exit status of record and planted: 0 all sets agree, all faults are found; 1 one is not; 2 one could not be built, or the call is wrong.
cd "$(dirname "$0")/.." || exit 2
: "${MAKE:=make}" "${COSIM_C:=cmodel}" "${COSIM_RTL:=rtl}" "${COSIM_TB:=tb}" "${COSIM_OUT:=build/cosim}" "${COSIM_PLACES:=}" "${COSIM_DEFS=}" "${VERILATOR:=verilator}"
. cosim/lib.sh
. tests/kept.sh
table=${SETS_TABLE:-tests/sets.tsv}
head='# The parameter sets that are not a first one, as last run (make sets-record): block, set, hash of the sources that it depends on, result, seconds'

# Into the array `units`: the sets of BLOCK and SETS.
choose_units() {
  local u
  if [ -z "${COSIM_UNITS-}" ]; then
    COSIM_UNITS=$($MAKE --no-print-directory -s BLOCK= SETS= cosim-sets | awk 'seen[$1]++ { print $1 "@" $2 }')
    COSIM_BLOCKS=$($MAKE --no-print-directory -s BLOCK= SETS= cosim-blocks) COSIM_DEFS=$COSIM_BLOCKS
  fi
  blocks=()
  SETS=${SETS:-all} choose_blocks
  units=()   # choose_blocks has an array of this name
  for u in "${blocks[@]}"; do [[ $u != *@* ]] || units+=("$u"); done
}

declare -A recorded=() hash=() state=()
# Into `hash` and `state` (followed by the result): those of all `units`.
find_states() {
  local u b s h text engine='' last=''
  recorded=()
  if [ -f "$table" ]; then
    while IFS=$'\t' read -r b s h text _; do recorded["$b@$s"]=$h' '$text; done < <(grep -v '^#' "$table")
  fi
  engine=$(engine_hash) || die 'a file of the engine is missing'
  for u in "${units[@]}"; do
    b=${u%@*}
    [ "$b" = "$last" ] || find_sources "$b" run
    last=$b
    hash[$u]=$(twins_hash "$u" "$engine")
    h=${recorded[$u]-}
    if [ "${h%% *}" = "${hash[$u]}" ]; then
      case ${h#* } in agree*) state[$u]="kept ${h#* }" ;; *) state[$u]="failed ${h#* }" ;; esac
    elif kept "set $u" "${hash[$u]}"; then state[$u]="kept $result"   # of a make test
    else state[$u]="$([ -z "$h" ] && echo new || echo changed) -"; fi
  done
}

# A make for each set: one make of many sets would take the same step of all of them first. What they share is built before.
run_units() {   # block@set...: ends as xargs ends
  local plain=(BLOCK= SETS= SEED= CYCLES= WAVES= SHRINK= REPLAY= RECORD= BINS= MODEL=) shared=(cosim-runtime) system
  [ $# -gt 0 ] || return 0
  export MAKEFLAGS=   # the jobs of a make above are not ours
  # shellcheck disable=SC2206
  [ -z "$COSIM_PLACES" ] || plain+=($COSIM_PLACES)
  for system in $(printf '%s\n' "${@%%/*}" | sort -u); do shared+=("$COSIM_OUT/obj/$system/twins.a"); done
  mapfile -t -O ${#shared[@]} shared < <($MAKE --no-print-directory -s "${plain[@]}" cosim-engine | tr ' ' '\n')
  $MAKE --no-print-directory -s -j"${JOBS:-2}" "${plain[@]}" "${shared[@]}" || return 2
  # shellcheck disable=SC2016
  exec xargs -P "${JOBS:-2}" -I '{}' bash -c 'SINCE=$(date +%s) exec "$@"' set "$MAKE" --no-print-directory -s "${plain[@]}" "$COSIM_OUT/sets/{}" < <(printf '%s\n' "$@")
}

# Puts a line in place of the set's older one.
write_result() {   # block@set, result, seconds
  { echo "$head"
    { [ ! -f "$table" ] || awk -F '\t' -v b="${1%@*}" -v s="${1#*@}" '!/^#/ && ($1 != b || $2 != s)' "$table"
      printf '%s\t%s\t%s\t%s\t%s\n' "${1%@*}" "${1#*@}" "${hash[$1]}" "$2" "$3"; } | sort -t $'\t' -k 1,2
  } >"$table.new"
  mv "$table.new" "$table"
}
# Seconds that each of these sets took; where none is recorded, those of the block's sets on average, else 30: lines "SECONDS BLOCK@SET".
weights() {
  printf '%s\n' "$@" | awk -F '\t' '/^#/ { next }
    NF == 5 { of[$1 "@" $2] = $5; sum[$1] += $5; n[$1]++; next }
    { b = $1; sub(/@.*/, "", b); print ($1 in of ? of[$1] : b in n ? int(sum[b] / n[b]) : 30), $1 }' \
    <(cat "$table" 2>/dev/null || true) -
}

record() {
  local u b s word seconds text n=0 all todo=() failed=() w total=0 ran=0 status=0 from=$SECONDS left
  choose_units
  find_states
  if [ -f "$table" ] && [ -z "$BLOCK$SETS" ]; then   # lines of sets that there are no more
    awk -F '\t' -v units=" ${units[*]} " '/^#/ || index(units, " " $1 "@" $2 " ")' "$table" >"$table.new" && mv "$table.new" "$table"
  fi
  declare -A weight=()
  while read -r w u; do
    case ${state[$u]} in
      kept*) [ "${recorded[$u]-}" = "${hash[$u]} ${state[$u]#* }" ] || write_result "$u" "${state[$u]#* }" "$w" ;;
      *) weight[$u]=$((w + 1)) total=$((total + w + 1)); todo+=("$u") ;;
    esac
  done < <(weights "${units[@]}" | sort -s -n)   # the short ones first
  all=${#todo[@]}
  echo "sets-record: ${#units[@]} sets, $all to run; a stop loses no result, the same command goes on" >&2
  trap 'kill $(ps -o pid= --ppid "$!") "$!" 2>/dev/null; echo "sets-record: stopped: $n of $all are recorded in $table; the same command goes on" >&2; exit 130' INT TERM
  while read -r word u seconds text; do
    [ "$word" = SET ] || { echo "$word $u $seconds $text"; continue; }
    write_result "$u" "$text" "$seconds"
    n=$((n + 1)) ran=$((ran + weight[$u])) state[$u]="$text"
    left=$(((SECONDS - from) * (total - ran) / ran))
    printf '[%d/%d] %s: %s (%d s; about %d min left)\n' $n "$all" "$u" "$text" "$seconds" $(((left + 59) / 60))
  done < <(run_units "${todo[@]}")
  trap - INT TERM
  n=0
  for u in "${units[@]}"; do
    case ${state[$u]} in
      kept* | agree*) n=$((n + 1)) ;;
      changed* | new* | failed*) status=2 failed+=("$u (not run)") ;;
      *) [ $status -eq 2 ] || status=1; failed+=("$u") ;;
    esac
  done
  echo "sets-record: $n of ${#units[@]} sets agree${failed[*]:+; the others: ${failed[*]}} ($table)"
  return $status
}

# The block at a set, of the Verilog with a fault: a line that says how its run ended, or "not built".
faulty() {   # block, set or nothing
  local log=$COSIM_OUT/planted/log
  $MAKE --no-print-directory -s BLOCK="$1" SETS="$2" SEED= CYCLES= WAVES= SHRINK= REPLAY= RECORD= BINS= cosim COSIM_RTL="$COSIM_OUT/planted/rtl" \
    COSIM_OUT="$COSIM_OUT/planted/out" >"$log" 2>&1 </dev/null
  grep -m 1 -E "^(DIVERGE|ORACLE|CONTROL|IDLE|ILLEGAL|INVARIANT|ASSERT|EMPTY BINS) |^$1(@$2)? +agree " "$log" || echo "not built: $(tail -n 1 "$log")"
}
planted() {
  local b s file expr at=$COSIM_OUT/planted first other status=0 n=0 found=0
  mkdir -p "$at"
  while IFS=$'\t' read -r b s file expr; do
    if [[ $b = '#'* ]] || { [ -n "$BLOCK" ] && [ "$BLOCK" != "$b" ]; }; then continue; fi
    n=$((n + 1))
    rm -rf "$at/rtl" "$at/out/obj/$b" "$at/out/obj/$b@"*
    cp -r rtl "$at/rtl"
    sed -i "$expr" "$at/$file"
    if cmp -s "$file" "$at/$file"; then first='no such text' other=''
    else first=$(faulty "$b" '') other=$(faulty "$b" "$s"); fi
    if [[ $first = "$b "*agree* && $other = [A-Z]* ]]; then found=$((found + 1)); else status=1; fi
    printf '%s: %s\n  first set: %s\n  %s: %s\n' "$b" "$expr" "$first" "$s" "$other"
  done <tests/cosim/sets_planted.tsv
  rm -rf "$at/rtl"
  echo "sets-planted: $found of $n faults agree at the first set and are found at the other one"
  return $status
}

case ${1:-} in
  planted) planted ;;
  state)
    choose_units
    find_states
    for u in "${units[@]}"; do echo "$u ${hash[$u]} ${state[$u]}"; done ;;
  run) run_units "${@:2}" ;;
  record) record ;;
  *) die "sets.sh: found '${1:-}', expected state, run, planted or record" ;;
esac
