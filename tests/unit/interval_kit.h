/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of register-intervals and strands: control-flow graphs written as text, random ones, and the rules of
 * docs/reference/intervals.md once more, as plainly as they are written there: every step looks at all blocks.
 */
#ifndef RT_TEST_INTERVAL_KIT_H
#define RT_TEST_INTERVAL_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "compiler/ir/interval.h"

enum { MOST_BLOCKS = 200, MOST_INSNS = 2000 };

struct built {
  struct cfg g;
  struct cfg_func func[4];
  struct cfg_block block[MOST_BLOCKS];
  struct cfg_insn insn[MOST_INSNS];
  regset regs[MOST_INSNS], far[MOST_INSNS];
  uint32_t succ[8 * MOST_BLOCKS];
};

/* Structs, not pointers, so that tests need not free them. */
static void built_begin(struct built *k) {
  memset(k, 0, sizeof *k);
  k->g = (struct cfg){.file = "k.dot",
                      .func = k->func,
                      .block = k->block,
                      .insn = k->insn,
                      .regs = k->regs,
                      .far = k->far,
                      .succ = k->succ};
}

static void built_func(struct built *k, const char *name) {
  struct cfg *g = &k->g;
  if (g->nfunc) k->func[g->nfunc - 1].end = g->nblock;
  k->func[g->nfunc++] = (struct cfg_func){name, g->nblock, g->nblock, g->nblock, 8};
}

/*
 * A block: instructions, then > and its successors, numbers in the function.
 *   1,2   names R1 and R2   -   names none   !1,2   loads R1 from global memory, names R2 too   call   is a call
 */
static void built_block(struct built *k, const char *text) {
  struct cfg *g = &k->g;
  struct cfg_func *f = &k->func[g->nfunc - 1];
  struct cfg_block *b = &k->block[g->nblock++];
  char copy[1000], *save = NULL;
  bool succ = false;
  snprintf(copy, sizeof copy, "%s", text);
  *b = (struct cfg_block){.first = g->n, .end = g->n, .succ = g->nsucc};
  for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
    if (!strcmp(t, ">")) succ = true;
    else if (succ) {
      k->succ[g->nsucc++] = f->first + (uint32_t)atoi(t);
      b->nsucc++;
    } else {
      const uint32_t x = g->n++;
      k->insn[x] = (struct cfg_insn){.pc = 8 * (x - k->block[f->first].first), .line = 1 + x, .col = 3};
      b->call |= !strcmp(t, "call");
      bool far = *t == '!';
      for (t += far; *t >= '0' && *t <= '9'; t += *t == ',') {
        const uint32_t r = (uint32_t)strtoul(t, &t, 10);
        set_add(k->regs[x], r);
        if (far) set_add(k->far[x], r);
        far = false;
      }
      b->end = g->n;
    }
  }
  f->end = g->nblock;
}

/* One function of these blocks, up to NULL. */
static __attribute__((unused)) void built_of(struct built *k, const char *const *blocks) {
  built_begin(k);
  built_func(k, "f");
  for (; *blocks; blocks++) built_block(k, *blocks);
}

/* ---- random graphs ---- */

static uint32_t below(uint64_t *seed, uint32_t n) { return (uint32_t)(rng_next(seed) % n); }

static void random_insns(uint64_t *s, uint32_t nreg, char *text, size_t *n, size_t size) {
  for (uint32_t k = below(s, below(s, 3) ? 3 : 9); k; k--) {
    const uint32_t names = below(s, 4), base = below(s, nreg);
    *n += (size_t)snprintf(text + *n, size - *n, "%s", names ? below(s, 8) ? "" : "!" : "-");
    for (uint32_t r = 0; r < names; r++)
      *n += (size_t)snprintf(text + *n, size - *n, "%s%u", r ? "," : "", (base + below(s, 5)) % nreg);
    *n += (size_t)snprintf(text + *n, size - *n, " ");
  }
}

enum { RANDOM_BLOCKS = 30 };

/* Blocks that fall through, with branches: back to any block, forward, or around. */
static void random_code(uint64_t *s, uint32_t n, uint32_t style, bool edge[][RANDOM_BLOCKS]) {
  for (uint32_t b = 0; b < n; b++) {
    const uint32_t to = style == 0 ? below(s, b + 1) : style == 1 ? b + below(s, 6) : b + below(s, 8) - (b > 4 ? 4 : b);
    if (b + 1 < n && (style == 0 || below(s, 5))) edge[b][b + 1] = true;
    if (below(s, 3)) edge[b][to < n ? to : n - 1] = true;
  }
}

