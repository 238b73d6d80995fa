/* SPDX-License-Identifier: Apache-2.0 */
/* task: a run as it is handed out, with what executes it and what comes back; lab/campaign/pool.h executes many. */
#ifndef RT_RUN_TASK_H
#define RT_RUN_TASK_H

#include "lab/run/run.h"

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

#endif
