#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make synth-energy: energy of the mapped logic of blocks, from the transitions in their own runs (synth/energy.c). Called by make, which
# has made the netlists; with the variables of COSIM_ENV, NETLISTS, LIBERTY.
# usage: synth/energy.sh table | record     record: the rows of these blocks in cosim/records/energy.tsv are replaced
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
RTL=$COSIM_RTL
. synth/hash.sh
blocks=()
events=${EVENTS:-synth/events.tsv} streams=${STREAMS:-traces/streams} recorded=${ENERGY_TSV:-cosim/records/energy.tsv}
[[ ${JOBS:-1} =~ ^[1-9][0-9]*$ ]] || die "JOBS=$JOBS: expected a number from 1 on"
choose_blocks
without_pairs
targets=() n=0
for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/energy"); done
build "${BLOCK:-all}" "${targets[@]}" || exit 2

# shellcheck disable=SC2317
one() {   # number, block or block@set
  local b=$2 dir=$NETLISTS/$2 begun=$SECONDS key args=() recorded_at=$streams/$2
  # streams are those of a block's first set; of another one they lie in a folder of its name, where there are some
  [ "$b" = "${b%@*}" ] || recorded_at=$streams/${b%/*}/${b#*@}/$(basename "${b%@*}")
  args+=(--streams "$recorded_at" --cycles "${CYCLES:-20000}" --slew "${SLEW:-0.18}")
  key=$({ echo "${args[*]}"; grep "^${b%@*}"$'\t' "$events"; cat "$COSIM_OUT/obj/$b/energy" "$dir/netlist.v" "$LIBERTY" "$recorded_at"-*.stim 2>/dev/null; } |
    sha256sum | cut -d ' ' -f 1)
  if [ "$(cat "$dir/energy.key" 2>/dev/null)" = "$key" ] && [ -f "$dir/energy.tsv" ]; then
    echo "[$1/$total] $b: kept from the last call" >&2
    return 0
  fi
  rm -f "$dir/energy.key" "$dir/energy.tsv"
  . cmodel/make/progress.sh
  [ -t 2 ] || echo "[$1/$total] $b: its netlist is simulated ..." >&2
  doing "[$1/$total] $b: its netlist is simulated"
  "$COSIM_OUT/obj/$b/energy" --liberty "$LIBERTY" --netlist "$dir/netlist.v" --name "$b" --events "$events" --out "$dir/energy.tsv" "${args[@]}" || { doing ''; return 2; }
  doing ''
  echo "$key" >"$dir/energy.key"
  echo "[$1/$total] $b: $((SECONDS - begun)) s" >&2
}
export -f one
export events streams NETLISTS LIBERTY COSIM_OUT total=${#blocks[@]}
status=0
for b in "${blocks[@]}"; do echo "$((++n)) $b"; done | xargs -P "${JOBS:-1}" -L 1 bash -c 'one "$@"' one || status=2
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
for b in "${blocks[@]}"; do [ ! -f "$NETLISTS/$b/energy.tsv" ] || grep -v '^#' "$NETLISTS/$b/energy.tsv"; done >"$tmp/rows"
wide=$(awk -F '\t' 'BEGIN { w = 20 } length($1) > w { w = length($1) } END { print w }' "$tmp/rows")   # of the column of names
awk -F '\t' -v name="%-${wide}s" '{ if (NR == 1) printf name " %-8s %8s %14s  %-15s %8s %13s %12s\n", "block", "run", "cycles", "clock, pJ", "event", "events", "pJ per event", "leakage, nW"
  printf name " %-8s %8d %14s  %-15s %8d %13s %12s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$tmp/rows"
if [ "$1" = record ]; then
  [ $status -eq 0 ] || die "$recorded is unchanged: some block has no energy"
  { echo '# Energy of each block when it was last recorded (make synth-energy-record): name, run, cycles, clock pJ per cycle, event, events, pJ per event,'
    echo '# leakage nW, library, hash of its Verilog. Run: the random episodes of the bench, or the streams that kernels left.'
    { while IFS=$'\t' read -r name rest; do
        printf '%s\t%s\t%s\n' "$name" "$rest" "$(verilog_hash "${name%@*}")"
      done < <(awk -F '\t' '$7 != "-"' "$tmp/rows")   # a run without an event has no energy of one
      [ ! -f "$recorded" ] || awk -F '\t' 'FNR == NR { new[$1, $9] = 1; next } !/^#/ && !(($1, $9) in new)' "$tmp/rows" "$recorded"; } | sort; } >"$tmp/recorded"
  mv "$tmp/recorded" "$recorded" || exit 2
fi
exit $status
