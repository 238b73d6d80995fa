#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Results of host programs (regtwin host --json), whichever way a program ends, and when several programs, ranks, forks or interfaces write them:
# each has a file, and no file is lost.
# needs: binary host host-programs
# shellcheck disable=SC2016 # shells that are started here expand "$0"
. "$(dirname "$0")/../lib.sh"
check 'the programs are built' make -s binary host host-programs
unset LD_LIBRARY_PATH OCL_ICD_VENDORS "${!REGTWIN_@}" "${!OMPI_@}" "${!PMI@}" "${!SLURM_@}"
bin=$PWD/build/host-programs/opencl plugin=$PWD/build/host-programs/plugin.so
ends=$bin/ends
mkdir "$tmp/r"
host() { "$regtwin" host --json "$tmp/r/out.json" "$@" </dev/null >"$tmp/out" 2>"$tmp/err"; }
ulimit -c 0
# The files of results, each with its number of launches: "out.json:3 out.2.json:4"
files() {
  local f
  for f in $(cd "$tmp/r" && ls -v); do
    jq -e . "$tmp/r/$f" >/dev/null 2>&1 || { echo -n "$f:broken "; continue; }
    echo -n "$f:$(jq '.launches | length' "$tmp/r/$f") "
  done
}
# name, status, files, ended_by of the first file, program...: afresh
ends() {
  local name=$1 status=$2 files=$3 by=$4
  shift 4
  rm -f "$tmp"/r/*
  host "$@"
  equal "$name: status" $? "$status"
  equal "$name: files" "$(files)" "$files "
  equal "$name: ended_by" "$(jq -r .ended_by "$tmp/r/out.json")" "$by"
}

# ---- ways to end
ends 'exit' 0 out.json:2 null -- "$ends" exit 2
equal 'nothing is said' "$(wc -c <"$tmp/err")" 0
cp "$tmp/r/out.json" "$tmp/whole.json"
for s in 1 2 3 13 14 15; do
  ends "signal $s" $((128 + s)) out.json:2 "SIG$(kill -l "$s")" -- "$ends" signal 2 "$s"
done
for f in whole.json r/out.json; do jq 'del(.arguments, .ended_by)' "$tmp/$f"; done >"$tmp/both"
equal 'what is written is the same' "$(sort "$tmp/both" | uniq -c | awk '$1 % 2' | wc -l)" 0
ends 'abort' 134 out.json:2 SIGABRT -- "$ends" abort 2
ends 'an access to no memory' 139 out.json:2 SIGSEGV -- "$ends" fault 2
ends 'a stack that overflows' 139 out.json:2 SIGSEGV -- "$ends" overflow 2
ends 'quick_exit' 7 out.json:2 null -- "$ends" quick_exit 2
ends 'a signal within a launch' 142 out.json:2 SIGALRM -- "$ends" 'within a launch' 2
ends 'a signal within malloc' 154 out.json:2 SIGVTALRM -- "$ends" 'within malloc' 2
ends 'a signal while a thread launches' 130 out.json:2 SIGINT -- "$ends" 'in a thread' 2
rm -f "$tmp"/r/*
host --time none -- "$ends" 'threads go on' 2
equal 'a signal while threads launch one kernel after the other: status' $? 130
equal 'they wait until the results are written' "$(jq '(.launches | length) == .totals.launches and .totals.launches < 200002' "$tmp/r/out.json")" true
ends 'the end while a thread launches' 5 out.json:2 null -- "$ends" 'left thread' 2
has 'which is said' 'a launch that has not ended is not among the results' "$tmp/err"
ends 'a signal that the program ignores' 0 out.json:2 null -- "$ends" handler 2

# ---- several programs
ends 'two under one shell' 0 'out.json:2 out.2.json:3' null -- sh -c '"$0" exit 2; "$0" exit 3' "$ends"
has 'which is said' "^regtwin: the results of '.*/ends' \(OpenCL\) are in .*/r/out.2.json" "$tmp/err"
equal 'each has its program and arguments' "$(jq -c '[(.program | sub(".*/"; "")), .arguments, .interface, .rank]' "$tmp/r/out.2.json")" '["ends",["exit","3"],"OpenCL",null]'
cp "$tmp/r/out.2.json" "$tmp/before.json"
ends 'another run' 0 out.json:4 null -- "$ends" exit 4
equal 'the file of an earlier run is replaced' "$(host -- "$ends" exit 5; files)" 'out.json:5 '
cp "$tmp/before.json" "$tmp/r/out.2.json"
host -- sh -c '"$0" exit 2; "$0" exit 6' "$ends"
equal 'the second one, too' "$(files)" 'out.json:2 out.2.json:6 '
ends 'one ends by a signal' 0 'out.json:2 out.2.json:3' SIGTERM -- sh -c '"$0" signal 2 15; "$0" exit 3' "$ends"
ends 'one launches nothing' 0 'out.json:3' null -- sh -c '"$0" exit 0; "$0" exit 3; "$0" exit 0' "$ends"
ends 'none launches' 0 'out.json:0' null -- sh -c '"$0" exit 0; "$0" exit 0' "$ends"
ends 'eight at once' 0 'out.json:1 out.2.json:1 out.3.json:1 out.4.json:1 out.5.json:1 out.6.json:1 out.7.json:1 out.8.json:1' null -- \
  sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" exit 1 & done; wait' "$ends"
equal 'eight at once, over the files of an earlier run' "$(host -- sh -c 'for i in 1 2 3 4 5 6 7 8; do "$0" exit 2 & done; wait' "$ends"; files)" \
  'out.json:2 out.2.json:2 out.3.json:2 out.4.json:2 out.5.json:2 out.6.json:2 out.7.json:2 out.8.json:2 '
rm -f "$tmp"/r/*
host -- sh -c 'for r in 0 1; do OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$r "$0" exit $((r + 1)) & done; wait' "$ends"
equal 'ranks' "$(files)" 'out.rank0.json:1 out.rank1.json:2 '
equal 'a rank is named' "$(jq -c .rank "$tmp/r/out.rank1.json")" 1
ends 'one rank' 0 out.json:1 null -- env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 "$ends" exit 1
ends 'regtwin host within' 0 'out.json:2 out.2.json:3' null -- sh -c '"$0" host "$1" exit 2; "$0" host "$1" exit 3' "$regtwin" "$ends"

# ---- several processes and interfaces of one program
ends 'a fork goes on with the session' 0 'out.json:3 out.2.json:2' null -- "$ends" fork 2
ends 'a fork that a signal ends has no results' 0 'out.json:2' null -- "$ends" 'fork killed' 2
ends 'a fork with a session of its own' 0 'out.json:3 out.2.json:2' null -- "$ends" 'fork first' 2
ends 'another program that it executes' 0 'out.json:4 out.2.json:2' null -- "$ends" exec 2 4
ends 'OpenCL and CUDA' 0 'out.json:2 out.2.json:1' null -- "$ends" cuda 2 "$plugin"
equal 'each has its interface' "$(jq -r .interface "$tmp/r/out.json" "$tmp/r/out.2.json" | sort | tr '\n' ' ')" 'CUDA OpenCL '
ends 'OpenCL and CUDA, by a signal' 143 'out.json:1 out.2.json:2' SIGTERM -- "$ends" cuda 2 "$plugin" 15

# ---- files
ln -s other.json "$tmp/r/link.json"
rm -f "$tmp"/r/out*
echo '{"launches": [1]}' >"$tmp/r/other.json"
"$regtwin" host --json "$tmp/r/link.json" "$ends" signal 2 15
equal 'a link is followed' "$(files)" 'link.json:2 other.json:2 '
rm "$tmp/r/other.json"
host -- "$ends" exit 3
"$regtwin" host --json "$tmp/r/link.json" "$ends" exit 2 2>"$tmp/err"
equal 'a link to no file, too' "$(files)" 'link.json:2 other.json:2 out.json:3 '
ln -sf link.json "$tmp/r/other.json"
"$regtwin" host --json "$tmp/r/link.json" "$ends" exit 2 2>"$tmp/err"
has 'links in a circle are told' '^regtwin: error: REGTWIN_JSON: .*/r/link.json: Too many levels of symbolic links' "$tmp/err"
rm -f "$tmp"/r/*
OCL_ICD_VENDORS=$PWD/build/host REGTWIN_JSON=$tmp/r/out.json "$ends" exit 2 2>"$tmp/err"
equal 'by the variable alone' "$(files)" 'out.json:2 '
equal 'nothing is said' "$(wc -c <"$tmp/err")" 0
OCL_ICD_VENDORS=$PWD/build/host REGTWIN_JSON=$tmp/r/out.json "$ends" exit 3 2>"$tmp/err"
equal 'it replaces the file' "$(files)" 'out.json:3 '
has 'and says so' "^regtwin: .*/r/out.json: the results of '.*' \(OpenCL\) replace what was there" "$tmp/err"
"$regtwin" host --json - "$ends" signal 2 15 >"$tmp/out" 2>"$tmp/err"
equal 'standard output, by a signal' "$(jq '.launches | length' "$tmp/out")" 2
"$regtwin" host --json /dev/full "$ends" signal 2 15 >"$tmp/out" 2>"$tmp/err"
equal 'a device that is full: the signal all the same' $? 143
has 'and a line' '^regtwin: /dev/full: error: cannot write: No space left on device' "$tmp/err"
