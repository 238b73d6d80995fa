#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every test. Builds what they need, runs some at a time, prints a line for each and the whole output of those that fail, and ends with
# "N passed, N failed, N skipped" (counted from their ok / not ok lines); exit status 1 if any failed.
#   tests/run.sh [WORD...]        all jobs, or those whose names contain one of the words (unit/exec cli/bad): builds only what these need
#   tests/run.sh --check          the short tier (make check)
#   tests/run.sh [--check] --list [WORD...]   the jobs: name, what is built for it, recorded seconds of a processor
#   tests/run.sh --record-times [WORD...]     their times go into tests/times.tsv, of all jobs in place of what it has; builds only of all jobs
# A test script says in a line "# needs: TARGET..." which make targets it uses (default: binary); VARIANT:TARGET is one of another variant.
# FRESH=1 takes no result from tests/records.tsv or build/cache (tests/kept.sh). The tests see a PATH of their own (tests/path.sh).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
. cmodel/make/progress.sh
. tests/kept.sh
workers=$(($(nproc) + 1)) # some wait for a disk, a timer or a job of Slurm
logs=build/logs
fuzz_seconds=${TEST_FUZZ_SECONDS:-3}
job_seconds=${TEST_JOB_SECONDS:-1800}   # after which a job is ended
start=$SECONDS

check='' list='' record='' only=()
for word in "$@"; do
  case $word in
    --check) check=1 ;;
    --list) list=1 ;;
    --record-times) record=1 ;;
    -*) echo "tests/run.sh: found $word, expected --check, --list, --record-times or words of job names" >&2; exit 2 ;;
    *) only+=("$word") ;;
  esac
