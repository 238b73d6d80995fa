/* SPDX-License-Identifier: Apache-2.0 */
/* heat: gnuplot's commands for maps of ratios: blue above 1, orange below, by their logarithm from a half to three times; in
 * each cell its number. */
#ifndef RT_REPORT_HEAT_H
#define RT_REPORT_HEAT_H

#include <stdio.h>

/* Where the map stands in a picture of wide x high pixels: margins left, right (for the scale, at least 130), above, below.
 * Sets margins, palette and scale. */
struct heat {
  unsigned wide, high, left, right, above, below;
};
void heat_scale(const struct heat *h, FILE *f);
/* A line of data of the cell at (x, y), whose centre that is; NaN: none. */
void heat_cell(FILE *f, double x, double y, double ratio);
/* A part of gnuplot's "plot": the cells of `data`, and the numbers in them, in this font ("": the picture's). */
void heat_draw(FILE *f, const char *data, const char *font);

#endif
