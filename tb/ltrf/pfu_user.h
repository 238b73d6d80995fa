/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of pfu's bench: who uses the block. Schedulers that start warps, give commands, look up and issue; results that
 * wait for their write; main register file and cache with banks that are ready or not. It keeps the rules of the page,
 * and knows from the oracle what the block does. docs/blocks/ltrf/pfu.md
 */
#ifndef RT_TB_PFU_USER_H
#define RT_TB_PFU_USER_H

#include "pfu_oracle.h"

enum { MOST_POOL = 24, MOST_KNOWN = 96, MOST_RESULTS = 64, MOST_READS = 16 * 32, BANKS_OF_BOTH = 128 + 32 };

enum ready { ALWAYS, HALF, SPARSE, STUCK, BUSY, BLINK };

/* A phase: in percent, if nothing else is said. */
struct bias {
  unsigned warps, regs;       /* so many warps at most; registers of a vector at most, in percent of an interval's */
  unsigned command, change;   /* in a cycle: one is chosen; one that is not taken changes */
  unsigned deact, end, same;  /* of the commands for active warps */
  unsigned st, st_late;       /* in a cycle; while a DEACTIVATE is done */
  unsigned look, issue, dead; /* ports in use; dead sources */
  unsigned result, exec;      /* destinations that give a result; after so many cycles at most */
  unsigned wb, hold, noise;   /* in a cycle a port takes a result; for so many cycles; writes of nobody */
  unsigned latency, reply, mixed; /* of the MRF in cycles; it replies in a cycle; not to its oldest request */
  enum ready mrf, rfc;
  unsigned busy; /* cycles of a bank */
};

struct write {
  bool v;
  unsigned w, r;
  uint64_t until; /* due for a result */
};
struct read {
  unsigned slot, r;
  uint64_t due;
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *b;
  struct oracle o;
  struct plan p;
  struct pfu_in in, last;
  struct pfu_out out, before; /* of this cycle, of the last one */
  uint64_t now;
  /* the user */
  bool begun[WARPS]; /* started, and no END since */
  unsigned pool[MOST_POOL], pooled, known[MOST_KNOWN], knows;
  struct write results[MOST_RESULTS], port[WRITES];
  unsigned waiting; /* results */
  struct read reads[MOST_READS];
  unsigned asked;
  bool offers;
  unsigned op, w;
  bool vector[REGS];
  uint64_t busy[BANKS_OF_BOTH]; /* until then; the cache's banks behind the MRF's */
  unsigned stuck[2];
  bool blink[2];
  /* of directed cases */
  uint32_t mrf[4], rfc;
  bool no_fr;
  unsigned latency;
  /* for bins; of a slot: cycles in which its register was held, its report late, it waited, it was done and not told */
  unsigned held[SLOTS], late[SLOTS], waits[SLOTS], lost[SLOTS];
  bool fresh[SLOTS], ever[SLOTS], fetched[SLOTS]; /* new in this state; used before; a register came from the MRF */
  bool went_back[SLOTS][PLACES];                  /* banks that came back since the command */
  unsigned starts[WARPS], was_slot[WARPS];        /* since the last ACTIVATE; before the last DEACTIVATE */
  bool kept[WARPS], died[WARPS], ended[WARPS], by_issue[WARPS];
  bool last_taken, last_fr, none_free;
  unsigned last_told; /* a warp */
};

/* ---- warps and registers ---- */

static const unsigned edges[] = {0, 63, 64, 127, 128, 191, 192, 255};
enum { EDGES = sizeof edges / sizeof edges[0] };

static void pfu_user_choose_pool(struct sim *s) {
  static const unsigned ends[] = {0, 63};
  bool in_pool[WARPS] = {false};
  unsigned first = tb_below(s->r, WARPS);
  s->pooled = s->knows = 0;
  unsigned most = 2 + tb_below(s->r, s->b->warps - 1);
  while (s->pooled < most) {
    unsigned w = s->pooled < 2 && tb_chance(s->r, 70) ? ends[s->pooled]
                 : tb_chance(s->r, 50)                ? first++ % WARPS
                                                      : tb_below(s->r, WARPS);
    if (!in_pool[w]) s->pool[s->pooled++] = w;
    in_pool[w] = true;
  }
  const unsigned want = PLACES + 4 + tb_below(s->r, 2 * PLACES), from = tb_below(s->r, REGS);
  for (unsigned i = 0; s->knows < want && s->knows < MOST_KNOWN; i++) {
    s->known[s->knows++] = i < EDGES ? edges[i] : tb_chance(s->r, 50) ? (from + i) % REGS : tb_below(s->r, REGS);
  }
}

