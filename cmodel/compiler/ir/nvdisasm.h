/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvdisasm: control-flow graphs of machine code in the form of CUDA's `nvdisasm -cfg`: a Graphviz digraph with a cluster per
 * function, whose nodes are records of instructions (docs/reference/intervals.md has the form). Read into a struct cfg, and written
 * from an allocated kernel.
 *
 * Machine code does not say how many registers an operand of 64 or 128 bits takes: only the one that is named counts.
 */
#ifndef RT_IR_NVDISASM_H
#define RT_IR_NVDISASM_H

#include "base/arena.h"
#include "compiler/ir/cfg.h"

/* Of a file: bytes; and functions, ports, blocks, instructions, edges, so that none takes much more memory than its text. */
enum { SASS_MOST_BYTES = 64 << 20, SASS_MOST = 1 << 20 };

struct sass {
  struct cfg g;
  struct arena arena; /* names and texts */
};

/* False and *e: it cannot be read, or is malformed; *s needs no freeing then. */
bool sass_read(const char *path, struct sass *s, struct err *e);
bool sass_parse(const char *file, const char *text, size_t n, struct sass *s, struct err *e);
void sass_free(struct sass *s);

/* One file with a function for each kernel. Operands of two registers name both, so that reading it gives the same
 * registers for each instruction, and the same blocks. */
void sass_write(const struct code *const *kernel, uint32_t n, FILE *f);

/* ---- for the files nvdisasm_*.c ---- */

/* One instruction (compiler/ir/nvdisasm_insn.c). */
struct sass_insn {
  regset regs, far; /* as struct cfg has them */
  bool call;        /* CAL, JCAL, CALL */
  bool closes;      /* what follows is not reached from here: BRA, EXIT, RET, BRK without a condition */
};
struct sass_wrong {
  size_t at; /* in the text */
  const char *expected;
};
/* Text without its semicolon: "@!P0 IADD R1.CC, R2, c[0x0][0x10]". */
bool sass_insn_parse(const char *s, size_t n, struct sass_insn *i, struct sass_wrong *wrong);

/* Tokens of Graphviz's language (compiler/ir/nvdisasm_graphviz.c). */
enum dot_kind { DOT_END, DOT_NAME, DOT_QUOTED, DOT_ARROW, DOT_MARK };
struct dot_token {
  enum dot_kind kind;
  size_t at, n; /* of its text; of a quoted one without the quotes, escapes as they are */
};
struct dot {
  const char *file, *text;
  size_t n, next; /* next: behind the current token */
  struct dot_token tok;
  size_t place_at, place_start; /* a place that was asked for last: its line's begin */
  int place_line;
  struct err *e;
};
void dot_begin(struct dot *d, const char *file, const char *text, size_t n, struct err *e);
bool dot_next(struct dot *d); /* false and *e: no token */
bool dot_is(const struct dot *d, char mark);
bool dot_word(const struct dot *d, const char *word); /* a name, not quoted, in any case of letters */
/* Line and column of a byte; in ascending order it costs one pass over the text. */
void dot_place(struct dot *d, size_t at, int *line, int *col);
bool dot_error(struct dot *d, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4))); /* false */
bool dot_unexpected(struct dot *d, const char *expected); /* false: the current token, what was expected */

#endif
