/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: durations, in ns. Points in time of one clock are compared with clock_span only: the processor time of a process
 * can go back by a little on a virtual machine, and a span of such a pair is 0, not 2^64.
 */
#ifndef RT_BASE_CLOCK_H
#define RT_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_wall_ns(void); /* since some point in the past; setting the host's date does not change it */
uint64_t clock_cpu_ns(void);  /* processor time of this process, all threads */
static inline uint64_t clock_span(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }
static inline double clock_seconds(uint64_t from, uint64_t to) { return (double)clock_span(from, to) * 1e-9; }

#endif
