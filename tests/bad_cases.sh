#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reads the bad inputs of a kind: tests/bad_cases.sh TEXT FOLDER writes each case as a file into FOLDER and prints its
# name, a tab and the expected message. tests/bad_cases.h is the same reader for C programs; both refuse the same files with the same words.
#
#   # comments, before the first case
#   === NAME: MESSAGE
#   the lines of the input, up to the empty line before the next case
#
#   === NAME (file): MESSAGE
#
# The names are in the order of their bytes, each once. A line of an input consists of printable ASCII and tabs, does not end with a blank
# or a tab, and does not begin with ===. Any other input is the file tests/data/bad/KIND/NAME; its case is marked (file) and has no lines.
set -euo pipefail
export LC_ALL=C
if [ $# -ne 2 ]; then
  echo 'usage: tests/bad_cases.sh TEXT FOLDER' >&2
  exit 2
fi
kind=$1 to=$2
files=${kind%.txt}   # the folder of the cases marked (file)
wrong() { echo "$kind${1:+:$1}: error: $2" >&2; exit 2; }   # line or nothing, text

if [ ! -f "$kind" ]; then wrong '' 'found no such file, expected the cases of a kind'; fi
if line=$(grep -anm1 $'[^\t -~]' "$kind" | cut -d : -f 1); then
  wrong "$line" "found a byte that is not printable ASCII, expected such an input as a file, '=== NAME (file): MESSAGE'"
fi
if [ -n "$(tail -c 1 "$kind")" ]; then wrong "$(grep -c '' "$kind")" 'found no newline at the end, expected one'; fi
mkdir -p "$to"
awk -v kind="$kind" -v to="$to" -v files="$files" -v q="'" -v there="$(find "$files" -mindepth 1 -printf '%P\n' 2>/dev/null | sort)" '
  function wrong(line, text) { printf "%s%s: error: %s\n", kind, line ? ":" line : "", text >"/dev/stderr"; failed = 1; exit 2 }
  function shown(   s) { s = substr($0, 1, 60); gsub(/\t/, "\\t", s); return q s q }
  BEGIN { nfile = split(there, file, "\n"); for (i = 1; i <= nfile; i++) unused[file[i]] }
  /[\t ]$/ { wrong(NR, "found a blank or a tab at the end of the line, expected none") }
  /^===/ {
    if ($0 !~ /^=== [A-Za-z0-9_.+-]+( \(file\))?: [^\t ][^\t]*$/)
      wrong(NR, "found " shown() ", expected " q "=== NAME: MESSAGE" q " or " q "=== NAME (file): MESSAGE" q)
    if (n && !gap) wrong(NR, "found a case directly after the line before it, expected an empty line between them")
    gap = 0
    name[++n] = message[n] = substr($0, 5)
    sub(/^[^:]*: /, "", message[n])
    sub(/:.*/, "", name[n])
    is_file[n] = sub(/ \(file\)$/, "", name[n])
    if (n > 1 && name[n] <= name[n - 1])
      wrong(NR, "found case " q name[n] q " after " q name[n - 1] q ", expected the names in order, each once")
    if (is_file[n] && !(name[n] in unused)) wrong(NR, "found no file " q files "/" name[n] q ", expected the input of the case")
    if (is_file[n]) delete unused[name[n]]
    next
  }
  !n && $0 != "" && !/^#/ { wrong(NR, "found " shown() ", expected a comment or " q "=== NAME: MESSAGE" q) }
  n && is_file[n] && (gap || $0 != "") { wrong(NR, "found " shown() ", expected no line, since the input is a file") }
  n {
    if (gap) input[n] = input[n] "\n"
    gap = $0 == ""
    if (!gap) input[n] = input[n] $0 "\n"
  }
  END {
    if (failed) exit 2
    if (!n) wrong(NR + 1, "found no case, expected " q "=== NAME: MESSAGE" q)
    if (gap) wrong(NR, "found an empty line at the end, expected none")
    for (i = 1; i <= nfile; i++)
      if (file[i] in unused) wrong(0, "found file " q files "/" file[i] q ", expected a case " q "=== " file[i] " (file): MESSAGE" q)
    for (i = 1; i <= n; i++) {
      if (!is_file[i]) {
        printf "%s", input[i] >(to "/" name[i])
        close(to "/" name[i])
      }
      print name[i] "\t" message[i]
    }
  }' "$kind"
if [ -d "$files" ]; then cp "$files"/* "$to"; fi
