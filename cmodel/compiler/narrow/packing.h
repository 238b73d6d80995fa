/* SPDX-License-Identifier: Apache-2.0 */
/* packing: from virtual registers to slices of physical ones (the slices paper, section 4), in place of regalloc. */
#ifndef RT_NARROW_PACKING_H
#define RT_NARROW_PACKING_H

#include "compiler/narrow/ranges.h"

/* Widths of floats, by web (lab/run/widths.c reads them from a file). 8: not narrowed. */
struct widths;
unsigned widths_of(const struct widths *w, const char *kernel, const char *web);

struct narrowing {
  bool ints;
  const struct launch_facts *facts; /* NULL: nothing is known of launches */
  const struct widths *floats;      /* NULL: floats stay as they are */
  bool split;                       /* an operand may lie in two physical registers */
};
/* Replaces alloc_kernel: the same steps up to copy coalescing, then webs, widths and slices (compiler/regalloc/webs.c,
 * pack.c); sets c->packing; nreg is the number of architectural registers. False and *e: 255 of them do not suffice. */
bool pack_kernel(struct module *m, struct code *c, const struct narrowing *how, struct err *e);

/* Computes packing.overlap from the table and c->op, and adds it to op.need: an unused result may still be pending
 * when another register in the same slices is written; that write must wait, as for a result to its own register. */
void packing_overlaps(struct module *m, struct code *c);

/* Prints packed code (compiler/narrow/packing_text.c): the table, and each operand's place. */
void analyze_slices(const struct code *c, FILE *f);

#endif
