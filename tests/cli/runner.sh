#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runner of the tests: what it counts, what it builds, which programs a test may call, and what of its results is kept. A tree of its
# own has tests that pass, fail, skip, die, and call a program that no list names.
# needs: none
# shellcheck disable=SC2016   # what stands in single quotes is for another shell
. "$(dirname "$0")/../lib.sh"

unset FRESH RECORDS CACHE   # make test FRESH=1 is about the other tests
tree=$tmp/tree
mkdir -p "$tree/tests/"{cli,cosim,unit,fuzz} "$tree/cmodel/make"
cp tests/{run,path,kept,records,lib}.sh "$tree/tests"
cp cmodel/make/{progress.sh,packages.txt} "$tree/cmodel/make"
printf '.PHONY: thing other\nthing other:\n\t@mkdir -p build; echo "  CC $@" | tee -a build/made\nbroken:\n\t@echo "  CC broken"; echo "broken.c:1: found nothing" >&2; false\n' >"$tree/Makefile"
script() {   # name, needs, lines...
  { printf '#!/bin/bash\n# needs: %s\n. "$(dirname "$0")/../lib.sh"\n' "$2"; printf '%s\n' "${@:3}"; } >"$tree/tests/cli/$1.sh"
  chmod +x "$tree/tests/cli/$1.sh"
}
outside=$tmp/outside
mkdir "$outside"
printf '#!/bin/sh\necho outside\n' >"$outside/program-of-no-package"
chmod +x "$outside/program-of-no-package"
run() { (cd "$tree" && env -u CC -u CXX -u CLANG -u VERILATOR -u YOSYS PATH="$outside:$PATH" tests/run.sh "$@") >"$tmp/out" 2>&1; status=$?; }

script good thing 'ok one' 'ok "two (kept)"' 'skip three "no such machine"'
script other other 'check "a program of a listed package" command -v jq' 'ok four'
# The PATH of the tests takes a second to make; only the runs that are about it have it.
no_path() { printf '#!/bin/sh\nexit 3\n' >"$tree/tests/path.sh"; }
no_path
run cli/
equal 'all pass: exit status' $status 0
equal 'the last line' "$(tail -n 1 "$tmp/out")" '4 passed, 0 failed, 1 skipped'
has 'what was skipped, with its reason' '^  cli/good: three # SKIP no such machine$' "$tmp/out"
has 'how many were kept' '^1 of these results are kept' "$tmp/out"
equal 'what they need was built' "$(sort -u "$tree/build/made" | xargs)" 'CC other CC thing'
rm "$tree/build/made"
run cli/goo
equal 'a word builds what its jobs need' "$(cat "$tree/build/made")" '  CC thing'
mkdir -p "$tree/tb/demo"
script leaves thing 'mkdir tb/demo/regress && rmdir tb/demo/regress && ok five'
run cli/leaves
equal 'a test that writes beside the sources and cleans up: exit status' $status 1
has 'which folder' '^not ok - tb/demo$' "$tmp/out"
equal 'it counts' "$(tail -n 1 "$tmp/out")" '1 passed, 1 failed, 0 skipped'
rm "$tree/tests/cli/leaves.sh"
run cli/nothing
equal 'no such job: exit status' $status 2
has 'and its message' '^tests/run.sh: found no job whose name contains cli/nothing; ' "$tmp/out"
run --nothing
equal 'no such option: exit status' $status 2

