/* SPDX-License-Identifier: Apache-2.0 */
/*
 * essa: see essa.h. Phis stand at the iterated dominance frontiers of a register's definitions, where it is live (R.
 * Cytron and others, TOPLAS 13(4), 1991); sigmas are definitions in nodes of their own, one on each way out of a
 * conditional branch, so no edge is critical. Which registers get sigmas is estimated from the code (registers that
 * the comparisons behind the guard read, and registers derived from them or they from by moves and additions of
 * constants); which comparisons constrain their values is determined at the end.
 */
#include "compiler/narrow/essa.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"
#include "base/bits.h"

enum { VISITS = 256 /* limit of the search per branch exit */, HOPS = 8, DEPTH = 4 };

struct list { /* items of many owners: of[start[o]] .. of[start[o + 1] - 1] */
  uint32_t *start, *of;
};

struct build {
  struct essa *e;
  const struct code *c;
  uint32_t nreg, words; /* 64-bit words of a set of registers */
  uint8_t *bits;        /* per register */
  uint64_t *live;       /* per node: registers live where it begins */
  uint64_t *guess;      /* per node: registers that may get sigmas */
  struct list frontier, children, kin, defs;
  uint32_t *cur, *entry; /* per register: the value now; at entry */
  struct {
    uint32_t reg, val;
  } * undo;
  uint32_t nundo, capundo;
};

static uint64_t *live_in(const struct build *b, uint32_t node) { return b->live + (size_t)node * b->words; }
static uint64_t *essa_guesses(const struct build *b, uint32_t node) { return b->guess + (size_t)node * b->words; }

static void *essa_new_array(size_t n, size_t size) {
  void *p = xmalloc(n * size);
  memset(p, 0xff, n * size); /* NO_VAL */
  return p;
}

/* Fills a list from pairs: called twice with the same sequence, first to count. */
static void list_begin(struct list *l, uint32_t owners) { l->start = xcalloc((size_t)owners + 2, sizeof *l->start); }
static void list_put(struct list *l, uint32_t owner, uint32_t item) {
  if (l->of) l->of[l->start[owner + 1]++] = item;
  else l->start[owner + 2]++;
}
static void list_ready(struct list *l, uint32_t owners) {
  for (uint32_t o = 0; o <= owners; o++) l->start[o + 1] += l->start[o];
  l->of = xcalloc((size_t)l->start[owners + 1] + 1, sizeof *l->of);
}
static void list_free(struct list *l) {
  free(l->start);
  free(l->of);
}

/* ---- the graph ---- */

static bool is_conditional(const struct code *c, const struct block *b) {
  const struct insn *t = &c->insn[b->end - 1];
  bool leaves = t->op == OP_EXIT || t->op == OP_TRAP;
  return t->guard.kind == O_PRED && (leaves ? b->nsucc == 1 : t->op == OP_BRA && b->nsucc == 2);
}

/* The code's graph with an entry node, and a node on each exit edge of a conditional branch, whose `first` and `end`
 * are the instruction behind the branch. */
static void make_graph(const struct code *c, struct graph *out) {
  struct graph g;
  graph_build(c, &g);
  uint32_t n = g.n + 1;
  *out = (struct graph){.block = xcalloc((size_t)g.n * 3 + 1, sizeof *out->block)};
  if (g.n) out->block[0] = (struct block){.succ = {1}, .nsucc = 1};
  for (uint32_t b = 0; b < g.n; b++) {
    struct block *k = &out->block[b + 1];
    bool split = is_conditional(c, &g.block[b]);
    *k = (struct block){.first = g.block[b].first, .end = g.block[b].end, .nsucc = g.block[b].nsucc};
    for (uint32_t s = 0; s < k->nsucc; s++) {
      uint32_t to = g.block[b].succ[s] + 1;
      k->succ[s] = split ? n : to;
      if (split) out->block[n++] = (struct block){.first = k->end, .end = k->end, .succ = {to}, .nsucc = 1};
    }
  }
  out->n = n;
  graph_preds(out);
  graph_free(&g);
}

