/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opmap: what the opcodes of a GPU's machine code are to the timing model: files in opcodes/, which are part of the
 * program, and files of users, which extend them (docs/use/accel-sim.md). A file is lines of words:
 *
 *   # comment
 *   versions 80 86          the values of a trace's "-binary version" that it is for; none in a user's file: all
 *   default int             class of an opcode that no file has; int without this line
 *   load-global LDG LDG.E   a class, then opcodes
 */
#ifndef RT_ACCELSIM_OPMAP_H
#define RT_ACCELSIM_OPMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* OP_CLASS(NAME, "name", class of compiler/ir/op.h, space of compiler/ir/insn.h) */
#define OP_CLASSES                                            \
  OP_CLASS(INT, "int", INT, GENERIC)                          \
  OP_CLASS(IMUL, "imul", IMUL, GENERIC)                       \
  OP_CLASS(SP, "sp", SP, GENERIC)                             \
  OP_CLASS(DP, "dp", DP, GENERIC)                             \
  OP_CLASS(DP_LISTED, "dp-listed", DP, GENERIC)               \
  OP_CLASS(SFU, "sfu", SFU, GENERIC)                          \
  OP_CLASS(DIV, "div", DIV, GENERIC)                          \
  OP_CLASS(TENSOR, "tensor", TENSOR, GENERIC)                 \
  OP_CLASS(LSU, "lsu", LSU, GENERIC)                          \
  OP_CLASS(TEXTURE, "texture", TEX, GENERIC)                  \
  OP_CLASS(TEXTURE_QUERY, "texture-query", TEX, GENERIC)      \
  OP_CLASS(SURFACE, "surface", LSU, GENERIC)                  \
  OP_CLASS(BULK, "bulk", LSU, GENERIC)                        \
  OP_CLASS(WGMMA, "wgmma", TENSOR, GENERIC)                   \
  OP_CLASS(NOP, "nop", INT, GENERIC)                          \
  OP_CLASS(FENCE, "fence", CTRL, GENERIC)                     \
  OP_CLASS(LOAD_GLOBAL, "load-global", LSU, GLOBAL)           \
  OP_CLASS(LOAD_SHARED, "load-shared", LSU, SHARED)           \
  OP_CLASS(LOAD_LOCAL, "load-local", LSU, LOCAL)              \
  OP_CLASS(LOAD_GENERIC, "load-generic", LSU, GENERIC)        \
  OP_CLASS(LOAD_CONST, "load-const", LSU, CONST)              \
  OP_CLASS(STORE_GLOBAL, "store-global", LSU, GLOBAL)         \
  OP_CLASS(STORE_SHARED, "store-shared", LSU, SHARED)         \
  OP_CLASS(STORE_LOCAL, "store-local", LSU, LOCAL)            \
  OP_CLASS(STORE_GENERIC, "store-generic", LSU, GENERIC)      \
  OP_CLASS(ATOMIC_GLOBAL, "atomic-global", LSU, GLOBAL)       \
  OP_CLASS(ATOMIC_SHARED, "atomic-shared", LSU, SHARED)       \
  OP_CLASS(ATOMIC_GENERIC, "atomic-generic", LSU, GENERIC)    \
  OP_CLASS(REDUCTION_GLOBAL, "reduction-global", LSU, GLOBAL) \
  OP_CLASS(MATRIX, "matrix", LSU, SHARED)                     \
  OP_CLASS(COPY, "copy", LSU, GLOBAL)                         \
  OP_CLASS(COPIES_END, "copies-end", CTRL, GENERIC)           \
  OP_CLASS(COPIES_WAIT, "copies-wait", CTRL, GENERIC)         \
  OP_CLASS(BRANCH, "branch", CTRL, GENERIC)                   \
  OP_CLASS(JUMP, "jump", CTRL, GENERIC)                       \
  OP_CLASS(EXIT, "exit", CTRL, GENERIC)                       \
  OP_CLASS(BARRIER, "barrier", CTRL, GENERIC)

enum op_class {
#define OP_CLASS(name, text, cls, space) OC_##name,
  OP_CLASSES
#undef OP_CLASS
      OC_COUNT
};
uint8_t op_class_unit(enum op_class c);  /* enum cls */
uint8_t op_class_space(enum op_class c); /* enum space; SP_GENERIC where there is none */
/* Has an access whose addresses count. */
static inline bool op_class_memory(enum op_class c) { return c >= OC_LOAD_GLOBAL && c <= OC_COPY; }

struct opmap_file {
  const char *name, *text;
};
extern const struct opmap_file opmap_builtin[]; /* opcodes/; ends with a NULL name */

struct opmap;
/* The map of a binary version, with that of a user's file on top (NULL: none). NULL and *e: the file is wrong, or no
 * file is for this version. */
struct opmap *opmap_open(unsigned version, const char *user, struct err *e);
/* A text alone, of any version; `file` names it in messages. */
struct opmap *opmap_text(const char *file, const char *text, size_t n, struct err *e);
void opmap_free(struct opmap *m);
/* The user's map of the environment variable REGTWIN_OPCODES; NULL: none. */
const char *opmap_user(void);
/* The class of an opcode: by its whole text, or without its last parts. False: unknown, *c is the default class. */
bool opmap_find(const struct opmap *m, const char *opcode, enum op_class *c);

#endif
