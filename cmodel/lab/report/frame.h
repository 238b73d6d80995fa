/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame: what surrounds the marks of a picture: title, key, axes. A picture is drawn from the top to the bottom: each
 * function takes the pixel at which it begins, and those that take room return the first pixel below it.
 */
#ifndef RT_REPORT_FRAME_H
#define RT_REPORT_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "lab/report/plot.h"

enum { FRAME_EDGE = 10 }; /* pixels that stay empty at the edges */

/* Lines of words, none longer than `wide` pixels; from x on, or with their middles at x. */
double frame_put_lines(struct plot *p, double x, double y, double wide, enum plot_side side, struct plot_font font,
                       const char *text);
/* The title of a picture, and below it what it is about: machine, size, kernels. NULL or "": none. */
double frame_put_head(struct plot *p, const char *title, const char *about);

enum frame_mark { FRAME_BOX, FRAME_FRAME, FRAME_LINE, FRAME_DASHES, FRAME_RANGE, FRAME_POINT };
struct frame_key { /* of marks that are in the picture: no entry without a mark */
  const char *name, *rgb;
  enum frame_mark mark;
  int type; /* of a point, gnuplot's */
};
/* Entries side by side, in as many lines as they need between x and x + wide. */
double frame_put_key(struct plot *p, double x, double y, double wide, const struct frame_key *key, unsigned n);

/* ---- axes ---- */

enum { FRAME_TICS = 16 };
struct frame_scale {
  double least, most; /* at its ends */
  double foot;        /* where bars begin */
  bool log;
  bool zeros, small; /* some numbers that have no place on a logarithmic axis are 0; are above it, but too small */
  double tic[FRAME_TICS];
  unsigned tics, decimals;
};
enum frame_numbers { FRAME_PLAIN, FRAME_RATIOS, FRAME_PARTS }; /* parts of a whole; ratios to what is 1 */
/* An axis for bars of these numbers (NaN: none). It is logarithmic where one bar hides the rest: where half of the
 * numbers above zero are below an eighth of the greatest; never for parts of a whole, nor for numbers of 1 at most. */
struct frame_scale frame_scale_bars(const double *v, unsigned n, enum frame_numbers numbers);
/* From 0 to this number; from one number to another, whatever they are. */
struct frame_scale frame_scale_to(double most);
struct frame_scale frame_scale_between(double least, double most);
/* One for points or lines: from zero on if the least is at most half of the most. */
struct frame_scale frame_scale_points(double least, double most);
/* The place of a number between the ends, 0 to 1. */
double frame_place(const struct frame_scale *s, double v);
void frame_number(char *out, size_t n, const struct frame_scale *s, double v);
/* Pixels that the numbers beside a vertical axis take. */
double frame_numbers_width(const struct frame_scale *s);

struct frame_area { /* pixels */
  double x0, y0, x1, y1;
};
/* Sets the area of the next "plot", its ranges and grid, and writes the numbers beside the axes; x NULL: the caller's
 * range [from:to], without numbers. */
void frame_put_axes(struct plot *p, const struct frame_area *a, const struct frame_scale *x, double from, double to,
                    const struct frame_scale *y);

#endif
