/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval: register-interval formation (LTRF, section 3.3, Algorithms 1 and 2), with the union of registers taken over
 * the whole interval instead of over paths, so that no path through a diamond exceeds the limit.
 *
 * A pass works on nodes in layout order, each a sequence of items with registers. It opens an interval at the entry,
 * and processes intervals in the order in which they were opened: absorb the header; then, while there is one, the
 * lowest node whose predecessors all lie in the interval and whose first item fits; then every other successor opens an
 * interval of its own, in layout order. A node is cut before the first item that does not fit: the rest opens an
 * interval. Pass 1: nodes are blocks, items are instructions. Pass 2, repeated while it merges anything: nodes are the
 * intervals of the pass before in the order in which they were opened, each of one item, its vector.
 *
 * Cost: an edge is counted once, when its source is absorbed (seen against npred), so a pass is linear in edges, with
 * the logarithm of a heap of candidates. A candidate that does not fit never will, since an interval only grows.
 */
#include "ir/interval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one pass ---- */

struct nodes {
  uint32_t n, entry;
  uint32_t *item;        /* n + 1: items of node k are [item[k], item[k + 1]) */
  const regset *regs;    /* per item */
  uint32_t *edge, *succ; /* n + 1: successors of node k are succ[edge[k]] ..., each once */
  uint32_t *npred;       /* edges into it, those from unreached nodes included */
  uint8_t *call;         /* is an interval of its own */
};

struct pass {
  const struct nodes *g;
  uint32_t most, bad;       /* bad: an item that alone exceeds the limit */
  uint32_t n;               /* intervals, in the order in which they were opened */
  uint32_t *node, *first;   /* per interval: its header, a node from an item on */
  regset *vector;           /* per interval */
  uint32_t *at, *in, *last; /* per item: interval; per node: intervals of its begin and end */
  uint32_t *seen, *mark;    /* per node: edges from interval `mark` - 1 so far */
  uint32_t *touched, *heap; /* successors of the interval in work; its candidates, a heap with the lowest first */
  uint32_t ntouched, nheap;
};

static uint32_t *none(size_t n) {
  uint32_t *p = xmalloc(n * sizeof *p);
  memset(p, 0xff, n * sizeof *p);
  return p;
}

static void pass_begin(struct pass *p, const struct nodes *g, uint32_t most) {
  const uint32_t items = g->item[g->n], room = g->n + items; /* an interval begins at a node or at an item */
  *p = (struct pass){.g = g, .most = most};
  p->node = xcalloc(room, sizeof *p->node);
  p->first = xcalloc(room, sizeof *p->first);
  p->vector = xcalloc(room, sizeof *p->vector);
  p->at = none(items);
  p->in = none(g->n);
  p->last = none(g->n);
  p->seen = xcalloc(g->n, sizeof *p->seen);
  p->mark = xcalloc(g->n, sizeof *p->mark);
  p->touched = xcalloc(g->n, sizeof *p->touched);
  p->heap = xcalloc(g->n, sizeof *p->heap);
}

static void pass_end(struct pass *p) {
  free(p->node);
  free(p->first);
  free(p->vector);
  free(p->at);
  free(p->in);
  free(p->last);
  free(p->seen);
  free(p->mark);
  free(p->touched);
  free(p->heap);
}

static void heap_push(struct pass *p, uint32_t node) {
  uint32_t k = p->nheap++;
  for (; k && p->heap[(k - 1) / 2] > node; k = (k - 1) / 2) p->heap[k] = p->heap[(k - 1) / 2];
  p->heap[k] = node;
}

static uint32_t heap_pop(struct pass *p) {
  const uint32_t lowest = p->heap[0], node = p->heap[--p->nheap];
  uint32_t k = 0;
  for (uint32_t down; (down = 2 * k + 1) < p->nheap; k = down) {
    if (down + 1 < p->nheap && p->heap[down + 1] < p->heap[down]) down++;
    if (p->heap[down] >= node) break;
    p->heap[k] = p->heap[down];
  }
  p->heap[k] = node;
  return lowest;
}

static void open_at(struct pass *p, uint32_t node, uint32_t item) {
  if (item == p->g->item[node]) p->in[node] = p->n;
  p->node[p->n] = node;
  p->first[p->n++] = item;
}

/* An edge from interval i to the node. */
static void touch(struct pass *p, uint32_t i, uint32_t node) {
  if (p->in[node] != INTERVAL_NONE) return;
  if (p->mark[node] != i + 1) {
    p->mark[node] = i + 1;
    p->seen[node] = 0;
    p->touched[p->ntouched++] = node;
  }
  if (++p->seen[node] == p->g->npred[node] && !p->g->call[node]) heap_push(p, node);
}

/* Takes the node into interval i, from an item on and as far as it fits. False: not even the first one fits an empty
 * interval. */