/* A tree whose nodes are loops, of themselves or with those above: many are ready for merging at the same time. */
static void random_tree(uint64_t *s, uint32_t n, bool edge[][RANDOM_BLOCKS]) {
  uint32_t up[RANDOM_BLOCKS] = {0};
  for (uint32_t b = 1; b < n; b++) {
    edge[up[b] = below(s, b)][b] = true;
    if (below(s, 3)) edge[b][b] = true;
    uint32_t above = b;
    for (uint32_t k = below(s, 4); k; k--) above = up[above];
    if (below(s, 3) == 0) edge[b][above] = true;
    if (below(s, 6) == 0) edge[b][below(s, n)] = true;
  }
}

static __attribute__((unused)) void random_graph(struct built *k, uint64_t seed) {
  uint64_t s = seed;
  bool edge[RANDOM_BLOCKS][RANDOM_BLOCKS] = {{false}};
  const uint32_t nblock = 1 + below(&s, RANDOM_BLOCKS), nreg = 4 + below(&s, 30), style = below(&s, 6);
  if (style < 3) random_code(&s, nblock, style, edge);
  else random_tree(&s, nblock, edge);
  built_begin(k);
  built_func(k, "f");
  for (uint32_t b = 0; b < nblock; b++) {
    char text[1000] = "";
    size_t n = 0;
    if (below(&s, 20) == 0) n = (size_t)snprintf(text, sizeof text, "call ");
    else random_insns(&s, nreg, text, &n, sizeof text);
    n += (size_t)snprintf(text + n, sizeof text - n, ">");
    for (uint32_t to = 0; to < nblock; to++)
      if (edge[b][to]) n += (size_t)snprintf(text + n, sizeof text - n, " %u", to);
    built_block(k, text);
  }
}

/* ---- the rules, once more ---- */

struct node { /* a block, or an interval of the pass before */
  regset insn[64];
  uint32_t n, succ[MOST_INSNS], nsucc;
  bool call;
  int interval;      /* below 0: none */
  uint32_t item[64]; /* instructions of the graph; of an interval nothing */
};

struct oracle {
  uint32_t most;
  struct node *node[MOST_INSNS];
  uint32_t nnode;
  uint32_t layout[MOST_INSNS]; /* nodes */
  regset vector[MOST_INSNS];
  uint32_t header[MOST_INSNS], ninterval; /* in the order of the queue */
};

static struct node *oracle_node(struct oracle *o) {
  struct node *x = xcalloc(1, sizeof *x);
  x->interval = -1;
  o->layout[o->nnode] = o->nnode;
  return o->node[o->nnode++] = x;
}

static void oracle_free(struct oracle *o) {
  for (uint32_t k = 0; k < o->nnode; k++) free(o->node[k]);
  free(o);
}

static void oracle_open(struct oracle *o, uint32_t node) {
  o->node[node]->interval = (int)o->ninterval;
  memset(o->vector[o->ninterval], 0, sizeof(regset));
  o->header[o->ninterval++] = node;
}

static void oracle_cut(struct oracle *o, uint32_t node, uint32_t at) {
  struct node *b = o->node[node], *rest = oracle_node(o);
  const uint32_t id = o->nnode - 1;
  uint32_t place = 0;
  while (o->layout[place] != node) place++;
  memmove(&o->layout[place + 2], &o->layout[place + 1], (o->nnode - 2 - place) * sizeof *o->layout);
  o->layout[place + 1] = id;
  rest->n = b->n - at;
  memcpy(rest->insn, b->insn + at, rest->n * sizeof(regset));
  memcpy(rest->item, b->item + at, rest->n * sizeof *rest->item);
  memcpy(rest->succ, b->succ, b->nsucc * sizeof *b->succ);
  rest->nsucc = b->nsucc;
  b->n = at;
  b->succ[0] = id;
  b->nsucc = 1;
  oracle_open(o, id);
}

static void oracle_absorb(struct oracle *o, uint32_t node, uint32_t i) {
  struct node *b = o->node[node];
  for (uint32_t x = 0; x < b->n; x++) {
    if (!regset_fits(o->vector[i], b->insn[x], o->most)) {
      oracle_cut(o, node, x);
      return;
    }
    regset_join(o->vector[i], b->insn[x]);
  }
}

