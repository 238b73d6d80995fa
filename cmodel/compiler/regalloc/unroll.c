/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unroll: innermost loops of constant trip count become copies of their bodies, as compilers make them before they
 * schedule, so that loads of later iterations can move up past the work of earlier ones.
 *
 * A loop is a range of instructions [head, back]: `back` branches to `head`, nothing else enters behind `head`, and one
 * guarded branch leaves: `back` itself, where it is guarded, or another one before it. Its trip count is how often this
 * branch is reached. It is found by executing what depends on constants only, from the values that moves before the loop
 * give its registers: so it is the same for all threads, and all that enter leave together. Kernels that read a clock stay
 * as they are, since a clock counts the warp's instructions.
 *
 * How many copies: all iterations, if they have at most FULL instructions together; else the greatest divisor of the trip
 * count up to schedule.unroll with at most PART. Both are LLVM's thresholds for NVPTX at -O3 (NVPTXTargetTransformInfo.cpp:
 * 300 for all iterations, a quarter of it for a part of them, for "small loops which are often unrolled by the PTX to SASS
 * compiler"); those of ptxas are not published. A loop with .pragma "nounroll" stays, as ptxas leaves it (PTX ISA, 11.4).
 *
 * Each unguarded write of a copy makes a new register, except the last one before the exit and before the branch back: these
 * write the register that the loop is left, or begun again, with. A guarded write goes to the register that holds the value
 * now. Sums of a register and a constant are taken from the register that the chain of additions begins with, and addresses
 * of loads and stores have such constants in their offsets; integers are added modulo 2^32 or 2^64 as before. What is then
 * unused, such as counters, is dropped. Everything else is executed in the same order, with the same operands.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"

enum { FULL = 300, PART = 75, TRIPS = 4096 };
enum { OFFSET = 1 << 23 }; /* offsets of real loads and stores have 24 bits with a sign */
#define NONE UINT32_MAX

struct values { /* of registers; known[v]: what v holds */
  uint8_t *known;
  uint64_t *of;
};

/* ---- constants ---- */

static bool is_whole(uint8_t type) {
  const unsigned n = dtype_bytes((enum dtype)type);
  return (n == 4 || n == 8) && !dtype_float((enum dtype)type);
}

static uint64_t constant_cut(uint64_t x, unsigned bytes) { return bytes == 8 ? x : x & UINT32_MAX; }

static uint64_t constant_extend(uint64_t x, uint8_t type) {
  if (dtype_bytes((enum dtype)type) == 8) return x;
  return dtype_signed((enum dtype)type) ? (uint64_t)(int64_t)(int32_t)(uint32_t)x : x & UINT32_MAX;
}

static bool constant_compare(const struct insn *i, uint64_t a, uint64_t b, uint64_t *out) {
  const bool s = dtype_signed((enum dtype)i->type);
  a = constant_extend(a, i->type);
  b = constant_extend(b, i->type);
  const bool lt = s && i->cmp < C_LO ? (int64_t)a < (int64_t)b : a < b;
  switch (i->cmp) {
    case C_EQ: *out = a == b; return true;
    case C_NE: *out = a != b; return true;
    case C_LT:
    case C_LO: *out = lt; return true;
    case C_LE:
    case C_LS: *out = lt || a == b; return true;
    case C_GT:
    case C_HI: *out = !lt && a != b; return true;
    case C_GE:
    case C_HS: *out = !lt; return true;
    default: return false;
  }
}

