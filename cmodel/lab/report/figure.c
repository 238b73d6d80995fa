/* SPDX-License-Identifier: Apache-2.0 */
/* figure: see figure.h. */
#include "lab/report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "lab/report/colour.h"
#include "lab/report/frame.h"
#include "lab/report/heat.h"
#include "lab/report/lying.h"

/* Pixels. */
enum {
  LEAST_WIDE = 700,
  PANEL_HIGH = 220,
  ROW_HIGH = 170, /* of a row of bars, where there are several */
  BAR_LEAST = 5,
  BAR_LIKED = 16,
  GROUP_LEAST = 20, /* for a turned name */
  NAME_MOST = 220,
  LYING_BAR = 15,
  LYING_NAME_MOST = 330, /* as in lying.c */
  LYING_MOST = 480,      /* bars lie where they take no more than this */
  TURNED = 45
};
#define SIN_TURNED 0.7072

/* ---- the axes ---- */

static const char *figure_system_of(const struct sheet *s, unsigned c) {
  return s->system[c][0] ? s->system[c] : s->column[c];
}

struct figure_axis *figure_add_axis(struct figure *f, enum figure_kind kind, double most, const char *title,
                                    const unsigned *column, unsigned n) {
  const struct sheet *s = f->sheet;
  if (!column) n = s->columns;
  struct figure_axis a = {.sheet = s, .kind = kind, .most = most, .columns = n, .column = xcalloc(n, sizeof *a.column)};
  const char **name = xcalloc(n, sizeof *name);
  unsigned *order = xcalloc(n, sizeof *order);
  snprintf(a.title, sizeof a.title, "%s", title);
  for (unsigned i = 0; i < n; i++) name[i] = figure_system_of(s, column ? column[i] : i);
  colours_order(name, n, order);
  for (unsigned i = 0; i < n; i++) a.column[i] = column ? column[order[i]] : order[i];
  free(name), free(order);
  VEC_PUSH(f->axis, f->axes, f->axes_cap) = a;
  return &f->axis[f->axes - 1];
}

void figure_free(struct figure *f) {
  for (unsigned i = 0; i < f->axes; i++) free(f->axis[i].column);
  free(f->axis);
}

/* All rows of means in these n sheets are geometric ones. */
static bool figure_means_are_geometric(const struct sheet *s, unsigned n) {
  unsigned means = 0, geometric = 0;
  for (unsigned i = 0; i < n; i++)
    for (unsigned r = 0; r < s[i].rows; r++) {
      means += sheet_is_mean(s[i].row[r].name);
      geometric += sheet_is_mean(s[i].row[r].name) && s[i].row[r].name[0] == 'g';
    }
  return means && means == geometric;
}

/* What is drawn of an axis: its columns but those without a number and, of ratios, those that are 1 everywhere. */
struct part {
  const struct figure_axis *a;
  const struct sheet *s;
  bool geometric; /* all means of the picture are, and the line above it says so */
  unsigned *column, n, bases, opens;
  const char *base; /* the name of the first of them */
  char (*rgb)[COLOUR_TEXT];
  struct frame_scale scale;
  double names; /* of lying bars: pixels for their names, the same in all axes */
};

/* Means of one kind are called so in the line above the picture. */
static const char *part_row_name(const struct part *x, unsigned r) {
  static const char geometric[] = "geometric ";
  const char *name = x->s->row[r].alias[0] ? x->s->row[r].alias : x->s->row[r].name;
  return x->geometric && sheet_is_mean(name) ? name + sizeof geometric - 1 : name;
}
static double part_number(const struct part *x, unsigned r, unsigned i) { return x->s->row[r].v[x->column[i]]; }
static bool part_is_open(const struct part *x, double v) { return x->a->most > 0 && v >= x->a->most; }

static bool part_is_ratio(const struct figure_axis *a) { return a->kind == FIGURE_RATIO || a->kind == FIGURE_MAP; }

