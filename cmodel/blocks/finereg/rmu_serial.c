/* SPDX-License-Identifier: Apache-2.0 */
/* rmu_serial: rmu's serial engine: one register at a time. docs/blocks/finereg/rmu.md, "Serial engine". */
#include "blocks/finereg/rmu_serial.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* x_q in walk: what the head of the FIFO waits for */
enum { HEAD, READ, WRITE };

/* ---- outputs ---- */
static void eval_walk(const struct rmu *s, struct rmu_out *out) {
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &(struct pcrf_in){0}, &h);
  if (!h.h_v_o || s->r.x_q == READ) return;
  if (s->r.x_q == HEAD && s->st_q[h.h_w_o] >> h.h_r_o & 1) {
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

void rmu_serial_eval(const struct rmu *s, struct rmu_out *out) {
  if (s->r.state_q == RMU_C_RQ) out->pc_w_o = s->r.w_q;
  if (s->r.state_q == RMU_C_WT) rmu_ask_memory(s, out);
  if (s->r.state_q == RMU_WALK) eval_walk(s, out);
  if (s->r.state_q == RMU_S_RD || s->r.state_q == RMU_S_WR) eval_drain(s, out);
}

/* ---- the parts of a command ---- */
static void go(struct rmu *s, enum rmu_step step, uint64_t w) {
  s->r.state_q = step;
  s->r.w_q = w;
}

static void begin(struct rmu *s, const struct rmu_in *in) {
  rmu_accept(s, in);
  memset(s->st_q, 0, sizeof s->st_q);
  s->r.state_q = rmu_takes_a(s) ? RMU_C_RQ : s->cnt_q ? RMU_WALK : RMU_FINISH;
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
  rmu_rule_look_up(s, in);
  lrvc_tick(
      &s->lrvc,
      &(struct lrvc_in){
          .request_valid_i = 1, .request_pc_i = in->pc_i, .vector_base_i = in->base_i, .code_base_i = in->cbase_i});
  s->r.state_q = RMU_C_WT;
}

static void take_vector(struct rmu *s, const struct rmu_in *in) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  BLOCK_RULE(!in->m_rs_v_i || !(in->m_rs_d_i >> 63));
  lrvc_tick(&s->lrvc, &(struct lrvc_in){.memory_request_ready_i = in->m_rq_rdy_i,
                                        .memory_response_valid_i = in->m_rs_v_i,
                                        .memory_response_data_i = in->m_rs_d_i});
  if (!v.response_valid_o) return;
  s->st_q[s->r.w_q] = v.response_vector_o;
  s->r.need_q += (uint64_t)bit_count64(v.response_vector_o);
  next_vector(s);
}

static void admit(struct rmu *s) {
  const bool swap = s->op_q == RMU_SWAP;
  if (rmu_free_entries(s) + (swap ? s->cnt_q : 0) < s->r.need_q) {
    memset(s->st_q, 0, sizeof s->st_q);
    rmu_done(s, false, s->r.need_q);
  } else {
    go(s, swap && s->cnt_q ? RMU_WALK : RMU_D_LD, 0);
  }
}

/* A register of a, in the buffer, becomes the entry idx and the head of a's chain. */
static void enter(struct rmu *s, struct pcrf_in *p, uint64_t idx, uint64_t w, uint64_t r) {
  p->wr_v_i = 1;
  p->wr_idx_i = idx;
  p->wr_end_i = s->r.moved_q == 0;
  p->wr_next_i = s->r.prev_q;
  p->wr_w_i = w;
  p->wr_r_i = r;
  if (!s->r.control_only) memcpy(p->wr_d_i, s->buf_q, sizeof p->wr_d_i);
  rmu_entered(s, idx, w, r);
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
    fsmon_tick(&s->fsmon, &(struct fsmon_in){.release_valid_i = 1, .release_index_i = h->h_idx_o});
  }
  s->r.x_q = HEAD;
  if (!h->h_end_o) return;
  s->begun_q = false;
  go(s, rmu_takes_a(s) ? RMU_D_LD : RMU_FINISH, 0);
}

static void walk(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.wk_v_i = !s->begun_q, .wk_ptr_i = s->begun_q ? 0 : s->ptr_q};
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &p, &h);
  s->begun_q = true;
  if (h.h_v_o) {
    switch (s->r.x_q) {
      case HEAD:
        if (!(s->st_q[h.h_w_o] >> h.h_r_o & 1)) {
          if (in->awr_rdy_i) leave(s, &h, false, &p);
        } else if (in->ard_rdy_i) {
          s->r.x_q = READ;
        }
        break;
      case READ:
        if (!in->ars_v_i) break;
        if (!s->r.control_only) memcpy(s->buf_q, in->ars_d_i, sizeof s->buf_q);
        s->r.x_q = WRITE;
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
  enter(s, &p, f.free_index_o, s->r.w_q, s->reg_q);
  fsmon_tick(&s->fsmon, &(struct fsmon_in){.allocate_valid_i = 1});
  pcrf_tick(&s->pcrf, &p);
  if (!read_register(s, in)) next_warp(s);
}

static bool reading(const struct rmu *s) {
  return s->r.state_q == RMU_S_WT || (s->r.state_q == RMU_WALK && s->r.x_q == READ);
}

void rmu_serial_tick(struct rmu *s, const struct rmu_in *in) {
  BLOCK_RULE(!in->ars_v_i || reading(s));
  switch (s->r.state_q) {
    case RMU_IDLE:
      if (in->c_v_i) begin(s, in);
      else if (in->inv_i) rmu_new_kernel(s, in);
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
    default: rmu_finish(s);
  }
}

uint64_t rmu_serial_idle(const struct rmu *s) {
  if (s->r.state_q == RMU_S_WT) return UINT64_MAX;
  if (s->r.state_q == RMU_C_WT) return lrvc_idle(&s->lrvc);
  return reading(s) ? pcrf_idle(&s->pcrf) : 0;
}
