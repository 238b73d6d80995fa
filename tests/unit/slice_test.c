/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of the slice blocks: number formats against MPFR (tests/cosim/slice/oracle.h; all 2^32 inputs of each
 * format: make exhaustive), the extractor against the specification's own loop over every pair of
 * masks.
 */
#include "cosim/slice/kit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "blocks/slice/tve.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vt.h"
#include "blocks/slice/vtl.h"
#include "blocks/slice/wve.h"
#include "cosim/slice/oracle.h"
#include "unit/sampled.h"

/* ---- converter ---- */
static uint64_t wrong_codes(unsigned n, uint32_t from, uint32_t to) {
  struct oracle o;
  uint64_t bad = 0;
  oracle_open(&o, n);
  const uint32_t sign = oracle_sign(&o);
  for (uint32_t c = from; c < to; c++) {
    const uint32_t want = oracle_convert(&o, c);
    bad += vcl_convert(c, n) != want;
    if (n == 7) bad += vcl_convert(c | sign, n) != (want | 1u << 31);
  }
  oracle_close(&o);
  return bad;
}

/* Every code; of the 2^28 of n = 7 MPFR gives those without a sign, half of them in a child, and under sanitizers an eighth of both. */
static void converter_every_code(void **state) {
  (void)state;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  const uint32_t half = 1u << 26, some = ONE_OF > 1 ? half / 8 : half;
  if (!pid) _exit(wrong_codes(7, half, half + some) != 0);
  for (unsigned n = 2; n <= 6; n++) assert_int_equal(wrong_codes(n, 0, 1u << 4 * n), 0);
  assert_int_equal(wrong_codes(7, 0, some), 0);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void converter_by_hand(void **state) {
  (void)state;
  assert_int_equal(vcl_convert(0x00, 2), 0);
  assert_int_equal(vcl_convert(0x80, 2), 0x80000000u);
  assert_int_equal(vcl_convert(0x30, 2), 0x3f800000u);
  assert_int_equal(vcl_convert(0x01, 2), 0x3c800000u); /* 2^-6 */
  assert_int_equal(vcl_convert(0x0f, 2), 0x3e700000u); /* 15 * 2^-6 */
  assert_int_equal(vcl_convert(0x70, 2), 0x7f800000u);
  assert_int_equal(vcl_convert(0xf9, 2), 0xffc80000u); /* payload kept */
  assert_int_equal(vcl_convert(0x71, 2), 0x7f880000u); /* and not made quiet */
  assert_int_equal(vcl_convert(0x3c00, 4), 0x3f800000u);
  assert_int_equal(vcl_convert(0xfbff, 4), 0xc77fe000u); /* -65504 */
  assert_int_equal(vcl_convert(0xdeadbeefu, 8), 0xdeadbeefu);
  assert_int_equal(vcl_convert(0xffff3c00u, 4), 0x3f800000u); /* what is above the code is ignored */
  for (unsigned n = 0; n < 16; n++) {
    if (n < 2 || n > 8) assert_int_equal(vcl_convert(~0u, n), 0);
  }
}

/* ---- truncator ---- */
static void check_input(struct oracle *o, uint32_t x) {
  const uint32_t want = oracle_truncate(o, x), got = vtl_truncate(x, o->n, true);
  if (got != want) fail_msg("vtl n=%u x=%08x: MPFR %x, found %x", o->n, x, want, got);
}
static void check_around(struct oracle *o, uint32_t x) {
  for (uint32_t d = 0; d < 3; d++) {
    check_input(o, (x - 1 + d) & 0x7fffffffu);
    check_input(o, ((x - 1 + d) & 0x7fffffffu) | 1u << 31);
  }
}
/* The code's value and the means to both neighbours, each with the fp32 numbers beside it. */
static void check_code(struct oracle *o, uint32_t code) {
  mpfr_t half;
  mpfr_init2(half, 64);
  oracle_value(o, o->wide, code);
  check_around(o, float_bits(mpfr_get_flt(o->wide, MPFR_RNDN)));
  oracle_value(o, half, code + 1);
  mpfr_add(half, half, o->wide, MPFR_RNDN);
  mpfr_div_2ui(half, half, 1, MPFR_RNDN);
  check_around(o, float_bits(mpfr_get_flt(half, MPFR_RNDN)));
  mpfr_clear(half);
}

static void truncator_borders(void **state) {
  (void)state;
  uint64_t seed = 31;
  for (unsigned n = 2; n <= 7; n++) {
    struct oracle o;
    oracle_open(&o, n);
    const uint32_t inf = oracle_inf(&o), edge = 1u << o.man;
    if (n <= 4) {
      for (uint32_t c = 0; c < inf; c++) check_code(&o, c);
    } else {
      for (uint32_t c = 0; c < 1500; c++) {
        check_code(&o, c);
        check_code(&o, edge - 750 + c);
        check_code(&o, inf - 1 - c);
        check_code(&o, rng32(&seed) % inf);
      }
    }
    for (uint32_t e = 0; e < 256; e++) check_around(&o, e << 23); /* every fp32 binade, zero, infinity, NaN */
    oracle_close(&o);
  }
}

static void truncator_sample(void **state) {
  (void)state;
  uint64_t seed = 32;
  for (unsigned n = 2; n <= 7; n++) {
    struct oracle o;
    oracle_open(&o, n);
    const uint32_t span = 2 * (uint32_t)o.bias + o.man + 6;
    for (int i = 0; i < 350000; i++) {
      uint32_t x = rng32(&seed);
      check_input(&o, x);
      x = (x & 0x807fffffu) | (127 - (uint32_t)o.bias - o.man - 2 + rng32(&seed) % span) << 23;
      check_input(&o, x); /* near the format's range */
    }
    oracle_close(&o);
  }
}

static void truncator_by_hand(void **state) {
  (void)state;
  assert_int_equal(vtl_truncate(0x3f800000, 2, true), 0x30);
  assert_int_equal(vtl_truncate(0x3c000000, 2, true), 0x00); /* half the smallest subnormal: tie to even */
  assert_int_equal(vtl_truncate(0x3c000001, 2, true), 0x01);
  assert_int_equal(vtl_truncate(0x3e7c0000, 2, true), 0x10); /* 15.75 * 2^-6: up into the normal numbers */
  assert_int_equal(vtl_truncate(0x41780000, 2, true), 0x6f); /* 15.5 */
  assert_int_equal(vtl_truncate(0x417c0000, 2, true), 0x70); /* 15.75, half an ulp above: even is infinity */
  assert_int_equal(vtl_truncate(0x417bffff, 2, true), 0x6f);
  assert_int_equal(vtl_truncate(0xff800000, 2, true), 0xf0);
  assert_int_equal(vtl_truncate(0xff800001, 2, true), 0xf8); /* a signalling NaN becomes quiet */
  assert_int_equal(vtl_truncate(0x007fffff, 7, true), 0);    /* fp32 subnormal */
  assert_int_equal(vtl_truncate(0x807fffff, 7, true), 0x8000000);
  for (unsigned n = 1; n <= 8; n++) {
    assert_int_equal(vtl_truncate(0xfedcba98u, n, false), 0xfedcba98u & (uint32_t)((1ull << 4 * n) - 1));
  }
  assert_int_equal(vtl_truncate(0x7f800001, 8, true), 0x7f800001);
  assert_int_equal(vtl_truncate(~0u, 0, false), 0);
  assert_int_equal(vtl_truncate(~0u, 15, true), ~0u);
  assert_int_equal(vtl_truncate(~0u, 1, true), 0);

  assert_true(vtl_restores(0xf, 1) && vtl_restores(0xffffffffu, 1) && vtl_restores(0xfffffff8u, 1));
  assert_false(vtl_restores(0x10, 1) || vtl_restores(0xfffffff7u, 1) || vtl_restores(0x80000000u, 7));
  assert_true(vtl_restores(0x80000000u, 8) && vtl_restores(0, 1) && vtl_restores(0x0fffffffu, 7));
}

/* Truncating a converted code gives it back, a NaN made quiet. */
static void round_trip(void **state) {
  (void)state;
  for (unsigned n = 2; n <= 7; n++) {
    struct oracle o;
    oracle_open(&o, n);
    const uint32_t inf = oracle_inf(&o), sign = oracle_sign(&o), quiet = 1u << (o.man - 1);
    uint64_t bad = 0;
    for (uint32_t c = 0; c < 1ull << 4 * n; c += n < 7 ? 1 : 7) {
      const uint32_t want = (c & (sign - 1)) > inf ? c | quiet : c;
      bad += vtl_truncate(vcl_convert(c, n), n, true) != want;
    }
    assert_int_equal(bad, 0);
    oracle_close(&o);
  }
}

/* The warp-wide functions are the scalar ones, lane by lane. */
static void warp_is_lanes(void **state) {
  (void)state;
  uint64_t seed = 33;
  for (int i = 0; i < 20000; i++) {
    uint32_t x[32], y[32], z[32];
    random_warp(&seed, x);
    if (i & 1) {
      for (int l = 0; l < 32; l++) x[l] = (x[l] & 0x807fffffu) | (100 + (x[l] >> 23 & 31)) << 23;
    }
    const unsigned n = rng32(&seed) & 15;
    const bool fp = rng32(&seed) & 1, part = rng32(&seed) & 1, sgn = rng32(&seed) & 1;
    const uint32_t e = rng32(&seed);
    vcl_convert_warp(y, x, n);
    vtl_truncate_warp(z, x, n, fp);
    for (int l = 0; l < 32; l++) {
      assert_int_equal(y[l], vcl_convert(x[l], n));
      assert_int_equal(z[l], vtl_truncate(x[l], n, fp));
    }
    wve_extract(y, x, e, part, sgn);
    vt_scatter_warp(z, x, e, part);
    for (int l = 0; l < 32; l++) {
      assert_int_equal(y[l], tve_extract(x[l], e, part, sgn));
      assert_int_equal(z[l], vt_scatter(x[l], e, part));
    }
  }
}

/* ---- extractor ---- */
static int position(unsigned m, int k) { /* k-th set slice, -1: none */
  for (int i = 0; i < 8; i++) {
    if (m >> i & 1 && k-- == 0) return i;
  }
  return -1;
}
static uint32_t nibble(uint32_t x, int i) { return x >> 4 * i & 15; }

/* docs/blocks/slice/tve.md, nibble by nibble as it stands there. */
static uint32_t extract_by_spec(uint32_t d, uint32_t e, bool part, bool sgn) {
  const unsigned m0 = e >> 8 & 0xff, m1 = e >> 24, m = part ? m1 : m0;
  const int p0 = bit_count32(m0), n = p0 + bit_count32(m1), base = part ? p0 : 0, p = bit_count32(m);
  const bool last = m1 == 0 ? !part : part;
  const uint32_t fill = m && last && sgn && nibble(d, position(m, p - 1)) & 8 ? 0xf : 0;
  uint32_t y = 0;
  for (int j = 0; j < 8; j++) {
    const uint32_t v = base <= j && j < base + p ? nibble(d, position(m, j - base)) : j >= n && last ? fill : 0;
    y |= v << 4 * j;
  }
  return y;
}

static void extractor_every_mask(void **state) {
  (void)state;
  uint64_t seed = 34;
  unsigned legal = 0;
  for (unsigned masks = 0; masks < 65536; masks++) {
    const uint32_t e = entry_make(rng32(&seed), masks & 0xff, rng32(&seed), masks >> 8);
    const uint32_t d = rng32(&seed);
    for (unsigned k = 0; k < 4; k++)
      assert_int_equal(tve_extract(d, e, k & 1, k >> 1), extract_by_spec(d, e, k & 1, k >> 1));
    if (!(masks & 0xff) || bit_count32(masks) > 8) continue;
    legal++;
    const unsigned n = entry_n(e);
    const uint32_t low = n == 8 ? ~0u : (1u << 4 * n) - 1;
    for (int i = 0; i < 6; i++) {
      /* what vt scatters into registers full of other values, the extractor puts together again */
      const uint32_t x = rng32(&seed) & low, sign = x & ~(low >> 1) ? ~low : 0;
      uint32_t keep[2] = {0, 0}, reg[2];
      for (int part = 0; part < 2; part++) {
        for (int j = 0; j < 8; j++) keep[part] |= entry_m(e, part) >> j & 1 ? 0 : 15u << 4 * j;
        assert_int_equal(vt_scatter(x, e, part) & keep[part], 0);
        reg[part] = vt_scatter(x, e, part) | (rng32(&seed) & keep[part]);
      }
      assert_int_equal(tve_extract(reg[0], e, 0, 0) & tve_extract(reg[1], e, 1, 0), 0);
      assert_int_equal(tve_extract(reg[0], e, 0, 0) | tve_extract(reg[1], e, 1, 0), x);
      assert_int_equal(tve_extract(reg[0], e, 0, 1) | tve_extract(reg[1], e, 1, 1), x | sign);
    }
  }
  assert_int_equal(legal, 39202 - 255); /* sum of C(16, 1..8), less the masks of part 1 alone */
}

/* A result through vt, two registers, wve and vc is the result rounded to the format. */
static void whole_path(void **state) {
  (void)state;
  uint64_t seed = 37;
  for (int i = 0; i < 3000; i++) {
    const unsigned n = 2 + rng32(&seed) % 7;
    const uint32_t e = random_entry(&seed, 1, 2, n);
    uint32_t x[32], reg[2][32], part[2][32], code[32], y[32];
    random_warp(&seed, x);
    for (int l = 0; l < 32; l++) x[l] = (x[l] & 0x807fffffu) | (90 + rng32(&seed) % 70) << 23;
    vtl_truncate_warp(code, x, n, true);
    for (int p = 0; p < 2; p++) {
      vt_scatter_warp(reg[p], code, e, p);
      wve_extract(part[p], reg[p], e, p, false);
    }
    for (int l = 0; l < 32; l++) part[0][l] |= part[1][l];
    assert_memory_equal(part[0], code, sizeof code);
    vcl_convert_warp(y, part[0], n);
    for (int l = 0; l < 32; l++) assert_int_equal(vtl_truncate(y[l], n, true), code[l]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(converter_every_code), cmocka_unit_test(converter_by_hand),
      cmocka_unit_test(truncator_borders),    cmocka_unit_test(truncator_sample),
      cmocka_unit_test(truncator_by_hand),    cmocka_unit_test(round_trip),
      cmocka_unit_test(warp_is_lanes),        cmocka_unit_test(extractor_every_mask),
      cmocka_unit_test(whole_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
