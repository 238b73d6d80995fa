/* SPDX-License-Identifier: Apache-2.0 */
/* sheet: see sheet.h. */
#include "lab/report/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"
#include "lab/report/colour.h"
#include "lab/report/json.h"

void sheet_init(struct sheet *s, unsigned columns, unsigned decimals, const char *title) {
  memset(s, 0, sizeof *s);
  snprintf(s->title, sizeof s->title, "%s", title);
  s->columns = columns;
  s->decimals = decimals;
  s->column = xcalloc(columns, sizeof *s->column);
  s->system = xcalloc(columns, sizeof *s->system);
}

void sheet_free(struct sheet *s) {
  for (unsigned r = 0; r < s->rows; r++) free(s->row[r].v), free(s->row[r].marked);
  free(s->row), free(s->column), free(s->system);
}

double *sheet_row(struct sheet *s, const char *name, const char *alias) {
  struct sheet_row r = {.v = xcalloc(s->columns, sizeof *r.v), .marked = xcalloc(s->columns, sizeof *r.marked)};
  snprintf(r.name, sizeof r.name, "%s", name);
  snprintf(r.alias, sizeof r.alias, "%s", alias);
  for (unsigned c = 0; c < s->columns; c++) r.v[c] = NAN;
  VEC_PUSH(s->row, s->rows, s->rows_cap) = r;
  return r.v;
}

void sheet_mark(struct sheet *s, unsigned column) { s->row[s->rows - 1].marked[column] = true; }

bool sheet_marked(const struct sheet *s) {
  for (unsigned r = 0; r < s->rows; r++)
    for (unsigned c = 0; c < s->columns; c++)
      if (s->row[r].marked[c]) return true;
  return false;
}

static const char *sheet_number_text(char buf[CELL], double x, unsigned decimals) {
  if (isnan(x)) snprintf(buf, CELL, "-");
  else if (decimals) snprintf(buf, CELL, "%.*f", (int)decimals, x);
  else if (x > -0.5) text_count(buf, (uint64_t)(x + 0.5));
  else {
    char whole[CELL];
    snprintf(buf, CELL, "-%.*s", CELL - 2, text_count(whole, (uint64_t)(0.5 - x)));
  }
  return buf;
}

/* With its ~; an empty cell has none. */
static const char *sheet_cell_text(char buf[CELL + 1], const struct sheet *s, unsigned row, unsigned column) {
  const struct sheet_row *r = &s->row[row];
  char text[CELL];
  snprintf(buf, CELL + 1, "%s%s", sheet_number_text(text, r->v[column], s->decimals),
           r->marked[column] && !isnan(r->v[column]) ? "~" : "");
  return buf;
}

void sheet_section(const struct sheet *s, struct table *t) {
  char buf[CELL + 1];
  table_section(t, s->title);
  for (unsigned r = 0; r < s->rows; r++) {
    table_row(t, s->row[r].name, s->row[r].alias);
    for (unsigned c = 0; c < s->columns; c++) table_cell(t, c, sheet_cell_text(buf, s, r, c));
  }
}

void sheet_markdown(const struct sheet *s, FILE *f) {
  char buf[CELL + 1];
  fprintf(f, "%s:\n\n|  | ", MARKDOWN(s->title));
  for (unsigned c = 0; c < s->columns; c++) fprintf(f, "| %s ", MARKDOWN(s->column[c]));
  fprintf(f, "|\n|---|---");
  for (unsigned c = 0; c < s->columns; c++) fprintf(f, "|--:");
  fprintf(f, "|\n");
  for (unsigned r = 0; r < s->rows; r++) {
    fprintf(f, "| %s | %s ", MARKDOWN(s->row[r].name), MARKDOWN(s->row[r].alias));
    for (unsigned c = 0; c < s->columns; c++) fprintf(f, "| %s ", sheet_cell_text(buf, s, r, c));
    fprintf(f, "|\n");
  }
  fprintf(f, "\n");
}

json_t *sheet_json(const struct sheet *s) {
  json_t *o = json_object(), *rows = json_array();
  json_put(o, "title", json_text(s->title));
  for (unsigned r = 0; r < s->rows; r++) {
    json_t *row = json_object(), *v = json_object(), *marked = json_array();
    for (unsigned c = 0; c < s->columns; c++)
      if (s->row[r].marked[c]) json_array_append_new(marked, json_text(s->column[c]));
    json_put(row, "name", json_text(s->row[r].name));
    json_put(row, "alias", json_text(s->row[r].alias));
    for (unsigned c = 0; c < s->columns; c++)
      json_put(v, s->column[c], isnan(s->row[r].v[c]) ? json_null() : json_real(s->row[r].v[c]));
    json_put(row, "values", v);
    if (json_array_size(marked)) json_put(row, "earlier_verilog", marked);
    else json_decref(marked);
    json_array_append_new(rows, row);
  }
  json_put(o, "rows", rows);
  return o;
}

