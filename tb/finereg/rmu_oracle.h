/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of rmu's bench, included once, after its model of the SM: the bench's predictions. They are not a state
 * machine but the page written as a program: rmu_expect_command() goes through a command's cycles one after another and predicts
 * every port and register of each.
 */
#ifndef RT_TB_RMU_ORACLE_H
#define RT_TB_RMU_ORACLE_H

#include "rmu_sm.h"
#define EXPECT rmu
#define EXPECT_DEF "blocks/finereg/rmu.def"
#include "expect.h"

/* ---- a cycle ---- */

static bool rmu_port_ready(struct sim *s, unsigned i) {
  if (!tb_chance(s->r, s->k->sticky)) {
    s->ready[i] = tb_chance(s->r, s->k->ready);
  }
  return s->ready[i];
}

/* The expected outputs of a cycle in this state; the caller adds those particular to the state, then ends the cycle with
 * rmu_end_cycle(). Inputs without their valid are junk. */
static void rmu_begin_cycle(struct sim *s, unsigned state, unsigned x, unsigned w) {
  struct rmu_in *in = &s->in;
  struct rmu_out *o = &s->o;
  memset(in, 0, sizeof *in);
  in->vector_base_i = s->base, in->code_base_i = s->cbase;
  in->pc_i = tb_bits(s->r, 32), in->pc_live_i = tb_below(s->r, 2);
  in->memory_response_data_i = tb_rand(s->r);
  in->memory_request_ready_i = rmu_port_ready(s, 0), in->acrf_read_ready_i = rmu_port_ready(s, 1),
  in->acrf_write_ready_i = rmu_port_ready(s, 2);
  tb_words(s->r, in->acrf_response_data_i, 1024);
  in->command_operation_i = tb_below(s->r, 4), in->command_outgoing_cta_i = tb_below(s->r, CTAS),
  in->command_incoming_cta_i = tb_below(s->r, CTAS), in->command_warps_i = tb_below(s->r, 64);
  if (s->busy && !s->offered && tb_chance(s->r, s->k->early)) {
    rmu_sm_choose(s, ANY);
  }
  if (s->offered) {
    in->command_valid_i = 1, in->command_operation_i = s->offer.op;
    in->command_outgoing_cta_i = s->offer.a, in->command_incoming_cta_i = s->offer.b, in->command_warps_i = s->offer.nw;
  }
  come_back(s);

  *o = s->next;
  memset(&s->next, 0, sizeof s->next);
  o->command_ready_o = state == RMU_IDLE;
  o->free_count_o = s->free;
  if (SERIAL) {
    o->pc_warp_o = state == RMU_VECTOR_REQUEST ? w : 0;
    o->fill_ready_o = state <= RMU_VECTOR_WAIT;
  } else {
    o->fill_ready_o = !s->p.buf;
  }
  if (state != RMU_IDLE) {
    o->busy_o = 1;
    o->busy_outgoing_valid_o = s->c.op != RMU_RESTORE, o->busy_outgoing_cta_o = s->c.op != RMU_RESTORE ? s->c.a : 0;
    o->busy_incoming_valid_o = s->c.op != RMU_SPILL, o->busy_incoming_cta_o = s->c.op != RMU_SPILL ? s->c.b : 0;
  }
  s->st = (struct rmu_state){.state_q = state,
                             .reads_q = x,
                             .warp_q = SERIAL ? w : s->p.asked,
                             .needed_count_q = s->need,
                             .stored_count_q = s->n,
                             .previous_index_q = s->prev};
}

/*
 * rmu_idle: asleep means that without a valid at its inputs nothing changes, in the next cycle or after any
 * skip; it must be asleep in idle and where it waits for an answer only.
 */
static void rmu_check_sleep(struct sim *s) {
  const struct rmu *m = tb_model(s->t);
  const struct rmu_in *in = &s->in;
  bool asleep = rmu_idle(m) != 0, events = s->o.done_valid_o || s->o.stored_valid_o || s->o.restored_valid_o;
  if (s->slept) {
    tb_expect(s->t, !memcmp(&s->o, &s->slept_o, sizeof s->o) && !memcmp(&s->st, &s->slept_st, sizeof s->st),
              "rmu_idle said asleep a cycle ago");
  }
  s->slept = asleep && !in->command_valid_i && !in->invalidate_i && !in->memory_response_valid_i &&
             !in->acrf_response_valid_i && !in->fill_valid_i;
  s->slept_o = s->o, s->slept_st = s->st;
  if (!events && (s->st.state_q == RMU_IDLE || s->st.state_q == RMU_DRAIN_WAIT || s->waits)) {
    tb_expect(s->t, rmu_idle(m) == UINT64_MAX, "rmu_idle: not asleep");
  }
  if (asleep && tb_chance(s->r, 1)) {
    struct rmu later = *m;
    struct rmu_out out;
    rmu_skip(&later, 1 + tb_below(s->r, 1000));
    rmu_eval(&later, in, &out);
    expect_all(s->t, &out, &s->o, &later.r, &s->st);
    tb_hit(s->t, BIN_skip);
  }
  s->waits = false;
}

