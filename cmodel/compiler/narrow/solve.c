/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solve: ranges of all values of a kernel. Values that depend on each other cyclically (strongly connected
 * components, R. Tarjan, SIAM J. Computing 1(2), 1972) are solved together, in the order of dependence: ascending
 * from empty ranges, where phis are widened first to bounds taken from the component's own comparisons and constants,
 * then to the full range; then a few narrowing passes. Every narrowing step is sound by itself: it computes a value's
 * range from its sources.
 *
 * Then trip counts are bounded (trip_count.c), which bounds the registers that change with them. With these bounds
 * everything is solved again, as long as it improves.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/narrow/solve.h"

#include "base/bits.h"

enum { ROUNDS = 4, PATIENCE = 2, SWEEPS = 48, DOWN = 3 };

/* ---- one value ---- */

struct value_range solve_source(const struct solve *s, uint32_t i, unsigned k) {
  const struct opnd *o = &s->c->insn[i].src[k];
  const char *why;
  uint32_t v = s->e.src[i][k];
  if (o->kind == O_PRED) return range_full(32);
  if (o->kind == O_REG) return v == NO_VAL ? range_full(opnd_bits(o)) : s->at[v];
  return range_operand(s->c, s->f, o, &why);
}

static struct value_range of_insn(const struct solve *s, const struct val *v) {
  struct value_range src[INSN_SRC];
  const struct insn *i = &s->c->insn[v->at];
  const char *why;
  for (unsigned k = 0; k < i->nsrc; k++) src[k] = solve_source(s, v->at, k);
  return range_rule(s->c, s->f, i, v->dst, src, &why);
}

/* Words of `bits` bits whose low 32 bits lie in `low`, if a determines the rest; else a. */
static struct value_range solve_lift(unsigned bits, struct value_range a, struct value_range low) {
  bool sign = a.lo >= -wide_power2(31) && a.hi < wide_power2(31);
  if (bits == 32) return range_meet(32, a, low);
  if (!sign && (a.lo < 0 || a.hi >= wide_power2(32))) return a;
  low = range_meet(32, range_of(32, a.lo, a.hi), low);
  if (range_empty(&low)) return low;
  struct span s = range_read(&low, 32, sign);
  return range_meet(bits, a, range_of(bits, s.lo, s.hi));
}

static struct value_range of_sigma(const struct solve *s, const struct val *v) {
  struct value_range a = s->at[s->e.arg[v->arg]];
  for (uint32_t k = 0; k < v->ncond; k++) {
    const struct cond *c = &s->e.cond[v->cond + k];
    unsigned bits = s->e.val[c->compared].bits;
    struct value_range self = s->at[c->compared], other = solve_source(s, c->insn, 1 - c->side);
    struct value_range where =
        range_meet(bits, self, range_where(&s->c->insn[c->insn], c->side, c->truth, &self, &other, bits));
    if (range_empty(&where) || range_empty(&a)) return range_none();
    where = range_add(bits, where, range_one(bits, c->offset));
    a = c->low ? solve_lift(v->bits, a, range_of(32, where.lo, where.hi)) : range_meet(bits, a, where);
  }
  return a;
}

static struct value_range solve_evaluate(const struct solve *s, uint32_t n) {
  const struct val *v = &s->e.val[n];
  struct value_range a = range_none();
  switch ((enum val_kind)v->kind) {
    case VAL_INSN: return range_meet(v->bits, of_insn(s, v), s->cap[n]);
    case VAL_SIGMA: return of_sigma(s, v);
    case VAL_PHI:
    case VAL_MERGE:
      for (uint32_t k = 0; k < v->narg; k++)
        if (s->e.arg[v->arg + k] != NO_VAL) a = range_join(v->bits, a, s->at[s->e.arg[v->arg + k]]);
      return range_meet(v->bits, a, s->cap[n]);
    default: return range_full(v->bits); /* never written */
  }
}

/* ---- components ---- */

struct walk { /* of Tarjan's algorithm; numbers from 1, 0: not met */
  uint32_t *num, *low, *stack, *path, *arg;
  uint32_t count, nstack, npath, norder;
};

static void solve_take_component(struct solve *s, struct walk *w, uint32_t v) {
  uint32_t n;
  s->first[s->ncomp++] = w->norder;
  do {
    n = w->stack[--w->nstack];
    w->low[n] = NO_VAL; /* done */
    s->order[w->norder++] = n;
  } while (n != v);
}

static void walk_enter(struct walk *w, uint32_t v) {
  w->num[v] = w->low[v] = ++w->count;
  w->stack[w->nstack++] = v;
  w->path[w->npath++] = v;
}

