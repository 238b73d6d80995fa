/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_solve: ranges of all values of a kernel. Values that depend on each other in a circle (strongly
 * connected components, R. Tarjan, SIAM J. Computing 1(2), 1972) are solved together, in the order of
 * dependence: upwards from nothing, where phis are widened first to bounds that the component's own
 * comparisons and constants suggest, then to everything; then downwards again a few times. Every step
 * downwards is sound by itself: it takes what a value's sources leave possible.
 *
 * Then loops are counted: where a register moves by at least some step on every turn, and its range is known,
 * the turns of a loop are bounded, and so are all registers that move by a bounded step (addresses that run
 * along with a counter, sums). With these caps the whole is solved again, while it helps.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/essa.h"
#include "analysis/interval.h"

enum { ROUNDS = 4, PATIENCE = 2, SWEEPS = 48, DOWN = 3, MARKS = 64, VISITS = 200 };

struct solve {
  const struct code *c;
  const struct facts *f;
  struct essa e;
  struct arc *at, *cap; /* per value; cap: of phis, by the turns of their loop */
  uint8_t *loop;        /* per value: it depends on itself */
  uint32_t *order;      /* values, component by component, those first that others depend on */
  uint32_t *first;      /* where each component begins in it; first[ncomp]: the end */
  uint32_t ncomp;
  wide mark[MARKS]; /* where widening stops, of the component being solved, ascending */
  unsigned nmark;
};

/* ---- one value ---- */

static struct arc source_of(const struct solve *s, uint32_t i, unsigned k) {
  const struct opnd *o = &s->c->insn[i].src[k];
  const char *why;
  uint32_t v = s->e.src[i][k];
  if (o->kind == O_PRED) return arc_full(32);
  if (o->kind == O_REG) return v == NO_VAL ? arc_full(opnd_bits(o)) : s->at[v];
  return interval_operand(s->c, s->f, o, &why);
}

static struct arc of_insn(const struct solve *s, const struct val *v) {
  struct arc src[INSN_SRC];
  const struct insn *i = &s->c->insn[v->at];
  const char *why;
  for (unsigned k = 0; k < i->nsrc; k++) src[k] = source_of(s, v->at, k);
  return interval_rule(s->c, s->f, i, v->dst, src, &why);
}

/* Words of `bits` bits whose low 32 bits lie in `low`, as far as a tells which; else a. */
static struct arc lift(unsigned bits, struct arc a, struct arc low) {
  bool sign = a.lo >= -power2(31) && a.hi < power2(31);
  if (bits == 32) return arc_meet(32, a, low);
  if (!sign && (a.lo < 0 || a.hi >= power2(32))) return a;
  low = arc_meet(32, arc_of(32, a.lo, a.hi), low);
  if (arc_empty(&low)) return low;
  struct span s = arc_read(&low, 32, sign);
  return arc_meet(bits, a, arc_of(bits, s.lo, s.hi));
}

static struct arc of_sigma(const struct solve *s, const struct val *v) {
  struct arc a = s->at[s->e.arg[v->arg]];
  for (uint32_t k = 0; k < v->ncond; k++) {
    const struct cond *c = &s->e.cond[v->cond + k];
    unsigned bits = s->e.val[c->compared].bits;
    struct arc self = s->at[c->compared], other = source_of(s, c->insn, 1 - c->side);
    struct arc where =
        arc_meet(bits, self, interval_where(&s->c->insn[c->insn], c->side, c->truth, &self, &other, bits));
    if (arc_empty(&where) || arc_empty(&a)) return arc_none();
    where = arc_add(bits, where, arc_one(bits, c->offset));
    a = c->low ? lift(v->bits, a, arc_of(32, where.lo, where.hi)) : arc_meet(bits, a, where);
  }
  return a;
}

