# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The Verilog of a block (SYSTEM/BLOCK) and of what it is made of, as one hash: recorded figures say by it which RTL they are of.
verilog_hash() {
  awk -v modules="$(echo "$RTL"/common/*.sv "$RTL/${1%/*}"/*.sv)" -v dirs="$RTL/common" -f cosim/sources.awk "$RTL/$1.sv" |
    xargs cat | sha256sum | cut -c 1-16
}
export -f verilog_hash
