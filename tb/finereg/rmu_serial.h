/* SPDX-License-Identifier: Apache-2.0 */
/* Part of rmu's bench, included once, by rmu_oracle.h: the serial engine, one state after another. */
#ifndef RT_TB_RMU_SERIAL_H
#define RT_TB_RMU_SERIAL_H
#if TB_PARAM(Engine) == 1

enum { HEAD, READ, WRITE }; /* x in walk */

/* A read until it is accepted, in cycles of this state */
static unsigned rmu_serial_expect_read(struct sim *s, unsigned state, unsigned warp_q, unsigned w, unsigned r) {
  for (unsigned waited = 0;; waited++) {
    rmu_begin_cycle(s, state, HEAD, warp_q);
    s->o.acrf_read_valid_o = 1, s->o.acrf_read_warp_o = w, s->o.acrf_read_register_o = r;
    rmu_end_cycle(s);
    if (s->in.acrf_read_ready_i) {
      return waited;
    }
  }
}

/* the answer, and how long it took */
static unsigned rmu_serial_expect_response(struct sim *s, unsigned state, unsigned x, unsigned warp_q, unsigned w,
                                           unsigned r, uint32_t *buf) {
  for (unsigned waited = 0;; waited++) {
    rmu_begin_cycle(s, state, x, warp_q);
    s->in.acrf_response_valid_i = tb_chance(s->r, s->k->ars);
    if (s->in.acrf_response_valid_i) {
      memcpy(s->in.acrf_response_data_i, rmu_sm_acrf_register(s, s->cta[s->c.a].slot, w, r),
             sizeof s->in.acrf_response_data_i);
      memcpy(buf, s->in.acrf_response_data_i, sizeof s->in.acrf_response_data_i);
    }
    rmu_end_cycle(s);
    if (s->in.acrf_response_valid_i) {
      return waited;
    }
  }
}

static unsigned rmu_serial_expect_write(struct sim *s, unsigned x, const struct entry *e) {
  for (unsigned waited = 0;; waited++) {
    rmu_begin_cycle(s, RMU_WALK, x, 0);
    s->o.acrf_write_valid_o = 1, s->o.acrf_write_warp_o = e->w, s->o.acrf_write_register_o = e->r;
    memcpy(s->o.acrf_write_data_o, e->d, sizeof e->d);
    rmu_end_cycle(s);
    if (s->in.acrf_write_ready_i) {
      struct slot *k = &s->slot[s->reserved];
      memcpy(k->d[e->w][e->r], e->d, sizeof e->d);
      k->has[e->w] |= UINT64_C(1) << e->r;
      return waited;
    }
  }
}

static uint64_t rmu_serial_expect_look_up(struct sim *s, unsigned w, unsigned p) {
  uint32_t pc = s->pc[p];
  unsigned row = rmu_cache_row_of(pc), waited = 0;
  if (s->val[row] && s->cached[row] == pc) {
    rmu_begin_cycle(s, RMU_VECTOR_WAIT, 0, w);
    rmu_end_cycle(s);
    tb_hit(s->t, BIN_hit);
    return s->vec[p];
  }
  do {
    rmu_begin_cycle(s, RMU_VECTOR_WAIT, 0, w);
    s->o.memory_request_valid_o = 1, s->o.memory_request_addr_o = s->base + (pc - s->cbase);
    rmu_end_cycle(s);
    waited++;
  } while (!s->in.memory_request_ready_i);
  tb_hit_if(s->t, waited > 8, BIN_memory_asked_long);
  waited = 0;
  do {
    rmu_begin_cycle(s, RMU_VECTOR_WAIT, 0, w);
    s->waits = true;
    s->in.memory_response_valid_i = tb_chance(s->r, s->k->mem);
    s->in.memory_response_data_i = s->in.memory_response_valid_i ? s->vec[p] : s->in.memory_response_data_i;
    rmu_end_cycle(s);
    waited++;
  } while (!s->in.memory_response_valid_i);
  tb_hit(s->t, waited == 1 ? BIN_memory_at_once : waited < 12 ? BIN_memory_late : BIN_memory_very_late);
  tb_hit_if(s->t, s->val[row], BIN_row_replaced);
  tb_hit(s->t, BIN_miss);
  s->val[row] = true, s->cached[row] = pc;
  rmu_begin_cycle(s, RMU_VECTOR_WAIT, 0, w);
  rmu_end_cycle(s);
  return s->vec[p];
}

