# SPDX-License-Identifier: Apache-2.0
# Pairwise coverage of the parameter sets: for each block the pairs (value of one parameter, value of another) that its sets cover.
# A pair that no set covers is missing, unless the .def's lines say that it cannot occur. These lines are comments in C:
#   /* LEGAL(EXPR): reason */            only sets with EXPR != 0 are legal
#   /* FOLLOWS(Name, EXPR): reason */    the parameter's value follows from the others
#   /* PAIRS(Name, VALUE...): reason */  these values stand for all values of the parameter
# EXPR has numbers, the names of SIZE lines, and the operators ?: || && == != < <= > >= + - * / % of C; / rounds down.
# Prints one line for each block with two parameters or more, and one for each missing pair. propose=1 also prints SET lines that
# cover the missing pairs.
# usage: awk -f cosim/sets.awk FILE.def... | awk -f cosim/pairs.awk [-v propose=1] - FILE.def...
# Exit status: 0 all pairs are covered, 1 one is missing, 2 a line or a set is wrong.

function wrong(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
  bad = 1
}

# ---- expressions: rule r is tok[r, 1], tok[r, 2], ...; v[NAME] holds the values ----
function parse(r, s,   n) {
  for (n = 0; s != ""; ) {
    if (match(s, /^ +/)) { s = substr(s, RLENGTH + 1); continue }
    if (!match(s, /^(\|\||&&|[=!<>]=|[-+*\/%<>()?:]|[0-9]+|[A-Za-z][A-Za-z0-9]*)/)) return "found " s
    tok[r, ++n] = substr(s, 1, RLENGTH)
    if (tok[r, n] ~ /^[A-Za-z]/ && !(tok[r, n] in is_size)) return "found " tok[r, n]
    s = substr(s, RLENGTH + 1)
  }
  tok[r, n + 1] = ""
  rule = r; at = 1; broken = 0
  choice()
  return at == n + 1 && !broken ? "" : "found \"" tok[r, at] "\" as word " at
}
function value(r) { rule = r; at = 1; return choice() }
function next_is(word) { if (tok[rule, at] != word) return 0; at++; return 1 }
function choice(   x, a, b) {
  x = either()
  if (!next_is("?")) return x
  a = choice()
  if (!next_is(":")) broken = 1
  b = choice()
  return x ? a : b
}
function either(   x, y) { x = both(); while (next_is("||")) { y = both(); x = x || y } return x }
function both(   x, y) { x = compared(); while (next_is("&&")) { y = compared(); x = x && y } return x }
function compared(   x, op, y) {
  x = sum()
  op = tok[rule, at]
  if (op !~ /^([=!<>]=|<|>)$/) return x
  at++
  y = sum()
  return op == "==" ? x == y : op == "!=" ? x != y : op == "<" ? x < y : op == "<=" ? x <= y : op == ">" ? x > y : x >= y
}
function sum(   x, y) {
  x = product()
  while (tok[rule, at] ~ /^[-+]$/) { if (tok[rule, at++] == "+") x += product(); else { y = product(); x -= y } }
  return x
}
function product(   x, op, y) {
  x = single()
  while (tok[rule, at] ~ /^[*\/%]$/) {
    op = tok[rule, at++]
    y = single()
    if (op != "*" && !y) y = 1   # while a line is parsed, all values are 0
    x = op == "*" ? x * y : op == "/" ? int(x / y) : x % y
  }
  return x
}
function single(   x, word) {
  word = tok[rule, at]
  if (word == "") { broken = 1; return 0 }
  at++
  if (word == "(") { x = choice(); if (!next_is(")")) broken = 1; return x }
  if (word ~ /^[0-9]/) return word + 0
  if (word ~ /^[A-Za-z]/) return v[word] + 0
  broken = 1
  return 0
}

# ---- a block ----
# Values of size p that pairs are made of, in the order in which the sets have them.
function add_value(p, x) {
  if ((p, x) in has_value) return
  has_value[p, x] = 1
  val[p, ++nval[p]] = x
}
# The first LEGAL line that v[] breaks, or 0. Computes what follows, or (sets) compares it.
function illegal(compare,   r, x) {
  for (r = 1; r <= rules; r++) {
    if (follows[r] == "") continue
    x = value(r)
    if (!compare) v[follows[r]] = x
    else if (v[follows[r]] != x) return r
  }
  for (r = 1; r <= rules; r++) if (follows[r] == "" && !value(r)) return r
  return 0
}
# Goes on to the next choice of values of the parameters that do not follow; false after the last one.
function next_choice(   p) {
  for (p = sizes; p >= 1; p--) {
    if (size[p] in derived) continue
    if (++digit[p] <= nval[p]) return 1
    digit[p] = 1
  }
  return 0
}
function take_choice(   p) { for (p = 1; p <= sizes; p++) if (!(size[p] in derived)) v[size[p]] = val[p, digit[p]] }
function pair(p, q, x, y) { return p SUBSEP q SUBSEP x SUBSEP y }
function gain(k,   p, q, n) {
  n = 0
  for (p = 1; p < sizes; p++) for (q = p + 1; q <= sizes; q++) n += !(pair(p, q, legal[k, p], legal[k, q]) in covered)
  return n
}
function cover(k,   p, q) {
  for (p = 1; p < sizes; p++) for (q = p + 1; q <= sizes; q++) covered[pair(p, q, legal[k, p], legal[k, q])] = 1
}

