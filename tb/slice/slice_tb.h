/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the benches of the slice blocks: legal entries, weighted floats, and an independent prediction of what
 * the blocks compute. The prediction is written from docs/blocks/slice/ and not from either twin, and by another
 * method: nibbles one at a time, values as doubles (which hold every fp32 and every midpoint of two narrow neighbours
 * exactly).
 */
#ifndef RT_TB_SLICE_H
#define RT_TB_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/words.h"
#include "tb.h"

static inline uint32_t word_any(struct tb_rng *r) { return (uint32_t)tb_bits(r, 32); }

/* ---- entries ---- */

static inline unsigned entry_r0(uint32_t e) { return e & 255; }
static inline unsigned entry_m0(uint32_t e) { return e >> 8 & 255; }
static inline unsigned entry_r1(uint32_t e) { return e >> 16 & 255; }
static inline unsigned entry_m1(uint32_t e) { return e >> 24; }
static inline unsigned mask_ones(unsigned m) { return (unsigned)__builtin_popcount(m & 255); }
static inline bool entry_is_legal(uint32_t e) {
  unsigned n = mask_ones(entry_m0(e)) + mask_ones(entry_m1(e));
  return n >= 1 && n <= 8 && entry_m0(e) && (!entry_m1(e) || entry_r0(e) != entry_r1(e));
}
static inline unsigned entry_nibbles(uint32_t e) { return mask_ones(entry_m0(e)) + mask_ones(entry_m1(e)); }

static inline uint32_t entry_pack(unsigned m1, unsigned r1, unsigned m0, unsigned r0) {
  return m1 << 24 | r1 << 16 | m0 << 8 | r0;
}

/* clang-format off */
/* Bins of operands in two parts: split_A_B has A nibbles in part 0 and B in part 1. split_number: its number after split_1_1. */
#define SPLITS(B)                                                                                         \
  B(split_1_1) B(split_1_2) B(split_1_3) B(split_1_4) B(split_1_5) B(split_1_6) B(split_1_7) B(split_2_1) \
  B(split_2_2) B(split_2_3) B(split_2_4) B(split_2_5) B(split_2_6) B(split_3_1) B(split_3_2) B(split_3_3) \
  B(split_3_4) B(split_3_5) B(split_4_1) B(split_4_2) B(split_4_3) B(split_4_4) B(split_5_1) B(split_5_2) \
  B(split_5_3) B(split_6_1) B(split_6_2) B(split_7_1)
/* clang-format on */
static inline unsigned split_number(unsigned p0, unsigned p1) {
  unsigned n = p1 - 1;
  for (unsigned i = 1; i < p0; i++) n += 8 - i;
  return n;
}

/* A register in one of `banks` banks of sit or dit, from `first` on, whose entry is loaded (not 0) if it must be; 256: none was found. */
static inline unsigned table_some_register(struct tb_rng *r, const uint32_t table[256], unsigned first, unsigned banks,
                                           bool loaded) {
  for (unsigned i = 0; i < 24; i++) {
    unsigned a = ((first + tb_below(r, banks)) & 15) | tb_below(r, 16) << 4;
    if (!loaded || table[a]) return a;
  }
  return 256;
}

static inline unsigned mask_any(struct tb_rng *r, unsigned bits) { /* 8-bit mask with that many ones */
  unsigned m = 0;
  while (mask_ones(m) < bits) {
    m |= 1u << tb_below(r, 8);
  }
  return m;
}

/* A legal entry with at least `least` nibbles; one part as often as two; few registers, so that addresses coincide. */
static inline uint32_t entry_any(struct tb_rng *r, unsigned least) {
  unsigned n = least + tb_below(r, 9 - least), p0 = n > 1 && tb_chance(r, 50) ? 1 + tb_below(r, n - 1) : n;
  unsigned spread = tb_chance(r, 30) ? 4 : 256, r0 = tb_below(r, spread), r1 = tb_below(r, spread);
  if (r1 == r0) {
    r1 ^= 1;
  }
  return entry_pack(mask_any(r, n - p0), r1, mask_any(r, p0), r0);
}

/* Slice of the k-th nibble of a mask, counted upward. */
static inline unsigned mask_pos(unsigned m, unsigned k) {
  for (unsigned s = 0; s < 8; s++) {
    if (m >> s & 1 && k-- == 0) {
      return s;
    }
  }
  return 8;
}

/* The extractor's rule, one nibble at a time. */
static inline uint32_t ref_extract(uint32_t d, uint32_t e, unsigned part, unsigned sgn) {
  unsigned m = part ? entry_m1(e) : entry_m0(e), at = part ? mask_ones(entry_m0(e)) : 0, top = 0;
  uint32_t y = 0;
  for (unsigned s = 0; s < 8; s++) {
    if (m >> s & 1) {
      y |= (d >> 4 * s & 15) << 4 * at++;
      top = d >> (4 * s + 3) & 1;
    }
  }
  bool last = part ? entry_m1(e) != 0 : entry_m1(e) == 0;
  for (; last && sgn && top && at < 8; at++) {
    y |= 15u << 4 * at;
  }
  return y;
}

static inline uint32_t ref_scatter(uint32_t x, uint32_t e, unsigned part) {
  unsigned m = part ? entry_m1(e) : entry_m0(e), at = part ? mask_ones(entry_m0(e)) : 0;
  uint32_t d = 0;
  for (unsigned s = 0; s < 8; s++) {
    if (m >> s & 1) {
      d |= (x >> 4 * at++ & 15) << 4 * s;
    }
  }
  return d;
}

/* ---- formats ---- */

static const uint8_t fmt_e[9] = {0, 0, 3, 4, 5, 5, 6, 7, 8}, fmt_m[9] = {0, 0, 4, 7, 10, 14, 17, 20, 23};

