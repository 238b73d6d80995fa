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
  unsigned a, b; /* of the command under way */
  uint8_t op;
  bool accepts;                   /* a command, in this cycle */
  bool first;                     /* a command was accepted in the last cycle: the RMU now asks for a's warp 0 */
  uint16_t entry[WARP_MAX][REGS]; /* where there, plus 1; 0: it is not */
  uint64_t came[rmu_NumWarps];    /* registers of b that this command has brought back */
  bool reading;                   /* a register of the ACRF comes in the next cycle */
  uint32_t read[32];
};

static void *init(const struct config *c) {
  struct engine *g = xcalloc_lines(1, sizeof *g);
  g->size = rmu_defaults();
  g->size.Engine = c->finereg_engine == finereg_engine_serial ? RMU_SERIAL : RMU_PIPELINED;
  g->size.NumEntries = (uint64_t)c->finereg_pcrf_bytes / 128;
  g->size.LrvcEntries = (uint64_t)c->finereg_lrvc_entries;
  return g;
}

static void finereg_begin(struct sm *S, struct cta_switch *s, const struct kernel *kernel) {
  struct engine *g = s->state;
  const struct rmu_params size = g->size;
  memset(g, 0, sizeof *g);
  g->size = size;
  rmu_size(rmu_model(&s->net, 0), &size);
  struct rmu_in *in = rmu_set(&s->net, 0);
  in->invalidate_i = 1; /* in the first cycle */
  in->vector_base_i = LIVE_BASE + (sm_view(S)->code_base - CODE_BASE);
  in->code_base_i = sm_view(S)->code_base;
  sm_counters(S)->live_vector_bytes += 8ull * kernel->code->n;
}

/* ---- WRITE: results for registers that are not in the ACRF ---- */

static enum late late(struct sm *S, struct cta_switch *s, const struct inflight_view *f) {
  struct engine *g = s->state;
  unsigned w = f->inst.warp, c = warp_view(S, w)->cta, all = (1u << f->op->ndst) - 1;
  const struct rmu_out *o = rmu_get(&s->net, 0);
  if (f->completed == all) return LATE_DROP;
  if ((o->busy_outgoing_valid_o && o->busy_outgoing_cta_o == c) ||
      (o->busy_incoming_valid_o && o->busy_incoming_cta_o == c))
    return LATE_HOLD;
  if (!s->away[c]) return LATE_PASS;
  for (unsigned k = 0; k < f->op->ndst; k++) {
    if (f->completed >> k & 1) continue;
    if (f->inst.lanes) {
      if (s->net.rmu.in[0].fill_valid_i || !o->fill_ready_o) return LATE_HOLD;
      struct rmu_in *in = rmu_set(&s->net, 0);
      in->fill_valid_i = 1;
      sm_counters(S)->late_regs++;
      in->fill_index_i = g->entry[w][f->op->dst[k]] - 1u;
      in->fill_lanes_i = f->inst.lanes;
      if (sm_view(S)->check) memcpy(in->fill_data_i, result_values(S, &f->inst, k), sizeof in->fill_data_i);
    }
    result_complete_now(S, f, k);
  }
  sm_counters(S)->late_taken++;
  return LATE_TAKEN;
}

/* Pending loads to registers of `c` that did not enter the PCRF: they are dead. */
static void finereg_drop_dead(struct sm *S, struct engine *g, unsigned c) {
  for (uint32_t i = 0; i < inflight_records(S); i++) {
    const struct inflight_view *f = inflight_view(S, i);
    if (!f->op || warp_view(S, f->inst.warp)->cta != c) continue;
    for (unsigned k = 0; k < f->op->ndst; k++) {
      if ((f->completed >> k & 1) || g->entry[f->inst.warp][f->op->dst[k]]) continue;
      result_drop(S, f, k);
      sm_counters(S)->late_dropped++;
    }
  }
}

/* ---- ENGINE: the twin's ports into the ACRF ---- */

static bool finereg_claim(struct sm *S, unsigned w, uint64_t r, int what) {
  return rf_claim(S, group_of(S, w % sm_view(S)->nsched), rf_bank(S, (unsigned)r, warp_view(S, w)->rf_slot), what);
}

static void engine(struct sm *S, struct cta_switch *s) {
  struct engine *g = s->state;
  const struct rmu_out *o = rmu_get(&s->net, 0);
  if (g->reading) {
    g->reading = false;
    struct rmu_in *in = rmu_set(&s->net, 0);
    in->acrf_response_valid_i = 1;
    if (sm_view(S)->check) memcpy(in->acrf_response_data_i, g->read, sizeof g->read);
  }
  if (o->acrf_read_valid_o) {
    unsigned w = cta_switch_warp_at(S, g->a, o->acrf_read_warp_o);
    rmu_set(&s->net, 0)->acrf_read_ready_i = g->reading = finereg_claim(S, w, o->acrf_read_register_o, RF_READ);
    if (g->reading && sm_view(S)->check)
      memcpy(g->read, check_row(S, w, (unsigned)o->acrf_read_register_o), sizeof g->read);
  }
  if (o->acrf_write_valid_o) {
    unsigned w = cta_switch_warp_at(S, g->b, o->acrf_write_warp_o);
    const bool taken = finereg_claim(S, w, o->acrf_write_register_o, RF_WRITE);
    rmu_set(&s->net, 0)->acrf_write_ready_i = taken;
    if (taken && sm_view(S)->check)
      memcpy(check_row(S, w, (unsigned)o->acrf_write_register_o), o->acrf_write_data_o, sizeof o->acrf_write_data_o);
  }
}

/* ---- COMMIT ---- */

