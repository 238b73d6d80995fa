/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmu: register management engine: what both engines share, and the pipelined one. docs/blocks/finereg/rmu.md.
 *
 * A memory is read in the cycle of the request, not of the response, and a tag once more in stages 1 and 2: no entry of the incoming CTA
 * is written before the walk has vacated it.
 */
#include "blocks/finereg/rmu.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/finereg/rmu_serial.h"
#include "blocks/rules.h"

static bool rmu_is_serial(const struct rmu *s) { return s->size.Engine == RMU_SERIAL; }

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
  ppt_size(&s->ppt, &(struct ppt_params){.NumCtas = p->NumCtas, .NumEntries = p->NumEntries});
  fsmon_size(&s->fsmon, &(struct fsmon_params){.NumEntries = p->NumEntries});
  pcrf_size(&s->pcrf, &(struct pcrf_params){.NumEntries = p->NumEntries});
}

/* ---- the parts of a command that both engines have ---- */
void rmu_accept(struct rmu *s, const struct rmu_in *in) {
  struct ppt_out a, b;
  ppt_eval(&s->ppt, &(struct ppt_in){.read_cta_i = in->command_outgoing_cta_i}, &a);
  ppt_eval(&s->ppt, &(struct ppt_in){.read_cta_i = in->command_incoming_cta_i}, &b);
  s->operation_q = in->command_operation_i;
  s->outgoing_cta_q = in->command_outgoing_cta_i;
  s->incoming_cta_q = in->command_incoming_cta_i;
  s->command_warps_q = rmu_takes_outgoing(s) ? in->command_warps_i : 0;
  s->incoming_pointer_q = b.read_pointer_o;
  s->incoming_count_q = rmu_takes_incoming(s) ? b.read_count_o : 0;
  BLOCK_RULE(s->operation_q <= RMU_SWAP && !in->invalidate_i);
  BLOCK_RULE(!rmu_takes_outgoing(s) || (s->command_warps_q && s->command_warps_q <= rmu_NumWarps && !a.read_valid_o));
  BLOCK_RULE(!rmu_takes_incoming(s) || b.read_valid_o);
  s->r.needed_count_q = s->r.stored_count_q = s->r.previous_index_q = s->r.warp_q = s->r.reads_q = s->walked = 0;
}

void rmu_new_kernel(struct rmu *s, const struct rmu_in *in) {
  lrvc_tick(&s->lrvc,
            &(struct lrvc_in){.invalidate_i = 1, .vector_base_i = in->vector_base_i, .code_base_i = in->code_base_i});
}

void rmu_rule_look_up(const struct rmu *s, const struct rmu_in *in) {
  (void)s, (void)in;
  BLOCK_RULE(!(in->pc_i & 7) &&
             (!s->lrvc.begun || (in->vector_base_i == s->lrvc.vector_base && in->code_base_i == s->lrvc.code_base)));
}

void rmu_entered(struct rmu *s, uint64_t index, uint64_t warp, uint64_t reg) {
  s->r.previous_index_q = index;
  s->r.stored_count_q++;
  s->stored_valid_q = 1;
  s->stored_warp_q = warp;
  s->stored_register_q = reg;
  s->stored_index_q = index;
}

void rmu_done(struct rmu *s, bool ok, uint64_t count) {
  s->done_valid_q = 1;
  s->done_success_q = ok;
  s->done_count_q = count;
  s->r.state_q = RMU_IDLE;
}

void rmu_finish(struct rmu *s) {
  struct ppt_in p = {0};
  if (rmu_takes_incoming(s)) {
    p.clear_valid_i = 1;
    p.clear_cta_i = s->incoming_cta_q;
    s->held -= s->incoming_count_q;
  }
  if (rmu_takes_outgoing(s)) {
    p.write_valid_i = 1;
    p.write_cta_i = s->outgoing_cta_q;
    p.write_pointer_i = s->r.previous_index_q;
    p.write_count_i = s->r.needed_count_q;
    s->held += s->r.needed_count_q;
  }
  ppt_tick(&s->ppt, &p);
  BLOCK_INVARIANT(s->r.stored_count_q == s->r.needed_count_q && s->walked == s->incoming_count_q &&
                  s->held == s->fsmon.used);
  rmu_done(s, true, rmu_takes_outgoing(s) ? s->r.needed_count_q : s->incoming_count_q);
}

static void late_lanes(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.fill_valid_i = 1, .fill_index_i = in->fill_index_i, .fill_lanes_i = in->fill_lanes_i};
  BLOCK_RULE(fsmon_occupied(&s->fsmon, in->fill_index_i));
  if (!s->r.control_only) memcpy(p.fill_data_i, in->fill_data_i, sizeof p.fill_data_i);
  pcrf_tick(&s->pcrf, &p);
}

