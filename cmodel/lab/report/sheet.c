/* SPDX-License-Identifier: Apache-2.0 */
/* sheet: see sheet.h. */
#include "lab/report/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/show.h"
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

bool sheet_is_mean(const char *name) {
  static const char *const kinds[] = {"geometric ", "arithmetic ", ""};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t n = strlen(kinds[i]);
    if (!strncmp(name, kinds[i], n) && !strncmp(name + n, "mean", 4) && (!name[n + 4] || name[n + 4] == ','))
      return true;
  }
  return false;
}
