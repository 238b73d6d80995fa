/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ctl's bench, included once, after its bins: the SM around the block. CTAs that begin, retire instructions, become
 * quiet and end, a register file, a memory, the load monitor and the victim tag table, at rates that a phase gives; and
 * orders, the steps of a directed case.
 */
#ifndef RT_TB_CTL_SM_H
#define RT_TB_CTL_SM_H

#include <setjmp.h>
#include <string.h>

#include "blocks/linebacker/ctl.h"
#include "tb.h"

enum {
  CTAS = TB_PARAM(NumCta),
  RING = TB_PARAM(Ring),
  PERIOD = TB_PARAM(Period),
  REGS = 2048,
  LANES = 32,
  MOST_RET = 127,
  STATES = 14,
  NOBODY = CTAS,
  IN_MEMORY = 0x7ff /* the first register of a CTA without registers */
};

/* A phase: in percent, if nothing else is said. */
struct bias {
  unsigned ready, sticky; /* a port is ready; it stays as it was */
  unsigned latency;       /* a register is read in so many cycles at most */
  unsigned reply, mixed;  /* the memory replies in a cycle; not to its oldest request */
  unsigned hack, quies;   /* in a cycle: the VTT has done, the halted CTA becomes quiet */
  unsigned fin;           /* of 10000 cycles: so many ends of CTAs */
  unsigned answer, lau;   /* a CTA begins at lnew; in a cycle of the launch's begin */
  unsigned kstart, keep;  /* of 10000 cycles: so many launches; those that keep the policy */
  unsigned sel, off;      /* of 10000 cycles: lm decides */
  unsigned rise, fall;    /* windows with more and with fewer instructions; the others have about as many */
  unsigned knee;          /* with so many CTAs IPC is at its highest; 0: it does not depend on them */
  unsigned nreg, ctas;    /* most registers of a CTA, most CTAs of a launch */
  unsigned near;          /* in so many cycles that are not shortly before a tick nothing begins or ends */
};

/* A step of a directed case. Orders are obeyed in the same cycle up to one that waits. */
enum what {
  O_END,    /* the case is over */
  O_NEXT,   /* a cycles later */
  O_UNTIL,  /* the cycle in which the engine reaches state a */
  O_WINDOW, /* this window has a instructions; the cycle of its tick, which is b cycles later */
  O_START,  /* kstart: a registers, last register b */
  O_KEEP,   /* the same with k_keep */
  O_LAUNCH, /* CTAs 0 to a - 1 begin in the ranges 0 to a - 1, one in a cycle */
  O_LAU,    /* CTA a begins in range b */
  O_SEL,
  O_OFF,
  O_FIN,    /* CTA a ends */
  O_ANSWER, /* lnew is answered from now on: with CTA a; NOBODY: not at all */
  O_HACK,   /* hack may come from now on: a */
  O_QUIES   /* the halted CTA may become quiet from now on: a */
};
struct order {
  enum what what;
  unsigned a, b;
};

struct cta {
  bool occ, act, c, finp;
  unsigned frn, was; /* was: the first register that it had before it was throttled */
  uint32_t ba;
  bool throttled; /* at any time */
};

struct sim {
  struct tb_run *t;
  struct tb_rng *r;
  const struct bias *k;
  jmp_buf end, again; /* the episode is over; the engine begins anew */
  uint64_t now, last; /* cycle of the episode, the last one */
  unsigned cut;       /* the episode ends in this state; or STATES */
  /* this cycle */
  struct ctl_in in;
  struct ctl_out o;
  struct ctl_state st;
  unsigned state, to; /* the engine's state; where it goes after syn */
  uint64_t since;     /* the cycle in which it reached this state */
  /* as the page describes it */
  uint64_t origin; /* the cycle in which the first window began */
  uint64_t done;   /* instructions of this window, without this cycle's */
  uint64_t cur, prev;
  enum ctl_policy policy;
  bool sreq, first;
  unsigned nreg, lrn, top, t_reg;
  uint32_t bp0; /* the stack's first address */
  struct cta cta[CTAS];
  unsigned stack[CTAS], depth; /* CTAs in memory, the last one throttled on top */
  unsigned victim;
  /* the SM */
  bool ready[4], quiet, off;
  unsigned launch, launched; /* CTAs of the launch's begin, and those that have begun */
  uint8_t ids[CTAS];
  uint16_t ranges[REGS];
  uint64_t target; /* instructions of this window */
  const struct order *orders;
  uint64_t waited;
  bool no_hack, no_quies, no_answer; /* what orders have said */
  unsigned answer_id;
  /* for bins: depth has fallen since the last throttle; the CTA whose end was dealt with last; the bin of what follows the
   * last kept launch, the state before syn */
  unsigned lowered, ended, after_keep, from;
  /* Register file and memory. A register's value is 32 words that a seed stands for; kept: what the CTAs of the stack had
   * when they were halted. Not cleared by init(). */
  uint64_t reg[REGS], kept[REGS];
  uint32_t memory[REGS][LANES];
};

