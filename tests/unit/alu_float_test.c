/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point arithmetic and conversions of the alu against MPFR: every type, rounding mode, .ftz and
 * .sat; f16 and bf16 conversions exhaustively; the .approx functions against error bounds over all exponents.
 */
#include "alu_kit.h"

#include <math.h>
#include <mpfr.h>

/* ---- values of a format: p bits of precision, exponents as MPFR counts them ---- */
struct format {
  enum dtype type;
  unsigned p, ebits;
  mpfr_exp_t emin, emax;
  uint64_t nan;
};
static const struct format F16 = {T_F16, 11, 5, -23, 16, 0x7fff}, BF16 = {T_BF16, 8, 8, -132, 128, 0x7fff},
                           F32 = {T_F32, 24, 8, -148, 128, 0x7fffffff},
                           F64 = {T_F64, 53, 11, -1073, 1024, 0x7ff8000000000000},
                           TF32 = {T_TF32, 11, 8, -135, 128, 0x7fffffff};

static unsigned width(const struct format *f) { return f->p + f->ebits; }
static uint64_t inf_of(const struct format *f) { return ((1ull << f->ebits) - 1) << (f->p - 1); }
static uint64_t magnitude(const struct format *f, uint64_t b) { return b & ~(1ull << (width(f) - 1)); }

static void to_mpfr(mpfr_t x, const struct format *f, uint64_t b) {
  const bool neg = b >> (width(f) - 1) & 1;
  const uint64_t mag = magnitude(f, b), inf = inf_of(f);
  if (mag > inf) {
    mpfr_set_nan(x);
  } else if (mag == inf) {
    mpfr_set_inf(x, neg ? -1 : 1);
  } else {
    const uint64_t e = mag >> (f->p - 1), m = (mag & ((1ull << (f->p - 1)) - 1)) | (e ? 1ull << (f->p - 1) : 0);
    mpfr_set_uj_2exp(x, m, (intmax_t)(e ? e : 1) - ((1 << (f->ebits - 1)) - 1) - (int)(f->p - 1), MPFR_RNDN);
    mpfr_setsign(x, x, neg, MPFR_RNDN);
  }
}
/* x is representable in f. */
static uint64_t of_mpfr(mpfr_t x, const struct format *f) {
  if (mpfr_nan_p(x)) return f->nan;
  const uint64_t sign = (uint64_t)(mpfr_signbit(x) != 0) << (width(f) - 1);
  if (mpfr_inf_p(x)) return sign | inf_of(f);
  if (mpfr_zero_p(x)) return sign;
  mpfr_t m;
  mpfr_init2(m, 64);
  mpfr_abs(m, x, MPFR_RNDN);
  const int bias = (1 << (f->ebits - 1)) - 1;
  int e = (int)mpfr_get_exp(m) - 1 + bias; /* of a number in [1, 2) */
  if (e < 1) e = 1;
  mpfr_mul_2si(m, m, bias + (int)(f->p - 1) - e, MPFR_RNDN);
  const uint64_t n = mpfr_get_uj(m, MPFR_RNDN);
  mpfr_clear(m);
  return sign | ((((uint64_t)e - 1) << (f->p - 1)) + n);
}

static mpfr_rnd_t mode_of(enum rounding r) {
  switch (r) {
    case R_RZ: return MPFR_RNDZ;
    case R_RM: return MPFR_RNDD;
    case R_RP: return MPFR_RNDU;
    default: return MPFR_RNDN;
  }
}
static uint64_t flush(const struct format *f, uint64_t b) {
  return magnitude(f, b) >> (f->p - 1) ? b : b & 1ull << (width(f) - 1);
}
static uint64_t clamp01(const struct format *f, uint64_t b) {
  const uint64_t one = ((1ull << (f->ebits - 1)) - 1) << (f->p - 1);
  if (b >> (width(f) - 1) || b > inf_of(f)) return 0;
  return b > one ? one : b;
}

