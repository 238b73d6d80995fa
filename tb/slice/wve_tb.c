/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of wve: each lane equals tve; lanes are independent. docs/blocks/slice/wve.md */
#include <string.h>

#include "blocks/slice/wve.h"
#include "slice_tb.h"

/* clang-format off */
#define BINS(B)                                                                                                 \
  TB_8(B, alone_lane_0) TB_8(B, alone_lane_1) TB_8(B, alone_lane_2) TB_8(B, alone_lane_3) B(whole_1) B(whole_2) \
  B(whole_3) B(whole_4) B(whole_5) B(whole_6) B(whole_7) B(whole_8) B(split_2) B(split_3) B(split_4) B(split_5) \
  B(split_6) B(split_7) B(split_8) B(fills_differ) B(all_filled) B(none_filled) B(part1_of_whole) B(not_last)   \
  B(unsigned_top_set) B(warp_alone)
/* clang-format on */
TB_BINS(BINS)

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct wve_in *in = vin;
  const struct wve_out *out = vout;
  (void)model;
  uint32_t e = (uint32_t)in->entry_i;
  unsigned part = in->part_i & 1, m = part ? entry_m1(e) : entry_m0(e), tops = 0, odd = 0, odd_at = 0;
  for (unsigned l = 0; l < 32; l++) {
    uint32_t want = ref_extract(in->data_i[l], e, part, in->signed_i & 1);
    tb_expect(t, out->part_data_o[l] == want, "lane %u: wve(d %08x, e %08x, part %u, sgn %u) is %08x, expected %08x", l,
              in->data_i[l], e, part, (unsigned)in->signed_i, out->part_data_o[l], want);
    tops += m && in->data_i[l] >> (4 * (31 - __builtin_clz(m)) + 3) & 1;
    if (in->data_i[l] != in->data_i[(l + 1) & 31] && in->data_i[l] != in->data_i[(l + 2) & 31]) {
      odd++, odd_at = l;
    }
  }
  bool last = part ? entry_m1(e) != 0 : entry_m1(e) == 0;
  if (odd == 1) {
    tb_hit(t, BIN_alone_lane_00 + odd_at);
  }
  tb_hit(t, entry_m1(e) ? BIN_split_2 + entry_nibbles(e) - 2 : BIN_whole_1 + entry_nibbles(e) - 1);
  if (last && in->signed_i && entry_nibbles(e) < 8) {
    tb_hit(t, tops == 32 ? BIN_all_filled : tops ? BIN_fills_differ : BIN_none_filled);
  }
  if (!m) {
    tb_hit(t, BIN_part1_of_whole);
  } else if (!last && tops) {
    tb_hit(t, BIN_not_last);
  } else if (last && !in->signed_i && tops) {
    tb_hit(t, BIN_unsigned_top_set);
  }
}

static void wve_case_alone(struct tb_run *t, struct tb_rng *r) {
  for (unsigned i = 0; i < 256; i++) {
    struct wve_in in = {.entry_i = entry_any(r, 1), .part_i = 0, .signed_i = i >> 5 & 1};
    uint32_t common = i & 64 ? 0 : 0xffffffff;
    for (unsigned l = 0; l < 32; l++) {
      in.data_i[l] = l == (i & 31) ? ~common ^ (i & 128 ? word_any(r) : 0) : common;
    }
    in.part_i = entry_m1((uint32_t)in.entry_i) ? tb_below(r, 2) : 0;
    tb_step(t, &in);
  }
}

/* The function that the SM calls; the word after the warp is unchanged. */
static void wve_case_warp(struct tb_run *t, struct tb_rng *r) {
  for (unsigned i = 0; i < 256; i++) {
    struct wve_in in = {.entry_i = entry_any(r, 1), .part_i = i & 1, .signed_i = i >> 1 & 1};
    uint32_t e = (uint32_t)in.entry_i, d[33], y[33];
    for (unsigned l = 0; l < 33; l++) {
      d[l] = word_any(r) | 0x88888888; /* negative: every fill is seen */
      y[l] = l << 24;
    }
    memcpy(in.data_i, d, sizeof in.data_i);
    tb_step(t, &in);
    wve_extract(y, d, e, i & 1, i >> 1 & 1);
    tb_expect(t, y[32] == 32u << 24, "wve_extract, entry %08x: writes past the warp", e);
    for (unsigned l = 0; l < 32; l++) {
      tb_expect(t, y[l] == ref_extract(d[l], e, i & 1, i >> 1 & 1), "wve_extract, entry %08x: lane %u", e, l);
    }
    tb_hit(t, BIN_warp_alone);
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  for (unsigned i = 0; i < 100; i++) {
    struct wve_in in = {.entry_i = entry_any(r, 1), .part_i = tb_below(r, 2), .signed_i = tb_chance(r, 70)};
    tb_words(r, in.data_i, 1024);
    for (unsigned l = 0; phase == 1 && l < 32; l++) {
      in.data_i[l] = l & 1 ? in.data_i[l] | 0x88888888 : in.data_i[l] & 0x77777777;
    }
    for (unsigned l = 0; phase == 2 && l < 32; l++) {
      in.data_i[l] = i & 1 ? in.data_i[l] | 0x88888888 : in.data_i[l] & 0x77777777;
    }
    tb_step(t, &in);
  }
}

static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {
  (void)model, (void)last_in, (void)last_out;
  return entry_is_legal((uint32_t)((const struct wve_in *)in)->entry_i) ? NULL : "entry_i is not a legal entry";
}

static const char *const phases[] = {"random", "lanes_of_both_signs", "lanes_of_one_sign", NULL};
static const struct tb_case cases[] = {{"one_lane_alone", wve_case_alone}, {"warp", wve_case_warp}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 100000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