/* The result of an instruction whose sources are s[]; false: not one of those that count and address. */
static bool constant_result(const struct insn *i, const uint64_t s[INSN_SRC], uint64_t *out) {
  const unsigned bytes = dtype_bytes((enum dtype)i->type);
  const bool wide = i->mods == M_WIDE && bytes == 4;
  if (i->ndst != 1 || (bytes != 4 && bytes != 8)) return false;
  if (i->op == OP_MOV && !i->mods) {
    *out = constant_cut(s[0], bytes);
    return true;
  }
  if (!is_whole(i->type) || (i->mods && !wide && i->mods != M_LO)) return false;
  const uint64_t product =
      wide ? constant_extend(s[0], i->type) * constant_extend(s[1], i->type) : constant_cut(s[0] * s[1], bytes);
  switch (i->op) {
    case OP_ADD: *out = constant_cut(s[0] + s[1], bytes); return !i->mods;
    case OP_SUB: *out = constant_cut(s[0] - s[1], bytes); return !i->mods;
    case OP_AND: *out = constant_cut(s[0] & s[1], bytes); return !i->mods;
    case OP_MUL: *out = product; return i->mods;
    case OP_MAD: *out = constant_cut(product + s[2], wide ? 8 : bytes); return i->mods;
    case OP_SHL: *out = (uint32_t)s[1] < 8 * bytes ? constant_cut(s[0] << (uint32_t)s[1], bytes) : 0; return !i->mods;
    case OP_CVT: *out = constant_cut(constant_extend(s[0], i->stype), bytes); return !i->mods && is_whole(i->stype);
    case OP_SETP: return !i->mods && i->nsrc == 2 && !i->boolop && constant_compare(i, s[0], s[1], out);
    default: return false;
  }
}

/* x->known NULL: no register is known. */
static bool known_result(const struct insn *i, const struct values *x, uint64_t *out) {
  uint64_t s[INSN_SRC] = {0};
  for (unsigned k = 0; k < i->nsrc; k++) {
    const struct opnd *o = &i->src[k];
    if (o->kind == O_IMM) s[k] = o->imm;
    else if (o->kind == O_REG && x->known && x->known[o->reg]) s[k] = x->of[o->reg];
    else return false;
  }
  return i->guard.kind == O_NONE && constant_result(i, s, out);
}

static bool insn_writes_register(const struct insn *i, uint32_t v) {
  const struct opnd *o[INSN_DST];
  const unsigned n = insn_writes(i, o);
  for (unsigned k = 0; k < n; k++)
    if (o[k]->reg == v) return true;
  return false;
}

/* What v holds where the loop is entered: along the only way into it, the last write is the move of a constant. */
static bool entry_value(const struct code *c, const struct graph *g, const struct inner_loop *l, uint32_t v,
                        uint64_t *out) {
  uint32_t b = g->block_of[l->head];
  for (uint32_t steps = 0; steps < g->n; steps++) {
    uint32_t from = NONE;
    for (uint32_t p = 0; p < g->block[b].npred; p++) {
      const uint32_t pred = g->block[b].pred[p];
      if (!steps && g->block[pred].first >= l->head && g->block[pred].first <= l->back) continue;
      if (from != NONE) return false;
      from = pred;
    }
    if (from == NONE || !b) return false; /* block 0: the kernel begins there, too */
    for (uint32_t i = g->block[from].end; i-- > g->block[from].first;) {
      const struct insn *in = &c->insn[i];
      if (!insn_writes_register(in, v)) continue;
      const struct values none = {0};
      return in->op == OP_MOV && in->src[0].kind == O_IMM && known_result(in, &none, out);
    }
    b = from;
  }
  return false;
}

/* x: what the registers of the loop hold where it is entered. */
static void entry_values(const struct code *c, const struct graph *g, const struct inner_loop *l, struct values *x) {
  for (uint32_t i = l->head; i <= l->back; i++) {
    const struct opnd *o[INSN_SRC + 1];
    const unsigned n = insn_reads(&c->insn[i], o);
    for (unsigned k = 0; k < n; k++)
      x->known[o[k]->reg] = o[k]->kind == O_REG && entry_value(c, g, l, o[k]->reg, &x->of[o[k]->reg]);
  }
}

