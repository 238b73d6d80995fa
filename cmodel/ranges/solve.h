/* SPDX-License-Identifier: Apache-2.0 */
/* interval_solve: what the parts of the solver share: the values of a kernel and what is known of them so far. */
#ifndef RT_RANGES_SOLVE_H
#define RT_RANGES_SOLVE_H

#include "ranges/essa.h"
#include "ranges/value_range.h"

enum { MARKS = 64 };
struct solve {
  const struct code *c;
  const struct launch_facts *f;
  struct essa e;
  struct value_range *at, *cap; /* per value; cap: what is known of it besides (trip_count.c) */
  uint8_t *loop;                /* per value: it depends on itself */
  uint32_t *order;              /* values, component by component, those first that others depend on */
  uint32_t *first;              /* where each component begins in it; first[ncomp]: the end */
  uint32_t ncomp;
  wide mark[MARKS]; /* where widening stops, of the component being solved, ascending */
  unsigned nmark;
};

struct value_range solve_source(const struct solve *s, uint32_t i, unsigned k); /* source k of instruction i */

/* trip_count.c: with all values solved, bounds phis by the turns of their loops (s->cap); true if one of
 * them has come closer. */
bool solve_trip_counts(struct solve *s);

#endif
