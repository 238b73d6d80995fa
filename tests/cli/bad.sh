#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every bad input of tests/bad is refused: exit status 2, the expected message on stderr, nothing on stdout, no file
# written. A case is a file and, beside it, NAME.expect: text that the message contains.
#   about/NAME.yaml: list kernels, with this manifest.
#   ptx/NAME.ptx: analyze.  launch/NAME.launch: run.  config/NAME.conf: --config.  cli/NAME.args: an argument a line.
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

mkdir "$tmp/written"
for f in tests/bad/*/*; do
  case $f in
    *.expect) continue ;;
    *.ptx) command=("$regtwin" analyze "$f") ;;
    *.launch) command=("$regtwin" run "$f" --json "$tmp/written/x.json") ;;
    *.conf) command=("$regtwin" run vecadd --size small --config "$f" --json "$tmp/written/x.json") ;;
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
    *) continue ;;   # what a case needs beside it
  esac
  expect=${f%.*}.expect
  [ -e "$f.expect" ] && expect=$f.expect
  if [ ! -s "$expect" ]; then not_ok "$f" "no $expect"; continue; fi
  want=$(head -n 1 "$expect")
  try "$f" "$want" "${command[@]}"
done
