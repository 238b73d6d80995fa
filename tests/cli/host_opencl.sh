#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The OpenCL programs of tests/host/opencl on the simulated GPU: results, JSON, which launches are timed, systems, faults, what is missing.
# needs: binary host host-programs asan:binary asan:host asan:host-programs-opencl
. "$(dirname "$0")/../lib.sh"
if ! make -s binary host host-programs-opencl >"$tmp/make" 2>&1; then
  not_ok 'the programs are built' "$(tail -n 5 "$tmp/make")"
  exit 1
fi
unset LD_LIBRARY_PATH OCL_ICD_VENDORS "${!REGTWIN_@}"
bin=$PWD/build/host-programs/opencl cl=$PWD/tests/host/opencl/hotspot.cl ptx=$PWD/traces/kernels/sgemm/sgemm.ptx
host() { "$regtwin" host "$@" </dev/null; }
arguments() {   # of a program
  case $1 in
    hotspot) echo "$cl" 50 6 ;;
    sgemm) echo "$ptx" ;;
    *) echo ;;
  esac
}
# A program: which, options of regtwin host...; in $tmp/WHICH.out, .err, .json
run() {
  # shellcheck disable=SC2046
  host --json "$tmp/$1.json" "${@:2}" -- "$bin/$1" $(arguments "$1") >"$tmp/$1.out" 2>"$tmp/$1.err"
}
# Its checks hold: name, which.
right() {
  if [ "$3" -eq 0 ] && grep -q '^right: ' "$tmp/$2.out" && ! grep -qE '^(wrong|failed): ' "$tmp/$2.out"; then ok "$1"
  else not_ok "$1" "status $3" "$(grep -A1 -E '^(wrong|failed): |checks failed' "$tmp/$2.out" | head -n 30)" "$(head -n 10 "$tmp/$2.err")"; fi
}
launches() { grep -c '^      "launch": ' "$1"; }
timed() { sed -n 's/^      "timed": \([a-z]*\),$/\1/p' "$1" | tr '\n' ' ' | sed 's/false/-/g; s/true/+/g; s/ //g'; }
total() { sed -n '/^  "totals": {/,/^  }/p' "$2" | sed -n "s/^    \"$1\": \([^ ,]*\),*\$/\1/p"; }

# Reads JSON files.
cat >"$tmp/json.c" <<'END'
#include <jansson.h>
int main(int argc, char **argv) {
  json_error_t e;
  for (int i = 1; i < argc; i++)
    if (!json_load_file(argv[i], JSON_REJECT_DUPLICATES, &e)) return fprintf(stderr, "%s:%d: %s\n", argv[i], e.line, e.text), 1;
  return 0;
}
END
gcc "$tmp/json.c" -o "$tmp/json" -ljansson

# ---- every program, twice
programs=(vecadd matmul arguments images programs transfers events errors hotspot builtins sgemm)
for p in "${programs[@]}"; do
  run "$p"
  right "$p" "$p" $?
  cp "$tmp/$p.out" "$tmp/first.out"
  cp "$tmp/$p.json" "$tmp/first.json"
  run "$p"
  same "$p: the same output again" "$tmp/first.out" "$tmp/$p.out"
  same "$p: the same results again" "$tmp/first.json" "$tmp/$p.json"
  check "$p: JSON" "$tmp/json" "$tmp/$p.json"
done
host -- "$bin/events" threads >"$tmp/events.out" 2>"$tmp/events.err"
right 'threads' events $?
has 'printf of a kernel' '^hottest: [0-9.]+ at \([0-9]+, [0-9]+\)$' "$tmp/hotspot.out"
has 'printf of all kinds' '^3  2\.50 text c ff 1099511627776$' "$tmp/builtins.out"
has 'printf of 33 numbers and a null pointer' "^many: $(seq -s ' ' 33) \(null\)\$" "$tmp/builtins.out"
has 'printf of vectors that are made of variables' '^vectors: 3,4,9,5 3\.000000,1\.500000$' "$tmp/builtins.out"
has 'printf of the words by which inline functions are found' '^define available_externally define available_externally$' "$tmp/builtins.out"
has 'printf of 126' "^many: $(seq -s ' ' 126) \(null\)\$" "$tmp/builtins.out"
equal 'each error is one line' "$(grep -vc '^regtwin: ' "$tmp/errors.err")" 0
has 'with function and code' '^regtwin: clSetKernelArg: CL_INVALID_ARG_SIZE: ' "$tmp/errors.err"

# ---- JSON
j=$tmp/vecadd.json
equal 'a record for each launch' "$(launches "$j")" 2
equal 'their kernels' "$(sed -n 's/^      "kernel": "\(.*\)",$/\1/p' "$j" | tr '\n' ' ')" 'vecadd scale '
for key in launch kernel grid block shared_dynamic timed begin_ns end_ns warp_instructions thread_instructions cycles ipc counters memory; do
  equal "json: $key in each record" "$(sed '/^  "totals"/,$d' "$j" | grep -c "^      \"$key\": ")" 2
