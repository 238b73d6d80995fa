/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ctl's bench, included once, after its model of the SM: the bench's prediction of every port and register. It is
 * not a state machine but the page written as a program, which goes through the engine's cycles one after another. The
 * backups are a list of CTAs; addresses and outputs follow from its length.
 */
#ifndef RT_TB_CTL_ORACLE_H
#define RT_TB_CTL_ORACLE_H

#include "ctl_bins.h"
#define EXPECT ctl
#define EXPECT_DEF "blocks/linebacker/ctl.def"
#include "expect.h"

static uint32_t address(const struct sim *s, unsigned depth, unsigned n) {
  return s->bp0 + 128 * (depth * s->nreg + n);
}

/* ---- a cycle: begin(), what the engine decides, step(), what it writes, finish() ---- */

static void begin(struct sim *s, unsigned state) {
  struct ctl_state *st = &s->st;
  if (s->state != state) s->since = s->now;
  s->state = state;
  s->o = (struct ctl_out){.tick_o = ticks(s), .lrn_o = s->lrn};
  *st = (struct ctl_state){.state_q = state,
                           .policy_q = s->policy,
                           .cyc_q = cycle_of_window(s),
                           .ins_q = s->done,
                           .cur_q = s->cur,
                           .prev_q = s->prev,
                           .nreg_q = s->nreg,
                           .lrn_q = s->lrn,
                           .bp_q = address(s, s->depth, 0),
                           .top_q = s->top,
                           .t_q = s->t_reg,
                           .sreq_q = s->sreq,
                           .first_q = s->first};
  for (unsigned i = 0; i < CTAS; i++) {
    const struct cta *c = &s->cta[i];
    st->occ_q |= (uint64_t)c->occ << i, st->act_q |= (uint64_t)c->act << i;
    st->c_q |= (uint64_t)c->c << i, st->finp_q |= (uint64_t)c->finp << i;
    st->frn_q[i] = c->frn, st->ba_q[i] = c->ba;
  }
  drive(s);
}

/* Runs the cycle, then what comes before the engine's writes. */
static const struct ctl_out *step(struct sim *s) {
  struct ctl_state is = *(const struct ctl_state *)tb_model(s->t);
  const struct ctl_out *out = tb_step(s->t, &s->in);
  expect_all(s->t, out, &s->o, &is, &s->st);
  bins_of_cycle(s);
  s->done += s->in.ret_n_i;
  if (ticks(s)) {
    bins_of_tick(s);
    s->prev = s->cur, s->cur = s->done, s->done = 0;
  }
  if (s->policy == CTL_WAIT && (s->in.lm_sel_i || s->in.lm_off_i)) {
    s->policy = s->in.lm_sel_i ? CTL_RUN : CTL_OFF;
    s->sreq = true, s->first = s->policy == CTL_RUN;
  }
  return out;
}

static void launch_begins(struct sim *s) {
  bool keep = s->in.k_keep_i;
  bins_of_kstart(s);
  s->nreg = (unsigned)s->in.k_nreg_i, s->bp0 = (uint32_t)s->in.k_bp_i, s->top = (unsigned)s->in.k_top_i;
  s->lrn = s->t_reg = s->depth = 0;
  memset(s->cta, 0, sizeof s->cta);
  if (!keep) {
    s->policy = CTL_WAIT, s->first = false, s->origin = s->now + 1;
    s->done = s->cur = s->prev = 0;
  }
  s->sreq = s->policy != CTL_WAIT;
  s->off = s->off && keep;
  s->victim = s->ended = NOBODY;
}

/* What comes after the engine's writes. */
static void finish(struct sim *s) {
  const unsigned state = s->state, id = (unsigned)s->in.lau_id_i;
  if (s->in.lau_v_i) {
    struct cta *c = &s->cta[id];
    c->occ = c->act = true, c->c = c->throttled = false, c->frn = (unsigned)s->in.lau_frn_i;
    if (end_of(s, c->frn) > s->lrn) s->lrn = end_of(s, c->frn);
  }
  if (s->in.fin_v_i) s->cta[s->in.fin_id_i].finp = true;
  if (s->in.kstart_i) launch_begins(s);
  s->now++;
  if (s->now > s->last || state == s->cut) {
    hit(s, BIN_reset_in_idle + state);
    longjmp(s->end, 1);
  }
  if (s->in.kstart_i) longjmp(s->again, 1);
}

/* ---- the engine ---- */

