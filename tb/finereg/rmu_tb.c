/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bench of rmu. It plays the SM: slots of the ACRF with values in them, warps at PCs, a memory of vectors,
 * CTAs that run, wait or are gone, loads that come back late and follow their registers. Its opinion is no
 * state machine but the page told as a program: command() goes through a command's cycles one after another
 * and says for each what every port and register is. docs/blocks/finereg/rmu.md
 */
#include <setjmp.h>
#include <string.h>

#include "blocks/finereg/rmu.h"
#include "tb.h"
#define EXPECT rmu
#define EXPECT_DEF "blocks/finereg/rmu.def"
#include "expect.h"

// clang-format off
#define BINS(B)                                                                                         \
  B(spill) B(restore) B(swap) B(spill_refused) B(swap_refused) B(spill_of_none) B(swap_needs_none)      \
  B(swap_with_none) B(swap_none_with_none) B(restore_of_none) B(sets_equal) B(sets_disjoint)            \
  B(sets_overlap) B(a_within_b) B(b_within_a) B(b_has_more_warps) B(spill_fits_exactly)                 \
  B(swap_fits_exactly) B(spill_refused_by_one) B(swap_refused_by_one) B(swap_none_free)                 \
  B(swap_none_free_equal) B(swap_none_free_disjoint) B(swap_none_free_overlap)                          \
  B(swap_none_free_refused) B(swap_none_free_needs_none) B(nw_1) B(nw_32) B(nw_between)                 \
  B(warp_not_live) B(last_warp_not_live) B(no_warp_live) B(vector_0) B(vector_63) B(hit) B(miss)        \
  B(miss_between_hits) B(hit_after_miss) B(row_replaced) B(inv) B(inv_makes_miss) B(moved_bases)        \
  B(memory_asked_long) B(memory_at_once) B(memory_late) B(memory_very_late) B(chain_1) B(chain_2)       \
  B(chain_3) B(chain_4) B(chain_5) B(chain_over_100) B(chain_over_500) B(chain_of_all) B(chain_ascends) \
  B(chain_descends) B(entry_0) B(entry_1023) B(warp_31) B(register_0) B(register_62) B(head_waits)      \
  B(head_waits_long) B(exchange_ard_waits) B(exchange_ars_at_once) B(exchange_ars_late)                 \
  B(exchange_awr_waits) B(exchange_first) B(exchange_last) B(exchange_then_head)                        \
  B(drain_behind_exchange) B(drain_ard_waits) B(drain_ard_waits_long) B(drain_ars_at_once)              \
  B(drain_ars_late) B(drain_next_taken) B(drain_next_refused) B(drain_empty_first)                      \
  B(drain_empty_between) B(drain_empty_last) B(done_then_command) B(refused_then_command)               \
  B(command_waits) B(restore_behind_its_spill) B(swap_back) B(idle_for_long) B(row_used_again)          \
  B(load_in_idle) B(load_in_c_rq) B(load_in_c_wt) B(load_waits_in_admit) B(load_waits_in_walk)          \
  B(load_waits_in_d_ld) B(load_waits_in_s_rd) B(load_waits_in_s_wt) B(load_waits_in_s_wr)               \
  B(load_waits_in_finish) B(reset_in_idle) B(reset_in_c_rq) B(reset_in_c_wt) B(reset_in_admit)          \
  B(reset_in_walk) B(reset_in_d_ld) B(reset_in_s_rd) B(reset_in_s_wt) B(reset_in_s_wr)                  \
  B(reset_in_finish) B(load_no_lane) B(load_all_lanes) B(load_some_lanes) B(load_for_b_at_accept)       \
  B(load_at_done) B(load_held_for_a) B(load_held_for_b) B(load_follows_in) B(load_follows_out)          \
  B(load_follows_in_exchange) B(load_follows_twice) B(load_dropped) B(load_twice) B(load_into_acrf)     \
  B(load_into_pcrf_of_other) B(skip)
// clang-format on
TB_BINS(BINS)

enum {
  CTAS = 128,
  WARPS = 32,
  REGS = 63,
  ENTRIES = 1024,
  SLOTS = 4,
  PCS = 40,
  SIZED = 8,
  LOADS = 12,
  LANES = 32
};
enum { SPILL, RESTORE, SWAP, ANY };
enum { IDLE, C_RQ, C_WT, ADMIT, WALK, D_LD, S_RD, S_WT, S_WR, FINISH };
enum { HEAD, READ, WRITE };

struct cta {
  enum { GONE, ACTIVE, PENDING } place;
  bool was_pending;
  unsigned slot, nw, n; /* n: registers in the PCRF */
  uint32_t live;        /* warps that have not finished */
  uint8_t at[WARPS];    /* their instructions: numbers of the kernel's PCs */
};
struct entry {
  bool occupied, loaded;
  unsigned w, r;
  uint32_t d[LANES];
};
struct slot { /* a value is made up when it is first looked at */
  bool taken;
  uint64_t has[WARPS];
  uint32_t d[WARPS][REGS][LANES];
};
struct load {
  bool on, seen_in, moved;   /* seen_in: by an mvi of this command */
  unsigned cta, w, r, entry; /* entry: ENTRIES when the register is in the ACRF */
  uint32_t lanes, d[LANES];
};
struct bias {
  unsigned ready, sticky; /* percent: ports accept; they stay as they are */
  unsigned ars, mem;      /* answers come */
  unsigned rest, early;   /* idle between commands; a command is offered before the last is over */
  unsigned inv, load;     /* new kernels; loads come back */
  bool full;              /* the PCRF at its brim */
  unsigned warps, regs;   /* at most; registers live, in percent */
  unsigned aim;           /* commands whose need is chosen to fit what is free */
};
struct command {
  unsigned op, a, b, nw;
};
struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *k;
  jmp_buf *end;
  uint64_t now, left; /* cycles of the episode; it ends wherever it is */
  unsigned cut;       /* a case that ends in this state; or 16 */
  /* this cycle: what is driven, what is expected; and what is to be seen in the next */
  struct rmu_in in;
  struct rmu_out o, next;
  struct rmu_state st;
  bool ready[3];
  bool answer; /* it waits for memory's */
  bool slept;  /* in the last cycle, which looked like this */
  struct rmu_out slept_o;
  struct rmu_state slept_st;
  /* the kernel, and what lrvc holds of it */
  uint32_t base, cbase, pc[PCS], cached[32], val;
  uint64_t vec[PCS];
  bool was_moved;
  /* the SM */
  struct cta cta[CTAS];
  struct load load[LOADS];
  struct load *back; /* the load at fl */
  struct command c;  /* the one under way (busy) or offered */
  struct command offer;
  bool busy, offered;
  unsigned reserved; /* slot for b */
  uint64_t rested, waited;
  bool last_done, last_refused;
  unsigned last_in, last_out; /* CTAs that were spilled and restored last; CTAS: none */
  /* the engine, as the page tells it */
  uint64_t set[WARPS]; /* registers of a that are still to be moved */
  unsigned need, n, prev, free;
  struct entry e[ENTRIES];
  uint16_t chain[CTAS][ENTRIES]; /* in the order of writing; walked from its end */
  struct slot slot[SLOTS];
};

