/* SPDX-License-Identifier: Apache-2.0 */
/* Part of ctl's bench, included once, by its oracle: which bins the cycle at hand reaches. */
#ifndef RT_TB_CTL_BINS_H
#define RT_TB_CTL_BINS_H

#include "ctl_sm.h"

static uint64_t in_state(const struct sim *s) { return s->now - s->since; }

static void bins_of_policy(struct sim *s) {
  bool sel = s->in.lm_sel_i, off = s->in.lm_off_i;
  switch (s->policy) {
    case CTL_WAIT:
      hit_if(s, sel || off, sel && off ? BIN_sel_beside_off : sel ? BIN_wait_to_run : BIN_wait_to_off);
      break;
    case CTL_RUN: hit_if(s, sel || off, sel ? BIN_sel_in_run : BIN_off_in_run); break;
    default: hit_if(s, sel, BIN_sel_in_off); break;
  }
}

static void bins_of_cycle(struct sim *s) {
  const struct ctl_in *in = &s->in;
  hit(s, BIN_in_idle + s->state);
  bins_of_policy(s);
  hit_if(s, !s->nreg && in->ret_n_i, BIN_retires_before_kstart);
  hit_if(s, in->ret_n_i == MOST_RET, BIN_ret_127);
  if (in->lau_v_i) {
    hit_if(s, s->state == CTL_SYN, BIN_lau_in_syn);
    hit_if(s, s->state == CTL_IDLE && s->sreq, BIN_lau_beside_sreq);
    hit_if(s, in->lau_frn_i + s->nreg - 1 < s->lrn, BIN_lau_below_lrn);
    hit_if(s, in->lau_id_i == 0, BIN_lau_0);
    hit_if(s, in->lau_id_i == CTAS - 1, BIN_lau_31);
    hit_if(s, in->lau_frn_i + s->nreg == REGS, BIN_lau_at_2047);
  }
  if (in->fin_v_i) {
    hit(s, BIN_fin_in_idle + s->state);
    hit_if(s, active(s) == 1 && s->cta[in->fin_id_i].act, BIN_fin_of_last);
    hit_if(s, s->cta[in->fin_id_i].throttled, BIN_fin_of_restored);
    if (in->fin_id_i == s->victim && !s->cta[s->victim].act) {
      hit_if(s, s->state == CTL_HLT, BIN_fin_of_victim_in_hlt);
      hit_if(s, s->state == CTL_QUI, BIN_fin_of_victim_in_qui);
    }
  }
}

static void bins_of_tick(struct sim *s) {
  uint64_t now = s->done; /* with this cycle's */
  unsigned nth =
      s->state - CTL_SYN - 2 * (s->state > CTL_ACT2); /* no tick follows another one so soon as act and act2 do */
  hit_if(s, !s->nreg, BIN_tick_before_kstart);
  hit_if(s, s->in.ret_n_i == 0 && now, BIN_tick_retires_none);
  hit_if(s, s->in.ret_n_i > 0, BIN_tick_retires);
  if (s->policy == CTL_WAIT) hit(s, BIN_tick_in_wait);
  if (s->policy == CTL_OFF) hit(s, BIN_tick_in_off);
  if (s->policy == CTL_RUN) hit_if(s, s->state != CTL_IDLE, BIN_tick_in_syn + nth);
}

/* What follows a launch that keeps policy run, by the cycle in which it comes. */
static unsigned bin_after_keep(const struct sim *s) {
  if (s->policy != CTL_RUN || !s->in.k_keep_i) return BIN_COUNT;
  if (s->st.policy_q == CTL_WAIT) return BIN_thr_after_keep_beside_sel;
  if (!s->st.first_q) return BIN_idle_after_keep;
  return s->state == CTL_IDLE  ? BIN_thr_after_keep_in_idle
         : s->state == CTL_SYN ? BIN_thr_after_keep_in_syn
                               : BIN_idle_after_keep_in_thr;
}

static void bins_of_kstart(struct sim *s) {
  unsigned nth = s->state - (s->state > CTL_BCK) - (s->state > CTL_RST);
  hit(s, (s->in.k_keep_i ? BIN_keep_in_idle : BIN_kstart_in_idle) + nth);
  hit_if(s, s->in.k_keep_i, BIN_keep_wait + s->policy);
  hit_if(s, s->policy == CTL_RUN && !s->in.k_keep_i, BIN_kstart_ends_run);
  hit_if(s, ticks(s), s->in.k_keep_i ? BIN_keep_at_tick : BIN_kstart_at_tick);
  hit_if(s, s->in.fin_v_i, BIN_kstart_beside_fin);
  hit_if(s, s->in.lau_v_i, BIN_kstart_beside_lau);
  hit_if(s, s->in.lm_sel_i && s->st.policy_q == CTL_WAIT, s->in.k_keep_i ? BIN_keep_beside_sel : BIN_kstart_beside_sel);
  hit_if(s, s->depth, BIN_kstart_with_backups);
  hit_if(s, s->st.finp_q, BIN_kstart_with_finp);
  s->after_keep = bin_after_keep(s);
}

