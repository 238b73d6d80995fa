#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# characterize: a kernel whose answers are known by hand, the statistics of a plain run, plots, and refusals.
. "$(dirname "$0")/../lib.sh"

part() { sed -n "/^ *\"$1\": /,/^ *[]}]/p" "$2" >"$tmp/part"; }

# ---- tests/data/character/walk.ptx, launched twice: one warp, eleven instructions
"$regtwin" characterize tests/data/character/walk.launch --json "$tmp/w" >"$tmp/table"
# From a register's last access to its next read: tid 1 and 7; the address pair 1, 1, 1, 1 and 4 (both its halves);
# the loads 3, 2, 2; the sums 1, 1, 1.
part distance "$tmp/w"
equal 'reuse distances' "$(grep -oE '[0-9]+,' "$tmp/part" | head -n 9 | tr -d '\n')" '0,24,4,2,4,0,0,2,0,'
equal 'reuses' "$(get count "$tmp/w")" 36
equal 'reuses farther than 3: 6 of 36' "$(get above_3 "$tmp/w")" 0.166666666666667
equal 'reuses farther than 10' "$(get above_10 "$tmp/w")" 0.0
# From issue to issue: 5 (no operand to collect), 13, 6, then a load in each cycle: the third at 26.
equal 'cycles to the stall' "$(get first_cycles_mean "$tmp/w")" 26.0
equal 'CTAs that stall' "$(get ctas_stalled "$tmp/w")" 2
equal 'CTAs that do not' "$(get ctas_never "$tmp/w")" 0
# Two lines miss for the first time, the third load joins the first; the store takes its line out of the L1,
# the other one stays.
equal 'line reads' "$(get reads "$tmp/w")" 6
equal 'cold misses' "$(get misses_cold "$tmp/w")" 2
equal 'other misses' "$(get misses_capacity_conflict "$tmp/w")" 1
equal 'hits' "$(get hits "$tmp/w")" 1
equal 'merges' "$(get merges "$tmp/w")" 2
# Each of three loads reads its line twice; one line is read by a single load.
equal 'reused set' "$(get reused_bytes_mean "$tmp/w")" 384.0
equal 'a third of it private' "$(get reused_private "$tmp/w")" 0.333333333333333
equal 'streaming data' "$(get streaming_bytes_mean "$tmp/w")" 0.0
equal 'mix: integer' "$(get integer "$tmp/w")" 12
equal 'mix: global' "$(get global "$tmp/w")" 8
equal 'mix: control' "$(get control "$tmp/w")" 2
has 'the table' '^  first, after +cycles +26$' "$tmp/table"
"$regtwin" characterize tests/data/character/walk.launch --markdown >"$tmp/table"
has 'a page: a file has no sizes' '^\| walk \| - \| - \| - \| - \| - \|$' "$tmp/table"
has 'a page: mix of 22' '^\| walk \| 55 \| - \| - \| - \| - \| 36 \| - \| - \| - \| 9 \|$' "$tmp/table"
has 'a page: 36 reuses' '^\| walk \| 67 \| 11 \| 6 \| 11 \| 6 \| - \| - \| - \| 17 \| 0 \|$' "$tmp/table"
# vecadd: 2 x 50,001 floats are 2 x 1563 lines, read once: all of it streams, every miss is cold.
"$regtwin" characterize vecadd --size small --json "$tmp/v" >"$tmp/table"
equal 'vecadd: streaming data' "$(get streaming_bytes_mean "$tmp/v")" 400128.0
equal 'vecadd: cold misses' "$(get misses_cold "$tmp/v")" 3126
equal 'vecadd: other misses' "$(get misses_capacity_conflict "$tmp/v")" 0
equal 'vecadd: reused set' "$(get reused_bytes_mean "$tmp/v")" 0.0

# ---- watching changes nothing
for k in bfs srad_v1 syr2k reduction; do
  for m in gtx980 rtx2060 gtx480; do
    "$regtwin" run $k --size small --config $m --json "$tmp/r" >/dev/null
    "$regtwin" characterize $k --size small --config $m --json "$tmp/c" >/dev/null
    l1=$(sed -n '/^  "l1": {/,/^  }/p' "$tmp/r")
    field() { sed -n "s/^ *\"$1\": \([0-9]*\),*\$/\1/p" <<<"$l1" | head -n 1; }
    equal "$k on $m: cycles as without a probe" "$(get cycles "$tmp/c")" "$(get cycles "$tmp/r")"
    equal "$k on $m: its reads are the L1's" \
      "$(get reads "$tmp/c") $(get hits "$tmp/c")" "$(field reads) $(field read_hits)"
    mix=$(sed -n '/"mix": {/,/}/s/.*: \([0-9]*\),*$/\1/p' "$tmp/c" | awk '{ s += $1 } END { print s }')
    equal "$k on $m: the mix is all of it" "$mix" "$(get warp_instructions "$tmp/r")"
  done
done

