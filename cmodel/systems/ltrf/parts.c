/* SPDX-License-Identifier: Apache-2.0 */
/* parts: what a compiler for LTRF adds to a kernel: dead-operand bits, and the parts in front of which registers are prefetched. */
#include <stdlib.h>
#include <string.h>

#include "systems/ltrf/ltrf.h"

uint8_t *dead_sources(const struct code *code) {
  uint8_t *dead = xcalloc(code->n + 1, 1);
  for (uint32_t i = 0; i < code->n; i++) {
    const struct op *op = &code->op[i];
    for (unsigned k = 0; k < op->nsrc; k++) {
      bool again = i + 1 < code->n && set_has(code->warp_live[i + 1], op->src[k]);
      for (unsigned d = 0; d < op->ndst; d++) again |= op->dst[d] == op->src[k];
      if (!again) dead[i] |= (uint8_t)(1u << k);
    }
  }
  return dead;
}
