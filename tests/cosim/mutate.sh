#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Seeded faults: on demo/pipe a whole campaign; what counts as killed, proven, explained; explanations that are too wide or
# fit nothing are reported; the prover does not call a fault equal that the bench kills.
# needs: cosim-runtime
. "$(dirname "$0")/../lib.sh"
at=$PWD/build/cosim-test/mutate programs=build/cosim-test/mutate/out/obj
mkdir -p "$at"
rm -rf "$at/tb"
cp -r tests/cosim/tb "$at/tb"
campaign() {
  MUTATE_OUT=build/cosim-test/mutate make --no-print-directory -s mutate BLOCK=demo/pipe MUTANTS=30 CYCLES=3000 \
    COSIM_C=tests/cosim/cmodel COSIM_RTL=tests/cosim/rtl COSIM_TB=build/cosim-test/mutate/tb \
    COSIM_OUT=build/cosim-test/mutate/out >"$tmp/out" 2>&1
  status=$?
}
campaign
table=$at/demo-pipe.tsv
if [ $status -eq 0 ] && grep -qE '^demo/pipe +[0-9]+/30 +[0-9]+/[0-9]+ .* 100.0% ' "$tmp/out"; then ok 'a campaign'
else not_ok 'a campaign' "exit status $status" "$(head -n 20 "$tmp/out")"; fi
if [ "$(awk -F'\t' '$1 == "rtl"' "$table" | wc -l)" -eq 30 ] && [ "$(cut -f6 "$table" | grep -c killed)" -gt 40 ]; then
  ok 'each fault has a row'
else not_ok 'each fault has a row' "$(cut -f1,6 "$table" | sort | uniq -c)"; fi

# ---- how a run ended
# shellcheck disable=SC2016
run() { CPU_LIMIT=1 CYCLES='' bash -c 'eval "$(sed -n "/^ended()/,/^}/p; /^run_limited()/,/^}/p" cosim/mutate/mutate.sh)"; run_limited "$@"; ended $? "$last"' - "$@" 2>/dev/null; }
equal 'an endless loop is a kill' "$(run bash -c 'while :; do :; done')" 'stopped:endless'
equal 'a program that the system ends is an error' "$(run bash -c 'kill -KILL $$')" '?137'

# ---- what faults are drawn from: the block's files, not its neighbours, whose names would change the draw
cp -r tests/cosim/rtl "$tmp/rtl"
printf 'module neighbour (input logic a_i, output logic b_o);\n  assign b_o = !a_i;\nendmodule\n' >"$tmp/rtl/demo/neighbour.sv"
drawn_from() { COSIM_C=tests/cosim/cmodel COSIM_RTL=$tmp/rtl COSIM_TB=tests/cosim/tb bash -c '. cosim/lib.sh; sources demo/pipe mutants' | grep '\.sv$'; }
equal 'faults are drawn from the files of the block' "$(drawn_from)" "$tmp/rtl/demo/pipe.sv"
sed -i "s/^  logic \[1:0\]  rd_q;/&\n  neighbour u_neighbour (.a_i(1'b0), .b_o());/" "$tmp/rtl/demo/pipe.sv"
equal 'and of those that it instantiates' "$(drawn_from | tr '\n' ' ')" "$tmp/rtl/demo/neighbour.sv $tmp/rtl/demo/pipe.sv "

# ---- the prover
some=$(awk -F'\t' '$1 == "rtl" && $6 == "killed" { print $2 }' "$table" | head -n 4 | tr '\n' ' ')
prove() {   # numbers...
  COSIM_OUT=build/cosim-test/mutate/out COSIM_TB=build/cosim-test/mutate/tb cosim/mutate/equal.sh demo/pipe "$@" >"$tmp/out" 2>&1
  status=$?
}
differ() {   # name
  # shellcheck disable=SC2086
  prove $some
  if [ $status -eq 1 ] && [ "$(grep -c ' differs: ' "$tmp/out")" -eq 4 ]; then ok "$1"
  else not_ok "$1" "$(cut -c1-200 "$tmp/out")"; fi
}
differ 'faults that are killed are not equal'

