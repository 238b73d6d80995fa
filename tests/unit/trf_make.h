/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_make: for the unit test and the fuzzer of traces: a kernel with every kind of instruction that a trace treats
 * differently, and streams of it, drawn from a seed.
 */
#ifndef TESTS_TRF_MAKE_H
#define TESTS_TRF_MAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/trf/trf_write.h"

enum { MAKE_INSNS = 19, MAKE_STEPS = 4096 };

/* Near bits of the kernel's instructions: the first source, then both, then a destination. */
static const uint16_t make_near[MAKE_INSNS] = {0x101, 0x1, 0x3, 0x100, 0x2};

static struct opnd make_reg(uint32_t r) { return (struct opnd){.kind = O_REG, .words = 1, .reg = r}; }

/* 0 to 16: kinds of instructions; 17: a guarded branch back to 0; 18: exit. */
static void make_code(struct code *c, struct insn *i) {
  const struct opnd guard = {.kind = O_PRED, .reg = 1};
  memset(i, 0, MAKE_INSNS * sizeof *i);
  for (unsigned k = 0; k < MAKE_INSNS; k++) {
    i[k].type = T_U32;
    i[k].line = k + 1;
  }
  i[0] = (struct insn){.op = OP_ADD, .type = T_U32, .ndst = 1, .nsrc = 2, .dst = {make_reg(1)}};
  i[0].src[0] = i[0].src[1] = make_reg(2);
  i[1] = (struct insn){.op = OP_LD, .type = T_U32, .space = SP_GLOBAL, .ndst = 1, .nsrc = 1, .dst = {make_reg(3)}};
  i[2] = (struct insn){.op = OP_ST, .type = T_F32, .space = SP_LOCAL, .nsrc = 2};
  i[3] = (struct insn){.op = OP_LD, .type = T_U64, .space = SP_GENERIC, .ndst = 1, .nsrc = 1};
  i[3].dst[0] = (struct opnd){.kind = O_REG, .words = 2, .reg = 4};
  i[4] = (struct insn){.op = OP_ATOM, .type = T_U32, .space = SP_GLOBAL, .nsrc = 2};
  i[5] = (struct insn){.op = OP_ATOM, .type = T_U32, .space = SP_GLOBAL, .ndst = 1, .nsrc = 2, .dst = {make_reg(6)}};
  i[6] = (struct insn){.op = OP_BAR, .sub = BAR_SYNC, .nsrc = 1};
  i[7] = (struct insn){.op = OP_BAR, .sub = BAR_SYNC, .nsrc = 2};
  i[8] = (struct insn){.op = OP_CPASYNC, .sub = ASYNC_COPY, .nsrc = 2, .vec = 4};
  i[9] = (struct insn){.op = OP_LDMATRIX, .type = T_B16, .space = SP_SHARED, .ndst = 2, .nsrc = 1};
  i[9].dst[0] = make_reg(7), i[9].dst[1] = make_reg(8);
  i[10] = (struct insn){.op = OP_LD, .type = T_U32, .space = SP_SHARED, .ndst = 1, .nsrc = 1, .dst = {make_reg(9)}};
  i[11] = (struct insn){.op = OP_MUL, .type = T_F32, .ndst = 1, .nsrc = 2, .dst = {make_reg(10)}, .guard = guard};
  i[11].src[0] = i[11].src[1] = make_reg(3);
  i[12] = (struct insn){.op = OP_ST, .type = T_U32, .space = SP_GLOBAL, .vec = 2, .nsrc = 3, .guard = guard};
  i[13] = (struct insn){.op = OP_SETP, .type = T_U32, .ndst = 1, .nsrc = 2};
  i[13].dst[0] = guard;
  i[14] = (struct insn){.op = OP_MBARRIER, .type = T_B64, .sub = MBAR_ARRIVE, .ndst = 1, .nsrc = 2, .guard = guard};
  i[14].dst[0] = (struct opnd){.kind = O_REG, .words = 2, .reg = 12};
  i[14].src[0] = i[14].src[1] = make_reg(1);
  i[15] = (struct insn){
      .op = OP_TEX, .type = T_F32, .stype = T_F32, .sub = GEOM_2D, .tex = TEX_OFFSET, .vec = 1, .nsrc = 4};
  i[16] = (struct insn){.op = OP_SUST, .type = T_B64, .sub = GEOM_1D, .vec = 1, .nsrc = 3, .guard = guard};
  for (unsigned k = 15; k < 17; k++)
    for (unsigned s = 0; s < i[k].nsrc; s++) i[k].src[s] = make_reg(s + 1);
  i[17] = (struct insn){.op = OP_BRA, .target = 0, .guard = guard};
  i[18] = (struct insn){.op = OP_EXIT};
  for (unsigned k = 1; k < 13; k++)
    for (unsigned s = 0; s < i[k].nsrc; s++)
      if (i[k].src[s].kind == O_NONE) i[k].src[s] = make_reg(s + 1);
  i[13].src[0] = make_reg(1);
  i[13].src[1] = make_reg(2);
  for (unsigned k = 0; k < MAKE_INSNS; k++) i[k].line = k + 1;
  *c = (struct code){
      .name = "kinds", .file = "kinds.ptx", .insn = i, .n = MAKE_INSNS, .nreg = 16, .npred = 2, .local_bytes = 32};
}

/* One instruction of a warp as it was given to the writer. */
struct made {
  struct warp_inst inst;
  uint32_t addr[8][32], to[32], val[4][32]; /* addr: of an access to texels all rows */
  bool access, copy;
};
struct made_warp {
  struct made *step;
  uint32_t n;
};

