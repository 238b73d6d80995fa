/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region: which launches of a run are timed (sim.roi). The text is one launch, or FROM..TO, either of which may be empty. A launch is
 * named by its number in the run, from 0, or by its kernel. One kernel is every launch of it; FROM is the first launch that it names, TO
 * the first one from there on. "": all launches.
 */
#ifndef RT_RUN_REGION_H
#define RT_RUN_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct region {
  struct region_end { /* kernel "": by number, or (any) every launch */
    bool any;
    uint64_t number;
    char kernel[128];
  } from, to;
  bool one;         /* `from` alone */
  bool begun, over; /* of FROM..TO: a launch that `from` names, that `to` names, was there */
};

/* False and *e: no region, or an end before its beginning. */
bool region_read(struct region *r, const char *text, struct err *e);
/* Is this launch timed? Asked for every launch in its order. */
bool region_takes(struct region *r, uint64_t number, const char *kernel);

#endif