static unsigned below(struct sim *s, unsigned n) { return (unsigned)tb_below(s->r, n); }
static bool chance(struct sim *s, unsigned percent) { return tb_chance(s->r, percent); }
static bool rarely(struct sim *s, unsigned of_10000) { return of_10000 && tb_below(s->r, 10000) < of_10000; }
static void hit(struct sim *s, unsigned bin) {
  if (bin < BIN_COUNT) tb_hit(s->t, bin); /* long windows do not count all */
}
static void hit_if(struct sim *s, bool yes, unsigned bin) {
  if (yes) hit(s, bin);
}

/* The value that a seed stands for. */
static void expand(uint64_t seed, uint32_t *d) {
  for (unsigned i = 0; i < LANES; i++) {
    uint64_t x = (seed + i) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    d[i] = (uint32_t)(x >> 32);
  }
}

/* The last register of a range; an IPC of this many instructions beside the last window. */
static unsigned end_of(const struct sim *s, unsigned frn) { return frn + s->nreg - 1; }
static bool is_up(const struct sim *s, uint64_t now) { return 10 * now > 11 * s->cur; }
static bool is_down(const struct sim *s, uint64_t now) { return 10 * now < 9 * s->cur; }

/* ---- windows ---- */

static uint64_t cycle_of_window(const struct sim *s) { return (s->now - s->origin) % PERIOD; }
static uint64_t cycles_to_tick(const struct sim *s) { return PERIOD - 1 - cycle_of_window(s); }
static bool ticks(const struct sim *s) { return cycles_to_tick(s) == 0; }

static unsigned active(const struct sim *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < CTAS; i++) n += s->cta[i].occ && s->cta[i].act;
  return n;
}

/* IPC rises with CTAs up to the knee and falls behind it, by how many miss the L1 then. */
static uint64_t by_ctas(struct sim *s) {
  unsigned n = active(s), knee = s->k->knee;
  unsigned rate = n <= knee ? 8 * n : 8 * knee * knee / n;
  if (rate > MOST_RET) rate = MOST_RET;
  return (uint64_t)rate * PERIOD * (90 + below(s, 21)) / 110;
}

/* How many instructions this window shall have, seen from the last one: often as many as make it just up or just not. */
static uint64_t some_target(struct sim *s) {
  const uint64_t most = (uint64_t)MOST_RET * PERIOD, was = s->cur;
  const unsigned how = below(s, 100);
  uint64_t n = was;
  if (s->k->knee) return by_ctas(s);
  if (how < s->k->rise) {
    n = chance(s, 40) ? was * 11 / 10 + below(s, 2) : was + was / 8 + 1 + below(s, 40);
  } else if (how < s->k->rise + s->k->fall) {
    n = chance(s, 40) ? (was * 9 + 9) / 10 - below(s, 2) * (was > 0) : was / 2;
  } else if (s->k->rise) {
    n = chance(s, 50) ? was * 11 / 10 : (was * 9 + 9) / 10;
  }
  if (s->k->rise && (n > most / 2 || chance(s, 5))) n = 10 * below(s, (unsigned)most / 40);
  return n;
}

/* At about the mean rate; some are kept for the last cycle. */
static unsigned instructions(struct sim *s) {
  uint64_t left = s->target > s->done ? s->target - s->done : 0, later = cycles_to_tick(s), kept = s->target % 100;
  if (!later) return (unsigned)(left < MOST_RET ? left : MOST_RET);
  left -= left < kept ? left : kept;
  uint64_t least = left > MOST_RET * later ? left - MOST_RET * later : 0, most = left < MOST_RET ? left : MOST_RET;
  if (least > most) least = most;
  uint64_t mean = left / later + 1, to = chance(s, 5) || mean > most ? most : mean;
  return (unsigned)(least + (to > least ? tb_below(s->r, to - least + 1) : 0));
}

/* ---- CTAs ---- */

static bool holds(const struct sim *s, unsigned i) { return s->cta[i].occ && !s->cta[i].c; }

static bool may_end(const struct sim *s, unsigned i) {
  bool leaves = s->state == CTL_BCK || s->state == CTL_BFIN || (s->state == CTL_QUI && s->quiet);
  return holds(s, i) && !s->cta[i].finp && !(i == s->victim && leaves);
}

/* The engine is in it for one cycle: events are more frequent there, or they would hardly be seen. */
static bool short_state(const struct sim *s) {
  unsigned q = s->state;
  return q == CTL_IDLE ? s->sreq : q != CTL_SYN && q != CTL_QUI && q != CTL_BCK && q != CTL_RST;
}

