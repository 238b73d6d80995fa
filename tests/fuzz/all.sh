#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make fuzz: tests/fuzz/all.sh [PART...], of damage, config, interrupt, readers; all of them without arguments. What each found is in
# build/logs/fuzz-PART and, for damage, build/fuzz/failed; a line for each part in the end. Exit status 1 if one of them failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- damage config interrupt readers
seed=${FUZZ_SEED:-1} seconds=${FUZZ_SECONDS:-600} inputs=${FUZZ_INPUTS:-7300} configs=${FUZZ_CONFIGS:-1000}
mkdir -p build/logs
jobs=$(nproc)

echo 'fuzz: building (seconds where it was built before)'
make --no-print-directory -s -j"$jobs" binary lib campaigns >/dev/null || exit 1
for part; do
  case $part in
    damage) make --no-print-directory -s -j"$jobs" VARIANT=asan binary >/dev/null && make --no-print-directory -s -j"$jobs" cosim-built >/dev/null ;;
    readers) make --no-print-directory -s -j"$jobs" VARIANT=fuzz fuzz-binaries >/dev/null ;;
  esac || exit 1
done

status=0 summary=()
for part; do
  case $part in
    damage) command=(build/campaign/damage --inputs "$inputs" --seed "$seed") ;;
    config) command=(build/campaign/config_sweep --runs "$configs" --seed "$seed" --seconds "$seconds") ;;
    interrupt) command=(tests/fuzz/interrupt.sh 12) ;;
    readers) command=(tests/fuzz.sh "$seconds") ;;
    *) echo "fuzz: found '$part', expected damage, config, interrupt or readers"; exit 2 ;;
  esac
  echo "== $part"
  if "${command[@]}" 2>&1 | tee "build/logs/fuzz-$part"; then how=passed; else how=FAILED status=1; fi
  case $part in
    readers) said="$(grep -c '^ok ' "build/logs/fuzz-$part") of $(grep -cE '^(not )?ok ' "build/logs/fuzz-$part") readers, $(
      sed -n 's/^ok - fuzz [a-z]*: \([0-9]*\) inputs.*/\1/p' "build/logs/fuzz-$part" | awk "{ n += \$1 } END { print n + 0 }") inputs" ;;
    *) said=$(tail -n 1 "build/logs/fuzz-$part") ;;
  esac
  summary+=("$how  $part: ${said#\# }")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
