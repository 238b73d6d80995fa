/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu: the quantum loop. The SM runs a quantum apart from the memory; then memory advances as far, atomics are performed,
 * and both meet. A quantum is at most the one-way latency between them, so neither can see what the other does within it.
 */
#include "gpu/gpu.h"

#include <stdlib.h>

#include "sm/sm.h"

struct gpu {
  struct config cfg;
  struct mem *mem;
  struct sm *sm;
  uint64_t quantum, now;
};

struct gpu *gpu_new(const struct config *cfg, struct err *e) {
  struct gpu *g = xcalloc(1, sizeof *g);
  g->cfg = *cfg;
  g->quantum = (uint64_t)(cfg->gpu_quantum ? cfg->gpu_quantum : cfg->noc_latency);
  if (g->quantum > (uint64_t)cfg->noc_latency) {
    err_at(e, NULL, 0, 0, "gpu.quantum %lld, expected at most noc.latency (%lld)", (long long)cfg->gpu_quantum,
           (long long)cfg->noc_latency);
    free(g);
    return NULL;
  }
  g->mem = mem_new(&g->cfg, 1);
  g->sm = sm_new(&g->cfg, g->mem, 0, e);
  if (g->sm) return g;
  gpu_free(g);
  return NULL;
}

void gpu_free(struct gpu *g) {
  if (!g) return;
  sm_free(g->sm);
  mem_free(g->mem);
  free(g);
}

static void quantum(struct gpu *g) {
  g->now += g->quantum;
  sm_run(g->sm, g->now);
  mem_quantum(g->mem, g->now);
  sm_quantum(g->sm);
}

struct stream_room gpu_room(const struct gpu *g) {
  return sm_room(g->sm);
}

bool gpu_launch(struct gpu *g, struct stream *stream, const struct kernel *k, const struct gpu_progress *p,
                struct err *e) {
  enum { TICK = 1 << 16 };
  if (!sm_begin(g->sm, stream, k, g->now, e)) return false;
  uint64_t tick = g->now + TICK;
  while (sm_running(g->sm) && !sm_failed(g->sm, e)) {
    quantum(g);
    if (p && g->now >= tick) {
      p->tick(p->ctx, sm_stats(g->sm)->cycles, sm_ctas_done(g->sm), stream->ctas, sm_stats(g->sm)->warp_insns);
      tick = g->now + TICK;
    }
  }
  if (sm_failed(g->sm, e)) return false;
  /* stores and atomics on their way; no cycle of it counts for the kernel */
  while (!sm_drained(g->sm) || mem_next(g->mem) != UINT64_MAX) quantum(g);
  return sm_end(g->sm, e) && mem_check(g->mem, e);
}

void gpu_probe(struct gpu *g, const struct probe *p) { sm_probe(g->sm, p); }
void gpu_observe(struct gpu *g, const struct observer *o) { sm_observe(g->sm, o); }
const struct sm_stats *gpu_stats(const struct gpu *g) { return sm_stats(g->sm); }
const struct mem_stats *gpu_mem_stats(const struct gpu *g) { return mem_stats(g->mem); }
uint64_t gpu_hash(const struct gpu *g) { return sm_hash(g->sm); }
uint32_t gpu_warps_fit(const struct gpu *g) { return sm_warps_fit(g->sm); }
uint32_t gpu_occupancy(const struct gpu *g, const char **limiter) { return sm_occupancy(g->sm, limiter); }
