/* SPDX-License-Identifier: Apache-2.0 */
/* interval_check: what register-intervals and strands have in common: the rules that LTRF relies on, and the code slots
 * of their PREFETCHes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/interval.h"

/* ---- the rules ---- */

static bool intervals_broken(const struct cfg *g, uint32_t block, uint32_t insn, struct err *e, const char *rule) {
  const struct cfg_insn *i = insn < g->n ? &g->insn[insn] : NULL;
  char name[256];
  cfg_block_name(g, block, name, sizeof name);
  return err_at(e, g->file, i ? (int)i->line : 0, i ? (int)i->col : 0,
                "found a wrong prefetch subgraph in function '%.100s', block '%.100s', pc 0x%" PRIx32 ": %s",
                g->func[cfg_func_of(g, block)].name, name, i ? i->pc : 0, rule);
}

bool intervals_too_many(const struct cfg *g, uint32_t i, uint32_t most, struct err *e) {
  return err_at(e, g->file, (int)g->insn[i].line, (int)g->insn[i].col,
                "found an instruction of %" PRIu32 " registers at pc 0x%" PRIx32 ", expected at most the %" PRIu32
                " of an interval",
                regset_count(g->regs[i]), g->insn[i].pc, most);
}

static bool is_header(const struct intervals *v, uint32_t block, uint32_t insn) {
  const struct reg_interval *i = &v->of[v->in[block]];
  return i->block == block && i->first == insn;
}

/* True if an edge from interval `from` to the first instruction of block `to` stays in it or enters another one at its header. */
static bool edge_is_legal(const struct cfg *g, const struct intervals *v, uint32_t from, uint32_t to) {
  return v->in[to] == from || is_header(v, to, g->block[to].first);
}

/* The instructions of a block, which is reached. */
static bool check_insns(const struct cfg *g, uint32_t b, const struct intervals *v, struct err *e) {
  const struct cfg_block *k = &g->block[b];
  uint32_t now = v->in[b];
  for (uint32_t x = k->first; x < k->end; x++) {
    const uint32_t i = v->at[x];
    if (i >= v->n) return intervals_broken(g, b, x, e, "no interval");
    if (i != now && (v->of[i].block != b || v->of[i].first != x))
      return intervals_broken(g, b, x, e, "an interval is entered, but not at its header");
    if (x == k->first && i != now) return intervals_broken(g, b, x, e, "two intervals at the begin of a block");
    for (unsigned w = 0; w < 4; w++)
      if (g->regs[x][w] & ~v->of[i].regs[w])
        return intervals_broken(g, b, x, e, "a register that is not in the vector");
    now = i;
  }
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const uint32_t to = g->succ[k->succ + s];
    if (v->in[to] >= v->n) return intervals_broken(g, to, g->block[to].first, e, "no interval");
    if (!edge_is_legal(g, v, now, to))
      return intervals_broken(g, to, g->block[to].first, e, "an edge from outside enters elsewhere than at the header");
  }
  return true;
}

/* A block that is not reached: its edges are edges all the same. */
static bool check_unreached(const struct cfg *g, uint32_t b, const struct intervals *v, struct err *e) {
  const struct cfg_block *k = &g->block[b];
  if (v->in[b] != INTERVAL_NONE) return intervals_broken(g, b, k->first, e, "an interval, although it is not reached");
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const uint32_t to = g->succ[k->succ + s];
    if (v->in[to] < v->n && !edge_is_legal(g, v, INTERVAL_NONE, to))
      return intervals_broken(g, to, g->block[to].first, e, "an edge from outside enters elsewhere than at the header");
  }
  return true;
}

