#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every bad input of tests/data/bad is refused: exit status 2, the expected message on stderr, nothing on stdout, no file
# written. A case is a file; the folder's expect.tsv has a line for each in their order: name, tab, text that the message contains.
#   about/NAME.yaml: list kernels, with this manifest.  plan/NAME.yaml: sweep.
#   ptx/NAME.ptx: analyze.  sass/NAME.dot: analyze --intervals --cfg.  launch/NAME.launch: run.  config/NAME.conf: --config.  cli/NAME.args: an argument a line.
. "$(dirname "$0")/../lib.sh"

try() {   # name, expected text, command...
  local name=$1 want=$2 status
  shift 2
  "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  status=$?
  if [ "$status" -ne 2 ]; then
    not_ok "$name" "exit status $status, expected 2" "$(head -n 3 "$tmp/err")"
  elif [ -s "$tmp/out" ]; then
    not_ok "$name" "something on standard output:" "$(head -n 3 "$tmp/out")"
  elif ! grep -qF -- "$want" "$tmp/err"; then
    not_ok "$name" "expected: $want" "found:    $(head -n 3 "$tmp/err")"
  elif [ -n "$(ls -A "$tmp/written")" ]; then
    not_ok "$name" "left behind: $(ls "$tmp/written")"
  else
    ok "$name"
  fi
}

# What is wrong with a folder's table: cases without a line, lines without a case, out of order, twice, or without a text.
wrong_lines() {   # folder
  diff <(cut -f 1 "$1/expect.tsv") <(cd "$1" && printf '%s\n' * | grep -vx expect.tsv)
  awk -F'\t' 'NF != 2 || $2 == "" { print "line " NR ": found " NF " fields, expected a name and a text" }' "$1/expect.tsv"
}
whole_table() {   # name, folder, what is expected of wrong_lines
  local found
  found=$(wrong_lines "$2")
  # shellcheck disable=SC2053  # $3 is a pattern: the order of diff's lines is not of interest
  if [[ $found == $3 ]]; then ok "$1"; else not_ok "$1" "expected '$3', found:" "$found"; fi
}
try_case() {   # file, expected text
  local f=$1 command
  case $f in
    *.ptx) command=("$regtwin" analyze "$f") ;;
    *.dot) command=("$regtwin" analyze --intervals --cfg "$f") ;;
    *.launch) command=("$regtwin" run "$f" --json "$tmp/written/x.json") ;;
    *.conf) command=("$regtwin" run vecadd --size small --config "$f" --json "$tmp/written/x.json") ;;
    */plan/*.yaml) command=("$regtwin" sweep "$f" --db "$tmp/written/x.db") ;;
    *.yaml)
      mkdir -p "$tmp/traces"
      cp -r traces/kernels/vecadd "$tmp/traces"
      cp "$f" "$tmp/traces/vecadd/about.yaml"
      command=(env REGTWIN_TRACES="$tmp/traces" "$regtwin" list kernels)
      ;;
    *.args)
      mapfile -t words <"$f"
      command=("$regtwin" "${words[@]//@TMP@/$tmp}")
      ;;
    *) not_ok "$f" 'found a case of no known kind'; return ;;
  esac
  try "$f" "$2" "${command[@]}"
}

mkdir "$tmp/written"
for folder in tests/data/bad/*; do
  whole_table "$folder: a line for each case, a case for each line" "$folder" ''
  while IFS=$'\t' read -r file want; do try_case "$folder/$file" "$want"; done <"$folder/expect.tsv"
done

# The check of the tables sees each fault.
mkdir "$tmp/planted"
touch "$tmp/planted"/{a,b,c}.ptx
planted() {   # name, pattern, lines of the table...
  printf '%b\n' "${@:3}" >"$tmp/planted/expect.tsv"
  whole_table "planted: $1" "$tmp/planted" "$2"
}
planted 'a whole table' '' 'a.ptx\tx' 'b.ptx\ty' 'c.ptx\tz'
planted 'a case without a line' '*> b.ptx*' 'a.ptx\tx' 'c.ptx\tz'
planted 'a line without a case' '*< d.ptx*' 'a.ptx\tx' 'b.ptx\ty' 'c.ptx\tz' 'd.ptx\tz'
planted 'a line twice' '*< a.ptx*' 'a.ptx\tx' 'a.ptx\tx' 'b.ptx\ty' 'c.ptx\tz'
planted 'a line without a text' 'line 2: found 2 fields*' 'a.ptx\tx' 'b.ptx\t' 'c.ptx\tz'
