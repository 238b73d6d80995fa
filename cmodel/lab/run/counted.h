/* SPDX-License-Identifier: Apache-2.0 */
/* counted: what the simulated machine has counted, over all its SMs; a launch's part is the difference of two of them. */
#ifndef RT_RUN_COUNTED_H
#define RT_RUN_COUNTED_H

#include "gpu/gpu.h"

struct counted {
  struct sm_stats sm;
  struct mem_stats mem;
  uint64_t cycles;
};

struct sm_stats all_sms_stats(const struct gpu *g);
struct counted counted_now(const struct gpu *g);
void counted_add(struct counted *n, const struct counted *more);
void counted_since(struct counted *n, const struct counted *before);

#endif