/* How often the exit is reached; 0: not constant, or more than TRIPS. Uses x up. */
static uint32_t count_trips(const struct code *c, const struct inner_loop *l, struct values *x) {
  for (uint32_t trips = 1; trips <= TRIPS; trips++)
    for (uint32_t i = l->head; i <= l->back; i++) {
      const struct insn *in = &c->insn[i];
      if (i == l->exit) {
        if (!x->known[in->guard.reg]) return 0;
        const bool taken = x->of[in->guard.reg] != in->guard.neg;
        if (taken == (i != l->back)) return trips;
      } else if (i != l->back) {
        const struct opnd *o[INSN_DST];
        uint64_t value = 0;
        const bool known = known_result(in, x, &value);
        const unsigned n = insn_writes(in, o);
        for (unsigned k = 0; k < n; k++) {
          x->known[o[k]->reg] = known;
          x->of[o[k]->reg] = value;
        }
      }
    }
  return 0;
}

/* ---- loops ---- */

/* Whether [head, back] has the form that can be unrolled; l->exit. */
static bool is_simple(const struct code *c, struct inner_loop *l) {
  l->exit = c->insn[l->back].guard.kind == O_PRED ? l->back : NONE;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    const bool inside = i >= l->head && i <= l->back;
    if (inside && (in->op == OP_EXIT || in->op == OP_TRAP)) return false;
    if (in->op != OP_BRA || i == l->back) continue;
    if (in->target > l->head && in->target <= l->back) return false;
    if (!inside) continue;
    if (l->exit != NONE || in->guard.kind != O_PRED || in->target == l->head) return false;
    l->exit = i;
  }
  return l->exit != NONE;
}

static uint32_t copies_of(const struct inner_loop *l, uint32_t most) {
  const uint32_t size = l->back - l->head + 1;
  if ((uint64_t)size * l->trips <= FULL) return l->trips;
  for (uint32_t n = most; n > 1; n--)
    if (l->trips % n == 0 && size * n <= PART) return n;
  return 1;
}

static bool code_reads_clock(const struct code *c) {
  for (uint32_t i = 0; i < c->n; i++)
    for (unsigned k = 0; k < c->insn[i].nsrc; k++)
      if (c->insn[i].src[k].kind == O_SREG && c->insn[i].src[k].reg >= SR_CLOCK &&
          c->insn[i].src[k].reg <= SR_GLOBALTIMER)
        return true;
  return false;
}

static void unroll_judge(const struct code *c, const struct graph *g, uint32_t most, struct values *x,
                         struct inner_loop *l) {
  l->copies = 1;
  if (!is_simple(c, l)) {
    l->why = LOOP_BRANCHES;
    return;
  }
  entry_values(c, g, l, x);
  l->trips = count_trips(c, l, x);
  if (!l->trips) l->why = LOOP_NOT_CONSTANT;
  else if (c->insn[l->back].mods & M_NOUNROLL) l->why = LOOP_PRAGMA;
  else if (most > 1) l->copies = copies_of(l, most);
  if (l->trips && l->why != LOOP_PRAGMA) l->why = l->copies > 1 ? LOOP_UNROLLED : LOOP_LONG;
}

static bool is_innermost(const struct code *c, const struct inner_loop *l) {
  for (uint32_t i = l->head; i < l->back; i++)
    if (c->insn[i].op == OP_BRA && c->insn[i].target >= l->head && c->insn[i].target <= i) return false;
  return true;
}

uint32_t find_loops(const struct work *w, uint32_t most, struct inner_loop **out) {
  const struct code *c = w->c;
  uint32_t n = 0, cap = 0;
  struct graph g;
  struct values x = {xcalloc((size_t)w->nv + 1, 1), xcalloc((size_t)w->nv + 1, sizeof *x.of)};
  *out = NULL;
  if (code_reads_clock(c)) most = 1;
  graph_build(c, &g);
  for (uint32_t i = 0; i < c->n; i++) {
    if (c->insn[i].op != OP_BRA || c->insn[i].target > i) continue;
    struct inner_loop l = {.head = c->insn[i].target, .back = i, .line = c->insn[c->insn[i].target].line};
    if (!is_innermost(c, &l)) continue;
    unroll_judge(c, &g, most, &x, &l);
    VEC_PUSH(*out, n, cap) = l;
  }
  graph_free(&g);
  free(x.known);
  free(x.of);
  return n;
}