done
sum() { sed '/^  "totals"/,$d' "$1" | sed -n "s/^      \"$2\": \([0-9]*\),\$/\1/p" | awk '{ s += $1 } END { printf "%d", s }'; }
equal 'totals: launches' "$(total launches "$j")" 2
for key in cycles warp_instructions thread_instructions; do equal "totals: $key" "$(total $key "$j")" "$(sum "$j" $key)"; done
ns=$(sed -n 's/^vecadd: \([0-9]*\) ns.*/\1/p' "$tmp/vecadd.out")
equal 'profiling is simulated time: cycles at gpu.clock_mhz' "$ns" \
  "$(awk -v c="$(sed -n 's/^      "cycles": \([0-9]*\),$/\1/p' "$j" | head -n 1)" -v m="$(sed -n 's/^  "clock_mhz": \([0-9]*\),$/\1/p' "$j")" 'BEGIN { printf "%d", c * 1000 / m }')"
cp "$j" "$tmp/keep.json"
host --json "$tmp/keep.json" --set l1.bytes=1 -- "$bin/vecadd" >/dev/null 2>&1
same 'wrong options leave the old file' "$j" "$tmp/keep.json"
host --json - -- "$bin/vecadd" >"$tmp/both" 2>/dev/null
sed '1,/ns$/d' "$tmp/both" >"$tmp/behind"
same 'standard output: behind that of the program' "$j" "$tmp/behind"
ln -sf /dev/full "$tmp/full"
host --json "$tmp/full" -- "$bin/vecadd" >"$tmp/out" 2>"$tmp/err"
equal 'a file that cannot be written: the program'"'"'s status all the same' $? 0
has 'and a line' '^regtwin: .*cannot write' "$tmp/err"

# ---- a launch has the cycles and counters of its launch file, with as many registers as the code needs
mkdir "$tmp/sgemm"
cp "$ptx" "$tmp/sgemm"
small_launch sgemm | sed 's/ regs 44//; /expect/d' >"$tmp/sgemm/sgemm.launch"
"$regtwin" run "$tmp/sgemm/sgemm.launch" --size small --per-launch --json "$tmp/run.json" >/dev/null
part() { sed -n "/^  \"$1\": \[/,\$p" "$3" | sed -n "/^      \"$2\": {/,/^      }/p" | sed 's/,$//'; }
for what in counters memory; do
  part per_launch $what "$tmp/run.json" >"$tmp/a"
  part launches $what "$tmp/sgemm.json" >"$tmp/b"
  same "sgemm: $what as of its launch file" "$tmp/a" "$tmp/b"
done
equal 'sgemm: cycles' "$(total cycles "$tmp/sgemm.json")" "$(get cycles "$tmp/run.json")"
equal 'sgemm: the same work' "$(total stream_hash "$tmp/sgemm.json")" "$(get stream_hash "$tmp/run.json")"
for s in 'FineReg' 'LB --config gtx980' 'LTRF --config maxwell' 'baseline --sms 4'; do
  # shellcheck disable=SC2086
  "$regtwin" run "$tmp/sgemm/sgemm.launch" --size small --per-launch --json "$tmp/run.json" --system $s >/dev/null
  # shellcheck disable=SC2086
  run sgemm --system $s
  right "sgemm on $s" sgemm $?
  part per_launch counters "$tmp/run.json" >"$tmp/a"
  part launches counters "$tmp/sgemm.json" >"$tmp/b"
  same "sgemm on $s: as its launch file" "$tmp/a" "$tmp/b"
done

# ---- which launches are timed: of hotspot 4 sources, 6 heat, hottest, report
how() { run hotspot --time "$1" && timed "$tmp/hotspot.json"; }
equal 'time: all' "$(how all)" ++++++++++++
equal 'time: none' "$(how none)" ------------
equal 'no cycles then' "$(sed -n 's/^      "cycles": \(.*\),$/\1/p' "$tmp/hotspot.json" | sort -u)" null
has 'nor simulated time' '^steps: 0 ns$' "$tmp/hotspot.out"
equal 'instructions are counted' "$(sum "$tmp/hotspot.json" warp_instructions)" "$(run hotspot && sum "$tmp/hotspot.json" warp_instructions)"
equal 'time: a kernel' "$(how heat)" ----++++++--
equal 'time: launches' "$(how 3-5)" ---+++------
equal 'time: one, and from one on' "$(how 1,10-)" -+--------++
equal 'time: a kernel and launches' "$(how report,0-1)" ++---------+
how nobody >/dev/null
right 'time: a kernel that does not come' hotspot $?
has 'is a warning' "warning: of kernel 'nobody', which was to be timed, there was no launch" "$tmp/hotspot.err"

# ---- systems
for s in 'FineReg --config gtx980' 'LB' 'VT' 'LTRF' 'Malekeh' 'SL-Full-P --config gtx480' 'slices-identity' 'baseline --sms all' 'null --set sim.null_hooks=true' 'baseline --set sim.check=true'; do
  for p in matmul hotspot; do
    # shellcheck disable=SC2086
    run $p --system $s
    right "$p on $s" $p $?
  done
