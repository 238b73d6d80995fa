/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture: PNG and SVG files drawn by another program, gnuplot (lab/report/plot.h) or Graphviz's dot. The program reads its
 * input and writes the picture through memory files: it gets no path. A picture replaces the old file only when it is
 * complete.
 */
#ifndef RT_REPORT_PICTURE_H
#define RT_REPORT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct drawer {
  const char *program, *package; /* Debian's */
};

/* For the start of a long run: is the program installed, and can the file be written? `option` is the option in question,
 * for the message. */
bool picture_possible(const struct drawer *d, const char *option, struct err *e);
bool picture_file(const struct drawer *d, const char *path, const char *option, struct err *e); /* .png or .svg */
bool picture_is_svg(const char *path);

/* Runs argv, which reads the file `input` from its beginning and writes the picture to its standard output. */
bool picture_draw(const char *path, char *const argv[], int input, struct err *e);

/* The same of a graph in Graphviz's language, n bytes, by dot. */
bool picture_digraph_file(const char *path, const char *option, struct err *e);
bool picture_digraph(const char *path, const char *text, size_t n, struct err *e);

#endif
