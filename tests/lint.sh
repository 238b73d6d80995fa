#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the committed .clang-tidy, some files at a time: tests/lint.sh JOBS 'COMPILER FLAGS' FILE...
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
export flags=$2
shift 2
# shellcheck disable=SC2016
printf '%s\n' "$@" | xargs -P "$jobs" -n 3 bash -c '
  eval "set -- \"\$@\" -- $flags"
  clang-tidy-14 --quiet --warnings-as-errors="*" "$@" 2>&1 | grep -vE "^[0-9]+ warnings? generated|^Suppressed|^Use -header" || true
  exit "${PIPESTATUS[0]}"' lint