static inline double two_to(int k) { /* 2^k, exact, |k| < 1000 */
  union {
    uint64_t u;
    double d;
  } v = {.u = (uint64_t)(1023 + k) << 52};
  return v.d;
}

/* Value of a magnitude (exponent and fraction as one number); the code of infinity counts as the next power of two. */
static inline double code_value(uint32_t mag, unsigned n) {
  int m = fmt_m[n], bias = (1 << (fmt_e[n] - 1)) - 1, e = (int)(mag >> m);
  uint32_t f = mag & ((1u << m) - 1);
  return e ? (double)(f | 1u << m) * two_to(e - bias - m) : (double)f * two_to(1 - bias - m);
}

static inline uint32_t ref_widen(uint32_t x, unsigned n) {
  if (n == 8) {
    return x;
  }
  unsigned m = fmt_m[n], w = 4 * n;
  uint32_t s = x >> (w - 1) & 1, mag = x & ((1u << (w - 1)) - 1), inf = ((1u << fmt_e[n]) - 1) << m;
  if (mag >= inf) {
    return s << 31 | 255u << 23 | (mag - inf) << (23 - m);
  }
  union {
    float f;
    uint32_t u;
  } v = {.f = (float)code_value(mag, n)}; /* exact */
  return s << 31 | v.u;
}

static inline uint32_t ref_narrow(uint32_t x, unsigned n, unsigned fp) {
  uint32_t low = n == 8 ? UINT32_MAX : (1u << 4 * n) - 1;
  if (!fp || n == 8) {
    return x & low;
  }
  unsigned m = fmt_m[n];
  uint32_t s = (x >> 31) << (4 * n - 1), inf = ((1u << fmt_e[n]) - 1) << m, mag = x & INT32_MAX;
  if (mag > 255u << 23) {
    return s | inf | 1u << (m - 1) | (mag & ((1u << 23) - 1)) >> (23 - m);
  }
  if (mag == 255u << 23) {
    return s | inf;
  }
  double v = code_value(mag, 8);
  uint32_t lo = 0, hi = inf; /* value(lo) <= v; value(hi) > v, or hi = inf */
  while (hi - lo > 1) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (code_value(mid, n) <= v) {
      lo = mid;
    } else {
      hi = mid;
    }
  }
  double half = (code_value(lo, n) + code_value(hi, n)) / 2;
  return s | (v > half || (v == half && lo & 1) ? hi : lo);
}

/* ---- weighted floats ---- */

/* A code of n nibbles, each class with the same probability. */
static inline uint32_t code_any(struct tb_rng *r, unsigned n) {
  unsigned m = fmt_m[n];
  uint32_t ones = (1u << fmt_e[n]) - 1, f = word_any(r) & ((1u << m) - 1), e = word_any(r) & ones, mag;
  switch (tb_below(r, 9)) {
    case 0: mag = 0; break;
    case 1: mag = (f | 1u << (m - 1)) >> tb_below(r, m); break; /* subnormal, each number of leading zeros */
    case 2: mag = 1u << tb_below(r, m); break;
    case 3: mag = (1u << m) - tb_below(r, 2); break;       /* around the smallest normal */
    case 4: mag = (ones << m) - 1 - tb_below(r, 2); break; /* the largest finite */
    case 5: mag = ones << m; break;
    case 6: mag = ones << m | (f | 1u << (m - 1)) >> tb_below(r, m); break;
    case 7: mag = ones << m | 1u << tb_below(r, m); break; /* each single payload bit */
    default: mag = e << m | f; break;
  }
  return mag | (word_any(r) & 1) << (4 * n - 1);
}

/* An fp32 value near a rounding border of the format of n nibbles. */
static inline uint32_t float_any(struct tb_rng *r, unsigned n) {
  if (n < 2 || n > 7 || tb_chance(r, 6)) {
    return tb_chance(r, 50) ? word_any(r) : code_any(r, 8);
  }
  unsigned m = fmt_m[n];
  int bias = (1 << (fmt_e[n] - 1)) - 1, low = 127 - bias + 1; /* fp32 exponent of the smallest normal */
  uint32_t s = word_any(r) & 1u << 31, f = word_any(r) & 0x7fffff, e;
  unsigned cut = 23 - m; /* bits that are dropped */
  switch (tb_below(r, 10)) {
    case 0: return s | code_any(r, 8);
    case 1: return s | ref_widen(code_any(r, n), n);                    /* exact */
    case 2: e = (uint32_t)(low + bias * 2 - 1) + tb_below(r, 3); break; /* largest binade and above */
    case 3:
    case 4: { /* below the smallest normal, to sh = 26 */
      unsigned down = 1 + tb_below(r, m + 2);
      e = (uint32_t)(low - (int)down);
      cut += down;
      break;
    }
    case 5: e = (uint32_t)low - tb_below(r, 2); break;
    default: e = (uint32_t)low + tb_below(r, (unsigned)(2 * bias)); break;
  }
  if (cut > 23) {
    cut = 23;
  }
  uint32_t keep = f & ~((1u << cut) - 1), tie = 1u << (cut - 1);
  switch (tb_below(r, 8)) {
    case 0: f = keep | tie; break;
    case 1: f = keep | (tie - 1); break;
    case 2: f = (keep | tie) + 1; break;
    case 3: f = 0x7fffff; break; /* carry through the whole fraction */
    case 4: f = (0x7fffff & ~((1u << cut) - 1)) | (tb_chance(r, 50) ? tie : tie - 1); break;
    case 5: f = keep; break;
    case 6: f = tb_chance(r, 50) ? 0 : 1u << tb_below(r, 23); break;
    default: break;
  }
  return s | e << 23 | (f & 0x7fffff);
}

#endif
