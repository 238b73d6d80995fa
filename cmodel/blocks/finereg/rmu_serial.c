/* SPDX-License-Identifier: Apache-2.0 */
/* rmu_serial: rmu's serial engine: one register at a time. docs/blocks/finereg/rmu.md, "Serial engine". */
#include "blocks/finereg/rmu_serial.h"

#include <string.h>

#include "base/bits.h"
#include "blocks/rules.h"

/* reads_q in walk: what the head of the FIFO waits for */
enum { HEAD, READ, WRITE };

/* ---- outputs ---- */
static void eval_walk(const struct rmu *s, struct rmu_out *out) {
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &(struct pcrf_in){0}, &h);
  if (!h.head_valid_o || s->r.reads_q == READ) return;
  if (s->r.reads_q == HEAD && s->vector_q[h.head_warp_o] >> h.head_register_o & 1) {
    out->acrf_read_valid_o = 1;
    out->acrf_read_warp_o = h.head_warp_o;
    out->acrf_read_register_o = h.head_register_o;
    return;
  }
  out->acrf_write_valid_o = 1;
  out->acrf_write_warp_o = h.head_warp_o;
  out->acrf_write_register_o = h.head_register_o;
  if (!s->r.control_only) memcpy(out->acrf_write_data_o, h.head_data_o, sizeof out->acrf_write_data_o);
}

static void eval_drain(const struct rmu *s, struct rmu_out *out) {
  struct rid_out x;
  rid_eval(&s->rid, &(struct rid_in){0}, &x);
  if (!x.register_valid_o) return;
  out->acrf_read_valid_o = 1;
  out->acrf_read_warp_o = s->r.warp_q;
  out->acrf_read_register_o = x.register_o;
}

void rmu_serial_eval(const struct rmu *s, struct rmu_out *out) {
  if (s->r.state_q == RMU_VECTOR_REQUEST) out->pc_warp_o = s->r.warp_q;
  if (s->r.state_q == RMU_VECTOR_WAIT) rmu_ask_memory(s, out);
  if (s->r.state_q == RMU_WALK) eval_walk(s, out);
  if (s->r.state_q == RMU_DRAIN_READ || s->r.state_q == RMU_DRAIN_WRITE) eval_drain(s, out);
}

/* ---- the parts of a command ---- */
static void rmu_serial_go(struct rmu *s, enum rmu_step step, uint64_t w) {
  s->r.state_q = step;
  s->r.warp_q = w;
}

static void rmu_serial_begin(struct rmu *s, const struct rmu_in *in) {
  rmu_accept(s, in);
  memset(s->vector_q, 0, sizeof s->vector_q);
  s->r.state_q = rmu_takes_outgoing(s) ? RMU_VECTOR_REQUEST : s->incoming_count_q ? RMU_WALK : RMU_FINISH;
}

static void next_vector(struct rmu *s) {
  if (s->r.warp_q + 1 < s->command_warps_q) rmu_serial_go(s, RMU_VECTOR_REQUEST, s->r.warp_q + 1);
  else rmu_serial_go(s, RMU_ADMIT, 0);
}

static void ask_vector(struct rmu *s, const struct rmu_in *in) {
  if (!in->pc_live_i) {
    next_vector(s); /* its vector is 0 since the accept */
    return;
  }
  rmu_rule_look_up(s, in);
  lrvc_tick(&s->lrvc, &(struct lrvc_in){.request_valid_i = 1,
                                        .request_pc_i = in->pc_i,
                                        .vector_base_i = in->vector_base_i,
                                        .code_base_i = in->code_base_i});
  s->r.state_q = RMU_VECTOR_WAIT;
}

