/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmu: register management engine: what both engines share, and the pipelined one. docs/blocks/finereg/rmu.md.
 *
 * A memory is read in the cycle of the request, not of the response, and a tag once more in p1 and in p2: no entry of b is written before
 * the walk has vacated it.
 */
#include "blocks/finereg/rmu.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/finereg/rmu_serial.h"
#include "blocks/rules.h"

static bool serial(const struct rmu *s) { return s->size.Engine == RMU_SERIAL; }

void rmu_reset(struct rmu *s) {
  memset(s, 0, offsetof(struct rmu, size));
  s->size = rmu_defaults();
  s->pipe.credit_q = RMU_PLACES;
  lrvc_reset(&s->lrvc);
  rid_reset(&s->rid);
  ppt_reset(&s->ppt);
  fsmon_reset(&s->fsmon);
  pcrf_reset(&s->pcrf);
}

void rmu_size(struct rmu *s, const struct rmu_params *p) {
  BLOCK_RULE(p->Engine == RMU_SERIAL || p->Engine == RMU_PIPELINED);
  s->size = *p;
  lrvc_size(&s->lrvc, &(struct lrvc_params){.NumEntries = p->LrvcEntries});
  ppt_size(&s->ppt, &(struct ppt_params){.NumCta = p->NumCta, .NumEntries = p->NumEntries});
  fsmon_size(&s->fsmon, &(struct fsmon_params){.NumEntries = p->NumEntries});
  pcrf_size(&s->pcrf, &(struct pcrf_params){.NumEntries = p->NumEntries});
}

/* ---- the parts of a command that both engines have ---- */
void rmu_accept(struct rmu *s, const struct rmu_in *in) {
  struct ppt_out a, b;
  ppt_eval(&s->ppt, &(struct ppt_in){.rd_cta_i = in->c_a_i}, &a);
  ppt_eval(&s->ppt, &(struct ppt_in){.rd_cta_i = in->c_b_i}, &b);
  s->op_q = in->c_op_i;
  s->a_q = in->c_a_i;
  s->b_q = in->c_b_i;
  s->nw_q = rmu_takes_a(s) ? in->c_nw_i : 0;
  s->ptr_q = b.rd_ptr_o;
  s->cnt_q = rmu_takes_b(s) ? b.rd_cnt_o : 0;
  BLOCK_RULE(s->op_q <= RMU_SWAP && !in->inv_i);
  BLOCK_RULE(!rmu_takes_a(s) || (s->nw_q && s->nw_q <= rmu_NumWarps && !a.rd_v_o));
  BLOCK_RULE(!rmu_takes_b(s) || b.rd_v_o);
  s->r.need_q = s->r.moved_q = s->r.prev_q = s->r.w_q = s->r.x_q = s->walked = 0;
}

void rmu_new_kernel(struct rmu *s, const struct rmu_in *in) {
  lrvc_tick(&s->lrvc, &(struct lrvc_in){.invalidate_i = 1, .vector_base_i = in->base_i, .code_base_i = in->cbase_i});
}

void rmu_rule_look_up(const struct rmu *s, const struct rmu_in *in) {
  (void)s, (void)in;
  BLOCK_RULE(!(in->pc_i & 7) &&
             (!s->lrvc.begun || (in->base_i == s->lrvc.vector_base && in->cbase_i == s->lrvc.code_base)));
}

void rmu_entered(struct rmu *s, uint64_t idx, uint64_t w, uint64_t r) {
  s->r.prev_q = idx;
  s->r.moved_q++;
  s->mvi_v_q = 1;
  s->mvi_w_q = w;
  s->mvi_r_q = r;
  s->mvi_idx_q = idx;
}

void rmu_done(struct rmu *s, bool ok, uint64_t cnt) {
  s->done_v_q = 1;
  s->done_ok_q = ok;
  s->done_cnt_q = cnt;
  s->r.state_q = RMU_IDLE;
}