run --check --list
has 'the jobs of the short tier are listed' '^gate/format +none ' "$tmp/out"
hasnt 'not run, and no others' '^(cli/good|gate/lint) |passed' "$tmp/out"
run --list cli/goo
equal 'of the jobs that a word chooses' "$(awk '{ print $1 }' "$tmp/out")" cli/good
printf '# seconds\nbuild/plain\t7.0\ncli/good\t9.0\ncli/other\t8.5\n' >"$tree/tests/times.tsv"
run --record-times cli/goo
equal 'times of some jobs leave the others' "$(grep -c . "$tree/tests/times.tsv") $(grep -c '^cli/other.8.5$' "$tree/tests/times.tsv") $(grep -c '^cli/good.9.0$' "$tree/tests/times.tsv")" '4 1 0'
equal 'and that of the build, which was less' "$(grep '^build/' "$tree/tests/times.tsv")" $'build/plain\t7.0'
rm "$tree/tests/times.tsv"
# From another folder, below one with a blank, in other locales, without standard input, and through a pipe that nothing keeps open afterwards.
mkdir "$tmp/a b" && cp -r "$tree" "$tmp/a b/tree" && cp tests/path.sh "$tmp/a b/tree/tests"
from=$SECONDS own=0
for locale in tr_TR.UTF-8 de_DE.UTF-8; do
  said=$(cd / && env -u CC -u CXX -u CLANG -u VERILATOR -u YOSYS LC_ALL=$locale LANG=$locale "$tmp/a b/tree/tests/run.sh" cli/ <&- 2>&1 | cat)
  equal "from elsewhere, below a folder with a blank, $locale" "$(tail -n 1 <<<"$said")" '4 passed, 0 failed, 1 skipped'
  own=$((own + $(sed -n 's/^in \([0-9]*\) s; .*/\1/p' <<<"$said")))
done
check 'nothing keeps the pipe open afterwards' test $((SECONDS - from - own)) -lt 15

# Interrupted: nothing is left.
script sleeps none 'echo $$ >build/sleeps' 'sleep 600' 'ok slept'
for signal in INT TERM; do
  rm -f "$tree/build/sleeps"
  (cd "$tree" && exec env -u CC -u CXX -u CLANG -u VERILATOR -u YOSYS --default-signal=INT tests/run.sh cli/sleeps) >"$tmp/out" 2>&1 &
  pid=$!
  for ((k = 0; k < 200; k++)); do [ ! -s "$tree/build/sleeps" ] || break; sleep 0.1; done
  (cd "$tree" && tests/run.sh cli/good) >"$tmp/second" 2>&1
  equal "$signal: a second one in the tree meanwhile: exit status" $? 2
  has 'its message' '^tests/run.sh: found another one running in this tree' "$tmp/second"
  kill -$signal $pid
  wait $pid
  equal "$signal: exit status" $? 130
  check "$signal: no process of the test is left" bash -c '! kill -0 "$(cat '"$tree"'/build/sleeps)"'
done
TEST_JOB_SECONDS=1 run cli/sleeps
equal 'a test that does not end' "$(tail -n 1 "$tmp/out")" '0 passed, 1 failed, 0 skipped'
has 'and its status' '^not ok - cli/sleeps: exit status 124$' "$tmp/out"
rm "$tree/tests/cli/sleeps.sh"

script bad none 'not_ok five because' 'ok six'
script dies none 'ok seven' 'exit 3'
script mute none 'exit 0'
script killed none 'ok nine' 'kill -SEGV $$'
script early none 'echo 1..3' 'ok ten' 'exit 0'
script counted none 'echo 1..2' 'ok eleven' 'echo "not ok 2 # SKIP twelve"'
cp tests/path.sh "$tree/tests"
script calls none 'check "a program that no list names" program-of-no-package'
run cli/
equal 'some fail: exit status' $status 1
equal 'the last line' "$(tail -n 1 "$tmp/out")" '9 passed, 6 failed, 2 skipped'
has 'what failed, with its reason' '^  because$' "$tmp/out"
has 'a test that ends early' '^not ok - cli/dies: exit status 3$' "$tmp/out"
has 'a test that is killed' '^not ok - cli/killed: exit status 139$' "$tmp/out"
has 'a test that says nothing' '^not ok - cli/mute: exit status 0, but no result$' "$tmp/out"
has 'a test that says less than its plan' '^not ok - cli/early: exit status 0, 1 results, expected 3$' "$tmp/out"
has "cmocka's skipped test" '^  cli/counted: # SKIP twelve$' "$tmp/out"
has 'a program that no list names is not found' 'program-of-no-package: command not found' "$tmp/out"
# The programs are those of the packages that make deps installs: no others on the list, nor what these depend on.
(cd "$tree" && tests/path.sh build/listed && sed -i 's/^test jq$/bare jq/' cmodel/make/packages.txt && tests/path.sh build/unlisted) >"$tmp/out" 2>&1
check 'a program of a package that make deps installs' test -e "$tree/build/listed/jq"
check 'not one of the others on the list' test -e "$tree/build/unlisted/awk" -a ! -e "$tree/build/unlisted/jq"
no_path
script needs_it broken 'ok eight'
run cli/needs
equal 'a build that fails: exit status' $status 1
has 'what the compiler said' '^broken.c:1: found nothing$' "$tmp/out"
equal 'the last line' "$(tail -n 1 "$tmp/out")" '0 passed, 1 failed, 0 skipped'

