/* SPDX-License-Identifier: Apache-2.0 */
/*
 * widths: the file that says how many bits each float of a program keeps, of one quality or several:
 * traces/kernels/KERNEL/KERNEL.widths, written by `regtwin tune` (lab/campaign/tune.h). YAML:
 *
 *   format: 2
 *   hash: 3d33f129a968048e            FNV-1a of the bytes of the program: other bytes, other registers
 *   ptx: ssao.ptx                     its file
 *   perfect:                          or high, ssim X, deviation X %: what all inputs had to reach
 *     command: regtwin tune ssao ...  makes this table anew
 *     reached: [small seed 16 - ssim 1.000000, ...]   the inputs, and their results' quality
 *     entries:
 *       blur:                         an .entry; webs (compiler/ir/code.h) that are not named keep 32 bits
 *         "%f7": 16
 *         "%f9.2": 12
 *   high: {narrows: nothing, command: regtwin tune ssao ...}   in place of reached and entries: all floats keep 32 bits
 */
#ifndef RT_RUN_WIDTHS_H
#define RT_RUN_WIDTHS_H

#include <stdio.h>

#include "base/arena.h"
#include "compiler/ir/code.h"

struct width {
  const char *entry, *web; /* web "": the entry itself */
  uint8_t nibbles;         /* 2..8 */
  int line, col;
};
struct width_table { /* of one quality */
  const char *quality, *command;
  const char **reached;
  uint32_t nreached, creached;
  struct width *width; /* by entry, then web */
  uint32_t n, cap;
};
struct widths {
  const char *file, *ptx;
  uint64_t hash;
  int ptx_line, ptx_col, hash_line, hash_col; /* 0: not read from a file */
  struct width_table *table;
  uint32_t ntable, ctable;
  const struct width_table *of; /* the table that holds; NULL: all floats keep 32 bits */
  struct arena arena;           /* of the texts that were read */
};

/* The widths file of a program beside a launch file: the launch file's folder, the PTX file's name. */
void widths_path(char *buf, size_t size, const char *launch_file, const char *ptx);
/* Reads a file's text, by itself; w->of is the table of this quality, NULL if it has none. quality NULL: its first.
 * *w may be freed after an error, too. */
bool widths_text(struct widths *w, const char *file, const char *text, size_t n, const char *quality, struct err *e);
/* Reads a file; its PTX must be the module's, its entries the module's. */
bool widths_read(struct widths *w, const char *path, const struct module *m, const char *quality, struct err *e);
/* Of packed code: every web that the file names, in whichever table, must be a float of it. */
bool widths_fit(const struct widths *w, const struct code *c, struct err *e);
/* The name of the module's PTX file, and the hash of its bytes. */
const char *widths_ptx(const struct module *m);
bool widths_hash(const struct module *m, uint64_t *hash, struct err *e);
/* Tables perfect, high, then the others; widths in the order in which they are: an entry (web "") stands before its webs. */
void widths_write(const struct widths *w, FILE *f);
/* For `regtwin analyze`: packed code, and of each float that an instruction writes the format it is rounded to. */
void widths_print(const struct widths *w, const struct code *c, FILE *f);
void widths_free(struct widths *w);

#endif