static void drive_kstart(struct sim *s, bool keep, unsigned nreg, unsigned top) {
  s->in.kstart_i = 1, s->in.k_keep_i = keep;
  s->in.k_nreg_i = nreg, s->in.k_top_i = top;
}

/* Its CTAs begin in ranges that mostly lie side by side. */
static void random_kstart(struct sim *s) {
  unsigned most = chance(s, 60) ? s->k->nreg : s->k->nreg < 8 ? s->k->nreg : 8, nreg = 1 + below(s, most);
  unsigned slots = REGS / nreg, ctas = below(s, s->k->ctas + 1), slack = chance(s, 50) ? 0 : below(s, nreg);
  if (!chance(s, 10)) slots = ctas + !ctas < slots ? ctas + !ctas : slots;
  if (ctas > slots) ctas = slots;
  unsigned top = slots * nreg - 1 + slack;
  drive_kstart(s, chance(s, s->k->keep), nreg, top < REGS ? top : REGS - 1);
  if (chance(s, 30)) s->in.k_bp_i = -(128u * below(s, 64)) & UINT32_MAX;
  s->launch = ctas > 1 && chance(s, 30) ? ctas - 1 : ctas;
  s->launched = 0;
  for (unsigned i = 0; i < CTAS; i++) {
    unsigned j = below(s, i + 1);
    s->ids[i] = s->ids[j], s->ids[j] = (uint8_t)i;
  }
  for (unsigned i = 0; i < slots; i++) {
    unsigned j = below(s, i + 1);
    s->ranges[i] = s->ranges[j], s->ranges[j] = (uint16_t)i;
  }
}

static void drive_lau(struct sim *s, unsigned id, unsigned frn) {
  s->in.lau_v_i = 1, s->in.lau_id_i = id, s->in.lau_frn_i = frn;
}

/* The launch's begin is over when the VTT has answered, so before the first throttle; lnew has its own lau. A CTA that began
 * at lnew may have the next one's id. */
static void launch_more(struct sim *s) {
  if (s->in.kstart_i) return;
  if (s->state > CTL_SYN && s->state != CTL_LNEW) s->launched = s->launch;
  if (s->launched == s->launch || s->state == CTL_LNEW || s->in.hack_i) return;
  unsigned id = s->ids[s->launched];
  if (!s->cta[id].occ && chance(s, s->k->lau)) drive_lau(s, id, s->ranges[s->launched] * s->nreg);
  s->launched += s->cta[id].occ || s->in.lau_v_i;
}

static void answer_lnew(struct sim *s) {
  unsigned id = s->answer_id < NOBODY ? s->answer_id : chance(s, 30) && s->ended < NOBODY ? s->ended : below(s, CTAS);
  if (s->state != CTL_LNEW || s->no_answer || !chance(s, s->k->answer)) return;
  for (unsigned n = 0; n < CTAS && s->cta[id].occ; n++) id = (id + 1) % CTAS;
  hit_if(s, s->cta[id].occ, BIN_lnew_no_slot);
  if (!s->cta[id].occ) drive_lau(s, id, s->t_reg);
}

/* Events are mostly put off until shortly before a tick. */
static bool put_off(struct sim *s) { return cycles_to_tick(s) >= 12 && chance(s, s->k->near); }

static void drive_fin(struct sim *s, unsigned id) { s->in.fin_v_i = 1, s->in.fin_id_i = id; }

static void some_end(struct sim *s) {
  unsigned i = chance(s, 20) && s->victim < NOBODY ? s->victim : below(s, CTAS), rate = s->k->fin;
  if (short_state(s)) rate *= 5;
  if (s->k->near && cycles_to_tick(s) < 12) rate *= 50;
  if (s->in.kstart_i && s->k->fin && chance(s, 10)) rate = 10000;
  if (may_end(s, i) && !put_off(s) && rarely(s, rate)) drive_fin(s, i);
}

/* A halted CTA stays quiet; of the others the block must not care. */
static void drive_quies(struct sim *s) {
  bool halted = s->state == CTL_HLT || s->state == CTL_QUI || s->state == CTL_BCK;
  s->in.quies_i = chance(s, 10) ? tb_bits(s->r, CTAS) : chance(s, 20) ? UINT32_MAX : 0;
  s->quiet = halted && (s->quiet || (!s->no_quies && !put_off(s) && chance(s, s->k->quies)));
  if (!halted) return;
  s->in.quies_i &= ~(UINT64_C(1) << s->victim);
  s->in.quies_i |= (uint64_t)s->quiet << s->victim;
}

