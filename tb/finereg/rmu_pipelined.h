/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of rmu's bench, included once, by rmu_oracle.h: the pipelined engine. It has none of the engine's own counts: an
 * entry of b's chain has the time at which its tag was read, from which follows where it is; the spare entries come
 * from the page's invariant F = spare + O + P; and the ends of all commands are compared with the page's table of times.
 */
#ifndef RT_TB_RMU_PIPELINED_H
#define RT_TB_RMU_PIPELINED_H
#if TB_PARAM(Engine) != 1

/* What the page says about a cycle, from what is true at its start. */
struct plan {
  unsigned state, left, spare, room; /* room: avail */
  bool much, ask, answer;            /* answer: lrvc's response_valid */
  bool tag, stuck;                   /* the next tag is read; it waits for a credit */
  bool q, unknown, mine, ex, pass, drain, h;
  bool load;    /* a row is loaded, if there is one */
  unsigned row; /* the lowest row to load, or WARPS */
  const struct entry *qe, *he;
  unsigned ard_w, ard_r;
};

static uint64_t rmu_drained_registers(const struct sim *s) { return s->p.row < WARPS ? s->set[s->p.row] : 0; }

static unsigned row_to_load(const struct sim *s) {
  unsigned w = 0;
  while (w < WARPS && (w == s->p.row || !s->set[w])) {
    w++;
  }
  return w;
}

static void plan_walk(const struct sim *s, struct plan *d) {
  const struct pipe *p = &s->p;
  bool next = p->tags < p->nb && (p->tags == 0 || s->now > p->tag[(p->tags - 1) % 8]);
  d->tag = next && p->tags - p->popped < WINDOW;
  d->stuck = next && !d->tag;
  d->q = p->passed < p->vacated;
  d->h = p->popped < p->passed;
  d->qe = &p->window[p->passed % 8], d->he = &p->window[p->popped % 8];
  if (d->q) {
    d->unknown = p->open >> d->qe->w & 1;
    d->mine = s->set[d->qe->w] >> d->qe->r & 1;
  }
}

static struct plan plan_cycle(struct sim *s, unsigned state) {
  struct pipe *p = &s->p;
  struct plan d = {.state = state, .left = rmu_count_ones(p->open), .row = WARPS};
  unsigned held = p->x + p->buf + (p->vacated - p->passed);
  tb_expect(s->t, s->free >= held, "%u entries are free, %u are promised", s->free, held);
  d.spare = s->free - held;
  d.room = s->free + (s->c.op == RMU_SWAP ? p->nb : 0);
  d.much = state == RMU_LOOK && s->need > d.room;
  d.answer = p->cache == ANSWERS;
  d.ask = state != RMU_FINISH && !d.much && p->asked < p->nw && (p->cache == READY || d.answer);
  if (state == RMU_MOVE) {
    uint64_t rem = rmu_drained_registers(s);
    bool room = p->x < 2;
    plan_walk(s, &d);
    d.ex = d.q && !d.unknown && d.mine && room && !p->hold;
    d.pass = d.q && !d.unknown && !d.mine;
    d.drain = !d.ex && rem && room && d.spare;
    d.ard_w = d.ex ? d.qe->w : d.drain ? p->row : 0;
    d.ard_r = d.ex ? d.qe->r : d.drain ? rmu_lowest_one(rem) : 0;
    d.row = row_to_load(s);
  }
  return d;
}

/* Asleep: this edge would change nothing under quiet inputs. */
static bool may_sleep(const struct sim *s, const struct plan *d, unsigned next) {
  const struct pipe *p = &s->p;
  bool wk = p->nb && !p->tags, on_the_way = p->tags && s->now < p->tag[(p->tags - 1) % 8] + 4;
  bool row = d->state == RMU_MOVE && !rmu_drained_registers(s) && d->row < WARPS;
  return d->state != RMU_FINISH && next == d->state && !p->buf && !d->ex && !d->drain && !d->h && !wk && !on_the_way &&
         !d->ask && !d->pass && !d->tag && !row && (p->cache == READY || p->cache == WAITS);
}