static struct arc evaluate(const struct solve *s, uint32_t n) {
  const struct val *v = &s->e.val[n];
  struct arc a = arc_none();
  switch ((enum val_kind)v->kind) {
    case VAL_INSN: return of_insn(s, v);
    case VAL_SIGMA: return of_sigma(s, v);
    case VAL_PHI:
    case VAL_MERGE:
      for (uint32_t k = 0; k < v->narg; k++)
        if (s->e.arg[v->arg + k] != NO_VAL) a = arc_join(v->bits, a, s->at[s->e.arg[v->arg + k]]);
      return arc_meet(v->bits, a, s->cap[n]);
    default: return arc_full(v->bits); /* what nobody wrote */
  }
}

/* ---- components ---- */

struct walk { /* of Tarjan's algorithm; numbers from 1, 0: not met */
  uint32_t *num, *low, *stack, *path, *arg;
  uint32_t count, nstack, npath, norder;
};

static void component(struct solve *s, struct walk *w, uint32_t v) {
  uint32_t n;
  s->first[s->ncomp++] = w->norder;
  do {
    n = w->stack[--w->nstack];
    w->low[n] = NO_VAL; /* done */
    s->order[w->norder++] = n;
  } while (n != v);
}

static void enter(struct walk *w, uint32_t v) {
  w->num[v] = w->low[v] = ++w->count;
  w->stack[w->nstack++] = v;
  w->path[w->npath++] = v;
}

static void walk_from(struct solve *s, struct walk *w, uint32_t root) {
  enter(w, root);
  while (w->npath) {
    uint32_t v = w->path[w->npath - 1];
    const struct val *x = &s->e.val[v];
    if (w->arg[v] < x->narg) {
      uint32_t to = s->e.arg[x->arg + w->arg[v]++];
      if (to == NO_VAL || w->low[to] == NO_VAL) continue;
      if (to == v) s->loop[v] = 1;
      if (!w->num[to]) enter(w, to);
      else if (w->num[to] < w->low[v]) w->low[v] = w->num[to];
      continue;
    }
    w->npath--;
    uint32_t up = w->npath ? w->path[w->npath - 1] : v;
    if (w->low[v] < w->low[up]) w->low[up] = w->low[v];
    if (w->low[v] == w->num[v]) component(s, w, v);
  }
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Values have numbers by nodes down the tree of dominators, phis before all: near enough to the order of the
 * text. */
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
    qsort(s->order + s->first[k], size, sizeof *s->order, by_number);
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

static void add_marks(struct solve *s, const struct arc *a) {
  if (arc_empty(a)) return;
  for (int d = -1; d <= 1; d++) {
    add_mark(s, a->lo + d);
    add_mark(s, a->hi + d);
  }
}

/* The bounds of a component's comparisons, then constants of its instructions. */
static void find_marks(struct solve *s, uint32_t comp) {
  s->nmark = 0;
  add_mark(s, 0);
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
      const struct val *v = &s->e.val[s->order[j]];
      for (uint32_t k = 0; !pass && v->kind == VAL_SIGMA && k < v->ncond; k++) {
        const struct cond *c = &s->e.cond[v->cond + k];
        uint32_t from = s->e.src[c->insn][1 - c->side]; /* what it always is may be known already */
        if (from != NO_VAL) from = s->e.same[from];
        struct arc other = from == NO_VAL ? source_of(s, c->insn, 1 - c->side) : s->at[from];
        if (arc_empty(&other)) continue;
        add_marks(s, &other);
        other = arc_add(v->bits, other, arc_one(v->bits, c->offset));
        add_marks(s, &other);
      }
      for (uint32_t k = 0; pass && v->kind == VAL_INSN && k < s->c->insn[v->at].nsrc; k++) {
        struct arc a = source_of(s, v->at, k);
        if (s->c->insn[v->at].src[k].kind == O_IMM) add_marks(s, &a);
      }
    }
}

