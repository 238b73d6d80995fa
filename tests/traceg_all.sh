#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make traceg-all: every kernel of the suite, size small, as a trace, exported for Accel-Sim and imported again. Prints the change in
# cycles of each; exit status 1 if an instruction, lane or address differs, or the independent reader (check.c) does not accept a file.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
regtwin=build/regtwin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc -O1 -Wall -Wextra -Werror tests/cli/traceg_check.c -o "$tmp/check" || exit 1
status=0
for f in traces/kernels/*/*.launch; do
  k=$(basename "$f" .launch)
  if "$regtwin" trace record "$k" --size small -o "$tmp/$k.trf" >"$tmp/out" 2>&1 &&
    "$regtwin" trace export "$tmp/$k.trf" -o "$tmp/$k" --xz --verify >"$tmp/out" 2>&1 &&
    "$tmp/check" "$tmp/$k/kernelslist.g" >"$tmp/checked" 2>"$tmp/out.check"; then
    printf '%-24s %s\n' "$k" "$(sed -n 's/^cycles.*; of the exported one [^ ]*, //p' "$tmp/out")"
  else
    printf '%-24s FAILED: %s\n' "$k" "$(cat "$tmp/out" "$tmp/out.check" 2>/dev/null | tail -n 1)"
    status=1
  fi
  rm -rf "${tmp:?}/$k" "$tmp/$k.trf"
done
exit $status
