/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot: pictures drawn by gnuplot from a script with inline data. gnuplot reads the script and writes the picture
 * through memory files: it gets no path, and foreign text only through plot_text. A picture replaces the old file
 * only when it is complete.
 */
#ifndef RT_REPORT_PLOT_H
#define RT_REPORT_PLOT_H

#include <stdio.h>

#include "base/err.h"

/* For the start of a long run: is gnuplot installed, and can the file or directory be written? `option` is the option
 * in question, for the message. */
bool plot_file(const char *path, const char *option, struct err *e); /* .png or .svg */
bool plot_directory(const char *dir, const char *option, struct err *e);

/* One picture, PNG or SVG by the ending of its path, whole or not at all: what is written to the FILE is the
 * script below "set terminal" and "set output". */
struct plot;
struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e);
FILE *plot_script(struct plot *p);
/* A title or label whose words may come from anywhere: an expression that stands for it in the script,
 * "given(3)". gnuplot reads the text as data, a line of its own, without markup. Good until plot_close. */
const char *plot_text(struct plot *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *plot_tic(struct plot *p, const char *text); /* the same beside an axis */
bool plot_close(struct plot *p, struct err *e);         /* draws it */

#endif
