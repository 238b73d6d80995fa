/* SPDX-License-Identifier: Apache-2.0 */
/* history: the launches of a session, for its JSON. Counters are kept packed, some 300 bytes a timed launch. */
#ifndef RT_DEVICE_HISTORY_H
#define RT_DEVICE_HISTORY_H

#include "device/device.h"
#include "run/counted.h"

struct past {         /* a launch */
  const char *kernel; /* the history's */
  uint32_t grid[3], block[3], shared_dyn;
  bool timed, stopped; /* stopped: within it sim.stop_cycles or sim.stop_ctas was reached */
  uint64_t cycles, begin_ns, end_ns;
  const char *failed; /* NULL: it did not fail */
  uint8_t *counts;    /* sm_stats, mem_stats: packed */
};
struct history {
  struct past *past;
  uint32_t n, cap;
  struct counted total;
  uint32_t timed;
  char **name; /* of kernels: each once */
  uint32_t names, names_cap;
};

/* failed: NULL, or the error. */
void history_add(struct history *h, const char *kernel, const struct device_launch *l, const struct device_result *r,
                 bool stopped, const struct err *failed);
/* What was counted in launch i. */
void history_counts(const struct history *h, uint32_t i, struct sm_stats *sm, struct mem_stats *mem);
void history_free(struct history *h);

#endif