static unsigned below(struct sim *s, unsigned n) { return (unsigned)tb_below(s->r, n); }
static bool chance(struct sim *s, unsigned percent) { return tb_chance(s->r, percent); }
static void hit(struct sim *s, unsigned bin) { tb_hit(s->t, bin); }
static void hit_if(struct sim *s, bool yes, unsigned bin) {
  if (yes) {
    tb_hit(s->t, bin);
  }
}
static unsigned ones(uint64_t v) { return (unsigned)__builtin_popcountll(v); }
static unsigned lowest(uint64_t v) { return (unsigned)__builtin_ctzll(v); }

/* ---- the kernel: PCs and what is live there; the first eight have 63, 32, 16, ... 1 and 0 registers, by
 * which any need can be put together; of the others 2i and 2i + 1 have none in common ---- */

static uint64_t some(struct sim *s, unsigned count) {
  uint64_t v = 0;
  while (ones(v) < count) {
    v |= UINT64_C(1) << below(s, REGS);
  }
  return v;
}

static void new_kernel(struct sim *s) {
  static const uint8_t sizes[SIZED] = {63, 32, 16, 8, 4, 2, 1, 0};
  unsigned span = chance(s, 50) ? 64 : 4096;
  s->cbase = (uint32_t)tb_bits(s->r, 29) << 3;
  s->base = (uint32_t)tb_bits(s->r, 32);
  for (unsigned i = 0; i < PCS; i++) {
    bool again;
    do {
      s->pc[i] = s->cbase + 8 * below(s, span);
      again = false;
      for (unsigned j = 0; j < i; j++) {
        again |= s->pc[j] == s->pc[i];
      }
    } while (again);
    uint64_t any = tb_dense(s->r, REGS, s->k->regs);
    s->vec[i] = i < SIZED ? some(s, sizes[i]) : i & 1 ? any & ~s->vec[i - 1] : any;
  }
}

/* ---- a cycle ---- */

static bool choose(struct sim *s, unsigned op);
static void come_back(struct sim *s);

static bool port(struct sim *s, unsigned i) {
  if (!chance(s, s->k->sticky)) {
    s->ready[i] = chance(s, s->k->ready);
  }
  return s->ready[i];
}

/* All that is known of a cycle in this state; the caller adds what the state brings along, then ends it with
 * go(). Inputs without their valid are junk. */
static void begin(struct sim *s, unsigned state, unsigned x, unsigned w) {
  struct rmu_in *in = &s->in;
  struct rmu_out *o = &s->o;
  memset(in, 0, sizeof *in);
  in->inv_i = 0, in->base_i = s->base, in->cbase_i = s->cbase;
  in->pc_i = tb_bits(s->r, 32), in->pc_live_i = below(s, 2);
  in->m_rs_d_i = tb_rand(s->r);
  in->m_rq_rdy_i = port(s, 0), in->ard_rdy_i = port(s, 1), in->awr_rdy_i = port(s, 2);
  tb_words(s->r, in->ars_d_i, 1024);
  in->c_op_i = below(s, 4), in->c_a_i = below(s, CTAS), in->c_b_i = below(s, CTAS), in->c_nw_i = below(s, 64);
  if (s->busy && !s->offered && chance(s, s->k->early)) {
    choose(s, ANY);
  }
  if (s->offered) {
    in->c_v_i = 1, in->c_op_i = s->offer.op;
    in->c_a_i = s->offer.a, in->c_b_i = s->offer.b, in->c_nw_i = s->offer.nw;
  }
  come_back(s);

  *o = s->next;
  memset(&s->next, 0, sizeof s->next);
  o->c_rdy_o = state == IDLE;
  o->cnt_free_o = s->free;
  o->pc_w_o = state == C_RQ ? w : 0;
  o->fl_rdy_o = state <= C_WT;
  if (state != IDLE) {
    o->blk_v_o = 1;
    o->blk_av_o = s->c.op != RESTORE, o->blk_a_o = s->c.op != RESTORE ? s->c.a : 0;
    o->blk_bv_o = s->c.op != SPILL, o->blk_b_o = s->c.op != SPILL ? s->c.b : 0;
  }
  s->st = (struct rmu_state){
      .state_q = state, .x_q = x, .w_q = w, .need_q = s->need, .n_q = s->n, .prev_q = s->prev};
}

/* What mvi and mvo mean to the loads. */
static void follow(struct sim *s, const struct rmu_out *out) {
  for (struct load *l = s->load; l < s->load + LOADS; l++) {
    bool in = out->mvi_v_o && s->c.a == l->cta && out->mvi_w_o == l->w && out->mvi_r_o == l->r;
    bool back = out->mvo_v_o && s->c.b == l->cta && out->mvo_w_o == l->w && out->mvo_r_o == l->r;
    if (l->on && in && l->entry == ENTRIES) {
      l->entry = (unsigned)out->mvi_idx_o;
      hit(s, out->mvo_v_o ? BIN_load_follows_in_exchange : BIN_load_follows_in);
      hit_if(s, l->moved, BIN_load_follows_twice);
      l->seen_in = l->moved = true;
    } else if (l->on && back && l->entry < ENTRIES) {
      l->entry = ENTRIES;
      hit(s, BIN_load_follows_out);
    }
  }
}

