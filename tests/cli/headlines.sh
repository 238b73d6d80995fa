#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The README's table of the five papers: its figures are those of the tables of docs/results, the paper's is the one that paper.def claims, and a changed
# figure or a wrong row is found.
# needs: none
. "$(dirname "$0")/../lib.sh"
rows=docs/results/headlines.tsv
table() { awk -f cmodel/make/headlines.awk "$@"; }
page() { sed -n '/^<!-- headlines -->$/,/^<!-- end of headlines -->$/{/^<!-- /!p}' "$1"; }

table $rows >"$tmp/table"
page README.md >"$tmp/page"
same 'the table of the README (make headlines-page)' "$tmp/table" "$tmp/page"
sed -n 's/^PAPER(\([a-z]*\), .*/\1/p' cmodel/systems/*/paper.def | grep -vx dyncta | sort >"$tmp/papers"
grep -v '^#' $rows | cut -f 2 | sort >"$tmp/rows"
same 'a row for each paper' "$tmp/papers" "$tmp/rows"
equal 'rows to be measured again are marked' "$(grep -c '\\\* |' "$tmp/page")" "$(grep -c $'\t\*\t' $rows)"
has 'and the mark is explained' '^\\\*: .* measured again' README.md
claimed() {   # a row's experiment, row, and the paper's figure in the table: a line for each that no CLAIM has
  local experiment row figure system
  while IFS=$'\t' read -r experiment row figure; do
    system=${row#*, } system=${system%, *}
    grep -qE "^CLAIM\\($experiment, ipc, \"$system\", \"\", $figure\\)\$" cmodel/systems/*/paper.def || echo "$experiment $system $figure"
  done
}
grep -v '^#' $rows | awk -F '\t' '{ print "\"" $3 "\"\t" $4 }' >"$tmp/what"
sed '1,2d' "$tmp/table" | awk -F ' [|] ' '{ print "\"" $3 "\"" }' >"$tmp/figures"
paste "$tmp/what" "$tmp/figures" >"$tmp/claims"
equal "the papers' figures are those of paper.def" "=$(claimed <"$tmp/claims")" =
equal 'and another one is found' "$(sed 's/1\.328/1.329/' "$tmp/claims" | claimed)" '"E-FR7" FineReg "1.329"'

# ---- a page with another figure, and rows that are wrong, in a copy
mkdir -p "$tmp/docs/results"
cp docs/results/*.md $rows "$tmp/docs/results"
copy() { (cd "$tmp" && awk -f "$OLDPWD/cmodel/make/headlines.awk" docs/results/headlines.tsv 2>&1); }
copy >"$tmp/copy"
same 'a copy has the same table' "$tmp/table" "$tmp/copy"
sed -i '/^## E-FR7/,/^## E-FR8/s/^| IPC, FineReg, mean | 0.926 |/| IPC, FineReg, mean | 0.927 |/' "$tmp/docs/results/finereg.md"
equal 'a changed figure changes a row' "$(copy | diff "$tmp/table" - | grep -c '^> .* 0\.927 ')" 1
sed -i '/^## E-LB6/,/^## E-LB7/s/^\(| IPC, LB, a look-up each cycle, geometric mean | \)[0-9.]*/\11.109/' "$tmp/docs/results/linebacker.md"
equal 'one in a clause, too' "$(copy | diff "$tmp/table" - | grep -c '^> .* 1\.109 ')" 1
sed -i '/^## E-MK4a/,/^## E-MK4b/{/^| nn /d}' "$tmp/docs/results/malekeh.md"
equal 'and a kernel less' "$(copy | diff "$tmp/table" - | grep -c '^> .* of 16 kernels on rtx2060')" 1
refused() {   # name, sed expression on the rows, message
  cp $rows "$tmp/docs/results/headlines.tsv"
  sed -i "$2" "$tmp/docs/results/headlines.tsv"
  copy >"$tmp/out"
  equal "$1: exit status" $? 2
  has "$1: message" "$3" "$tmp/out"
}
refused 'a row that the page has not' 's/IPC, LTRF, mean/IPC, LTRF, median/' "^headlines: docs/results/headlines.tsv:[0-9]+: found no figure in row 'IPC, LTRF, median' of E-LT4b in docs/results/ltrf.md"
refused 'an experiment that it has not' 's/E-SL3/E-SL33/' "found no figure in row 'IPC, SL-Full-H, geometric mean' of E-SL33"
refused 'a row of words' 's/IPC, LB, geometric mean/hits in registers, LB, geometric mean/' "found no figure in row 'hits in registers, LB, geometric mean'"
refused 'a clause with such a row' 's/{IPC, LB/{IPC, BL/' "found no figure in row 'IPC, BL, a look-up each cycle"
refused 'a column too few' 's/\t\*\t/\t/' 'found 6 columns, expected 7'
refused 'another mark' 's/\t\*\t/\t+\t/' "found '\+' in the column again, expected \* or -"
refused 'no rows' '/^[^#]/d' 'headlines: found no row'