static unsigned lrn_anew(const struct sim *s) {
  unsigned lrn = 0;
  for (unsigned i = 0; i < CTAS; i++) {
    if (holds(s, i) && end_of(s, s->cta[i].frn) > lrn) lrn = end_of(s, s->cta[i].frn);
  }
  return lrn;
}

static void syn(struct sim *s, unsigned to) {
  bool done;
  s->from = s->state, s->to = to;
  do {
    begin(s, CTL_SYN);
    s->o.hold_o = 1;
    done = s->in.hack_i;
    bins_of_syn(s);
    step(s);
    finish(s);
  } while (!done);
}

static void back_up(struct sim *s) {
  struct cta *v = &s->cta[s->victim];
  unsigned asked = 0, came = 0, written = 0;
  uint64_t due[RING];
  memcpy(&s->kept[s->depth * s->nreg], &s->reg[v->frn], s->nreg * sizeof s->reg[0]);
  while (written < s->nreg) {
    begin(s, CTL_BCK);
    struct ctl_out *o = &s->o;
    if (asked < s->nreg && asked - written < RING) o->rr_v_o = 1, o->rr_rn_o = v->frn + asked;
    if (came > written) {
      o->mw_v_o = 1, o->mw_a_o = address(s, s->depth, written);
      expand(s->kept[s->depth * s->nreg + written], o->mw_d_o);
    }
    if (came < asked && due[came % RING] <= s->now) {
      s->in.rv_v_i = 1;
      expand(s->reg[v->frn + came], s->in.rv_d_i);
    }
    bins_of_bck(s, asked, came, written);
    const struct ctl_out *out = step(s);
    if (o->rr_v_o && s->in.rr_rdy_i) due[asked++ % RING] = s->now + 1 + below(s, s->k->latency);
    if (o->mw_v_o && s->in.mw_rdy_i) {
      memcpy(s->memory[(uint32_t)(out->mw_a_o - s->bp0) / 128 % REGS], out->mw_d_o, sizeof s->memory[0]);
      written++;
    }
    came += (unsigned)s->in.rv_v_i;
    finish(s);
  }
  begin(s, CTL_BFIN);
  step(s);
  v->ba = address(s, s->depth, 0);
  v->was = v->frn, v->frn = IN_MEMORY, v->c = v->throttled = true;
  s->stack[s->depth++] = s->victim;
  hit_if(s, s->lowered, BIN_saved_over_restored);
  s->lowered = 0;
  bins_of_depth(s);
  finish(s);
}

static void lower_lrn(struct sim *s) {
  begin(s, CTL_LRN);
  unsigned lrn = lrn_anew(s);
  step(s);
  hit_if(s, lrn < s->lrn, BIN_lrn_falls);
  s->lrn = lrn;
  finish(s);
  syn(s, CTL_IDLE);
}

/* False: it has ended. */
static bool becomes_quiet(struct sim *s) {
  bool ended, quiet;
  begin(s, CTL_HLT);
  s->o.halt_v_o = 1, s->o.halt_id_o = s->victim;
  step(s);
  finish(s);
  do {
    begin(s, CTL_QUI);
    ended = s->cta[s->victim].finp, quiet = s->quiet;
    bins_of_qui(s);
    step(s);
    finish(s);
  } while (!ended && !quiet);
  return !ended;
}

static void throttle(struct sim *s) {
  unsigned n = active(s), victim = NOBODY;
  begin(s, CTL_THR);
  for (unsigned i = 0; i < CTAS; i++) {
    const struct cta *c = &s->cta[i];
    if (c->occ && c->act && (victim == NOBODY || c->frn > s->cta[victim].frn)) victim = i;
  }
  bins_of_thr(s, n, victim);
  step(s);
  s->first = false;
  if (n >= 2) s->cta[victim].act = false, s->victim = victim;
  finish(s);
  if (n >= 2 && becomes_quiet(s)) {
    back_up(s);
    lower_lrn(s);
  }
}

