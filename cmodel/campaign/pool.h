/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: many runs, each in a child process of its own, several at a time. A child that dies takes only its
 * own run with it. Results are the same whatever the number of children and the order in which they end.
 */
#ifndef RT_CAMPAIGN_POOL_H
#define RT_CAMPAIGN_POOL_H

#include "run/run.h"

struct task { /* one kernel under one configuration */
  char name[1024], size[32];
  struct config cfg;
};

struct work { /* what a child does with a task; its result is plain data without pointers */
  const char *name;
  size_t size;
  bool (*run)(const struct task *t, void *out, struct err *e);
};
extern const struct work work_run;        /* run_workload, timed; a struct run_result */
extern const struct work work_functional; /* the same, functional */

struct answer {
  bool ok, cached;
  struct err e;            /* when not ok */
  uint64_t peak_rss_bytes; /* of the child, start to end; 0: there was none */
};

struct cache;
struct pool {
  const struct work *work;
  unsigned jobs;                                                  /* children at a time, at least 1 */
  struct cache *cache;                                            /* campaign/cache.h; NULL: every task is run */
  void (*done)(void *ctx, unsigned task, const struct answer *a); /* in the parent, in the order of ending; or NULL */
  void *ctx;
};

/* Runs n tasks: a[i] and the i-th of `out` (n x work->size bytes) belong to t[i]. Returns when all have
 * ended. */
void pool_run(const struct pool *p, const struct task *t, unsigned n, void *out, struct answer *a);
/* Processors that this process may use. */
unsigned pool_processors(void);

#endif
