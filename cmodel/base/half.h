/* SPDX-License-Identifier: Apache-2.0 */
/* half: IEEE binary16 and double, for the host's side. A NaN becomes 0x7fff. */
#ifndef RT_BASE_HALF_H
#define RT_BASE_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double half_to_double(uint16_t h) {
  unsigned exp = h >> 10 & 31, man = h & 1023;
  double d;
  if (exp == 31) d = man ? (double)NAN : (double)INFINITY;
  else if (exp == 0) d = (double)man * 0x1p-24;
  else {
    uint64_t bits = (uint64_t)(exp + 1023 - 15) << 52 | (uint64_t)man << 42;
    memcpy(&d, &bits, 8);
  }
  return h >> 15 ? -d : d;
}

/* x rounded to the nearest integer, ties to even; 0 <= x < 2^51. */
static inline double double_round_even(double x) {
  volatile double big = x + 0x1p52;
  return big - 0x1p52;
}

static inline uint16_t half_from_double(double d) {
  uint64_t bits;
  memcpy(&bits, &d, 8);
  uint16_t sign = (uint16_t)(bits >> 63 << 15);
  if (d != d) return 0x7fff;
  double a = d < 0 ? -d : d;
  if (a >= 65520.0) return sign | 0x7c00;
  if (a < 0x1p-14) return sign | (uint16_t)double_round_even(a * 0x1p24); /* 1024 is the smallest normal number */
  int exp = (int)(bits >> 52 & 2047) - 1023;
  uint64_t scale_bits = (uint64_t)(1023 + 10 - exp) << 52;
  double scale;
  memcpy(&scale, &scale_bits, 8);
  unsigned man = (unsigned)double_round_even(a * scale); /* 1024..2048 */
  return sign | (uint16_t)(((unsigned)(exp + 15) << 10) + (man - 1024));
}

#endif
