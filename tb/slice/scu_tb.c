/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of scu: models the SIT (grants at once or late, the response one cycle later), the register file (parts return
 * in any order, at the earliest in the cycle after their read) and the dispatcher. It follows the page's table
 * with variables of its own and predicts every port and register. docs/blocks/slice/scu.md
 */
#include <string.h>

#include "blocks/slice/scu.h"
#include "slice_tb.h"

/* clang-format off */
#define OPERAND(B, k)                                                                                   \
  B(k##_whole) B(k##_split) B(k##_signed) B(k##_makes_vc) B(k##_n8_needs_no_vc) B(k##_missing_with_cvt) \
  B(k##_part0_last) B(k##_part_behind_read) B(k##_part_late) B(k##_grant_at_once) B(k##_grant_late)     \
  B(k##_overlap_is_or)
#define BINS(B)                                                                                                      \
  OPERAND(B, k0) OPERAND(B, k1) OPERAND(B, k2) B(sources_none) B(sources_0) B(sources_1) B(sources_01) B(sources_2)  \
  B(sources_02) B(sources_12) B(sources_012) B(grant_none) B(grant_0) B(grant_1) B(grant_01) B(grant_2) B(grant_02)  \
  B(grant_12) B(grant_012) B(response_none) B(response_0) B(response_1) B(response_01) B(response_2) B(response_02)  \
  B(response_12) B(response_012) B(complete_0_1_2) B(complete_0_2_1) B(complete_1_0_2) B(complete_1_2_0)             \
  B(complete_2_0_1) B(complete_2_1_0) B(six_reads_at_once) B(parts_interleaved) B(part_beside_grant)                 \
  B(part_beside_response) B(part_beside_request) B(take_at_once) B(take_late) B(allocate_behind_take)                \
  B(allocate_after_pause) B(no_source_at_once) B(dispatch_without_vc) B(dispatch_with_vc) B(same_register)           \
  B(reset_granted) B(reset_half) B(reset_complete) B(junk_when_busy) B(n1) B(n2) B(n3) B(n4) B(n5) B(n6) B(n7) B(n8) \
  B(bank_takes)
/* clang-format on */
TB_BINS(BINS)
enum { PER_OPERAND = BIN_k1_whole - BIN_k0_whole };

struct part {
  unsigned k, which, since;
};
struct sim {
  bool busy;
  unsigned sv, sgn, cvt, loc, half, rdy, gn; /* gn: of the cycle before */
  uint32_t info[3], entry[3], meta, field[3][32];
  unsigned a[3], asked_for, ready_for, idle_for, done[3], ndone, last_k;
  struct part part[6]; /* read, data not yet returned */
  unsigned parts, now;
};

static void scu_hit_operand(struct tb_run *t, unsigned k, unsigned bin) { tb_hit(t, bin + PER_OPERAND * k); }
static unsigned scu_sim_requests(const struct sim *s) { return s->busy ? s->sv & ~s->loc : 0; }
static bool scu_sim_is_complete(const struct sim *s) { return s->busy && !(s->sv & ~s->rdy); }

static bool scu_sim_converts(const struct sim *s) {
  for (unsigned k = 0; k < 3; k++) {
    if (s->sv >> k & 1 && s->cvt >> k & 1 && entry_nibbles(s->info[k]) < 8) {
      return true;
    }
  }
  return false;
}

static void scu_check_state(struct tb_run *t, const struct sim *s) {
  const struct scu_state *st = tb_model(t);
  tb_expect(t, st->source_q == s->sv && st->signed_q == s->sgn && st->convert_q == s->cvt,
            "source_q, signed_q or convert_q");
  tb_expect(t, st->located_q == s->loc, "located_q is not %u", s->loc);
  tb_expect(t, st->half_q == s->half, "half_q is not %u", s->half);
  tb_expect(t, st->complete_q == s->rdy, "complete_q is not %u", s->rdy);
  for (unsigned k = 0; k < 3; k++) {
    tb_expect(t, st->entry_q[k] == s->info[k], "entry_q[%u] is not %08x", k, s->info[k]);
  }
}

static void scu_check_outputs(struct tb_run *t, const struct sim *s, const struct scu_in *in,
                              const struct scu_out *out) {
  bool dp = scu_sim_is_complete(s);
  tb_expect(t, out->busy_o == s->busy, "busy_o is not %u", s->busy);
  tb_expect(t, out->request_valid_o == scu_sim_requests(s), "request_valid_o is not %u", scu_sim_requests(s));
  tb_expect(t, out->dispatch_valid_o == dp, "dispatch_valid_o is not %u", dp);
  tb_expect(t, out->dispatch_convert_o == (dp && scu_sim_converts(s)), "dispatch_convert_o is not %u",
            dp && scu_sim_converts(s));
  tb_expect(t, out->dispatch_meta_o == (dp ? s->meta : 0), "dispatch_meta_o");
  for (unsigned k = 0; k < 3; k++) {
    bool rs = in->response_valid_i >> k & 1;
    uint32_t e = rs ? in->response_entry_i[k] : 0;
    unsigned v = rs ? entry_m1(e) ? 3 : 1 : 0;
    tb_expect(t, out->request_addr_o[k] == (scu_sim_requests(s) >> k & 1 ? s->a[k] : 0), "request_addr_o of operand %u",
              k);
    tb_expect(t, out->fetch_valid_o[k] == v, "fetch_valid_o of operand %u is not %u", k, v);
    tb_expect(t, out->fetch_register_o[k][0] == (v ? entry_r0(e) : 0), "fetch_register_o of operand %u part 0", k);
    tb_expect(t, out->fetch_register_o[k][1] == (v == 3 ? entry_r1(e) : 0), "fetch_register_o of operand %u part 1", k);
    tb_expect(t, out->fetch_entry_o[k] == e, "fetch_entry_o of operand %u", k);
    tb_expect(t, (out->fetch_signed_o >> k & 1) == (rs ? s->sgn >> k & 1 : 0), "fetch_signed_o of operand %u", k);
    for (unsigned l = 0; l < 32; l++) {
      uint32_t want = dp && s->sv >> k & 1 ? s->field[k][l] : 0;
      tb_expect(t, out->dispatch_data_o[k][l] == want, "operand %u lane %u is %08x, expected %08x", k, l,
                out->dispatch_data_o[k][l], want);
    }
  }
}

static void scu_sim_complete(struct tb_run *t, struct sim *s, unsigned k) {
  s->rdy |= 1u << k;
  s->done[s->ndone++] = k;
  if (s->ndone == 3) {
    tb_hit(t, BIN_complete_0_1_2 + 2 * s->done[0] + (s->done[1] > s->done[2]));
  }
}

static void scu_sim_take_part(struct tb_run *t, struct sim *s, const struct scu_in *in) {
  unsigned k = (unsigned)in->part_operand_i;
  bool second = s->half >> k & 1;
  if (second && s->last_k != k) {
    tb_hit(t, BIN_parts_interleaved);
  }
  s->last_k = k;
  uint32_t overlap = 0;
  for (unsigned l = 0; l < 32; l++) {
    overlap |= second ? s->field[k][l] & in->part_data_i[l] : 0;
    s->field[k][l] = in->part_data_i[l] | (second ? s->field[k][l] : 0);
  }
  if (overlap) {
    scu_hit_operand(t, k, BIN_k0_overlap_is_or);
  }
  if (second || !entry_m1(s->info[k])) {
    scu_sim_complete(t, s, k);
  } else {
    s->half |= 1u << k;
  }
}

static void scu_sim_take_responses(struct tb_run *t, struct sim *s, const struct scu_in *in) {
  unsigned reads = 0;
  for (unsigned k = 0; k < 3; k++) {
    if (in->response_valid_i >> k & 1) {
      s->info[k] = in->response_entry_i[k];
      for (unsigned which = 0; which < (entry_m1(s->info[k]) ? 2u : 1u); which++) {
        s->part[s->parts++] = (struct part){k, which, s->now};
        reads++;
      }
      scu_hit_operand(t, k, entry_m1(s->info[k]) ? BIN_k0_split : BIN_k0_whole);
      tb_hit(t, BIN_n1 + entry_nibbles(s->info[k]) - 1);
      if (s->sgn >> k & 1) {
        scu_hit_operand(t, k, BIN_k0_signed);
      }
    }
  }
  if (reads == 6) {
    tb_hit(t, BIN_six_reads_at_once);
  }
}

static void scu_bins_of_dispatch(struct tb_run *t, const struct sim *s) {
  tb_hit(t, scu_sim_converts(s) ? BIN_dispatch_with_vc : BIN_dispatch_without_vc);
  for (unsigned k = 0; k < 3; k++) {
    if (!(s->sv >> k & 1)) {
      if (s->cvt >> k & 1 && !scu_sim_converts(s) && s->info[k] && entry_nibbles(s->info[k]) < 8) {
        scu_hit_operand(t, k, BIN_k0_missing_with_cvt); /* a stale entry must not count */
      }
    } else if (s->cvt >> k & 1) {
      unsigned rest = s->sv & s->cvt & ~(1u << k);
      if (entry_nibbles(s->info[k]) < 8 && !rest) {
        scu_hit_operand(t, k, BIN_k0_makes_vc);
      } else if (entry_nibbles(s->info[k]) == 8) {
        scu_hit_operand(t, k, BIN_k0_n8_needs_no_vc);
      }
    }
  }
}

static void scu_sim_allocate(struct tb_run *t, struct sim *s, const struct scu_in *in) {
  s->busy = true;
  s->sv = in->allocate_source_i & 7, s->sgn = in->allocate_signed_i & 7, s->cvt = in->allocate_convert_i & 7;
  s->meta = (uint32_t)in->allocate_meta_i;
  s->loc = s->half = s->rdy = s->ndone = s->asked_for = s->ready_for = 0;
  for (unsigned k = 0; k < 3; k++) {
    s->a[k] = in->allocate_addr_i[k];
  }
  tb_hit(t, BIN_sources_none + s->sv);
  if (s->sv == 7 && s->a[0] == s->a[2]) {
    tb_hit(t, BIN_same_register);
  }
  if (s->now) {
    tb_hit(t, s->idle_for == 1 ? BIN_allocate_behind_take : BIN_allocate_after_pause);
  }
}

static void scu_run_cycle(struct tb_run *t, struct sim *s, const struct scu_in *in) {
  scu_check_state(t, s);
  const struct scu_out *out = tb_step(t, in);
  scu_check_outputs(t, s, in, out);
  unsigned gn = in->grant_i & 7, want = scu_sim_requests(s);
  bool dp = scu_sim_is_complete(s);
  tb_hit(t, BIN_response_none + (in->response_valid_i & 7));
  if (want) {
    tb_hit(t, BIN_grant_none + gn);
  }
  for (unsigned k = 0; k < 3; k++) {
    if (gn >> k & 1 && (s->asked_for == 0 || s->asked_for > 8)) {
      scu_hit_operand(t, k, s->asked_for ? BIN_k0_grant_late : BIN_k0_grant_at_once);
    }
  }
  if (in->part_valid_i) {
    if (gn || in->response_valid_i || want) {
      tb_hit(t, gn ? BIN_part_beside_grant : in->response_valid_i ? BIN_part_beside_response : BIN_part_beside_request);
    }
    scu_sim_take_part(t, s, in);
  }
  s->idle_for = s->busy ? 0 : s->idle_for + 1;
  if (dp && in->dispatch_take_i) {
    scu_bins_of_dispatch(t, s);
    if (s->ready_for == 0 || s->ready_for > 6) {
      tb_hit(t, s->ready_for ? BIN_take_late : BIN_take_at_once);
    }
    if (!s->sv && !s->ready_for) {
      tb_hit(t, BIN_no_source_at_once);
    }
    s->busy = false;
    s->parts = 0;
  }
  s->ready_for = dp ? s->ready_for + 1 : 0;
  s->asked_for = want ? s->asked_for + 1 : 0;
  s->loc |= gn;
  scu_sim_take_responses(t, s, in);
  s->gn = gn;
  if (in->allocate_valid_i) {
    scu_sim_allocate(t, s, in);
  }
  s->now++;
}

struct bias {
  unsigned allocate, grant, part, take, split, cvt;
};

/* The entry that a look-up of operand k will return. */
static uint32_t scu_some_entry(struct tb_rng *r, const struct bias *b, unsigned cvt) {
  uint32_t e;
  if (tb_chance(r, 20)) {
    unsigned p0 = 1 + tb_below(r, 8); /* eight nibbles: no conversion */
    return entry_pack(mask_any(r, 8 - p0), 1 + tb_below(r, 255), mask_any(r, p0), 0);
  }
  do {
    e = entry_any(r, cvt ? 2 : 1);
  } while (tb_chance(r, 80) && tb_chance(r, b->split) != (entry_m1(e) != 0));
  return e;
}

static void scu_put_addresses(struct tb_rng *r, struct scu_in *in) {
  for (unsigned k = 0; k < 3; k++) in->allocate_addr_i[k] = (uint8_t)tb_below(r, 256);
}

static void scu_put_junk(struct tb_rng *r, struct scu_in *in) {
  in->allocate_source_i = tb_below(r, 8), in->allocate_signed_i = tb_below(r, 8),
  in->allocate_convert_i = tb_below(r, 8);
  scu_put_addresses(r, in), in->allocate_meta_i = word_any(r), in->part_operand_i = tb_below(r, 4);
  for (unsigned k = 0; k < 3; k++) in->response_entry_i[k] = word_any(r);
  tb_words(r, in->part_data_i, 1024);
}

static void scu_drive_inputs(struct tb_run *t, struct tb_rng *r, struct sim *s, struct scu_in *in,
                             const struct bias *b) {
  if (tb_chance(r, 70)) {
    scu_put_junk(r, in);
    if (s->busy) {
      tb_hit(t, BIN_junk_when_busy);
    }
  }
  if (!s->busy && tb_chance(r, b->allocate)) {
    in->allocate_valid_i = 1;
    in->allocate_source_i = tb_chance(r, 40) ? 7 : tb_below(r, 8);
    scu_put_addresses(r, in);
    if (tb_chance(r, 20)) {
      in->allocate_addr_i[1] = in->allocate_addr_i[2] = in->allocate_addr_i[0];
    }
    in->allocate_signed_i = tb_below(r, 8);
    in->allocate_convert_i = tb_dense(r, 3, b->cvt);
    in->allocate_meta_i = word_any(r);
    for (unsigned k = 0; k < 3; k++) {
      s->entry[k] = scu_some_entry(r, b, in->allocate_convert_i >> k & 1);
    }
  }
  in->grant_i = scu_sim_requests(s) & (unsigned)tb_dense(r, 3, b->grant);
  in->response_valid_i = s->gn;
  for (unsigned k = 0; k < 3; k++) {
    if (s->gn >> k & 1) {
      in->response_entry_i[k] = s->entry[k];
    }
  }
  if (s->parts && tb_chance(r, b->part)) {
    unsigned i = tb_below(r, s->parts);
    struct part p = s->part[i];
    s->part[i] = s->part[--s->parts];
    in->part_valid_i = 1, in->part_operand_i = p.k;
    tb_words(r, in->part_data_i, 1024);
    if (s->now == p.since + 1 || s->now > p.since + 8) {
      scu_hit_operand(t, p.k, s->now == p.since + 1 ? BIN_k0_part_behind_read : BIN_k0_part_late);
    }
    if (p.which == 0 && s->half >> p.k & 1) {
      scu_hit_operand(t, p.k, BIN_k0_part0_last);
    }
  }
  in->dispatch_take_i = scu_sim_is_complete(s) && tb_chance(r, b->take);
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      {10, 40, 40, 40, 50, 50}, {100, 100, 100, 100, 50, 50}, {100, 10, 60, 100, 50, 30}, {90, 100, 15, 90, 90, 30},
      {90, 60, 90, 12, 50, 60}, {100, 60, 60, 60, 90, 15},    {60, 50, 50, 50, 0, 50}};
  const struct bias *b = &bias[phase];
  struct sim s;
  struct scu_in in;
  memset(&s, 0, sizeof s);
  for (unsigned i = 60 + tb_below(r, 140); i; i--) {
    memset(&in, 0, sizeof in);
    scu_drive_inputs(t, r, &s, &in, b);
    scu_run_cycle(t, &s, &in);
  }
}

/* A reset in each step of an instruction: nothing that was held may remain. */
static void scu_case_resets(struct tb_run *t, struct tb_rng *r) {
  static const struct bias slow = {100, 40, 40, 0, 90, 50};
  struct sim s;
  struct scu_in in;
  for (unsigned i = 0; i < 120; i++) {
    memset(&s, 0, sizeof s);
    for (unsigned c = 0; c < 1 + i % 24; c++) {
      memset(&in, 0, sizeof in);
      scu_drive_inputs(t, r, &s, &in, &slow);
      scu_run_cycle(t, &s, &in);
    }
    if (s.loc || s.half) {
      tb_hit(t, s.half ? BIN_reset_half : BIN_reset_granted);
    }
    if (scu_sim_is_complete(&s)) {
      tb_hit(t, BIN_reset_complete);
    }
    tb_reset(t);
    memset(&s, 0, sizeof s);
    memset(&in, 0, sizeof in);
    scu_put_junk(r, &in);
    scu_run_cycle(t, &s, &in);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct scu_state *st = model;
  const struct scu_in *in = vin, *was = last_in;
  const struct scu_out *out = last_out;
  bool busy = was && (was->allocate_valid_i || (out->busy_o && !was->dispatch_take_i));
  unsigned gn = was ? was->grant_i & 7 : 0, k = (unsigned)in->part_operand_i;
  if (in->allocate_valid_i && busy) {
    return "allocate_valid_i while busy";
  }
  if (in->grant_i & ~(busy ? st->source_q & ~st->located_q : 0)) {
    return "a grant without its request";
  }
  if (in->response_valid_i != gn) {
    return "a response is not one cycle after its grant";
  }
  for (unsigned j = 0; j < 3; j++) {
    uint32_t e = in->response_entry_i[j];
    if (gn >> j & 1 && (!entry_is_legal(e) || (st->convert_q >> j & 1 && entry_nibbles(e) < 2))) {
      return "response_entry_i is not a legal entry";
    }
  }
  if (in->part_valid_i && (k > 2 || !busy || !(st->source_q & st->located_q & ~gn & ~st->complete_q & 1u << k))) {
    return "a part that was not read";
  }
  if (in->dispatch_take_i && !(busy && !(st->source_q & ~st->complete_q))) {
    return "dispatch_take_i without dispatch_valid_o";
  }
  return NULL;
}

/* ---- the bank of the SM: 16 units in masks, each held to the model of one unit ---- */

/* Legal random inputs of the units that want them. */
static void scu_drive_bank(struct tb_rng *r, const struct scu_bank *b, const struct scu_bank_out *o,
                           struct scu_bank_in *in) {
  const struct scu_control *c = &b->r.c;
  memset(in, 0, sizeof *in);
  for (unsigned k = 0; k < SCU_UNITS; k++) {
    const unsigned at = SCU_OPERANDS * k;
    const uint64_t parts = (c->answered & ~c->complete_q) >> at & 7;
    if (!(c->busy_q >> at & 1) && tb_chance(r, 50)) in->allocate_valid_i |= 1ull << at;
    if (o->dispatch_valid_o >> at & 1 && tb_chance(r, 50)) in->dispatch_take_i |= 1ull << at;
    if (parts && tb_chance(r, 50)) in->part_valid_i |= (parts & -parts) << at;
    in->allocate_meta_i[k] = word_any(r);
    tb_words(r, in->part_data_i[k], 1024);
  }
  in->allocate_source_i = tb_bits(r, SCU_BITS), in->allocate_signed_i = tb_bits(r, SCU_BITS),
  in->allocate_convert_i = tb_bits(r, SCU_BITS);
  in->grant_i = o->request_valid_o & tb_bits(r, SCU_BITS);
  in->response_valid_i = c->located_q & ~c->answered & (c->busy_q * 7) & tb_bits(r, SCU_BITS);
  for (unsigned q = 0; q < SCU_BITS; q++) {
    in->allocate_addr_i[q] = (uint8_t)tb_below(r, 256);
    in->response_entry_i[q] = entry_any(r, c->convert_q >> q & 1 ? 2 : 1);
  }
}

/* The outputs that the units' own outputs make, put in place of others. */
static void scu_check_bank_put(struct tb_run *t, const struct scu_bank *b, const struct scu_bank_in *in,
                               const struct scu_bank_out *out, const struct scu_out *unit) {
  static struct scu_bank_out put;
  static struct scu u;
  struct scu_in i;
  struct scu_out o;
  memset(&put, 0xa5, sizeof put);
  put.dispatch_convert_o = ~0ull >> (64 - SCU_BITS);
  for (unsigned k = SCU_UNITS; k-- > 0;) scu_bank_put(&put, k, &unit[k]);
  tb_expect(t, (put.request_valid_o ^ out->request_valid_o) << (64 - SCU_BITS) == 0, "request_valid_o put");
  for (unsigned k = 0; k < SCU_UNITS; k++) {
    const unsigned at = SCU_OPERANDS * k;
    tb_expect(t, (put.dispatch_convert_o >> at & 7) == (unit[k].dispatch_convert_o ? 7 : 0),
              "dispatch_convert_o put by unit %u", k);
    tb_expect(t, !((put.busy_o ^ out->busy_o) >> at & 7), "busy_o put by unit %u", k);
    tb_expect(t, !((put.dispatch_valid_o ^ out->dispatch_valid_o) >> at & 7), "dispatch_valid_o put by unit %u", k);
  }
  put.dispatch_convert_o = out->dispatch_convert_o;
  for (unsigned k = 0; k < SCU_UNITS; k++) {
    scu_bank_unit(b, in, &put, k, &u, &i, &o);
    tb_expect(t, !memcmp(&o, &unit[k], sizeof o), "the outputs put by unit %u", k);
  }
}

static void scu_run_bank_cycle(struct tb_run *t, struct scu_bank *b, struct scu *unit, const struct scu_bank_in *in,
                               struct scu_bank_out *out) {
  static struct scu_out want[SCU_UNITS], o;
  static struct scu u;
  static struct scu_in i[SCU_UNITS];
  memset(out, 0x5a, sizeof *out);
  scu_bank_eval(b, in, out);
  tb_expect(t,
            !((out->busy_o | out->dispatch_valid_o | in->allocate_valid_i | in->dispatch_take_i) & ~0x249249249249ull),
            "a bit of no unit");
  for (unsigned k = 0; k < SCU_UNITS; k++) {
    memset(&u, 0x5a, sizeof u), memset(&i[k], 0x5a, sizeof i[k]), memset(&o, 0x5a, sizeof o);
    scu_bank_unit(b, in, out, k, &u, &i[k], &o);
    scu_eval(&unit[k], &i[k], &want[k]);
    tb_expect(t, !memcmp(&o, &want[k], sizeof o), "the outputs of unit %u", k);
    tb_expect(t, !memcmp(&u, &unit[k], sizeof u), "the registers of unit %u", k);
  }
  scu_check_bank_put(t, b, in, out, want);
  for (unsigned k = 0; k < SCU_UNITS; k++) scu_tick(&unit[k], &i[k]);
  scu_bank_tick(b, in);
}

/* Do the inputs of unit k say what the bank's say? */
static void scu_check_bank_split(struct tb_run *t, const struct scu_bank *b, const struct scu_bank_in *in,
                                 const struct scu_bank_out *out) {
  static struct scu u;
  struct scu_in i;
  struct scu_out o;
  for (unsigned k = 0; k < SCU_UNITS; k++) {
    const unsigned at = SCU_OPERANDS * k;
    scu_bank_unit(b, in, out, k, &u, &i, &o);
    tb_expect(
        t,
        i.allocate_valid_i == (in->allocate_valid_i >> at & 1) && i.dispatch_take_i == (in->dispatch_take_i >> at & 1),
        "allocate_valid_i, dispatch_take_i");
    tb_expect(t,
              i.allocate_source_i == (in->allocate_source_i >> at & 7) &&
                  i.allocate_signed_i == (in->allocate_signed_i >> at & 7),
              "allocate_source_i, allocate_signed_i");
    tb_expect(t, i.allocate_convert_i == (in->allocate_convert_i >> at & 7) && i.grant_i == (in->grant_i >> at & 7),
              "allocate_convert_i, grant_i");
    tb_expect(t, i.allocate_meta_i == in->allocate_meta_i[k] && i.response_valid_i == (in->response_valid_i >> at & 7),
              "allocate_meta_i, response_valid_i");
    tb_expect(t,
              i.part_valid_i ? in->part_valid_i >> (at + i.part_operand_i) & 1
                             : !(in->part_valid_i >> at & 7) && !i.part_operand_i,
              "part_valid_i, part_operand_i");
    tb_expect(t, !memcmp(i.part_data_i, in->part_data_i[k], sizeof i.part_data_i), "part_data_i of unit %u", k);
    for (unsigned op = 0; op < SCU_OPERANDS; op++) {
      tb_expect(t, i.allocate_addr_i[op] == in->allocate_addr_i[at + op], "allocate_addr_i of unit %u", k);
      tb_expect(t, i.response_entry_i[op] == in->response_entry_i[at + op], "response_entry_i of unit %u", k);
    }
  }
}

static void scu_case_bank(struct tb_run *t, struct tb_rng *r) {
  static struct scu_bank b;
  static struct scu unit[SCU_UNITS];
  static struct scu_bank_in in;
  static struct scu_bank_out out;
  memset(&b, 0x5a, sizeof b);
  scu_bank_reset(&b);
  for (unsigned k = 0; k < SCU_UNITS; k++) scu_reset(&unit[k]);
  for (unsigned c = 0; c < 400; c++) {
    memset(&in, 0, sizeof in);
    scu_bank_eval(&b, &in, &out);
    scu_drive_bank(r, &b, &out, &in);
    scu_bank_eval(&b, &in, &out);
    scu_check_bank_split(t, &b, &in, &out);
    scu_run_bank_cycle(t, &b, unit, &in, &out);
    if (in.dispatch_take_i) tb_hit(t, BIN_bank_takes);
  }
}

static const char *const phases[] = {"near_empty",    "at_once",   "late_grants", "late_parts",
                                     "late_dispatch", "all_split", "none_split",  NULL};
static const struct tb_case cases[] = {{"resets", scu_case_resets}, {"bank", scu_case_bank}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 150000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
