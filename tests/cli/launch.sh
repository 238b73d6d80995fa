#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Statements of launch files: copies, refilled buffers, symbols with their PTX contents, pads; narrow code without a
# manifest; too little memory on the host. Errors: tests/data/bad/launch.txt.
. "$(dirname "$0")/../lib.sh"

cat >"$tmp/x.ptx" <<'END'
.version 7.0
.target sm_52
.address_size 64
.global .align 4 .u32 table[4] = {7, 8, 9, 10};
.const .align 4 .u32 limits[2] = {3, 5};
// out[i] = in[i + shift]
.visible .entry get(.param .u64 in, .param .u64 out, .param .s32 shift) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.s32 %r1, [shift];
  mov.u32 %r2, %tid.x;
  add.s32 %r3, %r2, %r1;
  mul.wide.s32 %rd3, %r3, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4];
  mul.wide.s32 %rd5, %r2, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r4;
  ret;
}
// out[shift] = 1, or adds 1 to it
.visible .entry put(.param .u64 out, .param .s32 shift) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.s32 %r1, [shift];
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, 1;
  st.global.u32 [%rd3], %r2;
  ret;
}
.visible .entry count(.param .u64 out, .param .s32 shift) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.s32 %r1, [shift];
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  red.global.add.u32 [%rd3], 1;
  ret;
}
END
printf '\001\000\000\000\002\000\000\000' >"$tmp/two.bin"

says() {   # name, status, words of the message (or ""), lines of the launch file...
  local name=$1 want=$2 words=$3 status mode
  shift 3
  printf '%s\n' 'ptx x.ptx' "$@" >"$tmp/x.launch"
  for mode in --functional --set=sim.check=true; do
    "$regtwin" run "$tmp/x.launch" $mode >"$tmp/out" 2>"$tmp/err"
    status=$?
    if [ $status -eq "$want" ] && grep -qF -- "$words" "$tmp/err" /dev/null ||
      { [ $status -eq "$want" ] && [ -z "$words" ] && [ ! -s "$tmp/err" ]; }; then ok "$name ($mode)"
    else not_ok "$name ($mode)" "status $status, expected $want and: $words" "$(head -n 3 "$tmp/err")"; fi
  done
}
get='launch get grid 1 block 8 args(a, b, 0)'
says 'copy' 0 '' 'buffer a u32 8 iota 1 1' 'buffer b u32 8 zero' 'buffer c u32 8 iota 5 1' 'copy a c' "$get" \
  'set a[0] = 9' 'expect c expr i + 1' 'expect a[0] 9' 'copy c a' 'expect a expr i + 1'
says 'copy of symbols' 0 '' 'symbol table u32' 'symbol limits u32' 'buffer a u32 8 zero' 'buffer b u32 8 zero' \
  'buffer t u32 4 zero' 'buffer m u32 2 fill 4' 'copy table t' 'expect t expr 7 + i' 'copy m limits' 'expect limits expr 4' "$get"
says 'a symbol that nothing set' 0 '' 'symbol table u32' 'symbol limits u32' 'let n = table[1] + limits[0]' \
  'buffer a u32 8 fill n' 'buffer b u32 8 zero' "$get" 'expect b expr 11' 'expect table expr 7 + i' 'expect limits[1] 5'
says 'fill in a loop, from a file' 0 '' 'buffer a u32 8 zero' 'buffer b u32 8 zero' 'buffer c u32 2 zero' \
  'repeat 3 as k {' 'fill c file two.bin' 'expect c expr i + 1' 'fill a fill k + c[1]' "$get" 'expect b expr k + 2' 'set c[0] = 7' '}'
says 'rand in a loop gives new values' 0 '' 'buffer a u32 8 rand 0 1 << 30' 'buffer b u32 8 zero' 'buffer old u32 8 zero' \
  'let same = 0' 'repeat 3 {' 'copy a old' 'fill a rand 0 1 << 30' "$get" 'let same = same + (b[0] == old[0]) + (b[7] == old[7])' '}' \
  'buffer s u32 1 fill same' 'expect s[0] 0'
says 'a read before a buffer' 2 "load of 4 bytes at global address 0x103fc is out of bounds: 4 bytes before the start of buffer 'a'" \
  'buffer first u32 1 zero' 'buffer a u32 8 iota 1 1' 'buffer b u32 8 zero' 'launch get grid 1 block 8 args(a, b, -1)'
for shift in -3 3 -16 -15 9; do
  says "a pad is zero: $shift" 0 '' "buffer a u32 8 pad 16 iota 1 1" 'buffer b u32 8 fill 99' \
    "launch get grid 1 block 8 args(a, b, $shift)" "expect b expr i + $shift < 0 || i + $shift > 7 ? 0 : i + $shift + 1"
