/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of vt: three units whose two parts are taken at once, one after the other in both orders, late, or very late.
 * The bench keeps what each unit holds and checks it in every cycle. docs/blocks/slice/vt.md
 */
#include <string.h>

#include "blocks/slice/vt.h"
#include "slice_tb.h"

/* clang-format off */
#define UNIT(B, u)                                                                                              \
  B(u##_taken_when_empty) B(u##_whole_leaves) B(u##_both_parts_at_once) B(u##_part0_first) B(u##_part1_first)   \
  B(u##_refill_behind_whole) B(u##_refill_behind_both) B(u##_refill_behind_late_part0)                          \
  B(u##_refill_behind_late_part1) B(u##_refused) B(u##_ready_without_valid) B(u##_both_stall) B(u##_long_stall) \
  B(u##_empties) B(u##_split) B(u##_whole) B(u##_float) B(u##_negative_integer) B(u##_positive_integer)         \
  B(u##_junk_in_idle_lanes) B(u##_no_lane) B(u##_all_lanes) B(u##_junk_without_valid)
#define BINS(B)                                                                                                    \
  UNIT(B, u0) UNIT(B, u1) UNIT(B, u2) B(three_full) B(three_empty) B(reset_while_full) B(scatter_alone) B(int_n1)  \
  B(int_n2) B(int_n3) B(int_n4) B(int_n5) B(int_n6) B(int_n7) B(int_n8) B(float_n2) B(float_n3) B(float_n4)        \
  B(float_n5) B(float_n6) B(float_n7) B(float_n8) B(to_zero) B(to_subnormal) B(to_normal) B(to_infinity) B(to_nan) \
  B(overflow) B(underflow) SPLITS(B)
/* clang-format on */
TB_BINS(BINS)
enum { PER_UNIT = BIN_u1_refused - BIN_u0_refused };

struct item { /* a result under way */
  uint32_t e, lane, warp, fp, x[32];
};
struct collector_unit {
  bool v0, v1, offered;
  unsigned stalled;
  struct item held, offer; /* the result in the block; the one at its input */
};
struct sim {
  struct collector_unit u[3];
};

static void vt_hit_unit(struct tb_run *t, unsigned u, unsigned bin) { tb_hit(t, bin + PER_UNIT * u); }

static void vt_item_put(struct vt_in *in, unsigned u, const struct item *it) {
  uint32_t *payload = in->result_payload_i[u];
  in->result_entry_i[u] = it->e;
  memcpy(payload, it->x, sizeof it->x);
  payload[32] = it->lane;
  payload[33] = it->fp << 6 | it->warp;
}

static struct item vt_item_get(const struct vt_in *in, unsigned u) {
  const uint32_t *payload = in->result_payload_i[u];
  struct item it = {
      .e = in->result_entry_i[u], .fp = payload[33] >> 6 & 1, .warp = payload[33] & 63, .lane = payload[32]};
  memcpy(it.x, payload, sizeof it.x);
  return it;
}

static uint32_t vt_extend(uint32_t x, unsigned n, bool sign) {
  unsigned up = 32 - 4 * n;
  return sign ? (uint32_t)((int32_t)(x << up) >> up) : x << up >> up;
}

static const char *vt_illegal_item(const struct item *it) {
  unsigned n = entry_nibbles(it->e);
  if (!entry_is_legal(it->e)) {
    return "result_entry_i is not a legal entry";
  }
  if (it->fp && n < 2) {
    return "a float of one nibble";
  }
  for (unsigned l = 0; l < 32; l++) {
    uint32_t x = it->x[l];
    if (!it->fp && it->lane >> l & 1 && x != vt_extend(x, n, true) && x != vt_extend(x, n, false)) {
      return "an integer in an active lane that does not fit its entry";
    }
  }
  return NULL;
}

static void vt_bins_of_item(struct tb_run *t, unsigned u, const struct item *it) {
  unsigned n = entry_nibbles(it->e), m = fmt_m[n];
  vt_hit_unit(t, u, entry_m1(it->e) ? BIN_u0_split : BIN_u0_whole);
  tb_hit(t, it->fp ? BIN_float_n2 + n - 2 : BIN_int_n1 + n - 1);
  if (entry_m1(it->e)) {
    tb_hit(t, BIN_split_1_1 + split_number(mask_ones(entry_m0(it->e)), mask_ones(entry_m1(it->e))));
  }
  if (it->lane == 0 || it->lane == UINT32_MAX) {
    vt_hit_unit(t, u, it->lane ? BIN_u0_all_lanes : BIN_u0_no_lane);
  }
  for (unsigned l = 0; l < 32; l++) {
    uint32_t x = it->x[l];
    if (it->fp && n < 8) {
      uint32_t y = ref_narrow(x, n, 1), mag = y & ((1u << (4 * n - 1)) - 1), inf = ((1u << fmt_e[n]) - 1) << m;
      vt_hit_unit(t, u, BIN_u0_float);
      tb_hit(t, mag == 0        ? BIN_to_zero
                : mag < 1u << m ? BIN_to_subnormal
                : mag < inf     ? BIN_to_normal
                : mag == inf    ? BIN_to_infinity
                                : BIN_to_nan);
      if (mag == inf && (x << 1) >> 24 != 255) {
        tb_hit(t, BIN_overflow);
      }
      if (mag == 0 && x << 1) {
        tb_hit(t, BIN_underflow);
      }
    } else if (!it->fp && n < 8) {
      if (it->lane >> l & 1) {
        vt_hit_unit(t, u, x >> 31 ? BIN_u0_negative_integer : BIN_u0_positive_integer);
      } else if (x != vt_extend(x, n, true) && x != vt_extend(x, n, false)) {
        vt_hit_unit(t, u, BIN_u0_junk_in_idle_lanes);
      }
    }
  }
}

static void vt_check_unit(struct tb_run *t, const struct collector_unit *s, const struct vt_out *out, unsigned u) {
  const struct item *h = &s->held;
  bool any = s->v0 || s->v1;
  tb_expect(t, (out->part0_valid_o >> u & 1) == s->v0 && (out->part1_valid_o >> u & 1) == s->v1,
            "unit %u: parts pending are %u %u, expected %u %u", u, (unsigned)(out->part0_valid_o >> u & 1),
            (unsigned)(out->part1_valid_o >> u & 1), s->v0, s->v1);
  tb_expect(t, out->part0_register_o[u] == (s->v0 ? entry_r0(h->e) : 0), "unit %u: part0_register_o", u);
  tb_expect(t, out->part0_mask_o[u] == (s->v0 ? entry_m0(h->e) : 0), "unit %u: part0_mask_o", u);
  tb_expect(t, out->part1_register_o[u] == (s->v1 ? entry_r1(h->e) : 0), "unit %u: part1_register_o", u);
  tb_expect(t, out->part1_mask_o[u] == (s->v1 ? entry_m1(h->e) : 0), "unit %u: part1_mask_o", u);
  tb_expect(t, out->active_lanes_o[u] == (any ? h->lane : 0), "unit %u: active_lanes_o", u);
  tb_expect(t, out->warp_o[u] == (any ? h->warp : 0), "unit %u: warp_o", u);
  for (unsigned l = 0; l < 32; l++) {
    uint32_t y = any ? ref_narrow(h->x[l], entry_nibbles(h->e), h->fp) : 0, d0 = out->part0_data_o[u][l];
    uint32_t w0 = s->v0 ? ref_scatter(y, h->e, 0) : 0, w1 = s->v1 ? ref_scatter(y, h->e, 1) : 0;
    tb_expect(t, d0 == w0, "unit %u lane %u: part 0 is %08x, expected %08x", u, l, d0, w0);
    tb_expect(t, out->part1_data_o[u][l] == w1, "unit %u lane %u: part 1 is %08x, expected %08x", u, l,
              out->part1_data_o[u][l], w1);
  }
}

static void vt_bins_of_unit(struct tb_run *t, const struct collector_unit *s, unsigned u, bool v, bool rdy, bool r0,
                            bool r1) {
  bool split = entry_m1(s->held.e) != 0, any = s->v0 || s->v1, take = v && rdy;
  if (!any) {
    if (take) {
      vt_hit_unit(t, u, BIN_u0_taken_when_empty);
    }
  } else if (s->v0 && s->v1) {
    vt_hit_unit(t, u,
                r0 && r1 ? BIN_u0_both_parts_at_once
                : r0     ? BIN_u0_part0_first
                : r1     ? BIN_u0_part1_first
                         : BIN_u0_both_stall);
  } else if (s->v0 && !split && r0) {
    vt_hit_unit(t, u, BIN_u0_whole_leaves);
  }
  if (any && take) {
    vt_hit_unit(t, u,
                s->v0 && s->v1 ? BIN_u0_refill_behind_both
                : !split       ? BIN_u0_refill_behind_whole
                : s->v0        ? BIN_u0_refill_behind_late_part0
                               : BIN_u0_refill_behind_late_part1);
  }
  if (any && rdy && !v) {
    vt_hit_unit(t, u, BIN_u0_empties);
  }
  if (v != rdy) {
    vt_hit_unit(t, u, v ? BIN_u0_refused : BIN_u0_ready_without_valid);
  }
  if (s->stalled >= 12) {
    vt_hit_unit(t, u, BIN_u0_long_stall);
  }
}

static void vt_run_cycle(struct tb_run *t, struct sim *s, const struct vt_in *in) {
  const struct vt_out *out = tb_step(t, in);
  unsigned full = 0;
  for (unsigned u = 0; u < 3; u++) {
    struct collector_unit *un = &s->u[u];
    bool v = in->result_valid_i >> u & 1, r0 = in->part0_ready_i >> u & 1, r1 = in->part1_ready_i >> u & 1;
    bool rdy = (!un->v0 || r0) && (!un->v1 || r1);
    vt_check_unit(t, un, out, u);
    tb_expect(t, (out->result_ready_o >> u & 1) == rdy, "unit %u: result_ready_o is not %u", u, rdy);
    vt_bins_of_unit(t, un, u, v, rdy, r0, r1);
    full += un->v0 || un->v1;
    un->stalled = rdy ? 0 : un->stalled + 1;
    un->v0 = un->v0 && !r0, un->v1 = un->v1 && !r1;
    if (v && rdy) {
      un->held = vt_item_get(in, u);
      un->v0 = true, un->v1 = entry_m1(un->held.e) != 0;
      vt_bins_of_item(t, u, &un->held);
      un->offered = false;
    }
  }
  if (full == 3 || full == 0) {
    tb_hit(t, full ? BIN_three_full : BIN_three_empty);
  }
}

static struct item vt_item_any(struct tb_rng *r) {
  struct item it = {.fp = tb_chance(r, 55), .warp = tb_below(r, 64)};
  it.e = entry_any(r, it.fp ? 2 : 1);
  it.lane = tb_chance(r, 15) ? 0 : tb_chance(r, 30) ? UINT32_MAX : word_any(r);
  unsigned n = entry_nibbles(it.e);
  bool sign = tb_chance(r, 60);
  for (unsigned l = 0; l < 32; l++) {
    uint32_t x = word_any(r);
    it.x[l] = it.fp ? float_any(r, n) : it.lane >> l & 1 ? vt_extend(x, n, sign) : x;
  }
  return it;
}

/* Offers stay until taken; without an offer, random data without valid. */
static void vt_drive_inputs(struct tb_run *t, struct tb_rng *r, struct sim *s, struct vt_in *in, unsigned percent) {
  for (unsigned u = 0; u < 3; u++) {
    struct collector_unit *un = &s->u[u];
    if (!un->offered && tb_chance(r, percent)) {
      un->offer = vt_item_any(r);
      un->offered = true;
    }
    if (un->offered) {
      in->result_valid_i |= 1u << u;
      vt_item_put(in, u, &un->offer);
    } else if (tb_chance(r, 40)) {
      struct item junk = {.e = word_any(r), .lane = word_any(r), .warp = tb_below(r, 64), .fp = tb_below(r, 2)};
      tb_words(r, junk.x, 1024);
      vt_item_put(in, u, &junk);
      vt_hit_unit(t, u, BIN_u0_junk_without_valid);
    }
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct {
    unsigned valid, ready0, ready1, sticky;
  } bias[] = {{8, 90, 90, 0},  {98, 95, 95, 0},  {80, 20, 20, 0}, {90, 70, 10, 0},
              {90, 10, 70, 0}, {70, 50, 50, 92}, {60, 50, 50, 0}};
  struct sim s;
  struct vt_in in;
  memset(&s, 0, sizeof s);
  unsigned rdy0 = 0, rdy1 = 0;
  for (unsigned i = 60 + tb_below(r, 80); i; i--) {
    memset(&in, 0, sizeof in);
    vt_drive_inputs(t, r, &s, &in, bias[phase].valid);
    for (unsigned u = 0; u < 3; u++) { /* sticky: banks keep their state for long */
      if (!tb_chance(r, bias[phase].sticky)) {
        rdy0 = (rdy0 & ~(1u << u)) | (unsigned)tb_chance(r, bias[phase].ready0) << u;
        rdy1 = (rdy1 & ~(1u << u)) | (unsigned)tb_chance(r, bias[phase].ready1) << u;
      }
    }
    in.part0_ready_i = rdy0, in.part1_ready_i = rdy1;
    vt_run_cycle(t, &s, &in);
  }
}

/* One result at a time, each shape, parts taken in each order with each delay up to three. */
static void vt_case_orders(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct vt_in in;
  memset(&s, 0, sizeof s);
  for (unsigned i = 0; i < 64; i++) {
    memset(&in, 0, sizeof in);
    vt_drive_inputs(t, r, &s, &in, 100);
    in.part0_ready_i = in.part1_ready_i = 7;
    vt_run_cycle(t, &s, &in);
    for (unsigned c = 0; c < 4; c++) {
      memset(&in, 0, sizeof in);
      in.part0_ready_i = c == (i & 3) ? 7 : 0, in.part1_ready_i = c == (i >> 2 & 3) ? 7 : 0;
      vt_run_cycle(t, &s, &in);
    }
  }
}

static void vt_case_reset_while_full(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct vt_in in;
  for (unsigned i = 0; i < 8; i++) {
    memset(&s, 0, sizeof s);
    for (unsigned c = 0; c < 3; c++) {
      memset(&in, 0, sizeof in);
      vt_drive_inputs(t, r, &s, &in, 100);
      vt_run_cycle(t, &s, &in);
    }
    tb_reset(t);
    tb_hit(t, BIN_reset_while_full);
    memset(&s, 0, sizeof s);
    memset(&in, 0, sizeof in);
    vt_run_cycle(t, &s, &in);
  }
}

/* The scatter alone, of one lane and of a warp; the word after the warp is unchanged. */
static void vt_case_scatter(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct vt_in in;
  memset(&s, 0, sizeof s);
  for (unsigned i = 0; i < 2048; i++) {
    memset(&in, 0, sizeof in);
    vt_run_cycle(t, &s, &in);
    unsigned m0 = i & 255 ? i & 255 : 85, part = i >> 8 & 1;
    uint32_t e = entry_pack(mask_any(r, tb_below(r, 9 - mask_ones(m0))), 1, m0, 0), x[33], y[33];
    tb_words(r, x, 1056);
    for (unsigned l = 0; l < 33; l++) {
      y[l] = ~x[l];
    }
    vt_scatter_warp(y, x, e, part);
    tb_expect(t, y[32] == ~x[32], "vt_scatter_warp, entry %08x: writes past the warp", e);
    for (unsigned l = 0; l < 32; l++) {
      uint32_t want = ref_scatter(x[l], e, part);
      tb_expect(t, y[l] == want, "vt_scatter_warp, entry %08x, part %u, lane %u: %08x, expected %08x", e, part, l, y[l],
                want);
      tb_expect(t, vt_scatter(x[l], e, part) == want, "vt_scatter, entry %08x, part %u: not %08x", e, part, want);
    }
    tb_hit(t, BIN_scatter_alone);
  }
}

static void observe(struct tb_run *t, const void *model, const void *in, const void *vout) {
  const struct vt_out *out = vout;
  (void)in;
  tb_expect(t, vt_idle(model) == (out->part0_valid_o | out->part1_valid_o ? 0 : UINT64_MAX),
            "vt_idle with parts pending: %u %u", (unsigned)out->part0_valid_o, (unsigned)out->part1_valid_o);
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct vt_in *in = vin, *was = last_in;
  const struct vt_out *out = last_out;
  (void)model;
  for (unsigned u = 0; u < 3; u++) {
    struct item it = vt_item_get(in, u);
    const char *bad = in->result_valid_i >> u & 1 ? vt_illegal_item(&it) : NULL;
    if (bad) {
      return bad;
    }
    if (was && was->result_valid_i >> u & 1 && !(out->result_ready_o >> u & 1)) {
      struct item old = vt_item_get(was, u);
      if (!(in->result_valid_i >> u & 1) || memcmp(&it, &old, sizeof it)) {
        return "an offer was changed before it was taken";
      }
    }
  }
  return NULL;
}

static const char *const phases[] = {"near_empty", "near_full",        "slow", "part1_late",
                                     "part0_late", "blocked_for_long", "half", NULL};
static const struct tb_case cases[] = {{"orders", vt_case_orders},
                                       {"reset_while_full", vt_case_reset_while_full},
                                       {"scatter", vt_case_scatter},
                                       {NULL, NULL}};
const struct tb tb_bench = {.cycles = 40000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .observe = observe,
                            .illegal = illegal};
