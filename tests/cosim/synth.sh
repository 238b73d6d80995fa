#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make synth on small blocks: costs against cosim/records/baseline.tsv, flip-flops and memories against the .def; the netlists in lockstep
# with the C twins, and a fault planted in one; messages about RTL, libraries and arguments that are wrong.
# needs: cosim-built
. "$(dirname "$0")/../lib.sh"
cmodel/make/deps.sh synth >"$tmp/deps" 2>&1 || not_ok 'the packages of synth' "$(tail -n 3 "$tmp/deps")"
skip_unless 'make synth' "no package of this Debian has OSU's cells (CONTRIBUTING.md)" test -f /usr/share/qflow/tech/osu018/osu018_stdcells.lib
netlists=build/synth/osu018_stdcells

check 'costs are at most 3 % above the recorded ones' synth/synth.sh --check finereg/rid finereg/csw finereg/lrvc slice/tve slice/vcl slice/vtl
check 'so are those of blocks whose Verilog has changed since' synth/synth.sh --check
# what is recorded is of the Verilog without its assertions
mkdir -p "$tmp/assertions"
hash_of_copy() { (. synth/hash.sh && RTL=$tmp/assertions/rtl verilog_hash linebacker/vtt); }
cp -r rtl "$tmp/assertions/"
before=$(hash_of_copy)
equal 'the hash of the Verilog is the recorded one' "$before" "$(awk -F '\t' '$1 == "linebacker/vtt" { print $NF }' cosim/records/baseline.tsv)"
sed -i '/^`ifdef ASSERT_ON/a  always_comb assert (1);' "$tmp/assertions/rtl/linebacker/vtt_properties.svh"
sed -i '1a // another comment' "$tmp/assertions/rtl/linebacker/vtt.sv"
equal 'an assertion more and a comment change nothing' "$(hash_of_copy)" "$before"
# shellcheck disable=SC2016
sed -i '0,/^`else/s//`else\n  wire more;/' "$tmp/assertions/rtl/linebacker/vtt.sv"
check 'what is there without FORMAL does' test "$(hash_of_copy)" != "$before"
sed 's/^\(finereg\/rid\t.*\t\)[0-9a-f]*$/\1ffff/' cosim/records/baseline.tsv >"$tmp/baseline"
BASELINE=$tmp/baseline synth/synth.sh --check >"$tmp/out" 2>"$tmp/err"
has 'which are found by their hash' '^synth: 1 of [0-9]+ blocks have other Verilog than when .*: finereg/rid$' "$tmp/err"
has 'and mapped' '^\[1/1\] finereg/rid: ' "$tmp/err"
sed 's/^\(finereg\/ppt@kb64\t.*\t\)[0-9a-f]*$/\1ffff/' cosim/records/baseline.tsv >"$tmp/baseline"
BASELINE=$tmp/baseline synth/synth.sh --check >"$tmp/out" 2>"$tmp/err"
equal 'another set of other Verilog is counted: exit status' $? 0
has 'and its message' '^synth: [1-9][0-9]* other sets of .* are of earlier Verilog .make synth-record, synth-energy-record, SETS=all' "$tmp/err"
has 'no block is mapped for it' '^synth: 0 of [0-9]+ blocks have other Verilog' "$tmp/err"
sed 's/^\(finereg\/rid\t.*\t\)[0-9a-f]*$/\1ffff/' cosim/records/energy.tsv >"$tmp/energy"
ENERGY_TSV=$tmp/energy synth/synth.sh --check >"$tmp/out" 2>"$tmp/err"
equal 'an energy of other Verilog: exit status' $? 1
has 'and its message' '^synth: .*energy: found no energies of this Verilog of finereg/rid, expected those of rtl/ .make synth-energy-record BLOCK=' "$tmp/err"
ENERGY_TSV=$tmp/energy synth/synth.sh --check finereg/rid >"$tmp/out" 2>"$tmp/err"
equal 'the same of one block whose cost is right: exit status' $? 1
{ cat cosim/records/energy.tsv; grep '^finereg/rid' cosim/records/energy.tsv | sed 's/osu018_stdcells.*/osu035_stdcells\tffff/'; } >"$tmp/energy"
ENERGY_TSV=$tmp/energy synth/synth.sh --check finereg/rid >"$tmp/out" 2>"$tmp/err"
equal 'energies of another library do not count: exit status' $? 0
older_energies() { BASELINE=$tmp/baseline ENERGY_TSV=$1 synth/synth.sh --check 2>&1 >/dev/null | sed -n 's/^synth: [0-9]* other sets of .* and \([0-9]*\) of .*/\1/p'; }
{ cat cosim/records/energy.tsv; grep '^finereg/rid' cosim/records/energy.tsv | sed 's/^[^\t]*/&@other/; s/osu018_stdcells.*/osu035_stdcells\tffff/'; } >"$tmp/energy"
equal 'nor those of another set' "$(older_energies "$tmp/energy")" "$(older_energies cosim/records/energy.tsv)"
sed -i 's/osu035_stdcells/osu018_stdcells/' "$tmp/energy"
equal 'which of this library is counted' "$(older_energies "$tmp/energy")" "$(($(older_energies cosim/records/energy.tsv) + 1))"
grep -v '^finereg/rid' cosim/records/energy.tsv >"$tmp/energy"
ENERGY_TSV=$tmp/energy synth/synth.sh --check >"$tmp/out" 2>"$tmp/err"
equal 'no energy at all: exit status' $? 1
synth/synth.sh finereg/rid finereg/csw finereg/lrvc 2>"$tmp/err" | sed '/^beside /,$d' >"$tmp/table"
for b in rid csw lrvc; do
  make --no-print-directory -s storage BLOCK=finereg/$b SETS= 2>/dev/null | awk -v b=finereg/$b '$1 == b { print $2, $3 }' >"$tmp/def"
  awk -v b=finereg/$b '$1 == b { print $3, $8 }' "$tmp/table" >"$tmp/mapped"
  same "$b has the flip-flops and memory bits of its .def" "$tmp/def" "$tmp/mapped"
