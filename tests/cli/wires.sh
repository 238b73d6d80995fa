#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The nets of system.def: planted faults are refused by make, with their place (tests/cli/system_folder.sh has those of a line alone), and
# those of names and shapes by the compiler, too.
# needs: binary
. "$(dirname "$0")/../lib.sh"

mkdir -p "$tmp/slices" "$tmp/inc/gen/nets"
lists() { cmodel/make/lists.sh "$tmp/gen" -- "$tmp/slices" 2>"$tmp/out"; }
cp cmodel/systems/slices/system.def "$tmp/slices"
check 'the nets of the tree fit' lists
for f in build/gen/nets/*.def; do check "$(basename "$f"): has lines" grep -q '^TWIN' "$f"; done
slices() { sed '/^#line/d' "$tmp/gen/nets/slices.def"; }
slices >"$tmp/made"
equal 'a block without a clock' "$(grep -o '^TWINC.*)' "$tmp/made")" 'TWINC(slice, wve, 64)'
equal 'units in one model' "$(grep -o '^BANK.*)' "$tmp/made")" 'BANK(slice, scu, 16)'
equal 'wires of data' "$(grep -o '^DATA_WIRE.*)' "$tmp/made")" 'DATA_WIRE(dit, result_payload_o, vt, result_payload_i)'

planted() {   # name, sed expression, pattern
  sed "$2" cmodel/systems/slices/system.def >"$tmp/slices/system.def"
  if cmp -s cmodel/systems/slices/system.def "$tmp/slices/system.def"; then not_ok "$1" "nothing changed: $2"; return; fi
  lists
  equal "$1: exit status" $? 2
  has "$1" "/slices/system\.def:[0-9]+: error: $3" "$tmp/out"
}
refused() {   # name, sed expression for the net, pattern: by the compiler
  sed "$2" build/gen/nets/slices.def >"$tmp/inc/gen/nets/slices.def"
  if cmp -s build/gen/nets/slices.def "$tmp/inc/gen/nets/slices.def"; then not_ok "$1" "nothing changed: $2"; return; fi
  gcc -std=gnu11 -fsyntax-only -I"$tmp/inc" -Icmodel -Ibuild cmodel/systems/slices/slices.c >"$tmp/out" 2>&1
  equal "$1: exit status of the compiler" $? 1
  has "$1: its message" "$3" "$tmp/out"
  has "$1: the list's line" '^cmodel/systems/slices/system\.def:[0-9]+:[0-9]+: error' "$tmp/out"
}
planted 'an input that there is not' 's/^LEVEL(dit, load_entry_i)/LEVEL(dit, load_other_i)/' "found input 'load_other_i', which slice/dit does not have\$"
refused 'an input that there is not' 's/^LEVEL(dit, load_entry_i)/LEVEL(dit, load_other_i)/' 'error: .*no member named .load_other_i'
planted 'an output that there is not' 's/^READ(vc, converted_data_o)/READ(vc, operand_data_i)/' "found output 'operand_data_i', which slice/vc does not have\$"
refused 'an output that there is not' 's/^READ(vc, converted_data_o)/READ(vc, operand_data_i)/' 'error: .*no member named .operand_data_i'
planted 'an input that no line sets' '/^PULSE(dit, write_valid_i)/d' "found no line that sets input 'write_valid_i' of slice/dit\$"
planted 'an input that two lines set' 's/^PULSE(dit, load_valid_i)/&\nPULSE(dit, result_ready_i)/' "found input 'result_ready_i' of slice/dit a second time"
planted 'data on a wire of control' 's/^WIRE(dit, result_payload_o/WIRE(dit, result_entry_o/' "found a wire between 'result_entry_o' and 'result_payload_i', one of which carries data only"
planted 'a net of one name twice' 's/^NET(slices)/&\n&/' "found the net 'slices' a second time, after .*/system\.def:[0-9]+"
