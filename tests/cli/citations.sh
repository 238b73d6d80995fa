#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What pages, comments, strings, schema and messages cite is in this repository: links of pages, names of files, documents by name.
# needs: binary
. "$(dirname "$0")/../lib.sh"

# Names that a build, a test or a user makes, names with a placeholder (NAME.launch, S/B.md), places outside and hooks.
made='^(synth\.(tsv|html)|/.*|build/.*|(.*/)?[A-Z]+(_[a-z]+)?\.(c|h|sv|cl|def|tsv|conf|yaml|launch|args)|(.*/)?[A-Z]+/.*|(\./)?(my|x|k)\..*|(saxpy|triad)\..*|darker/.*|pause/.*'
made+='|(cells|memories|slack)\.tsv|paths\.txt|V[a-z]+(___024root)?\.h|state\.vlt|sc_blocks\.def|sm_blocks\.def|opencl-c\.h|cuda_runtime\.h|crt/host_runtime\.h|assert\.h|(cmocka|jansson|yaml|png)\.h|residency\.launch|SYSTEM-BLOCK|BLOCK-KERNEL|(.*/)?NAME\.(md|sh))$'

files() { find . -name .git -prune -o -path ./build -prune -o -type f -printf '%P\n'; }
files | sort >"$tmp/all"

# Comments of C, Verilog and C++ (// and /* */), of scripts, makefiles and configuration (#); pages whole; schema and
# other .def files whole, since their strings are shown to the user. FILE:LINE TEXT
texts() {
  local f
  while read -r f; do
    case $f in
      tests/cli/citations.sh | LICENSE) ;;
      *.md | *.def | cmodel/make/install/*.1) awk -v f="$f" '{ print f ":" FNR "\t" $0 }' "$f" ;;
      *.c | *.h | *.sv | *.v | *.cpp | *.cl)
        awk -v f="$f" '{
          s = $0; out = ""
          while (s != "") {
            if (inside) {
              n = index(s, "*/")
              out = out " " (n ? substr(s, 1, n - 1) : s)
              s = n ? substr(s, n + 2) : ""
              inside = !n
            } else {
              a = index(s, "/*"); b = match(s, /(^|[ \t;)}])\/\/ /)
              if (b && (!a || b < a)) { out = out " " substr(s, b + 2); s = "" }
              else if (a) { inside = 1; s = substr(s, a + 2) }
              else s = ""
            }
          }
          if (out != "") print f ":" FNR "\t" out
        }' "$f" ;;
      *.sh | *.mk | *.yaml | *.conf | *.launch | *.awk | Makefile)
        awk -v f="$f" '{ n = match($0, /(^|[ \t])# /); if (n) print f ":" FNR "\t" substr($0, n) }' "$f" ;;
    esac
  done <"$tmp/all"
}

made+='|^IMNMX T[0-9]$'   # an instruction and its operand (cmodel/trace/accelsim/division.def)
# Strings of C files, which the program shows. FILE:LINE TEXT
strings_of() {   # files
  awk '!/^[ \t]*#/ {
    s = $0; out = ""
    while (match(s, /"([^"\\]|\\.)*"/)) { out = out " " substr(s, RSTART + 1, RLENGTH - 2); s = substr(s, RSTART + RLENGTH) }
    if (out != "") print FILENAME ":" FNR "\t" out
  }' "$@"
}

# Files that a page gives its reader, as block "```LANGUAGE FILE", and the wires that make writes for a net of theirs: PAGE FILE
given_by() {   # pages
  awk 'FNR == 1 { inside = 0 } /^```/ { inside = !inside; if (inside && NF == 2) print FILENAME, $2 } inside && /^NET\(/ { gsub(/^NET\(|\).*/, ""); print FILENAME, "gen/nets/" $0 ".def" }' "$@"
}
mapfile -t pages < <(grep '\.md$' "$tmp/all")
given_by "${pages[@]}" >"$tmp/given"
here() {   # cited name, file that cites it
  local at=${2%/*}
  [ "$at" = "$2" ] && at=.
  [ -e "$1" ] || [ -e "$at/$1" ] || [ -e "cmodel/$1" ] || grep -qxE "$2 (cmodel/)?${1//./\\.}" "$tmp/given" || grep -qE "(^|/)${1//./\\.}\$" "$tmp/all"
}

cited() { awk -F'\t' '/\t$/ && /:[0-9]+\t$/ { at = $1; next } { print at "\t" $0 }'; }
# A document by name alone: BLOCKS section 2, BLOCKS, section 2, BLOCKS, L32, BLOCKS M23, design/ANYTHING, NAME-OF-A-PAGE.
documents() {   # texts
  grep -oE $'^[^\t]*\t|\\b(design|papers)/[A-Za-z0-9_.-]+|\\b[A-Z]{5,},? (section|decision) [0-9]|\\b[A-Z]{4,} section [0-9]|\\b[A-Z]{5,}(, [A-Z]{1,2}| [DFLMST])[0-9]{1,2}\\b|\\b[A-Z]{5,}(-[A-Z]{3,})+\\b' "$1" | cited
}
# A decision, or a section, that its page does not have: PAGE.md, L32; PAGE.md, decision 23; PAGE.md, section 3.
decisions() {   # texts
  local at name page key
  grep -oE $'^[^\t]*\t|[A-Za-z0-9_./-]+\\.md, ([A-Z]{1,2}[0-9]{1,2}|(decision|section) [0-9]+)\\b' "$1" | cited | while IFS=$'\t' read -r at name; do
    page=${name%%, *} key=${name##*, }
    if [ ! -e "$page" ]; then echo "$at"$'\t'"$name"
    elif [[ $key == section* ]]; then grep -qE "^#+ ${key#section }\b" "$page" || echo "$at"$'\t'"$name"
    elif [[ $key == decision* ]]; then grep -q "^${key#decision }\. " "$page" || echo "$at"$'\t'"$name"
    else grep -qE "^(\|.*\b|#.*\b)$key\b" "$page" || echo "$at"$'\t'"$name"; fi
  done
}

# FILE:LINE NAME of whatever is cited and is not here.
absent() {   # texts
  {
    # a name with an ending of ours, as a word
    grep -oE $'^[^\t]*\t|(^|[ \t(`"\'[])[A-Za-z0-9_.*/-]*[A-Za-z0-9_*]\\.(md|txt|c|h|def|sv|sh|yaml|mk|cl|launch|tsv|conf|vlt|awk)\\b' "$1" |
      awk -F'\t' '/\t$/ && /:[0-9]+\t$/ { at = $1; next } { sub(/^[ \t(`"\x27[]/, ""); print at "\t" $0 }'
    # a link of a page
    grep -E '^[^:]*\.md:' "$1" | grep -oE $'^[^\t]*\t|\\]\\([^)#: ]+' |
      awk -F'\t' '/\t$/ { at = $1; next } { sub(/^\]\(/, ""); print at "\t" $0 }'
    documents "$1"
    decisions "$1"
  } | sort -u | while IFS=$'\t' read -r at name; do
    [[ $name =~ $made ]] || [[ $name == *'*'* ]] || here "$name" "${at%%:*}" || echo "$at $name"
  done
}

