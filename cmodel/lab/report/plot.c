/* SPDX-License-Identifier: Apache-2.0 */
/* plot: see plot.h. */
#define _GNU_SOURCE /* memfd_create */
#include "lab/report/plot.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/show.h"
#include "lab/report/picture.h"

static const struct drawer gnuplot = {"gnuplot", "gnuplot-nox"};

bool plot_directory(const char *dir, const char *option, struct err *e) {
  struct stat st;
  if (!picture_possible(&gnuplot, option, e)) return false;
  return (!stat(dir, &st) && S_ISDIR(st.st_mode) && !access(dir, W_OK)) ||
         err_at(e, dir, 0, 0, "found no directory to write in, expected one for %s", option);
}

/* ---- one picture ---- */

struct plot_box { /* of a text: its middle, its size along and across the line, how it is turned */
  double x, y, wide, high;
  int degrees;
  const char *text;
};
struct plot {
  char path[PATH_MAX];
  unsigned width, height;
  FILE *script, *texts;
  char *script_data, *texts_data;
  size_t script_size, texts_size;
  unsigned ntext, nmark;
  struct plot_box *box;
  unsigned boxes, boxes_cap;
  struct arena arena;
};

static struct {
  plot_watcher *call;
  void *ctx;
} watcher;

void plot_watch(plot_watcher *call, void *ctx) {
  watcher.call = call;
  watcher.ctx = ctx;
}

bool plot_file(const char *path, const char *option, struct err *e) { return picture_file(&gnuplot, path, option, e); }

struct plot *plot_open(const char *path, unsigned width, unsigned height, FILE **script, struct err *e) {
  struct plot *p = xcalloc(1, sizeof *p);
  if ((size_t)snprintf(p->path, sizeof p->path, "%s", path) >= sizeof p->path) {
    err_at(e, NULL, 0, 0, "found a path that is too long, expected a picture to write");
    free(p);
    return NULL;
  }
  plot_resize(p, width, height);
  p->script = open_memstream(&p->script_data, &p->script_size);
  p->texts = open_memstream(&p->texts_data, &p->texts_size);
  if (!p->script || !p->texts) no_memory(1, BUFSIZ);
  *script = p->script;
  return p;
}

void plot_resize(struct plot *p, unsigned width, unsigned height) {
  assert(width <= PLOT_WIDE);
  p->width = width;
  p->height = height;
}

FILE *plot_script(struct plot *p) { return p->script; }
unsigned plot_width(const struct plot *p) { return p->width; }
unsigned plot_height(const struct plot *p) { return p->height; }

/* Each is a line of the data block $TEXT, after a mark, so that none ends the block. */
static const char *plot_keep_text(struct plot *p, const char *text) {
  char name[32];
  fprintf(p->texts, "|%s\n", text);
  snprintf(name, sizeof name, "given(%u)", ++p->ntext);
  return arena_strndup(&p->arena, name, strlen(name));
}

/* All of it, for gnuplot; the caller's to free. */
static char *plot_whole_script(const struct plot *p, size_t *n) {
  const bool svg = picture_is_svg(p->path);
  char *text = NULL;
  FILE *f = open_memstream(&text, n);
  if (!f) no_memory(1, BUFSIZ);
  fprintf(f,
          "set terminal %s size %u,%u font 'sans,%d'%s\nset encoding utf8\nset termoption noenhanced\n"
          "W = %u.0\nH = %u.0\n$TEXT << END_OF_TEXT\n",
          svg ? "svg" : "pngcairo", p->width, p->height, PLOT_NORMAL, svg ? " background rgb 'white'" : "", p->width,
          p->height);
  fwrite(p->texts_data, 1, p->texts_size, f);
  fprintf(f, "|\nEND_OF_TEXT\ngiven(n) = substr($TEXT[n], 2, strlen($TEXT[n]))\n");
  fwrite(p->script_data, 1, p->script_size, f);
  if (fclose(f)) no_memory(1, BUFSIZ);
  return text;
}