static void bins_of_syn(struct sim *s) {
  hit_if(s, s->in.hack_i,
         s->to == CTL_THR       ? BIN_syn_to_thr
         : s->to == CTL_LNEW    ? BIN_syn_to_lnew
         : s->to == CTL_RST     ? BIN_syn_to_rst
         : s->policy == CTL_OFF ? BIN_syn_to_idle_off
                                : BIN_syn_to_idle);
  if (s->in.hack_i && !s->in.kstart_i && s->from == CTL_IDLE && s->to == CTL_IDLE) hit(s, s->after_keep);
  hit_if(s, s->in.hack_i && !in_state(s), BIN_hack_at_once);
  hit_if(s, s->in.hack_i && in_state(s) > 30, BIN_hack_late);
}

static void bins_of_idle(struct sim *s, unsigned ended, bool tick, bool up, bool down) {
  uint64_t now = s->done + s->in.ret_n_i;
  hit_if(s, s->sreq && ended < CTAS, BIN_sreq_before_end);
  hit_if(s, s->sreq && tick && (up || down), BIN_sreq_before_tick);
  hit_if(s, !s->sreq && ended < CTAS && tick && (up || down), BIN_end_before_tick);
  for (unsigned i = ended + 1; i < CTAS; i++) hit_if(s, s->cta[i].finp, BIN_two_ends);
  if (!tick || s->sreq || ended < CTAS) return;
  hit(s, up ? BIN_up : down ? BIN_down : BIN_steady);
  hit_if(s, up && s->cur && !is_up(s, now - 1), BIN_up_by_one);
  hit_if(s, !up && s->cur && is_up(s, now + 1), BIN_not_up_by_one);
  hit_if(s, 10 * now == 11 * s->cur && now, BIN_ten_percent_up);
  hit_if(s, down && !is_down(s, now + 1), BIN_down_by_one);
  hit_if(s, !down && now && is_down(s, now - 1), BIN_not_down_by_one);
  hit_if(s, 10 * now == 9 * s->cur && now, BIN_ten_percent_down);
  hit_if(s, !now && s->cur, BIN_down_to_0);
  hit_if(s, now && !s->cur, BIN_up_from_0);
  hit_if(s, !now && !s->cur, BIN_stays_0);
  hit_if(s, up != (10 * (now - s->in.ret_n_i) > 11 * s->cur), BIN_up_by_the_last_cycle);
}

static void bins_of_thr(struct sim *s, unsigned n, unsigned victim) {
  hit(s, n == 0 ? BIN_thr_of_none : n == 1 ? BIN_thr_of_one : n == 2 ? BIN_thr_of_two : BIN_thr_of_many);
  if (s->first) hit(s, s->after_keep);
  if (n < 2) return;
  unsigned higher = 0;
  for (unsigned i = victim + 1; i < CTAS; i++) higher += s->cta[i].occ && s->cta[i].act;
  hit(s, higher ? BIN_victim_with_lower_id : BIN_victim_with_highest_id);
  hit_if(s, s->cta[victim].finp, BIN_victim_has_ended);
  hit_if(s, s->in.fin_v_i && s->in.fin_id_i == victim, BIN_fin_of_victim_in_thr);
  hit_if(s, s->cta[victim].throttled, BIN_throttled_again);
  hit_if(s, end_of(s, s->cta[victim].frn) < s->lrn, BIN_lrn_above_victim);
}

static void bins_of_qui(struct sim *s) {
  bool ended = s->cta[s->victim].finp;
  hit_if(s, !ended && s->quiet, in_state(s) ? BIN_quiet_later : BIN_quiet_at_once);
  hit_if(s, !ended && s->quiet && in_state(s) > 20, BIN_quiet_late);
  hit_if(s, ended, s->quiet ? BIN_ended_and_quiet : BIN_ended_not_quiet);
  hit_if(s, !ended && !s->quiet && s->in.quies_i, BIN_others_quiet);
}

static void bins_of_size(struct sim *s) {
  hit(s, s->nreg <= RING + 1 ? BIN_nreg_1 + s->nreg - 1 : s->nreg < 100 ? BIN_nreg_8_to_99 : BIN_nreg_100);
  hit_if(s, s->nreg > 1000, BIN_nreg_over_1000);
  hit_if(s, s->bp0 + 128 * s->nreg * (s->depth + 1) < s->bp0, BIN_addresses_wrap);
}

