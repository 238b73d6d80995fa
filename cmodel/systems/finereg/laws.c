/* SPDX-License-Identifier: Apache-2.0 */
/* laws: what the ports of csm, csw and the RMU say, compared with what the SM counted (sm/laws.h, docs/reference/laws.md). */
#include <string.h>

#include "systems/finereg/cta_switch.h"

struct switch_book {
  bool moves;   /* a context is under way */
  bool reading; /* a register was read in the last cycle */
  uint32_t row[32];
  bool begun; /* the RMU has been told where live vectors lie */
};

static bool in_class(const struct csm *m, enum csm_class k, unsigned c) { return m->member_q[k][c / 64] >> c % 64 & 1; }

/* Which CTAs wait, and which could go on. */
static void check_status(struct sm *S, const struct cta_switch *s, const struct csm *m, const struct csm_in *csm,
                         const struct csw_in *in, const struct csw_out *out) {
  for (unsigned c = 0; c < sm_view(S)->cta_limit; c++) {
    const struct cta_view *C = cta_view(S, c);
    const bool shared = in_class(m, CSM_SPILLED, c) || in_class(m, CSM_KEPT, c), pipeline = in_class(m, CSM_ACTIVE, c);
    law_same(S, "csm: ready_i = CTAs outside the pipeline that are not stalled", cta_has(csm->ready_i, c),
             C->used && shared && !C->stalled);
    const bool stalled = C->used && pipeline && C->stalled, told = cta_has(in->stalled_i, c);
    const bool frozen = out->freeze_valid_o && out->freeze_cta_o == c, hidden = s->by_room && cta_has(s->no_spill, c);
    law_same(S, "csw: stalled_i = CTAs in the pipeline that are stalled", told,
             (stalled && (told || !hidden)) || (told && C->used && pipeline && frozen));
  }
}

/* Room for another CTA: in the pipeline, in the register file, for a new one. */
static void check_room(struct sm *S, const struct cta_switch *s, const struct csm *m, const struct csw_in *in,
                       const struct csm_out *csm) {
  unsigned active = 0, here = 0;
  for (unsigned c = 0; c < CTAS; c++) {
    active += in_class(m, CSM_ACTIVE, c);
    here += s->rf_slot[c] >= 0;
  }
  law_same(S, "csw: pipeline_slot_free_i = room for an active CTA", in->pipeline_slot_free_i, active < s->active_limit);
  law_same(S, "csw: acrf_slot_free_i = room in the register file", in->acrf_slot_free_i, here < sm_view(S)->rf_slots);
  law_same(S, "csw: new_fits_i = the grid has a CTA, and there is room for it", in->new_fits_i,
           grid_has_cta(S) && sm_view(S)->ncta < sm_view(S)->cta_limit && csm->new_cta_o < sm_view(S)->cta_limit &&
               !s->barred);
}

/* The context of one CTA: shared memory's port for so many cycles, and then it has moved. */
static void check_context(struct sm *S, struct switch_book *b, const struct csw_in *in, const struct csw_out *out) {
  if (out->context_move_valid_o && !b->moves)
    law_told(S, LAW_CONTEXT, (uint64_t)sm_view(S)->cfg->finereg_context_cycles * sm_view(S)->wpc, sm_view(S)->now);
  b->moves = out->context_move_valid_o;
  if (!law_same(S, "csw: context_move_done_i = the context's use of shared memory's port ends", in->context_move_done_i,
                out->context_move_valid_o && sm_view(S)->now + 1 >= law_shared_end(S)))
    return;
  if (in->context_move_done_i) b->moves = false;
}

