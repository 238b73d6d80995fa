/* SPDX-License-Identifier: Apache-2.0 */
/* mma: see mma.h. The formulas stand here section after section as the PTX ISA has them. */
#include "unit/reference/mma.h"

#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

/* ---- sizes ---- */

static const struct {
  const char *name;
  unsigned bits;
} types[M_TYPES] = {
    [M_F16] = {"f16", 16}, [M_BF16] = {"bf16", 16}, [M_TF32] = {"tf32", 32}, [M_F32] = {"f32", 32},
    [M_F64] = {"f64", 64}, [M_S8] = {"s8", 8},      [M_U8] = {"u8", 8},      [M_S4] = {"s4", 4},
    [M_U4] = {"u4", 4},    [M_B1] = {"b1", 1},      [M_S32] = {"s32", 32},
};
const char *mref_name(enum mref_type t) { return types[t].name; }
unsigned mref_bits(enum mref_type t) { return types[t].bits; }
unsigned mref_rows(const struct mref_form *f, enum mref_part p) { return p == MREF_B ? f->k : f->m; }
unsigned mref_columns(const struct mref_form *f, enum mref_part p) { return p == MREF_A ? f->k : f->n; }
unsigned mref_products(const struct mref_form *f) { return f->k == 4 && f->type[MREF_A] == M_F16 ? 4 : 1; }

static unsigned register_bits(const struct mref_form *f, enum mref_part p) { return f->type[p] == M_F64 ? 64 : 32; }
static unsigned elements(const struct mref_form *f, enum mref_part p) {
  return mref_rows(f, p) * mref_columns(f, p) * mref_products(f) / MREF_LANES;
}
unsigned mref_registers(const struct mref_form *f, enum mref_part p) {
  return elements(f, p) * types[f->type[p]].bits / register_bits(f, p);
}

/* ---- where the elements are: g is the manual's groupID, t its threadID_in_group ---- */

#define PLACE(name, at_row, at_column)                                    \
  static struct mref_place name(unsigned lane, unsigned i) {              \
    const unsigned g = lane >> 2, t = lane % 4, high = lane < 16 ? 0 : 4; \
    (void)g, (void)t, (void)i, (void)high;                                \
    return (struct mref_place){at_row, at_column};                        \
  }

/* 9.7.14.5.1: m8n8k4 of f16 */
PLACE(a_884_row, lane % 4 + high, i)
PLACE(a_884_col, i % 4 + high, lane % 4)
PLACE(b_884_row, lane % 4, i + high)
PLACE(b_884_col, i, lane % 4 + high)
PLACE(c_884_f16, lane % 4 + high, i)
PLACE(c_884_f32, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1))
/* .2: m8n8k4 of f64; .3: m8n8k16; .4: m8n8k32; .5: m8n8k128 */
PLACE(a_884_f64, lane >> 2, lane % 4)
PLACE(b_884_f64, lane % 4, lane >> 2)
PLACE(a_8816, g, t * 4 + i)
PLACE(b_8816, t * 4 + i, g)
PLACE(a_8832, g, t * 8 + i)
PLACE(b_8832, t * 8 + i, g)
PLACE(a_88128, g, t * 32 + i)
PLACE(b_88128, t * 32 + i, g)
PLACE(c_88, g, t * 2 + i)
/* .6: m16n8k4 */
PLACE(a_1684, i == 0 ? g : g + 8, t)
PLACE(b_1684, t, g)
/* .7: m16n8k8 */
PLACE(a_1688_16, i < 2 ? g : g + 8, t * 2 + (i & 1))
PLACE(b_1688_16, t * 2 + i, g)
PLACE(a_1688_32, i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4)
PLACE(b_1688_32, i == 0 ? t : t + 4, g)
/* .8: m16n8k16 of floats */
PLACE(a_16816_16, i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8))
PLACE(b_16816_16, t * 2 + (i & 1) + (i < 2 ? 0 : 8), g)
PLACE(a_16816_64, i % 2 == 0 ? g : g + 8, (i % 2 == 0 ? i * 2 : i * 2 - 2) + t)
PLACE(b_16816_64, t + i * 4, g)
/* .9: m16n8k16 of integers */
PLACE(a_16816_8, i < 4 ? g : g + 8, t * 4 + (i & 3))
PLACE(b_16816_8, t * 4 + i, g)
/* .10: m16n8k32 */
PLACE(a_16832_4, i < 8 ? g : g + 8, t * 8 + (i & 7))
PLACE(b_16832_4, t * 8 + (i & 7), g)
PLACE(a_16832_8, i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16))
PLACE(b_16832_8, t * 4 + (i & 3) + (i < 4 ? 0 : 16), g)
/* .11: m16n8k64 */
PLACE(a_16864, i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32))
PLACE(b_16864, t * 8 + (i & 7) + (i < 8 ? 0 : 32), g)
/* .12: m16n8k128 */
PLACE(a_168128, i < 32 ? g : g + 8, t * 32 + (i & 31))
PLACE(b_168128, t * 32 + i, g)
/* .13: m16n8k256. The manual has "+ i" without "& 0x1F" for i < 64, which would lead out of the lane's columns; its figure has this. */
PLACE(a_168256, i < 32 || (i >= 64 && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i < 64 ? 0 : 128))
PLACE(b_168256, t * 32 + (i & 31) + (i < 32 ? 0 : 128), g)
/* C and D of .6 to .13 */
PLACE(c_168, i < 2 ? g : g + 8, t * 2 + (i & 1))

