#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A test of the checker: on a demonstration block (demo/pipe), faults planted in the C side, the RTL side, the .def, a
# port mapping
# and the comparer must each be caught; good input is not refused, bad input is refused with one line and exit status 2.
# needs: cosim-runtime
. "$(dirname "$0")/../lib.sh"
at=$PWD/build/cosim-test
mkdir -p "$at"

# run NAME [VAR=value...]: make cosim on demo/pipe in places of its own; output in $tmp/out, status in $status
run() {
  make --no-print-directory -s cosim BLOCK=demo/pipe COSIM_C=tests/cosim/cmodel COSIM_RTL=tests/cosim/rtl COSIM_TB="$tb" \
    COSIM_OUT="$out" "$@" >"$tmp/out" 2>&1
  status=$?
}
says() { grep -qE -- "$1" "$tmp/out"; }
expect() {   # name, exit status, patterns...
  local name=$1 want=$2 p
  shift 2
  [ $status -eq "$want" ] || { not_ok "$name" "exit status $status, expected $want" "$(tail -n 5 "$tmp/out")"; return; }
  for p in "$@"; do says "$p" || { not_ok "$name" "no line like: $p" "$(head -n 20 "$tmp/out")"; return; }; done
  ok "$name"
}
# plant DIR FILE SED: a copy of a tree below $at with one change
plant() {
  local to=$at/$1-$4
  rm -rf "$to"
  cp -r "tests/cosim/$1" "$to"
  sed -i "$3" "$to/$2"
  if cmp -s "tests/cosim/$1/$2" "$to/$2"; then not_ok "plant $4" "nothing changed: $3"; fi
}

out=$at/out tb=$at/tb
rm -rf "$tb"
cp -r tests/cosim/tb "$tb"
rm -f "$tb"/demo/regress/*.stim
rm -rf "$out"
run
expect 'twins that agree' 0 '^building demo/pipe \.\.\.$' '^demo/pipe +agree +50000 cycles' 'bins 5/5, [0-9]{4,} idle states'
run
hasnt 'nothing is said of building when all is built' '^building' "$tmp/out"
run SEED=7 CYCLES=100 RECORD="$tmp/r.stim"
expect 'a run that records' 0 'agree +100 cycles, seed 7'
run REPLAY="$tmp/r.stim"
expect 'its replay' 0 'agree +100 cycles'

# ---- bad input ----
run SEED=banana
expect 'a seed that is no number' 2 'SEED: found "banana", expected a number'
run CYCLES=1e6
expect 'cycles that are no number' 2 'CYCLES: found "1e6"'
run REPLAY="$tmp/none.stim"
expect 'no such stimulus' 2 'no such file'
head -c 70 "$tmp/r.stim" >"$tmp/t1.stim"
run REPLAY="$tmp/t1.stim"
expect 'stimulus truncated in its header' 2 'cosim: .*t1.stim: truncated in its header'
head -c 300 "$tmp/r.stim" >"$tmp/t2.stim"
run REPLAY="$tmp/t2.stim"
expect 'stimulus truncated' 2 'cosim: .*t2.stim: truncated: '
sed '1s/RTSTIM2/RTSTIM9/' "$tmp/r.stim" >"$tmp/t3.stim"
run REPLAY="$tmp/t3.stim"
expect 'no stimulus file' 2 'not a stimulus file'
{ head -c 8 "$tmp/r.stim"; printf tube; tail -c +13 "$tmp/r.stim"; } >"$tmp/t4.stim"
run REPLAY="$tmp/t4.stim"
expect 'stimulus of another block' 2 'stimulus of block tube, expected of pipe'
{ head -c 40 "$tmp/r.stim"; printf 12345678; tail -c +49 "$tmp/r.stim"; } >"$tmp/t5.stim"
run REPLAY="$tmp/t5.stim"
expect 'stimulus of another version' 2 'recorded for other ports, registers or parameters of pipe'
{ head -c 200 "$tmp/r.stim"; printf XX; tail -c +203 "$tmp/r.stim"; } >"$tmp/t6.stim"
run REPLAY="$tmp/t6.stim"
expect 'damaged stimulus' 2 'damaged: its sum is wrong'
# names are data for make, the scripts and the terminal
# shellcheck disable=SC2016
evil="it's "'$(touch pwned)`touch pwned`; touch pwned;'$'\e[31m\nFORGED'
named() {   # name, exit status, pattern
  expect "$@"
  check "$1: as data" test ! -e pwned -a "$(grep -c "^FORGED" "$tmp/out")" -eq 0 -a "$(tr -d '\n\040-\176' <"$tmp/out" | wc -c)" -eq 0
}
cp "$tmp/r.stim" "$tmp/$evil.stim"
run REPLAY="$tmp/${evil//\$/\$\$}.stim"
named 'a stimulus with any name' 0 'agree +100 cycles'
run REPLAY="$tmp/${evil//\$/\$\$}.none"
named 'a name of no stimulus' 2 'no such file'
run BLOCK="${evil//\$/\$\$}"
named 'a name of no block' 2 'there are: demo/pipe'
run RECORD="/dev/full" CYCLES=100
expect 'a stimulus that cannot be written' 2 'No space left on device'
run VERILATOR=verilator-that-is-not-there
expect 'no Verilator' 2 'verilator-that-is-not-there: not found'
run BLOCK=demo/none
expect 'no such block' 2 'BLOCK=demo/none: no .*; there are: demo/pipe'
run BLOCK=demo/pip
expect 'a block whose name is nearly that of another' 2 'BLOCK=demo/pip: no .*; did you mean demo/pipe\? there are: demo/pipe'
run BLOCK=demo/pipe@small
expect 'a block with a set' 2 'BLOCK=demo/pipe@small: found a block with a set, expected BLOCK=demo/pipe SETS=small'
run BLOCK=pipe CYCLES=100
expect 'the last part of its name' 0 '^demo/pipe +agree +100 cycles'
mistyped=BLO   # the check reads the scripts for names of variables
run "${mistyped}K=demo/pipe"
expect 'a variable that nothing reads' 2 "found the variable ${mistyped}K on the command line, expected one that a makefile reads: did you mean BLOCK\?"
build() { "$out/obj/demo/pipe/plain/run" "$@" >"$tmp/out" 2>&1; status=$?; }
build --seed x
expect 'runner: a seed that is no number' 2 'seed: found "x", expected a number'
mkdir "$tmp/other"
cp "$tmp/t5.stim" "$tmp/other/pipe-other.stim"
build --block demo/pipe --streams "$tmp/other"
expect 'a stored stream of another .def: the bench runs all the same' 2 '^demo/pipe +agree +50000 cycles.* bins 5/5, .* 1 refused$' \
  'cosim: .*/other/pipe-other.stim: recorded for other ports, .*record it again: make streams BLOCK=demo/pipe$'