/* Rounds what `compute` gives to format f as IEEE does, exponent range and subnormals included. */
typedef int mpfr_op(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t rnd);
static int m_add(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)c;
  return mpfr_add(r, a, b, d);
}
static int m_sub(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)c;
  return mpfr_sub(r, a, b, d);
}
static int m_mul(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)c;
  return mpfr_mul(r, a, b, d);
}
static int m_fma(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) { return mpfr_fma(r, a, b, c, d); }
static int m_div(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)c;
  return mpfr_div(r, a, b, d);
}
static int m_rcp(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)b, (void)c;
  return mpfr_ui_div(r, 1, a, d);
}
static int m_sqrt(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)b, (void)c;
  return mpfr_sqrt(r, a, d);
}
static int m_set(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t d) {
  (void)b, (void)c;
  return mpfr_set(r, a, d);
}

static mpfr_t in[3], out;
static uint64_t oracle(mpfr_op *op, const struct format *f, enum rounding rnd) {
  const mpfr_exp_t lo = mpfr_get_emin(), hi = mpfr_get_emax();
  mpfr_set_prec(out, f->p);
  mpfr_set_emin(f->emin), mpfr_set_emax(f->emax);
  int t = op(out, in[0], in[1], in[2], mode_of(rnd));
  t = mpfr_check_range(out, t, mode_of(rnd));
  mpfr_subnormalize(out, t, mode_of(rnd));
  const uint64_t b = of_mpfr(out, f);
  mpfr_set_emin(lo), mpfr_set_emax(hi);
  return b;
}

/* ---- arithmetic ---- */
struct arith {
  enum opcode op;
  mpfr_op *m;
  unsigned n;
};
static const struct arith ops[] = {{OP_ADD, m_add, 2}, {OP_SUB, m_sub, 2}, {OP_MUL, m_mul, 2}, {OP_FMA, m_fma, 3},
                                   {OP_MAD, m_fma, 3}, {OP_DIV, m_div, 2}, {OP_RCP, m_rcp, 1}, {OP_SQRT, m_sqrt, 1}};

/* Operands that meet often: the second and third near the first or near minus the product, so that sums
 * cancel. */
static void operands(struct lane_run *r, const struct format *f, unsigned lane, uint64_t *seed, uint64_t v[3]) {
  const unsigned w = width(f);
  const uint64_t mask = w == 64 ? ~0ull : (1ull << w) - 1;
  for (int k = 0; k < 3; k++) v[k] = lane_value(seed, w) & mask;
  const uint64_t pick = rng_next(seed);
  if (pick % 4 == 0) v[1] = (v[0] ^ (pick >> 8 & 1) << (w - 1)) + (pick >> 9 & 3);
  if (pick % 4 == 1) v[2] = (v[0] ^ (pick >> 8 & 1) << (w - 1)) - (pick >> 9 & 3);
  if (pick % 4 == 2) v[1] = ((1ull << (f->ebits - 1)) - 1) << (f->p - 1), v[2] = v[0] ^ 1ull << (w - 1);
  for (int k = 0; k < 3; k++) v[k] &= mask, lane_put(r, (unsigned)k, lane, v[k]);
}

static void check_arith(const struct arith *a, const struct format *f, enum dtype type, enum rounding rnd,
                        uint32_t mods, unsigned rounds) {
  struct lane_run r = lane_insn(a->op, type, mods, rnd, a->n);
  uint64_t seed = (uint64_t)a->op * 1000 + type * 100 + rnd * 10 + mods;
  for (unsigned n = 0; n < rounds; n++) {
    uint64_t v[32][3];
    for (unsigned l = 0; l < 32; l++) operands(&r, f, l, &seed, v[l]);
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      for (int k = 0; k < 3; k++) to_mpfr(in[k], f, mods & M_FTZ ? flush(f, v[l][k]) : v[l][k]);
      uint64_t want = oracle(a->m, f, rnd);
      if (mods & M_FTZ) want = flush(f, want);
      if (mods & M_SAT) want = clamp01(f, want);
      if (mods & M_RELU && (want >> (width(f) - 1))) want = 0;
      const uint64_t got = type == T_F64 ? lane_get(&r, 0, l) : r.dst[0][l];
      if (got != want)
        fail_msg("%s.%s rnd %d mods %x: %llx %llx %llx gives %llx, not %llx", opcode_name(a->op), dtype_name(type), rnd,
                 mods, (unsigned long long)v[l][0], (unsigned long long)v[l][1], (unsigned long long)v[l][2],
                 (unsigned long long)got, (unsigned long long)want);
    }
  }
}