static bool column_is_empty(const struct sheet *s, unsigned c) {
  for (unsigned r = 0; r < s->rows; r++)
    if (!isnan(s->row[r].v[c])) return false;
  return true;
}

static bool column_is_one(const struct sheet *s, unsigned c) {
  for (unsigned r = 0; r < s->rows; r++)
    if (!isnan(s->row[r].v[c]) && s->row[r].v[c] != 1) return false;
  return true;
}

/* The sum of a stack; 100 where the parts of a whole are rounded to a little more. */
static double stack_top(const struct part *x, double sum) {
  return sum > 100 && sum < 100 + x->n * 0.5 / pow(10, x->s->decimals) ? 100 : sum;
}

static struct frame_scale part_scale(const struct part *x) {
  const enum frame_numbers numbers = part_is_ratio(x->a)                                       ? FRAME_RATIOS
                                     : x->a->kind == FIGURE_PART || x->a->kind == FIGURE_RANGE ? FRAME_PARTS
                                                                                               : FRAME_PLAIN;
  double *v = xcalloc((size_t)x->s->rows * x->n + 1, sizeof *v);
  unsigned n = 0;
  for (unsigned r = 0; r < x->s->rows; r++) {
    double sum = 0;
    for (unsigned i = 0; i < x->n; i++)
      if (x->a->kind == FIGURE_STACK) sum += isnan(part_number(x, r, i)) ? 0 : part_number(x, r, i);
      else v[n++] = part_number(x, r, i);
    if (x->a->kind == FIGURE_STACK) v[n++] = stack_top(x, sum);
  }
  const struct frame_scale s = frame_scale_bars(v, n, x->a->kind == FIGURE_STACK ? FRAME_PARTS : numbers);
  free(v);
  return s;
}

/* Chooses the columns that are drawn, and the scale. */
static void part_open(struct part *x, const struct sheet *s, const struct figure_axis *a, bool geometric) {
  *x = (struct part){.a = a, .s = s, .geometric = geometric};
  x->column = xcalloc(a->columns + 1, sizeof *x->column);
  x->rgb = xcalloc(a->columns + 1, sizeof *x->rgb);
  for (unsigned i = 0; i < a->columns; i++) {
    const unsigned c = a->column[i];
    if (column_is_empty(x->s, c)) continue;
    if (part_is_ratio(a) && !a->bases && column_is_one(x->s, c)) {
      if (!x->bases++) x->base = x->s->column[c];
      continue;
    }
    x->column[x->n++] = c;
  }
  if (!x->n && x->bases) { /* there is nothing else to draw */
    for (unsigned i = 0; i < a->columns; i++)
      if (!column_is_empty(x->s, a->column[i])) x->column[x->n++] = a->column[i];
    x->bases = 0;
    x->base = NULL;
  }
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned r = 0; r < x->s->rows; r++) x->opens += part_is_open(x, part_number(x, r, i));
  if (a->bases) x->base = a->base, x->bases = a->bases;
  x->scale = part_scale(x);
  if (x->opens && !x->scale.log) x->scale = frame_scale_to(a->most);
}

static void part_close(struct part *x) { free(x->column), free(x->rgb); }

static bool part_has_systems(const struct part *x) {
  for (unsigned i = 0; i < x->n; i++)
    if (x->s->system[x->column[i]][0]) return true;
  return false;
}

/* The column's place among n pairs of a column's name and its system; n: it is not among them. */
static unsigned columns_find_pair(const char *const *label, const char *const *name, unsigned n, const struct sheet *s,
                                  unsigned c) {
  unsigned i = 0;
  while (i < n && (strcmp(label[i], s->column[c]) != 0 || strcmp(name[i], figure_system_of(s, c)) != 0)) i++;
  return i;
}