/* ---- copies ---- */

struct form { /* a register holds base + add; base NONE: add */
  uint32_t base;
  uint64_t add;
};

struct unroller {
  struct work *w;
  const struct inner_loop *l;
  uint32_t nold;     /* registers before */
  uint32_t *name;    /* per old register: which one holds its value now */
  struct form *form; /* per register */
  uint32_t *at_exit,
      *at_end; /* per old register: number of its last unguarded write before the exit, of all; or NONE */
  uint32_t form_cap;
  struct insn *out;
  uint32_t n, cap;
};

static uint32_t unroll_new_register(struct unroller *u, uint32_t old) {
  const uint32_t v = work_reg(u->w, u->w->words[old], false);
  if (v >= u->form_cap) u->form = xrealloc(u->form, (u->form_cap = 2 * v + 16) * sizeof *u->form);
  u->form[v] = (struct form){v, 0};
  return v;
}

/* All iterations are copied: no branch is left. */
static bool unroll_is_complete(const struct unroller *u) { return u->l->copies == u->l->trips; }

/* Numbers of the instructions of all copies: copy k's of instruction i is k * size + i - head. */
static void find_last_writes(struct unroller *u) {
  const struct inner_loop *l = u->l;
  const uint32_t size = l->back - l->head + 1, n = l->copies * size, exit = n - size + (l->exit - l->head);
  for (uint32_t v = 0; v < u->nold; v++) u->at_exit[v] = u->at_end[v] = NONE;
  for (uint32_t k = 0; k < n; k++) {
    const struct insn *i = &u->w->c->insn[l->head + k % size];
    const struct opnd *o[INSN_DST];
    const unsigned m = i->guard.kind == O_PRED ? 0 : insn_writes(i, o);
    for (unsigned d = 0; d < m; d++) {
      if (k < exit) u->at_exit[o[d]->reg] = k;
      u->at_end[o[d]->reg] = k;
    }
  }
}

static struct form unroll_form(const struct unroller *u, const struct opnd *o) {
  if (o->kind == O_IMM) return (struct form){NONE, constant_cut(o->imm, o->words == 2 ? 8 : 4)};
  return u->form[o->reg];
}

static bool has_form(const struct opnd *o) { return o->kind == O_IMM || o->kind == O_REG; }

/* base + add of the result, if it is one; false: it is not known to be. */
static bool sum_of(const struct unroller *u, const struct insn *i, struct form *f) {
  uint64_t s[INSN_SRC] = {0}, value;
  bool constant = true;
  if (i->ndst != 1 || i->dst[0].kind != O_REG) return false;
  for (unsigned k = 0; k < i->nsrc; k++) {
    if (!has_form(&i->src[k])) return false;
    const struct form x = unroll_form(u, &i->src[k]);
    constant = constant && x.base == NONE;
    s[k] = x.add;
  }
  if (constant && i->guard.kind == O_NONE && constant_result(i, s, &value)) {
    *f = (struct form){NONE, value};
    return true;
  }
  if ((i->op != OP_ADD && i->op != OP_SUB) || i->mods || !is_whole(i->type)) return false;
  const struct form a = unroll_form(u, &i->src[0]), b = unroll_form(u, &i->src[1]);
  const unsigned bytes = dtype_bytes((enum dtype)i->type);
  if (a.base != NONE && b.base == NONE)
    *f = (struct form){a.base, constant_cut(i->op == OP_ADD ? a.add + b.add : a.add - b.add, bytes)};
  else if (a.base == NONE && b.base != NONE && i->op == OP_ADD)
    *f = (struct form){b.base, constant_cut(a.add + b.add, bytes)};
  else return false;
  return true;
}

