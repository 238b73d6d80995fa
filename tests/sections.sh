#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Keys of a system's folder stand in a section of its own, called as the folder or as one of its choices, which the core does not
# have. make runs it; prints FILE:LINE:COLUMN of every other one, and fails.
#   tests/sections.sh SCHEMA FOLDER...     cmodel/config/schema.def, folders with choices.def and keys.def
set -euo pipefail
export LC_ALL=C
schema=$1
shift
files=("$schema")
for d in "$@"; do
  for f in "$d/choices.def" "$d/keys.def"; do if [ -f "$f" ]; then files+=("$f"); fi; done
done
awk '
  # The line without comments and strings, blanks in their place. within: inside a comment, "/", or a string, "\""
  function bare(line,   out, i, c, two) {
    for (i = 1; i <= length(line); i++) {
      c = substr(line, i, 1)
      two = substr(line, i, 2)
      if (within == "/") { if (two == "*/") { within = ""; i++; out = out " " } }
      else if (within == "\"") { if (c == "\\") { i++; out = out " " } else if (c == "\"") within = "" }
      else if (two == "/*") { within = "/"; i++; out = out " " }
      else if (two == "//") break
      else if (c == "\"") within = "\""
      else { out = out c; continue }
      out = out " "
    }
    return out
  }
  function bad(at, text) { print at ": error: " text > "/dev/stderr"; status = 1 }
  # One name or sign after the other: a macro of these, "(", and the first (of RENAMED the second) argument.
  function take(word, at) {
    if (!expect && word ~ /^(INT|BOOL|ENUM|PATH|WORD|SLOT|RENAMED|CHOICE)$/) { macro = word; expect = 1; return }
    if (expect == 1) expect = word == "(" ? (macro == "RENAMED" || macro == "CHOICE" ? 2 : 4) : 0
    else if (expect == 2) expect = 3
    else if (expect == 3) expect = word == "," ? 4 : 0
    else if (expect == 4) { expect = 0; found(word, at) }
  }
  function found(name, at) {
    if (macro == "CHOICE") { own[folder, name] = 1; names[folder] = names[folder] ", " name; return }
    if (FILENAME == schema) { if (macro != "RENAMED") core[name] = 1; return }
    if (macro == "SLOT") bad(at, "found a slot '\''" name "'\'' in a system'\''s folder, expected keys only: slots are the core'\''s")
    else if (name in core)
      bad(at, "found section '\''" name "'\'', which is the core'\''s (" schema "), expected one of the folder'\''s own: " expected())
    else if (name != folder && !((folder, name) in own)) bad(at, "found section '\''" name "'\'', expected " expected())
  }
  function expected() {
    return "'\''" folder "'\'', the folder'\''s name" (names[folder] == "" ? "" : ", or one of its choices: " substr(names[folder], 3))
  }
  FNR == 1 { n = split(FILENAME, part, "/"); folder = part[n - 1]; expect = 0; within = "" }
  /^[ \t]*#/ { next }
  {
    line = bare($0)
    for (at = 1; match(substr(line, at), /[A-Za-z_0-9]+|[^ \tA-Za-z_0-9]/); at += RSTART + RLENGTH - 1)
      take(substr(line, at + RSTART - 1, RLENGTH), FILENAME ":" FNR ":" at + RSTART - 1)
  }
  END { exit status }' schema="$schema" "${files[@]}"