/* The colours of parts first to end - 1: one for each column, the same in each part that has the column. */
static void parts_colour(struct part *x, unsigned first, unsigned end) {
  unsigned most = 0, n = 0;
  for (unsigned k = first; k < end; k++) most += x[k].n;
  const char **name = xcalloc(most + 1, sizeof *name), **label = xcalloc(most + 1, sizeof *label);
  char(*rgb)[COLOUR_TEXT] = xcalloc(most + 1, sizeof *rgb);
  for (unsigned k = first; k < end; k++)
    for (unsigned i = 0; i < x[k].n; i++) {
      const unsigned c = x[k].column[i];
      if (columns_find_pair(label, name, n, x[k].s, c) < n) continue;
      label[n] = x[k].s->column[c];
      name[n++] = figure_system_of(x[k].s, c);
    }
  colours_assign(name, n, rgb);
  for (unsigned k = first; k < end; k++)
    for (unsigned i = 0; i < x[k].n; i++)
      memcpy(x[k].rgb[i], rgb[columns_find_pair(label, name, n, x[k].s, x[k].column[i])], COLOUR_TEXT);
  free(name), free(label), free(rgb);
}

static int part_rgb(const struct part *x, unsigned i) { return (int)strtol(x->rgb[i] + 1, NULL, 16); }

/* ---- which picture ---- */

enum shape { UPRIGHT, LYING, ONE_ROW, LINES, HEAT };

static double row_name_width(const struct part *x, unsigned r, double most) {
  char text[256];
  return plot_text_width(plot_shorten(text, sizeof text, part_row_name(x, r), most, PLOT_SMALL), PLOT_SMALL, false);
}

static double widest_row_name(const struct part *x, double most) {
  double wide = 0;
  for (unsigned r = 0; r < x->s->rows; r++) wide = fmax(wide, row_name_width(x, r, most));
  return wide;
}

static bool part_has_bars(const struct part *x) {
  return x->a->kind == FIGURE_BARS || x->a->kind == FIGURE_RATIO || x->a->kind == FIGURE_PART;
}

/* Bars of a group and the space beside them, in bars. */
static double part_slots(const struct part *x) {
  return part_has_bars(x) ? x->n + 1.5 : x->a->kind == FIGURE_RANGE ? 2.5 : 1.5;
}

static enum shape part_shape(const struct part *x) {
  if (x->s->rows == 1 && part_has_bars(x)) return ONE_ROW;
  if (x->n > FIGURE_SERIES || x->a->kind == FIGURE_MAP) return HEAT;
  if (x->a->kind == FIGURE_LINES) return LINES;
  const double long_name = widest_row_name(x, LYING_NAME_MOST), high = x->s->rows * (x->n + 0.7) * LYING_BAR;
  return part_has_bars(x) && long_name + 8 > BAR_LIKED * part_slots(x) && high <= LYING_MOST && x->s->rows <= 12
             ? LYING
             : UPRIGHT;
}

/* ---- what all of them have ---- */

