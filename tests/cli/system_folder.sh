#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Adding a system is adding a folder: the one of docs/start/add-a-system.md, taken out of the page, is built through SYSTEM_DIRS apart
# from the tree, by the page's own commands, and found in every place that lists or shows systems. And folders may be left out.
# needs: binary
. "$(dirname "$0")/../lib.sh"
page=docs/start/add-a-system.md
mkdir -p "$tmp/mine/pause" "$tmp/sh"

# Blocks of the page: those with a file's name become that file; the k-th of commands becomes $tmp/sh/k.
awk -v out="$tmp/mine/" -v sh="$tmp/sh/" '
  /^```/ && file { close(file); file = ""; next }
  /^```sh$/ { k++; file = sh k; next }
  /^```[a-z]+ / { file = out $2; next }
  file { print > file }' "$page"
equal 'files of the page' "$(find "$tmp/mine/pause" -type f | wc -l)" 4
sed -i -e "s|build/mine|$tmp/build|g" -e "s|\\bmine/|$tmp/mine/|g" -e "s|systems mine'|systems $tmp/mine'|" "$tmp"/sh/*

# Files of a folder include each other by the folder's name.
echo '#define PAUSE_EVERY 2' >"$tmp/mine/pause/pause.h"
sed -i -e 's|#include "sm/slot_api.h"|#include "pause/pause.h"\n&|' -e 's/begun % 2/begun % PAUSE_EVERY/' "$tmp/mine/pause/pause.c"

# The first command builds; without optimisation, since that is quicker.
build=$(head -n 1 "$tmp/sh/1")
make_it() { bash -c "${build/make /make --no-print-directory -s -j2 CFLAGS=-O0 }"; }
check 'it builds, beside the three of the tree' make_it
check 'the program is there' test -x "$tmp/build/regtwin"
[ -x "$tmp/build/regtwin" ] || exit
mine=$tmp/build/regtwin
equal 'no file of the tree mentions it' "$(grep -rl pause_held cmodel build/gen 2>/dev/null | wc -l)" 0

n=0
while read -r command; do
  n=$((n + 1))
  check "the page's command: ${command//$tmp\//}" bash -c "$command >$tmp/out.$n"
done < <(tail -n +2 "$tmp/sh/1"; cat "$tmp/sh/2")
# in the order of the page
has 'list systems: the folder, which has no paper' '^of no paper: pause$' "$tmp/out.1"
has 'list systems: the preset' '^  Pause +Every second CTA begins 2000 cycles after the one' "$tmp/out.1"
has 'list systems: the plan' '^  Pause\+best +Pause, the best number of cycles for each kernel$' "$tmp/out.1"
has 'config --explain: the key' '^pause.cycles +whole number, cycles; default 500; from 0 to 100000$' "$tmp/out.2"
has 'run: its row' '^  a CTA is held back +% of cycles +[1-9][0-9]*\.[0-9]$' "$tmp/out.3"
held=$(get pause_held "$tmp/mine/vecadd.json")
check 'JSON: the statistic' test "${held:-0}" -gt 0
has 'JSON: the ratio' '"pause_fraction": 0\.[0-9]*[1-9]' "$tmp/mine/vecadd.json"
equal 'JSON: the key' "$(get cycles <(sed -n '/"pause": {/,/}/p' "$tmp/mine/vecadd.json"))" 100
has 'compare: the measure' 'a CTA is held back' "$tmp/out.5"
has 'compare: the plan chose' 'pause.cycles=0, the best of 3 runs' "$tmp/out.5"
has 'experiment: the figure' '^E-PAUSE +Every second CTA held back' "$tmp/out.6"
has 'experiment: the claim' 'below 1' "$tmp/out.6"

"$mine" list measures >"$tmp/l"
has 'list measures' '^pause_held +a CTA is held back, part of the cycles$' "$tmp/l"
"$mine" list experiments >"$tmp/l"
has 'list experiments' '^E-PAUSE ' "$tmp/l"
"$mine" config --explain slot.residency >"$tmp/l"
has 'config --explain: the choice' 'one of static\|.*\bpause\b.*; default static$' "$tmp/l"

# What must hold, as the page says: skipping, null hooks and values change nothing; the work is the baseline's.
"$mine" run vecadd --size small --system Pause --json "$tmp/fast.json" >/dev/null
"$mine" run vecadd --size small --json "$tmp/base.json" >"$tmp/base"
# The counters of a run without these, a|b|c.
counters() { sed -n '/"counters": {/,/}/p' "$1" | grep -vE "\"(${2:-none})\"" | tr -d ,; }
numbers() { counters "$1" operands_checked; }
numbers "$tmp/fast.json" >"$tmp/a"
numbers "$tmp/mine/slow.json" >"$tmp/b"
same 'statistics do not depend on skipping' "$tmp/a" "$tmp/b"
numbers "$tmp/mine/null.json" >"$tmp/b"
same 'nor on null hooks' "$tmp/a" "$tmp/b"
equal 'the work is the same' "$(get stream_hash "$tmp/fast.json")" "$(get stream_hash "$tmp/base.json")"
check 'but not the time' test "$(get cycles "$tmp/fast.json")" -gt "$(get cycles "$tmp/base.json")"
hasnt 'on another system its row is not shown' 'held back' "$tmp/base"
equal 'but the JSON has its statistic' "$(get pause_held "$tmp/base.json")" 0
# and the other systems are as the tree's own program has them, which gcc compiled with -O3, and this one with -O0
while read -r kernel machine system; do
  "$regtwin" run "$kernel" --size small --config "$machine" --system "$system" --json "$tmp/theirs.json" >/dev/null
  "$mine" run "$kernel" --size small --config "$machine" --system "$system" --json "$tmp/ours.json" >/dev/null
  numbers "$tmp/theirs.json" >"$tmp/a"
  numbers "$tmp/ours.json" | grep -v pause_held >"$tmp/b"
  same "$kernel on $machine, $system: as without it, and at -O0" "$tmp/a" "$tmp/b"
done <<'END'
vecadd gtx980 FineReg
sgemm gtx980 baseline
bfs maxwell baseline
reduction gtx980 baseline
sgemm maxwell LTRF+
MV gtx980 LB
hotspot rtx2060 Malekeh
ssao gtx480 SL-Full-P
END

# What a choice refuses, and what make does.
"$mine" run vecadd --size small --system Pause --set sim.deadlock=1500 >"$tmp/out" 2>"$tmp/err"
equal 'a combination that the choice refuses: status 2' $? 2
has 'it says why' 'pause with pause.cycles 2000, expected less than sim.deadlock 1500' "$tmp/err"
mkdir -p "$tmp/twice/slices"
make --no-print-directory -s binary BUILD_DIR="$tmp/build" SYSTEM_DIRS="cmodel/systems $tmp/twice" >"$tmp/out" 2>"$tmp/err"
has 'two folders of one name' 'found two folders of one name' "$tmp/err"
# Folders and directories that would be left out without a word.
refused() {   # name, expected message, SYSTEM_DIRS
  make --no-print-directory -s -n binary BUILD_DIR="$tmp/build" SYSTEM_DIRS="cmodel/systems $3" >"$tmp/out" 2>"$tmp/err"
  equal "$1: status 2" $? 2
  has "$1" "$2" "$tmp/err"
}
refused 'a directory that is missing' "found no directory $tmp/none, expected" "$tmp/none"
mkdir -p "$tmp/blank/a b" "$tmp/dash/my-own" "$tmp/empty/nothing" "$tmp/stray/mine"
refused 'a folder with a blank in its name' "/blank/a b: found a system folder of this name, expected a letter" "$tmp/blank"
refused 'one with a dash' "/dash/my-own: found a system folder of this name, expected a letter" "$tmp/dash"
refused 'an empty folder' "/empty/nothing: found a system folder without a list and without a preset" "$tmp/empty"
echo '# x' >"$tmp/stray/mine/stat.def"
refused 'a misspelt list' "/stray/mine/stat.def: found a list of this name, expected one of system\.def paper\.def cost\.def\." "$tmp/stray"
rm -r "$tmp/twice/slices" && mkdir "$tmp/twice/more" && cp cmodel/systems/finereg/VT.conf "$tmp/twice/more/vt.conf"
make --no-print-directory -s "$tmp/keys-build/gen/builtin.c" BUILD_DIR="$tmp/keys-build" SYSTEM_DIRS="cmodel/systems $tmp/twice" >"$tmp/out" 2>"$tmp/err"
has 'two presets of one name' 'found two files named VT.conf' "$tmp/err"
make --no-print-directory -s binary BUILD_DIR="$tmp/build" SYSTEM_DIRS="$tmp/mine" >"$tmp/out" 2>"$tmp/err"
has 'no folder with the defaults' 'found no folder baseline' "$tmp/err"

# An experiment whose lines do not fit together is refused with its place, by the commands that use it.
line=$(($(wc -l <"$tmp/mine/pause/paper.def") + 1))
cp "$tmp/mine/pause/paper.def" "$tmp/paper.def"
planted() {   # name, line of the list, expected message, experiment
  { cat "$tmp/paper.def"; echo "$2"; } >"$tmp/mine/pause/paper.def"
  make_it >"$tmp/made" 2>&1
  "$mine" experiment "${4:-E-PAUSE}" --size small >"$tmp/out" 2>"$tmp/err"
  equal "$1: status 2" $? 2
  has "$1" "/pause/paper.def:$line: error: $3" "$tmp/err"
}
planted 'experiment: an unknown base' 'SYSTEM("E-PAUSE", "Pause", "again", "nobase")' "found system 'nobase', expected the label of a line SYSTEM of E-PAUSE"
"$mine" compare vecadd --size small --systems baseline,Pause >"$tmp/out" 2>"$tmp/err"
equal 'and by compare: status 2' $? 2
planted 'experiment: an unknown kernel' 'EXPERIMENT("E-LATER", finereg, "", "vecad", "", "")' "found no kernel 'vecad' in " E-LATER
planted 'experiment: an unknown preset' 'SYSTEM("E-PAUSE", "Paus", "again", "baseline")' "found unknown system 'Paus'; did you mean 'Pause'"
planted 'experiment: an unknown key' 'SYSTEM("E-PAUSE", "Pause:pause.cycle=1", "again", "baseline")' "found unknown key 'cycle' in section 'pause'"
planted 'experiment: a value out of range' 'SYSTEM("E-PAUSE", "Pause:pause.cycles=-1", "again", "baseline")' 'pause\.cycles: found -1, expected 0 to 100000'
planted 'experiment: a label twice' 'SYSTEM("E-PAUSE", "VT", "pause", "baseline")' "found the label 'pause' of E-PAUSE a second time"
planted 'experiment: an id twice' 'EXPERIMENT("E-PAUSE", finereg, "", "vecadd", "", "")' "found experiment 'E-PAUSE' a second time"
planted 'experiment: an unknown id' 'SHOW("E-PASE", ipc, VALUE, "IPC")' "found experiment 'E-PASE', expected the id of a line EXPERIMENT"
planted 'experiment: an unknown measure' 'SHOW("E-PAUSE", ipcc, VALUE, "IPC")' "found measure 'ipcc'; did you mean 'ipc'"
planted 'experiment: a claim of no system' 'CLAIM("E-PAUSE", ipc, "paus", "", "1")' "found system 'paus', expected the label"

# ---- folders left out ----
# The core names no system: without the folder finereg, or without slices, all builds, the baseline gives what it gives with them, and
# the lists have what the other folders bring.
"$regtwin" run bfs --size small --json "$tmp/all.json" >/dev/null
"$regtwin" list experiments --names >"$tmp/experiments"
# The names of a folder's statistics, as a|b|c.
stats() { sed -n 's/^STAT(\([a-z_0-9]*\),.*/\1/p' "$1" | paste -sd '|'; }

# Papers are listed whatever is left out, and presets are text, so no compiler finds these: PAPER_x and "x" in the core.
named() {   # tree
  local d what
  for d in cmodel/systems/finereg cmodel/systems/slices; do
    what=$(sed -n 's/^PAPER(\([a-z_0-9]*\),.*/PAPER_\1/p' "$d/paper.def"; for f in "$d"/*.conf; do printf '"%s"\n' "$(basename "$f" .conf)"; done)
    grep -rwFn --include='*.[ch]' --include='*.def' -e "$what" "$1/cmodel" | grep -v '/cmodel/systems/'
  done
}
named . >"$tmp/named"
check 'the core names no paper and no preset of a folder' bash -c "! grep . '$tmp/named'"
mkdir -p "$tmp/tree/cmodel"
printf 'int p = PAPER_finereg;\nconst char *s = "SL-WB2";\nint q = PAPER_finer;\n' >"$tmp/tree/cmodel/planted.c"
equal 'planted names are found' "$(named "$tmp/tree" | sed 's/.*planted.c:\([0-9]*\):.*/\1/' | paste -sd' ')" '1 2'

without() {   # a folder; its experiments' names, an experiment of another folder, a system of another folder
  local dir=$tmp/$1 d build=$tmp/build   # compiles only what has a list of the systems
  mkdir "$dir"
  for d in cmodel/systems/*/; do [ "$(basename "$d")" = "$1" ] || ln -s "$PWD/$d" "$dir"; done
  check "without $1: builds" make --no-print-directory -s -j2 binary CFLAGS=-O0 BUILD_DIR="$build" SYSTEM_DIRS="$dir"
  local mine=$build/regtwin
  [ -x "$mine" ] || return
  "$mine" list systems --names=compare >"$tmp/out"
  for f in cmodel/systems/"$1"/*.conf; do hasnt "without $1: no $(basename "$f" .conf)" "^$(basename "$f" .conf)\$" "$tmp/out"; done
  has "without $1: $4" "^$4\$" "$tmp/out"
  "$mine" list experiments --names >"$tmp/out"
  grep -v "^$2" "$tmp/experiments" >"$tmp/want"
  same "without $1: the other experiments" "$tmp/want" "$tmp/out"
  check "without $1: list measures" "$mine" list measures
  check "without $1: list kernels, whose manifests name its paper" "$mine" list kernels
  "$mine" run bfs --size small --json "$tmp/mine.json" >/dev/null
  counters "$tmp/all.json" "$(stats "cmodel/systems/$1/system.def")" >"$tmp/want"
  counters "$tmp/mine.json" >"$tmp/out"
  same "without $1: the baseline's counters" "$tmp/want" "$tmp/out"
  check "without $1: run $4, every cycle checked" "$mine" run vecadd --size small --system "$4" --set sim.check=true
  check "without $1: characterize" "$mine" characterize vecadd --size small
  check "without $1: experiment $3" "$mine" experiment "$3" --size small --db "$tmp/db"
}
without finereg E-FR E-SL5 SL-Full-P
without slices E-SL E-FR2 FineReg
