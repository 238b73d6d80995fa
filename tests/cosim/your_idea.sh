#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/start/your-idea.md, followed to the letter in a copy of the tree: its files are written, its commands run, and what it prints of their output is held
# against that. The copy begins with the programs and objects of this tree; what it compiles anew it compiles without optimisation, which is quicker.
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

# Fenced blocks of the page, in order: one with a file's name is that file, NNN.file has the name and NNN.text the lines. Each "$ COMMAND" with the lines
# below it is a page of its own, NNN.page; a command may go on after a backslash.
awk -v out="$tmp/steps/" '
  function step(kind) { close(at); return at = out sprintf("%03d.", ++n) kind }
  /^## / && !inside { section = $2 }
  /^```/ { inside = !inside; at = ""; if (NF == 2) { print $2 >step("file"); close(at); sub(/file$/, "text", at) } next }
  !inside { next }
  joined != "" { sub(/^ +/, ""); $0 = joined $0; joined = "" }
  /^\$ .*\\$/ { joined = substr($0, 1, length($0) - 1); next }
  /^\$ / {
    print substr($0, 3) >step("run"); close(at)
    sub(/run$/, "section", at); print section >at; close(at)
    sub(/section$/, "page", at); print "```" >at
  }
  at != "" { print >at }
' "$page"

cells=/usr/share/qflow/tech/osu018/osu018_stdcells.lib
(cd "$tree" && cmodel/make/deps.sh synth) >"$tmp/deps" 2>&1 || not_ok 'the packages of synth' "$(tail -n 3 "$tmp/deps")"
for step in "$tmp"/steps/*.file "$tmp"/steps/*.run; do echo "${step##*/}"; done | sort >"$tmp/order"
while IFS=. read -r n kind; do
  at=$tmp/steps/$n
  if [ "$kind" = file ]; then
    file=$tree/$(cat "$at.file")
    mkdir -p "${file%/*}"
    check "${file#"$tree/"} is new" test ! -e "$file"
    cp "$at.text" "$file"
    continue
  fi
  command=$(cat "$at.run")
  if [ "$(cat "$at.section")" = 7. ] && [ ! -f $cells ]; then
    skip "$command" "no package of this Debian has OSU's cells (CONTRIBUTING.md)"
    continue
  fi
  (cd "$tree" && bash -c "$command") >"$tmp/out" 2>&1 </dev/null
  status=$?
  # What fails on purpose is known by what the page prints of it.
  if grep -qE 'DIVERGE|: error: ' "$at.page"; then equal "$command: it fails" "$((status > 0))" 1
  elif [ $status -ne 0 ]; then not_ok "$command: exit status" "$status" "$(tail -n 30 "$tmp/out")"; fi
  if ! grep -qvE '^(```|\$ .*|\.\.\.)$' "$at.page"; then ok "$command"
  elif said=$(awk -v command="$command" -v output="$tmp/out" -f tests/page_output.awk "$at.page"); then ok "$command"
  else not_ok "$command" 'the page prints:' "$said" 'expected lines of:' "$(tail -n 60 "$tmp/out")"; fi
done <"$tmp/order"

# What the page does not print: its block's page agrees with the Verilog, one that does not is named and fails, and a system whose block has no energies says how to get them.
(cd "$tree" && tests/cosim/pages.sh mine/keep)
cp "$tree/docs/blocks/mine/keep.md" "$tmp/keep.md"
# shellcheck disable=SC2016   # the page has names in backticks
sed -i -e 's/^| `result_whole_i` | 1 /| `result_whole_i` | 2 /' -e 's/comb (`result_valid`, `result_data`)/comb (`result_data`)/' "$tree/docs/blocks/mine/keep.md"
(cd "$tree" && tests/cosim/pages.sh mine/keep) >"$tmp/out"
equal 'a page with another width and inputs: status' $? 1
has 'a page with another width: both sides' '^  < cmodel/blocks/mine/keep\.def: kind, name, width, elements$' "$tmp/out"
has 'a page with another width: the page' '^  > docs/blocks/mine/keep\.md$' "$tmp/out"
has 'a page with another width: which' '^> in result_whole_i 2 1$' "$tmp/out"
has 'a page with other inputs: both sides' '^  < rtl/mine/keep\.sv: ' "$tmp/out"
cp "$tmp/keep.md" "$tree/docs/blocks/mine/keep.md"
mv "$tree/cmodel/systems/mine/cost.def" "$tmp/cost.def" && touch "$tree/cmodel/systems/mine/system.def"
check 'without its cost.def it builds' make --no-print-directory -s -C "$tree" binary
"$tree/build/regtwin" cost Keep --config rtx2060 >"$tmp/out"
has 'a block without a cost: its row' '^  mine/keep( +-){6}$' "$tmp/out"
has 'and what it is not in' '^  all, at least ' "$tmp/out"
mv "$tmp/cost.def" "$tree/cmodel/systems/mine/cost.def" && touch "$tree/cmodel/systems/mine/cost.def"
if [ -f $cells ]; then
  sed -i '/^mine\/keep/d' "$tree/cosim/records/energy.tsv"
  check 'without the energies of the block it builds' make --no-print-directory -s -C "$tree" binary
  "$tree/build/regtwin" cost Keep --config rtx2060 >"$tmp/out"
  has 'and says what records them' '^No energies of mine/keep are recorded, so a run has no energy: make synth-energy-record BLOCK=mine/keep$' "$tmp/out"
  "$tree/build/regtwin" run bfs --size small --config rtx2060 --system Keep --json "$tmp/j" >"$tmp/out"
  equal 'a run has none' "$(get energy_pj "$tmp/j")" null
fi
