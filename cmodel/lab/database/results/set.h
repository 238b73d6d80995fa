/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set: runs of a campaign's database (lab/database/db.h) as they are read for listing, comparing and reports: what was asked for,
 * how far it has come, and the result. The database is opened for reading only, in one transaction, so that a sweep may
 * write meanwhile and all rows are of one moment.
 */
#ifndef RT_RESULTS_SET_H
#define RT_RESULTS_SET_H

#include "base/arena.h"
#include "lab/run/columns.h"

enum outcome_state {                  /* as the column run.state has it */
                     OUTCOME_WAITING, /* not begun, or to be tried again */
                     OUTCOME_RUNNING,
                     OUTCOME_DONE,
                     OUTCOME_FAILED,  /* the simulation said why */
                     OUTCOME_LOST,    /* ended without a result as often as it may be tried */
                     OUTCOME_REFUSED, /* its configuration was refused, it never ran */
                     OUTCOME_STATES
};
extern const char *const outcome_state_name[OUTCOME_STATES];

/* A row of `run` under one name. A run that a plan has under several names (launch files of equal contents, systems of equal keys)
 * has a row for each of them. Texts are never NULL. */
struct outcome {
  const char *key, *program, *config, *work; /* hashes, in hexadecimal */
  const char *campaign;                      /* the first one that asked for it; "": none */
  /* kernel: its name, with a part of `work` where other work has the same name; asked: as `regtwin run` takes it */
  const char *kernel, *asked, *size, *machine, *system, *error;
  uint64_t seed; /* 0: the launch file's own */
  enum outcome_state state;
  unsigned tries;
  double seconds;      /* of processor time; 0: not known */
  uint64_t memory;     /* bytes; 0: not known */
  const char *partial; /* why it is cut short; "": it is whole */
  bool again;          /* another row before this one is the same run */
  bool known;          /* cfg has the values of all keys; else some are none that this program takes */
  const struct config *cfg;
  const struct run_result *run; /* NULL: none */
};

struct wanted { /* which rows; NULL: any. Texts are compared as a whole, but for key and program: their beginnings */
  const char *kernel, *size, *system, *machine, *state, *key, *program, *campaign;
  bool newest; /* of the program that came last, if `program` does not say which */
};

struct outcome_set {
  struct arena arena;  /* of all that rows point to */
  struct outcome *row; /* in the order in which they were asked for */
  unsigned n, cap;
  const char **campaign, **program;    /* of the database: all names; all hashes, the newest first */
  const char *base;                    /* what the first campaign compares with; "": it does not say */
  unsigned campaigns, programs, other; /* other: runs of programs that are left out by `newest` */
};
/* Reads what is wanted. False and *e: no such file, no database, of another version, damaged, an unknown state. */
bool outcome_read(struct outcome_set *s, const char *path, const struct wanted *w, struct err *e);
void outcome_free(struct outcome_set *s);

/* A counter of a result as a person reads it: numbers with a point in decimal. Empty: no number, or of hardware that the
 * configuration does not have. */
const char *outcome_counter(const struct run_result *r, const struct column *c, char buf[COLUMN_TEXT_MOST]);

static inline bool outcome_whole(const struct outcome *o) { return o->run && !o->partial[0]; }

#endif