done
says 'before the pad' 2 "68 bytes before the start of buffer 'a' (32 bytes at" 'buffer a u32 8 pad 16 iota 1 1' \
  'buffer b u32 8 zero' 'launch get grid 1 block 8 args(a, b, -17)'
says 'behind the pad' 2 "64 bytes past the end of buffer 'a' (32 bytes at" 'buffer a u32 8 pad 16 iota 1 1' \
  'buffer b u32 8 zero' 'launch get grid 1 block 8 args(a, b, 17)'
says 'a store into a pad' 2 "store of 4 bytes at global address 0x101fc is out of bounds: 4 bytes before the start of buffer 'a'" \
  'buffer a u32 8 pad 16 zero' 'launch put grid 1 block 1 args(a, -1)'
says 'an atomic in a pad' 2 "atomic of 4 bytes at global address 0x10220 is out of bounds: 0 bytes past the end of buffer 'a'" \
  'buffer a u32 8 pad 16 zero' 'launch count grid 1 block 1 args(a, 8)'

# ---- a PTX file that is not there: where it is named
printf '%s\n' '# a comment' 'ptx  none.ptx' 'launch get grid 1 block 1 args()' >"$tmp/none.launch"
"$regtwin" run "$tmp/none.launch" >"$tmp/out" 2>"$tmp/err"
equal 'no PTX file' $? 2
has 'the place of its name' "none\.launch:2:6: error: '.*/none\.ptx': cannot read" "$tmp/err"

# ---- narrow code of a launch file without a manifest
cp traces/kernels/sgemm/sgemm.ptx "$tmp"
small_launch sgemm >"$tmp/small.launch"
check 'analyze --slices without about.yaml' "$regtwin" analyze "$tmp/small.launch" --slices
"$regtwin" analyze "$tmp/small.launch" --slices >"$tmp/out"
has 'shows the table' '^ +0  [0-9a-f]{8}  row[0-9]+\[' "$tmp/out"
check 'a run: its floats keep 32 bits' "$regtwin" run "$tmp/small.launch" --config gtx480 --system SL-Full-P
cp traces/kernels/sgemm/sgemm.widths "$tmp"
check 'analyze --slices with widths' "$regtwin" analyze "$tmp/small.launch" --slices
"$regtwin" run "$tmp/small.launch" --config gtx480 --system SL-Full-P >"$tmp/out" 2>"$tmp/err"
equal 'a run with widths needs the metric' $? 2
has 'and says so' 'found no about.yaml beside it, expected one: a run with narrow floats \(perfect.widths\)' "$tmp/err"

# ---- slices on a machine with sub-cores: the message says what to set, and that works
"$regtwin" run vecadd --size small --config rtx2060 --system SL-Int 2>"$tmp/err"
read -ra set < <(sed -n 's|.*, expected \(.*\): the source .*|\1|p' "$tmp/err")
equal 'it names a setting' "${set[*]}" 'sm.subcores=false'
check 'which works' "$regtwin" run vecadd reduction sgemm --size small --config rtx2060 --system SL-Int --set sim.check=true \
  "${set[@]/#/--set=}"

# ---- little memory
vm() { (ulimit -v "$1" && shift && exec "$regtwin" "$@"); }
check '150 MB are enough for a small kernel' vm 150000 run vecadd --size small --json "$tmp/j"
printf '%s\n' 'ptx x.ptx' 'buffer a u32 8 zero' 'buffer b u32 8 zero' 'repeat 200000 {' "$get" '}' >"$tmp/many.launch"
check '150 MB are enough for 200,000 launches' vm 150000 run "$tmp/many.launch" --functional --json "$tmp/j"
printf '%s\n' 'ptx x.ptx' 'buffer a u32 150000000 zero' 'buffer b u32 8 zero' "$get" >"$tmp/x.launch"
for run in "run $tmp/x.launch" "run $tmp/x.launch --functional" 'run vecadd --size small --set l2.bytes=1073741824 --set gpu.sms=1'; do
  case $run in *vecadd*) kilobytes=90000 ;; *) kilobytes=200000 ;; esac
  rm -f "$tmp/none"
  # shellcheck disable=SC2086
  vm $kilobytes $run --json "$tmp/none" >"$tmp/out" 2>"$tmp/err"
  status=$?
  if [ $status -eq 2 ] && grep -qE 'error: .*found no memory for [0-9]+' "$tmp/err" && [ ! -s "$tmp/out" ] && [ ! -e "$tmp/none" ]; then ok "$kilobytes kB: $run"
  else not_ok "$kilobytes kB: $run" "status $status" "$(cat "$tmp/err")"; fi
done
