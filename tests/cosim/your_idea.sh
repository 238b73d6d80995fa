#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/start/your-idea.md, followed to the letter in a copy of the tree: its files are written, its commands run, and each line of output that it shows
# is compared. The copy begins with the programs and objects of this tree. What it compiles anew it compiles without optimisation, since that is quicker.
# needs: binary cosim-runtime
. "$(dirname "$0")/../lib.sh"
page=$PWD/docs/start/your-idea.md tree=$tmp/tree
mkdir -p "$tree/build" "$tree/traces" "$tree/tests/cosim" "$tmp/steps"
cp -rp Makefile cmodel cosim rtl tb synth "$tree"
cp -rp traces/kernels traces/streams "$tree/traces"
cp -rp build/regtwin build/libregtwin.a build/obj build/gen build/verilator build/cosim-engine "$tree/build"
cp -p tests/lib.sh "$tree/tests"
cp -p tests/cosim/pages.sh "$tree/tests/cosim"
[ ! -d build/deps ] || cp -rp build/deps "$tree/build"
export CFLAGS=-O0
unset regtwin
make --no-print-directory -s -C "$tree" build/command && touch -d @0 "$tree/build/command"   # no object is older than this other command

# Blocks of the page, in order: one with a file's name is that file, one that begins with "$ " has commands, each with its output. Steps are
# numbered: N.file has the name of a file and N.text its text, N.run a command and N.text what it prints.
awk -v out="$tmp/steps/" '
  function step(kind, what) { n++; print what > (out sprintf("%03d.", n) kind); text = out sprintf("%03d.text", n); printf "" > text }
  /^## / && !code { section = $2 }
  /^```$/ && code { code = 0; next }
  /^```/ && !code { code = 1; if (NF == 2) step("file", $2); else text = ""; next }
  code && /^\$ / { step("run", substr($0, 3)); print section > (out sprintf("%03d.section", n)); next }
  code && text != "" { print > text }
' "$page"

# The lines that the page shows, among those printed: one after the other, "..." for any lines. Speeds are those of the machine.
shown() {   # expected, found
  local speeds='s/[0-9]+ kcycles\/s/N kcycles\/s/; s/C-only [0-9]+, lockstep [0-9]+ /C-only N, lockstep N /; s/ +$//'
  sed -E "$speeds" "$2" >"$tmp/found"
  sed -E "$speeds" "$1" | awk '
    NR == FNR { found[++n] = $0; next }
    /^ *\.\.\.$/ { gap = 1; next }
    {
      from = at + 1
      if (gap) while (at < n && found[++at] != $0) ;
      else at++
      if (at > n || found[at] != $0) { printf "expected: %s\nfound after line %d, where it says: %s\n", $0, from - 1, found[from]; bad = 1; exit }
      gap = 0
    }
    END { if (!bad && !gap && at < n) { print "found more: " found[at + 1]; bad = 1 } exit bad }' "$tmp/found" -
}

cells=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
(cd "$tree" && cmodel/make/deps.sh synth) >"$tmp/deps" 2>&1 || not_ok 'the packages of synth' "$(tail -n 3 "$tmp/deps")"
for text in "$tmp"/steps/*.text; do
  step=${text%.text}
  if [ -f "$step.file" ]; then
    file=$tree/$(cat "$step.file")
    mkdir -p "${file%/*}"
    check "$(cat "$step.file") is new" test ! -e "$file"
    cp "$text" "$file"
    continue
  fi
  command=$(cat "$step.run")
  if [ "$(cat "$step.section")" = 7. ] && [ ! -f $cells ]; then
    skip "$command" "no package of this Debian has OSU's cells (CONTRIBUTING.md)"
    continue
  fi
  (cd "$tree" && bash -c "$command") >"$tmp/out" 2>&1
  if said=$(shown "$text" "$tmp/out"); then ok "$command"
  else not_ok "$command" "$said" "$(tail -n 30 "$tmp/out")"; fi
done

# What the comparison is worth: another number, a line too many, a line in another place.
compared() {   # name, a sed expression on what is shown
  sed "$2" "$tmp/shown" >"$tmp/changed"
  if shown "$tmp/changed" "$tmp/printed" >"$tmp/said"; then not_ok "$1" 'was not seen'; else ok "$1 is seen"; fi
}
printf '%s\n' 'a 1' '...' 'c 3' 'd 4' >"$tmp/shown"
printf '%s\n' 'a 1' 'b 2' 'c 3' 'd 4' >"$tmp/printed"
check 'lines that were printed' shown "$tmp/shown" "$tmp/printed"
compared 'another number' 's/c 3/c 4/'
compared 'a line that was not printed' 's/d 4/&\ne 5/'
compared 'a line that is not shown' '/\.\.\./d'
compared 'the end that is not shown' '/d 4/d'
compared 'another order' 's/c 3/d 4/; t; s/d 4/c 3/'
