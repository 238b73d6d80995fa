/* SPDX-License-Identifier: Apache-2.0 */
/* heat: see heat.h. */
#include "lab/report/heat.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "lab/report/chart.h"
#include "lab/report/frame.h"
#include "lab/report/sheet.h"

/* Pixels. */
enum {
  NAME_MOST = 280, /* names of rows; longer ones are shortened */
  HEAD_MOST = 250, /* names of columns */
  CELL_MOST = 64,
  CELL_EDGE = 3, /* between two numbers side by side */
  CELL_HIGH = 17,
  CELL_HIGH_FEW = 24, /* with few rows */
  FEW_ROWS = 12,
  MANY_ROWS = 40, /* more of them stand in two parts side by side, if these fit */
  MEAN_GAP = 5,   /* before the rows of means */
  PART_GAP = 24,
  STRIP_WIDE = 170,
  STRIP_LEFT = 30, /* for "less" before the strip of ratios */
  STRIP_HIGH = 9,
  TURNED = 45 /* degrees of names of columns that are wider than a cell */
};

/* ---- colours ---- */

struct heat_stop {
  double at;
  int rgb;
};
enum { STOPS = 5 };
/* By the binary logarithm of a ratio, from a half to three; by the part of the greatest number. */
static const struct heat_stop ratio_stops[STOPS] = {
    {-1, 0xb34700}, {-0.5, 0xf0a868}, {0, 0xffffff}, {0.6, 0x7fb8e0}, {1.585, 0x00426b}};
static const struct heat_stop plain_stops[STOPS] = {
    {0, 0xffffff}, {0.25, 0xd3e6f4}, {0.5, 0x9ecae1}, {0.75, 0x4a90c2}, {1, 0x00426b}};

static int heat_mix(const struct heat_stop *stop, double t) {
  unsigned i = 0;
  int rgb = 0;
  while (i + 2 < STOPS && t > stop[i + 1].at) i++;
  const double part = fmin(fmax((t - stop[i].at) / (stop[i + 1].at - stop[i].at), 0), 1);
  for (int shift = 0; shift < 24; shift += 8) {
    const int a = stop[i].rgb >> shift & 255, b = stop[i + 1].rgb >> shift & 255;
    rgb |= (int)(a + (b - a) * part + 0.5) << shift;
  }
  return rgb;
}

static double heat_greatest(const struct heat *h) {
  double most = 0;
  for (unsigned i = 0; i < h->rows * h->columns; i++)
    if (h->v[i] > most) most = h->v[i];
  return most;
}

static int heat_colour(const struct heat *h, double v, double most) {
  if (!h->ratio) return heat_mix(plain_stops, v / most);
  return heat_mix(ratio_stops, v > 0 ? log2(v) : -1);
}

static bool heat_colour_is_dark(int rgb) {
  return 2 * (rgb >> 16 & 255) + 5 * (rgb >> 8 & 255) + (rgb & 255) < 8 * 125;
}

/* ---- where everything stands ---- */

struct heat_layout {
  bool percent; /* a ratio's number is in % */
  int decimals;
  bool turned;
  unsigned each, blocks, down,
      parts; /* columns of a block, blocks below each other; rows of a part, parts side by side */
  double names, above, right, cell, high; /* of a block: pixels left of, above and right of the cells; a cell's size */
};

static void heat_number(char *out, size_t n, const struct heat_layout *l, double v) {
  snprintf(out, n, "%.*f", l->percent ? 0 : l->decimals, l->percent ? 100 * v : v);
}

/* Pixels that the widest number takes with what is left between two; means are bold, and stand closer. */
static double heat_numbers_width(const struct heat *h, const struct heat_layout *l) {
  double wide = 0;
  char text[64];
  for (unsigned i = 0; i < h->rows * h->columns; i++) {
    const bool mean = sheet_is_mean(h->row[i / h->columns]);
    if (isnan(h->v[i])) continue;
    heat_number(text, sizeof text, l, h->v[i]);
    wide = fmax(wide, plot_text_width(text, PLOT_CELL, mean) + (mean ? 1 : CELL_EDGE));
  }
  return wide;
}

