/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_kit: running one instruction of the alu on given rows, and operands worth trying. For the alu's tests.
 */
#ifndef RT_TESTS_ALU_KIT_H
#define RT_TESTS_ALU_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "exec/alu.h"

struct lane_run {
  struct insn i;
  struct alu_io io;
  _Alignas(64) uint32_t src[INSN_SRC][64], dst[INSN_DST][64];
};

/* An instruction with nsrc register sources and one destination; operands of 64-bit types are pairs. */
static inline struct lane_run lane_insn(enum opcode op, enum dtype type, uint32_t mods, enum rounding rnd,
                                        unsigned nsrc) {
  struct lane_run r;
  memset(&r, 0, sizeof r);
  r.i.op = (uint8_t)op;
  r.i.type = (uint8_t)type;
  r.i.mods = mods;
  r.i.rnd = (uint8_t)rnd;
  r.i.nsrc = (uint8_t)nsrc;
  r.i.ndst = 1;
  r.i.vec = 1;
  const bool wide = dtype_bytes(type) == 8 || (mods & M_WIDE && dtype_bytes(type) == 4);
  for (unsigned k = 0; k < nsrc; k++) r.i.src[k] = (struct opnd){.kind = O_REG, .words = 2};
  for (unsigned k = 0; k < INSN_DST; k++) r.i.dst[k] = (struct opnd){.kind = O_REG, .words = wide ? 2 : 1};
  r.io.lanes = ~0u;
  return r;
}

/* False: the alu refuses the instruction. */
static inline bool lane_go(struct lane_run *r) {
  alu_fn *f = alu_pick(&r->i);
  if (!f) return false;
  for (unsigned k = 0; k < INSN_SRC; k++) r->io.src[k] = r->src[k];
  for (unsigned k = 0; k < INSN_DST; k++) r->io.dst[k] = r->dst[k];
  f(&r->i, &r->io);
  return true;
}

static inline void lane_put(struct lane_run *r, unsigned k, unsigned lane, uint64_t v) {
  r->src[k][lane] = (uint32_t)v;
  r->src[k][32 + lane] = (uint32_t)(v >> 32);
}
static inline uint64_t lane_get(const struct lane_run *r, unsigned k, unsigned lane) {
  return r->dst[k][lane] | (uint64_t)r->dst[k][32 + lane] << 32;
}

/* Bits of a type that catch errors: ends of ranges, powers of two and their neighbours, NaNs, subnormals,
 * small numbers. */
static inline uint64_t lane_value(uint64_t *seed, unsigned bits) {
  static const uint64_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                 0x7fc00000, 0xffc12345, 0x7f800001, 1,          0x807fffff, 0x00800000,
                                 0x7f7fffff, 0x3f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000,
                                 0x33000001, 0x477fefff, 0x477ff000, 0x38800000, 0x33800000};
  static const uint64_t f64[] = {0,
                                 1ull << 63,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0xfff8000000012345,
                                 0x7ff0000000000001,
                                 1,
                                 0x800fffffffffffff,
                                 0x0010000000000000,
                                 0x7fefffffffffffff,
                                 0x3fefffffffffffff,
                                 0x47efffffefffffff,
                                 0x47effffff0000000,
                                 0x36a0000000000000,
                                 0x41dfffffffc00000};
  static const uint64_t h16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 1,      0x83ff,
                                 0x0400, 0x7bff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x7f7f, 0x7fff};
  const uint64_t r = rng_next(seed), pick = rng_next(seed);
  const unsigned at = (unsigned)(pick >> 32);
  uint64_t v;
  switch (pick & 7) {
    case 0: v = r; break;
    case 1: v = bits == 64 ? f64[at % (sizeof f64 / 8)] : bits == 32 ? f32[at % (sizeof f32 / 8)] : h16[at % 20]; break;
    case 2: v = r % 71; break;
    case 3: v = 0 - r % 71; break;
    case 4: v = (1ull << at % 64) - 1 + r % 3; break;
    case 5: /* a float of moderate size */
      v = bits == 64   ? ((r & 0x800fffffffffffff) | (1023 - 32 + (uint64_t)at % 64) << 52)
          : bits == 32 ? ((r & 0x807fffff) | (127 - 16 + (uint64_t)at % 32) << 23)
                       : ((r & 0x83ff83ff83ff83ff) | 0x3000300030003000);
      break;
    case 6: /* few significant bits */
      v = bits == 64 ? r & 0xfffffff000000000 : bits == 32 ? r & 0xfff80000 : r & 0xffc0ffc0ffc0ffc0;
      break;
    default: v = r >> at % 64; break;
  }
  return bits == 64 ? v : bits == 32 ? v & 0xffffffff : v & 0xffff;
}

#endif
