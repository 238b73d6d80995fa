#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs shellcheck over scripts, each alone: tests/lint_scripts.sh FILE... One without a warning is not read again until its text changes.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/kept.sh
todo=() bad=0
for f in "$@"; do kept "lint $f" "$(kept_hash "$f")" || todo+=("$f"); done
for f in ${todo[@]+"${todo[@]}"}; do
  if shellcheck "$f"; then keep "lint $f" "$(kept_hash "$f")" clean; else bad=1; fi
done
echo "shellcheck: ${#todo[@]} of $# scripts, the others are kept from the same text" >&2
exit $bad
