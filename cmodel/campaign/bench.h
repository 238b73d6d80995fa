/* SPDX-License-Identifier: Apache-2.0 */
/* bench: how fast the simulator is and how much memory it takes, on a fixed set. */
#ifndef RT_CAMPAIGN_BENCH_H
#define RT_CAMPAIGN_BENCH_H

#include "run/run.h"

enum { BENCH_REPEAT = 3 };

struct bench_item {
  struct run_result run;          /* of the repetition with the median host time */
  uint64_t host_ns[BENCH_REPEAT]; /* ascending */
  uint64_t peak_rss_bytes;        /* of the child process that ran it, start to end */
};

extern const char *const bench_names[]; /* the fixed set; NULL-terminated */
/* Runs one kernel BENCH_REPEAT times, each in a forked child, so that memory is its own. */
bool bench_one(const char *name, const char *size, const struct config *cfg, bool functional, struct bench_item *out,
               struct err *e);

#endif