/* The title of the axis, and its key: of the columns, of what is 1, of numbers that go on. */
static double part_put_title(struct plot *p, const struct part *x, double y, bool columns) {
  const double wide = plot_width(p) - 2 * FRAME_EDGE;
  struct frame_key *key = xcalloc(x->n + 2, sizeof *key);
  char title[400], text[3][160], without[48] = "";
  unsigned n = 0;
  if (x->scale.log && x->scale.small) snprintf(without, sizeof without, ", no bar: below %g", x->scale.least);
  else if (x->scale.log && x->scale.zeros) snprintf(without, sizeof without, ", no bar: 0");
  snprintf(title, sizeof title, "%s%s%s", x->a->title, x->scale.log ? "; logarithmic axis" : "", without);
  y = frame_put_lines(p, FRAME_EDGE, y + 4, wide, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL}, title);
  if (x->a->kind == FIGURE_RANGE) {
    snprintf(text[0], sizeof text[0], "%s to %s", x->s->column[x->a->column[1]], x->s->column[x->a->column[2]]);
    key[n++] = (struct frame_key){text[0], "#9ecae1", FRAME_RANGE, 0};
    key[n++] = (struct frame_key){x->s->column[x->a->column[0]], "#00426b", FRAME_POINT, 7};
    for (unsigned i = 3; i < x->n; i++)
      key[n++] = (struct frame_key){x->s->column[x->column[i]], x->rgb[i], FRAME_POINT, i == 3 ? 4 : 8};
  } else {
    for (unsigned i = 0; columns && i < x->n && (x->n > 1 || x->base); i++)
      key[n++] = (struct frame_key){x->s->column[x->column[i]], x->rgb[i],
                                    x->a->kind == FIGURE_LINES ? FRAME_LINE : FRAME_BOX, 0};
  }
  if (x->base) {
    snprintf(text[1], sizeof text[1], "1: %.120s", x->base);
    key[n++] = (struct frame_key){x->bases == 1 ? text[1] : "1: their bases", "#000000", FRAME_LINE, 0};
  }
  if (x->opens) {
    snprintf(text[2], sizeof text[2], "%g or more", x->a->most);
    key[n++] = (struct frame_key){text[2], "#000000", FRAME_POINT, 9};
  }
  y = frame_put_key(p, FRAME_EDGE, y + 2, wide, key, n);
  free(key);
  return y + 4;
}

static void part_put_base(const struct part *x, FILE *f) {
  if (x->base) fprintf(f, "set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1 lc rgb '#000000' front\n");
}

/* ---- upright bars ---- */

struct rows { /* of bars */
  unsigned each, n;
  double left, group; /* pixels: beside the first group, of a group */
  bool turned;
};

/* Space that turned names need left of the first group. */
static double names_reach(const struct part *x, double group) {
  double reach = 0;
  for (unsigned r = 0; r < x->s->rows; r++)
    reach = fmax(reach, (row_name_width(x, r, NAME_MOST) + 8) * SIN_TURNED - group / 2);
  return reach;
}

static struct rows rows_lay_out(const struct part *x, double wide) {
  struct rows l = {.left = fmax(frame_numbers_width(&x->scale), 40) + FRAME_EDGE};
  const double room = wide - l.left - FRAME_EDGE, least = fmax(GROUP_LEAST, BAR_LEAST * part_slots(x)),
               longest = widest_row_name(x, NAME_MOST);
  const unsigned fit = (unsigned)fmax(room / least, 1);
  l.n = (x->s->rows + fit - 1) / fit;
  l.each = (x->s->rows + l.n - 1) / l.n;
  l.group = room / l.each;
  l.turned = longest + 4 > l.group;
  if (l.turned) {
    l.left = fmax(l.left, names_reach(x, l.group) + 4);
    l.group = (wide - l.left - FRAME_EDGE) / l.each;
  }
  return l;
}

/* Pixels below the bars of rows first to end - 1 that their names take. */
static double rows_below(const struct part *x, const struct rows *l, unsigned first, unsigned end) {
  double wide = 0;
  for (unsigned r = first; r < end; r++) wide = fmax(wide, row_name_width(x, r, NAME_MOST));
  const double high = plot_text_height(PLOT_SMALL);
  return l->turned ? (wide + high) * SIN_TURNED + 8 : high + 10;
}

static double upright_wants(const struct part *x) {
  const struct rows l = rows_lay_out(x, PLOT_WIDE);
  const double group = fmax(BAR_LIKED * part_slots(x), l.turned ? GROUP_LEAST : widest_row_name(x, NAME_MOST) + 12);
  return l.left + FRAME_EDGE + group * l.each;
}

/* One row of data: where a bar stands in its group, from where to where it goes. */
static void write_bar(FILE *f, double at, double half, double from, double to, int rgb) {
  fprintf(f, "%.5g %.6g %.5g %.5g %.6g %.6g %d\n", at, (from + to) / 2, at - half, at + half, from, to, rgb);
}

