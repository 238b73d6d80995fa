#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The results of programs with races, functional and timed; the output of `run --races` for them, and for all kernels;
# launches whose CTAs wait for each other; runs without an end.
. "$(dirname "$0")/../lib.sh"

races() { # options of `run`...: exit status, and what was said, in $tmp/races
  "$regtwin" run "$@" --races >"$tmp/races" 2>&1
  echo $?
}

for how in --functional --config=gtx980 --config=gtx480 --config=maxwell --config=rtx2060; do
  # close to a machine's result, and with every value in its place: functional execution takes turns, too
  for name in mvt softmax ordered meet; do check "$name $how" timeout 60 "$regtwin" run tests/data/races/$name.launch "$how"; done
  equal "$how: status of a race" "$(races tests/data/races/mvt.launch "$how")" 1
  has "$how: mvt: who writes" '^  .*races.ptx:23:[0-9]+: store by thread \([0-9]+,[0-9],0\) of CTA \(0,0,0\), warp [0-7], lane [0-9]+$' "$tmp/races"
  has "$how: mvt: who reads" '^  .*races.ptx:20:[0-9]+: load by thread ' "$tmp/races"
  has "$how: mvt: where" "^race in kernel 'mvt', buffer 'x' \+ 0x[0-9a-f]+ \(address 0x[0-9a-f]+\), launch 0, met [0-9]+ times$" "$tmp/races"
  equal "$how: softmax races" "$(races tests/data/races/softmax.launch "$how")" 1
  has "$how: softmax: in shared memory" "^race in kernel 'softmax', shared memory \+ 0x0, " "$tmp/races"
  has "$how: softmax: who writes" 'races.ptx:46:[0-9]+: store by thread \(0,0,0\)' "$tmp/races"
  has "$how: softmax: who reads" 'races.ptx:48:[0-9]+: load by thread ' "$tmp/races"
  for name in ordered meet; do
    equal "$how: $name has no race" "$(races tests/data/races/$name.launch "$how")" 0
    has "$how: $name: says so" ': pairs of instructions that race: 0;' "$tmp/races"
  done
done

# as JSON, with the run's result
"$regtwin" run tests/data/races/mvt.launch --functional --races --json "$tmp/j" >/dev/null 2>&1
has 'JSON: memory' '"memory": "global"' "$tmp/j"
has 'JSON: buffer' '"buffer": "x"' "$tmp/j"
has 'JSON: line' '"line": 23' "$tmp/j"
check 'no races requested, none reported' test -z "$("$regtwin" run tests/data/races/mvt.launch --functional | grep -i race)"

# every kernel: two race, and docs/use/races.md says why
mapfile -t all < <(kernels)
equal 'all kernels: status' "$(races "${all[@]}" --size small --functional)" 1
equal 'all kernels: each reported' "$(grep -c ': pairs of instructions that race: ' "$tmp/races")" ${#all[@]}
equal 'all kernels: those that race' "$(sed -n 's/: pairs of instructions that race: [1-9].*//p' "$tmp/races" | tr '\n' ' ')" \
  'bfs_frontier bfs_worklist '
# and what threads may rely on (tests/data/order); last_block has no fence behind its count, which PTX asks for
for file in tests/data/order/[!b]*.launch; do
  name=$(basename "$file" .launch)
  status=0
  [ "$name" = last_block ] && status=1
  equal "$name: status" "$(races "$file" --functional)" $status
done

# more CTAs than are resident
check 'CTAs that wait for CTAs' timeout 100 "$regtwin" run tests/data/races/meet_many.launch --functional
timeout 200 "$regtwin" run tests/data/races/bad_meet.launch --functional >"$tmp/out" 2>&1
equal 'CTAs that wait for no other: status' $? 2
has 'CTAs that wait for no other' 'races.ptx:11[456]:[0-9]+: error: a loop that cannot end' "$tmp/out"
timeout 60 "$regtwin" run tests/data/races/meet_many.launch >"$tmp/out" 2>&1
equal 'more than an SM holds: status' $? 2
has 'more than an SM holds: says so' 'of 1500 CTAs wait for them to end|cannot end' "$tmp/out"

# limits
limit() { # name, launch file's text, key=value, what is said
  printf '%s\n' "ptx $PWD/tests/data/races/races.ptx" "$2" >"$tmp/limit.launch"
  timeout 60 "$regtwin" run "$tmp/limit.launch" ${5:+"$5"} --set "$3" >"$tmp/out" 2>&1
  equal "$1: status" $? 2
  has "$1" "$4" "$tmp/out"
}
endless='buffer a u32 1 zero
launch endless grid 1 block 32 args (a)'
limit 'a loop without an end, functional' "$endless" sim.max_insns=1000000 \
  'races.ptx:142:[0-9]+: error: .*more than 1000000 instructions.*sim.max_insns.*; the loop that goes back from here to line 136 is not over' --functional
limit 'a loop without an end, timed' "$endless" sim.max_insns=1000000 \
  'races.ptx:142:[0-9]+: error: .*more than 1000000 instructions.*sim.max_insns.*; the loop that goes back from here to line 136 is not over' ''
launches='buffer a u32 32 zero
repeat 9223372036854775807 {
  launch fill grid 1 block 32 args (a, u32:1)
}'
limit 'launches without an end' "$launches" sim.max_insns=1000 'limit.launch:3:1: error: .*sim.max_insns' --functional
for how in --functional ''; do
  limit "statements without an end $how" 'repeat 9223372036854775807 { let x = 1 }' sim.max_statements=1000 \
    'limit.launch:2:1: error: .*1000 statements.*sim.max_statements' $how
  limit "statements of inner loops $how" 'repeat 9223372036854775807 { repeat 3 { let x = 1 } }' sim.max_statements=1000 \
    'limit.launch:2:1: error: .*1000 statements.*sim.max_statements' $how
done

# a null pointer, by all lanes, as the instruction's first access
for how in --functional --config=gtx980 --set=sim.check=true; do
  printf '%s\n' "ptx $PWD/tests/data/races/races.ptx" 'launch null grid 1 block 32 args (u64:0)' >"$tmp/null.launch"
  "$regtwin" run "$tmp/null.launch" "$how" >"$tmp/out" 2>&1
  equal "a null pointer, $how: status" $? 2
  has "a null pointer, $how" 'races.ptx:149:[0-9]+: error: store of 4 bytes at global address 0x0 is out of bounds: a null pointer' "$tmp/out"
done
