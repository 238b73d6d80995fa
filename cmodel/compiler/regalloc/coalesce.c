/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coalesce: both ends of a move become one register where that loses no value.
 *
 * Invariant of a class of merged registers: members that are live at one point hold the same value there. Two
 * classes may merge if no write of one falls on a point that the other occupies, moves between the two
 * excepted (they write the value the other holds). Moves in the deepest loops come first.
 */
#include <stdlib.h>

#include "compiler/regalloc/work.h"

enum { SEG_MOST = 2048 }; /* merging costs the length of both lists: longer ones are left alone */

struct class {
  struct seg *seg; /* ascending, disjoint */
  uint32_t nseg, cap;
  uint32_t *def, ndef, dcap; /* instructions that write a member */
};

struct merger {
  struct work *w;
  uint32_t *rep; /* union-find */
  struct class *class;
  struct seg *tmp;
  uint32_t tcap;
};

static uint32_t merger_root(struct merger *m, uint32_t v) {
  while (m->rep[v] != v) v = m->rep[v] = m->rep[m->rep[v]];
  return v;
}

static bool is_copy(const struct insn *i) {
  if (i->op != OP_MOV || i->ndst != 1 || i->nsrc != 1) return false;
  const struct opnd *d = &i->dst[0], *s = &i->src[0];
  if (d->kind != s->kind || d->words != s->words) return false;
  /* 16-bit registers: reads use the low bits only */
  return (d->kind == O_REG && dtype_bytes((enum dtype)i->type) >= 2) || (d->kind == O_PRED && !s->neg);
}

static bool class_occupies(const struct class *c, uint32_t p) {
  uint32_t lo = 0, hi = c->nseg;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (c->seg[mid].to <= p) lo = mid + 1;
    else hi = mid;
  }
  return lo < c->nseg && c->seg[lo].from <= p;
}

/* Does a write of class a destroy the value of class b? */
static bool merger_clobbers(struct merger *m, uint32_t a, uint32_t b) {
  const struct class *ca = &m->class[a];
  for (uint32_t k = 0; k < ca->ndef; k++) {
    const struct insn *i = &m->w->c->insn[ca->def[k]];
    if (!class_occupies(&m->class[b], ca -> def[k])) continue;
    if (!is_copy(i) || merger_root(m, i->src[0].reg) != b) return true;
  }
  return false;
}

static void merger_merge(struct merger *m, uint32_t a, uint32_t b) {
  struct class *x = &m->class[a], *y = &m->class[b];
  uint32_t i = 0, j = 0, n = 0;
  if (m->tcap <= x->nseg + y->nseg) {
    m->tcap = 2 * (x->nseg + y->nseg) + 16;
    m->tmp = xrealloc(m->tmp, m->tcap * sizeof *m->tmp);
  }
  while (i < x->nseg || j < y->nseg) {
    bool left = j == y->nseg || (i < x->nseg && x->seg[i].from <= y->seg[j].from);
    struct seg s = left ? x->seg[i++] : y->seg[j++];
    if (n && m->tmp[n - 1].to >= s.from) {
      if (s.to > m->tmp[n - 1].to) m->tmp[n - 1].to = s.to;
    } else {
      m->tmp[n++] = s;
    }
  }
  if (n > x->cap) {
    x->cap = 2 * n;
    x->seg = xrealloc(x->seg, x->cap * sizeof *x->seg);
  }
  for (uint32_t k = 0; k < n; k++) x->seg[k] = m->tmp[k];
  x->nseg = n;
  for (uint32_t k = 0; k < y->ndef; k++) VEC_PUSH(x->def, x->ndef, x->dcap) = y->def[k];
  free(y->seg);
  free(y->def);
  *y = (struct class){0};
  m->rep[b] = a;
}

static void merger_try(struct merger *m, const struct insn *i) {
  uint32_t a = merger_root(m, i->dst[0].reg), b = merger_root(m, i->src[0].reg);
  if (a == b || m->w->words[a] != m->w->words[b]) return;
  if (m->class[a].nseg + m->class[b].nseg > SEG_MOST) return;
  if (m->class[a].ndef + m->class[b].ndef > SEG_MOST) return;
  if (merger_clobbers(m, a, b) || merger_clobbers(m, b, a)) return;
  merger_merge(m, a, b);
}