build --block demo/pipe --regress "$tmp/other" --cycles 100
expect 'and a stored failure of another .def' 2 '^demo/pipe +agree +100 cycles.* 1 refused$' 'pipe-other.stim: recorded .*: delete it, or find the failure anew with SHRINK=1$'
build --nonsense
expect 'runner: no such option' 2 'nonsense'
mkfifo "$tmp/pipe.stim"
build --replay "$tmp/pipe.stim"
expect 'runner: a pipe as stimulus' 2 'pipe.stim: it is a pipe, no file'
build --replay "$tmp/$evil.none"
named 'runner: a name of no stimulus' 2 'x1b\[31m.nFORGED.none: No such file'

# ---- planted faults ----
out=$at/out-c
plant cmodel blocks/demo/pipe.c 's/fill_q < 4;$/fill_q < 3;/' c
run COSIM_C="$at/cmodel-c"
expect 'a fault in the C side' 2 '^DIVERGE pipe cycle [0-9]+ seed 1' '^! in_ready_o +\[ +1\] +0 +1$' 'replay: make cosim BLOCK=demo/pipe SEED=1 CYCLES=[0-9]+'
wave=$(sed -n 's/.*wave: \([^ ]*\).*/\1/p' "$tmp/out" | head -n 1)
check 'a value has its name in the table' grep -qE '^  fill_q +\[ +3\] +3 +3   nearly_full$' "$tmp/out"
check 'and in GTKWave' grep -qx '3 nearly_full' "$wave.fill_q.names"
check 'which the save file reads' grep -qxF "^1 $PWD/$wave.fill_q.names" "${wave%.fst}.gtkw"
check 'its waveform and save file' test -s "$wave" -a -s "${wave%.fst}.gtkw"
fst2vcd "$wave" >"$tmp/vcd" 2>/dev/null
for scope in bench in c rtl diff; do
  check "the waveform has scope $scope" grep -q "scope module $scope " "$tmp/vcd"
done
first=$(sed -n 's/^DIVERGE pipe cycle \([0-9]*\).*/\1/p' "$tmp/out" | head -n 1)
check 'the marker is on the divergent cycle' grep -q "^\*-[0-9.]* ${first}0 " "${wave%.fst}.gtkw"
# the printed command shows the same
replay=$(sed -n 's/^  replay: \(make .*\)      wave:.*/\1/p' "$tmp/out" | head -n 1)
$replay >"$tmp/again" 2>&1
check 'the replay command diverges in the same cycle' grep -q "^DIVERGE pipe cycle $first seed 1" "$tmp/again"
history() { awk '/^      cycle / { p = 1; next } p && /^ +[0-9]+ / { print; next } { p = 0 }' "$tmp/out"; }
equal 'the eight cycles before it, then both sides' "$(history | awk '{ print $1 - '"$first"', $2 ~ /c|rtl/ ? $2 : "" }' | xargs)" \
  '-8 -7 -6 -5 -4 -3 -2 -1 0 c 0 rtl'
top() { awk '/^-outputs/ { exit } p && !/^\^/; /^-differ in cycle/ { p = 1 }' "${wave%.fst}.gtkw" | grep -oE '[a-z]+\.[^ ]+$' | xargs; }
equal 'what differs stands on top in GTKWave: a port of one bit' "$(top)" 'c.in_ready_o rtl.in_ready_o diff.in_ready_o'
run COSIM_C="$at/cmodel-c" WAVES=1
expect 'with the internal signals of the RTL' 2 '^DIVERGE pipe cycle'
fst2vcd "$wave" >"$tmp/vcd" 2>/dev/null
check 'they are in the file' grep -q 'var.* push ' "$tmp/vcd"
check 'beside C, RTL and diff' grep -q 'scope module diff ' "$tmp/vcd"
equal 'and below what differs, as far as they are inner ones' "$(top)" \
  'c.in_ready_o rtl.in_ready_o diff.in_ready_o pipe.pipe.d_q[0][71:0] pipe.pipe.d_q[1][71:0] pipe.pipe.d_q[2][71:0] pipe.pipe.d_q[3][71:0] pipe.pipe.push pipe.pipe.pop pipe.pipe.wr[1:0] pipe.pipe.fill_d[2:0]'
check 'an inner signal shows the names of the register that it sets' \
  grep -qxF "^1 $PWD/$wave.fill_q.names" <(grep -B 1 '^pipe\.pipe\.fill_d' "${wave%.fst}.gtkw")
out=$at/out
run WAVES=1 CYCLES=100
expect 'a run that passes, with them' 0 '^demo/pipe +agree'
sections() { grep '^-' "${wave%.fst}.gtkw" | sed 's/[,:].*//' | tr '\n' ' '; }
equal 'there they stand last' "$(sections)" '-outputs -registers -inputs -inner signals of the RTL '
out=$at/out-c
run COSIM_C="$at/cmodel-c" SHRINK=1
expect 'shrinking' 2 '^SHRUNK from [0-9]+ to 4 cycles' '^  stimulus ' '^  cycle 3$' \
  '^  replay: make cosim BLOCK=demo/pipe REPLAY=.*/pipe-[0-9a-f]+\.stim .*wave: build/waves/pipe-pipe-[0-9a-f]+\.stim\.fst ' \
  '^  view: make wave BLOCK=demo/pipe REPLAY='
