/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier and cp.async.mbarrier.arrive: their modifiers, their operands, and the instructions that they become.
 *
 * All but pending_count are OP_MBARRIER (compiler/ir/insn.def). A token, what PTX calls the state, has the pending count in its low 20
 * bits (exec/mbarrier.c), so pending_count is a conversion and a mask.
 */
#include "compiler/ptx/lower.h"
#include "compiler/ptx/rules.h"

#define SHOW(i) ((i)->ntext > 80 ? 80 : (int)(i)->ntext), (i)->text

static bool mbarrier_error(const struct ir *ir, const struct ir_insn *i, struct err *e, const char *expected) {
  return err_at(e, ir->file, i->line, i->col, "found '%.*s', expected %s", SHOW(i), expected);
}

static bool mbarrier_insn_arrives(const struct ir_insn *i) { return i->sub == MBAR_ARRIVE || i->sub == MBAR_DROP; }

bool mbarrier_mods(const struct ir *ir, struct ir_insn *i, uint64_t seen, struct err *e) {
  if (!(seen & G(MBAR))) {
    if (!(seen & G(MBTX)))
      return mbarrier_error(
          ir, i, e,
          "one of .init, .inval, .arrive, .arrive_drop, .expect_tx, .complete_tx, .test_wait, .try_wait, "
          ".pending_count");
    i->sub = MBAR_EXPECT;
    i->cmp &= (uint8_t)~MB_EXPECT_TX;
  }
  const bool tests = i->sub == MBAR_TEST, counts = i->sub == MBAR_EXPECT || i->sub == MBAR_COMPLETE;
  if (i->cmp & MB_EXPECT_TX && (!mbarrier_insn_arrives(i) || i->cmp & MB_NOCOMPLETE))
    return mbarrier_error(ir, i, e, ".expect_tx alone, or behind .arrive or .arrive_drop");
  if (i->cmp & MB_NOCOMPLETE && !mbarrier_insn_arrives(i))
    return mbarrier_error(ir, i, e, ".noComplete behind .arrive or .arrive_drop only");
  if (i->cmp & MB_PARITY && !tests) return mbarrier_error(ir, i, e, ".parity behind .test_wait or .try_wait only");
  if (i->space != SP_GENERIC && i->space != SP_SHARED) return mbarrier_error(ir, i, e, "a generic address or .shared");
  if (i->sub == MBAR_PENDING && seen & G(SPACE))
    return mbarrier_error(ir, i, e, "no address space with .pending_count");
  if (seen & (G(SEM) | G(SCOPE)) && !mbarrier_insn_arrives(i) && !tests && !counts)
    return mbarrier_error(ir, i, e, "no ordering and no scope with it");
  if (seen & G(SEM) && counts && i->mods & (M_ACQUIRE | M_RELEASE))
    return mbarrier_error(ir, i, e, ".relaxed, or no ordering");
  if (i->mods & (tests ? M_RELEASE : M_ACQUIRE))
    return mbarrier_error(ir, i, e, tests ? ".acquire or .relaxed" : ".release or .relaxed");
  if (!(seen & G(SEM))) i->mods |= tests ? M_ACQUIRE : mbarrier_insn_arrives(i) ? M_RELEASE : 0;
  i->mods &= ~(uint32_t)M_VOLATILE;
  return true;
}

bool mbarrier_async(const struct ir *ir, struct ir_insn *i, uint64_t seen, struct err *e) {
  const uint64_t need = G(GROUPS) | G(CPARRIVE), none = G(CPCACHE) | G(CPFROM) | G(CPL2);
  if ((seen & need) != need || i->sub != ASYNC_MBARRIER || seen & none || i->type != T_B64)
    return mbarrier_error(ir, i, e, "cp.async.mbarrier.arrive{.noinc}{.shared}.b64, or no type and no such modifier");
  i->space = seen & G(CPTO) ? SP_SHARED : SP_GENERIC;
  return true;
}

const char *mbarrier_signature(const struct ir_insn *i) {
  switch (i->sub) {
    case MBAR_INIT:
    case MBAR_EXPECT:
    case MBAR_COMPLETE: return "mb";
    case MBAR_INVAL: return "m";
    case MBAR_PENDING: return "Bt";
    case MBAR_TEST:
      if (i->cmp & MB_TRY && i->nopnd == 4) return i->cmp & MB_PARITY ? "Pmbb" : "Pmtb";
      return i->cmp & MB_PARITY ? "Pmb" : "Pmt";
    default: return i->cmp || i->nopnd == 3 ? "Dmb" : "Dm";
  }
}

static void pending_count(struct lower *l, const struct ir_insn *s) {
  const struct opnd low = {.kind = O_REG, .words = 1, .reg = lower_vreg(l, "%pending", 1)};
  struct insn *c = lower_emit(l, OP_CVT, T_U32);
  c->stype = T_U64;
  c->dst[c->ndst++] = low;
  c->src[c->nsrc++] = lower_src(l, &s->opnd[1], T_B64);
  struct insn *a = lower_emit(l, OP_AND, T_B32);
  a->dst[a->ndst++] = lower_dst(l, &s->opnd[0]);
  a->src[a->nsrc++] = low;
  a->src[a->nsrc++] = lower_imm(MBAR_COUNT, T_B32);
}

void lower_mbarrier(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  const bool copies = s->sub == ASYNC_MBARRIER;
  if (s->sub == MBAR_PENDING) {
    pending_count(l, s);
    return;
  }
  struct insn i = {.sub = copies ? MBAR_COPIES : s->sub, .cmp = s->cmp, .mods = s->mods, .vec = 1};
  const bool tests = i.sub == MBAR_TEST, result = !copies && (tests || mbarrier_insn_arrives(s));
  const struct ir_opnd *o = s->opnd;
  i.space = s->space;
  if (result) {
    if (o->kind != IO_SINK) i.dst[i.ndst++] = lower_dst(l, o);
    o++;
  }
  i.src[i.nsrc++] = lower_address(l, o, &i.offset);
  const bool more = s->nopnd > 1u + result; /* behind them try_wait may have the time that it may take: of no effect */
  if (more) i.src[i.nsrc++] = lower_src(l, o + 1, tests && !(s->cmp & MB_PARITY) ? T_B64 : T_B32);
  else if (result) i.src[i.nsrc++] = lower_imm(1, T_B32);
  struct insn *out = lower_emit(l, OP_MBARRIER, T_B64);
  i.op = out->op;
  i.type = out->type;
  i.line = out->line;
  i.col = out->col;
  i.guard = out->guard;
  *out = i;
}
