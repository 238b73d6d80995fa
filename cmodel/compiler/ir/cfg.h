/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfg: control flow of allocated code, wherever it comes from: a kernel of ours (cfg_of_code) or a file of nvdisasm
 * (compiler/ir/nvdisasm.h). Functions, their basic blocks in layout order, and the 32-bit registers that each instruction names.
 * Predicates, zero registers and constants are no registers. Register-intervals (compiler/ir/interval.h) are formed on it.
 *
 * Invariants: blocks of a function are consecutive, and so are the instructions of its blocks; an edge stays in its
 * function and is listed once; a call is a block of its own.
 */
#ifndef RT_IR_CFG_H
#define RT_IR_CFG_H

#include <stdio.h>

#include "base/bits.h"
#include "compiler/ir/code.h"

typedef uint64_t regset[4]; /* bit r: register r */

struct cfg_insn {
  uint32_t pc;        /* byte address in its function */
  uint32_t line, col; /* in the file */
  const char *text;   /* NULL: cfg_text prints an instruction of cfg.code */
};

struct cfg_block {
  uint32_t first, end;  /* instructions [first, end); there may be none */
  uint32_t succ, nsucc; /* blocks cfg.succ[succ] ... */
  bool call;            /* one instruction, a call: its own interval */
  const char *name;     /* label; NULL: B and its number in the function */
};

struct cfg_func {
  const char *name;
  uint32_t first, end, entry; /* blocks [first, end) */
  uint32_t insn_bytes;        /* 8, or 16: size of an instruction */
};

struct cfg {
  const char *file;
  struct cfg_func *func;
  struct cfg_block *block;
  uint32_t *succ;
  struct cfg_insn *insn;
  regset *regs; /* per instruction: read or written */
  regset *far;  /* per instruction: written by a load from global or local memory, or by an atomic on global memory */
  uint32_t nfunc, nblock, nsucc, n;
  const struct code *code; /* NULL: a file */
};

/* Its results come late: from global or local memory. A generic address may be global. */
bool insn_far(const struct insn *i);
/* One function, the allocated kernel c, which must outlive *g. */
void cfg_of_code(const struct code *c, struct cfg *g);
void cfg_free(struct cfg *g); /* of cfg_of_code */

void cfg_text(const struct cfg *g, uint32_t insn, char *buf, size_t size);
void cfg_block_name(const struct cfg *g, uint32_t block, char *buf, size_t size);
uint32_t cfg_func_of(const struct cfg *g, uint32_t block);
/* Blocks of the function that its entry reaches: per block of the whole graph, 1. */
void cfg_reach(const struct cfg *g, const struct cfg_func *f, uint8_t *reached);

static inline uint32_t regset_count(const regset s) {
  uint32_t n = 0;
  for (unsigned k = 0; k < 4; k++) n += (uint32_t)__builtin_popcountll(s[k]);
  return n;
}
/* Adds the 32-bit registers of an operand, if it is one. */
static inline void regset_add(regset to, const struct opnd *o) {
  for (unsigned w = 0; o->kind == O_REG && w < o->words; w++) set_add(to, o->reg + w);
}
static inline bool regset_empty(const regset s) { return !(s[0] | s[1] | s[2] | s[3]); }
static inline void regset_join(regset to, const regset from) {
  for (unsigned k = 0; k < 4; k++) to[k] |= from[k];
}
static inline bool regset_meets(const regset a, const regset b) {
  return ((a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3])) != 0;
}
/* |a + b| <= most */
static inline bool regset_fits(const regset a, const regset b, uint32_t most) {
  uint32_t n = 0;
  for (unsigned k = 0; k < 4; k++) n += (uint32_t)__builtin_popcountll(a[k] | b[k]);
  return n <= most;
}
void regset_print(const regset s, char *buf, size_t size); /* "R0-R5 R8" */

#endif
