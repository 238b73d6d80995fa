#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The results of make synth as one HTML page that opens from disk, without any other file: synth.html beside synth.tsv.
# usage: synth/page.sh DIRECTORY     which holds synth.tsv and a folder of each of its blocks     env: LIBERTY, RTL, BASELINE, REGTWIN
set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 2
out=$1 baseline=${BASELINE:-cosim/records/baseline.tsv}
fail() { printf 'synth: %s\n' "$1" >&2; exit 2; }
[ -r "$out/synth.tsv" ] || fail "$out/synth.tsv: expected the table of make synth, found no file"
[ -r "${LIBERTY:-}" ] || fail "${LIBERTY:-LIBERTY=}: expected the Liberty file of these results, found no file that can be read"
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT

# The papers' overheads, and what was recorded of these blocks before: commit, day, subject, then block, area, ns.
: >"$tmp/paper"
regtwin=${REGTWIN:-build/regtwin}
[ ! -x "$regtwin" ] || "$regtwin" cost --papers >"$tmp/paper" 2>/dev/null || : >"$tmp/paper"
: >"$tmp/history"
if git rev-parse --git-dir >/dev/null 2>&1; then
  git log --max-count=40 --format='%h%x09%as%x09%s' -- "$baseline" 2>/dev/null | while IFS=$'\t' read -r commit day subject; do
    git show "$commit:$baseline" 2>/dev/null | awk -F '\t' -v c="$commit" -v d="$day" -v s="$subject" '
      /^#/ { next } NF == 3 { print $1 "\t" c "\t" d "\t" $2 "\t" $3 "\t" s } NF > 6 { print $1 "\t" c "\t" d "\t" $4 "\t" $7 "\t" s }'
  done >"$tmp/history"
fi
awk -v out="$out" -v liberty="$LIBERTY" -v rtl="${RTL:-rtl}" -v paper="$tmp/paper" -v history="$tmp/history" -f synth/page.awk "$out/synth.tsv" >"$tmp/page" ||
  fail "the page could not be written"
mv "$tmp/page" "$out/synth.html" || fail "$out/synth.html: cannot be written"
