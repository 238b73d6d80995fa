/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: what each resident CTA did over time, as a picture: a row for each CTA slot of the SM, in colours
 * whether its CTA may issue, is completely stalled, or is suspended; drawn from the events of a probe.
 */
#ifndef RT_RUN_TIMELINE_H
#define RT_RUN_TIMELINE_H

#include "run/run.h"

enum timeline_state {
  TIMELINE_EMPTY,
  TIMELINE_ACTIVE,
  TIMELINE_STALLED,
  TIMELINE_CONTEXT, /* suspended; its registers stay in place */
  TIMELINE_PENDING, /* suspended with its registers */
  TIMELINE_STATES
};

struct timeline;
struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);
/* For run_workload. One timeline sees one run. */
const struct probe *timeline_probe(const struct timeline *t);
/* Of all launches, one behind the other: those of the statistics. */
uint64_t timeline_cycles(const struct timeline *t);
/* Cycles that a CTA slot was in a state, up to its last change. */
uint64_t timeline_sum(const struct timeline *t, unsigned row, enum timeline_state s);
/* Of the run that it saw; to a .png or .svg, by gnuplot. */
bool timeline_draw(const struct timeline *t, const struct run_result *r, const char *path, struct err *e);

#endif
