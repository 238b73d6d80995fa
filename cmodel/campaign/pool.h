/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: many tasks, each in a child process of its own, several at a time. A child that dies takes only its
 * own task with it. Results are the same whatever the number of children and the order in which they end.
 */
#ifndef RT_CAMPAIGN_POOL_H
#define RT_CAMPAIGN_POOL_H

#include "run/run.h"

struct task { /* one kernel under one configuration */
  char name[1024], size[32];
  struct config cfg;
  uint64_t seed; /* of random buffers; 0: the launch file's own */
};

struct work { /* what a child does with a task; its result is plain data without pointers */
  const char *name;
  size_t size, task; /* bytes of a result, of a task */
  bool (*run)(const void *task, void *out, struct err *e);
};
extern const struct work work_run;        /* of a struct task: run_workload, timed; a struct run_result */
extern const struct work work_functional; /* the same, functional */

enum lost { LOST_NO, LOST_TIME, LOST_MEMORY, LOST_DIED }; /* why a child gave no answer; it may give one another time */
struct answer {
  bool ok, cached;
  enum lost lost;
  double seconds;          /* from the child's start to its end */
  struct err e;            /* when not ok, unless the pool ended before the task did */
  uint64_t peak_rss_bytes; /* of the child, start to end; 0: there was none */
};

struct cache;
struct pool {
  const struct work *work;
  unsigned jobs;       /* children at a time, at least 1 */
  struct cache *cache; /* of works on a struct task: campaign/cache.h; NULL: every task is run */
  /* In the parent, in the order of ending; or NULL. False: it is enough, the other tasks are ended or not begun. */
  bool (*done)(void *ctx, unsigned task, const struct answer *a);
  void *ctx;
};

/* Runs n tasks (work->task bytes each): a[i] and the i-th of `out` (n x work->size bytes) belong to the i-th of them.
 * Returns when all have ended, or are ended. */
void pool_run(const struct pool *p, const void *tasks, unsigned n, void *out, struct answer *a);
/* Processors that this process may use. */
unsigned pool_processors(void);

#endif
