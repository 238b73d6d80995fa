/* SPDX-License-Identifier: Apache-2.0 */
/* edit: removes and inserts instructions of a kernel; branch targets are adjusted. c->insn is malloc'ed here. */
#include <stdlib.h>

#include "compiler/regalloc/work.h"

static void move_targets(struct code *c, const uint32_t *map) {
  for (uint32_t i = 0; i < c->n; i++)
    if (c->insn[i].op == OP_BRA) c->insn[i].target = map[c->insn[i].target];
}

void code_drop(struct code *c, const uint8_t *drop) {
  uint32_t *map = xcalloc((size_t)c->n + 1, sizeof *map), n = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    map[i] = n;
    if (!drop[i]) c->insn[n++] = c->insn[i];
  }
  map[c->n] = n;
  c->n = n;
  move_targets(c, map);
  free(map);
}

void code_insert(struct code *c, const struct edit *e, uint32_t n) {
  uint32_t *map = xcalloc((size_t)c->n + 1, sizeof *map), k = 0, at = 0;
  struct insn *out = xcalloc((size_t)c->n + n, sizeof *out);
  for (uint32_t i = 0; i < c->n; i++) {
    map[i] = at;
    for (; k < n && e[k].at == i && !e[k].after; k++) {
      out[at] = e[k].insn;
      out[at].col = c->insn[i].col;
      out[at++].line = c->insn[i].line;
    }
    out[at++] = c->insn[i];
    for (; k < n && e[k].at == i; k++) {
      out[at] = e[k].insn;
      out[at].col = c->insn[i].col;
      out[at++].line = c->insn[i].line;
    }
  }
  map[c->n] = at;
  free(c->insn);
  c->insn = out;
  c->n = at;
  move_targets(c, map);
  free(map);
}
