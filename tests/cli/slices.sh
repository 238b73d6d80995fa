#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# analyze --slices and --map: narrow code as text and as a picture. Whether it is right: tests/unit/pack_test.c.
. "$(dirname "$0")/../lib.sh"

"$regtwin" analyze hotspot --slices=int --map "$tmp/m.svg" >"$tmp/out"
has 'rows' '^  rows +[0-9]+ physical registers .* at most [0-9]+ slices of 4 bits are taken at once: [0-9]+ could do$' "$tmp/out"
has 'the table' '^ +0  [0-9a-f]{8}  row[0-9]+\[[0-7.,]+\] ' "$tmp/out"
has 'a thread index is narrow' '^ +to  %r1 unsigned n1 row[0-9]+\[[0-7]\]$' "$tmp/out"
has 'a float is not, as integers were asked for' '^ +to  %f[0-9]+ float n8 row[0-9]+\[7\.\.0\]$' "$tmp/out"
hasnt 'nor is any other' 'float n[2-7]' "$tmp/out"
has 'halves of 64 bits' '%rd[0-9]+ high unsigned n1 row' "$tmp/out"
rows=$(sed -n 's/^  rows *\([0-9]*\) .*/\1/p' "$tmp/out")
has 'picture: its title' "hotspot: [0-9]+ values of 32 bits in $rows registers of 8 slices" "$tmp/m.svg"
has 'picture: legend' '>signed<' "$tmp/m.svg"
"$regtwin" analyze traces/hotspot/hotspot.ptx --slices --map "$tmp/m.png" >"$tmp/ptx"
check 'a PNG' test "$(head -c 4 "$tmp/m.png" | tail -c 3)" = PNG
check 'nothing is left beside them' test "$(find "$tmp" -name 'm.*' | wc -l)" -eq 2
check 'launches that are known make values narrower' test "$(grep -c ' n8 ' "$tmp/out")" -lt "$(grep -c ' n8 ' "$tmp/ptx")"

wrong() {   # name, expected message, arguments of analyze...
  local name=$1 want=$2 status
  shift 2
  "$regtwin" analyze "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -qF -- "$want" "$tmp/err" && [ ! -s "$tmp/out" ]; then ok "$name"
  else not_ok "$name" "status $status, expected 2 and: $want" "$(cat "$tmp/err")"; fi
}
wrong 'a picture of no slices' 'found --map without --slices' hotspot --map "$tmp/x.svg"
wrong 'a picture of several entries' 'found 3 entries, expected --kernel with the one to draw for --map' \
  traces/cfd/cfd.ptx --slices --map "$tmp/x.svg"
wrong 'no picture' "expected a file that ends in .png or .svg" hotspot --slices --map "$tmp/x.gif"
wrong 'a quality that is none' "--slices: found 'best', expected perfect, high or int" hotspot --slices=best
wrong 'two views' 'found --slices with --live, expected one of them' hotspot --slices --live
wrong 'an unknown entry' "found no .entry 'x', expected one of this file" traces/cfd/cfd.ptx --slices --kernel x
