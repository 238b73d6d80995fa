/* SPDX-License-Identifier: Apache-2.0 */
/* solve: the solver's shared state: the values of a kernel and their ranges so far. */
#ifndef RT_NARROW_SOLVE_H
#define RT_NARROW_SOLVE_H

#include "compiler/narrow/essa.h"
#include "compiler/narrow/value_range.h"

enum { MARKS = 64 };
struct solve {
  const struct code *c;
  const struct launch_facts *f;
  struct essa e;
  struct value_range *at, *cap; /* per value; cap: an additional bound (trip_count.c) */
  uint8_t *loop;                /* per value: it depends on itself */
  uint32_t *order;              /* values, component by component, dependences first */
  uint32_t *first;              /* where each component begins in it; first[ncomp]: the end */
  uint32_t ncomp;
  wide mark[MARKS]; /* stops for widening in the current component, ascending */
  unsigned nmark;
};

struct value_range solve_source(const struct solve *s, uint32_t i, unsigned k); /* source k of instruction i */

/* trip_count.c: with all values solved, bounds phis by the trip counts of their loops (s->cap); true if a bound
 * improved. */
bool solve_trip_counts(struct solve *s);

#endif
