#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each block alone through the three tools that must all accept it: Verilator, Yosys, Icarus; a warning is a failure.
# A module without a warning is not read again until its folder, rtl/common, this script or a tool's version change (tests/kept.sh).
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
near() { bash -c '. cosim/lib.sh; did_you_mean "$@"' - "$1" "${all[@]}"; }
for block in "${blocks[@]}"; do
  [ -f "rtl/$block.sv" ] || { echo "rtl/lint.sh: $block: expected a block such as slice/sit, found no rtl/$block.sv; $(near "$block")" >&2; exit 2; }
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
echo "rtl lint: ${#blocks[@]} modules clean (Verilator, Yosys, Icarus), of them $((${#blocks[@]} - ${#todo[@]} / 2)) kept from the same text"
