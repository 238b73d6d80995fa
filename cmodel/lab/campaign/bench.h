/* SPDX-License-Identifier: Apache-2.0 */
/* bench: how fast the simulator is and how much memory it takes, on fixed sets. */
#ifndef RT_CAMPAIGN_BENCH_H
#define RT_CAMPAIGN_BENCH_H

#include "lab/run/run.h"

enum { BENCH_REPEAT = 3, BENCH_BEST = 5, BENCH_SMS = 16, BENCH_MANY = 80 };

struct bench_item {
  struct run_result run;          /* of the repetition with the median host time */
  uint64_t host_ns[BENCH_REPEAT]; /* ascending */
  uint64_t peak_rss_bytes;        /* of the child process that ran it, start to end */
};

extern const char *const bench_names[];     /* the fixed set of one SM; NULL-terminated */
extern const char *const bench_sms_names[]; /* of several SMs */
/* Runs one kernel BENCH_REPEAT times, each in a forked child, so that memory is its own. */
bool bench_one(const char *name, const char *size, const struct config *cfg, bool functional, struct bench_item *out,
               struct err *e);

/* A kernel on up to BENCH_SMS SMs of the machine. Times are in launches, the least of BENCH_BEST runs: processor time of one
 * thread; time on the wall of two threads; processor time of the slower of two processes that run at once, of one
 * thread each. */
struct bench_sms {
  unsigned sms;
  uint64_t insns; /* of all SMs */
  uint64_t one_ns, two_ns, pair_ns;
  uint64_t peak_rss_bytes; /* of one thread */
};
bool bench_several(const char *name, const char *size, const struct config *cfg, struct bench_sms *out, struct err *e);
/* The memory of a process that simulates BENCH_MANY SMs of a machine that has as many. */
bool bench_memory(const char *name, const char *size, const struct config *cfg, uint64_t *peak_rss_bytes,
                  struct err *e);

#endif