static bool is_way(const struct essa *e, uint32_t node) {
  return node && e->g.block[node].first == e->g.block[node].end;
}
/* For a node on a branch exit: the branch, and whether it is taken there. */
static uint32_t way_branch(const struct essa *e, uint32_t node) { return e->g.block[node].first - 1; }
static bool way_taken(const struct essa *e, uint32_t node) {
  return e->g.block[e->g.block[node].pred[0]].succ[0] != node; /* falling through comes first */
}

/* ---- liveness ---- */

static void essa_find_live(struct build *b) {
  const struct graph *g = &b->e->g;
  uint64_t *set = xcalloc((size_t)b->words + 1, sizeof *set);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t n = g->n; n-- > 0;) {
      memset(set, 0, b->words * sizeof *set);
      for (uint32_t s = 0; s < g->block[n].nsucc; s++)
        for (uint32_t w = 0; w < b->words; w++) set[w] |= live_in(b, g->block[n].succ[s])[w];
      for (uint32_t i = g->block[n].end; i-- > g->block[n].first;) live_step(b->c, &b->c->insn[i], set);
      if (!memcmp(set, live_in(b, n), b->words * sizeof *set)) continue;
      memcpy(live_in(b, n), set, b->words * sizeof *set);
      again = true;
    }
  }
  free(set);
}

/* ---- dominance ---- */

static void essa_find_frontiers(struct build *b, uint32_t *last) {
  const struct graph *g = &b->e->g;
  const uint32_t *idom = b->e->idom;
  for (uint32_t n = 0; n < g->n; n++) last[n] = g->n;
  for (uint32_t n = 0; n < g->n; n++) {
    if (g->block[n].npred < 2 || idom[n] == g->n) continue;
    for (uint32_t p = 0; p < g->block[n].npred; p++) {
      uint32_t at = g->block[n].pred[p];
      if (at && idom[at] == g->n) continue; /* cannot be reached */
      for (; at != idom[n] && last[at] != n; at = idom[at]) {
        last[at] = n;
        list_put(&b->frontier, at, n);
      }
    }
  }
}

static void essa_find_dominance(struct build *b) {
  struct essa *e = b->e;
  uint32_t *last = xcalloc((size_t)e->g.n + 1, sizeof *last);
  e->idom = xcalloc((size_t)e->g.n + 1, sizeof *e->idom);
  dom_build(&e->g, e->idom);
  list_begin(&b->frontier, e->g.n);
  list_begin(&b->children, e->g.n);
  for (unsigned round = 0; round < 2; round++) {
    essa_find_frontiers(b, last);
    for (uint32_t n = 1; n < e->g.n; n++)
      if (e->idom[n] != e->g.n) list_put(&b->children, e->idom[n], n);
    if (round) break;
    list_ready(&b->frontier, e->g.n);
    list_ready(&b->children, e->g.n);
  }
  free(last);
}

bool essa_dominates(const struct essa *e, uint32_t a, uint32_t b) {
  while (b && b != a && b != e->g.n) b = e->idom[b];
  return b == a;
}

/* ---- registers that a branch may constrain ---- */

/* The register that dst is made from by a move, by adding a constant, or (then *low) by taking its low word
 * or extending it to two. False: it is made otherwise. */
static bool essa_step_of(const struct insn *i, unsigned *from, uint64_t *add, bool *low) {
  unsigned bytes = dtype_bytes((enum dtype)i->type), of = dtype_bytes((enum dtype)i->stype);
  *from = 0;
  *add = 0;
  if (i->ndst != 1 || i->dst[0].kind != O_REG || i->mods & (M_SAT | M_CC)) return false;
  if (bytes != 4u * i->dst[0].words || dtype_float((enum dtype)i->type)) return false;
  if (i->op == OP_MOV) return i->src[0].kind == O_REG;
  if (i->op == OP_CVT && !dtype_float((enum dtype)i->stype) && of >= 4 && i->src[0].kind == O_REG) {
    *low = true;
    return true;
  }
  if (i->op != OP_ADD && i->op != OP_SUB) return false;
  *from = i->op == OP_ADD && i->src[0].kind == O_IMM;
  const struct opnd *imm = &i->src[1 - *from];
  if (i->src[*from].kind != O_REG || imm->kind != O_IMM) return false;
  *add = i->op == OP_ADD ? imm->imm : 0 - imm->imm;
  return true;
}

