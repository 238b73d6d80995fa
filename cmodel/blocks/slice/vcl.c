/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vcl: value converter of one lane. docs/blocks/slice/vcl.md. Without branches, so that the warp's loop
 * becomes vector code: a subnormal is its mantissa as an integer times a power of two, which fp32 multiplies
 * exactly (no fp32 subnormal occurs: the smallest value is 2^-82).
 */
#include "blocks/slice/vcl.h"

#include <string.h>

#include "blocks/rules.h"

struct shape {
  unsigned sign, man, up;
  uint32_t inf, rebias;
  float ulp;
};

static struct shape vcl_shape_of(unsigned n) {
  const struct vcl_format f = vcl_format(n);
  BLOCK_INVARIANT(f.exp >= 3);
  const unsigned bias = (1u << (f.exp - 1)) - 1;
  const uint32_t ulp = (uint32_t)(127 + 1 - bias - f.man) << 23;
  struct shape s = {4 * n - 1, f.man, 23 - f.man, ((1u << f.exp) - 1) << f.man, (uint32_t)(127 - bias) << 23, 0};
  memcpy(&s.ulp, &ulp, sizeof ulp);
  return s;
}

static inline uint32_t vcl_convert_lane(uint32_t x, const struct shape *s) {
  const uint32_t mag = x & ((1u << s->sign) - 1), m = mag & ((1u << s->man) - 1);
  const uint32_t tiny = -(uint32_t)(mag == m), huge = -(uint32_t)(mag >= s->inf);
  const float value = (float)(int32_t)m * s->ulp;
  uint32_t y;
  memcpy(&y, &value, sizeof y);
  y = (y & tiny) | (((mag << s->up) + s->rebias) & ~tiny & ~huge) | ((0x7f800000u | m << s->up) & huge);
  return y | (x >> s->sign & 1) << 31;
}

uint32_t vcl_convert(uint32_t x, unsigned n) {
  if (n == 8) return x;
  if (!vcl_format(n).exp) return 0;
  const struct shape s = vcl_shape_of(n);
  return vcl_convert_lane(x, &s);
}

void vcl_convert_warp(uint32_t y[restrict 32], const uint32_t x[restrict 32], unsigned n) {
  if (n == 8) {
    memcpy(y, x, 32 * sizeof *y);
  } else if (!vcl_format(n).exp) {
    memset(y, 0, 32 * sizeof *y);
  } else {
    const struct shape s = vcl_shape_of(n);
    for (int l = 0; l < 32; l++) y[l] = vcl_convert_lane(x[l], &s);
  }
}

void vcl_eval(const struct vcl *s, const struct vcl_in *in, struct vcl_out *out) {
  (void)s;
  *out = (struct vcl_out){.value_o = vcl_convert((uint32_t)in->code_i, (unsigned)in->nibbles_i)};
}