static unsigned pfu_user_some_warp(struct sim *s) { return s->pool[tb_below(s->r, s->pooled)]; }

/* A warp of the pool that belongs to the port's scheduler; or any of them. */
static unsigned pfu_user_warp_of_port(struct sim *s, unsigned p) {
  for (unsigned k = 0, i = tb_below(s->r, s->pooled); k < s->pooled; k++) {
    unsigned w = s->pool[(i + k) % s->pooled];
    if (w % PORTS == p && (s->o.warp[w].active || tb_chance(s->r, 10))) return w;
  }
  return tb_below(s->r, WARPS / PORTS) * PORTS + p;
}

static unsigned pfu_user_some_register(struct sim *s, unsigned w) {
  const unsigned kind = tb_below(s->r, 100);
  if (kind < 70) {
    unsigned from = tb_below(s->r, REGS);
    for (unsigned k = 0; k < REGS; k++) {
      if (s->o.warp[w].ws[(from + k) % REGS]) return (from + k) % REGS;
    }
  }
  if (kind < 80) return edges[tb_below(s->r, EDGES)];
  return kind < 96 ? s->known[tb_below(s->r, s->knows)] : tb_below(s->r, REGS);
}

static bool pfu_user_is_idle(const struct sim *s, unsigned w) {
  return s->o.warp[w].active && s->o.warp[w].step == PFU_IDLE;
}
static bool pfu_user_is_ending(const struct sim *s, unsigned w) {
  return s->o.warp[w].active && s->o.warp[w].step == PFU_DONE && s->o.warp[w].op == PFU_END;
}

/* ---- results ---- */

static bool pfu_user_has_result(const struct sim *s, unsigned w, unsigned r) {
  for (unsigned i = 0; i < s->waiting; i++) {
    if (s->results[i].w == w && (r == NOBODY || s->results[i].r == r)) return true;
  }
  for (unsigned i = 0; i < WRITES; i++) {
    if (s->port[i].v && s->port[i].w == w && (r == NOBODY || s->port[i].r == r)) return true;
  }
  return false;
}

static bool pfu_user_offers(const struct sim *s, unsigned op, unsigned w) {
  return s->offers && s->op == op && s->w == w;
}

/* A write to disturb: of a register that leaves, of the same one of another warp, of one that comes, or of any. */
static bool pfu_user_some_noise(struct sim *s, struct write *x) {
  const unsigned i = tb_below(s->r, SLOTS), kind = tb_below(s->r, 100);
  const struct warp *w = pfu_oracle_const_holder(&s->o, i);
  x->w = w && kind < 80 ? s->o.slot[i].warp : pfu_user_some_warp(s);
  x->r = w && kind < 60 && !pfu_list_is_done(&w->todo) ? pfu_list_next(&w->todo) : pfu_user_some_register(s, x->w);
  if (w && w->step == PFU_EVICT && tb_chance(s->r, 20)) x->w = pfu_user_some_warp(s);
  if (w && kind >= 60 && kind < 80) {
    for (unsigned k = 0; k < REGS; k++) {
      if (w->comes[k]) x->r = k;
    }
  }
  return !pfu_user_has_result(s, x->w, x->r) && !pfu_user_is_ending(s, x->w) && !pfu_user_offers(s, PFU_END, x->w);
}

static void pfu_user_drive_writes(struct sim *s) {
  for (unsigned k = 0; k < WRITES; k++) {
    struct write *p = &s->port[k], x = {0};
    if (p->v && s->now >= p->until) p->v = false;
    if (!p->v && s->waiting && tb_chance(s->r, s->b->wb)) {
      for (unsigned i = 0; i < s->waiting && !p->v; i++) {
        if (s->results[i].until > s->now) continue;
        *p = s->results[i], p->v = true;
        s->results[i] = s->results[--s->waiting];
      }
      p->until = s->now + 1 + tb_below(s->r, s->b->hold);
    } else if (!p->v && tb_chance(s->r, s->b->noise) && pfu_user_some_noise(s, &x)) {
      *p = x, p->v = true, p->until = s->now + 1 + tb_below(s->r, s->b->hold);
    }
  }
  for (unsigned k = 0; k < WRITES; k++) {
    const struct write *p = &s->port[k];
    s->in.result_valid_i |= (uint64_t)p->v << k;
    s->in.result_warp_i[k] = (uint8_t)(p->v ? p->w : tb_below(s->r, WARPS));
    s->in.result_register_i[k] = (uint8_t)(p->v ? p->r : tb_below(s->r, REGS));
  }
}

