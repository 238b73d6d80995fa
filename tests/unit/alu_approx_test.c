/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .approx and .full functions: error against the C library in f64 over every exponent, far below what the
 * PTX ISA allows (1 to 2 ulp, 2^-20.5 absolute for sin and cos), and their special cases.
 */
#include "alu_kit.h"

#include <math.h>

#include "kit.h"

typedef double ref_fn(double);
static double ref_rcp(double x) { return 1.0 / x; }
static double ref_rsqrt(double x) { return 1.0 / sqrt(x); }

static float half(uint32_t h, bool bf) {
  if (bf) return f32_of(h << 16);
  const int e = (int)(h >> 10 & 31), m = (int)(h & 1023);
  const float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);
  return h & 0x8000 ? -v : v;
}

/* One unit in the last place at |x|, of a format with p bits and least exponent emin. */
static double ulp(double x, int p, int emin) {
  const int e = x == 0 ? emin : ilogb(x);
  return ldexp(1.0, (e < emin ? emin : e) - p + 1);
}

static uint32_t sample(unsigned exponent, unsigned k, uint64_t *seed) {
  static const uint32_t m[] = {0, 1, 0x7fffff, 0x400000, 0x3504f3, 0x3504f4, 0x490fdb};
  const uint32_t mantissa = k < 7 ? m[k] : (uint32_t)rng_next(seed) & 0x7fffff;
  return exponent << 23 | mantissa | ((uint32_t)rng_next(seed) & 0x80000000);
}

/* The largest error in ulp over all exponents; what overflows or is no number must be exactly so. */
static double worst(enum opcode op, uint32_t mods, ref_fn *ref) {
  struct lane_run r = lane_insn(op, T_F32, mods, R_NONE, 1);
  uint64_t seed = op;
  double max = 0;
  for (unsigned e = 0; e < 255; e++)
    for (unsigned n = 0; n < 8; n++) {
      for (unsigned l = 0; l < 32; l++) r.src[0][l] = sample(e, n * 32 + l, &seed);
      assert_true(lane_go(&r));
      for (unsigned l = 0; l < 32; l++) {
        uint32_t x = r.src[0][l];
        if (mods & M_FTZ && !(x & 0x7f800000)) x &= 0x80000000;
        const double want = ref(f32_of(x));
        const float got = f32_of(r.dst[0][l]);
        if (isnan(want)) {
          assert_int_equal(r.dst[0][l], 0x7fffffff);
        } else if (fabs(want) >= 0x1.ffffffp127) {
          assert_int_equal(r.dst[0][l], want < 0 ? 0xff800000 : 0x7f800000);
        } else if (mods & M_FTZ && fabs(want) < 0x1p-126) {
          assert_true(got == 0 || fabsf(got) == 0x1p-126f);
        } else {
          const double err = fabs(got - want) / ulp(want, 24, -126);
          if (err > max) max = err;
        }
      }
    }
  return max;
}

static void test_errors(void **state) {
  (void)state;
  static const struct {
    enum opcode op;
    ref_fn *ref;
    double bound;
  } f[] = {
      {OP_EX2, exp2, 0.51}, {OP_LG2, log2, 0.51},  {OP_TANH, tanh, 0.51},       {OP_SIN, sin, 0.51},
      {OP_COS, cos, 0.51},  {OP_SQRT, sqrt, 0.51}, {OP_RSQRT, ref_rsqrt, 0.51}, {OP_RCP, ref_rcp, 0.51},
  };
  for (unsigned k = 0; k < sizeof f / sizeof *f; k++)
    for (unsigned ftz = 0; ftz < (f[k].op == OP_TANH ? 1 : 2); ftz++) {
      const double w = worst(f[k].op, M_APPROX | (ftz ? M_FTZ : 0), f[k].ref);
      if (w > f[k].bound) fail_msg("%s is %g ulp off", opcode_name(f[k].op), w);
    }
}

/* A finer look at ex2 around its usual arguments and lg2 around 1, where relative errors would show. */
static void test_dense(void **state) {
  (void)state;
  struct lane_run e = lane_insn(OP_EX2, T_F32, M_APPROX, R_NONE, 1), g = lane_insn(OP_LG2, T_F32, M_APPROX, R_NONE, 1);
  for (int n = 0; n < 4000; n++) {
    for (int l = 0; l < 32; l++) {
      e.src[0][l] = f32_bits((float)(n * 32 + l - 64000) * 0x1.3p-9f);
      g.src[0][l] = 0x3f800000u + (uint32_t)((n * 32 + l - 64000) * (n & 1 ? 1 : 37));
    }
    assert_true(lane_go(&e) && lane_go(&g));
    for (int l = 0; l < 32; l++) {
      const double a = exp2(f32_of(e.src[0][l])), b = log2(f32_of(g.src[0][l]));
      if (a < 0x1p128) assert_true(fabs(f32_of(e.dst[0][l]) - a) <= 0.51 * ulp(a, 24, -126));
      assert_true(fabs(f32_of(g.dst[0][l]) - b) <= 0.51 * ulp(b, 24, -126));
    }
  }
}

