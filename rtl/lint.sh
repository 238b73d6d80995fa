#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each block alone through the three tools that must all accept it: Verilator, Yosys, Icarus; a warning is a failure.
# usage: rtl/lint.sh [SYSTEM/BLOCK ...]      without an argument, every rtl/*/*.sv
set -u
cd "$(dirname "$0")/.." || exit 2
for tool in verilator yosys iverilog; do
  command -v "$tool" >/dev/null || { echo "rtl/lint.sh: $tool: expected in PATH (make deps-build), found nothing" >&2; exit 2; }
done
if [ $# -gt 0 ]; then blocks=("$@"); else mapfile -t blocks < <(find rtl -mindepth 2 -name '*.sv' | sort | sed 's|^rtl/||; s|\.sv$||'); fi
for block in "${blocks[@]}"; do
  [ -f "rtl/$block.sv" ] || { echo "rtl/lint.sh: $block: expected a block such as slice/sit, found no rtl/$block.sv" >&2; exit 2; }
done

one() {   # block: what the tools say is printed when all of them have
  local block=$1 file=rtl/$1.sv top=${1##*/} dir=rtl/${1%/*} define files said='' log
  said() { [ -z "$log" ] || said+="lint $block: $1"$'\n'"$log"$'\n'; }
  files=$(printf "%s\n" rtl/common/*.sv "$dir"/*.sv | sort -u | tr "\n" " ")
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    log=$(verilator --lint-only -Wall $define rtl/lint.vlt -y "$dir" -y rtl/common --top-module "$top" "$file" 2>&1)
    said "verilator $define"
  done
  for define in "" "-formal -DASSERT_ON"; do
    log=$(yosys -qq -p "read_verilog -sv $define -Irtl/common -defer $files; hierarchy -check -top $top; proc; check -assert" 2>&1 ||
      echo "exit status $?")
    said "yosys $define"
  done
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    log=$(iverilog -g2012 -Wall -Wno-timescale $define -I rtl/common -I "$dir" -y "$dir" -y rtl/common -Y .sv -s "$top" -o /dev/null "$file" 2>&1 |
      grep -v 'sorry: constant selects in always_\* processes are not currently supported')
    said "icarus $define"
  done
  printf '%s' "$said" >&2
  [ -z "$said" ]
}
export -f one
# shellcheck disable=SC2016
printf '%s\n' "${blocks[@]}" | xargs -P "${JOBS:-$(nproc)}" -n 1 bash -c 'one "$0"' || exit 1
echo "rtl lint: ${#blocks[@]} modules clean (Verilator, Yosys, Icarus)"