static double heat_name_width(const char *name, double most) {
  char text[256];
  return plot_text_width(plot_shorten(text, sizeof text, name, most, PLOT_SMALL), PLOT_SMALL, false);
}

static int heat_decimals(const struct heat *h) {
  bool whole = true;
  for (unsigned i = 0; i < h->rows * h->columns; i++) whole &= isnan(h->v[i]) || h->v[i] == floor(h->v[i]);
  const double most = heat_greatest(h);
  return h->ratio ? 2 : whole || most >= 100 ? 0 : most >= 10 ? 1 : 2;
}

/* Pixels that a block's columns leave beside the names and beyond the last column. */
static double heat_room(const struct heat_layout *l, double wide) { return wide - l->names - l->right; }

static void heat_measure_heads(const struct heat *h, struct heat_layout *l) {
  double widest = 0;
  for (unsigned c = 0; c < h->columns; c++) widest = fmax(widest, heat_name_width(h->column[c], HEAD_MOST));
  l->turned = widest + 2 > l->cell;
  l->above = l->turned ? (widest + plot_text_height(PLOT_SMALL)) * 0.7072 + 4 : plot_text_height(PLOT_SMALL) + 4;
  l->right = l->turned ? fmax((widest + plot_text_height(PLOT_SMALL)) * 0.7072 - l->cell / 2, 2) : 2;
}

static struct heat_layout heat_lay_out(const struct heat *h, double wide) {
  struct heat_layout l = {.decimals = heat_decimals(h), .each = h->columns, .blocks = 1, .down = h->rows, .parts = 1};
  for (unsigned r = 0; r < h->rows; r++) l.names = fmax(l.names, heat_name_width(h->row[r], NAME_MOST) + 8);
  if (h->row_title) l.names = fmax(l.names, heat_name_width(h->row_title, NAME_MOST) + 8);
  double least = heat_numbers_width(h, &l);
  heat_measure_heads(h, &l); /* with cells of no width: turned */
  if (h->ratio && least * h->columns > heat_room(&l, wide)) {
    l.percent = true;
    least = heat_numbers_width(h, &l);
  }
  const double fit = fmax(floor(heat_room(&l, wide) / least), 1);
  if (fit < h->columns) {
    l.blocks = (unsigned)ceil(h->columns / fit);
    l.each = (h->columns + l.blocks - 1) / l.blocks;
    l.percent = false; /* if the numbers fit as they are */
    l.percent = heat_numbers_width(h, &l) * l.each > heat_room(&l, wide) && h->ratio;
  } else if (h->rows > MANY_ROWS && 2 * (l.names + l.right + least * h->columns) + PART_GAP <= wide) {
    l.parts = 2;
    l.down = (h->rows + 1) / 2;
    wide = (wide - PART_GAP) / 2;
  }
  l.cell = fmin(heat_room(&l, wide) / l.each, CELL_MOST);
  heat_measure_heads(h, &l);
  l.cell = fmin(floor(heat_room(&l, wide) / l.each), CELL_MOST);
  l.high = l.down <= FEW_ROWS ? CELL_HIGH_FEW : CELL_HIGH;
  return l;
}

unsigned heat_width(const struct heat *h) {
  const struct heat_layout l = heat_lay_out(h, PLOT_WIDE - 2 * FRAME_EDGE);
  const double wide = l.parts * (l.names + l.each * l.cell + l.right) + (l.parts - 1) * PART_GAP;
  return (unsigned)ceil(fmax(wide, STRIP_WIDE + 90)) + 2 * FRAME_EDGE;
}

/* ---- drawing ---- */

