/* SPDX-License-Identifier: Apache-2.0 */
/* usage: how busy each resource of the machine was in a run (lab/run/usage.def): 0 to 1. */
#ifndef RT_RUN_USAGE_H
#define RT_RUN_USAGE_H

#include "lab/run/run.h"

struct resource {
  const char *key, *label, *text; /* text: what is counted / what there is */
};
extern const struct resource resources[];
enum {
#define RESOURCE(key, label, when, used, capacity, text) RESOURCE_##key,
#include "lab/run/usage.def"
  RESOURCES
};

struct usage {
  double part[RESOURCES];    /* of a resource that the machine does not have: 0 */
  unsigned order[RESOURCES]; /* the busiest first, of equal ones in the order of usage.def; those that it does not have
                                are left out */
  unsigned n;                /* of order */
};
/* Of a timed run of one SM. */
void usage_of(const struct run_result *r, struct usage *u);

#endif
