#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each block alone through the three tools that must all accept it: Verilator, Yosys, Icarus; a warning is a failure.
# usage: rtl/lint.sh [SYSTEM/BLOCK ...]      without an argument, every rtl/*/*.sv
set -u
cd "$(dirname "$0")/.." || exit 2
for tool in verilator yosys iverilog; do
  command -v "$tool" >/dev/null || { echo "rtl/lint.sh: $tool: expected in PATH (make deps-build), found nothing" >&2; exit 2; }
done
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
bad=0
if [ $# -gt 0 ]; then blocks=("$@"); else mapfile -t blocks < <(find rtl -mindepth 2 -name '*.sv' | sort | sed 's|^rtl/||; s|\.sv$||'); fi

check() {  # name, log: the command's output must be empty
  if [ -s "$2" ]; then echo "lint $block: $1" >&2; cat "$2" >&2; bad=1; fi
}

for block in "${blocks[@]}"; do
  file=rtl/$block.sv top=${block##*/} dir=rtl/${block%/*}
  [ -f "$file" ] || { echo "rtl/lint.sh: $block: expected a block such as slice/sit, found no $file" >&2; exit 2; }
  files=$(printf "%s\n" rtl/common/*.sv "$dir"/*.sv | sort -u | tr "\n" " ")
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    verilator --lint-only -Wall $define rtl/lint.vlt -y "$dir" -y rtl/common --top-module "$top" "$file" >"$tmp/v" 2>&1
    check "verilator $define" "$tmp/v"
  done
  for define in "" "-formal -DASSERT_ON"; do
    yosys -qq -p "read_verilog -sv $define -Irtl/common -defer $files; hierarchy -check -top $top; proc; check -assert" \
      >"$tmp/y" 2>&1 || echo "exit status $?" >>"$tmp/y"
    check "yosys $define" "$tmp/y"
  done
  for define in "" -DASSERT_ON; do
    # shellcheck disable=SC2086
    iverilog -g2012 -Wall -Wno-timescale $define -I rtl/common -I "$dir" -y "$dir" -y rtl/common -Y .sv -s "$top" -o /dev/null "$file" 2>&1 |
      grep -v 'sorry: constant selects in always_\* processes are not currently supported' >"$tmp/i"
    check "icarus $define" "$tmp/i"
  done
done
[ $bad = 0 ] && echo "rtl lint: ${#blocks[@]} modules clean (Verilator, Yosys, Icarus)"
exit $bad
