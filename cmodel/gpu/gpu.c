/* SPDX-License-Identifier: Apache-2.0 */
/* gpu: see gpu.h; creation, a launch, what is asked about it. One quantum is in quantum.c. */
#include <stdlib.h>

#include "base/bits.h"
#include "gpu/internal.h"

struct gpu *gpu_new(const struct config *cfg, unsigned sms, struct err *e) {
  if (!sms || sms > GPU_SMS) {
    err_at(e, NULL, 0, 0, "found %u simulated SMs, expected 1 to %d", sms, GPU_SMS);
    return NULL;
  }
  if (cfg->gpu_quantum > cfg->noc_latency) {
    err_at(e, NULL, 0, 0, "gpu.quantum %lld, expected at most noc.latency (%lld)", (long long)cfg->gpu_quantum,
           (long long)cfg->noc_latency);
    return NULL;
  }
  struct gpu *g = xcalloc(1, sizeof *g);
  g->cfg = *cfg;
  g->quantum = (uint64_t)(cfg->gpu_quantum ? cfg->gpu_quantum : cfg->noc_latency);
  g->sms = sms;
  g->threads = 1;
  g->mem = mem_new(&g->cfg, sms);
  g->dispatch = dispatch_new(sms);
  g->seen = xcalloc_lines(sms, sizeof *g->seen);
  for (unsigned i = 0; i < sms; i++)
    if (!(g->sm[i] = sm_new(&g->cfg, g->mem, i, e))) {
      gpu_free(g);
      return NULL;
    }
  return g;
}

void gpu_free(struct gpu *g) {
  if (!g) return;
  for (unsigned i = 0; i < g->sms; i++) sm_free(g->sm[i]);
  dispatch_free(g->dispatch);
  free(g->seen);
  mem_free(g->mem);
  free(g);
}

void gpu_threads(struct gpu *g, unsigned threads) { g->threads = threads < g->sms ? threads : g->sms; }

unsigned gpu_sms(const struct gpu *g) { return g->sms; }
struct sm *gpu_sm(const struct gpu *g, unsigned sm) {
  return g->sm[sm];
}
const struct mem_stats *gpu_mem_stats(const struct gpu *g) { return mem_stats(g->mem); }

struct stream_room gpu_room(const struct gpu *g, unsigned sm) {
  struct stream_room room = sm_room(g->sm[sm]);
  room.sm = sm;
  room.sms = g->sms;
  room.stride = config_stride(&g->cfg, g->sms);
  return room;
}

uint64_t gpu_cycles(const struct gpu *g) { return g->cycles; }

uint64_t gpu_insns(const struct gpu *g) {
  uint64_t n = 0;
  for (unsigned i = 0; i < g->sms; i++) n += sm_stats(g->sm[i])->warp_insns;
  return n;
}

uint64_t gpu_hash(const struct gpu *g) {
  uint64_t h = 0;
  for (unsigned i = 0; i < g->sms; i++) h += sm_hash(g->sm[i]);
  return h;
}

/* ---- a launch ---- */

static bool gpu_is_running(const struct gpu *g) {
  bool any = dispatch_left(g->dispatch) != 0;
  for (unsigned i = 0; i < g->sms; i++) any |= g->seen[i].is.held || dispatch_source(g->dispatch, i)->ready;
  return any;
}

static bool gpu_is_drained(const struct gpu *g) {
  bool all = mem_next(g->mem) == UINT64_MAX;
  for (unsigned i = 0; i < g->sms; i++) all &= sm_drained(g->sm[i]);
  return all;
}

/* Of the errors of one quantum that of the lowest cycle is reported, and of those the one of the lowest SM. */
static bool gpu_has_failed(const struct gpu *g, struct err *e) {
  const struct sm *first = g->sm[0];
  bool any = false;
  for (unsigned i = 0; i < g->sms; i++) any |= g->seen[i].is.failed;
  if (!any) return false;
  for (unsigned i = 1; i < g->sms; i++)
    if (sm_failed_at(g->sm[i]) < sm_failed_at(first)) first = g->sm[i];
  if (sm_failed_at(first) == UINT64_MAX) return false;
  if (!e->set) *e = *sm_error(first);
  return true;
}

/* Of this launch. */
static uint32_t ctas_done(const struct gpu *g) {
  uint32_t done = 0;
  for (unsigned i = 0; i < g->sms; i++) done += sm_ctas_done(g->sm[i]);
  return done;
}

uint64_t gpu_ctas(const struct gpu *g) { return g->ctas + (g->launched ? ctas_done(g) : 0); }

