#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels of a file stand and fall alone, base names name them, and what they print comes out once: in the run that
# was asked for, in one order with and without timing, and never as what a terminal obeys.
. "$(dirname "$0")/../lib.sh"

ptx=tests/data/ptx/print_clang.ptx
"$regtwin" analyze $ptx >"$tmp/a" 2>"$tmp/err"
equal 'analyze: the good kernels' $? 0
has 'they are shown' '^kernel _Z7squaresPi ' "$tmp/a"
hasnt 'and the refused one is not' '^kernel _Z8dispatchPi ' "$tmp/a"
has 'it is named, with its place' "kernel '_Z8dispatchPi' is refused: $ptx:[0-9]+:[0-9]+: error: found " "$tmp/err"
"$regtwin" analyze $ptx --kernel squares >"$tmp/a" 2>"$tmp/err"
equal 'analyze --kernel: a base name' $? 0
has 'its kernel' '^kernel _Z7squaresPi ' "$tmp/a"
check 'and nothing of the others' test ! -s "$tmp/err"
for how in --dot="$tmp/g.dot" --live --ranges --slices=int --slices=int\ --map="$tmp/m.svg"; do
  # shellcheck disable=SC2086
  check "analyze --kernel: a base name with ${how%%=*}" "$regtwin" analyze $ptx --kernel squares $how
done
"$regtwin" analyze $ptx --kernel dispatch >"$tmp/a" 2>"$tmp/err"
equal 'analyze --kernel: a refused one' $? 2
has 'why, and which are good' "^regtwin: $ptx:[0-9]+:[0-9]+: error: found .*; so kernel '_Z8dispatchPi' is refused, of this file there are: _Z7squaresPi$" "$tmp/err"

launch_file() {   # kernel
  printf 'ptx %s\nbuffer o s32 96 fill 5\nlaunch %s grid 2 block 48 args (o)\nexpect o expr i %% 3 ? 4 : 0\n' "$PWD/$ptx" "$1"
}
launch_file squares >"$tmp/x.launch"
launch_file _Z7squaresPi >"$tmp/full.launch"
launch_file dispatch >"$tmp/bad.launch"
"$regtwin" run "$tmp/bad.launch" >"$tmp/a" 2>"$tmp/err"
equal 'run: a refused kernel' $? 2
has 'its reason' "so kernel '_Z8dispatchPi' is refused, of this file there are: _Z7squaresPi$" "$tmp/err"

awk 'BEGIN { for (i = 0; i < 96; i++) { if (i % 3) printf "%2d: %d %.1f %s\n", i, i * i, i * 0.5, i % 2 ? "odd" : "even"; if (i == 7) print "seven" } }' >"$tmp/want"
"$regtwin" run "$tmp/x.launch" --functional --json "$tmp/f.json" >"$tmp/out" 2>"$tmp/err"
equal 'run: a base name' $? 0
head -n 65 "$tmp/out" >"$tmp/functional"
same 'what it printed, functional' "$tmp/functional" "$tmp/want"
check 'and no more' test "$(grep -c seven "$tmp/out")" = 1
for o in '' '--config gtx480' '--config rtx2060' '--system FineReg --config gtx980' '--config maxwell --set sim.check=true'; do
  # shellcheck disable=SC2086
  "$regtwin" run "$tmp/full.launch" $o >"$tmp/out" 2>"$tmp/err"
  head -n 65 "$tmp/out" >"$tmp/timed"
  same "what it printed, timed $o" "$tmp/timed" "$tmp/want"
done
"$regtwin" run "$tmp/x.launch" --json - >"$tmp/out" 2>"$tmp/err"
same 'beside JSON it is on standard error' "$tmp/err" "$tmp/want"
equal 'which is JSON alone' "$(head -c 1 "$tmp/out")$(tail -n 1 "$tmp/out")" '{}'
"$regtwin" quality "$tmp/x.launch" "$tmp/full.launch" >"$tmp/out" 2>"$tmp/err"
hasnt 'quality prints nothing of it' seven "$tmp/out"
"$regtwin" analyze "$tmp/x.launch" --ranges >"$tmp/out" 2>"$tmp/err"
hasnt 'nor does analyze --ranges' '^seven' "$tmp/out"
"$regtwin" run "$tmp/x.launch" --config gtx480 --system SL-Int >"$tmp/out" 2>"$tmp/err"
check 'a run with narrow code prints once, not in the runs before it' test "$(grep -c seven "$tmp/out")" = 1

# "\e[31m", a new line and 0x80 in a text; a fault behind it
cat >"$tmp/e.ptx" <<'X'
.version 7.8
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .b8 f[] = {27, 91, 51, 49, 109, 114, 101, 100, 9, 128, 10, 0};
.entry k() {
  .reg .b64 %f; .reg .b32 %r;
  cvta.global.u64 %f, f;
  mov.b64 %f, f;
  call (%r), vprintf, (%f, 0);
  trap;
}
X
printf 'ptx %s/e.ptx\nlaunch k grid 1 block 1 args ()\n' "$tmp" >"$tmp/e.launch"
"$regtwin" run "$tmp/e.launch" >"$tmp/out" 2>"$tmp/err"
equal 'a fault' $? 2
has 'its column' ':11:3: error: the kernel executed a trap' "$tmp/err"
printf '%s\t%s\n' '\x1b[31mred' '\x80' >"$tmp/want"
same 'what was printed before it, without escape sequences' "$tmp/out" "$tmp/want"
sed 's/, 10, 0}/, 33, 0}/; /trap;/d' "$tmp/e.ptx" >"$tmp/l.ptx"
sed 's/e\.ptx/l.ptx/' "$tmp/e.launch" >"$tmp/l.launch"
"$regtwin" run "$tmp/l.launch" >"$tmp/out" 2>"$tmp/err"
equal 'a last line without its end' "$(head -n 1 "$tmp/out" | tail -c 6)" '\x80!'
has 'the table begins a line' '^regtwin [0-9.]+ ' "$tmp/out"