static void load_done(struct sim *s) {
  struct entry *e = &s->e[s->in.fl_idx_i];
  for (unsigned i = 0; i < LANES; i++) {
    e->d[i] = s->in.fl_lane_i >> i & 1 ? s->in.fl_d_i[i] : e->d[i];
  }
  hit(s, BIN_load_in_idle + (unsigned)s->st.state_q);
  hit(s, s->in.fl_lane_i == 0            ? BIN_load_no_lane
         : s->in.fl_lane_i == UINT32_MAX ? BIN_load_all_lanes
                                         : BIN_load_some_lanes);
  hit_if(s, e->loaded, BIN_load_twice);
  hit_if(s, s->st.state_q != IDLE, BIN_load_into_pcrf_of_other);
  hit_if(s, s->o.done_v_o, BIN_load_at_done);
  hit_if(s, s->in.c_v_i && s->st.state_q == IDLE && s->offer.op != SPILL && s->offer.b == s->back->cta,
         BIN_load_for_b_at_accept);
  e->loaded = true;
  s->back->on = chance(s, 30); /* it comes in parts */
  s->back->lanes = (uint32_t)tb_bits(s->r, 32);
  tb_words(s->r, s->back->d, 1024);
  s->back = NULL;
}

/*
 * rmu_idle: asleep means that without a valid at its inputs nothing changes, in the next cycle or after any
 * skip; it must be asleep in idle and where it waits for an answer only.
 */
static void check_sleep(struct sim *s) {
  const struct rmu *m = tb_model(s->t);
  const struct rmu_in *in = &s->in;
  bool asleep = rmu_idle(m) != 0, events = s->o.done_v_o || s->o.mvi_v_o || s->o.mvo_v_o;
  if (s->slept) {
    tb_expect(s->t, !memcmp(&s->o, &s->slept_o, sizeof s->o) && !memcmp(&s->st, &s->slept_st, sizeof s->st),
              "rmu_idle said asleep a cycle ago");
  }
  s->slept = asleep && !in->c_v_i && !in->inv_i && !in->m_rs_v_i && !in->ars_v_i && !in->fl_v_i;
  s->slept_o = s->o, s->slept_st = s->st;
  if (!events && (s->st.state_q == IDLE || s->st.state_q == S_WT || s->answer)) {
    tb_expect(s->t, rmu_idle(m) == UINT64_MAX, "rmu_idle: not asleep");
  }
  if (asleep && chance(s, 1)) {
    struct rmu later = *m;
    struct rmu_out out;
    rmu_skip(&later, 1 + below(s, 1000));
    rmu_eval(&later, in, &out);
    expect_all(s->t, &out, &s->o, &later.r, &s->st);
    hit(s, BIN_skip);
  }
  s->answer = false;
}

static void go(struct sim *s) {
  check_sleep(s);
  struct rmu_state before = *(const struct rmu_state *)tb_model(s->t);
  const struct rmu_out *out = tb_step(s->t, &s->in);
  expect_all(s->t, out, &s->o, &before, &s->st);
  follow(s, out);
  if (s->in.fl_v_i) {
    if (s->o.fl_rdy_o) {
      load_done(s);
    } else {
      hit(s, BIN_load_waits_in_admit + (unsigned)s->st.state_q - ADMIT);
    }
  }
  s->now++;
  if (s->left-- == 0 || s->cut == s->st.state_q) {
    hit(s, BIN_reset_in_idle + (unsigned)s->st.state_q);
    longjmp(*s->end, 1);
  }
}

/* ---- the ACRF ---- */

static uint32_t *acrf(struct sim *s, unsigned slot, unsigned w, unsigned r) {
  struct slot *k = &s->slot[slot];
  if (!(k->has[w] >> r & 1)) {
    tb_words(s->r, k->d[w][r], 1024);
    k->has[w] |= UINT64_C(1) << r;
  }
  return k->d[w][r];
}

/* ard until it is accepted, in cycles of this state */
static unsigned ard(struct sim *s, unsigned state, unsigned w_q, unsigned w, unsigned r) {
  for (unsigned waited = 0;; waited++) {
    begin(s, state, HEAD, w_q);
    s->o.ard_v_o = 1, s->o.ard_w_o = w, s->o.ard_r_o = r;
    go(s);
    if (s->in.ard_rdy_i) {
      return waited;
    }
  }
}

/* the answer, and how long it took */
static unsigned ars(struct sim *s, unsigned state, unsigned x, unsigned w_q, unsigned w, unsigned r,
                    uint32_t *buf) {
  for (unsigned waited = 0;; waited++) {
    begin(s, state, x, w_q);
    s->in.ars_v_i = chance(s, s->k->ars);
    if (s->in.ars_v_i) {
      memcpy(s->in.ars_d_i, acrf(s, s->cta[s->c.a].slot, w, r), sizeof s->in.ars_d_i);
      memcpy(buf, s->in.ars_d_i, sizeof s->in.ars_d_i);
    }
    go(s);
    if (s->in.ars_v_i) {
      return waited;
    }
  }
}

static unsigned awr(struct sim *s, unsigned x, const struct entry *e) {
  for (unsigned waited = 0;; waited++) {
    begin(s, WALK, x, 0);
    s->o.awr_v_o = 1, s->o.awr_w_o = e->w, s->o.awr_r_o = e->r;
    memcpy(s->o.awr_d_o, e->d, sizeof e->d);
    go(s);
    if (s->in.awr_rdy_i) {
      struct slot *k = &s->slot[s->reserved];
      memcpy(k->d[e->w][e->r], e->d, sizeof e->d);
      k->has[e->w] |= UINT64_C(1) << e->r;
      return waited;
    }
  }
}

/* ---- a command, as the page tells it ---- */

static unsigned row_of(uint32_t pc) { return (pc >> 3 ^ pc >> 8) & 31; }

static uint64_t look_up(struct sim *s, unsigned w, unsigned p) {
  uint32_t pc = s->pc[p];
  unsigned row = row_of(pc), waited = 0;
  if (s->val >> row & 1 && s->cached[row] == pc) {
    begin(s, C_WT, 0, w);
    go(s);
    hit(s, BIN_hit);
    return s->vec[p];
  }
  do {
    begin(s, C_WT, 0, w);
    s->o.m_rq_v_o = 1, s->o.m_rq_a_o = s->base + (pc - s->cbase);
    go(s);
    waited++;
  } while (!s->in.m_rq_rdy_i);
  hit_if(s, waited > 8, BIN_memory_asked_long);
  waited = 0;
  do {
    begin(s, C_WT, 0, w);
    s->answer = true;
    s->in.m_rs_v_i = chance(s, s->k->mem);
    s->in.m_rs_d_i = s->in.m_rs_v_i ? s->vec[p] : s->in.m_rs_d_i;
    go(s);
    waited++;
  } while (!s->in.m_rs_v_i);
  hit(s, waited == 1 ? BIN_memory_at_once : waited < 12 ? BIN_memory_late : BIN_memory_very_late);
  hit_if(s, s->val >> row & 1, BIN_row_replaced);
  hit(s, BIN_miss);
  s->val |= 1u << row, s->cached[row] = pc;
  begin(s, C_WT, 0, w);
  go(s);
  return s->vec[p];
}

