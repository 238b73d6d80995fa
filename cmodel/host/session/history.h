/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: the launches of a session: their number, their totals and, if `keeps` was set before the first, each one for
 * the JSON. A launch is kept packed: some 25 bytes, or some 300 if it was timed.
 */
#ifndef RT_SESSION_HISTORY_H
#define RT_SESSION_HISTORY_H

#include "host/session/device.h"
#include "lab/run/counted.h"

struct past {         /* a launch */
  const char *kernel; /* the history's */
  uint32_t grid[3], block[3], shared_dyn;
  bool timed, stopped; /* stopped: within it sim.stop_cycles or sim.stop_ctas was reached */
  uint64_t begin_ns, end_ns;
  struct counted counts;
  const char *failed; /* the error, the history's; NULL: it did not fail */
};
struct history_page;
struct history {
  bool keeps;
  uint32_t n, timed;
  struct counted total;
  struct history_page *first, *last; /* the launches, one after the other */
  uint64_t end_ns;                   /* of the last launch */
  uint64_t ns, untimed, stream_hash; /* of the session when its last launch had ended */
  char **name;                       /* of kernels: each once */
  uint32_t names, names_cap;
  char *failed; /* the error of the last launch; NULL: it did not fail. A session has no launch after one that failed */
};

/* failed: NULL, or the error. */
void history_add(struct history *h, const char *kernel, const struct device_launch *l, const struct device_result *r,
                 bool stopped, const struct err *failed);
/* Reads the launches that were kept, from the first on; *at: zeros at first. False: there are no more. */
struct history_at {
  const struct history_page *page;
  uint32_t byte, launch; /* of the page; of the session */
  uint64_t end_ns;       /* of the launch before */
};
bool history_next(const struct history *h, struct history_at *at, struct past *out);
void history_free(struct history *h);

#endif
