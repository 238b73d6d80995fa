#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every wires.def against the blocks' .def: each input of its blocks is set by one line, each name is a port of that direction, and
# a DATA_WIRE is between ports of DATA lines, a WIRE between others; planted faults are caught, those of names by the compiler, too.
. "$(dirname "$0")/../lib.sh"

# The .def of the blocks, then a wires.def: what is wrong, a line each. The units of a BANK are told apart by the runtime, and not
# by inputs part_operand_i of the one model.
wires() {   # wires.def
  awk '
    FNR == 1 { n = split(FILENAME, part, "/"); block = part[n - 1] "/" part[n]; sub(/\.def$/, "", block); def = FILENAME ~ /blocks\// }
    { split($0, p, /[(),"][ ]*/) }
    def && /^INW?\(/ { input[block, p[2]] = 1 }
    def && /^OUTC?W?\(/ { output[block, p[2]] = 1 }
    def && /^DATA\(/ { n = split(p[3], name, " "); for (k = 1; k <= n; k++) data[block, name[k]] = 1 }
    def { next }
    function wrong(text) { print FILENAME ":" FNR ": " $0 ": " text }
    function sets(b, port) {
      if (!((b, port) in input)) wrong(port " is no input of " b)
      else if (set[b, port]++) wrong(port " of " b " is set a second time")
    }
    function reads(b, port) { if (!((b, port) in output)) wrong(port " is no output of " b) }
    /^(TWINC?|BANK)\(/ { of[p[3]] = of[p[3] "_bank"] = p[2] "/" p[3]; if (/^BANK/) set[p[2] "/" p[3], "part_operand_i"] = 1 }
    /^(PULSE|LEVEL)\(/ { sets(of[p[2]], p[3]) }
    /^READ\(/ { reads(of[p[2]], p[3]) }
    /^(DATA_)?WIRE\(/ {
      reads(of[p[2]], p[3])
      sets(of[p[4]], p[5])
      if (/^DATA/ != (of[p[2]], p[3]) in data || /^DATA/ != (of[p[4]], p[5]) in data) wrong("a DATA_WIRE is between ports of DATA lines")
    }
    END {
      for (b in of) used[of[b]] = 1
      for (x in input) { split(x, p, SUBSEP); if (p[1] in used && !set[x]) print FILENAME ": no line sets " p[2] " of " p[1] }
    }' cmodel/blocks/*/*.def "$1"
}

for f in cmodel/systems/*/wires.def; do equal "$f" "wrong: $(wires "$f")" 'wrong: '; done

at=$tmp/systems/slices
mkdir -p "$at"
planted() {   # name, sed expression, pattern
  sed "$2" cmodel/systems/slices/wires.def >"$at/wires.def"
  if cmp -s cmodel/systems/slices/wires.def "$at/wires.def"; then not_ok "$1" "nothing changed: $2"; return; fi
  wires "$at/wires.def" >"$tmp/out"
  has "$1" "$3" "$tmp/out"
}
refused() {   # name, pattern: by the compiler
  gcc -std=gnu11 -fsyntax-only -I"$tmp" -Icmodel -Ibuild cmodel/systems/slices/slices.c >"$tmp/out" 2>&1
  equal "$1: exit status of the compiler" $? 1
  has "$1: its message" "$2" "$tmp/out"
}
planted 'an input that there is not' 's/^LEVEL(dit, load_entry_i)/LEVEL(dit, load_other_i)/' 'wires\.def:[0-9]+: .*: load_other_i is no input of slice/dit$'
refused 'an input that there is not' 'error: .*no member named .load_other_i'
planted 'an output that there is not' 's/^READ(vc, converted_data_o)/READ(vc, operand_data_i)/' 'wires\.def:[0-9]+: .*: operand_data_i is no output of slice/vc$'
refused 'an output that there is not' 'error: .*no member named .operand_data_i'
planted 'an input that no line sets' '/^PULSE(dit, write_valid_i)/d' 'wires\.def: no line sets write_valid_i of slice/dit$'
planted 'an input that two lines set' 's/^PULSE(dit, load_valid_i)/&\nPULSE(dit, result_ready_i)/' 'result_ready_i of slice/dit is set a second time$'
planted 'data on a wire of control' 's/^DATA_WIRE(dit/WIRE(dit/' ': a DATA_WIRE is between ports of DATA lines$'
planted 'control on a wire of data' 's/^WIRE(dit, result_entry_o/DATA_WIRE(dit, result_entry_o/' ': a DATA_WIRE is between ports of DATA lines$'