static void test_f32_f64(void **state) {
  (void)state;
  for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++)
    for (enum rounding rnd = R_RN; rnd <= R_RP; rnd++) {
      const bool sat = ops[k].n > 1 && ops[k].op != OP_DIV;
      for (unsigned m = 0; m < (sat ? 4 : 2); m++)
        check_arith(&ops[k], &F32, T_F32, rnd, (m & 1 ? M_FTZ : 0) | (m & 2 ? M_SAT : 0), m ? 80 : 250);
      check_arith(&ops[k], &F64, T_F64, rnd, 0, 300);
    }
}

static void test_half(void **state) {
  (void)state;
  for (unsigned k = 0; k < 4; k++) {
    for (unsigned m = 0; m < 4; m++)
      check_arith(&ops[k], &F16, T_F16, R_RN, (m & 1 ? M_FTZ : 0) | (m & 2 ? M_SAT : 0), 150);
    check_arith(&ops[k], &BF16, T_BF16, R_RN, 0, 300);
  }
  check_arith(&ops[3], &F16, T_F16, R_RN, M_RELU, 150);
  check_arith(&ops[3], &BF16, T_BF16, R_RN, M_RELU, 150);
}

/* Pairs do to both halves what the single type does. */
static void test_pairs(void **state) {
  (void)state;
  static const enum opcode op[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_MIN, OP_MAX, OP_ABS, OP_NEG, OP_EX2, OP_TANH};
  static const enum dtype types[][2] = {{T_F16, T_F16X2}, {T_BF16, T_BF16X2}};
  uint64_t seed = 5;
  for (unsigned k = 0; k < sizeof op / sizeof *op; k++)
    for (unsigned t = 0; t < 2; t++) {
      const bool approx = op[k] == OP_EX2 || op[k] == OP_TANH;
      const enum rounding rnd = k < 4 ? R_RN : R_NONE;
      struct lane_run two = lane_insn(op[k], types[t][1], approx ? M_APPROX : 0, rnd, 3);
      struct lane_run lo = lane_insn(op[k], types[t][0], approx ? M_APPROX : 0, rnd, 3), hi = lo;
      for (unsigned l = 0; l < 32; l++)
        for (unsigned s = 0; s < 3; s++) {
          const uint64_t a = lane_value(&seed, 16), b = lane_value(&seed, 16);
          lane_put(&two, s, l, a | b << 16), lane_put(&lo, s, l, a), lane_put(&hi, s, l, b);
        }
      assert_true(lane_go(&two) && lane_go(&lo) && lane_go(&hi));
      for (unsigned l = 0; l < 32; l++) assert_int_equal(two.dst[0][l], lo.dst[0][l] | hi.dst[0][l] << 16);
    }
}

/* ---- minimum and maximum: by comparing values ---- */
static bool less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }
static void check_minmax(bool max, const struct format *f, uint32_t mods) {
  struct lane_run r = lane_insn(max ? OP_MAX : OP_MIN, f->type, mods, R_NONE, 2);
  uint64_t seed = mods + f->type;
  for (unsigned n = 0; n < 60; n++) {
    uint64_t v[32][3];
    for (unsigned l = 0; l < 32; l++) operands(&r, f, l, &seed, v[l]);
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      const uint64_t sign = 1ull << (width(f) - 1);
      uint64_t a = mods & M_FTZ ? flush(f, v[l][0]) : v[l][0], b = mods & M_FTZ ? flush(f, v[l][1]) : v[l][1];
      const uint64_t flip = (a ^ b) & sign;
      if (mods & M_ABS) a &= ~sign, b &= ~sign;
      to_mpfr(in[0], f, a), to_mpfr(in[1], f, b);
      const bool na = mpfr_nan_p(in[0]), nb = mpfr_nan_p(in[1]);
      const double x = mpfr_get_d(in[0], MPFR_RNDN), y = mpfr_get_d(in[1], MPFR_RNDN);
      uint64_t want = na ? b : nb ? a : less(x, y) != max ? a : b;
      if (mods & M_ABS) want |= flip;
      if (mods & M_NAN ? na || nb : na && nb) want = f->nan;
      assert_int_equal(f->type == T_F64 ? lane_get(&r, 0, l) : r.dst[0][l], want);
    }
  }
}
static void test_minmax(void **state) {
  (void)state;
  for (int max = 0; max < 2; max++) {
    check_minmax(max, &F64, 0);
    for (unsigned m = 0; m < 8; m++) {
      const uint32_t mods = (m & 1 ? M_NAN : 0) | (m & 2 ? M_ABS : 0) | (m & 4 ? M_FTZ : 0);
      check_minmax(max, &F32, mods), check_minmax(max, &F16, mods);
      if (m < 4) check_minmax(max, &BF16, mods);
    }
  }
}

