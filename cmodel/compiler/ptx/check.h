/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: decodes one statement (operation x types x modifiers, rules.def) and checks its operands: count, kinds,
 * register width and class against the type, address spaces, modifiers that the operation or type does not take.
 */
#ifndef RT_PTX_CHECK_H
#define RT_PTX_CHECK_H

#include "compiler/ptx/ir.h"

enum {
  OP_CVTA = OP_COUNT,
  OP_CALL,
  OP_RET,
  OP_BRX,
  OP_ISSPACEP,
  OP_WMMA,
  OP_ISTYPEP
}; /* beyond enum opcode: lower.c ends them */
enum form {
  FORM_MMA,
  FORM_WMMA,
  FORM_LDMATRIX,
  FORM_CP,
  FORM_ALU,
  FORM_MOV,
  FORM_LD,
  FORM_ST,
  FORM_ATOM,
  FORM_PREFETCH,
  FORM_TEX,
  FORM_VIDEO,
  FORM_BRA,
  FORM_BRX,
  FORM_CALL
};

struct rule {
  const char *name;
  uint8_t op, form;
  uint32_t t0, t1;       /* sets of enum dtype */
  uint64_t groups, need; /* sets of enum group */
  const char *sig;
  uint32_t t2; /* a third type */
};

/* Values of modifiers that no instruction has: lowering ends or refuses them. */
enum { TEX_MULTISAMPLE = GEOM_COUNT, TEX_GRADIENT = TEX_LEVEL + 1, TXQ_FORCE_UNNORMALIZED = TXQ_MEMORY_LAYOUT + 1 };

/* NULL: no such operation; *refused: its feature, if PTX has it and we do not support it. */
const struct rule *rule_named(const char *s, size_t n, const char **refused);
/* The rule after r if its name is r's, a dot and this modifier, as cvt.pack; else NULL. */
const struct rule *rule_longer(const struct rule *r, const char *modifier, size_t n);
/* The first rule of r's name, from r on, that has this as its first type; NULL: none. *all: the first types of them. */
const struct rule *rule_of_type(const struct rule *r, uint8_t type, uint32_t *all);
/* Decodes the modifiers into i; i->rule, text, place are set. */
bool check_mods(const struct ir *ir, struct ir_insn *i, const struct ir_mod *mod, unsigned nmod, struct err *e);
/* Then the operands. */
bool check_opnds(const struct ir *ir, const struct ir_func *f, struct ir_insn *i, struct err *e);
/* One letter per operand; see rules.def. For FORM_ALU. */
const char *check_signature(const struct ir_insn *i);
/* mbarrier and cp.async.mbarrier.arrive (mbarrier.c): whether the modifiers, of the groups `seen`, fit together; letters as
 * of check_signature. */
bool mbarrier_mods(const struct ir *ir, struct ir_insn *i, uint64_t seen, struct err *e);
bool mbarrier_async(const struct ir *ir, struct ir_insn *i, uint64_t seen, struct err *e);
const char *mbarrier_signature(const struct ir_insn *i);
bool check_packed_type(const char *s, size_t n); /* a type of PTX that no register of ours has */
enum dtype wide_type(const struct ir_insn *i);   /* i->type, or twice as wide under .wide */

#endif
