/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op: the timing view of an allocated kernel's instructions.
 *
 * Which unit executes what, by the rules of insn.def:
 * - f64 arithmetic, comparison, and every conversion from or to f64: DP. f64 division, roots and reciprocals:
 * DIV.
 * - f32, f16 and bf16 arithmetic and comparison: SP. Correctly rounded f32 division, root and reciprocal are
 * code sequences on hardware: DIV. The approximations, div.full with them: SFU.
 * - Integer multiplication of any width, mul24 and dot products: IMUL; integer division: DIV.
 * - Conversions between integers and floats, between float formats, and rounding to an integral value: SFU,
 * the quarter-rate unit that does them on Maxwell and Turing. Between integers: INT.
 * - mbarrier: an access of 8 bytes to shared memory: init and inval a store, test_wait a load, the others an atomic.
 * - mma: TENSOR. cp.async: the copy goes to the LSU, the rest is control.
 * - Textures, and reads and queries of surfaces: TEX. sust: LSU, as a store to global memory.
 * - Moves, packs and selections only carry bits: INT whatever the type.
 */
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/code.h"
#include "compiler/ir/mma.h"

/* The rules of insn.def: a class, or how the instruction's type decides. */
enum {
  UNIT_INT = CLS_INT,
  UNIT_SFU = CLS_SFU,
  UNIT_DIV = CLS_DIV,
  UNIT_TENSOR = CLS_TENSOR,
  UNIT_LSU = CLS_LSU,
  UNIT_CTRL = CLS_CTRL,
  UNIT_TEX = CLS_TEX,
  UNIT_ARITH = CLS_COUNT, /* integers: INT */
  UNIT_PRODUCT,           /* integers: IMUL */
  UNIT_FLOAT,             /* SP or DP */
  UNIT_COMPARED,          /* as ARITH, by the type that is compared */
  UNIT_QUOTIENT,          /* DIV; approximations of f32: SFU */
  UNIT_ROOT,              /* SFU; f64: DIV */
  UNIT_CONVERSION,
  UNIT_COPY /* the copy: LSU; the rest: CTRL */
};
static const uint8_t unit_of[OP_COUNT] = {
#define OPCODE(name, ptx, unit, ...) [OP_##name] = UNIT_##unit,
#include "compiler/ir/insn.def"
#undef OPCODE
};

static uint8_t cls_arith(uint8_t type, uint8_t integer) {
  if (type == T_F64) return CLS_DP;
  return dtype_float(type) ? CLS_SP : integer;
}

static uint8_t cls_conversion(const struct insn *i) {
  const bool to = dtype_float(i->type), from = dtype_float(i->stype);
  if (i->type == T_F64 || i->stype == T_F64) return CLS_DP;
  if (!to && !from) return CLS_INT;
  return i->type == i->stype && i->rnd == R_NONE ? CLS_SP : CLS_SFU;
}

uint8_t insn_class(const struct insn *i) {
  switch (unit_of[i->op]) {
    case UNIT_ARITH: return cls_arith(i->type, CLS_INT);
    case UNIT_COMPARED: return cls_arith(i->stype, CLS_INT);
    case UNIT_FLOAT: return cls_arith(i->type, CLS_SP);
    case UNIT_PRODUCT: return cls_arith(i->type, CLS_IMUL);
    case UNIT_QUOTIENT:
      if (i->type == T_F64 || !dtype_float(i->type)) return CLS_DIV;
      return i->mods & (M_APPROX | M_FULL) ? CLS_SFU : CLS_DIV;
    case UNIT_ROOT: return i->type == T_F64 ? CLS_DIV : CLS_SFU;
    case UNIT_CONVERSION: return cls_conversion(i);
    case UNIT_COPY: return i->sub == ASYNC_COPY ? CLS_LSU : CLS_CTRL;
    default: return unit_of[i->op];
  }
}