static uint32_t make_below(uint64_t *seed, uint32_t most) { return (uint32_t)(rng_next(seed) % most); }

/* Addresses of one of several kinds: a stride, random ones, the same list as before. */
static void make_row(uint64_t *seed, uint32_t *row, uint32_t mask, uint32_t top, uint32_t width) {
  const uint32_t units = top / width, kind = make_below(seed, 5);
  uint32_t base = make_below(seed, units), stride = kind == 1 ? make_below(seed, 9) : 1;
  const unsigned first = (unsigned)bit_low32(mask);
  for (unsigned l = 0; l < 32; l++) {
    uint32_t at = kind <= 1   ? base + stride * l
                  : kind == 2 ? base
                  : kind == 3 ? make_below(seed, units)
                              : base + (l * 7 & 31);
    row[l] = at % units * width;
  }
  for (unsigned l = 0; l < 32; l++)
    if (!(mask >> l & 1)) row[l] = row[first];
}

static bool make_is_tex(const struct insn *i) { return i->op == OP_TEX || i->op == OP_SUST; }

static void make_texels(uint64_t *seed, const struct insn *i, struct made *m) {
  const unsigned log2_bytes = i->op == OP_TEX ? make_below(seed, 5) : 3,
                 rows = i->op == OP_TEX ? 1u << make_below(seed, 4) : 1;
  m->inst.flags |= SP_TEX << 4;
  m->access = make_below(seed, 6) != 0;
  if (!m->access) return; /* all of it outside of the image */
  m->inst.mem = tex_mem(1, rows, log2_bytes, rows > 1);
  for (unsigned k = 0; k < rows; k++) make_row(seed, m->addr[k], m->inst.lanes, 1 << 24, 1u << log2_bytes);
}

static void make_access(uint64_t *seed, const struct insn *i, struct made *m, uint32_t shared) {
  if (make_is_tex(i)) {
    make_texels(seed, i, m);
    return;
  }
  uint32_t width = i->op == OP_LDMATRIX  ? 16
                   : i->op == OP_CPASYNC ? 4
                                         : dtype_bytes((enum dtype)i->type) * (i->vec ? i->vec : 1);
  enum space sp = i->op == OP_CPASYNC ? SP_GLOBAL : (enum space)i->space;
  if (i->op == OP_MBARRIER) sp = SP_SHARED;
  const bool generic = sp == SP_GENERIC;
  if (generic) sp = make_below(seed, 2) ? SP_GLOBAL : SP_SHARED;
  const uint32_t mask = i->op == OP_LDMATRIX ? m->inst.lanes >> (32 - 8 * i->ndst) : m->inst.lanes;
  m->access = true;
  m->inst.mem = 1;
  if (i->op == OP_CPASYNC) {
    m->copy = make_below(seed, 4) != 0;
    make_row(seed, m->to, mask, shared, width);
    if (!m->copy) {
      memcpy(m->addr[0], m->to, sizeof m->addr[0]);
      m->inst.flags |= SP_SHARED << 4;
      return;
    }
  }
  m->inst.flags |= (uint8_t)(sp << 4);
  make_row(seed, m->addr[0], mask, sp == SP_SHARED ? shared : sp == SP_LOCAL ? 8 * 128 : 1 << 24, width);
}

/* The stream of one warp with `lanes` threads; rounds: how often it branches back at most. */
static struct made_warp make_warp(uint64_t *seed, const struct code *c, uint32_t threads, uint32_t warps,
                                  uint32_t shared, uint32_t rounds, bool values) {
  struct made_warp w = {xcalloc((rounds + 1) * MAKE_INSNS + 64, sizeof *w.step), 0};
  uint32_t active = threads, op = 0;
  for (;;) {
    struct made *m = &w.step[w.n++];
    const struct insn *i = &c->insn[op];
    const bool whole = i->op == OP_LDMATRIX;
    m->inst = (struct warp_inst){.op = op, .active = active, .lanes = active, .seq = w.n - 1};
    if (i->guard.kind == O_PRED && i->op != OP_BRA)
      m->inst.lanes = active & (uint32_t)rng_next(seed) & (uint32_t)rng_next(seed);
    if (whole && active != UINT32_MAX) { /* only whole warps execute it */
      w.n--;
      op++;
      continue;
    }
    const bool access = i->op == OP_LD || i->op == OP_ST || i->op == OP_ATOM || whole || i->op == OP_CPASYNC ||
                        i->op == OP_MBARRIER || make_is_tex(i);
    if (access && m->inst.lanes) make_access(seed, i, m, shared);
    if (i->op == OP_BAR)
      m->inst.mem = make_below(seed, 16) | (i->nsrc == 2 ? (1 + make_below(seed, warps)) * 32 << 16 : 0);
    for (unsigned k = 0; values && k < 4; k++) make_row(seed, m->val[k], UINT32_MAX, 1u << 31, 1);
    if (i->op == OP_EXIT) break;
    if (i->op == OP_BRA) {
      const bool back = rounds && rounds--;
      m->inst.lanes = back ? active : 0;
      if (back && make_below(seed, 3) == 0 && active & (active - 1))
        active = threads & ((uint32_t)rng_next(seed) | threads >> 1);
      if (!active) active = threads;
      op = back ? 0 : op + 1;
      if (!back) active = threads;
      continue;
    }
    op++;
  }
  return w;
}

static void make_add(struct trf_rec *r, unsigned warp, const struct made *m) {
  trf_add(r, warp, &m->inst, m->access ? m->addr[0] : NULL, m->copy ? m->to : NULL, (const uint32_t(*)[32])m->val);
}

#endif
