/* SPDX-License-Identifier: Apache-2.0 */
/* command: what of a run's configuration is not its preset's, and the command that repeats it. */
#ifndef RT_RESULTS_COMMAND_H
#define RT_RESULTS_COMMAND_H

#include <stdio.h>

#include "lab/campaign/plan.h"
#include "lab/database/results/set.h"

/* Presets by machine and system, each read once. */
struct presets {
  struct arena arena;
  struct preset **of;
  unsigned n, cap;
};
void presets_free(struct presets *p);

/* "l1.ways=8 dram.latency=400": the keys whose values differ from those of the run's machine and system, as --set takes them,
 * each after `before` and followed by `after`; returns how many. `write` prints each text. */
unsigned command_settings(struct presets *p, const struct outcome *o, const char *before, const char *after,
                          void (*write)(FILE *f, const char *text), FILE *f);
/* "regtwin run sgemm --size small --config gtx980 --system VT --set l1.ways=8", quoted for a shell. */
void command_run(struct presets *p, const struct outcome *o, void (*write)(FILE *f, const char *text), FILE *f);

#endif
