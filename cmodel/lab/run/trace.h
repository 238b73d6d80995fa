/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: a trace (trace/trf/trf.h) as a workload: its kernels are compiled or taken as they were recorded, and its launches run
 * in the place of a launch file's.
 */
#ifndef RT_RUN_TRACE_H
#define RT_RUN_TRACE_H

#include "launch/launch.h"
#include "lab/run/load.h"
#include "trace/trf/trf.h"

/* By its name: it ends in .trf; or it is of Accel-Sim (docs/use/accel-sim.md): a list, .g, or .traceg, .traceg.xz. */
bool trace_named(const char *name);
bool trace_foreign(const char *name); /* the latter */
void trace_short(char *name);         /* takes these endings off */
/* Of w as workload_find left it: opens w->path, and makes w->module. cfg: the run to come; NULL: code as it was recorded.
 * Refused, with the reason: what a trace cannot serve under cfg. */
bool trace_open(struct workload *w, const struct config *cfg, struct err *e);
void trace_close(struct workload *w);
/* Gives the kernels the near bits that the recorded run had, if cfg asks for the same ones and has the same code. False:
 * it does not, or they are not in the trace. */
bool trace_near(const struct workload *w, const struct config *cfg);
/* Calls ops->launch with each launch, as script_go does with a launch file's. *at: zeros, or where a run was that goes on within
 * a launch, which ops->resume ends. */
struct trace_at {
  uint32_t next; /* launch */
  uint64_t ran;  /* warp instructions */
  bool within;
  struct launch l;
};
bool trace_go(const struct workload *w, const struct host_ops *ops, struct trace_at *at, struct err *e);
/* script_run, or trace_go for a trace. */
bool workload_go(struct workload *w, uint64_t seed, const struct host_ops *ops, struct err *e);
/* The kernels that are launched, by number; NULL past the last. */
const char *workload_kernel(const struct workload *w, unsigned i);
bool workload_has_kernel(const struct workload *w, const char *kernel); /* it is launched */
/* The seed of a run that is given 0. */
uint64_t workload_seed(const struct workload *w);

/* What META says of the run that was recorded; texts belong to *m. */
struct trace_meta {
  struct config cfg;
  bool known; /* cfg is the whole configuration; else it was another program's, and has other keys */
  char program[64], machine[64], system[64], launch_file[1024], kernel[128], size[32], entry[128];
  uint64_t seed;
  bool timed;
};
/* `regs N` that the launch file gave a kernel; 0: nothing. */
uint32_t trace_regs(const struct trf *t, const char *kernel);
bool trace_meta_read(const struct trf *t, struct trace_meta *m, struct err *e);
/* Keys of which cfg has another value than the recording, "sm.warps, l1.bytes and 3 more"; "": none that matters. */
const char *trace_differs(const struct trace_meta *m, const struct config *cfg, char *buf, size_t size);
/* One line on stderr if they differ; of Accel-Sim's files what the import has to say. */
void trace_note(const struct workload *w, const struct config *cfg);
/* META of a recording; freed by the caller. */
char *trace_meta(const struct workload *w, const struct config *cfg, uint64_t seed, bool functional);

#endif
