/* SPDX-License-Identifier: Apache-2.0 */
/* grid: plain rows of cells, each column as wide as its widest cell; for lists. */
#ifndef RT_REPORT_GRID_H
#define RT_REPORT_GRID_H

#include <stdio.h>

struct grid;
struct grid *grid_new(void);
void grid_free(struct grid *g);
void grid_row(struct grid *g);                                                              /* a new row */
void grid_cell(struct grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* the next of it */
void grid_put_heads(struct grid *g, const char *const *head, unsigned n);                   /* a row of them */
void grid_right(struct grid *g, unsigned first, unsigned last); /* these columns are numbers */
/* The last cell of each row is a text: it is broken so that no line passes column `width`, and goes on under its beginning. */
void grid_wrap(struct grid *g, unsigned width);
void grid_print(const struct grid *g, FILE *f);

#endif
