/* SPDX-License-Identifier: Apache-2.0 */
/* points: named points of two measures, each with its name beside it, and a staircase that bounds what the best of them beat. */
#ifndef RT_REPORT_POINTS_H
#define RT_REPORT_POINTS_H

#include "lab/report/frame.h"

struct point {
  double x, y;      /* NaN: it is not drawn */
  double x_most;    /* x is from `x` to this; NaN: it is one number */
  const char *name; /* foreign text */
  const char *rgb;
  int type;   /* of the mark, gnuplot's */
  bool front; /* a corner of the staircase */
};
struct points {
  const char *title, *x_title, *y_title;
  const struct point *point;
  unsigned n;
  bool x_more, y_less; /* which ends of the axes are better; neither: less of x, more of y */
  const char *missing; /* before the names of the points that have no place, below the area; NULL: they are not named */
};
/* Between the picture's edges, `high` pixels for the area. Returns the first pixel below it. */
double points_draw(struct plot *p, const struct points *g, double y, double high);

#endif
