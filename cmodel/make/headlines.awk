# SPDX-License-Identifier: Apache-2.0
# The README's table of the five papers: awk -f cmodel/make/headlines.awk docs/results/headlines.tsv. Reads the figures from the pages of the results,
# between the marks where make results-PAPER wrote them (make headlines-page; tests/cli/headlines.sh).
BEGIN { FS = "\t" }

function fail(text) {
  print "headlines: " FILENAME ":" FNR ": " text >"/dev/stderr"
  failed = 1
  exit 2
}
# The heading's anchor, as GitHub makes it.
function anchor(heading) {
  heading = tolower(heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}
# Reads a page's section of an experiment: ours[] and paper[] by row, heading, machine, kernels, mean.
function read_section(page, experiment,    file, line, cell, n, made, inside, table, done) {
  split("", ours)
  split("", paper)
  heading = machine = mean = ""
  kernels = 0
  file = "docs/results/" page ".md"
  while ((getline line <file) > 0) {
    if (line == "<!-- experiments -->") made = 1
    if (line == "<!-- end of experiments -->") made = 0
    if (line ~ /^## /) {
      inside = made && index(line, "## " experiment ": ") == 1
      if (inside) heading = substr(line, 4)
    }
    if (!inside) continue
    if (match(line, /One SM of [a-z0-9]+/)) machine = substr(line, RSTART + 10, RLENGTH - 10)
    if (line ~ /^\|.*\| ours \| paper \|$/) { table = "claims"; continue }
    if (line ~ /^\|  \| \|/ && !done) { table = "kernels"; done = 1; continue }
    if (line !~ /^\|/) { table = ""; continue }
    n = split(line, cell, / *\| */)
    if (table == "claims" && n == 5) { ours[cell[2]] = cell[3]; paper[cell[2]] = cell[4] }
    if (table == "kernels" && cell[2] != "---") {
      if (cell[2] ~ /^(geometric )?mean$/) mean = cell[2] == "mean" ? "arithmetic mean" : cell[2]
      if (cell[2] !~ /^(geometric )?mean(,|$)/) kernels++
    }
  }
  close(file)
}
# Our figure in a row of the section that was read.
function figure(row) {
  if (!(row in ours) || ours[row] !~ /^[0-9.]+$/) fail("found no figure in row '" row "' of " $3 " in docs/results/" $2 ".md, expected one of its table 'ours | paper'")
  return ours[row]
}

/^#/ { next }
NF != 7 { fail("found " NF " columns, expected 7: architecture, page, experiment, row, measure, again, why") }
$6 != "*" && $6 != "-" { fail("found '" $6 "' in the column again, expected * or -") }
{
  read_section($2, $3)
  value = figure($4)
  if (!kernels || mean == "" || machine == "") fail("found no machine, kernels or mean in " $3 " of docs/results/" $2 ".md")
  why = $7
  while (match(why, /\{[^}]*\}/)) why = substr(why, 1, RSTART - 1) figure(substr(why, RSTART + 1, RLENGTH - 2)) substr(why, RSTART + RLENGTH)
  if (!rows++) print "| architecture | measure | paper | ours | why they differ |\n|---|---|--:|--:|---|"
  printf "| [%s](docs/results/%s.md#%s) | %s; %s of %d kernels on %s | %s | %s%s | %s |\n", $1, $2, anchor(heading), $5, mean, kernels, machine, paper[$4], value, $6 == "*" ? "\\*" : "", why
}
END { if (!failed && !rows) { print "headlines: found no row" >"/dev/stderr"; exit 2 } }
