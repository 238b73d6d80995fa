/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webs: splits every register into its webs, one register each: definitions and the reads that they reach.
 *
 * Registers are processed one after the other, over the operands that name them. A value is a node of a union-find:
 * each write makes one, and so does each block before which the register is live (the incoming value); a read makes
 * none. A block's last value is merged with the incoming value of each successor where the register is live; a
 * guarded write is merged with the value it may keep. Merged nodes are a web. So the only data flow needed is
 * liveness, propagated from the reads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/mma.h"
#include "compiler/regalloc/work.h"

#define NONE UINT32_MAX

struct place { /* an operand that names the register */
  struct opnd *o;
  uint32_t insn;
  bool write;
};

struct splitter {
  struct work *w;
  struct graph g;
  struct place *place;
  uint32_t *start;           /* per register, into place; nv + 1 */
  uint32_t *in;              /* per block: the node that comes in, or NONE */
  uint32_t *first, *end;     /* per block: places of the register at hand, if from[block] is it */
  uint32_t *stamp;           /* per block: the register whose first and end these are, plus one */
  uint32_t *touched, *stack; /* blocks */
  uint32_t ntouched;
  uint32_t *parent, *web; /* per node */
  uint32_t nnode, cap, wcap;
  uint32_t *node; /* per place of the register at hand */
  uint32_t *origin, norigin, ocap;
};

/* ---- the places of each register, in the order of the text, reads before writes ---- */

static void each_place(struct splitter *s, void (*see)(struct splitter *, struct place)) {
  for (uint32_t i = 0; i < s->w->c->n; i++) {
    struct insn *in = &s->w->c->insn[i];
    if (in->guard.kind == O_PRED) see(s, (struct place){&in->guard, i, false});
    for (unsigned k = 0; k < in->nsrc; k++) see(s, (struct place){&in->src[k], i, false});
    for (unsigned k = 0; k < in->ndst; k++) see(s, (struct place){&in->dst[k], i, true});
  }
}

static void count_place(struct splitter *s, struct place p) {
  if (opnd_is_register(p.o)) s->start[p.o->reg + 1]++;
}

static void enter_place(struct splitter *s, struct place p) {
  if (opnd_is_register(p.o)) s->place[s->start[p.o->reg]++] = p;
}

static void webs_find_places(struct splitter *s) {
  uint32_t nv = s->w->nv;
  s->start = xcalloc((size_t)nv + 2, sizeof *s->start);
  each_place(s, count_place);
  uint32_t most = 0;
  for (uint32_t v = 0; v < nv; v++) {
    if (s->start[v + 1] > most) most = s->start[v + 1];
    s->start[v + 1] += s->start[v];
  }
  s->place = xcalloc((size_t)s->start[nv] + 1, sizeof *s->place);
  s->node = xcalloc((size_t)most + 1, sizeof *s->node);
  each_place(s, enter_place); /* start[v] ends where start[v + 1] began */
  for (uint32_t v = nv; v > 0; v--) s->start[v] = s->start[v - 1];
  s->start[0] = 0;
}

/* ---- values ---- */

static uint32_t new_node(struct splitter *s) {
  uint32_t x = s->nnode;
  VEC_PUSH(s->parent, s->nnode, s->cap) = x;
  return x;
}

static uint32_t webs_root(struct splitter *s, uint32_t x) {
  while (s->parent[x] != x) x = s->parent[x] = s->parent[s->parent[x]];
  return x;
}

static void webs_join(struct splitter *s, uint32_t a, uint32_t b) { s->parent[webs_root(s, a)] = webs_root(s, b); }

static bool webs_is_guarded(const struct splitter *s, const struct place *p) {
  return s->w->c->insn[p->insn].guard.kind == O_PRED;
}

static bool has_places(const struct splitter *s, uint32_t b, uint32_t v) { return s->stamp[b] == v + 1; }