struct special {
  enum opcode op;
  uint32_t mods, in, out;
};
static void test_specials(void **state) {
  (void)state;
  enum { PINF = 0x7f800000, NANS = 0x7f812345, Q = 0x7fffffff, ONE = 0x3f800000 };
#define NINF 0xff800000u
#define NZ 0x80000000u
  static const struct special s[] = {
      {OP_EX2, 0, PINF, PINF},
      {OP_EX2, 0, NINF, 0},
      {OP_EX2, 0, NANS, Q},
      {OP_EX2, 0, NZ, ONE},
      {OP_EX2, 0, 1, ONE},
      {OP_EX2, 0, 0xc3140000, 2}, /* 2^-148 */
      {OP_EX2, M_FTZ, 0xc3140000, 0},
      {OP_EX2, M_FTZ, 0xc2fc0000, 0x00800000},
      {OP_EX2, 0, 0x43000000, PINF},
      {OP_LG2, 0, 0, NINF},
      {OP_LG2, 0, NZ, NINF},
      {OP_LG2, 0, PINF, PINF},
      {OP_LG2, 0, NINF, Q},
      {OP_LG2, 0, 0xbf800000, Q},
      {OP_LG2, 0, NANS, Q},
      {OP_LG2, 0, ONE, 0},
      {OP_LG2, 0, 1, 0xc3150000},
      {OP_LG2, 0, 0x80000001, Q},
      {OP_LG2, M_FTZ, 1, NINF},
      {OP_LG2, M_FTZ, 0x80000001, NINF},
      {OP_SIN, 0, PINF, Q},
      {OP_SIN, 0, NINF, Q},
      {OP_SIN, 0, NANS, Q},
      {OP_SIN, 0, 0, 0},
      {OP_SIN, 0, NZ, NZ},
      {OP_SIN, 0, 0x80000001, 0x80000001},
      {OP_SIN, M_FTZ, 0x80000001, NZ},
      {OP_COS, 0, PINF, Q},
      {OP_COS, 0, NINF, Q},
      {OP_COS, 0, NANS, Q},
      {OP_COS, 0, NZ, ONE},
      {OP_RCP, 0, 0, PINF},
      {OP_RCP, 0, NZ, NINF},
      {OP_RCP, 0, PINF, 0},
      {OP_RCP, 0, NINF, NZ},
      {OP_RCP, 0, NANS, Q},
      {OP_RCP, 0, 1, PINF},
      {OP_RCP, 0, 0x7f000000, 0x00400000},
      {OP_RCP, M_FTZ, 0x7f000000, 0},
      {OP_RCP, M_FTZ, 0x80000001, NINF},
      {OP_SQRT, 0, NZ, NZ},
      {OP_SQRT, 0, PINF, PINF},
      {OP_SQRT, 0, NINF, Q},
      {OP_SQRT, 0, 0xbf800000, Q},
      {OP_SQRT, M_FTZ, 0x80000001, NZ},
      {OP_SQRT, 0, 0x80000001, Q},
      {OP_RSQRT, 0, 0, PINF},
      {OP_RSQRT, 0, NZ, NINF},
      {OP_RSQRT, 0, PINF, 0},
      {OP_RSQRT, 0, NINF, Q},
      {OP_RSQRT, 0, 0x80000001, Q},
      {OP_RSQRT, M_FTZ, 0x80000001, NINF},
      {OP_RSQRT, 0, NANS, Q},
      {OP_TANH, 0, PINF, ONE},
      {OP_TANH, 0, NINF, 0xbf800000},
      {OP_TANH, 0, NANS, Q},
      {OP_TANH, 0, NZ, NZ},
      {OP_TANH, 0, 0x80000001, 0x80000001},
  };
  for (unsigned k = 0; k < sizeof s / sizeof *s; k++) {
    struct lane_run r = lane_insn(s[k].op, T_F32, M_APPROX | s[k].mods, R_NONE, 1);
    for (unsigned l = 0; l < 32; l++) r.src[0][l] = s[k].in;
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++)
      if (r.dst[0][l] != s[k].out)
        fail_msg("%s %x mods %x gives %x, not %x", opcode_name(s[k].op), s[k].in, s[k].mods, r.dst[0][l], s[k].out);
  }
}

