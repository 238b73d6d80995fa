/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signature: which kernels a program has, and the kind of each of their parameters. NVPTX does not write address spaces
 * for an OpenCL kernel of this target, so they are read from clang's LLVM IR, and kept as comments in the PTX text:
 *
 *   //regtwin kernel NAME PARAMETERS X Y Z HX HY HZ              reqd_work_group_size, work_group_size_hint (0: none)
 *   //regtwin parameter SPACE ACCESS QUALIFIERS TYPE|NAME        as below; for each parameter of it
 *
 * For PTX of other origin, the .ptr attribute of a parameter gives its space.
 */
#ifndef RT_OPENCL_SIGNATURE_H
#define RT_OPENCL_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ARG_ANY: 64 bits in PTX that does not say: a value, a buffer or local memory, as the program sets it. */
enum arg_space { ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER, ARG_ANY, ARG_SPACES };
enum access { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH, ACCESSES };
enum { QUALIFIER_CONST = 1, QUALIFIER_RESTRICT = 2, QUALIFIER_VOLATILE = 4 };

struct parameter {
  enum arg_space space;
  enum access access;
  unsigned qualifiers;
  char *type, *name; /* NULL: not known */
};
struct signature {
  char *name;
  struct parameter *parameter;
  unsigned n;
  uint32_t required[3], hint[3]; /* 0: not given */
};
struct signatures {
  struct signature *kernel;
  unsigned n, cap;
};

/* Text of `n` bytes, with a zero behind them. What cannot be read is left out; false: no memory. Free *out in either case. */
bool signatures_of_ir(struct signatures *out, const char *text, size_t n);
bool signatures_of_ptx(struct signatures *out, const char *text, size_t n);
/* The comments, from malloc; NULL: no memory. */
char *signatures_comments(const struct signatures *s);
void signatures_free(struct signatures *s);
const struct signature *signature_find(const struct signatures *s, const char *name); /* NULL: none */

#endif
