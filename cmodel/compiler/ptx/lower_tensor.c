/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma, ldmatrix and cp.async.
 *
 * The register file gives an instruction at most six 32-bit registers and takes four. An mma that needs more
 * is split here: where it has sixteen rows, into rows 0 to 7 of the result, from those of A and C, and rows 8 to 15; both
 * read all of B. In the fragments of those shapes a lane holds row g = lane / 4 in the even registers of A and row g + 8 in
 * the odd ones, so a half needs half of A. f64 and the four products of m8n8k4 are split further. No sum's bits change by
 * that. docs/reference/tensor.md has the layouts.
 */
#include <string.h>

#include "compiler/ptx/check_tensor.h"
#include "compiler/ptx/lower_tensor.h"
#include "compiler/ptx/rules.h"

static void mma_emit(struct lower *l, const struct ir_insn *s, struct insn *i) {
  struct insn *out = lower_emit(l, s->rule->op, s->type);
  i->op = out->op;
  i->type = out->type;
  i->line = out->line;
  i->col = out->col;
  i->guard = out->guard;
  i->sub = s->sub;
  i->mods |= s->mods;
  i->space = s->space;
  *out = *i;
}

/* ---- mma ---- */

struct insn mma_like(const struct ir_insn *s, uint8_t sub) {
  return (struct insn){.op = OP_MMA,
                       .type = s->type,
                       .stype = s->stype,
                       .rnd = s->rnd,
                       .cmp = s->ctype != s->type ? MMA_C_OTHER : 0,
                       .boolop = s->boolop,
                       .sub = sub,
                       .vec = 1,
                       .mods = s->mods};
}

void mma_part_src(struct mma_parts *p, struct opnd o) { p->i[p->n].src[p->i[p->n].nsrc++] = o; }

void mma_part_dst(struct mma_parts *p, struct opnd o) { p->i[p->n].dst[p->i[p->n].ndst++] = o; }

void mma_part_end(struct mma_parts *p, const struct insn *like) {
  struct insn *i = &p->i[p->n++];
  struct insn full = *like;
  full.mods |= i->mods;
  full.offset = i->offset;
  full.nsrc = i->nsrc;
  full.ndst = i->ndst;
  memcpy(full.src, i->src, sizeof full.src);
  memcpy(full.dst, i->dst, sizeof full.dst);
  *i = full;
}

static bool mma_parts_wrote(const struct mma_parts *p, unsigned before, const struct opnd *o) {
  for (unsigned n = 0; n < before; n++)
    for (unsigned k = 0; k < p->i[n].ndst; k++)
      if (o->kind == O_REG && p->i[n].dst[k].kind == O_REG && p->i[n].dst[k].reg == o->reg) return true;
  return false;
}

void mma_parts_emit(struct lower *l, struct mma_parts *p) {
  /* What a later part still reads, an earlier one must not write. */
  for (unsigned n = 1; n < p->n; n++)
    for (unsigned k = 0; k < p->i[n].nsrc; k++) {
      const struct opnd old = p->i[n].src[k];
      if (p->goes_on[n] >> k & 1 || !mma_parts_wrote(p, n, &old)) continue;
      struct insn *m = lower_emit(l, OP_MOV, old.words == 2 ? T_B64 : T_B32);
      m->dst[m->ndst++] = (struct opnd){.kind = O_REG, .words = old.words, .reg = lower_vreg(l, "%mma", old.words)};
      m->src[m->nsrc++] = old;
      for (unsigned later = n; later < p->n; later++)
        for (unsigned j = 0; j < p->i[later].nsrc; j++)
          if (!(p->goes_on[later] >> j & 1) && p->i[later].src[j].kind == O_REG && p->i[later].src[j].reg == old.reg)
            p->i[later].src[j].reg = m->dst[0].reg;
    }
  for (unsigned n = 0; n < p->n; n++) {
    struct insn *out = lower_emit(l, OP_MMA, p->i[n].type);
    p->i[n].line = out->line;
    p->i[n].col = out->col;
    p->i[n].guard = out->guard;
    *out = p->i[n];
  }
}

static struct opnd mma_src(struct lower *l, const struct ir_insn *s, unsigned operand, unsigned k) {
  const struct ir_opnd *o = ir_opnd_piece(&s->opnd[operand], k);
  return lower_src(l, o, s->type == T_F64 ? T_B64 : T_B32);
}

static struct opnd mma_dst(struct lower *l, const struct ir_insn *s, unsigned k) {
  return lower_dst(l, ir_opnd_piece(&s->opnd[0], k));
}