function finish(   k, p, q, r, i, j, x, n, count, absent, impossible, all, best, most, line, key) {
  if (block == "" || sizes < 2) return
  split("", covered); split("", possible); split("", legal); split("", has_value); split("", val); split("", nval)
  for (k = 1; k <= sets[block]; k++) {
    for (p = 1; p <= sizes; p++) v[size[p]] = set_value[block, k, size[p]]
    if ((r = illegal(1))) {
      printf "%s@%s: found a set that its .def excludes, expected %s\n", block, set_name[block, k], text[r] > "/dev/stderr"
      bad = 1
    }
    for (p = 1; p <= sizes; p++) if (!(size[p] in only) && !(size[p] in derived)) add_value(p, v[size[p]])
    for (p = 1; p < sizes; p++) for (q = p + 1; q <= sizes; q++) covered[pair(p, q, v[size[p]], v[size[q]])] = 1
  }
  for (p = 1; p <= sizes; p++) if (size[p] in only) {
    n = split(only[size[p]], of, " ")
    for (i = 1; i <= n; i++) add_value(p, of[i])
  }
  # all legal choices, and the pairs in them
  count = 0
  for (p = 1; p <= sizes; p++) digit[p] = 1
  do {
    take_choice()
    if ((r = illegal(0))) { excludes[r] = 1; continue }
    count++
    for (p = 1; p <= sizes; p++) {
      legal[count, p] = v[size[p]]
      if (size[p] in derived) add_value(p, v[size[p]])
    }
    for (p = 1; p < sizes; p++) for (q = p + 1; q <= sizes; q++) possible[pair(p, q, v[size[p]], v[size[q]])] = 1
  } while (next_choice())
  for (r = 1; r <= rules; r++) if (follows[r] == "" && !(r in excludes)) {
    printf "%s: found %s, which excludes nothing, expected no such line\n", block, text[r] > "/dev/stderr"
    bad = 1
  }
  all = absent = impossible = 0
  line = ""
  for (p = 1; p < sizes; p++) for (q = p + 1; q <= sizes; q++) for (i = 1; i <= nval[p]; i++) for (j = 1; j <= nval[q]; j++) {
    key = pair(p, q, val[p, i], val[q, j])
    all++
    if (!(key in possible)) impossible++
    else if (!(key in covered)) {
      absent++
      line = line sprintf("  missing: %s=%s %s=%s\n", size[p], val[p, i], size[q], val[q, j])
    }
  }
  printf "%s: %d sets, %d pairs: %d covered, %d impossible, %d missing\n%s", block, sets[block], all, all - impossible - absent, impossible, absent, line
  missing += absent
  if (!propose) return
  # greedy: the choice with the most missing pairs, the first one of several
  for (n = 1; ; ) {
    most = 0
    for (k = 1; k <= count; k++) if ((x = gain(k)) > most) { most = x; best = k }
    if (!most) return
    cover(best)
    while ((block, "pair" n) in taken) n++
    line = ""
    for (p = 1; p <= sizes; p++)
      if (legal[best, p] != set_value[block, 1, size[p]]) line = line (line == "" ? "" : " ") size[p] "=" legal[best, p]
    printf "SET(pair%d, \"%s\")\n", n++, line
  }
}

NR == FNR {
  set_name[$1, ++sets[$1]] = $2
  taken[$1, $2] = 1
  for (k = 3; k <= NF; k++) { split($k, part, "="); set_value[$1, sets[$1], part[1]] = part[2] }
  next
}
FNR == 1 {
  finish()
  n = split(substr(FILENAME, 1, length(FILENAME) - 4), part, "/")
  block = part[n - 1] "/" part[n]
  sizes = rules = 0
  split("", only); split("", derived); split("", is_size); split("", follows); split("", text); split("", tok); split("", excludes); split("", v)
}
/^SIZE\(/ { split($0, part, /[(),][ ]*/); size[++sizes] = part[2]; is_size[part[2]] = 1 }
/^\/\* (LEGAL|FOLLOWS|PAIRS)\(/ {
  if (!match($0, /\): [^ ].* \*\/$/)) { wrong("found " $0 ", expected a reason after it: \"): ... */\""); next }
  line = substr($0, 4, RSTART - 3)
  kind = line
  sub(/\(.*/, "", kind)
  inner = substr(line, length(kind) + 2, length(line) - length(kind) - 2)
  if (kind != "LEGAL") {
    name = inner
    sub(/,.*/, "", name)
    if (!(name in is_size) || inner !~ /^[A-Za-z0-9]+, ./) { wrong("found " line ", expected the name of a SIZE line above and a comma"); next }
    sub(/^[^,]*, */, "", inner)
  }
  if (kind == "PAIRS") {
    if (inner !~ /^[0-9 ]+$/) wrong("found " line ", expected numbers")
    only[name] = inner
    next
  }
  if ((why = parse(++rules, inner)) != "") { wrong(why " in " line ", expected numbers, names of SIZE lines above and operators of C"); rules--; next }
  text[rules] = line
  follows[rules] = ""
  if (kind == "FOLLOWS") { follows[rules] = name; derived[name] = 1 }
}
END { finish(); exit bad ? 2 : missing ? 1 : 0 }