static void rmu_pipelined_drive_inputs(struct sim *s, const struct plan *d) {
  struct rmu_in *in = &s->in;
  struct rmu_out *o = &s->o;
  const struct pipe *p = &s->p;
  const struct cta *a = &s->cta[s->c.a];
  in->pc_i &= ~UINT64_C(7);
  if (d->ask) {
    o->pc_warp_o = p->asked;
    in->pc_live_i = a->live >> p->asked & 1;
    in->pc_i = in->pc_live_i ? s->pc[a->at[p->asked]] : in->pc_i;
  }
  if (p->cache == ASKS) {
    o->memory_request_valid_o = 1, o->memory_request_addr_o = s->base + (s->pc[a->at[p->looked]] - s->cbase);
  } else if (p->cache == WAITS) {
    in->memory_response_valid_i = tb_chance(s->r, s->k->mem);
    in->memory_response_data_i = in->memory_response_valid_i ? s->vec[a->at[p->looked]] : in->memory_response_data_i;
  }
  o->acrf_read_valid_o = d->ex || d->drain, o->acrf_read_warp_o = d->ard_w, o->acrf_read_register_o = d->ard_r;
  if (d->h) {
    o->acrf_write_valid_o = 1, o->acrf_write_warp_o = d->he->w, o->acrf_write_register_o = d->he->r;
    memcpy(o->acrf_write_data_o, d->he->d, sizeof d->he->d);
    in->acrf_write_ready_i &= !s->pop_last || p->popped + 1 < p->nb || s->n == s->need;
  }
  if (p->x && s->now >= p->read[0].at + s->k->late && tb_chance(s->r, s->k->ars)) {
    in->acrf_response_valid_i = 1;
    memcpy(in->acrf_response_data_i, p->read[0].d, sizeof in->acrf_response_data_i);
  }
}

/* ---- bins ---- */

static void rmu_bins_of_order(struct sim *s, const struct plan *d, bool read) {
  static const struct {
    unsigned bin, was[3];
  } order[] = {{BIN_exchange_pass_drain, {1, 2, 4}}, {BIN_exchange_drain_pass, {1, 4, 2}},
               {BIN_pass_exchange_drain, {2, 1, 4}}, {BIN_pass_drain_exchange, {2, 4, 1}},
               {BIN_drain_exchange_pass, {4, 1, 2}}, {BIN_drain_pass_exchange, {4, 2, 1}}};
  struct pipe *p = &s->p;
  p->did[0] = p->did[1], p->did[1] = p->did[2];
  p->did[2] = (d->ex && read ? 1 : 0) | (d->pass ? 2 : 0) | (d->drain && read ? 4 : 0);
  for (unsigned i = 0; i < 6; i++) {
    tb_hit_if(s->t, p->did[0] & order[i].was[0] && p->did[1] & order[i].was[1] && p->did[2] & order[i].was[2],
              order[i].bin);
  }
}

static void rmu_bins_of_exchange(struct sim *s, const struct plan *d) {
  const struct pipe *p = &s->p;
  if (d->qe->w == p->row) {
    tb_hit(s->t, BIN_mine_in_row);
    bool last = rmu_count_ones(s->set[p->row]) == 1;
    tb_hit_if(s->t, last, BIN_row_last_by_exchange);
    s->time.emptied += last && d->row < WARPS;
    return;
  }
  bool last = rmu_count_ones(s->set[d->qe->w]) == 1, loaded = !rmu_drained_registers(s) && d->row == d->qe->w;
  tb_hit(s->t, BIN_mine_in_vector);
  tb_hit_if(s->t, last, BIN_mine_last_of_row);
  tb_hit_if(s->t, loaded, last ? BIN_row_loaded_empty : BIN_mine_as_row_is_loaded);
}