# ---- names that the block does not have, in the rule of legal inputs and in the patterns
legal=build/cosim-test/mutate/tb/demo/pipe.legal survivors=build/cosim-test/mutate/tb/demo/pipe.survivors
no_name() {   # what, lines of the rule, name
  printf '%s\n' "$2" >"$legal"
  # shellcheck disable=SC2086
  prove $some
  equal "$1: exit status" $status 2
  equal "$1: message, and no answer" "$(cat "$tmp/out")" "equal: $legal: found $3, expected a wire of the netlist of demo/pipe"
}
no_name 'a wire to cut' $'// cut: push old_wire fill_d\n1\'b1' old_wire
no_name 'a wire to cut that is none with any text for *' $'// cut: pu*h gen_*.old\n1\'b1' 'gen_\*.old'
no_name 'a register that may differ' $'// apart: fill_q old_q\n1\'b1' old_q
no_name 'a register of the rule' "fill_q <= 3'd4 && old_q == 2'd0" old_q
printf '%s\n' '// cut: pu*h fill_d' "fill_q <= 3'd4 || rd_q == 2'b0_1" >"$legal"
differ 'a rule whose names are there'
prove 0
equal 'a number of no fault' "$status $(cat "$tmp/out")" "2 equal: $programs/demo/pipe/mut/list: found \"0\", expected the number of a fault"
prove
equal 'which is all right without a number, too' "$status $(cat "$tmp/out")" '0 '
drawn=$(awk -F'\t' '$1 == "rtl" { print $4 }' "$table")
there=$("$programs/mutants" rtl "$programs"/demo/pipe/mut/{plain.il,every} | cut -f 3 | sed 's/^rtl inv/rtl const1/' |
  grep -vxF -e "$drawn" | grep -vF '*' | head -n 1)
printf '%s -- not observable\n' 'rtl const1 old_wire[0] @ old_wire' "$there" 'c deletion old(s) ->  @ pipe_tick: old(s);' 'c * @ pipe_tick: *' >"$survivors"
printf '%s\n' '// cut: old_wire' "1'b1" >"$legal"
campaign
equal 'a campaign on old names: exit status' $status 2
{ echo "equal: $legal: found old_wire, expected a wire of the netlist of demo/pipe"
  printf "mutate: $survivors: found \"%s\", expected a pattern that fits a fault of the block\n" 'rtl const1 old_wire[0] @ old_wire' 'c deletion old(s) ->  @ pipe_tick: old(s);'
} >"$tmp/want"
grep -E '^(equal|mutate): ' "$tmp/out" >"$tmp/found"
same 'its messages; none of a pattern whose fault was not drawn' "$tmp/want" "$tmp/found"
check 'there is such a fault' test -n "$there"
rm "$legal" "$survivors"

# ---- a fault of one lane, on the block with one lane
# shellcheck disable=SC2016
{
  netlist() {   # first number, width of the register, lanes
    local n=$1 l
    for ((l = 0; l < $3; l++)); do
      # numbers of two and of three digits, out of order as Yosys writes them
      for i in 1 0; do
        printf '  attribute \\src "a.sv:3"\n  cell $mux $flatten\\gen_lane[%d].u_x.$procmux$%d\n' $l $((n + 10 * l + i))
        printf '    parameter \\WIDTH 1\n    connect \\A \\d_i [%d]\n  end\n' $l
      done
      printf '  cell $mux $auto$pmuxtree.cc:65:x$%d\n    parameter \\WIDTH 1\n' $((n + 50 + l))
      printf '    connect \\Y \\gen_lane[%d].u_x.sel\n  end\n' $l
    done
    printf '  cell $dff $procdff$%d\n    parameter \\WIDTH %d\n    connect \\Q \\d_q\n  end\n' $((n + 70)) "$2"
  }
  netlist 98 3 3 >"$tmp/whole.il"
  netlist 9 1 1 >"$tmp/one.il"
  printf 'mutate -ctrl s 2 %d -mode inv -module m -cell %s -port A -portbit 0 -wire w -wirebit 0 -src a.sv:3\n' \
    1 '$flatten\gen_lane[2].u_x.$procmux$119' 2 '$flatten\gen_lane[0].u_x.$procmux$98' 3 '$procdff$168' \
    4 '$auto$pmuxtree.cc:65:x$149' >"$tmp/list"
  "$programs/equal" lanes gen_lane "$tmp/list" "$tmp/whole.il" "$tmp/one.il" >"$tmp/out"
  printf 'mutate -ctrl s 2 %d -mode inv -module m -cell %s -port A -portbit 0 -src a.sv:3\n' \
    1 '$flatten\gen_lane[0].u_x.$procmux$10' 2 '$flatten\gen_lane[0].u_x.$procmux$9' \
    4 '$auto$pmuxtree.cc:65:x$59' | awk 'NR == 3 { print "" } { print }' >"$tmp/expected"
}
if diff "$tmp/out" "$tmp/expected" >"$tmp/diff"; then ok 'the same cell of the only lane'
else not_ok 'the same cell of the only lane' "$(cat "$tmp/diff")"; fi

