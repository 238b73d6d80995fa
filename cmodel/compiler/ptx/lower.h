/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower: a flat kernel to struct code: operands to virtual registers and normalised immediates, pseudo operations
 * (cvta, isspacep, brx.idx, ret) to real ones. lower_mem.c does loads, stores, atomics and .param variables.
 *
 * Virtual registers come into being when first named, in order of appearance.
 */
#ifndef RT_PTX_LOWER_H
#define RT_PTX_LOWER_H

#include "compiler/ir/code.h"
#include "compiler/ptx/inline.h"

/* Kernel `number` (from 1) of the file. Module variables have their addresses. */
bool lower_kernel(struct ir *ir, const struct flat *fl, const struct ir_func *entry, uint32_t number, struct module *m,
                  struct code *out, struct err *e);

/* A kernel's parameters, in the module's arena, and their bytes in all. */
struct param *lower_formals(struct module *m, const struct ir_func *f, uint32_t *bytes);

/* ---- shared by lower.c and lower_mem.c ---- */

struct lower {
  struct ir *ir;
  struct module *m;
  const struct flat *fl;
  struct code *out;
  struct err *e;
  struct insn *insn;
  uint32_t n, cap;
  struct vreg *vreg;
  uint32_t nvreg, vreg_cap;
  uint32_t *of;                /* flat register to virtual register, or NO_REG */
  uint32_t lane_row, lane_col; /* lane / 4 and lane % 4 for wmma's fragments, or NO_REG */
  uint32_t cc;                 /* the carry flag's virtual register, or NO_REG */
  struct {
    uint32_t insn, label;
  } * fix; /* branches to flat labels */
  uint32_t nfix, fix_cap;
  const struct flat_insn *at; /* being lowered: guard, place */
  const struct flat_inst *inst;
  uint64_t local_bytes;
  bool full; /* too many instructions: reported by lower_kernel */
};

struct insn *lower_emit(struct lower *l, uint8_t op, uint8_t type); /* guarded as the statement; valid until the next */
uint32_t lower_vreg(struct lower *l, const char *name, unsigned words);
struct opnd lower_reg(struct lower *l, uint32_t flat_reg, bool neg);
struct opnd lower_imm(uint64_t bits, uint8_t type);
struct opnd lower_src(struct lower *l, const struct ir_opnd *o, uint8_t type);
/* Element k of a vector; of another operand itself. */
static inline const struct ir_opnd *ir_opnd_piece(const struct ir_opnd *o, unsigned k) {
  return o->kind == IO_VEC ? &o->elem[k] : o;
}
struct opnd lower_dst(struct lower *l, const struct ir_opnd *o);
/* An address constant of the variable in its own space; false: it has none. */
bool lower_symbol(struct lower *l, const struct ir_opnd *o, uint64_t *addr);

bool lower_memory(struct lower *l); /* LD ST ATOM PREFETCH */
struct opnd lower_address(struct lower *l, const struct ir_opnd *o, int64_t *offset);
void lower_mma(struct lower *l); /* lower_tensor.c, with the next two */
void lower_ldmatrix(struct lower *l);
void lower_wmma(struct lower *l);       /* lower_wmma.c */
void lower_wmma_lanes(struct lower *l); /* at the beginning of a kernel that loads or stores fragments */
void lower_cp_async(struct lower *l);
void lower_mbarrier(struct lower *l); /* mbarrier.c; of cp.async.mbarrier.arrive, too */
bool lower_texture(struct lower *l);  /* lower_texture.c */
void lower_video(struct lower *l);    /* video.c */
bool lower_move(struct lower *l, const struct flat_move *m);
bool lower_params(struct lower *l); /* which .param variables are registers, which memory */

#endif
