/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of rmu's bench, included once, after its bins: its model of the SM: slots of the ACRF with values in
 * them, warps at PCs, a memory of vectors, CTAs that run, wait or have ended, and loads that return late and
 * must find their registers after a move.
 */
#ifndef RT_TB_RMU_SM_H
#define RT_TB_RMU_SM_H

#include <setjmp.h>
#include <string.h>

#include "blocks/finereg/rmu.h"
#include "tb.h"

enum {
  CTAS = 128,
  WARPS = 32,
  REGS = 63,
  ENTRIES = TB_PARAM(NumEntries),
  WHOLE = ENTRIES < 28 * REGS
              ? ENTRIES
              : 28 * REGS, /* the longest chain of the cases; rmu_sm_aim_at_need() reaches any need up to it */
  KEPT = ENTRIES - WHOLE,  /* entries of another CTA */
  LONG_CHAIN = ENTRIES > 500 ? 500 : 100 + ENTRIES / 4,
  ROWS = TB_PARAM(LrvcEntries),
  SLOTS = 4,
  PCS = 40,
  SIZED = 8,
  LOADS = 12,
  LANES = 32,
  SERIAL = TB_PARAM(Engine) == 1,
  WINDOW = 5 /* places of W */
};
enum { ANY = RMU_SWAP + 1 }; /* a command of any kind */

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
struct slot { /* a value is generated when it is first read */
  bool taken;
  uint64_t has[WARPS];
  uint32_t d[WARPS][REGS][LANES];
};
struct load {
  bool on, seen_in, moved;   /* seen_in: by a stored event of this command */
  unsigned cta, w, r, entry; /* entry: ENTRIES when the register is in the ACRF */
  uint32_t lanes, d[LANES];
};
struct bias {
  unsigned ready, sticky; /* percent: ports accept; they keep their state */
  unsigned ars, mem;      /* answers come */
  unsigned rest, early;   /* idle time between commands; a command is offered before the last one is over */
  unsigned inv, load;     /* new kernels; loads come back */
  bool full;              /* keep the PCRF nearly full */
  unsigned warps, regs;   /* at most this many; live registers, in percent */
  unsigned aim;           /* commands whose need is chosen to fit what is free */
  unsigned late;          /* a read of the ACRF takes at least so many cycles */
};
struct command {
  unsigned op, a, b, nw;
};
enum relation { NO_SETS, EQUAL, DISJOINT, OVERLAP }; /* of a's registers and b's */
/* The pipelined engine within a command. Of b's entries, counted in the order of the walk, the tags of the first `tags` were read,
 * each in cycle tag[i % 8]; of these `vacated` are in W with their data, `passed` may be written to the ACRF, `popped` were. */