/* ---- commands ---- */

static void pfu_user_add_register(struct sim *s, unsigned r) {
  if (pfu_regs_count(s->vector) < PLACES) s->vector[r] = true;
}

/* The registers of the next interval, seen from those of this one. */
static void pfu_user_choose_vector(struct sim *s) {
  const struct warp *w = &s->o.warp[s->w];
  const unsigned kind = tb_below(s->r, 100), most = (PLACES * s->b->regs + 99) / 100;
  unsigned more = tb_below(s->r, most + 1), keeps = 100;
  memset(s->vector, 0, sizeof s->vector);
  if (kind < s->b->same) more = 0;                                        /* the same ones */
  else if (kind < s->b->same + 4) more = keeps = 0;                       /* none */
  else if (kind < s->b->same + 16) more = 0, keeps = tb_below(s->r, 100); /* some leave */
  else if (kind < s->b->same + 28) keeps = 100;                           /* some come */
  else if (kind < s->b->same + 36) more = 1;                              /* one comes */
  else if (kind < s->b->same + 48) keeps = 0;                             /* all leave, others come */
  else keeps = tb_below(s->r, 100);
  for (unsigned r = 0; r < REGS; r++) {
    if (w->ws[r] && tb_chance(s->r, keeps)) pfu_user_add_register(s, r);
  }
  if (kind >= 90) { /* side by side */
    unsigned from = tb_chance(s->r, 50) ? edges[tb_below(s->r, EDGES)] : tb_below(s->r, REGS);
    for (unsigned i = 0; i < more; i++) pfu_user_add_register(s, (from + i + REGS - more / 2) % REGS);
    return;
  }
  for (unsigned i = 0; i < more; i++) {
    unsigned r = tb_chance(s->r, 80)   ? s->known[tb_below(s->r, s->knows)]
                 : tb_chance(s->r, 30) ? edges[tb_below(s->r, EDGES)]
                                       : tb_below(s->r, REGS);
    if (keeps || !w->ws[r]) pfu_user_add_register(s, r);
  }
}

static bool pfu_user_may_offer(const struct sim *s, unsigned op, unsigned w) {
  if (op == PFU_ACTIVATE) return s->begun[w];
  return op != PFU_END || !pfu_user_has_result(s, w, NOBODY);
}

static void pfu_user_choose_command(struct sim *s) {
  s->w = pfu_user_some_warp(s);
  const unsigned kind = tb_below(s->r, 100);
  if (tb_chance(s->r, 5)) {
    s->op = tb_below(s->r, 4);
  } else if (!s->o.warp[s->w].active) {
    s->op = PFU_ACTIVATE;
  } else {
    s->op = kind < s->b->deact ? PFU_DEACTIVATE : kind < s->b->deact + s->b->end ? PFU_END : PFU_PREFETCH;
  }
  pfu_user_choose_vector(s);
  s->offers = pfu_user_may_offer(s, s->op, s->w);
}

static void pfu_user_put_vector(struct sim *s) {
  memset(s->in.command_registers_i, 0, sizeof s->in.command_registers_i);
  pfu_regs_to_words(s->in.command_registers_i, s->vector);
}

/* Any registers. */
static void pfu_user_some_set(struct sim *s, uint64_t set[PFU_WORDS]) {
  uint32_t words[2 * PFU_WORDS];
  tb_words(s->r, words, REGS);
  for (unsigned k = 0; k < PFU_WORDS; k++) set[k] = words[2 * k] | (uint64_t)words[2 * k + 1] << 32;
}