static bool absorb(struct pass *p, uint32_t i, uint32_t node, uint32_t item) {
  const struct nodes *g = p->g;
  for (uint32_t x = item; x < g->item[node + 1]; x++) {
    if (!regset_fits(p->vector[i], g->regs[x], p->most)) {
      p->bad = x;
      if (x == p->first[i]) return false;
      open_at(p, node, x);
      return true;
    }
    regset_join(p->vector[i], g->regs[x]);
    p->at[x] = i;
  }
  p->last[node] = i;
  for (uint32_t s = g->edge[node]; s < g->edge[node + 1]; s++) touch(p, i, g->succ[s]);
  return true;
}

static bool first_fits(const struct pass *p, uint32_t i, uint32_t node) {
  const uint32_t x = p->g->item[node];
  return x == p->g->item[node + 1] || regset_fits(p->vector[i], p->g->regs[x], p->most);
}

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static bool grow(struct pass *p, uint32_t i) {
  const struct nodes *g = p->g;
  p->ntouched = p->nheap = 0;
  if (!absorb(p, i, p->node[i], p->first[i])) return false;
  while (p->nheap && !g->call[p->node[i]]) {
    const uint32_t node = heap_pop(p);
    if (!first_fits(p, i, node)) continue;
    p->in[node] = i;
    absorb(p, i, node, g->item[node]);
  }
  qsort(p->touched, p->ntouched, sizeof *p->touched, by_number);
  for (uint32_t k = 0; k < p->ntouched; k++)
    if (p->in[p->touched[k]] == INTERVAL_NONE) open_at(p, p->touched[k], g->item[p->touched[k]]);
  return true;
}

static bool pass_run(struct pass *p, const struct nodes *g, uint32_t most) {
  pass_begin(p, g, most);
  open_at(p, g->entry, g->item[g->entry]);
  for (uint32_t i = 0; i < p->n; i++)
    if (!grow(p, i)) return false;
  return true;
}

/* ---- the graph of a pass ---- */

static void nodes_alloc(struct nodes *g, uint32_t n, uint32_t edges) {
  *g = (struct nodes){.n = n};
  g->item = xcalloc((size_t)n + 1, sizeof *g->item);
  g->edge = xcalloc((size_t)n + 2, sizeof *g->edge);
  g->succ = xcalloc(edges, sizeof *g->succ);
  g->npred = xcalloc(n, sizeof *g->npred);
  g->call = xcalloc(n, sizeof *g->call);
}

static void nodes_free(struct nodes *g) {
  free(g->item);
  free(g->edge);
  free(g->succ);
  free(g->npred);
  free(g->call);
}

/* Blocks of a function; items are numbered from its first instruction. */
static void nodes_of_func(const struct cfg *c, const struct cfg_func *f, struct nodes *g) {
  uint32_t edges = 0;
  for (uint32_t b = f->first; b < f->end; b++) edges += c->block[b].nsucc;
  nodes_alloc(g, f->end - f->first, edges);
  const uint32_t base = c->block[f->first].first;
  g->regs = (const regset *)c->regs + base;
  g->entry = f->entry - f->first;
  edges = 0;
  for (uint32_t k = 0; k < g->n; k++) {
    const struct cfg_block *b = &c->block[f->first + k];
    g->item[k] = b->first - base;
    g->item[k + 1] = b->end - base;
    g->call[k] = b->call;
    g->edge[k] = edges;
    for (uint32_t s = 0; s < b->nsucc; s++, edges++) {
      g->succ[edges] = c->succ[b->succ + s] - f->first;
      g->npred[g->succ[edges]]++;
    }
    g->edge[k + 1] = edges;
  }
}

/* Calls `each` for every edge between two intervals of a pass; the source is INTERVAL_NONE for one from an unreached
 * node. */
static void between(const struct pass *p, void (*each)(struct nodes *, uint32_t from, uint32_t to), struct nodes *to) {
  const struct nodes *g = p->g;
  for (uint32_t k = 0; k < g->n; k++) {
    for (uint32_t x = g->item[k] + 1; x < g->item[k + 1]; x++) /* cut */
      if (p->at[x] != p->at[x - 1]) each(to, p->at[x - 1], p->at[x]);
    for (uint32_t s = g->edge[k]; s < g->edge[k + 1]; s++) {
      const uint32_t in = p->in[g->succ[s]];
      if (in != INTERVAL_NONE && in != p->last[k]) each(to, p->last[k], in);
    }
  }
}

static void count_edge(struct nodes *g, uint32_t from, uint32_t to) {
  if (from == INTERVAL_NONE) g->npred[to]++;
  else g->edge[from + 2]++;
}

static void put_edge(struct nodes *g, uint32_t from, uint32_t to) {
  if (from != INTERVAL_NONE) g->succ[g->edge[from + 1]++] = to;
}

