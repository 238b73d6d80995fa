# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The Verilog of a block (SYSTEM/BLOCK) and of what it is made of, without comments and assertions (ASSERT_ON, FORMAL), as one hash:
# recorded figures say by it which RTL they are of.
verilog_hash() {
  # shellcheck disable=SC2016
  awk -v modules="$(echo "$RTL"/common/*.sv "$RTL/${1%/*}"/*.sv)" -v dirs="$RTL/common" -f cosim/sources.awk "$RTL/$1.sv" |
    xargs awk '
      FNR == 1 { depth = 0; left_out = 0 }
      /^[ \t]*`if/ { depth++; if (!left_out && /^[ \t]*`ifdef (ASSERT_ON|FORMAL)[ \t\r]*$/) { left_out = depth; next } }
      /^[ \t]*`else/ && left_out == depth { left_out = 0; within = depth; next }
      /^[ \t]*`endif/ { depth--; if (left_out == depth + 1) { left_out = 0; next } if (within == depth + 1) { within = 0; next } }
      left_out { next }
      { sub(/[ \t\r]*\/\/.*/, "") }   # no string outside of assertions has //
      /[^ \t\r]/' | sha256sum | cut -c 1-16
}
export -f verilog_hash