static void take_vector(struct rmu *s, const struct rmu_in *in) {
  struct lrvc_out v;
  lrvc_eval(&s->lrvc, &(struct lrvc_in){0}, &v);
  BLOCK_RULE(!in->memory_response_valid_i || !(in->memory_response_data_i >> 63));
  lrvc_tick(&s->lrvc, &(struct lrvc_in){.memory_request_ready_i = in->memory_request_ready_i,
                                        .memory_response_valid_i = in->memory_response_valid_i,
                                        .memory_response_data_i = in->memory_response_data_i});
  if (!v.response_valid_o) return;
  s->vector_q[s->r.warp_q] = v.response_vector_o;
  s->r.needed_count_q += (uint64_t)bit_count64(v.response_vector_o);
  next_vector(s);
}

static void rmu_serial_admit(struct rmu *s) {
  const bool swap = s->operation_q == RMU_SWAP;
  if (rmu_free_entries(s) + (swap ? s->incoming_count_q : 0) < s->r.needed_count_q) {
    memset(s->vector_q, 0, sizeof s->vector_q);
    rmu_done(s, false, s->r.needed_count_q);
  } else {
    rmu_serial_go(s, swap && s->incoming_count_q ? RMU_WALK : RMU_DRAIN_LOAD, 0);
  }
}

/* The register in the buffer becomes this entry and the head of the outgoing CTA's chain. */
static void rmu_serial_enter(struct rmu *s, struct pcrf_in *p, uint64_t index, uint64_t warp, uint64_t reg) {
  p->write_valid_i = 1;
  p->write_index_i = index;
  p->write_end_i = s->r.stored_count_q == 0;
  p->write_next_i = s->r.previous_index_q;
  p->write_warp_i = warp;
  p->write_register_i = reg;
  if (!s->r.control_only) memcpy(p->write_data_i, s->buffer_data_q, sizeof p->write_data_i);
  rmu_entered(s, index, warp, reg);
}

/* The head has been written to the ACRF. In an exchange its entry takes the register of the outgoing CTA that was there. */
static void rmu_serial_leave(struct rmu *s, const struct pcrf_out *h, bool exchange, struct pcrf_in *p) {
  BLOCK_INVARIANT(fsmon_occupied(&s->fsmon, h->head_index_o));
  s->walked++;
  BLOCK_INVARIANT(s->walked <= s->incoming_count_q && h->head_end_o == (s->walked == s->incoming_count_q));
  p->head_pop_i = 1;
  s->restored_valid_q = 1;
  s->restored_warp_q = h->head_warp_o;
  s->restored_register_q = h->head_register_o;
  if (exchange) {
    rmu_serial_enter(s, p, h->head_index_o, h->head_warp_o, h->head_register_o);
    s->vector_q[h->head_warp_o] &= ~(1ull << h->head_register_o);
  } else {
    fsmon_tick(&s->fsmon, &(struct fsmon_in){.release_valid_i = 1, .release_index_i = h->head_index_o});
  }
  s->r.reads_q = HEAD;
  if (!h->head_end_o) return;
  s->walk_begun_q = false;
  rmu_serial_go(s, rmu_takes_outgoing(s) ? RMU_DRAIN_LOAD : RMU_FINISH, 0);
}

static void rmu_serial_walk(struct rmu *s, const struct rmu_in *in) {
  struct pcrf_in p = {.walk_valid_i = !s->walk_begun_q, .walk_pointer_i = s->walk_begun_q ? 0 : s->incoming_pointer_q};
  struct pcrf_out h;
  pcrf_eval(&s->pcrf, &p, &h);
  s->walk_begun_q = true;
  if (h.head_valid_o) {
    switch (s->r.reads_q) {
      case HEAD:
        if (!(s->vector_q[h.head_warp_o] >> h.head_register_o & 1)) {
          if (in->acrf_write_ready_i) rmu_serial_leave(s, &h, false, &p);
        } else if (in->acrf_read_ready_i) {
          s->r.reads_q = READ;
        }
        break;
      case READ:
        if (!in->acrf_response_valid_i) break;
        if (!s->r.control_only) memcpy(s->buffer_data_q, in->acrf_response_data_i, sizeof s->buffer_data_q);
        s->r.reads_q = WRITE;
        break;
      default:
        if (in->acrf_write_ready_i) rmu_serial_leave(s, &h, true, &p);
    }
  }
  pcrf_tick(&s->pcrf, &p);
}

