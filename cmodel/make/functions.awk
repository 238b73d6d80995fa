# SPDX-License-Identifier: Apache-2.0
# Prints the functions that C files define, as NAME FILE LINE, from their text alone. ctags misses a function that follows a macro's line without ;
# and this does not: a function is a name and what is in parentheses, before a brace that is in no other one. It relies on clang-format: a definition
# begins in the first column, and so does the brace that ends its body over several lines.
# usage: awk -f cmodel/make/functions.awk FILE...
FNR == 1 { depth = comment = macro = open = 0; head = "" }
{
  text = bare($0)
  if (macro || text ~ /^[ \t]*#/) { macro = text ~ /\\$/; next }
  if (text ~ /^}/) { depth = open = 0; head = ""; sub(/^}/, "", text) }
  else if (!depth && text ~ /^[A-Za-z_]/ && !open) first = FNR   # the line that a head begins in
  while (match(text, /[{};()]/)) {
    c = substr(text, RSTART, 1)
    if (!depth) head = head substr(text, 1, RSTART)
    text = substr(text, RSTART + 1)
    if (c == "(") open++
    else if (c == ")") open -= open > 0
    else if (open) continue                      # a brace or ; of an argument
    else if (c == "{") { if (!depth++) name_of(substr(head, 1, length(head) - 1)); head = "" }
    else if (c == "}") { depth -= depth > 0; head = "" }
    else if (!depth) head = ""
  }
  if (!depth) head = head text " "
}
# The line without comments; strings and characters are 0.
function bare(text,   out, two) {
  if (comment) {
    if (!match(text, /\*\//)) return ""
    text = substr(text, RSTART + 2)
    comment = 0
  }
  while (match(text, /"|'|\/\*|\/\//)) {
    two = substr(text, RSTART, 2)
    out = out substr(text, 1, RSTART - 1)
    text = substr(text, RSTART)
    if (two == "//") return out
    if (two == "/*") {
      out = out " "
      if (comment = !match(substr(text, 3), /\*\//)) return out
      text = substr(text, RSTART + 4)
    } else {
      if (!match(text, /^"([^"\\]|\\.)*"|^'([^'\\]|\\.)*'/)) RLENGTH = 1
      out = out "0"
      text = substr(text, RLENGTH + 1)
    }
  }
  return out text
}
# The name is what stands before the last parentheses. Attributes behind them are left out, and macros in capitals, which may be attributes.
function name_of(head,   name, flat) {
  while (sub(/ *__attribute__ *\(\([^()]*(\([^()]*\)[^()]*)*\)\)/, "", head)) ;
  flat = head
  while (gsub(/\([^()]*\)/, "", flat)) ;
  if (flat ~ /=/) return
  do {
    while (sub(/\) +[A-Z][A-Z0-9_]* *$/, ")", head)) ;
    if (head !~ /\) *$/) break
    head = substr(head, 1, open_of(head) - 1)
    if (!match(head, /[A-Za-z_][A-Za-z_0-9]* *$/)) break
    name = substr(head, RSTART)
    head = substr(head, 1, RSTART - 1)
    sub(/ +$/, "", name)
  } while (name ~ /^[A-Z0-9_]+$/)
  if (name != "") print name, FILENAME, first
}
# Where the last parentheses of a text open.
function open_of(text,   k, n, one) {
  for (k = length(text); k; k--) {
    one = substr(text, k, 1)
    if (one == "(" && !--n) return k
    n += one == ")"
  }
  return 1
}