static void look_ups(struct sim *s) {
  const struct cta *a = &s->cta[s->c.a];
  unsigned hits = 0, misses = 0, was_hit = 0;
  for (unsigned w = 0; w < s->c.nw; w++) {
    bool live = a->live >> w & 1;
    uint32_t held = s->val;
    uint64_t then = s->now;
    begin(s, C_RQ, 0, w);
    s->in.pc_live_i = live;
    if (live) {
      s->in.pc_i = s->pc[a->at[w]];
    }
    go(s);
    if (live) {
      s->set[w] = look_up(s, w, a->at[w]);
      s->need += ones(s->set[w]);
      bool was = s->now == then + 2;
      hit_if(s, was && misses, BIN_hit_after_miss);
      hit_if(s, was && misses && was_hit, BIN_miss_between_hits);
      was_hit |= was && !misses;
      hits += was, misses += !was;
      hit_if(s, !was && !held && s->was_moved, BIN_inv_makes_miss);
      hit_if(s, ones(s->set[w]) == 63 || !s->set[w], s->set[w] ? BIN_vector_63 : BIN_vector_0);
    } else {
      hit(s, w + 1 == s->c.nw ? BIN_last_warp_not_live : BIN_warp_not_live);
    }
  }
  hit_if(s, hits + misses == 0, BIN_no_warp_live);
  hit_if(s, s->was_moved && misses, BIN_moved_bases);
  hit(s, s->c.nw == 1 ? BIN_nw_1 : s->c.nw == 32 ? BIN_nw_32 : BIN_nw_between);
}

/* How a's set of registers and b's lie to each other. */
static void bins_of_sets(struct sim *s, unsigned nb) {
  uint64_t only_a = 0, only_b = 0, both = 0, of_b[WARPS] = {0}, above = 0;
  for (unsigned i = 0; i < nb; i++) {
    const struct entry *e = &s->e[s->chain[s->c.b][i]];
    of_b[e->w] |= UINT64_C(1) << e->r;
  }
  for (unsigned w = 0; w < WARPS; w++) {
    only_a |= s->set[w] & ~of_b[w], only_b |= of_b[w] & ~s->set[w], both |= s->set[w] & of_b[w];
    above |= w >= s->c.nw ? of_b[w] : 0;
  }
  hit_if(s, above, BIN_b_has_more_warps);
  if (!both) {
    hit_if(s, only_a && only_b, BIN_sets_disjoint);
    hit_if(s, only_a && only_b && !s->free, BIN_swap_none_free_disjoint);
  } else {
    hit(s, only_a && only_b ? BIN_sets_overlap
           : only_a         ? BIN_b_within_a
           : only_b         ? BIN_a_within_b
                            : BIN_sets_equal);
    hit_if(s, !s->free && (only_b || only_a), BIN_swap_none_free_overlap);
    hit_if(s, !s->free && !only_b && !only_a, BIN_swap_none_free_equal);
  }
}

static bool admit(struct sim *s) {
  unsigned nb = s->c.op == SWAP ? s->cta[s->c.b].n : 0, room = s->free + nb;
  bool swap = s->c.op == SWAP, fits = s->need <= room;
  begin(s, ADMIT, 0, 0);
  go(s);
  if (s->need == room || s->need == room + 1) {
    hit(s, fits ? (swap ? BIN_swap_fits_exactly : BIN_spill_fits_exactly)
                : (swap ? BIN_swap_refused_by_one : BIN_spill_refused_by_one));
  }
  if (swap) {
    hit_if(s, !s->free && !fits, BIN_swap_none_free_refused);
    hit_if(s, !s->free && fits, BIN_swap_none_free);
    hit_if(s, !s->free && !s->need, BIN_swap_none_free_needs_none);
    hit_if(s, !s->need, nb ? BIN_swap_needs_none : BIN_swap_none_with_none);
    hit_if(s, s->need && !nb, BIN_swap_with_none);
    if (fits && s->need && nb) {
      bins_of_sets(s, nb);
    }
  } else {
    hit_if(s, !s->need, BIN_spill_of_none);
  }
  return fits;
}

/* BUF, which is register r of a's warp w, now lies in this entry. */
static void moved_in(struct sim *s, unsigned idx, unsigned w, unsigned r, const uint32_t *buf) {
  struct entry *e = &s->e[idx];
  e->occupied = true, e->loaded = false;
  e->w = w, e->r = r;
  memcpy(e->d, buf, sizeof e->d);
  hit_if(s, s->n, idx > s->prev ? BIN_chain_ascends : BIN_chain_descends);
  hit_if(s, idx == 0, BIN_entry_0);
  hit_if(s, idx == ENTRIES - 1, BIN_entry_1023);
  hit_if(s, r == 0, BIN_register_0);
  hit_if(s, r == 62, BIN_register_62);
  hit_if(s, w == 31, BIN_warp_31);
  s->chain[s->c.a][s->n++] = (uint16_t)idx;
  s->prev = idx;
  s->set[w] &= ~(UINT64_C(1) << r);
  s->next.mvi_v_o = 1, s->next.mvi_w_o = w, s->next.mvi_r_o = r, s->next.mvi_idx_o = idx;
}

/* Entry of b for a register that a keeps, too: they change places. */
static void exchange(struct sim *s, struct entry *e, unsigned idx) {
  uint32_t buf[LANES];
  unsigned w = e->w, r = e->r;
  hit_if(s, ard(s, WALK, 0, w, r), BIN_exchange_ard_waits);
  hit(s, ars(s, WALK, READ, 0, w, r, buf) ? BIN_exchange_ars_late : BIN_exchange_ars_at_once);
  hit_if(s, awr(s, WRITE, e), BIN_exchange_awr_waits);
  moved_in(s, idx, w, r, buf);
}