static struct arc widen(const struct solve *s, unsigned bits, const struct arc *old, const struct arc *now) {
  if (arc_empty(old)) return *now;
  if (now->lo > old->lo || now->hi < old->hi) return arc_full(bits); /* read in another way */
  bool sign = now->hi < power2(bits - 1);
  wide lo = old->lo, hi = old->hi;
  if (now->lo < lo) {
    lo = sign ? -power2(bits - 1) : 0;
    for (unsigned k = 0; k < s->nmark && s->mark[k] <= now->lo; k++)
      if (s->mark[k] > lo) lo = s->mark[k];
  }
  if (now->hi > hi) {
    hi = power2(sign ? bits - 1 : bits) - 1;
    for (unsigned k = s->nmark; k-- > 0 && s->mark[k] >= now->hi;)
      if (s->mark[k] < hi) hi = s->mark[k];
  }
  struct arc w = arc_of(bits, lo, hi);
  return arc_known(bits, w, now->known, now->low);
}

/* ---- components, solved ---- */

/* One pass upwards; false: nothing changed. */
static bool sweep_up(struct solve *s, uint32_t comp, unsigned round) {
  bool changed = false;
  for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
    uint32_t n = s->order[j];
    const struct val *v = &s->e.val[n];
    if (!v->bits) continue;
    struct arc old = s->at[n], now = arc_join(v->bits, old, evaluate(s, n));
    if (arc_same(&old, &now)) continue;
    if (v->kind == VAL_PHI && round >= PATIENCE) {
      now = round < SWEEPS ? widen(s, v->bits, &old, &now) : arc_full(v->bits);
      now = arc_meet(v->bits, now, s->cap[n]);
    }
    if (round > 2 * SWEEPS) now = arc_full(v->bits);
    if (arc_same(&old, &now)) continue;
    s->at[n] = now;
    changed = true;
  }
  return changed;
}

static void sweep_down(struct solve *s, uint32_t comp) {
  for (uint32_t j = s->first[comp]; j < s->first[comp + 1]; j++) {
    uint32_t n = s->order[j];
    unsigned bits = s->e.val[n].bits;
    if (bits) s->at[n] = arc_meet(bits, s->at[n], evaluate(s, n));
  }
}

static void solve_all(struct solve *s) {
  for (uint32_t v = 0; v < s->e.nval; v++) s->at[v] = arc_none();
  for (uint32_t k = 0; k < s->ncomp; k++) {
    uint32_t v = s->order[s->first[k]];
    if (!s->loop[v]) {
      if (s->e.val[v].bits) s->at[v] = evaluate(s, v);
      continue;
    }
    find_marks(s, k);
    for (unsigned round = 0; sweep_up(s, k, round); round++) continue;
    for (unsigned round = 0; round < DOWN; round++) sweep_down(s, k);
  }
}

/* ---- turns of loops ---- */

static bool distance(const struct solve *s, uint32_t phi, uint32_t v, struct span *d, unsigned *left);

static bool from_source(const struct solve *s, uint32_t phi, uint32_t insn, unsigned k, struct span *d,
                        unsigned *left) {
  uint32_t v = s->e.src[insn][k];
  return v != NO_VAL && distance(s, phi, v, d, left);
}

