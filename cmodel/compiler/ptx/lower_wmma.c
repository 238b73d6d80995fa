/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma: fragments become registers in the layout of mma, loads and stores become addresses of each lane and plain accesses,
 * the product becomes parts of mma (docs/reference/tensor.md).
 *
 * A fragment consists of units. A lane has one of each 8 x 8 block of C and D, and of each block of A (B) that is eight rows
 * (columns) by a register's worth of k for each of four lanes: `outer` is the row (of B the column), lane / 4 in its block;
 * `inner` is what a unit's elements follow each other in, from `per` x (lane % 4) on in its block.
 */
#include <string.h>

#include "compiler/ptx/check_tensor.h"
#include "compiler/ptx/lower_tensor.h"
#include "compiler/ptx/rules.h"

enum { ADDRESSES = 40 };

struct fragment {
  uint8_t type;
  bool in, is_b; /* A or B; B */
  const struct wmma_shape *s;
  unsigned bits, per;      /* of an element; elements of a unit */
  unsigned outer, inner;   /* blocks */
  unsigned regs;           /* of a unit */
  const struct ir_opnd *v; /* its registers */
};

static struct fragment fragment_of(const struct ir_insn *i, unsigned which, uint8_t type, const struct ir_opnd *v) {
  const struct wmma_shape *s = wmma_shape(i->sub);
  struct fragment f = {.type = type, .s = s, .v = v, .bits = mma_bits((enum dtype)type), .per = 2, .regs = 1};
  f.is_b = which & WMMA_B;
  f.in = which & (WMMA_A | WMMA_B);
  if (f.in) f.per = f.bits < 32 ? 32 / f.bits : 1;
  else if (f.bits >= 32) f.regs = 2;
  f.outer = (f.is_b ? s->n : s->m) / 8u;
  f.inner = f.in ? s->k / (4 * f.per) : s->n / 8u;
  return f;
}

/* The unit's first register. As in mma, the rows of sixteen alternate. */
static unsigned fragment_unit(const struct fragment *f, unsigned outer, unsigned inner) {
  if (f->is_b) return outer * f->inner + inner;
  if (f->s->m == 8) return inner * f->regs;
  return (outer / 2 * 2 * f->inner + inner * 2 + outer % 2) * f->regs;
}

static const struct ir_opnd *fragment_element(const struct fragment *f, unsigned k) {
  return f->v->kind == IO_VEC ? &f->v->elem[k] : f->v;
}

static struct opnd fragment_dst(struct lower *l, const struct fragment *f, unsigned k) {
  return lower_dst(l, fragment_element(f, k));
}

static struct opnd fragment_src(struct lower *l, const struct fragment *f, unsigned k) {
  return lower_src(l, fragment_element(f, k), f->bits == 64 ? T_B64 : T_B32);
}

/* ---- addresses ---- */

struct matrix_at {
  unsigned words;
  bool along;         /* a unit's elements lie one behind the other */
  struct opnd stride; /* in bytes; O_IMM or a register */
  struct opnd lane;   /* address of element 0 of unit 0, 0 */
  int64_t offset;
  unsigned n;
  struct {
    unsigned times; /* strides */
    struct opnd at;
  } address[ADDRESSES];
};

static struct opnd wmma_new_register(struct lower *l, unsigned words) {
  return (struct opnd){.kind = O_REG, .words = (uint8_t)words, .reg = lower_vreg(l, "%wmma", words)};
}

/* a x b + c, wide if c is. */
static struct opnd wmma_mad(struct lower *l, unsigned words, struct opnd a, struct opnd b, struct opnd c) {
  const struct opnd d = wmma_new_register(l, words);
  struct insn *i = lower_emit(l, OP_MAD, T_U32);
  i->mods = words == 2 ? M_WIDE : M_LO;
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = a;
  i->src[i->nsrc++] = b;
  i->src[i->nsrc++] = c;
  return d;
}

/* A stride in elements of so many bits, times n, in bytes. */
static struct opnd wmma_stride_bytes(struct lower *l, struct opnd stride, unsigned bits, unsigned n) {
  const unsigned all = bits * n;
  if (stride.kind == O_IMM) return lower_imm(stride.imm * all / 8, T_U32);
  if (all == 8) return stride;
  const struct opnd d = wmma_new_register(l, 1);
  struct insn *i = lower_emit(l, all > 8 ? OP_SHL : OP_SHR, all > 8 ? T_B32 : T_U32);
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = stride;
  i->src[i->nsrc++] = lower_imm((unsigned)__builtin_ctz(all > 8 ? all / 8 : 8 / all), T_U32);
  return d;
}

