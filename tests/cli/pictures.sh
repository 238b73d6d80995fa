#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pictures of the pages: each is at most 1000 pixels wide, and a page shows it; those of docs/results are what make pictures draws from
# the tables of their pages. The rules that a picture keeps: tests/unit/pictures_test.c.
# needs: build/test/pictures_test
. "$(dirname "$0")/../lib.sh"

find docs/img -name '*.png' -printf '%P\n' | sort >"$tmp/all"
check 'there are pictures' test "$(wc -l <"$tmp/all")" -ge 80
check 'no SVG' test -z "$(find docs/img -name '*.svg')"

width() { printf '%d' "0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' \n')"; }   # of a PNG
wide=$(while read -r f; do w=$(width "docs/img/$f"); [ "$w" -le 1000 ] || echo "$f: $w"; done <"$tmp/all")
check "none is wider than 1000 pixels: ${wide:-none}" test -z "$wide"

grep -rhoE 'img/[A-Za-z0-9_./-]+\.png' README.md docs --include='*.md' | sed 's|^img/||' | sort -u >"$tmp/shown"
equal 'each is shown by a page, and each that a page shows is there' "$(comm -3 "$tmp/all" "$tmp/shown" | tr -d '\t' | tr '\n' ' ')x" x

# ---- drawn from their pages
reference='gnuplot 5.4 patchlevel 4'   # Debian 12's: others place points and letters elsewhere
skip_unless 'docs/img is what make pictures draws' "no $reference" test "$(gnuplot --version 2>/dev/null)" = "$reference"
for page in docs/results/*.md; do mkdir -p "$tmp/img/$(basename "$page" .md)"; done
build/test/pictures_test --draw "$tmp/img" >"$tmp/out" 2>&1
equal 'they are drawn' "$?" 0
(cd "$tmp/img" && find . -name '*.png' -printf '%P\n' | sort) >"$tmp/drawn"
check 'all of docs/results' test "$(wc -l <"$tmp/drawn")" -ge 70
other=$(while read -r f; do cmp -s "$tmp/img/$f" "docs/img/$f" || echo "$f"; done <"$tmp/drawn")
check "docs/img has the same (else: make pictures): ${other//$'\n'/ }" test -z "$other"
