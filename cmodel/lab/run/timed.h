/* SPDX-License-Identifier: Apache-2.0 */
/* timed: one launch executed and timed: the functional streams (exec), one per SM, on the simulated machine (gpu). */
#ifndef RT_RUN_TIMED_H
#define RT_RUN_TIMED_H

#include "exec/exec.h"
#include "gpu/gpu.h"

/* False and *e: what stream_functional, gpu_begin and gpu_end refuse or find. launch.ran counts in either case. p: NULL is fine. */
bool timed_launch(struct gpu *g, const struct launch *l, const struct gpu_progress *p, struct err *e);
/* A launch in parts: timed_begin, timed_go once, timed_end. Between two ticks of its progress all of it is memory of
 * base/err.h, of which timed_go may be called again in another process (base/image.h): it goes on from there. `l`
 * outlives it; l->ran counts at the end, also of a launch that failed. */
struct timed;
struct timed *timed_begin(struct gpu *g, const struct launch *l, struct err *e); /* NULL and *e: refused */
bool timed_go(struct timed *t, const struct gpu_progress *p,
              struct err *e);    /* as gpu_step and gpu_end; p: NULL is fine */
void timed_end(struct timed *t); /* NULL is fine */

#endif
