/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of rmu: coverage bins, the SM's actions between the commands, phases and cases. Its model of the SM is in
 * rmu_sm.h, its prediction of every port and register in rmu_oracle.h. docs/blocks/finereg/rmu.md
 */
#include "tb.h"

// clang-format off
#define BINS_OF_BOTH(B)                                                                                 \
  B(spill) B(restore) B(swap) B(spill_refused) B(swap_refused) B(spill_of_none) B(swap_needs_none)      \
  B(swap_with_none) B(swap_none_with_none) B(restore_of_none) B(sets_equal) B(sets_disjoint)            \
  B(sets_overlap) B(a_within_b) B(b_within_a) B(b_has_more_warps) B(spill_fits_exactly)                 \
  B(swap_fits_exactly) B(spill_refused_by_one) B(swap_refused_by_one) B(swap_none_free)                 \
  B(swap_none_free_equal) B(swap_none_free_disjoint) B(swap_none_free_overlap)                          \
  B(swap_none_free_refused) B(swap_none_free_needs_none) B(warps_1) B(warps_32) B(warps_between)        \
  B(warp_not_live) B(last_warp_not_live) B(no_warp_live) B(vector_0) B(vector_63) B(hit) B(miss)        \
  B(miss_between_hits) B(hit_after_miss) B(row_replaced) B(invalidate) B(invalidate_makes_miss)         \
  B(moved_bases) B(memory_asked_long) B(memory_at_once) B(memory_late) B(memory_very_late) B(chain_1)   \
  B(chain_2) B(chain_3) B(chain_4) B(chain_5) B(chain_over_100) B(chain_long) B(chain_of_all)           \
  B(chain_ascends) B(chain_descends) B(entry_0) B(entry_last) B(warp_31) B(register_0) B(register_62)   \
  B(done_then_command) B(refused_then_command) B(command_waits) B(restore_behind_its_spill)             \
  B(swap_back) B(idle_for_long) B(row_used_again) B(load_no_lane) B(load_all_lanes) B(load_some_lanes)  \
  B(load_for_b_at_accept) B(load_at_done) B(load_held_for_a) B(load_held_for_b) B(load_follows_in)      \
  B(load_follows_out) B(load_follows_in_exchange) B(load_follows_twice) B(load_dropped) B(load_twice)   \
  B(load_into_acrf) B(load_into_pcrf_of_other) B(each_entry_alone) B(skip) B(spill_spill)               \
  B(spill_restore) B(spill_swap) B(restore_spill) B(restore_restore) B(restore_swap) B(swap_spill)      \
  B(swap_restore) B(swap_swap) B(out_then_in_again) B(in_then_out_again)
#if TB_PARAM(Engine) == 1
#define BINS(B)                                                                                         \
  BINS_OF_BOTH(B) B(head_waits) B(head_waits_long) B(exchange_acrf_read_waits)                          \
  B(exchange_acrf_response_at_once) B(exchange_acrf_response_late) B(exchange_acrf_write_waits)         \
  B(exchange_first) B(exchange_last) B(exchange_then_head) B(drain_behind_exchange)                     \
  B(drain_acrf_read_waits) B(drain_acrf_read_waits_long) B(drain_acrf_response_at_once)                 \
  B(drain_acrf_response_late) B(drain_next_taken) B(drain_next_refused) B(drain_empty_first)            \
  B(drain_empty_between) B(drain_empty_last) B(load_in_idle) B(load_in_vector_request)                  \
  B(load_in_vector_wait) B(load_waits_in_admit) B(load_waits_in_walk) B(load_waits_in_drain_load)       \
  B(load_waits_in_drain_read) B(load_waits_in_drain_wait) B(load_waits_in_drain_write)                  \
  B(load_waits_in_finish) B(reset_in_idle) B(reset_in_vector_request) B(reset_in_vector_wait)           \
  B(reset_in_admit) B(reset_in_walk) B(reset_in_drain_load) B(reset_in_drain_read)                      \
  B(reset_in_drain_wait) B(reset_in_drain_write) B(reset_in_finish)
