/* SPDX-License-Identifier: Apache-2.0 */
/* shape: the resources that a kernel of the suite needs on an SM, from its registers and its launch file, without
 * running it. */
#ifndef RT_RUN_SHAPE_H
#define RT_RUN_SHAPE_H

#include "lab/run/load.h"
#include "sm/ledger.h"

struct kernel_shape {
  char entry[128];
  uint32_t regs, regs_need, block[3]; /* registers per thread, as the launch file says or as the code needs; threads */
  double live;                        /* share of them that a warp must keep, mean over its instructions */
  struct cta_need need;               /* warp_regs is the machine's: see kernel_fit */
};
/* Of an open workload. */
bool shape_of_workload(const struct workload *w, const char *entry, struct kernel_shape *s, struct err *e);
struct cta_fit shape_fit(const struct kernel_shape *s, const struct config *c);
/* Of the entry's first launch in the default size; entry NULL: the first kernel that the launch file names.
 */
bool kernel_shape(const char *name, const char *entry, struct kernel_shape *s, struct err *e);
/* How many of its CTAs fit an SM of a machine (by name), however many the grid has. */
bool kernel_fit(const struct kernel_shape *s, const char *machine, struct cta_fit *f, struct err *e);

#endif