struct pipe {
  unsigned nb, tags, vacated, passed, popped;
  uint16_t chain[ENTRIES];
  uint64_t tag[8];
  struct entry window[8];
  unsigned window_at[8];
  unsigned x; /* reads under way, oldest first, with the value of their accept */
  struct read {
    uint64_t at;
    unsigned w, r;
    uint32_t d[LANES];
  } read[3];
  bool buf, hold;
  unsigned buf_w, buf_r;
  uint32_t buf_d[LANES];
  unsigned row;       /* the warp whose registers are drained; WARPS: none yet */
  unsigned nw, asked; /* warps, and those that were asked for */
  uint32_t open;      /* warps without an answer */
  unsigned looked;    /* the warp of the last look-up, */
  uint64_t since;     /* and when it reached this state of lrvc: */
  enum { READY, ANSWERS, ASKS, WAITS } cache;
  uint64_t sets[WARPS], sets_of_b[WARPS], gone[WARPS]; /* a's and b's registers; those of a that were read */
  bool vector_last;                                    /* an answer came in the last cycle */
  unsigned did[3];                                     /* the last cycles: 1 exchange, 2 pass, 4 drain */
};
struct times {                                       /* of a command, in cycles of the episode; 0: not yet */
  uint64_t t, c, z;                                  /* accept, first cycle of move, first without an open vector */
  uint64_t ard_first, ard_last, awr_first, awr_last; /* offered */
  uint64_t l_last, l_most;                           /* cycles of a read */
  unsigned ra, rw, free, hits, misses;               /* refused; free: at the accept */
  unsigned passed;                                   /* the warp with which need is too much, if it was exceeded */
  unsigned emptied;                                  /* E: rows that exchanges emptied before the next was loaded */
  bool exceeded, known_at_c, sure_with_all, hit_first;
  enum relation relation;
  struct {
    unsigned state, free, spare, ard, awr;
  } log[20]; /* cycles 1, 2, ...: ard, awr: the register read, written, or 0 */
};
struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *k;
  jmp_buf *end;
  uint64_t now, left; /* cycles of the episode, which may end in the middle of a command */
  unsigned cut;       /* a case that ends in this state; or 16 */
  bool cut_full;      /* with reads, buffer and window full */
  bool pop_last;      /* b's last register is accepted when a's last one has been moved */
  /* this cycle: inputs, expected outputs and state; and outputs expected in the next */
  struct rmu_in in;
  struct rmu_out o, next;
  struct rmu_state st;
  bool ready[3];
  bool waits; /* it waits for an answer, so must sleep */
  bool slept; /* it was asleep in the last cycle, with these outputs and registers */
  struct rmu_out slept_o;
  struct rmu_state slept_st;
  /* the kernel, and lrvc's contents */
  uint32_t base, cbase, pc[PCS], cached[ROWS];
  bool val[ROWS];
  uint64_t vec[PCS];
  bool was_moved;
  /* the SM */
  struct cta cta[CTAS];
  struct load load[LOADS];
  struct load *back; /* the load at the fill ports */
  struct command c;  /* the one under way (busy) or offered */
  struct command offer;
  bool busy, offered;
  unsigned reserved; /* slot for b */
  uint64_t rested;
  bool last_done, last_refused, follows; /* follows: on another one's done */
  unsigned last_op;
  unsigned last_in, last_out; /* CTAs that were spilled and restored last; CTAS: none */
  /* the engine, as the page describes it */
  struct pipe p;
  struct times time;
  uint64_t set[WARPS]; /* registers of a that are still to be moved */
  unsigned need, n, prev, free;
  struct entry e[ENTRIES];
  uint16_t chain[CTAS][ENTRIES]; /* in the order of writing; walked from the last to the first */
  struct slot slot[SLOTS];
};

static unsigned rmu_count_ones(uint64_t v) { return (unsigned)__builtin_popcountll(v); }
static unsigned rmu_lowest_one(uint64_t v) { return (unsigned)__builtin_ctzll(v); }

/* The number of this state among those of the engine. */
static unsigned nth_state(const struct sim *s) {
  unsigned q = (unsigned)s->st.state_q;
  return SERIAL || q == RMU_IDLE ? q : q - RMU_FINISH + 1;
}

/* ---- the kernel: PCs and the registers live there; the first eight have 63, 32, 16, ... 1 and 0 registers, from
 * which any need can be composed; of the others 2i and 2i + 1 have none in common ---- */

static const uint8_t sizes[SIZED] = {63, 32, 16, 8, 4, 2, 1, 0};

static uint64_t rmu_sm_some_registers(struct sim *s, unsigned count) {
  uint64_t v = 0;
  while (rmu_count_ones(v) < count) {
    v |= UINT64_C(1) << tb_below(s->r, REGS);
  }
  return v;
}

