/* SPDX-License-Identifier: Apache-2.0 */
/* pressure: how many registers a code needs at least. */
#ifndef RT_TESTS_PRESSURE_H
#define RT_TESTS_PRESSURE_H

#include <stdlib.h>

#include "base/err.h"
#include "compiler/ir/flow.h"

/* Most 32-bit virtual registers that are live at once; *predicates: most predicates. */
static uint32_t live_pressure(const struct code *c, uint32_t *predicates) {
  struct graph g;
  struct live_ranges r;
  graph_build(c, &g);
  live_ranges_build(c, &g, c->nvreg, &r);
  int64_t *delta = xcalloc(2 * ((size_t)c->n + 1), sizeof *delta);
  for (uint32_t v = 0; v < c->nvreg; v++) {
    unsigned pred = c->vreg[v].words == 0, words = pred ? 1 : c->vreg[v].words;
    for (uint32_t s = r.start[v]; s < r.start[v + 1]; s++) {
      delta[2 * (size_t)r.seg[s].from + pred] += words;
      delta[2 * (size_t)r.seg[s].to + pred] -= words;
    }
  }
  int64_t now[2] = {0, 0}, most[2] = {0, 0};
  for (size_t p = 0; p < c->n; p++) {
    for (unsigned k = 0; k < 2; k++) {
      now[k] += delta[2 * p + k];
      if (now[k] > most[k]) most[k] = now[k];
    }
  }
  free(delta);
  live_ranges_free(&r);
  graph_free(&g);
  if (predicates) *predicates = (uint32_t)most[1];
  return (uint32_t)most[0];
}

#endif
