/* SPDX-License-Identifier: Apache-2.0 */
/* plot: pictures drawn by gnuplot from a script that holds its own data. */
#ifndef RT_REPORT_PLOT_H
#define RT_REPORT_PLOT_H

#include <stdio.h>

#include "base/err.h"

/* Asked before a long run: is gnuplot there, and a file or a directory to draw to? `option` is what asked for
 * it, for the message. */
bool plot_file(const char *path, const char *option, struct err *e); /* .png or .svg */
bool plot_directory(const char *dir, const char *option, struct err *e);
/* Runs gnuplot on a script that lies in a file. */
bool plot_draw(const char *script, struct err *e);

/* One picture, PNG or SVG by the ending of its path, whole or not at all: what is written to the FILE is the
 * script below "set terminal" and "set output". */
struct plot;
struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e);
bool plot_close(struct plot *p, struct err *e); /* draws it */

#endif
