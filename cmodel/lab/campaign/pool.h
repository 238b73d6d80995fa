/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: many tasks, each in a child process of its own, several at a time. A child that dies takes only its
 * own task with it. Results are the same whatever the number of children and the order in which they end.
 */
#ifndef RT_CAMPAIGN_POOL_H
#define RT_CAMPAIGN_POOL_H

#include "lab/run/task.h"

struct pool_limits { /* of each child; 0: none */
  double seconds;
  uint64_t rss_bytes;
};
/* Tasks one by one. The pool ends when there is no next one and no child, or `ended` or `tick` says that it is enough:
 * then children are killed. */
struct pool_feed {
  const struct work *work;
  unsigned jobs; /* children at a time, at least 1 */
  bool more;     /* ask for what is beside results (run_more) */
  struct pool_limits limits;
  /* The next task, and a number for it; valid until the next call. NULL: none is left now. */
  const void *(*next)(void *ctx, unsigned *id);
  /* In the parent, in the order of ending. False: it is enough. */
  bool (*ended)(void *ctx, unsigned id, const struct answer *a, const void *out);
  bool (*tick)(void *ctx, unsigned running); /* about four times a second; NULL. False: it is enough */
  void *ctx;
};
void pool_feed(const struct pool_feed *f);

struct db;
struct pool {
  const struct work *work;
  unsigned jobs; /* children at a time, at least 1 */
  struct db
      *db; /* of works on a struct task: results from there and to there (lab/database/db.h); NULL: every task is run */
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
