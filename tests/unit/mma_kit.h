/* SPDX-License-Identifier: Apache-2.0 */
/* mma_kit: for the tests that hold tensor instructions to unit/reference/mma.c: random elements, and kernels of one warp per CTA. */
#ifndef RT_TESTS_MMA_KIT_H
#define RT_TESTS_MMA_KIT_H

#include <fenv.h>
#include <math.h>

#include "base/bits.h"
#include "unit/reference/mma.h"
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
/* The four matrices of a product: small numbers, drawn as such and multiplied as such, which the reference only encodes. */
static inline void draw_whole_product(const struct mref_form *x, uint64_t *const m[MREF_PARTS]) {
  static int64_t value[3][MREF_ELEMENTS];
  for (unsigned p = MREF_A; p <= MREF_C; p++)
    for (unsigned e = 0; e < mref_rows(x, p) * mref_columns(x, p); e++) {
      const enum mref_type t = x->type[p];
      int64_t v = draw_whole(x, p);
      m[p][e] = mref_encode(t, v);
      if (t == M_S8) v = (int8_t)v;
      if (t == M_S4) v = (v & 15) - 2 * (v & 8);
      if (t == M_U4) v &= 15;
      if (t == M_B1) v &= 1;
      value[p][e] = v;
    }
  for (unsigned i = 0; i < x->m; i++)
    for (unsigned j = 0; j < x->n; j++) {
      int64_t sum = value[MREF_C][i * x->n + j];
      for (unsigned k = 0; k < x->k; k++) {
        const int64_t a = value[MREF_A][i * x->k + k], b = value[MREF_B][k * x->n + j];
        sum += x->type[MREF_A] == M_B1 && !x->and ? a != b : a * b;
      }
      m[MREF_D][i * x->n + j] = mref_encode(x->type[MREF_D], sum);
    }
}
/* The same under the rule of sums. */
static inline void draw_any_product(const struct mref_form *x, enum magnitude at, uint64_t *const m[MREF_PARTS]) {
  for (unsigned p = MREF_A; p <= MREF_C; p++)
    for (unsigned e = 0; e < mref_rows(x, p) * mref_columns(x, p); e++) m[p][e] = draw_element(x, p, at);
  mref_product(x, m[MREF_A], m[MREF_B], m[MREF_C], m[MREF_D]);
}

/* ---- PTX ---- */

#define MMA_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static inline const char *rounding_name(const struct mref_form *f) {
  if (f->type[MREF_D] != M_F64) return "";
  return f->round == FE_TONEAREST ? ".rn" : f->round == FE_TOWARDZERO ? ".rz" : f->round == FE_UPWARD ? ".rp" : ".rm";
}
/* The type of the registers that hold a part's fragments. */
static inline const char *register_type(enum mref_type t) { return t == M_F32 ? "f32" : t == M_F64 ? "f64" : "b32"; }

/* Which registers D is in: its own, those of C, or those of A, if these are of D's type. */
enum { HOMES = 3 };
static inline char home_of_d(const struct mref_form *f, unsigned home) {
  const enum mref_part p = home == 1 ? MREF_C : MREF_A;
  const bool fits = home && !strcmp(register_type(f->type[p]), register_type(f->type[MREF_D]));
  return fits ? (char)('a' + p) : 'd';
}

static inline void print_registers(FILE *f, char name, unsigned n) {
  fprintf(f, "{");
  for (unsigned r = 0; r < n; r++) fprintf(f, "%s%%%c%u", r ? ", " : "", name, r);
  fprintf(f, "}");
}
/* d, a, b, c; the fragment of D is in registers called `d`, n[] are the registers of each part. */
static inline void print_operands(FILE *f, char d, const unsigned n[MREF_PARTS]) {
  fprintf(f, " ");
  print_registers(f, d, n[MREF_D]);
  for (unsigned p = MREF_A; p <= MREF_C; p++) {
    fprintf(f, ", ");
    print_registers(f, (char)('a' + p), n[p]);
  }
  fprintf(f, ";\n");
}

/* ---- the device ---- */

static struct device *mma_device;
static inline int mma_open(void **state) {
  (void)state;
  mma_device = open_with(&(struct device_settings){.machine = "rtx2060", .time = "none"});
  return 0;
}
static inline int mma_close(void **state) {
  (void)state;
  device_close(mma_device);
  return 0;
}
/* A module of the kernels that `print` writes; the device is open then. */
static inline struct device_module *mma_module(void **state, void (*print)(FILE *)) {
  char *text;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  fprintf(f, MMA_HEAD);
  print(f);
  fclose(f);
  mma_open(state);
  struct device_module *m = load(mma_device, text);
  free(text);
  return m;
}
/* The kernel of that name over `grid` warps; `what` is for the message. */
static inline void mma_launch(struct device_module *m, const char *name, uint32_t grid, const void *param,
                              uint32_t bytes, const char *what) {
  struct err e;
  struct device_result r;
  if (go(mma_device, kernel(m, name), grid, 32, param, bytes, &r, &e) != DEVICE_OK)
    fail_msg("%s: line %d: %s", what, e.line, e.text);
}

#endif
