/* SPDX-License-Identifier: Apache-2.0 */
/* load_latency: a run's load latencies in numbers and as a picture. What is counted: sm/latency.h. */
#ifndef RT_RUN_LOAD_LATENCY_H
#define RT_RUN_LOAD_LATENCY_H

#include "base/err.h"
#include "sm/latency.h"

/* Of all loads, or of those of one level; all 0 without one. p50, p95: the least latency that is not exceeded by 50, 95 %
 * of them, exact up to 255 cycles, above that less than 1/128 too low. */
struct load_latency {
  uint64_t loads, cycles, p50, p95, most; /* cycles: their sum */
};

enum { LATENCY_ALL = LATENCY_LEVELS, LATENCY_ROWS }; /* enum latency_level, and one more for all of them */
void load_latencies(const struct latency *l, struct load_latency out[LATENCY_ROWS]);

/* To a .png or .svg, by gnuplot; `title`: of the run. */
bool load_latency_draw(const struct latency *l, const char *title, const char *path, struct err *e);

#endif
