/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu: all operations on registers and predicates, 32 lanes at a time. exec/warp.c resolves operands to rows and
 * calls the function that alu_pick chose once per static instruction.
 *
 * A row is 32 lanes of uint32_t, 128 bytes, 64-byte aligned. An operand of two words is two rows, one after the other
 * (low words first). A function computes all 32 lanes (inactive lanes hold arbitrary bits and must not trap or be
 * slow); the caller merges. dst rows may be rows of a source: load all sources before the first store.
 */
#ifndef RT_EXEC_ALU_H
#define RT_EXEC_ALU_H

#include "compiler/ir/insn.h"

struct alu_io {
  uint32_t *dst[INSN_DST];       /* rows; a scratch row when the destination is O_NONE */
  const uint32_t *src[INSN_SRC]; /* rows of register, immediate, constant-bank and special-register operands */
  uint32_t psrc[INSN_SRC];       /* predicate sources as lane masks, already inverted where the operand says so */
  uint32_t pdst[INSN_DST];       /* predicate results, all 32 lanes */
  uint32_t lanes;                /* lanes that are on: for SHFL, VOTE, MATCH, REDUX, ACTIVEMASK */
};

typedef void alu_fn(const struct insn *i, struct alu_io *io);

/* The function for a computing instruction, by op x type x modifiers; NULL: this combination does not exist in PTX or
 * is not supported. LD ST ATOM BAR BRA EXIT TRAP MEMBAR PREFETCH NOP are not handled here and give NULL. */
alu_fn *alu_pick(const struct insn *i);

/* One atomic operation on a memory cell; returns the new value. type: u32 s32 b32 u64 s64 b64 f32 f64 f16 f16x2 bf16
 * bf16x2 b16. */
uint64_t alu_atomic(uint8_t sub, uint8_t type, uint64_t old, uint64_t a, uint64_t b);

#endif