static void pfu_user_drive_command(struct sim *s) {
  struct pfu_in *in = &s->in;
  in->command_i = tb_below(s->r, 4), in->command_warp_i = pfu_user_some_warp(s);
  if (tb_chance(s->r, 10)) pfu_user_some_set(s, in->command_registers_i);
  if (s->offers && !pfu_oracle_is_ready(&s->o, s->op, s->w) && tb_chance(s->r, s->b->change)) {
    s->offers = false;
    if (tb_chance(s->r, 60)) pfu_user_choose_command(s);
  }
  if (s->offers && !pfu_user_may_offer(s, s->op, s->w)) s->offers = false;
  if (!s->offers && tb_chance(s->r, s->b->command)) pfu_user_choose_command(s);
  if (!s->offers) return;
  in->command_valid_i = 1, in->command_i = s->op, in->command_warp_i = s->w;
  pfu_user_put_vector(s);
}

static void pfu_user_drive_start(struct sim *s) {
  unsigned w = pfu_user_some_warp(s), rate = s->b->st;
  s->in.start_warp_i = tb_below(s->r, WARPS);
  pfu_user_some_set(s, s->in.start_live_i);
  for (unsigned i = 0; i < SLOTS; i++) {
    const struct warp *x = pfu_oracle_const_holder(&s->o, i);
    if (x && x->step == PFU_DONE && x->op == PFU_DEACTIVATE && s->b->st_late > rate) rate = s->b->st_late;
  }
  for (unsigned k = 0; k < s->pooled && s->begun[w]; k++) w = pfu_user_some_warp(s);
  if (s->begun[w] && tb_chance(s->r, 95)) w = tb_below(s->r, WARPS); /* mostly one that has not begun */
  if (!tb_chance(s->r, rate) || s->o.warp[w].active || pfu_user_offers(s, PFU_ACTIVATE, w)) return;
  s->in.start_valid_i = 1, s->in.start_warp_i = w;
  if (tb_chance(s->r, 20)) memset(s->in.start_live_i, tb_chance(s->r, 50) ? 0xff : 0, sizeof s->in.start_live_i);
}

/* ---- look-up and issue ---- */

static void pfu_user_drive_look_up(struct sim *s, unsigned p) {
  const unsigned w = pfu_user_warp_of_port(s, p), n = 1 + tb_below(s->r, SOURCES);
  unsigned before = 0;
  s->in.lookup_warp_i[p] = (uint8_t)w;
  for (unsigned k = 0; k < SOURCES; k++) {
    const unsigned r = k && tb_chance(s->r, 10) ? before : pfu_user_some_register(s, w);
    s->in.lookup_source_i[p][k] = (uint8_t)r;
    before = r;
  }
  if (pfu_oracle_look_ready(&s->o, p) && tb_chance(s->r, s->b->look)) s->in.lookup_valid_i |= UINT64_C(1) << p;
  s->in.lookup_count_i[p] = (uint8_t)(bit_is64(s->in.lookup_valid_i, p) ? n : tb_below(s->r, 8));
}

static void pfu_user_drive_issue(struct sim *s, unsigned p) {
  const unsigned w = pfu_user_warp_of_port(s, p);
  const bool is =
      pfu_user_is_idle(s, w) && !(s->in.command_valid_i && s->in.command_warp_i == w) && tb_chance(s->r, s->b->issue);
  s->in.issue_valid_i |= (uint64_t)is << p, s->in.issue_warp_i[p] = (uint8_t)w;
  for (unsigned k = 0; k < SOURCES; k++) {
    s->in.issue_source_valid_i[p] |= (uint8_t)(tb_chance(s->r, 60) << k);
    s->in.issue_dead_i[p] |= (uint8_t)(tb_chance(s->r, s->b->dead) << k);
    s->in.issue_source_i[p][k] = (uint8_t)pfu_user_some_register(s, w);
  }
  for (unsigned k = 0; k < DESTS; k++) {
    unsigned r = pfu_user_some_register(s, w);
    bool dv = tb_chance(s->r, k ? 30 : 70);
    if (k && tb_chance(s->r, 10)) r = s->in.issue_source_i[p][0]; /* dead and a destination */
    s->in.issue_destination_i[p][k] = (uint8_t)r;
    s->in.issue_destination_valid_i[p] |= (uint8_t)(dv << k);
    if (is && dv && s->waiting < MOST_RESULTS && tb_chance(s->r, s->b->result) && !pfu_user_has_result(s, w, r)) {
      s->results[s->waiting++] = (struct write){.w = w, .r = r, .until = s->now + 1 + tb_below(s->r, s->b->exec)};
    }
  }
}