static bool plot_run_gnuplot(const struct plot *p, const char *script, size_t n, struct err *e) {
  /* -d: the user's ~/.gnuplot and the host's gnuplotrc are not read, so a picture is of its data alone. */
  char program[] = "gnuplot", defaults[] = "-d", input[] = "-", *argv[] = {program, defaults, input, NULL};
  const int fd = memfd_create("script", MFD_CLOEXEC);
  FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
  const bool there = f && fwrite(script, 1, n, f) == n;
  bool ok = f && !fclose(f) && there && lseek(fd, 0, SEEK_SET) == 0;
  if (ok) ok = picture_draw(p->path, argv, fd, e);
  else err_at(e, p->path, 0, 0, "cannot draw: %s", strerror(errno));
  if (fd >= 0) close(fd);
  return ok;
}

bool plot_close(struct plot *p, struct err *e) {
  size_t n;
  if (fclose(p->script) || fclose(p->texts)) no_memory(1, BUFSIZ);
  char *script = plot_whole_script(p, &n);
  const bool wanted = !watcher.call || watcher.call(p, script, watcher.ctx);
  const bool ok = !wanted || plot_run_gnuplot(p, script, n, e);
  free(script);
  free(p->script_data);
  free(p->texts_data);
  free(p->box);
  arena_free(&p->arena);
  free(p);
  return ok;
}

/* ---- how long a text is ---- */

/* Hundredths of the font's size that each letter from ' ' to '~' takes in DejaVu Sans, Debian's sans. */
static const unsigned char letter_width[95] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};

/* A letter outside of ASCII counts as wide as it is high; its later bytes nothing. */
static unsigned letter_width_of(unsigned char c) {
  if (c >= ' ' && c <= '~') return letter_width[c - ' '];
  return (c & 0xc0) == 0x80 ? 0 : 100;
}

static double font_pixels(unsigned points) { return points * 4 / 3.0; } /* at the 96 pixels an inch of gnuplot */

double plot_text_width(const char *text, unsigned points, bool bold) {
  unsigned n = 0;
  for (; *text; text++) n += letter_width_of((unsigned char)*text);
  return n / 100.0 * font_pixels(points) * (bold ? 1.14 : 1);
}

double plot_text_height(unsigned points) { return font_pixels(points) * 1.1; }

char *plot_shorten(char *out, size_t size, const char *text, double wide, unsigned points) {
  snprintf(out, size, "%s", SHOWN(text));
  if (plot_text_width(out, points, false) <= wide) return out;
  size_t n = strlen(out);
  while (n && (n + 4 > size || plot_text_width(out, points, false) + plot_text_width("...", points, false) > wide)) {
    do n--;
    while (n && ((unsigned char)out[n] & 0xc0) == 0x80);
    out[n] = 0;
  }
  snprintf(out + n, size - n, "...");
  return out;
}

/* ---- texts and marks ---- */

void plot_put(struct plot *p, double x, double y, enum plot_side side, struct plot_font font, const char *fmt, ...) {
  static const char *const sides[] = {"left", "center", "right"};
  char text[1024], shown[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!show_text(shown, sizeof shown, text)[0]) return;
  fprintf(p->script, "set label %u %s at screen %.2f/W, screen 1-%.2f/H %s", ++p->nmark, plot_keep_text(p, shown), x, y,
          sides[side]);
  if (font.degrees) fprintf(p->script, " rotate by %d", font.degrees);
  /* gnuplot takes the weight for a part of the family's name in an SVG */
  fprintf(p->script, " font 'sans%s,%u'", font.bold && !picture_is_svg(p->path) ? ":Bold" : "", font.points);
  if (font.rgb) fprintf(p->script, " tc rgb '%s'", font.rgb);
  fprintf(p->script, " front\n");
  const double wide = plot_text_width(shown, font.points, font.bold), a = font.degrees * M_PI / 180;
  const double along = side == PLOT_LEFT ? wide / 2 : side == PLOT_RIGHT ? -wide / 2 : 0;
  VEC_PUSH(p->box, p->boxes, p->boxes_cap) = (struct plot_box){x + along * cos(a),
                                                               y - along * sin(a),
                                                               wide,
                                                               font_pixels(font.points) * 0.9,
                                                               font.degrees,
                                                               arena_strndup(&p->arena, shown, strlen(shown))};
}