static void next_warp(struct rmu *s) {
  if (s->r.warp_q + 1 < s->command_warps_q) rmu_serial_go(s, RMU_DRAIN_LOAD, s->r.warp_q + 1);
  else rmu_serial_go(s, RMU_FINISH, 0);
}

static void load_vector(struct rmu *s) {
  const uint64_t vec = s->vector_q[s->r.warp_q];
  s->vector_q[s->r.warp_q] = 0;
  rid_tick(&s->rid, &(struct rid_in){.load_valid_i = 1, .load_vector_i = vec});
  if (vec) s->r.state_q = RMU_DRAIN_READ;
  else next_warp(s);
}

/* The lowest register left is read, if the ACRF accepts; true if there is one at all. */
static bool read_register(struct rmu *s, const struct rmu_in *in) {
  struct rid_out x;
  rid_eval(&s->rid, &(struct rid_in){0}, &x);
  if (x.register_valid_o && in->acrf_read_ready_i) {
    s->register_q = x.register_o;
    rid_tick(&s->rid, &(struct rid_in){.register_ready_i = 1});
    s->r.state_q = RMU_DRAIN_WAIT;
  } else {
    s->r.state_q = RMU_DRAIN_READ;
  }
  return x.register_valid_o;
}

static void rmu_serial_write_register(struct rmu *s, const struct rmu_in *in) {
  struct fsmon_out f;
  struct pcrf_in p = {0};
  fsmon_eval(&s->fsmon, &(struct fsmon_in){0}, &f);
  rmu_serial_enter(s, &p, f.free_index_o, s->r.warp_q, s->register_q);
  fsmon_tick(&s->fsmon, &(struct fsmon_in){.allocate_valid_i = 1});
  pcrf_tick(&s->pcrf, &p);
  if (!read_register(s, in)) next_warp(s);
}

static bool rmu_serial_is_reading(const struct rmu *s) {
  return s->r.state_q == RMU_DRAIN_WAIT || (s->r.state_q == RMU_WALK && s->r.reads_q == READ);
}

void rmu_serial_tick(struct rmu *s, const struct rmu_in *in) {
  BLOCK_RULE(!in->acrf_response_valid_i || rmu_serial_is_reading(s));
  switch (s->r.state_q) {
    case RMU_IDLE:
      if (in->command_valid_i) rmu_serial_begin(s, in);
      else if (in->invalidate_i) rmu_new_kernel(s, in);
      break;
    case RMU_VECTOR_REQUEST: ask_vector(s, in); break;
    case RMU_VECTOR_WAIT: take_vector(s, in); break;
    case RMU_ADMIT: rmu_serial_admit(s); break;
    case RMU_WALK: rmu_serial_walk(s, in); break;
    case RMU_DRAIN_LOAD: load_vector(s); break;
    case RMU_DRAIN_READ: read_register(s, in); break;
    case RMU_DRAIN_WAIT:
      if (!in->acrf_response_valid_i) break;
      if (!s->r.control_only) memcpy(s->buffer_data_q, in->acrf_response_data_i, sizeof s->buffer_data_q);
      s->r.state_q = RMU_DRAIN_WRITE;
      break;
    case RMU_DRAIN_WRITE: rmu_serial_write_register(s, in); break;
    default: rmu_finish(s);
  }
}

uint64_t rmu_serial_idle(const struct rmu *s) {
  if (s->r.state_q == RMU_DRAIN_WAIT) return UINT64_MAX;
  if (s->r.state_q == RMU_VECTOR_WAIT) return lrvc_idle(&s->lrvc);
  return rmu_serial_is_reading(s) ? pcrf_idle(&s->pcrf) : 0;
}