typedef struct mref_place place_fn(unsigned lane, unsigned i);
static const struct {
  unsigned m, k, bits; /* of an element of A */
  place_fn *a, *b;
} sections[] = {
    {8, 4, 64, a_884_f64, b_884_f64},     {8, 16, 8, a_8816, b_8816},           {8, 32, 4, a_8832, b_8832},
    {8, 128, 1, a_88128, b_88128},        {16, 4, 32, a_1684, b_1684},          {16, 4, 64, a_1684, b_1684},
    {16, 8, 16, a_1688_16, b_1688_16},    {16, 8, 32, a_1688_32, b_1688_32},    {16, 8, 64, a_1688_32, b_1688_32},
    {16, 16, 16, a_16816_16, b_16816_16}, {16, 16, 64, a_16816_64, b_16816_64}, {16, 16, 8, a_16816_8, b_16816_8},
    {16, 32, 4, a_16832_4, b_16832_4},    {16, 32, 8, a_16832_8, b_16832_8},    {16, 64, 4, a_16864, b_16864},
    {16, 128, 1, a_168128, b_168128},     {16, 256, 1, a_168256, b_168256},
};

struct mref_place mref_place(const struct mref_form *f, enum mref_part p, unsigned lane, unsigned i) {
  if (mref_products(f) > 1) {
    if (p == MREF_A) return (f->a_col ? a_884_col : a_884_row)(lane, i);
    if (p == MREF_B) return (f->b_row ? b_884_row : b_884_col)(lane, i);
    return (f->type[p] == M_F16 ? c_884_f16 : c_884_f32)(lane, i);
  }
  if (p >= MREF_C) return (f->m == 8 ? c_88 : c_168)(lane, i);
  unsigned s = 0;
  while (sections[s].m != f->m || sections[s].k != f->k || sections[s].bits != types[f->type[MREF_A]].bits) {
    s++;
    assert(s < sizeof sections / sizeof *sections);
  }
  return (p == MREF_A ? sections[s].a : sections[s].b)(lane, i);
}

void mref_split(const struct mref_form *f, enum mref_part p, mref_matrix m[MREF_PRODUCTS], mref_fragments r) {
  const unsigned bits = types[f->type[p]].bits, each = register_bits(f, p) / bits;
  memset(r, 0, sizeof(mref_fragments));
  for (unsigned lane = 0; lane < MREF_LANES; lane++)
    for (unsigned i = 0; i < elements(f, p); i++) {
      const struct mref_place at = mref_place(f, p, lane, i);
      const unsigned product = mref_products(f) > 1 ? lane % 16 / 4 : 0;
      assert(at.row < mref_rows(f, p) && at.column < mref_columns(f, p));
      r[lane][i / each] |= m[product][at.row * mref_columns(f, p) + at.column] << i % each * bits;
    }
}

/* ---- values ---- */