static void write_group(const struct part *x, FILE *f, unsigned r, double at) {
  const double slot = 1 / part_slots(x), foot = x->scale.foot;
  double sum = 0;
  if (x->a->kind == FIGURE_RANGE) {
    write_bar(f, at, 0.2, part_number(x, r, 1), part_number(x, r, 2), 0x9ecae1);
    return;
  }
  for (unsigned i = 0; i < x->n; i++) {
    double v = part_number(x, r, i);
    if (isnan(v) || (x->scale.log && v < x->scale.least)) continue;
    if (x->a->kind == FIGURE_STACK) {
      write_bar(f, at, 0.4, fmin(sum, x->scale.most), fmin(sum + v, x->scale.most), part_rgb(x, i));
      sum += v;
      continue;
    }
    if (part_is_open(x, v)) v = x->scale.most;
    write_bar(f, at + (i - (x->n - 1) / 2.0) * slot, 0.46 * slot, foot, v, part_rgb(x, i));
  }
}

/* Marks over the bars: the mean of a range, further columns; an arrow where a number goes on. */
static void write_marks(const struct part *x, FILE *f, unsigned r, double at) {
  const double slot = 1 / part_slots(x);
  for (unsigned i = 0; i < x->n; i++) {
    const double v = part_number(x, r, i);
    if (x->a->kind == FIGURE_RANGE && i != 1 && i != 2 && !isnan(v))
      fprintf(f, "%.5g %.6g %d %d\n", at, v, i ? part_rgb(x, i) : 0x00426b, i == 0 ? 7 : i == 3 ? 4 : 8);
    if (part_is_open(x, v)) fprintf(f, "%.5g %.6g %d %d\n", at + (i - (x->n - 1) / 2.0) * slot, x->scale.most, 0, 9);
  }
}

static void put_row_names(struct plot *p, const struct part *x, const struct rows *l, unsigned first, unsigned end,
                          double y) {
  char text[256];
  for (unsigned r = first; r < end; r++)
    plot_put(p, l->left + (r - first + 0.5) * l->group + (l->turned ? 3 : 0), y + (l->turned ? 6 : 11),
             l->turned ? PLOT_RIGHT : PLOT_MIDDLE, (struct plot_font){PLOT_SMALL, false, l->turned ? TURNED : 0, NULL},
             "%s", plot_shorten(text, sizeof text, part_row_name(x, r), NAME_MOST, PLOT_SMALL));
}

/* Rows first to end - 1 of the table. */
static void draw_row_of_bars(struct plot *p, const struct part *x, const struct rows *l, unsigned first, unsigned end,
                             double y, double high) {
  FILE *f = plot_script(p);
  const struct frame_area a = {l->left, y, l->left + l->each * l->group, y + high};
  frame_put_axes(p, &a, NULL, -0.5, l->each - 0.5, &x->scale);
  put_row_names(p, x, l, first, end, a.y1);
  part_put_base(x, f);
  for (unsigned r = first; r < end; r++)
    if (sheet_is_mean(x->s->row[r].name))
      fprintf(f,
              "set object rectangle from first %.1f, graph 0 to first %.1f, graph 1 behind fs solid noborder fc rgb "
              "'#f0f0f0'\n",
              r - first - 0.5, r - first + 0.5);
  fprintf(f, "$bars << EOD\n");
  for (unsigned r = first; r < end; r++) write_group(x, f, r, r - first);
  fprintf(f, "NaN NaN NaN NaN NaN NaN 0\nEOD\n$marks << EOD\n");
  for (unsigned r = first; r < end; r++) write_marks(x, f, r, r - first);
  fprintf(f,
          "NaN NaN 0 7\nEOD\nplot $bars using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder lc rgb variable, "
          "$marks using 1:2:4:3 with points ps 1 lw 1.5 pt variable lc rgb variable\n");
  plot_clear(p);
}

