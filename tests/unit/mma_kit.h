/* SPDX-License-Identifier: Apache-2.0 */
/* mma_kit: for the tests that hold tensor instructions to reference/mma.c: random elements, and kernels of one warp per CTA. */
#ifndef RT_TESTS_MMA_KIT_H
#define RT_TESTS_MMA_KIT_H

#include <fenv.h>
#include <math.h>

#include "base/bits.h"
#include "reference/mma.h"
#include "unit/device_kit.h"

enum { MMA_SEED = 5 };
static uint64_t mma_seed = MMA_SEED;
static inline uint64_t draw_bits(void) { return rng_next(&mma_seed); }
static inline unsigned draw(unsigned n) { return (unsigned)(draw_bits() >> 33) % n; }

/* ---- elements ---- */

/* Whole numbers of which every product and sum is exact, in whatever order it is made; and integers of the full range. */
static inline int64_t draw_whole(const struct mref_form *f, enum mref_part p) {
  const enum mref_type sum = f->type[MREF_D];
  if (f->type[p] == M_S32) return (int64_t)draw(2000001) - 1000000;
  if (sum == M_S32) return (int64_t)draw(256);
  const int most = sum == M_F64 ? 1 << 20 : p >= MREF_C || f->type[MREF_C] == M_F16 || sum == M_F16 ? 7 : 127;
  return (int64_t)draw((unsigned)(2 * most + 1)) - most;
}

struct float_shape {
  unsigned exponent, fraction, ignored; /* bits of each; `ignored` at the end, of tf32 */
};
static inline struct float_shape float_shape(enum mref_type t) {
  switch (t) {
    case M_F16: return (struct float_shape){5, 10, 0};
    case M_BF16: return (struct float_shape){8, 7, 0};
    case M_TF32: return (struct float_shape){8, 10, 13};
    case M_F32: return (struct float_shape){8, 23, 0};
    default: return (struct float_shape){11, 52, 0};
  }
}

/* Where a matrix's magnitudes are: products and sums around 1, at the bottom of D's range, at its top; few that are not zero. */
enum magnitude { AROUND_ONE, SUBNORMAL, OVERFLOWING, SPARSE, MAGNITUDES };

/* The bits of an element for the rule of sums: any fraction; some zeros, subnormals, infinities and NaNs. */
static inline uint64_t draw_float(const struct mref_form *f, enum mref_part p, enum magnitude at) {
  const struct float_shape s = float_shape(f->type[p]), d = float_shape(f->type[MREF_D]);
  const unsigned bits = s.fraction + s.ignored;
  const int bias = (1 << (s.exponent - 1)) - 1, top = (1 << (d.exponent - 1)) - 1;
  const uint64_t any = draw_bits(), sign = (any >> 63) << (bits + s.exponent);
  const uint64_t fraction = any & ((1ull << bits) - 1);
  int exponent = (int)draw(9) - 4;
  if (at == SUBNORMAL) exponent -= p >= MREF_C ? top - 1 : top / 2 + 3;
  if (at == OVERFLOWING) exponent += p >= MREF_C ? top - 4 : top / 2 - 2;
  if (at == SPARSE ? draw(8) : !draw(40)) return sign;
  if (exponent <= -bias || !draw(40)) return sign | fraction; /* subnormal */
  if (!draw(p >= MREF_C ? 40 : 600)) return sign | (uint64_t)(2 * bias + 1) << bits | (draw(2) ? fraction : 0);
  if (exponent > bias) exponent = bias;
  return sign | (uint64_t)(exponent + bias) << bits | fraction;
}
static inline uint64_t draw_element(const struct mref_form *f, enum mref_part p, enum magnitude at) {
  const enum mref_type t = f->type[p];
  if (f->type[MREF_D] != M_S32) return draw_float(f, p, at);
  if (t == M_S32 && draw(2))
    return (uint32_t)(draw(2) ? INT32_MAX - (int32_t)draw(500) : INT32_MIN + (int32_t)draw(500));
  return draw_bits() >> (64 - mref_bits(t));
}
static inline void draw_matrix(const struct mref_form *f, enum mref_part p, enum magnitude at, uint64_t *m) {
  for (unsigned e = 0; e < mref_rows(f, p) * mref_columns(f, p); e++) m[e] = draw_element(f, p, at);
}

/* ---- PTX ---- */

#define MMA_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static inline const char *rounding_name(const struct mref_form *f) {
  if (f->type[MREF_D] != M_F64) return "";
  return f->round == FE_TONEAREST ? ".rn" : f->round == FE_TOWARDZERO ? ".rz" : f->round == FE_UPWARD ? ".rp" : ".rm";
}
/* The type of the registers that hold a part's fragments. */
static inline const char *register_type(enum mref_type t) { return t == M_F32 ? "f32" : t == M_F64 ? "f64" : "b32"; }

static inline void print_registers(FILE *f, char name, unsigned n) {
  fprintf(f, "{");
  for (unsigned r = 0; r < n; r++) fprintf(f, "%s%%%c%u", r ? ", " : "", name, r);
  fprintf(f, "}");
}

#endif
