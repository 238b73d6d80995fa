# SPDX-License-Identifier: Apache-2.0
# Adds functions to the tags of ctags: those that macros make, since it expands none, and those that follow a macro's line without ;, which it misses.
# First input: sources as the compiler's preprocessor gives them, with its line marks; of these the tags keep the functions that are there, and get
# the others by line number. Second input: what functions.awk prints; functions of it that the tags have not are added. Last input: the tags.
# usage: awk -f cmodel/make/tags.awk made=1 PREPROCESSED made=0 text=1 FUNCTIONS text=0 TAGS | LC_ALL=C sort
BEGIN { FS = "\t" }
made && match($0, /^# [0-9]+ "/) {
  line = substr($0, 3) + 0
  file = substr($0, RLENGTH + 1)
  sub(/".*/, "", file)
  if (file ~ /^cmodel\/.*\.c$/) source[file]
  next
}
made {
  if (file in source || file ~ /^cmodel\/(.*\.def|blocks\/declare\.h)$/) look($0)
  line++
  next
}
text {
  split($0, part, " ")
  if (part[1] !~ /^[A-Z0-9_]+$/) written[part[1], part[2]] = part[3]   # capitals: a macro with a body
  next
}
/^!/ { print; next }
{
  kind = $0
  sub(/.*;"\t/, "", kind)
  if ($2 in source && kind ~ /^f/) {
    if (!(($1, $2) in at)) next
    delete at[$1, $2]
  }
  if (kind ~ /^f/) delete written[$1, $2]
  print
}
END {
  for (key in written) if (!(key in at)) at[key] = written[key]
  for (key in at) {
    split(key, part, SUBSEP)
    print part[1] "\t" part[2] "\t" at[key] ";\"\tf"
  }
}
# A function is a name and what is in parentheses, before a brace that is in no other one.
function look(text,   c) {
  gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)+'/, "0", text)
  while (match(text, /[{};]/)) {
    c = substr(text, RSTART, 1)
    if (!depth) head = head " " substr(text, 1, RSTART - 1)
    text = substr(text, RSTART + 1)
    if (c == "{" && !depth++) name_of(head)
    else if (c == "}") depth--
    if (!depth || c == "{") head = ""
  }
  if (!depth) head = head " " text
}
function name_of(head) {
  while (gsub(/__attribute__ *\(\([^()]*(\([^()]*\)[^()]*)*\)\)/, "", head)) ;
  if (head !~ /\) *$/ || head ~ /=/ || !match(head, /[A-Za-z_][A-Za-z_0-9]* *\(/)) return
  head = substr(head, RSTART, RLENGTH - 1)
  sub(/ +$/, "", head)
  if (!((head, file) in at)) at[head, file] = line
}
