#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each block alone through the three tools that must all accept it: Verilator, Yosys, Icarus; a warning is a failure.
# A module without a warning is not read again until its folder, rtl/common, this script or a tool's version change (tests/kept.sh).
# Parameters have their defaults. SETS="NAME ..." or all: blocks that have these sets are read by Verilator with their parameters, too.
# usage: rtl/lint.sh [SYSTEM/BLOCK ...]      without an argument, every rtl/*/*.sv
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/kept.sh
export cache
for tool in verilator yosys iverilog; do
  command -v "$tool" >/dev/null || { echo "rtl/lint.sh: $tool: expected in PATH (make deps-cosim), found nothing" >&2; exit 2; }
done
mapfile -t all < <(find rtl -mindepth 2 -name '*.sv' | sort | sed 's|^rtl/||; s|\.sv$||')
if [ $# -gt 0 ]; then blocks=("$@"); else blocks=("${all[@]}"); fi
near() { bash -c '. cosim/lib.sh; did_you_mean "$@"' - "$1" "${all[@]}" | sed 's/^/; /; s/ *$//'; }
for block in "${blocks[@]}"; do
  [ -f "rtl/$block.sv" ] || { echo "rtl/lint.sh: $block: expected a block such as slice/sit, found no rtl/$block.sv$(near "$block")" >&2; exit 2; }
done

one() {   # block, its hash: what the tools say is printed when all of them have
  local block=$1 file=rtl/$1.sv top=${1##*/} dir=rtl/${1%/*} define files said='' log
  said() { [ -z "$log" ] || said+="lint $block: $1"$'\n'"$log"$'\n'; }
  run() { "$@" 2>&1 || echo "${1##*/}: exit status $?"; }   # a tool that dies without a word is no clean module
  files=$(printf "%s\n" rtl/common/*.sv "$dir"/*.sv | sort -u | tr "\n" " ")
  # Verilator 5.032 warns of these, 5.006 does not
  log=$(grep -nE '^ *for \(genvar ' "$file" "${file%.sv}_properties.svh" 2>/dev/null | grep -v ' begin : ')
  said 'expected a generate block with a name (begin : gen_...), found none'
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    log=$(run verilator --lint-only -Wall $define rtl/lint.vlt -y "$dir" -y rtl/common --top-module "$top" "$file" |
      grep -v '^- V') # later versions report what they did
    said "verilator $define"
  done
  for define in "" "-formal -DASSERT_ON"; do
    log=$(run yosys -qq -p "read_verilog -sv $define -Irtl/common -defer $files; hierarchy -check -top $top; proc; check -assert" |
      grep -vE "$notes")
    said "yosys $define"
  done
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    log=$(run iverilog -g2012 -Wall -Wno-timescale $define -I rtl/common -I "$dir" -y "$dir" -y rtl/common -Y .sv -s "$top" -o /dev/null "$file" |
      grep -v 'sorry: constant selects in always_\* processes are not currently supported')
    said "icarus $define"
  done
  printf '%s' "$said" >&2
  [ -z "$said" ] && keep_line "$cache/results" "lint $file" "$2" clean && keep_line "$cache/used" "lint $file" "$2" clean
}
export -f one keep_line
# Yosys after 0.23, the reference, warns of each array that becomes registers; most are meant to.
export notes='^$'
case $(yosys -V) in 'Yosys 0.23 '*) ;; *) notes+='|^Warning: Replacing memory .* with list of registers' ;; esac
versions=$(verilator --version && yosys -V && iverilog -V 2>/dev/null | head -n 1)
todo=()
for block in "${blocks[@]}"; do
  hash=$(kept_hash rtl/common "rtl/${block%/*}" rtl/lint.vlt rtl/lint.sh -- "$versions")
  kept "lint rtl/$block.sv" "$hash" || todo+=("$block" "$hash")
done
# shellcheck disable=SC2016
printf '%s\n' ${todo[@]+"${todo[@]}"} | xargs -r -P "${JOBS:-$(nproc)}" -n 2 bash -c 'one "$0" "$1"' || exit 1
echo "rtl lint: ${#blocks[@]} modules clean (Verilator, Yosys, Icarus) at default parameters, of them $((${#blocks[@]} - ${#todo[@]} / 2)) kept from the same text"

# ---- at other parameter sets: a width that is right at the first set only is a warning at another one
[ -n "${SETS-}" ] || exit 0
# A value that leaves a signal unused or a comparison constant is no fault there.
at_set() {   # block, set, -GName=value...
  local block=$1 set=$2 said define
  for define in '' -DASSERT_ON; do
    # shellcheck disable=SC2086
    said=$({ verilator --lint-only -Wall -Wno-UNUSEDSIGNAL -Wno-CMPCONST $define "${@:3}" rtl/lint.vlt -y "rtl/${block%/*}" -y rtl/common --top-module "${block##*/}" "rtl/$block.sv" 2>&1 ||
      echo "verilator: exit status $?"; } | grep -v '^- V')
    [ -z "$said" ] || { printf 'lint %s@%s: verilator %s\n%s\n' "$block" "$set" "$define" "$said" >&2; return 1; }
  done
}
export -f at_set
defs=()
for block in "${blocks[@]}"; do [ ! -f "cmodel/blocks/$block.def" ] || defs+=("cmodel/blocks/$block.def"); done
sets=$(awk -f cosim/sets.awk ${defs[@]+"${defs[@]}"} </dev/null) || exit 2
# Lines of block, set, -GName=value...: of a set those that differ from the block's first one, which has been read.
at=$(awk -v want="$SETS" 'BEGIN { n = split(want, part, " "); for (k = 1; k <= n; k++) wanted[part[k]] = 1 }
  { known[$2] = 1 }
  !($1 in first) { first[$1] = $0 " "; next }
  ("all" in wanted) || ($2 in wanted) { line = $1 " " $2; for (k = 3; k <= NF; k++) if (!index(first[$1], " " $k " ")) line = line " -G" $k; print line }
  END { for (s in wanted) if (s != "all" && !(s in known)) { print "rtl/lint.sh: SETS=" s ": found no such set of these blocks (make cosim-sets)" > "/dev/stderr"; bad = 2 }; exit bad }' \
  <<<"$sets") || exit 2
# shellcheck disable=SC2016
[ -z "$at" ] || xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'at_set "$@"' - <<<"$at" || exit 1
echo "rtl lint: $(grep -c . <<<"$at") other sets clean (Verilator)"
