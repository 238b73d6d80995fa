/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of dit: one to three lanes on few banks, outputs free and blocked, loads between. The bench has its own table,
 * pointers and outputs and predicts every port. Only what was loaded since reset is looked up. docs/blocks/slice/dit.md
 */
#include <string.h>

#include "blocks/slice/dit.h"
#include "slice_tb.h"

#define SETS(B, p) B(p##_by_0) B(p##_by_1) B(p##_by_01) B(p##_by_2) B(p##_by_02) B(p##_by_12) B(p##_by_012)
/* clang-format off */
#define LANE(B, l)                                                                                             \
  B(l##_taken_when_empty) B(l##_refill) B(l##_empties) B(l##_long_stall) B(l##_ready_without_valid)            \
  B(l##_unready_without_valid) B(l##_loses) B(l##_loses_twice) B(l##_blocked_by_load) B(l##_blocked_by_output) \
  B(l##_blocked_lets_others_pass)
#define BINS(B)                                                                                              \
  SETS(B, ptr0) SETS(B, ptr1) SETS(B, ptr2) LANE(B, l0) LANE(B, l1) LANE(B, l2) TB_16(B, bank) TB_16(B, row) \
  B(three_banks_at_once) B(load_beside_grant) B(look_up_after_load) B(load_replaces) B(reset_while_full)     \
  B(held_while_bank_serves_another) B(held_while_bank_is_loaded) B(held_while_own_entry_changes)
/* clang-format on */
TB_BINS(BINS)
enum { PER_LANE = BIN_l1_refill - BIN_l0_refill, PL = 1063, PLW = RT_WORDS(PL) };

struct lane {
  bool v, offered; /* output holds a result; one waits at the input */
  unsigned stalled, lost;
  uint32_t e, pl[PLW];
  unsigned a, from; /* offered; of the result at the output */
  uint32_t offer[PLW];
};
struct sim {
  uint32_t table[256]; /* 0: not loaded (no legal entry is 0) */
  unsigned ptr[16], loaded_at[256], now;
  struct lane l[3];
};

static void dit_hit_lane(struct tb_run *t, unsigned l, unsigned bin) { tb_hit(t, bin + PER_LANE * l); }

static void dit_check_out(struct tb_run *t, const struct sim *s, const struct dit_out *out,
                          const struct dit_state *st) {
  for (unsigned l = 0; l < 3; l++) {
    const struct lane *ln = &s->l[l];
    uint32_t e = out->result_entry_o[l], want = ln->v ? ln->e : 0;
    const uint32_t *pl = out->result_payload_o[l];
    tb_expect(t, (out->result_valid_o >> l & 1) == ln->v, "lane %u: result_valid_o is not %u", l, ln->v);
    tb_expect(t, e == want, "lane %u: entry %08x, expected %08x", l, e, want);
    for (unsigned w = 0; w < PLW; w++) {
      tb_expect(t, pl[w] == (ln->v ? ln->pl[w] : 0), "lane %u: payload word %u is %08x", l, w, pl[w]);
    }
  }
  for (unsigned b = 0; b < 16; b++) {
    tb_expect(t, st->pointer_q[b] == s->ptr[b], "pointer of bank %u is %u, expected %u", b, (unsigned)st->pointer_q[b],
              s->ptr[b]);
  }
}

static bool dit_loads_bank(const struct dit_in *in, unsigned a) {
  return in->load_valid_i & 1 && (in->load_addr_i & 15) == (a & 15);
}

/* Does lane x come before lane y, counted from the pointer? */
static bool dit_comes_before(unsigned ptr, unsigned x, unsigned y) { return (x + 3 - ptr) % 3 < (y + 3 - ptr) % 3; }

static void dit_bins_of_lane(struct tb_run *t, struct sim *s, unsigned l, unsigned b, bool v, bool rdy, bool free,
                             bool loading, unsigned want, unsigned banks) {
  struct lane *ln = &s->l[l];
  bool take = v && rdy;
  if (take) {
    dit_hit_lane(t, l, ln->v ? BIN_l0_refill : BIN_l0_taken_when_empty);
    tb_hit(t, BIN_bank0 + b);
    tb_hit(t, BIN_row0 + (ln->a >> 4));
    if (s->loaded_at[ln->a] + 1 == s->now) {
      tb_hit(t, BIN_look_up_after_load);
    }
  } else if (ln->v && free) {
    dit_hit_lane(t, l, BIN_l0_empties);
  }
  if (!v) {
    dit_hit_lane(t, l, rdy ? BIN_l0_ready_without_valid : BIN_l0_unready_without_valid);
  } else if (!free) {
    dit_hit_lane(t, l, BIN_l0_blocked_by_output);
    for (unsigned o = 0; o < 3; o++) { /* this lane would have been first */
      if (o != l && want >> o & 1 && dit_comes_before(s->ptr[b], l, o)) {
        dit_hit_lane(t, l, BIN_l0_blocked_lets_others_pass);
      }
    }
  } else if (loading) {
    dit_hit_lane(t, l, BIN_l0_blocked_by_load);
  }
  ln->lost = v && free && !loading && !rdy ? ln->lost + 1 : 0;
  if (ln->lost) {
    dit_hit_lane(t, l, ln->lost == 1 ? BIN_l0_loses : BIN_l0_loses_twice);
  }
  if (!free && banks >> ln->from % 16 & 1) {
    tb_hit(t, BIN_held_while_bank_serves_another);
  }
  ln->stalled = free ? 0 : ln->stalled + 1;
  if (ln->stalled >= 12) {
    dit_hit_lane(t, l, BIN_l0_long_stall);
  }
}

static void dit_run_cycle(struct tb_run *t, struct sim *s, const struct dit_in *in) {
  const struct dit_state *st = tb_model(t);
  dit_check_out(t, s, tb_peek(t, in), st);
  const struct dit_out *out = tb_step(t, in);
  unsigned ld = in->load_valid_i & 1, ld_bank = in->load_addr_i & 15, won = 0, banks = 0, busy_banks = 0;
  unsigned a[3], b[3], want[16] = {0};
  bool v[3], free[3], loading[3], rdy[3];
  for (unsigned l = 0; l < 3; l++) {
    a[l] = in->write_addr_i[l], b[l] = a[l] & 15;
    v[l] = in->write_valid_i >> l & 1;
    free[l] = !s->l[l].v || in->result_ready_i >> l & 1;
    loading[l] = ld && ld_bank == b[l];
    want[b[l]] |= (unsigned)(v[l] && free[l] && !loading[l]) << l;
  }
  for (unsigned l = 0; l < 3; l++) {
    rdy[l] = free[l] && !loading[l];
    busy_banks |= (unsigned)(want[b[l]] != 0) << b[l];
  }
  for (unsigned l = 0; l < 3; l++) {
    for (unsigned o = 0; o < 3; o++) {
      rdy[l] = rdy[l] && !(o != l && want[b[l]] >> o & 1 && dit_comes_before(s->ptr[b[l]], o, l));
    }
    tb_expect(t, (out->write_ready_o >> l & 1) == rdy[l], "lane %u: write_ready_o is not %u", l, rdy[l]);
    dit_bins_of_lane(t, s, l, b[l], v[l], rdy[l], free[l], loading[l], want[b[l]], busy_banks);
  }
  for (unsigned k = 0; k < 16; k++) {
    if (want[k]) {
      tb_hit(t, BIN_ptr0_by_0 + 7 * s->ptr[k] + want[k] - 1);
    }
  }
  for (unsigned l = 0; l < 3; l++) {
    struct lane *ln = &s->l[l];
    ln->v = ln->v && !free[l];
    if (ln->v && dit_loads_bank(in, ln->from)) {
      tb_hit(t, in->load_addr_i == ln->from ? BIN_held_while_own_entry_changes : BIN_held_while_bank_is_loaded);
    }
    if (v[l] && rdy[l]) {
      won++, banks |= 1u << b[l];
      s->ptr[b[l]] = (l + 1) % 3;
      ln->v = true, ln->offered = false, ln->lost = 0;
      ln->e = s->table[a[l]], ln->from = a[l];
      memcpy(ln->pl, in->write_payload_i[l], sizeof ln->pl);
    }
  }
  if (won == 3 && __builtin_popcount(banks) == 3) {
    tb_hit(t, BIN_three_banks_at_once);
  }
  if (ld) {
    if (won) {
      tb_hit(t, BIN_load_beside_grant);
    }
    if (s->table[in->load_addr_i] && s->table[in->load_addr_i] != in->load_entry_i) {
      tb_hit(t, BIN_load_replaces);
    }
    s->table[in->load_addr_i] = (uint32_t)in->load_entry_i;
    s->loaded_at[in->load_addr_i] = s->now;
  }
  s->now++;
}

struct bias {
  unsigned banks, load, valid, ready, sticky;
};

static void dit_drive_inputs(struct tb_rng *r, struct sim *s, struct dit_in *in, const struct bias *k, unsigned first,
                             unsigned load) {
  if (tb_chance(r, load)) {
    in->load_valid_i = 1;
    in->load_entry_i = entry_any(r, 1);
  } else {
    in->load_entry_i = word_any(r);
  }
  in->load_addr_i = table_some_register(r, s->table, first, k->banks, false);
  for (unsigned l = 0; l < 3; l++) {
    struct lane *ln = &s->l[l];
    unsigned a = ln->offered || !tb_chance(r, k->valid) ? 256 : table_some_register(r, s->table, first, k->banks, true);
    if (a < 256) {
      ln->offered = true, ln->a = a;
      tb_words(r, ln->offer, PL);
    }
    if (ln->offered) {
      in->write_valid_i |= 1u << l;
      in->write_addr_i[l] = (uint8_t)ln->a;
      memcpy(in->write_payload_i[l], ln->offer, sizeof ln->offer);
    } else {
      in->write_addr_i[l] = (uint8_t)table_some_register(r, s->table, first, k->banks, false);
      tb_words(r, in->write_payload_i[l], PL);
    }
  }
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {{16, 10, 10, 90, 0}, {1, 5, 98, 98, 0},   {2, 15, 95, 85, 0}, {2, 5, 80, 20, 0},
                                     {2, 5, 95, 50, 93},  {16, 30, 95, 95, 0}, {1, 60, 90, 70, 0}};
  const struct bias *k = &bias[phase];
  struct sim s;
  struct dit_in in;
  memset(&s, 0, sizeof s);
  unsigned first = tb_below(r, 16), rdy = 7, fill = 10 + tb_below(r, 20);
  for (unsigned i = 0, end = fill + 50 + tb_below(r, 80); i < end; i++) {
    memset(&in, 0, sizeof in);
    dit_drive_inputs(r, &s, &in, k, first, i < fill ? 85 : k->load);
    for (unsigned l = 0; l < 3; l++) {
      if (!tb_chance(r, k->sticky)) {
        rdy = (rdy & ~(1u << l)) | (unsigned)tb_chance(r, k->ready) << l;
      }
    }
    in.result_ready_i = rdy;
    dit_run_cycle(t, &s, &in);
  }
}

/* The whole table: load 256 entries, read them all back through every lane, replace them, read again. */
static void dit_case_whole_table(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  struct dit_in in;
  memset(&s, 0, sizeof s);
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned a = 0; a < 256; a++) {
      memset(&in, 0, sizeof in);
      in.load_valid_i = 1, in.load_addr_i = a, in.load_entry_i = entry_any(r, 1), in.result_ready_i = 7;
      dit_run_cycle(t, &s, &in);
    }
    for (unsigned a = 0; a < 258; a++) { /* three different banks: no conflict */
      memset(&in, 0, sizeof in);
      in.write_valid_i = 7, in.result_ready_i = 7;
      for (unsigned l = 0; l < 3; l++) {
        s.l[l].a = (a + 85 * l + l) & 255;
        in.write_addr_i[l] = (uint8_t)s.l[l].a;
        tb_words(r, in.write_payload_i[l], PL);
      }
      dit_run_cycle(t, &s, &in);
    }
  }
}

static void dit_case_reset_while_full(struct tb_run *t, struct tb_rng *r) {
  static const struct bias k = {1, 0, 100, 0, 0};
  struct sim s;
  struct dit_in in;
  for (unsigned i = 0; i < 6; i++) {
    memset(&s, 0, sizeof s);
    for (unsigned c = 0; c < 12; c++) {
      memset(&in, 0, sizeof in);
      dit_drive_inputs(r, &s, &in, &k, i, c < 6 ? 100 : 0);
      in.result_ready_i = c & 1 ? 7 : 0;
      dit_run_cycle(t, &s, &in);
    }
    tb_reset(t);
    tb_hit(t, BIN_reset_while_full);
    memset(&s, 0, sizeof s);
    memset(&in, 0, sizeof in);
    dit_run_cycle(t, &s, &in);
  }
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct dit_in *in = vin, *was = last_in;
  const struct dit_out *out = last_out;
  if (in->load_valid_i & 1 && !entry_is_legal((uint32_t)in->load_entry_i)) {
    return "load_entry_i is not a legal entry";
  }
  for (unsigned l = 0; l < 3; l++) {
    if (in->write_valid_i >> l & 1 && !((const struct dit *)model)->mem_q[in->write_addr_i[l]]) {
      return "a result for a register whose entry was not loaded since reset";
    }
  }
  for (unsigned l = 0; was && l < 3; l++) {
    if (was->write_valid_i >> l & 1 && !(out->write_ready_o >> l & 1)) {
      if (!(in->write_valid_i >> l & 1) || was->write_addr_i[l] != in->write_addr_i[l] ||
          memcmp(was->write_payload_i[l], in->write_payload_i[l], sizeof in->write_payload_i[l])) {
        return "an offer was changed before it was taken";
      }
    }
  }
  return NULL;
}

static const char *const phases[] = {"near_empty",       "one_bank", "two_banks", "slow_outputs",
                                     "blocked_for_long", "spread",   "loads",     NULL};
static const struct tb_case cases[] = {
    {"whole_table", dit_case_whole_table}, {"reset_while_full", dit_case_reset_while_full}, {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 100000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