/* What the colours mean: a strip of them with numbers below, from x on; ratios beyond its ends have the colours of the ends. */
static double heat_put_strip(struct plot *p, const struct heat *h, const struct heat_layout *l, double x, double y,
                             double most) {
  static const double ratios[] = {0.5, 0.7, 1, 1.4, 2, 3};
  const struct plot_font font = {PLOT_CELL, false, 0, "#444444"};
  const double from = h->ratio ? -1 : 0, to = h->ratio ? 1.585 : 1;
  enum { STEPS = STRIP_WIDE / 2 };
  char text[64], rgb[16];
  for (unsigned i = 0; i < STEPS; i++) {
    snprintf(rgb, sizeof rgb, "#%06x",
             (unsigned)heat_mix(h->ratio ? ratio_stops : plain_stops, from + (to - from) * (i + 0.5) / STEPS));
    plot_put_box(p, x + i * 2, y, x + STRIP_WIDE, y + STRIP_HIGH, rgb); /* the next one lies on it: no seam */
  }
  for (unsigned i = 0; i < (h->ratio ? sizeof ratios / sizeof *ratios : 3); i++) {
    const double v = h->ratio ? ratios[i] : most * i / 2, at = h->ratio ? log2(v) : i / 2.0;
    if (h->ratio) snprintf(text, sizeof text, l->percent ? "%.0f" : "%.3g", l->percent ? 100 * v : v);
    else snprintf(text, sizeof text, "%.4g", v);
    plot_put(p, x + fmin((at - from) / (to - from), 1) * STRIP_WIDE, y + STRIP_HIGH + 8, PLOT_MIDDLE, font, "%s", text);
  }
  if (h->ratio) {
    plot_put(p, x - 6, y + STRIP_HIGH / 2.0, PLOT_RIGHT, font, "less");
    plot_put(p, x + STRIP_WIDE + 6, y + STRIP_HIGH / 2.0, PLOT_LEFT, font, "more");
  }
  return y + STRIP_HIGH + 20;
}

/* The pixel at which row r of a part begins, which begins with row `first`. */
static double heat_row_y(const struct heat *h, const struct heat_layout *l, unsigned first, double r) {
  double gap = 0;
  for (unsigned i = first + 1; i <= (unsigned)r && i < h->rows; i++)
    if (sheet_is_mean(h->row[i]) && !sheet_is_mean(h->row[i - 1])) gap = MEAN_GAP;
  return (r - first) * l->high + gap;
}

struct heat_part { /* rows and columns of a block */
  unsigned r0, r1, c0, c1;
};

static void heat_put_names(struct plot *p, const struct heat *h, const struct heat_layout *l, double x, double y,
                           const struct heat_part *at) {
  char text[256];
  for (unsigned r = at->r0; r < at->r1; r++)
    plot_put(p, x + l->names - 5, y + heat_row_y(h, l, at->r0, r) + l->high / 2, PLOT_RIGHT,
             (struct plot_font){PLOT_SMALL, false, 0, NULL}, "%s",
             plot_shorten(text, sizeof text, h->row[r], NAME_MOST, PLOT_SMALL));
  for (unsigned c = at->c0; c < at->c1; c++)
    plot_put(p, x + l->names + (c - at->c0 + 0.5) * l->cell, y - (l->turned ? 5 : 9),
             l->turned ? PLOT_LEFT : PLOT_MIDDLE, (struct plot_font){PLOT_SMALL, false, l->turned ? TURNED : 0, NULL},
             "%s", plot_shorten(text, sizeof text, h->column[c], HEAD_MOST, PLOT_SMALL));
}

/* Frames, and the numbers in the cells. */
static void heat_put_numbers(struct plot *p, const struct heat *h, const struct heat_layout *l, double x, double y,
                             const struct heat_part *at, double most) {
  char text[64];
  for (unsigned r = at->r0; r < at->r1; r++)
    for (unsigned c = at->c0; c < at->c1; c++) {
      const double v = h->v[r * h->columns + c];
      if (isnan(v)) continue;
      heat_number(text, sizeof text, l, v);
      plot_put(p, x + l->names + (c - at->c0 + 0.5) * l->cell, y + heat_row_y(h, l, at->r0, r) + l->high / 2,
               PLOT_MIDDLE,
               (struct plot_font){PLOT_CELL, sheet_is_mean(h->row[r]), 0,
                                  heat_colour_is_dark(heat_colour(h, v, most)) ? "#ffffff" : NULL},
               "%s", text);
    }
  for (unsigned i = 0; i < h->frames; i++) {
    const struct heat_frame *k = &h->frame[i];
    const double left = x + l->names + (k->column - at->c0) * l->cell + k->inset,
                 top = y + heat_row_y(h, l, at->r0, k->row) + k->inset, to = left + l->cell - 2 * k->inset,
                 low = top + l->high - 2 * k->inset;
    if (k->row < at->r0 || k->row >= at->r1 || k->column < at->c0 || k->column >= at->c1) continue;
    plot_put_line(p, left, top, to, top, 2, 1, k->rgb);
    plot_put_line(p, to, top, to, low, 2, 1, k->rgb);
    plot_put_line(p, to, low, left, low, 2, 1, k->rgb);
    plot_put_line(p, left, low, left, top, 2, 1, k->rgb);
  }
}

