/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bottleneck: kernels on one machine: how busy each of its resources is (lab/run/usage.h), and what IPC relaxing one thing of
 * the machine would give (lab/campaign/relax.h).
 */
#ifndef RT_CAMPAIGN_BOTTLENECK_H
#define RT_CAMPAIGN_BOTTLENECK_H

#include <jansson.h>
#include <stdio.h>

#include "lab/campaign/matrix.h"
#include "lab/campaign/relax.h"
#include "lab/run/usage.h"

enum {
#define CLASS(name, label) BOTTLENECK_##name,
#include "gen/systems/relax.def"
  BOTTLENECK_issue,
  BOTTLENECK_none,
  BOTTLENECKS
};
extern const char *const bottleneck_label[BOTTLENECKS];

struct bottleneck {
  struct matrix
      m; /* its kernels (matrix_kernels) and size; its first system is the machine as it is, then a relaxed one each */
  bool classes; /* only those that decide a class, and one that the machine does not have is left out */
  bool chosen;  /* some relaxations were asked for: those with `wanted`; else all that the machine has */
  bool wanted[RELAXATIONS];
  unsigned
      sort; /* rows of several kernels: 0: in the kernels' order; r + 1: by the gain of relaxation r, the greatest first */
  unsigned top;                             /* rows that are shown; 0: all */
  int at[RELAXATIONS];                      /* system of m; -1: none */
  char how[RELAXATIONS][RELAX_HOW];         /* keys that it changes, or why the machine does not have it */
  char without[RELAXATIONS][RELAX_WITHOUT]; /* its parts that the machine cannot have; "": none */
};

/* Makes the systems of m. False and *e: the system is unknown, or the machine does not have a relaxation that was
 * asked for. */
bool bottleneck_plan(struct bottleneck *b, const char *system, const struct settings *s, struct err *e);
/* Of all relaxations those that decide a class (lab/campaign/relax.def); before bottleneck_plan. */
void bottleneck_classes(struct bottleneck *b);
/* The CTA limits with their parts, the collectors and the banks, too: all parts of the register file, so that its class is named as with every
 * relaxation. */
void bottleneck_file_parts(struct bottleneck *b);
/* Then matrix_run(&b->m, ...); the rest is of the results. */
/* The class of a kernel: that of the relaxation which alone gives most, if it gives 5 %; else whether it issues in half of the slots. -1: it failed. */
int bottleneck_class(const struct bottleneck *b, unsigned k);
/* short_form: of one kernel the five busiest resources, and the relaxations by their gain, without their descriptions; several
 * kernels: the table alone. */
void bottleneck_print(const struct bottleneck *b, bool short_form, FILE *f);
/* Kernels that are shown and did other work on some relaxed machine, how many others did; failed runs, and warnings of the others (run_complaints). */
void bottleneck_complaints(const struct bottleneck *b);
json_t *bottleneck_json(const struct bottleneck *b); /* docs/use/results.md has the keys. Owned by the caller. */
/* To a .png or .svg: of one kernel bars of utilisation and of gains; of several a map of gains. */
bool bottleneck_plot(const struct bottleneck *b, const char *path, struct err *e);

#endif