done
has 'as JSON' '"block": "finereg/lrvc", .*"memory_bits": 2048, "memories": "1\*1rw:32x64", "parameters": "NumEntries=32"}' $netlists/synth.json
has 'as CSV' '^finereg/rid,[0-9]+,64,[0-9]+,[0-9]+,[0-9]+,[0-9.]+,0,-,-$' $netlists/synth.csv
equal 'its small memory in flip-flops: bits and output register' "$(awk '$1 == "common/ram_1rw@32x64" { print $3 }' "$tmp/table")" $((32 * 64 + 64))
has 'a path names registers' '^Startpoint: .*remaining_q.* \(rising edge-triggered flip-flop' $netlists/finereg/rid/paths.txt
has 'the second time nothing is built' '^\[1/3\] finereg/rid: kept from the last call$' "$tmp/err"

LIBERTY=/usr/share/qflow/tech/osu035/osu035_stdcells.lib synth/synth.sh finereg/rid >"$tmp/table" 2>"$tmp/err"
has 'in the cells of another library' '^finereg/rid +[0-9]+ +64 +[0-9]+ +[0-9]+ ' "$tmp/table"

cp /usr/share/qflow/tech/osu018/osu018_stdcells.lib "$tmp/own.lib"
LIBERTY=$tmp/own.lib synth/synth.sh finereg/rid >"$tmp/table" 2>"$tmp/err"
equal 'a library without its SPICE file has no transistors' "$(awk '$1 == "finereg/rid" { print $5 }' "$tmp/table")" -

# A library may put its names in quotes and count in other units: each figure of this one's, read as ps, is a thousandth ns.
sed 's/^\([ \t]*cell[ \t]*(\)\([A-Z0-9]*\)/\1"\2"/; s/time_unit *: *"1ns"/time_unit : "1ps"/' /usr/share/qflow/tech/osu018/osu018_stdcells.lib >"$tmp/ps.lib"
LIBERTY=$tmp/ps.lib SYNTH_OUT=$tmp/kept synth/synth.sh finereg/rid >"$tmp/table" 2>"$tmp/err"
has 'a line when a block begins' '^\[1/1\] finereg/rid: is mapped to cells \.\.\.$' "$tmp/err"
equal 'quoted names, ps: flip-flops and ns' "$(awk '$1 == "finereg/rid" { print $3, $7 }' "$tmp/table")" '64 0.003'
make --no-print-directory -s synth BLOCK=finereg/rid SET=kb64 >"$tmp/out" 2>"$tmp/err"
has 'SET= is SETS=' '^synth: finereg/rid: found SETS=kb64, expected ' "$tmp/err"

# ---- another node
NODE=45 synth/synth.sh finereg/rid >"$tmp/table" 2>"$tmp/err"
area=$(awk '$1 == "finereg/rid" { print $4; exit }' "$tmp/table")
equal 'area at 45 nm: published factor to ideal scaling' "$(awk '$1 == "finereg/rid" && ++n == 2 { print $2, $4 }' "$tmp/table")" \
  "$(awk -v a="$area" 'BEGIN { printf "%.0f %.0f", a * 0.053, a * 0.0625 }')"