static void merger_rename_opnd(struct merger *m, struct opnd *o) {
  if (opnd_is_register(o)) o->reg = merger_root(m, o->reg);
}

void coalesce_copies(struct work *w) {
  struct code *c = w->c;
  struct merger m = {
      .w = w, .rep = xcalloc((size_t)w->nv + 1, sizeof *m.rep), .class = xcalloc((size_t)w->nv + 1, sizeof *m.class)};
  for (uint32_t v = 0; v < w->nv; v++) {
    struct class *k = &m.class[v];
    m.rep[v] = v;
    k->nseg = k->cap = w->r.start[v + 1] - w->r.start[v];
    k->seg = xcalloc((size_t)k->nseg + 1, sizeof *k->seg);
    for (uint32_t s = 0; s < k->nseg; s++) k->seg[s] = w->r.seg[w->r.start[v] + s];
  }
  int deepest = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct opnd *o[INSN_DST];
    unsigned n = insn_writes(&c->insn[i], o);
    for (unsigned k = 0; k < n; k++) {
      struct class *x = &m.class[o[k]->reg];
      VEC_PUSH(x->def, x->ndef, x->dcap) = i;
    }
    if (w->depth[i] > deepest) deepest = w->depth[i];
  }
  for (int d = deepest; d >= 0; d--)
    for (uint32_t i = 0; i < c->n; i++)
      if (w->depth[i] == d && is_copy(&c->insn[i])) merger_try(&m, &c->insn[i]);

  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    merger_rename_opnd(&m, &in->guard);
    for (unsigned k = 0; k < in->ndst; k++) merger_rename_opnd(&m, &in->dst[k]);
    for (unsigned k = 0; k < in->nsrc; k++) merger_rename_opnd(&m, &in->src[k]);
    drop[i] = is_copy(in) && in->dst[0].reg == in->src[0].reg;
  }
  code_drop(c, drop);
  for (uint32_t v = 0; v < w->nv; v++) {
    free(m.class[v].seg);
    free(m.class[v].def);
  }
  free(drop);
  free(m.tmp);
  free(m.class);
  free(m.rep);
}

/* Moves, halves and pairs whose source and destination got the same register. */
static bool is_identity(const struct insn *i) {
  const struct opnd *d = &i->dst[0], *s = &i->src[0];
  if (i->ndst == 0) return false;
  switch (i->op) {
    case OP_MOV: return is_copy(i) && d->reg == s->reg;
    case OP_CVT: /* the low word of a pair */
      return i->nsrc == 1 && d->kind == O_REG && s->kind == O_REG && d->words == 1 && s->words == 2 &&
             dtype_bytes((enum dtype)i->type) == 4 && dtype_bytes((enum dtype)i->stype) == 8 &&
             !dtype_float((enum dtype)i->type) && !dtype_float((enum dtype)i->stype) && !(i->mods & M_SAT) &&
             d->reg == s->reg;
    case OP_PACK:
      return i->nsrc == 2 && d->kind == O_REG && d->words == 2 && s->kind == O_REG && i->src[1].kind == O_REG &&
             s->reg == d->reg && i->src[1].reg == d->reg + 1;
    case OP_UNPACK:
      if (i->ndst != 2 || s->kind != O_REG || s->words != 2) return false;
      return (d->kind == O_NONE || d->reg == s->reg) && (i->dst[1].kind == O_NONE || i->dst[1].reg == s->reg + 1);
    default: return false;
  }
}

uint32_t find_identities(const struct code *c, uint8_t *drop) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n; i++) n += drop[i] = is_identity(&c->insn[i]);
  return n;
}

uint32_t drop_identities(struct code *c) {
  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  uint32_t n = find_identities(c, drop);
  if (n) code_drop(c, drop);
  free(drop);
  return n;
}