/* The instruction becomes the sum, or the move of a constant. */
static void as_sum(struct insn *i, const struct form *f) {
  const uint8_t words = i->dst[0].words;
  const bool sum = f->base != NONE;
  *i = (struct insn){.op = sum ? OP_ADD : OP_MOV,
                     .type = sum          ? (words == 2 ? T_U64 : T_U32)
                             : words == 2 ? T_B64
                                          : T_B32,
                     .vec = i->vec,
                     .ndst = 1,
                     .line = i->line,
                     .col = i->col,
                     .guard = i->guard,
                     .dst = {i->dst[0]}};
  if (sum) i->src[i->nsrc++] = (struct opnd){.kind = O_REG, .words = words, .reg = f->base};
  i->src[i->nsrc++] = (struct opnd){.kind = O_IMM, .words = words, .imm = f->add};
}

/* The address as the register that its chain of additions begins with, and an offset. */
static void into_offset(const struct unroller *u, struct insn *i) {
  if ((i->op != OP_LD && i->op != OP_ST) || i->src[0].kind != O_REG) return;
  const struct form f = u->form[i->src[0].reg];
  const int64_t by = i->src[0].words == 2 ? (int64_t)f.add : (int32_t)(uint32_t)f.add;
  if (f.base == NONE || by <= -OFFSET || by >= OFFSET) return;
  const int64_t offset = i->offset + by;
  if (offset <= -OFFSET || offset >= OFFSET) return;
  i->src[0].reg = f.base;
  i->offset = offset;
}

/* v is written: what was known of it, and of sums of it, is not any more. */
static void unroll_forget(struct unroller *u, uint32_t v) {
  for (uint32_t k = 0; k < u->w->nv; k++)
    if (u->form[k].base == v || k == v) u->form[k] = (struct form){k, 0};
}

static void rename_source(const struct unroller *u, struct opnd *o) {
  if (opnd_is_register(o)) o->reg = u->name[o->reg];
}

/* Instruction `number` of all copies. */
static void copy_insn(struct unroller *u, uint32_t number, const struct insn *from) {
  struct insn i = *from;
  struct form f;
  rename_source(u, &i.guard);
  for (unsigned k = 0; k < i.nsrc; k++) rename_source(u, &i.src[k]);
  into_offset(u, &i);
  const bool sum = sum_of(u, &i, &f);
  for (unsigned k = 0; k < i.ndst; k++) {
    struct opnd *o = &i.dst[k];
    if (o->kind != O_REG && o->kind != O_PRED) continue;
    const uint32_t v = o->reg;
    const bool keep = number == u->at_exit[v] || (!unroll_is_complete(u) && number == u->at_end[v]);
    if (i.guard.kind == O_NONE) u->name[v] = keep ? v : unroll_new_register(u, v);
    o->reg = u->name[v];
    if (keep || i.guard.kind != O_NONE) unroll_forget(u, o->reg);
  }
  if (sum) {
    as_sum(&i, &f);
    if (i.guard.kind == O_NONE && f.base != i.dst[0].reg) u->form[i.dst[0].reg] = f;
  }
  VEC_PUSH(u->out, u->n, u->cap) = i;
}

/* Before all iterations: registers that hold a known constant and are written by each become new ones, which are replaced by
 * their constant. */
static void begin_constants(struct unroller *u) {
  struct values x = {xcalloc((size_t)u->nold + 1, 1), xcalloc((size_t)u->nold + 1, sizeof *x.of)};
  struct graph g;
  graph_build(u->w->c, &g);
  entry_values(u->w->c, &g, u->l, &x);
  for (uint32_t v = 0; v < u->nold; v++) {
    if (!x.known[v] || u->at_exit[v] == NONE) continue;
    struct insn i = {.vec = 1, .ndst = 1, .line = u->w->c->insn[u->l->head].line, .col = u->w->c->insn[u->l->head].col};
    const struct form f = {NONE, x.of[v]};
    u->name[v] = unroll_new_register(u, v);
    i.dst[0] = (struct opnd){.kind = O_REG, .words = u->w->words[v], .reg = u->name[v]};
    as_sum(&i, &f);
    u->form[u->name[v]] = f;
    VEC_PUSH(u->out, u->n, u->cap) = i;
  }
  graph_free(&g);
  free(x.known);
  free(x.of);
}

