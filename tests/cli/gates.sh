#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The gates of .ci/run detect planted faults: an unformatted file, a bug that clang-tidy knows; and list the changed
# files.
. "$(dirname "$0")/../lib.sh"

planted=build/gates   # below the repository, so that its .clang-format and .clang-tidy apply
rm -rf "$planted" && mkdir -p "$planted"
printf 'int f(void) {\n  return 1;\n}\n' >"$planted/good.c"
printf 'int  f( void ){return 1;}\n' >"$planted/bad.c"
clang-format-14 -i "$planted/good.c"
check 'format-check: a formatted file passes' make -s format-check FORMATTED="$planted/good.c"
check 'an unformatted one does not' bash -c "! make -s format-check FORMATTED=$planted/bad.c"

printf 'int f(int a) {\n  if (a == a) return 1;\n  return 0;\n}\n' >"$planted/bug.c"
export LINT_FLAGS=-std=gnu11
check 'lint: a file without a warning passes' tests/lint.sh 1 "$planted/good.c"
tests/lint.sh 2 "$planted/good.c" "$planted/bug.c" >"$tmp/lint"
equal 'a warning is an error' "$?" 123
has 'with its place' 'bug.c:2:9: .*misc-redundant-expression' "$tmp/lint"
check 'no file is no error' tests/lint.sh 2

# Changed files, in a repository of its own.
repo=$tmp/repo
mkdir -p "$repo/tests" "$repo/cmodel/a" && cp tests/changed.sh "$repo/tests/"
changed() { "$repo/tests/changed.sh" "$@" | xargs; }
git() { command git -C "$repo" -c user.name=test -c user.email=test@example.com "$@" >/dev/null 2>&1; }
check 'without history: nothing' test -z "$(changed)"
for f in one two three; do echo "#include \"a/shared.h\"" >"$repo/cmodel/a/$f.c"; done
touch "$repo/cmodel/a/one.h" "$repo/cmodel/a/shared.h" "$repo/cmodel/a/unused.h"
git init && git add -A && git commit -m 1
check 'one commit: nothing' test -z "$(changed)"
echo >>"$repo/cmodel/a/two.c" && git commit -am 2
equal 'the last commit' "$(changed)" cmodel/a/two.c
for h in one shared unused; do echo >>"$repo/cmodel/a/$h.h"; done
touch "$repo/cmodel/a/new.c"
equal 'and what is not committed; for a header the file of its name, or one that includes it' "$(changed HEAD)" \
  'cmodel/a/new.c cmodel/a/one.c'
git add -A && git commit -m 3 && git update-ref refs/remotes/origin/main HEAD~2
equal 'since origin/main' "$(changed)" 'cmodel/a/new.c cmodel/a/one.c cmodel/a/two.c'
check 'an unknown commit is an error' bash -c "! '$repo/tests/changed.sh' no-such-commit"
