/* SPDX-License-Identifier: Apache-2.0 */
/* sass: names of Ampere's machine code for our instructions, for those who read traces by opcode. Private to trace/accelsim/. */
#ifndef RT_ACCELSIM_SASS_H
#define RT_ACCELSIM_SASS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/ir/code.h"

enum { SASS_NAME = 64, SASS_BINARY = 80 };
/* The opcode of a copy that reads nothing, which is written as a store of zeros to shared memory. */
void sass_zeros_name(const char *copy, char buf[SASS_NAME]);
/* What a line of a trace says of an instruction: its opcode, the first register of the destination (-1: none) and of at
 * most four sources, as Accel-Sim reads. 255 stands for an address that is no register. */
enum { SASS_SRC = 4 };
struct sass_line {
  char name[SASS_NAME];
  unsigned char src[SASS_SRC];
  unsigned nsrc, dropped; /* dropped: registers that the instruction names and the line does not list */
  int dst;
};

/* The lines of each instruction of a kernel: [first[k], first[k + 1]) of instruction k. There are several of a division, in a trace
 * of our own: the instructions that a compiler writes for it (division.def). */
struct sass_listing {
  struct sass_line *line;
  uint32_t *first;
  uint32_t regs; /* registers of a thread, temporaries of divisions included */
};
/* text: the opcodes of an imported trace, or NULL. */
struct sass_listing sass_list(const struct code *c, const char *const *text);
void sass_list_free(struct sass_listing *l);
/* How many lines an executed instruction has: a division that no lane executes has one. */
static inline uint32_t sass_lines(const struct sass_listing *l, uint32_t op, uint32_t lanes) {
  return lanes ? l->first[op + 1] - l->first[op] : 1;
}

#endif
