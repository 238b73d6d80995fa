/* SPDX-License-Identifier: Apache-2.0 */
/* reuse: see reuse.h. */
#include "compiler/ir/reuse.h"

#include "base/bits.h"

unsigned reuse_mask(const struct op *op) { return ((1u << op->nsrc) - 1) | ((1u << op->ndst) - 1) << 8; }

static void reuse_close(struct reuse_access *a, uint64_t distance, reuse_fn *over, void *ctx) {
  const unsigned operands = a->operands;
  a->operands = 0;
  if (operands) over(ctx, a->tag, operands, distance);
}

void reuse_step(struct reuse_warp *w, const struct op *op, uint64_t tag, reuse_fn *over, void *ctx) {
  const uint64_t now = w->n++;
  for (unsigned k = 0; k < op->nsrc; k++) {
    struct reuse_access *a = &w->reg[op->src[k]];
    if (a->operands && a->at != now) reuse_close(a, now - a->at, over, ctx);
    *a = (struct reuse_access){now, tag, (uint16_t)(a->operands | 1u << k)}; /* one register may be two sources */
  }
  for (unsigned k = 0; k < op->ndst; k++) {
    struct reuse_access *a = &w->reg[op->dst[k]];
    reuse_close(a, 0, over, ctx);
    *a = (struct reuse_access){now, tag, (uint16_t)(1u << (8 + k))};
  }
}

void reuse_end(struct reuse_warp *w, reuse_fn *over, void *ctx) {
  for (unsigned r = 0; r < 256; r++) reuse_close(&w->reg[r], 0, over, ctx);
}

void reuse_count(struct reuse_counts *c, unsigned operands, bool near) {
  for (unsigned k = 0; k < REUSE_OPERANDS; k++)
    if (operands >> reuse_bit(k) & 1) (near ? c->near : c->far)[k]++;
}

uint16_t reuse_near(const struct reuse_counts *c) {
  unsigned bits = 0;
  for (unsigned k = 0; k < REUSE_OPERANDS; k++) bits |= (unsigned)(c->near[k] > c->far[k]) << reuse_bit(k);
  return (uint16_t)bits;
}

uint64_t reuse_code_hash(const struct code *c) {
  uint64_t h = FNV_START;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct op *op = &c->op[i];
    h = fnv1a(h, &op->nsrc, 1);
    h = fnv1a(h, op->src, op->nsrc);
    h = fnv1a(h, &op->ndst, 1);
    h = fnv1a(h, op->dst, op->ndst);
  }
  return h;
}
