/* SPDX-License-Identifier: Apache-2.0 */
/* experiment_picture: findings as a picture: which table, in which units, relative to what. How it looks is lab/report/figure.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/experiment.h"
#include "lab/report/colour.h"
#include "lab/report/figure.h"
#include "lab/report/lying.h"

/* Lines AXIS and AXIS_OF: which tables are drawn, and in which units; without such a line the first one is. */
static const struct {
  const char *id;
  unsigned table; /* the first is 1 */
  enum figure_kind kind;
  double most;
  const char *title, *columns;
  const char *file;
  unsigned line;
} axes[] = {
#define AXIS(id, kind, most, title, columns) {id, 1, FIGURE_##kind, most, title, columns, __FILE__, __LINE__},
#define AXIS_OF(id, table, kind, most, title, columns) \
  {id, table, FIGURE_##kind, most, title, columns, __FILE__, __LINE__},
#include "gen/systems/experiments.def"
    {.id = NULL}};
enum { MOST_COLUMNS = 128, MOST_BASES = 3 };
/* without the last line, so that the list may be empty */
static const unsigned naxes = sizeof axes / sizeof *axes - 1;

bool experiment_axes_check(struct err *e) {
  for (unsigned i = 0; i < naxes; i++) {
    unsigned k = 0;
    while (k < nexperiments && strcmp(experiments[k].id, axes[i].id) != 0) k++;
    if (k == nexperiments)
      return err_at(e, axes[i].file, (int)axes[i].line, 0,
                    "found experiment '%s', expected the id of a line EXPERIMENT", axes[i].id);
  }
  return true;
}

/* ---- which columns have which unit ---- */

static int sheet_find_column(const struct sheet *s, const char *name, size_t n) {
  for (unsigned c = 0; c < s->columns; c++)
    if (strlen(s->column[c]) == n && !strncmp(s->column[c], name, n)) return (int)c;
  return -1;
}

/* The columns of an AXIS line, "a|b"; "": all. False and *e: the table has none of that name. */
static bool axis_read_columns(const struct sheet *s, unsigned line, unsigned column[MOST_COLUMNS], unsigned *n,
                              struct err *e) {
  *n = 0;
  for (const char *p = axes[line].columns; *p; p += strcspn(p, "|"), p += *p == '|') {
    const size_t length = strcspn(p, "|");
    const int c = sheet_find_column(s, p, length);
    if (c < 0 || *n == MOST_COLUMNS)
      return err_at(e, axes[line].file, (int)axes[line].line, 0,
                    "found the column '%.*s', expected one of table %u of %s", (int)length, p, axes[line].table,
                    axes[line].id);
    column[(*n)++] = (unsigned)c;
  }
  return true;
}

/* ---- systems side by side ---- */

/* What the columns are relative to: up to MOST_BASES labels, each once; more: MOST_BASES + 1. Those that are relative to
 * themselves do not count. */
static unsigned bases_of(const struct experiment *x, const struct sheet *s, const char *base[MOST_BASES]) {
  unsigned n = 0;
  for (unsigned c = 0; c < s->columns; c++) {
    const char *b = experiment_base_of(x, s->column[c]);
    unsigned k = 0;
    if (!b || !strcmp(b, s->column[c])) continue;
    while (k < n && strcmp(base[k], b) != 0) k++;
    if (k < n) continue;
    if (n == MOST_BASES) return MOST_BASES + 1;
    base[n++] = b;
  }
  return n;
}

/* Columns relative to different systems are of different units: an axis for each base. */
static void figure_add_bases(struct figure *out, const struct experiment *x, const char *const *base, unsigned n,
                             const char *label) {
  const struct sheet *s = out->sheet;
  for (unsigned k = 0; k < n; k++) {
    unsigned column[MOST_COLUMNS], columns = 0;
    char title[256];
    for (unsigned c = 0; c < s->columns && c < MOST_COLUMNS; c++) {
      const char *b = experiment_base_of(x, s->column[c]);
      if (b && !strcmp(b, base[k]) && strcmp(b, s->column[c]) != 0) column[columns++] = c;
    }
    snprintf(title, sizeof title, "%.100s, relative to %.100s", label, base[k]);
    struct figure_axis *a = figure_add_axis(out, FIGURE_RATIO, 0, title, column, columns);
    snprintf(a->base, sizeof a->base, "%.127s", base[k]);
    a->bases = 1;
  }
}

/* The columns of ratios but those that are relative to themselves: they are 1 because of that, others by chance. */
static unsigned columns_with_base(const struct experiment *x, const struct sheet *s, unsigned column[MOST_COLUMNS]) {
  unsigned n = 0;
  for (unsigned c = 0; c < s->columns && n < MOST_COLUMNS; c++) {
    const char *b = experiment_base_of(x, s->column[c]);
    if (!b || strcmp(b, s->column[c]) != 0) column[n++] = c;
  }
  return n;
}

/* An axis of ratios to n systems, with the columns that have one of these bases. */
static void figure_add_ratios(struct figure *out, const struct experiment *x, enum figure_kind kind, const char *title,
                              const char *const *base, unsigned n) {
  unsigned column[MOST_COLUMNS];
  const unsigned columns = columns_with_base(x, out->sheet, column);
  struct figure_axis *a = figure_add_axis(out, kind, 0, title, column, columns);
  snprintf(a->base, sizeof a->base, "%.127s", base[0]);
  a->bases = n;
}

/* The axes that lines AXIS give, with a bit in *drawn for each table; none: the experiment has no such line. */
static bool figure_take_axes(struct figure *out, const struct findings *f, unsigned *drawn, struct err *e) {
  for (unsigned i = 0; i < naxes; i++) {
    unsigned column[MOST_COLUMNS], n;
    const char *base[MOST_BASES];
    if (strcmp(axes[i].id, f->experiment->id) != 0) continue;
    if (!axes[i].table || axes[i].table > f->nsheet)
      return err_at(e, axes[i].file, (int)axes[i].line, 0, "found table %u, expected one of the %u of %s",
                    axes[i].table, f->nsheet, axes[i].id);
    out->sheet = &f->sheet[axes[i].table - 1];
    *drawn |= 1u << (axes[i].table - 1);
    if (!axis_read_columns(out->sheet, i, column, &n, e)) return false;
    const char *title = axes[i].title[0] ? axes[i].title : out->sheet->title;
    const bool ratios = axes[i].kind == FIGURE_RATIO || axes[i].kind == FIGURE_MAP;
    const unsigned bases = ratios && !n ? bases_of(f->experiment, out->sheet, base) : 0;
    if (bases) figure_add_ratios(out, f->experiment, axes[i].kind, title, base, bases);
    else figure_add_axis(out, axes[i].kind, axes[i].most, title, n ? column : NULL, n);
  }
  return true;
}

/* The first table of an experiment that compares systems. */
static void figure_add_systems(struct figure *out, const struct experiment *x) {
  const struct sheet *s = out->sheet;
  const char *base[MOST_BASES];
  const struct measure *measure;
  const bool ratio = experiment_shows_ratio(x, &measure);
  const unsigned bases = ratio ? bases_of(x, s, base) : 0;
  if (bases > 1 && bases <= MOST_BASES && s->columns <= FIGURE_SERIES + 1)
    figure_add_bases(out, x, base, bases, measure->label);
  else if (bases) figure_add_ratios(out, x, bases > MOST_BASES ? FIGURE_MAP : FIGURE_RATIO, s->title, base, bases);
  else figure_add_axis(out, ratio ? FIGURE_RATIO : FIGURE_BARS, 0, s->title, NULL, 0);
}

/* ---- the picture ---- */

static void findings_title(const struct findings *f, char *title, size_t n) {
  snprintf(title, n, "%.16s: %.180s (%.60s)", f->experiment->id, f->experiment->title, f->experiment->where);
}

static void findings_about(const struct findings *f, char *about, size_t n) {
  snprintf(about, n, "%s of %.60s, size %s", f->sms, f->machine, f->size);
  if (!f->experiment->kernels[0]) about[0] = 0;
}

/* Which of the tables are drawn; nothing where all are. */
static void findings_list_drawn(const struct findings *f, unsigned drawn, char *text, size_t n) {
  unsigned tables = 0;
  char list[40] = "";
  for (unsigned k = 0; k < f->nsheet; k++) {
    const size_t at = strlen(list);
    if (drawn >> k & 1) snprintf(list + at, sizeof list - at, "%s%u", tables++ ? ", " : "", k + 1);
  }
  if (tables < f->nsheet) snprintf(text, n, "drawn: table%s %s of %u", tables == 1 ? "" : "s", list, f->nsheet);
}

/* The first table as lying bars. */
static double tornado_put_parts(struct plot *p, const struct sheet *s, double y, double wide) {
  enum { BAR = 14 };
  const char **name = xcalloc(s->rows + s->columns, sizeof *name), **column = name + s->rows;
  char(*rgb)[COLOUR_TEXT] = xcalloc(s->columns, sizeof *rgb),
  (*text)[CELL] = xcalloc(s->rows * s->columns, sizeof *text);
  struct lying_bar *bar = xcalloc(s->rows * s->columns, sizeof *bar);
  struct frame_key *key = xcalloc(s->columns, sizeof *key);
  double most = 0;
  unsigned bars = 0;
  for (unsigned c = 0; c < s->columns; c++) column[c] = s->system[c][0] ? s->system[c] : s->column[c];
  colours_assign(column, s->columns, rgb);
  for (unsigned c = 0; c < s->columns; c++) key[c] = (struct frame_key){s->column[c], rgb[c], FRAME_BOX, 0};
  for (unsigned r = 0; r < s->rows; r++) {
    name[r] = s->row[r].name;
    for (unsigned c = 0; c < s->columns; c++) {
      const double v = s->row[r].v[c], lane = (c - (s->columns - 1) / 2.0) * BAR;
      if (isnan(v)) continue;
      snprintf(text[bars], sizeof *text, "%.*f", (int)s->decimals, v);
      bar[bars] = (struct lying_bar){r, lane, 0, v, rgb[c], text[bars]};
      most = fmax(most, v), bars++;
    }
  }
  const struct lying l = {name, s->rows, bars, (s->columns + 0.7) * BAR, 0.9 * BAR, bar, frame_scale_to(most * 1.05),
                          0,    NAN,     NULL};
  y = frame_put_lines(p, FRAME_EDGE, y + 4, wide, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL}, s->title);
  y = frame_put_key(p, FRAME_EDGE, y + 2, wide, key, s->columns);
  y = lying_draw(p, &l, FRAME_EDGE, y + 4, wide);
  free(name), free(rgb), free(text), free(bar), free(key);
  return y;
}

