#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The core names no system: without the folder finereg, or without slices, all builds, the baseline gives what it gives with them, and
# the lists have what the other folders bring.
# needs: binary
. "$(dirname "$0")/../lib.sh"
"$regtwin" run bfs --size small --json "$tmp/all.json" >/dev/null
"$regtwin" list experiments >"$tmp/experiments"
counters() { sed -n '/"counters": {/,/}/p' "$1" | grep -vE "\"(${2:-none})\"" | tr -d ,; }
# The names in a folder's stats.def, as a|b|c.
stats() { sed -n 's/^STAT(\([a-z_0-9]*\),.*/\1/p' "$1" | paste -sd '|'; }

# Papers are listed whatever is left out, and presets are text, so no compiler finds these: PAPER_x and "x" in the core.
named() {   # tree
  local d what
  for d in cmodel/systems/finereg cmodel/systems/slices; do
    what=$(sed -n 's/^PAPER(\([a-z_0-9]*\),.*/PAPER_\1/p' "$d/papers.def"; for f in "$d"/*.conf; do printf '"%s"\n' "$(basename "$f" .conf)"; done)
    grep -rwFn --include='*.[ch]' --include='*.def' -e "$what" "$1/cmodel" | grep -v '/cmodel/systems/'
  done
}
named . >"$tmp/named"
check 'the core names no paper and no preset of a folder' bash -c "! grep . '$tmp/named'"
mkdir -p "$tmp/tree/cmodel"
printf 'int p = PAPER_finereg;\nconst char *s = "SL-WB2";\nint q = PAPER_finer;\n' >"$tmp/tree/cmodel/planted.c"
equal 'planted names are found' "$(named "$tmp/tree" | sed 's/.*planted.c:\([0-9]*\):.*/\1/' | paste -sd' ')" '1 2'

without() {   # a folder; its experiments' names, an experiment of another folder, a system of another folder
  local dir=$tmp/$1 d build=$tmp/build   # the second build compiles only what has a list of the systems
  mkdir "$dir"
  for d in cmodel/systems/*/; do [ "$(basename "$d")" = "$1" ] || ln -s "$PWD/$d" "$dir"; done
  check "without $1: builds" make --no-print-directory -s -j2 binary CFLAGS=-O0 BUILD_DIR="$build" SYSTEM_DIRS="$dir"
  local mine=$build/regtwin
  [ -x "$mine" ] || return
  "$mine" list systems >"$tmp/out"
  for f in cmodel/systems/"$1"/*.conf; do hasnt "without $1: no $(basename "$f" .conf)" "^$(basename "$f" .conf) " "$tmp/out"; done
  has "without $1: $4" "^$4 " "$tmp/out"
  "$mine" list experiments >"$tmp/out"
  grep -v "^$2" "$tmp/experiments" >"$tmp/want"
  same "without $1: the other experiments" "$tmp/want" "$tmp/out"
  check "without $1: list measures" "$mine" list measures
  check "without $1: list kernels, whose manifests name its paper" "$mine" list kernels
  "$mine" run bfs --size small --json "$tmp/mine.json" >/dev/null
  counters "$tmp/all.json" "$(stats "cmodel/systems/$1/stats.def")" >"$tmp/want"
  counters "$tmp/mine.json" >"$tmp/out"
  same "without $1: the baseline's counters" "$tmp/want" "$tmp/out"
  check "without $1: run $4, every cycle checked" "$mine" run vecadd --size small --system "$4" --set sim.check=true
  check "without $1: characterize" "$mine" characterize vecadd --size small
  check "without $1: experiment $3" "$mine" experiment "$3" --size small --db "$tmp/db"
}
without finereg E-FR E-SL5 SL-Full-P
without slices E-SL E-FR2 FineReg
