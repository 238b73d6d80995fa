#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the committed .clang-tidy, some files at a time: tests/lint.sh JOBS FILE...
# The compiler's flags come in LINT_FLAGS, quoted as for a shell. A source without a warning is not read again (tests/kept.sh) until one
# of these changes: itself, the header of its name, a header without a source of its own whose first includer it is, .clang-tidy, the flags.
# exec/alu_*.c are thousands of short functions over 32 lanes, made by macros, without pointers to follow: there the path
# analyzer takes minutes and cannot relate shift counts to widths; the other checks run on them as everywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
. tests/kept.sh
export cache
tidy=${CLANG_TIDY:-$(tests/llvm.sh clang-tidy)}
export tidy
jobs=$1
shift
if [ -z "${CLANG_TIDY-}" ] && ! why=$(tests/llvm.sh --reference clang-tidy); then
  echo "ok - clang-tidy of $# C files # SKIP $why (CONTRIBUTING.md)"
  exit 0
fi

one() {   # file, its hash
  local extra=()
  if [[ $1 == */exec/alu_* ]]; then extra=(--checks='-clang-analyzer-*'); fi
  local words out status=0
  eval "words=($LINT_FLAGS)"
  out=$("$tidy" --quiet --warnings-as-errors='*' "${extra[@]}" "$1" -- "${words[@]}" 2>&1) || status=1
  grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header' <<<"$out" | sed '/^$/d'
  [ $status -ne 0 ] || { keep_line "$cache/results" "lint $1" "$2" clean && keep_line "$cache/used" "lint $1" "$2" clean; }
  return $status
}
export -f one keep_line

# FILE HEADER: which headers are linted with which source.
headers=$(grep -rnE '^#include "[^"]*\.h"' --include='*.c' cmodel | sed -E 's,^([^:]*):[0-9]*:#include "([^"]*)".*,\1 cmodel/\2,' | sort |
  awk '{ own = $2; sub(/h$/, "c", own); if ($1 == own) { print; next }
    if (!(own in there)) { there[own] = (getline line <own) >= 0; close(own) }
    if (!there[own] && !($2 in first)) { first[$2] = 1; print } }')
todo=()
for f in "$@"; do
  mapfile -t with < <(awk -v f="$f" '$1 == f && (getline line <$2) >= 0 { print $2 }' <<<"$headers")
  hash=$(kept_hash .clang-tidy "$f" ${with[@]+"${with[@]}"} -- "$LINT_FLAGS")
  if kept "lint $f" "$hash"; then :; else todo+=("$f" "$hash"); fi
done
[ $# -eq 0 ] || echo "clang-tidy: $((${#todo[@]} / 2)) of $# files, the others are kept from the same text" >&2
# shellcheck disable=SC2016
printf '%s\n' ${todo[@]+"${todo[@]}"} | xargs -r -P "$jobs" -n 2 bash -c 'one "$0" "$1"'