static uint8_t op_kind(const struct insn *i) {
  uint8_t k = 0;
  switch (i->op) {
    case OP_LD:
    case OP_TEX:
    case OP_TLD4:
    case OP_SULD:
    case OP_LDMATRIX: k = K_LOAD; break;
    case OP_CPASYNC: k = i->sub == ASYNC_COPY ? K_LOAD : 0; break;
    case OP_MBARRIER: return i->sub == MBAR_TEST ? K_LOAD : i->sub <= MBAR_INVAL ? K_STORE : K_ATOMIC;
    case OP_SUST:
    case OP_ST: k = K_STORE; break;
    case OP_ATOM: return K_ATOMIC;                      /* performed beyond the L1 in any case */
    case OP_BAR: return i->sub == BAR_WARP ? 0 : K_BAR; /* bar.warp.sync orders a warp with itself */
    case OP_BRA: return K_BRANCH;
    case OP_EXIT:
    case OP_TRAP: return K_EXIT;
    default: return 0;
  }
  if (i->mods & (M_VOLATILE | M_CG)) k |= K_BYPASS;
  if (i->mods & M_STREAM) k |= K_STREAM;
  return k;
}

static void use_register(struct op *o, uint32_t reg) { o->need[(reg & 255) >> 6] |= 1ull << (reg & 63); }

static void build_one(const struct insn *i, uint32_t index, struct op *o) {
  memset(o, 0, sizeof *o);
  o->pc = 8 * index;
  o->line = i->line;
  o->cls = insn_class(i);
  o->kind = op_kind(i);
  if (i->op == OP_LD || i->op == OP_ST || i->op == OP_ATOM || i->op == OP_SULD || i->op == OP_SUST)
    o->bytes = (uint8_t)(dtype_bytes(i->type) * (i->vec ? i->vec : 1));
  if (i->op == OP_LDMATRIX) {
    o->bytes = 16;
    o->count = (uint8_t)(8 * i->ndst);
  }
  if (i->op == OP_MBARRIER) {
    o->bytes = 8;
    if (i->sub == MBAR_COPIES) o->async = OA_ARRIVE;
    if (i->sub == MBAR_TEST) o->async = OA_TEST;
  }
  if (i->op == OP_MMA) {
    o->rate = (uint8_t)mma_rate(i);
    o->intervals = (uint8_t)mma_intervals(i);
  }
  if (i->op == OP_CPASYNC) {
    o->async = (uint8_t)(OA_COPY + i->sub);
    o->bytes = i->sub == ASYNC_COPY ? i->vec : 0;
    if (i->sub == ASYNC_WAIT) o->count = (uint8_t)(i->src[0].imm < 255 ? i->src[0].imm : 255);
  }
  const struct opnd *rd[INSN_SRC + 1], *wr[INSN_DST];
  unsigned nr = insn_reads(i, rd), nw = insn_writes(i, wr);
  for (unsigned k = 0; k < nr; k++) {
    if (rd[k]->kind == O_PRED) {
      o->pneed |= (uint16_t)(1u << (rd[k]->reg & 15));
      continue;
    }
    for (unsigned w = 0; w < rd[k]->words && o->nsrc < 6; w++) {
      if (rd[k]->last >> w & 1) o->dead |= (uint8_t)(1u << o->nsrc);
      o->src[o->nsrc++] = (uint8_t)(rd[k]->reg + w);
      use_register(o, rd[k]->reg + w);
    }
  }
  for (unsigned k = 0; k < nw; k++) {
    if (wr[k]->kind == O_PRED) {
      o->pneed |= (uint16_t)(1u << (wr[k]->reg & 15));
      o->pdst |= (uint16_t)(1u << (wr[k]->reg & 15));
      continue;
    }
    for (unsigned w = 0; w < wr[k]->words && o->ndst < 4; w++) {
      o->dst[o->ndst++] = (uint8_t)(wr[k]->reg + w);
      use_register(o, wr[k]->reg + w);
    }
  }
}

void op_build(struct module *m, struct code *c) {
  /* one cache line each: the arena aligns to 16 bytes only */
  uintptr_t p = (uintptr_t)arena_alloc(&m->arena, (size_t)c->n * sizeof(struct op) + 63);
  c->op = (struct op *)((p + 63) & ~(uintptr_t)63);
  for (uint32_t i = 0; i < c->n; i++) build_one(&c->insn[i], i, &c->op[i]);
}