/* The engine is reset in this cycle. */
static void rmu_bins_of_reset(struct sim *s) {
#if TB_PARAM(Engine) == 1
  (void)s;
#else
  bool window = s->p.vacated - s->p.popped == WINDOW;
  if (s->st.state_q != RMU_IDLE) {
    tb_hit_if(s->t, s->p.x == 2, BIN_reset_with_two_reads);
    tb_hit_if(s->t, s->p.buf, BIN_reset_with_buffer);
    tb_hit_if(s->t, window, BIN_reset_with_window_full);
    tb_hit_if(s->t, s->p.x && s->p.buf && window, BIN_reset_with_all_full);
  }
#endif
}

static void rmu_end_cycle(struct sim *s) {
  rmu_check_sleep(s);
  struct rmu_state before = *(const struct rmu_state *)tb_model(s->t);
  const struct rmu_out *out = tb_step(s->t, &s->in);
  expect_all(s->t, out, &s->o, &before, &s->st);
  rmu_sm_follow_loads(s, out);
  if (s->in.fill_valid_i) {
    if (s->o.fill_ready_o) {
      load_done(s);
    } else {
      tb_hit(s->t, SERIAL ? FIRST_LOAD_WAITS + (unsigned)s->st.state_q - RMU_ADMIT : FIRST_LOAD_WAITS);
    }
  }
  s->now++;
  bool full = !SERIAL && s->p.x && s->p.buf && s->p.vacated - s->p.popped == WINDOW;
  if (s->left-- == 0 || (s->cut == s->st.state_q && (!s->cut_full || full))) {
    tb_hit(s->t, BIN_reset_in_idle + nth_state(s));
    rmu_bins_of_reset(s);
    longjmp(*s->end, 1);
  }
}

/* ---- what both engines do ---- */

static unsigned rmu_cache_row_of(uint32_t pc) { return (pc >> 3 ^ pc >> (3 + RT_CLOG2(ROWS))) % ROWS; }

/* The registers of b that lie in the PCRF. */
static void sets_of(const struct sim *s, unsigned b, uint64_t set[WARPS]) {
  memset(set, 0, WARPS * sizeof set[0]);
  for (unsigned i = 0; i < s->cta[b].n; i++) {
    const struct entry *e = &s->e[s->chain[b][i]];
    set[e->w] |= UINT64_C(1) << e->r;
  }
}

/* The relation between a's set of registers and b's, at a swap with so many free entries: bins. */
static enum relation rmu_bins_of_sets(struct sim *s, const uint64_t *of_a, const uint64_t *of_b, unsigned free) {
  uint64_t only_a = 0, only_b = 0, both = 0, above = 0;
  for (unsigned w = 0; w < WARPS; w++) {
    only_a |= of_a[w] & ~of_b[w], only_b |= of_b[w] & ~of_a[w], both |= of_a[w] & of_b[w];
    above |= w >= s->c.nw ? of_b[w] : 0;
  }
  tb_hit_if(s->t, above, BIN_b_has_more_warps);
  if (!both) {
    tb_hit_if(s->t, only_a && only_b, BIN_sets_disjoint);
    tb_hit_if(s->t, only_a && only_b && !free, BIN_swap_none_free_disjoint);
    return DISJOINT;
  }
  tb_hit(s->t, only_a && only_b ? BIN_sets_overlap
               : only_a         ? BIN_b_within_a
               : only_b         ? BIN_a_within_b
                                : BIN_sets_equal);
  tb_hit_if(s->t, !free && (only_b || only_a), BIN_swap_none_free_overlap);
  tb_hit_if(s->t, !free && !only_b && !only_a, BIN_swap_none_free_equal);
  return only_a || only_b ? OVERLAP : EQUAL;
}

static unsigned chain_bin(unsigned n) {
  return n <= 5 ? BIN_chain_1 + n - 1 : n <= 100 ? BIN_chain_5 : n <= LONG_CHAIN ? BIN_chain_over_100 : BIN_chain_long;
}

