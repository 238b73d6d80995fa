#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runner of the tests: what it counts, what it builds, which programs a test may call, and what of its results is kept. A tree of its
# own has tests that pass, fail, skip, die, and call a program that no list names.
# needs: none
# shellcheck disable=SC2016   # what stands in single quotes is for another shell
. "$(dirname "$0")/../lib.sh"

tree=$tmp/tree
mkdir -p "$tree/tests/"{cli,cosim,unit,fuzz}
cp tests/{run,path,kept,progress,records,lib}.sh tests/packages.txt "$tree/tests"
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
run cli/
equal 'all pass: exit status' $status 0
equal 'the last line' "$(tail -n 1 "$tmp/out")" '4 passed, 0 failed, 1 skipped'
has 'what was skipped, with its reason' '^  cli/good: three # SKIP no such machine$' "$tmp/out"
has 'how many were kept' '^1 of these results are kept' "$tmp/out"
equal 'what they need was built' "$(sort -u "$tree/build/made" | xargs)" 'CC other CC thing'
rm "$tree/build/made"
run cli/goo
equal 'a word builds what its jobs need' "$(cat "$tree/build/made")" '  CC thing'
run cli/nothing
equal 'no such job: exit status' $status 2
has 'and its message' '^tests/run.sh: found no job whose name contains cli/nothing; ' "$tmp/out"
run --nothing
equal 'no such option: exit status' $status 2

script bad none 'not_ok five because' 'ok six'
script dies none 'ok seven' 'exit 3'
script mute none 'exit 0'
script calls none 'check "a program that no list names" program-of-no-package'
run cli/
equal 'some fail: exit status' $status 1
equal 'the last line' "$(tail -n 1 "$tmp/out")" '7 passed, 3 failed, 1 skipped'
has 'what failed, with its reason' '^  because$' "$tmp/out"
has 'a test that ends early' '^not ok - cli/dies: exit status 3$' "$tmp/out"
has 'a program that no list names is not found' 'program-of-no-package: command not found' "$tmp/out"
script needs_it broken 'ok eight'
run cli/needs
equal 'a build that fails: exit status' $status 1
has 'what the compiler said' '^broken.c:1: found nothing$' "$tmp/out"
equal 'the last line' "$(tail -n 1 "$tmp/out")" '0 passed, 1 failed, 0 skipped'

# ---- what is kept
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
check 'nothing is kept yet' shell '! kept "proof a b" 0123'
shell 'keep "proof a b" 0123 "induction 3"; keep "lint x" 4567 clean'
equal 'in a later shell it is' "$(shell 'kept "proof a b" 0123 && echo "$result"')" 'induction 3'
check 'not at another hash' shell '! kept "proof a b" 0124'
check 'not of another thing' shell '! kept "proof a" 0123'
check 'not when all is asked for afresh' env FRESH=1 bash -c '. tests/kept.sh; ! kept "proof a b" 0123'
printf 'gone\t1\tyes\nlint x\t1\tclean\n' >tests/records.tsv
check 'make records' tests/records.sh
equal 'newer results in place of older ones' "$(grep -v '^#' tests/records.tsv | tr '\t\n' ',;')" 'gone,1,yes;lint x,4567,clean;proof a b,0123,induction 3;'
: >build/cache/complete
check 'make records, after a whole run' tests/records.sh
equal 'what no test asked for is gone' "$(grep -v '^#' tests/records.tsv | tr '\t\n' ',;')" 'lint x,4567,clean;proof a b,0123,induction 3;'
rm -r build
equal 'a tree without build/ has what is recorded' "$(shell 'kept "lint x" 4567 && echo "$result"')" clean
rm -r build
tests/records.sh >"$tmp/out" 2>&1
equal 'no results: exit status' $? 2