/* Rows 0 to 7 and 8 to 15, or all at once. */
static void mma_lower_rows(struct lower *l, const struct ir_insn *s, const struct insn *like, struct mma_parts *p) {
  const unsigned na = check_mma_regs(s, 1), nb = check_mma_regs(s, 2), nc = check_mma_regs(s, 3);
  const bool split = na + nb + nc > INSN_SRC;
  for (unsigned h = 0; h <= split; h++) {
    if (split) p->i[h].mods = h ? M_ROWS_8 : M_ROWS_0;
    for (unsigned k = 0; k < na; k++)
      if (!split || k % 2 == h) mma_part_src(p, mma_src(l, s, 1, k));
    for (unsigned k = 0; k < nb; k++) mma_part_src(p, mma_src(l, s, 2, k));
    for (unsigned k = 0; k < nc; k++)
      if (!split || k / (nc / 2) == h) {
        mma_part_src(p, mma_src(l, s, 3, k));
        mma_part_dst(p, mma_dst(l, s, k));
      }
    mma_part_end(p, like);
  }
}

/* m8n8k4 of f16: two registers of D at a time. */
static void mma_lower_quads(struct lower *l, const struct ir_insn *s, const struct insn *like, struct mma_parts *p) {
  const unsigned parts = check_mma_regs(s, 0) / 2;
  for (unsigned h = 0; h < parts; h++) {
    for (unsigned k = 0; k < 4; k++) mma_part_src(p, mma_src(l, s, 1 + k / 2, k % 2));
    for (unsigned k = 0; k < 2; k++)
      mma_part_src(p, mma_src(l, s, 3, like->cmp & MMA_C_OTHER ? h / 2 * 2 + k : 2 * h + k));
    for (unsigned k = 0; k < 2; k++) mma_part_dst(p, mma_dst(l, s, 2 * h + k));
    p->i[h].offset = h;
    mma_part_end(p, like);
  }
}

/* f64: eight rows, four of the columns, four of k at a time. Sums go on in D: that splits no fma, so it changes no bit. */
static void mma_lower_doubles(struct lower *l, const struct ir_insn *s, const struct insn *like, struct mma_parts *p) {
  const unsigned high = mma_shape(s->sub)->m / 8, steps = mma_shape(s->sub)->k / 4;
  for (unsigned c = 0; c < 2 * high; c++)
    for (unsigned k = 0; k < steps; k++) {
      const unsigned h = c / 2;
      mma_part_src(p, mma_src(l, s, 1, high * k + h));
      mma_part_src(p, mma_src(l, s, 2, k));
      mma_part_src(p, k ? mma_dst(l, s, c) : mma_src(l, s, 3, c));
      mma_part_dst(p, mma_dst(l, s, c));
      if (k) p->goes_on[p->n] = 4;
      if (high == 2) p->i[p->n].mods = h ? M_ROWS_8 : M_ROWS_0;
      p->i[p->n].offset = c % 2;
      mma_part_end(p, like);
    }
}

void lower_mma(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  const bool quad = s->stype == T_F16 && s->sub == MMA_M8_K4;
  struct mma_parts p = {.n = 0};
  struct insn like = mma_like(s, s->sub);
  if (s->btype != s->stype) like.cmp |= MMA_B_OTHER;
  if (quad) like.cmp |= (uint8_t)((s->layout & 1 ? MMA_A_COL : 0) | (s->layout & 2 ? 0 : MMA_B_ROW));
  if (s->type == T_F64) mma_lower_doubles(l, s, &like, &p);
  else if (quad) mma_lower_quads(l, s, &like, &p);
  else mma_lower_rows(l, s, &like, &p);
  mma_parts_emit(l, &p);
}

void lower_ldmatrix(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.vec = 1};
  for (unsigned k = 0; k < s->vec; k++) i.dst[i.ndst++] = lower_dst(l, ir_opnd_piece(&s->opnd[0], k));
  i.src[i.nsrc++] = lower_address(l, &s->opnd[1], &i.offset);
  mma_emit(l, s, &i);
}

void lower_cp_async(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.vec = s->vec};
  if (s->sub == ASYNC_MBARRIER) {
    lower_mbarrier(l);
    return;
  }
  if (s->sub == ASYNC_COPY) {
    i.src[i.nsrc++] = lower_address(l, &s->opnd[0], &i.offset2);
    i.src[i.nsrc++] = lower_address(l, &s->opnd[1], &i.offset);
    if (s->nopnd == 4) i.src[i.nsrc++] = lower_src(l, &s->opnd[3], T_B32);
  } else if (s->sub == ASYNC_WAIT) {
    i.src[i.nsrc++] = lower_imm((uint64_t)s->opnd[0].imm, T_U32);
  }
  mma_emit(l, s, &i);
}
