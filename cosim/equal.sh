#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cosim/equal.sh SYSTEM/BLOCK NUMBER...: are faults that the bench of a combinational block does not see equal to the block?
# For each number of make mutate's RTL faults, Yosys's SAT solver compares the netlist with and without the fault, over all
# inputs that are legal by tb/SYSTEM/BLOCK.legal, one Verilog expression over the ports.
# Prints "NUMBER equal", "NUMBER differs: inputs" or "NUMBER unknown". Exit status: 0 all equal, 1 not, 2 wrong call.
cd "$(dirname "$0")/.." || exit 2
block=$1 name=${1##*/}
shift
dir=${COSIM_OUT:-build/cosim}/obj/$block/mut
legal=${COSIM_TB:-tb}/$block.legal
for f in "$dir/$name.v" "$legal"; do
  [ -f "$f" ] || { echo "equal: $f: not found; run make mutate BLOCK=$block" >&2; exit 2; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# the ports, from the netlist: "input [31:0] x_i;" -> lines "input 31:0 x_i"
awk -v m="module $name(" 'index($0, m) == 1 { in_it = 1 } in_it && /^ *(input|output) / {
  gsub(/;/, ""); if ($2 ~ /^\[/) print $1, $2, $3; else print $1, "", $2 } /^endmodule/ { in_it = 0 }' "$dir/$name.v" >"$tmp/ports"
sel=$(awk '$NF == "mutsel_i" { print $2 }' "$tmp/ports" | tr -d '[]')
bits=$((${sel%%:*} + 1))

top() {   # number
  echo "module top(mark);"
  echo "  output mark; assign mark = 1'b0;"
  awk '$1 == "input" && $NF != "mutsel_i" { print "  (* anyseq, keep *) wire " (NF == 3 ? $2 : "") " " $NF ";" }
       $1 == "output" { r = NF == 3 ? $2 : ""; print "  wire " r " good_" $NF ", bad_" $NF ";" }' "$tmp/ports"
  for side in good bad; do
    printf '  %s u_%s(.mutsel_i(%d'"'"'d%d)' "$name" "$side" "$bits" "$([ $side = good ] && echo 0 || echo "$1")"
    awk -v s="$side" '$NF == "mutsel_i" { next } { p = $1 == "output" ? s "_" $NF : $NF; printf ", .%s(%s)", $NF, p }' "$tmp/ports"
    echo ");"
  done
  echo "  always @* begin"
  echo "    assume($(grep -v '^//' "$legal" | tr '\n' ' '));"
  awk '$1 == "output" { print "    assert(good_" $NF " == bad_" $NF ");" }' "$tmp/ports"
  echo "  end"
  echo "endmodule"
}

status=0
for k in "$@"; do
  [[ $k =~ ^[0-9]+$ ]] || { echo "equal: found \"$k\", expected a number" >&2; exit 2; }
  top "$k" >"$tmp/top.sv"
  timeout "${EQUAL_SECONDS:-120}" yosys -p "read_verilog $dir/$name.v; read_verilog -formal $tmp/top.sv; hierarchy -top top; proc;
    flatten; setundef -undriven -anyseq; opt -full; techmap; opt -full; sat -prove-asserts -set-assumes -show-all -verify" >"$tmp/log" 2>&1
  if grep -q 'SUCCESS!' "$tmp/log"; then
    echo "$k equal"
  elif grep -q 'proof did fail' "$tmp/log"; then
    echo "$k differs: $(awk '$1 ~ /^\\[A-Za-z_][A-Za-z0-9_]*$/ { printf "%s=%s ", substr($1, 2), $3 }' "$tmp/log")"
    status=1
  else
    echo "$k unknown: $(tail -n 1 "$tmp/log")"
    status=1
  fi
done
exit $status