# ---- each block that has a rule for one lane: its netlist with one lane, beside a small whole block with two
mkdir -p "$tmp/lanes/obj"
ln -s "$PWD/$programs/equal" "$tmp/lanes/obj/equal"
for rule in tb/*/*.one; do
  block=${rule#tb/}
  block=${block%.one}
  name=${block##*/} whole=$tmp/lanes/obj/$block/mut
  mkdir -p "$whole"
  twos=$(sed -nE '1{ s,^// ,,; s/[^ =]*=([^ ]*)/-set \1 2/g; p }' "$rule")
  yosys -qq -p "read_verilog -sv -defer rtl/common/*.sv rtl/${block%/*}/*.sv; chparam $twos \$abstract\\$name; hierarchy -top $name;
    rename -top $name; proc; flatten; pmuxtree; opt_expr -mux_undef; opt_clean; memory_collect; write_rtlil $whole/plain.il;
    mutate -list 20 -seed 1 -ctrl mutsel_i 5 1 -o $whole/list; script $whole/list; write_rtlil $whole/$name.il" >"$tmp/log" 2>&1
  number=$(grep -n 'gen_[a-z]*\[1\]' "$whole/list" | sed -n '1s/:.*//p')   # a fault in the second lane
  COSIM_OUT=$tmp/lanes cosim/mutate/equal.sh "$block" ${number:+"$number"} >"$tmp/out" 2>&1
  status=$?
  if [ $status -le 1 ] && grep -qE "^$number (equal|differs: .*)\$" "$tmp/out" && [ -n "$(sed -n "${number}p" "$whole/one/list")" ]; then
    ok "$block: a fault of the second lane is compared in the block with one lane"
  else not_ok "$block: a fault of the second lane is compared in the block with one lane" "exit status $status" "$(cat "$tmp/log" "$tmp/out")"; fi
done

# ---- the judge, on a table of its own
printf '%s\t%s\t%s\t%s\t%s\n' rtl 1 a.sv:1 'rtl inv x_q[3] @ x_q' - rtl 2 a.sv:2 'rtl const0 eq.A[7] @ a == b' - \
  rtl 3 a.sv:3 'rtl inv y[0] @ y' 17 c 1 a.c:5 'c bits | -> ^ @ f: a = (b | c) + d[2];' - c 2 a.c:6 'c x -> y @ f: z' stopped:crash \
  c 3 a.c:7 'c x -> y @ g: z' '?137' c 4 a.c:8 'c p -> q @ g: z' stillborn >"$tmp/table"
judge() {   # name, numbers proven equal, expected fates, expected notes; patterns on standard input
  cat >"$tmp/patterns"
  # shellcheck disable=SC2086
  "$programs/mutants" judge "$tmp/patterns" "$tmp/table" "$tmp/notes" $2 | cut -f6 | tr '\n' ' ' >"$tmp/fates"
  if [ "$(cat "$tmp/fates")" = "$3 " ] && [ "$(cut -f1,2 "$tmp/notes" | tr '\t\n' ' ,')" = "$4" ]; then ok "$1"
  else not_ok "$1" "fates: $(cat "$tmp/fates")" "expected: $3" "notes: $(cat "$tmp/notes")"; fi
}
judge 'nothing explained' '' 'open open killed open killed error stillborn' '' </dev/null
judge 'one proven' '2' 'open equal killed open killed error stillborn' '' </dev/null
judge 'a number is a whole word' '22 12' 'open open killed open killed error stillborn' '' </dev/null
judge 'a range of numbers' '' 'explained open killed open killed error stillborn' '' <<<'rtl inv x_q[<2-4>] @ * -- not observable'
judge 'a range that misses' '' 'open open killed open killed error stillborn' 'unused rtl inv x_q[<4-12>] @ *,' \
  <<<'rtl inv x_q[<4-12>] @ * -- not observable'
judge 'other marks stand for themselves' '' 'open open killed explained killed error stillborn' '' \
  <<<'c bits | -> ^ @ f: a = (b | c) + d[2]; -- nothing in common'
judge 'no part of a description' '' 'open open killed open killed error stillborn' 'unused rtl inv,' <<<'rtl inv -- all'
judge 'a pattern that is too wide' '' 'explained open killed open killed error stillborn' 'wide rtl inv *,' <<<'rtl inv * -- all'
judge 'a line without a reason' '' 'open open killed open killed error stillborn' 'bad rtl inv x_q[3] @ x_q,' \
  <<<'rtl inv x_q[3] @ x_q'
judge 'an error is not explained away' '' 'open open killed open killed error stillborn' 'unused zzz,' <<<'zzz -- none'

# two faults of the same description, in two lines
printf '%s\t%s\t%s\t%s\t%s\t%s\n' rtl 1 a.sv:1 'rtl inv eq.B[1] @ s == A' 5 'if (s == A) x <= y;' \
  rtl 2 a.sv:2 'rtl inv eq.B[1] @ s == A' - 'if (s == A) z <= y;' >"$tmp/table"
judge 'a pattern for one of two lines' '' 'killed explained' '' <<<'rtl inv eq.B[1] @ s == A @ if (s == A) z <= y; -- z is not read'
judge 'a pattern for a text in two lines' '' 'killed explained' 'wide rtl inv eq.B[1] @ s == A,' <<<'rtl inv eq.B[1] @ s == A -- z is not read'
judge 'a line that is not there' '' 'killed open' 'unused rtl inv eq.B[1] @ s == A @ z,' <<<'rtl inv eq.B[1] @ s == A @ z -- none'
