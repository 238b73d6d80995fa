/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat: maps of numbers: a cell for each row and column, its number in it. Ratios are blue above 1 and orange below, by
 * their logarithm from a half to three times; other numbers are the darker the greater.
 */
#ifndef RT_REPORT_HEAT_H
#define RT_REPORT_HEAT_H

#include "lab/report/plot.h"

struct heat_frame { /* around a cell, or a place between cells */
  double row, column;
  const char *rgb;
  double inset; /* pixels within the cell */
};
struct heat {
  unsigned rows, columns;
  const char *const *row, *const *column; /* names, foreign text */
  const double *v;                        /* [rows * columns]; NaN: none */
  bool ratio;
  const char *title, *row_title, *column_title; /* what the numbers, the rows and the columns are; NULL: not written */
  const char *note;                             /* below the title; NULL: none */
  const struct heat_frame *frame;
  unsigned frames;
};
/* Pixels that it takes at most. */
unsigned heat_width(const struct heat *h);
/* Draws it from x and y on, at most `wide` pixels; columns that do not fit continue below. Returns the first pixel below it. */
double heat_draw(struct plot *p, const struct heat *h, double x, double y, double wide);

#endif