/* ---- main register file and cache ---- */

static bool pfu_user_bank_is_ready(struct sim *s, enum ready how, unsigned bank, bool cache) {
  switch (how) {
    case ALWAYS: return true;
    case HALF: return tb_chance(s->r, 50);
    case SPARSE: return tb_chance(s->r, 15);
    case STUCK: return bank != s->stuck[cache];
    case BUSY: return s->now >= s->busy[cache ? 128 + bank : bank];
    default: return s->blink[cache];
  }
}

static void pfu_user_drive_ready(struct sim *s) {
  for (unsigned k = 0; k < 2; k++) {
    if (tb_chance(s->r, 10)) s->blink[k] = !s->blink[k];
  }
  if (tb_chance(s->r, 3)) { /* mostly that of a request */
    const unsigned i = tb_below(s->r, SLOTS);
    const struct warp *w = pfu_oracle_const_holder(&s->o, i);
    s->stuck[0] = tb_below(s->r, BANKS), s->stuck[1] = tb_below(s->r, PLACES);
    if (w && !pfu_list_is_done(&w->todo)) {
      s->stuck[0] = pfu_oracle_mrf_bank(s->o.slot[i].warp, pfu_list_next(&w->todo));
      if (w->step == PFU_EVICT) s->stuck[1] = w->place[pfu_list_next(&w->todo)];
    }
  }
  for (unsigned b = 0; b < BANKS; b++)
    words_set(s->in.main_ready_i, b, 1, pfu_user_bank_is_ready(s, s->b->mrf, b, false));
  for (unsigned b = 0; b < PLACES; b++)
    s->in.cache_ready_i |= (uint64_t)pfu_user_bank_is_ready(s, s->b->rfc, b, true) << b;
}

static void pfu_user_answer_read(struct sim *s, unsigned i) {
  s->in.fill_valid_i = 1, s->in.fill_slot_i = s->reads[i].slot, s->in.fill_register_i = s->reads[i].r;
  memmove(&s->reads[i], &s->reads[i + 1], (s->asked - i - 1) * sizeof s->reads[0]);
  s->asked--;
}

static void pfu_user_drive_fill(struct sim *s) {
  const unsigned i = s->asked && tb_chance(s->r, s->b->mixed) ? tb_below(s->r, s->asked) : 0;
  s->in.fill_slot_i = tb_below(s->r, SLOTS), s->in.fill_register_i = tb_below(s->r, REGS);
  if (s->asked && s->reads[i].due <= s->now && tb_chance(s->r, s->b->reply)) pfu_user_answer_read(s, i);
}

/* After the cycle: what was asked, what is busy, what has begun and ended. */
static void pfu_user_edge(struct sim *s) {
  const struct pfu_in *in = &s->in;
  if (s->p.granted != NOBODY) {
    const unsigned r = s->p.slot[s->p.granted].r, bank = pfu_oracle_mrf_bank(s->o.slot[s->p.granted].warp, r);
    if (s->p.slot[s->p.granted].wish == FETCH) {
      const uint64_t due = s->now + (s->b ? 1 + s->b->latency * (50 + tb_below(s->r, 51)) / 100 : s->latency);
      s->reads[s->asked++] = (struct read){.slot = s->p.granted, .r = r, .due = due};
    } else {
      s->busy[128 + pfu_oracle_const_holder(&s->o, s->p.granted)->place[r]] =
          s->now + 1 + (s->b ? tb_below(s->r, s->b->busy + 1) : 0);
    }
    s->busy[bank] = s->now + 1 + (s->b ? tb_below(s->r, s->b->busy + 1) : 0);
  }
  if (s->p.taken) {
    s->offers = false;
    if (in->command_i == PFU_END) s->begun[in->command_warp_i] = false;
  }
  if (in->start_valid_i) s->begun[in->start_warp_i] = true;
}

static void pfu_user_drive_inputs(struct sim *s) {
  memset(&s->in, 0, sizeof s->in);
  pfu_user_drive_command(s);
  pfu_user_drive_start(s);
  for (unsigned p = 0; p < PORTS; p++) pfu_user_drive_issue(s, p), pfu_user_drive_look_up(s, p);
  pfu_user_drive_writes(s);
  pfu_user_drive_ready(s);
  pfu_user_drive_fill(s);
}

#endif
