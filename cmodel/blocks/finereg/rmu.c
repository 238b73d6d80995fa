/* SPDX-License-Identifier: Apache-2.0 */
/* rmu: register management engine. docs/blocks/finereg/rmu.md. */
#include "blocks/finereg/rmu.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

static bool takes_a(const struct rmu *s) { return s->op_q != RMU_RESTORE; }
static bool takes_b(const struct rmu *s) { return s->op_q != RMU_SPILL; }

void rmu_reset(struct rmu *s) {
  memset(s, 0, offsetof(struct rmu, size));
  s->size = (struct rmu_params){
      .NumCta = rmu_NumCta, .NumWarps = rmu_NumWarps, .NumEntries = rmu_NumEntries, .LrvcEntries = rmu_LrvcEntries};
  lrvc_reset(&s->lrvc);
  rid_reset(&s->rid);
  ppt_reset(&s->ppt);
  fsmon_reset(&s->fsmon);
  pcrf_reset(&s->pcrf);
}

void rmu_size(struct rmu *s, const struct rmu_params *p) {
  s->size = *p;
  lrvc_size(&s->lrvc, &(struct lrvc_params){.NumEntries = p->LrvcEntries});
  ppt_size(&s->ppt, &(struct ppt_params){.NumCta = p->NumCta, .NumEntries = p->NumEntries});
  fsmon_size(&s->fsmon, &(struct fsmon_params){.NumEntries = p->NumEntries});
  pcrf_size(&s->pcrf, &(struct pcrf_params){.NumEntries = p->NumEntries});
}

/* ---- outputs ---- */
static void eval_ask_memory(const struct rmu *s, struct rmu_out *out) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  out->m_rq_v_o = v.m_rq_v_o;
  out->m_rq_a_o = v.m_rq_a_o;
}

static void eval_walk(const struct rmu *s, struct rmu_out *out) {
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &(struct pcrf_in){0}, &h);
  if (!h.h_v_o || s->r.x_q == RMU_READ) return;
  if (s->r.x_q == RMU_HEAD && s->st_q[h.h_w_o] >> h.h_r_o & 1) {
    out->ard_v_o = 1;
    out->ard_w_o = h.h_w_o;
    out->ard_r_o = h.h_r_o;
    return;
  }
  out->awr_v_o = 1;
  out->awr_w_o = h.h_w_o;
  out->awr_r_o = h.h_r_o;
  if (!s->r.control_only) memcpy(out->awr_d_o, h.h_d_o, sizeof out->awr_d_o);
}

static void eval_drain(const struct rmu *s, struct rmu_out *out) {
  struct rid_out x;
  rid_eval(&s->rid, &(struct rid_in){0}, &x);
  if (!x.ix_v_o) return;
  out->ard_v_o = 1;
  out->ard_w_o = s->r.w_q;
  out->ard_r_o = x.ix_o;
}

static uint64_t free_entries(const struct rmu *s) {
  struct fsmon_out f;
  fsmon_eval(&s->fsmon, &(struct fsmon_in){0}, &f);
  return f.cnt_free_o;
}

void rmu_eval(const struct rmu *s, const struct rmu_in *in, struct rmu_out *out) {
  (void)in;
  *out = (struct rmu_out){
      .cnt_free_o = free_entries(s),
      .mvi_v_o = s->mvi_v_q,
      .mvi_w_o = s->mvi_w_q,
      .mvi_r_o = s->mvi_r_q,
      .mvi_idx_o = s->mvi_idx_q,
      .mvo_v_o = s->mvo_v_q,
      .mvo_w_o = s->mvo_w_q,
      .mvo_r_o = s->mvo_r_q,
      .fl_rdy_o = s->r.state_q <= RMU_C_WT,
      .done_v_o = s->done_v_q,
      .done_ok_o = s->done_ok_q,
      .done_cnt_o = s->done_cnt_q,
  };
  if (s->r.state_q == RMU_IDLE) {
    out->c_rdy_o = 1;
    return;
  }
  out->blk_v_o = 1;
  out->blk_av_o = takes_a(s);
  out->blk_a_o = takes_a(s) ? s->a_q : 0;
  out->blk_bv_o = takes_b(s);
  out->blk_b_o = takes_b(s) ? s->b_q : 0;
  if (s->r.state_q == RMU_C_RQ) out->pc_w_o = s->r.w_q;
  if (s->r.state_q == RMU_C_WT) eval_ask_memory(s, out);
  if (s->r.state_q == RMU_WALK) eval_walk(s, out);
  if (s->r.state_q == RMU_S_RD || s->r.state_q == RMU_S_WR) eval_drain(s, out);
}

