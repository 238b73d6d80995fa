/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot: pictures drawn by gnuplot from a script with inline data. gnuplot reads the script and writes the picture
 * through memory files: it gets no path, and foreign text only through plot_put, as data, a line of its own, without
 * markup. A picture replaces the old file only when it is complete. Places are in pixels from the upper left corner;
 * docs/develop/pictures.md has the rules that all pictures keep.
 */
#ifndef RT_REPORT_PLOT_H
#define RT_REPORT_PLOT_H

#include <stdio.h>

#include "base/err.h"

enum { PLOT_WIDE = 1000 }; /* pixels: no picture is wider */

/* For the start of a long run: is gnuplot installed, and can the file or directory be written? `option` is the option
 * in question, for the message. */
bool plot_file(const char *path, const char *option, struct err *e); /* .png or .svg */
bool plot_directory(const char *dir, const char *option, struct err *e);

/* One picture, PNG or SVG by the ending of its path, whole or not at all: what is written to the FILE is the
 * script below "set terminal" and "set output". */
struct plot;
struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e);
FILE *plot_script(struct plot *p);
void plot_resize(struct plot *p, unsigned width,
                 unsigned height);              /* at any time before plot_close; PLOT_WIDE at most */
bool plot_close(struct plot *p, struct err *e); /* draws it */

/* ---- texts and marks at places of the picture, drawn with the next "plot" of the script ---- */

enum plot_side { PLOT_LEFT, PLOT_MIDDLE, PLOT_RIGHT }; /* the text begins, has its middle, or ends at x */
struct plot_font {
  unsigned points;
  bool bold;
  int degrees;     /* turned anticlockwise */
  const char *rgb; /* "#rrggbb"; NULL: black */
};
enum { PLOT_TITLE = 12, PLOT_NORMAL = 10, PLOT_SMALL = 9, PLOT_CELL = 8 }; /* points of fonts */
enum { PLOT_LINE_HIGH = 18 };                                              /* pixels of a line of normal text */

/* Pixels that a text is long, and a font is high. */
double plot_text_width(const char *text, unsigned points, bool bold);
double plot_text_height(unsigned points);
/* The text, or as much of it as fits into so many pixels, with "..." behind it. Returns out. */
char *plot_shorten(char *out, size_t size, const char *text, double wide, unsigned points);
/* Half of its height above y, half below. */
void plot_put(struct plot *p, double x, double y, enum plot_side side, struct plot_font font, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void plot_put_box(struct plot *p, double x0, double y0, double x1, double y1, const char *rgb);
void plot_put_line(struct plot *p, double x0, double y0, double x1, double y1, double width, int dash, const char *rgb);
void plot_put_point(struct plot *p, double x, double y, int type, double size, const char *rgb); /* gnuplot's types */
/* The area of the next "plot": its axes, without texts of gnuplot's own. */
void plot_set_area(struct plot *p, double x0, double y0, double x1, double y1);
/* Texts and marks so far do not stand on the next "plot" again. */
void plot_clear(struct plot *p);

/* ---- for tests ---- */

/* The first text that lies on another one or leaves the picture, into `what`; false: there is none. */
bool plot_finds_overlap(const struct plot *p, char *what, size_t n);
unsigned plot_width(const struct plot *p);
unsigned plot_height(const struct plot *p);
/* Called by plot_close with the whole script; false: the picture is not drawn. NULL: nobody is. */
typedef bool plot_watcher(const struct plot *p, const char *script, void *ctx);
void plot_watch(plot_watcher *watcher, void *ctx);

#endif