/* Registers that leave the ACRF and come back. */
static void cta_switch_check_moves(struct sm *S, struct switch_book *b, const struct rmu *m, const struct rmu_in *in,
                                   const struct rmu_out *o) {
  law_same(S, "RMU: acrf_response_valid_i in the cycle after each read", in->acrf_response_valid_i, b->reading);
  if (b->reading)
    law_same_words(S, "RMU: acrf_response_data_i = the register that was read", in->acrf_response_data_i, b->row);
  b->reading = o->acrf_read_valid_o && in->acrf_read_ready_i;
  if (b->reading) {
    const unsigned w = cta_switch_warp_at(S, m->outgoing_cta_q, o->acrf_read_warp_o);
    law_access(S, law_group(S, w), RF_READ, warp_view(S, w)->row + (uint32_t)o->acrf_read_register_o);
    memcpy(b->row, check_row(S, w, (unsigned)o->acrf_read_register_o), sizeof b->row);
  }
  if (o->acrf_write_valid_o && in->acrf_write_ready_i) {
    const unsigned w = cta_switch_warp_at(S, m->incoming_cta_q, o->acrf_write_warp_o);
    law_access(S, law_group(S, w), RF_WRITE, warp_view(S, w)->row + (uint32_t)o->acrf_write_register_o);
    law_same_words(S, "RMU: acrf_write_data_o = the register after the write", o->acrf_write_data_o,
                   check_row(S, w, (unsigned)o->acrf_write_register_o));
  }
}

/* Live vectors and the warps' places in the program. */
static void check_vectors(struct sm *S, struct switch_book *b, const struct rmu *m, const struct rmu_in *in,
                          const struct rmu_out *o) {
  law_same(S, "RMU: invalidate_i in the launch's first cycle", in->invalidate_i, !b->begun);
  b->begun = true;
  law_same(S, "RMU: vector_base_i = address of the live vectors", in->vector_base_i,
           LIVE_BASE + (sm_view(S)->code_base - CODE_BASE));
  law_same(S, "RMU: code_base_i = address of the code", in->code_base_i, sm_view(S)->code_base);
  if (in->pc_live_i || in->pc_i) {
    const unsigned w = cta_switch_warp_at(S, m->outgoing_cta_q, o->pc_warp_o);
    const bool live = warp_lives(S, w);
    law_same(S, "RMU: pc_live_i = the warp has not ended", in->pc_live_i, live);
    if (live)
      law_same(S, "RMU: pc_i = the warp's next instruction", in->pc_i, sm_view(S)->code_base + 8 * law_next(S, w));
  }
  if (o->memory_request_valid_o && in->memory_request_ready_i) {
    const uint32_t at = (uint32_t)o->memory_request_addr_o;
    law_told(S, LAW_MOVED, at & ~127u, MEM_READ << 8 | 1u << (at % 128 / 32));
    law_own(S, LAW_LIVE, live_vector(law_code(S), (at - (uint32_t)in->vector_base_i) / 8), 0);
  }
  if (in->memory_response_valid_i) law_told(S, LAW_LIVE, in->memory_response_data_i, 0);
  if (in->fill_valid_i) law_told(S, LAW_LATE, in->fill_lanes_i, law_hash(in->fill_data_i, 128));
}

void cta_switch_laws(struct twins *t) {
  struct sm *S = t->sm;
  struct finereg_net *n = (struct finereg_net *)t;
  const struct cta_switch *s = cta_switch_of(S);
  const bool rmu = t->present[finereg_rmu];
  const struct csw_in *in = &n->csw.in[0];
  const struct csw_out *out = csw_get(n, 0);
  bool first;
  struct switch_book *b = law_memory(S, SLOT_RESIDENCY, sizeof *b, &first);
  if (first) {
    law_open(S, LAW_BEGUN), law_open(S, LAW_ENDED), law_open(S, LAW_CONTEXT);
    if (rmu) law_open(S, LAW_MOVED), law_open(S, LAW_LIVE), law_open(S, LAW_LATE);
  }
  if (out->launch_valid_o) law_told(S, LAW_BEGUN, out->launch_cta_o, sm_view(S)->now);
  if (in->finished_valid_i && out->finished_ready_o) law_told(S, LAW_ENDED, in->finished_cta_i, 0);
  law_same(S, "csw: cta_warps_i = warps of a CTA", in->cta_warps_i, sm_view(S)->wpc);
  check_status(S, s, csm_model(n, 0), &n->csm.in[0], in, out);
  check_room(S, s, csm_model(n, 0), in, csm_get(n, 0));
  check_context(S, b, in, out);
  if (!rmu) return;
  cta_switch_check_moves(S, b, rmu_model(n, 0), &n->rmu.in[0], rmu_get(n, 0));
  check_vectors(S, b, rmu_model(n, 0), &n->rmu.in[0], rmu_get(n, 0));
}