static void essa_find_kin(struct build *b) {
  list_begin(&b->kin, b->nreg);
  list_begin(&b->defs, b->nreg);
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < b->c->n; i++) {
      const struct insn *in = &b->c->insn[i];
      unsigned from;
      uint64_t add;
      bool low;
      for (unsigned k = 0; k < in->ndst; k++)
        if (in->dst[k].kind == O_PRED) list_put(&b->defs, in->dst[k].reg, i);
      if (!essa_step_of(in, &from, &add, &low) || in->src[from].reg == in->dst[0].reg) continue;
      list_put(&b->kin, in->dst[0].reg, in->src[from].reg);
      list_put(&b->kin, in->src[from].reg, in->dst[0].reg);
    }
    if (round) break;
    list_ready(&b->kin, b->nreg);
    list_ready(&b->defs, b->nreg);
  }
}

static void guess_kin(struct build *b, uint32_t node, uint32_t reg, unsigned hops, unsigned *left) {
  if (!*left) return;
  --*left;
  if (set_has(live_in(b, node), reg)) set_add(essa_guesses(b, node), reg);
  for (uint32_t k = b->kin.start[reg]; hops && k < b->kin.start[reg + 1]; k++)
    guess_kin(b, node, b->kin.of[k], hops - 1, left);
}

static void guess_from(struct build *b, uint32_t node, uint32_t pred, unsigned depth, unsigned *left) {
  for (uint32_t k = b->defs.start[pred]; depth && *left && k < b->defs.start[pred + 1]; k++) {
    const struct insn *i = &b->c->insn[b->defs.of[k]];
    --*left;
    for (unsigned s = 0; s < i->nsrc; s++) {
      if (i->src[s].kind == O_PRED) guess_from(b, node, i->src[s].reg, depth - 1, left);
      if (i->op == OP_SETP && i->src[s].kind == O_REG) guess_kin(b, node, i->src[s].reg, 2, left);
    }
  }
}

/* ---- phis ---- */

static uint32_t new_val(struct essa *e, struct val v) {
  v.next = NO_VAL;
  VEC_PUSH(e->val, e->nval, e->capval) = v;
  return e->nval - 1;
}

static void new_args(struct essa *e, uint32_t v, uint32_t n) {
  e->val[v].arg = e->narg;
  e->val[v].narg = n;
  for (uint32_t k = 0; k < n; k++) VEC_PUSH(e->arg, e->narg, e->caparg) = NO_VAL;
}

static void place_phis(struct build *b, const struct list *where, uint32_t reg, uint32_t *stack, uint32_t *seen) {
  struct essa *e = b->e;
  uint32_t depth = 0;
  for (uint32_t k = where->start[reg]; k < where->start[reg + 1]; k++) stack[depth++] = where->of[k];
  while (depth) {
    uint32_t from = stack[--depth];
    for (uint32_t k = b->frontier.start[from]; k < b->frontier.start[from + 1]; k++) {
      uint32_t n = b->frontier.of[k];
      if (seen[n] == reg || !set_has(live_in(b, n), reg)) continue;
      seen[n] = reg;
      uint32_t v = new_val(e, (struct val){.kind = VAL_PHI, .bits = b->bits[reg], .reg = reg, .at = n});
      new_args(e, v, e->g.block[n].npred);
      e->val[v].next = e->phi[n];
      e->phi[n] = v;
      stack[depth++] = n;
    }
  }
}

static void essa_find_phis(struct build *b) {
  struct essa *e = b->e;
  struct list where = {0}; /* per register: nodes that define it */
  list_begin(&where, b->nreg);
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t n = 0; n < e->g.n; n++) {
      const struct opnd *o[INSN_DST];
      for (uint32_t i = e->g.block[n].first; i < e->g.block[n].end; i++) {
        unsigned nw = insn_writes(&b->c->insn[i], o);
        for (unsigned k = 0; k < nw; k++) list_put(&where, o[k]->reg, n);
      }
      for (uint32_t w = 0; w < b->words; w++)
        for (uint64_t left = essa_guesses(b, n)[w]; left; left &= left - 1)
          list_put(&where, w * 64 + (uint32_t)bit_low64(left), n);
    }
    if (!round) list_ready(&where, b->nreg);
  }
  size_t room = (size_t)e->g.n + where.start[b->nreg] + 1;
  uint32_t *stack = xcalloc(room, sizeof *stack), *seen = xmalloc(room * sizeof *seen);
  for (size_t k = 0; k < room; k++) seen[k] = NO_VAL;
  for (uint32_t r = 0; r < b->nreg; r++) place_phis(b, &where, r, stack, seen);
  free(stack);
  free(seen);
  list_free(&where);
}