static double draw_upright(struct plot *p, const struct part *x, double y) {
  const struct rows l = rows_lay_out(x, plot_width(p));
  const double high = l.n > 1 ? ROW_HIGH : PANEL_HIGH;
  y = part_put_title(p, x, y, true);
  for (unsigned first = 0; first < x->s->rows; first += l.each) {
    const unsigned end = first + l.each < x->s->rows ? first + l.each : x->s->rows;
    draw_row_of_bars(p, x, &l, first, end, y + 6, high);
    y += high + rows_below(x, &l, first, end) + 6;
  }
  return y;
}

/* ---- lying bars: a number beside each ---- */

static void number_text(char out[CELL], const struct part *x, double v) {
  char digits[CELL];
  if (part_is_open(x, v)) snprintf(out, CELL, "%g or more", x->a->most);
  else if (x->s->decimals) snprintf(out, CELL, "%.*f", (int)x->s->decimals, v);
  else snprintf(out, CELL, "%s%.*s", v < 0 ? "-" : "", CELL - 2, text_count(digits, (uint64_t)(fabs(v) + 0.5)));
}

static unsigned lying_groups(const struct part *x, bool one_row) { return one_row ? x->n : x->s->rows; }

/* The names of groups below each other: of rows, or, of one row, of columns; the caller's to free. */
static const char **lying_names(const struct part *x, bool one_row) {
  const unsigned groups = lying_groups(x, one_row);
  const char **name = xcalloc(groups, sizeof *name);
  for (unsigned g = 0; g < groups; g++) name[g] = one_row ? x->s->column[x->column[g]] : part_row_name(x, g);
  return name;
}

/* The widest names of lying bars, so that these begin below each other. */
static double parts_lying_names(const struct part *x, unsigned n) {
  double wide = 0;
  for (unsigned i = 0; i < n; i++) {
    const enum shape shape = part_shape(&x[i]);
    if (!x[i].n || (shape != LYING && shape != ONE_ROW)) continue;
    const char **name = lying_names(&x[i], shape == ONE_ROW);
    wide = fmax(wide, lying_names_width(name, lying_groups(&x[i], shape == ONE_ROW)));
    free(name);
  }
  return wide;
}

/* Groups below each other: for each row its columns, or, of one row, for each column one bar. */
static double draw_lying(struct plot *p, const struct part *x, double y, bool one_row) {
  const struct frame_scale *s = &x->scale;
  const unsigned groups = lying_groups(x, one_row), lanes = one_row ? 1 : x->n;
  const char **name = lying_names(x, one_row);
  struct lying_bar *bar = xcalloc((size_t)groups * lanes, sizeof *bar);
  char(*text)[CELL] = xcalloc((size_t)groups * lanes, sizeof *text);
  struct lying l = {.name = name,
                    .rows = groups,
                    .row_high = (lanes + 0.7) * LYING_BAR,
                    .bar_high = 0.9 * LYING_BAR,
                    .bar = bar,
                    .scale = *s,
                    .names = x->names,
                    .line = x->base ? 1 : NAN};
  for (unsigned g = 0; g < groups; g++)
    for (unsigned b = 0; b < lanes; b++) {
      const unsigned i = one_row ? g : b;
      const double v = part_number(x, one_row ? 0 : g, i);
      if (isnan(v)) continue;
      number_text(text[l.bars], x, v);
      const double to = s->log && v < s->least ? s->foot : part_is_open(x, v) ? s->most : v;
      bar[l.bars] = (struct lying_bar){g, (b - (lanes - 1) / 2.0) * LYING_BAR, s->foot, to, x->rgb[i], text[l.bars]};
      l.bars++;
    }
  y = part_put_title(p, x, y, !one_row);
  y = lying_draw(p, &l, FRAME_EDGE, y, plot_width(p) - 2 * FRAME_EDGE);
  free(name), free(bar), free(text);
  return y;
}

/* ---- lines ---- */

