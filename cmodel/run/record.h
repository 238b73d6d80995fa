/* SPDX-License-Identifier: Apache-2.0 */
/* record: the launches of a run as a trace (docs/trace-format.md). */
#ifndef RT_RUN_RECORD_H
#define RT_RUN_RECORD_H

#include "run/load.h"
#include "stream/trf_write.h"

struct recording;
/* Of a run of `w` (no trace) under `cfg`; path NULL: a temporary file without a name. The run gets it as
 * run_progress.record. functional: without timing. NULL and *e: the file cannot be written. */
struct recording *recording_new(const struct workload *w, const struct config *cfg, uint64_t seed, bool functional,
                                bool values, const char *path, struct err *e);
/* ok: the run has ended well, and the trace is finished; else nothing is left of it. *fd as trf_finish. */
bool recording_end(struct recording *r, bool ok, int *fd, struct err *e);

/* The whole of it: runs a workload by its name and records it in `path`. hooks: of its run; its member record is set. */
struct run_progress;
struct record_what {
  const char *name, *size, *path;
  const struct config *cfg;
  uint64_t seed; /* 0: the launch file's own */
  bool functional, values;
};
bool record_workload(const struct record_what *what, struct run_progress *hooks, struct err *e);

/* For run/timed.c: the launch begins, with the first of its streams; a stream of it; and it has ended. */
void recording_launch(struct recording *r, const struct launch *l, const struct stream *s, uint32_t code_base);
struct trf_writer *recording_writer(struct recording *r);
void recording_launch_end(struct recording *r);
/* A launch without timing, recorded: as exec_run. */
bool recording_run(struct recording *r, const struct launch *l, struct exec_counts *counts, struct err *e);

#endif