static void restore(struct sim *s, bool by_end) {
  unsigned top = s->stack[s->depth - 1], asked = 0, written = 0;
  enum { FREE, ASKED, FILLED } ring[RING] = {FREE};
  struct cta *c = &s->cta[top];
  bins_of_r1(s, c, by_end);
  begin(s, CTL_R1);
  step(s);
  if (end_of(s, s->t_reg) > s->lrn) s->lrn = end_of(s, s->t_reg);
  c->act = true;
  finish(s);
  syn(s, CTL_RST);
  while (written < s->nreg) {
    unsigned reply = RING;
    begin(s, CTL_RST);
    struct ctl_out *o = &s->o;
    if (asked < s->nreg && asked - written < RING) {
      o->mq_v_o = 1, o->mq_a_o = address(s, s->depth - 1, asked), o->mq_e_o = asked % RING;
    }
    if (ring[written % RING] == FILLED) {
      o->rw_v_o = 1, o->rw_rn_o = s->t_reg + written;
      expand(s->kept[(s->depth - 1) * s->nreg + written], o->rw_d_o);
    }
    bool mixed = chance(s, s->k->mixed);
    for (unsigned n = written; n < asked && chance(s, s->k->reply); n++) {
      if (ring[n % RING] != ASKED || (reply < RING && (!mixed || chance(s, 50)))) continue;
      reply = n % RING;
    }
    if (reply < RING) {
      unsigned n = written + (reply + RING - written % RING) % RING;
      s->in.ms_v_i = 1, s->in.ms_e_i = reply;
      memcpy(s->in.ms_d_i, s->memory[(s->depth - 1) * s->nreg + n], sizeof s->in.ms_d_i);
    }
    bins_of_rst(s, asked, written, ring[written % RING] == FILLED, reply);
    step(s);
    if (o->mq_v_o && s->in.mq_rdy_i) ring[asked++ % RING] = ASKED;
    if (reply < RING) ring[reply] = FILLED;
    if (o->rw_v_o && s->in.rw_rdy_i) {
      s->reg[s->t_reg + written] = s->kept[(s->depth - 1) * s->nreg + written];
      ring[written++ % RING] = FREE;
    }
    finish(s);
  }
  begin(s, CTL_RFIN);
  s->o.run_v_o = 1, s->o.run_id_o = top, s->o.run_frn_o = s->t_reg;
  step(s);
  c->frn = s->t_reg, c->c = false;
  s->depth--, s->lowered++;
  finish(s);
}

static void begin_new(struct sim *s, bool by_end) {
  begin(s, CTL_LNEW);
  s->o.lnew_v_o = 1, s->o.lnew_frn_o = s->t_reg;
  bins_of_lnew(s, by_end);
  step(s);
  finish(s);
}

static void activate(struct sim *s) {
  begin(s, CTL_ACT);
  unsigned lrn = lrn_anew(s);
  step(s);
  s->lrn = lrn;
  finish(s);
  begin(s, CTL_ACT2);
  bool none = true;
  for (unsigned i = 0; i < CTAS; i++) none = none && !holds(s, i);
  unsigned t = none ? 0 : s->lrn + 1;
  bool top = s->depth > 0, fits = end_of(s, t) <= s->top;
  bins_of_act2(s, none, t, top);
  step(s);
  s->t_reg = t % REGS;
  if (!top && fits) s->lrn = end_of(s, t);
  finish(s);
  if (top) {
    restore(s, false);
  } else if (fits) {
    syn(s, CTL_LNEW);
    begin_new(s, false);
  }
}

static void idle(struct sim *s) {
  unsigned ended = 0;
  begin(s, CTL_IDLE);
  const bool sreq = s->sreq, first = s->first, tick = s->policy == CTL_RUN && ticks(s);
  const uint64_t now = s->done + s->in.ret_n_i;
  const bool up = is_up(s, now), down = is_down(s, now);
  while (ended < CTAS && !s->cta[ended].finp) ended++;
  bins_of_idle(s, ended, tick, up, down);
  step(s);
  if (sreq) {
    s->sreq = false;
  } else if (ended < CTAS) {
    s->cta[ended].occ = s->cta[ended].act = s->cta[ended].finp = false;
    s->t_reg = s->cta[ended].frn;
    s->ended = ended;
  }
  finish(s);
  if (sreq) {
    syn(s, first ? CTL_THR : CTL_IDLE);
    if (first) throttle(s);
  } else if (ended < CTAS && s->depth) {
    restore(s, true);
  } else if (ended < CTAS) {
    begin_new(s, true);
  } else if (tick && up) {
    throttle(s);
  } else if (tick && down) {
    activate(s);
  }
}

/* From the engine's first cycle after a reset or a kstart, until the end of the episode. */
static void engine(struct sim *s) {
  setjmp(s->again);
  for (;;) idle(s);
}

#endif