static void rmu_bins_of_ports(struct sim *s, const struct plan *d) {
  const struct pipe *p = &s->p;
  bool ard = s->o.acrf_read_valid_o, awr = s->o.acrf_write_valid_o, read = ard && s->in.acrf_read_ready_i,
       written = awr && s->in.acrf_write_ready_i;
  tb_hit_if(s->t, read && written, BIN_both_accepted);
  tb_hit_if(s->t, read && !awr, BIN_acrf_read_alone);
  tb_hit_if(s->t, written && !ard, BIN_acrf_write_alone);
  tb_hit_if(s->t, read && awr && !written, BIN_acrf_write_refused_acrf_read_accepted);
  tb_hit_if(s->t, written && ard && !read, BIN_acrf_read_refused_acrf_write_accepted);
  tb_hit_if(s->t, p->x == 2, BIN_two_reads);
  tb_hit_if(s->t, s->in.acrf_response_valid_i && p->buf, BIN_acrf_response_with_buffer);
  if (s->in.acrf_response_valid_i) {
    uint64_t after = s->now - p->read[0].at;
    tb_hit(s->t, after == 1   ? BIN_acrf_response_after_1
                 : after == 2 ? BIN_acrf_response_after_2
                              : BIN_acrf_response_after_more);
  }
  tb_hit_if(s->t, d->stuck, BIN_tag_waits_for_credit);
  tb_hit_if(s->t, awr && !written && p->vacated - p->popped == WINDOW, BIN_window_full_head_refused);
  tb_hit_if(s->t, d->ask && d->state == RMU_MOVE && (ard || awr), BIN_look_up_beside_moves);
  rmu_bins_of_order(s, d, read);
}

static void rmu_bins_of_move(struct sim *s, const struct plan *d) {
  const struct pipe *p = &s->p;
  uint64_t rem = rmu_drained_registers(s);
  tb_hit_if(s->t, d->q && !d->unknown && d->mine && p->x < 2 && p->hold, BIN_exchange_held);
  tb_hit_if(s->t, !d->ex && rem && p->x == 2, BIN_drain_no_room);
  tb_hit_if(s->t, !d->ex && rem && p->x < 2 && !d->spare, BIN_drain_no_spare);
  tb_hit_if(s->t, d->unknown, p->cache != READY && p->looked == d->qe->w ? BIN_unknown_open : BIN_unknown_not_asked);
  tb_hit_if(s->t, d->q && s->c.op == RMU_SWAP && d->qe->w >= p->nw, BIN_candidate_beyond_warps);
  tb_hit_if(s->t, d->drain && s->in.acrf_read_ready_i && rmu_count_ones(rem) == 1 && d->row < WARPS,
            BIN_row_last_by_drain);
  if (d->ex && s->in.acrf_read_ready_i) {
    rmu_bins_of_exchange(s, d);
  }
}

static void rmu_bins_of_look_up(struct sim *s, bool was_hit) {
  struct times *k = &s->time;
  k->misses += !was_hit, k->hits += was_hit;
  tb_hit(s->t, was_hit ? BIN_hit : BIN_miss);
  tb_hit_if(s->t, was_hit && k->misses, BIN_hit_after_miss);
  tb_hit_if(s->t, was_hit && k->misses && k->hit_first, BIN_miss_between_hits);
  k->hit_first |= was_hit && !k->misses;
}

static void rmu_bins_of_admission(struct sim *s, const struct plan *d, bool fits) {
  const struct pipe *p = &s->p;
  bool swap = s->c.op == RMU_SWAP;
  if (d->left == 0) {
    tb_hit_if(s->t, s->need == d->room, swap ? BIN_swap_fits_exactly : BIN_spill_fits_exactly);
  }
  if (!fits) {
    tb_hit_if(s->t, s->need == d->room + 1, swap ? BIN_swap_refused_by_one : BIN_spill_refused_by_one);
    tb_hit_if(s->t, swap && !s->free, BIN_swap_none_free_refused);
    tb_hit(s->t, s->time.passed == 0           ? BIN_refused_after_first
                 : s->time.passed + 1 == p->nw ? BIN_refused_after_last
                                               : BIN_refused_after_middle);
    tb_hit_if(s->t, s->time.misses, BIN_refused_with_miss);
    return;
  }
  tb_hit(s->t, d->left == p->nw ? BIN_sure_at_once : d->left ? BIN_sure_after_some : BIN_sure_after_last);
  tb_hit_if(s->t, swap && !s->free, BIN_swap_none_free);
}

