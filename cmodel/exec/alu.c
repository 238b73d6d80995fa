/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu: chooses the function for an instruction. Each family (alu_int.c, alu_float.c, ...) owns its opcodes
 * and refuses combinations that do not exist; operations on several kinds of types are dispatched by type here.
 */
#include "exec/alu_row.h"

static alu_fn *pick_arith(const struct insn *i) {
  const bool chain = i->mods & M_CC || i->op == OP_ADDC || i->op == OP_SUBC || i->op == OP_MADC;
  if (chain) return alu_pick_carry(i);
  switch (i->type) {
    case T_F32:
    case T_F64: return alu_pick_float(i);
    case T_F16:
    case T_F16X2:
    case T_BF16:
    case T_BF16X2: return alu_pick_half(i);
    default: return alu_pick_int(i);
  }
}

/* Sources an operation reads at least. */
static unsigned sources(const struct insn *i) {
  switch (i->op) {
    case OP_ACTIVEMASK: return 0;
    case OP_MOV:
    case OP_UNPACK:
    case OP_ABS:
    case OP_NEG:
    case OP_NOT:
    case OP_CNOT:
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
    case OP_BREV:
    case OP_RCP:
    case OP_SQRT:
    case OP_RSQRT:
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH:
    case OP_TESTP:
    case OP_CVT:
    case OP_VOTE:
    case OP_MATCH:
    case OP_MOVMATRIX:
    case OP_REDUX: return 1;
    case OP_PACK:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MUL24:
    case OP_DIV:
    case OP_REM:
    case OP_MIN:
    case OP_MAX:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_SHL:
    case OP_SHR:
    case OP_SZEXT:
    case OP_BMSK:
    case OP_COPYSIGN: return 2;
    case OP_SETP:
    case OP_SET: return i->boolop == B_NONE ? 2 : 3;
    case OP_BFI:
    case OP_LOP3:
    case OP_MADC: return 4;
    default: return 3;
  }
}
static bool operands_fit(const struct insn *i) {
  if (i->nsrc > INSN_SRC || i->ndst > INSN_DST || i->nsrc < sources(i)) return false;
  for (unsigned k = 0; k < i->nsrc; k++)
    if (i->src[k].kind == O_NONE) return false;
  return true;
}

alu_fn *alu_pick(const struct insn *i) {
  if (i->type >= T_U4) return NULL; /* elements of matrices: MMA has them in stype, nothing else at all */
  if (!operands_fit(i)) return NULL;
  switch (i->op) {
    case OP_MOV:
    case OP_PACK:
    case OP_UNPACK:
    case OP_COPYSIGN: return alu_pick_move(i);
    case OP_SELP:
    case OP_SLCT: return alu_pick_select(i);
    case OP_ADD:
    case OP_SUB:
    case OP_ADDC:
    case OP_SUBC:
    case OP_MUL:
    case OP_MAD:
    case OP_MADC:
    case OP_MUL24:
    case OP_MAD24:
    case OP_SAD:
    case OP_ABS:
    case OP_NEG:
    case OP_FMA:
    case OP_DP4A:
    case OP_DP2A: return pick_arith(i);
    case OP_MIN:
    case OP_MAX: return dtype_float(i->type) ? alu_pick_minmax(i) : alu_pick_int(i);
    case OP_DIV:
    case OP_REM:
      if (!dtype_float(i->type)) return alu_pick_divide(i);
      if (i->op == OP_REM) return NULL;
      return i->mods & (M_APPROX | M_FULL) ? alu_pick_approx(i) : alu_pick_float(i);
    case OP_RCP:
    case OP_SQRT: return i->mods & M_APPROX ? alu_pick_approx(i) : alu_pick_float(i);
    case OP_RSQRT:
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH: return alu_pick_approx(i);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_CNOT:
    case OP_SHL:
    case OP_SHR:
    case OP_SHF:
    case OP_LOP3:
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
    case OP_BREV: return alu_pick_bits(i);
    case OP_BFE:
    case OP_BFI:
    case OP_SZEXT:
    case OP_BMSK:
    case OP_FNS:
    case OP_PRMT: return alu_pick_field(i);
    case OP_TESTP:
    case OP_SETP:
    case OP_SET: return alu_pick_compare(i);
    case OP_CVT: return alu_pick_convert(i);
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_ACTIVEMASK: return alu_pick_warp(i);
    case OP_MMA: return alu_pick_mma(i);
    case OP_MOVMATRIX: return alu_pick_movmatrix(i);
    default: return NULL;
  }
}