/* The cells' colours; places are pixels of the picture. */
static void heat_put_cells(struct plot *p, const struct heat *h, const struct heat_layout *l, double x, double y,
                           const struct heat_part *at, double most) {
  FILE *f = plot_script(p);
  const double right = x + l->names + (at->c1 - at->c0) * l->cell,
               bottom = y + heat_row_y(h, l, at->r0, at->r1 - 1) + l->high;
  plot_set_area(p, x + l->names, y, right, bottom);
  fprintf(f,
          "unset logscale\nset border 0\nunset xtics\nunset ytics\nunset grid\nset xrange [%.2f:%.2f]\nset yrange "
          "[%.2f:%.2f]\n$cells << EOD\n",
          x + l->names, right, bottom, y);
  for (unsigned r = at->r0; r < at->r1; r++)
    for (unsigned c = at->c0; c < at->c1; c++) {
      const double v = h->v[r * h->columns + c], left = x + l->names + (c - at->c0) * l->cell,
                   top = y + heat_row_y(h, l, at->r0, r);
      if (!isnan(v))
        fprintf(f, "%.2f %.2f %.2f %.2f %.2f %.2f %d\n", left + l->cell / 2, top + l->high / 2, left + 0.5,
                left + l->cell - 0.5, top + 0.5, top + l->high - 0.5, heat_colour(h, v, most));
    }
  fprintf(f,
          "NaN NaN NaN NaN NaN NaN 0\nEOD\nplot $cells using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder lc rgb "
          "variable\n");
  plot_clear(p);
}

double heat_draw(struct plot *p, const struct heat *h, double x, double y, double wide) {
  const struct heat_layout l = heat_lay_out(h, wide);
  const double most = chart_end(heat_greatest(h)); /* where the colours of plain numbers end */
  char title[400];
  if (h->title) {
    snprintf(title, sizeof title, "%s%s%s", h->title, l.percent && h->title[0] ? ", " : "", l.percent ? "in %" : "");
    y = frame_put_lines(p, x, y, wide, PLOT_LEFT, (struct plot_font){PLOT_NORMAL, true, 0, NULL}, title);
  }
  if (h->note) y = frame_put_lines(p, x, y, wide, PLOT_LEFT, (struct plot_font){PLOT_SMALL, false, 0, NULL}, h->note);
  y = heat_put_strip(p, h, &l, x + (h->ratio ? STRIP_LEFT : 10), y + 4, most);
  for (unsigned b = 0; b < l.blocks; b++) {
    const unsigned c0 = b * l.each, c1 = c0 + l.each < h->columns ? c0 + l.each : h->columns;
    double bottom = y;
    if (h->column_title)
      y = frame_put_lines(p, x + l.names + (c1 - c0) * l.cell / 2, y, wide, PLOT_MIDDLE,
                          (struct plot_font){PLOT_SMALL, false, 0, "#444444"}, h->column_title);
    y += l.above;
    if (h->row_title)
      plot_put(p, x, y - 9, PLOT_LEFT, (struct plot_font){PLOT_SMALL, false, 0, "#444444"}, "%s", h->row_title);
    for (unsigned part = 0; part < l.parts; part++) {
      const unsigned r0 = part * l.down, r1 = r0 + l.down < h->rows ? r0 + l.down : h->rows;
      const double left = x + part * (l.names + l.each * l.cell + l.right + PART_GAP);
      const struct heat_part at = {r0, r1, c0, c1};
      heat_put_names(p, h, &l, left, y, &at);
      heat_put_numbers(p, h, &l, left, y, &at, most);
      heat_put_cells(p, h, &l, left, y, &at, most);
      bottom = fmax(bottom, y + heat_row_y(h, &l, r0, r1 - 1) + l.high);
    }
    y = bottom + 8;
  }
  return y;
}
