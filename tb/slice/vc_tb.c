/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of vc: six units, every format and class on each, random data without valid. docs/blocks/slice/vc.md */
#include <string.h>

#include "blocks/slice/vc.h"
#include "slice_tb.h"

#define WIDTHS(B, u) B(u##_n2) B(u##_n3) B(u##_n4) B(u##_n5) B(u##_n6) B(u##_n7) B(u##_n8)
#define CLASSES(B, u) B(u##_zero) B(u##_subnormal) B(u##_normal) B(u##_infinity) B(u##_nan)
#define UNIT(B, u) WIDTHS(B, u) CLASSES(B, u) B(u##_alone) B(u##_back_to_back) B(u##_falls)
/* clang-format off */
#define BINS(B)                                                                                                     \
  UNIT(B, u0) UNIT(B, u1) UNIT(B, u2) UNIT(B, u3) UNIT(B, u4) UNIT(B, u5) B(all_units) B(no_unit) B(dispatch0_only) \
  B(dispatch1_only) B(widths_all_differ) B(junk_without_valid) B(illegal_width_without_valid) B(reset_with_valid)
/* clang-format on */
TB_BINS(BINS)
enum { PER_UNIT = BIN_u1_n2 - BIN_u0_n2 };

static unsigned vc_width_of(const struct vc_in *in, unsigned u) { return in->operand_nibbles_i[u]; }

static void vc_bins_of_classes(struct tb_run *t, const struct vc_in *in, unsigned u) {
  unsigned n = vc_width_of(in, u), m = fmt_m[n], seen = 0;
  uint32_t low = (1u << (4 * n - 1)) - 1, ones = (1u << fmt_e[n]) - 1;
  for (unsigned l = 0; l < 32; l++) {
    uint32_t mag = in->operand_data_i[u][l] & low, e = mag >> m, f = mag & ((1u << m) - 1);
    seen |= 1u << (e == ones ? 3 + (f != 0) : e ? 2 : f != 0);
  }
  for (unsigned c = 0; c < 5; c++) {
    if (seen >> c & 1) {
      tb_hit(t, BIN_u0_zero + PER_UNIT * u + c);
    }
  }
}

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct vc_in *in = vin;
  const struct vc_out *out = vout;
  unsigned v = in->operand_valid_i & 63, widths = 0;
  tb_expect(t, vc_idle(model) == (out->converted_valid_o ? 0 : UINT64_MAX), "vc_idle with converted_valid_o %02x",
            (unsigned)out->converted_valid_o);
  for (unsigned u = 0; u < 6; u++) {
    unsigned n = vc_width_of(in, u), bit = v >> u & 1;
    if (bit) {
      tb_hit(t, BIN_u0_n2 + PER_UNIT * u + n - 2);
      vc_bins_of_classes(t, in, u);
      widths |= 1u << n;
    } else {
      uint32_t any = 0;
      for (unsigned l = 0; l < 32; l++) {
        any |= in->operand_data_i[u][l];
      }
      if (any) {
        tb_hit(t, n < 2 || n > 8 ? BIN_illegal_width_without_valid : BIN_junk_without_valid);
      }
    }
    if (v == 1u << u) {
      tb_hit(t, BIN_u0_alone + PER_UNIT * u);
    }
    if (out->converted_valid_o >> u & 1) {
      tb_hit(t, (bit ? BIN_u0_back_to_back : BIN_u0_falls) + PER_UNIT * u);
    }
  }
  if (v == 63 || v == 0) {
    tb_hit(t, v ? BIN_all_units : BIN_no_unit);
  }
  if (v && !(v & 7) != !(v >> 3)) {
    tb_hit(t, v & 7 ? BIN_dispatch0_only : BIN_dispatch1_only);
  }
  if (__builtin_popcount(widths) == 6) {
    tb_hit(t, BIN_widths_all_differ);
  }
}

