/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dram: the mover of Reg+DRAM (FineReg, section VI-A; after Zorua): a CTA that leaves writes all registers of its
 * unfinished warps to memory, 128 bytes each, and reads them when it comes back. One register a cycle, by the ports
 * that operands and results leave free, and as the interconnect accepts them; a swap is a spill and then a restore. A
 * load that returns for a suspended CTA is written to memory too. Its accesses bypass the L1.
 */
#include <stdlib.h>
#include <string.h>

#include "systems/finereg/cta_switch.h"

enum step { IDLE, WRITING, READING, OVER };

struct carrier {
  enum step step;
  bool accepts; /* a command, in this cycle */
  unsigned op, a, b;
  uint32_t next, asked, come, written; /* registers of the CTA that moves: written out; asked for, come, written back */
  uint32_t *queue;                     /* those that have come, in order */
  uint32_t *values;                    /* [CTA][registers of a CTA][32], with sim.check */
};

static void *init(const struct config *c) {
  (void)c;
  return xcalloc(1, sizeof(struct carrier));
}

static void done(void *state) {
  struct carrier *d = state;
  free(d->queue), free(d->values), free(d);
}

static void carrier_begin(struct sm *S, struct cta_switch *s, const struct kernel *kernel) {
  (void)kernel;
  struct carrier *d = s->state;
  free(d->queue), free(d->values);
  *d = (struct carrier){.queue = xcalloc(registers_of_cta(S), sizeof *d->queue)};
  if (sm_view(S)->check) d->values = xcalloc_lines((size_t)sm_view(S)->cta_limit * registers_of_cta(S), 128);
  if (sm_view(S)->laws) law_open(S, LAW_MOVED);
  csw_set(&s->net, 0)->command_ready_i = 1;
}

/* Register k of a CTA: warp k / warp_regs. */
static unsigned carrier_warp_at(const struct sm *S, unsigned c, uint32_t k) {
  return cta_switch_warp_at(S, c, k / sm_view(S)->warp_regs);
}
static uint32_t carrier_address(const struct sm *S, unsigned c, uint32_t k) {
  return saved_base(S) + (c * registers_of_cta(S) + k) * 128;
}
static uint32_t *carrier_value(const struct sm *S, const struct carrier *d, unsigned c, uint32_t k) {
  return d->values + ((size_t)c * registers_of_cta(S) + k) * 32;
}

/* The mover's side of a law: lanes of a value move to or from its place in memory. */
static void tell_law(struct sm *S, const struct carrier *d, enum mem_kind kind, const uint32_t *from, uint32_t lanes) {
  unsigned sectors = 0;
  for (; lanes; lanes &= lanes - 1) sectors |= 1u << bit_low32(lanes) / 8;
  law_told(S, LAW_MOVED, saved_base(S) + (uint32_t)(from - d->values) * 4, (uint64_t)kind << 8 | sectors);
}

/* The first one from k on that is of an unfinished warp. */
static uint32_t carrier_next(const struct sm *S, unsigned c, uint32_t k) {
  while (k < registers_of_cta(S)) {
    unsigned w = carrier_warp_at(S, c, k);
    if (warp_lives(S, w)) return k;
    k += sm_view(S)->warp_regs - k % sm_view(S)->warp_regs;
  }
  return k;
}

static bool carrier_claim(struct sm *S, unsigned c, uint32_t k, int what) {
  unsigned w = carrier_warp_at(S, c, k);
  return rf_claim(S, group_of(S, w % sm_view(S)->nsched),
                  rf_bank(S, k % sm_view(S)->warp_regs, warp_view(S, w)->rf_slot), what);
}

static void write_memory(struct sm *S, unsigned c, uint32_t k, uint32_t lanes) {
  uint8_t sectors = 0;
  for (unsigned i = 0; i < 4; i++) sectors |= (uint8_t)(((lanes >> 8 * i & 0xff) != 0) << i);
  struct mem_req r = {.addr = carrier_address(S, c, k),
                      .kind = MEM_WRITE,
                      .sectors = sectors,
                      .words = lanes,
                      .bytes = (uint8_t)(4 * bit_count32(lanes))};
  sm_post(S, &r);
  sm_counters(S)->context_writes++;
}

static enum late late(struct sm *S, struct cta_switch *s, const struct inflight_view *f) {
  struct carrier *d = s->state;
  unsigned w = f->inst.warp, c = warp_view(S, w)->cta;
  if (d->step != IDLE && ((d->op != CSW_RESTORE && c == d->a) || (d->op != CSW_SPILL && c == d->b))) return LATE_HOLD;
  if (!s->away[c]) return LATE_PASS;
  for (unsigned k = 0; k < f->op->ndst; k++) {
    if (f->completed >> k & 1) continue;
    if (f->inst.lanes) {
      if (!memory_takes(S)) return LATE_HOLD;
      uint32_t at = (w - cta_view(S, c)->slot[0]) * sm_view(S)->warp_regs + f->op->dst[k];
      write_memory(S, c, at, f->inst.lanes);
      if (sm_view(S)->laws) tell_law(S, d, MEM_WRITE, carrier_value(S, d, c, at), f->inst.lanes);
      for (uint32_t m = sm_view(S)->check ? f->inst.lanes : 0; m; m &= m - 1)
        carrier_value(S, d, c, at)[bit_low32(m)] = result_values(S, &f->inst, k)[bit_low32(m)];
    }
    result_complete_now(S, f, k);
  }
  sm_counters(S)->late_taken++;
  return LATE_TAKEN;
}

