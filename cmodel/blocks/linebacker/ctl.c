/* SPDX-License-Identifier: Apache-2.0 */
/* ctl: IPC monitor and CTA manager. docs/blocks/linebacker/ctl.md. */
#include "blocks/linebacker/ctl.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

enum { NONE = ctl_NumCta };
enum { REG = 0x7ff, MEMORY = REG }; /* the largest register; frn of a CTA whose registers are in memory */
static const uint64_t WORD = UINT32_MAX;

void ctl_reset(struct ctl *s) {
  memset(s, 0, sizeof *s);
  s->size = ctl_defaults();
}

void ctl_size(struct ctl *s, const struct ctl_params *p) {
  BLOCK_RULE(p->Period && p->Period <= ctl_Period_most);
  s->size = *p;
}

/* ---- CTAs and their ranges ---- */
static bool in_set(uint64_t set, uint64_t cta) { return set >> cta & 1; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* CTAs that hold registers. */
static uint64_t holders(const struct ctl *s) { return s->r.occ_q & ~s->r.c_q; }

/* The last register of the range that begins here. */
static uint64_t last(const struct ctl *s, uint64_t frn) { return frn + s->r.nreg_q - 1; }

/* Bytes of the backup stack that so many CTAs take. */
static uint64_t stacked(const struct ctl *s, uint64_t ctas) { return 128 * s->r.nreg_q * ctas; }

static unsigned highest_range(const struct ctl *s, uint64_t set) {
  unsigned best = NONE;
  for (; set; set &= set - 1) {
    const unsigned cta = (unsigned)bit_low64(set);
    if (best == NONE || s->r.frn_q[cta] > s->r.frn_q[best]) best = cta;
  }
  return best;
}

static uint64_t lrn_anew(const struct ctl *s) {
  const unsigned cta = highest_range(s, holders(s));
  return cta == NONE ? 0 : last(s, s->r.frn_q[cta]);
}

/* The CTA that was throttled last. */
static unsigned top(const struct ctl *s) {
  const uint64_t ba = (s->r.bp_q - stacked(s, 1)) & WORD;
  for (uint64_t set = s->r.occ_q & s->r.c_q; set; set &= set - 1) {
    if (s->r.ba_q[bit_low64(set)] == ba) return (unsigned)bit_low64(set);
  }
  return NONE;
}

/* ---- bck and rst ---- */
static unsigned entry(uint64_t k) { return (unsigned)(k % ctl_Ring); }
static bool asks(const struct ctl *s) { return s->asked_q < s->r.nreg_q && s->asked_q - s->done_q < ctl_Ring; }
static bool gives(const struct ctl *s) { return s->full_q >> entry(s->done_q) & 1; }
/* Requests without an answer. */
static uint64_t under_way(const struct ctl *s) { return s->asked_q - s->done_q - (uint64_t)bit_count32(s->full_q); }

void ctl_eval(const struct ctl *s, const struct ctl_in *in, struct ctl_out *out) {
  (void)in;
  *out = (struct ctl_out){.tick_o = s->r.cyc_q == s->size.Period - 1, .lrn_o = s->r.lrn_q};
  switch (s->r.state_q) {
    case CTL_SYN: out->hold_o = 1; break;
    case CTL_HLT:
      out->halt_v_o = 1;
      out->halt_id_o = s->cta_q;
      break;
    case CTL_LNEW:
      out->lnew_v_o = 1;
      out->lnew_frn_o = s->r.t_q;
      break;
    case CTL_BCK:
      out->rr_v_o = asks(s);
      if (out->rr_v_o) out->rr_rn_o = s->r.frn_q[s->cta_q] + s->asked_q;
      out->mw_v_o = gives(s);
      if (!out->mw_v_o) break;
      out->mw_a_o = (s->r.bp_q + 128 * s->done_q) & WORD;
      if (!s->r.control_only) memcpy(out->mw_d_o, s->buf_q[entry(s->done_q)], sizeof out->mw_d_o);
      break;
    case CTL_RST:
      out->mq_v_o = asks(s);
      if (out->mq_v_o) {
        out->mq_a_o = (s->r.ba_q[s->cta_q] + 128 * s->asked_q) & WORD;
        out->mq_e_o = entry(s->asked_q);
      }
      out->rw_v_o = gives(s);
      if (!out->rw_v_o) break;
      out->rw_rn_o = s->r.t_q + s->done_q;
      if (!s->r.control_only) memcpy(out->rw_d_o, s->buf_q[entry(s->done_q)], sizeof out->rw_d_o);
      break;
    case CTL_RFIN:
      out->run_v_o = 1;
      out->run_id_o = s->cta_q;
      out->run_frn_o = s->r.t_q;
      break;
    default: break;
  }
}

/* ---- the clock edge ---- */
enum trend { STEADY, UP, DOWN };

static enum trend monitor(struct ctl *s, const struct ctl_in *in) {
  const uint64_t ins = (s->r.ins_q + in->ret_n_i) & WORD;
  if (s->r.cyc_q != s->size.Period - 1) {
    s->r.cyc_q++;
    s->r.ins_q = ins;
    return STEADY;
  }
  s->r.prev_q = s->r.cur_q;
  s->r.cur_q = ins;
  s->r.cyc_q = s->r.ins_q = 0;
  return 10 * s->r.cur_q > 11 * s->r.prev_q ? UP : 10 * s->r.cur_q < 9 * s->r.prev_q ? DOWN : STEADY;
}

static void decide_policy(struct ctl *s, const struct ctl_in *in) {
  if (s->r.policy_q != CTL_WAIT || !(in->lm_sel_i || in->lm_off_i)) return;
  s->r.policy_q = in->lm_sel_i ? CTL_RUN : CTL_OFF;
  s->r.first_q = in->lm_sel_i;
  s->r.sreq_q = 1;
}

static void synchronize(struct ctl *s, enum ctl_step next) {
  s->r.state_q = CTL_SYN;
  s->next_q = next;
}

/* The step idle; the policy and sreq of the cycle's start. */
static void decide(struct ctl *s, enum trend trend, uint64_t policy, uint64_t sreq) {
  if (sreq) {
    s->r.sreq_q = 0;
    synchronize(s, s->r.first_q ? CTL_THR : CTL_IDLE);
  } else if (s->r.finp_q) {
    const unsigned cta = (unsigned)bit_low64(s->r.finp_q);
    s->r.finp_q &= ~(1ull << cta);
    s->r.occ_q &= ~(1ull << cta);
    s->r.act_q &= ~(1ull << cta);
    s->r.t_q = s->r.frn_q[cta];
    s->r.state_q = top(s) == NONE ? CTL_LNEW : CTL_R1;
  } else if (policy == CTL_RUN && trend != STEADY) {
    s->r.state_q = trend == UP ? CTL_THR : CTL_ACT;
  }
}

static void throttle(struct ctl *s) {
  const uint64_t active = s->r.occ_q & s->r.act_q;
  s->r.state_q = CTL_IDLE;
  s->r.first_q = 0;
  if (bit_count64(active) < 2) return;
  s->cta_q = highest_range(s, active);
  s->r.act_q &= ~(1ull << s->cta_q);
  s->r.state_q = CTL_HLT;
}

static void begin_moves(struct ctl *s, enum ctl_step step) {
  s->r.state_q = step;
  s->asked_q = s->done_q = 0;
}

static void quiesce(struct ctl *s, const struct ctl_in *in) {
  if (in_set(s->r.finp_q, s->cta_q)) s->r.state_q = CTL_IDLE;
  else if (in_set(in->quies_i, s->cta_q)) begin_moves(s, CTL_BCK);
}

/* A cycle of bck or rst: `d` has come for entry e, if `came`; the two ports' ready. */
static void move(struct ctl *s, bool came, uint64_t e, const uint32_t d[32], bool ask_rdy, bool give_rdy) {
  const bool asked = asks(s) && ask_rdy, given = gives(s) && give_rdy;
  if (came) {
    s->full_q |= 1u << e;
    if (!s->r.control_only) memcpy(s->buf_q[e], d, sizeof s->buf_q[e]);
  }
  s->asked_q += asked;
  if (!given) return;
  s->full_q &= ~(1u << entry(s->done_q));
  if (++s->done_q == s->r.nreg_q) s->r.state_q = s->r.state_q == CTL_BCK ? CTL_BFIN : CTL_RFIN;
}

static void backed_up(struct ctl *s) {
  BLOCK_INVARIANT(s->r.act_q & s->r.occ_q);
  s->r.ba_q[s->cta_q] = s->r.bp_q;
  s->r.bp_q = (s->r.bp_q + stacked(s, 1)) & WORD;
  s->r.frn_q[s->cta_q] = MEMORY;
  s->r.c_q |= 1ull << s->cta_q;
  s->r.state_q = CTL_LRN;
}

/* The step act2: a throttled CTA comes back behind the other ranges, or a new one begins there. */
static void activate(struct ctl *s) {
  const uint64_t t = holders(s) ? s->r.lrn_q + 1 : 0;
  s->r.t_q = t & REG; /* 2048: no register is left, and there is no step that uses t */
  BLOCK_RULE(s->r.nreg_q);
  if (top(s) != NONE) {
    BLOCK_INVARIANT(last(s, t) <= s->r.top_q);
    s->r.state_q = CTL_R1;
  } else if (last(s, t) <= s->r.top_q) {
    s->r.lrn_q = last(s, t);
    synchronize(s, CTL_LNEW);
  } else {
    s->r.state_q = CTL_IDLE;
  }
}

static void restore(struct ctl *s) {
  s->cta_q = top(s);
  BLOCK_INVARIANT(s->cta_q != NONE);
  s->r.lrn_q = larger(s->r.lrn_q, last(s, s->r.t_q));
  s->r.act_q |= 1ull << s->cta_q;
  synchronize(s, CTL_RST);
}

static void restored(struct ctl *s) {
  s->r.frn_q[s->cta_q] = s->r.t_q;
  s->r.c_q &= ~(1ull << s->cta_q);
  s->r.bp_q = (s->r.bp_q - stacked(s, 1)) & WORD;
  s->r.state_q = CTL_IDLE;
}

static void engine(struct ctl *s, const struct ctl_in *in, enum trend trend, uint64_t policy, uint64_t sreq) {
  switch (s->r.state_q) {
    case CTL_IDLE: decide(s, trend, policy, sreq); break;
    case CTL_SYN:
      if (!in->hack_i) break;
      s->r.state_q = s->next_q;
      if (s->next_q == CTL_RST) begin_moves(s, CTL_RST);
      break;
    case CTL_THR: throttle(s); break;
    case CTL_HLT: s->r.state_q = CTL_QUI; break;
    case CTL_QUI: quiesce(s, in); break;
    case CTL_BCK: move(s, in->rv_v_i, entry(s->asked_q - under_way(s)), in->rv_d_i, in->rr_rdy_i, in->mw_rdy_i); break;
    case CTL_BFIN: backed_up(s); break;
    case CTL_LRN:
      s->r.lrn_q = lrn_anew(s);
      synchronize(s, CTL_IDLE);
      break;
    case CTL_ACT:
      s->r.lrn_q = lrn_anew(s);
      s->r.state_q = CTL_ACT2;
      break;
    case CTL_ACT2: activate(s); break;
    case CTL_LNEW: s->r.state_q = CTL_IDLE; break;
    case CTL_R1: restore(s); break;
    case CTL_RST: move(s, in->ms_v_i, in->ms_e_i, in->ms_d_i, in->mq_rdy_i, in->rw_rdy_i); break;
    case CTL_RFIN: restored(s); break;
  }
}

static void begin_cta(struct ctl *s, uint64_t cta, uint64_t frn) {
  const uint64_t bit = 1ull << cta;
  s->r.occ_q |= bit;
  s->r.act_q |= bit;
  s->r.c_q &= ~bit;
  s->r.frn_q[cta] = frn;
  s->r.lrn_q = larger(s->r.lrn_q, last(s, frn));
  s->placed |= bit;
}

static void launch(struct ctl *s, const struct ctl_in *in) {
  struct ctl_state r = {
      .nreg_q = in->k_nreg_i, .bp_q = in->k_bp_i, .top_q = in->k_top_i, .control_only = s->r.control_only};
  if (in->k_keep_i) {
    r.policy_q = s->r.policy_q;
    r.first_q = s->r.first_q;
    r.cyc_q = s->r.cyc_q;
    r.ins_q = s->r.ins_q;
    r.cur_q = s->r.cur_q;
    r.prev_q = s->r.prev_q;
    r.sreq_q = s->r.policy_q != CTL_WAIT;
  }
  const struct ctl_params size = s->size;
  memset(s, 0, sizeof *s);
  s->r = r;
  s->size = size;
  s->base = in->k_bp_i;
}

/* ---- rules and invariants ---- */
static void rules(const struct ctl *s, const struct ctl_in *in) {
  const uint64_t step = s->r.state_q, fin = in->fin_id_i;
  /* its registers are going to memory, or will from the next cycle on */
  const bool leaves = fin == s->cta_q && (step == CTL_BCK || step == CTL_BFIN ||
                                          (step == CTL_QUI && in_set(in->quies_i, fin) && !in_set(s->r.finp_q, fin)));
  (void)leaves;
  BLOCK_RULE(!in->hack_i || step == CTL_SYN);
  BLOCK_RULE(!in->rv_v_i || (step == CTL_BCK && under_way(s)));
  BLOCK_RULE(!in->ms_v_i || (step == CTL_RST && in->ms_e_i < ctl_Ring && !(s->full_q >> in->ms_e_i & 1) &&
                             (in->ms_e_i + ctl_Ring - entry(s->done_q)) % ctl_Ring < s->asked_q - s->done_q));
  BLOCK_RULE(!in->kstart_i || (step != CTL_BCK && step != CTL_RST && in->k_nreg_i));
  BLOCK_RULE(!in->fin_v_i || (!in_set(s->r.c_q, fin) && !leaves));
}

/* The CTA may begin there; `step`: before this cycle's writes. */
static void rule_lau(const struct ctl *s, const struct ctl_in *in, uint64_t step) {
  (void)in, (void)step;
  BLOCK_RULE(s->r.nreg_q && !in_set(s->r.occ_q, in->lau_id_i));
  BLOCK_RULE(step == CTL_LNEW ? in->lau_frn_i == s->r.t_q : !in_set(s->placed, in->lau_id_i));
  BLOCK_RULE(in->lau_frn_i % s->r.nreg_q == 0 && last(s, in->lau_frn_i) <= s->r.top_q);
  for (uint64_t set = holders(s); set; set &= set - 1) BLOCK_RULE(s->r.frn_q[bit_low64(set)] != in->lau_frn_i);
}

/* The throttle that follows the selection, the backup stack, and the ranges. */
static void check(const struct ctl *s) {
  BLOCK_INVARIANT(!(s->r.c_q & ~s->r.occ_q) && !(s->r.act_q & ~s->r.occ_q));
  BLOCK_INVARIANT(!s->r.first_q || (s->r.policy_q == CTL_RUN && (s->r.sreq_q || s->r.state_q == CTL_THR ||
                                                                 (s->r.state_q == CTL_SYN && s->next_q == CTL_THR))));
  BLOCK_INVARIANT(s->r.bp_q == ((s->base + stacked(s, (uint64_t)bit_count64(s->r.c_q))) & WORD));
  for (uint64_t set = holders(s); set; set &= set - 1) {
    const uint64_t frn = s->r.frn_q[bit_low64(set)];
    (void)frn;
    BLOCK_INVARIANT(last(s, frn) <= s->r.lrn_q && last(s, frn) <= s->r.top_q);
    for (uint64_t others = set & (set - 1); others; others &= others - 1) {
      BLOCK_INVARIANT(s->r.frn_q[bit_low64(others)] != frn);
    }
  }
}

void ctl_tick(struct ctl *s, const struct ctl_in *in) {
  const uint64_t step = s->r.state_q, policy = s->r.policy_q, sreq = s->r.sreq_q;
  rules(s, in);
  const enum trend trend = monitor(s, in);
  decide_policy(s, in);
  engine(s, in, trend, policy, sreq);
  if (in->lau_v_i) {
    rule_lau(s, in, step);
    begin_cta(s, in->lau_id_i, in->lau_frn_i);
  }
  if (in->fin_v_i) {
    BLOCK_RULE(in_set(s->r.occ_q, in->fin_id_i));
    s->r.finp_q |= 1ull << in->fin_id_i;
  }
  if (in->kstart_i) launch(s, in);
  s->wakes_q = in->hack_i || (s->r.state_q == CTL_QUI && in_set(in->quies_i, s->cta_q));
  if (step != s->r.state_q || in->lau_v_i) check(s);
}

/* ---- counting ---- */
/* Cycles before the window's last one. */
static uint64_t rest(const struct ctl *s) {
  return s->r.cyc_q + 1 < s->size.Period ? s->size.Period - 2 - s->r.cyc_q : 0;
}

uint64_t ctl_idle(const struct ctl *s) {
  if (s->wakes_q) return 0;
  switch (s->r.state_q) {
    case CTL_IDLE: return s->r.sreq_q || s->r.finp_q ? 0 : rest(s);
    case CTL_SYN: return rest(s);
    case CTL_QUI: return in_set(s->r.finp_q, s->cta_q) ? 0 : rest(s);
    case CTL_BCK:
    case CTL_RST: return asks(s) || gives(s) ? 0 : rest(s);
    default: return 0;
  }
}

uint64_t ctl_hold(const struct ctl *s, const struct ctl_in *in) {
  if (!ctl_quiet(in) || in->hack_i || s->wakes_q) return 0;
  switch (s->r.state_q) {
    case CTL_QUI: return in_set(in->quies_i, s->cta_q) ? 0 : ctl_idle(s);
    case CTL_BCK: return (asks(s) && in->rr_rdy_i) || (gives(s) && in->mw_rdy_i) ? 0 : rest(s);
    case CTL_RST: return (asks(s) && in->mq_rdy_i) || (gives(s) && in->rw_rdy_i) ? 0 : rest(s);
    default: return ctl_idle(s);
  }
}

void ctl_skip(struct ctl *s, uint64_t n) { s->r.cyc_q += n; }