/* ---- conversions between floats ---- */
static void check_cvt(const struct format *to, const struct format *from, enum rounding rnd, uint32_t mods, bool all) {
  struct lane_run r = lane_insn(OP_CVT, to->type, mods, rnd, 1);
  r.i.stype = (uint8_t)from->type;
  uint64_t seed = to->type * 32 + from->type + rnd * 7 + mods;
  const unsigned shift = to->type == T_TF32 ? 13 : 0;
  for (unsigned n = 0; n < (all ? 2048 : 150); n++) {
    uint64_t v[32];
    for (unsigned l = 0; l < 32; l++) {
      v[l] = all ? n * 32 + l : lane_value(&seed, width(from));
      if (!all && l % 4 == 0 && to->p < from->p) { /* around a tie of the narrow format */
        const unsigned gap = from->p - to->p;
        v[l] = (v[l] >> gap << gap) + (1ull << (gap - 1)) + rng_next(&seed) % 3 - 1;
      }
      lane_put(&r, 0, l, v[l]);
    }
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      to_mpfr(in[0], from, mods & M_FTZ && from->type == T_F32 ? flush(from, v[l]) : v[l]);
      uint64_t want;
      if (rnd == R_RNA) { /* ties away from zero: up if the half's bit is set */
        const uint64_t mag = magnitude(from, v[l]);
        want = mag > 0x7f800000 ? 0x7fffffff : ((mag + 0x1000) >> 13 << 13) | (v[l] & 0x80000000);
      } else {
        want = oracle(m_set, to, rnd);
        if (want != to->nan) want <<= shift;
      }
      if (mods & M_FTZ && to->type == T_F32) want = flush(to, want);
      if (mods & M_RELU && want >> (width(to) - 1)) want = 0;
      if (mods & M_SAT) want = clamp01(to, want);
      const uint64_t got = to->type == T_F64 ? lane_get(&r, 0, l) : r.dst[0][l];
      if (got != want)
        fail_msg("cvt.%s.%s rnd %d mods %x: %llx gives %llx, not %llx", dtype_name(to->type), dtype_name(from->type),
                 rnd, mods, (unsigned long long)v[l], (unsigned long long)got, (unsigned long long)want);
    }
  }
}
static void test_cvt_float(void **state) {
  (void)state;
  const struct format *const f[] = {&F16, &BF16, &F32, &F64};
  for (unsigned from = 0; from < 4; from++)
    for (unsigned to = 0; to < 4; to++) {
      const bool all = from < 2, exact = from == to || (to > 1 && to > from);
      const uint32_t ftz = from == 2 || to == 2 ? M_FTZ : 0;
      for (enum rounding rnd = exact ? R_NONE : R_RN; rnd <= (exact ? R_NONE : R_RP); rnd++) {
        check_cvt(f[to], f[from], rnd, 0, all);
        check_cvt(f[to], f[from], rnd, M_SAT, false);
        if (ftz) check_cvt(f[to], f[from], rnd, ftz, false);
      }
    }
  for (enum rounding rnd = R_RN; rnd <= R_RZ; rnd++) {
    check_cvt(&F16, &F32, rnd, M_RELU, false), check_cvt(&BF16, &F32, rnd, M_RELU, false);
    check_cvt(&TF32, &F32, rnd, 0, false);
  }
  check_cvt(&TF32, &F32, R_RNA, 0, false);
}

