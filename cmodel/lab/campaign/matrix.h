/* SPDX-License-Identifier: Apache-2.0 */
/* matrix: kernels x systems, run in parallel; the result of each, or the reason of its failure. */
#ifndef RT_CAMPAIGN_MATRIX_H
#define RT_CAMPAIGN_MATRIX_H

#include "lab/campaign/measure.h"
#include "lab/campaign/plan.h"
#include "lab/campaign/pool.h"

struct matrix_kernel {
  char name[1024]; /* as workload_find takes it: of the suite, or a path */
  char kernel[128];
  char alias[64]; /* what a paper calls it, if that is how it was asked for */
  char group[32]; /* of that paper; "" */
  bool timed;     /* what it executes depends on timing (`work` of lab/kernels/suite/about.h) */
};
struct cell {
  bool ok;
  struct err e;
  struct run_result run; /* of several points the one with the best IPC */
  unsigned points;       /* that have a result */
  char what[PLAN_WHAT];  /* what was chosen for the kernel (lab/campaign/plan.h); "" */
};
struct matrix {
  const char *size;
  struct matrix_kernel *kernel;
  struct plan *system;
  unsigned nkernel, kernels_cap, nsystem, systems_cap;
  bool
      parts; /* results of a part of a run (run_result.partial) stand, and who shows them marks them; else they are errors */
  bool same_work;    /* each kernel was recorded under the first system: kernels are traces of `size` */
  unsigned threads;  /* of the host, for each run; 0: as many as its processors have left beside the others */
  unsigned runs;     /* that matrix_run made or took from the database */
  struct cell *cell; /* of kernel k and system s: cell[k * nsystem + s] */
};

/* Adds kernels by a name, a paper's name, a path, "all", or a paper (its kernels, in its order); each once.
 */
bool matrix_kernels(struct matrix *m, const char *word, struct err *e);
/* Adds a system; the same one twice is an error. */
bool matrix_system(struct matrix *m, const char *name, const struct settings *s, struct err *e);

/* Called when a run has ended: how many of all have. */
typedef void (*matrix_progress)(void *ctx, unsigned done, unsigned all, const char *kernel, const char *system);
/* Runs all of it, `jobs` at a time, fewer if with their threads they would need more than the host's processors; a run that fails leaves its cell without a result. Returns how many cells failed. */
unsigned matrix_run(struct matrix *m, unsigned jobs, struct db *db, matrix_progress progress, void *ctx);
void matrix_free(struct matrix *m);

static inline const struct cell *matrix_cell(const struct matrix *m, unsigned k, unsigned s) {
  return &m->cell[k * m->nsystem + s];
}
/* The measure of a cell, or its ratio to that of system `base`; false: there is none. */
bool matrix_value(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, double *out);
bool matrix_ratio(const struct matrix *m, const struct measure *x, unsigned k, unsigned s, unsigned base, double *out);
/* True if this measure of the system, or of `base` (-1: none), has figures of a block's earlier Verilog in it (measure_has_earlier_figures). */
bool matrix_earlier(const struct matrix *m, const struct measure *x, unsigned s, int base);
/* Means over the kernels for which every system that has the measure at all has the number, so that systems are compared over the same
 * ones: of the measure (base < 0), or of its ratio to that of system `base`. */
struct mean matrix_mean(const struct matrix *m, const struct measure *x, unsigned s, int base);
/* Kernels of which some system's result is of a part of the run; of one kernel. */
bool matrix_partial(const struct matrix *m, unsigned k);
unsigned matrix_partials(const struct matrix *m);
/* Both systems ran the kernel, and it did not do the same work in both. */
bool matrix_differs(const struct matrix *m, unsigned k, unsigned s, unsigned base);

#endif
