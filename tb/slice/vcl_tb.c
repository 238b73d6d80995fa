/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of vcl: every code of n = 2 to 6 with junk above it, weighted codes of 7 and 8. docs/blocks/slice/vcl.md */
#include "blocks/slice/vcl.h"
#include "slice_tb.h"

/* clang-format off */
#define FORMAT(B, n)                                                                                                \
  B(n##_zero) B(n##_minus_zero) B(n##_smallest_subnormal) B(n##_largest_subnormal) B(n##_subnormal)                 \
  B(n##_smallest_normal) B(n##_largest_normal) B(n##_normal) B(n##_infinity) B(n##_minus_infinity) B(n##_nan_quiet) \
  B(n##_nan_signalling) B(n##_nan_payload_low) B(n##_negative_subnormal) B(n##_junk_above)
/* clang-format on */
#define BINS(B) \
  FORMAT(B, n2) \
  FORMAT(B, n3) \
  FORMAT(B, n4) FORMAT(B, n5) FORMAT(B, n6) FORMAT(B, n7) FORMAT(B, n8) B(warp) B(warp_without_format)
TB_BINS(BINS)
enum { PER_FORMAT = BIN_n3_zero - BIN_n2_zero };

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct vcl_in *in = vin;
  const struct vcl_out *out = vout;
  (void)model;
  unsigned n = in->nibbles_i & 15, m = fmt_m[n], bin = (n - 2) * PER_FORMAT;
  uint32_t x = (uint32_t)in->code_i, low = n == 8 ? UINT32_MAX : (1u << 4 * n) - 1, code = x & low;
  uint32_t y = (uint32_t)out->value_o, want = ref_widen(code, n);
  tb_expect(t, y == want, "vcl(x %08x, n %u) is %08x, expected %08x", x, n, y, want);
  uint32_t s = code >> (4 * n - 1), mag = code & low >> 1, one = 1u << m, inf = ((1u << fmt_e[n]) - 1) << m;
  if (mag == 0) {
    tb_hit(t, bin + (s ? BIN_n2_minus_zero : BIN_n2_zero));
  } else if (mag < one) {
    tb_hit(t, bin + (mag == 1         ? BIN_n2_smallest_subnormal
                     : mag == one - 1 ? BIN_n2_largest_subnormal
                     : s              ? BIN_n2_negative_subnormal
                                      : BIN_n2_subnormal));
  } else if (mag < inf) {
    tb_hit(t, bin + (mag == one ? BIN_n2_smallest_normal : mag == inf - 1 ? BIN_n2_largest_normal : BIN_n2_normal));
  } else if (mag == inf) {
    tb_hit(t, bin + (s ? BIN_n2_minus_infinity : BIN_n2_infinity));
  } else {
    tb_hit(t, bin + (mag & one >> 1 ? BIN_n2_nan_quiet : BIN_n2_nan_signalling));
    if (mag == inf + 1) {
      tb_hit(t, bin + BIN_n2_nan_payload_low);
    }
  }
  if (x != code || n == 8) { /* n = 8 has nothing above */
    tb_hit(t, bin + BIN_n2_junk_above);
  }
}

static void vcl_run_widen(struct tb_run *t, uint32_t x, unsigned n) {
  struct vcl_in in = {.code_i = x, .nibbles_i = n};
  tb_step(t, &in);
}

static void vcl_case_borders(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 2; n <= 8; n++) {
    uint32_t one = 1u << fmt_m[n], inf = ((1u << fmt_e[n]) - 1) << fmt_m[n], s = 1u << (4 * n - 1);
    const uint32_t mag[] = {0, 1, 2, one - 1, one, one + 1, inf - 1, inf, inf + 1, inf + one / 2, inf + one - 1};
    for (unsigned i = 0; i < 2 * sizeof mag / sizeof mag[0]; i++) {
      uint32_t x = mag[i / 2] | (i & 1 ? s : 0);
      vcl_run_widen(t, x, n);
      vcl_run_widen(t, n < 8 ? x | word_any(r) << 4 * n : x, n);
    }
    for (unsigned b = 0; b < fmt_m[n]; b++) { /* each count of leading zeros */
      vcl_run_widen(t, 1u << b, n);
      vcl_run_widen(t, (2u << b) - 1, n);
      vcl_run_widen(t, inf | 1u << b, n);
    }
  }
}

static void vcl_case_all_codes(struct tb_run *t, struct tb_rng *r) {
  for (unsigned n = 2; n <= 6; n++) {
    for (uint32_t x = 0; x < 1u << 4 * n; x++) {
      vcl_run_widen(t, x | word_any(r) << 4 * n, n);
    }
  }
}

/* The function that vc calls, and widths without a format, which give 0 (vcl.h). The word after the warp is unchanged. */
static void vcl_case_warp(struct tb_run *t, struct tb_rng *r) {
  for (unsigned i = 2; i < 1024; i++) {
    unsigned n = i & 15;
    bool format = n >= 2 && n <= 8;
    uint32_t x[33], y[33];
    for (unsigned l = 0; l < 33; l++) {
      x[l] = format ? code_any(r, n) | (n < 8 ? word_any(r) << 4 * n : 0) : word_any(r);
      y[l] = ~x[l];
    }
    if (format) {
      vcl_run_widen(t, x[0], n);
    }
    vcl_convert_warp(y, x, n);
    tb_expect(t, y[32] == ~x[32], "vcl_convert_warp, n %u: writes past the warp", n);
    for (unsigned l = 0; l < 32; l++) {
      uint32_t want = format ? ref_widen(n < 8 ? x[l] & ((1u << 4 * n) - 1) : x[l], n) : 0;
      tb_expect(t, y[l] == want, "vcl_convert_warp, n %u, lane %u: %08x is %08x, expected %08x", n, l, x[l], y[l],
                want);
      tb_expect(t, vcl_convert(x[l], n) == want, "vcl_convert, n %u: %08x is not %08x", n, x[l], want);
    }
    tb_hit(t, format ? BIN_warp : BIN_warp_without_format);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  for (unsigned i = 0; i < 100; i++) {
    unsigned n = phase == 0 ? 2 + tb_below(r, 7) : 6 + phase; /* vcl_case_all_codes does not cover 7 and 8 */
    vcl_run_widen(t, code_any(r, n) | (n < 8 ? word_any(r) << 4 * n : 0), n);
  }
}

static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {
  uint64_t n = ((const struct vcl_in *)in)->nibbles_i;
  (void)model, (void)last_in, (void)last_out;
  return n >= 2 && n <= 8 ? NULL : "nibbles_i is not 2 to 8";
}

static const char *const phases[] = {"every_width", "seven", "eight", NULL};
static const struct tb_case cases[] = {
    {"borders", vcl_case_borders}, {"warp", vcl_case_warp}, {"all_codes", vcl_case_all_codes}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 18200000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
