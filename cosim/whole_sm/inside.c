/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the inputs of the parts of rmu and pfu, from their registers and ports: the connections of rtl/finereg/rmu.sv and
 * rtl/ltrf/pfu.sv; of pfu's many aau the one that gives the cache banks of slot 0. The C models tick a part only when they use it; here
 * each part is observed in every cycle, so that its Verilog can be stepped beside it. An input that goes with a valid is 0
 * without it. An error here is detected: the part's Verilog, driven with these inputs, would leave the states of the part in
 * its block. Both engines of rmu hold lrvc, ppt and fsmon, the serial one rid and pcrf, too.
 */
#include "inside.h"

#include <string.h>

#include "blocks/finereg/rmu.h"
#include "blocks/ltrf/pfu.h"

struct now { /* one cycle of rmu */
  const struct rmu *s;
  const struct rmu_in *in;
  const struct rmu_out *out;
  bool serial;
  bool ask; /* a warp's vector is to be looked up, if the warp is live */
  struct fsmon_out f;
  bool take; /* a's register goes to a free entry */
  /* the serial engine only */
  struct pcrf_out h;  /* the head of the walk */
  bool pop, exchange; /* b's register leaves; a's takes its place */
};

static bool show_lrvc(const struct now *n, inside_show show, void *ctx) {
  const struct lrvc_in in = {.invalidate_i = n->in->invalidate_i,
                             .vector_base_i = n->in->vector_base_i,
                             .code_base_i = n->in->code_base_i,
                             .request_valid_i = n->ask && n->in->pc_live_i,
                             .request_pc_i = n->ask && n->in->pc_live_i ? n->in->pc_i : 0,
                             .memory_request_ready_i = n->in->memory_request_ready_i,
                             .memory_response_valid_i = n->in->memory_response_valid_i,
                             .memory_response_data_i = n->in->memory_response_data_i};
  struct lrvc_out out = {0};
  lrvc_eval(&n->s->lrvc, &in, &out);
  return show(ctx, "finereg/lrvc", &n->s->lrvc, &in, &out);
}

static bool show_rid(const struct now *n, inside_show show, void *ctx) {
  const struct rmu *s = n->s;
  const bool load = s->r.state_q == RMU_DRAIN_LOAD;
  const struct rid_in in = {
      .load_valid_i = load,
      .load_vector_i = load ? s->vector_q[s->r.warp_q] : 0,
      .register_ready_i = s->r.state_q != RMU_WALK && n->out->acrf_read_valid_o && n->in->acrf_read_ready_i};
  struct rid_out out = {0};
  rid_eval(&s->rid, &in, &out);
  return show(ctx, "finereg/rid", &s->rid, &in, &out);
}

static bool show_ppt(const struct now *n, inside_show show, void *ctx) {
  const struct rmu *s = n->s;
  const bool end = s->r.state_q == RMU_FINISH, clear = end && s->operation_q != RMU_SPILL,
             write = end && s->operation_q != RMU_RESTORE;
  const struct ppt_in in = {.read_cta_i = n->in->command_incoming_cta_i,
                            .clear_valid_i = clear,
                            .clear_cta_i = clear ? s->incoming_cta_q : 0,
                            .write_valid_i = write,
                            .write_cta_i = write ? s->outgoing_cta_q : 0,
                            .write_pointer_i = write ? s->r.previous_index_q : 0,
                            .write_count_i = write ? s->r.needed_count_q : 0};
  struct ppt_out out = {0};
  ppt_eval(&s->ppt, &in, &out);
  return show(ctx, "finereg/ppt", &s->ppt, &in, &out);
}

static bool show_fsmon(const struct now *n, inside_show show, void *ctx) {
  const struct rmu_pipe *p = &n->s->pipe;
  const bool free = n->serial ? n->pop && !n->exchange : p->stage2_valid_q;
  const struct fsmon_in in = {.allocate_valid_i = n->take,
                              .release_valid_i = free,
                              .release_index_i = !free       ? 0
                                                 : n->serial ? n->h.head_index_o
                                                             : p->stage2_index_q};
  return show(ctx, "finereg/fsmon", &n->s->fsmon, &in, &n->f);
}

