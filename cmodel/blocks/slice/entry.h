/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry: the indirection entry e = {m1[8], r1[8], m0[8], r0[8]} that the slice blocks share
 * (docs/blocks/slice/overview.md, Terms used on all pages). The operand has popcount(m0) + popcount(m1) nibbles; the
 * low ones lie in the set slices of m0 of register r0, in ascending order, the others in m1 of r1. Moves between a
 * register's slices and the operand's nibbles go by runs: adjacent slices hold adjacent nibbles, so a mask is at most
 * four shifts, whatever the number of lanes.
 */
#ifndef RT_BLOCKS_SLICE_ENTRY_H
#define RT_BLOCKS_SLICE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

enum { SLICE_LANES = 32, SLICE_NIBBLES = 8 };

static inline uint32_t entry_make(unsigned r0, unsigned m0, unsigned r1, unsigned m1) {
  return (uint32_t)(m1 & 0xff) << 24 | (r1 & 0xff) << 16 | (m0 & 0xff) << 8 | (r0 & 0xff);
}
static inline unsigned entry_r(uint32_t e, bool part) { return e >> (part ? 16 : 0) & 0xff; }
static inline unsigned entry_m(uint32_t e, bool part) { return e >> (part ? 24 : 8) & 0xff; }
/* Nibbles of the operand. */
static inline unsigned entry_n(uint32_t e) { return (unsigned)__builtin_popcount(e & 0xff00ff00u); }
/* True if the entry may be loaded into a table. */
static inline bool entry_legal(uint32_t e) {
  return entry_m(e, false) && entry_n(e) <= SLICE_NIBBLES &&
         (!entry_m(e, true) || entry_r(e, false) != entry_r(e, true));
}

/* The tables sit and dit have an entry for each architectural register: register a lies in bank a[3:0], row a[7:4]. */
enum { TABLE_BANKS = 16, TABLE_ROWS = 16 };
static inline unsigned table_bank_of(uint64_t a) { return a % TABLE_BANKS; }
/* The requester, of n, that has priority in a bank after a grant of q. */
static inline uint8_t table_next_pointer(unsigned q, unsigned n) { return (uint8_t)(q + 1 == n ? 0 : q + 1); }

/* The payload of a result, {fp, warp[6], active[32], data[1024]}: words 0 to 31 are the data of the lanes. */
enum { PAYLOAD_BITS = 1063, PAYLOAD_WORDS = 34 };
static inline uint32_t payload_lanes(const uint32_t p[PAYLOAD_WORDS]) { return p[32]; }
static inline unsigned payload_warp(const uint32_t p[PAYLOAD_WORDS]) { return p[33] & 0x3f; }
static inline bool payload_float(const uint32_t p[PAYLOAD_WORDS]) { return p[33] >> 6 & 1; }
/* All but the data. The warp is taken modulo 64. */
static inline void payload_set(uint32_t p[PAYLOAD_WORDS], uint32_t lanes, unsigned warp, bool fp) {
  p[32] = lanes;
  p[33] = (warp & 0x3f) | (uint32_t)fp << 6;
}

struct slice_run {
  uint32_t mask;    /* as many low bits as are moved */
  uint8_t reg, val; /* the lowest of them: bit in the register, bit in the operand */
};
struct slice_runs {
  unsigned n;
  struct slice_run run[4];
};

/* The runs of one part. Nibbles from the eighth on (only an illegal entry has them) do not exist. */
static inline struct slice_runs slice_runs(uint32_t e, bool part) {
  struct slice_runs r = {0};
  unsigned m = entry_m(e, part), val = part ? 4 * (unsigned)__builtin_popcount(entry_m(e, false)) : 0;
  while (m && val < 32) {
    const unsigned low = (unsigned)__builtin_ctz(m), len = (unsigned)__builtin_ctz(~(m >> low));
    r.run[r.n++] = (struct slice_run){(uint32_t)((1ull << 4 * len) - 1), (uint8_t)(4 * low), (uint8_t)val};
    m &= m + (1u << low);
    val += 4 * len;
  }
  return r;
}

/*
 * One lane: from the slices of the register to the nibbles of the operand, or the other way (scatter). n: 4,
 * or as many as there are; runs that are not there move nothing.
 */
static inline uint32_t slice_move(uint32_t x, const struct slice_run *run, unsigned n, bool scatter) {
  uint32_t y = 0;
  for (unsigned i = 0; i < n; i++) {
    const unsigned from = scatter ? run[i].val : run[i].reg, to = scatter ? run[i].reg : run[i].val;
    y |= (x >> from & run[i].mask) << to;
  }
  return y;
}

/* All lanes, in one pass; a constant number of runs makes it vector code. y and x do not overlap. */
static inline void slice_move_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32],
                                   const struct slice_runs *runs, bool scatter) {
  const struct slice_runs r = *runs;
  switch (r.n) {
    case 1:
      for (int l = 0; l < SLICE_LANES; l++) y[l] = slice_move(x[l], r.run, 1, scatter);
      break;
    case 2:
      for (int l = 0; l < SLICE_LANES; l++) y[l] = slice_move(x[l], r.run, 2, scatter);
      break;
    default:
      for (int l = 0; l < SLICE_LANES; l++) y[l] = slice_move(x[l], r.run, 4, scatter);
  }
}

#endif
