/* SPDX-License-Identifier: Apache-2.0 */
/* timed: one launch executed and timed: the functional streams (exec), one per SM, on the simulated machine (gpu). */
#ifndef RT_RUN_TIMED_H
#define RT_RUN_TIMED_H

#include "exec/exec.h"
#include "gpu/gpu.h"

/* False and *e: what stream_functional and gpu_launch refuse or find. launch.ran counts in either case. p: NULL is fine. */
bool timed_launch(struct gpu *g, const struct launch *l, const struct gpu_progress *p, struct err *e);

#endif