stim=$(ls "$tb"/demo/regress/pipe-*.stim)
# one command shows the shrunk failure
places=(COSIM_C="$at/cmodel-c" COSIM_RTL=tests/cosim/rtl COSIM_TB="$tb" COSIM_OUT="$out")
env -u DISPLAY -u WAYLAND_DISPLAY make --no-print-directory -s wave BLOCK=demo/pipe "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave shows the last failure' 0 "^DIVERGE pipe cycle 3 .*$(basename "$stim")" \
  'no display .*: gtkwave build/waves/inner/pipe-pipe-[0-9a-f]+\.stim\.fst build/.*; as text: fst2vcd build/waves/inner/' \
  '^  inner signals of the RTL in cycles 0 to 3, ' '^  push( +[01]){4}$' '^  wr\[1:0\]( +[0-3]){4}$' \
  '^  signals not shown: [0-9]+ zero in these cycles, 4 wider than 64 bits, 0 more$'
wave=$(grep -oE 'build/waves/[^ ]+\.fst' "$tmp/out" | tail -n 1)
check 'with the inner signals' grep -qx 'pipe.pipe.push' "${wave%.fst}.gtkw"
# a seed is shown although a stored failure fails, too, and stays when make cosim fails again
env -u DISPLAY -u WAYLAND_DISPLAY make --no-print-directory -s wave BLOCK=demo/pipe SEED=0x1 CYCLES=$((first + 1)) "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave of a seed' 0 "^DIVERGE pipe cycle $first seed 1 " 'gtkwave build/waves/inner/pipe-1\.fst '
equal 'the last column is the cycle of the failure' "$(sed -n 's/^  cycle .* \([0-9]*\)$/\1/p' "$tmp/out")" "$first"
cp build/waves/inner/pipe-1.fst "$tmp/inner.fst"
run COSIM_C="$at/cmodel-c" SEED=1 CYCLES=$((first + 1)) COSIM_TB=tests/cosim/tb
expect 'the same of make cosim' 2 'wave: build/waves/pipe-1\.fst '
check 'has a file of its own' cmp build/waves/inner/pipe-1.fst "$tmp/inner.fst"
run COSIM_C="$at/cmodel-c"
make --no-print-directory -s wave BLOCK=demo/none "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave of no block' 2 'BLOCK=demo/none: no '
cp "$wave" "$tmp/failing.fst"
cp "$at/cmodel-c/blocks/demo/pipe.c" "$tmp/faulty.c"
cp tests/cosim/cmodel/blocks/demo/pipe.c "$at/cmodel-c/blocks/demo"
make --no-print-directory -s wave BLOCK=demo/pipe "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave of a failure that is repaired' 2 '^demo/pipe +agree' '^demo/pipe: its last failure \(REPLAY=.*\) does not occur any more; make cosim BLOCK=demo/pipe looks'
hasnt 'offers no wave' 'gtkwave build' "$tmp/out"
check 'and leaves that of the failure' cmp "$wave" "$tmp/failing.fst"
make --no-print-directory -s wave BLOCK=demo/pipe REPLAY="$tmp/t5.stim" "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave of a stream that cannot be read' 2 't5.stim: recorded for other ports'
hasnt 'offers none, either' 'gtkwave build' "$tmp/out"
cp "$tmp/faulty.c" "$at/cmodel-c/blocks/demo/pipe.c"
run COSIM_C="$at/cmodel-c"
expect 'the stored stimulus runs first' 2 "$stim"
out=$at/out
run
expect 'and passes on the good twin' 0 'agree'
rm -rf "$tb/demo/regress"
make --no-print-directory -s wave BLOCK=demo/pipe "${places[@]}" >"$tmp/out" 2>&1
status=$?
expect 'make wave of a stream that is gone' 2 'BLOCK=demo/pipe: its last failure was REPLAY=.*, a file that is gone; make cosim BLOCK=demo/pipe looks for another one'

out=$at/out-rtl
plant rtl demo/pipe.sv 's/tag_q\[wr\] <= in_tag_i ^/tag_q[wr] <= in_tag_i |/' rtl
run COSIM_RTL="$at/rtl-rtl"
expect 'a fault in the RTL side, seen first in a register' 2 '^! tag_q\[[0-3]\] '
wave=build/waves/pipe-1.fst
check 'an element of an array on top in GTKWave' grep -qE '(^| )c\.tag_q_([0-3])\[4:0\] rtl\.tag_q_\2\[4:0\] diff\.tag_q_\2\[4:0\]( |$)' <<<"$(top)"
out=$at/out-reset
plant rtl demo/pipe.sv "/^ *\(if (pop) \)\?passed_q <= /d
  s/^endmodule/always_ff @(posedge clk_i) if (!rst_ni) passed_q <= '0; else if (pop) passed_q <= passed_q + 33'd1;\n&/" reset
run COSIM_RTL="$at/rtl-reset"
expect 'a reset that is not asynchronous' 2 '^DIVERGE pipe'
out=$at/out-hidden
plant rtl demo/pipe.sv "s/d_q\[wr\] <= in_data_i/d_q[wr] <= {in_data_i[71] \& ~\&wr, in_data_i[70:0]}/" hidden
run COSIM_RTL="$at/rtl-hidden"
expect 'a fault in one bit of a wide port' 2 '^! out_data_o +\[ +72\] 1 of 3 words differ' '^      cycle +out_data_o\[71:64\]'
equal 'the word of a wide port on top in GTKWave' "$(top)" 'c.out_data_o_w2[7:0] rtl.out_data_o_w2[7:0] diff.out_data_o_w2[7:0]'
fst2vcd "$wave" >"$tmp/vcd" 2>/dev/null
check 'with its values' grep -qE 'var.* 8 .* out_data_o_w2 ' "$tmp/vcd"

# ---- a port and a register with a shape ----
out=$at/out-c
plant cmodel blocks/demo/pipe.c 's/^  if (out->out_valid_o) {/  out->out_lane_o[1][2] = (uint8_t)(out->out_lane_o[1][2] ^ (in->in_lane_i[0][1] == 9));\n&/' shape
run COSIM_C="$at/cmodel-shape" SHRINK=1
expect 'a fault in an element of a port' 2 '^! out_lane_o\[1\]\[2\] +\[ +6\] +[0-9a-f]+ +[0-9a-f]+$' '^ +cycle +out_lane_o\[1\]\[2\] ' \
  '^SHRUNK from [0-9]+ to 1 cycles' '^  in_lane_i\[0\]\[1\] +\[ +5\] +9$' '^! out_lane_o\[1\]\[2\] +\[ +6\] +1 +0$'
