# SPDX-License-Identifier: Apache-2.0
# For mutate.sh: the table with a sixth column, the result of each fault: killed, equal (proven; numbers in `equal`),
# explained (by a pattern of the file `patterns`), open, stillborn, error. Input: in the sixth column the whole line of
# the source, which a pattern with a second " @ " must match, too. To standard error: patterns that fit nothing
# ("unused") or a fault that is killed ("wide"), and lines that are none ("bad").

function regex(pattern,   r, p, k, any) {
  r = pattern
  gsub(/[][\\.^$+?(){}|]/, "\\\\&", r)
  gsub(/\*/, ".*", r)
  while (match(r, /<[0-9]+-[0-9]+>/)) {
    split(substr(r, RSTART + 1, RLENGTH - 2), p, "-")
    any = p[1]
    for (k = p[1] + 1; k <= p[2]; k++) any = any "|" k
    r = substr(r, 1, RSTART - 1) "(" any ")" substr(r, RSTART + RLENGTH)
  }
  return "^" r "$"
}

BEGIN {
  FS = OFS = "\t"
  while ((getline s < patterns) > 0) {
    if (s ~ /^#/ || s == "") continue
    at = index(s, " -- ")
    if (!at) {
      print "bad", s > "/dev/stderr"
      continue
    }
    pattern[++n] = substr(s, 1, at - 1)
    re[n] = regex(pattern[n])
    lined[n] = pattern[n] ~ / @ .* @ /
  }
}

{
  fate = $5 == "stillborn" ? "stillborn" : $5 ~ /^\?/ ? "error" : $5 == "-" ? "open" : "killed"
  for (k = 1; k <= n; k++) {
    if ((lined[k] ? $4 " @ " $6 : $4) !~ re[k]) continue
    used[k] = 1
    if (fate == "open") fate = "explained"
    if (fate == "killed") print "wide", pattern[k], $1, $2, $4 > "/dev/stderr"
  }
  if (fate == "open" && $1 == "rtl" && index(" " equal " ", " " $2 " ")) fate = "equal"
  print $1, $2, $3, $4, $5, fate
}

END { for (k = 1; k <= n; k++) if (!used[k]) print "unused", pattern[k] > "/dev/stderr" }
