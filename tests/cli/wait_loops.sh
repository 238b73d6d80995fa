#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels whose warps test mbarriers in loops end on every machine, with every scheduler, and where few warps are active: no warp
# that tests keeps out the one that it waits for. sim.max_insns and sim.max_cycles end a launch that does not.
. "$(dirname "$0")/../lib.sh"

# The last warp of each CTA loads a word for each lane in a round, all others wait for it and add it up. One word of room: each waits for
# the other side. With 4 warps in a CTA all loading ones belong to one scheduler of four; with 32, 31 test for each that loads.
cat > "$tmp/rounds.ptx" <<'PTX'
.version 7.1
.target sm_80
.address_size 64
.visible .entry rounds(.param .u64 p_in, .param .u64 p_out, .param .u32 p_rounds) {
  .reg .pred %p<4>;
  .reg .b32 %r<24>;
  .reg .b64 %d<8>;
  .shared .align 4 .b8 words[128];
  .shared .align 8 .b8 full[8];
  .shared .align 8 .b8 empty[8];
  ld.param.u64 %d1, [p_in];
  ld.param.u64 %d2, [p_out];
  ld.param.u32 %r1, [p_rounds];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  sub.u32 %r5, %r3, 32;
  and.b32 %r6, %r2, 31;
  mov.u32 %r7, full;
  mov.u32 %r8, empty;
  shl.b32 %r9, %r6, 2;
  mov.u32 %r10, words;
  add.u32 %r10, %r10, %r9;
  mov.u32 %r11, 0; // the round
  mov.u32 %r12, 0; // the sum
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra MADE;
  mbarrier.init.shared.b64 [%r7], 32;
  mbarrier.init.shared.b64 [%r8], %r5;
MADE:
  bar.sync 0;
  setp.lt.u32 %p1, %r2, %r5;
  @%p1 bra ADDS;
  mul.lo.u32 %r13, %r4, %r1;
LOADS:
  add.u32 %r14, %r13, %r11;
  shl.b32 %r14, %r14, 5;
  add.u32 %r14, %r14, %r6;
  mul.wide.u32 %d3, %r14, 4;
  add.u64 %d3, %d1, %d3;
  and.b32 %r15, %r11, 1;
  xor.b32 %r15, %r15, 1;
ROOM:
  mbarrier.test_wait.parity.shared.b64 %p2, [%r8], %r15;
  @!%p2 bra ROOM;
  ld.global.u32 %r16, [%d3];
  st.shared.u32 [%r10], %r16;
  mbarrier.arrive.shared.b64 %d4, [%r7];
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p3, %r11, %r1;
  @%p3 bra LOADS;
  ret;
ADDS:
  and.b32 %r15, %r11, 1;
WORD:
  mbarrier.test_wait.parity.shared.b64 %p2, [%r7], %r15;
  @!%p2 bra WORD;
  ld.shared.u32 %r16, [%r10];
  mad.lo.u32 %r12, %r12, 3, %r16;
  mbarrier.arrive.shared.b64 %d4, [%r8];
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p3, %r11, %r1;
  @%p3 bra ADDS;
  mad.lo.u32 %r17, %r4, %r5, %r2;
  mul.wide.u32 %d5, %r17, 4;
  add.u64 %d5, %d2, %d5;
  st.global.u32 [%d5], %r12;
  ret;
}
PTX
for adding in 3 31; do
  cat > "$tmp/rounds_$adding.launch" <<LAUNCH
ptx rounds.ptx
let n = 32 * $adding
let rounds = 4
buffer in u32 24 * rounds * 32 rand 0 1000000
buffer out u32 24 * n zero
buffer sums u32 24 * n zero
launch rounds grid 24 block n + 32 args(in, out, u32:rounds)
repeat rounds as r { fill sums expr 3 * sums[i] + in[((i / n) * rounds + r) * 32 + i % 32] }
expect out expr sums[i]
LAUNCH
done

ends() {   # name, options...
  local name=$1
  shift
  check "$name: ends" "$regtwin" run gemm_pipeline stencil_pipeline --size small --set sim.check=true --set sim.max_insns=1500000 "$@"
  check "$name: the loading warp comes in its turn" \
    "$regtwin" run "$tmp/rounds_3.launch" "$tmp/rounds_31.launch" --set sim.check=true --set sim.max_cycles=600000 "$@"
}
for machine in gtx480 gtx980 maxwell rtx2060 common; do ends "$machine" --config $machine; done
for scheduler in lrr gto two_level; do ends $scheduler --set slot.scheduler=$scheduler; done
for system in VT FineReg BL LTRF LTRF+ LTRF-strand RFC SHRF Malekeh BOW; do ends $system --system $system; done

"$regtwin" run "$tmp/rounds_31.launch" --set sim.max_cycles=1000 >"$tmp/out" 2>&1
has 'sim.max_cycles names the loop' 'rounds\.ptx:[0-9]+:[0-9]+: error: .*more than 1000 cycles \(sim\.max_cycles\); the loop that goes back from here to line' "$tmp/out"