static void walk_from(struct solve *s, struct walk *w, uint32_t root) {
  walk_enter(w, root);
  while (w->npath) {
    uint32_t v = w->path[w->npath - 1];
    const struct val *x = &s->e.val[v];
    if (w->arg[v] < x->narg) {
      uint32_t to = s->e.arg[x->arg + w->arg[v]++];
      if (to == NO_VAL || w->low[to] == NO_VAL) continue;
      if (to == v) s->loop[v] = 1;
      if (!w->num[to]) walk_enter(w, to);
      else if (w->num[to] < w->low[v]) w->low[v] = w->num[to];
      continue;
    }
    w->npath--;
    uint32_t up = w->npath ? w->path[w->npath - 1] : v;
    if (w->low[v] < w->low[up]) w->low[up] = w->low[v];
    if (w->low[v] == w->num[v]) solve_take_component(s, w, v);
  }
}

/* Values are numbered by nodes in dominator-tree order, phis first: close to program order. */
static void find_components(struct solve *s) {
  uint32_t n = s->e.nval, *mem = xcalloc((size_t)n * 5 + 1, sizeof *mem);
  struct walk w = {.num = mem,
                   .low = mem + n,
                   .stack = mem + 2 * (size_t)n,
                   .path = mem + 3 * (size_t)n,
                   .arg = mem + 4 * (size_t)n};
  for (uint32_t v = 0; v < n; v++)
    if (!w.num[v]) walk_from(s, &w, v);
  s->first[s->ncomp] = n;
  for (uint32_t k = 0; k < s->ncomp; k++) {
    uint32_t size = s->first[k + 1] - s->first[k];
    qsort(s->order + s->first[k], size, sizeof *s->order, u32_compare);
    for (uint32_t j = s->first[k]; size > 1 && j < s->first[k + 1]; j++) s->loop[s->order[j]] = 1;
  }
  free(mem);
}

/* ---- widening ---- */

static void add_mark(struct solve *s, wide x) {
  unsigned at = 0;
  while (at < s->nmark && s->mark[at] < x) at++;
  if (s->nmark == MARKS || (at < s->nmark && s->mark[at] == x)) return;
  memmove(s->mark + at + 1, s->mark + at, (s->nmark - at) * sizeof *s->mark);
  s->mark[at] = x;
  s->nmark++;
}

static void add_marks(struct solve *s, const struct value_range *a) {
  if (range_empty(a)) return;
  for (int d = -1; d <= 1; d++) {
    add_mark(s, a->lo + d);
    add_mark(s, a->hi + d);
  }
}

/* The bounds of a component's comparisons and where its phis begin, then constants of its instructions. */
static void find_marks(struct solve *s, uint32_t comp) {
  s->nmark = 0;
  add_mark(s, 0);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
      const struct val *v = &s->e.val[s->order[j]];
      for (uint32_t k = 0; !pass && v->kind == VAL_SIGMA && k < v->ncond; k++) {
        const struct cond *c = &s->e.cond[v->cond + k];
        uint32_t from = s->e.src[c->insn][1 - c->side]; /* the value that it equals may be known already */
        if (from != NO_VAL) from = s->e.same[from];
        struct value_range other = from == NO_VAL ? solve_source(s, c->insn, 1 - c->side) : s->at[from];
        if (range_empty(&other)) continue;
        add_marks(s, &other);
        other = range_add(v->bits, other, range_one(v->bits, c->offset));
        add_marks(s, &other);
      }
      for (uint32_t k = 0; !pass && v->kind == VAL_PHI && k < v->narg; k++)
        if (s->e.arg[v->arg + k] != NO_VAL) add_marks(s, &s->at[s->e.arg[v->arg + k]]);
      for (uint32_t k = 0; pass && v->kind == VAL_INSN && k < s->c->insn[v->at].nsrc; k++) {
        struct value_range a = solve_source(s, v->at, k);
        if (s->c->insn[v->at].src[k].kind == O_IMM) add_marks(s, &a);
      }
    }
}

static struct value_range solve_widen(const struct solve *s, unsigned bits, const struct value_range *old,
                                      const struct value_range *now) {
  if (range_empty(old)) return *now;
  if (now->lo > old->lo || now->hi < old->hi) return range_full(bits); /* interpreted with another signedness */
  bool sign = now->hi < wide_power2(bits - 1);
  wide lo = old->lo, hi = old->hi;
  if (now->lo < lo) {
    lo = sign ? -wide_power2(bits - 1) : 0;
    for (unsigned k = 0; k < s->nmark && s->mark[k] <= now->lo; k++)
      if (s->mark[k] > lo) lo = s->mark[k];
  }
  if (now->hi > hi) {
    hi = wide_power2(sign ? bits - 1 : bits) - 1;
    for (unsigned k = s->nmark; k-- > 0 && s->mark[k] >= now->hi;)
      if (s->mark[k] < hi) hi = s->mark[k];
  }
  struct value_range w = range_of(bits, lo, hi);
  return range_known(bits, w, now->known, now->low);
}

/* ---- components, solved ---- */

/* One pass upwards; false: nothing changed. */
static bool sweep_up(struct solve *s, uint32_t comp, unsigned round) {
  bool changed = false;
  for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
    uint32_t n = s->order[j];
    const struct val *v = &s->e.val[n];
    if (!v->bits) continue;
    struct value_range old = s->at[n], now = range_join(v->bits, old, solve_evaluate(s, n));
    if (range_same(&old, &now)) continue;
    if (v->kind == VAL_PHI && round >= PATIENCE) {
      now = round < SWEEPS ? solve_widen(s, v->bits, &old, &now) : range_full(v->bits);
      now = range_meet(v->bits, now, s->cap[n]);
    }
    if (round > 2 * SWEEPS) now = range_full(v->bits);
    if (range_same(&old, &now)) continue;
    s->at[n] = now;
    changed = true;
  }
  return changed;
}