/* ---- the parts of a command ---- */
static void go(struct rmu *s, enum rmu_step step, uint64_t w) {
  s->r.state_q = step;
  s->r.w_q = w;
}

static void done(struct rmu *s, bool ok, uint64_t cnt) {
  s->done_v_q = 1;
  s->done_ok_q = ok;
  s->done_cnt_q = cnt;
  go(s, RMU_IDLE, 0);
}

static void accept(struct rmu *s, const struct rmu_in *in) {
  struct ppt_out a, b;
  ppt_eval(&s->ppt, &(struct ppt_in){.rd_cta_i = in->c_a_i}, &a);
  ppt_eval(&s->ppt, &(struct ppt_in){.rd_cta_i = in->c_b_i}, &b);
  s->op_q = in->c_op_i;
  s->a_q = in->c_a_i;
  s->b_q = in->c_b_i;
  s->nw_q = in->c_nw_i;
  s->ptr_q = b.rd_ptr_o;
  s->cnt_q = b.rd_cnt_o;
  BLOCK_RULE(s->op_q <= RMU_SWAP && !in->inv_i);
  BLOCK_RULE(!takes_a(s) || (s->nw_q && s->nw_q <= rmu_NumWarps && !a.rd_v_o));
  BLOCK_RULE(!takes_b(s) || b.rd_v_o);
  s->r.need_q = s->r.n_q = s->r.prev_q = s->walked = 0;
  memset(s->st_q, 0, sizeof s->st_q);
  go(s, takes_a(s) ? RMU_C_RQ : s->cnt_q ? RMU_WALK : RMU_FINISH, 0);
}

static void next_vector(struct rmu *s) {
  if (s->r.w_q + 1 < s->nw_q) go(s, RMU_C_RQ, s->r.w_q + 1);
  else go(s, RMU_ADMIT, 0);
}

static void ask_vector(struct rmu *s, const struct rmu_in *in) {
  if (!in->pc_live_i) {
    next_vector(s); /* st of this warp is 0 since the accept */
    return;
  }
  BLOCK_RULE(!(in->pc_i & 7) && (!s->lrvc.begun || (in->base_i == s->lrvc.base && in->cbase_i == s->lrvc.cbase)));
  lrvc_tick(&s->lrvc,
            &(struct lrvc_in){.rq_v_i = 1, .rq_pc_i = in->pc_i, .base_i = in->base_i, .cbase_i = in->cbase_i});
  s->r.state_q = RMU_C_WT;
}

static void take_vector(struct rmu *s, const struct rmu_in *in) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  BLOCK_RULE(!in->m_rs_v_i || !(in->m_rs_d_i >> 63));
  lrvc_tick(&s->lrvc,
            &(struct lrvc_in){.m_rq_rdy_i = in->m_rq_rdy_i, .m_rs_v_i = in->m_rs_v_i, .m_rs_d_i = in->m_rs_d_i});
  if (!v.rs_v_o) return;
  s->st_q[s->r.w_q] = v.rs_vec_o;
  s->r.need_q += (uint64_t)bit_count64(v.rs_vec_o);
  next_vector(s);
}

static void admit(struct rmu *s) {
  const bool swap = s->op_q == RMU_SWAP;
  if (free_entries(s) + (swap ? s->cnt_q : 0) < s->r.need_q) {
    memset(s->st_q, 0, sizeof s->st_q);
    done(s, false, s->r.need_q);
  } else {
    go(s, swap && s->cnt_q ? RMU_WALK : RMU_D_LD, 0);
  }
}