enum { LEAST_WIDE = 480, MOST_WIDE = 2400, MARGINS = 160, GROUP_WIDE = 24, BAR_WIDE = 12 };

unsigned sheet_bars_width(const struct sheet *s) {
  unsigned wide = MARGINS + s->rows * (GROUP_WIDE + BAR_WIDE * s->columns);
  return wide < LEAST_WIDE ? LEAST_WIDE : wide > MOST_WIDE ? MOST_WIDE : wide;
}

static void line_types(const struct sheet *s, FILE *f) {
  const char **name = xcalloc(s->columns, sizeof *name), **rgb = xcalloc(s->columns, sizeof *rgb);
  for (unsigned c = 0; c < s->columns; c++) name[c] = s->system[c][0] ? s->system[c] : s->column[c];
  colours_assign(name, s->columns, rgb);
  for (unsigned c = 0; c < s->columns; c++) fprintf(f, "set linetype %u lc rgb '%s'\n", c + 1, rgb[c]);
  free(name), free(rgb);
}

/* Among many columns one that is everywhere 1, what others are relative to, takes no place from them. */
static bool only_ones(const struct sheet *s, unsigned column) {
  for (unsigned r = 0; r < s->rows; r++)
    if (s->row[r].v[column] != 1) return false;
  return s->columns > 10;
}

void sheet_bars(const struct sheet *s, double line, struct plot *p) {
  FILE *f = plot_script(p);
  double most = 0;
  fprintf(f, "$d << EOD\n");
  for (unsigned r = 0; r < s->rows; r++, fprintf(f, "\n"))
    for (unsigned c = 0; c < s->columns; c++)
      if (isnan(s->row[r].v[c])) fprintf(f, "NaN ");
      else fprintf(f, "%.6g ", s->row[r].v[c]), most = fmax(most, s->row[r].v[c]);
  fprintf(f, "EOD\nset xtics (");
  for (unsigned r = 0; r < s->rows; r++)
    fprintf(f, "%s%s %u", r ? ", " : "", plot_tic(p, s->row[r].alias[0] ? s->row[r].alias : s->row[r].name), r);
  fprintf(f, ")\n");
  line_types(s, f);
  if (most >= 1e5) fprintf(f, "set format y '%%.0s %%c'\n"); /* 6 M, not 6e+06 */
  fprintf(f,
          "set title %s\nset style data histograms\n"
          "set style histogram clustered gap 1\nset boxwidth 0.9\nset style fill solid 0.9 border -1\n"
          "set xtics rotate by -50 scale 0\nset yrange [0:*]\nset grid ytics back lt 1 lc rgb '#cccccc'\n"
          "set bmargin 11\n"
          "set key outside top center horizontal reverse Left samplen 1.5 width 2\n"
          "plot ",
          plot_text(p, "%s", s->title));
  for (unsigned c = 0, shown = 0; c < s->columns; c++) {
    if (only_ones(s, c)) continue;
    fprintf(f, "%s$d using %u title %s lt %u", shown++ ? ", " : "", c + 1, plot_text(p, "%s", s->column[c]), c + 1);
  }
  if (!isnan(line)) fprintf(f, ", %g notitle lc rgb '#000000' dt 2 with lines", line);
  fprintf(f, "\n");
}

void sheet_lines(const struct sheet *s, const char *x, struct plot *p) {
  FILE *f = plot_script(p);
  fprintf(f, "$d << EOD\n");
  for (unsigned r = 0; r < s->rows; r++, fprintf(f, "\n")) {
    fprintf(f, "%s ", s->row[r].name);
    for (unsigned c = 0; c < s->columns; c++)
      if (isnan(s->row[r].v[c])) fprintf(f, "NaN ");
      else fprintf(f, "%.6g ", s->row[r].v[c]);
  }
  fprintf(f, "EOD\n");
  line_types(s, f);
  fprintf(f,
          "set title %s\nset xlabel %s\nset yrange [0:*]\nset grid ytics back lt 1 lc rgb '#cccccc'\n"
          "set key outside right center vertical reverse Left samplen 2\nplot ",
          plot_text(p, "%s", s->title), plot_text(p, "%s", x));
  for (unsigned c = 0; c < s->columns; c++) /* the first is the widest, so that lines that coincide are all seen */
    fprintf(f, "%s$d using 1:%u title %s lt %u lw %.1f pt 7 ps 0.4 with linespoints", c ? ", " : "", c + 2,
            plot_text(p, "%s", s->column[c]), c + 1, 1.5 + 4.0 * (s->columns - 1 - c) / s->columns);
  fprintf(f, "\n");
}
