#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make coverage [BLOCK=] [CYCLES=]: the bench of each block on a build with coverage counters. Text here, lcov's info and HTML
# below build/coverage/. Fails below bins 100 %, line 100 %, toggle 95 % (waivers with reasons: tb/SYSTEM/BLOCK.waive).
cd "$(dirname "$0")/../.." || exit 2
. cosim/lib.sh
blocks=()
tools "$VERILATOR" "$YOSYS" genhtml
choose_blocks
[ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
out=${COVERAGE_OUT:-build/coverage}
mkdir -p "$out"
touch "$out/results.tsv"
targets=("$COSIM_OUT/obj/covreport")
for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/cov/run"); done
build "cov-${BLOCK:-all}" "${targets[@]}" || exit 2

cover() {   # block: its table line into $out/NAME.txt, its row into $out/NAME.tsv
  local b=$1 name=${1//\//-} seed data=() line toggle lh la th ta waived bins status=ok
  # two seeds, merged: each covers points that the other misses
  for seed in 1 2; do
    "$COSIM_OUT/obj/$b/cov/run" --block "$b" --seed "$seed" ${CYCLES:+--cycles "$CYCLES"} --wave-dir "$out" \
      --regress "$COSIM_TB/${b%/*}/regress" --coverage "$out/$name-$seed.dat" >"$out/$name.log" 2>&1 ||
      { cat "$out/$name.log"; return 1; }
    data+=("$out/$name-$seed.dat")
    [ "$seed" = 1 ] && bins=$(grep -o 'bins [0-9/]*' "$out/$name.log" | cut -d' ' -f2)
  done
  verilator_coverage --write "$out/$name.dat" "${data[@]}" >/dev/null 2>&1 || { echo "$b: cannot merge"; return 2; }
  rm -f "${data[@]}"
  read -r line toggle lh la th ta waived < <("$COSIM_OUT/obj/covreport" "$out/$name.dat" "$COSIM_TB/$b.waive" \
    "$out/$name.info" "$out/$name.uncovered" 2>"$out/$name.err" && :) 
  [ -s "$out/$name.err" ] && { cat "$out/$name.err"; status=waiver; }
  awk -v l="$lh" -v a="$la" -v t="$toggle" -v b="$bins" 'BEGIN { split(b, x, "/"); exit !(l == a && t >= 95 && x[1] == x[2]) }' || status=LOW
  printf '%-12s %9s %6s%% %10s %6s%% %14s %7s  %s\n' "$b" "$bins" "$line" "$lh/$la" "$toggle" "$th/$ta" "$waived" "$status"
  if [ "$status" != ok ]; then
    head -n 8 "$out/$name.uncovered" | sed 's/^/    uncovered: /'
    [ "$(wc -l <"$out/$name.uncovered")" -le 8 ] || echo "    ... all: $out/$name.uncovered"
  fi
  printf '%s\t%s\t%s\t%s\n' "$b" "$(hash_of "$b" coverage)" "$line" "$toggle" >"$out/$name.new" && mv "$out/$name.new" "$out/$name.tsv"
  [ "$status" = ok ]
}

printf '%-12s %9s %7s %10s %7s %14s %7s\n' block bins line lines toggle bits waived
status=0 running=0
for b in "${blocks[@]}"; do
  if [ $running -ge "${JOBS:-2}" ]; then wait -n || status=1; running=$((running - 1)); fi
  { cover "$b" >"$out/${b//\//-}.txt"; s=$?; cat "$out/${b//\//-}.txt"; exit $s; } &
  running=$((running + 1))
done
while [ $running -gt 0 ]; do wait -n || status=1; running=$((running - 1)); done
{ cat "$out"/*-*.tsv 2>/dev/null | sort -u >"$out/results.new" && mv "$out/results.new" "$out/results.tsv"; } || status=2
# a block of assignments alone (malekeh/wfil) has no line to count, which genhtml refuses
mapfile -t infos < <(grep -l '^DA:' "$out"/*.info)
genhtml --quiet --output-directory "$out/html" "${infos[@]}" >"$out/genhtml.log" 2>&1 || { tail -n 3 "$out/genhtml.log" >&2; status=2; }
echo "lcov: $out/*.info   HTML: $out/html/index.html"
exit $status
