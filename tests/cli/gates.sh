#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The gates of make test detect planted faults: an unformatted file, a bug that clang-tidy knows, a script with a fault.
# needs: none
. "$(dirname "$0")/../lib.sh"

export CACHE=$tmp/cache RECORDS=$tmp/none   # what is kept here stays here
unset FRESH   # make test FRESH=1 is about the other tests
planted=build/gates   # below the repository, so that its .clang-format and .clang-tidy apply
rm -rf "$planted" && mkdir -p "$planted"
printf 'int f(void) {\n  return 1;\n}\n' >"$planted/good.c"
printf 'int  f( void ){return 1;}\n' >"$planted/bad.c"
gates_of_c() {
  "$(cmodel/make/llvm.sh clang-format)" -i "$planted/good.c"
  check 'format-check: a formatted file passes' make -s format-check FORMATTED="$planted/good.c"
  check 'an unformatted one does not' bash -c "! make -s format-check FORMATTED=$planted/bad.c"

  printf 'int f(int a) {\n  if (a == a) return 1;\n  return 0;\n}\n' >"$planted/bug.c"
  export LINT_FLAGS=-std=gnu11
  check 'lint: a file without a warning passes' tests/lint.sh 1 "$planted/good.c"
  tests/lint.sh 2 "$planted/good.c" "$planted/bug.c" >"$tmp/lint"
  equal 'a warning is an error' "$?" 123
  has 'with its place' 'bug.c:2:9: .*misc-redundant-expression' "$tmp/lint"
  check 'no file is no error' tests/lint.sh 2

  # What passed is not looked at again until it changes.
  says() { tests/lint.sh 1 "$planted/good.c" 2>&1 | grep -o '[0-9]* of 1 files'; }
  equal 'lint: the same text is kept' "$(says)" '0 of 1 files'
  cp "$planted/good.c" "$planted/was.c"
  printf 'int g(int a) {\n  if (a == a) return 1;\n  return 0;\n}\n' >>"$planted/good.c"
  tests/lint.sh 1 "$planted/good.c" >"$tmp/lint" 2>&1
  equal 'another text is not: exit status' "$?" 123
  has 'and its warning' 'good.c:3:9: .*misc-redundant-expression' "$tmp/lint"
  equal 'what failed is not kept' "$(says)" '1 of 1 files'
  cp "$planted/was.c" "$planted/good.c"
  equal 'the text that passed before is' "$(says)" '0 of 1 files'
  equal 'but not with other flags' "$(LINT_FLAGS=-std=gnu17 says)" '1 of 1 files'
  equal 'and not when all is asked for afresh' "$(FRESH=1 says)" '1 of 1 files'
}
if why=$(cmodel/make/llvm.sh --reference clang-format && cmodel/make/llvm.sh --reference clang-tidy); then gates_of_c
else skip 'planted faults in C files' "$why"; fi

# shellcheck disable=SC2016   # nothing is to be expanded
printf '#!/bin/bash\necho $1\n' >"$planted/bad.sh"
tests/lint_scripts.sh "$planted/bad.sh" >"$tmp/lint" 2>&1
equal 'shellcheck: a warning is an error' "$?" 1
has 'with its line' 'bad.sh line 2' "$tmp/lint"

# What a script sources is read with it.
printf '#!/bin/bash\nword=1\n' >"$planted/names.sh"
# shellcheck disable=SC2016
printf '#!/bin/bash\n. "$(dirname "$0")/names.sh"\necho "$word"\n' >"$planted/uses.sh"
check 'shellcheck: a script that sources another' tests/lint_scripts.sh "$planted/uses.sh"
equal 'is kept' "$(tests/lint_scripts.sh "$planted/uses.sh" 2>&1 | grep -o '[0-9]* of 1')" '0 of 1'
printf '#!/bin/bash\nother=1\n' >"$planted/names.sh"
tests/lint_scripts.sh "$planted/uses.sh" >"$tmp/lint" 2>&1
equal 'until the other one changes' "$?" 1
has 'with its line' 'uses.sh line 3' "$tmp/lint"

# What a source is linted with, in a tree of its own and with a program that finds nothing.
tree=$tmp/tree
mkdir -p "$tree/cmodel/"{x,make} "$tree/tests" "$tree/build/gen/systems"
cp tests/{lint,kept}.sh "$tree/tests"
cp cmodel/make/{llvm.sh,packages.txt} "$tree/cmodel/make"
cp .clang-tidy "$tree"
echo '#include "x/direct.h"
#include "x/list.def"
#include "gen/systems/made.def"
#define NET_DEF "x/net.def"' >"$tree/cmodel/x/a.c"
echo '#include "x/direct.h"' >"$tree/cmodel/x/b.c"
echo '#include "x/behind.h"' >"$tree/cmodel/x/direct.h"
printf '#include "x/core.def"\n#line 7 "cmodel/x/system.def"\n' >"$tree/build/gen/systems/made.def"
touch "$tree/cmodel/x/"{behind.h,list.def,net.def,core.def,system.def,b.h,other.h}
linted() { (cd "$tree" && env -u CACHE -u RECORDS LINT_FLAGS= CLANG_TIDY="${1:-true}" tests/lint.sh 1 cmodel/x/a.c 2>&1 | grep -o '[0-9]* of 1 files'); }
equal 'a source is linted' "$(linted)" '1 of 1 files'
equal 'and kept' "$(linted)" '0 of 1 files'
for f in a.c direct.h behind.h list.def net.def core.def system.def; do
  echo '// x' >>"$tree/cmodel/x/$f"
  equal "until $f changes" "$(linted)" '1 of 1 files'
done
echo '// x' >>"$tree/cmodel/x/other.h"
equal 'not for what it does not include' "$(linted)" '0 of 1 files'
printf '#!/bin/sh\necho another\n' >"$tmp/another" && chmod +x "$tmp/another"
equal 'but for another clang-tidy' "$(linted "$tmp/another")" '1 of 1 files'

# A tool that dies without a word is no clean module; rtl/lint.sh and programs in place of its tools.
mkdir "$tmp/bin"
for dies in none verilator yosys iverilog; do
  for tool in verilator yosys iverilog; do
    { echo '#!/bin/sh'; [ $tool != $dies ] || echo 'kill -KILL $$'; } >"$tmp/bin/$tool"
    chmod +x "$tmp/bin/$tool"
  done
  PATH=$tmp/bin:$PATH FRESH=1 CACHE=$tmp/rtl rtl/lint.sh finereg/rid >"$tmp/lint" 2>&1
  equal "rtl/lint.sh, of its tools dies $dies: exit status" $? "$([ $dies = none ]; echo $?)"
  [ $dies = none ] || has 'and which' "$dies: exit status 137" "$tmp/lint"
done
equal 'one result is kept' "$(wc -l <"$tmp/rtl/results")" 1