/* Each successor of a node once. mark: one per node, zeros. */
static void unique_edges(struct nodes *g, uint32_t *mark) {
  uint32_t n = 0;
  for (uint32_t k = 0, from = 0; k < g->n; k++) {
    const uint32_t to = g->edge[k + 1];
    for (uint32_t s = from; s < to; s++) {
      const uint32_t node = g->succ[s];
      if (mark[node] == k + 1) continue;
      mark[node] = k + 1;
      g->succ[n++] = node;
      g->npred[node]++;
    }
    from = to;
    g->edge[k + 1] = n;
  }
}

/* The intervals of a pass, each with its vector as its only item. */
static void nodes_of_pass(const struct pass *p, struct nodes *g) {
  const struct nodes *from = p->g;
  nodes_alloc(g, p->n, from->edge[from->n] + from->item[from->n]);
  g->regs = (const regset *)p->vector;
  for (uint32_t k = 0; k < g->n; k++) {
    g->item[k + 1] = k + 1;
    g->call[k] = from->call[p->node[k]];
  }
  between(p, count_edge, g);
  for (uint32_t k = 0; k < g->n; k++) g->edge[k + 2] += g->edge[k + 1];
  between(p, put_edge, g);
  uint32_t *mark = xcalloc(g->n, sizeof *mark);
  unique_edges(g, mark);
  free(mark);
}

/* ---- a function ---- */

struct level {
  struct nodes nodes;
  struct pass pass;
};

static void level_free(struct level *l) {
  pass_end(&l->pass);
  nodes_free(&l->nodes);
  free(l);
}

/* head[i]: the interval of pass 1 that has the header of interval i. */
static void rename_heads(const struct pass *p, uint32_t *head) {
  uint32_t *now = xcalloc(p->n, sizeof *now);
  for (uint32_t i = 0; i < p->n; i++) now[i] = head[p->node[i]];
  memcpy(head, now, p->n * sizeof *now);
  free(now);
}

/* Passes 2 until none merges anything; returns the last. of[k]: what interval k of pass 1 belongs to. */
static struct level *merge(struct level *one, uint32_t most, uint32_t *of, uint32_t *head) {
  const uint32_t n = one->pass.n;
  for (uint32_t k = 0; k < n; k++) of[k] = head[k] = k;
  for (struct level *from = one;;) {
    struct level *next = xcalloc(1, sizeof *next);
    nodes_of_pass(&from->pass, &next->nodes);
    if (!pass_run(&next->pass, &next->nodes, most)) die("a register-interval exceeds the limit of registers");
    for (uint32_t k = 0; k < n; k++) of[k] = next->pass.in[of[k]];
    rename_heads(&next->pass, head);
    const bool fewer = next->pass.n < from->pass.n;
    if (from != one) level_free(from);
    if (!fewer) return next;
    from = next;
  }
}

/* Adds the function's intervals to the result. */
static void put_result(const struct cfg *c, const struct cfg_func *f, struct level *one, struct intervals *v,
                       uint32_t most) {
  const struct nodes *g = &one->nodes;
  const struct pass *p = &one->pass;
  const uint32_t base = c->block[f->first].first;
  uint32_t *of = xcalloc(p->n, sizeof *of), *head = xcalloc(p->n, sizeof *head);
  struct level *last = merge(one, most, of, head);
  for (uint32_t k = 0; k < g->n; k++)
    if (p->in[k] != INTERVAL_NONE) v->in[f->first + k] = v->n + of[p->in[k]];
  for (uint32_t x = 0; x < g->item[g->n]; x++)
    if (p->at[x] != INTERVAL_NONE) v->at[base + x] = v->n + of[p->at[x]];
  for (uint32_t i = 0; i < last->pass.n; i++) {
    struct interval *to = &v->of[v->n + i];
    *to = (struct interval){.block = f->first + p->node[head[i]], .first = base + p->first[head[i]]};
    memcpy(to->regs, last->pass.vector[i], sizeof to->regs);
  }
  v->n += last->pass.n;
  level_free(last);
  free(of);
  free(head);
}

static bool form_func(const struct cfg *c, const struct cfg_func *f, uint32_t most, struct intervals *v,
                      struct err *e) {
  struct level *one = xcalloc(1, sizeof *one);
  nodes_of_func(c, f, &one->nodes);
  const bool ok = pass_run(&one->pass, &one->nodes, most);
  if (ok) put_result(c, f, one, v, most);
  else intervals_too_many(c, c->block[f->first].first + one->pass.bad, most, e);
  level_free(one);
  return ok;
}

bool intervals_form(const struct cfg *g, uint32_t most, struct intervals *v, struct err *e) {
  bool ok = true;
  *v = (struct intervals){.at = none(g->n), .in = none(g->nblock)};
  v->of = xcalloc((size_t)g->n + g->nblock, sizeof *v->of);
  for (uint32_t f = 0; ok && f < g->nfunc; f++)
    if (g->func[f].first < g->func[f].end) ok = form_func(g, &g->func[f], most, v, e);
  if (ok) intervals_finish(g, v);
  ok = ok && intervals_check(g, most, v, e);
  if (!ok) intervals_free(v);
  return ok;
}