/* CTAs that run write their registers, and victim lines come into those of nobody. */
static void write_register(struct sim *s) {
  unsigned r = below(s, s->top + 1);
  bool saved = s->state == CTL_BCK || s->state == CTL_BFIN || (s->state == CTL_QUI && s->quiet);
  bool back = s->state == CTL_RST || s->state == CTL_RFIN;
  if (saved && r - s->cta[s->victim].frn < s->nreg) return;
  if (back && r - s->t_reg < s->nreg) return;
  s->reg[r] = tb_rand(s->r);
}

/* ---- orders ---- */

static bool waits(struct sim *s, const struct order *o) {
  switch (o->what) {
    case O_NEXT: return s->waited < o->a;
    case O_UNTIL: return s->state != o->a;
    case O_WINDOW: s->target = o->a; return cycles_to_tick(s) != o->b;
    case O_LAUNCH:
      if (!s->waited) s->launch = o->a, s->launched = 0;
      for (unsigned i = 0; i < CTAS; i++) s->ids[i] = (uint8_t)i, s->ranges[i] = (uint16_t)i;
      launch_more(s);
      return s->launched < s->launch;
    default: return false;
  }
}

static void obey_one(struct sim *s, const struct order *o) {
  switch (o->what) {
    case O_END: longjmp(s->end, 1);
    case O_START:
    case O_KEEP: drive_kstart(s, o->what == O_KEEP, o->a, o->b); break;
    case O_LAU: drive_lau(s, o->a, o->b * s->nreg); break;
    case O_SEL: s->in.lm_sel_i = 1; break;
    case O_OFF:
      s->in.lm_off_i = 1;
      s->off = true;
      break;
    case O_FIN: drive_fin(s, o->a); break;
    case O_ANSWER: s->no_answer = o->a == NOBODY, s->answer_id = o->a; break;
    case O_HACK: s->no_hack = !o->a; break;
    case O_QUIES: s->no_quies = !o->a; break;
    default: break;
  }
}

static void obey(struct sim *s) {
  while (s->orders) {
    if (waits(s, s->orders)) {
      s->waited++;
      tb_expect(s->t, s->waited < 3 * (uint64_t)PERIOD + 40000, "an order of the case waits too long");
      return;
    }
    obey_one(s, s->orders++);
    s->waited = 0;
  }
}

/* ---- a cycle's inputs; valids of the data ports come from the oracle, which knows what is under way ---- */

static bool port(struct sim *s, unsigned i) {
  if (!chance(s, s->k->sticky)) s->ready[i] = chance(s, s->k->ready);
  return s->ready[i];
}

/* Inputs without their valid are junk. */
static void drive_junk(struct sim *s) {
  struct ctl_in *in = &s->in;
  memset(in, 0, sizeof *in);
  if (chance(s, 10)) tb_words(s->r, in->rv_d_i, 1024), tb_words(s->r, in->ms_d_i, 1024);
  in->k_keep_i = below(s, 2), in->k_nreg_i = tb_bits(s->r, 11), in->k_bp_i = tb_bits(s->r, 32);
  in->k_top_i = tb_bits(s->r, 11);
  in->fin_id_i = below(s, CTAS), in->lau_id_i = below(s, CTAS), in->lau_frn_i = tb_bits(s->r, 11);
  in->ms_e_i = below(s, 8);
}

static void drive(struct sim *s) {
  struct ctl_in *in = &s->in;
  drive_junk(s);
  in->rr_rdy_i = port(s, 0), in->mw_rdy_i = port(s, 1), in->mq_rdy_i = port(s, 2), in->rw_rdy_i = port(s, 3);
  if (cycle_of_window(s) == 0) s->target = some_target(s);
  bool busy = s->state == CTL_BCK || s->state == CTL_RST, later = put_off(s);
  bool first = !s->nreg && s->k->kstart && chance(s, 20);
  unsigned rate = s->k->kstart * (short_state(s) ? 40 : s->state == CTL_IDLE ? 1 : 8);
  if (!busy && (first || (!later && rarely(s, rate)))) random_kstart(s);
  if (s->nreg) {
    in->lm_sel_i = (!later && rarely(s, s->k->sel)) || (in->kstart_i && s->k->sel && chance(s, 50));
    s->off = s->off || rarely(s, s->k->off);
    in->lm_off_i = s->off || (in->lm_sel_i && chance(s, 10));
    write_register(s);
  }
  in->hack_i = s->state == CTL_SYN && !s->no_hack && !later && chance(s, s->k->hack);
  drive_quies(s);
  some_end(s);
  if (in->hack_i && !in->kstart_i) s->launched = s->launch;
  if (!s->orders) launch_more(s);
  obey(s);
  if (!in->lau_v_i) answer_lnew(s);
  in->ret_n_i = instructions(s);
}

#endif