/* Bars from the number with half of a constant to that with twice of it, the widest on top; above them the first table. */
static bool tornado_plot(const struct findings *f, const char *path, struct err *e) {
  enum { WIDE = 940, ROW = 26, BAR = 20 };
  static const char *const rgb[2] = {"#999999", "#0072b2"};
  const struct sheet *s = f->tornado;
  const unsigned rows = s->rows - 1; /* the last one has the number itself */
  const double at = s->row[rows].v[0];
  const char **name = xcalloc(s->rows, sizeof *name);
  struct lying_bar *bar = xcalloc(2 * s->rows, sizeof *bar);
  double least = at, most = at, y;
  char title[320], about[320];
  FILE *script;
  for (unsigned i = 0; i < rows; i++) {
    name[i] = s->row[i].name;
    for (unsigned c = 0; c < 2; c++) {
      bar[2 * i + c] = (struct lying_bar){i, 0, at, s->row[i].v[c], rgb[c], ""};
      least = fmin(least, s->row[i].v[c]), most = fmax(most, s->row[i].v[c]);
    }
  }
  struct plot *p = plot_open(path, WIDE, WIDE, &script, e);
  if (p) {
    const struct frame_key key[] = {{s->column[0], rgb[0], FRAME_BOX, 0},
                                    {s->column[1], rgb[1], FRAME_BOX, 0},
                                    {s->row[rows].name, "#000000", FRAME_LINE, 0}};
    const struct lying l = {name, rows, 2 * rows, ROW, BAR, bar, frame_scale_points(least, most), 0, at, NULL};
    fprintf(script, "set multiplot\n");
    findings_title(f, title, sizeof title), findings_about(f, about, sizeof about);
    y = frame_put_head(p, title, about);
    if (s != &f->sheet[0]) y = tornado_put_parts(p, &f->sheet[0], y, WIDE - 2 * FRAME_EDGE);
    y = frame_put_lines(p, FRAME_EDGE, y + 4, WIDE - 2 * FRAME_EDGE, PLOT_LEFT,
                        (struct plot_font){PLOT_NORMAL, true, 0, NULL}, s->title);
    y = frame_put_key(p, FRAME_EDGE, y + 2, WIDE - 2 * FRAME_EDGE, key, sizeof key / sizeof *key);
    y = lying_draw(p, &l, FRAME_EDGE, y + 4, WIDE - 2 * FRAME_EDGE);
    fprintf(script, "unset multiplot\n");
    plot_resize(p, WIDE, (unsigned)ceil(y) + 4);
  }
  free(name), free(bar);
  return p && plot_close(p, e);
}

bool findings_plot(const struct findings *f, const char *path, struct err *e) {
  const struct experiment *x = f->experiment;
  struct figure figure = {.sheet = &f->sheet[0]};
  if (f->tornado) return tornado_plot(f, path, e);
  findings_title(f, figure.title, sizeof figure.title);
  findings_about(f, figure.about, sizeof figure.about);
  if (f->nview) {
    snprintf(figure.about + strlen(figure.about), sizeof figure.about - strlen(figure.about), ", geometric means");
    return map_views_plot(f->view, f->nview, figure.title, figure.about, path, e);
  }
  unsigned drawn = 0;
  bool ok = figure_take_axes(&figure, f, &drawn, e);
  findings_list_drawn(f, drawn ? drawn : 1, figure.drawn, sizeof figure.drawn);
  if (ok && !figure.axes && experiment_base_of(x, figure.sheet->column[0])) figure_add_systems(&figure, x);
  else if (ok && !figure.axes) figure_add_axis(&figure, FIGURE_BARS, 0, figure.sheet->title, NULL, 0);
  ok = ok && figure_draw(&figure, path, e);
  figure_free(&figure);
  return ok;
}