static void new_kernel(struct sim *s) {
  unsigned span = tb_chance(s->r, 50) ? 64 : 4096;
  s->cbase = (uint32_t)tb_bits(s->r, 29) << 3;
  s->base = (uint32_t)tb_bits(s->r, 32);
  for (unsigned i = 0; i < PCS; i++) {
    bool again;
    do {
      s->pc[i] = s->cbase + 8 * tb_below(s->r, span);
      again = false;
      for (unsigned j = 0; j < i; j++) {
        again |= s->pc[j] == s->pc[i];
      }
    } while (again);
    uint64_t any = tb_dense(s->r, REGS, s->k->regs);
    s->vec[i] = i < SIZED ? rmu_sm_some_registers(s, sizes[i]) : i & 1 ? any & ~s->vec[i - 1] : any;
  }
}

/* ---- the ACRF ---- */

static uint32_t *rmu_sm_acrf_register(struct sim *s, unsigned slot, unsigned w, unsigned r) {
  struct slot *k = &s->slot[slot];
  if (!(k->has[w] >> r & 1)) {
    tb_words(s->r, k->d[w][r], 1024);
    k->has[w] |= UINT64_C(1) << r;
  }
  return k->d[w][r];
}

/* ---- loads ---- */

static bool rmu_sm_is_blocked(const struct sim *s, unsigned cta) {
  return s->busy && ((s->c.op != RMU_RESTORE && cta == s->c.a) || (s->c.op != RMU_SPILL && cta == s->c.b));
}

static void issue_load(struct sim *s, unsigned cta) {
  const struct cta *c = &s->cta[cta];
  struct load *l = &s->load[tb_below(s->r, LOADS)];
  unsigned w = tb_below(s->r, c->nw);
  uint64_t vec = s->vec[c->at[w]];
  unsigned r = tb_below(s->r, REGS);
  while (vec && !(vec >> r & 1) && tb_chance(s->r, 90)) {
    r = (r + 1) % REGS;
  }
  for (const struct load *m = s->load; m < s->load + LOADS; m++) {
    if (m->on && m->cta == cta && m->w == w && m->r == r) {
      return; /* the scoreboard allows one load under way for a register */
    }
  }
  if (!l->on) {
    *l = (struct load){.on = true, .cta = cta, .w = w, .r = r, .entry = ENTRIES};
    l->lanes = tb_below(s->r, 4) ? (uint32_t)tb_bits(s->r, 32) : tb_below(s->r, 2) ? UINT32_MAX : 0;
    tb_words(s->r, l->d, 1024);
  }
}

/* A load returns: to its entry through fill_*, to the ACRF at once, or it waits while its CTA is being moved. */
static void come_back(struct sim *s) {
  struct rmu_in *in = &s->in;
  in->fill_index_i = tb_below(s->r, ENTRIES), in->fill_lanes_i = tb_bits(s->r, 32);
  tb_words(s->r, in->fill_data_i, 1024);
  if (!s->back && tb_chance(s->r, s->k->load)) {
    struct load *l = &s->load[tb_below(s->r, LOADS)];
    if (l->on && rmu_sm_is_blocked(s, l->cta)) {
      tb_hit(s->t, l->cta == s->c.a && s->c.op != RMU_RESTORE ? BIN_load_held_for_a : BIN_load_held_for_b);
    } else if (l->on && l->entry == ENTRIES) {
      uint32_t *d = rmu_sm_acrf_register(s, s->cta[l->cta].slot, l->w, l->r);
      for (unsigned i = 0; i < LANES; i++) {
        d[i] = l->lanes >> i & 1 ? l->d[i] : d[i];
      }
      l->on = false;
      tb_hit(s->t, BIN_load_into_acrf);
    } else if (l->on) {
      s->back = l;
    }
  }
  if (s->back) {
    in->fill_valid_i = 1, in->fill_index_i = s->back->entry, in->fill_lanes_i = s->back->lanes;
    memcpy(in->fill_data_i, s->back->d, sizeof in->fill_data_i);
  }
}