void rmu_finish(struct rmu *s) {
  struct ppt_in p = {0};
  if (rmu_takes_b(s)) {
    p.clr_v_i = 1;
    p.clr_cta_i = s->b_q;
    s->held -= s->cnt_q;
  }
  if (rmu_takes_a(s)) {
    p.wr_v_i = 1;
    p.wr_cta_i = s->a_q;
    p.wr_ptr_i = s->r.prev_q;
    p.wr_cnt_i = s->r.need_q;
    s->held += s->r.need_q;
  }
  ppt_tick(&s->ppt, &p);
  BLOCK_INVARIANT(s->r.moved_q == s->r.need_q && s->walked == s->cnt_q && s->held == s->fsmon.used);
  rmu_done(s, true, rmu_takes_a(s) ? s->r.need_q : s->cnt_q);
}

static void late_lanes(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.fl_v_i = 1, .fl_idx_i = in->fl_idx_i, .fl_lane_i = in->fl_lane_i};
  BLOCK_RULE(fsmon_occupied(&s->fsmon, in->fl_idx_i));
  if (!s->r.control_only) memcpy(p.fl_d_i, in->fl_d_i, sizeof p.fl_d_i);
  pcrf_tick(&s->pcrf, &p);
}

void rmu_ask_memory(const struct rmu *s, struct rmu_out *out) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  out->m_rq_v_o = v.memory_request_valid_o;
  out->m_rq_a_o = v.memory_request_addr_o;
}

/* ---- what a cycle of the pipelined engine decides, from its registers only ---- */
struct plan {
  bool ask, ex, pass, drain;
  bool head;            /* awr of h */
  enum rmu_step next;   /* without a pop of b's last entry */
  struct rmu_name read; /* with ex or drain */
};

static unsigned place(const struct rmu_pipe *p, unsigned k) {
  const unsigned at = p->head_q + k;
  return at < RMU_PLACES ? at : at - RMU_PLACES;
}

/* Entries that a's registers may take. */
static uint64_t available(const struct rmu *s) { return s->pipe.sp_q + s->cnt_q; }

static bool moved_all(const struct rmu *s) { return !s->pipe.left_q && s->r.moved_q + s->pipe.buf_v_q == s->r.need_q; }

static enum rmu_step next_step(const struct rmu *s) {
  if (s->r.state_q == RMU_MOVE) return s->pipe.over_q && moved_all(s) ? RMU_FINISH : RMU_MOVE;
  if (available(s) >= s->r.need_q + 63 * s->pipe.left_q) return RMU_MOVE;
  return s->r.need_q > available(s) && !s->pipe.lk_v_q ? RMU_IDLE : RMU_LOOK;
}

/* This warp's vector is not in st yet. */
static bool unknown(const struct rmu *s, uint64_t w) {
  return (w >= s->r.w_q && w < s->nw_q) || (s->pipe.lk_v_q && s->pipe.lk_w_q == w);
}

/* A register of a that is live and has not been read; where it is noted. */
static bool in_row(const struct rmu_pipe *p, struct rmu_name n) { return p->dw_q == n.w && p->rem_q >> n.r & 1; }
static bool in_vector(const struct rmu *s, struct rmu_name n) {
  return s->pipe.st_v_q >> n.w & 1 && s->st_q[n.w] >> n.r & 1;
}

static struct plan decide(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  const bool move = s->r.state_q == RMU_MOVE, room = s->r.x_q < RMU_READS;
  struct plan d = {.next = next_step(s)};
  d.ask = s->r.w_q != s->nw_q && s->lrvc.r.state_q == LRVC_IDLE && (move || s->r.need_q <= available(s));
  if (!move) return d;
  d.head = p->np_q && p->nd_q;
  if (p->np_q < p->nt_q) {
    const struct rmu_name q = p->window_q[place(p, p->np_q)].id;
    const bool known = !unknown(s, q.w), mine = known && (in_row(p, q) || in_vector(s, q));
    d.pass = known && !mine;
    d.ex = mine && room && !p->hold_q;
    d.read = q;
  }
  d.drain = !d.ex && p->rem_q && room && p->sp_q;
  if (d.drain) d.read = (struct rmu_name){(uint8_t)p->dw_q, (uint8_t)bit_low64(p->rem_q)};
  return d;
}

