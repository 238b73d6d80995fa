#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The layers of cmodel/, as docs/start/architecture.md lists them: a file includes headers of its own layer and of layers listed
# before it, and none of another system's folder, so there is no upward edge and no cycle. Prints every include that is not so, with its place.
# A layer is a folder, without those folders in it that are listed, too.
# And the wall around the SM: the headers of its state are included in sm/ alone; a system includes sm/slot_api.h and sm/wires.h of sm/, casts
# neither S nor a view of it, and, preprocessed, converts no pointer to the SM, declares no function of sm/ itself, and has no definition of struct sm
# or of another struct of those headers. Casts that drop const, declarations within functions and those without parameters are errors of the compiler
# there (Makefile). Not seen: a union of a pointer to the SM and another one; such a pointer copied as bytes under another name than S, or as a
# variable argument.
#   tests/layers.sh [TREE]   checks, and that the table in TREE/docs/start/architecture.md shows the includes that there are
#   tests/layers.sh --write  writes that table
# Files in cmodel/ itself are the layer "regtwin"; a system's experiments.c belongs to lab/campaign, which calls it. What make generates (gen/) is not looked at: it lists the systems' files.
set -euo pipefail
export LC_ALL=C
write=
if [ "${1:-}" = --write ]; then write=1; shift; fi
cd "${1:-$(dirname "$0")/..}"
page=docs/start/architecture.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# "## Layers" has one block of code: names, the lowest first.
awk '/^## / { in_it = $0 == "## Layers" } in_it && /^```/ { code = !code; next } in_it && code { for (i = 1; i <= NF; i++) print $i }' \
  "$page" >"$tmp/order"
if [ ! -s "$tmp/order" ]; then echo "$page: error: found no list of layers, expected one in a block below '## Layers'"; exit 1; fi