void rmu_ask_memory(const struct rmu *s, struct rmu_out *out) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  out->memory_request_valid_o = v.memory_request_valid_o;
  out->memory_request_addr_o = v.memory_request_addr_o;
}

/* ---- what a cycle of the pipelined engine decides, from its registers only ---- */
struct plan {
  bool ask, exchange, pass, drain;
  bool head;            /* the window's oldest entry is written to the ACRF */
  enum rmu_step next;   /* without a pop of the chain's last entry */
  struct rmu_name read; /* with exchange or drain */
};

static unsigned rmu_pipe_place(const struct rmu_pipe *p, unsigned k) {
  const unsigned at = p->window_head_q + k;
  return at < RMU_PLACES ? at : at - RMU_PLACES;
}

/* Entries that the outgoing CTA's registers may take. */
static uint64_t rmu_available(const struct rmu *s) { return s->pipe.spare_q + s->incoming_count_q; }

static bool moved_all(const struct rmu *s) {
  return !s->pipe.unanswered_q && s->r.stored_count_q + s->pipe.buffer_valid_q == s->r.needed_count_q;
}

static enum rmu_step next_step(const struct rmu *s) {
  if (s->r.state_q == RMU_MOVE) return s->pipe.walk_over_q && moved_all(s) ? RMU_FINISH : RMU_MOVE;
  if (rmu_available(s) >= s->r.needed_count_q + 63 * s->pipe.unanswered_q) return RMU_MOVE;
  return s->r.needed_count_q > rmu_available(s) && !s->pipe.lookup_valid_q ? RMU_IDLE : RMU_LOOK;
}

/* True if this warp's vector has not arrived. */
static bool rmu_vector_unknown(const struct rmu *s, uint64_t w) {
  return (w >= s->r.warp_q && w < s->command_warps_q) || (s->pipe.lookup_valid_q && s->pipe.lookup_warp_q == w);
}

/* True if this register of the outgoing CTA is live and has not been read: noted in the row that is drained, or in its vector. */
static bool in_row(const struct rmu_pipe *p, struct rmu_name n) {
  return p->drain_warp_q == n.warp && p->remaining_q >> n.reg & 1;
}
static bool in_vector(const struct rmu *s, struct rmu_name n) {
  return s->pipe.vector_valid_q >> n.warp & 1 && s->vector_q[n.warp] >> n.reg & 1;
}

static struct plan rmu_pipe_decide(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  const bool move = s->r.state_q == RMU_MOVE, room = s->r.reads_q < RMU_READS;
  struct plan d = {.next = next_step(s)};
  d.ask = s->r.warp_q != s->command_warps_q && s->lrvc.r.state_q == LRVC_IDLE &&
          (move || s->r.needed_count_q <= rmu_available(s));
  if (!move) return d;
  d.head = p->passed_count_q && p->data_count_q;
  if (p->passed_count_q < p->window_count_q) {
    const struct rmu_name q = p->window_q[rmu_pipe_place(p, p->passed_count_q)].name;
    const bool known = !rmu_vector_unknown(s, q.warp), mine = known && (in_row(p, q) || in_vector(s, q));
    d.pass = known && !mine;
    d.exchange = mine && room && !p->drain_hold_q;
    d.read = q;
  }
  d.drain = !d.exchange && p->remaining_q && room && p->spare_q;
  if (d.drain) d.read = (struct rmu_name){(uint8_t)p->drain_warp_q, (uint8_t)bit_low64(p->remaining_q)};
  return d;
}

/* ---- outputs ---- */
static void rmu_pipe_eval(const struct rmu *s, struct rmu_out *out) {
  if (s->r.state_q == RMU_FINISH) return;
  const struct plan d = rmu_pipe_decide(s);
  if (s->lrvc.r.state_q == LRVC_MEMORY_REQUEST) rmu_ask_memory(s, out);
  if (d.ask) out->pc_warp_o = s->r.warp_q;
  if (d.exchange || d.drain) {
    out->acrf_read_valid_o = 1;
    out->acrf_read_warp_o = d.read.warp;
    out->acrf_read_register_o = d.read.reg;
  }
  if (!d.head) return;
  const struct rmu_place *h = &s->pipe.window_q[s->pipe.window_head_q];
  out->acrf_write_valid_o = 1;
  out->acrf_write_warp_o = h->name.warp;
  out->acrf_write_register_o = h->name.reg;
  if (!s->r.control_only) memcpy(out->acrf_write_data_o, h->data, sizeof out->acrf_write_data_o);
}