# What differs, then one element of each input before further ones of an array, narrow and changing ones first.
columns() { sed -n 's/^      cycle *//p' "$tmp/out" | head -n 1 | xargs; }
equal 'columns: what differs, then an element of each input' "$(columns | cut -d' ' -f1-6 | sed -E 's/ in_lane_i\[[0-9]\]\[[0-9]\]/ in_lane_i/')" \
  'out_lane_o[1][2] in_valid_i in_tag_i in_alternate_i in_lane_i out_ready_i'
columns | cut -d' ' -f7- | sed 's/^/ /' >"$tmp/columns"
has 'columns: further elements last' '^( in_lane_i\[[0-9]\]\[[0-9]\])+$' "$tmp/columns"
equal 'which alone is not zero' "$(sed -n '/^  stimulus/,/^DIVERGE/p' "$tmp/out" | grep -cE '^  in_')" 1
wave=build/waves/pipe-1.fst
equal 'the element on top in GTKWave' "$(top)" 'c.out_lane_o_1_2[5:0] rtl.out_lane_o_1_2[5:0] diff.out_lane_o_1_2[5:0]'
check 'by its name' grep -qF '+{out_lane_o[1][2]  rtl} rtl.out_lane_o_1_2[5:0]' "${wave%.fst}.gtkw"
fst2vcd "$wave" >"$tmp/vcd" 2>/dev/null
check 'the elements of an input beside the flat vector' test "$(grep -cE 'var.* (5|30) .* in_lane_i(_[01]_[0-2])? ' "$tmp/vcd")" = 7
rm -rf "$tb/demo/regress"
plant cmodel blocks/demo/pipe.c 's/last_q\[0\]\[2\] &= 63/last_q[0][2] \&= 31/' shape2
run COSIM_C="$at/cmodel-shape2"
expect 'a fault in an element of 70 bits' 2 '^! last_q\[0\] +\[ +70\] 1 of 3 words differ' 'last_q\[0\]\[69:64\]'
plant cmodel blocks/demo/pipe.c 's/last_q\[0\]\[2\] &= 63/last_q[0][2] \&= 127/' shape3
run COSIM_C="$at/cmodel-shape3"
expect 'an element that is not zero above its width' 2 '^! last_q\[0\] +\[ +70\] 1 of 3 words differ'
plant cmodel blocks/demo/pipe.c 's/^  const int push = .*/&\n  BLOCK_RULE(in->in_lane_i[1][0] != 7);/' shape4
run COSIM_C="$at/cmodel-shape4"
expect 'a rule of an element' 2 'BLOCK_RULE\(in->in_lane_i\[1\]\[0\] != 7\): in_lane_i\[1\]\[0\] = 7$'

# equal elements beside each other are one line of the table
mkdir -p "$at/tb-lanes/demo"
sed 's/{.in_valid_i = 1};/{.in_valid_i = 1, .in_lane_i = {{21, 21, 21}, {21, 3, 0}}};/' "$tb/demo/pipe_tb.c" >"$at/tb-lanes/demo/pipe_tb.c"
plant cmodel blocks/demo/pipe.c 's/fill_q < 4;$/fill_q < 3;/' lanes
run COSIM_C="$at/cmodel-lanes" COSIM_TB="$at/tb-lanes"
expect 'equal elements of an input' 2 '^  in_lane_i\[0\]\[0\.\.2\] +\[ +5\] +15$' \
  '^  in_lane_i\[1\]\[0\] +\[ +5\] +15$' '^  in_lane_i\[1\]\[1\] +\[ +5\] +3$' '^    1 more are zero$'
touch "$tb/demo/pipe_tb.c"   # the bench of what follows

# ---- the golden model's own checks ----
out=$at/out-c
plant cmodel blocks/demo/pipe.c 's/fill_q < 4;$/fill_q < 3;/; s/in->in_tag_i != 31/s->r.fill_q < 3/' late
run COSIM_C="$at/cmodel-late"
expect 'a check that fails later does not hide a difference' 2 '^DIVERGE pipe cycle' '^! in_ready_o'
plant cmodel blocks/demo/pipe.c 's/s->taken += (uint64_t)push/s->taken += push \&\& in->in_tag_i != 9/' own
run COSIM_C="$at/cmodel-own" SHRINK=1
expect 'an invariant that fails is a fault of the C side' 2 '^INVARIANT pipe cycle' "a fault of the golden model: .*pipe.c:[0-9]+: BLOCK_INVARIANT\(.*taken" \
  'BLOCK_INVARIANT\(.*\): taken = [0-9]+( \(0x[0-9a-f]+\))?, fill_q = [0-9]( [a-z_]+)?, passed_q = [0-9]+( \(0x[0-9a-f]+\))?$' \
  '^  the C side complains alone: no assertion of the RTL fails; outputs and registers are equal$' \
  '^  fill_q ' '^  replay: make cosim ' '^SHRUNK from [0-9]+ to [0-9]+ cycles'
rm -rf "$tb/demo/regress"
# ---- an edit of the C model ----
made() { stat -c '%n %y' "$out"/obj/demo/pipe/plain/Vpipe{.mk,__ALL.a}; }
before=$(made)
plant cmodel blocks/demo/pipe.c 's/in->in_valid_i \&\& s->r.fill_q < 4/s->r.fill_q < 4 \&\& in->in_valid_i/' edit
run COSIM_C="$at/cmodel-edit" CYCLES=100
expect 'an edit of the C model' 0 'agree +100 cycles'
equal 'does not run Verilator, nor compile what it wrote' "$(made)" "$before"
plant cmodel blocks/demo/pipe.def 's/^PARAM(Depth, 4)/&\n\/* a comment *\//' comment
run COSIM_C="$at/cmodel-comment" CYCLES=100
equal 'nor does a comment in the .def' "$(made)" "$before"
plant cmodel blocks/demo/pipe.def 's/^PARAM(Depth, 4)/&\nPARAM(Spare, 1)/' spare
run COSIM_C="$at/cmodel-spare" CYCLES=100
hasnt 'another parameter list does' "$(head -n 1 <<<"$before")" <(made)
# ---- idle and skip ----
plant cmodel blocks/demo/pipe.c 's/return s->r.fill_q ? 0/return s->r.fill_q > 1 ? 0/' idle
run COSIM_C="$at/cmodel-idle" SHRINK=1
expect 'an idle of too many cycles' 2 '^IDLE pipe cycle' 'pipe_idle promises any number of cycles: (after|skip)' \
  '^SHRUNK from [0-9]+ to [0-9]+ cycles'
