/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chart: pictures as SVG within a page of HTML (lab/report/html.h), for reports that need no other program. All names may be
 * foreign text. Colours are "#rrggbb", as lab/report/colour.h gives them; dots differ in shape as well. NaN: there is no number.
 * The same input gives the same bytes.
 */
#ifndef RT_REPORT_CHART_H
#define RT_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

struct chart_dot {
  double at;
  const char *name;
  bool hollow;
};
struct chart_bar {               /* a bar, and dots over it */
  const char *name, *rgb, *note; /* note: beside its number; "" */
  double value;
  const struct chart_dot *dot;
  unsigned dots;
};
struct chart_bars {
  const char *title, *axis; /* title: what it shows, for those who do not see it; axis: what the numbers are */
  unsigned decimals, n;
  double line; /* a line at this number; NaN: none */
  const struct chart_bar *bar;
};
/* Bars from left to right, one below the other. A dot beyond three times the longest bar is an arrow at the edge. */
void chart_bars(FILE *f, const struct chart_bars *c);

enum { CHART_PARTS = 16 };
struct chart_stack_bar {
  const char *name;
  double part[CHART_PARTS]; /* in percent of 100 */
};
struct chart_stack {
  const char *title, *axis;
  const char *const *part; /* names of the parts */
  unsigned parts, n;       /* at most CHART_PARTS */
  const struct chart_stack_bar *bar;
};
/* Each bar is 100 % long and divided into the parts; the parts' colours are the chart's own. */
void chart_stack(FILE *f, const struct chart_stack *c);

struct chart_tick {
  double at;
  const char *text;
};
struct chart_axis {
  const char *label;
  double least, most;            /* at its ends */
  const struct chart_tick *tick; /* NULL: round numbers */
  unsigned ticks;
};
struct chart_point {
  double x, y;
  const char *name; /* shown where the pointer stands; "" */
  bool hollow;
};
struct chart_series {
  const char *name, *rgb;
  const struct chart_point *point; /* with lines: ascending in x */
  unsigned n;
};
struct chart_xy {
  const char *title;
  struct chart_axis x, y;
  bool lines;
  double line; /* a line at this y; NaN: none */
  const struct chart_series *series;
  unsigned n;
};
/* Points, or lines with points on them, and beside them what each series is. */
void chart_xy(FILE *f, const struct chart_xy *c);
/* The end of an axis that shows numbers from 0 to `most`: the next round one. */
double chart_end(double most);
/* The ends of an axis for numbers from `least` to `most`, both at least 0: round ones around them, from 0 on if the least is at
 * most half of the most. */
void chart_ends(double *least, double *most);

/* For charts of a file of their own: the ends of a picture, and the ticks of an axis: round numbers, at most CHART_TICKS; returns how many. */
enum { CHART_TICKS = 16 };
void chart_open(FILE *f, const char *title, unsigned wide, unsigned high);
void chart_close(FILE *f);
unsigned chart_place_ticks(double least, double most, unsigned wanted, double at[CHART_TICKS], unsigned *decimals);

#endif
