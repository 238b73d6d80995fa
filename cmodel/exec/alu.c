/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu: chooses the function for an instruction. Each family (alu_int.c, alu_float.c, ...) owns its opcodes
 * and refuses combinations that do not exist; operations on several kinds of types are dispatched by type here.
 */
#include "exec/alu_row.h"

#include "compiler/ir/traits.h"

typedef alu_fn *picker(const struct insn *i);

static alu_fn *alu_pick_arith(const struct insn *i) {
  if (i->mods & M_CC) return alu_pick_carry(i);
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

static alu_fn *alu_pick_extreme(const struct insn *i) {
  return dtype_float(i->type) ? alu_pick_minmax(i) : alu_pick_int(i);
}

static alu_fn *alu_pick_quotient(const struct insn *i) {
  if (!dtype_float(i->type)) return alu_pick_divide(i);
  return i->mods & (M_APPROX | M_FULL) ? alu_pick_approx(i) : alu_pick_float(i);
}

static alu_fn *alu_pick_remainder(const struct insn *i) { return dtype_float(i->type) ? NULL : alu_pick_divide(i); }

static alu_fn *alu_pick_root(const struct insn *i) {
  return i->mods & M_APPROX ? alu_pick_approx(i) : alu_pick_float(i);
}

static const struct {
  picker *pick;
  uint8_t sources; /* that the operation reads at least */
} ops[OP_COUNT] = {
#define OPCODE(name, ptx, unit, picker, sources, ...) [OP_##name] = {picker, sources},
#include "compiler/ir/insn.def"
#undef OPCODE
};

static bool operands_fit(const struct insn *i) {
  const bool combines = (i->op == OP_SETP || i->op == OP_SET) && i->boolop != B_NONE;
  if (i->nsrc > INSN_SRC || i->ndst > INSN_DST || i->nsrc < ops[i->op].sources + combines) return false;
  for (unsigned k = 0; k < i->nsrc; k++)
    if (i->src[k].kind == O_NONE) return false;
  return true;
}

alu_fn *alu_pick(const struct insn *i) {
  if (i->op >= OP_COUNT || !ops[i->op].pick || !operands_fit(i)) return NULL;
  if (i->type >= T_U4 && !insn_is(i, TRAIT_ELEMENTS)) return NULL; /* MMA has the elements of matrices in stype */
  return ops[i->op].pick(i);
}

bool insn_executable(const struct insn *i) { return !ops[i->op].pick || alu_pick(i); }