/*
 * When pcrf shows the entries: tag i + 1 is read two cycles after tag i, but not before the cycle after the
 * pop of i - 3, and its entry is there four cycles later.
 */
static void walk(struct sim *s) {
  unsigned n = s->cta[s->c.b].n, exchanged = 0;
  uint64_t tag = s->now, popped[4] = {0};
  uint16_t order[ENTRIES];
  memcpy(order, s->chain[s->c.b], n * sizeof order[0]);
  for (unsigned i = 0; i < n; i++) {
    unsigned idx = order[n - 1 - i];
    struct entry *e = &s->e[idx];
    while (s->now < tag + 4) {
      begin(s, WALK, HEAD, 0);
      go(s);
    }
    bool both = s->set[e->w] >> e->r & 1;
    unsigned w = e->w, r = e->r;
    if (both) {
      exchange(s, e, idx);
      hit_if(s, i == 0, BIN_exchange_first);
      hit_if(s, i + 1 == n, BIN_exchange_last);
    } else {
      unsigned waited = awr(s, HEAD, e);
      hit_if(s, waited, waited > 10 ? BIN_head_waits_long : BIN_head_waits);
      hit_if(s, exchanged, BIN_exchange_then_head);
      e->occupied = false;
      s->free++;
    }
    exchanged = both;
    s->next.mvo_v_o = 1, s->next.mvo_w_o = w, s->next.mvo_r_o = r;
    popped[i % 4] = s->now; /* the cycle behind the pop */
    tag += 2;
    if (i >= 3 && popped[(i + 1) % 4] > tag) {
      tag = popped[(i + 1) % 4];
    }
  }
  hit(s, n <= 5     ? BIN_chain_1 + n - 1
         : n <= 100 ? BIN_chain_5
         : n <= 500 ? BIN_chain_over_100
                    : BIN_chain_over_500);
  hit_if(s, n == ENTRIES, BIN_chain_of_all);
}

static unsigned lowest_free(const struct sim *s) {
  unsigned i = 0;
  while (s->e[i].occupied) {
    i++;
  }
  return i;
}

static void drain_warp(struct sim *s, unsigned w) {
  uint64_t left = s->set[w];
  uint32_t buf[LANES];
  bool taken = false; /* ard was accepted in s_wr */
  while (left) {
    unsigned r = lowest(left), waited = taken ? 0 : ard(s, S_RD, w, w, r);
    hit_if(s, waited, waited > 10 ? BIN_drain_ard_waits_long : BIN_drain_ard_waits);
    left &= left - 1;
    hit(s, ars(s, S_WT, 0, w, w, r, buf) ? BIN_drain_ars_late : BIN_drain_ars_at_once);
    begin(s, S_WR, 0, w);
    if (left) {
      s->o.ard_v_o = 1, s->o.ard_w_o = w, s->o.ard_r_o = lowest(left);
    }
    go(s);
    taken = left && s->in.ard_rdy_i;
    hit_if(s, left, taken ? BIN_drain_next_taken : BIN_drain_next_refused);
    moved_in(s, lowest_free(s), w, r, buf);
    s->free--;
  }
}

static void drain(struct sim *s) {
  hit_if(s, s->n, BIN_drain_behind_exchange);
  for (unsigned w = 0; w < s->c.nw; w++) {
    begin(s, D_LD, 0, w);
    go(s);
    hit_if(s, !s->set[w],
           w == 0            ? BIN_drain_empty_first
           : w + 1 < s->c.nw ? BIN_drain_empty_between
                             : BIN_drain_empty_last);
    drain_warp(s, w);
  }
}

/* F22: what is under way for a and saw no mvi is for dead registers. */
static void after_done(struct sim *s) {
  unsigned sum = 0;
  for (struct load *l = s->load; l < s->load + LOADS; l++) {
    if (l->on && s->c.op != RESTORE && l->cta == s->c.a && !l->seen_in) {
      l->on = false;
      hit(s, BIN_load_dropped);
    }
    l->seen_in = false;
  }
  if (s->c.op != SPILL) {
    s->cta[s->c.b].place = ACTIVE, s->cta[s->c.b].slot = s->reserved;
    s->cta[s->c.b].n = 0;
  }
  if (s->c.op != RESTORE) {
    struct cta *a = &s->cta[s->c.a];
    s->slot[a->slot].taken = s->c.op == SWAP;
    hit_if(s, a->was_pending, BIN_row_used_again);
    a->place = PENDING, a->n = s->n, a->was_pending = true;
  }
  for (unsigned i = 0; i < CTAS; i++) {
    sum += s->cta[i].n;
  }
  tb_expect(s->t, s->free + sum == ENTRIES, "%u entries are free and %u taken", s->free, sum);
}

static void command(struct sim *s) {
  s->need = s->n = s->prev = 0;
  memset(s->set, 0, sizeof s->set);
  unsigned count = s->c.op == SPILL ? 0 : s->cta[s->c.b].n;
  if (s->c.op != RESTORE) {
    look_ups(s);
    if (!admit(s)) {
      hit(s, s->c.op == SWAP ? BIN_swap_refused : BIN_spill_refused);
      s->next.done_v_o = 1, s->next.done_cnt_o = s->need;
      s->last_refused = true;
      return;
    }
  }
  if (count) {
    walk(s);
  }
  hit_if(s, s->c.op == RESTORE && !count, BIN_restore_of_none);
  if (s->c.op != RESTORE) {
    drain(s);
  }
  begin(s, FINISH, 0, 0);
  go(s);
  s->next.done_v_o = s->next.done_ok_o = 1;
  s->next.done_cnt_o = s->c.op == RESTORE ? count : s->need;
  hit(s, BIN_spill + s->c.op);
  hit_if(s, s->c.op == RESTORE && s->last_in == s->c.b, BIN_restore_behind_its_spill);
  hit_if(s, s->c.op == SWAP && s->last_in == s->c.b && s->last_out == s->c.a, BIN_swap_back);
  s->last_in = s->c.op == RESTORE ? CTAS : s->c.a;
  s->last_out = s->c.op == SPILL ? CTAS : s->c.b;
  s->last_done = true;
  after_done(s);
}

/* ---- loads ---- */