/* A register of a, in the buffer, becomes the entry idx and the head of a's chain. */
static void enter(struct rmu *s, struct pcrf_in *p, uint64_t idx, uint64_t w, uint64_t r) {
  p->wr_v_i = 1;
  p->wr_idx_i = idx;
  p->wr_end_i = s->r.n_q == 0;
  p->wr_next_i = s->r.prev_q;
  p->wr_w_i = w;
  p->wr_r_i = r;
  if (!s->r.control_only) memcpy(p->wr_d_i, s->buf_q, sizeof p->wr_d_i);
  s->r.prev_q = idx;
  s->r.n_q++;
  s->mvi_v_q = 1;
  s->mvi_w_q = w;
  s->mvi_r_q = r;
  s->mvi_idx_q = idx;
}

/* The head has been written to the ACRF. In an exchange its entry takes the register of a that was there. */
static void leave(struct rmu *s, const struct pcrf_out *h, bool exchange, struct pcrf_in *p) {
  BLOCK_INVARIANT(fsmon_occupied(&s->fsmon, h->h_idx_o));
  s->walked++;
  BLOCK_INVARIANT(s->walked <= s->cnt_q && h->h_end_o == (s->walked == s->cnt_q));
  p->h_pop_i = 1;
  s->mvo_v_q = 1;
  s->mvo_w_q = h->h_w_o;
  s->mvo_r_q = h->h_r_o;
  if (exchange) {
    enter(s, p, h->h_idx_o, h->h_w_o, h->h_r_o);
    s->st_q[h->h_w_o] &= ~(1ull << h->h_r_o);
  } else {
    fsmon_tick(&s->fsmon, &(struct fsmon_in){.fr_v_i = 1, .fr_idx_i = h->h_idx_o});
  }
  s->r.x_q = RMU_HEAD;
  if (!h->h_end_o) return;
  s->begun_q = false;
  go(s, takes_a(s) ? RMU_D_LD : RMU_FINISH, 0);
}

static void walk(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.wk_v_i = !s->begun_q, .wk_ptr_i = s->begun_q ? 0 : s->ptr_q};
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &p, &h);
  s->begun_q = true;
  if (h.h_v_o) {
    switch (s->r.x_q) {
      case RMU_HEAD:
        if (!(s->st_q[h.h_w_o] >> h.h_r_o & 1)) {
          if (in->awr_rdy_i) leave(s, &h, false, &p);
        } else if (in->ard_rdy_i) {
          s->r.x_q = RMU_READ;
        }
        break;
      case RMU_READ:
        if (!in->ars_v_i) break;
        if (!s->r.control_only) memcpy(s->buf_q, in->ars_d_i, sizeof s->buf_q);
        s->r.x_q = RMU_WRITE;
        break;
      default:
        if (in->awr_rdy_i) leave(s, &h, true, &p);
    }
  }
  pcrf_tick(&s->pcrf, &p);
}

static void next_warp(struct rmu *s) {
  if (s->r.w_q + 1 < s->nw_q) go(s, RMU_D_LD, s->r.w_q + 1);
  else go(s, RMU_FINISH, 0);
}

static void load_vector(struct rmu *s) {
  const uint64_t vec = s->st_q[s->r.w_q];
  s->st_q[s->r.w_q] = 0;
  rid_tick(&s->rid, &(struct rid_in){.ld_v_i = 1, .ld_vec_i = vec});
  if (vec) s->r.state_q = RMU_S_RD;
  else next_warp(s);
}

/* The lowest register left is read, if the ACRF accepts; true if there is one at all. */
static bool read_register(struct rmu *s, const struct rmu_in *in) {
  struct rid_out x;
  rid_eval(&s->rid, &(struct rid_in){0}, &x);
  if (x.ix_v_o && in->ard_rdy_i) {
    s->reg_q = x.ix_o;
    rid_tick(&s->rid, &(struct rid_in){.ix_rdy_i = 1});
    s->r.state_q = RMU_S_WT;
  } else {
    s->r.state_q = RMU_S_RD;
  }
  return x.ix_v_o;
}