void plot_put_box(struct plot *p, double x0, double y0, double x1, double y1, const char *rgb) {
  fprintf(p->script,
          "set object %u rectangle from screen %.2f/W, screen 1-%.2f/H to screen %.2f/W, screen 1-%.2f/H fs solid "
          "noborder fc rgb '%s' front\n",
          ++p->nmark, x0, y0, x1, y1, rgb);
}

void plot_put_line(struct plot *p, double x0, double y0, double x1, double y1, double width, int dash,
                   const char *rgb) {
  fprintf(p->script,
          "set arrow %u from screen %.2f/W, screen 1-%.2f/H to screen %.2f/W, screen 1-%.2f/H nohead lw %.1f dt %d lc "
          "rgb '%s' front\n",
          ++p->nmark, x0, y0, x1, y1, width, dash, rgb);
}

void plot_put_point(struct plot *p, double x, double y, int type, double size, const char *rgb) {
  fprintf(p->script, "set label %u '' at screen %.2f/W, screen 1-%.2f/H point pt %d ps %.2f lw 1.5 lc rgb '%s' front\n",
          ++p->nmark, x, y, type, size, rgb);
}

void plot_set_area(struct plot *p, double x0, double y0, double x1, double y1) {
  fprintf(p->script,
          "set lmargin at screen %.2f/W\nset rmargin at screen %.2f/W\nset tmargin at screen 1-%.2f/H\n"
          "set bmargin at screen 1-%.2f/H\nset format ''\nset tics scale 0\nunset key\n",
          x0, x1, y0, y1);
}

void plot_clear(struct plot *p) { fprintf(p->script, "unset label\nunset object\nunset arrow\n"); }

/* ---- texts that lie on each other ---- */

enum { CORNERS = 4 };

static void box_corners(const struct plot_box *b, double x[CORNERS], double y[CORNERS]) {
  const double a = b->degrees * M_PI / 180, c = cos(a), s = sin(a);
  for (unsigned i = 0; i < CORNERS; i++) {
    const double along = i == 0 || i == 3 ? -b->wide / 2 : b->wide / 2, across = i < 2 ? -b->high / 2 : b->high / 2;
    x[i] = b->x + along * c + across * s;
    y[i] = b->y - along * s + across * c;
  }
}

/* Some line along a side of a has all of a on one side and all of b on the other. */
static bool boxes_are_apart(const struct plot_box *a, const struct plot_box *b) {
  double ax[CORNERS], ay[CORNERS], bx[CORNERS], by[CORNERS];
  box_corners(a, ax, ay);
  box_corners(b, bx, by);
  for (unsigned turn = 0; turn < 2; turn++) {
    const double angle = a->degrees * M_PI / 180 + turn * M_PI / 2, dx = cos(angle), dy = -sin(angle);
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (unsigned i = 0; i < CORNERS; i++) {
      const double at[2] = {ax[i] * dx + ay[i] * dy, bx[i] * dx + by[i] * dy};
      for (unsigned k = 0; k < 2; k++) least[k] = fmin(least[k], at[k]), most[k] = fmax(most[k], at[k]);
    }
    if (most[0] <= least[1] || most[1] <= least[0]) return true;
  }
  return false;
}

static bool box_leaves_picture(const struct plot *p, const struct plot_box *b) {
  double x[CORNERS], y[CORNERS];
  box_corners(b, x, y);
  for (unsigned i = 0; i < CORNERS; i++)
    if (x[i] < 0 || y[i] < 0 || x[i] > p->width || y[i] > p->height) return true;
  return false;
}

bool plot_finds_overlap(const struct plot *p, char *what, size_t n) {
  for (unsigned i = 0; i < p->boxes; i++) {
    const struct plot_box *a = &p->box[i];
    if (box_leaves_picture(p, a))
      return snprintf(what, n, "'%s' at %.0f, %.0f leaves the picture of %u x %u", a->text, a->x, a->y, p->width,
                      p->height),
             true;
    for (unsigned k = 0; k < i; k++) {
      const struct plot_box *b = &p->box[k];
      if (!boxes_are_apart(a, b) && !boxes_are_apart(b, a))
        return snprintf(what, n, "'%s' lies on '%s' at %.0f, %.0f", a->text, b->text, a->x, a->y), true;
    }
  }
  return false;
}