static bool show_pcrf(const struct now *n, inside_show show, void *ctx) {
  const struct rmu *s = n->s;
  const bool walk = s->r.state_q == RMU_WALK && !s->walk_begun_q;
  struct pcrf_in in = {.walk_valid_i = walk, .walk_pointer_i = walk ? s->incoming_pointer_q : 0, .head_pop_i = n->pop};
  if (n->take || n->exchange) {
    in.write_valid_i = 1;
    in.write_index_i = n->exchange ? n->h.head_index_o : n->f.free_index_o;
    in.write_end_i = s->r.stored_count_q == 0;
    in.write_next_i = s->r.previous_index_q;
    in.write_warp_i = n->exchange ? n->h.head_warp_o : s->r.warp_q;
    in.write_register_i = n->exchange ? n->h.head_register_o : s->register_q;
    memcpy(in.write_data_i, s->buffer_data_q, sizeof in.write_data_i);
  }
  if (n->in->fill_valid_i && n->out->fill_ready_o) {
    in.fill_valid_i = 1;
    in.fill_index_i = n->in->fill_index_i;
    in.fill_lanes_i = n->in->fill_lanes_i;
    memcpy(in.fill_data_i, n->in->fill_data_i, sizeof in.fill_data_i);
  }
  return show(ctx, "finereg/pcrf", &s->pcrf, &in, &n->h);
}

static bool show_shared(const struct now *n, inside_show show, void *ctx) {
  return show_lrvc(n, show, ctx) && show_ppt(n, show, ctx) && show_fsmon(n, show, ctx);
}

static bool show_serial(struct now *n, inside_show show, void *ctx) {
  pcrf_eval(&n->s->pcrf, &(struct pcrf_in){0}, &n->h);
  n->pop = n->out->acrf_write_valid_o && n->in->acrf_write_ready_i;
  n->exchange = n->pop && n->s->r.reads_q == 2; /* write: the head's entry takes the buffer */
  n->take = n->s->r.state_q == RMU_DRAIN_WRITE;
  n->ask = n->s->r.state_q == RMU_VECTOR_REQUEST;
  return show_shared(n, show, ctx) && show_rid(n, show, ctx) && show_pcrf(n, show, ctx);
}

static bool show_pipelined(struct now *n, inside_show show, void *ctx) {
  const struct rmu *s = n->s;
  const bool look = s->r.state_q == RMU_LOOK && s->r.needed_count_q <= s->pipe.spare_q + s->incoming_count_q;
  n->take = s->pipe.buffer_valid_q;
  n->ask = (look || s->r.state_q == RMU_MOVE) && s->r.warp_q != s->command_warps_q && s->lrvc.r.state_q == LRVC_IDLE;
  return show_shared(n, show, ctx);
}

/* ---- pfu ---- */

static bool show_farb(const struct pfu *s, const struct pfu_in *in, uint64_t asks, inside_show show, void *ctx) {
  struct farb_in f = {
      .request_valid_i = asks, .request_write_back_i = asks & s->evicts, .cache_ready_i = in->cache_ready_i};
  struct farb_out out = {0};
  for (uint64_t m = asks; m; m &= m - 1) {
    const unsigned k = (unsigned)bit_low64(m);
    f.request_main_bank_i[k] = s->main_bank[k];
    if (f.request_write_back_i >> k & 1) f.request_cache_bank_i[k] = s->cache_bank[k];
  }
  memcpy(f.main_ready_i, in->main_ready_i, sizeof f.main_ready_i);
  farb_eval(&s->farb, &f, &out);
  return show(ctx, "ltrf/farb", &s->farb, &f, &out);
}

static bool show_aau(const struct pfu *s, const struct pfu_in *in, const struct pfu_out *o, uint64_t drops,
                     inside_show show, void *ctx) {
  const bool evict = s->evicts & 1;
  const bool moves =
      drops & 1 || (o->main_read_valid_o && !o->main_read_slot_o) || (o->main_write_valid_o && !o->cache_read_slot_o);
  const bool init = in->command_valid_i && o->command_ready_o && in->command_i == PFU_ACTIVATE && !aau_head(&s->slots);
  const struct aau_in a = {.init_i = init,
                           .pop_valid_i = moves && !evict,
                           .push_valid_i = moves && evict,
                           .push_number_i = moves && evict ? s->bank[0][s->next[0]] : 0};
  struct aau_out out = {0};
  aau_eval(&s->banks[0], &a, &out);
  return show(ctx, "ltrf/aau", &s->banks[0], &a, &out);
}

static bool show_pfu(const struct pfu *s, const struct pfu_in *in, const struct pfu_out *out, inside_show show,
                     void *ctx) {
  const uint64_t free = ~(uint64_t)pfu_kept(s, in);
  return show_farb(s, in, s->asks & free, show, ctx) && show_aau(s, in, out, s->drops & free, show, ctx);
}

bool inside_show_parts(const char *block, const void *state, const void *in, const void *out, inside_show show,
                       void *ctx) {
  if (!strcmp(block, "ltrf/pfu")) return show_pfu(state, in, out, show, ctx);
  if (strcmp(block, "finereg/rmu")) return true;
  struct now n = {.s = state, .in = in, .out = out};
  n.serial = n.s->size.Engine == RMU_SERIAL;
  fsmon_eval(&n.s->fsmon, &(struct fsmon_in){0}, &n.f);
  return n.serial ? show_serial(&n, show, ctx) : show_pipelined(&n, show, ctx);
}