rm -rf "$tb/demo/regress"
plant cmodel blocks/demo/pipe.c 's/(void)s, (void)n; }/s->r.passed_q = (s->r.passed_q + n) % 1000; }/' skip
run COSIM_C="$at/cmodel-skip"
expect 'a skip that is not so many ticks' 2 '^IDLE pipe cycle' 'skip\([0-9]+\) is not that many ticks under quiet inputs: passed_q is'
plant cmodel blocks/demo/pipe.c 's/(void)s, (void)n; }/s->taken += n; }/' private
run COSIM_C="$at/cmodel-private"
expect 'nor in a register of the C side alone' 2 '^IDLE pipe cycle' ': taken of struct pipe, which no STATE shows, is [0-9a-f]+, not [0-9a-f]+'
plant cmodel blocks/demo/pipe.def 's/ZERO(in_valid_i)/ZERO(in_other_i)/' quiet
run COSIM_C="$at/cmodel-quiet"
expect 'a quiet input that there is not' 2 "no member named .in_other_i."
plant cmodel blocks/demo/pipe.def '/^QUIET/d' loud
run COSIM_C="$at/cmodel-loud"
expect 'a clocked block without quiet inputs' 2 'pipe.def: found 0 QUIET lines, expected at least one'

# ---- who is at fault ----
# bench NAME SED: a copy of the bench with a change
bench() {
  rm -rf "$at/tb-$1"
  cp -r "$tb" "$at/tb-$1"
  sed -i "$2" "$at/tb-$1/demo/pipe_tb.c"
  if cmp -s "$tb/demo/pipe_tb.c" "$at/tb-$1/demo/pipe_tb.c"; then not_ok "bench $1" "nothing changed: $2"; fi
}
out=$at/out-blame
plant cmodel blocks/demo/pipe.c 's/fill_q > 0;$/fill_q != 1;/' peek
run COSIM_C="$at/cmodel-peek"
expect 'an oracle that peeks at a wrong output' 2 '^DIVERGE pipe cycle 0 ' '^! out_valid_o +\[ +1\] +1 +0$' \
  "^  and the bench's oracle disagrees: a fresh pipe is not empty"
plant cmodel blocks/demo/pipe.c 's/in->in_tag_i ^/1 ^ &/' tag
# a look at the register after the edge, before the next comparison
bench look '/^  in.in_valid_i = 0;/i tb_expect(t, ((const struct pipe_state *)tb_model(t))->tag_q[0] == 9, "the tag is another");'
run COSIM_C="$at/cmodel-tag" COSIM_TB="$at/tb-look" SHRINK=1
expect 'an oracle that looks at a wrong register' 2 '^DIVERGE pipe cycle 1 ' '^! tag_q\[0\] +\[ +5\] +8 +9$' \
  "^  and the bench's oracle disagrees: the tag is another" '^SHRUNK from 1 to 1 cycles' '^  after the last edge: no inputs are driven, so no port is shown$'
hasnt 'a table after the last edge has no ports' '^. (in|out)_[a-z_]+(\[|  )' <(sed '1,/^DIVERGE.*stim)$/d' "$tmp/out")
has 'nor inputs in its last row' '^ +1 rtl +0 +-$' <(sed '1,/^DIVERGE.*stim)$/d' "$tmp/out")
rm -rf "$at/tb-look/demo/regress"
out=$at/out-both
plant rtl demo/pipe.sv "s/in_tag_i ^/5'd1 ^ &/" both
run COSIM_C="$at/cmodel-tag" COSIM_RTL="$at/rtl-both" COSIM_TB="$at/tb-look"
expect 'an oracle alone' 2 '^ORACLE pipe cycle 0 ' 'the twins agree in ports and registers, .*: the tag is another'
replay=$(sed -n 's/^  replay: \(make .*\)      wave:.*/\1/p' "$tmp/out" | head -n 1)
$replay >"$tmp/out" 2>&1
status=$?
expect 'its replay command says the same' 2 '^ORACLE pipe cycle 0 '
$replay WAVES=1 >"$tmp/out" 2>&1
wave=$(sed -n 's/.*wave: \([^ ]*\).*/\1/p' "$tmp/out" | head -n 1)
equal 'although nothing differs, the inner signals stand first' "$(sections)" '-inner signals of the RTL -outputs -registers -inputs '
out=$at/out-blame
# the stimulus follows a wrong output of the same cycle
bench obeys 's/^    in.out_ready_i = tb_chance(r, pop\[phase\]);/&\n    if (!((const struct pipe_out *)tb_peek(t, \&in))->in_ready_o) in.in_valid_i = 0;/
  s/\.adapt = adapt/&, .illegal = illegal/
  s/^const struct tb tb_bench/static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {\n  (void)last_in, (void)last_out;\n  return ((const struct pipe_in *)in)->in_valid_i \&\& ((const struct pipe_state *)model)->fill_q == 4 ? "a word for a full pipe" : NULL;\n}\n&/
  s/{"many_refused", many_refused}, //; s/BIN(refused) BIN(refused_most)//; /BIN_refused/d; /^static void many_refused/,/^}/d'
plant cmodel blocks/demo/pipe.c 's/in_ready_o = s->r.fill_q < 4/in_ready_o = s->r.fill_q < 5/' ready
run COSIM_C="$at/cmodel-ready" COSIM_TB="$at/tb-obeys"
expect 'a stimulus that obeys a wrong output' 2 '^DIVERGE pipe cycle' '^! in_ready_o +\[ +1\] +1 +0$'
bench both "s/^const struct tb tb_bench/static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {\n  (void)model, (void)last_in, (void)last_out;\n  return ((const struct pipe_in *)in)->in_alternate_i == 31 ? \"alt is 31\" : NULL;\n}\n&/; s/\.adapt = adapt/&, .illegal = illegal/"
plant cmodel blocks/demo/pipe.c 's/a FIFO/a queue/' good
run COSIM_C="$at/cmodel-good" COSIM_TB="$at/tb-both"
expect 'a stimulus that only the bench refuses' 2 "^ILLEGAL pipe cycle" ": alt is 31" '^  the C side complains alone: ' '^  in_ready_o +\[ +1\] +1 +1$'