static bool blocked(const struct sim *s, unsigned cta) {
  return s->busy && ((s->c.op != RESTORE && cta == s->c.a) || (s->c.op != SPILL && cta == s->c.b));
}

static void issue_load(struct sim *s, unsigned cta) {
  const struct cta *c = &s->cta[cta];
  struct load *l = &s->load[below(s, LOADS)];
  unsigned w = below(s, c->nw);
  uint64_t vec = s->vec[c->at[w]];
  unsigned r = below(s, REGS);
  while (vec && !(vec >> r & 1) && chance(s, 90)) {
    r = (r + 1) % REGS;
  }
  for (const struct load *m = s->load; m < s->load + LOADS; m++) {
    if (m->on && m->cta == cta && m->w == w && m->r == r) {
      return; /* the scoreboard lets one load be under way for a register */
    }
  }
  if (!l->on) {
    *l = (struct load){.on = true, .cta = cta, .w = w, .r = r, .entry = ENTRIES};
    l->lanes = below(s, 4) ? (uint32_t)tb_bits(s->r, 32) : below(s, 2) ? UINT32_MAX : 0;
    tb_words(s->r, l->d, 1024);
  }
}

/* A load comes back: to its entry by fl, to the ACRF here and now, or it waits as its CTA is being moved. */
static void come_back(struct sim *s) {
  struct rmu_in *in = &s->in;
  in->fl_idx_i = below(s, ENTRIES), in->fl_lane_i = tb_bits(s->r, 32);
  tb_words(s->r, in->fl_d_i, 1024);
  if (!s->back && chance(s, s->k->load)) {
    struct load *l = &s->load[below(s, LOADS)];
    if (l->on && blocked(s, l->cta)) {
      hit(s, l->cta == s->c.a && s->c.op != RESTORE ? BIN_load_held_for_a : BIN_load_held_for_b);
    } else if (l->on && l->entry == ENTRIES) {
      uint32_t *d = acrf(s, s->cta[l->cta].slot, l->w, l->r);
      for (unsigned i = 0; i < LANES; i++) {
        d[i] = l->lanes >> i & 1 ? l->d[i] : d[i];
      }
      l->on = false;
      hit(s, BIN_load_into_acrf);
    } else if (l->on) {
      s->back = l;
    }
  }
  if (s->back) {
    in->fl_v_i = 1, in->fl_idx_i = s->back->entry, in->fl_lane_i = s->back->lanes;
    memcpy(in->fl_d_i, s->back->d, sizeof in->fl_d_i);
  }
}

/* ---- the SM's life ---- */

/* Sets a's warps so that it needs just so many registers, as far as they can hold them. */
static void aim(struct cta *a, unsigned need) {
  static const uint8_t sizes[SIZED] = {63, 32, 16, 8, 4, 2, 1, 0};
  for (unsigned w = 0; w < a->nw; w++) {
    unsigned k = 0;
    while (sizes[k] > need) {
      k++;
    }
    a->at[w] = (uint8_t)k, need -= sizes[k];
    a->live |= 1u << w;
  }
}

static void run_warps(struct sim *s, struct cta *a) {
  a->live = chance(s, 5) ? 0 : chance(s, 50) ? UINT32_MAX : (uint32_t)tb_dense(s->r, 32, 80);
  for (unsigned w = 0; w < WARPS; w++) {
    a->at[w] = (uint8_t)(chance(s, 20) ? SIZED - 4 + below(s, 4) : SIZED + below(s, PCS - SIZED));
  }
  for (unsigned w = 0; w < WARPS; w++) { /* some registers are written by its instructions */
    s->slot[a->slot].has[w] &= tb_rand(s->r) | tb_rand(s->r);
  }
}

/* Where a's warps are: a few relations to b, and needs around what is free, are wanted more often than chance
 * has them. */
static void place_warps(struct sim *s, struct cta *a, const struct cta *b) {
  run_warps(s, a);
  if (chance(s, s->k->aim)) {
    unsigned room = s->free + (b ? b->n : 0);
    a->nw = room > 400 ? 32 : a->nw;
    aim(a, room + below(s, 3) - (room ? 1 : 0));
  } else if (b && chance(s, 60)) {
    unsigned how = below(s, 4);
    a->nw = how == 3 ? a->nw : b->nw, a->live = b->live;
    for (unsigned w = 0; w < WARPS; w++) {
      a->at[w] = how == 0   ? b->at[w]
                 : how == 1 ? b->at[w] ^ 1
                 : how == 2 ? SIZED - 1
                            : (chance(s, 50) ? b->at[w] : a->at[w]);
    }
  }
}

static unsigned find(struct sim *s, unsigned place, bool idle_only) {
  unsigned from = below(s, CTAS);
  for (unsigned i = 0; i < CTAS; i++) {
    unsigned c = (from + i) % CTAS;
    if (s->cta[c].place == place && !(idle_only && blocked(s, c))) {
      return c;
    }
  }
  return CTAS;
}

static unsigned free_slot(const struct sim *s) {
  unsigned i = 0;
  while (i < SLOTS && s->slot[i].taken) {
    i++;
  }
  return i;
}

static void launch(struct sim *s) {
  unsigned k = free_slot(s), c = find(s, GONE, false);
  if (k < SLOTS && c < CTAS) {
    struct cta *a = &s->cta[c];
    a->place = ACTIVE, a->slot = k, a->n = 0;
    a->nw = chance(s, 15) ? 1 : chance(s, 15) ? s->k->warps : 1 + below(s, s->k->warps);
    s->slot[k].taken = true;
    memset(s->slot[k].has, 0, sizeof s->slot[k].has);
    run_warps(s, a);
  }
}

static void retire(struct sim *s) {
  unsigned c = find(s, ACTIVE, true);
  if (c < CTAS) {
    s->cta[c].place = GONE;
    s->slot[s->cta[c].slot].taken = false;
    for (struct load *l = s->load; l < s->load + LOADS; l++) {
      l->on = l->on && l->cta != c;
    }
  }
}

/* What does not concern the command is junk, but stays, too. */
static void offer(struct sim *s, unsigned op, unsigned a, unsigned b) {
  s->offer.op = op;
  s->offer.a = op == RESTORE ? below(s, CTAS) : a;
  s->offer.b = op == SPILL ? below(s, CTAS) : b;
  s->offer.nw = op == RESTORE ? below(s, 64) : s->cta[a].nw;
  s->offered = true;
}

