/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle: the narrow floats of the slice blocks by MPFR, for tests. It shares nothing with cmodel/: values
 * are exact MPFR numbers, rounding is MPFR's, range and gradual underflow are its emin, emax and
 * mpfr_subnormalize. Only what MPFR has no notion of (NaN payloads, the codes' layout) is written out.
 */
#ifndef RT_TEST_SLICE_ORACLE_H
#define RT_TEST_SLICE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <mpfr.h>

struct oracle {
  unsigned n, exp, man; /* nibbles, bits of exponent and mantissa */
  int bias;
  mpfr_exp_t emin, emax; /* as MPFR counts: mantissa in [1/2, 1) */
  mpfr_t narrow, wide;
};

static inline void oracle_open(struct oracle *o, unsigned n) {
  static const unsigned exps[8] = {0, 0, 3, 4, 5, 5, 6, 7};
  o->n = n;
  o->exp = exps[n];
  o->man = 4 * n - 1 - o->exp;
  o->bias = (1 << (o->exp - 1)) - 1;
  o->emin = 2 - o->bias - (int)o->man;
  o->emax = o->bias + 1;
  mpfr_init2(o->narrow, o->man + 1);
  mpfr_init2(o->wide, 64);
}
static inline void oracle_close(struct oracle *o) { mpfr_clears(o->narrow, o->wide, (mpfr_ptr)0); }

static inline uint32_t oracle_inf(const struct oracle *o) { return ((1u << o->exp) - 1) << o->man; }
static inline uint32_t oracle_sign(const struct oracle *o) { return 1u << (o->exp + o->man); }

static inline uint32_t float_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}
static inline float bits_float(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

/* The value of a finite code without sign, into x (of at least man + 1 bits): exact. */
static inline void oracle_value(const struct oracle *o, mpfr_t x, uint32_t mag) {
  const uint32_t e = mag >> o->man, m = mag & ((1u << o->man) - 1);
  mpfr_set_ui_2exp(x, e ? m | 1u << o->man : m, (e ? (int)e : 1) - o->bias - (int)o->man, MPFR_RNDN);
}

/* fp32 bits of a code. */
static inline uint32_t oracle_convert(struct oracle *o, uint32_t code) {
  const uint32_t mag = code & (oracle_sign(o) - 1), sign = code & oracle_sign(o) ? 1u << 31 : 0;
  if (mag > oracle_inf(o)) return sign | 0x7f800000u | (mag & ((1u << o->man) - 1)) << (23 - o->man);
  if (mag == oracle_inf(o)) {
    mpfr_set_inf(o->narrow, 1);
  } else {
    oracle_value(o, o->narrow, mag);
  }
  return sign | float_bits(mpfr_get_flt(o->narrow, MPFR_RNDN));
}

/* Code of fp32 bits: rounded to nearest even by MPFR in the format's own range. */
static inline uint32_t oracle_truncate(struct oracle *o, uint32_t x) {
  const uint32_t sign = x >> 31 ? oracle_sign(o) : 0, f = x & 0x7fffffu;
  if ((x & 0x7fffffffu) > 0x7f800000u) return sign | oracle_inf(o) | 1u << (o->man - 1) | f >> (23 - o->man);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(o->emin);
  mpfr_set_emax(o->emax);
  int inexact = mpfr_set_flt(o->narrow, bits_float(x & 0x7fffffffu), MPFR_RNDN);
  inexact = mpfr_check_range(o->narrow, inexact, MPFR_RNDN);
  mpfr_subnormalize(o->narrow, inexact, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  if (mpfr_inf_p(o->narrow)) return sign | oracle_inf(o);
  if (mpfr_zero_p(o->narrow)) return sign;
  const long e = mpfr_get_exp(o->narrow) - 1 + o->bias; /* the exponent field, if above zero */
  mpfr_mul_2si(o->wide, o->narrow, o->bias + (int)o->man - (e > 1 ? e : 1), MPFR_RNDN);
  const uint32_t m = (uint32_t)mpfr_get_ui(o->wide, MPFR_RNDN);
  return sign + (e >= 1 ? (uint32_t)(e - 1) << o->man : 0) + m; /* m has the leading one of a normal number */
}

#endif