done
run hotspot --system SL-Full-P --config gtx480
equal 'narrow code: one note for the session' "$(grep -c 'narrow' "$tmp/hotspot.err")" 1
run hotspot --set sim.stop_cycles=3000
equal 'sim.stop_cycles: the program fails' $? 3
has 'the launch says so' '^      "stopped": true,$' "$tmp/hotspot.json"

# ---- faults
fault() {   # which, options...
  host --json "$tmp/fault.json" "${@:2}" -- "$bin/errors" "$1" >"$tmp/fault.out" 2>"$tmp/fault.err"
  status=$?
}
for f in outside null trap forever; do
  fault $f --set sim.max_insns=100000
  equal "fault: $f: the program's own status" $status 3
  has "fault: $f: the launch or its event says so" '^a fault: the launch is (refused|accepted)' "$tmp/fault.out"
  has "fault: $f: what comes after" '^reading afterwards: possible; another launch: an error$' "$tmp/fault.out"
  has "fault: $f: the results are written" '^      "failed": ".+",$' "$tmp/fault.json"
  has "fault: $f: a line with the kernel" "^regtwin: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES: .*$f" "$tmp/fault.err"
done
fault outside --bounds lenient
equal 'lenient: no fault' $status 0
has 'lenient: nor for the program' '^no fault$' "$tmp/fault.out"
equal 'lenient: one warning' "$(grep -c '^regtwin: warning: ' "$tmp/fault.err")" 1
fault null --bounds lenient
equal 'lenient: address 0 is a fault all the same' $status 3

# ---- what is missing or wrong
REGTWIN_CLANG=/nonexistent host -- "$bin/vecadd" >"$tmp/out" 2>"$tmp/err"
equal 'no compiler: the program ends' $? 3
has 'no compiler: with the status of the standard' "status -3" "$tmp/out"
has 'no compiler: a line with what helps' "^regtwin: .*'/nonexistent'.*clang-14" "$tmp/err"
equal 'no compiler: one line' "$(wc -l <"$tmp/err")" 1
REGTWIN_CLANG=/nonexistent run sgemm
right 'no compiler: a binary needs none' sgemm $?
vendors=$PWD/build/host
for v in CONFIG=gtx1 SYSTEM=nobody SET=l1.bites=1 SET=l1.bytes=1 TIME=3--5 BOUNDS=x JSON=/no/such/file.json; do
  env "REGTWIN_$v" OCL_ICD_VENDORS="$vendors" "$bin/vecadd" >"$tmp/out" 2>"$tmp/err"
  equal "without regtwin host, REGTWIN_$v: the program ends" $? 3
  equal "REGTWIN_$v: one line" "$(grep -c '^regtwin: ' "$tmp/err") $(wc -l <"$tmp/err")" '1 1'
  has "REGTWIN_$v: which names it" "REGTWIN_${v%%=*}|l1.bytes 1" "$tmp/err"
done
OCL_ICD_VENDORS="$vendors" REGTWIN_SYSTEM=FineReg REGTWIN_JSON="$tmp/x.json" "$bin/vecadd" >/dev/null 2>"$tmp/err"
equal 'variables alone will do' $? 0
has 'they have the same effect' '^  "system": "FineReg",$' "$tmp/x.json"
if command -v clinfo >/dev/null; then
  host clinfo >"$tmp/clinfo" 2>"$tmp/err"
  equal 'clinfo' $? 0
  has 'clinfo: the platform' 'Platform Name +RegTwin' "$tmp/clinfo"
  has 'clinfo: images' 'Image support +Yes' "$tmp/clinfo"
fi

# ---- the first example of docs/use/host.md
mkdir "$tmp/page"
ln -s "$PWD/tests" "$tmp/page/tests"
# shellcheck disable=SC2016
sed -n '/^```sh$/,/^```$/{/^```/!p;/^```$/q}' docs/use/host.md >"$tmp/page/example.sh"
check 'the first example of docs/use/host.md' env -C "$tmp/page" PATH="$PWD/build:$PATH" bash -euo pipefail example.sh
has 'its results' '"system": "FineReg"' "$tmp/page/out.json"

# ---- with sanitizers
if make -s VARIANT=asan binary host host-programs-opencl >"$tmp/make" 2>&1; then
  export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
  for p in "${programs[@]}"; do
    # shellcheck disable=SC2046
    build/asan/regtwin host --json "$tmp/$p.json" -- "build/asan/host-programs/opencl/$p" $(arguments "$p") >"$tmp/$p.out" 2>"$tmp/$p.err"
    right "$p with sanitizers" "$p" $?
    hasnt "$p: they found nothing" 'Sanitizer|runtime error' "$tmp/$p.err"
  done
  for f in outside null trap forever; do
    build/asan/regtwin host --set sim.max_insns=100000 -- build/asan/host-programs/opencl/errors $f >"$tmp/out" 2>"$tmp/err"
    equal "fault with sanitizers: $f" $? 3
    hasnt "$f: they found nothing" 'Sanitizer|runtime error' "$tmp/err"
  done
else not_ok 'the build with sanitizers' "$(tail -n 5 "$tmp/make")"; fi
