/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem: construction, event loop and final checks. docs/reference/memory.md is its description.
 *
 * The latency of a single request in an idle memory, posted at cycle c, reply at c + this (RQ, RP:
 * noc.request_bytes, noc.reply_bytes; n: sectors; every division of a time rounds as said):
 *
 *   L2 hit   floor(7 / RQ) + noc.latency + l2.latency + floor((8 + 32 n - 1) / RP) + noc.latency
 *   DRAM     the same + ceil(tRCD + CL + n * burst) + dram.latency          (no row open in the bank)
 *
 * with burst = 32 * gpu.clock_mhz * channels of the share * gpu.sms / (dram.mbps * sms) cycles, exact. An
 * open row saves tRCD; another open row costs tRP more once tRAS, tRC, tWR allow the precharge.
 */
#include <stdlib.h>

#include "mem/internal.h"

struct part part_of(uint32_t n) {
  return (struct part){n, n & (n - 1) ? -1 : bit_low32(n)};
}

struct mem *mem_new(const struct config *cfg, unsigned sms) {
  struct mem *m = xcalloc(1, sizeof *m);
  m->sms = sms;
  port_init(m, cfg);
  l2_init(m, cfg);
  dram_init(m, cfg);
  m->leaves = 1;
  while (m->leaves < m->nchannels + m->sms + m->nslices) m->leaves *= 2;
  m->tree = xmalloc(2 * (size_t)m->leaves * sizeof *m->tree);
  for (uint32_t i = 0; i < 2 * m->leaves; i++) m->tree[i] = NEVER;
  return m;
}

void mem_free(struct mem *m) {
  if (!m) return;
  port_free(m);
  l2_free(m);
  dram_free(m);
  free(m->tree);
  free(m);
}

void mem_advance(struct mem *m, uint64_t end) {
  if (end < m->end) die("mem: quantum ends before the last one");
  uint64_t limit = end << ID_BITS, key;
  while ((key = m->tree[1]) < limit) {
    uint64_t t = key >> ID_BITS;
    uint32_t id = (uint32_t)(key & ((1u << ID_BITS) - 1));
    if (id < m->nchannels) dram_run(m, id, t);
    else if (id < m->nchannels + m->sms) noc_run(m, id - m->nchannels, t);
    else l2_run(m, id - m->nchannels - m->sms, t);
  }
  m->st.cycles = end;
}

void mem_exchange(struct mem *m, uint64_t end) {
  m->end = end;
  port_collect(m);
  port_hand_out(m, end);
}

void mem_quantum(struct mem *m, uint64_t end) {
  port_collect(m);
  mem_advance(m, end);
  mem_exchange(m, end);
}

uint64_t mem_next(const struct mem *m) {
  uint64_t next = m->tree[1] == NEVER ? NEVER : m->tree[1] >> ID_BITS;
  for (uint32_t i = 0; i < m->sms; i++) {
    const struct port *p = &m->port[i];
    if (p->fl_n && !p->blocked && p->fl[p->fl_head].at < next) next = p->fl[p->fl_head].at;
    if (!p->fl_n && p->out_n && p->out[0].at < next) next = p->out[0].at;
    if (p->rep_head < p->rep_n) { /* handed out by the first quantum after which it is near enough */
      uint64_t at = p->rep[p->rep_head].cycle - m->quantum + 1;
      if (at < next) next = at;
    }
  }
  return next < m->end ? m->end : next;
}

uint64_t mem_stored(const struct mem *m, unsigned sm) { return m->port[sm].stored; }

void mem_touch(struct mem *m, uint32_t line_addr) { l2_touch(m, line_addr >> 7); }

const struct mem_stats *mem_stats(const struct mem *m) { return &m->st; }

static bool mem_check_same(struct err *e, const char *what, uint64_t a, uint64_t b) {
  if (a == b) return true;
  return err_at(e, NULL, 0, 0, "memory: %s: found %llu, expected %llu", what, (unsigned long long)a,
                (unsigned long long)b);
}