static void test_division(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (unsigned form = 0; form < 4; form++) {
    const bool ftz = form & 1, full = form & 2;
    struct lane_run r = lane_insn(OP_DIV, T_F32, (full ? M_FULL : M_APPROX) | (ftz ? M_FTZ : 0), R_NONE, 2);
    for (unsigned n = 0; n < 300; n++) {
      for (unsigned l = 0; l < 32; l++)
        for (unsigned k = 0; k < 2; k++) r.src[k][l] = (uint32_t)lane_value(&seed, 32);
      if (n == 0) r.src[1][0] = 0x7e800001, r.src[0][0] = 0x40000000;
      assert_true(lane_go(&r));
      for (unsigned l = 0; l < 32; l++) {
        uint32_t a = r.src[0][l], b = r.src[1][l];
        if (ftz && !(a & 0x7f800000)) a &= 0x80000000;
        if (ftz && !(b & 0x7f800000)) b &= 0x80000000;
        double want = (double)f32_of(a) / f32_of(b);
        if (!full && fabsf(f32_of(b)) > 0x1p126f && !isinf(f32_of(b)))
          want = isinf(f32_of(a)) || isnan(f32_of(a)) ? NAN : copysign(0.0, want);
        const float got = f32_of(r.dst[0][l]);
        if (isnan(want)) assert_int_equal(r.dst[0][l], 0x7fffffff);
        else if (fabs(want) >= 0x1.ffffffp127) assert_true(got == (want < 0 ? -INFINITY : INFINITY));
        else if (ftz && fabs(want) < 0x1p-126) assert_true(got == 0 || fabsf(got) == 0x1p-126f);
        else if (fabs(got - want) > 0.5001 * ulp(want, 24, -126) || !signbit(got) != !signbit(want))
          fail_msg("%x / %x gives %x, not %a", a, b, r.dst[0][l], want);
      }
    }
  }
}

/* All values of f16 and bf16. */
static void test_half(void **state) {
  (void)state;
  static const enum dtype types[] = {T_F16, T_BF16};
  for (unsigned bf = 0; bf < 2; bf++)
    for (unsigned tanh_ = 0; tanh_ < 2; tanh_++) {
      struct lane_run r = lane_insn(tanh_ ? OP_TANH : OP_EX2, types[bf], M_APPROX, R_NONE, 1);
      for (uint32_t h = 0; h < 0x10000; h += 32) {
        for (unsigned l = 0; l < 32; l++) r.src[0][l] = h + l;
        assert_true(lane_go(&r));
        for (unsigned l = 0; l < 32; l++) {
          const double x = half(h + l, bf), want = tanh_ ? tanh(x) : exp2(x);
          const double got = half(r.dst[0][l], bf), limit = bf ? 0x1.ffp127 : 65520;
          if (isnan(want)) assert_int_equal(r.dst[0][l], 0x7fff);
          else if (want >= limit) assert_true(isinf(got));
          else assert_true(fabs(got - want) <= 0.501 * ulp(want, bf ? 8 : 11, bf ? -126 : -14));
        }
      }
    }
}

static void test_f64(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (unsigned form = 0; form < 3; form++) {
    const bool gross = form != 2;
    struct lane_run r = lane_insn(form == 0 ? OP_RCP : OP_RSQRT, T_F64, M_APPROX | (gross ? M_FTZ : 0), R_NONE, 1);
    for (unsigned n = 0; n < 500; n++) {
      for (unsigned l = 0; l < 32; l++) lane_put(&r, 0, l, lane_value(&seed, 64));
      assert_true(lane_go(&r));
      for (unsigned l = 0; l < 32; l++) {
        uint64_t in = r.src[0][l] | (uint64_t)r.src[0][32 + l] << 32;
        if (gross) in &= ~0xffffffffull;
        if (gross && !(in << 1 >> 53)) in &= 1ull << 63;
        const double x = f64_of(in), want = form == 0 ? 1.0 / x : 1.0 / sqrt(x), got = f64_of(lane_get(&r, 0, l));
        if (isnan(want)) {
          assert_true(lane_get(&r, 0, l) == 0x7ff8000000000000);
        } else if (isinf(want) || want == 0) {
          assert_true(f64_bits(got) == f64_bits(want));
        } else if (gross && fabs(want) < 0x1p-1022) {
          assert_true(got == 0 && !signbit(got) == !signbit(want));
        } else {
          assert_true(fabs(got - want) <= fabs(want) * (gross ? 0x1.01p-21 : 0x1p-51));
        }
        if (gross) assert_int_equal(r.dst[0][l], 0);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors),   cmocka_unit_test(test_dense), cmocka_unit_test(test_specials),
      cmocka_unit_test(test_division), cmocka_unit_test(test_half),  cmocka_unit_test(test_f64),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
