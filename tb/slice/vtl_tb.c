/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of vtl: every exponent with fractions at the rounding borders of every format. docs/blocks/slice/vtl.md */
#include "blocks/slice/vtl.h"
#include "slice_tb.h"

/* clang-format off */
#define FORMAT(B, n)                                                                                                 \
  B(n##_zero) B(n##_minus_zero) B(n##_fp32_subnormal) B(n##_infinity) B(n##_nan_quiet) B(n##_nan_signalling)         \
  B(n##_nan_payload_lost) B(n##_exact) B(n##_tie_down_to_even) B(n##_tie_up_to_even) B(n##_below_tie)                \
  B(n##_above_tie) B(n##_carry_into_exponent) B(n##_overflow_by_rounding) B(n##_overflow_by_exponent)                \
  B(n##_largest_stays) B(n##_subnormal) B(n##_subnormal_tie) B(n##_subnormal_to_normal) B(n##_half_smallest_to_zero) \
  B(n##_above_half_to_smallest) B(n##_below_half_to_zero) B(n##_far_below) B(n##_smallest_normal) B(n##_negative)    \
  B(n##_integer) B(n##_integer_sign_cut)
#define BINS(B)                                                                                                \
  FORMAT(B, n2) FORMAT(B, n3) FORMAT(B, n4) FORMAT(B, n5) FORMAT(B, n6) FORMAT(B, n7) B(n8_float_subnormal)    \
  B(n8_float_nan_signalling) B(n8_float) B(n8_integer) B(n1_integer) B(warp) B(warp_integer) B(warp_no_format)
/* clang-format on */
TB_BINS(BINS)
enum { PER_FORMAT = BIN_n3_zero - BIN_n2_zero };

static void vtl_bins_of_float(struct tb_run *t, uint32_t x, uint32_t y, unsigned n) {
  unsigned m = fmt_m[n], bin = (n - 2) * PER_FORMAT;
  uint32_t mag = x & INT32_MAX, f = mag & 0x7fffff, ymag = y & ((1u << (4 * n - 1)) - 1);
  uint32_t inf = ((1u << fmt_e[n]) - 1) << m;
  int bias = (1 << (fmt_e[n] - 1)) - 1, e = (int)(mag >> 23) - 127 + bias;
#define HIT(name) tb_hit(t, bin + BIN_n2_##name)
  if (mag == 0) {
    tb_hit(t, bin + (x ? BIN_n2_minus_zero : BIN_n2_zero));
    return;
  }
  if (mag >> 23 == 0) {
    HIT(fp32_subnormal);
    return;
  }
  if (mag >> 23 == 255) {
    tb_hit(t, bin + (!f ? BIN_n2_infinity : f >> 22 ? BIN_n2_nan_quiet : BIN_n2_nan_signalling));
    if (f && !(f >> (23 - m))) {
      HIT(nan_payload_lost);
    }
    return;
  }
  if (x >> 31) {
    HIT(negative);
  }
  unsigned cut = e >= 1 ? 23 - m : (unsigned)(24 - (int)m - e);
  if (cut > 24) {
    tb_hit(t, bin + (cut == 25 ? BIN_n2_below_half_to_zero : BIN_n2_far_below));
    return;
  }
  uint32_t sig = f | 1u << 23, half = 1u << (cut - 1), rest = sig & (2 * half - 1);
  bool up = rest > half || (rest == half && cut < 24 && sig >> cut & 1);
  if (cut == 24) {
    tb_hit(t, bin + (rest == half ? BIN_n2_half_smallest_to_zero : BIN_n2_above_half_to_smallest));
    return;
  }
  if (e < 1) {
    HIT(subnormal);
    if (rest == half) {
      HIT(subnormal_tie);
    }
    if (ymag == 1u << m) {
      HIT(subnormal_to_normal);
    }
    return;
  }
  if (e > 2 * bias) {
    HIT(overflow_by_exponent);
    return;
  }
  tb_hit(t, bin + (rest == 0     ? BIN_n2_exact
                   : rest < half ? BIN_n2_below_tie
                   : rest > half ? BIN_n2_above_tie
                   : up          ? BIN_n2_tie_up_to_even
                                 : BIN_n2_tie_down_to_even));
  if (up && f >> cut == (1u << m) - 1) {
    tb_hit(t, bin + (ymag == inf ? BIN_n2_overflow_by_rounding : BIN_n2_carry_into_exponent));
  }
  if (ymag == inf - 1) {
    HIT(largest_stays);
  }
  if (ymag == 1u << m) {
    HIT(smallest_normal);
  }
}

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct vtl_in *in = vin;
  const struct vtl_out *out = vout;
  (void)model;
  unsigned n = in->nibbles_i & 15, fp = in->float_i & 1;
  uint32_t x = (uint32_t)in->value_i, y = (uint32_t)out->code_o, want = ref_narrow(x, n, fp);
  tb_expect(t, y == want, "vtl(x %08x, n %u, fp %u) is %08x, expected %08x", x, n, fp, y, want);
  if (n == 8) {
    tb_hit(t, !fp ? BIN_n8_integer : BIN_n8_float);
    if (fp && (x & 0x7f800000) == 0 && x << 1) {
      tb_hit(t, BIN_n8_float_subnormal);
    }
    if (fp && (x & 0x7fc00000) == 0x7f800000 && x << 9) {
      tb_hit(t, BIN_n8_float_nan_signalling);
    }
  } else if (n == 1) {
    tb_hit(t, BIN_n1_integer);
  } else if (!fp) {
    tb_hit(t, (n - 2) * PER_FORMAT + (x >> 4 * n ? BIN_n2_integer_sign_cut : BIN_n2_integer));
  } else {
    vtl_bins_of_float(t, x, y, n);
  }
}

static void vtl_run_narrow(struct tb_run *t, uint32_t x, unsigned n, unsigned fp) {
  struct vtl_in in = {.value_i = x, .nibbles_i = n, .float_i = fp};
  tb_step(t, &in);
}

/* Every exponent and sign, with fractions around the half of each bit that can be the last. */
static void vtl_case_borders(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 2; n <= 8; n++) {
    for (unsigned e = 0; e < 512; e++) {
      const uint32_t f[] = {0, 1, 0x7fffff, 0x400000, 0x3fffff, 0x400001, word_any(r) & 0x7fffff};
      for (unsigned i = 0; i < sizeof f / sizeof f[0]; i++) {
        vtl_run_narrow(t, e << 23 | f[i], n, 1);
      }
      uint32_t half = n < 8 ? 1u << (22 - fmt_m[n]) : 1, ones = 0x7fffff & ~(2 * half - 1);
      const uint32_t g[] = {half,        half - 1,          half + 1, 3 * half,    3 * half - 1, 3 * half + 1,
                            ones | half, ones | (half - 1), ones,     ones - half, 2 * half};
      for (unsigned i = 0; i < sizeof g / sizeof g[0]; i++) {
        vtl_run_narrow(t, e << 23 | (g[i] & 0x7fffff), n, 1);
      }
    }
  }
}

/* Each bit that can be cut off, alone and below a tie: every one must enter the sticky bit. */
static void vtl_case_sticky(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 2; n <= 7; n++) {
    int low = 128 - (1 << (fmt_e[n] - 1)) + 1; /* fp32 exponent of the smallest normal */
    for (int e = low - (int)fmt_m[n] - 3; e < low + 3; e++) {
      unsigned cut = 23 - fmt_m[n] + (unsigned)(e < low ? low - e : 0);
      for (unsigned b = 0; b < 23; b++) {
        uint32_t at = (uint32_t)e << 23, tie = cut <= 23 ? 1u << (cut - 1) : 0, odd = cut < 23 ? 1u << cut : 0;
        vtl_run_narrow(t, at | 1u << b, n, 1);
        vtl_run_narrow(t, at | ((tie | 1u << b) & 0x7fffff), n, 1);
        vtl_run_narrow(t, at | ((tie | odd | 1u << b) & 0x7fffff), n, 1);
        vtl_run_narrow(t, at | ((tie | odd) & 0x7fffff), n, 1);
        vtl_run_narrow(t, at | (word_any(r) & 0x7fffff), n, 1);
      }
    }
  }
}

static void vtl_case_integers(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 1; n <= 8; n++) {
    for (unsigned b = 0; b < 32; b++) {
      vtl_run_narrow(t, 1u << b, n, 0);
      vtl_run_narrow(t, ~(1u << b), n, 0);
      vtl_run_narrow(t, word_any(r), n, 0);
    }
    vtl_run_narrow(t, 0, n, 0);
    vtl_run_narrow(t, UINT32_MAX, n, 0);
  }
}

/* The function that vt calls, and widths without a format: 0 for a float, x from nine nibbles on (vtl.h). */
static void vtl_case_warp(struct tb_run *t, struct tb_rng *r) {
  for (unsigned i = 0; i < 2048; i++) {
    unsigned n = i & 15, fp = i >> 4 & 1, beyond = n > 8, none = fp && n < 2;
    uint32_t x[33], y[33];
    for (unsigned l = 0; l < 33; l++) {
      x[l] = fp ? float_any(r, n) : word_any(r);
      y[l] = ~x[l];
    }
    if (n && !beyond && !none) {
      vtl_run_narrow(t, x[0], n, fp);
    }
    vtl_truncate_warp(y, x, n, fp);
    tb_expect(t, y[32] == ~x[32], "vtl_truncate_warp, n %u, fp %u: writes past the warp", n, fp);
    for (unsigned l = 0; l < 32; l++) {
      uint32_t want = none ? 0 : beyond ? x[l] : ref_narrow(x[l], n, fp), one = vtl_truncate(x[l], n, fp);
      tb_expect(t, y[l] == want, "vtl_truncate_warp(x %08x, n %u, fp %u) is %08x, expected %08x", x[l], n, fp, y[l],
                want);
      tb_expect(t, one == want, "vtl_truncate(x %08x, n %u, fp %u) is %08x, expected %08x", x[l], n, fp, one, want);
    }
    tb_hit(t, beyond || none ? BIN_warp_no_format : fp ? BIN_warp : BIN_warp_integer);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  for (unsigned i = 0; i < 100; i++) {
    unsigned n = phase == 0 ? 1 + tb_below(r, 8) : 1 + phase, fp = n > 1 && tb_chance(r, 90);
    vtl_run_narrow(t, fp ? float_any(r, n) : word_any(r), n, fp);
  }
}

static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {
  const struct vtl_in *i = in;
  (void)model, (void)last_in, (void)last_out;
  return i->nibbles_i < 1 || i->nibbles_i > 8 ? "nibbles_i is not 1 to 8"
         : i->float_i && i->nibbles_i < 2     ? "a float of one nibble"
                                              : NULL;
}

static const char *const phases[] = {"every_width", "two", "three", "four", "five", "six", "seven", NULL};
static const struct tb_case cases[] = {{"borders", vtl_case_borders},
                                       {"warp", vtl_case_warp},
                                       {"sticky", vtl_case_sticky},
                                       {"integers", vtl_case_integers},
                                       {NULL, NULL}};
const struct tb tb_bench = {.cycles = 2000000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
