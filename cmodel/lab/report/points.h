/* SPDX-License-Identifier: Apache-2.0 */
/* points: named points of two measures, each with its name beside it, and the line through the best of them. */
#ifndef RT_REPORT_POINTS_H
#define RT_REPORT_POINTS_H

#include "lab/report/frame.h"

struct point {
  double x, y;      /* NaN: it is not drawn */
  double x_most;    /* x is from `x` to this; NaN: it is one number */
  const char *name; /* foreign text */
  const char *rgb;
  int type;   /* of the mark, gnuplot's */
  bool front; /* on the line */
};
struct points {
  const char *title, *x_title, *y_title;
  const struct point *point;
  unsigned n;
};
/* Between the picture's edges, `high` pixels for the area. Returns the first pixel below it. */
double points_draw(struct plot *p, const struct points *g, double y, double high);

#endif