/* At the end of an admitted command. */
static void rmu_bins_of_known(struct sim *s) {
  const struct pipe *p = &s->p;
  const struct times *k = &s->time;
  tb_hit_if(s->t, k->hits + k->misses == 0, BIN_no_warp_live);
  tb_hit_if(s->t, s->was_moved && k->misses, BIN_moved_bases);
  tb_hit(s->t, p->nw == 1 ? BIN_warps_1 : p->nw == 32 ? BIN_warps_32 : BIN_warps_between);
  if (s->c.op == RMU_SPILL) {
    tb_hit_if(s->t, !s->need, BIN_spill_of_none);
    return;
  }
  tb_hit_if(s->t, !k->free && !s->need, BIN_swap_none_free_needs_none);
  tb_hit_if(s->t, !s->need, p->nb ? BIN_swap_needs_none : BIN_swap_none_with_none);
  tb_hit_if(s->t, s->need && !p->nb, BIN_swap_with_none);
  if (s->need && p->nb) {
    enum relation is = rmu_bins_of_sets(s, p->sets, p->sets_of_b, k->free);
    unsigned f = k->free < 3 ? k->free : 3;
    tb_hit_if(s->t, is == DISJOINT, BIN_disjoint_0_free + f);
    tb_hit_if(s->t, is == EQUAL, BIN_equal_0_free + f);
    tb_hit_if(s->t, is == OVERLAP, BIN_overlap_0_free + f);
    s->time.relation = is;
  }
}

/* ---- the edge ---- */

static void rmu_vector_is_known(struct sim *s, unsigned w, uint64_t vector) {
  struct pipe *p = &s->p;
  s->set[w] = vector, p->sets[w] = vector;
  p->open &= ~(1u << w);
  s->need += rmu_count_ones(vector);
  if (!s->time.exceeded && s->need > s->time.free + (s->c.op == RMU_SWAP ? p->nb : 0)) {
    s->time.exceeded = true, s->time.passed = w;
  }
}

static void edge_look_up(struct sim *s, const struct plan *d) {
  struct pipe *p = &s->p;
  const struct cta *a = &s->cta[s->c.a];
  unsigned now = p->cache;
  if (now == ASKS) {
    p->cache = s->in.memory_request_ready_i ? WAITS : ASKS;
    tb_hit_if(s->t, s->now > p->since + 8, BIN_memory_asked_long);
    p->since = s->in.memory_request_ready_i ? s->now : p->since;
  } else if (now == WAITS && s->in.memory_response_valid_i) {
    unsigned row = rmu_cache_row_of(s->pc[a->at[p->looked]]);
    uint64_t waited = s->now - p->since;
    tb_hit(s->t, waited == 1 ? BIN_memory_at_once : waited < 12 ? BIN_memory_late : BIN_memory_very_late);
    tb_hit_if(s->t, s->val[row], BIN_row_replaced);
    s->val[row] = true, s->cached[row] = s->pc[a->at[p->looked]];
    p->cache = ANSWERS;
  } else if (d->answer) {
    uint64_t v = s->vec[a->at[p->looked]];
    rmu_vector_is_known(s, p->looked, v);
    p->cache = READY, p->vector_last = true;
    tb_hit_if(s->t, rmu_count_ones(v) == 63 || !v, v ? BIN_vector_63 : BIN_vector_0);
  }
  if (!d->ask) return;
  unsigned w = p->asked++;
  if (!s->in.pc_live_i) {
    rmu_vector_is_known(s, w, 0);
    p->vector_last = true;
    tb_hit(s->t, w + 1 == p->nw ? BIN_last_warp_not_live : BIN_warp_not_live);
    return;
  }
  unsigned row = rmu_cache_row_of(s->pc[a->at[w]]);
  bool held = false, in = s->val[row] && s->cached[row] == s->pc[a->at[w]];
  for (unsigned i = 0; i < ROWS; i++) {
    held |= s->val[i];
  }
  tb_hit_if(s->t, !in && !held && s->was_moved, BIN_invalidate_makes_miss);
  rmu_bins_of_look_up(s, in);
  p->looked = w, p->since = s->now;
  p->cache = in ? ANSWERS : ASKS;
}