static void rmu_serial_expect_look_ups(struct sim *s) {
  const struct cta *a = &s->cta[s->c.a];
  unsigned hits = 0, misses = 0, was_hit = 0;
  for (unsigned w = 0; w < s->c.nw; w++) {
    bool live = a->live >> w & 1;
    bool held = false;
    for (unsigned i = 0; i < ROWS; i++) held |= s->val[i];
    uint64_t then = s->now;
    rmu_begin_cycle(s, RMU_VECTOR_REQUEST, 0, w);
    s->in.pc_live_i = live;
    if (live) {
      s->in.pc_i = s->pc[a->at[w]];
    }
    rmu_end_cycle(s);
    if (live) {
      s->set[w] = rmu_serial_expect_look_up(s, w, a->at[w]);
      s->need += rmu_count_ones(s->set[w]);
      bool was = s->now == then + 2;
      tb_hit_if(s->t, was && misses, BIN_hit_after_miss);
      tb_hit_if(s->t, was && misses && was_hit, BIN_miss_between_hits);
      was_hit |= was && !misses;
      hits += was, misses += !was;
      tb_hit_if(s->t, !was && !held && s->was_moved, BIN_invalidate_makes_miss);
      tb_hit_if(s->t, rmu_count_ones(s->set[w]) == 63 || !s->set[w], s->set[w] ? BIN_vector_63 : BIN_vector_0);
    } else {
      tb_hit(s->t, w + 1 == s->c.nw ? BIN_last_warp_not_live : BIN_warp_not_live);
    }
  }
  tb_hit_if(s->t, hits + misses == 0, BIN_no_warp_live);
  tb_hit_if(s->t, s->was_moved && misses, BIN_moved_bases);
  tb_hit(s->t, s->c.nw == 1 ? BIN_warps_1 : s->c.nw == 32 ? BIN_warps_32 : BIN_warps_between);
}

static bool rmu_serial_expect_admit(struct sim *s) {
  unsigned nb = s->c.op == RMU_SWAP ? s->cta[s->c.b].n : 0, room = s->free + nb;
  bool swap = s->c.op == RMU_SWAP, fits = s->need <= room;
  rmu_begin_cycle(s, RMU_ADMIT, 0, 0);
  rmu_end_cycle(s);
  if (s->need == room || s->need == room + 1) {
    tb_hit(s->t, fits ? (swap ? BIN_swap_fits_exactly : BIN_spill_fits_exactly)
                      : (swap ? BIN_swap_refused_by_one : BIN_spill_refused_by_one));
  }
  if (swap) {
    tb_hit_if(s->t, !s->free && !fits, BIN_swap_none_free_refused);
    tb_hit_if(s->t, !s->free && fits, BIN_swap_none_free);
    tb_hit_if(s->t, !s->free && !s->need, BIN_swap_none_free_needs_none);
    tb_hit_if(s->t, !s->need, nb ? BIN_swap_needs_none : BIN_swap_none_with_none);
    tb_hit_if(s->t, s->need && !nb, BIN_swap_with_none);
    if (fits && s->need && nb) {
      uint64_t of_b[WARPS];
      sets_of(s, s->c.b, of_b);
      rmu_bins_of_sets(s, s->set, of_b, s->free);
    }
  } else {
    tb_hit_if(s->t, !s->need, BIN_spill_of_none);
  }
  return fits;
}

/* An entry of b for a register that a spills, too: they are exchanged. */
static void rmu_serial_expect_exchange(struct sim *s, struct entry *e, unsigned idx) {
  uint32_t buf[LANES];
  unsigned w = e->w, r = e->r;
  tb_hit_if(s->t, rmu_serial_expect_read(s, RMU_WALK, 0, w, r), BIN_exchange_acrf_read_waits);
  tb_hit(s->t, rmu_serial_expect_response(s, RMU_WALK, READ, 0, w, r, buf) ? BIN_exchange_acrf_response_late
                                                                           : BIN_exchange_acrf_response_at_once);
  tb_hit_if(s->t, rmu_serial_expect_write(s, WRITE, e), BIN_exchange_acrf_write_waits);
  moved_in(s, idx, w, r, buf);
}

/*
 * When pcrf shows the entries: tag i + 1 is read two cycles after tag i, but not before the cycle after the
 * pop of i - 3, and its entry is there four cycles later.
 */