#define FIRST_LOAD_WAITS BIN_load_waits_in_admit
#else
#define BINS(B)                                                                                         \
  BINS_OF_BOTH(B) B(both_accepted) B(acrf_read_alone) B(acrf_write_alone)                               \
  B(acrf_read_refused_acrf_write_accepted) B(acrf_write_refused_acrf_read_accepted)                     \
  B(exchange_pass_drain) B(exchange_drain_pass) B(pass_exchange_drain) B(pass_drain_exchange)           \
  B(drain_exchange_pass) B(drain_pass_exchange) B(exchange_held) B(drain_no_spare) B(drain_no_room)     \
  B(two_reads) B(acrf_response_after_1) B(acrf_response_after_2) B(acrf_response_after_more)            \
  B(acrf_response_with_buffer) B(tag_waits_for_credit) B(window_full_head_refused) B(mine_in_row)       \
  B(mine_in_vector) B(mine_last_of_row) B(mine_as_row_is_loaded) B(row_loaded_empty)                    \
  B(row_last_by_drain) B(row_last_by_exchange) B(unknown_not_asked) B(unknown_open)                     \
  B(candidate_beyond_warps) B(sure_at_once) B(sure_after_some) B(sure_after_last)                       \
  B(look_up_beside_moves) B(refused_after_first) B(refused_after_middle) B(refused_after_last)          \
  B(refused_with_open) B(refused_with_miss) B(last_is_pop) B(last_is_buffer) B(last_is_vector)          \
  B(last_is_none) B(stored_and_restored) B(chain_of_all_then_pop) B(entry_of_b_before_it_is_restored)   \
  B(vacated_taken_at_once) B(equal_0_free) B(equal_1_free) B(equal_2_free) B(equal_many_free)           \
  B(disjoint_0_free) B(disjoint_1_free) B(disjoint_2_free) B(disjoint_many_free) B(overlap_0_free)      \
  B(overlap_1_free) B(overlap_2_free) B(overlap_many_free) B(load_in_idle) B(load_in_finish)            \
  B(load_in_look) B(load_in_move) B(load_waits) B(reset_in_idle) B(reset_in_finish) B(reset_in_look)    \
  B(reset_in_move) B(reset_with_two_reads) B(reset_with_buffer) B(reset_with_window_full)               \
  B(reset_with_all_full) B(time_restore_none) B(time_restore) B(time_looks) B(time_looks_last_dead)     \
  B(time_moves) B(time_no_move) B(time_spill_none) B(time_spill_known) B(time_spill) B(time_swap)       \
  B(time_swap_known) B(time_swap_equal) B(time_swap_equal_full) B(time_swap_disjoint_full)              \
  B(time_refused) B(time_refused_open)
#define FIRST_LOAD_WAITS BIN_load_waits
#endif
// clang-format on
TB_BINS(BINS)

#include "rmu_sm.h"
#include "rmu_oracle.h"

/* The command at the port is accepted in the cycle of idle just made. */
static void rmu_accept_command(struct sim *s) {
  s->c = s->offer;
  s->follows = s->o.done_valid_o && s->o.done_success_o;
  s->offered = false, s->busy = true;
  s->reserved = s->c.op == RMU_SWAP ? s->cta[s->c.a].slot : free_slot(s);
  if (s->c.op == RMU_RESTORE) {
    take_slot(s, s->reserved);
  }
  rmu_expect_command(s);
  s->busy = false;
}

static void rmu_random_idle(struct sim *s) {
  bool old = s->offered;
  if (!s->offered && tb_chance(s->r, 25)) {
    rmu_sm_launch(s);
  }
  if (!s->offered && tb_chance(s->r, 3)) {
    rmu_sm_retire(s);
  }
  if (!s->offered && !tb_chance(s->r, s->k->rest)) {
    rmu_sm_choose(s, ANY);
  }
  bool inv = !s->offered && tb_chance(s->r, s->k->inv);
  if (inv) {
    new_kernel(s);
    memset(s->val, 0, sizeof s->val);
    s->was_moved = true;
    tb_hit(s->t, BIN_invalidate);
  }
  rmu_begin_cycle(s, RMU_IDLE, 0, 0);
  s->in.invalidate_i = inv;
  rmu_end_cycle(s);
  s->rested = s->offered ? 0 : s->rested + 1;
  tb_hit_if(s->t, s->rested > 15, BIN_idle_for_long);
  if (s->offered) {
    tb_hit_if(s->t, old, BIN_command_waits);
    tb_hit_if(s->t, s->last_done, BIN_done_then_command);
    tb_hit_if(s->t, s->last_refused, BIN_refused_then_command);
  }
  s->last_done = s->last_refused = false;
  if (s->offered) {
    rmu_accept_command(s);
  }
}

