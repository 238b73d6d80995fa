/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma, ldmatrix and cp.async.
 *
 * The register file gives an instruction at most six 32-bit registers and takes four. An mma that needs more
 * is split here into two halves: one makes rows 0 to 7 of the result from rows 0 to 7 of A and C, the other
 * rows 8 to 15; both read all of B. In the fragments of every shape a lane holds row g = lane / 4 in the even
 * registers of A and row g + 8 in the odd ones, so a half needs half of A, and no sum is cut in two: the
 * split changes no bit of the result. docs/tensor.md has the layouts.
 */
#include <string.h>

#include "ptx/check.h"
#include "ptx/lower.h"
#include "ptx/rules.h"

static const struct ir_opnd *piece(const struct ir_opnd *o, unsigned k) { return o->kind == IO_VEC ? &o->elem[k] : o; }

static void emit(struct lower *l, const struct ir_insn *s, struct insn *i) {
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

static bool written(const struct insn *i, const struct opnd *o) {
  for (unsigned k = 0; k < i->ndst; k++)
    if (i->dst[k].reg == o->reg) return true;
  return false;
}

void lower_mma(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  unsigned na = check_mma_regs(s, 1), nb = check_mma_regs(s, 2), nc = check_mma_regs(s, 3);
  bool split = na + nb + nc > INSN_SRC;
  struct insn part[2] = {{.vec = 1, .stype = s->stype}, {.vec = 1, .stype = s->stype}};
  for (unsigned h = 0; h <= split; h++) {
    struct insn *i = &part[h];
    if (split) i->mods = h ? M_ROWS_8 : M_ROWS_0;
    for (unsigned k = 0; k < na; k++)
      if (!split || k % 2 == h) i->src[i->nsrc++] = lower_src(l, piece(&s->opnd[1], k), T_B32);
    for (unsigned k = 0; k < nb; k++) i->src[i->nsrc++] = lower_src(l, piece(&s->opnd[2], k), T_B32);
    for (unsigned k = 0; k < nc; k++)
      if (!split || k / (nc / 2) == h) {
        i->src[i->nsrc++] = lower_src(l, piece(&s->opnd[3], k), T_B32);
        i->dst[i->ndst++] = lower_dst(l, piece(&s->opnd[0], k));
      }
  }
  /* What the second half still reads, the first must not write. */
  for (unsigned k = 0; split && k < part[1].nsrc; k++) {
    if (!written(&part[0], &part[1].src[k])) continue;
    uint32_t copy = lower_vreg(l, "%mma", 1);
    struct insn *m = lower_emit(l, OP_MOV, T_B32);
    m->dst[m->ndst++] = (struct opnd){.kind = O_REG, .words = 1, .reg = copy};
    m->src[m->nsrc++] = part[1].src[k];
    part[1].src[k] = m->dst[0];
  }
  emit(l, s, &part[0]);
  if (split) emit(l, s, &part[1]);
}

void lower_ldmatrix(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.vec = 1};
  for (unsigned k = 0; k < s->vec; k++) i.dst[i.ndst++] = lower_dst(l, piece(&s->opnd[0], k));
  i.src[i.nsrc++] = lower_address(l, &s->opnd[1], &i.offset);
  emit(l, s, &i);
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
  emit(l, s, &i);
}
