/* SPDX-License-Identifier: Apache-2.0 */
/* sass: names of Ampere's machine code for our instructions, for those who read traces by opcode. Private to traceg/. */
#ifndef RT_TRACEG_SASS_H
#define RT_TRACEG_SASS_H

#include <stddef.h>

#include "ir/code.h"

enum { SASS_NAME = 64, SASS_BINARY = 80 };
/* The nearest opcode, of the class that ampere.map has for it, which is that of the instruction. */
void sass_name(const struct insn *i, char buf[SASS_NAME]);
/* export.c: the opcode that a line has: an imported trace's own text, else sass_name; and that of a copy which reads nothing,
 * which is written as a store of zeros to shared memory. */
void traceg_name(const struct insn *i, const char *text, char buf[SASS_NAME]);
void traceg_zeros_name(const char *copy, char buf[SASS_NAME]);
/* Registers that a line of a trace lists: the first one of the destination, of each source at most `most`. 255 stands for an
 * address that is no register. Returns how many others the instruction names, which are not listed. */
unsigned sass_registers(const struct insn *i, int *dst, unsigned char *src, unsigned *nsrc, unsigned most);

#endif