static bool webs_kills(const struct splitter *s, uint32_t b, uint32_t v) {
  if (!has_places(s, b, v)) return false;
  for (uint32_t p = s->first[b]; p < s->end[b]; p++)
    if (s->place[p].write && !webs_is_guarded(s, &s->place[p])) return true;
  return false;
}

/* Does the block read its incoming value? */
static bool webs_exposes(const struct splitter *s, uint32_t b) {
  for (uint32_t p = s->first[b]; p < s->end[b]; p++) {
    if (!s->place[p].write) return true;
    if (!webs_is_guarded(s, &s->place[p])) return false;
  }
  return false;
}

static void comes_in(struct splitter *s, uint32_t b, uint32_t *depth) {
  if (s->in[b] != NONE) return;
  s->in[b] = new_node(s);
  s->stack[(*depth)++] = b;
}

/* Marks every block before which v is live; lists the blocks that are to be walked. */
static void webs_find_live(struct splitter *s, uint32_t v) {
  uint32_t depth = 0;
  s->ntouched = 0;
  for (uint32_t p = s->start[v]; p < s->start[v + 1]; p++) {
    uint32_t b = s->g.block_of[s->place[p].insn];
    if (!has_places(s, b, v)) {
      s->stamp[b] = v + 1;
      s->first[b] = p;
      s->touched[s->ntouched++] = b;
    }
    s->end[b] = p + 1;
  }
  for (uint32_t k = 0, n = s->ntouched; k < n; k++)
    if (webs_exposes(s, s->touched[k])) comes_in(s, s->touched[k], &depth);
  while (depth) {
    uint32_t b = s->stack[--depth];
    if (!has_places(s, b, v)) s->touched[s->ntouched++] = b;
    for (uint32_t p = 0; p < s->g.block[b].npred; p++)
      if (!webs_kills(s, s->g.block[b].pred[p], v)) comes_in(s, s->g.block[b].pred[p], &depth);
  }
}

static void webs_walk_block(struct splitter *s, uint32_t b, uint32_t v) {
  uint32_t now = s->in[b];
  for (uint32_t p = s->first[b]; has_places(s, b, v) && p < s->end[b]; p++) {
    if (s->place[p].write) {
      uint32_t made = new_node(s);
      if (webs_is_guarded(s, &s->place[p]) && now != NONE) webs_join(s, made, now);
      now = made;
    }
    s->node[p - s->start[v]] = now;
  }
  for (uint32_t k = 0; k < s->g.block[b].nsucc; k++)
    if (s->in[s->g.block[b].succ[k]] != NONE) webs_join(s, now, s->in[s->g.block[b].succ[k]]);
}

/* Renames the places of v: its first web in the text keeps the words of v and comes first. */
static void webs_split_register(struct splitter *s, uint32_t v) {
  s->nnode = 0;
  webs_find_live(s, v);
  for (uint32_t k = 0; k < s->ntouched; k++) webs_walk_block(s, s->touched[k], v);
  for (uint32_t k = 0; k < s->ntouched; k++) s->in[s->touched[k]] = NONE;
  if (s->wcap < s->nnode) s->web = xrealloc(s->web, (s->wcap = 2 * s->nnode) * sizeof *s->web);
  for (uint32_t x = 0; x < s->nnode; x++) s->web[x] = NONE;
  for (uint32_t p = s->start[v]; p < s->start[v + 1]; p++) {
    uint32_t x = webs_root(s, s->node[p - s->start[v]]);
    if (s->web[x] == NONE) {
      s->web[x] = s->norigin;
      VEC_PUSH(s->origin, s->norigin, s->ocap) = v;
    }
    s->place[p].o->reg = s->web[x];
  }
}

