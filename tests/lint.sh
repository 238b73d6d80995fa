#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the committed .clang-tidy, some files at a time: tests/lint.sh JOBS FILE...
# The compiler's flags come in LINT_FLAGS, quoted as for a shell.
# exec/alu_*.c are thousands of short functions over 32 lanes, made by macros, without pointers to follow: there the path
# analyzer takes minutes and cannot relate shift counts to widths; the other checks run on them as everywhere.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
shift
one() {
  local extra=()
  if [[ $1 == */exec/alu_* ]]; then extra=(--checks='-clang-analyzer-*'); fi
  local words out status=0
  eval "words=($LINT_FLAGS)"
  out=$(clang-tidy-14 --quiet --warnings-as-errors='*' "${extra[@]}" "$1" -- "${words[@]}" 2>&1) || status=1
  grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header' <<<"$out" | sed '/^$/d'
  return $status
}
export -f one
# shellcheck disable=SC2016
printf '%s\n' "$@" | xargs -r -P "$jobs" -n 1 bash -c 'one "$0"'