static struct opnd lane_part(uint32_t reg) { return (struct opnd){.kind = O_REG, .words = 1, .reg = reg}; }

static void wmma_begin_matrix(struct lower *l, const struct ir_insn *s, const struct fragment *f,
                              const struct ir_opnd *address, struct matrix_at *p) {
  const struct wmma_shape *w = f->s;
  const bool col = s->layout & 1;
  const unsigned rows = f->is_b ? w->k : w->m, cols = f->in && !f->is_b ? w->k : w->n;
  const struct opnd base = lower_address(l, address, &p->offset);
  const struct opnd given = s->nopnd == 3 ? lower_src(l, &s->opnd[2], T_U32) : lower_imm(col ? rows : cols, T_U32);
  p->words = base.words;
  p->along = f->is_b == col;
  p->stride = wmma_stride_bytes(l, given, f->bits, 1);
  if (p->along) {
    const struct opnd row = wmma_mad(l, p->words, lane_part(l->lane_row), p->stride, base);
    p->lane = wmma_mad(l, p->words, lane_part(l->lane_col), lower_imm(f->per * f->bits / 8, T_U32), row);
  } else {
    const struct opnd col_of =
        wmma_mad(l, p->words, lane_part(l->lane_col), wmma_stride_bytes(l, given, f->bits, f->per), base);
    p->lane = wmma_mad(l, p->words, lane_part(l->lane_row), lower_imm(f->bits / 8, T_U32), col_of);
  }
}

/* Element e of a unit: its address, and in *offset what is to be added. Emits what the address still needs. */
static struct opnd wmma_emit_address(struct lower *l, const struct fragment *f, struct matrix_at *p, unsigned outer,
                                     unsigned inner, unsigned e, int64_t *offset) {
  const unsigned behind = inner * 4 * f->per + e; /* elements in the inner direction */
  const unsigned times = p->along ? 8 * outer : behind, fixed = (p->along ? behind : 8 * outer) * f->bits / 8;
  *offset = p->offset + fixed;
  if (p->stride.kind == O_IMM) {
    *offset += (int64_t)(times * p->stride.imm);
    return p->lane;
  }
  if (!times) return p->lane;
  for (unsigned k = 0; k < p->n; k++)
    if (p->address[k].times == times) return p->address[k].at;
  const struct opnd a = wmma_mad(l, p->words, p->stride, lower_imm(times, T_U32), p->lane);
  if (p->n < ADDRESSES) {
    p->address[p->n].times = times;
    p->address[p->n++].at = a;
  }
  return a;
}

/* All that the accesses need, before the first of them: what is loaded may overwrite the base or the stride. */
static void wmma_emit_addresses(struct lower *l, const struct fragment *f, struct matrix_at *p) {
  int64_t offset;
  for (unsigned o = 0; o < f->outer; o++)
    for (unsigned n = 0; n < f->inner; n++)
      for (unsigned e = 0; e < (p->along ? 1 : f->per); e++) wmma_emit_address(l, f, p, o, n, e, &offset);
}

/* ---- accesses ---- */

static struct insn *wmma_emit_access(struct lower *l, const struct ir_insn *s, uint8_t op, uint8_t type, unsigned vec,
                                     struct opnd address, int64_t offset) {
  struct insn *i = lower_emit(l, op, type);
  i->vec = (uint8_t)vec;
  i->space = s->space;
  i->offset = offset;
  i->src[i->nsrc++] = address;
  return i;
}

/* The type of an access to one register. */
static uint8_t access_type(const struct fragment *f) { return f->type == T_F32 || f->type == T_F64 ? f->type : T_B32; }

