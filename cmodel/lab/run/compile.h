/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile: a workload whose kernels are compiled as a configuration says (its section compile). Narrow code
 * needs more than the PTX: the widths of floats, from a file beside the launch file (lab/run/widths.h); what all
 * launches have in common, from a run without timing; and the results of the unnarrowed code, as a reference.
 */
#ifndef RT_RUN_COMPILE_H
#define RT_RUN_COMPILE_H

#include "config/config.h"
#include "lab/run/facts.h"
#include "lab/run/quality.h"

struct compiled {
  struct host_limits limits;
  struct launch_facts *facts; /* of each kernel; every launch must lie in them; NULL: nothing is known of launches */
  struct quality_results reference; /* of the unnarrowed code */
  enum quality_metric metric;
  bool metric_known; /* the manifest says it; else: exact */
  enum quality_level asked;
  bool floats;     /* are narrowed, if there are widths */
  char widths[32]; /* QUALITY.widths; "": the program has none of this quality, floats keep 32 bits */
};

/* workload_open as `cfg` says; seed: that of the run to come, 0: the launch file's own. w->compiled is set
 * for narrow code. */
bool workload_compile(const char *name, const char *size, const struct config *cfg, uint64_t seed, struct workload *w,
                      struct err *e);
struct schedule schedule_of(const struct config *cfg);
void compiled_free(struct compiled *c, const struct module *m);

#endif