/* ---- renaming ---- */

static uint32_t essa_value_now(struct build *b, uint32_t reg) {
  if (b->cur[reg] != NO_VAL) return b->cur[reg];
  if (b->entry[reg] == NO_VAL)
    b->entry[reg] = new_val(b->e, (struct val){.kind = VAL_ENTRY, .bits = b->bits[reg], .reg = reg});
  return b->entry[reg];
}

static void set_now(struct build *b, uint32_t reg, uint32_t v) {
  VEC_PUSH(b->undo, b->nundo, b->capundo).reg = reg;
  b->undo[b->nundo - 1].val = b->cur[reg];
  b->cur[reg] = v;
}

static void essa_learn(const struct essa *e, uint32_t pred, bool truth, unsigned depth, struct known *out) {
  const struct val *p = &e->val[pred];
  if (p->kind != VAL_INSN || !depth) return;
  const struct insn *i = &e->c->insn[p->at];
  const uint32_t *src = e->src[p->at];
  bool all = truth ? i->op == OP_AND : i->op == OP_OR; /* both sources are known */
  if (i->op == OP_SETP) {
    bool compared = i->boolop == B_NONE || (i->boolop == B_AND && truth) || (i->boolop == B_OR && !truth);
    if (compared && out->n < ESSA_KNOWN && !dtype_float((enum dtype)i->type)) {
      out->insn[out->n] = p->at;
      out->truth[out->n++] = truth ^ (p->dst == 1); /* the second result is that of the opposite */
    }
    if (compared && i->boolop != B_NONE && src[2] != NO_VAL)
      essa_learn(e, src[2], truth ^ (i->src[2].neg != 0), depth - 1, out);
    return;
  }
  bool one = i->op == OP_MOV || i->op == OP_NOT;
  if (i->op == OP_NOT) truth = !truth;
  for (unsigned s = 0; s < i->nsrc && (one || all); s++)
    if (src[s] != NO_VAL) essa_learn(e, src[s], truth ^ (i->src[s].neg != 0), depth - 1, out);
}

void essa_known(const struct essa *e, uint32_t node, struct known *out) {
  out->n = 0;
  if (!is_way(e, node)) return;
  uint32_t branch = way_branch(e, node);
  bool truth = way_taken(e, node) ^ (e->c->insn[branch].guard.neg != 0);
  if (e->guard[branch] != NO_VAL) essa_learn(e, e->guard[branch], truth, HOPS, out);
}

/* The relation of values to comparisons is determined when all of them exist: essa_find_conds. */
static void make_sigmas(struct build *b, uint32_t node) {
  struct essa *e = b->e;
  struct known known;
  essa_known(e, node, &known);
  for (uint32_t w = 0; known.n && w < b->words; w++)
    for (uint64_t left = essa_guesses(b, node)[w]; left; left &= left - 1) {
      uint32_t reg = w * 64 + (uint32_t)bit_low64(left), old = essa_value_now(b, reg);
      uint32_t v = new_val(e, (struct val){.kind = VAL_SIGMA, .bits = b->bits[reg], .reg = reg, .at = node});
      new_args(e, v, 1);
      e->arg[e->val[v].arg] = old;
      set_now(b, reg, v);
    }
}

