/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: what each resident CTA did over time, as a picture: a row for each CTA slot of the SM, in colours
 * whether its CTA may issue, is completely stalled, or is suspended; drawn from the events of a probe. Below it, measures window by
 * window, from the counters at the windows' ends.
 */
#ifndef RT_RUN_TIMELINE_H
#define RT_RUN_TIMELINE_H

#include "lab/run/run.h"

enum timeline_state {
  TIMELINE_EMPTY,
  TIMELINE_ACTIVE,
  TIMELINE_STALLED,
  TIMELINE_CONTEXT, /* suspended; its registers stay in place */
  TIMELINE_PENDING, /* suspended with its registers */
  TIMELINE_STATES
};

/* What is drawn of each window: num / den of a result that has the window's counters only (no memory's). */
struct timeline_panel {
  const char *label, *unit;
  double (*num)(const struct run_result *), (*den)(const struct run_result *);
};

struct timeline;
/* window: cycles of a window; 0: as many as there is room for. */
struct timeline *timeline_new(uint64_t window);
void timeline_free(struct timeline *t);
/* For run_workload. One timeline sees one run. */
const struct probe *timeline_probe(const struct timeline *t);
/* Of all launches, one behind the other: those of the statistics. */
uint64_t timeline_cycles(const struct timeline *t);
/* Cycles that a CTA slot was in a state, up to its last change. */
uint64_t timeline_sum(const struct timeline *t, unsigned row, enum timeline_state s);
/* Of the run that it saw; to a .png or .svg, by gnuplot. */
bool timeline_draw(const struct timeline *t, const struct run_result *r, const struct timeline_panel *panel,
                   unsigned panels, const char *path, struct err *e);
/* A panel's value in each window, at most `most` of them; returns how many windows there are. NaN: it has none. */
unsigned timeline_windows(const struct timeline *t, const struct run_result *r, const struct timeline_panel *p,
                          double *out, unsigned most);

#endif
