/* SPDX-License-Identifier: Apache-2.0 */
/* record: the launches of a run as a trace (docs/use/trace-format.md). */
#ifndef RT_RUN_RECORD_H
#define RT_RUN_RECORD_H

#include "lab/run/load.h"
#include "trace/trf/trf_write.h"

struct recording;
/* The whole of it: runs a workload by its name and records it in `path`. hooks: of its run; its member record is set. */
struct run_progress;
struct record_what {
  const char *name, *size, *path;
  const struct config *cfg;
  uint64_t seed; /* 0: the launch file's own */
  bool functional, values;
};
bool record_workload(const struct record_what *what, struct run_progress *hooks, struct err *e);

/* For lab/run/timed.c: the launch begins, with the first of its streams; a stream of it; and it has ended. */
void recording_launch(struct recording *r, const struct launch *l, const struct stream *s, uint32_t code_base);
struct trf_writer *recording_writer(struct recording *r);
void recording_launch_end(struct recording *r);
/* A launch without timing, recorded: as exec_run. */
bool recording_run(struct recording *r, const struct launch *l, struct exec_counts *counts, struct err *e);

#endif
