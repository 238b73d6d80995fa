/* SPDX-License-Identifier: Apache-2.0 */
/* words: ports wider than 64 bits are uint32_t[], word 0 the lowest bits; fields of any width at any bit. */
#ifndef RT_BLOCKS_WORDS_H
#define RT_BLOCKS_WORDS_H

#include <stdint.h>

#define RT_WORDS(width) (((width) + 31) / 32)
/* $clog2 of an integer constant of 1 to 2^20 */
#define RT_CLOG2(n)                                                                                                   \
  (((n) > 1) + ((n) > 2) + ((n) > 4) + ((n) > 8) + ((n) > 16) + ((n) > 32) + ((n) > 64) + ((n) > 128) + ((n) > 256) + \
   ((n) > 512) + ((n) > 1024) + ((n) > 2048) + ((n) > 4096) + ((n) > 8192) + ((n) > 16384) + ((n) > 32768) +          \
   ((n) > 65536) + ((n) > 131072) + ((n) > 262144) + ((n) > 524288))

/* Bits [at, at + n) of w, n <= 64, all within the port. */
static inline uint64_t words_get(const uint32_t *w, unsigned at, unsigned n) {
  uint64_t v = 0;
  for (unsigned got = 0; got < n;) {
    unsigned bit = (at + got) & 31, take = 32 - bit < n - got ? 32 - bit : n - got;
    v |= (uint64_t)(w[(at + got) >> 5] >> bit & (uint32_t)((1ull << take) - 1)) << got;
    got += take;
  }
  return v;
}

static inline void words_set(uint32_t *w, unsigned at, unsigned n, uint64_t v) {
  for (unsigned put = 0; put < n;) {
    unsigned bit = (at + put) & 31, take = 32 - bit < n - put ? 32 - bit : n - put;
    uint32_t mask = (uint32_t)((1ull << take) - 1) << bit;
    uint32_t *word = &w[(at + put) >> 5];
    *word = (*word & ~mask) | ((uint32_t)(v >> put) << bit & mask);
    put += take;
  }
}

/* Copies n bits from src at bit `from` to dst at bit `to` (they do not overlap). */
static inline void words_copy(uint32_t *dst, unsigned to, const uint32_t *src, unsigned from, unsigned n) {
  while (n) {
    unsigned k = n < 32 ? n : 32;
    words_set(dst, to, k, words_get(src, from, k));
    to += k, from += k, n -= k;
  }
}

#endif