static void copy_body(struct unroller *u) {
  const struct inner_loop *l = u->l;
  const struct code *c = u->w->c;
  const uint32_t size = l->back - l->head + 1;
  for (uint32_t k = 0; k < l->copies; k++) {
    const bool last = k + 1 == l->copies;
    for (uint32_t i = l->head; i <= l->back; i++) {
      if (i != l->exit && i != l->back) {
        copy_insn(u, k * size + i - l->head, &c->insn[i]);
        continue;
      }
      if (!last) continue;
      struct insn b = c->insn[i];
      rename_source(u, &b.guard);
      if (unroll_is_complete(u)) b.guard = (struct opnd){0};
      if (!unroll_is_complete(u) || i != l->back) VEC_PUSH(u->out, u->n, u->cap) = b;
      if (unroll_is_complete(u)) return;
    }
  }
}

/* The copies in the place of the loop; no branch enters behind its head. */
static void unroll_replace_loop(struct unroller *u) {
  struct code *c = u->w->c;
  const uint32_t size = u->l->back - u->l->head + 1, behind = c->n - u->l->back - 1;
  struct insn *now = xmalloc(((size_t)c->n - size + u->n + 1) * sizeof *now);
  memcpy(now, c->insn, u->l->head * sizeof *now);
  if (u->n) memcpy(now + u->l->head, u->out, u->n * sizeof *now);
  memcpy(now + u->l->head + u->n, c->insn + u->l->back + 1, behind * sizeof *now);
  c->n = c->n - size + u->n;
  for (uint32_t i = 0; i < c->n; i++)
    if (now[i].op == OP_BRA && now[i].target > u->l->back) now[i].target += u->n - size;
  free(c->insn);
  c->insn = now;
}

static void unroll_loop(struct work *w, const struct inner_loop *l) {
  struct unroller u = {.w = w, .l = l, .nold = w->nv, .form_cap = w->nv + 1};
  u.name = xcalloc((size_t)w->nv + 1, sizeof *u.name);
  u.at_exit = xcalloc((size_t)w->nv + 1, sizeof *u.at_exit);
  u.at_end = xcalloc((size_t)w->nv + 1, sizeof *u.at_end);
  u.form = xcalloc(u.form_cap, sizeof *u.form);
  for (uint32_t v = 0; v < w->nv; v++) {
    u.name[v] = v;
    u.form[v] = (struct form){v, 0};
  }
  find_last_writes(&u);
  if (unroll_is_complete(&u)) begin_constants(&u);
  copy_body(&u);
  unroll_replace_loop(&u);
  free(u.name);
  free(u.at_exit);
  free(u.at_end);
  free(u.form);
  free(u.out);
}

bool unroll_code(struct work *w, const struct schedule *how) {
  struct inner_loop *l;
  bool any = false;
  if (!how->list || how->unroll < 2) return false;
  const uint32_t n = find_loops(w, how->unroll, &l);
  for (uint32_t k = n; k-- > 0;) { /* from the last, so that those before keep their places */
    if (l[k].copies < 2) continue;
    unroll_loop(w, &l[k]);
    any = true;
  }
  free(l);
  if (!any) return false;
  fold_code(w->c, w->nv);
  work_ranges(w);
  coalesce_copies(w);
  drop_empty_branches(w->c);
  return true;
}

uint32_t code_loops(struct module *m, struct code *c, uint32_t most, struct inner_loop **out) {
  struct work w;
  struct code copy;
  work_begin(&w, m, c, &copy);
  const uint32_t n = find_loops(&w, most, out);
  work_end(&w);
  return n;
}
