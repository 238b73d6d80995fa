/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: the runs of a database as one page of HTML with its pictures in it: no script, no other file, no date and no name of a
 * host, so that the same database gives the same bytes. Results of runs that were cut short are marked, and no mean has them.
 */
#ifndef RT_RESULTS_REPORT_H
#define RT_RESULTS_REPORT_H

#include "lab/campaign/measure.h"
#include "lab/database/results/command.h"
#include "lab/database/results/view.h"

struct report {
  const struct outcome_set *set;
  const struct measure *measure; /* of the map, the bars and the curves */
  const char *base;              /* the system that the others are compared with; NULL: as view_make chooses */
  const char *title;
  bool all_counters; /* of the table that is in the page: all, not only those that some run has */
};
void report_html(const struct report *r, FILE *f);

/* ---- parts of it ---- */

/* Machine and size of runs, each pair once, in the order of the set. */
struct report_group {
  const char *machine, *size;
  const struct outcome **run;
  unsigned n, cap;
};
unsigned report_groups(const struct outcome_set *s, struct report_group **out);
void report_groups_free(struct report_group *g, unsigned n);

void report_failures(const struct report *r, FILE *f); /* why */
void report_view(const struct report *r, const struct view *v, unsigned number,
                 FILE *f);                           /* map, bars, slots, occupancy, curves */
void report_papers(const struct report *r, FILE *f); /* papers' numbers beside those of the runs */
void report_runs(const struct report *r, FILE *f);   /* each run and the command that repeats it */
void report_csv(const struct report *r, FILE *f);    /* the table as a link that holds it */

/* The class of a cell: 17 of them, h0 to h16 for ratios from a half (0) over one (8) to three (16); NaN: none, -1. */
int report_shade(double ratio, bool less_is_better);
enum { REPORT_SHADES = 17, REPORT_ONE = 8 };

#endif
