/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figure: sheets as a picture. How it is drawn follows from its numbers, by the rules of docs/develop/pictures.md: bars in
 * as many rows as they need, lying bars where names are long and few, a map above eight columns, an axis for each unit.
 */
#ifndef RT_REPORT_FIGURE_H
#define RT_REPORT_FIGURE_H

#include "base/err.h"
#include "lab/report/sheet.h"

enum figure_kind {
  FIGURE_BARS,  /* numbers */
  FIGURE_RATIO, /* numbers relative to 1; a column that is 1 in every row is drawn as a line */
  FIGURE_PART,  /* parts of a whole: their axis is never logarithmic */
  FIGURE_STACK, /* parts of each row, on top of each other */
  FIGURE_RANGE, /* the first three columns are mean, least and most; a mark for each further one */
  FIGURE_LINES, /* lines over the rows, whose names are numbers */
  FIGURE_MAP    /* ratios in a map, however few */
};
enum { FIGURE_SERIES = 8 }; /* more of them become a map */

/* One unit: what it is, and the columns that have it. */
struct figure_axis {
  const struct sheet *sheet; /* which table the columns are of */
  enum figure_kind kind;
  char title[256];
  unsigned bases; /* ratios: how many systems they are relative to; 0: columns that are 1 in every row are these */
  char base[128]; /* its name, if it is one */
  double most;    /* numbers of this and above are "this or more"; 0: none */
  unsigned *column, columns;
};
struct figure {
  char title[320], about[320]; /* the experiment; machine and size */
  char drawn[64];              /* which of its tables these are; "": all */
  const struct sheet *sheet;   /* of the axes that are added next */
  struct figure_axis *axis;
  unsigned axes, axes_cap;
};

/* Adds an axis for n columns of f->sheet, in the order of colours_order; NULL: for all. The new axis. */
struct figure_axis *figure_add_axis(struct figure *f, enum figure_kind kind, double most, const char *title,
                                    const unsigned *column, unsigned n);
void figure_free(struct figure *f);
bool figure_draw(const struct figure *f, const char *path, struct err *e);

#endif
