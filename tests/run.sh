#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every test. Builds what they need, runs them some at a time, prints a line for each and the whole output of those that
# fail, and ends with "N passed, N failed" (counted from their ok / not ok lines); exit status 1 if any failed.
# With arguments: only the jobs whose name contains one of them (tests/run.sh unit/exec cli/bad).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
jobs=$(($(nproc) + 1)) # some wait for a disk, a timer or a job of Slurm
logs=build/logs
fuzz_seconds=${TEST_FUZZ_SECONDS:-4}
rm -rf "$logs"
mkdir -p "$logs"
start=$SECONDS

build() {   # name, make arguments...: the log is shown when it fails
  local name=$1
  shift
  printf 'build %-12s' "$name"
  local from=$SECONDS
  if make --no-print-directory -j"$jobs" "$@" >"$logs/build-$name" 2>&1; then
    echo " $((SECONDS - from)) s"
  else
    echo ' FAILED'
    grep -v '^  [A-Z][A-Z] ' "$logs/build-$name" | tail -n 40
    echo '0 passed, 1 failed'
    exit 1
  fi
}

# Those that take long come first, so that the processors end together.
names=() commands=()
job() {
  local name=$1
  shift
  if [ ${#only[@]} -gt 0 ]; then
    local o hit=
    for o in "${only[@]}"; do [[ $name == *"$o"* ]] && hit=1; done
    [ -n "$hit" ] || return 0
  fi
  names+=("$name")
  commands+=("$*")
}

only=("$@")
build gcc-O3 binary lib host unit-binaries campaigns host-programs
build gcc-O0 VARIANT=o0 binary
build clang-O3 VARIANT=clang binary
build asan VARIANT=asan binary lib host unit-binaries host-programs
build fuzz VARIANT=fuzz fuzz-binaries
build twins cosim-built

for f in tests/cosim/*.sh; do job "cosim/$(basename "$f" .sh)" "$f"; done
job fuzz/interrupt 'tests/fuzz/interrupt.sh 1'
job fuzz/damage 'build/campaign/damage --inputs 400 --jobs 1'
job fuzz/config_sweep 'build/campaign/config_sweep --runs 110 --jobs 1'
for f in tests/cli/*.sh; do job "cli/$(basename "$f" .sh)" "$f"; done
for f in tests/unit/*_test.c; do
  t=$(basename "$f" .c)
  job "asan/${t%_test}" "build/asan/test/$t"
  job "unit/${t%_test}" "build/test/$t"
done
for f in tests/fuzz/*_fuzz.c; do
  t=$(basename "$f" _fuzz.c)
  job "fuzz/$t" "tests/fuzz.sh $fuzz_seconds $t"
done
job kernels/ptx 'make -s kernels-check'

run_job() {   # index
  local log=$logs/${names[$1]//\//-} from=$SECONDS status=0
  # shellcheck disable=SC2086
  timeout 1800 ${commands[$1]} >"$log" 2>&1 || status=$?
  # A test without ok lines counts by its exit status; one that ends early with an error is an additional failure.
  if ! grep -qE '^(not )?ok ' "$log"; then
    if [ $status -eq 0 ]; then echo "ok - ${names[$1]}" >>"$log"; fi
  fi
  if [ $status -ne 0 ] && ! grep -q '^not ok ' "$log"; then
    printf 'not ok - %s: exit status %d\n' "${names[$1]}" $status >>"$log"
  fi
  local passed failed
  passed=$(grep -c '^ok ' "$log")
  failed=$(grep -c '^not ok ' "$log")
  echo "$passed $failed" >"$log.count"
  printf '%-24s %4d ok %4d failed %4d s\n' "${names[$1]}" "$passed" "$failed" $((SECONDS - from))
}

running=0
for i in "${!names[@]}"; do
  if [ $running -ge "$jobs" ]; then wait -n; running=$((running - 1)); fi
  run_job "$i" &
  running=$((running + 1))
done
wait

passed=0 failed=0
for name in "${names[@]}"; do
  log=$logs/${name//\//-}
  read -r p f <"$log.count" || { p=0; f=1; }
  passed=$((passed + p))
  failed=$((failed + f))
  if [ "$f" -gt 0 ]; then
    echo "---- $name"
    grep -vE '^(ok |1\.\.|#)' "$log" | head -n 60
  fi
done
echo "in $((SECONDS - start)) s; logs in $logs"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
