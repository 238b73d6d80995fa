# SPDX-License-Identifier: Apache-2.0
# The sentences of a page of Markdown, one a line, behind the number of their words: awk -f tests/prose.awk PAGE. Code, comments, and the targets of links
# are left out; an item of a list, a cell of a table and a heading are sentences of their own.
function finish(    n, k, sentence, word) {
  gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
  while (match(text, /\[[^]]*\]\([^)]*\)/)) {
    sentence = substr(text, RSTART + 1, RLENGTH - 1)
    sub(/\]\(.*/, "", sentence)
    text = substr(text, 1, RSTART - 1) sentence substr(text, RSTART + RLENGTH)
  }
  gsub(/[.?!]["*)]* /, "&\n", text)
  n = split(text, sentence_of, "\n")
  for (k = 1; k <= n; k++) {
    sub(/^ +/, "", sentence_of[k])
    if (sentence_of[k] ~ /[A-Za-z0-9]/) print split(sentence_of[k], word, / +/) - (sentence_of[k] ~ / $/) "\t" sentence_of[k]
  }
  text = ""
}
/^```/ { finish(); inside = !inside; next }
inside || /^<!--/ { next }
/^ *$/ || /^#/ || /^ *[-*] / || /^[0-9]+\. / { finish() }
/^\|/ {
  if ($0 ~ /^\|[-:| ]+$/) next
  cells = split(substr($0, 2), cell, /\|/)
  for (c = 1; c < cells; c++) { text = cell[c]; finish() }
  next
}
{ sub(/^#+ /, ""); sub(/^ *- /, ""); text = text (text == "" ? "" : " ") $0 }
END { finish() }
