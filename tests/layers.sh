#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The layers of cmodel/, as docs/architecture.md lists them: a file includes headers of its own folder and of folders listed
# before it, and none of another system's folder, so there is no upward edge and no cycle. Prints every include that is not so, with its place.
# And the wall around the SM: the headers of its state are included in sm/ alone; a system includes sm/slot_api.h and sm/wires.h of sm/, casts
# no view of it, and, preprocessed, has no definition of struct sm or of another struct of those headers.
#   tests/layers.sh [TREE]   checks, and that the table in TREE/docs/architecture.md shows the includes that there are
#   tests/layers.sh --write  writes that table
# Files in cmodel/ itself are the layer "regtwin"; a system's experiments.c belongs to campaign, which calls it. What make generates (gen/) is not looked at: it lists the systems' files.
set -euo pipefail
export LC_ALL=C
write=
if [ "${1:-}" = --write ]; then write=1; shift; fi
cd "${1:-$(dirname "$0")/..}"
page=docs/architecture.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# "## Layers" has one block of code: names, the lowest first.
awk '/^## / { in_it = $0 == "## Layers" } in_it && /^```/ { code = !code; next } in_it && code { for (i = 1; i <= NF; i++) print $i }' \
  "$page" >"$tmp/order"
if [ ! -s "$tmp/order" ]; then echo "$page: error: found no list of layers, expected one in a block below '## Layers'"; exit 1; fi

# FILE:LINE HEADER, of every include in quotes; FILE:LINE ? TEXT, of every other one but those of a file that a macro names
# (blocks/def.h, sm/wires_def.h) and those of the C library.
status=0
# shellcheck disable=SC2016
find cmodel -name '*.[ch]' -o -name '*.def' -o -name '*.inc' | sort |
  xargs awk '
    !/^[ \t]*#[ \t]*include/ { next }
    match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) { h = $0; sub(/^[^"]*"/, "", h); sub(/".*/, "", h); print FILENAME ":" FNR, h; next }
    /^[ \t]*#[ \t]*include[ \t]+(BLOCK|NET)_DEF$/ { next }
    { h = $0; sub(/^[ \t]*#[ \t]*include[ \t]*/, "", h) }
    h ~ /^<[^>]*>/ { f = substr(h, 2, index(h, ">") - 2); if ((getline line <("cmodel/" f)) < 0) next }
    { print FILENAME ":" FNR, "?", h }' >"$tmp/all"
grep -v ' ? ' "$tmp/all" >"$tmp/includes"
while read -r at _ text; do
  echo "$at: error: found an include of $text, expected \"FOLDER/FILE\" in quotes"
  status=1
done < <(grep ' ? ' "$tmp/all")

awk -v table="$tmp/table" '
  function layer(path) {
    if (path ~ /^systems\/[^\/]*\/experiments\.c:/) return "campaign"
    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "regtwin"
  }
  NR == FNR { at[$1] = FNR; name[FNR] = $1; n = FNR; next }
  {
    file = substr($1, length("cmodel/") + 1)
    from = layer(file)
    to = layer($2)
    if (from == "systems" && to == "systems" && $2 !~ "^" substr(file, 1, index(substr(file, 9), "/") + 8)) {
      print $1 ": error: found an include of \"" $2 "\", expected none of another system: either folder may be left out"
      bad = 1
    }
    if (to == from || to == "gen") next
    unknown = !(from in at) ? from : !(to in at) ? to : ""
    if (unknown != "") why = "the list of layers has no '\''" unknown "'\''"
    else if (at[to] > at[from]) why = "'\''" to "'\'' is above '\''" from "'\''"
    else { edge[from, to] = 1; next }
    print $1 ": error: found an include of \"" $2 "\", expected one of a lower layer: " why " (docs/architecture.md, Layers)"
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

# The wall. A system's experiments.c belongs to campaign.
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

grep . "$tmp/choices" | xargs grep -HnE '\( *struct (sm|group|scheduler|warp|cta|inflight|txn)_view *\*|\( *struct collector_unit *\*|\<(unit|group)_to_change\>' >"$tmp/casts" || true
if [ -s "$tmp/casts" ]; then
  sed -E 's/^([^:]*:[0-9]+):.*/\1: error: found a view of the SM that is made writable, expected a function of sm\/slot_api.h/' "$tmp/casts"
  status=1
fi

# What make generates lists the systems' files and defines no struct of the SM: in its place stand files that end a list as it does.
grep -rlE '^#include "gen/' cmodel | xargs sed -nE 's/^# *define ([A-Z_]+)\(.*/#undef \1/p' | sort -u >"$tmp/undef"
grep -rhoE '"gen/[^"]*"' cmodel | tr -d '"' | sort -u | while read -r f; do
  mkdir -p "$tmp/stub/${f%/*}"
  cp "$tmp/undef" "$tmp/stub/$f"
done
state=$(for h in $private; do echo "cmodel/sm/$h.h"; done)
# shellcheck disable=SC2086
structs=$(sed -nE 's/^[ \t]*struct ([a-z_]+) \{.*/\1/p' $state | sort -u | paste -sd '|')
while read -r f; do
  ${CC:-gcc} -E -w -std=gnu11 -Icmodel -I"$tmp/stub" "$f" >"$tmp/text" || { echo "$f: error: found a file that cannot be preprocessed" && continue; }
  sed -nE "s,^# [0-9]+ \"cmodel/(sm/(${private// /|})\.h)\".*,$f: error: found the text of \1 when preprocessed\, expected it in sm/ alone,p" "$tmp/text" | sort -u
  tr '\n' ' ' <"$tmp/text" | { grep -oE "\<struct +($structs) +\{" || true; } | sort -u |
    sed "s,.*,$f: error: found '&' when preprocessed\, expected no struct of the SM's state," | sed 's/  */ /g'
done < <(if [ $status -eq 0 ]; then grep '\.c$' "$tmp/choices"; fi) >"$tmp/seen"   # else there is enough to do
if [ -s "$tmp/seen" ]; then
  cat "$tmp/seen"
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