/* ---- outputs ---- */
static void eval_pipe(const struct rmu *s, struct rmu_out *out) {
  if (s->r.state_q == RMU_FINISH) return;
  const struct plan d = decide(s);
  if (s->lrvc.r.state_q == LRVC_MEMORY_REQUEST) rmu_ask_memory(s, out);
  if (d.ask) out->pc_w_o = s->r.w_q;
  if (d.ex || d.drain) {
    out->ard_v_o = 1;
    out->ard_w_o = d.read.w;
    out->ard_r_o = d.read.r;
  }
  if (!d.head) return;
  const struct rmu_place *h = &s->pipe.window_q[s->pipe.head_q];
  out->awr_v_o = 1;
  out->awr_w_o = h->id.w;
  out->awr_r_o = h->id.r;
  if (!s->r.control_only) memcpy(out->awr_d_o, h->d, sizeof out->awr_d_o);
}

void rmu_eval(const struct rmu *s, const struct rmu_in *in, struct rmu_out *out) {
  (void)in;
  *out = (struct rmu_out){
      .cnt_free_o = rmu_free_entries(s),
      .mvi_v_o = s->mvi_v_q,
      .mvi_w_o = s->mvi_w_q,
      .mvi_r_o = s->mvi_r_q,
      .mvi_idx_o = s->mvi_idx_q,
      .mvo_v_o = s->mvo_v_q,
      .mvo_w_o = s->mvo_w_q,
      .mvo_r_o = s->mvo_r_q,
      .fl_rdy_o = serial(s) ? s->r.state_q <= RMU_C_WT : !s->pipe.buf_v_q,
      .done_v_o = s->done_v_q,
      .done_ok_o = s->done_ok_q,
      .done_cnt_o = s->done_cnt_q,
  };
  if (s->r.state_q == RMU_IDLE) {
    out->c_rdy_o = 1;
    return;
  }
  out->blk_v_o = 1;
  out->blk_av_o = rmu_takes_a(s);
  out->blk_a_o = rmu_takes_a(s) ? s->a_q : 0;
  out->blk_bv_o = rmu_takes_b(s);
  out->blk_b_o = rmu_takes_b(s) ? s->b_q : 0;
  if (serial(s)) rmu_serial_eval(s, out);
  else eval_pipe(s, out);
}

/* ---- the clock edge of the pipelined engine ---- */
static void begin(struct rmu *s, const struct rmu_in *in) {
  struct rmu_pipe *p = &s->pipe;
  rmu_accept(s, in);
  p->left_q = s->nw_q;
  p->sp_q = rmu_free_entries(s);
  p->over_q = !s->cnt_q;
  p->wk_q = s->cnt_q != 0;
  p->hold_q = false;
  p->rem_q = p->st_v_q = 0;
  s->r.state_q = rmu_takes_a(s) ? RMU_LOOK : s->cnt_q ? RMU_MOVE : RMU_FINISH;
}

static void check(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  (void)p;
  BLOCK_INVARIANT(p->credit_q + p->p1_v_q + p->p2_v_q + p->nt_q == RMU_PLACES);
  BLOCK_INVARIANT(p->np_q <= p->nt_q && p->nd_q + p->p3_v_q == p->nt_q);
  BLOCK_INVARIANT(s->r.state_q != RMU_MOVE ||
                  rmu_free_entries(s) == p->sp_q + s->r.x_q + p->buf_v_q + p->nt_q - p->np_q);
}

/* BUF goes to the lowest free entry, and the entry in p2 is vacated. */
static void entries(struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  if (!p->buf_v_q && !p->p2_v_q) return;
  struct fsmon_out f;
  fsmon_eval(&s->fsmon, &(struct fsmon_in){0}, &f);
  if (p->buf_v_q) {
    const uint64_t at = f.free_index_o;
    s->pcrf.tag_m[at] = (struct pcrf_tag){(uint16_t)s->r.prev_q, p->buf_id_q.w, p->buf_id_q.r, s->r.moved_q == 0};
    if (!s->r.control_only) memcpy(s->pcrf.d_m[at], s->buf_q, sizeof s->buf_q);
    rmu_entered(s, at, p->buf_id_q.w, p->buf_id_q.r);
  }
  fsmon_tick(&s->fsmon, &(struct fsmon_in){.allocate_valid_i = p->buf_v_q,
                                           .release_valid_i = p->p2_v_q,
                                           .release_index_i = p->p2_v_q ? p->p2_q : 0});
}