static float as_f32(uint64_t bits) {
  const uint32_t u = (uint32_t)bits;
  float v;
  memcpy(&v, &u, sizeof v);
  return v;
}
static uint32_t f32_bits(float v) {
  uint32_t u;
  memcpy(&u, &v, sizeof u);
  return isnan(v) ? 0x7fffffff : u;
}
static double as_f64(uint64_t bits) {
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
static uint64_t f64_bits(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return isnan(v) ? 0x7ff8000000000000 : u;
}
static float as_f16(uint64_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float v = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexpf((float)fraction, -24)
                                  : ldexpf((float)(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -v : v;
}
static uint64_t f16_bits(float v) {
  const uint64_t sign = signbit(v) ? 0x8000 : 0;
  if (isnan(v)) return 0x7fff;
  if (fabsf(v) >= 65520) return sign | 0x7c00;
  if (v == 0) return sign;
  const int exponent = ilogbf(v) < -14 ? -14 : ilogbf(v);
  /* In units of the last place; a carry out of the fraction goes into the exponent. */
  return sign | ((uint64_t)(exponent + 14) * 1024 + (uint64_t)nearbyint(ldexp(fabs((double)v), 10 - exponent)));
}
static float floating(enum mref_type t, uint64_t bits) {
  if (t == M_F16) return as_f16(bits);
  if (t == M_BF16) return as_f32(bits << 16);
  return as_f32(t == M_TF32 ? bits & 0xffffe000 : bits);
}
static int64_t integer(enum mref_type t, uint64_t bits) {
  if (t == M_S8) return (int8_t)bits;
  if (t == M_S4) return bits & 8 ? (int64_t)bits - 16 : (int64_t)bits;
  return t == M_S32 ? (int32_t)bits : (int64_t)bits;
}

uint64_t mref_encode(enum mref_type t, int64_t v) {
  switch (t) {
    case M_F16: return f16_bits((float)v);
    case M_BF16: return f32_bits((float)v) >> 16;
    case M_TF32:
    case M_F32: return f32_bits((float)v);
    case M_F64: return f64_bits((double)v);
    default: return (uint64_t)v & ((1ull << types[t].bits) - 1);
  }
}

/* ---- the product ---- */

static uint64_t sum_integers(const struct mref_form *f, const uint64_t *a, const uint64_t *b, uint64_t c) {
  int64_t sum = integer(M_S32, c);
  for (unsigned k = 0; k < f->k; k++, a++, b += f->n) {
    if (f->type[MREF_A] == M_B1) sum += (int64_t)(f->and ? *a & *b : *a ^ *b);
    else sum += integer(f->type[MREF_A], *a) * integer(f->type[MREF_B], *b);
  }
  if (f->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint32_t)sum;
}
static uint64_t sum_f64(const struct mref_form *f, const uint64_t *a, const uint64_t *b, uint64_t c) {
  volatile double sum = as_f64(c); /* volatile: no fma may move out of the two calls */
  const int before = fegetround();
  fesetround(f->round);
  for (unsigned k = 0; k < f->k; k++, a++, b += f->n) {
    const volatile double x = as_f64(*a);
    sum = fma(x, as_f64(*b), sum);
  }
  fesetround(before);
  return f64_bits(sum);
}
static uint64_t sum_floats(const struct mref_form *f, const uint64_t *a, const uint64_t *b, uint64_t c) {
  float sum = floating(f->type[MREF_C], c);
  for (unsigned k = 0; k < f->k; k++, a++, b += f->n)
    sum = fmaf(floating(f->type[MREF_A], *a), floating(f->type[MREF_B], *b), sum);
  return f->type[MREF_D] == M_F16 ? f16_bits(sum) : f32_bits(sum);
}

void mref_product(const struct mref_form *f, const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) {
  for (unsigned i = 0; i < f->m; i++)
    for (unsigned j = 0; j < f->n; j++) {
      const uint64_t *row = a + i * f->k, *column = b + j, from = c[i * f->n + j];
      d[i * f->n + j] = f->type[MREF_D] == M_S32   ? sum_integers(f, row, column, from)
                        : f->type[MREF_D] == M_F64 ? sum_f64(f, row, column, from)
                                                   : sum_floats(f, row, column, from);
    }
}
