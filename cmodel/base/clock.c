/* SPDX-License-Identifier: Apache-2.0 */
/* clock: see clock.h. */
#include "base/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t which) {
  struct timespec t = {0};
  clock_gettime(which, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

uint64_t clock_wall_ns(void) { return read_ns(CLOCK_MONOTONIC); }
uint64_t clock_cpu_ns(void) { return read_ns(CLOCK_PROCESS_CPUTIME_ID); }