/* One command, offered at once. */
static void rmu_run_command(struct sim *s, unsigned op, unsigned a, unsigned b) {
  rmu_sm_offer(s, op, a, b);
  rmu_begin_cycle(s, RMU_IDLE, 0, 0);
  rmu_end_cycle(s);
  rmu_accept_command(s);
}

static const struct bias at_once = {.ready = 100, .ars = 100, .mem = 100, .warps = 32, .regs = 30};

static void rmu_sim_init(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *k, jmp_buf *end) {
  memset(s, 0, offsetof(struct sim, e));
  for (unsigned i = 0; i < ENTRIES; i++) {
    s->e[i].occupied = false;
  }
  for (unsigned i = 0; i < SLOTS; i++) {
    s->slot[i].taken = false;
  }
  s->t = t, s->r = r, s->k = k, s->end = end;
  s->left = UINT64_MAX, s->cut = 16;
  s->free = ENTRIES, s->last_in = s->last_out = CTAS;
  new_kernel(s);
}

/* Fills the PCRF except for a few entries, mostly with small CTAs. */
static void rmu_fill_pcrf(struct sim *s, unsigned rest) {
  const struct bias *k = s->k;
  s->k = &at_once;
  while (s->free > rest) {
    unsigned c = rmu_sm_find_cta(s, GONE, false), slot = free_slot(s), room = s->free - rest;
    if (slot == SLOTS) {
      rmu_sm_retire(s);
      continue;
    }
    unsigned need = 1 + tb_below(s->r, tb_chance(s->r, 10) ? room : room < 100 ? room : 100);
    need = room < 20 ? room : need;
    rmu_sm_activate(s, c, slot, 1 + need / REGS + tb_below(s->r, 5), need);
    struct cta *a = &s->cta[c], aimed = *a;
    run_warps(s, a);
    if (tb_chance(s->r, 40) || rmu_sm_need_of(s, a) > room) {
      *a = aimed;
    }
    rmu_run_command(s, RMU_SPILL, c, c);
  }
  s->k = k;
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      /* ready sticky ars mem  rest early inv load full warps regs aim late */
      {100, 0, 100, 100, 10, 2, 2, 10, 0, 4, 8, 0, 0}, /* small */
      {85, 0, 80, 60, 20, 0, 1, 15, 0, 6, 12, 5, 0},   /* swaps */
      {40, 0, 30, 20, 5, 1, 1, 20, 0, 5, 8, 5, 0},     /* slow */
      {50, 93, 50, 50, 5, 1, 0, 20, 0, 5, 8, 0, 2},    /* blocked_for_long */
      {90, 0, 95, 80, 10, 1, 0, 10, 1, 4, 12, 40, 0},  /* brim */
      {70, 30, 70, 40, 30, 1, 1, 70, 0, 4, 6, 5, 0},   /* loads */
      {80, 0, 90, 10, 40, 5, 30, 10, 0, 3, 4, 0, 0},   /* misses */
      {95, 0, 95, 90, 85, 1, 5, 40, 0, 32, 3, 0, 0},   /* many_warps */
  };
  struct sim s;
  jmp_buf end;
  if (setjmp(end)) {
    return;
  }
  rmu_sim_init(&s, t, r, &bias[phase], &end);
  if (s.k->full) {
    rmu_fill_pcrf(&s, tb_chance(r, 50) ? 0 : tb_below(r, 40));
  }
  s.left = 50 + tb_below(r, s.k->full ? 2500 : 900);
  for (;;) {
    if (s.k->full && !s.offered && s.free < 60 && tb_chance(r, 30)) {
      rmu_fill_pcrf(&s, 0);
    }
    rmu_random_idle(&s);
  }
}

static const char *const phases[] = {"small",  "swaps",      "slow", "blocked_for_long", "brim", "loads",
                                     "misses", "many_warps", NULL};

static void idle_cycle(struct sim *s) {
  rmu_begin_cycle(s, RMU_IDLE, 0, 0);
  rmu_end_cycle(s);
}

/* The PCs that rmu_sm_aim_at_need() uses share no row of the cache. */
static bool rows_differ(const struct sim *s) {
  for (unsigned i = 0; i < SIZED; i++) {
    for (unsigned j = 0; j < i; j++) {
      if (rmu_cache_row_of(s->pc[i]) == rmu_cache_row_of(s->pc[j])) return false;
    }
  }
  return true;
}