/* The buffer goes to the lowest entry that was free at the cycle's start; then the entry whose data is being read is free. */
static void edge_entries(struct sim *s, const struct plan *d) {
  struct pipe *p = &s->p;
  if (p->buf) {
    unsigned idx = rmu_lowest_free_entry(s);
    for (unsigned i = p->popped + (d->h && s->in.acrf_write_ready_i); i < p->vacated; i++) {
      tb_hit_if(s->t, p->window_at[i % 8] == idx, BIN_entry_of_b_before_it_is_restored);
    }
    tb_hit_if(s->t,
              p->vacated && p->window_at[(p->vacated - 1) % 8] == idx && p->tag[(p->vacated - 1) % 8] + 3 == s->now,
              BIN_vacated_taken_at_once);
    moved_in(s, idx, p->buf_w, p->buf_r, p->buf_d);
    s->free--;
  }
  if (p->vacated < p->tags && p->tag[p->vacated % 8] + 2 == s->now) {
    unsigned idx = p->chain[p->nb - 1 - p->vacated];
    p->window[p->vacated % 8] = s->e[idx], p->window_at[p->vacated % 8] = idx;
    s->e[idx].occupied = false;
    s->free++, p->vacated++;
  }
}

/* A read has the value of its accept. */
static void edge_acrf(struct sim *s, const struct plan *d) {
  struct pipe *p = &s->p;
  if (d->h && s->in.acrf_write_ready_i) {
    const struct entry *e = d->he;
    struct slot *k = &s->slot[s->reserved];
    s->next.restored_valid_o = 1, s->next.restored_warp_o = e->w, s->next.restored_register_o = e->r;
    tb_expect(s->t, !(p->sets[e->w] >> e->r & 1) || p->gone[e->w] >> e->r & 1, "b's register overwrites a's");
    memcpy(k->d[e->w][e->r], e->d, sizeof e->d);
    k->has[e->w] |= UINT64_C(1) << e->r;
    p->popped++;
  }
  p->buf = s->in.acrf_response_valid_i;
  if (p->buf) {
    p->buf_w = p->read[0].w, p->buf_r = p->read[0].r;
    memcpy(p->buf_d, s->in.acrf_response_data_i, sizeof p->buf_d);
    p->read[0] = p->read[1];
    p->x--;
  }
  p->hold = d->drain && !s->in.acrf_read_ready_i;
  if ((d->ex || d->drain) && s->in.acrf_read_ready_i) {
    struct read *r = &p->read[p->x++];
    r->w = d->ard_w, r->r = d->ard_r, r->at = s->now;
    memcpy(r->d, rmu_sm_acrf_register(s, s->cta[s->c.a].slot, r->w, r->r), sizeof r->d);
    s->set[r->w] &= ~(UINT64_C(1) << r->r);
    p->gone[r->w] |= UINT64_C(1) << r->r;
  }
  p->passed += d->pass || (d->ex && s->in.acrf_read_ready_i);
}

static void times_of_cycle(struct sim *s, const struct plan *d) {
  struct times *k = &s->time;
  if (d->state == RMU_MOVE && !k->c) {
    k->c = s->now, k->known_at_c = d->left == 0;
  }
  if (d->state == RMU_LOOK) {
    k->sure_with_all = d->left == 0;
  }
  if (s->now - k->t < 20) {
    k->log[s->now - k->t].state = d->state, k->log[s->now - k->t].free = s->free;
    k->log[s->now - k->t].spare = d->spare;
    k->log[s->now - k->t].ard = s->o.acrf_read_valid_o ? (unsigned)s->o.acrf_read_register_o : 0;
    k->log[s->now - k->t].awr = s->o.acrf_write_valid_o ? (unsigned)s->o.acrf_write_register_o : 0;
  }
  if (d->left == 0 && !k->z) {
    k->z = s->now;
  }
  if (s->o.acrf_read_valid_o) {
    k->ard_first = k->ard_first ? k->ard_first : s->now;
    k->ard_last = s->now, k->ra += !s->in.acrf_read_ready_i;
  }
  if (s->o.acrf_write_valid_o) {
    k->awr_first = k->awr_first ? k->awr_first : s->now;
    k->awr_last = s->now, k->rw += !s->in.acrf_write_ready_i;
  }
  if (s->in.acrf_response_valid_i) {
    k->l_last = s->now - s->p.read[0].at;
    k->l_most = k->l_last > k->l_most ? k->l_last : k->l_most;
  }
}

