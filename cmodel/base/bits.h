/* SPDX-License-Identifier: Apache-2.0 */
/* bits: words, bit sets, hashes and random numbers. */
#ifndef RT_BASE_BITS_H
#define RT_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline int bit_low64(uint64_t x) { return __builtin_ctzll(x); } /* x != 0 */
static inline int bit_low32(uint32_t x) { return __builtin_ctz(x); }   /* x != 0 */
static inline int bit_count64(uint64_t x) { return __builtin_popcountll(x); }
static inline int bit_count32(uint32_t x) { return __builtin_popcount(x); }

static inline uint32_t u32_min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t u32_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t u64_min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t u64_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* For qsort: numbers ascending. */
static inline int u32_compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}
static inline int u64_compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* First set bit at or after `from`, wrapping; x != 0, from < 64. */
static inline int bit_from64(uint64_t x, int from) {
  uint64_t hi = x & (~0ull << from);
  return bit_low64(hi ? hi : x);
}

static inline uint64_t bit_at64(uint64_t i) { return 1ull << i; } /* i < 64 */
static inline bool bit_is64(uint64_t x, uint64_t i) { return x >> i & 1; }

/* Bit sets as arrays of words. */
static inline bool set_has(const uint64_t *s, uint32_t i) { return s[i >> 6] >> (i & 63) & 1; }
static inline void set_add(uint64_t *s, uint32_t i) { s[i >> 6] |= 1ull << (i & 63); }
static inline void set_del(uint64_t *s, uint32_t i) { s[i >> 6] &= ~(1ull << (i & 63)); }
static inline uint32_t set_words(uint32_t n) { return (n + 63) >> 6; }

/* FNV-1a over bytes, for buffer hashes and stream hashes: start from FNV_START. */
#define FNV_START 0xcbf29ce484222325ull
static inline uint64_t fnv1a(uint64_t h, const void *data, uint64_t n) {
  const unsigned char *p = data;
  for (uint64_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3ull;
  return h;
}

/* Adds a word to a hash, quicker than fnv1a. */
static inline uint64_t hash_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15ull;
  return h ^ (h >> 29);
}

/*
 * Random numbers by splitmix64 (Vigna): the same seed gives the same sequence everywhere. All of cmodel/ draws from it; the benches of
 * cosim/ draw from a xorshift128+ that is seeded by it (cosim/engine/tb.h).
 */
static inline uint64_t rng_next(uint64_t *s) {
  uint64_t z = (*s += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

#endif