NODE=7 synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"
equal 'a node without factors: exit status' $? 2
has 'and its message' '^synth: found a node of 7 nm, expected one of 180 130 .*node.def has no factors for others' "$tmp/err"
NODE=45 LIBERTY=/usr/share/qflow/tech/osu035/osu035_stdcells.lib synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"
equal 'a library of an unknown node: exit status' $? 2
has 'and its message' '^synth: found no LIBRARY_NODE= for osu035_stdcells.lib, expected one of 180 ' "$tmp/err"
HIERARCHY=1 SYNTH_OUT=$tmp/kept synth/synth.sh finereg/rid >"$tmp/table" 2>"$tmp/err"
has 'modules kept apart' '^finereg/rid +[0-9]+ +64 ' "$tmp/table"

# ---- the baseline
{ grep -v '^finereg/rid' cosim/records/baseline.tsv; printf 'finereg/rid\t1\t64\t20000\t1\t1\t9.9\t0\t-\t-\n'; } >"$tmp/baseline"
BASELINE=$tmp/baseline synth/synth.sh --check finereg/rid >"$tmp/out" 2>"$tmp/err"
equal 'an area that grew: exit status' $? 1
has 'and its message' '^synth: finereg/rid: found an area of [0-9]+ um2, expected at most 3 % more than 20000 ' "$tmp/err"
printf 'finereg/rid\t1\t64\t90000\t1\t1\t1.0\t0\t-\t-\n' >"$tmp/baseline"
BASELINE=$tmp/baseline synth/synth.sh --check finereg/rid slice/tve >"$tmp/out" 2>"$tmp/err"
equal 'a path that grew: exit status' $? 1
has 'and its message' '^synth: finereg/rid: found a path of [0-9.]+ ns, expected at most 3 % more than 1\.0 ' "$tmp/err"
has 'a block without a line' '^synth: slice/tve: found no line in .*, expected one \(make synth-record\)$' "$tmp/err"

# ---- the netlist is the block
net() {   # block, cycles: its netlist in lockstep
  make --no-print-directory -s synth-cosim BLOCK="$1" CYCLES="$2" NETLISTS="${3:-$netlists}" >"$tmp/out" 2>&1
}
for b in finereg/rid finereg/lrvc slice/vtl; do
  net $b 5000
  equal "$b: its netlist in lockstep: exit status" $? 0
  has 'it agrees' "^$b +agree +5000 cycles" "$tmp/out"
done
mkdir -p "$tmp/net/finereg/rid"
awk '!done && /^  NAND2X1 / { sub(/NAND2X1/, "NOR2X1"); done = 1 } { print }' $netlists/finereg/rid/netlist.v >"$tmp/net/finereg/rid/netlist.v"
net finereg/rid 5000 "$tmp/net"
equal 'another gate in a netlist: exit status' $? 2
has 'it is found' '^DIVERGE rid cycle [0-9]+ ' "$tmp/out"
net finereg/rid 5000 "$tmp/none"
has 'no netlist' 'netlist\.v: expected the netlist of make synth, found no file' "$tmp/out"

# ---- RTL that is wrong
planted() {   # name, sed expression, pattern of the message
  rm -rf "$tmp/rtl"
  cp -r rtl "$tmp/rtl"
  sed -i "$2" "$tmp/rtl/finereg/rid.sv"
  if cmp -s rtl/finereg/rid.sv "$tmp/rtl/finereg/rid.sv"; then not_ok "$1" "nothing changed: $2"; return; fi
  RTL=$tmp/rtl SYNTH_OUT=$tmp/out.d synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"
  equal "$1: exit status" $? 2
  has "$1: message" "^synth: finereg/rid: $3$" "$tmp/err"
  check "$1: nothing is left" test ! -e "$tmp/out.d/osu018_stdcells/finereg/rid" -a ! -e "$tmp/out.d/osu018_stdcells/synth.json"
}
planted 'a latch' 's/^    remaining_d = remaining_q;$//' '.*/rid\.sv:[1-9][0-9]*: found a latch for remaining_d, expected a value on every path'
planted 'no driver' 's/remaining_q == low;/remaining_q == lows;/' '.*/rid\.sv:[1-9][0-9]*: found no driver for lows, expected one'
planted 'two drivers' 's/^  assign load_ready_o .*/&  assign load_ready_o = remaining_q == low;/' \
  '.*/rid\.sv:[1-9][0-9]*: found several drivers of a signal, expected one'
planted 'an input of an instance that is open' 's/\.bits_i(remaining_q), //' '.*/rid\.sv:[1-9][0-9]*: found no driver for u_low\.bits_i, expected one'
planted 'a loop' 's/^  assign register_valid_o .*/  logic a, b; assign a = !b; assign b = !a ^ remaining_q[3]; assign register_valid_o = a;/' \
  '.*/rid\.sv:[1-9][0-9]*: found a loop of logic, expected a register in it'
