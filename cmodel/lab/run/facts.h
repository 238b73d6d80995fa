/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts: what the launches of a workload have in common, kernel by kernel: blocks, grids and parameters, each between
 * two bounds. A compiler that knows the program's input has this information; the range analysis (compiler/narrow/ranges.h)
 * starts from it. It takes a run to collect it: launch files compute arguments from results.
 */
#ifndef RT_RUN_FACTS_H
#define RT_RUN_FACTS_H

#include "compiler/narrow/packing.h"
#include "lab/run/quality.h"

/* Of each kernel of a module, in its order. The same PTX parsed again has the same kernels. */
struct launch_facts *facts_new(const struct module *m);
void facts_free(struct launch_facts *f, const struct module *m);

/* Widens f by one launch of c. */
void facts_add(struct launch_facts *f, const struct code *c, const struct launch *l);
/* Whether a launch lies within f; false and *e, which names the first that does not, if not. */
bool facts_cover(const struct launch_facts *f, const struct code *c, const struct launch *l, struct err *e);

/* quality_run that collects facts on the way: f from facts_new of w's module. */
bool facts_run(struct workload *w, uint64_t seed, bool unchecked, struct launch_facts *f, struct quality_results *r,
               struct err *e);

#endif
