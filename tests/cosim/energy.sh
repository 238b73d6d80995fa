#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make synth-energy: a netlist and a library made by hand have the energy that a person computes; libraries, netlists and tables that
# are damaged are refused with a line; a small block's recorded row is met again.
# needs: binary cosim-runtime
. "$(dirname "$0")/../lib.sh"
cmodel/make/deps.sh synth >"$tmp/deps" 2>&1 || not_ok 'the packages of synth' "$(tail -n 3 "$tmp/deps")"

# ---- a block of three cells: q changes in each cycle with en, n is the inverse of en
mkdir -p "$tmp"/{c/blocks,rtl,tb}/demo
cat >"$tmp/c/blocks/demo/step.def" <<'END'
IN(en_i, 1)
OUT(q_o, 1)
OUTC(n_o, 1, "en_i")
STATE(q_q, 1)
QUIET(ZERO(en_i))
END
cat >"$tmp/c/blocks/demo/step.h" <<'END'
#ifndef STEP_H
#define STEP_H
#define BLOCK step
#define BLOCK_DEF "blocks/demo/step.def"
#include "blocks/declare.h"
struct step {
  struct step_state r;
};
#endif
END
cat >"$tmp/c/blocks/demo/step.c" <<'END'
#include "blocks/demo/step.h"
void step_reset(struct step *s) { s->r.q_q = 0; }
void step_eval(const struct step *s, const struct step_in *in, struct step_out *out) {
  out->q_o = s->r.q_q;
  out->n_o = !in->en_i;
}
void step_tick(struct step *s, const struct step_in *in) { s->r.q_q ^= in->en_i; }
END
cat >"$tmp/tb/demo/step_tb.c" <<'END'
#include "blocks/demo/step.h"
#include "tb.h"
static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  (void)r, (void)phase;
  for (const char *c = "1110010000"; *c; c++) tb_step(t, &(struct step_in){.en_i = *c == '1'});
}
const struct tb tb_bench = {.episode = episode};
END
: >"$tmp/rtl/demo/step.sv"
cat >"$tmp/hand.v" <<'END'
module step(clk_i, rst_ni, en_i, q_o, n_o);
  input clk_i, rst_ni;
  wire clk_i;
  input en_i;
  output q_o;
  output n_o;
  wire d;
  wire [2:1] \s[0].q ;
  assign q_o = \s[0].q [2];
  XOR u_x ( .A(en_i), .B(\s[0].q [2]), .Y(d) );
  DFF u_q (
    .CLK(clk_i),
    .D(d),
    .Q(\s[0].q [2]),
    .R(rst_ni)
  );
  INV u_n ( .A(en_i), .Y(n_o) ); // at no load
endmodule
END
# 2 V; capacitances in 10 fF, hence energies in 0.01 pJ
cat >"$tmp/hand.lib" <<'END'
library (hand) {
  time_unit : "100ps";
  voltage_unit : "1V";
  leakage_power_unit : "10pW";
  capacitive_load_unit (10, ff);
  nom_voltage : 2;
  power_lut_template (load_slew) { variable_1 : total_output_net_capacitance; variable_2 : input_transition_time; index_1 ("0, 4"); index_2 ("1, 3"); }
  power_lut_template (slew) { variable_1 : input_transition_time; index_1 ("9, 10"); }
  /* an inverter */
  cell (INV) {
    cell_leakage_power : 1;
    pin (A) { direction : input; capacitance : 1; }
    pin (Y) { direction : output; function : "A'";
      internal_power () { related_pin : "A"; rise_power (scalar) { values ("5"); } fall_power (scalar) { values ("3"); } } }
  }
  cell (XOR) {
    cell_leakage_power : 2;
    pin (A) { direction : input; capacitance : 2; }
    pin (B) { direction : input; capacitance : 3; }
    pin (Y) { direction : output; function : "(A !B) + (!A B)";
      internal_power () { related_pin : "A";
        rise_power (load_slew) { values ("10, 20", \
          "30, 40"); }
        fall_power (slew) { index_1 ("1, 3"); values ("2, 4"); } }
      internal_power () { related_pin : "B"; power (scalar) { values ("5"); } } }
  }
  cell (DFF) {
    cell_leakage_power : 4;
    ff (IQ, IQN) { next_state : "D"; clocked_on : "CLK"; clear : "!R"; }
    pin (CLK) { direction : input; capacitance : 1; clock : true;
      internal_power () { rise_power (scalar) { values ("2"); } fall_power (scalar) { values ("6"); } } }
    pin (D) { direction : input; capacitance : 4; internal_power () { power (scalar) { values ("1"); } } }
    pin (R) { direction : input; capacitance : 7; }
    pin (Q) { direction : output; function : "IQ";
      internal_power () { related_pin : "CLK"; rise_power (scalar) { values ("12"); } fall_power (scalar) { values ("10"); } }
      internal_power () { related_pin : "R"; power (scalar) { values ("99"); } } }
  }
}
END
printf 'demo/step\tstep\ten_i&en_i\tby hand\n' >"$tmp/events.tsv"
program=$tmp/out/obj/demo/step/energy
make --no-print-directory -s COSIM_C="$tmp/c" COSIM_RTL="$tmp/rtl" COSIM_TB="$tmp/tb" COSIM_OUT="$tmp/out" "$program" >"$tmp/log" 2>&1 ||
  not_ok 'the block is built' "$(tail "$tmp/log")"