/* Registers are asked for, read and written. */
static void bins_of_bck(struct sim *s, unsigned asked, unsigned came, unsigned written) {
  const struct ctl_in *in = &s->in;
  const struct ctl_out *o = &s->o;
  bool rr_waits = o->rr_v_o && !in->rr_rdy_i, mw_waits = o->mw_v_o && !in->mw_rdy_i;
  hit_if(s, rr_waits, BIN_rr_waits);
  hit_if(s, mw_waits, BIN_mw_waits);
  hit_if(s, rr_waits && mw_waits, BIN_rr_and_mw_wait);
  hit_if(s, came - written == RING, BIN_bck_full);
  hit_if(s, asked - came == RING, BIN_bck_all_under_way);
  hit_if(s, asked - written == RING && came != written && came != asked, BIN_bck_full_of_both);
  hit_if(s, came == written && written && came == asked, BIN_bck_empty_between);
  hit_if(s, o->mw_v_o && in->mw_rdy_i && in->rv_v_i, BIN_bck_in_and_out);
  hit_if(s, o->mw_v_o && in->mw_rdy_i && in->rv_v_i && came == written + 1, BIN_bck_in_and_last_out);
  hit_if(s, o->mw_v_o && in->mw_rdy_i && asked - written == RING, BIN_bck_out_of_full);
  if (!asked && !in_state(s)) bins_of_size(s);
}

static void bins_of_depth(struct sim *s) {
  hit(s, s->depth == 1 ? BIN_depth_1 : s->depth == 2 ? BIN_depth_2 : s->depth < 5 ? BIN_depth_3 : BIN_depth_5);
}

static void bins_of_r1(struct sim *s, const struct cta *top, bool by_end) {
  hit(s, by_end ? BIN_restore_by_end : BIN_restore_by_down);
  hit(s, top->was == s->t_reg ? BIN_restored_in_place : BIN_restored_elsewhere);
  hit(s, end_of(s, s->t_reg) > s->lrn ? BIN_r1_raises_lrn : BIN_r1_keeps_lrn);
  hit_if(s, s->depth > 2, BIN_restore_from_over_2);
  hit_if(s, s->depth == 1, BIN_restore_of_last);
  hit_if(s, s->victim == s->ended && by_end && s->stack[s->depth - 1] != s->victim, BIN_restore_for_ended_victim);
}

static void bins_of_rst(struct sim *s, unsigned asked, unsigned written, bool filled, unsigned reply) {
  const struct ctl_in *in = &s->in;
  const struct ctl_out *o = &s->o;
  bool mq_waits = o->mq_v_o && !in->mq_rdy_i, rw_waits = o->rw_v_o && !in->rw_rdy_i;
  bool out = o->rw_v_o && in->rw_rdy_i;
  hit_if(s, mq_waits, BIN_mq_waits);
  hit_if(s, rw_waits, BIN_rw_waits);
  hit_if(s, mq_waits && rw_waits, BIN_mq_and_rw_wait);
  hit_if(s, asked - written == RING, filled ? BIN_rst_full : BIN_rst_full_oldest_open);
  hit_if(s, asked == written && written, BIN_rst_empty_between);
  hit_if(s, out && o->mq_v_o && in->mq_rdy_i, BIN_rst_in_and_out);
  hit_if(s, out && asked - written == RING, BIN_rst_out_of_full);
  if (reply == RING) return;
  unsigned nth = (reply + RING - written % RING) % RING;
  hit_if(s, nth == 0, BIN_reply_to_oldest);
  hit_if(s, nth > 0 && !filled, BIN_reply_before_oldest);
  hit_if(s, asked - written == RING && nth == RING - 1 && !filled, BIN_reply_to_newest_of_6);
  hit_if(s, out, BIN_reply_beside_write);
  hit(s, BIN_reply_0 + reply);
}

static void bins_of_lnew(struct sim *s, bool by_end) {
  bool lau = s->in.lau_v_i;
  hit(s, by_end ? lau ? BIN_end_answered : BIN_end_not_answered : lau ? BIN_down_answered : BIN_down_not_answered);
  hit_if(s, lau && by_end && s->in.lau_id_i == s->ended, BIN_answer_same_slot);
  hit_if(s, lau && by_end && s->in.lau_id_i != s->ended, BIN_answer_other_slot);
  hit_if(s, !active(s), BIN_lnew_with_none_active);
}

static void bins_of_act2(struct sim *s, bool none, unsigned t, bool top) {
  hit_if(s, none, BIN_act2_none_holds);
  if (top) {
    hit(s, BIN_act2_top);
    return;
  }
  hit(s, end_of(s, t) <= s->top ? BIN_act2_fits : BIN_act2_over);
  hit_if(s, end_of(s, t) == s->top, BIN_act2_fits_exactly);
  hit_if(s, end_of(s, t) == s->top + 1, BIN_act2_over_by_one);
  hit_if(s, t == REGS, BIN_act2_t_2048);
}

#endif
