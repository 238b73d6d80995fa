/* SPDX-License-Identifier: Apache-2.0 */
/*
 * round: rounding of floats in register slices (packed code only): the value truncator rounds a float when it is
 * written, the value converter widens it when it is read. Both are applied here at the write, with the functions of
 * the golden models, so that registers always hold the value that a read returns.
 */
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "exec/warp.h"

static bool narrow_is_rounded(const struct narrow *n, unsigned word) { return n->fp >> word & 1 && n->n[word] < 8; }

bool exec_rounds(const struct code *c, uint32_t op) {
  if (!c->packing) return false;
  const struct narrow *n = &c->packing->insn[op];
  return narrow_is_rounded(n, 0) || narrow_is_rounded(n, 1) || narrow_is_rounded(n, 2) || narrow_is_rounded(n, 3);
}

void exec_round(const struct exec *x, const struct warp *w, const struct dinsn *d, uint32_t lanes) {
  const struct narrow *n = &x->code->packing->insn[d - x->dec];
  unsigned word = 0;
  for (unsigned k = 0; k < d->ndst; k++) {
    if (d->dst[k] == NO_ROW) continue;
    for (unsigned j = 0; j < d->dwords[k]; j++, word++) {
      if (!narrow_is_rounded(n, word)) continue;
      _Alignas(64) uint32_t code[LANES], value[LANES];
      uint32_t *row = row_at(w->rows + d->dst[k], j);
      vtl_truncate_warp(code, row, n->n[word], true);
      vcl_convert_warp(value, code, n->n[word]);
      row_merge(row, value, lanes);
    }
  }
}