energy() {   # library, netlist, events, more options...
  "$program" --name demo/step --slew 0.2 --cycles 10 --liberty "$1" --netlist "$2" --events "$3" --out "$tmp/row" "${@:4}" >"$tmp/out.txt" 2>"$tmp/err"
}
# Transitions, rising and falling: en 2, 2; n 2, 2; d 2, 2; q 2, 2. Their pJ, C V^2 / 2 + internal:
#   en 0.06, 0.06   n 0 + 0.05, 0 + 0.03   d 0.08 + (0.35 + 0.05) / 2 + 0.01, 0.08 + (0.03 + 0.05) / 2 + 0.01
#   q 0.06 + 0.12 - 0.02, 0.06 + 0.10 - 0.02 (the clock's rising edge is in the clock's energy)
# Clock: 0.01 pF x 4 V^2 + 0.02 + 0.06. Events: 4 of 1.84 pJ. Leakage: 7 x 10 pW.
energy "$tmp/hand.lib" "$tmp/hand.v" "$tmp/events.tsv"
printf '#block\trun\tcycles\tclock_pj\tevent\tevents\tpj_per_event\tleakage_nw\tlibrary\ndemo/step\tbench\t10\t0.1200\tstep\t4\t0.4600\t0.07000\thand\n' >"$tmp/want"
same 'energies computed by hand' "$tmp/want" "$tmp/row"
cp "$tmp/row" "$tmp/kept"

# ---- what is wrong has one message with a line, and leaves the old row
refused() {   # name, pattern, what (lib, v, tsv), sed expression
  cp "$tmp/hand.lib" "$tmp/bad.lib"
  cp "$tmp/hand.v" "$tmp/bad.v"
  cp "$tmp/events.tsv" "$tmp/bad.tsv"
  sed -i "$4" "$tmp/bad.$3"
  if cmp -s "$tmp/bad.$3" "$tmp/hand.$3" || cmp -s "$tmp/bad.$3" "$tmp/events.$3"; then not_ok "$1" "nothing changed: $4"; return; fi
  energy "$tmp/bad.lib" "$tmp/bad.v" "$tmp/bad.tsv"
  equal "$1: exit status" $? 2
  has "$1: message" "^energy: .*bad\\.$3:?$2" "$tmp/err"
  equal "$1: lines" "$(wc -l <"$tmp/err")" 1
  same "$1: the old row stays" "$tmp/kept" "$tmp/row"
}
refused 'a library that is cut off' '21: found the end of the file, expected } that ends cell of line 16' lib '21,38d; 20s/ {.*/;/'
refused 'a number that is none' '12: found capacitance 1pF, expected a number' lib '12s/: 1;/: 1pF;/'
refused 'values that are missing' '22: found 3 values, expected 4' lib '22s/10, 20/10/'
refused 'a template that is missing' '24: found template slow, expected a power_lut_template' lib '24s/slew/slow/'
refused 'an index that falls' '24: found index_1 that does not increase' lib '24s/1, 3/3, 1/'
refused 'a variable that is another one' '7: found variable equal_net, expected total_output' lib '7s/total_output_net_capacitance/equal_net/'
refused 'a comment without an end' '9: found a comment without an end' lib '9s/\*\///'
refused 'no colon' '11: found 1, expected : or \( after cell_leakage_power' lib '11s/://'
refused 'no unit of capacitance' '1: found no capacitive_load_unit' lib '5d'
refused 'another unit' '3: found voltage_unit 1A, expected a unit such as 1nV' lib '3s/1V/1A/'
refused 'no voltage' '1: found no nom_voltage above zero' lib '6d'
refused 'a function without an end' '20: found "" in the function .* expected \)' lib '20s/!A B)/!A B/'
refused 'a function of no pin' '13: found "C\*A" in the function .* of INV, expected an input pin' lib "13s/A'/C*A/"
refused 'a pin without a direction' '12: found pin A without a direction' lib '12s/direction : input;//'
refused 'a cell that is there twice' '16: found cell INV twice' lib '16s/XOR/INV/'
refused 'a cell that the library lacks' '10: found cell XNOR, expected one of ' v '10s/XOR/XNOR/'
refused 'a pin that the cell lacks' '12: found pin CK of DFF, expected a pin' v '12s/CLK/CK/'
refused 'a pin without a net' '17: found no net at pin A of u_n' v '17s/\.A(en_i), //'
refused 'a name that is not declared' '13: found e, expected a declared name' v '13s/(d)/(e)/'
refused 'a bit that is not there' '9: found s\[0\]\.q\[3:3\], expected bits of \[2:1\]' v '9s/\[2\];/[3];/'
refused 'two drivers' '17: found a second driver of d' v '17s/n_o/d/'
refused 'no driver' ' found no driver of d, expected one' v '10d'
refused 'a loop' ' found a loop of gates through (d|n_o)' v '17s/.*/INV u_n ( .A(d), .Y(n_o) );/; 10s/en_i/n_o/'
refused 'another clock' '11: found en_i at pin CLK of u_q, expected clk_i' v '12s/clk_i/en_i/'
refused 'a netlist that is cut off' '18: found the end of the file, expected' v '18d'
refused 'a port of another width' ' found input port en_i of 2 bits, expected the input of 1 bits' v '4s/input/input [1:0]/; 10s/en_i/en_i[0]/; 17s/en_i/en_i[1]/'
refused 'an event of no port' '1: found port none, expected one of step' tsv 's/en_i$/x/; s/en_i&en_i/none/'
refused 'an event without a note' '1: found 3 columns, expected four' tsv 's/\tby hand//'
refused 'no event of the block' ' found no line for demo/step' tsv 's/^demo/demon/'
sed 's/(A !B) + (!A B)/!(A ^ B)/' "$tmp/hand.lib" >"$tmp/other.lib"
energy "$tmp/other.lib" "$tmp/hand.v" "$tmp/events.tsv"
equal 'a gate with another function: exit status' $? 2
has 'it is found in the lockstep with the C twin' 'found a netlist that differs from the C twin in cycle 1, expected none' "$tmp/err"
energy "$tmp/none.lib" "$tmp/hand.v" "$tmp/events.tsv"
has 'no such library' 'none\.lib: expected a Liberty file: No such file' "$tmp/err"

