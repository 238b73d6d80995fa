/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dom: immediate dominators and post-dominators by the semi-NCA algorithm (L. Georgiadis, "Linear-Time Algorithms for
 * Dominators and Related Problems", Princeton 2005, section 2.3); iterative throughout, so depth costs no stack.
 *
 * Post-dominators are found from one exit at a time: first from the EXIT that most blocks reach, then from
 * the others as they come from the text's end, EXIT before TRAP. A block that reaches the first exit has its
 * post-dominator on the paths there; blocks that do not reach it are a closed set and get theirs from the
 * next exit. Every block is decided once, so the whole is as cheap as one pass.
 */
#include <stdlib.h>

#include "compiler/ir/flow.h"

#define NO_NODE UINT32_MAX
enum { COMPARED = 32 }; /* exits looked at to find the first: bounds the cost */

struct walk {
  const struct graph *g;
  bool back;                   /* against the edges: post-dominators */
  uint32_t *num;               /* block -> number in depth-first order of this walk, NO_NODE: not met yet */
  uint32_t *node, *parent;     /* by number */
  uint32_t *semi, *label, *up; /* by number; up: forest for dom_eval, NO_NODE: a root */
  uint32_t *idom;              /* by number */
  uint32_t *stack, *edge;
  uint32_t count, base; /* numbers given; the first of this root */
};

static uint32_t out_edges(const struct walk *w, uint32_t b, const uint32_t **e) {
  const struct block *k = &w->g->block[b];
  *e = w->back ? k->pred : k->succ;
  return w->back ? k->npred : k->nsucc;
}

static uint32_t in_edges(const struct walk *w, uint32_t b, const uint32_t **e) {
  const struct block *k = &w->g->block[b];
  *e = w->back ? k->succ : k->pred;
  return w->back ? k->nsucc : k->npred;
}

static void dom_number_blocks(struct walk *w, uint32_t root) {
  uint32_t depth = 0;
  w->base = w->count;
  w->num[root] = w->count;
  w->node[w->count] = root;
  w->parent[w->count++] = NO_NODE;
  w->stack[depth] = root;
  w->edge[depth++] = 0;
  while (depth) {
    uint32_t b = w->stack[depth - 1];
    const uint32_t *e;
    uint32_t n = out_edges(w, b, &e), *at = &w->edge[depth - 1];
    if (*at == n) {
      depth--;
      continue;
    }
    uint32_t to = e[(*at)++];
    if (w->num[to] != NO_NODE) continue;
    w->num[to] = w->count;
    w->node[w->count] = to;
    w->parent[w->count++] = w->num[b];
    w->stack[depth] = to;
    w->edge[depth++] = 0;
  }
}

/* The node of least semidominator on the forest path from v to its root (the root left out); compresses the path. */
static uint32_t dom_eval(struct walk *w, uint32_t v) {
  if (w->up[v] == NO_NODE) return v;
  uint32_t depth = 0;
  while (w->up[w->up[v]] != NO_NODE) {
    w->stack[depth++] = v;
    v = w->up[v];
  }
  while (depth) {
    uint32_t u = w->stack[--depth], a = w->up[u];
    if (w->semi[w->label[a]] < w->semi[w->label[u]]) w->label[u] = w->label[a];
    w->up[u] = w->up[a];
    v = u;
  }
  return w->label[v];
}

static void from_root(struct walk *w, uint32_t root) {
  dom_number_blocks(w, root);
  for (uint32_t i = w->base; i < w->count; i++) {
    w->semi[i] = w->label[i] = i;
    w->up[i] = NO_NODE;
  }
  for (uint32_t i = w->count; i-- > w->base + 1;) {
    const uint32_t *e;
    uint32_t n = in_edges(w, w->node[i], &e);
    for (uint32_t k = 0; k < n; k++) {
      uint32_t v = w->num[e[k]];
      if (v == NO_NODE || v < w->base) continue; /* leads elsewhere, or out of reach */
      uint32_t s = w->semi[dom_eval(w, v)];
      if (s < w->semi[i]) w->semi[i] = s;
    }
    w->up[i] = w->parent[i];
  }
  w->idom[w->base] = NO_NODE;
  for (uint32_t i = w->base + 1; i < w->count; i++) {
    uint32_t d = w->parent[i];
    while (d > w->semi[i]) d = w->idom[d];
    w->idom[i] = d;
  }
}

static void dom_walk_begin(struct walk *w, const struct graph *g, bool back) {
  uint32_t n = g->n, *mem = xcalloc((size_t)n * 9 + 1, sizeof *mem);
  *w = (struct walk){.g = g,
                     .back = back,
                     .num = mem,
                     .node = mem + n,
                     .parent = mem + 2 * (size_t)n,
                     .semi = mem + 3 * (size_t)n,
                     .label = mem + 4 * (size_t)n,
                     .up = mem + 5 * (size_t)n,
                     .idom = mem + 6 * (size_t)n,
                     .stack = mem + 7 * (size_t)n,
                     .edge = mem + 8 * (size_t)n};
  for (uint32_t b = 0; b < n; b++) w->num[b] = NO_NODE;
}

static void dom_walk_end(struct walk *w, uint32_t *out) {
  for (uint32_t b = 0; b < w->g->n; b++) {
    uint32_t d = w->num[b] == NO_NODE ? NO_NODE : w->idom[w->num[b]];
    out[b] = d == NO_NODE ? w->g->n : w->node[d];
  }
  free(w->num);
}

void dom_build(const struct graph *g, uint32_t *idom) {
  struct walk w;
  dom_walk_begin(&w, g, false);
  if (g->n) from_root(&w, 0);
  dom_walk_end(&w, idom);
}

static int exit_rank(const struct block *b) {
  if (b->leave == LEAVE_SOME) return 2;
  if (b->leave == LEAVE_TRAP) return 1;
  return b->nsucc == 0 ? 0 : -1;
}

/* How many blocks can reach this one. */
static uint32_t reach_count(struct walk *w, uint32_t root) {
  w->count = 0;
  dom_number_blocks(w, root);
  for (uint32_t i = 0; i < w->count; i++) w->num[w->node[i]] = NO_NODE;
  uint32_t n = w->count;
  w->count = 0;
  return n;
}

void pdom_build(const struct graph *g, uint32_t *ipdom) {
  struct walk w;
  struct {
    uint32_t root, reach;
  } main_exit = {0, 0};
  unsigned asked = 0;
  dom_walk_begin(&w, g, true);
  for (uint32_t b = g->n; b-- > 0 && asked < COMPARED;) {
    if (exit_rank(&g->block[b]) != 0) continue;
    uint32_t n = reach_count(&w, b);
    if (n > main_exit.reach) {
      main_exit.root = b;
      main_exit.reach = n;
    }
    asked++;
  }
  if (main_exit.reach) from_root(&w, main_exit.root);
  for (int rank = 0; rank <= 2; rank++)
    for (uint32_t b = g->n; b-- > 0;)
      if (exit_rank(&g->block[b]) == rank && w.num[b] == NO_NODE) from_root(&w, b);
  dom_walk_end(&w, ipdom);
}