# ---- all jobs
cp cmodel/make/packages.txt "$tree/cmodel/make"
rm "$tree"/tests/cli/*.sh
script good binary 'ok one' 'skip two "no such machine"'
mkdir -p "$tree/build/campaign"
printf '#!/bin/sh\n' | tee "$tree/tests/layers.sh" "$tree/tests/names.sh" "$tree/tests/fuzz/interrupt.sh" "$tree/build/campaign/damage" >"$tree/build/campaign/config_sweep"
chmod +x "$tree/tests/"{layers,names}.sh "$tree/tests/fuzz/interrupt.sh" "$tree"/build/campaign/*
printf 'format-check lint-rtl binary campaigns build/kernels_check kernels-check:\nlint:\n\t@[ ! -e skip ] || echo "ok - lint # SKIP no such program"\n' >"$tree/Makefile"
run
equal 'all jobs' "$(tail -n 1 "$tmp/out")" '10 passed, 0 failed, 1 skipped'
check 'make records may drop what was not asked for' test -e "$tree/build/cache/complete"
touch "$tree/skip"
run
equal 'all jobs, but a gate is skipped' "$(tail -n 1 "$tmp/out")" '9 passed, 0 failed, 2 skipped'
check 'make records keeps what the gate did not ask for' test ! -e "$tree/build/cache/complete"

# ---- what is kept
top=$PWD
cd "$tree" || exit 1
rm -rf build tests/records.tsv
echo text >a
shell() { bash -c 'set -u; . tests/kept.sh; '"$1"; }
h=$(shell 'kept_hash a -- word')
equal 'a hash is of the text' "$(echo other >a; shell 'kept_hash a -- word')" "$(echo other >a; shell 'kept_hash a -- word')"
for what in 'other text:a -- word' 'another word:a -- words' 'another file:b -- word'; do
  echo text >b
  check "${what%%:*}: another hash" test "$(shell "kept_hash ${what#*:}")" != "$h"
done
mkdir folder && echo text >'folder/a b'
h_folder=$(shell 'kept_hash folder')
echo text >folder/README.md
equal 'a README.md: the same hash' "$(shell 'kept_hash folder')" "$h_folder"
echo other >'folder/a b'
check 'other text of a file with a blank in its name: another hash' test "$(shell 'kept_hash folder')" != "$h_folder"
equal 'a file that is missing has no hash' "=$(shell 'kept_hash a nothing -- word' 2>"$tmp/err") $(grep -c nothing "$tmp/err")" '= 1'
shell 'keep "lint x" "" clean'
check 'nothing is kept without a hash' shell '! kept "lint x" ""'
check 'nothing is kept yet' shell '! kept "proof a b" 0123'
shell 'keep "proof a b" 0123 "induction 3"; keep "lint x" 4567 clean'
equal 'in a later shell it is' "$(shell 'kept "proof a b" 0123 && echo "$result"')" 'induction 3'
check 'not at another hash' shell '! kept "proof a b" 0124'
check 'not of another thing' shell '! kept "proof a" 0123'
check 'not when all is asked for afresh' env FRESH=1 bash -c '. tests/kept.sh; ! kept "proof a b" 0123'
mkdir -p synth/formal cosim cmodel/blocks/s
cp "$top/cosim/sets.awk" cosim
printf 'SIZE(Depth, 4, 8)\nSET(d4, "Depth=4")\nSET(d8, "Depth=8")\n' >cmodel/blocks/s/b.def
printf '# block top params\na\ta\tb\t1\n' >synth/formal/proofs.tsv
printf '# block file expression params\na\trtl/a.sv\ts/x && y/x/\tb\t-\n' >synth/formal/planted.tsv
echo >x
# what is there, a row each, then the same names of what is not
printf '%s\t1\tyes\n' 'lint x' 'lockstep s/b' 'planted fault a a.sv b s/x && y/x/' 'proof a b' 'search x' 'set s/b@d8' >there
printf '%s\t1\tyes\n' 'lint y' 'lockstep s/c' 'planted fault a a.sv b s/xx && y/x/' 'planted fault a a.sv c s/x && y/x/' 'proof a c' 'proof a' 'search y' 'set s/b@d9' gone >not_there
cat there not_there >tests/records.tsv
check 'make records' tests/records.sh
{ printf 'lint x\t4567\tclean\n'; sed '/^lint/d; s/^\(proof a b\).*/\1\t0123\tinduction 3/' there; } >want
grep -v '^#' tests/records.tsv >found
same 'newer results in place of older ones; those of what is not there are dropped' want found
cat there not_there >tests/records.tsv
equal 'which it says' "$(tests/records.sh | head -n 1)" 'records: 9 of 15 recorded results were of what is no longer there'
: >build/cache/complete
check 'make records, after a whole run' tests/records.sh
equal 'what no test asked for is gone' "$(grep -v '^#' tests/records.tsv | tr '\t\n' ',;')" 'lint x,4567,clean;proof a b,0123,induction 3;'
rm -r build
equal 'a tree without build/ has what is recorded' "$(shell 'kept "lint x" 4567 && echo "$result"')" clean
rm -r build
tests/records.sh >"$tmp/out" 2>&1
equal 'no results: exit status' $? 2

