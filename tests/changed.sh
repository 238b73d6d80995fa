#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C files of cmodel/ to lint after a change: those that differ from a commit, and for each changed header the .c file of the
# same name, else the first one that includes it. usage: tests/changed.sh [COMMIT]
# Without COMMIT: what HEAD and origin/main have in common; on origin/main itself, the commit before. Without git history: none.
set -euo pipefail
cd "$(dirname "$0")/.."
git rev-parse -q --verify HEAD >/dev/null 2>&1 || exit 0
since=${1-}
[ -n "$since" ] || since=$(git merge-base origin/main HEAD 2>/dev/null) || since=HEAD
[ -n "${1-}" ] || [ "$(git rev-parse "$since")" != "$(git rev-parse HEAD)" ] || since=HEAD~1
git rev-parse -q --verify "$since^{commit}" >/dev/null || { [ -z "${1-}" ] && exit 0; echo "tests/changed.sh: no commit '$1'" >&2; exit 2; }

{ git diff --name-only "$since" -- cmodel; git ls-files -o --exclude-standard cmodel; } | while read -r f; do
  [ -e "$f" ] || continue
  case $f in
    *.c) echo "$f" ;;
    *.h)
      if [ -e "${f%.h}.c" ]; then
        echo "${f%.h}.c"
      else
        { grep -rlF --include='*.c' "#include \"${f#cmodel/}\"" cmodel || true; } | sort | sed -n 1p
      fi ;;
  esac
done | sort -u