/* How far v is from a phi, on every way between: numbers to be added modulo 2^bits. False: not to be told. */
static bool distance(const struct solve *s, uint32_t phi, uint32_t v, struct span *d, unsigned *left) {
  const struct val *x = &s->e.val[v];
  struct span other;
  *d = (struct span){0, 0};
  if (v == phi) return true;
  if (!*left || !s->loop[v]) return false;
  --*left;
  if (x->kind == VAL_SIGMA) return distance(s, phi, s->e.arg[x->arg], d, left);
  if (x->kind == VAL_MERGE || x->kind == VAL_PHI) {
    if (x->kind == VAL_PHI)
      for (uint32_t p = 0; p < s->e.g.block[x->at].npred; p++)
        if (essa_dominates(&s->e, x->at, s->e.g.block[x->at].pred[p])) return false; /* a loop inside */
    for (uint32_t k = 0, any = 0; k < x->narg; k++) {
      if (s->e.arg[x->arg + k] == NO_VAL) continue;
      if (!distance(s, phi, s->e.arg[x->arg + k], &other, left)) return false;
      *d = any ? (struct span){other.lo < d->lo ? other.lo : d->lo, other.hi > d->hi ? other.hi : d->hi}
               : other;
      any = 1;
    }
    return true;
  }
  if (x->kind != VAL_INSN) return false;
  const struct insn *i = &s->c->insn[x->at];
  if (i->mods & (M_SAT | M_HI | M_WIDE) || dtype_float((enum dtype)i->type) ||
      dtype_bytes((enum dtype)i->type) * 8 != x->bits)
    return false;
  unsigned base = i->op == OP_MAD ? 2 : 0;
  bool sum = i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MAD;
  if (i->op != OP_MOV && !sum) return false;
  if (!from_source(s, phi, x->at, base, d, left)) {
    base = 1;
    if (i->op != OP_ADD || !from_source(s, phi, x->at, base, d, left)) return false;
  }
  if (i->op == OP_MOV) return true;
  struct arc by = source_of(s, x->at, i->op == OP_MAD ? 0 : 1 - base);
  if (i->op == OP_MAD) by = arc_mul(x->bits, by, source_of(s, x->at, 1));
  if (arc_empty(&by)) return false;
  by = arc_of(x->bits, by.lo, by.hi);
  if (i->op == OP_SUB) *d = (struct span){d->lo - by.hi, d->hi - by.lo};
  else *d = (struct span){d->lo + by.lo, d->hi + by.hi};
  return true;
}

/* The distance of one turn, and the range with which the loop is entered. */
static bool turn(const struct solve *s, uint32_t phi, struct span *step, struct arc *from) {
  const struct val *x = &s->e.val[phi];
  const struct block *node = &s->e.g.block[x->at];
  bool any = false;
  *from = arc_none();
  for (uint32_t p = 0; p < node->npred; p++) {
    uint32_t v = s->e.arg[x->arg + p];
    struct span d;
    unsigned left = VISITS;
    if (v == NO_VAL) continue;
    if (!essa_dominates(&s->e, x->at, node->pred[p])) {
      *from = arc_join(x->bits, *from, s->at[v]);
      continue;
    }
    if (!distance(s, phi, v, &d, &left)) return false;
    *step = any ? (struct span){d.lo < step->lo ? d.lo : step->lo, d.hi > step->hi ? d.hi : step->hi} : d;
    any = true;
  }
  return any && !arc_empty(from);
}

/* How often at most a loop turns back, by one of its phis; -1: not bounded. */
static wide turns_by(const struct solve *s, uint32_t phi, const struct span *step) {
  const struct arc *a = &s->at[phi];
  wide size = a->hi - a->lo, least = step->lo > 0 ? step->lo : step->hi < 0 ? -step->hi : 0;
  wide most = step->lo > 0 ? step->hi : -step->lo;
  /* both numbers of a turn lie in [lo, hi], so a step around the end would have to be longer */
  if (!least || arc_empty(a) || size + most >= power2(s->e.val[phi].bits)) return -1;
  return size / least;
}

/* Bounds the phis of a node by its turns; true if one of them has come closer. */
static bool cap_node(struct solve *s, uint32_t node) {
  wide turns = -1;
  bool closer = false;
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t n = s->e.phi[node]; n != NO_VAL; n = s->e.val[n].next) {
      struct span step;
      struct arc from;
      unsigned bits = s->e.val[n].bits;
      if (!bits || arc_empty(&s->at[n]) || !turn(s, n, &step, &from)) continue;
      if (!pass) {
        wide by = turns_by(s, n, &step);
        if (by >= 0 && (turns < 0 || by < turns)) turns = by;
        continue;
      }
      wide down, up;
      if (__builtin_mul_overflow(step.lo < 0 ? step.lo : 0, turns, &down) ||
          __builtin_mul_overflow(step.hi > 0 ? step.hi : 0, turns, &up) || up - down >= power2(bits))
        continue;
      struct arc cap = arc_meet(bits, s->cap[n], arc_of(bits, from.lo + down, from.hi + up));
      closer |= !arc_same(&cap, &s->cap[n]);
      s->cap[n] = cap;
    }
    if (turns < 0) return false;
  }
  return closer;
}