/* The loads follow the events stored and restored. */
static void rmu_sm_follow_loads(struct sim *s, const struct rmu_out *out) {
  for (struct load *l = s->load; l < s->load + LOADS; l++) {
    bool in = out->stored_valid_o && s->c.a == l->cta && out->stored_warp_o == l->w && out->stored_register_o == l->r;
    bool back =
        out->restored_valid_o && s->c.b == l->cta && out->restored_warp_o == l->w && out->restored_register_o == l->r;
    if (l->on && in && l->entry == ENTRIES) {
      l->entry = (unsigned)out->stored_index_o;
      tb_hit(s->t, out->restored_valid_o ? BIN_load_follows_in_exchange : BIN_load_follows_in);
      tb_hit_if(s->t, l->moved, BIN_load_follows_twice);
      l->seen_in = l->moved = true;
    } else if (l->on && back && l->entry < ENTRIES) {
      l->entry = ENTRIES;
      tb_hit(s->t, BIN_load_follows_out);
    }
  }
}

static void load_done(struct sim *s) {
  struct entry *e = &s->e[s->in.fill_index_i];
  for (unsigned i = 0; i < LANES; i++) {
    e->d[i] = s->in.fill_lanes_i >> i & 1 ? s->in.fill_data_i[i] : e->d[i];
  }
  tb_hit(s->t, BIN_load_in_idle + nth_state(s));
  tb_hit(s->t, s->in.fill_lanes_i == 0            ? BIN_load_no_lane
               : s->in.fill_lanes_i == UINT32_MAX ? BIN_load_all_lanes
                                                  : BIN_load_some_lanes);
  tb_hit_if(s->t, e->loaded, BIN_load_twice);
  tb_hit_if(s->t, s->st.state_q != RMU_IDLE, BIN_load_into_pcrf_of_other);
  tb_hit_if(s->t, s->o.done_valid_o, BIN_load_at_done);
  tb_hit_if(
      s->t,
      s->in.command_valid_i && s->st.state_q == RMU_IDLE && s->offer.op != RMU_SPILL && s->offer.b == s->back->cta,
      BIN_load_for_b_at_accept);
  e->loaded = true;
  s->back->on = tb_chance(s->r, 30); /* it returns in parts */
  s->back->lanes = (uint32_t)tb_bits(s->r, 32);
  tb_words(s->r, s->back->d, 1024);
  s->back = NULL;
}

/* ---- events in the SM ---- */

/* Sets the PCs of a's warps so that it needs exactly this many registers, if its warps can have them. */
static void rmu_sm_aim_at_need(struct cta *a, unsigned need) {
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
  a->live = tb_chance(s->r, 5) ? 0 : tb_chance(s->r, 50) ? UINT32_MAX : (uint32_t)tb_dense(s->r, 32, 80);
  for (unsigned w = 0; w < WARPS; w++) {
    a->at[w] = (uint8_t)(tb_chance(s->r, 20) ? SIZED - 4 + tb_below(s->r, 4) : SIZED + tb_below(s->r, PCS - SIZED));
  }
  for (unsigned w = 0; w < WARPS; w++) { /* some registers are written by its instructions */
    s->slot[a->slot].has[w] &= tb_rand(s->r) | tb_rand(s->r);
  }
}

/* The PCs of a's warps: some relations to b's, and needs near the number of free entries, are wanted more often than random
 * PCs give. */
static void place_warps(struct sim *s, struct cta *a, const struct cta *b) {
  run_warps(s, a);
  if (tb_chance(s->r, s->k->aim)) {
    unsigned room = s->free + (b ? b->n : 0);
    a->nw = room > 400 ? 32 : a->nw;
    rmu_sm_aim_at_need(a, room + tb_below(s->r, 3) - (room ? 1 : 0));
  } else if (b && tb_chance(s->r, 60)) {
    unsigned how = tb_below(s->r, 4);
    a->nw = how == 3 ? a->nw : b->nw, a->live = b->live;
    for (unsigned w = 0; w < WARPS; w++) {
      a->at[w] = how == 0   ? b->at[w]
                 : how == 1 ? b->at[w] ^ 1
                 : how == 2 ? SIZED - 1
                            : (tb_chance(s->r, 50) ? b->at[w] : a->at[w]);
    }
  }
}