/* The state after this cycle; RMU_IDLE: refused. */
static unsigned next_state(const struct sim *s, const struct plan *d) {
  const struct pipe *p = &s->p;
  if (d->state == RMU_LOOK) {
    bool open = p->cache != READY;
    return d->room >= s->need + 63 * d->left ? RMU_MOVE : d->much && !open ? RMU_IDLE : RMU_LOOK;
  }
  bool out = p->popped == p->nb || (p->popped + 1 == p->nb && d->h && s->in.acrf_write_ready_i);
  return d->state == RMU_MOVE && d->left == 0 && s->n + p->buf == s->need && out ? RMU_FINISH : d->state;
}

static unsigned rmu_pipelined_run_cycle(struct sim *s, unsigned state) {
  struct pipe *p = &s->p;
  struct plan d = plan_cycle(s, state);
  rmu_begin_cycle(s, state, p->x, p->asked);
  rmu_pipelined_drive_inputs(s, &d);
  unsigned next = next_state(s, &d);
  s->waits = may_sleep(s, &d, next);
  times_of_cycle(s, &d);
  rmu_end_cycle(s);
  s->now--; /* the edge belongs to this cycle */
  rmu_bins_of_ports(s, &d);
  tb_hit_if(s->t, state == RMU_LOOK && d.much && next == RMU_LOOK, BIN_refused_with_open);
  if (state == RMU_LOOK && next != RMU_LOOK) {
    rmu_bins_of_admission(s, &d, next == RMU_MOVE);
  }
  if (state == RMU_MOVE) {
    rmu_bins_of_move(s, &d);
  }
  if (next == RMU_FINISH && state == RMU_MOVE) {
    tb_hit(s->t, p->popped < p->nb ? BIN_last_is_pop
                 : p->buf          ? BIN_last_is_buffer
                 : p->vector_last  ? BIN_last_is_vector
                                   : BIN_last_is_none);
    tb_hit_if(s->t, p->popped < p->nb && s->n == WHOLE, BIN_chain_of_all_then_pop);
  }
  uint64_t rem = rmu_drained_registers(s);
  edge_entries(s, &d);
  edge_acrf(s, &d);
  tb_hit_if(s->t, s->next.stored_valid_o && s->next.restored_valid_o, BIN_stored_and_restored);
  if (state == RMU_MOVE && d.row < WARPS &&
      (!rem || (d.drain && s->in.acrf_read_ready_i && rmu_count_ones(rem) == 1))) {
    p->row = d.row;
  }
  if (d.tag) {
    p->tag[p->tags++ % 8] = s->now;
  }
  p->vector_last = false;
  edge_look_up(s, &d);
  s->now++;
  return next;
}

/* ---- times: every row of the page's table ---- */

static void times_check_row(struct sim *s, unsigned bin, bool holds, const char *what) {
  const struct times *k = &s->time;
  tb_expect(s->t, holds, "times: %s: accept 0, c %d, done_v %d; N %u, M %u, nw %u, Ra %u, Rw %u, L %u", what,
            (int)(k->c - k->t), (int)(s->now - k->t), s->need, s->p.nb, s->p.nw, k->ra, k->rw, (unsigned)k->l_last);
  tb_hit(s->t, bin);
}

static void times_of_restore(struct sim *s) {
  const struct times *k = &s->time;
  unsigned m = s->p.nb;
  if (m == 0) {
    times_check_row(s, BIN_time_restore_none, s->now == k->t + 2, "restore of none");
    return;
  }
  times_check_row(s, BIN_time_restore,
                  s->now == k->t + 6 + m + k->rw && k->c == k->t + 1 && k->awr_first == k->c + 4 &&
                      k->awr_last == k->c + 3 + m + k->rw,
                  "restore");
}

static void times_of_move(struct sim *s) {
  const struct times *k = &s->time;
  uint64_t end = k->z + 2 > k->c + 2 ? k->z + 2 : k->c + 2;
  bool moves = k->awr_last || k->ard_last;
  if (k->awr_last && k->awr_last + 2 > end) {
    end = k->awr_last + 2;
  }
  if (k->ard_last && k->ard_last + 3 + k->l_last > end) {
    end = k->ard_last + 3 + k->l_last;
  }
  times_check_row(s, moves ? BIN_time_moves : BIN_time_no_move, s->now == end, "last move");
}