static void wmma_load_unit(struct lower *l, const struct ir_insn *s, const struct fragment *f, struct matrix_at *p,
                           unsigned o, unsigned n) {
  const unsigned first = fragment_unit(f, o, n);
  int64_t offset;
  if (p->along) {
    const struct opnd a = wmma_emit_address(l, f, p, o, n, 0, &offset);
    struct insn i = {.ndst = 0};
    for (unsigned k = 0; k < f->regs; k++) i.dst[i.ndst++] = fragment_dst(l, f, first + k);
    struct insn *out = wmma_emit_access(l, s, OP_LD, access_type(f), f->regs, a, offset);
    memcpy(out->dst, i.dst, sizeof i.dst);
    out->ndst = i.ndst;
    return;
  }
  if (f->bits >= 32) {
    for (unsigned e = 0; e < f->per; e++) {
      const struct opnd a = wmma_emit_address(l, f, p, o, n, e, &offset), d = fragment_dst(l, f, first + e);
      struct insn *out = wmma_emit_access(l, s, OP_LD, access_type(f), 1, a, offset);
      out->dst[out->ndst++] = d;
    }
    return;
  }
  struct opnd piece[4];
  for (unsigned e = 0; e < f->per; e++) {
    const struct opnd a = wmma_emit_address(l, f, p, o, n, e, &offset);
    piece[e] = wmma_new_register(l, 1);
    struct insn *out = wmma_emit_access(l, s, OP_LD, f->bits == 16 ? T_U16 : T_U8, 1, a, offset);
    out->dst[out->ndst++] = piece[e];
  }
  const struct opnd d = fragment_dst(l, f, first);
  struct insn *pack = lower_emit(l, OP_PACK, T_B32);
  pack->dst[pack->ndst++] = d;
  for (unsigned e = 0; e < f->per; e++) pack->src[pack->nsrc++] = piece[e];
}

static void wmma_load(struct lower *l, const struct ir_insn *s) {
  const struct fragment f = fragment_of(s, s->fragment, s->type, &s->opnd[0]);
  const unsigned all = check_wmma_regs(s, s->fragment), own = f.outer * f.inner * f.regs;
  struct matrix_at p = {.n = 0};
  wmma_begin_matrix(l, s, &f, &s->opnd[1], &p);
  wmma_emit_addresses(l, &f, &p);
  for (unsigned o = 0; o < f.outer; o++)
    for (unsigned n = 0; n < f.inner; n++) wmma_load_unit(l, s, &f, &p, o, n);
  for (unsigned k = own, from = 0; k < all; k++) { /* of f16: the others repeat the first ones */
    const struct opnd d = fragment_dst(l, &f, k), a = fragment_src(l, &f, from);
    if (++from == own) from = 0;
    struct insn *m = lower_emit(l, OP_MOV, T_B32);
    m->dst[m->ndst++] = d;
    m->src[m->nsrc++] = a;
  }
}

static void wmma_store_unit(struct lower *l, const struct ir_insn *s, const struct fragment *f, struct matrix_at *p,
                            unsigned o, unsigned n) {
  const unsigned first = fragment_unit(f, o, n);
  struct opnd value[2];
  int64_t offset;
  for (unsigned k = 0; k < f->regs; k++) value[k] = fragment_src(l, f, first + k);
  if (p->along) {
    const struct opnd a = wmma_emit_address(l, f, p, o, n, 0, &offset);
    struct insn *out = wmma_emit_access(l, s, OP_ST, access_type(f), f->regs, a, offset);
    for (unsigned k = 0; k < f->regs; k++) out->src[out->nsrc++] = value[k];
    return;
  }
  if (f->regs == 1) { /* two of f16 */
    const struct opnd low = wmma_new_register(l, 1), high = wmma_new_register(l, 1);
    struct insn *u = lower_emit(l, OP_UNPACK, T_B32);
    u->src[u->nsrc++] = value[0];
    u->dst[u->ndst++] = value[0] = low;
    u->dst[u->ndst++] = value[1] = high;
  }
  for (unsigned e = 0; e < f->per; e++) {
    const struct opnd a = wmma_emit_address(l, f, p, o, n, e, &offset);
    struct insn *out = wmma_emit_access(l, s, OP_ST, f->bits == 16 ? T_B16 : access_type(f), 1, a, offset);
    out->src[out->nsrc++] = value[e];
  }
}

static void wmma_store(struct lower *l, const struct ir_insn *s) {
  const struct fragment f = fragment_of(s, WMMA_D, s->type, &s->opnd[1]);
  struct matrix_at p = {.n = 0};
  wmma_begin_matrix(l, s, &f, &s->opnd[0], &p);
  wmma_emit_addresses(l, &f, &p);
  for (unsigned o = 0; o < f.outer; o++)
    for (unsigned n = 0; n < f.inner; n++) wmma_store_unit(l, s, &f, &p, o, n);
}