static void reply(struct sm *S, struct cta_switch *s, const struct mem_reply *r) {
  (void)S;
  struct carrier *d = s->state;
  d->queue[d->come++] = r->tag & ~TAG_RESIDENCY;
}

static void carrier_read_in(struct sm *S, struct carrier *d, unsigned c) {
  uint32_t n = registers_of_cta(S);
  if (d->written < d->come && carrier_claim(S, c, d->queue[d->written], RF_WRITE)) {
    uint32_t k = d->queue[d->written++];
    if (sm_view(S)->check)
      memcpy(check_row(S, carrier_warp_at(S, c, k), k % sm_view(S)->warp_regs), carrier_value(S, d, c, k), 128);
    if (sm_view(S)->laws)
      law_access(S, law_group(S, carrier_warp_at(S, c, k)), RF_WRITE,
                 warp_view(S, carrier_warp_at(S, c, k))->row + k % sm_view(S)->warp_regs);
    sm_counters(S)->regs_in++;
  }
  d->next = carrier_next(S, c, d->next);
  if (d->next < n && memory_takes(S)) {
    struct mem_req r = {
        .addr = carrier_address(S, c, d->next), .tag = TAG_RESIDENCY | d->next, .kind = MEM_READ, .sectors = 15};
    sm_post(S, &r);
    if (sm_view(S)->laws) tell_law(S, d, MEM_READ, carrier_value(S, d, c, d->next), ~0u);
    sm_counters(S)->context_reads++;
    d->next++;
    d->asked++;
  }
  if (carrier_next(S, c, d->next) == n && d->written == d->asked) d->step = OVER;
}

static void carrier_write_out(struct sm *S, struct carrier *d, unsigned c) {
  uint32_t n = registers_of_cta(S), k = d->next = carrier_next(S, c, d->next);
  if (k < n && memory_takes(S) && carrier_claim(S, c, k, RF_READ)) {
    if (sm_view(S)->check)
      memcpy(carrier_value(S, d, c, k), check_row(S, carrier_warp_at(S, c, k), k % sm_view(S)->warp_regs), 128);
    write_memory(S, c, k, ~0u);
    if (sm_view(S)->laws) {
      tell_law(S, d, MEM_WRITE, carrier_value(S, d, c, k), ~0u);
      law_access(S, law_group(S, carrier_warp_at(S, c, k)), RF_READ,
                 warp_view(S, carrier_warp_at(S, c, k))->row + k % sm_view(S)->warp_regs);
    }
    sm_counters(S)->regs_out++;
    d->next++;
  }
  if (carrier_next(S, c, d->next) < n) return;
  d->next = 0;
  d->step = d->op == CSW_SWAP ? READING : OVER;
}

static void engine(struct sm *S, struct cta_switch *s) {
  struct carrier *d = s->state;
  if (d->step == WRITING) carrier_write_out(S, d, d->a);
  else if (d->step == READING) carrier_read_in(S, d, d->b);
}

/* csw's command, which it takes if it stands still. */
static void carrier_ask(struct sm *S, struct cta_switch *s) {
  struct carrier *d = s->state;
  const struct csw_out *c = csw_get(&s->net, 0);
  d->accepts = c->command_valid_o && s->net.csw.in[0].command_ready_i;
  if (!d->accepts) return;
  (void)S;
  d->op = (unsigned)c->command_operation_o;
  d->a = (unsigned)c->command_outgoing_cta_o;
  d->b = (unsigned)c->command_incoming_cta_o;
}

static void commit(struct sm *S, struct cta_switch *s) {
  struct carrier *d = s->state;
  NET_LEVEL(&s->net, csw, 0, done_valid_i, d->step == OVER);
  NET_LEVEL(&s->net, csw, 0, done_success_i, d->step == OVER);
  if (d->step == OVER) {
    d->step = IDLE;
    cta_switch_ended(S, s, d->op, d->a, d->b, true);
  } else if (d->accepts) {
    d->next = d->asked = d->come = d->written = 0;
    d->step = d->op == CSW_RESTORE ? READING : WRITING;
    cta_switch_begins(S, s, d->op, d->a, d->b);
  }
  d->accepts = false;
  NET_LEVEL(&s->net, csw, 0, command_ready_i, d->step == IDLE);
}

static uint64_t idle(struct sm *S, const struct cta_switch *s) {
  (void)S;
  const struct carrier *d = s->state;
  if (d->step == IDLE) return NEVER;
  return d->step == READING && carrier_next(S, d->b, d->next) == registers_of_cta(S) && d->written == d->come ? NEVER
                                                                                                              : 0;
}

static bool end(struct sm *S, struct cta_switch *s, struct err *e) {
  (void)s;
  const struct sm_stats *t = sm_counters(S);
  return (t->regs_in == t->regs_out && t->context_reads == t->regs_in) ||
         err_at(e, NULL, 0, 0,
                "conservation law broken: registers that left for memory came back (%llu, %llu), by reads (%llu); "
                "this is a bug of the simulator",
                (unsigned long long)t->regs_out, (unsigned long long)t->regs_in, (unsigned long long)t->context_reads);
}

const struct register_mover mover_dram = {.init = init,
                                          .done = done,
                                          .begin = carrier_begin,
                                          .late = late,
                                          .reply = reply,
                                          .engine = engine,
                                          .ask = carrier_ask,
                                          .commit = commit,
                                          .idle = idle,
                                          .end = end};
