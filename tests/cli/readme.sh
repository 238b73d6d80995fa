#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The README: at most 900 words, eight commands, no sentence above 25 words; what it prints of a command is the command's output. docs/use/commands.md has
# every command, with options that are there.
. "$(dirname "$0")/../lib.sh"

commands() { sed -E ':a; /\\$/{N; s/\\\n +//; ba}' "$1" | awk '/^```/ { inside = !inside; next } inside && /^(\$ )?(git|make|build\/)/'; }
words() { wc -w <"$1"; }
long() { awk -f tests/prose.awk "$1" | awk -F '\t' '$1 > 25'; }
check "$(words README.md) words are at most 900" test "$(words README.md)" -le 900
equal 'commands' "$(commands README.md | wc -l)" 8
equal 'sentences above 25 words' "=$(long README.md)" =
check 'sentences are found' test "$(awk -f tests/prose.awk README.md | wc -l)" -gt 40
has 'make test in the first block' '^make test +# ' <(awk '/^```/ { n++ } n == 1' README.md)
# So many columns a page of a repository shows without cutting them off.
wide() { awk '/^```/ { inside = !inside; next } inside && length > 97 { print FILENAME ":" FNR }' "$@"; }
equal 'lines of code above 97 columns' "=$(wide README.md docs/use/commands.md)" =
equal 'one picture' "$(grep -c '^!\[' README.md)" 1
{
  cat README.md
  echo 'This sentence has [six and twenty words](docs/none.md) of which each one is counted by the test that reads it, so that it is too long, as it is meant. Not this one.'
} >"$tmp/planted.md"
equal 'a planted sentence is seen' "$(long "$tmp/planted.md" | cut -f 1)" 29

# ---- what is printed of a command
commands README.md | sed -n 's/^\$ \(build.*\)/\1/p' | sed 's/ *#.*//' >"$tmp/printed"
shown=0
while read -r c; do
  awk -v command="$c" -f tests/page_output.awk README.md >"$tmp/lines" || continue   # no output is printed of it
  shown=$((shown + 1))
  read -ra words <<<"$c"
  "${words[@]}" --jobs 1 >"$tmp/out" 2>"$tmp/err"
  equal "$c: exit status" $? 0
  check "its $(wc -l <"$tmp/lines") lines" awk -v command="$c" -v output="$tmp/out" -f tests/page_output.awk README.md
  check 'at least five' test "$(wc -l <"$tmp/lines")" -ge 5
  sed 's/1\.0/1.9/; s/(warps)/(registers)/' "$tmp/out" >"$tmp/other"
  check 'another output is seen' test -n "$(awk -v command="$c" -v output="$tmp/other" -f tests/page_output.awk README.md)"
done <"$tmp/printed"
equal 'commands whose output is printed' "$shown" 2

# ---- the list of all commands
page=docs/use/commands.md
sed -n 's/.*{"\([a-z]*\)", cmd_[a-z]*}.*/\1/p' cmodel/cli/main.c >"$tmp/all"
check 'commands are found' test "$(wc -l <"$tmp/all")" -gt 15
while read -r c; do grep -qE "regtwin $c\b" $page || echo "$c"; done <"$tmp/all" >"$tmp/missing"
check 'every command is on the page' diff /dev/null "$tmp/missing"
unknown() {   # page: options in its commands that --help has not
  local command rest option of
  sed -E ':a; /\\$/{N; s/\\\n +//; ba}' "$1" | grep -oE '^build/regtwin .*' | sed 's/ #.*//; s/ -- .*//' | while read -r _ command rest; do
    case $command in trace | results) of=${rest%% *} ;; *) of='' ;; esac
    "$regtwin" "$command" ${of:+"$of"} --help >"$tmp/help"
    grep -oE -- '(^| )--?[a-z][a-z-]*' <<<"$rest" | while read -r option; do
      grep -qE -- "^ +(-., )?$option\b|^ +$option," "$tmp/help" || echo "$command $option"
    done
  done
}
equal 'its options are there' "=$(unknown $page)" =
sed 's/--against/--agains/' $page >"$tmp/planted.md"
equal 'and a wrong one is seen' "$(unknown "$tmp/planted.md")" 'map --agains'