# ---- progress: steps, and of how many, if that is known
progressed() { printf '%s\n' '  CC a.o' 'a warning' '  CC b.o' '  LD c' | bash -c '. cmodel/make/progress.sh; PROGRESS_SECONDS=0 progress "$@"' - "$@" 2>&1 | sed 's/ in [0-9]* s//'; }
equal 'progress: without a total' "$(progressed build | tail -n 1)" 'build: 3 steps, now LD c'
equal 'progress: of a total' "$(progressed build '' 4 | tail -n 1)" 'build: 3 of 4 steps, now LD c'
equal 'progress: of more than were expected' "$(progressed build '' 2 | tail -n 1)" 'build: 3 steps, now LD c'
without_steps() { echo 'a warning' | bash -c '. cmodel/make/progress.sh; PROGRESS_SECONDS=0 progress "$@"' - "$@" 2>&1 | tail -n 1; }
equal 'progress: before the first step' "$(without_steps build '' 4 'writing generated files')" 'build: writing generated files, 0 s'
equal 'progress: before the first step, of which nothing is said' "$(without_steps build)" 'build: no step has ended yet, 0 s'

# ---- make: a misspelt variable of the command line; in two parts here, since a script that has the word would read it
odd=BLO
make -C "$top" --no-print-directory -n cosim-blocks "${odd}K=slice/vc" >"$tmp/out" 2>"$tmp/err"
equal 'a variable that nothing reads: status' $? 2
has 'a variable that nothing reads: its message' "found the variable ${odd}K on the command line, expected one that a makefile reads: did you mean BLOCK. make help " "$tmp/err"
make -C "$top" --no-print-directory -n cosim-blocks "${odd}XZQWVU=1" >"$tmp/out" 2>"$tmp/err"
has 'one that is near to none' "found the variable ${odd}XZQWVU on the command line, expected one that a makefile reads: make help " "$tmp/err"
check 'a make within a make does not look again' env MAKELEVEL=1 make -C "$top" --no-print-directory -n cosim-blocks "${odd}K=slice/vc"
check 'variables of makefiles, of scripts and of other programs' make -C "$top" --no-print-directory -n cosim-blocks BLOCK=slice/vc FRESH=1 TMPDIR="$tmp" CCACHE_DIR="$tmp"