/* Chooses a command that is legal when the one under way is over. False if there is none. */
static bool choose(struct sim *s, unsigned op) {
  unsigned a = find(s, ACTIVE, true), b = find(s, PENDING, true), k = free_slot(s);
  op = op != ANY ? op : below(s, 8) < 4 ? SWAP : s->free < 200 || below(s, 2) ? RESTORE : SPILL;
  if (op == SWAP && (a == CTAS || b == CTAS)) {
    op = below(s, 2) ? SPILL : RESTORE;
  }
  if ((op != RESTORE && a == CTAS) || (op != SPILL && b == CTAS) || (op == RESTORE && k == SLOTS)) {
    return false;
  }
  if (op != RESTORE) {
    struct cta *ca = &s->cta[a];
    place_warps(s, ca, op == SWAP ? &s->cta[b] : NULL);
    for (unsigned i = 0; s->k->load && i < 3; i++) {
      issue_load(s, a);
    }
  }
  offer(s, op, a, b);
  return true;
}

/* The command at the port is accepted in the cycle of idle just made. */
static void accepted(struct sim *s) {
  s->c = s->offer;
  s->offered = false, s->busy = true;
  s->reserved = s->c.op == SWAP ? s->cta[s->c.a].slot : free_slot(s);
  if (s->c.op == RESTORE) {
    s->slot[s->reserved].taken = true;
    memset(s->slot[s->reserved].has, 0, sizeof s->slot[0].has);
  }
  command(s);
  s->busy = false;
}

static void idle(struct sim *s) {
  bool old = s->offered;
  if (!s->offered && chance(s, 25)) {
    launch(s);
  }
  if (!s->offered && chance(s, 3)) {
    retire(s);
  }
  if (!s->offered && !chance(s, s->k->rest)) {
    choose(s, ANY);
  }
  bool inv = !s->offered && chance(s, s->k->inv);
  if (inv) {
    new_kernel(s);
    s->val = 0;
    s->was_moved = true;
    hit(s, BIN_inv);
  }
  begin(s, IDLE, 0, 0);
  s->in.inv_i = inv;
  go(s);
  s->rested = s->offered ? 0 : s->rested + 1;
  hit_if(s, s->rested > 15, BIN_idle_for_long);
  if (s->offered) {
    hit_if(s, old, BIN_command_waits);
    hit_if(s, s->last_done, BIN_done_then_command);
    hit_if(s, s->last_refused, BIN_refused_then_command);
  }
  s->last_done = s->last_refused = false;
  if (s->offered) {
    accepted(s);
  }
}

/* One command, offered now and with nothing between. */
static void run(struct sim *s, unsigned op, unsigned a, unsigned b) {
  offer(s, op, a, b);
  begin(s, IDLE, 0, 0);
  go(s);
  accepted(s);
}

static const struct bias at_once = {.ready = 100, .ars = 100, .mem = 100, .warps = 32, .regs = 30};