# ---- what shrinking may take, and what it zeroes first ----
out=$at/out-c
plant cmodel blocks/demo/pipe.c 's/in->in_tag_i ^/((in->in_tag_i | in->in_data_i[0]) \& 1) ^ &/' order
run COSIM_C="$at/cmodel-order" SHRINK=1
expect 'the wider port is zeroed first' 2 '^SHRUNK from [0-9]+ to 1 cycles' '^  in_tag_i +\[ +5\] +1$'
hasnt 'and no word of it is left' '^  in_data_i .* of 3 words are not zero:' <(sed -n '/^SHRUNK/,/^DIVERGE/p' "$tmp/out")
rm -rf "$tb/demo/regress"
run COSIM_C="$at/cmodel-order" SHRINK=1 SHRINK_SECONDS=0
expect 'shrinking without time' 2 '^SHRUNK from [0-9]+ to [0-9]+ cycles' '^  stopped early, after 0 s of processor time: SHRINK_SECONDS=1 may find a smaller one'
rm -rf "$tb/demo/regress"
run SHRINK_SECONDS=soon
expect 'shrinking with a time that is no number' 2 'SHRINK_SECONDS: found "soon", expected a number'

# ---- states ----
plant cmodel blocks/demo/pipe.c 's/ \&\& s->r.refused_q < 0xffff) s->r.refused_q++/) s->r.refused_q = (s->r.refused_q + 1) \& 0xffff/' most
run COSIM_C="$at/cmodel-most" SHRINK=1
expect 'a fault at the end of a counter' 2 '^DIVERGE pipe cycle .*many_refused' '^! refused_q +\[ +16\] +0 +ffff$' \
  '^SHRUNK from [0-9]+ to 8 cycles' '^  cycle 0, after reset, from these registers$' '^  refused_q +\[ +16\] +fffc$'
stim=$(ls "$tb"/demo/regress/pipe-*.stim)
run COSIM_C="$at/cmodel-most" REPLAY="$stim"
expect 'its stimulus starts from the state' 2 '^DIVERGE pipe cycle 8 ' '^! refused_q +\[ +16\] +0 +ffff$'
run COSIM_C="$at/cmodel-most"
expect 'and is driven first' 2 "$stim"
rm -rf "$tb/demo/regress.not"
mv "$tb/demo/regress" "$tb/demo/regress.not"
build --cycles 50000 --no-states
expect 'without the states it is not found' 0 'agree +50000 cycles'
stim=$(ls "$tb"/demo/regress.not/pipe-*.stim)
build --cycles 100 --no-states --record "$tmp/resets.stim"
check 'a stream without states is as before' test "$(head -c 7 "$tmp/resets.stim")" = RTSTIM1 -a "$(head -c 7 "$stim")" = RTSTIM2
run REPLAY="$tmp/resets.stim"
expect 'and is read' 0 'agree +100 cycles'
head -c 79 "$stim" >"$tmp/t7.stim"
run REPLAY="$tmp/t7.stim"
expect 'a stream with states, truncated in its header' 2 'cosim: .*t7.stim: truncated in its header'
{ printf RTSTIM1; tail -c +8 "$stim"; } >"$tmp/t8.stim"
run REPLAY="$tmp/t8.stim"
expect 'a stream with states that says it has none' 2 'cosim: .*t8.stim: '
{ head -c 72 "$stim"; printf '\0\0\0\0\0\0\0\0'; tail -c +81 "$stim"; } >"$tmp/t9.stim"
run REPLAY="$tmp/t9.stim"
expect 'one with no states' 2 'cosim: .*t9.stim: damaged header'
{ head -c 72 "$stim"; printf '\2\0\0\0\0\0\0\0'; tail -c +81 "$stim"; } >"$tmp/t10.stim"
run REPLAY="$tmp/t10.stim"
expect 'one with more than it has' 2 'cosim: .*t10.stim: damaged: another length'
rm -rf "$tb/demo/regress.not"
bench wide 's/{0xfffc, 0x5554, 0xaaaa}/{0x1fffc, 0x5554, 0xaaaa}/'
run COSIM_TB="$at/tb-wide"
expect 'a state that the register cannot hold' 2 'cosim: pipe: a state that the registers cannot hold: refused_q is 1fffc, not fffc in the RTL'
bench late 's/^    tb_state(t, &state);/    tb_step(t, \&in);\n&/'
run COSIM_TB="$at/tb-late"
expect 'a state after a cycle' 2 'cosim: pipe: tb_state in cycle 1 of an episode, expected after a reset'

# ---- the stimulus at fault; last in this place, as its bench stays ----
rm -rf "$at/tb-rule"
cp -r "$tb" "$at/tb-rule"
sed -i 's/tb_below(r, 31)/tb_below(r, 32)/' "$at/tb-rule/demo/pipe_tb.c"
plant cmodel blocks/demo/pipe.c 's/a FIFO/a queue/' rule
run COSIM_C="$at/cmodel-rule" COSIM_TB="$at/tb-rule"
expect 'a rule of the inputs that is broken is the fault of who drives' 2 '^ILLEGAL pipe cycle' \
  "this stimulus breaks the block's rules: .*pipe.c:[0-9]+: BLOCK_RULE\(!in->in_valid_i \|\| in->in_tag_i != 31\): in_valid_i = 1, in_tag_i = 31 \(0x1f\)" \
  '^  the C side complains alone: no assertion of the RTL fails; outputs and registers are equal' '^  in_ready_o +\[ +1\] +1 +1$'
rm -rf "$at/tb-over"
cp -r "$tb" "$at/tb-over"
sed -i 's/in_lane_i\[k \/ 3\]\[k % 3\] = (uint8_t)tb_bits(r, 5)/in_lane_i[k \/ 3][k % 3] = (uint8_t)tb_bits(r, 6)/' "$at/tb-over/demo/pipe_tb.c"
run COSIM_C="$at/cmodel-rule" COSIM_TB="$at/tb-over"
expect 'a bench that drives bits above an element' 2 'the bench drives bits above the width of in_lane_i\[[01]\]\[[012]\] \[5\] in cycle'
out=$at/out-legal
plant rtl demo/pipe.sv "s/if (fill_q == 3'd4) assert (!in_ready_o);/&\n    assert (!in_valid_i || in_tag_i != 5'd31 || Depth == 5);/; s/^);/&\n  localparam int Depth = 4;/" legal
run COSIM_RTL="$at/rtl-legal" COSIM_TB="$at/tb-rule"
expect 'a rule that the RTL has, too' 2 '^ILLEGAL pipe cycle' \
  "^  the RTL complains, too: .*pipe.sv:[0-9]+: assertion of pipe failed: assert \(!in_valid_i \|\| in_tag_i != 5'd31 \|\| Depth == 5\): in_valid_i = 1, in_tag_i = 31 \(0x1f\), Depth = 4"

