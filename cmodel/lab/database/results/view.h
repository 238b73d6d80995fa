/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: the runs of one program, machine and size as a table of kernels and systems. Keys of which a system has several values are
 * swept: the table has each system at its own point, that of its preset where there is a run of it, and a curve goes through the
 * others. Runs that were cut short are shown, but no mean has them.
 */
#ifndef RT_RESULTS_VIEW_H
#define RT_RESULTS_VIEW_H

#include "lab/campaign/measure.h"
#include "config/keys.h"
#include "lab/database/results/set.h"

enum { SWEPT_OTHERS = 16 };
struct swept_value {
  char text[96];
  double number; /* of whole numbers and yes or no; else its place among the values */
};
struct swept {
  const struct key *key;
  char name[160]; /* section.key, with its unit; of keys that always change together all of them */
  bool together;  /* there are such keys */
  const struct key *other[SWEPT_OTHERS]; /* such keys, as many as there is room for */
  unsigned nother;
  struct swept_value *value; /* ascending */
  unsigned n, cap;
  unsigned *own; /* of each system: the value of its own point */
};
struct seat { /* a run in its place */
  const struct outcome *of;
  unsigned kernel, system;
  unsigned *at; /* of each swept key: which value */
};
struct view {
  struct arena arena;
  const char *machine, *size;
  const char **kernel,
      **system;  /* kernels ascending; systems in the order in which they were asked for, the base first */
  bool *planned; /* of each system: of its points the one with the best IPC counts (lab/campaign/plan.h) */
  unsigned nkernel, nsystem, nseat, nswept;
  unsigned kernel_cap, system_cap, seat_cap, swept_cap;
  struct seat *seat; /* by kernel, then system, then in the order of the set */
  unsigned *first;   /* where the seats of kernel k and system s begin: first[k * nsystem + s]; one more at the end */
  struct swept *swept;
};

/* Of the n runs of one machine and size; base: the name of a system, or NULL: baseline, else the one that experiments compare the others with, else
 * the first one. */
void view_make(struct view *v, const struct outcome *const *run, unsigned n, const char *base);
void view_free(struct view *v);

/* The point where a swept key has another value than the system's own; key < 0: nowhere. */
struct spot {
  int key;
  unsigned value;
};
static const struct spot own_spot = {-1, 0};

/* The runs of a kernel and system there, one for each seed; at most `most`; returns how many. Those that failed too. */
unsigned view_runs(const struct view *v, unsigned k, unsigned s, struct spot at, const struct outcome **out,
                   unsigned most);
/* Mean over the seeds with a whole result; NaN: there is none. */
double view_value(const struct view *v, const struct measure *m, unsigned k, unsigned s, struct spot at);
/* The same relative to the first system at its own point, over the seeds that both have. */
double view_ratio(const struct view *v, const struct measure *m, unsigned k, unsigned s, struct spot at);
/* Kernels of which every system that has any number has one. */
bool view_common(const struct view *v, const struct measure *m, bool ratio, unsigned k);
/* Mean over the common kernels: the geometric one of ratios, else the arithmetic one; n: of how many. NaN: none. */
double view_mean(const struct view *v, const struct measure *m, bool ratio, unsigned s, unsigned *n);
/* Geometric mean at a spot, over the kernels that have a number at every value of the key for which any kernel has one. */
double view_curve(const struct view *v, const struct measure *m, bool ratio, unsigned s, struct spot at, unsigned *n);

#endif
