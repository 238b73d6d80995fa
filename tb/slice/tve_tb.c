/* SPDX-License-Identifier: Apache-2.0 */
/* Bench of tve: every legal pair of masks, both parts, both signs, six data words each. docs/blocks/slice/tve.md */
#include "blocks/slice/tve.h"
#include "slice_tb.h"

/* clang-format off */
#define BINS(B)                                                                                       \
  B(whole_1) B(whole_2) B(whole_3) B(whole_4) B(whole_5) B(whole_6) B(whole_7) B(whole_8) SPLITS(B)   \
  TB_8(B, fill_ones_from_slice_) TB_8(B, fill_zeros_from_slice_) TB_8(B, fill_ones_part1_from_slice_) \
  B(unsigned_with_top_set) B(part0_of_split_with_top_set) B(part1_of_whole)                           \
  B(eight_nibbles_signed) B(top_set_outside_mask_only) B(split_restored)
/* clang-format on */
TB_BINS(BINS)

static void observe(struct tb_run *t, const void *model, const void *vin, const void *vout) {
  const struct tve_in *in = vin;
  const struct tve_out *out = vout;
  (void)model;
  uint32_t e = (uint32_t)in->entry_i, d = (uint32_t)in->data_i, y = (uint32_t)out->part_data_o;
  uint32_t want = ref_extract(d, e, in->part_i & 1, in->signed_i & 1);
  tb_expect(t, y == want, "tve(d %08x, e %08x, part %u, sgn %u) is %08x, expected %08x", d, e, (unsigned)in->part_i,
            (unsigned)in->signed_i, y, want);
  unsigned p0 = mask_ones(entry_m0(e)), p1 = mask_ones(entry_m1(e)), m = in->part_i ? entry_m1(e) : entry_m0(e);
  bool last = in->part_i ? p1 : !p1;
  tb_hit(t, p1 ? BIN_split_1_1 + split_number(p0, p1) : BIN_whole_1 + p0 - 1);
  if (!m) {
    tb_hit(t, BIN_part1_of_whole);
    return;
  }
  unsigned hi = 31 - (unsigned)__builtin_clz(m), top = d >> (4 * hi + 3) & 1;
  if (last && in->signed_i && entry_nibbles(e) < 8) {
    tb_hit(t, (top ? BIN_fill_ones_from_slice_0 : BIN_fill_zeros_from_slice_0) + hi);
    if (in->part_i && top) {
      tb_hit(t, BIN_fill_ones_part1_from_slice_0 + hi);
    }
    if (!top && d >> 31) {
      tb_hit(t, BIN_top_set_outside_mask_only);
    }
  }
  if (last && !in->signed_i && top && entry_nibbles(e) < 8) {
    tb_hit(t, BIN_unsigned_with_top_set);
  }
  if (!last && in->signed_i && top) {
    tb_hit(t, BIN_part0_of_split_with_top_set);
  }
  if (last && in->signed_i && top && entry_nibbles(e) == 8) {
    tb_hit(t, BIN_eight_nibbles_signed);
  }
}

static uint32_t tve_run_extract(struct tb_run *t, uint32_t d, uint32_t e, unsigned part, unsigned sgn) {
  struct tve_in in = {.data_i = d, .entry_i = e, .part_i = part, .signed_i = sgn};
  return (uint32_t)((const struct tve_out *)tb_step(t, &in))->part_data_o;
}

static void tve_case_example(struct tb_run *t, struct tb_rng *r) {
  (void)r;
  uint32_t e = entry_pack(0x4c, 9, 0x80, 3);
  tb_expect(t, tve_run_extract(t, 0xa7777777, e, 0, 0) == 0xa, "the paper's example: part 0");
  tb_expect(t, tve_run_extract(t, 0x7d77cb77, e, 1, 0) == 0xdcb0, "the paper's example: part 1");
  tb_expect(t, tve_run_extract(t, 0x7d77cb77, e, 1, 1) == 0xffffdcb0, "the paper's example: part 1, signed");
}

/* A value is scattered, its parts are extracted and ORed: the value again, extended. */
static void tve_case_restored(struct tb_run *t, struct tb_rng *r) {
  for (unsigned i = 0; i < 3000; i++) {
    uint32_t e = entry_any(r, 1), x = word_any(r), junk = word_any(r), sgn = word_any(r) & 1;
    uint32_t s0 = ref_scatter(0xffffffff, e, 0), s1 = ref_scatter(0xffffffff, e, 1);
    uint32_t y = tve_run_extract(t, ref_scatter(x, e, 0) | (junk & ~s0), e, 0, sgn) |
                 tve_run_extract(t, ref_scatter(x, e, 1) | (junk & ~s1), e, 1, sgn);
    unsigned up = 32 - 4 * entry_nibbles(e);
    uint32_t want = sgn ? (uint32_t)((int32_t)(x << up) >> up) : x << up >> up;
    tb_expect(t, y == want, "%08x through entry %08x, sgn %u, is %08x", x, e, sgn, y);
    if (entry_m1(e)) {
      tb_hit(t, BIN_split_restored);
    }
  }
}

static void tve_case_all_masks(struct tb_run *t, struct tb_rng *r) {
  for (unsigned m0 = 1; m0 < 256; m0++) {
    for (unsigned m1 = 0; m1 < 256; m1++) {
      if (mask_ones(m0) + mask_ones(m1) > 8) {
        continue;
      }
      uint32_t e = entry_pack(m1, 1, m0, 0);
      for (unsigned k = 0; k < 4; k++) {
        uint32_t a = word_any(r), b = word_any(r) ^ e;
        const uint32_t data[] = {0xffffffff, 0x76543210, 0xfedcba98, 0, a, b};
        for (unsigned i = 0; i < 6; i++) {
          tve_run_extract(t, data[i], e, k & 1, k >> 1);
        }
      }
    }
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  (void)phase;
  for (unsigned i = 0; i < 100; i++) {
    uint32_t e = entry_any(r, 1), d = word_any(r);
    tve_run_extract(t, d, e, tb_below(r, 2), tb_below(r, 2));
    tve_run_extract(t, d ^ 1u << tb_below(r, 32), e, tb_below(r, 2), tb_below(r, 2));
  }
}

static const char *illegal(const void *model, const void *in, const void *last_in, const void *last_out) {
  (void)model, (void)last_in, (void)last_out;
  return entry_is_legal((uint32_t)((const struct tve_in *)in)->entry_i) ? NULL : "entry_i is not a legal entry";
}

static const struct tb_case cases[] = {
    {"example", tve_case_example}, {"restored", tve_case_restored}, {"all_masks", tve_case_all_masks}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 1000000,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