static void rename_insn(struct build *b, uint32_t i) {
  struct essa *e = b->e;
  const struct insn *in = &b->c->insn[i];
  bool guarded = in->guard.kind == O_PRED;
  unsigned n = 0;
  if (guarded) e->guard[i] = essa_value_now(b, in->guard.reg);
  for (unsigned s = 0; s < in->nsrc; s++)
    if (opnd_is_register(&in->src[s])) e->src[i][s] = essa_value_now(b, in->src[s].reg);
  for (unsigned k = 0; k < in->ndst; k++) {
    if (in->dst[k].kind != O_REG && in->dst[k].kind != O_PRED) continue;
    uint32_t reg = in->dst[k].reg, old = guarded ? essa_value_now(b, reg) : NO_VAL;
    uint32_t v =
        new_val(e, (struct val){.kind = VAL_INSN, .bits = b->bits[reg], .dst = (uint8_t)k, .reg = reg, .at = i});
    e->dst[i][k] = v;
    new_args(e, v, in->nsrc);
    for (n = 0; n < in->nsrc; n++)
      if (in->src[n].kind == O_REG) e->arg[e->val[v].arg + n] = e->src[i][n];
    set_now(b, reg, v);
    if (!guarded) continue;
    uint32_t m = new_val(e, (struct val){.kind = VAL_MERGE, .bits = b->bits[reg], .reg = reg, .at = i});
    new_args(e, m, 2);
    e->arg[e->val[m].arg] = old;
    e->arg[e->val[m].arg + 1] = v;
    set_now(b, reg, m);
  }
}

static void rename_node(struct build *b, uint32_t node) {
  struct essa *e = b->e;
  const struct block *k = &e->g.block[node];
  for (uint32_t v = e->phi[node]; v != NO_VAL; v = e->val[v].next) set_now(b, e->val[v].reg, v);
  if (is_way(e, node)) make_sigmas(b, node);
  for (uint32_t i = k->first; i < k->end; i++) {
    e->node[i] = node;
    rename_insn(b, i);
  }
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const struct block *to = &e->g.block[k->succ[s]];
    uint32_t p = 0;
    while (to->pred[p] != node) p++;
    for (uint32_t v = e->phi[k->succ[s]]; v != NO_VAL; v = e->val[v].next) {
      uint32_t is = essa_value_now(b, e->val[v].reg);
      e->arg[e->val[v].arg + p] = is;
    }
  }
}

/* Walks the dominator tree; the settings of a node are undone after its children. */
static void rename_all(struct build *b) {
  uint32_t n = b->e->g.n, depth = 0;
  struct frame {
    uint32_t node, child, undo;
  } *stack = xcalloc((size_t)n + 1, sizeof *stack);
  stack[depth++] = (struct frame){0, b->children.start[0], 0};
  rename_node(b, 0);
  while (depth) {
    struct frame *f = &stack[depth - 1];
    if (f->child < b->children.start[f->node + 1]) {
      uint32_t node = b->children.of[f->child++];
      stack[depth++] = (struct frame){node, b->children.start[node], b->nundo};
      rename_node(b, node);
      continue;
    }
    while (b->nundo > f->undo) {
      b->nundo--;
      b->cur[b->undo[b->nundo].reg] = b->undo[b->nundo].val;
    }
    depth--;
  }
  free(stack);
}

/* ---- conditions of sigmas ---- */

/* Assumed for all phis first, then revoked where it does not hold. */
static void essa_find_same(struct essa *e) {
  uint32_t *same = e->same = essa_new_array((size_t)e->nval + 1, sizeof *same);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t v = 0; v < e->nval; v++) {
      const struct val *x = &e->val[v];
      uint32_t is = v;
      if (x->kind == VAL_SIGMA) is = same[e->arg[x->arg]];
      if (x->kind == VAL_PHI && same[v] != v) {
        is = NO_VAL;
        for (uint32_t k = 0; k < x->narg; k++) {
          uint32_t from = e->arg[x->arg + k] == NO_VAL ? NO_VAL : same[e->arg[x->arg + k]];
          if (from == NO_VAL || from == is) continue;
          is = is == NO_VAL ? from : v;
        }
      }
      if (is == same[v]) continue;
      same[v] = is;
      again = true;
    }
  }
}

struct root essa_root(const struct essa *e, uint32_t v) {
  struct root r = {.val = v};
  for (unsigned hop = 0; hop < HOPS && e->same[r.val] != NO_VAL; hop++) {
    r.val = e->same[r.val];
    const struct val *x = &e->val[r.val];
    unsigned from;
    uint64_t add;
    if (x->kind != VAL_INSN || !essa_step_of(&e->c->insn[x->at], &from, &add, &r.low)) break;
    r.val = e->src[x->at][from];
    r.offset += add;
  }
  return r;
}

