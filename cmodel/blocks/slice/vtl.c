/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vtl: value truncator of one lane. docs/blocks/slice/vtl.md, step 1. Without branches, so that the warp's
 * loop becomes vector code. Exponent and mantissa are rounded as one number: a carry out of the mantissa
 * increments the exponent, and out of the largest finite code makes infinity. An fp32 subnormal is shifted
 * out like every other value too small.
 */
#include "blocks/slice/vtl.h"

#include <string.h>

#include "blocks/rules.h"
#include "blocks/slice/vcl.h"

struct shape {
  unsigned sign, drop;
  int bias;
  uint32_t inf, quiet, rebias;
};

static struct shape vtl_shape_of(unsigned n) {
  const struct vcl_format f = vcl_format(n);
  BLOCK_INVARIANT(f.exp >= 3);
  const int bias = (1 << (f.exp - 1)) - 1;
  return (struct shape){
      4 * n - 1, 23 - f.man, bias, ((1u << f.exp) - 1) << f.man, 1u << (f.man - 1), (uint32_t)(127 - bias) << 23};
}

/* v / 2^k to nearest even; 1 <= k, no overflow. */
static inline uint32_t vtl_round_even(uint32_t v, uint32_t k) {
  return (v + ((1u << (k - 1)) - 1) + (v >> k & 1)) >> k;
}

static inline uint32_t vtl_truncate_float(uint32_t x, const struct shape *s) {
  const uint32_t mag = x & 0x7fffffffu, f = x & 0x7fffffu;
  const int32_t e = (int32_t)(mag >> 23) - 127 + s->bias;
  int32_t sh = (int32_t)s->drop + 1 - e; /* by which a subnormal result loses more; 25 loses all 24 bits */
  sh = sh > 25 ? 25 : sh;
  sh = sh < 1 ? 1 : sh;
  const uint32_t small = vtl_round_even(f | 0x800000u, (uint32_t)sh);
  uint32_t q = vtl_round_even(mag - (e >= 1 ? s->rebias : mag), s->drop);
  q = e >= 1 ? q : small;
  q = q > s->inf ? s->inf : q;
  q = mag > 0x7f800000u ? s->inf | s->quiet | f >> s->drop : q;
  return q | x >> 31 << s->sign;
}

uint32_t vtl_truncate(uint32_t x, unsigned n, bool fp) {
  if (!fp || n >= 8) return x & vtl_low_bits(n);
  if (n < 2) return 0;
  const struct shape s = vtl_shape_of(n);
  return vtl_truncate_float(x, &s);
}

void vtl_truncate_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], unsigned n, bool fp) {
  if (!fp || n >= 8) {
    const uint32_t mask = vtl_low_bits(n);
    for (int l = 0; l < 32; l++) y[l] = x[l] & mask;
  } else if (n < 2) {
    memset(y, 0, 32 * sizeof *y);
  } else {
    const struct shape s = vtl_shape_of(n);
    for (int l = 0; l < 32; l++) y[l] = vtl_truncate_float(x[l], &s);
  }
}

void vtl_eval(const struct vtl *s, const struct vtl_in *in, struct vtl_out *out) {
  (void)s;
  *out = (struct vtl_out){.code_o = vtl_truncate((uint32_t)in->value_i, (unsigned)in->nibbles_i, in->float_i)};
}