sed 's/clocked_on : "CLK"/clocked_on : "!CLK"/' "$tmp/hand.lib" >"$tmp/other.lib"
energy "$tmp/other.lib" "$tmp/hand.v" "$tmp/events.tsv"
has 'a falling clock' 'hand\.v:11: found cell DFF, which has a clock that is not the rising edge of a pin' "$tmp/err"

# ---- the blocks of the project
make --no-print-directory -s cosim-blocks | tr " " "\n" | sort >"$tmp/blocks"
grep -v "^#" synth/events.tsv | cut -f 1 | sort >"$tmp/events"
same "each block has one event" "$tmp/blocks" "$tmp/events"
grep -v "^#" cosim/records/energy.tsv | cut -f 1 | grep -v @ | sort -u >"$tmp/energies"
same "each block has a recorded energy" "$tmp/blocks" "$tmp/energies"

# ---- one of them in the cells of make synth
skip_unless 'the energy of finereg/rid' "no package of this Debian has OSU's cells (CONTRIBUTING.md)" test -f /usr/share/qflow/tech/osu018/osu018_stdcells.lib
energy_of() { make --no-print-directory -s synth-energy BLOCK=finereg/rid SYNTH_OUT="$tmp/synth" "$@" >"$tmp/table" 2>"$tmp/err"; }
rid=$tmp/synth/osu018_stdcells/finereg/rid
energy_of
equal 'rid: exit status' $? 0
grep '^finereg/rid	' cosim/records/energy.tsv | cut -f 1-9 >"$tmp/recorded"
grep -v '^#' "$rid/energy.tsv" >"$tmp/rows"
# The tenth column of the recorded rows is the hash of the Verilog, which tests/cosim/synth.sh checks.
same 'rid has the recorded energies' "$tmp/recorded" "$tmp/rows"
has 'a line when its run begins' '^\[1/1\] finereg/rid: its netlist is simulated \.\.\.$' "$tmp/err"
has 'as a table' '^finereg/rid +streams +38000 +[0-9.]+ +register +[0-9]+ +[0-9.]+ ' "$tmp/table"
energy_of
has 'the second time nothing runs' '^\[1/1\] finereg/rid: kept from the last call$' "$tmp/err"
# A block without a clock has no edge that ends a cycle.
make --no-print-directory -s synth-energy BLOCK=slice/vcl SYNTH_OUT="$tmp/synth" >"$tmp/out.txt" 2>"$tmp/err"
grep '^slice/vcl	' cosim/records/energy.tsv | cut -f 1-9 >"$tmp/recorded"
grep -v '^#' "$tmp/synth/osu018_stdcells/slice/vcl/energy.tsv" >"$tmp/rows"
same 'vcl, which has no clock, has the recorded energies' "$tmp/recorded" "$tmp/rows"
awk '!done && /^  NAND2X1 / { sub(/NAND2X1/, "NOR2X1"); done = 1 } { print }' "$rid/netlist.v" >"$tmp/other.v"
build/cosim/obj/finereg/rid/energy --liberty /usr/share/qflow/tech/osu018/osu018_stdcells.lib --netlist "$tmp/other.v" --name finereg/rid \
  --events synth/events.tsv --out "$tmp/row" >"$tmp/out.txt" 2>"$tmp/err"
equal 'another gate in its netlist: exit status' $? 2
has 'it is found' '^energy: .*found a netlist that differs from the C twin in cycle [0-9]+' "$tmp/err"
energy_of CYCLES=none
has 'cycles that are no number' '^energy: cycles: found none, expected a number' "$tmp/err"