static void read_tag(struct rmu *s, uint16_t at) {
  struct rmu_pipe *p = &s->pipe;
  BLOCK_INVARIANT(fsmon_occupied(&s->fsmon, at));
  p->wait_v_q = !p->credit_q;
  p->wait_q = at;
  if (!p->credit_q) return;
  p->credit_q--;
  p->p1_v_q = true;
  p->p1_q = at;
}

/* The entry in p2 enters the window. */
static void vacate(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  const struct pcrf_tag tag = s->pcrf.tag_m[p->p2_q];
  struct rmu_place *e = &p->window_q[place(p, p->nt_q)];
  s->walked++;
  BLOCK_INVARIANT(s->walked <= s->cnt_q && tag.end == (s->walked == s->cnt_q));
  e->id = (struct rmu_name){tag.w, tag.r};
  e->end = tag.end;
  if (!s->r.control_only) memcpy(e->d, s->pcrf.d_m[p->p2_q], sizeof e->d);
  p->nt_q++;
}

static void walk(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  p->nd_q += p->p3_v_q;
  p->p3_v_q = p->p2_v_q;
  if (p->p2_v_q) vacate(s);
  const bool tag = p->p1_v_q;
  p->p2_v_q = tag;
  p->p2_q = p->p1_q;
  p->p1_v_q = false;
  if (p->wait_v_q) read_tag(s, p->wait_q);
  else if (tag && !s->pcrf.tag_m[p->p2_q].end) read_tag(s, s->pcrf.tag_m[p->p2_q].next);
  else if (p->wk_q) {
    p->wk_q = false;
    read_tag(s, (uint16_t)s->ptr_q);
  }
}

static void pop(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  const struct rmu_place *h = &p->window_q[p->head_q];
  s->mvo_v_q = 1;
  s->mvo_w_q = h->id.w;
  s->mvo_r_q = h->id.r;
  p->over_q |= h->end;
  p->head_q = place(p, 1);
  p->nt_q--;
  p->np_q--;
  p->nd_q--;
  p->credit_q++;
}

/* The answer of a read, and the read that is accepted. */
static void reads(struct rmu *s, const struct rmu_in *in, const struct plan *d) {
  struct rmu_pipe *p = &s->pipe;
  p->buf_v_q = in->ars_v_i;
  if (in->ars_v_i) {
    if (!s->r.control_only) memcpy(s->buf_q, in->ars_d_i, sizeof s->buf_q);
    p->buf_id_q = p->rd_q[0];
    p->rd_q[0] = p->rd_q[1];
    s->r.x_q--;
  }
  if ((d->ex || d->drain) && in->ard_rdy_i) p->rd_q[s->r.x_q++] = d->read;
  p->hold_q = d->drain && !in->ard_rdy_i;
}

/* q is passed, or a register of a is taken off the row or its vector; then the next row is loaded. */
static void registers(struct rmu *s, const struct plan *d, bool taken) {
  struct rmu_pipe *p = &s->pipe;
  const uint32_t rows = p->st_v_q;
  const uint64_t bit = 1ull << d->read.r;
  bool load = !p->rem_q;
  if (d->pass) p->np_q++, p->sp_q++;
  if (d->drain && taken) {
    p->rem_q &= ~bit;
    p->sp_q--;
    load = !p->rem_q;
  }
  if (d->ex && taken) {
    p->np_q++;
    if (in_row(p, d->read)) {
      p->rem_q &= ~bit;
    } else {
      s->st_q[d->read.w] &= ~bit;
      if (!s->st_q[d->read.w]) p->st_v_q &= ~(1u << d->read.w);
    }
  }
  if (!load || !rows) return;
  p->dw_q = (uint64_t)bit_low32(rows);
  p->rem_q = s->st_q[p->dw_q];
  p->st_v_q &= ~(1u << p->dw_q);
}

