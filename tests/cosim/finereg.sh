#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An off-by-one in the Verilog that follows the chains of the PCRF: lockstep must find it, show where, and leave a stimulus that
# is small enough to read: two entries are written, and walked.
# needs: cosim-runtime
. "$(dirname "$0")/../lib.sh"
at=$PWD/build/cosim-test/finereg
rm -rf "$at"
mkdir -p "$at"
cp -r rtl tb "$at"
sed -i 's/ : tag_next;/ : tag_next + 1;/' "$at/rtl/finereg/pcrf.sv"
check 'one line is changed' test "$(diff rtl/finereg/pcrf.sv "$at/rtl/finereg/pcrf.sv" | grep -c '^>')" -eq 1

run() {   # [VAR=value...]: output in $tmp/out, status in $status
  make --no-print-directory -s cosim BLOCK=finereg/pcrf COSIM_RTL="$at/rtl" COSIM_TB="$at/tb" COSIM_OUT="$at/out" "$@" \
    >"$tmp/out" 2>&1
  status=$?
}

run SHRINK=1
check 'the run fails' test $status -eq 2
check 'as the twins differ' grep -q '^DIVERGE pcrf cycle' "$tmp/out"
check 'at the walker' grep -qE '^! (head_index_o|head_end_o|credit_q) ' "$tmp/out"
cycles=$(sed -nE 's/^SHRUNK from [0-9]+ to ([0-9]+) cycles.*/\1/p' "$tmp/out")
check 'what is left is short' test "${cycles:-99}" -le 12
stim=$(ls "$at"/tb/finereg/regress/pcrf-*.stim)
run REPLAY="$stim"
check 'and fails again' grep -q '^DIVERGE pcrf' "$tmp/out"
rm "$at/rtl/finereg/pcrf.sv"
cp rtl/finereg/pcrf.sv "$at/rtl/finereg"
run REPLAY="$stim"
check 'but not on the good twin' test $status -eq 0