bool gpu_spent(const struct gpu *g) {
  const uint64_t cycles = (uint64_t)g->cfg.sim_stop_cycles, ctas = (uint64_t)g->cfg.sim_stop_ctas;
  return (cycles && g->cycles + (g->launched ? g->now - g->begun : 0) >= cycles) || (ctas && gpu_ctas(g) >= ctas);
}
bool gpu_stopped(const struct gpu *g) { return g->stopped; }

static void gpu_tell(const struct gpu *g, const struct gpu_progress *p) {
  p->tick(p->ctx, g->cycles + g->now - g->begun, ctas_done(g), g->stream[0]->ctas, gpu_insns(g));
}

bool gpu_begin(struct gpu *g, struct stream *const *stream, const struct kernel *k, struct err *e) {
  for (unsigned i = 0; i < g->sms; i++) {
    g->stream[i] = stream[i];
    if (!sm_begin(g->sm[i], stream[i], dispatch_source(g->dispatch, i), k, g->now, e)) return false;
  }
  g->begun = g->now;
  g->launched = true;
  g->most_insns = k->most_insns ? gpu_insns(g) + k->most_insns : UINT64_MAX;
  dispatch_begin(g->dispatch, stream[0]->ctas);
  quantum_begin(g);
  return true;
}

/* The requests that the SMs counted must be those that the memory counted. */
static bool check_requests(const struct gpu *g, struct err *e) {
  uint64_t reads = 0, writes = 0, atomics = 0;
  for (unsigned i = 0; i < g->sms; i++) {
    reads += sm_reads_posted(g->sm[i]);
    writes += sm_writes_posted(g->sm[i]);
    atomics += sm_stats(g->sm[i])->atomics;
  }
  const struct mem_stats *m = mem_stats(g->mem);
  const bool evict = g->cfg.l1_write == l1_write_evict; /* with write back, some writes stay in the L1 */
  if (m->req_reads == reads && m->req_atomics == atomics && (!evict || m->req_writes == writes)) return true;
  return err_at(
      e, NULL, 0, 0,
      "conservation law broken: requests at L2 = those of the SMs (reads %llu, %llu; writes %llu, %llu; atomics %llu, "
      "%llu); this is a bug of the simulator",
      (unsigned long long)m->req_reads, (unsigned long long)reads, (unsigned long long)m->req_writes,
      (unsigned long long)writes, (unsigned long long)m->req_atomics, (unsigned long long)atomics);
}

static uint64_t gpu_ended_at(const struct gpu *g) {
  uint64_t last = g->begun;
  for (unsigned i = 0; i < g->sms; i++)
    if (sm_ended(g->sm[i]) > last) last = sm_ended(g->sm[i]);
  return last;
}

bool gpu_step(struct gpu *g, const struct gpu_progress *p, struct err *e) {
  enum { STEP = 1 << 16 };
  const uint64_t until = g->now + STEP;
  struct crew *c = crew_new(g);
  bool goes_on = true;
  while (goes_on && g->now < until) {
    if (!(goes_on = gpu_is_running(g) && !gpu_has_failed(g, e))) break;
    if (!(goes_on = !(g->stopped = gpu_spent(g)))) break;
    quantum_run(g, c);
  }
  crew_free(c);
  if (p && goes_on) gpu_tell(g, p);
  return goes_on;
}

static void close_launch(struct gpu *g, uint64_t end) {
  g->ctas += ctas_done(g);
  g->cycles += end - g->begun;
  g->launched = false;
}

static bool gpu_give_up(struct gpu *g) {
  for (unsigned i = 0; i < g->sms; i++) {
    sm_catch_up(g->sm[i], g->now);
    sm_give_up(g->sm[i]);
  }
  close_launch(g, g->now);
  return true;
}

bool gpu_end(struct gpu *g, struct err *e) {
  if (gpu_has_failed(g, e)) return false;
  quantum_tell(g, false);
  if (g->stopped) return gpu_give_up(g);
  while (!gpu_is_drained(g)) quantum_run(g, NULL); /* stores and atomics on their way, and what DRAM still does */
  quantum_tell(g, false);
  for (unsigned i = 0; i < g->sms; i++) {
    sm_catch_up(g->sm[i], g->now); /* PCAL counts the time between launches */
    sm_drain(g->sm[i], mem_stored(g->mem, i));
  }
  close_launch(g, gpu_ended_at(g));
  for (unsigned i = 0; i < g->sms; i++)
    if (!sm_end(g->sm[i], e)) return false;
  return check_requests(g, e) && mem_check(g->mem, e);
}
