# SPDX-License-Identifier: Apache-2.0
# The parameter sets of blocks, from their .def: a line for each, "SYSTEM/BLOCK SET NAME=VALUE ...", the first set first; SET is
# "-" where a block has no SET line. Of a set these are all parameters, those that it does not name at their default.
# usage: awk -f cosim/sets.awk FILE.def...; exit status 2 with file, line, what was found and what was expected.

function wrong(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
  bad = 1
}

function finish(   k, j, of, line) {
  if (block == "") return
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
  sets = params = 0
  delete value; delete most; delete seen
}
/^(PARAM|SIZE)\(/ {
  split($0, part, /[(),][ ]*/)
  name[++params] = part[2]
  value[part[2]] = part[3]
  if (/^SIZE/) most[part[2]] = part[4]
  if (part[3] !~ /^[0-9]+$/ || (/^SIZE/ && (part[3] < 1 || part[4] !~ /^[0-9]+$/ || part[3] + 0 > part[4] + 0)))
    wrong("found " $0 ", expected a number" (/^SIZE/ ? " of 1 to the most, which is a number, too" : ""))
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