/* Registers of a warp that were not restored must never be read. */
static void finereg_poison(struct sm *S, const struct engine *g, unsigned c) {
  for (unsigned i = 0; sm_view(S)->check && i < sm_view(S)->wpc; i++)
    for (unsigned r = 0; r < sm_view(S)->warp_regs; r++)
      if (r >= REGS || !(g->came[i] >> r & 1)) check_lost(S, warp_view(S, cta_switch_warp_at(S, c, i))->row + r, 1);
}

static void finereg_finish(struct sm *S, struct cta_switch *s, struct engine *g, bool ok) {
  cta_switch_ended(S, s, g->op, g->a, g->b, ok);
  if (ok && g->op != RMU_RESTORE) finereg_drop_dead(S, g, g->a);
  if (ok) finereg_poison(S, g, g->op == RMU_SPILL ? g->a : g->b);
}

static void finereg_take_events(struct sm *S, struct cta_switch *s, struct engine *g) {
  const struct rmu_out *o = rmu_get(&s->net, 0);
  if (o->restored_valid_o) {
    g->entry[cta_switch_warp_at(S, g->b, o->restored_warp_o)][o->restored_register_o] = 0;
    g->came[o->restored_warp_o] |= 1ull << o->restored_register_o;
    sm_counters(S)->regs_in++;
  }
  if (o->stored_valid_o) {
    g->entry[cta_switch_warp_at(S, g->a, o->stored_warp_o)][o->stored_register_o] = (uint16_t)(o->stored_index_o + 1);
    sm_counters(S)->regs_out++;
  }
  if (o->done_valid_o) finereg_finish(S, s, g, o->done_success_o);
}

/* Where warp w of CTA a stands: at the head of its buffer, or where it will fetch. */
static void program_counter(struct sm *S, struct cta_switch *s, const struct engine *g) {
  unsigned w = cta_switch_warp_at(S, g->a, rmu_get(&s->net, 0)->pc_warp_o);
  struct rmu_in *in = rmu_set(&s->net, 0);
  in->pc_live_i = warp_lives(S, w);
  in->pc_i = sm_view(S)->code_base + 8 * warp_stands_at(S, w);
  sm_counters(S)->lrvc_lookups += in->pc_live_i;
}

static void ask_memory(struct sm *S, struct cta_switch *s, uint32_t at) {
  if (!memory_takes(S)) return;
  struct rmu_in *in = rmu_set(&s->net, 0);
  struct mem_req r = {.addr = at & ~127u,
                      .tag = TAG_RESIDENCY | (at - (uint32_t)in->vector_base_i) / 8,
                      .kind = MEM_READ,
                      .sectors = (uint8_t)(1u << (at >> 5 & 3))};
  in->memory_request_ready_i = 1;
  sm_post(S, &r);
  sm_counters(S)->lrvc_misses++;
}

static void reply(struct sm *S, struct cta_switch *s, const struct mem_reply *r) {
  (void)S;
  struct rmu_in *in = rmu_set(&s->net, 0);
  in->memory_response_valid_i = 1;
  in->memory_response_data_i = live_vector(s->code, r->tag & ~TAG_RESIDENCY);
}

/* Before the clock edge: what the engine asks for, and whether it takes csw's command. */
static void finereg_ask(struct sm *S, struct cta_switch *s) {
  struct engine *g = s->state;
  const struct rmu_out *o = rmu_get(&s->net, 0);
  const struct csw_out *c = csw_get(&s->net, 0);
  g->accepts = c->command_valid_o && o->command_ready_o;
  if (g->accepts) {
    g->op = (uint8_t)c->command_operation_o;
    g->a = (unsigned)c->command_outgoing_cta_o;
    g->b = (unsigned)c->command_incoming_cta_o;
  }
  /* pc_warp_o is 0 where the RMU does not ask; either engine asks for warp 0 in the cycle after it took the command, and only then */
  if (g->first || o->pc_warp_o) program_counter(S, s, g);
  g->first = false;
  if (o->memory_request_valid_o) ask_memory(S, s, (uint32_t)o->memory_request_addr_o);
}

static void commit(struct sm *S, struct cta_switch *s) {
  struct engine *g = s->state;
  if (g->accepts) {
    memset(g->came, 0, sizeof g->came);
    cta_switch_begins(S, s, g->op, g->a, g->b);
    g->accepts = false;
    g->first = g->op != RMU_RESTORE;
  }
  finereg_take_events(S, s, g);
}

static uint64_t idle(struct sm *S, const struct cta_switch *s) {
  (void)S;
  const struct engine *g = s->state;
  return g->reading ? 0 : NEVER;
}

static bool end(struct sm *S, struct cta_switch *s, struct err *e) {
  const struct engine *g = s->state;
  const struct rmu_out *o = rmu_get(&s->net, 0);
  const uint64_t free_now = o->free_count_o;
  const struct sm_stats *t = sm_counters(S);
  if (t->regs_in == t->regs_out && free_now == g->size.NumEntries && o->command_ready_o) return true;
  return err_at(
      e, NULL, 0, 0,
      "conservation law broken: registers that left for the PCRF came back (%llu, %llu), %llu of %llu entries "
      "free; this is a bug of the simulator",
      (unsigned long long)t->regs_out, (unsigned long long)t->regs_in, (unsigned long long)free_now,
      (unsigned long long)g->size.NumEntries);
}

const struct register_mover mover_finereg = {.init = init,
                                             .done = free,
                                             .begin = finereg_begin,
                                             .late = late,
                                             .reply = reply,
                                             .engine = engine,
                                             .ask = finereg_ask,
                                             .commit = commit,
                                             .idle = idle,
                                             .end = end};