static void times_of_spill(struct sim *s) {
  const struct times *k = &s->time;
  unsigned n = s->need;
  if (n && k->l_most > 1) return;
  if (k->known_at_c && !n) {
    times_check_row(s, BIN_time_spill_none, s->now == k->c + 2, "spill of none");
  } else if (k->known_at_c) {
    times_check_row(s, BIN_time_spill_known, s->now == k->c + 4 + n + k->ra && k->ard_first == k->c + 1,
                    "spill, all known");
  }
  if (!k->misses) {
    times_check_row(s, BIN_time_spill, s->now <= k->t + s->p.nw + 7 + n + k->ra, "spill");
  }
}

static void times_of_swap(struct sim *s) {
  const struct times *k = &s->time;
  unsigned n = s->need, m = s->p.nb, most = m > n ? m : n;
  if (k->l_most > 1) return;
  if (!k->misses) {
    times_check_row(s, BIN_time_swap, s->now <= k->t + s->p.nw + 11 + k->emptied + most + k->ra + k->rw, "swap");
  }
  if (!k->known_at_c || k->ra || k->rw || !most) return;
  times_check_row(s, BIN_time_swap_known, s->now >= k->c + 4 + most && s->now <= k->c + 7 + k->emptied + most,
                  "swap, all known");
  if (n && m == n && k->relation == EQUAL) {
    times_check_row(s, k->free ? BIN_time_swap_equal : BIN_time_swap_equal_full,
                    s->now == k->c + 6 - (k->free != 0) + m, "swap of equal sets");
  } else if (n && m == n && k->relation == DISJOINT && !k->free) {
    times_check_row(s, BIN_time_swap_disjoint_full, s->now == k->c + 7 + m, "swap of disjoint sets in a full PCRF");
  }
}

static void check_times(struct sim *s) {
  struct times *k = &s->time;
  const struct cta *a = &s->cta[s->c.a];
  if (s->c.op == RMU_RESTORE) {
    times_of_restore(s);
    return;
  }
  if (!k->misses && k->sure_with_all) {
    bool dead = !(a->live >> (s->p.nw - 1) & 1);
    times_check_row(s, dead ? BIN_time_looks_last_dead : BIN_time_looks, k->c == k->t + s->p.nw + 3 - dead, "look-ups");
  }
  times_of_move(s);
  if (s->c.op == RMU_SPILL) {
    times_of_spill(s);
  } else {
    times_of_swap(s);
  }
}

static void check_times_refused(struct sim *s) {
  const struct times *k = &s->time;
  const struct cta *a = &s->cta[s->c.a];
  unsigned e = k->passed;
  if (k->misses) return;
  bool one_more = e + 1 < s->p.nw && a->live >> (e + 1) & 1;
  times_check_row(s, one_more ? BIN_time_refused_open : BIN_time_refused,
                  s->now == k->t + 4 + e + one_more && s->now <= k->t + s->p.nw + 3, "refused");
}

/* ---- a command ---- */

static bool command_ends(struct sim *s, unsigned count) {
  struct pipe *p = &s->p;
  unsigned state = RMU_LOOK;
  *p = (struct pipe){.nb = count, .row = WARPS};
  s->time = (struct times){.t = s->now - 1, .free = s->free};
  memcpy(p->chain, s->chain[s->c.b], count * sizeof p->chain[0]);
  if (count) {
    sets_of(s, s->c.b, p->sets_of_b);
  }
  if (s->c.op == RMU_RESTORE) {
    state = count ? RMU_MOVE : RMU_FINISH;
  } else {
    p->nw = s->c.nw;
    p->open = p->nw == WARPS ? UINT32_MAX : (1u << p->nw) - 1;
  }
  while (state != RMU_FINISH) {
    state = rmu_pipelined_run_cycle(s, state);
    if (state == RMU_IDLE) {
      check_times_refused(s);
      memset(s->set, 0, sizeof s->set);
      return false;
    }
  }
  tb_expect(s->t, s->n == s->need && !p->x && !p->buf && p->popped == p->nb, "finish with something under way");
  rmu_pipelined_run_cycle(s, state);
  if (s->c.op != RMU_RESTORE) {
    rmu_bins_of_known(s);
  }
  check_times(s);
  if (count) {
    tb_hit(s->t, chain_bin(count));
  }
  tb_hit_if(s->t, count == WHOLE, BIN_chain_of_all);
  return true;
}

#endif
#endif
