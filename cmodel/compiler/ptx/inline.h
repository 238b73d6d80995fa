/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline: a kernel with every call replaced by the callee's body, before all further steps.
 * Statements are not copied: each stands with the instance of the function that it came from, which renames
 * registers, labels and variables.
 *
 * A .param formal is the caller's .param variable itself: PTX gives a call its own block of them.
 */
#ifndef RT_PTX_INLINE_H
#define RT_PTX_INLINE_H

#include "compiler/ptx/ir.h"

/* Bounds over all kernels of a file together: what a small text can grow to. */
enum { MAX_INSNS = 1000000, MAX_NAMES = 4000000 };
struct flat_budget {
  uint32_t insns, names; /* left: instructions and calls; registers, labels and (8 each) variables */
};

struct flat_inst {
  const struct ir_func *f;
  uint32_t reg_base, label_base;
  struct ir_var **var; /* by ir_var.index: this instance's V_LOCAL and V_FPARAM */
};

enum place_kind { PL_REG, PL_VAR, PL_OPND };
struct place {
  uint8_t kind;
  uint32_t reg, inst; /* PL_REG: flat register; PL_OPND: whose operand */
  struct ir_var *var;
  const struct ir_opnd *opnd;
};

struct flat_move { /* arguments and return values that are registers */
  struct place dst, src;
  uint8_t type;
};

enum flat_kind { FL_INSN, FL_MOVE, FL_JUMP };
struct flat_insn {
  uint8_t kind;
  bool guard_neg;              /* FL_MOVE, FL_JUMP; FL_INSN has its own */
  uint32_t inst, guard, label; /* guard: flat register or NO_REG; label: FL_JUMP, flat */
  const struct ir_insn *i;     /* FL_INSN; else the call or return it comes from, for its place */
  const struct flat_move *move;
};

struct flat {
  struct flat_insn *insn;
  uint32_t n, cap;
  struct flat_inst *inst;
  uint32_t ninst, inst_cap;
  const struct ir_reg **reg; /* by flat register */
  uint32_t nreg, reg_cap;
  uint32_t *label; /* flat label: index into insn, n possible */
  uint32_t nlabel, label_cap;
  struct ir_var **param; /* all V_FPARAM instances */
  uint32_t nparam, param_cap;
  uint64_t local_bytes;
};

/* flat_free in every case. */
bool flat_build(struct ir *ir, struct ir_func *entry, struct flat_budget *budget, struct flat *out, struct err *e);
void flat_free(struct flat *fl);

#endif