static void rmu_serial_expect_walk(struct sim *s) {
  unsigned n = s->cta[s->c.b].n, exchanged = 0;
  uint64_t tag = s->now, popped[4] = {0};
  uint16_t order[ENTRIES];
  memcpy(order, s->chain[s->c.b], n * sizeof order[0]);
  for (unsigned i = 0; i < n; i++) {
    unsigned idx = order[n - 1 - i];
    struct entry *e = &s->e[idx];
    while (s->now < tag + 4) {
      rmu_begin_cycle(s, RMU_WALK, HEAD, 0);
      rmu_end_cycle(s);
    }
    bool both = s->set[e->w] >> e->r & 1;
    unsigned w = e->w, r = e->r;
    if (both) {
      rmu_serial_expect_exchange(s, e, idx);
      tb_hit_if(s->t, i == 0, BIN_exchange_first);
      tb_hit_if(s->t, i + 1 == n, BIN_exchange_last);
    } else {
      unsigned waited = rmu_serial_expect_write(s, HEAD, e);
      tb_hit_if(s->t, waited, waited > 10 ? BIN_head_waits_long : BIN_head_waits);
      tb_hit_if(s->t, exchanged, BIN_exchange_then_head);
      e->occupied = false;
      s->free++;
    }
    exchanged = both;
    s->next.restored_valid_o = 1, s->next.restored_warp_o = w, s->next.restored_register_o = r;
    popped[i % 4] = s->now; /* the cycle after the pop */
    tag += 2;
    if (i >= 3 && popped[(i + 1) % 4] > tag) {
      tag = popped[(i + 1) % 4];
    }
  }
  tb_hit(s->t, chain_bin(n));
  tb_hit_if(s->t, n == WHOLE, BIN_chain_of_all);
}

static void rmu_serial_expect_warp(struct sim *s, unsigned w) {
  uint64_t left = s->set[w];
  uint32_t buf[LANES];
  bool taken = false; /* the read was accepted in drain_write */
  while (left) {
    unsigned r = rmu_lowest_one(left), waited = taken ? 0 : rmu_serial_expect_read(s, RMU_DRAIN_READ, w, w, r);
    tb_hit_if(s->t, waited, waited > 10 ? BIN_drain_acrf_read_waits_long : BIN_drain_acrf_read_waits);
    left &= left - 1;
    tb_hit(s->t, rmu_serial_expect_response(s, RMU_DRAIN_WAIT, 0, w, w, r, buf) ? BIN_drain_acrf_response_late
                                                                                : BIN_drain_acrf_response_at_once);
    rmu_begin_cycle(s, RMU_DRAIN_WRITE, 0, w);
    if (left) {
      s->o.acrf_read_valid_o = 1, s->o.acrf_read_warp_o = w, s->o.acrf_read_register_o = rmu_lowest_one(left);
    }
    rmu_end_cycle(s);
    taken = left && s->in.acrf_read_ready_i;
    tb_hit_if(s->t, left, taken ? BIN_drain_next_taken : BIN_drain_next_refused);
    moved_in(s, rmu_lowest_free_entry(s), w, r, buf);
    s->free--;
  }
}

static void rmu_serial_expect_drain(struct sim *s) {
  tb_hit_if(s->t, s->n, BIN_drain_behind_exchange);
  for (unsigned w = 0; w < s->c.nw; w++) {
    rmu_begin_cycle(s, RMU_DRAIN_LOAD, 0, w);
    rmu_end_cycle(s);
    tb_hit_if(s->t, !s->set[w],
              w == 0            ? BIN_drain_empty_first
              : w + 1 < s->c.nw ? BIN_drain_empty_between
                                : BIN_drain_empty_last);
    rmu_serial_expect_warp(s, w);
  }
}

static bool command_ends(struct sim *s, unsigned count) {
  if (s->c.op != RMU_RESTORE) {
    rmu_serial_expect_look_ups(s);
    if (!rmu_serial_expect_admit(s)) {
      return false;
    }
  }
  if (count) {
    rmu_serial_expect_walk(s);
  }
  if (s->c.op != RMU_RESTORE) {
    rmu_serial_expect_drain(s);
  }
  rmu_begin_cycle(s, RMU_FINISH, 0, 0);
  rmu_end_cycle(s);
  return true;
}

#endif
#endif