static void essa_find_conds_of(struct essa *e, uint32_t v) {
  struct known known;
  uint32_t old = e->arg[e->val[v].arg], first = e->ncond;
  struct root mine = essa_root(e, old);
  essa_known(e, e->val[v].at, &known);
  e->val[v].at = way_branch(e, e->val[v].at);
  for (unsigned k = 0; k < known.n; k++)
    for (uint8_t s = 0; s < 2; s++) {
      uint32_t a = e->src[known.insn[k]][s];
      if (a == NO_VAL || !e->val[a].bits) continue;
      struct root its = essa_root(e, a);
      if (its.val != mine.val) continue;
      VEC_PUSH(e->cond, e->ncond, e->capcond) = (struct cond){.insn = known.insn[k],
                                                              .compared = a,
                                                              .side = s,
                                                              .truth = known.truth[k],
                                                              .low = mine.low || its.low,
                                                              .offset = mine.offset - its.offset};
    }
  e->val[v].cond = first;
  e->val[v].ncond = e->ncond - first;
  new_args(e, v, 1 + 2 * e->val[v].ncond);
  e->arg[e->val[v].arg] = old;
  for (uint32_t k = 0; k < e->val[v].ncond; k++)
    memcpy(&e->arg[e->val[v].arg + 1 + 2 * k], e->src[e->cond[first + k].insn], 2 * sizeof *e->arg);
}

static void essa_find_conds(struct essa *e) {
  essa_find_same(e);
  for (uint32_t v = 0; v < e->nval; v++)
    if (e->val[v].kind == VAL_SIGMA) essa_find_conds_of(e, v);
}

/* ---- construction ---- */

static void essa_find_bits(struct build *b) {
  for (uint32_t i = 0; i < b->c->n; i++) {
    const struct opnd *o[INSN_SRC + 1 + INSN_DST];
    unsigned n = insn_reads(&b->c->insn[i], o);
    n += insn_writes(&b->c->insn[i], o + n);
    for (unsigned k = 0; k < n; k++) b->bits[o[k]->reg] = o[k]->kind == O_PRED ? 0 : o[k]->words == 2 ? 64 : 32;
  }
}

static void guess_all(struct build *b) {
  essa_find_kin(b);
  for (uint32_t n = 1; n < b->e->g.n; n++) {
    unsigned left = VISITS;
    if (is_way(b->e, n)) guess_from(b, n, b->c->insn[way_branch(b->e, n)].guard.reg, DEPTH, &left);
  }
}

void essa_build(const struct code *c, uint32_t nreg, struct essa *e) {
  struct build b = {.e = e, .c = c, .nreg = nreg, .words = set_words(nreg)};
  *e = (struct essa){.c = c};
  make_graph(c, &e->g);
  size_t n = (size_t)c->n + 1, nodes = (size_t)e->g.n + 1, regs = (size_t)nreg + 1;
  e->src = essa_new_array(n, sizeof *e->src);
  e->dst = essa_new_array(n, sizeof *e->dst);
  e->guard = essa_new_array(n, sizeof *e->guard);
  e->phi = essa_new_array(nodes, sizeof *e->phi);
  e->node = essa_new_array(n, sizeof *e->node);
  b.cur = essa_new_array(regs, sizeof *b.cur);
  b.entry = essa_new_array(regs, sizeof *b.entry);
  b.bits = xcalloc(regs, 1);
  b.live = xcalloc(nodes * b.words + 1, sizeof *b.live);
  b.guess = xcalloc(nodes * b.words + 1, sizeof *b.guess);
  essa_find_bits(&b);
  essa_find_live(&b);
  essa_find_dominance(&b);
  guess_all(&b);
  essa_find_phis(&b);
  rename_all(&b);
  essa_find_conds(e);
  list_free(&b.frontier);
  list_free(&b.children);
  list_free(&b.kin);
  list_free(&b.defs);
  free(b.cur);
  free(b.entry);
  free(b.bits);
  free(b.live);
  free(b.guess);
  free(b.undo);
}

void essa_free(struct essa *e) {
  graph_free(&e->g);
  free(e->idom);
  free(e->phi);
  free(e->node);
  free(e->val);
  free(e->same);
  free(e->arg);
  free(e->cond);
  free(e->src);
  free(e->dst);
  free(e->guard);
}