/* Predecessors that lie in interval i, and others. */
static void oracle_preds(const struct oracle *o, uint32_t node, int i, uint32_t *in, uint32_t *other) {
  *in = *other = 0;
  for (uint32_t k = 0; k < o->nnode; k++)
    for (uint32_t s = 0; s < o->node[k]->nsucc; s++)
      if (o->node[k]->succ[s] == node) o->node[k]->interval == i ? ++*in : ++*other;
}

static bool oracle_take(struct oracle *o, uint32_t i) {
  for (uint32_t k = 0; k < o->nnode; k++) {
    const uint32_t node = o->layout[k];
    struct node *b = o->node[node];
    uint32_t in, other;
    oracle_preds(o, node, (int)i, &in, &other);
    if (b->interval >= 0 || b->call || !in || other) continue;
    if (b->n && !regset_fits(o->vector[i], b->insn[0], o->most)) continue;
    b->interval = (int)i;
    oracle_absorb(o, node, i);
    return true;
  }
  return false;
}

static void oracle_pass(struct oracle *o) {
  oracle_open(o, 0);
  for (uint32_t i = 0; i < o->ninterval; i++) {
    oracle_absorb(o, o->header[i], i);
    while (!o->node[o->header[i]]->call && oracle_take(o, i)) continue;
    for (uint32_t k = 0; k < o->nnode; k++) {
      uint32_t in, other;
      oracle_preds(o, o->layout[k], (int)i, &in, &other);
      if (o->node[o->layout[k]]->interval < 0 && in) oracle_open(o, o->layout[k]);
    }
  }
}

/* The graph of a pass's intervals; what is not reached is one more node, which nothing reaches. */
static struct oracle *oracle_next(const struct oracle *o) {
  struct oracle *to = xcalloc(1, sizeof *to);
  to->most = o->most;
  for (uint32_t i = 0; i <= o->ninterval; i++) {
    struct node *x = oracle_node(to);
    if (i == o->ninterval) break;
    memcpy(x->insn[0], o->vector[i], sizeof(regset));
    x->n = 1;
    x->call = o->node[o->header[i]]->call;
  }
  for (uint32_t k = 0; k < o->nnode; k++) {
    const int i = o->node[k]->interval;
    struct node *from = to->node[i < 0 ? (int)o->ninterval : i];
    for (uint32_t s = 0; s < o->node[k]->nsucc; s++) {
      const int j = o->node[o->node[k]->succ[s]]->interval;
      bool there = j < 0 || i == j;
      for (uint32_t t = 0; t < from->nsucc; t++) there |= from->succ[t] == (uint32_t)j;
      if (!there) from->succ[from->nsucc++] = (uint32_t)j;
    }
  }
  return to;
}

/* of[x]: the interval of instruction x, any number for each; below 0: none. Returns how many there are. */
static __attribute__((unused)) uint32_t oracle_intervals(const struct cfg *g, uint32_t most, int *of) {
  struct oracle *o = xcalloc(1, sizeof *o);
  o->most = most;
  for (uint32_t b = 0; b < g->nblock; b++) {
    struct node *x = oracle_node(o);
    x->call = g->block[b].call;
    for (uint32_t i = g->block[b].first; i < g->block[b].end; i++) {
      memcpy(x->insn[x->n], g->regs[i], sizeof(regset));
      x->item[x->n++] = i;
    }
    for (uint32_t s = 0; s < g->block[b].nsucc; s++) x->succ[x->nsucc++] = g->succ[g->block[b].succ + s];
  }
  oracle_pass(o);
  for (uint32_t x = 0; x < g->n; x++) of[x] = -1;
  for (uint32_t k = 0; k < o->nnode; k++)
    for (uint32_t x = 0; x < o->node[k]->n; x++) of[o->node[k]->item[x]] = o->node[k]->interval;
  for (bool fewer = true; fewer;) {
    struct oracle *next = oracle_next(o);
    oracle_pass(next);
    fewer = next->ninterval < o->ninterval;
    for (uint32_t x = 0; x < g->n; x++)
      if (of[x] >= 0) of[x] = next->node[of[x]]->interval;
    oracle_free(o);
    o = next;
  }
  const uint32_t n = o->ninterval;
  oracle_free(o);
  return n;
}

#endif
