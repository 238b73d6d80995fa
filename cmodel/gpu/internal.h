/* SPDX-License-Identifier: Apache-2.0 */
/* internal: the state of the simulated GPU, shared by gpu.c and quantum.c. */
#ifndef RT_GPU_INTERNAL_H
#define RT_GPU_INTERNAL_H

#include "gpu/dispatch.h"
#include "gpu/gpu.h"

struct gpu {
  struct config cfg;
  struct mem *mem;
  unsigned sms, threads;
  struct sm *sm[GPU_SMS];
  struct stream *stream[GPU_SMS]; /* of the launch: the caller's */
  struct dispatch *dispatch;
  uint64_t quantum, now, number; /* cycles of a quantum; the end of the last one; of the next one */
  uint64_t begun, cycles;        /* the launch's first cycle; of the launches that have ended */
  uint64_t ctas;                 /* that ended in them */
  bool launched, stopped;        /* a launch is under way; it has reached sim.stop_cycles or sim.stop_ctas */
  uint64_t most_insns;           /* of all launches at which this one has had too many */
  struct sm_seen {
    struct sm_report is; /* at the end of its last quantum */
    char pad[64 - sizeof(struct sm_report)];
  } * seen;                        /* by SM; a line of a host cache each */
  unsigned visit[GPU_SMS], visits; /* the SMs that have something to do in the next quantum, ascending */
  /* by SM: a quantum has ended of which it was not told (sm_quantum): it is when its next one begins */
  bool ended[GPU_SMS];
};

/* ---- quantum.c ---- */
/* Host threads for the quanta of a while; they hold nothing between two quanta. NULL: one thread, the caller's. */
struct crew;
struct crew *crew_new(struct gpu *g);
void crew_free(struct crew *c);    /* NULL is fine */
void quantum_begin(struct gpu *g); /* the launch's first: CTAs are given out */
void quantum_run(struct gpu *g, struct crew *c);
/* Reports the end of the quantum to the SMs. too_many: the launch has executed more instructions than it may. */
void quantum_tell(struct gpu *g, bool too_many);

#endif
