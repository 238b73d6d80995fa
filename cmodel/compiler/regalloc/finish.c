/* SPDX-License-Identifier: Apache-2.0 */
/* finish: annotations of code in physical registers for later stages: reconvergence, liveness, last uses.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/cfg.h"
#include "compiler/regalloc/work.h"
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
  bool stops = insn_ends_block(in) && in->guard.kind != O_PRED;
  memset(out, 0, l->words * sizeof *out);
  if (!stops && i + 1 < c->n)
    for (uint32_t w = 0; w < l->words; w++) out[w] |= l->in[(size_t)(i + 1) * l->words + w];
  if (in->op == OP_BRA)
    for (uint32_t w = 0; w < l->words; w++) out[w] |= l->in[(size_t)in->target * l->words + w];
}

/* Whose values are read behind instruction i: by the lanes that execute it, or by those that wait meanwhile. */
static void read_behind(const struct code *c, const struct live *l, uint32_t i, const uint64_t *waiting,
                        uint64_t *out) {
  const struct insn *in = &c->insn[i];
  const struct opnd *wr[INSN_DST];
  live_after(c, l, i, out);
  if (in->guard.kind != O_PRED) /* what comes later reads the value that is written here */
    for (unsigned k = 0, n = insn_writes(in, wr); k < n; k++)
      for (unsigned s = 0; s < set_span(wr[k]); s++) set_del(out, set_index(wr[k]) + s);
  for (unsigned w = 0; w < 4; w++) out[w] |= waiting[w];
}

static void mark_last(struct opnd *o, const uint64_t *read) {
  o->last = 0;
  if (o->kind != O_REG) return;
  for (unsigned s = 0; s < set_span(o); s++)
    if (!set_has(read, o->reg + s)) o->last |= (uint8_t)(1u << s);
}

static void find_last_uses(struct code *c, const struct live *l, const uint64_t (*waiting)[4]) {
  uint64_t *read = xcalloc(l->words, sizeof *read);
  for (uint32_t i = 0; i < c->n; i++) {
    read_behind(c, l, i, waiting[i], read);
    for (unsigned k = 0; k < c->insn[i].nsrc; k++) mark_last(&c->insn[i].src[k], read);
  }
  free(read);
}

static void find_liveness(struct module *m, struct code *c) {
  struct live l;
  live_build(c, &l);
  uint64_t *after = xcalloc(l.words, sizeof *after);
  c->live = arena_alloc(&m->arena, (size_t)c->n * sizeof *c->live);
  c->maxlive = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    memcpy(c->live[i], l.in + (size_t)i * l.words, sizeof c->live[i]);
    uint32_t n = regset_count(c->live[i]);
    if (n > c->maxlive) c->maxlive = n;

    live_after(c, &l, i, after);
    const struct opnd *wr[INSN_DST];
    unsigned nw = insn_writes(in, wr);
    for (unsigned k = 0; k < nw; k++)
      for (unsigned s = 0; s < set_span(wr[k]); s++) set_add(after, set_index(wr[k]) + s);
    n = regset_count(after); /* unused results occupy a register as well */
    if (n > c->maxlive) c->maxlive = n;
  }
  free(after);
  uint64_t(*waiting)[4] = xcalloc(c->n, sizeof *waiting);
  c->warp_live = arena_alloc(&m->arena, (size_t)c->n * sizeof *c->warp_live);
  warp_live_build(c, c->warp_live, waiting);
  find_last_uses(c, &l, (const uint64_t(*)[4])waiting);
  free(waiting);
  live_free(&l);
}

void finish_code(struct module *m, struct code *c) {
  find_reconvergence(m, c);
  find_liveness(m, c);
  op_build(m, c);
}
