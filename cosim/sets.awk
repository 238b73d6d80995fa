# SPDX-License-Identifier: Apache-2.0
# The parameter sets of blocks, from their .def: a line for each, "SYSTEM/BLOCK SET NAME=VALUE ...", the first set first; SET is
# "-" where a block has no SET line. Of a set these are all parameters, those that it does not name at their default.
# Each word of the .def must be one of its kinds of lines, with its parentheses: the compiler's message would name the files that include it.
# usage: awk -f cosim/sets.awk FILE.def...; exit status 2 with file, line, what was found and what was expected.

function wrong_at(file, line, text) {
  printf "%s:%d: %s\n", file, line, text > "/dev/stderr"
  bad = 1
}
function wrong(text) { wrong_at(FILENAME, FNR, text) }

# The text of a line without comments; in_comment: one goes on from the line before.
function bare(s,   out, n) {
  out = ""
  while (s != "") {
    if (in_comment) {
      n = index(s, "*/")
      if (!n) return out
      s = substr(s, n + 2)
      in_comment = 0
    } else {
      n = index(s, "/*")
      if (!n) return out s
      out = out substr(s, 1, n - 1) " "
      s = substr(s, n + 2)
      in_comment = 1
    }
  }
  return out
}
# A line that is open at the end of its file or before the next one.
function unclosed(before) {
  if (depth > 0) wrong_at(opened_in, opened_at, "found " opened "( without its ), expected one before " before)
  depth = 0
}
# Reads the words of a line: depth is how many parentheses are open, `opened` the word of the outermost.
function read_words(s,   c, word) {
  gsub(/"[^"]*"/, "\"\"", s)
  if (depth > 0 && match(s, /^[A-Z]+\(/) && (substr(s, 1, RLENGTH - 1) in is_line)) unclosed(substr(s, 1, RLENGTH - 1) " in line " FNR)
  while (s != "") {
    if (depth > 0) {
      c = substr(s, 1, 1)
      depth += (c == "(") - (c == ")")
      s = substr(s, 2)
    } else if (match(s, /^[ \t]+/)) {
      s = substr(s, RLENGTH + 1)
    } else if (match(s, /^[A-Za-z_][A-Za-z0-9_]*/)) {
      word = substr(s, 1, RLENGTH)
      s = substr(s, RLENGTH + 1)
      if (!(word in is_line)) { wrong("found " word ", expected one of " lines); return }
      if (word == "COMBINATIONAL") continue
      sub(/^[ \t]+/, "", s)
      if (s !~ /^\(/) { wrong("found " word " without its (, expected " word "(...)"); return }
      depth = 1
      opened = word; opened_in = FILENAME; opened_at = FNR
      s = substr(s, 2)
    } else {
      wrong("found \"" s "\", expected one of " lines)
      return
    }
  }
}

BEGIN {
  lines = "PARAM SIZE SET IN OUT OUTC STATE ARRAY REG REGA RAM PART ENUM DATA QUIET LOOSE COMBINATIONAL INW OUTW OUTCW STATEW STATEA"
  n = split(lines, part, " ")
  for (k = 1; k <= n; k++) is_line[part[k]] = 1
}

function finish(   k, j, of, line) {
  if (block == "") return
  unclosed("the end of the file")
  if (!sets) { set[++sets] = "-"; values[sets] = "" }
  for (k = 1; k <= sets; k++) {
    delete of
    n = split(values[k], pair, " ")
    for (j = 1; j <= n; j++) { split(pair[j], part, "="); of[part[1]] = part[2] }
    line = block " " set[k]
    for (j = 1; j <= params; j++) line = line " " name[j] "=" (name[j] in of ? of[name[j]] : value[name[j]])
    print line
  }
}

FNR == 1 {
  finish()
  n = split(substr(FILENAME, 1, length(FILENAME) - 4), part, "/")
  block = part[n - 1] "/" part[n]
  sets = params = in_comment = 0
  delete value; delete most; delete seen
}
{
  text = bare($0)
  if (text !~ /^#/) read_words(text)
}
/^(PARAM|SIZE)\(/ {
  split($0, part, /[(),][ ]*/)
  name[++params] = part[2]
  value[part[2]] = part[3]
  if (/^SIZE/) most[part[2]] = part[4]
  if (part[3] !~ /^[0-9]+$/ || (/^SIZE/ && (part[4] !~ /^[0-9]+$/ || part[4] < 1 || part[3] + 0 > part[4] + 0)))
    wrong("found " $0 ", expected a number" (/^SIZE/ ? " of 0 to the most, which is a number of at least 1" : ""))
}
/^SET\(/ {
  if (!match($0, /^SET\([a-z0-9_]+, "[^"]*"\)/)) { wrong("found " $0 ", expected SET(name, \"Name=value ...\")"); next }
  split($0, part, /[(,"]/)
  if (part[2] in seen) wrong("found a second set " part[2] ", expected each name once")
  seen[part[2]] = 1
  set[++sets] = part[2]
  values[sets] = part[4]
  n = split(part[4], pair, " ")
  for (k = 1; k <= n; k++) {
    split(pair[k], part, "=")
    if (!(part[1] in most)) wrong("found " pair[k] " in a set, expected a parameter of a SIZE line above it")
    else if (part[2] !~ /^(0|[1-9][0-9]*)$/ || part[2] + 0 > most[part[1]] + 0)
      wrong("found " pair[k] ", expected a number of 0 to " most[part[1]])
    else if (sets == 1 && part[2] != value[part[1]])
      wrong("found " pair[k] " in the first set, expected the default " value[part[1]])
  }
}
END { finish(); exit bad ? 2 : 0 }
