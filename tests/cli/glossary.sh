#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/start/glossary.md: in order, one or two sentences a word, and the word stands where the entry says that it is to be seen. The special words of the
# README and of --help have entries: abbreviations, words in italics, what 'regtwin list' takes.
# shellcheck disable=SC2016   # backquotes are of the page
. "$(dirname "$0")/../lib.sh"
page=docs/start/glossary.md

sed -n 's/^| \(.*\) | \(.*\) | \(.*\) |$/\1\t\2\t\3/p' $page | sed 1d >"$tmp/entries"
cut -f 1 "$tmp/entries" >"$tmp/words"
check "$(wc -l <"$tmp/words") words" test "$(wc -l <"$tmp/words")" -gt 50
sort -f "$tmp/words" >"$tmp/sorted"
same 'in order' "$tmp/sorted" "$tmp/words"
equal 'no word twice' "=$(sort "$tmp/words" | uniq -d)" =
equal 'one or two sentences each' "=$(awk -F '\t' '{ n = gsub(/[.](\)| |$)/, "", $2); if (n < 1 || n > 2) print $1 }' "$tmp/entries")" =
check 'no sentence above 35 words' test -z "$(awk -f tests/prose.awk $page | awk -F '\t' '$1 > 35')"

anchors() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
# Entries whose word does not stand where they send the reader: a page, a section of it, or a command's output.
lost() {   # entries
  local word where path section
  while IFS=$'\t' read -r word _ where; do
    case $where in
      '`regtwin '*)
        where=${where#'`regtwin '} where=${where%'`'}
        # shellcheck disable=SC2086
        "$regtwin" $where >"$tmp/shown" 2>"$tmp/err" || echo "$word: regtwin $where fails"
        [ -s "$tmp/shown" ] || echo "$word: regtwin $where shows nothing" ;;
      '['*')')
        path=${where##*(} path=${path%)} section=''
        [[ $path != *'#'* ]] || section=${path#*#}
        path=$(realpath -m --relative-to=. "docs/start/${path%%#*}")
        if [ ! -f "$path" ]; then echo "$word: no $path"; continue; fi
        [ -z "$section" ] || anchors "$path" | grep -x -- "$section" >/dev/null || echo "$word: no section $section in $path"
        grep -qi -- "$word" "$path" || echo "$word: not in $path" ;;
      *) echo "$word: found '$where', expected a link or a command" ;;
    esac
  done <"$1"
}
lost "$tmp/entries" >"$tmp/lost"
check 'each is where the entry says' diff /dev/null "$tmp/lost"
printf '%s\n' $'twig\ta.\t[x](../develop/lockstep.md)' $'twin\ta.\t[x](../develop/lockstep.md#no-such)' $'twin\ta.\t[x](no.md)' \
  $'twin\ta.\t`regtwin list twins`' $'twin\ta.\tthere' $'twin\ta.\t[x](../develop/lockstep.md#the-twin-matrix)' >"$tmp/planted"
equal 'planted ones are seen' "$(lost "$tmp/planted" | wc -l)" 6

# ---- special words have entries
# Abbreviations that everyone knows who compiles a program, units, conferences.
known='ASPLOS|CACTI|CSV|CUDA|GPGPU|GPU|HTML|ICPP|ID|ISCA|JSON|MICRO|PACT|PNG|README|SSIM|SVG|YAML'
# What a command takes, beside what stands behind "=" or in brackets.
takes='ARGUMENT|COMMAND|FILE|KERNEL|KEY|MACHINE|NAME|OTHER|PLAN|PROGRAM|REFERENCE|RUN|SYSTEM'
entry() { grep -qxiE -- "(.*[ -])?$1" "$tmp/words"; }
systems=$(basename -s .conf cmodel/systems/*/*.conf | tr -- '-+_' '\n' | grep -E '^[A-Z]+[0-9]*$' | sort -u | paste -sd '|')
# Abbreviations of a text that have no entry.
unexplained() {   # text
  local w
  grep -oE '[=[|<.][A-Z][A-Z_]+\b' "$1" | tr -d "=[|<." | sort -u >"$tmp/taken"
  sed -E 's/[=[|<.][A-Z][A-Z_]+\b|\b[A-Z]+=//g' "$1" | grep -oE '\b[A-Z][A-Z]+[0-9]*s?\b|\b[A-Z][0-9]\b' | sed 's/s$//' | sort -u |
    grep -vxE "$known|$takes|$systems" | grep -vxFf "$tmp/taken" | while read -r w; do
    entry "$w" || echo "$w"
  done
}
"$regtwin" --help >"$tmp/help"
sed -n 's/.*{"\([a-z]*\)", cmd_[a-z]*}.*/\1/p' cmodel/cli/main.c >"$tmp/commands"
check 'commands are found' test "$(wc -l <"$tmp/commands")" -gt 15
while read -r c; do "$regtwin" "$c" --help; done <"$tmp/commands" >>"$tmp/help"
unexplained "$tmp/help" >"$tmp/missing"
check 'abbreviations of --help' diff /dev/null "$tmp/missing"
awk '/^```/ { inside = !inside; next } !inside && !/^<!--/' README.md | sed -E 's/\]\([^)]*\)/]/g; s/`[^`]*`//g' >"$tmp/readme"
unexplained "$tmp/readme" >"$tmp/missing"
check 'abbreviations of the README' diff /dev/null "$tmp/missing"
{ cat "$tmp/readme"; echo 'The XYZ and the QRSs of an SM.'; } >"$tmp/planted"
equal 'a planted one is seen' "$(unexplained "$tmp/planted" | xargs)" 'QRS XYZ'
grep -oE '(^|[ (])\*[a-z][a-z -]*\*' README.md | tr -d ' (*' | sort -u >"$tmp/italics"
check 'words in italics of the README' test -s "$tmp/italics" -a -z "$(while read -r w; do entry "$w" || echo "$w"; done <"$tmp/italics")"
"$regtwin" list --help | sed -nE '/^ *$/q; s/^  ([a-z]+)  +.*/\1/p' >"$tmp/lists"
check 'lists are found' test "$(wc -l <"$tmp/lists")" -ge 8
while read -r l; do entry "${l%s}" || entry "$l" || grep -qF "\`regtwin list $l\`" $page || echo "$l"; done <"$tmp/lists" >"$tmp/missing"
check 'what regtwin list takes' diff /dev/null "$tmp/missing"
for w in CTA PCRF ACRF 'near bit' class twin set bin stream slot choice system machine; do entry "$w" || echo "$w"; done >"$tmp/missing"
check 'the words that have a meaning of their own' diff /dev/null "$tmp/missing"
has 'the README leads to it' '\(docs/start/glossary\.md\)' README.md