void rmu_eval(const struct rmu *s, const struct rmu_in *in, struct rmu_out *out) {
  (void)in;
  *out = (struct rmu_out){
      .free_count_o = rmu_free_entries(s),
      .stored_valid_o = s->stored_valid_q,
      .stored_warp_o = s->stored_warp_q,
      .stored_register_o = s->stored_register_q,
      .stored_index_o = s->stored_index_q,
      .restored_valid_o = s->restored_valid_q,
      .restored_warp_o = s->restored_warp_q,
      .restored_register_o = s->restored_register_q,
      .fill_ready_o = rmu_is_serial(s) ? s->r.state_q <= RMU_VECTOR_WAIT : !s->pipe.buffer_valid_q,
      .done_valid_o = s->done_valid_q,
      .done_success_o = s->done_success_q,
      .done_count_o = s->done_count_q,
  };
  if (s->r.state_q == RMU_IDLE) {
    out->command_ready_o = 1;
    return;
  }
  out->busy_o = 1;
  out->busy_outgoing_valid_o = rmu_takes_outgoing(s);
  out->busy_outgoing_cta_o = rmu_takes_outgoing(s) ? s->outgoing_cta_q : 0;
  out->busy_incoming_valid_o = rmu_takes_incoming(s);
  out->busy_incoming_cta_o = rmu_takes_incoming(s) ? s->incoming_cta_q : 0;
  if (rmu_is_serial(s)) rmu_serial_eval(s, out);
  else rmu_pipe_eval(s, out);
}

/* ---- the clock edge of the pipelined engine ---- */
static void rmu_pipe_begin(struct rmu *s, const struct rmu_in *in) {
  struct rmu_pipe *p = &s->pipe;
  rmu_accept(s, in);
  p->unanswered_q = s->command_warps_q;
  p->spare_q = rmu_free_entries(s);
  p->walk_over_q = !s->incoming_count_q;
  p->walk_start_q = s->incoming_count_q != 0;
  p->drain_hold_q = false;
  p->remaining_q = p->vector_valid_q = 0;
  s->r.state_q = rmu_takes_outgoing(s) ? RMU_LOOK : s->incoming_count_q ? RMU_MOVE : RMU_FINISH;
}

static void rmu_pipe_check(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  (void)p;
  BLOCK_INVARIANT(p->credit_q + p->stage1_valid_q + p->stage2_valid_q + p->window_count_q == RMU_PLACES);
  BLOCK_INVARIANT(p->passed_count_q <= p->window_count_q && p->data_count_q + p->stage3_valid_q == p->window_count_q);
  BLOCK_INVARIANT(s->r.state_q != RMU_MOVE || rmu_free_entries(s) == p->spare_q + s->r.reads_q + p->buffer_valid_q +
                                                                         p->window_count_q - p->passed_count_q);
}

/* Stores the buffer in the lowest free entry, and vacates the entry in stage 2. */
static void rmu_pipe_move_entries(struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  if (!p->buffer_valid_q && !p->stage2_valid_q) return;
  struct fsmon_out f;
  fsmon_eval(&s->fsmon, &(struct fsmon_in){0}, &f);
  if (p->buffer_valid_q) {
    const uint64_t at = f.free_index_o;
    s->pcrf.tag_m[at] = (struct pcrf_tag){(uint16_t)s->r.previous_index_q, p->buffer_name_q.warp, p->buffer_name_q.reg,
                                          s->r.stored_count_q == 0};
    if (!s->r.control_only) memcpy(s->pcrf.data_m[at], s->buffer_data_q, sizeof s->buffer_data_q);
    rmu_entered(s, at, p->buffer_name_q.warp, p->buffer_name_q.reg);
  }
  fsmon_tick(&s->fsmon, &(struct fsmon_in){.allocate_valid_i = p->buffer_valid_q,
                                           .release_valid_i = p->stage2_valid_q,
                                           .release_index_i = p->stage2_valid_q ? p->stage2_index_q : 0});
}

static void rmu_pipe_read_tag(struct rmu *s, uint16_t at) {
  struct rmu_pipe *p = &s->pipe;
  BLOCK_INVARIANT(fsmon_occupied(&s->fsmon, at));
  p->wait_valid_q = !p->credit_q;
  p->wait_index_q = at;
  if (!p->credit_q) return;
  p->credit_q--;
  p->stage1_valid_q = true;
  p->stage1_index_q = at;
}

