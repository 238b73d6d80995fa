/* SPDX-License-Identifier: Apache-2.0 */
/* parts: the strands of a kernel. */
#include <stdlib.h>
#include <string.h>

#include "ir/interval.h"
#include "systems/ltrf/ltrf.h"

bool subgraphs_make(struct subgraphs *g, const struct config *c, const struct code *code, struct err *e) {
  struct intervals v;
  if (!code_strands(code, c->ltrf_cut == ltrf_cut_op ? STRAND_OP : STRAND_USE, 256, &v, e)) return false;
  *g = (struct subgraphs){.n = v.n, .of = xmalloc((code->n + 1) * sizeof *g->of)};
  memcpy(g->of, v.at, code->n * sizeof *g->of);
  g->header = xcalloc(v.n + 1, sizeof *g->header);
  for (uint32_t k = 0; k < v.n; k++) g->header[k] = v.of[k].first;
  intervals_clear(&v);
  return true;
}

void subgraphs_free(struct subgraphs *g) {
  free(g->of), free(g->header);
  *g = (struct subgraphs){0};
}
