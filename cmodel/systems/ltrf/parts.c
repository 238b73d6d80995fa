/* SPDX-License-Identifier: Apache-2.0 */
/* parts: what a compiler for LTRF adds to a kernel: the parts in front of which registers are prefetched. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/interval.h"
#include "systems/ltrf/ltrf.h"

bool subgraphs_make(struct subgraphs *g, const struct config *c, const struct code *code, struct err *e) {
  const uint32_t most = c->slot_storage == slot_storage_shrf ? 256 : (uint32_t)c->ltrf_interval;
  const bool strands = c->slot_storage == slot_storage_shrf || c->ltrf_parts != ltrf_parts_intervals;
  const enum strand_cut cut = c->ltrf_parts == ltrf_parts_strands_op ? STRAND_OP : STRAND_USE;
  struct intervals v;
  if (!(strands ? code_strands(code, cut, most, &v, e) : code_intervals(code, most, &v, e))) return false;
  const uint32_t bytes = (uint32_t)c->icache_insn_bytes, insn = c->ltrf_prefetch == ltrf_prefetch_instr ? bytes : 0;
  uint32_t total;
  *g = (struct subgraphs){.n = v.n, .of = xmalloc((code->n + 1) * sizeof *g->of)};
  memcpy(g->of, v.at, code->n * sizeof *g->of);
  g->header = xcalloc(v.n + 1, sizeof *g->header);
  g->vec = xcalloc(v.n + 1, sizeof *g->vec);
  g->at = intervals_slots(&v, code->n, (VECTOR_BYTES + insn + bytes - 1) / bytes, &total);
  for (uint32_t k = 0; k < v.n; k++) {
    g->header[k] = v.of[k].first;
    memcpy(g->vec[k], v.of[k].regs, sizeof g->vec[k]);
  }
  intervals_clear(&v);
  return true;
}

void subgraphs_free(struct subgraphs *g) {
  free(g->of), free(g->header), free(g->vec), free(g->at);
  *g = (struct subgraphs){0};
}