static unsigned rmu_sm_find_cta(struct sim *s, unsigned place, bool idle_only) {
  unsigned from = tb_below(s->r, CTAS);
  for (unsigned i = 0; i < CTAS; i++) {
    unsigned c = (from + i) % CTAS;
    if (s->cta[c].place == place && !(idle_only && rmu_sm_is_blocked(s, c))) {
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

static void take_slot(struct sim *s, unsigned i) {
  s->slot[i].taken = true;
  memset(s->slot[i].has, 0, sizeof s->slot[i].has);
}

static void rmu_sm_launch(struct sim *s) {
  unsigned k = free_slot(s), c = rmu_sm_find_cta(s, GONE, false);
  if (k < SLOTS && c < CTAS) {
    struct cta *a = &s->cta[c];
    a->place = ACTIVE, a->slot = k, a->n = 0;
    a->nw = tb_chance(s->r, 15) ? 1 : tb_chance(s->r, 15) ? s->k->warps : 1 + tb_below(s->r, s->k->warps);
    take_slot(s, k);
    run_warps(s, a);
  }
}

static void rmu_sm_retire(struct sim *s) {
  unsigned c = rmu_sm_find_cta(s, ACTIVE, true);
  if (c < CTAS) {
    s->cta[c].place = GONE;
    s->slot[s->cta[c].slot].taken = false;
    for (struct load *l = s->load; l < s->load + LOADS; l++) {
      l->on = l->on && l->cta != c;
    }
  }
}

/* Fields the command does not use are random, but stay the same while it is offered. */
static void rmu_sm_offer(struct sim *s, unsigned op, unsigned a, unsigned b) {
  s->offer.op = op;
  s->offer.a = op == RMU_RESTORE ? tb_below(s->r, CTAS) : a;
  s->offer.b = op == RMU_SPILL ? tb_below(s->r, CTAS) : b;
  s->offer.nw = op == RMU_RESTORE ? tb_below(s->r, 64) : s->cta[a].nw;
  s->offered = true;
}

/* Chooses a command that is legal when the one under way is over. False if there is none. */
static bool rmu_sm_choose(struct sim *s, unsigned op) {
  unsigned a = rmu_sm_find_cta(s, ACTIVE, true), b = rmu_sm_find_cta(s, PENDING, true), k = free_slot(s);
  op = op != ANY ? op : tb_below(s->r, 8) < 4 ? RMU_SWAP : s->free < 200 || tb_below(s->r, 2) ? RMU_RESTORE : RMU_SPILL;
  if (op == RMU_SWAP && (a == CTAS || b == CTAS)) {
    op = tb_below(s->r, 2) ? RMU_SPILL : RMU_RESTORE;
  }
  if ((op != RMU_RESTORE && a == CTAS) || (op != RMU_SPILL && b == CTAS) || (op == RMU_RESTORE && k == SLOTS)) {
    return false;
  }
  if (op != RMU_RESTORE) {
    struct cta *ca = &s->cta[a];
    place_warps(s, ca, op == RMU_SWAP ? &s->cta[b] : NULL);
    for (unsigned i = 0; s->k->load && i < 3; i++) {
      issue_load(s, a);
    }
  }
  rmu_sm_offer(s, op, a, b);
  return true;
}

/* A CTA that is active in this slot and needs so many registers. */
static void rmu_sm_activate(struct sim *s, unsigned c, unsigned slot, unsigned nw, unsigned need) {
  struct cta *a = &s->cta[c];
  *a = (struct cta){.place = ACTIVE, .slot = slot, .nw = nw};
  take_slot(s, slot);
  rmu_sm_aim_at_need(a, need);
}

static unsigned rmu_sm_need_of(const struct sim *s, const struct cta *a) {
  unsigned n = 0;
  for (unsigned w = 0; w < a->nw; w++) {
    n += a->live >> w & 1 ? rmu_count_ones(s->vec[a->at[w]]) : 0;
  }
  return n;
}

#endif
