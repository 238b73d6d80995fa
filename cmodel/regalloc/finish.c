/* SPDX-License-Identifier: Apache-2.0 */
/* finish: annotations of code in physical registers for later stages: reconvergence, liveness, last uses.
 */
#include <stdlib.h>
#include <string.h>

#include "regalloc/work.h"
#include "base/bits.h"

static void find_reconvergence(struct module *m, struct code *c) {
  struct graph g;
  graph_build(c, &g);
  uint32_t *ipdom = xcalloc((size_t)g.n + 1, sizeof *ipdom);
  pdom_build(&g, ipdom);
  c->reconv = arena_alloc(&m->arena, (size_t)c->n * sizeof *c->reconv);
  for (uint32_t i = 0; i < c->n; i++) {
    uint32_t p = c->insn[i].op == OP_BRA ? ipdom[g.block_of[i]] : g.n;
    c->reconv[i] = p == g.n ? c->n : g.block[p].first;
  }
  free(ipdom);
  graph_free(&g);
}

static uint32_t set_index(const struct opnd *o) { return o->kind == O_PRED ? LIVE_PRED + o->reg : o->reg; }

static unsigned set_span(const struct opnd *o) { return o->words == 2 ? 2 : 1; }

/* Live after instruction i: the union of what is live before its successors. */
static void live_after(const struct code *c, const struct live *l, uint32_t i, uint64_t *out) {
  const struct insn *in = &c->insn[i];
  bool stops = (in->op == OP_BRA || in->op == OP_EXIT || in->op == OP_TRAP) && in->guard.kind != O_PRED;
  memset(out, 0, l->words * sizeof *out);
  if (!stops && i + 1 < c->n)
    for (uint32_t w = 0; w < l->words; w++) out[w] |= l->in[(size_t)(i + 1) * l->words + w];
  if (in->op == OP_BRA)
    for (uint32_t w = 0; w < l->words; w++) out[w] |= l->in[(size_t)in->target * l->words + w];
}

static void mark_last(struct opnd *o, const uint64_t *after) {
  if (o->kind != O_REG && o->kind != O_PRED) return;
  o->last = 1;
  for (unsigned s = 0; s < set_span(o); s++)
    if (set_has(after, set_index(o) + s)) o->last = 0;
}

static uint32_t count_registers(const uint64_t *set) {
  uint32_t n = 0;
  for (unsigned j = 0; j < 4; j++) n += (uint32_t)bit_count64(set[j]);
  return n;
}

static void find_liveness(struct module *m, struct code *c) {
  struct live l;
  live_build(c, &l);
  uint64_t *after = xcalloc(l.words, sizeof *after);
  c->live = arena_alloc(&m->arena, (size_t)c->n * sizeof *c->live);
  c->maxlive = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    memcpy(c->live[i], l.in + (size_t)i * l.words, sizeof c->live[i]);
    uint32_t n = count_registers(c->live[i]);
    if (n > c->maxlive) c->maxlive = n;

    live_after(c, &l, i, after);
    const struct opnd *wr[INSN_DST];
    unsigned nw = insn_writes(in, wr);
    for (unsigned k = 0; k < nw; k++)
      for (unsigned s = 0; s < set_span(wr[k]); s++) set_add(after, set_index(wr[k]) + s);
    n = count_registers(after); /* unused results occupy a register as well */
    if (n > c->maxlive) c->maxlive = n;

    live_after(c, &l, i, after);
    if (in->guard.kind != O_PRED) /* written here: what comes later reads the new value */
      for (unsigned k = 0; k < nw; k++)
        for (unsigned s = 0; s < set_span(wr[k]); s++) set_del(after, set_index(wr[k]) + s);
    mark_last(&in->guard, after);
    for (unsigned k = 0; k < in->nsrc; k++) mark_last(&in->src[k], after);
  }
  free(after);
  live_free(&l);
  c->warp_live = arena_alloc(&m->arena, (size_t)c->n * sizeof *c->warp_live);
  warp_live_build(c, c->warp_live);
}

void finish_code(struct module *m, struct code *c) {
  find_reconvergence(m, c);
  find_liveness(m, c);
  op_build(m, c);
}