/* ---- the product ---- */

static uint8_t wmma_mma_shape(const struct ir_insn *s) {
  switch (s->stype) {
    case T_F16:
    case T_BF16: return MMA_K16;
    case T_TF32: return MMA_K8;
    case T_U8:
    case T_S8: return wmma_shape(s->sub)->m == 8 ? MMA_M8_K16 : MMA_K16;
    case T_U4:
    case T_S4: return MMA_M8_K32;
    case T_B1: return MMA_M8_K128;
    default: return MMA_M8_K4;
  }
}

static void wmma_product(struct lower *l, const struct ir_insn *s) {
  const struct fragment a = fragment_of(s, WMMA_A, s->stype, &s->opnd[1]),
                        b = fragment_of(s, WMMA_B, s->stype, &s->opnd[2]),
                        c = fragment_of(s, WMMA_C, s->ctype, &s->opnd[3]),
                        d = fragment_of(s, WMMA_D, s->type, &s->opnd[0]);
  const bool columns = s->type == T_F64;
  struct mma_parts p = {.n = 0};
  const struct insn like = mma_like(s, wmma_mma_shape(s));
  for (unsigned o = 0; o < a.outer; o++)
    for (unsigned n = 0; n < b.outer; n++)
      for (unsigned h = 0; h <= columns; h++) { /* f64: even, odd columns */
        struct insn *i = &p.i[p.n];
        if (like.sub <= MMA_K256) i->mods = o % 2 ? M_ROWS_8 : M_ROWS_0;
        i->offset = h;
        for (unsigned k = 0; k < a.inner; k++) mma_part_src(&p, fragment_src(l, &a, fragment_unit(&a, o, k)));
        for (unsigned k = 0; k < b.inner; k++) mma_part_src(&p, fragment_src(l, &b, fragment_unit(&b, n, k)));
        for (unsigned k = 0; k < (columns ? 1 : c.regs); k++)
          mma_part_src(&p, fragment_src(l, &c, fragment_unit(&c, o, n) + k + h));
        for (unsigned k = 0; k < (columns ? 1 : d.regs); k++)
          mma_part_dst(&p, fragment_dst(l, &d, fragment_unit(&d, o, n) + k + h));
        mma_part_end(&p, &like);
      }
  mma_parts_emit(l, &p);
}

void lower_wmma(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  if (s->fragment & WMMA_LOAD) wmma_load(l, s);
  else if (s->fragment & WMMA_STORE) wmma_store(l, s);
  else wmma_product(l, s);
}

/* lane / 4 and lane % 4, once, before everything else. */
void lower_wmma_lanes(struct lower *l) {
  const struct flat_insn *was = l->at;
  uint32_t k = 0;
  l->lane_row = l->lane_col = NO_REG;
  while (k < l->fl->n && !(l->fl->insn[k].kind == FL_INSN && l->fl->insn[k].i->rule->op == OP_WMMA &&
                           !(l->fl->insn[k].i->fragment & WMMA_MMA)))
    k++;
  if (k == l->fl->n) return;
  struct ir_insn plain = *l->fl->insn[k].i;
  struct flat_insn first = {.kind = FL_INSN, .i = &plain};
  plain.guard = NO_REG;
  l->at = &first;
  const struct opnd lane = wmma_new_register(l, 1), row = wmma_new_register(l, 1), col = wmma_new_register(l, 1);
  struct insn *i = lower_emit(l, OP_MOV, T_U32);
  i->dst[i->ndst++] = lane;
  i->src[i->nsrc++] = (struct opnd){.kind = O_SREG, .words = 1, .reg = SR_LANEID};
  i = lower_emit(l, OP_SHR, T_U32);
  i->dst[i->ndst++] = row;
  i->src[i->nsrc++] = lane;
  i->src[i->nsrc++] = lower_imm(2, T_U32);
  i = lower_emit(l, OP_AND, T_B32);
  i->dst[i->ndst++] = col;
  i->src[i->nsrc++] = lane;
  i->src[i->nsrc++] = lower_imm(3, T_B32);
  l->lane_row = row.reg;
  l->lane_col = col.reg;
  l->at = was;
}