# ---- groups, by the papers' rules
"$regtwin" characterize gesummv SSAO --groups --size small >"$tmp/table"
cycles() { "$regtwin" run gesummv --size small --json - --set "l1.bytes=$1" | sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' | head -n 1; }
ratio=$(awk -v a="$(cycles 49152)" -v b="$(cycles 196608)" 'BEGIN { printf "%.2f", a / b }')
has 'groups: the L1 rule is the ratio of two runs' \
  "^gesummv +linebacker +GE +sensitive +sensitive +gtx980 +$ratio times as fast with 192 KB of L1\$" "$tmp/table"
cycles() { "$regtwin" run bicg --size small --json - --set compile.schedule=list --set "l1.bytes=$1" | sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' | head -n 1; }
ratio=$(awk -v a="$(cycles 49152)" -v b="$(cycles 196608)" 'BEGIN { printf "%.2f", a / b }')
"$regtwin" characterize bicg --groups --size small --set compile.schedule=list >"$tmp/list"
has 'groups: of scheduled code' "^bicg +linebacker .* $ratio times as fast" "$tmp/list"
has 'groups: the metric' '^ssao +slices +SSAO +1 +1 +gtx480 +metric ssim$' "$tmp/table"
has 'groups: how many agree' "^Linebacker \(ISCA'19\), Table 2: 1 of 1 are in the paper's group\$" "$tmp/table"
"$regtwin" characterize gesummv --groups --size small --set l1.bytes=196608 >"$tmp/table"
has 'groups: with the large L1 already there a larger one gives nothing' \
  '^gesummv .* insensitive \* +gtx980 +1\.00 times as fast with 192 KB of L1$' "$tmp/table"
has 'groups: which is not as in the paper' "0 of 1 are in the paper's group; not: GE\$" "$tmp/table"
export REGTWIN_TRACES=$tmp/traces
mkdir "$tmp/traces"
cp -r traces/kernels/vecadd "$tmp/traces/"
printf 'what: w\nsuite: S\nentry: vecadd\nmetric: exact\npapers: {finereg: {name: HS, group: type-r}, ltrf: {name: v, group: insensitive}, malekeh: {name: nn}}\ndiffers: no\n' \
  >"$tmp/traces/vecadd/about.yaml"
"$regtwin" characterize all --groups >"$tmp/table"
has 'groups: warps limit it' '^vecadd +finereg +HS +type-r +type-s \* +gtx980 +8 CTAs by warps$' "$tmp/table"
hasnt 'groups: a paper without groups' 'malekeh' "$tmp/table"
sed -i 's/ args/ regs 40 args/' "$tmp/traces/vecadd/vecadd.launch" # 40 x 8 warps of 2048 warp registers
"$regtwin" characterize all --groups >"$tmp/table"
has 'groups: registers limit it' \
  '^vecadd +finereg +HS +type-r +type-r +gtx980 +6 CTAs by registers; 8 by warps with the 6 registers that it needs$' "$tmp/table"
has 'groups: register-sensitive, then' '^vecadd +ltrf +v +insensitive +sensitive \* +maxwell ' "$tmp/table"
unset REGTWIN_TRACES
"$regtwin" characterize vecadd --groups --config gtx480 >"$tmp/out" 2>"$tmp/err"
equal 'groups on another machine: status 2' $? 2
has 'groups on another machine: why' "found --config, .* beside --groups, expected only --size and --set" "$tmp/err"

# ---- compiled as run compiles it
for schedule in none list; do
  "$regtwin" characterize sgemm --size small --set compile.schedule=$schedule --json "$tmp/c" >/dev/null
  "$regtwin" run sgemm --size small --set compile.schedule=$schedule --json "$tmp/r" >/dev/null
  equal "compile.schedule=$schedule: the cycles of run" "$(get cycles "$tmp/c")" "$(get cycles "$tmp/r")"
done
# Watching changes no cycle, whoever collects the operands.
for system in Malekeh BOW SL-Full-P; do
  "$regtwin" characterize CS --size small --system $system --json "$tmp/c" >/dev/null
  "$regtwin" run CS --size small --system $system --json "$tmp/r" >/dev/null
  equal "$system: the cycles of run" "$(get cycles "$tmp/c")" "$(get cycles "$tmp/r")"
done

# ---- names, plots, refusals
"$regtwin" characterize CS AT --size small >"$tmp/table"
has 'names of the papers, and their numbers' '^    FineReg, Table III +cycles +512( \*)? +1272' "$tmp/table"
mkdir "$tmp/plots"
check 'plots' "$regtwin" characterize CS --size small --plots "$tmp/plots"
for f in mix l1 reuse locality stall registers time convolutionSeparable; do
  check "plots: $f.png" test "$(head -c 4 "$tmp/plots/$f.png" 2>/dev/null | tail -c 3)" = PNG
done
mkdir "$tmp/bin"
PATH=$tmp/bin "$regtwin" characterize CS --size small --plots "$tmp/plots" >"$tmp/out" 2>"$tmp/err"
equal 'without gnuplot: status 2' $? 2
equal 'without gnuplot: one line' "$(wc -l <"$tmp/err")" 1
has 'without gnuplot: what is missing' 'found no gnuplot, expected it for --plots' "$tmp/err"
check 'without gnuplot all else works' env PATH="$tmp/bin" "$regtwin" characterize CS --size small
