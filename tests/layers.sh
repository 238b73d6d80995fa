#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The layers of cmodel/, as docs/architecture.md lists them: a file includes headers of its own folder and of folders listed
# before it, and none of another system's folder, so there is no upward edge and no cycle. Prints every include that is not so, with its place.
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

sed -e "/^<!-- includes -->\$/r $tmp/table" -e '/^<!-- includes -->$/,/^<!-- end of includes -->$/{/^<!-- /!d}' "$page" >"$tmp/page"
if [ -n "$write" ]; then
  cp "$tmp/page" "$page"
elif ! cmp -s "$tmp/page" "$page"; then
  echo "$page: error: found another table of includes than the sources have, expected what tests/layers.sh --write makes"
  diff "$page" "$tmp/page" | sed 's/^/  /' || true
  status=1
fi
exit $status