/* One cycle; the outputs must follow from the last cycle's inputs (NULL after a reset). */
static void vc_run_cycle(struct tb_run *t, const struct vc_in *last, const struct vc_in *in) {
  const struct vc_out *out = tb_step(t, in);
  for (unsigned u = 0; u < 6; u++) {
    unsigned v = last ? last->operand_valid_i >> u & 1 : 0;
    tb_expect(t, (out->converted_valid_o >> u & 1) == v,
              "unit %u: converted_valid_o is not last cycle's operand_valid_i", u);
    for (unsigned l = 0; l < 32; l++) {
      uint32_t y = out->converted_data_o[u][l],
               want = v ? ref_widen(last->operand_data_i[u][l], vc_width_of(last, u)) : 0;
      if (v && vc_width_of(last, u) < 8) {
        want = ref_widen(last->operand_data_i[u][l] & ((1u << 4 * vc_width_of(last, u)) - 1), vc_width_of(last, u));
      }
      tb_expect(t, y == want, "unit %u lane %u: %08x, expected %08x", u, l, y, want);
    }
  }
}

static void vc_fill_unit(struct tb_rng *r, struct vc_in *in, unsigned u, unsigned n, bool valid) {
  in->operand_nibbles_i[u] = (uint8_t)n;
  in->operand_valid_i |= (uint64_t)valid << u;
  for (unsigned l = 0; l < 32; l++) {
    uint32_t x = valid ? code_any(r, n) : word_any(r);
    in->operand_data_i[u][l] = valid && n < 8 && tb_chance(r, 25) ? x | word_any(r) << 4 * n : x;
  }
}

static void vc_case_every_width(struct tb_run *t, struct tb_rng *r) {
  struct vc_in last, in;
  memset(&last, 0, sizeof last);
  for (unsigned i = 0; i < 7 * 6 * 3; i++) {
    memset(&in, 0, sizeof in);
    for (unsigned u = 0; u < 6; u++) {
      vc_fill_unit(r, &in, u, 2 + (i / 6 + u) % 7, i % 3 == 0 || u == i % 6);
    }
    vc_run_cycle(t, &last, &in);
    last = in;
  }
}

static void vc_case_reset_under_load(struct tb_run *t, struct tb_rng *r) {
  struct vc_in in;
  for (unsigned i = 0; i < 8; i++) {
    memset(&in, 0, sizeof in);
    for (unsigned u = 0; u < 6; u++) {
      vc_fill_unit(r, &in, u, 2 + tb_below(r, 7), true);
    }
    vc_run_cycle(t, NULL, &in);
    tb_reset(t);
    tb_hit(t, BIN_reset_with_valid);
    memset(&in, 0, sizeof in);
    vc_run_cycle(t, NULL, &in);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const unsigned load[] = {8, 95, 0, 50};
  struct vc_in last, in;
  memset(&last, 0, sizeof last);
  bool burst = false;
  for (unsigned i = 60 + tb_below(r, 60); i; i--) {
    memset(&in, 0, sizeof in);
    burst = tb_chance(r, 15) ? !burst : burst;
    unsigned percent = phase == 2 ? (burst ? 95 : 3) : load[phase];
    for (unsigned u = 0; u < 6; u++) {
      bool valid = tb_chance(r, percent);
      if (valid || tb_chance(r, 50)) {
        vc_fill_unit(r, &in, u, valid ? 2 + tb_below(r, 7) : tb_below(r, 16), valid);
      }
    }
    vc_run_cycle(t, &last, &in);
    last = in;
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct vc_in *in = vin;
  (void)model, (void)last_in, (void)last_out;
  for (unsigned u = 0; u < 6; u++) {
    unsigned n = vc_width_of(in, u);
    if (in->operand_valid_i >> u & 1 && (n < 2 || n > 8)) {
      return "operand_nibbles_i of a unit with operand_valid_i is not 2 to 8";
    }
  }
  return NULL;
}

static const char *const phases[] = {"sparse", "full", "bursts", "half", NULL};
static const struct tb_case cases[] = {
    {"every_width_on_every_unit", vc_case_every_width}, {"reset_under_load", vc_case_reset_under_load}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 40000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
