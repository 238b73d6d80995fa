/* SPDX-License-Identifier: Apache-2.0 */
/*
 * together: the systems of all papers and what they are compared with (TOGETHER lines of systems/NAME/paper.def), on one machine, as tables of what each
 * gives and costs: for each system, for each class of kernels (lab/campaign/bottleneck.h), for each kernel.
 */
#ifndef RT_CAMPAIGN_TOGETHER_H
#define RT_CAMPAIGN_TOGETHER_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/bottleneck.h"
#include "lab/report/sheet.h"
#include "lab/kernels/suite/about.h"

#define TOGETHER_MACHINE "common"

struct together_row {
  enum paper paper; /* PAPERS: of none */
  const char *label, *system, *own, *base, *hits, *text;
};

enum { TOGETHER_MOST = 64 };
struct together {
  struct matrix m;     /* its kernels (matrix_kernels) and size; its systems in the order of `row` */
  struct bottleneck b; /* the first system's kernels, for their classes */
  const struct together_row *row[TOGETHER_MOST];     /* of each system of m */
  unsigned base[TOGETHER_MOST];                      /* of each, the system that is the same SM without it */
  const struct together_row *refused[TOGETHER_MOST]; /* those that do not run on this machine */
  char why[TOGETHER_MOST][600];
  unsigned nrefused;
  bool common; /* the machine is TOGETHER_MACHINE; else one of a paper, and the systems are that paper's */
};

/* Chooses the systems: on `common`, which s->machine NULL stands for, all of them; on a paper's machine those of the papers that have it. False and
 * *e: no system is of this machine. Kernels and size are set by the caller before or after. */
bool together_plan(struct together *t, const struct settings *s, struct err *e);
/* Runs all kernels on all systems, and for the classes on the relaxed machines. Returns how many runs failed. */
unsigned together_run(struct together *t, unsigned jobs, struct db *db, matrix_progress progress, void *ctx);
void together_free(struct together *t);

/* As tables; brief: without that of all kernels. */
void together_print(const struct together *t, FILE *f);
void together_markdown(const struct together *t, bool brief, FILE *f);
json_t *together_json(const struct together *t); /* docs/use/results.md has the keys. Owned by the caller. */
/* To a .png or .svg: area and energy against IPC, a point for each system; a map of kernels by systems. */
bool together_pareto(const struct together *t, const char *path, struct err *e);
bool together_map(const struct together *t, const char *path, struct err *e);

/* For the pictures. NaN: none. Of system s, geometric means over the kernels: IPC relative to the first system and to its base; energy relative to
 * its base; area (its least or its most): the first system's with what s has more than its base, relative to the first system's. */
double together_ipc(const struct together *t, unsigned s);
double together_ipc_of_base(const struct together *t, unsigned s);
double together_area(const struct together *t, unsigned s, bool most);
double together_energy(const struct together *t, unsigned s);
void together_kernel_sheet(const struct together *t, struct sheet *s); /* the last of the tables */
/* All that some machine has, in their order. */
const struct together_row *together_rows(unsigned *n);

/* What is drawn of a system, and of the table of all kernels with the means below it (mean[columns], row[columns]). */
struct together_view {
  const char *label;
  const struct together_row *row;
  double ipc, energy, area, area_most; /* together_ipc_of_base, together_energy, together_area */
  bool partial; /* part of its hardware is in neither area nor energy: it is drawn hollow, and not on the front */
};
bool together_views_pareto(const struct together_view *v, unsigned n, const char *about, const char *path,
                           struct err *e);
bool together_sheet_map(const struct sheet *s, const double *mean, const struct together_row *const *row,
                        const char *about, const char *path, struct err *e);
/* The kernels in the order of their classes, most kernels first within none; order[m.nkernel]. */
void together_order(const struct together *t, unsigned *order);

#endif