/* f16 and bf16 from every f32 near each of their values and ties; and the pack of two. */
static void test_cvt_half_exhaustive(void **state) {
  (void)state;
  for (unsigned bf = 0; bf < 2; bf++) {
    const struct format *f = bf ? &BF16 : &F16;
    struct lane_run up = lane_insn(OP_CVT, T_F32, 0, R_NONE, 1), down = lane_insn(OP_CVT, f->type, 0, R_RN, 1);
    struct lane_run pack = lane_insn(OP_CVT, bf ? T_BF16X2 : T_F16X2, 0, R_RN, 2);
    up.i.stype = (uint8_t)f->type, down.i.stype = pack.i.stype = T_F32;
    for (uint32_t h = 0; h < 0x10000; h += 32) {
      for (unsigned l = 0; l < 32; l++) lane_put(&up, 0, l, (h + l) | 0xabcd0000);
      assert_true(lane_go(&up));
      memcpy(down.src[0], up.dst[0], 128), memcpy(pack.src[0], up.dst[0], 128), memset(pack.src[1], 0, 128);
      assert_true(lane_go(&down) && lane_go(&pack));
      for (unsigned l = 0; l < 32; l++) {
        const uint32_t x = h + l, nan = (x & 0x7fff) > inf_of(f);
        assert_int_equal(down.dst[0][l], nan ? 0x7fff : x);
        assert_int_equal(pack.dst[0][l], (nan ? 0x7fffu : x) << 16);
        if (nan || (x & 0x7fff) >= inf_of(f) - 1) continue;
        /* halfway to the next value, and one f32 step beside it; between subnormals of bf16 the f32 steps
         * still suffice */
        to_mpfr(in[0], f, x), to_mpfr(in[1], f, x + 1);
        mpfr_add(in[2], in[0], in[1], MPFR_RNDN), mpfr_div_2ui(in[2], in[2], 1, MPFR_RNDN);
        union {
          float f;
          uint32_t b;
        } mid = {.f = mpfr_get_flt(in[2], MPFR_RNDN)};
        lane_put(&down, 0, 0, mid.b), lane_put(&down, 0, 1, mid.b - 1), lane_put(&down, 0, 2, mid.b + 1);
        if (l % 16 == 0 || x < 0x500) {
          assert_true(lane_go(&down));
          assert_int_equal(down.dst[0][0], (x + 1) & ~1u);
          assert_int_equal(down.dst[0][1], x), assert_int_equal(down.dst[0][2], x + 1);
          for (unsigned k = 0; k < 32; k++) down.src[0][k] = up.dst[0][k];
          assert_true(lane_go(&down));
        }
      }
    }
  }
}

/* ---- float to integral float and to integers ---- */
static double integral(double x, enum rounding rnd) {
  return rnd == R_RNI ? nearbyint(x) : rnd == R_RZI ? trunc(x) : rnd == R_RMI ? floor(x) : ceil(x);
}
static void test_cvt_integral(void **state) {
  (void)state;
  const struct format *const f[] = {&F16, &BF16, &F32, &F64};
  uint64_t seed = 77;
  for (unsigned t = 0; t < 4; t++)
    for (enum rounding rnd = R_RNI; rnd <= R_RPI; rnd++) {
      struct lane_run r = lane_insn(OP_CVT, f[t]->type, 0, rnd, 1);
      r.i.stype = (uint8_t)f[t]->type;
      for (unsigned n = 0; n < 100; n++) {
        for (unsigned l = 0; l < 32; l++) lane_put(&r, 0, l, lane_value(&seed, width(f[t])));
        assert_true(lane_go(&r));
        for (unsigned l = 0; l < 32; l++) {
          to_mpfr(in[0], f[t], r.src[0][l] | (t == 3 ? (uint64_t)r.src[0][32 + l] << 32 : 0));
          const double x = mpfr_get_d(in[0], MPFR_RNDN);
          mpfr_set_d(in[1], integral(x, rnd), MPFR_RNDN);
          assert_int_equal(t == 3 ? lane_get(&r, 0, l) : r.dst[0][l], of_mpfr(in[1], f[t]));
        }
      }
    }
}

