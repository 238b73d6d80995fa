#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every bad input of tests/data/bad is refused: exit status 2, the expected message on stderr, nothing on stdout, no file
# written. tests/cli/bad.sh KIND/NAME... runs these alone. A case is in a kind's text (its form: tests/bad_cases.sh):
#   about NAME.yaml: list kernels --limits, with this manifest.  plan NAME.yaml: sweep.
#   ptx NAME.ptx: analyze.  sass NAME.dot: analyze --intervals --cfg.  launch NAME.launch: run.  config NAME.conf: --config.  cli NAME.args: an argument a line.
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

# Writes the cases of a kind as files, and their names and messages into FOLDER.cases; says where the text does not fit its form.
whole_table() {   # name, a kind's text, folder, pattern of what the reader says
  local found
  found=$(tests/bad_cases.sh "$2" "$3" 2>&1 >"$3.cases")
  # shellcheck disable=SC2053  # $4 is a pattern
  if [[ $found == $4 ]]; then ok "$1"; else not_ok "$1" "expected '$4', found:" "$found"; fi
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
      command=(env REGTWIN_TRACES="$tmp/traces" "$regtwin" list kernels --limits)
      ;;
    *.args)
      mapfile -t words <"$f"
      command=("$regtwin" "${words[@]//@TMP@/$tmp}")
      ;;
    *) not_ok "$f" 'found a case of no known kind'; return ;;
  esac
  try "$f" "$2" "${command[@]}"
}

# The commands run in a tree of links to this one, with each case as the file tests/data/bad/KIND/NAME: messages name that path.
root=$PWD
mkdir -p "$tmp/written" "$tmp/tree/tests/data/bad"
for f in * tests/* tests/data/*; do [ -e "$tmp/tree/$f" ] || ln -s "$root/$f" "$tmp/tree/$f"; done
cd "$tmp/tree" || exit 1

# All kinds first: arguments name files of other kinds.
for text in "$root"/tests/data/bad/*.txt; do
  folder=tests/data/bad/$(basename "$text" .txt)
  whole_table "$folder: a line for each case, a case for each line" "$text" "$folder" ''
done >"$tmp/tables"
if [ $# -eq 0 ]; then cat "$tmp/tables"; else grep -v '^ok' "$tmp/tables"; fi

declare -A only=()
for name in "$@"; do only[tests/data/bad/$name]=1; done
for cases in tests/data/bad/*.cases; do
  while IFS=$'\t' read -r name want; do
    file=${cases%.cases}/$name
    if [ $# -gt 0 ] && [ -z "${only[$file]-}" ]; then continue; fi
    try_case "$file" "$want"
    unset "only[$file]"
  done <"$cases"
done
if [ $# -gt 0 ]; then
  for file in "${!only[@]}"; do not_ok "$file" 'found no such case, expected one of tests/data/bad/*.txt'; done
  exit
fi

# The check of the tables sees each fault. All that the reader refuses: tests/unit/launch_test.c.
mkdir "$tmp/planted"
touch "$tmp/planted/b.ptx"
planted() {   # name, pattern, lines of the text...
  printf '%s\n' "${@:3}" >"$tmp/planted.txt"
  whole_table "planted: $1" "$tmp/planted.txt" "$tmp/planted-cases" "$2"
}
planted 'a whole table' '' '=== a.ptx: x' '' '=== b.ptx (file): y' '' '=== c.ptx: z' 'text'
planted 'a case without a line' "*/planted.txt: error: found file '*/planted/b.ptx', expected a case *" '=== a.ptx: x' '' '=== c.ptx: z'
planted 'a line without a case' "*/planted.txt:5: error: found no file '*/planted/d.ptx', *" '=== a.ptx: x' '' '=== b.ptx (file): y' '' '=== d.ptx (file): z'
planted 'a line twice' "*/planted.txt:3: error: found case 'a.ptx' after 'a.ptx', *" '=== a.ptx: x' '' '=== a.ptx: x' '' '=== b.ptx (file): y'
planted 'a line without a text' "*/planted.txt:3: error: found '=== b.ptx (file):', *" '=== a.ptx: x' '' '=== b.ptx (file):'