static void write_register(struct rmu *s, const struct rmu_in *in) {
  struct fsmon_out f;
  struct pcrf_in p = {0};
  fsmon_eval(&s->fsmon, &(struct fsmon_in){0}, &f);
  enter(s, &p, f.ff_idx_o, s->r.w_q, s->reg_q);
  fsmon_tick(&s->fsmon, &(struct fsmon_in){.al_v_i = 1});
  pcrf_tick(&s->pcrf, &p);
  if (!read_register(s, in)) next_warp(s);
}

static void finish(struct rmu *s) {
  struct ppt_in p = {0};
  if (takes_b(s)) {
    p.clr_v_i = 1;
    p.clr_cta_i = s->b_q;
    s->held -= s->cnt_q;
  }
  if (takes_a(s)) {
    p.wr_v_i = 1;
    p.wr_cta_i = s->a_q;
    p.wr_ptr_i = s->r.prev_q;
    p.wr_cnt_i = s->r.need_q;
    s->held += s->r.need_q;
  }
  ppt_tick(&s->ppt, &p);
  BLOCK_INVARIANT(s->r.n_q == s->r.need_q && s->held == s->fsmon.used);
  done(s, true, takes_a(s) ? s->r.need_q : s->cnt_q);
}

static void late_lanes(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.fl_v_i = 1, .fl_idx_i = in->fl_idx_i, .fl_lane_i = in->fl_lane_i};
  BLOCK_RULE(fsmon_occupied(&s->fsmon, in->fl_idx_i));
  if (!s->r.control_only) memcpy(p.fl_d_i, in->fl_d_i, sizeof p.fl_d_i);
  pcrf_tick(&s->pcrf, &p);
}

static void new_kernel(struct rmu *s, const struct rmu_in *in) {
  lrvc_tick(&s->lrvc, &(struct lrvc_in){.inv_i = 1, .base_i = in->base_i, .cbase_i = in->cbase_i});
}

static bool reading(const struct rmu *s) {
  return s->r.state_q == RMU_S_WT || (s->r.state_q == RMU_WALK && s->r.x_q == RMU_READ);
}

void rmu_tick(struct rmu *s, const struct rmu_in *in) {
  BLOCK_RULE(!in->inv_i || s->r.state_q == RMU_IDLE);
  BLOCK_RULE(!in->m_rs_v_i || s->r.state_q == RMU_C_WT);
  BLOCK_RULE(!in->ars_v_i || reading(s));
  s->pcrf.r.control_only = s->r.control_only;
  s->mvi_v_q = s->mvi_w_q = s->mvi_r_q = s->mvi_idx_q = 0;
  s->mvo_v_q = s->mvo_w_q = s->mvo_r_q = 0;
  s->done_v_q = s->done_ok_q = s->done_cnt_q = 0;
  if (in->fl_v_i && s->r.state_q <= RMU_C_WT) late_lanes(s, in);
  switch (s->r.state_q) {
    case RMU_IDLE:
      if (in->c_v_i) accept(s, in);
      else if (in->inv_i) new_kernel(s, in);
      break;
    case RMU_C_RQ: ask_vector(s, in); break;
    case RMU_C_WT: take_vector(s, in); break;
    case RMU_ADMIT: admit(s); break;
    case RMU_WALK: walk(s, in); break;
    case RMU_D_LD: load_vector(s); break;
    case RMU_S_RD: read_register(s, in); break;
    case RMU_S_WT:
      if (!in->ars_v_i) break;
      if (!s->r.control_only) memcpy(s->buf_q, in->ars_d_i, sizeof s->buf_q);
      s->r.state_q = RMU_S_WR;
      break;
    case RMU_S_WR: write_register(s, in); break;
    default: finish(s);
  }
}

uint64_t rmu_idle(const struct rmu *s) {
  if (s->mvi_v_q | s->mvo_v_q | s->done_v_q) return 0;
  if (s->r.state_q == RMU_IDLE || s->r.state_q == RMU_S_WT) return UINT64_MAX;
  if (s->r.state_q == RMU_C_WT) return lrvc_idle(&s->lrvc);
  return reading(s) ? pcrf_idle(&s->pcrf) : 0;
}