/* Every queue empty, every credit, MSHR and entry free. */
static bool check_drained(const struct mem *m, struct err *e) {
  for (uint32_t i = 0; i < m->sms; i++) {
    const struct port *p = &m->port[i];
    if (!mem_check_same(e, "credits home", p->home + p->back_n, m->credits)) return false;
    if (!mem_check_same(e, "requests under way", p->out_n + p->fl_n, 0)) return false;
  }
  for (uint32_t i = 0; i < m->nslices; i++) {
    const struct slice *s = &m->slice[i];
    if (!mem_check_same(e, "free MSHRs", s->free_n, m->mshrs)) return false;
    if (!mem_check_same(e, "requests in an L2 queue", s->q_n + s->wait_n, 0)) return false;
  }
  for (uint32_t i = 0; i < m->nchannels; i++) {
    const struct channel *c = &m->channel[i];
    if (!mem_check_same(e, "requests in a DRAM queue", c->n[0] + c->n[1] + c->fill_n, 0)) return false;
  }
  uint32_t n = 0;
  for (uint32_t i = m->target_free; i != NONE; i = m->target[i].next) n++;
  return mem_check_same(e, "free MSHR targets", n, m->target_n);
}

bool mem_check(const struct mem *m, struct err *e) {
  const struct mem_stats *s = &m->st;
  uint64_t dirty = 0;
  size_t lines = (size_t)m->nslices * m->by_set.n * m->ways;
  for (size_t i = 0; i < lines; i++) {
    const struct way *w = &m->way[i];
    dirty += sectors_in(w->dirty);
    if (w->dirty & ~(w->valid | w->part) || w->part & (w->valid | ~w->dirty))
      return err_at(e, NULL, 0, 0, "memory: L2 line %zu: sector masks contradict each other", i);
  }
  uint64_t sectors = s->dram_read_sectors + s->dram_write_sectors;
  uint64_t part = (uint64_t)((unsigned __int128)sectors * m->burst.rem / m->burst.den);
  return check_drained(m, e) && mem_check_same(e, "replies", s->replies, s->req_reads + s->req_atomics) &&
         mem_check_same(e, "replies not handed out", m->pending_replies, 0) &&
         mem_check_same(e, "L2 reads", s->l2_read_hit + s->l2_read_miss + s->l2_read_merge, s->req_reads) &&
         mem_check_same(e, "L2 writes", s->l2_write_hit + s->l2_write_miss, s->req_writes) &&
         mem_check_same(e, "L2 atomics", s->l2_atomics, s->req_atomics) &&
         mem_check_same(e, "sectors filled", m->filled, m->fetched) &&
         mem_check_same(e, "sectors made dirty", m->dirtied, s->dram_write_sectors + dirty) &&
         mem_check_same(e, "DRAM bursts", s->dram_row_hit + s->dram_row_miss + s->dram_row_conflict, m->served) &&
         mem_check_same(e, "DRAM bus time", s->dram_busy, sectors * m->burst.step + part) &&
         mem_check_same(e, "reply bytes", s->noc_reply_bytes, 8 * s->replies + 32 * m->replied_sectors);
}

static uint64_t mem_idle_latency(const struct config *cfg, bool dram) {
  struct mem m = {.sms = 1}; /* DRAM only: small */
  uint64_t way = (uint64_t)cfg->noc_latency, t = 7 / (uint64_t)cfg->noc_request_bytes + way +
                                                 (uint64_t)cfg->l2_latency +
                                                 (8 + 4 * 32 - 1) / (uint64_t)cfg->noc_reply_bytes + way;
  if (!dram) return t;
  dram_init(&m, cfg);
  struct pace bus = {0, 0};
  pace_take(&bus, &m.burst, m.rcd + m.cl[0], 4);
  t += pace_end(&bus) + m.dram_latency;
  dram_free(&m);
  return t;
}

uint64_t mem_hit_latency(const struct config *cfg) { return mem_idle_latency(cfg, false); }
uint64_t mem_dram_latency(const struct config *cfg) { return mem_idle_latency(cfg, true); }

static double rate_cycles(const struct rate *r) { return ((double)r->step + (double)r->rem / (double)r->den) / 256; }

struct mem_share mem_share(const struct config *cfg) {
  struct mem *m = mem_new(cfg, (unsigned)cfg->sim_sms);
  double apart = rate_cycles(&m->rrd), quarter = (double)m->faw / 256 / 4;
  const struct mem_share s = {.slices = m->nslices,
                              .mshrs = m->nslices * m->mshrs,
                              .channels = m->nchannels,
                              .request = rate_cycles(&m->l2_rate),
                              .activate = apart > quarter ? apart : quarter};
  mem_free(m);
  return s;
}