/* The buffer, register r of a's warp w, is now in this entry. */
static void moved_in(struct sim *s, unsigned idx, unsigned w, unsigned r, const uint32_t *buf) {
  struct entry *e = &s->e[idx];
  e->occupied = true, e->loaded = false;
  e->w = w, e->r = r;
  memcpy(e->d, buf, sizeof e->d);
  tb_hit_if(s->t, s->n, idx > s->prev ? BIN_chain_ascends : BIN_chain_descends);
  tb_hit_if(s->t, idx == 0, BIN_entry_0);
  tb_hit_if(s->t, idx == ENTRIES - 1, BIN_entry_last);
  tb_hit_if(s->t, r == 0, BIN_register_0);
  tb_hit_if(s->t, r == 62, BIN_register_62);
  tb_hit_if(s->t, w == 31, BIN_warp_31);
  s->chain[s->c.a][s->n++] = (uint16_t)idx;
  s->prev = idx;
  s->set[w] &= ~(UINT64_C(1) << r);
  s->next.stored_valid_o = 1, s->next.stored_warp_o = w, s->next.stored_register_o = r, s->next.stored_index_o = idx;
}

static unsigned rmu_lowest_free_entry(const struct sim *s) {
  unsigned i = 0;
  while (s->e[i].occupied) {
    i++;
  }
  return i;
}

/* F22: loads under way for a that saw no stored event are for dead registers. */
static void after_done(struct sim *s) {
  unsigned sum = 0;
  for (struct load *l = s->load; l < s->load + LOADS; l++) {
    if (l->on && s->c.op != RMU_RESTORE && l->cta == s->c.a && !l->seen_in) {
      l->on = false;
      tb_hit(s->t, BIN_load_dropped);
    }
    l->seen_in = false;
  }
  if (s->c.op != RMU_SPILL) {
    s->cta[s->c.b].place = ACTIVE, s->cta[s->c.b].slot = s->reserved;
    s->cta[s->c.b].n = 0;
  }
  if (s->c.op != RMU_RESTORE) {
    struct cta *a = &s->cta[s->c.a];
    s->slot[a->slot].taken = s->c.op == RMU_SWAP;
    tb_hit_if(s->t, a->was_pending, BIN_row_used_again);
    a->place = PENDING, a->n = s->n, a->was_pending = true;
  }
  for (unsigned i = 0; i < CTAS; i++) {
    sum += s->cta[i].n;
  }
  tb_expect(s->t, s->free + sum == ENTRIES, "%u entries are free and %u taken", s->free, sum);
}

#include "rmu_serial.h"
#include "rmu_pipelined.h"

/* A command that was accepted in the cycle of another one's done; same: it is about one of its CTAs. */
static void rmu_bins_of_pair(struct sim *s) {
  unsigned a = s->c.op == RMU_RESTORE ? CTAS + 1 : s->c.a, b = s->c.op == RMU_SPILL ? CTAS + 1 : s->c.b;
  tb_hit(s->t, BIN_spill_spill + 3 * s->last_op + s->c.op);
  tb_hit_if(s->t, a == s->last_out, BIN_out_then_in_again);
  tb_hit_if(s->t, b == s->last_in, BIN_in_then_out_again);
}

static void rmu_expect_command(struct sim *s) {
  unsigned count = s->c.op == RMU_SPILL ? 0 : s->cta[s->c.b].n;
  s->need = s->n = s->prev = 0;
  memset(s->set, 0, sizeof s->set);
  if (s->follows) {
    rmu_bins_of_pair(s);
  }
  if (!command_ends(s, count)) {
    tb_hit(s->t, s->c.op == RMU_SWAP ? BIN_swap_refused : BIN_spill_refused);
    s->next.done_valid_o = 1, s->next.done_count_o = s->need;
    s->last_refused = true;
    return;
  }
  tb_hit_if(s->t, s->c.op == RMU_RESTORE && !count, BIN_restore_of_none);
  s->next.done_valid_o = s->next.done_success_o = 1;
  s->next.done_count_o = s->c.op == RMU_RESTORE ? count : s->need;
  tb_hit(s->t, BIN_spill + s->c.op);
  tb_hit_if(s->t, s->c.op == RMU_RESTORE && s->last_in == s->c.b, BIN_restore_behind_its_spill);
  tb_hit_if(s->t, s->c.op == RMU_SWAP && s->last_in == s->c.b && s->last_out == s->c.a, BIN_swap_back);
  s->last_in = s->c.op == RMU_RESTORE ? CTAS : s->c.a;
  s->last_out = s->c.op == RMU_SPILL ? CTAS : s->c.b;
  s->last_op = s->c.op;
  s->last_done = true;
  after_done(s);
}

#endif