static void init(struct sim *s, struct tb_run *t, struct tb_rng *r, const struct bias *k, jmp_buf *end) {
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

/* A CTA that is active in this slot and needs so many registers. */
static void active(struct sim *s, unsigned c, unsigned slot, unsigned nw, unsigned need) {
  struct cta *a = &s->cta[c];
  *a = (struct cta){.place = ACTIVE, .slot = slot, .nw = nw};
  s->slot[slot].taken = true;
  memset(s->slot[slot].has, 0, sizeof s->slot[slot].has);
  aim(a, need);
}

static unsigned needs(const struct sim *s, const struct cta *a) {
  unsigned n = 0;
  for (unsigned w = 0; w < a->nw; w++) {
    n += a->live >> w & 1 ? ones(s->vec[a->at[w]]) : 0;
  }
  return n;
}

/* Fills the PCRF but for a few entries, mostly with small CTAs. */
static void fill(struct sim *s, unsigned rest) {
  const struct bias *k = s->k;
  s->k = &at_once;
  while (s->free > rest) {
    unsigned c = find(s, GONE, false), slot = free_slot(s), room = s->free - rest;
    if (slot == SLOTS) {
      retire(s);
      continue;
    }
    unsigned need = 1 + below(s, chance(s, 10) ? room : room < 100 ? room : 100);
    need = room < 20 ? room : need;
    active(s, c, slot, 1 + need / REGS + below(s, 5), need);
    struct cta *a = &s->cta[c], aimed = *a;
    run_warps(s, a);
    if (chance(s, 40) || needs(s, a) > room) {
      *a = aimed;
    }
    run(s, SPILL, c, c);
  }
  s->k = k;
}

static void episode(struct tb_run *t, struct tb_rng *r, unsigned phase) {
  static const struct bias bias[] = {
      /* ready sticky ars mem  rest early inv load full warps regs aim */
      {100, 0, 100, 100, 10, 2, 2, 10, 0, 4, 8, 0}, /* small */
      {85, 0, 80, 60, 20, 0, 1, 15, 0, 6, 12, 5},   /* swaps */
      {40, 0, 30, 20, 5, 1, 1, 20, 0, 5, 8, 5},     /* slow */
      {50, 93, 50, 50, 5, 1, 0, 20, 0, 5, 8, 0},    /* blocked_for_long */
      {90, 0, 95, 80, 10, 1, 0, 10, 1, 4, 12, 40},  /* brim */
      {70, 30, 70, 40, 30, 1, 1, 70, 0, 4, 6, 5},   /* loads */
      {80, 0, 90, 10, 40, 5, 30, 10, 0, 3, 4, 0},   /* misses */
      {95, 0, 95, 90, 85, 1, 5, 40, 0, 32, 3, 0},   /* many_warps */
  };
  struct sim s;
  jmp_buf end;
  if (setjmp(end)) {
    return;
  }
  init(&s, t, r, &bias[phase], &end);
  if (s.k->full) {
    fill(&s, chance(&s, 50) ? 0 : below(&s, 40));
  }
  s.left = 50 + below(&s, s.k->full ? 2500 : 900);
  for (;;) {
    if (s.k->full && !s.offered && s.free < 60 && chance(&s, 30)) {
      fill(&s, 0);
    }
    idle(&s);
  }
}

static const char *const phases[] = {"small",  "swaps",      "slow", "blocked_for_long", "brim", "loads",
                                     "misses", "many_warps", NULL};

static void idle_cycle(struct sim *s) {
  begin(s, IDLE, 0, 0);
  go(s);
}

/* The PCs that aim() uses share no row of the cache. */
static bool rows_differ(const struct sim *s) {
  uint32_t rows = 0;
  for (unsigned i = 0; i < SIZED; i++) {
    rows |= 1u << row_of(s->pc[i]);
  }
  return ones(rows) == SIZED;
}

/* The page's times of a spill whose look-ups hit, and of a restore. */
static void times(struct tb_run *t, struct tb_rng *r) {
  static const unsigned count[] = {1, 2, 3, 4, 5, 6, 8, 13, 63, 64, 200};
  struct sim s;
  jmp_buf end;
  init(&s, t, r, &at_once, &end);
  while (!rows_differ(&s)) {
    new_kernel(&s);
  }
  for (unsigned i = 0; i < sizeof count / sizeof count[0]; i++) {
    unsigned n = count[i], c = 11 * i, nw = 6, some = 0;
    active(&s, c, 0, nw, n);
    for (unsigned round = 0; round < 2; round++) { /* the second hits */
      uint64_t from = s.now;
      run(&s, SPILL, c, 0);
      some = 0;
      for (unsigned w = 0; w < nw; w++) {
        some += s.vec[s.cta[c].at[w]] != 0;
      }
      uint64_t took = s.now - from, want = 1 + 2 * nw + 1 + nw + some + 2 * n + 1;
      tb_expect(t, !round || took == want, "a spill of %u registers took %u cycles, expected %u", n,
                (unsigned)took, (unsigned)want);
      idle_cycle(&s);
      from = s.now;
      run(&s, RESTORE, c, c);
      tb_expect(t, s.now - from == 1 + 6 + 2 * (n - 1), "a restore of %u registers took %u cycles", n,
                (unsigned)(s.now - from));
    }
    s.slot[0].taken = false;
    s.cta[c].place = GONE;
  }
  idle_cycle(&s);
}

/* One CTA that owns every entry; swapped for its like, refused for one register more. */
static void whole_pcrf(struct tb_run *t, struct tb_rng *r) {
  struct sim s;
  jmp_buf end;
  init(&s, t, r, &at_once, &end);
  active(&s, 127, 0, 32, ENTRIES + 1);
  run(&s, SPILL, 127, 0);
  active(&s, 127, 0, 32, ENTRIES);
  run(&s, SPILL, 127, 0);
  active(&s, 0, 3, 32, ENTRIES + 1);
  run(&s, SWAP, 0, 127);
  active(&s, 0, 3, 32, ENTRIES);
  run(&s, SWAP, 0, 127);
  active(&s, 127, 3, 17, 0);
  run(&s, SWAP, 127, 0);
  active(&s, 0, 3, 32, ENTRIES);
  run(&s, SPILL, 0, 0);
  run(&s, RESTORE, 127, 0);
  run(&s, RESTORE, 0, 127);
  idle_cycle(&s);
}

/* Reset in each state; what comes behind knows nothing of before. */
static void reset_in_each_state(struct tb_run *t, struct tb_rng *r) {
  static const struct bias k = {
      .ready = 60, .ars = 60, .mem = 50, .early = 5, .load = 30, .inv = 2, .warps = 5, .regs = 10};
  struct sim s;
  jmp_buf end;
  for (volatile unsigned state = 0; state < 2 * (FINISH + 1); state++) {
    tb_reset(t);
    init(&s, t, r, &k, &end);
    if (!setjmp(end)) {
      for (unsigned i = state & 1 ? 12 : 0; i; i--) { /* sooner and later */
        idle(&s);
      }
      s.cut = state / 2;
      for (;;) {
        idle(&s);
      }
    }
  }
  tb_reset(t);
  init(&s, t, r, &k, &end);
  active(&s, 3, 1, 5, 100);
  run(&s, SPILL, 3, 0);
  run(&s, RESTORE, 0, 3);
  idle_cycle(&s);
}

static const char *illegal(const void *model, const void *vin, const void *last_in, const void *last_out) {
  const struct rmu_in *in = vin, *was = last_in;
  const struct rmu_out *out = last_out;
  const struct rmu_state *s = model;
  if (in->c_v_i && in->c_op_i > SWAP) {
    return "no such command";
  }
  if (in->c_v_i && in->c_op_i != RESTORE && (in->c_nw_i == 0 || in->c_nw_i > WARPS)) {
    return "c_nw_i is not of 1 to 32";
  }
  if (in->c_v_i && in->c_op_i == SWAP && in->c_a_i == in->c_b_i) {
    return "a swap of a CTA with itself";
  }
  if (in->inv_i && (s->state_q != IDLE || in->c_v_i)) {
    return "inv_i while not idle, or with a command";
  }
  if (was && !in->inv_i && (was->base_i != in->base_i || was->cbase_i != in->cbase_i)) {
    return "another base without inv_i";
  }
  if (in->ars_v_i && !(s->state_q == S_WT || (s->state_q == WALK && s->x_q == READ))) {
    return "ars_v_i without a read under way";
  }
  if (in->m_rs_v_i && in->m_rs_d_i >> 63) {
    return "bit 63 of a vector";
  }
  if (s->state_q == C_RQ && in->pc_live_i && in->pc_i & 7) {
    return "a PC that is no multiple of 8";
  }
  if (was && was->c_v_i && !out->c_rdy_o &&
      (!in->c_v_i || in->c_op_i != was->c_op_i || in->c_a_i != was->c_a_i || in->c_b_i != was->c_b_i ||
       in->c_nw_i != was->c_nw_i)) {
    return "a command was changed before it was accepted";
  }
  if (was && was->fl_v_i && !out->fl_rdy_o &&
      (!in->fl_v_i || in->fl_idx_i != was->fl_idx_i || in->fl_lane_i != was->fl_lane_i ||
       memcmp(in->fl_d_i, was->fl_d_i, sizeof in->fl_d_i))) {
    return "a load was changed before it was accepted";
  }
  return NULL;
}

static const struct tb_case cases[] = {
    {"times", times}, {"whole_pcrf", whole_pcrf}, {"reset_in_each_state", reset_in_each_state}, {NULL, NULL}};
const struct tb tb_bench = {.cycles = 400000,
                            .phases = phases,
                            .bins = tb_bin_names,
                            .episode = episode,
                            .cases = cases,
                            .illegal = illegal};
