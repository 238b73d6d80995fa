/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency: how long loads from global and local memory and reads of textures took, by the furthest level that served a line of them.
 *
 * A load's latency is counted from the cycle in which the LSU first looks at it to the cycle in which its last register
 * is written: l1.latency - 3 for a hit in L1 without conflicts; of textures: from its first step. Bins hold one value up to 255, and 128 bins each octave above:
 * a value read from a bin (its least) is exact up to 255 and less than 1/128 too low above.
 */
#ifndef RT_SM_LATENCY_H
#define RT_SM_LATENCY_H

#include <stdint.h>

/* L1: hits, and misses that what backs the L1 answered (slot.l1). L2: hits there. DRAM: fetched from there, or waited
 * for a line that another request had asked for. */
enum latency_level { LATENCY_L1, LATENCY_L2, LATENCY_DRAM, LATENCY_LEVELS };
enum { LATENCY_EXACT = 256, LATENCY_OCTAVES = 16, LATENCY_BINS = LATENCY_EXACT + LATENCY_OCTAVES * 128 };

struct latency {
  uint64_t bin[LATENCY_LEVELS][LATENCY_BINS]; /* the last one also holds all that is larger */
  uint64_t sum[LATENCY_LEVELS], most[LATENCY_LEVELS];
};

static inline unsigned latency_bin(uint64_t cycles) {
  if (cycles < LATENCY_EXACT) return (unsigned)cycles;
  if (cycles >> (8 + LATENCY_OCTAVES)) return LATENCY_BINS - 1;
  unsigned octave = 31 - (unsigned)__builtin_clz((uint32_t)cycles); /* 8 or more */
  return LATENCY_EXACT + (octave - 8) * 128 + ((unsigned)(cycles >> (octave - 7)) - 128);
}

/* The least value in a bin. */
static inline uint64_t latency_least(unsigned bin) {
  if (bin < LATENCY_EXACT) return bin;
  unsigned octave = 8 + (bin - LATENCY_EXACT) / 128;
  return (uint64_t)(128 + (bin - LATENCY_EXACT) % 128) << (octave - 7);
}

static inline void latency_add(struct latency *l, unsigned level, uint64_t cycles) {
  l->bin[level][latency_bin(cycles)]++;
  l->sum[level] += cycles;
  if (cycles > l->most[level]) l->most[level] = cycles;
}

/* Adds the loads of another SM. */
static inline void latency_join(struct latency *all, const struct latency *l) {
  for (unsigned k = 0; k < LATENCY_LEVELS; k++) {
    for (unsigned b = 0; b < LATENCY_BINS; b++) all->bin[k][b] += l->bin[k][b];
    all->sum[k] += l->sum[k];
    if (l->most[k] > all->most[k]) all->most[k] = l->most[k];
  }
}

#endif