done
full=
if [ ${#only[@]} -eq 0 ] && [ -z "$check" ]; then full=1; fi

# ---- the jobs
names=() commands=()
declare -A needs=() recorded=()
recorded_sum=0
while IFS=$'\t' read -r name seconds; do
  case $name in '#'* | '') continue ;; esac
  recorded[$name]=$seconds
done < <(cat tests/times.tsv 2>/dev/null)
recorded_sum=$(awk -F '\t' '!/^#/ { s += $2 } END { printf "%.1f", s + 0.01 }' tests/times.tsv 2>/dev/null || echo 0.01)

job() {   # name, targets, command
  local name=$1 o hit=''
  if [ -n "$check" ]; then quick "$name" || return 0; fi
  if [ ${#only[@]} -gt 0 ]; then
    for o in "${only[@]}"; do [[ $name != *"$o"* ]] || hit=1; done
    [ -n "$hit" ] || return 0
  fi
  names+=("$name")
  needs[$name]=$2
  commands+=("$3")
}
# The short tier: gates without clang-tidy, pages, unit tests of at most three seconds, blocks whose lockstep is not kept.
quick() {
  case $1 in
    gate/format | gate/layers | gate/names | cli/citations | cosim/lockstep) return 0 ;;
    unit/*) awk -v s="${recorded[$1]:-0}" 'BEGIN { exit s > 3 }' ;;
    *) return 1 ;;
  esac
}
needs_of() { sed -n 's/^# needs: //p' "$1" | head -n 1 | grep . || echo binary; }

shopt -s nullglob
job gate/format none 'make -s format-check'
job gate/layers none tests/layers.sh
job gate/names none tests/names.sh
job gate/lint none 'make -s lint'
job gate/lint_rtl none 'make -s lint-rtl'
for f in tests/cosim/*.sh tests/cli/*.sh; do
  name=${f#tests/}
  job "${name%.sh}" "$(needs_of "$f")" "$f"
done
job fuzz/interrupt binary 'tests/fuzz/interrupt.sh 1'
job fuzz/damage 'binary asan:binary campaigns' 'build/campaign/damage --inputs 300 --jobs 1'
job fuzz/config_sweep 'binary campaigns' 'build/campaign/config_sweep --runs 90 --jobs 1'
for f in tests/unit/*_test.c; do
  t=$(basename "$f" .c)
  case $t in cudart_old_test) host=host ;; *) host='' ;; esac   # it opens the libraries itself
  job "asan/${t%_test}" "asan:build/asan/test/$t${host:+ asan:$host}" "build/asan/test/$t"
  job "unit/${t%_test}" "build/test/$t${host:+ $host}" "build/test/$t"
done
for f in tests/fuzz/*_fuzz.c; do
  t=$(basename "$f" _fuzz.c)
  job "fuzz/$t" "asan:build/asan/fuzzers/$t" "env FUZZERS=build/asan/fuzzers tests/fuzz.sh $fuzz_seconds $t"
done
job kernels/ptx 'build/kernels_check' 'make -s kernels-check'
shopt -u nullglob

if [ -n "$list" ]; then
  for i in "${!names[@]}"; do printf '%-28s %-50s %8s\n' "${names[i]}" "${needs[${names[i]}]}" "${recorded[${names[i]}]:--}"; done
  exit
fi
if [ ${#names[@]} -eq 0 ]; then
  echo "tests/run.sh: found no job whose name contains ${only[*]}; tests/run.sh --list shows all" >&2
  exit 2
fi
# Two runs in one tree would remove each other's logs and programs. The jobs do not inherit the lock.
mkdir -p build
exec 9>build/tests.lock
flock -n 9 || { echo 'tests/run.sh: found another one running in this tree, expected to be the only one' >&2; exit 2; }
# Those that take long come first, so that the processors end together; one without a record before all others.
mapfile -t order < <(for i in "${!names[@]}"; do printf '%s %s\n' "${recorded[${names[i]}]:-9999}" "$i"; done | sort -k1,1nr -k2,2n | cut -d ' ' -f 2)

# ---- the programs that tests may call
tests/path.sh build/path ${CC:+${CC%% *}} ${CXX:+${CXX%% *}} ${CLANG:+${CLANG%% *}} ${VERILATOR:+${VERILATOR%% *}} ${YOSYS:+${YOSYS%% *}}
case $? in
  0) export PATH="$PWD/build/path" ;;
  3) ;;
  *) echo '0 passed, 1 failed, 0 skipped'; exit 1 ;;
esac

rm -rf "$logs"
mkdir -p "$logs/running" "$cache"
if [ -n "$full" ]; then rm -f "$cache/used" "$cache/complete"; fi

# ---- build
# Adds a job's processor time, that of this shell's children since `spent` was last set, to the list for tests/times.tsv and the summary.
spent=0
took() {   # job
  local now clock=$logs/clock.$BASHPID
  times >"$clock"   # not in a $(...), which has no children
  now=$(awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, t, /[ms]/); s += 60 * t[1] + t[2] } printf "%.1f", s }' "$clock")
  rm "$clock"
  awk -v job="$1" -v a="$spent" -v b="$now" 'BEGIN { printf "%s\t%.1f\n", job, b - a }' >>"$logs/times"
  spent=$now
}
beside() {   # job: what is recorded of its time
  [ -z "${recorded[$1]-}" ] || awk -v a="${recorded[$1]}" -v s="$recorded_sum" 'BEGIN { printf "  (recorded %.1f s, %.1f %%)", a, 100 * a / s }'
}
build() {   # name, make arguments...: the log is shown when it fails
  local name=$1 from=$SECONDS log=$logs/build-$1
  shift
  make --no-print-directory -j"$workers" "$@" 2>&1 9>&- | tee "$log" | progress "build $name"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    echo "build $name: FAILED"
    grep -v '^  [A-Z][A-Z]* ' "$log" | tail -n 40
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
  fi
  took "build/$name"
  printf 'build %-22s %4d s%s\n' "$name" $((SECONDS - from)) "$(beside "build/$name")"
}
declare -A targets=()
for name in "${names[@]}"; do
  for t in ${needs[$name]}; do
    case $t in
      none) ;;
      *:*) targets[${t%%:*}]+=" ${t#*:}" ;;
      cosim-*) targets[twins]+=" $t" ;;   # these run make themselves: after what both would build
      *) targets[plain]+=" $t" ;;
    esac
  done
done
mapfile -t other < <(printf '%s\n' "${!targets[@]}" | grep -vxE 'plain|twins|' | sort)
for variant in plain twins "${other[@]}"; do
  [ -n "${targets[$variant]-}" ] || continue
  case $variant in plain | twins) named='' ;; *) named=$variant ;; esac
  mapfile -t list < <(tr ' ' '\n' <<<"${targets[$variant]}" | grep . | sort -u)
  build "$variant" VARIANT="$named" "${list[@]}"
done

# ---- run
: >"$logs/built"
speak() { printf '%s\n' "$1"; : >"$logs/spoke"; }
run_job() {   # index
  local name=${names[$1]} log=$logs/${names[$1]//\//-} from=$SECONDS status=0 passed failed skipped kept_n said child
  echo "$name" >"$logs/running/$1"
  spent=0
  # timeout passes the signal on to all processes of the job.
  trap 'kill "$child" && wait "$child"; exit 143' TERM
  # shellcheck disable=SC2086
  timeout -k 20 "$job_seconds" ${commands[$1]} >"$log" 2>&1 9>&- &
  child=$!
  wait $child || status=$?
  trap - TERM
  rm -f "$logs/running/$1"
  sed -i -E 's/^not (ok .*# skip)/\1/I' "$log"   # cmocka
  # A gate or a campaign counts by its exit status; a test that says nothing, or less than its plan (1..N), has ended early.
  if ! grep -qE '^(not )?ok ' "$log"; then
    if [ $status -eq 0 ]; then
      case $name in
        cli/* | cosim/* | unit/* | asan/*) echo "not ok - $name: exit status 0, but no result" >>"$log" ;;
        *) echo "ok - $name" >>"$log" ;;
      esac
    fi
  elif ! said=$(awk '/^1\.\.[0-9]+$/ { plan += substr($0, 4) } /^(not )?ok / { n++ }
      END { if (plan && plan != n) { printf "%d results, expected %d", n, plan; exit 1 } }' "$log"); then
    echo "not ok - $name: exit status $status, $said" >>"$log"
  fi
  if [ $status -ne 0 ] && ! grep -q '^not ok ' "$log"; then
    printf 'not ok - %s: exit status %d\n' "$name" $status >>"$log"
  fi
  skipped=$(grep -ciE '^ok .*# skip' "$log")
  passed=$(($(grep -c '^ok ' "$log") - skipped))
  failed=$(grep -c '^not ok ' "$log")
  kept_n=$(grep -cE '^ok .* \(kept\)$' "$log")
  echo "$passed $failed $skipped $kept_n" >"$log.count"
  took "$name"
  speak "$(printf '%-28s %4d ok %2d failed %2d skipped %4d s%s' "$name" "$passed" "$failed" "$skipped" $((SECONDS - from)) "$(beside "$name")")"
}
heartbeat() {   # every 30 s in which nothing was said, what is running; reads from a pipe that nobody writes, since a sleep would outlive it
  exec 8<> <(:) 9>&-
  until read -r -t 30 -u 8 _; do
    [ $(($(date +%s) - $(stat -c %Y "$logs/spoke"))) -lt 30 ] ||
      speak "... $(find "$logs" -name '*.count' | wc -l) of ${#names[@]} jobs done; running: $(cat "$logs"/running/* 2>/dev/null | xargs)"
  done
}
: >"$logs/spoke"
heartbeat &
beat=$!
trap 'kill $(jobs -p) 2>&-; wait' EXIT
trap 'exit 130' INT TERM

running=0 pids=()
for i in "${order[@]}"; do
  if [ $running -ge "$workers" ]; then wait -n; running=$((running - 1)); fi
  run_job "$i" &
  pids+=($!)
  running=$((running + 1))
done
wait "${pids[@]}"
kill $beat
# Make finds its sources by looking: a file that a test puts beside them, though it removes it again, comes and goes under the build of another one.
written=$(find cmodel/blocks rtl tb synth/formal traces/streams -type d -newer "$logs/built" 2>/dev/null)

# ---- results
passed=0 failed=0 skipped=0 from_records=0 gates_skipped=0
for name in "${names[@]}"; do
  log=$logs/${name//\//-}
  if ! read -r p f s k <"$log.count" || [ $((p + f + s)) -eq 0 ]; then
    p=0 f=1 s=0 k=0
    echo "not ok - $name: found no result in $log" >>"$log"
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) from_records=$((from_records + k))
  case $name in gate/*) gates_skipped=$((gates_skipped + s)) ;; esac
  if [ "$f" -gt 0 ]; then
    echo "---- $name"
    grep -vE '^(ok |1\.\.|#)' "$log" | head -n 60
  fi
done
if [ -n "$written" ]; then
  echo '---- written to while the tests ran, by a test (which writes below build/) or an editor:'
  sed 's/^/not ok - /' <<<"$written"
  failed=$((failed + 1))
fi
if [ $skipped -gt 0 ]; then
  echo '---- skipped'
  for name in "${names[@]}"; do grep -iE '^ok .*# skip' "$logs/${name//\//-}" | sed -E "s,^ok [0-9]* *-? *,  $name: ,"; done
fi
# Where the time went, beside the recorded shares; the recorded times are of another machine, so only shares compare.
shares() {
  awk -F '\t' 'NR == FNR { if (!/^#/) { was[$1] = $2; all_was += $2 } next } { is[$1] = $2; all += $2 }
    END { for (j in is) printf "%.1f\t%s\t%.1f\t%s\n", is[j], j, 100 * is[j] / all, (j in was) ? sprintf("%.1f", 100 * was[j] / all_was) : "-" }' \
    tests/times.tsv "$logs/times" | sort -k1,1nr
}
if [ -n "$full" ] && [ -f tests/times.tsv ]; then
  echo '---- the longest jobs: seconds of a processor, share, recorded share (%)'
  shares | head -n 12 | awk -F '\t' '{ printf "  %-28s %7.1f %5.1f %5s\n", $2, $1, $3, $4 }'
fi
# A gate that was skipped asked for none of its kept results, which are not to be dropped from the records.
if [ -n "$full" ] && [ $failed -eq 0 ] && [ $gates_skipped -eq 0 ]; then : >"$cache/complete"; fi
if [ -n "$record" ] && [ $failed -eq 0 ]; then
  was=tests/times.tsv
  if [ -n "$full" ] || [ ! -f $was ]; then was=/dev/null; fi
  [ -n "$full" ] || sed -i '\|^build/|d' "$logs/times"   # what some jobs need is not what all need
  { printf '# Seconds of a processor that each job of make test takes (tests/run.sh --record-times); the order of the jobs, and what they are compared with\n'
    awk -F '\t' '/^#/ { next } { line[$1] = $0 } END { for (j in line) print line[j] }' $was "$logs/times" | sort; } >tests/times.tsv.new &&
    mv tests/times.tsv.new tests/times.tsv
fi
[ $from_records -eq 0 ] || echo "$from_records of these results are kept from the same files (tests/records.tsv, build/cache); make test FRESH=1 takes none"
echo "in $((SECONDS - start)) s; logs in $logs"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