static void check_to_int(enum dtype to, const struct format *from, enum rounding rnd, unsigned words, uint32_t mods) {
  struct lane_run r = lane_insn(OP_CVT, to, mods, rnd, 1);
  r.i.stype = (uint8_t)from->type;
  r.i.dst[0].words = (uint8_t)words;
  const unsigned bits = 8 * dtype_bytes(to);
  const bool sign = dtype_signed(to);
  uint64_t seed = to * 100 + from->type * 10 + rnd;
  for (unsigned n = 0; n < 30; n++) {
    uint64_t v[32];
    for (unsigned l = 0; l < 32; l++) lane_put(&r, 0, l, v[l] = lane_value(&seed, width(from)));
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      to_mpfr(in[0], from, mods & M_FTZ ? flush(from, v[l]) : v[l]);
      const double x = mpfr_get_d(in[0], MPFR_RNDN), i = integral(x, rnd);
      const __int128 lo = sign ? -((__int128)1 << (bits - 1)) : 0, hi = ((__int128)1 << (bits - sign)) - 1;
      __int128 want;
      if (isnan(x)) want = from->type != T_F64 && bits != 64 ? 0 : sign ? lo : (__int128)1 << (bits - 1);
      else want = i < -0x1p100 ? lo : i > 0x1p100 ? hi : (__int128)i < lo ? lo : (__int128)i > hi ? hi : (__int128)i;
      const uint64_t got = words == 2 ? lane_get(&r, 0, l) : r.dst[0][l];
      assert_int_equal(got, words == 2 ? (uint64_t)want : (uint32_t)want);
    }
  }
}
static void test_cvt_to_int(void **state) {
  (void)state;
  const struct format *const f[] = {&F16, &BF16, &F32, &F64};
  static const enum dtype ints[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
  for (unsigned t = 0; t < 4; t++)
    for (unsigned k = 0; k < 8; k++)
      for (enum rounding rnd = R_RNI; rnd <= R_RPI; rnd++) {
        check_to_int(ints[k], f[t], rnd, k > 5 ? 2 : 1, 0);
        check_to_int(ints[k], f[t], rnd, 2, 0);
        if (t == 2) check_to_int(ints[k], f[t], rnd, k > 5 ? 2 : 1, M_FTZ);
      }
}

static void test_cvt_from_int(void **state) {
  (void)state;
  const struct format *const f[] = {&F16, &BF16, &F32, &F64};
  static const enum dtype ints[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
  uint64_t seed = 99;
  for (unsigned t = 0; t < 4; t++)
    for (unsigned k = 0; k < 8; k++)
      for (enum rounding rnd = R_RN; rnd <= R_RP; rnd++)
        for (unsigned sat = 0; sat < 2; sat++) {
          struct lane_run r = lane_insn(OP_CVT, f[t]->type, sat ? M_SAT : 0, rnd, 1);
          r.i.stype = (uint8_t)ints[k];
          const unsigned bits = 8 * dtype_bytes(ints[k]);
          for (unsigned n = 0; n < 20; n++) {
            for (unsigned l = 0; l < 32; l++)
              lane_put(&r, 0, l, l & 1 ? rng_next(&seed) >> rng_next(&seed) % 64 : lane_value(&seed, 64));
            assert_true(lane_go(&r));
            for (unsigned l = 0; l < 32; l++) {
              const uint64_t raw = (r.src[0][l] | (uint64_t)r.src[0][32 + l] << 32) << (64 - bits);
              if (dtype_signed(ints[k])) mpfr_set_sj(in[0], (int64_t)raw >> (64 - bits), MPFR_RNDN);
              else mpfr_set_uj(in[0], raw >> (64 - bits), MPFR_RNDN);
              uint64_t want = oracle(m_set, f[t], rnd);
              if (sat) want = clamp01(f[t], want);
              assert_int_equal(t == 3 ? lane_get(&r, 0, l) : r.dst[0][l], want);
            }
          }
        }
}

int main(void) {
  for (int k = 0; k < 3; k++) mpfr_init2(in[k], 120);
  mpfr_init2(out, 64);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f32_f64),      cmocka_unit_test(test_half),
      cmocka_unit_test(test_pairs),        cmocka_unit_test(test_minmax),
      cmocka_unit_test(test_cvt_float),    cmocka_unit_test(test_cvt_half_exhaustive),
      cmocka_unit_test(test_cvt_integral), cmocka_unit_test(test_cvt_to_int),
      cmocka_unit_test(test_cvt_from_int),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int k = 0; k < 3; k++) mpfr_clear(in[k]);
  mpfr_clear(out);
  mpfr_free_cache();
  return failed;
}