static void look_up(struct rmu *s, const struct rmu_in *in, bool ask) {
  struct rmu_pipe *p = &s->pipe;
  struct lrvc_in v = {.memory_request_ready_i = in->m_rq_rdy_i,
                      .memory_response_valid_i = in->m_rs_v_i,
                      .memory_response_data_i = in->m_rs_d_i};
  const bool busy = s->lrvc.response_valid_q || s->lrvc.r.state_q != LRVC_IDLE;
  BLOCK_RULE(!in->m_rs_v_i || !(in->m_rs_d_i >> 63));
  if (s->lrvc.response_valid_q) {
    s->st_q[p->lk_w_q] = s->lrvc.response_vector_q;
    p->st_v_q |= (uint32_t)(s->lrvc.response_vector_q != 0) << p->lk_w_q;
    s->r.need_q += (uint64_t)bit_count64(s->lrvc.response_vector_q);
    p->left_q--;
    p->lk_v_q = 0;
  }
  if (ask && in->pc_live_i) {
    rmu_rule_look_up(s, in);
    v.request_valid_i = 1;
    v.request_pc_i = in->pc_i;
    v.vector_base_i = in->base_i;
    v.code_base_i = in->cbase_i;
    p->lk_v_q = 1;
    p->lk_w_q = s->r.w_q;
  } else if (ask) {
    p->left_q--;
  }
  s->r.w_q += ask;
  if (busy || v.request_valid_i) lrvc_tick(&s->lrvc, &v);
}

/* Look and move. */
static void run(struct rmu *s, const struct rmu_in *in) {
  const bool move = s->r.state_q == RMU_MOVE;
  struct plan d = decide(s);
  const bool out = d.head && in->awr_rdy_i;
  check(s);
  if (move && out && s->pipe.window_q[s->pipe.head_q].end && moved_all(s)) d.next = RMU_FINISH;
  if (move) {
    entries(s);
    reads(s, in, &d);
    registers(s, &d, in->ard_rdy_i);
    walk(s);
    if (out) pop(s);
  }
  if (d.next == RMU_IDLE) {
    s->pipe.st_v_q = 0;
    rmu_done(s, false, s->r.need_q);
    return;
  }
  look_up(s, in, d.ask);
  s->r.state_q = d.next;
}

static void finish(struct rmu *s) {
  BLOCK_INVARIANT(!s->pipe.nt_q && !s->pipe.rem_q && !s->pipe.st_v_q && !s->r.x_q && !s->pipe.buf_v_q);
  rmu_finish(s);
}

void rmu_tick(struct rmu *s, const struct rmu_in *in) {
  BLOCK_RULE(!in->inv_i || s->r.state_q == RMU_IDLE);
  BLOCK_RULE(!in->m_rs_v_i || s->lrvc.r.state_q == LRVC_MEMORY_WAIT);
  s->pcrf.r.control_only = s->r.control_only;
  s->mvi_v_q = s->mvi_w_q = s->mvi_r_q = s->mvi_idx_q = 0;
  s->mvo_v_q = s->mvo_w_q = s->mvo_r_q = 0;
  s->done_v_q = s->done_ok_q = s->done_cnt_q = 0;
  if (in->fl_v_i && (serial(s) ? s->r.state_q <= RMU_C_WT : !s->pipe.buf_v_q)) late_lanes(s, in);
  if (serial(s)) {
    rmu_serial_tick(s, in);
    return;
  }
  BLOCK_RULE(!in->ars_v_i || s->r.x_q);
  if (s->r.state_q == RMU_FINISH) finish(s);
  else if (s->r.state_q != RMU_IDLE) run(s, in);
  else if (in->c_v_i) begin(s, in);
  else if (in->inv_i) rmu_new_kernel(s, in);
}

uint64_t rmu_idle(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  if (s->mvi_v_q | s->mvo_v_q | s->done_v_q) return 0;
  if (s->r.state_q == RMU_IDLE) return UINT64_MAX;
  if (serial(s)) return rmu_serial_idle(s);
  if (s->r.state_q == RMU_FINISH) return 0;
  const struct plan d = decide(s);
  if (d.ask || d.ex || d.pass || d.drain || d.head || d.next != s->r.state_q) return 0;
  if (s->r.state_q == RMU_MOVE) {
    if (p->buf_v_q || p->wk_q || p->p1_v_q || p->p2_v_q || p->p3_v_q || (p->wait_v_q && p->credit_q)) return 0;
    if (!p->rem_q && p->st_v_q) return 0;
  }
  return lrvc_idle(&s->lrvc);
}
