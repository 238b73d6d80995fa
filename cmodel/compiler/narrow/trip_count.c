/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trip_count: bounds of trip counts. If a register changes by at least some step in every iteration and its range is
 * known, the trip count is bounded; so it is if every iteration tests the register for equality with a loop invariant
 * that it must reach. Then all registers that change by a bounded step are bounded, such as addresses that advance
 * with a counter, and sums.
 */
#include "compiler/narrow/solve.h"

enum { VISITS = 200 };

static bool phi_distance(const struct solve *s, uint32_t phi, uint32_t v, struct span *d, unsigned *left);

static bool from_source(const struct solve *s, uint32_t phi, uint32_t insn, unsigned k, struct span *d,
                        unsigned *left) {
  uint32_t v = s->e.src[insn][k];
  return v != NO_VAL && phi_distance(s, phi, v, d, left);
}

/* The distance of v from a phi, over all paths between: numbers to be added modulo 2^bits. False: unknown. */
static bool phi_distance(const struct solve *s, uint32_t phi, uint32_t v, struct span *d, unsigned *left) {
  if (s->e.same[v] != NO_VAL) v = s->e.same[v];
  const struct val *x = &s->e.val[v];
  struct span other;
  *d = (struct span){0, 0};
  if (v == phi) return true;
  if (!*left || !s->loop[v]) return false;
  --*left;
  if (x->kind == VAL_MERGE || x->kind == VAL_PHI) {
    if (x->kind == VAL_PHI)
      for (uint32_t p = 0; p < s->e.g.block[x->at].npred; p++)
        if (essa_dominates(&s->e, x->at, s->e.g.block[x->at].pred[p])) return false; /* a loop inside */
    for (uint32_t k = 0, any = 0; k < x->narg; k++) {
      if (s->e.arg[x->arg + k] == NO_VAL) continue;
      if (!phi_distance(s, phi, s->e.arg[x->arg + k], &other, left)) return false;
      *d = any ? span_join(*d, other) : other;
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
  struct value_range by = solve_source(s, x->at, i->op == OP_MAD ? 0 : 1 - base);
  if (i->op == OP_MAD) by = range_mul(x->bits, by, solve_source(s, x->at, 1));
  if (range_empty(&by)) return false;
  by = range_of(x->bits, by.lo, by.hi);
  if (i->op == OP_SUB) *d = (struct span){d->lo - by.hi, d->hi - by.lo};
  else *d = (struct span){d->lo + by.lo, d->hi + by.hi};
  return true;
}

/* The change in one iteration, and the range at loop entry. */
static bool phi_change(const struct solve *s, uint32_t phi, struct span *step, struct value_range *from) {
  const struct val *x = &s->e.val[phi];
  const struct block *node = &s->e.g.block[x->at];
  bool any = false;
  *from = range_none();
  *step = (struct span){0, 0};
  for (uint32_t p = 0; p < node->npred; p++) {
    uint32_t v = s->e.arg[x->arg + p];
    struct span d;
    unsigned left = VISITS;
    if (v == NO_VAL) continue;
    if (!essa_dominates(&s->e, x->at, node->pred[p])) {
      *from = range_join(x->bits, *from, s->at[v]);
      continue;
    }
    if (!phi_distance(s, phi, v, &d, &left)) return false;
    *step = any ? span_join(*step, d) : d;
    any = true;
  }
  return any && !range_empty(from);
}

/* The most back edges that a loop takes, by one of its phis; -1: not bounded. */
static wide trips_by(const struct solve *s, uint32_t phi, const struct span *step) {
  const struct value_range *a = &s->at[phi];
  wide size = a->hi - a->lo, least = step->lo > 0 ? step->lo : step->hi < 0 ? -step->hi : 0;
  wide most = step->lo > 0 ? step->hi : -step->lo;
  /* both values of an iteration lie in [lo, hi], so a step that wraps would have to be longer */
  if (!least || range_empty(a) || size + most >= wide_power2(s->e.val[phi].bits)) return -1;
  return size / least;
}

/* ---- loops that end where a register is equal to something ---- */

/* A test in every iteration: phi + k is not n, in their low `bits` bits; k is a signed number. */
struct test {
  const struct insn *insn;
  unsigned bits;
  int64_t k;
  uint32_t n_val; /* NO_VAL: a constant */
  struct value_range n;
};

static int64_t signed_offset(uint64_t offset, unsigned bits) {
  return bits == 32 ? (int32_t)(uint32_t)offset : (int64_t)offset;
}

/* Whether a value is defined before the loop, so that it is invariant. */
static bool made_before(const struct solve *s, uint32_t v, uint32_t header) {
  const struct val *x = &s->e.val[v];
  uint32_t node = 0;
  if (x->kind != VAL_ENTRY) node = x->kind == VAL_PHI ? x->at : s->e.node[x->at];
  return node != header && essa_dominates(&s->e, node, header);
}

static bool is_test(const struct solve *s, uint32_t phi, uint32_t insn, bool truth, struct test *t) {
  const struct insn *i = &s->c->insn[insn];
  if (!(i->cmp == C_EQ && !truth) && !(i->cmp == C_NE && truth)) return false;
  *t = (struct test){.insn = i, .bits = 8 * dtype_bytes((enum dtype)i->type)};
  for (unsigned k = 0; k < 2 && t->bits >= 32; k++) {
    uint32_t a = s->e.src[insn][k], n = s->e.src[insn][1 - k];
    if (a == NO_VAL) continue;
    struct root r = essa_root(&s->e, a);
    if (r.val != phi || (t->bits == 64 && r.low)) continue;
    t->k = signed_offset(r.offset, t->bits);
    t->n_val = n == NO_VAL ? NO_VAL : s->e.same[n];
    if (n != NO_VAL && (t->n_val == NO_VAL || !made_before(s, t->n_val, s->e.val[phi].at))) continue;
    t->n = n == NO_VAL ? solve_source(s, insn, 1 - k) : s->at[t->n_val];
    return !range_empty(&t->n);
  }
  return false;
}

/* A test on a branch exit that every iteration takes. */
static bool find_test(const struct solve *s, uint32_t phi, struct test *t) {
  uint32_t header = s->e.val[phi].at, back = NO_VAL;
  const struct block *b = &s->e.g.block[header];
  for (uint32_t p = 0; p < b->npred; p++)
    if (essa_dominates(&s->e, header, b->pred[p])) back = b->pred[p];
  for (uint32_t w = back; w != NO_VAL && w != header; w = s->e.idom[w]) {
    struct known known;
    bool every = true;
    for (uint32_t p = 0; p < b->npred; p++)
      every &= !essa_dominates(&s->e, header, b->pred[p]) || essa_dominates(&s->e, w, b->pred[p]);
    essa_known(&s->e, w, &known);
    for (unsigned k = 0; every && k < known.n; k++)
      if (is_test(s, phi, known.insn[k], known.truth[k], t)) return true;
  }
  return false;
}

/* x < y or x <= y as signed numbers, of sources of a comparison; false: it is no such comparison. */
static bool test_is_less(const struct insn *i, bool truth, unsigned *x, bool *strict) {
  bool lt = i->cmp == C_LT || i->cmp == C_GE, le = i->cmp == C_LE || i->cmp == C_GT;
  if ((!lt && !le) || !dtype_signed((enum dtype)i->type)) return false;
  if (i->cmp == C_GE || i->cmp == C_GT) truth = !truth; /* now of src0 < src1 or src0 <= src1 */
  *x = truth ? 0 : 1;
  *strict = lt == truth;
  return true;
}

static bool no_wrap(const struct solve *s, uint32_t v, int64_t offset, unsigned bits) {
  struct span a = range_signed(&s->at[v], bits);
  return a.lo + offset >= -wide_power2(bits - 1) && a.hi + offset < wide_power2(bits - 1);
}

/* The least value of b - a, signed, by the branches before a node; false: unknown. */
static bool least_difference(const struct solve *s, uint32_t node, uint32_t a, uint32_t b, unsigned bits, wide *out) {
  struct root from = essa_root(&s->e, a), to = essa_root(&s->e, b);
  bool any = false;
  *out = 0;
  for (uint32_t w = node; w; w = s->e.idom[w]) {
    struct known known;
    essa_known(&s->e, w, &known);
    for (unsigned k = 0; k < known.n; k++) {
      const struct insn *i = &s->c->insn[known.insn[k]];
      unsigned x;
      bool strict;
      if (!test_is_less(i, known.truth[k], &x, &strict) || dtype_bytes((enum dtype)i->type) * 8 != bits) continue;
      uint32_t low = s->e.src[known.insn[k]][x], high = s->e.src[known.insn[k]][1 - x];
      if (low == NO_VAL || high == NO_VAL) continue;
      struct root l = essa_root(&s->e, low), h = essa_root(&s->e, high);
      if (l.val != from.val || h.val != to.val || l.low || h.low || from.low || to.low) continue;
      /* a + d < b + g */
      int64_t d = signed_offset(l.offset - from.offset, bits), g = signed_offset(h.offset - to.offset, bits);
      if (!no_wrap(s, a, d, bits) || !no_wrap(s, b, g, bits)) continue;
      wide is = (wide)d - g + strict;
      if (!any || is > *out) *out = is;
      any = true;
    }
  }
  return any;
}

/* The value at loop entry, and the entering block; false: there are several. */
static bool entered_with(const struct solve *s, uint32_t phi, uint32_t *value, uint32_t *node) {
  const struct val *x = &s->e.val[phi];
  const struct block *b = &s->e.g.block[x->at];
  unsigned n = 0;
  *value = NO_VAL;
  *node = 0;
  for (uint32_t p = 0; p < b->npred; p++) {
    if (essa_dominates(&s->e, x->at, b->pred[p])) continue;
    *value = s->e.arg[x->arg + p];
    *node = b->pred[p];
    n++;
  }
  return n == 1 && *value != NO_VAL;
}

/* Whether all numbers that are `far` modulo 2^bits are multiples of `step`. */
static bool distance_is_multiple(const struct value_range *far, const struct span *u, wide step) {
  if (step == 1) return true;
  if (u->lo == u->hi) return u->lo % step == 0;
  unsigned zeros = 0;
  while (!(step >> zeros & 1)) zeros++;
  return step == wide_power2(zeros) && far->known >= zeros && !(far->low & (uint64_t)(step - 1));
}

/*
 * Constant steps reach the tested value if the distance is a multiple of the step; the trip count is at most the
 * number of steps. If the register is known to approach from one side without wrapping, it also stays on this side:
 * *side.
 */
static wide trips_to_meet(const struct solve *s, uint32_t phi, const struct span *step, const struct value_range *from,
                          struct value_range *side) {
  struct test t;
  unsigned bits = s->e.val[phi].bits;
  bool up = step->lo > 0;
  wide by = up ? step->lo : -step->lo, least;
  if (step->lo != step->hi || !by || !find_test(s, phi, &t)) return -1;
  struct value_range first = range_known(t.bits, range_of(t.bits, from->lo, from->hi), from->known, from->low);
  struct value_range n = range_sub(t.bits, t.n, range_one(t.bits, (uint64_t)t.k));
  struct value_range far = up ? range_sub(t.bits, n, first) : range_sub(t.bits, first, n);
  struct span u = range_unsigned(&far, t.bits), a = range_signed(&first, t.bits), z = range_signed(&t.n, t.bits);
  uint32_t value, node;
  if (t.n_val != NO_VAL && t.bits == bits && entered_with(s, phi, &value, &node)) {
    bool known = up ? least_difference(s, node, value, t.n_val, bits, &least)
                    : least_difference(s, node, t.n_val, value, bits, &least);
    least += up ? -t.k : t.k;
    struct span d =
        up ? (struct span){z.lo - t.k - a.hi, z.hi - t.k - a.lo} : (struct span){a.lo - z.hi + t.k, a.hi - z.lo + t.k};
    if (known && least > d.lo) d.lo = least;
    if (known && d.lo >= 0 && d.hi >= d.lo && d.hi < u.hi) u = d;
  }
  if (!distance_is_multiple(&far, &u, by)) return -1;
  if (t.bits == bits && u.hi < wide_power2(bits - 1)) {
    struct span end = {z.lo - t.k, z.hi - t.k};
    if (up && a.lo <= end.hi) *side = range_of(bits, a.lo, end.hi > a.hi ? end.hi : a.hi);
    if (!up && a.hi >= end.lo) *side = range_of(bits, end.lo < a.lo ? end.lo : a.lo, a.hi);
  }
  return u.hi / by;
}

static bool cap_phi(struct solve *s, uint32_t phi, struct value_range to) {
  struct value_range now = range_meet(s->e.val[phi].bits, s->cap[phi], to);
  bool closer = !range_same(&now, &s->cap[phi]);
  s->cap[phi] = now;
  return closer;
}

/* A phi after at most so many steps. */
static struct value_range phi_range_after(unsigned bits, const struct value_range *from, const struct span *step,
                                          wide turns) {
  wide down, up;
  if (__builtin_mul_overflow(step->lo < 0 ? step->lo : 0, turns, &down) ||
      __builtin_mul_overflow(step->hi > 0 ? step->hi : 0, turns, &up) || up >= wide_power2(66) ||
      down <= -wide_power2(66))
    return range_full(bits);
  return range_of(bits, from->lo + down, from->hi + up);
}

/* Bounds the phis of a node by its trip count; true if a bound improved. */
static bool cap_node(struct solve *s, uint32_t node) {
  wide turns = -1;
  bool closer = false;
  for (unsigned pass = 0; pass < 2; pass++) {
    for (uint32_t n = s->e.phi[node]; n != NO_VAL; n = s->e.val[n].next) {
      struct span step;
      struct value_range from, side = range_full(s->e.val[n].bits ? s->e.val[n].bits : 32);
      if (!s->e.val[n].bits || range_empty(&s->at[n]) || !phi_change(s, n, &step, &from)) continue;
      if (pass) {
        closer |= cap_phi(s, n, phi_range_after(s->e.val[n].bits, &from, &step, turns));
        continue;
      }
      const wide by[2] = {trips_by(s, n, &step), trips_to_meet(s, n, &step, &from, &side)};
      for (unsigned k = 0; k < 2; k++)
        if (by[k] >= 0 && (turns < 0 || by[k] < turns)) turns = by[k];
      closer |= cap_phi(s, n, side);
    }
    if (turns < 0) return false;
  }
  return closer;
}

/* ---- differences ---- */

/* y - x, or y - x - 1 as y + ~x, where a branch compares x and y: trip counts are computed so. */
static bool cap_difference(struct solve *s, uint32_t n) {
  const struct val *v = &s->e.val[n];
  const struct insn *i = &s->c->insn[v->at];
  const uint32_t *src = s->e.src[v->at];
  if (v->kind != VAL_INSN || (i->op != OP_SUB && i->op != OP_ADD) || src[0] == NO_VAL || src[1] == NO_VAL || i->mods ||
      !v->bits || range_empty(&s->at[n]) || dtype_float((enum dtype)i->type) ||
      dtype_bytes((enum dtype)i->type) * 8 != v->bits)
    return false;
  uint32_t y = src[0], x = src[1];
  wide least, less_by = i->op == OP_ADD;
  for (unsigned k = 0; less_by && k < 2; k++) {
    uint32_t not = s->e.same[src[k]];
    if (not == NO_VAL || s->e.val[not ].kind != VAL_INSN) continue;
    const struct val *o = &s->e.val[not ];
    if (s->c->insn[o->at].op != OP_NOT || s->e.src[o->at][0] == NO_VAL) continue;
    x = s->e.src[o->at][0];
    y = src[1 - k];
    less_by = 0;
  }
  if (less_by) return false;
  less_by = i->op == OP_ADD;
  if (!least_difference(s, s->e.node[v->at], x, y, v->bits, &least)) return false;
  struct span a = range_signed(&s->at[x], v->bits), b = range_signed(&s->at[y], v->bits);
  struct span d = {b.lo - a.hi - less_by, b.hi - a.lo - less_by};
  if (least - less_by > d.lo) d.lo = least - less_by;
  return d.lo <= d.hi && d.hi < wide_power2(v->bits - 1) && cap_phi(s, n, range_of(v->bits, d.lo, d.hi));
}

static const struct val *made_by(const struct solve *s, uint32_t v, uint8_t op) {
  if (v == NO_VAL || s->e.same[v] == NO_VAL) return NULL;
  const struct val *x = &s->e.val[s->e.same[v]];
  return x->kind == VAL_INSN && s->c->insn[x->at].op == op ? x : NULL;
}

static bool same_source(const struct solve *s, uint32_t i, unsigned a, uint32_t j, unsigned b) {
  const struct opnd *x = &s->c->insn[i].src[a], *y = &s->c->insn[j].src[b];
  uint32_t v = s->e.src[i][a], w = s->e.src[j][b];
  if (v == NO_VAL || w == NO_VAL)
    return v == w && x->kind == y->kind && x->words == y->words && x->reg == y->reg && x->imm == y->imm;
  return s->e.same[v] == s->e.same[w] && s->e.same[v] != NO_VAL;
}

/* y - y / d * d is a remainder. */
static bool cap_remainder(struct solve *s, uint32_t n) {
  const struct val *v = &s->e.val[n], *mul = made_by(s, s->e.src[v->at][1], OP_MUL);
  const struct insn *i = &s->c->insn[v->at];
  if (!mul || i->mods || s->c->insn[mul->at].mods != M_LO || mul->bits != v->bits) return false;
  for (unsigned k = 0; k < 2; k++) {
    const struct val *div = made_by(s, s->e.src[mul->at][k], OP_DIV);
    if (!div || div->bits != v->bits || !same_source(s, div->at, 1, mul->at, 1 - k) ||
        !same_source(s, div->at, 0, v->at, 0))
      continue;
    struct insn rem = s->c->insn[div->at];
    unsigned bits = 8 * dtype_bytes((enum dtype)rem.type);
    if (bits != v->bits || dtype_float((enum dtype)rem.type) || bits != 8 * dtype_bytes((enum dtype)i->type)) continue;
    const struct value_range src[2] = {solve_source(s, div->at, 0), solve_source(s, div->at, 1)};
    const char *why;
    rem.op = OP_REM;
    return cap_phi(s, n, range_rule(s->c, s->f, &rem, 0, src, &why));
  }
  return false;
}

bool solve_trip_counts(struct solve *s) {
  bool closer = false;
  for (uint32_t n = 0; n < s->e.nval; n++) {
    closer |= cap_difference(s, n);
    const struct val *v = &s->e.val[n];
    if (v->kind == VAL_INSN && v->bits && s->c->insn[v->at].op == OP_SUB) closer |= cap_remainder(s, n);
  }
  for (uint32_t n = 0; n < s->e.g.n; n++)
    if (s->e.phi[n] != NO_VAL) closer |= cap_node(s, n);
  return closer;
}