# ---- assertions of the RTL ----
out=$at/out-assert
plant rtl demo/pipe.sv "s/33'(push)/33'(push \&\& in_tag_i != 5'd9)/" assert
run COSIM_RTL="$at/rtl-assert" SHRINK=1
line=$(grep -n 'assert (f_taken_q' "$at/rtl-assert/demo/pipe.sv" | cut -d: -f1)
expect 'an assertion of the RTL that fails' 2 '^ASSERT pipe cycle' \
  "the RTL breaks its own assertion: .*/pipe.sv:$line: assertion of pipe failed: assert \(f_taken_q - 33'\(fill_q\) == passed_q\): fill_q = [0-9]( [a-z_]+)?, passed_q = [0-9]+( \(0x[0-9a-f]+\))?$" \
  '^  the RTL complains alone: no rule or invariant of the golden model is broken$' \
  '^  fill_q ' '^  replay: make cosim ' '^SHRUNK from [0-9]+ to [0-9]+ cycles'
check 'its waveform' test -s build/waves/pipe-1.fst -a -s build/waves/pipe-1.gtkw
rm -rf "$tb/demo/regress"
# the same with an inner register of a generate block in the waveform
sed -i "s/^endmodule/  for (genvar k = 0; k < 2; k++) begin : gen_side\n    localparam int Side = k;\n    logic [1:0] seen;\n    logic unused;\n    assign seen = wr ^ 2'(Side);\n    assign unused = seen[0];\n  end\n&/" \
  "$at/rtl-assert/demo/pipe.sv"
run COSIM_RTL="$at/rtl-assert" WAVES=1
expect 'the inner signals that the assertion names' 2 '^  inner signals of the assertion: f_taken_q = [0-9]+( \(0x[0-9a-f]+\))?$'
equal 'first in GTKWave; then those of the module and of generate blocks, parameters last' "$(sections)" \
  '-named by the assertion that failed -inner signals of the RTL -in gen_side[0] -in gen_side[1] -parameters of the RTL -outputs -registers -inputs '
has 'its register' '^pipe\.pipe\.f_taken_q\[32:0\]$' <(sed -n '/^-named/,/^-inner/p' "${wave%.fst}.gtkw")
has 'a signal of a generate block' '^pipe\.pipe\.gen_side\[1\]\.seen\[1:0\]$' "${wave%.fst}.gtkw"
hasnt 'nothing that is unused' 'unused' "${wave%.fst}.gtkw"
fst2vcd "$wave" >"$tmp/vcd" 2>/dev/null
asserted=$(sed -n 's/^  inner signals of the assertion: f_taken_q = \([0-9]*\).*/\1/p' "$tmp/out")
code=$(sed -n 's/^.var.* 33 \([^ ]*\) f_taken_q .*/\1/p' "$tmp/vcd" | head -n 1)
when=$(sed -n 's/^ASSERT pipe cycle \([0-9]*\) .*/\1/p' "$tmp/out")
equal 'with the value that the waveform has in this cycle' "$asserted" \
  "$((2#$(awk -v code="$code" -v end="${when}0" '/^#/ { if (substr($0, 2) + 0 > end + 0) exit } $2 == code && /^b/ { v = substr($1, 2) } END { print v }' "$tmp/vcd")))"

out=$at/out-map
sed 's/#define IN(name, ...) EACH(port_drive, m.name, in.name, __VA_ARGS__);/& m.in_alternate_i = in.in_tag_i; m.in_tag_i = in.in_alternate_i;/' \
  cosim/engine/shim.cpp >"$at/shim-map.cpp"
run COSIM_SHIM="$at/shim-map.cpp"
expect 'a port mapping that swaps two inputs' 2 'bit 0 of in_tag_i does not arrive at the RTL'
out=$at/out-cmp
sed 's/is = is && EACH(port_equal, m.name, out.name, __VA_ARGS__)/is = is \&\& (sizeof(m.name) > 8 || EACH(port_equal, m.name, out.name, __VA_ARGS__))/' cosim/engine/shim.cpp >"$at/shim-cmp.cpp"
run COSIM_SHIM="$at/shim-cmp.cpp"
expect 'a comparer that skips wide ports' 2 'the comparer does not see bit 0 of out_data_o'
out=$at/out-cmp2
sed 's/is = is && EACH(port_equal, REGISTER(name), state.name, __VA_ARGS__)/is = is \&\& port_equal(m.rootp->pipe__DOT__rd_q, state.rd_q)/' \
  cosim/engine/shim.cpp >"$at/shim-cmp2.cpp"
run COSIM_SHIM="$at/shim-cmp2.cpp"
expect 'a comparer that looks at one register only' 2 'the comparer does not see bit 0 of fill_q'

# ---- coverage ----
cover() {   # make variables...
  make --no-print-directory -s coverage BLOCK=demo/pipe COSIM_C=tests/cosim/cmodel COSIM_RTL=tests/cosim/rtl COSIM_TB="$tb" \
    COSIM_OUT="$at/out" COVERAGE_OUT="$at/coverage" "$@" >"$tmp/out" 2>&1
  status=$?
}
cover
expect 'coverage above its thresholds' 0 '^demo/pipe +5/5 +100.0% .* ok$'
check 'its lcov file and page' test -s "$at/coverage/demo-pipe.info" -a -s "$at/coverage/html/index.html"
cover CYCLES=3
expect 'coverage below them' 2 '^demo/pipe +1/5 .* LOW$' 'uncovered: toggle pipe.sv in_lane_i'

