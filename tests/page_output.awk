# SPDX-License-Identifier: Apache-2.0
# Lines that a page prints of a command: awk -v command='make cosim BLOCK=slice/vc' -f tests/page_output.awk PAGE prints the lines below "$ COMMAND" in
# a fenced block; a command may go on after a backslash. With -v output=FILE it holds them against a file: each must begin a line of it, in their order,
# but "..." stands for any lines or any text. Prints those that do not; exit status 1 if there are some or if the page has none.
BEGIN {
  while (output != "" && (getline line <output) > 0) text[++lines] = line
}
# True if a line begins with what a page shows of it.
function begins(line, shown,    piece, n, k, at) {
  n = split(shown, piece, / *[.][.][.] */)
  for (k = 1; k <= n; k++) {
    at = piece[k] == "" ? 1 : index(line, piece[k])
    if (!at || (k == 1 && at != 1)) return 0
    line = substr(line, at + length(piece[k]))
  }
  return 1
}
/^```/ { inside = !inside; at = 0; next }
inside && /\\$/ { joined = joined substr($0, 1, length($0) - 1); next }
inside && joined != "" { sub(/^ +/, ""); $0 = joined $0; joined = "" }
inside && /^\$ / { at = index($0, "$ " command) == 1 && substr($0, length(command) + 3) ~ /^( +#.*)?$/; next }
at {
  shown++
  if (output == "") print
  else if ($0 !~ /^ *[.][.][.]$/) {
    for (k = next_line + 1; k <= lines && !begins(text[k], $0);) k++
    if (k <= lines) next_line = k
    else { print; wrong = 1 }
  }
}
END { exit wrong || !shown }