/* The entry in stage 2 enters the window. */
static void rmu_pipe_vacate(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  const struct pcrf_tag tag = s->pcrf.tag_m[p->stage2_index_q];
  struct rmu_place *e = &p->window_q[rmu_pipe_place(p, p->window_count_q)];
  s->walked++;
  BLOCK_INVARIANT(s->walked <= s->incoming_count_q && tag.end == (s->walked == s->incoming_count_q));
  e->name = (struct rmu_name){tag.warp, tag.reg};
  e->end = tag.end;
  if (!s->r.control_only) memcpy(e->data, s->pcrf.data_m[p->stage2_index_q], sizeof e->data);
  p->window_count_q++;
}

static void rmu_pipe_walk(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  p->data_count_q += p->stage3_valid_q;
  p->stage3_valid_q = p->stage2_valid_q;
  if (p->stage2_valid_q) rmu_pipe_vacate(s);
  const bool tag = p->stage1_valid_q;
  p->stage2_valid_q = tag;
  p->stage2_index_q = p->stage1_index_q;
  p->stage1_valid_q = false;
  if (p->wait_valid_q) rmu_pipe_read_tag(s, p->wait_index_q);
  else if (tag && !s->pcrf.tag_m[p->stage2_index_q].end) rmu_pipe_read_tag(s, s->pcrf.tag_m[p->stage2_index_q].next);
  else if (p->walk_start_q) {
    p->walk_start_q = false;
    rmu_pipe_read_tag(s, (uint16_t)s->incoming_pointer_q);
  }
}

static void rmu_pipe_pop(struct rmu *s) {
  struct rmu_pipe *p = &s->pipe;
  const struct rmu_place *h = &p->window_q[p->window_head_q];
  s->restored_valid_q = 1;
  s->restored_warp_q = h->name.warp;
  s->restored_register_q = h->name.reg;
  p->walk_over_q |= h->end;
  p->window_head_q = rmu_pipe_place(p, 1);
  p->window_count_q--;
  p->passed_count_q--;
  p->data_count_q--;
  p->credit_q++;
}

/* The answer of a read, and the read that is accepted. */
static void rmu_pipe_take_reads(struct rmu *s, const struct rmu_in *in, const struct plan *d) {
  struct rmu_pipe *p = &s->pipe;
  p->buffer_valid_q = in->acrf_response_valid_i;
  if (in->acrf_response_valid_i) {
    if (!s->r.control_only) memcpy(s->buffer_data_q, in->acrf_response_data_i, sizeof s->buffer_data_q);
    p->buffer_name_q = p->read_name_q[0];
    p->read_name_q[0] = p->read_name_q[1];
    s->r.reads_q--;
  }
  if ((d->exchange || d->drain) && in->acrf_read_ready_i) p->read_name_q[s->r.reads_q++] = d->read;
  p->drain_hold_q = d->drain && !in->acrf_read_ready_i;
}

/* Passes the window's next entry, or takes a register off the row or its vector; then loads the next row. */
static void rmu_pipe_take_registers(struct rmu *s, const struct plan *d, bool taken) {
  struct rmu_pipe *p = &s->pipe;
  const uint32_t rows = p->vector_valid_q;
  const uint64_t bit = 1ull << d->read.reg;
  bool load = !p->remaining_q;
  if (d->pass) p->passed_count_q++, p->spare_q++;
  if (d->drain && taken) {
    p->remaining_q &= ~bit;
    p->spare_q--;
    load = !p->remaining_q;
  }
  if (d->exchange && taken) {
    p->passed_count_q++;
    if (in_row(p, d->read)) {
      p->remaining_q &= ~bit;
    } else {
      s->vector_q[d->read.warp] &= ~bit;
      if (!s->vector_q[d->read.warp]) p->vector_valid_q &= ~(1u << d->read.warp);
    }
  }
  if (!load || !rows) return;
  p->drain_warp_q = (uint64_t)bit_low32(rows);
  p->remaining_q = s->vector_q[p->drain_warp_q];
  p->vector_valid_q &= ~(1u << p->drain_warp_q);
}