# The same of strings, of which only documents and pages are cited: their other names are examples.
absent_in_strings() {   # texts
  {
    documents "$1"
    decisions "$1"
    grep -oE $'^[^\t]*\t|\\bdocs/[A-Za-z0-9_/.-]+\\.md\\b' "$1" | cited
  } | while IFS=$'\t' read -r at name; do [[ $name =~ $made ]] || [ -e "$name" ] || echo "$at $name"; done
}

texts >"$tmp/texts"
build/regtwin config --explain | awk '{ print "config --explain:" FNR "\t" $0 }' >>"$tmp/texts"
absent "$tmp/texts" >"$tmp/absent"
mapfile -t c < <(grep -E '\.(c|h|cpp)$' "$tmp/all")
strings_of "${c[@]}" >"$tmp/strings"
absent_in_strings "$tmp/strings" >>"$tmp/absent"
check "every citation of $(cut -f1 "$tmp/texts" | cut -d: -f1 | sort -u | wc -l) files is of something that is here" \
  diff /dev/null "$tmp/absent"

# That it sees what it is for.
{
  printf 'cmodel/x.c:1\t see BLOCKS.md 2.1\n'
  printf 'docs/p.md:%d\t%s\n' 2 '[a](no/page.md) and "sm/gone.c"' 3 'RegTwin: ARCHITECTURE section 5' \
    4 'design/NOTES, papers/ltrf.txt, PAPER-NUMBERS' 6 '(BLOCKS, L32) hit ratio: BLOCKS M23' 7 '(a cycle: BLOCKS, section 4)' \
    8 'docs/reference/timing.md, decision 23; docs/reference/timing.md, decision 99; docs/blocks/ltrf/overview.md, T14; docs/blocks/ltrf/overview.md, T99; docs/reference/timing.md, section 3' 5 '"sm/cycle.c", [b](timing.md), build/x.md, NAME.conf'
} >"$tmp/planted"
printf '%s\n' '```c cmodel/mine/k.c' 'NET(keep)' '```' >"$tmp/page.md"
given_by "$tmp/page.md" | sed "s|^$tmp|docs|" >>"$tmp/given"
for name in cmodel/mine/k.c mine/k.c gen/nets/keep.def; do check "a file that a page gives its reader: $name" here $name docs/page.md; done
check 'on another page it is not' test "$(here cmodel/mine/k.c docs/other.md || echo absent)" = absent
printf '%s\n' 'static const char *why = "as \"written\" (BLOCKS, L43)", *page = "docs/gone.md", *here = "docs/reference/timing.md";' >"$tmp/x.c"
strings_of "$tmp/x.c" >"$tmp/strings"
equal 'planted ones in strings are seen' "$(absent_in_strings "$tmp/strings" | cut -d' ' -f2- | paste -sd'|')" 'BLOCKS, L43|docs/gone.md'
absent "$tmp/planted" | cut -d' ' -f2- | sort >"$tmp/seen"
printf '%s\n' 'ARCHITECTURE section 5' 'BLOCKS M23' 'BLOCKS, L32' 'BLOCKS, section 4' 'docs/reference/timing.md, decision 99' 'docs/reference/timing.md, section 3' 'docs/blocks/ltrf/overview.md, T99' BLOCKS.md PAPER-NUMBERS design/NOTES no/page.md papers/ltrf.txt sm/gone.c | sort >"$tmp/expected"
same 'planted ones are seen' "$tmp/expected" "$tmp/seen"
check 'nothing at the top level but what belongs there' \
  test -z "$(find . -maxdepth 1 -type f ! -name '.*' ! -name Makefile ! -name README.md ! -name CONTRIBUTING.md \
    ! -name LICENSE ! -name compile_commands.json ! -name tags)"
