/* SPDX-License-Identifier: Apache-2.0 */
/* kit: what the tests of the slice blocks share: cmocka and random warps. */
#ifndef RT_TEST_SLICE_KIT_H
#define RT_TEST_SLICE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bits.h"
#include "blocks/slice/entry.h"

static inline uint32_t rng32(uint64_t *s) { return (uint32_t)(rng_next(s) >> 32); }
static inline void random_warp(uint64_t *s, uint32_t w[32]) {
  for (int l = 0; l < 32; l++) w[l] = rng32(s);
}
/* A legal entry of n nibbles in registers r0 and r1, some in each or all in r0. */
static inline uint32_t random_entry(uint64_t *s, unsigned r0, unsigned r1, unsigned n) {
  const unsigned n0 = 1 + rng32(s) % n;
  unsigned m0 = 0, m1 = 0;
  while (bit_count32(m0) < (int)n0) m0 |= 1u << (rng32(s) & 7);
  while (bit_count32(m1) < (int)(n - n0)) m1 |= 1u << (rng32(s) & 7);
  return entry_make(r0, m0, r1, m1);
}

#endif