# FILE:LINE HEADER, of every include in quotes; FILE:LINE ? TEXT, of every other one but those of a file that a macro names
# (blocks/def.h, sm/wires_def.h) and those of the C library. A directive is what the compiler takes for one: lines that end in \ are joined, and
# comments are blanks, before # too.
status=0
# shellcheck disable=SC2016
find cmodel -name '*.[ch]' -o -name '*.def' -o -name '*.inc' | sort |
  xargs awk '
    function bare(text,   out, c) {
      if (comment) {
        if (!match(text, /\*\//)) return ""
        text = substr(text, RSTART + 2)
        comment = 0
      }
      while (match(text, /"|\047|\/\*|\/\//)) {
        out = out substr(text, 1, RSTART - 1)
        c = substr(text, RSTART, 2)
        text = substr(text, RSTART)
        if (c == "//") return out
        if (c == "/*") {
          out = out " "
          if (!(comment = !match(substr(text, 3), /\*\//))) { text = substr(text, RSTART + 4); continue }
          return out
        }
        if (!match(text, /^"([^"\\]|\\.)*"|^\047([^\047\\]|\\.)*\047/)) RLENGTH = 1
        out = out substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
      }
      return out text
    }
    function look(at, h,   f) {
      if (!comment && h !~ /\/\*|(#|%:)[^"]*i/) return
      h = bare(h)
      if (!sub(/^[ \t\f\v]*(#|%:)[ \t\f\v]*/, "", h) || h !~ /^(include|import)/) return
      sub(/[ \t\f\v]+$/, "", h)
      if (match(h, /^include[ \t\f\v]*"[^"]*"/)) { sub(/^[^"]*"/, "", h); sub(/".*/, "", h); print at, h; return }
      if (h ~ /^include[ \t]+(BLOCK|NET)_DEF$/) return
      sub(/^include[ \t\f\v]*/, "", h)
      if (h ~ /^<[^>]*>/) { f = substr(h, 2, index(h, ">") - 2); if ((getline line <("cmodel/" f)) < 0) return }
      print at, "?", h
    }
    FNR == 1 { look(at, text); text = ""; comment = 0 }
    text == "" { at = FILENAME ":" FNR }
    /\\$/ { text = text substr($0, 1, length - 1); next }
    { look(at, text $0); text = "" }
    END { look(at, text) }' >"$tmp/all"
grep -v ' ? ' "$tmp/all" >"$tmp/includes"
while read -r at header; do
  echo "$at: error: found an include of \"$header\", expected its path in plain form: FOLDER/FILE without . and .. and empty parts"
  status=1
done < <(grep -E ' (.*/)?(\.\.?)?/' "$tmp/includes")
while read -r at _ text; do
  echo "$at: error: found an include of $text, expected \"FOLDER/FILE\" in quotes"
  status=1
done < <(grep ' ? ' "$tmp/all")

awk -v table="$tmp/table" '
  function layer(path,   folder) {
    if (path ~ /^systems\/[^\/]*\/experiments\.c:/) return campaign
    if (path !~ /\//) return "regtwin"
    sub(/\/[^\/]*$/, "", path)
    for (folder = path; !(folder in at) && folder ~ /\//;) sub(/\/[^\/]*$/, "", folder)
    return folder in at ? folder : path
  }
  NR == FNR { at[$1] = FNR; name[FNR] = $1; n = FNR; if ($1 ~ /(^|\/)campaign$/) campaign = $1; next }
  {
    file = substr($1, length("cmodel/") + 1)
    from = layer(file)
    to = layer($2)
    if (from == "systems" && to == "systems" && $2 !~ "^" substr(file, 1, index(substr(file, 9), "/") + 8)) {
      print $1 ": error: found an include of \"" $2 "\", expected none of another system: either folder may be left out"
      bad = 1
    }
    if (to == from || to ~ /^gen(\/|$)/) next
    unknown = !(from in at) ? from : !(to in at) ? to : ""
    if (unknown != "") why = "the list of layers has no '\''" unknown "'\''"
    else if (at[to] > at[from]) why = "'\''" to "'\'' is above '\''" from "'\''"
    else { edge[from, to] = 1; next }
    print $1 ": error: found an include of \"" $2 "\", expected one of a lower layer: " why " (docs/start/architecture.md, Layers)"
    bad = 1
  }
  END {
    print "| folder | includes |\n|---|---|" >table
    for (i = 1; i <= n; i++) {
      line = ""
      for (k = 1; k < i; k++) if ((name[i], name[k]) in edge) line = line (line == "" ? "" : ", ") name[k]
      print "| " name[i] " | " line " |" >table
    }
    exit bad
  }' "$tmp/order" "$tmp/includes" || status=1

# The wall. A system's experiments.c belongs to lab/campaign.
private='private phases law_book access' # sm/NAME.h, of sm/ alone
find cmodel/systems -name '*.[ch]' ! -name experiments.c | sort >"$tmp/choices"
while read -r at header; do
  header=${header#sm/}
  case $at in
  cmodel/sm/*) continue ;;
  cmodel/systems/*/experiments.c:*) open='the headers of sm/ but those of its state' ;;
  cmodel/systems/*) open='"sm/slot_api.h" or "sm/wires.h": a choice knows no more of the SM' ;;
  *) open='the headers of sm/ but those of its state' ;;
  esac
  if [[ $open == '"sm/slot_api'* && $header != slot_api.h && $header != wires.h ]] || [[ " $private " == *" ${header%.h} "* ]]; then
    echo "$at: error: found an include of \"sm/$header\", expected $open"
    status=1
  fi
done < <(grep ' sm/' "$tmp/includes")

if ! grep -q '\.c$' "$tmp/choices"; then
  echo 'cmodel/systems: error: found no source of a choice, expected cmodel/systems/NAME/NAME.c'
  exit 1
fi
# Functions that the headers of sm/ declare.
sed -nE 's/^[a-z][a-z0-9_ ]*[ *]([a-z][a-z0-9_]*)\(.*/\1/p' cmodel/sm/*.h | sort -u >"$tmp/functions"
if [ ! -s "$tmp/functions" ]; then echo 'cmodel/sm: error: found no function in a header, expected some'; exit 1; fi
# Each file as one text without comments, since a cast may go on over several lines.
# shellcheck disable=SC2016
xargs awk '
  BEGIN {
    b = "[ \t\n]*"
    view = "struct[ \t\n]+((sm|group|scheduler|warp|cta|inflight|txn)_view|collector_unit)"
    writable = "\\(" b view b "\\*|(unit|group|scheduler)_to_change"
    address = "[(,=]" b "&" b "S[^A-Za-z0-9_]"
    of_s = "(\\*(" b "(const|restrict|volatile))*|\\(" b "(const )?(u?int[a-z0-9_]*|unsigned[a-z ]*|long[a-z ]*|size_t))" b "\\)[ \t\n(]*S[^A-Za-z0-9_]"
  }
  function bare(text,   out, rest) {
    out = ""
    while (match(text, /"|\/\*|\/\//)) {
      out = out substr(text, 1, RSTART - 1)
      rest = substr(text, RSTART)
      if (substr(rest, 1, 1) == "\"") {
        if (!match(rest, /^"([^"\\]|\\.)*"/)) return out rest
        out = out "\"\""
        text = substr(rest, RLENGTH + 1)
      } else if (substr(rest, 1, 2) == "//") {
        text = match(rest, /\n/) ? substr(rest, RSTART) : ""
      } else {
        if (!match(substr(rest, 3), /\*\//)) return out
        RSTART += 2
        text = substr(rest, 1, RSTART + 1)
        gsub(/[^\n]/, "", text)   # lines keep their numbers
        out = out " " text
        text = substr(rest, RSTART + 2)
      }
    }
    return out text
  }
  function line_of(text, n) { return gsub(/\n/, "", text) + n }
  function found(re, what,   rest, n) {
    for (rest = all; match(rest, re); rest = substr(rest, RSTART + RLENGTH)) {
      n = length(all) - length(rest) + RSTART
      print file ":" line_of(substr(all, 1, n), 1) ": error: " what
    }
  }
  function look() {
    if (file == "") return
    all = bare(all)
    found(address, "found the address of S, expected a function of sm/slot_api.h")
    found(writable, "found a view of the SM that is made writable, expected a function of sm/slot_api.h")
    found(of_s, "found a cast of S, expected a function of sm/slot_api.h")
  }
  FNR == 1 { look(); file = FILENAME; all = "" }
  { all = all $0 "\n" }
  END { look() }' <"$tmp/choices" >"$tmp/casts"
if [ -s "$tmp/casts" ]; then
  cat "$tmp/casts"
  status=1
fi

# Of a preprocessed source: what the lines of a system declare, or name in their assembler names, outside of braces.
cat >"$tmp/declared.awk" <<'AWK'
  BEGIN { while ((getline line <functions) > 0) known[line] = 1 }
  /^# [0-9]+ "/ { line = $2; file = $3; gsub(/"/, "", file); ours = file ~ /^cmodel\/systems\//; next }
  {
    gsub(/"([^"\\]|\\.)*"|'([^'\\]|\\.)+'/, "0")
    for (rest = $0; at = match(rest, /[{}]/); rest = substr(rest, at + 1)) {
      if (!depth && ours) words(substr(rest, 1, at - 1))
      depth += substr(rest, at, 1) == "{" ? 1 : -1
    }
    if (!depth && ours) words(rest)
    line++
  }
  function words(text,   name) {
    gsub(/(struct|union|enum) +[A-Za-z0-9_]+/, "", text)
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
      name = substr(text, RSTART, RLENGTH)
      text = substr(text, RSTART + RLENGTH)
      if (name in known)
        print file ":" line ": error: found a declaration of " name ", which sm/ declares, expected the include of sm/slot_api.h alone"
      if (name ~ /^(__)?(asm|alias|weakref)(__)?$/)
        print file ":" line ": error: found " name ", by which a function of sm/ may get another name, expected none outside of functions"
    }
  }
AWK

# Each choice, with what make generates of the lists. The pointer to the SM then becomes one to a function: C converts that to no other pointer,
# not to void * either, and with -Wpedantic the compiler says where it should. A last line that does so shows that it looked.
cmodel/make/lists.sh "$tmp/made/gen" -- cmodel/systems/*/
cmodel/make/hooks.sh "${CC:-gcc}" cmodel/sm/slot.def >"$tmp/made/gen/hooks.h"
pointer='s/(\<const +)?\<struct +sm +(const +)?\*/sm_pointer /g'
state=$(for h in $private; do echo "cmodel/sm/$h.h"; done)
# shellcheck disable=SC2086
structs=$(sed -nE 's/^[ \t]*struct ([a-z_]+) \{.*/\1/p' $state | sort -u | paste -sd '|')
if [ -z "$structs" ]; then echo "cmodel/sm: error: found no struct in $private, expected those of the state of the SM"; exit 1; fi
while read -r f; do
  ${CC:-gcc} -E -w -std=gnu11 -Icmodel -I"$tmp/made" "$f" >"$tmp/text" || { echo "$f: error: found a file that cannot be preprocessed" && continue; }
  sed -nE "s,^# [0-9]+ \"cmodel/(sm/(${private// /|})\.h)\".*,$f: error: found the text of \1 when preprocessed\, expected it in sm/ alone,p" "$tmp/text" | sort -u
  awk -v functions="$tmp/functions" -f "$tmp/declared.awk" "$tmp/text"
  tr '\n' ' ' <"$tmp/text" | { grep -oE "\<struct +($structs) +\{" || true; } | sort -u |
    sed "s,.*,$f: error: found '&' when preprocessed\, expected no struct of the SM's state," | sed 's/  */ /g'
  { echo 'struct sm; typedef void (*sm_pointer)(struct sm *);' && sed -E "/^#/!$pointer" "$tmp/text" &&
    printf '# 1 "the last line"\nstatic inline void *last(sm_pointer S) { return S; }\n'; } |
    ${CC:-gcc} -fsyntax-only -Wpedantic -std=gnu11 -x c - 2>&1 |
    sed -nE '/(warning|error): .*(function pointer|pointer-to-function|sm_pointer)/s/^([^:]+:[0-9]+):.*/\1/p' | sort -u >"$tmp/converted" || true
  grep -q '^the last line:1$' "$tmp/converted" || echo "$f: error: found a file that the compiler does not check for conversions"
  grep -vE '^(the last line|cmodel/sm/slot_api\.h):' "$tmp/converted" |
    sed 's,$,: error: found a pointer to the SM that becomes one to something else\, expected a function of sm/slot_api.h,' || true
done < <(if [ $status -eq 0 ]; then grep '\.c$' "$tmp/choices"; fi) >"$tmp/seen"   # else there is enough to do
if [ -s "$tmp/seen" ]; then
  sort -u "$tmp/seen"
  status=1
fi

sed -e "/^<!-- includes -->\$/r $tmp/table" -e '/^<!-- includes -->$/,/^<!-- end of includes -->$/{/^<!-- /!d}' "$page" >"$tmp/page"
if [ -n "$write" ]; then
  cp "$tmp/page" "$page"
elif ! cmp -s "$tmp/page" "$page"; then
  echo "$page: error: found another table of includes than the sources have, expected what tests/layers.sh --write makes"
  diff "$page" "$tmp/page" | sed 's/^/  /' || true
  status=1
fi
exit $status