static bool cap_all(struct solve *s) {
  bool closer = false;
  for (uint32_t n = 0; n < s->e.g.n; n++)
    if (s->e.phi[n] != NO_VAL) closer |= cap_node(s, n);
  return closer;
}

/* ---- what comes out ---- */

static struct interval shown(const struct arc *a) {
  return arc_empty(a) ? (struct interval){0, 0} : (struct interval){a->lo, a->hi};
}

static void explain(const struct solve *s, uint32_t n, struct interval_why *w) {
  const struct val *v = &s->e.val[n];
  const struct insn *i = &s->c->insn[v->at];
  struct arc src[INSN_SRC], full = arc_full(v->bits);
  for (unsigned k = 0; k < i->nsrc; k++) src[k] = source_of(s, v->at, k);
  interval_rule(s->c, s->f, i, v->dst, src, &w->rule);
  if (i->op == OP_MOV && i->src[0].kind != O_REG) interval_operand(s->c, s->f, &i->src[0], &w->rule);
  w->never = arc_empty(&s->at[n]);
  w->loop = s->loop[n] && s->at[n].lo == full.lo && s->at[n].hi == full.hi;
  for (uint8_t k = 0; k < i->nsrc && !w->line; k++) {
    uint32_t from = s->e.src[v->at][k];
    if (from == NO_VAL || s->e.val[from].kind != VAL_SIGMA) continue;
    const struct val *sigma = &s->e.val[from];
    if (arc_same(&s->at[from], &s->at[s->e.arg[sigma->arg]])) continue;
    w->line = s->c->insn[sigma->at].line;
    w->operand = k;
    w->in = shown(&s->at[from]);
  }
}

static void hand_out(const struct solve *s, struct intervals *out) {
  struct arc *reg = xcalloc((size_t)out->nreg + 1, sizeof *reg);
  for (uint32_t r = 0; r < out->nreg; r++) reg[r] = arc_none();
  for (uint32_t n = 0; n < s->e.nval; n++) {
    const struct val *v = &s->e.val[n];
    if (v->kind != VAL_INSN || !v->bits) continue;
    out->dst[v->at][v->dst] = shown(&s->at[n]);
    reg[v->reg] = arc_join(v->bits, reg[v->reg], s->at[n]);
    explain(s, n, &out->why[v->at][v->dst]);
  }
  for (uint32_t r = 0; r < out->nreg; r++) out->reg[r] = shown(&reg[r]);
  free(reg);
}

void intervals_build(const struct code *c, uint32_t nreg, const struct facts *f, struct intervals *out) {
  struct solve s = {.c = c, .f = f};
  essa_build(c, nreg, &s.e);
  size_t n = (size_t)s.e.nval + 1;
  s.at = xcalloc(n, sizeof *s.at);
  s.cap = xcalloc(n, sizeof *s.cap);
  s.loop = xcalloc(n, 1);
  s.order = xcalloc(n, sizeof *s.order);
  s.first = xcalloc(n + 1, sizeof *s.first);
  for (uint32_t v = 0; v < s.e.nval; v++) s.cap[v] = arc_full(s.e.val[v].bits ? s.e.val[v].bits : 32);
  find_components(&s);
  solve_all(&s);
  for (unsigned round = 1; round < ROUNDS && cap_all(&s); round++) solve_all(&s);

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

void intervals_free(struct intervals *r) {
  free(r->reg);
  free(r->dst);
  free(r->why);
  *r = (struct intervals){0};
}