static void rmu_pipe_look_up(struct rmu *s, const struct rmu_in *in, bool ask) {
  struct rmu_pipe *p = &s->pipe;
  struct lrvc_in v = {.memory_request_ready_i = in->memory_request_ready_i,
                      .memory_response_valid_i = in->memory_response_valid_i,
                      .memory_response_data_i = in->memory_response_data_i};
  const bool busy = s->lrvc.response_valid_q || s->lrvc.r.state_q != LRVC_IDLE;
  BLOCK_RULE(!in->memory_response_valid_i || !(in->memory_response_data_i >> 63));
  if (s->lrvc.response_valid_q) {
    s->vector_q[p->lookup_warp_q] = s->lrvc.response_vector_q;
    p->vector_valid_q |= (uint32_t)(s->lrvc.response_vector_q != 0) << p->lookup_warp_q;
    s->r.needed_count_q += (uint64_t)bit_count64(s->lrvc.response_vector_q);
    p->unanswered_q--;
    p->lookup_valid_q = 0;
  }
  if (ask && in->pc_live_i) {
    rmu_rule_look_up(s, in);
    v.request_valid_i = 1;
    v.request_pc_i = in->pc_i;
    v.vector_base_i = in->vector_base_i;
    v.code_base_i = in->code_base_i;
    p->lookup_valid_q = 1;
    p->lookup_warp_q = s->r.warp_q;
  } else if (ask) {
    p->unanswered_q--;
  }
  s->r.warp_q += ask;
  if (busy || v.request_valid_i) lrvc_tick(&s->lrvc, &v);
}

/* Look and move. */
static void rmu_pipe_run(struct rmu *s, const struct rmu_in *in) {
  const bool move = s->r.state_q == RMU_MOVE;
  struct plan d = rmu_pipe_decide(s);
  const bool out = d.head && in->acrf_write_ready_i;
  rmu_pipe_check(s);
  if (move && out && s->pipe.window_q[s->pipe.window_head_q].end && moved_all(s)) d.next = RMU_FINISH;
  if (move) {
    rmu_pipe_move_entries(s);
    rmu_pipe_take_reads(s, in, &d);
    rmu_pipe_take_registers(s, &d, in->acrf_read_ready_i);
    rmu_pipe_walk(s);
    if (out) rmu_pipe_pop(s);
  }
  if (d.next == RMU_IDLE) {
    s->pipe.vector_valid_q = 0;
    rmu_done(s, false, s->r.needed_count_q);
    return;
  }
  rmu_pipe_look_up(s, in, d.ask);
  s->r.state_q = d.next;
}

static void rmu_pipe_finish(struct rmu *s) {
  BLOCK_INVARIANT(!s->pipe.window_count_q && !s->pipe.remaining_q && !s->pipe.vector_valid_q && !s->r.reads_q &&
                  !s->pipe.buffer_valid_q);
  rmu_finish(s);
}

void rmu_tick(struct rmu *s, const struct rmu_in *in) {
  BLOCK_RULE(!in->invalidate_i || s->r.state_q == RMU_IDLE);
  BLOCK_RULE(!in->memory_response_valid_i || s->lrvc.r.state_q == LRVC_MEMORY_WAIT);
  s->pcrf.r.control_only = s->r.control_only;
  s->stored_valid_q = s->stored_warp_q = s->stored_register_q = s->stored_index_q = 0;
  s->restored_valid_q = s->restored_warp_q = s->restored_register_q = 0;
  s->done_valid_q = s->done_success_q = s->done_count_q = 0;
  if (in->fill_valid_i && (rmu_is_serial(s) ? s->r.state_q <= RMU_VECTOR_WAIT : !s->pipe.buffer_valid_q))
    late_lanes(s, in);
  if (rmu_is_serial(s)) {
    rmu_serial_tick(s, in);
    return;
  }
  BLOCK_RULE(!in->acrf_response_valid_i || s->r.reads_q);
  if (s->r.state_q == RMU_FINISH) rmu_pipe_finish(s);
  else if (s->r.state_q != RMU_IDLE) rmu_pipe_run(s, in);
  else if (in->command_valid_i) rmu_pipe_begin(s, in);
  else if (in->invalidate_i) rmu_new_kernel(s, in);
}

uint64_t rmu_idle(const struct rmu *s) {
  const struct rmu_pipe *p = &s->pipe;
  if (s->stored_valid_q | s->restored_valid_q | s->done_valid_q) return 0;
  if (s->r.state_q == RMU_IDLE) return UINT64_MAX;
  if (rmu_is_serial(s)) return rmu_serial_idle(s);
  if (s->r.state_q == RMU_FINISH) return 0;
  const struct plan d = rmu_pipe_decide(s);
  if (d.ask || d.exchange || d.pass || d.drain || d.head || d.next != s->r.state_q) return 0;
  if (s->r.state_q == RMU_MOVE) {
    if (p->buffer_valid_q || p->walk_start_q || p->stage1_valid_q || p->stage2_valid_q || p->stage3_valid_q ||
        (p->wait_valid_q && p->credit_q))
      return 0;
    if (!p->remaining_q && p->vector_valid_q) return 0;
  }
  return lrvc_idle(&s->lrvc);
}
