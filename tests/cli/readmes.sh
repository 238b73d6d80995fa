#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each folder of the tree has a README.md of at most fifteen lines, which says what is here, what is not, and where to begin; its links lead to files
# and folders that are there, and it names the folders in it.
# needs: none
. "$(dirname "$0")/../lib.sh"

# Folders that the README.md above them describes: one for each kernel, for each architecture's streams and pictures, for each kind of data; the tree of
# the block demo; failures that a run has shrunk.
described='^(traces/(kernels|streams)|tests/data|docs/img|synth/formal)/|^tests/cosim/(cmodel|rtl|tb)(/|$)|^tb/[a-z]+/regress(/|$)'
# A folder for each architecture: to add one, no file outside of it is edited.
for_each='^(cmodel/(blocks|systems)|docs/blocks|rtl|tb)$'

folders() {   # root of a tree: its folders, those with files alone in folders of theirs included
  (cd "$1" && find cmodel cosim docs rtl synth tb tests traces -type f ! -name '.*' 2>/dev/null) |
    awk '{ while (sub(/\/[^\/]*$/, "")) print }' | sort -u | grep -vE "$described"
}
# What is wrong with the README.md of each folder, and with the one at the root, which names the top folders alone.
faults() {   # root of a tree
  local d page link parent
  while read -r d; do
    page=$1/$d/README.md
    if [ ! -f "$page" ]; then echo "$d: found no README.md"; continue; fi
    [ "$(head -n 1 "$page")" = "# $d" ] || echo "$d/README.md:1: found '$(head -n 1 "$page")', expected '# $d'"
    awk -v page="$d/README.md" 'length > 120 { print page ":" NR ": found " length " columns, expected at most 120" }
      /^(Not here|Begin with):/ { part = $0; sub(/:.*/, ":", part); at[part] = NR; sub(/^[^:]*:/, "") }
      part != "" && /\]\(/ { items[part]++ }   # links, on the line itself or below it
      /^$/ { if (FNR != at[part]) part = "" }
      END {
        if (NR > 15) print page ": found " NR " lines, expected at most 15"
        for (k = split("Not here:,Begin with:", each, ","); k; k--)
          if (!(each[k] in at)) print page ": found no line that begins with " each[k]
          else if (!items[each[k]]) print page ":" at[each[k]] ": found no link below " each[k]
      }' "$page"
    while read -r link; do
      [ -e "$1/$d/$link" ] || echo "$d/README.md: found no $link"
    done < <(grep -oE '\]\([^)#:]+' "$page" | cut -c3-)
    parent=''
    [[ $d != */* ]] || parent=${d%/*}
    [[ $parent =~ $for_each ]] || grep -qF "](${d##*/})" "$1/$parent/README.md" || echo "${parent:+$parent/}README.md: found no link to its folder ${d##*/}"
  done < <(folders "$1")
}

check 'folders are found' test "$(folders . | wc -l)" -gt 80
faults . >"$tmp/faults"
check "the README.md of each of $(folders . | wc -l) folders" diff /dev/null "$tmp/faults"

# That it sees what it is for: a tree of two folders, and faults in it, each alone.
tree=$tmp/tree
mkdir -p "$tree/cmodel/mem" "$tree/traces/kernels/k"
touch "$tree/cmodel/mem/l2.c" "$tree/traces/kernels/k/k.cl"
readme() {   # folder, folder in it
  printf '# %s\n\nText.\n\nNot here:\n- [a](../..)\n\nBegin with:\n- [%s](%s)\n' "$1" "$2" "$2" >"$tree/$1/README.md"
}
whole() {
  printf '[cmodel](cmodel) [traces](traces)\n' >"$tree/README.md"
  readme cmodel mem
  readme cmodel/mem l2.c
  readme traces kernels
  readme traces/kernels k
}
whole
equal 'a whole tree has no fault' "=$(faults "$tree")" =
plant() {   # name, what is found, file, sed expression
  whole
  sed -i "$4" "$tree/$3"
  equal "$1" "$(faults "$tree")" "$2"
}
# shellcheck disable=SC2016   # $ is sed's last line
plant 'sixteen lines' 'cmodel/mem/README.md: found 16 lines, expected at most 15' cmodel/mem/README.md '$s/$/\n\n\n\n\n\n\n/'
plant 'a wide line' 'cmodel/mem/README.md:3: found 121 columns, expected at most 120' cmodel/mem/README.md "3s/.*/$(printf '%121s' x)/"
plant 'a wrong title' "cmodel/mem/README.md:1: found '# mem', expected '# cmodel/mem'" cmodel/mem/README.md '1s/.*/# mem/'
plant 'nothing about what is not here' 'cmodel/mem/README.md: found no line that begins with Not here:' cmodel/mem/README.md '/^Not here/d'
plant 'no beginning' 'cmodel/mem/README.md: found no line that begins with Begin with:' cmodel/mem/README.md '/^Begin/d'
plant 'a heading with nothing below' 'cmodel/mem/README.md:5: found no link below Not here:' cmodel/mem/README.md '/^- \[a\]/d'
plant 'at the end' 'cmodel/mem/README.md:8: found no link below Begin with:' cmodel/mem/README.md '/^- \[l2/d'
plant 'an item without a link' 'cmodel/mem/README.md:8: found no link below Begin with:' cmodel/mem/README.md 's/^- \[l2.*/- l2.c/'
plant 'a link to nothing' 'cmodel/mem/README.md: found no l3.c' cmodel/mem/README.md 's/(l2.c)/(l3.c)/'
plant 'a folder without a link' 'cmodel/README.md: found no link to its folder mem' cmodel/README.md 's/(mem)/(mem\/l2.c)/'
plant 'a top folder without a link' 'README.md: found no link to its folder traces' README.md 's/\[traces.*//'
whole
rm "$tree/cmodel/mem/README.md"
equal 'no README.md' "$(faults "$tree")" 'cmodel/mem: found no README.md'