bool intervals_check(const struct cfg *g, uint32_t most, const struct intervals *v, struct err *e) {
  uint8_t *reached = xcalloc(g->nblock, 1);
  bool ok = true;
  for (uint32_t i = 0; ok && i < v->n; i++)
    if (regset_count(v->of[i].regs) > most)
      ok = intervals_broken(g, v->of[i].block, v->of[i].first, e, "too many registers");
  for (uint32_t f = 0; f < g->nfunc; f++) cfg_reach(g, &g->func[f], reached);
  for (uint32_t f = 0; ok && f < g->nfunc; f++) {
    const uint32_t entry = g->func[f].entry;
    if (g->func[f].first == g->func[f].end) continue;
    if (v->in[entry] >= v->n || !is_header(v, entry, g->block[entry].first))
      ok = intervals_broken(g, entry, g->block[entry].first, e, "the entry is no header");
  }
  for (uint32_t b = 0; ok && b < g->nblock; b++) {
    if (!reached[b]) ok = check_unreached(g, b, v, e);
    else if (v->in[b] >= v->n) ok = intervals_broken(g, b, g->block[b].first, e, "no interval");
    else ok = check_insns(g, b, v, e);
  }
  free(reached);
  return ok;
}

/* ---- the form of the result ---- */

void intervals_clear(struct intervals *v) {
  free(v->of);
  free(v->at);
  free(v->in);
  *v = (struct intervals){0};
}

struct place {
  uint32_t block, first, old;
};

static int intervals_by_place(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

void intervals_begin(const struct cfg *g, struct intervals *v) {
  *v = (struct intervals){0};
  v->of = xcalloc((size_t)g->n + g->nblock, sizeof *v->of); /* one begins at an instruction or at a block */
  v->at = xmalloc(g->n * sizeof *v->at);
  v->in = xmalloc(g->nblock * sizeof *v->in);
  memset(v->at, 0xff, g->n * sizeof *v->at);
  memset(v->in, 0xff, g->nblock * sizeof *v->in);
}

bool intervals_finish(const struct cfg *g, uint32_t most, struct intervals *v, struct err *e) {
  struct place *place = xcalloc(v->n, sizeof *place);
  struct reg_interval *of = xcalloc(v->n, sizeof *of);
  uint32_t *now = xcalloc(v->n, sizeof *now);
  for (uint32_t i = 0; i < v->n; i++) place[i] = (struct place){v->of[i].block, v->of[i].first, i};
  qsort(place, v->n, sizeof *place, intervals_by_place);
  for (uint32_t i = 0; i < v->n; i++) {
    of[i] = v->of[place[i].old];
    of[i].func = cfg_func_of(g, of[i].block);
    of[i].pc = of[i].first < g->n ? g->insn[of[i].first].pc : 0;
    now[place[i].old] = i;
  }
  for (uint32_t x = 0; x < g->n; x++)
    if (v->at[x] != INTERVAL_NONE) of[v->at[x] = now[v->at[x]]].length++;
  for (uint32_t b = 0; b < g->nblock; b++) {
    if (v->in[b] != INTERVAL_NONE) v->in[b] = now[v->in[b]];
    else v->unreached++;
  }
  free(v->of);
  v->of = of;
  free(place);
  free(now);
  return intervals_check(g, most, v, e);
}

uint32_t *intervals_slots(const struct intervals *v, uint32_t n, uint32_t prefetch, uint32_t *total) {
  uint32_t *slot = xcalloc(n, sizeof *slot), at = 0, i = 0;
  for (uint32_t x = 0; x < n; x++) {
    for (; i < v->n && v->of[i].first <= x; i++) at += prefetch; /* in the order of their headers */
    slot[x] = at++;
  }
  *total = at;
  return slot;
}

/* ---- of a kernel ---- */

bool code_intervals(const struct code *c, uint32_t most, struct intervals *v, struct err *e) {
  struct cfg g;
  cfg_of_code(c, &g);
  const bool ok = intervals_form(&g, most, v, e);
  cfg_free(&g);
  return ok;
}

bool code_strands(const struct code *c, enum strand_cut cut, uint32_t most, struct intervals *v, struct err *e) {
  struct cfg g;
  cfg_of_code(c, &g);
  const bool ok = strands_form(&g, cut, most, v, e);
  cfg_free(&g);
  return ok;
}