static void sweep_down(struct solve *s, uint32_t comp) {
  for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
    uint32_t n = s->order[j];
    unsigned bits = s->e.val[n].bits;
    if (bits) s->at[n] = range_meet(bits, s->at[n], solve_evaluate(s, n));
  }
}

static void solve_all(struct solve *s) {
  for (uint32_t v = 0; v < s->e.nval; v++) s->at[v] = range_none();
  for (uint32_t k = 0; k < s->ncomp; k++) {
    uint32_t v = s->order[s->first[k]];
    if (!s->loop[v]) {
      if (s->e.val[v].bits) s->at[v] = solve_evaluate(s, v);
      continue;
    }
    find_marks(s, k);
    for (unsigned round = 0; sweep_up(s, k, round); round++) continue;
    for (unsigned round = 0; round < DOWN; round++) sweep_down(s, k);
  }
}

/* ---- results ---- */

static struct value_bounds solve_bounds_of(const struct value_range *a) {
  return range_empty(a) ? (struct value_bounds){0, 0} : (struct value_bounds){a->lo, a->hi};
}

static void solve_explain(const struct solve *s, uint32_t n, struct range_why *w) {
  const struct val *v = &s->e.val[n];
  const struct insn *i = &s->c->insn[v->at];
  struct value_range src[INSN_SRC], full = range_full(v->bits);
  for (unsigned k = 0; k < i->nsrc; k++) src[k] = solve_source(s, v->at, k);
  range_rule(s->c, s->f, i, v->dst, src, &w->rule);
  if (i->op == OP_MOV && i->src[0].kind != O_REG) range_operand(s->c, s->f, &i->src[0], &w->rule);
  w->never = range_empty(&s->at[n]);
  w->loop = s->loop[n] && s->at[n].lo == full.lo && s->at[n].hi == full.hi;
  for (uint8_t k = 0; k < i->nsrc && !w->line; k++) {
    uint32_t from = s->e.src[v->at][k];
    if (from == NO_VAL || s->e.val[from].kind != VAL_SIGMA) continue;
    const struct val *sigma = &s->e.val[from];
    if (range_same(&s->at[from], &s->at[s->e.arg[sigma->arg]])) continue;
    w->line = s->c->insn[sigma->at].line;
    w->operand = k;
    w->in = solve_bounds_of(&s->at[from]);
  }
}

static void hand_out(const struct solve *s, struct register_ranges *out) {
  struct value_range *reg = xcalloc((size_t)out->nreg + 1, sizeof *reg);
  for (uint32_t r = 0; r < out->nreg; r++) reg[r] = range_none();
  for (uint32_t n = 0; n < s->e.nval; n++) {
    const struct val *v = &s->e.val[n];
    if (v->kind != VAL_INSN || !v->bits) continue;
    out->dst[v->at][v->dst] = solve_bounds_of(&s->at[n]);
    reg[v->reg] = range_join(v->bits, reg[v->reg], s->at[n]);
    solve_explain(s, n, &out->why[v->at][v->dst]);
  }
  for (uint32_t r = 0; r < out->nreg; r++) out->reg[r] = solve_bounds_of(&reg[r]);
  free(reg);
}

void register_ranges_build(const struct code *c, uint32_t nreg, const struct launch_facts *f,
                           struct register_ranges *out) {
  struct solve s = {.c = c, .f = f};
  essa_build(c, nreg, &s.e);
  size_t n = (size_t)s.e.nval + 1;
  s.at = xcalloc(n, sizeof *s.at);
  s.cap = xcalloc(n, sizeof *s.cap);
  s.loop = xcalloc(n, 1);
  s.order = xcalloc(n, sizeof *s.order);
  s.first = xcalloc(n + 1, sizeof *s.first);
  for (uint32_t v = 0; v < s.e.nval; v++) s.cap[v] = range_full(s.e.val[v].bits ? s.e.val[v].bits : 32);
  find_components(&s);
  solve_all(&s);
  for (unsigned round = 1; round < ROUNDS && solve_trip_counts(&s); round++) solve_all(&s);

  out->nreg = nreg;
  out->reg = xcalloc((size_t)nreg + 1, sizeof *out->reg);
  out->dst = xcalloc((size_t)c->n + 1, sizeof *out->dst);
  out->why = xcalloc((size_t)c->n + 1, sizeof *out->why);
  hand_out(&s, out);
  free(s.at);
  free(s.cap);
  free(s.loop);
  free(s.order);
  free(s.first);
  essa_free(&s.e);
}

void register_ranges_free(struct register_ranges *r) {
  free(r->reg);
  free(r->dst);
  free(r->why);
  *r = (struct register_ranges){0};
}
