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
  uint64_t seed;    /* of random buffers; 0: the launch file's own */
  unsigned threads; /* of the host; 0: one. The result does not depend on it */
};

struct blob { /* bytes beside a result, as many as there are; `data` is malloc's */
  void *data;
  size_t n;
};
struct work { /* what a child does with a task; its result is plain data without pointers */
  const char *name;
  size_t size, task; /* bytes of a result, of a task */
  bool (*run)(const void *task, void *out, struct err *e);
  /* The same with what the result's fixed size has no room for; NULL: there is none. */
  bool (*run_more)(const void *task, void *out, struct blob *more, struct err *e);
};
extern const struct work work_run; /* of a struct task: run_workload, timed; a struct run_result; more: its launches */
extern const struct work work_functional; /* the same, functional, without more */

enum lost { LOST_NO, LOST_TIME, LOST_MEMORY, LOST_DIED }; /* why a child gave no answer; it may give one another time */
struct answer {
  bool ok, cached;
  enum lost lost;
  double seconds;          /* from the child's start to its end */
  struct err e;            /* when not ok, unless the pool ended before the task did */
  uint64_t peak_rss_bytes; /* of the child, start to end; 0: there was none */
  struct blob more;        /* the pool's; valid while it tells of the answer */
};

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
      *db; /* of works on a struct task: results from there and to there (campaign/db.h); NULL: every task is run */
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
