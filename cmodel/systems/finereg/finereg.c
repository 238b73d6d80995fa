/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finereg: the register mover of FineReg: the register file is the ACRF, in whose slots active CTAs lie, and the PCRF
 * inside the golden model `rmu`, which keeps only the live registers of a suspended CTA. The model's two ports into
 * the ACRF use the bank ports that operands and results leave free; its misses of live vectors are reads of L2 at
 * LIVE_BASE.
 *
 * With sim.check values move, too: a restored register is compared at its next use with the value last written, and a
 * register that was not restored is poisoned. Loads that return for a suspended CTA (rmu.md, "Obligations of the
 * SM"): held while the CTA moves, merged into their PCRF entry, dropped when the register is dead.
 */
#include <stdlib.h>
#include <string.h>

#include "blocks/finereg/rmu.h"
#include "systems/finereg/cta_switch.h"

enum { REGS = 64 };

struct engine {
  struct rmu_params size;
  struct rmu rmu;
  struct rmu_in in;
  struct rmu_out out;
  bool awake;
  unsigned a, b; /* of the command under way */
  uint8_t op;
  uint16_t entry[WARP_MAX][REGS]; /* where there, plus 1; 0: it is not */
  uint64_t came[rmu_NumWarps];    /* registers of b that this command has brought back */
  bool reading;                   /* a register of the ACRF comes in the next cycle */
  uint32_t read[32];
};

static unsigned slot(const struct sm *S, unsigned c, uint64_t w) { return S->cta[c].slot[w]; }

static void *init(const struct config *c) {
  struct engine *g = xcalloc_lines(1, sizeof *g);
  g->size = (struct rmu_params){.NumCta = rmu_NumCta,
                                .NumWarps = rmu_NumWarps,
                                .NumEntries = (uint64_t)c->finereg_pcrf_bytes / 128,
                                .LrvcEntries = (uint64_t)c->finereg_lrvc_entries};
  return g;
}

static void begin(struct sm *S, struct cta_switch *s, const struct kernel *kernel) {
  struct engine *g = s->state;
  const struct rmu_params size = g->size;
  memset(g, 0, sizeof *g);
  g->size = size;
  rmu_reset(&g->rmu);
  rmu_size(&g->rmu, &size);
  if (S->observer) S->observer->reset(S->observer->ctx, "finereg/rmu", 0);
  g->in.inv_i = 1; /* in the first cycle */
  g->in.base_i = LIVE_BASE + (S->code_base - CODE_BASE);
  g->in.cbase_i = S->code_base;
  g->awake = true;
  rmu_eval(&g->rmu, &g->in, &g->out);
  s->c_rdy = g->out.c_rdy_o;
  S->st.live_vector_bytes += 8ull * kernel->code->n;
}

/* ---- WRITE: results for registers that are not in the ACRF ---- */

static enum late late(struct sm *S, struct cta_switch *s, struct inflight_inst *f) {
  struct engine *g = s->state;
  unsigned w = f->inst.warp, c = S->warp[w].cta, all = (1u << f->op->ndst) - 1;
  const struct rmu_out *o = &g->out;
  if (f->written == all) return LATE_DROP;
  if ((o->blk_av_o && o->blk_a_o == c) || (o->blk_bv_o && o->blk_b_o == c)) return LATE_HOLD;
  if (!s->away[c]) return LATE_PASS;
  for (unsigned k = 0; k < f->op->ndst; k++) {
    if (f->written >> k & 1) continue;
    if (f->inst.lanes) {
      if (g->in.fl_v_i || !o->fl_rdy_o) return LATE_HOLD;
      g->in.fl_v_i = 1;
      g->in.fl_idx_i = g->entry[w][f->op->dst[k]] - 1u;
      g->in.fl_lane_i = f->inst.lanes;
      if (S->check) memcpy(g->in.fl_d_i, inst_val(S->stream, &f->inst, k), sizeof g->in.fl_d_i);
      g->awake = true;
    }
    f->written |= (uint8_t)(1u << k);
  }
  S->st.late_taken++;
  return LATE_TAKEN;
}

/* Pending loads to registers of `c` that did not enter the PCRF: they are dead. */
static void drop_dead(struct sm *S, struct engine *g, unsigned c) {
  for (uint32_t i = 0; i < S->ninflight; i++) {
    struct inflight_inst *f = &S->inflight[i];
    if (!f->op || S->warp[f->inst.warp].cta != c) continue;
    for (unsigned k = 0; k < f->op->ndst; k++) {
      if ((f->written >> k & 1) || g->entry[f->inst.warp][f->op->dst[k]]) continue;
      f->written |= (uint8_t)(1u << k);
      f->dropped |= (uint8_t)(1u << k);
      scoreboard_drop(S, f->inst.warp, f->op->dst[k]);
      S->st.late_dropped++;
    }
  }
}

/* ---- ENGINE: the twin's ports into the ACRF ---- */

static bool claim(struct sm *S, unsigned w, uint64_t r, int what) {
  return rf_claim(S, group_of(S, w % S->nsched), rf_bank(S, (unsigned)r, S->warp[w].rf_slot), what);
}

static void engine(struct sm *S, struct cta_switch *s) {
  struct engine *g = s->state;
  const struct rmu_out *o = &g->out;
  if (g->reading) {
    g->reading = false;
    g->in.ars_v_i = 1;
    memcpy(g->in.ars_d_i, g->read, sizeof g->read);
    g->awake = true;
  }
  if (o->ard_v_o) {
    unsigned w = slot(S, g->a, o->ard_w_o);
    g->in.ard_rdy_i = g->reading = claim(S, w, o->ard_r_o, RF_READ);
    if (g->reading && S->check) memcpy(g->read, check_row(S, w, (unsigned)o->ard_r_o), sizeof g->read);
  }
  if (o->awr_v_o) {
    unsigned w = slot(S, g->b, o->awr_w_o);
    g->in.awr_rdy_i = claim(S, w, o->awr_r_o, RF_WRITE);
    if (g->in.awr_rdy_i && S->check) memcpy(check_row(S, w, (unsigned)o->awr_r_o), o->awr_d_o, sizeof o->awr_d_o);
  }
}

/* ---- COMMIT ---- */

/* Registers of a warp that were not restored must never be read. */
static void poison(struct sm *S, const struct engine *g, unsigned c) {
  for (unsigned i = 0; S->check && i < S->wpc; i++)
    for (unsigned r = 0; r < S->warp_regs; r++)
      if (r >= REGS || !(g->came[i] >> r & 1)) check_lost(S, S->warp[slot(S, c, i)].row + r, 1);
}

static void accepted(struct sm *S, struct cta_switch *s, struct engine *g) {
  g->op = (uint8_t)g->in.c_op_i;
  g->a = (unsigned)g->in.c_a_i;
  g->b = (unsigned)g->in.c_b_i;
  memset(g->came, 0, sizeof g->came);
  cta_switch_begins(S, s, g->op, g->a, g->b);
}

static void finished(struct sm *S, struct cta_switch *s, struct engine *g) {
  bool ok = g->out.done_ok_o;
  cta_switch_ended(S, s, g->op, g->a, g->b, ok);
  if (ok && g->op != RMU_RESTORE) drop_dead(S, g, g->a);
  if (ok) poison(S, g, g->op == RMU_SPILL ? g->a : g->b);
}

static void events(struct sm *S, struct cta_switch *s, struct engine *g) {
  const struct rmu_out *o = &g->out;
  if (o->mvo_v_o) {
    g->entry[slot(S, g->b, o->mvo_w_o)][o->mvo_r_o] = 0;
    g->came[o->mvo_w_o] |= 1ull << o->mvo_r_o;
    S->st.regs_in++;
  }
  if (o->mvi_v_o) {
    g->entry[slot(S, g->a, o->mvi_w_o)][o->mvi_r_o] = (uint16_t)(o->mvi_idx_o + 1);
    S->st.regs_out++;
  }
  if (o->done_v_o) finished(S, s, g);
}

/* The PC of warp w of CTA a: the head of its buffer, or its next fetch. */
static void program_counter(struct sm *S, struct engine *g) {
  unsigned w = slot(S, g->a, g->out.pc_w_o);
  const struct warp *W = &S->warp[w];
  g->in.pc_live_i = S->sched[W->scheduler].live >> W->bit & 1;
  g->in.pc_i = S->code_base + 8 * (W->icount ? W->ibuf[W->ihead].op : W->next);
  S->st.lrvc_lookups += g->in.pc_live_i;
}

static void ask_memory(struct sm *S, struct engine *g) {
  uint32_t at = (uint32_t)g->out.m_rq_a_o;
  g->in.m_rq_rdy_i = mem_can_post(S->mem, S->id, S->now);
  if (!g->in.m_rq_rdy_i) return;
  struct mem_req r = {.addr = at & ~127u,
                      .tag = TAG_RESIDENCY | (at - (uint32_t)g->in.base_i) / 8,
                      .kind = MEM_READ,
                      .sectors = (uint8_t)(1u << (at >> 5 & 3))};
  mem_post(S->mem, S->id, S->now, &r);
  S->st.lrvc_misses++;
}

static void reply(struct sm *S, struct cta_switch *s, const struct mem_reply *r) {
  (void)S;
  struct engine *g = s->state;
  g->in.m_rs_v_i = 1;
  g->in.m_rs_d_i = live_vector(s->code, r->tag & ~TAG_RESIDENCY);
  g->awake = true;
}

static void commit(struct sm *S, struct cta_switch *s) {
  struct engine *g = s->state;
  struct rmu_in *in = &g->in;
  const struct csw_out *c = &s->csw_out;
  if (c->c_v_o) g->awake = true;
  if (!g->awake && !S->observer) return;
  in->c_v_i = c->c_v_o;
  in->c_op_i = c->c_op_o;
  in->c_a_i = c->c_a_o;
  in->c_b_i = c->c_b_o;
  in->c_nw_i = c->c_nw_o;
  if (g->rmu.r.state_q == RMU_C_RQ) program_counter(S, g);
  if (g->out.m_rq_v_o) ask_memory(S, g);
  CTA_SWITCH_EVAL(S, rmu, &g->rmu, in, &g->out);
  cta_switch_observe(S, "finereg/rmu", &g->rmu, in, &g->out);
  if (in->c_v_i && g->out.c_rdy_o) accepted(S, s, g);
  rmu_tick(&g->rmu, in);
  in->inv_i = in->c_v_i = in->c_op_i = in->c_a_i = in->c_b_i = in->c_nw_i = 0;
  in->pc_live_i = in->pc_i = in->m_rq_rdy_i = in->m_rs_v_i = in->m_rs_d_i = 0;
  in->ard_rdy_i = in->ars_v_i = in->awr_rdy_i = in->fl_v_i = 0;
  CTA_SWITCH_EVAL(S, rmu, &g->rmu, in, &g->out);
  events(S, s, g);
  s->c_rdy = g->out.c_rdy_o;
  g->awake = !rmu_idle(&g->rmu) || g->out.m_rq_v_o || g->out.ard_v_o || g->out.awr_v_o;
}

static uint64_t idle(struct sm *S, const struct cta_switch *s) {
  (void)S;
  const struct engine *g = s->state;
  return g->awake || g->reading ? 0 : NEVER;
}

static bool end(struct sm *S, const struct cta_switch *s, struct err *e) {
  const struct engine *g = s->state;
  const struct sm_stats *t = &S->st;
  if (t->regs_in == t->regs_out && g->out.cnt_free_o == g->size.NumEntries && g->rmu.r.state_q == RMU_IDLE) return true;
  return err_at(
      e, NULL, 0, 0,
      "conservation law broken: registers that left for the PCRF came back (%llu, %llu), %llu of %llu entries "
      "free; this is a bug of the simulator",
      (unsigned long long)t->regs_out, (unsigned long long)t->regs_in, (unsigned long long)g->out.cnt_free_o,
      (unsigned long long)g->size.NumEntries);
}

const struct register_mover mover_finereg = {.init = init,
                                             .done = free,
                                             .begin = begin,
                                             .late = late,
                                             .reply = reply,
                                             .engine = engine,
                                             .commit = commit,
                                             .idle = idle,
                                             .end = end};