uint32_t *webs_split(struct work *w) {
  struct splitter s = {.w = w};
  graph_build(w->c, &s.g);
  webs_find_places(&s);
  uint32_t *mem = xcalloc(6 * ((size_t)s.g.n + 1), sizeof *mem), n = s.g.n + 1;
  s.in = mem;
  s.first = mem + n;
  s.end = mem + 2 * (size_t)n;
  s.stamp = mem + 3 * (size_t)n;
  s.touched = mem + 4 * (size_t)n;
  s.stack = mem + 5 * (size_t)n;
  for (uint32_t b = 0; b < s.g.n; b++) s.in[b] = NONE;
  uint32_t nv = w->nv;
  for (uint32_t v = 0; v < nv; v++) webs_split_register(&s, v);

  uint8_t *words = w->words;
  w->words = NULL;
  w->nv = w->cap = 0;
  for (uint32_t x = 0; x < s.norigin; x++) work_reg(w, words[s.origin[x]], false);
  free(words);
  free(mem);
  free(s.start);
  free(s.place);
  free(s.node);
  free(s.parent);
  free(s.web);
  graph_free(&s.g);
  return s.origin;
}

/* ---- which webs are floats ---- */

/* Does the instruction make an f32 there, or take one? Operands that are no data (addresses) do not. */
static bool takes_f32(const struct insn *i, unsigned src) {
  if (insn_is(i, TRAIT_FROM_STYPE)) return i->stype == T_F32;
  if (insn_is(i, TRAIT_ADDRESS)) return src > 0 && i->type == T_F32;
  if (insn_texture(i)) return tex_source_type(i, src) == T_F32;
  switch (i->op) {
    case OP_SLCT: return (src == 2 ? i->stype : i->type) == T_F32;
    case OP_CPASYNC: return false;
    case OP_MMA: /* the last ones are C */
      return src + i->ndst >= i->nsrc && i->type == T_F32 && !(i->cmp & MMA_C_OTHER);
    default: return i->type == T_F32;
  }
}

void webs_floats(const struct work *w, bool *fp) {
  for (uint32_t v = 0; v < w->nv; v++) fp[v] = w->words[v] == 1;
  bool *written = xcalloc((size_t)w->nv + 1, sizeof *written);
  for (uint32_t i = 0; i < w->c->n; i++) {
    const struct insn *in = &w->c->insn[i];
    for (unsigned k = 0; k < in->nsrc; k++)
      if (in->src[k].kind == O_REG && !takes_f32(in, k)) fp[in->src[k].reg] = false;
    for (unsigned k = 0; k < in->ndst; k++) {
      if (in->dst[k].kind != O_REG) continue;
      written[in->dst[k].reg] = true;
      if (in->type != T_F32) fp[in->dst[k].reg] = false;
    }
  }
  for (uint32_t v = 0; v < w->nv; v++) fp[v] = fp[v] && written[v];
  free(written);
}

/* ---- names ---- */

struct label {
  const char *name;
  uint32_t v;
};

/* Registers of one name are in the order of the text already: webs_split made them so. */
static int webs_by_name(const void *a, const void *b) {
  const struct label *x = a, *y = b;
  int d = strcmp(x->name, y->name);
  return d ? d : x->v < y->v ? -1 : x->v > y->v;
}

const char **webs_names(const struct work *w, const uint32_t *origin, uint32_t norigin) {
  uint32_t nv = w->nv;
  const char **name = xcalloc((size_t)nv + 1, sizeof *name);
  struct label *label = xcalloc((size_t)nv + 1, sizeof *label);
  for (uint32_t v = 0; v < nv; v++) {
    const char *s = v < norigin ? w->c->vreg[origin[v]].name : "(spill)";
    label[v] = (struct label){s ? s : "", v};
  }
  qsort(label, nv, sizeof *label, webs_by_name);
  for (uint32_t i = 0, nth = 1; i < nv; i++) {
    nth = i && !strcmp(label[i].name, label[i - 1].name) ? nth + 1 : 1;
    char text[300];
    int n = nth == 1 ? snprintf(text, sizeof text, "%.280s", label[i].name)
                     : snprintf(text, sizeof text, "%.280s.%" PRIu32, label[i].name, nth);
    name[label[i].v] = arena_strndup(&w->m->arena, text, (size_t)n);
  }
  free(label);
  return name;
}
