/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locality: data reuse of loads, by Linebacker's definitions (ISCA'19, section 2.3; Figures 2 and 3). Time is
 * cut into windows of 50,000 cycles. Within one, a load (a static instruction) misses an infinite cache of
 * its own at the first access to each line; it streams if more than 95 % of its accesses miss. A line is
 * reused if a load accesses it again in the window. The reused set is that of the four loads with most
 * accesses among those that do not stream.
 */
#ifndef RT_KERNELS_LOCALITY_H
#define RT_KERNELS_LOCALITY_H

#include "lab/kernels/histogram.h"

enum { LOCALITY_WINDOW = 50000, LOCALITY_TOP = 4, LOCALITY_LOADS = 1024 };

struct locality_load {       /* a static load, summed over windows */
  uint64_t accesses, misses; /* lines read; first reads of a line in a window */
  uint64_t reused, windows;  /* lines read more than once in a window; windows with an access */
};
struct locality {
  uint64_t windows;          /* those with a read; the last one is short, and counts only if it is the only one */
  uint64_t reused_lines;     /* of the top four loads, summed over windows */
  uint64_t private_lines;    /* of those, the ones that no other load read in the window */
  uint64_t stream_lines;     /* distinct lines of each streaming load, summed */
  uint64_t streaming, loads; /* loads that stream, and all, summed over windows */
  struct locality_load load[LOCALITY_LOADS];
};

struct locality_probe;
struct locality_probe *locality_new(struct locality *out);
void locality_read(struct locality_probe *p, uint64_t cycle, uint32_t load,
                   uint32_t line);           /* load below LOCALITY_LOADS */
void locality_end(struct locality_probe *p); /* the last window; frees p */

#endif