# ---- drift between .def and RTL ----
drift() {   # name, sed on the .def, pattern [, variables of make]
  out=$at/out-drift
  plant cmodel blocks/demo/pipe.def "$2" def
  run COSIM_C="$at/cmodel-def" "${@:4}"
  expect "$1" 2 "$3"
}
drift 'a port of another width' 's/IN(in_alternate_i, 5)/IN(in_alternate_i, 6)/' 'disagree on in_alternate_i: input \[6\] in the .def, input \[5\] in the RTL'
drift 'a port of another direction' 's/OUTC(out_sum_o, 6.*/OUT(out_sum_o, 6) IN(new_i, 1)/' 'disagree on new_i: input \[1\] in the .def, no such port'
drift 'a register of another width' 's/STATE(passed_q, 33)/STATE(passed_q, 32)/' 'disagree on passed_q: STATE \[32\] in the .def, \[33\] in the RTL'
drift 'an array of another size' 's/ARRAY(tag_q, 4, 5)/ARRAY(tag_q, 3, 5)/' 'disagree on tag_q: STATE x 3'
drift 'the older form of an array' 's/ARRAY(tag_q, 4, 5)/STATEA(tag_q, 5, 3)/' 'disagree on tag_q: STATE x 3'
drift 'a port of another shape' 's/IN(in_lane_i, 2, 3, 5)/IN(in_lane_i, 2, 4, 5)/' 'disagree on in_lane_i: input \[40\] = 2 x 4 x 5 in the .def, input \[30\] in the RTL'
drift 'a register of another shape' 's/STATE(last_q, 2, 70)/STATE(last_q, 3, 70)/' 'disagree on last_q: STATE \[210\] in the .def, \[140\] in the RTL'
drift 'a dimension of 0' 's/IN(in_lane_i, 2, 3, 5)/IN(in_lane_i, 2, 0, 5)/' 'in_lane_i: a width or dimension of 0 at the default set'
drift 'an ENUM that its register does not hold' 's/STATE(fill_q, 3)/STATE(fill_q, 2)/' 'pipe_fill: a value that its width does not hold'
drift 'a register that is not declared' '/^REGA(d_q/d' 'disagree on d_q: no such REG or STATE in the .def, 288 bits in the RTL'
drift 'a register that there is not' 's/^REGA(d_q.*/&\nREG(old_q, 3)/' 'disagree on old_q: 3 bits of registers in the .def, 0 in the RTL'
drift 'a memory of other bits' 's/^REGA(d_q, 72, 4)/REGA(d_q, 72, 8)/' 'disagree on d_q: 576 bits of registers in the .def, 288 in the RTL'
drift 'registers that are said to be a memory' 's/^REGA(d_q, 72, 4)/RAM(d_q, 72, 4, 1)/' 'disagree on d_q: 288 bits of ram_1rw in the .def, 0 in the RTL'
drift 'ports in another order' '/^IN(in_alternate_i/d; s/^OUT(in_ready_o, 1)/&\nIN(in_alternate_i, 5)/' 'disagree on in_alternate_i: in_data_i comes there in the .def, in_alternate_i in the RTL'
drift 'a set of a parameter that there is not' 's/^PARAM(Depth, 4)/&\nSET(deep, "Dept=8")/' 'pipe.def:4: found Dept=8 in a set, expected a parameter of a SIZE line'
drift 'a first set that is not the default' 's/^PARAM(Depth, 4)/SIZE(Depth, 4, 8)\nSET(deep, "Depth=8")/' 'pipe.def:4: found Depth=8 in the first set, expected the default 4'
drift 'a set above the most' 's/^PARAM(Depth, 4)/SIZE(Depth, 4, 8)\nSET(d4, "Depth=4")\nSET(d9, "Depth=9")/' 'pipe.def:5: found Depth=9, expected a number of 0 to 8'
drift 'a default above the most' 's/^PARAM(Depth, 4)/SIZE(Depth, 4, 3)/' 'pipe.def:3: found SIZE\(Depth, 4, 3\), expected a number of 0 to the most'
drift 'a set of the name all' 's/^PARAM(Depth, 4)/SIZE(Depth, 4, 8)\nSET(four, "Depth=4")\nSET(all, "Depth=8")/' 'blocks/demo/pipe.def: found a set of the name all, expected another name: SETS=all is every set'
drift 'a parameter that the RTL does not have' 's/^PARAM(Depth, 4)/&\nSIZE(Lanes, 1, 2)\nSET(one, "Lanes=1")\nSET(two, "Lanes=2")/' 'blocks/demo/pipe\.def:4: found the parameter Lanes, expected one of the module in .*/demo/pipe\.sv$' SETS=two
rm -rf "$at/rtl-enum"
cp -r tests/cosim/rtl "$at/rtl-enum"
"$at/out/obj/demo/pipe/ports" --enums | sed "s/= 3'd3;/= 3'd2;/" >"$at/rtl-enum/demo/pipe_enum.svh"
out=$at/out-enum
run COSIM_RTL="$at/rtl-enum"
expect 'an ENUM of another value in the RTL' 2 'pipe_enum\.svh: found other values than the ENUMs of .*/pipe\.def; make enums writes it'
make --no-print-directory -s enums COSIM_C=tests/cosim/cmodel COSIM_RTL="$at/rtl-enum" COSIM_TB="$tb" COSIM_OUT="$out" >"$tmp/out" 2>&1
run COSIM_RTL="$at/rtl-enum" CYCLES=100
expect 'which make enums mends' 0 '^demo/pipe +agree'
out=$at/out-drift
plant rtl demo/pipe.sv 's/^endmodule/always_ff @(posedge clk_i) begin logic [7:0] past; past <= {past[6:0], in_valid_i}; end\n&/' unnamed
run COSIM_RTL="$at/rtl-unnamed"
expect 'a register in a block without a name' 2 'disagree on past: no such REG or STATE in the .def, 8 bits in the RTL'
plant rtl demo/pipe.sv "s/if (push) d_q\[wr\] <= in_data_i;/&\n    if (pop) d_q[rd_q] <= '0;/" third
run COSIM_RTL="$at/rtl-third"
expect 'a third port of an array' 2 'disagree on d_q: 1 read and 2 write ports in the RTL, expected at most one of each'
drift 'a register that is a wire' 's/STATE(rd_q, 2)/STATE(rd_q, 2) STATE(wr, 2)/' 'disagree on wr: STATE \[2\] in the .def, no flip-flop'