planted 'a syntax error' 's/remaining_q == low;/remaining_q == low/' 'Yosys refuses it: .*/rid\.sv:[1-9][0-9]*: syntax error.*'

# ---- beside what was recorded; paths between ports and registers
awk -F '\t' -v OFS='\t' '$1 == "finereg/rid" { $4 = sprintf("%d", $4 / 2) } { print }' cosim/records/baseline.tsv >"$tmp/half"
BASELINE=$tmp/half synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"
has 'the recorded area, and the change' "^finereg/rid +$(awk -F '\t' '$1 == "finereg/rid" { print $4 }' $netlists/synth.tsv) +$(awk -F '\t' '$1 == "finereg/rid" { print $4 }' "$tmp/half") +\+(99|100)\.[0-9] % " "$tmp/out"
BASELINE=$tmp/none synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"
hasnt 'nothing beside no record' '^beside ' "$tmp/out"
path() { FROM=$1 TO=$2 SYNTH_OUT=$tmp/path synth/synth.sh finereg/rid >"$tmp/out" 2>"$tmp/err"; }
path remaining_q register_o
equal 'from a register to a port: exit status' $? 0
check 'the path begins there' grep -q '^Startpoint: remaining_q' "$tmp/path/osu018_stdcells/finereg/rid/paths.txt"
check 'and ends there' grep -q '^Endpoint: register_o' "$tmp/path/osu018_stdcells/finereg/rid/paths.txt"
path '' remaining_q
equal 'to a register: exit status' $? 0
check 'the path ends there' grep -q '^Endpoint: remaining_q' "$tmp/path/osu018_stdcells/finereg/rid/paths.txt"
path nothing_i ''
equal 'from nothing: exit status' $? 2
has 'and its message' '^synth: finereg/rid: found no input and no register nothing_i in FROM=, expected a register .threshold_q. or one of: load_' "$tmp/err"
path '' load_ready_o
equal 'to an output: exit status' $? 0
path '' load_valid_i
equal 'to an input: exit status' $? 2
has 'and its message' '^synth: finereg/rid: found no output and no register load_valid_i in TO=, ' "$tmp/err"

# ---- arguments and libraries
refused() {   # name, pattern, command...
  local name=$1 pattern=$2
  shift 2
  env "$@" >"$tmp/out" 2>"$tmp/err"
  equal "$name: exit status" $? 2
  has "$name: message" "^synth: $pattern" "$tmp/err"
  equal "$name: lines" "$(wc -l <"$tmp/err")" 1
}
printf 'hello { world\n' >"$tmp/text.lib"
printf 'library (a) {\n  cell (INVX1) {\n    area : 1;\n' >"$tmp/cut.lib"
refused 'no such library' '.*none\.lib: expected a Liberty file .*found no file' LIBERTY="$tmp/none.lib" synth/synth.sh finereg/rid
refused 'no Liberty' '.*stdcells\.v: expected a Liberty file; Yosys: .*line 1' LIBERTY=/usr/share/qflow/tech/osu018/osu018_stdcells.v synth/synth.sh finereg/rid
refused 'no cells' '.*text\.lib: found no cell, expected a library of cells' LIBERTY="$tmp/text.lib" synth/synth.sh finereg/rid
refused 'no flip-flop' '.*cut\.lib: found no cell with a flip-flop' LIBERTY="$tmp/cut.lib" synth/synth.sh finereg/rid
refused 'no such driver' '.*found no cell NAND9, expected one of its buffers' DRIVER=NAND9 synth/synth.sh finereg/rid
refused 'no such block' 'found block none, expected one of example/limit finereg/csm ' synth/synth.sh none
refused 'no such set' 'finereg/ppt: found SETS=kb1, expected all or some of kb128 kb64 ' SETS=kb1 synth/synth.sh finereg/ppt
refused 'no number of jobs' 'found JOBS=many, expected a number' JOBS=many synth/synth.sh finereg/rid
mkdir "$tmp/bin"
ln -s "$(command -v dirname)" "$tmp/bin/dirname"
refused 'no such tool' 'yosys: expected in PATH' PATH="$tmp/bin" JOBS=1 synth/synth.sh finereg/rid
refused 'a port that is none' 'found clk_i.*, expected a port such as ready_i' "FROM=clk_i]; exec touch $tmp/pwned; #" synth/synth.sh finereg/rid
check 'it is data' test ! -e "$tmp/pwned"
refused 'a library whose name is code' 'found a name with other characters' "LIBERTY=$tmp/a;b.lib" synth/synth.sh finereg/rid
