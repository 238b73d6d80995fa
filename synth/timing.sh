#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make timing: longest path (ns) and area (um2) of a block in OSU's 0.18 um cells, memories as flip-flops: Yosys maps, OpenSTA times
# what lies between registers and ports; inputs arrive at 0 ns from a BUFX2, outputs drive 0.05 pF.
# usage: synth/timing.sh [SYSTEM/BLOCK ...]     FROM=ready_i TO=p12_v_o: of the path between these ports; without an argument the blocks
# of rtl/README.md's table
set -u
cd "$(dirname "$0")/.." || exit 2
for port in "${FROM:-none}" "${TO:-none}"; do
  [[ $port =~ ^[a-z0-9_]+$ ]] || { printf 'synth/timing.sh: found %q, expected a port such as ready_i\n' "$port" >&2; exit 2; }
done
cells=${LIBERTY:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
for tool in yosys sta; do
  command -v $tool >/dev/null || { echo "synth/timing.sh: $tool: expected in PATH (make timing installs it), found nothing" >&2; exit 2; }
done
[ -r "$cells" ] || { echo "synth/timing.sh: $cells: expected the cells of qflow-tech-osu018, found no such file" >&2; exit 2; }
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] || set -- finereg/csm finereg/csw finereg/fsmon finereg/rid slice/sit slice/vcl
printf 'set_driving_cell BUFX2\nset_load 0.05 [all_outputs]\n' >"$tmp/constr"

bad=0
printf '%-14s %8s %10s\n' block ns area
for block in "$@"; do
  top=${block##*/} dir=rtl/${block%/*}
  [ -f "rtl/$block.sv" ] || { echo "synth/timing.sh: $block: expected a block such as slice/sit, found no rtl/$block.sv" >&2; exit 2; }
  files=$(printf "%s\n" rtl/common/*.sv "$dir"/*.sv | sort -u | tr "\n" " ")
  clock='create_clock -name clk -period 10'
  ! grep -q 'clk_i' "rtl/$block.sv" || clock+=' [get_ports clk_i]'
  cat >"$tmp/sta.tcl" <<END
read_liberty $cells
read_verilog $tmp/mapped.v
link_design $top
$clock
set_input_delay 0 -clock clk [all_inputs]
set_output_delay 0 -clock clk [all_outputs]
if {[llength [get_ports -quiet rst_ni]]} { set_false_path -from [get_ports rst_ni] }
report_checks -path_delay max -digits 3 ${FROM:+-from [get_ports $FROM]} ${TO:+-to [get_ports $TO]}
END
  yosys -qq -p "read_verilog -sv -defer -Irtl/common $files; hierarchy -check -top $top; rename -top $top; synth -flatten -top $top;
    dfflibmap -liberty $cells; abc -liberty $cells -constr $tmp/constr -D 3000; opt_clean -purge; tee -q -o $tmp/stat stat -liberty $cells;
    write_verilog -noattr -simple-lhs $tmp/mapped.v" >"$tmp/log" 2>&1 && sta -no_splash -exit "$tmp/sta.tcl" >>"$tmp/log" 2>&1
  ns=$(awk '/data arrival time/ { print $1; exit }' "$tmp/log")
  area=$(awk '/Chip area/ { print $NF; exit }' "$tmp/stat")
  if [ -z "$ns" ] || [ -z "$area" ]; then
    echo "synth/timing.sh: $block: found no path; the tools say:" >&2
    tail -n 5 "$tmp/log" >&2
    bad=2
    continue
  fi
  printf '%-14s %8s %10.0f\n' "$block" "$ns" "$area"
done
exit $bad
