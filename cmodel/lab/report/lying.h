/* SPDX-License-Identifier: Apache-2.0 */
/* lying: bars from left to right, the names of their rows beside them, a number after each. */
#ifndef RT_REPORT_LYING_H
#define RT_REPORT_LYING_H

#include "lab/report/frame.h"

struct lying_bar {
  unsigned row;
  double lane; /* its middle below that of the row, in pixels */
  double from, to;
  const char *rgb, *text; /* text: beside it; "": none */
};
struct lying {
  const char *const *name; /* of each row, foreign text */
  unsigned rows, bars;
  double row_high, bar_high; /* pixels */
  const struct lying_bar *bar;
  struct frame_scale scale;
  double names;     /* pixels that names take at least */
  double line;      /* a line at this number; NaN: none */
  const char *axis; /* what the numbers are; NULL: not written */
};
/* Pixels that the names of rows take. */
double lying_names_width(const char *const *name, unsigned rows);
/* Between x and x + wide. Returns the first pixel below it. */
double lying_draw(struct plot *p, const struct lying *l, double x, double y, double wide);

#endif
