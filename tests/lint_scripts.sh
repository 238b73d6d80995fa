#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs shellcheck over scripts, each alone: tests/lint_scripts.sh FILE... One without a warning is not read again until it, a file that it
# sources (shellcheck reads these, too) or .shellcheckrc changes.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/kept.sh

# Sets `with` to a script and all that it sources: beside itself, as "$(dirname "$0")/FILE" is, or from the root.
with_sourced() {   # file
  local k path f
  local -A seen=(["$1"]=1)
  with=("$1")
  for ((k = 0; k < ${#with[@]}; k++)); do
    while read -r path; do
      path=${path//[\"\']/}
      path=${path##*)/}
      for f in "${with[k]%/*}/$path" "$path"; do
        [ -f "$f" ] || continue
        f=$(realpath --relative-to=. "$f")
        if [ -z "${seen[$f]-}" ]; then seen[$f]=1 && with+=("$f"); fi
      done
    done < <(sed -nE 's/^(.*[;&|{(] *|[ \t]*)(\.|source) +(.*\.sh).*/\3/p' "${with[k]}")
  done
}
todo=() bad=0
declare -A hash=()
for f in "$@"; do
  with_sourced "$f"
  hash[$f]=$(kept_hash .shellcheckrc "${with[@]}")
  kept "lint $f" "${hash[$f]}" || todo+=("$f")
done
for f in ${todo[@]+"${todo[@]}"}; do
  if shellcheck "$f"; then keep "lint $f" "${hash[$f]}" clean; else bad=1; fi
done
echo "shellcheck: ${#todo[@]} of $# scripts, the others are kept from the same text" >&2
exit $bad