/* One CTA that owns every entry; swapped for one of the same size, refused for one register more. */
static void rmu_case_whole_pcrf(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  if (KEPT) {
    rmu_sm_activate(&s, 64, 0, 32, KEPT);
    rmu_run_command(&s, RMU_SPILL, 64, 0);
  }
  rmu_sm_activate(&s, 127, 0, 32, WHOLE + 1);
  rmu_run_command(&s, RMU_SPILL, 127, 0);
  rmu_sm_activate(&s, 127, 0, 32, WHOLE);
  rmu_run_command(&s, RMU_SPILL, 127, 0);
  rmu_sm_activate(&s, 0, 3, 32, WHOLE + 1);
  rmu_run_command(&s, RMU_SWAP, 0, 127);
  rmu_sm_activate(&s, 0, 3, 32, WHOLE);
  rmu_run_command(&s, RMU_SWAP, 0, 127);
  rmu_sm_activate(&s, 127, 3, 17, 0);
  rmu_run_command(&s, RMU_SWAP, 127, 0);
  rmu_sm_activate(&s, 0, 3, 32, WHOLE);
  rmu_run_command(&s, RMU_SPILL, 0, 0);
  rmu_run_command(&s, RMU_RESTORE, 127, 0);
  rmu_run_command(&s, RMU_RESTORE, 0, 127);
  idle_cycle(&s);
}

/* Restores a CTA, which then ends. */
static void bring_and_end(struct sim *s, unsigned c) {
  rmu_run_command(s, RMU_RESTORE, c, c);
  s->slot[s->cta[c].slot].taken = false;
  s->cta[c].place = GONE;
}

/* So many registers of c are spilled; those that one CTA cannot have are of c - 2. */
static void take_entries(struct sim *s, unsigned c, unsigned n) {
  const unsigned first = n < WHOLE ? n : WHOLE;
  rmu_sm_activate(s, c, 0, 32, first);
  rmu_run_command(s, RMU_SPILL, c, 0);
  if (n == first) return;
  rmu_sm_activate(s, c - 2, 0, 32, n - first);
  rmu_run_command(s, RMU_SPILL, c - 2, 0);
}

static void free_entries(struct sim *s, unsigned c) {
  bring_and_end(s, c);
  if (s->cta[c - 2].place == PENDING) bring_and_end(s, c - 2);
}

/* Each entry is the only free one once, and is found: in turn many CTAs of one register leave the full PCRF
 * and come back. */
static void rmu_case_each_entry_alone(struct tb_run *t, struct tb_rng *r) {
  enum { BELOW = 126, ABOVE = 127, MANY = 120 };
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  for (unsigned from = 0; from < ENTRIES; from += MANY) {
    unsigned n = ENTRIES - from < MANY ? ENTRIES - from : MANY;
    take_entries(&s, BELOW, from);
    for (unsigned c = 0; c < n; c++) {
      rmu_sm_activate(&s, c, 0, 1, 1);
      rmu_run_command(&s, RMU_SPILL, c, c);
    }
    take_entries(&s, ABOVE, ENTRIES - from - n);
    tb_expect(t, s.free == 0, "%u entries are free, expected none", s.free);
    for (unsigned c = 0; c < n; c++) {
      rmu_run_command(&s, RMU_RESTORE, c, c);
      rmu_run_command(&s, RMU_SPILL, c, c);
    }
    for (unsigned c = 0; c < n; c++) {
      bring_and_end(&s, c);
    }
    free_entries(&s, BELOW);
    free_entries(&s, ABOVE);
  }
  tb_hit(t, BIN_each_entry_alone);
  idle_cycle(&s);
}

/* In a full PCRF two CTAs of one register are swapped, that of warp 1 for that of warp 0. */
static void rmu_case_disjoint_when_full(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  rmu_sim_init(&s, t, r, &at_once, &end);
  take_entries(&s, 127, ENTRIES - 1);
  rmu_sm_activate(&s, 0, 0, 1, 1);
  rmu_run_command(&s, RMU_SPILL, 0, 0);
  rmu_sm_activate(&s, 1, 3, 2, 1);
  s.cta[1].at[1] = s.cta[1].at[0], s.cta[1].live = 2;
  rmu_run_command(&s, RMU_SWAP, 1, 0);
  rmu_run_command(&s, RMU_SWAP, 0, 1);
  idle_cycle(&s);
}