static double draw_lines(struct plot *p, const struct part *x, double y) {
  FILE *f = plot_script(p);
  double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
  for (unsigned r = 0; r < x->s->rows; r++) {
    const double at = atof(x->s->row[r].name);
    least[0] = fmin(least[0], at), most[0] = fmax(most[0], at);
    for (unsigned i = 0; i < x->n; i++) {
      const double v = part_number(x, r, i);
      if (!isnan(v)) least[1] = fmin(least[1], v), most[1] = fmax(most[1], v);
    }
  }
  if (most[1] < least[1]) least[1] = 0, most[1] = 1;
  const struct frame_scale sx = frame_scale_between(least[0], most[0]), sy = frame_scale_points(least[1], most[1]);
  y = part_put_title(p, x, y, true);
  const struct frame_area a = {FRAME_EDGE + frame_numbers_width(&sy), y + 6, plot_width(p) - FRAME_EDGE - 20,
                               y + 6 + PANEL_HIGH};
  frame_put_axes(p, &a, &sx, 0, 0, &sy);
  fprintf(f, "$lines << EOD\n");
  for (unsigned r = 0; r < x->s->rows; r++) {
    fprintf(f, "%s", x->s->row[r].name);
    for (unsigned i = 0; i < x->n; i++)
      if (isnan(part_number(x, r, i))) fprintf(f, " NaN");
      else fprintf(f, " %.6g", part_number(x, r, i));
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\nplot ");
  for (unsigned i = 0; i < x->n; i++) /* the first is the widest, so that lines that coincide are all seen */
    fprintf(f, "%s$lines using 1:%u with linespoints lw %.1f pt 7 ps 0.5 lc rgb '%s'", i ? ", " : "", i + 2,
            1.5 + 4.0 * (x->n - 1 - i) / x->n, x->rgb[i]);
  fprintf(f, "%s\n", x->n ? "" : "0 with lines lc rgb '#ffffff'");
  plot_clear(p);
  return a.y1 + 30;
}

/* ---- a map ---- */

/* Columns side by side; of lines the rows are, so that time goes from left to right. */
static void part_fill_heat(const struct part *x, struct heat *h, const char **row, const char **column, double *v,
                           char title[400]) {
  const bool lines = x->a->kind == FIGURE_LINES;
  const char *base = x->base && x->bases == 1 ? x->base : NULL;
  snprintf(title, 400, "%s%s%s", x->a->title, base && !strstr(x->a->title, base) ? "; 1: " : "",
           base && !strstr(x->a->title, base) ? base : "");
  *h = (struct heat){.rows = lines ? x->n : x->s->rows,
                     .columns = lines ? x->s->rows : x->n,
                     .row = row,
                     .column = column,
                     .v = v,
                     .ratio = part_is_ratio(x->a),
                     .title = title};
  for (unsigned r = 0; r < x->s->rows; r++) (lines ? column : row)[r] = part_row_name(x, r);
  for (unsigned i = 0; i < x->n; i++) (lines ? row : column)[i] = x->s->column[x->column[i]];
  for (unsigned r = 0; r < h->rows; r++)
    for (unsigned c = 0; c < h->columns; c++)
      v[r * h->columns + c] = lines ? part_number(x, c, r) : part_number(x, r, c);
}

/* Draws it, or, without a picture, says how wide it is. */
static double draw_heat(struct plot *p, const struct part *x, double y) {
  struct heat h;
  char title[400];
  const unsigned most = x->s->rows > x->n ? x->s->rows : x->n;
  const char **row = xcalloc(most, sizeof *row), **column = xcalloc(most, sizeof *column);
  double *v = xcalloc((size_t)x->s->rows * x->n, sizeof *v);
  part_fill_heat(x, &h, row, column, v, title);
  y = p ? heat_draw(p, &h, FRAME_EDGE, y + 4, plot_width(p) - 2 * FRAME_EDGE) : heat_width(&h);
  free(row), free(column), free(v);
  return y;
}

/* ---- the picture ---- */

static double part_wants(const struct part *x) {
  switch (part_shape(x)) {
    case UPRIGHT: return upright_wants(x);
    case HEAT: return draw_heat(NULL, x, 0);
    default: return 780;
  }
}

static double part_draw(struct plot *p, const struct part *x, double y) {
  switch (part_shape(x)) {
    case UPRIGHT: return draw_upright(p, x, y);
    case LYING: return draw_lying(p, x, y, false);
    case ONE_ROW: return draw_lying(p, x, y, true);
    case LINES: return draw_lines(p, x, y);
    case HEAT: break;
  }
  return draw_heat(p, x, y);
}

/* In place of axes: nothing has a number. */
static double figure_put_nothing(struct plot *p, double y) {
  y = frame_put_lines(p, FRAME_EDGE, y, plot_width(p) - 2 * FRAME_EDGE, PLOT_LEFT,
                      (struct plot_font){PLOT_NORMAL, false, 0, NULL}, "no run has a number");
  fprintf(plot_script(p), "unset border\nunset tics\nset yrange [0:1]\nplot NaN notitle\n");
  return y + 4;
}

/* The rows of a sheet but means that have no number; its row array is the caller's to free. */
static struct sheet sheet_with_numbers(const struct sheet *s) {
  struct sheet shown = *s;
  shown.rows = 0;
  shown.row = xcalloc(s->rows + 1, sizeof *shown.row);
  for (unsigned r = 0; r < s->rows; r++) {
    bool numbers = !sheet_is_mean(s->row[r].name);
    for (unsigned c = 0; c < s->columns; c++) numbers |= !isnan(s->row[r].v[c]);
    if (numbers) shown.row[shown.rows++] = s->row[r];
  }
  return shown;
}

bool figure_draw(const struct figure *f, const char *path, struct err *e) {
  FILE *script;
  char about[420];
  double wide = LEAST_WIDE, y;
  bool systems = false, drawn = false;
  struct plot *p = plot_open(path, PLOT_WIDE, PLOT_WIDE, &script, e);
  if (!p) return false;
  struct part *x = xcalloc(f->axes + 1, sizeof *x);
  struct sheet *shown = xcalloc(f->axes + 1, sizeof *shown);
  for (unsigned i = 0; i < f->axes; i++) shown[i] = sheet_with_numbers(f->axis[i].sheet);
  const bool geometric = figure_means_are_geometric(shown, f->axes);
  for (unsigned i = 0; i < f->axes; i++) {
    part_open(&x[i], &shown[i], &f->axis[i], geometric);
    if (x[i].n) wide = fmax(wide, part_wants(&x[i]));
    systems |= part_has_systems(&x[i]);
  }
  /* a system has one colour in all axes; other columns, each of which is in one axis, begin anew */
  for (unsigned i = 0; i < f->axes; i = systems ? f->axes : i + 1) parts_colour(x, i, systems ? f->axes : i + 1);
  wide = fmax(wide, plot_text_width(f->title, PLOT_TITLE, true) + 2 * FRAME_EDGE + 2);
  plot_resize(p, (unsigned)fmin(ceil(wide), PLOT_WIDE), PLOT_WIDE);
  fprintf(script, "set multiplot\n");
  snprintf(about, sizeof about, "%s%s%s%s%s", f->about, geometric && f->about[0] ? ", " : "",
           geometric ? "geometric means" : "", f->drawn[0] && (geometric || f->about[0]) ? "; " : "", f->drawn);
  y = frame_put_head(p, f->title, about);
  const double names = parts_lying_names(x, f->axes);
  for (unsigned i = 0; i < f->axes; i++) {
    x[i].names = names;
    if (x[i].n) y = part_draw(p, &x[i], y);
    drawn |= x[i].n > 0;
    part_close(&x[i]), free(shown[i].row);
  }
  if (!drawn) y = figure_put_nothing(p, y);
  fprintf(script, "unset multiplot\n");
  plot_resize(p, plot_width(p), (unsigned)ceil(y) + 4);
  free(x), free(shown);
  return plot_close(p, e);
}
