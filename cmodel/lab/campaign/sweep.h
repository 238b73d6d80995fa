/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: the runs of a plan (lab/campaign/sweep_plan.h), in a database: made and checked (sweep.c), run by child processes of this
 * host (sweep_run.c) or by Slurm (slurm.c). The database says of each run what became of it, so the same command after an
 * interruption goes on where it was; several may work on one plan at once.
 */
#ifndef RT_CAMPAIGN_SWEEP_H
#define RT_CAMPAIGN_SWEEP_H

#include "lab/database/lease.h"
#include "lab/campaign/matrix.h"
#include "lab/campaign/sweep_plan.h"

struct sweep_run {
  struct leased run;       /* state and tries as far as this process knows */
  unsigned kernel, config; /* of struct sweep */
  uint64_t seed;
};
struct sweep {
  struct db *db;
  const struct sweep_plan *plan;
  const char *text; /* of the plan */
  struct matrix kernels;
  struct config **config; /* distinct ones */
  char (*config_id)[IDENTITY];
  unsigned nconfig, config_cap, id_cap, ids;
  struct sweep_run *run;
  unsigned n, cap;
  bool *left_out; /* by row of exclude: it concerned a run */
  unsigned open;  /* systems that follow another's result (lab/campaign/plan.h), which is not there yet */
};

/* Looks up kernels, machines and systems. False and *e: one is unknown, or there are too many runs. Both outlive *s, which may be
 * freed after an error, too. */
bool sweep_open(struct sweep *s, const struct sweep_plan *plan, const char *text, struct err *e);
/* All runs of the plan, checked, into the database, with those that were there before as they are: done, or another's. */
bool sweep_make(struct sweep *s, struct db *db, struct err *e);
/* Again, when runs have ended: runs that depend on them are added. */
bool sweep_remake(struct sweep *s, struct err *e);
/* Runs that failed, or were lost too often, wait again. */
bool sweep_again(struct sweep *s, struct err *e);
/* What the database says now of each run. */
bool sweep_refresh(struct sweep *s, struct err *e);
void sweep_free(struct sweep *s);
/* The task of a run, for work_run; sweep_task returns t. */
const struct task *sweep_task(const struct sweep *s, const struct sweep_run *r, struct task *t);
/* Its label for messages: "sgemm on VT". */
const char *sweep_name(const struct sweep *s, const struct sweep_run *r, char *buf, size_t size);

struct sweep_counts {
  unsigned all, state[SWEEP_STATES];
  double seconds; /* of all that are done: their mean */
};
/* By the database, of a campaign's name. False and *e; all 0: there is no such campaign. */
bool sweep_count(struct db *db, const char *name, struct sweep_counts *c, struct err *e);

/* ---- running ---- */
struct sweep_progress {
  unsigned done, all, running;
  double left;      /* seconds, as far as is known; 0: nothing is known yet */
  const char *what; /* the last one */
};
struct sweep_how {
  unsigned jobs;
  void (*progress)(void *ctx, const struct sweep_progress *p); /* NULL */
  void *ctx;
  const char *spool;   /* Slurm: the directory for its files, on a file system that all nodes have */
  double bundle, poll; /* Slurm: seconds of runs in a task at least; between looks at the queue */
};
/* Both run what waits, also what another process leaves, and wait for what another has. False and *e: the database, or Slurm. */
bool sweep_local(struct sweep *s, const struct sweep_how *how, struct err *e);
bool sweep_slurm(struct sweep *s, const struct sweep_how *how, struct err *e);
/* A task of Slurm: the runs of a file, one after the other, into another file. */
bool slurm_task(const char *path, struct err *e);

#endif