/* Reset in each state: nothing from before the reset is left afterwards. */
static void rmu_case_reset_in_each_state(struct tb_run *t, struct tb_rng *r) {
  static const struct bias k = {
      .ready = 60, .ars = 60, .mem = 50, .early = 5, .load = 30, .inv = 2, .warps = 5, .regs = 10};
  struct sim s;
  jmp_buf end;
  for (volatile unsigned state = 0; state < 2 * (RMU_MOVE + 1); state++) {
    if (!SERIAL && state / 2 != RMU_IDLE && state / 2 < RMU_FINISH) continue;
    if (SERIAL && state / 2 > RMU_FINISH) continue;
    tb_reset(t);
    rmu_sim_init(&s, t, r, &k, &end);
    if (!setjmp(end)) {
      for (unsigned i = state & 1 ? 12 : 0; i; i--) { /* sooner and later */
        rmu_random_idle(&s);
      }
      s.cut = state / 2;
      for (;;) {
        rmu_random_idle(&s);
      }
    }
  }
  tb_reset(t);
  rmu_sim_init(&s, t, r, &k, &end);
  rmu_sm_activate(&s, 3, 1, 5, 100);
  rmu_run_command(&s, RMU_SPILL, 3, 0);
  rmu_run_command(&s, RMU_RESTORE, 0, 3);
  idle_cycle(&s);
}

#include "rmu_serial_cases.h"
#include "rmu_pipelined_cases.h"

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct rmu_in *in = vin, *was = last_in;
  const struct rmu_out *out = last_out;
  const struct rmu_state *s = model;
  if (in->command_valid_i && in->command_operation_i > RMU_SWAP) {
    return "no such command";
  }
  if (in->command_valid_i && in->command_operation_i != RMU_RESTORE &&
      (in->command_warps_i == 0 || in->command_warps_i > WARPS)) {
    return "command_warps_i is not of 1 to 32";
  }
  if (in->command_valid_i && in->command_operation_i == RMU_SWAP &&
      in->command_outgoing_cta_i == in->command_incoming_cta_i) {
    return "a swap of a CTA with itself";
  }
  if (in->invalidate_i && (s->state_q != RMU_IDLE || in->command_valid_i)) {
    return "invalidate_i while not idle, or with a command";
  }
  if (was && !in->invalidate_i && (was->vector_base_i != in->vector_base_i || was->code_base_i != in->code_base_i)) {
    return "another base without invalidate_i";
  }
  bool reading = SERIAL ? s->state_q == RMU_DRAIN_WAIT || (s->state_q == RMU_WALK && s->reads_q == 1) : s->reads_q != 0;
  if (in->acrf_response_valid_i && !reading) {
    return "acrf_response_valid_i without a read under way";
  }
  if (in->memory_response_valid_i && in->memory_response_data_i >> 63) {
    return "bit 63 of a vector";
  }
  bool asks = s->state_q == RMU_VECTOR_REQUEST || s->state_q == RMU_LOOK || s->state_q == RMU_MOVE;
  if (asks && in->pc_live_i && in->pc_i & 7) {
    return "a PC that is no multiple of 8";
  }
  if (was && was->command_valid_i && !out->command_ready_o &&
      (!in->command_valid_i || in->command_operation_i != was->command_operation_i ||
       in->command_outgoing_cta_i != was->command_outgoing_cta_i ||
       in->command_incoming_cta_i != was->command_incoming_cta_i || in->command_warps_i != was->command_warps_i)) {
    return "a command was changed before it was accepted";
  }
  if (was && was->fill_valid_i && !out->fill_ready_o &&
      (!in->fill_valid_i || in->fill_index_i != was->fill_index_i || in->fill_lanes_i != was->fill_lanes_i ||
       memcmp(in->fill_data_i, was->fill_data_i, sizeof in->fill_data_i))) {
    return "a load was changed before it was accepted";
  }
  return NULL;
}

static const struct tb_case cases[] = {CASES_OF_ENGINE,
                                       {"whole_pcrf", rmu_case_whole_pcrf},
                                       {"each_entry_alone", rmu_case_each_entry_alone},
                                       {"disjoint_when_full", rmu_case_disjoint_when_full},
                                       {"reset_in_each_state", rmu_case_reset_in_each_state},
                                       {NULL, NULL}};
const struct tb tb_bench = {
    .cycles = 480000, .phases = phases, .bins = tb_bin_names, .episode = episode, .cases = cases, .illegal = illegal};
