/* SPDX-License-Identifier: Apache-2.0 */
/* table: see table.h. */
#include "lab/report/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/show.h"

enum { WIDTH = 118, GAP = 2 };

struct row {
  const char *label, *unit;
  char **cell;
}; /* cell NULL: a section title */

struct table {
  struct arena arena;
  unsigned columns;
  char **head;
  struct row *row;
  unsigned nrow, cap;
};

struct table *table_new(unsigned columns) {
  struct table *t = xcalloc(1, sizeof *t);
  t->columns = columns;
  t->head = arena_alloc(&t->arena, (columns + 1) * sizeof *t->head);
  return t;
}

void table_free(struct table *t) {
  if (!t) return;
  arena_free(&t->arena);
  free(t->row);
  free(t);
}

static char *table_keep_text(struct table *t, const char *s) {
  s = SHOWN(s);
  return arena_strndup(&t->arena, s, strlen(s));
}

void table_head(struct table *t, unsigned column, const char *text) { t->head[column] = table_keep_text(t, text); }

void table_section(struct table *t, const char *title) {
  struct row r = {.label = table_keep_text(t, title)};
  VEC_PUSH(t->row, t->nrow, t->cap) = r;
}

void table_row(struct table *t, const char *label, const char *unit) {
  struct row r = {table_keep_text(t, label), table_keep_text(t, unit),
                  arena_alloc(&t->arena, (t->columns + 1) * sizeof(char *))};
  VEC_PUSH(t->row, t->nrow, t->cap) = r;
}

void table_cell(struct table *t, unsigned column, const char *text) {
  t->row[t->nrow - 1].cell[column] = table_keep_text(t, text);
}

static const char *table_cell_text(const char *cell) { return cell && cell[0] ? cell : "-"; }

static unsigned table_column_width(const struct table *t, unsigned column) {
  size_t w = strlen(table_cell_text(t->head[column]));
  for (unsigned i = 0; i < t->nrow; i++) {
    if (!t->row[i].cell) continue;
    size_t n = strlen(table_cell_text(t->row[i].cell[column]));
    if (n > w) w = n;
  }
  return (unsigned)w;
}

static void table_print_rule(FILE *f, unsigned n) {
  for (unsigned i = 0; i < n; i++) fputc('-', f);
  fputc('\n', f);
}

static void table_print_block(const struct table *t, FILE *f, unsigned first, unsigned end, unsigned label,
                              unsigned unit) {
  unsigned all = label + GAP + unit;
  for (unsigned c = first; c < end; c++) all += GAP + table_column_width(t, c);
  fprintf(f, "%-*s", (int)(label + GAP + unit), "");
  for (unsigned c = first; c < end; c++)
    fprintf(f, "%*s%*s", GAP, "", (int)table_column_width(t, c), table_cell_text(t->head[c]));
  fputc('\n', f);
  table_print_rule(f, all);
  for (unsigned i = 0; i < t->nrow; i++) {
    const struct row *r = &t->row[i];
    if (!r->cell) {
      fprintf(f, "%s%s\n", i ? "\n" : "", r->label);
      continue;
    }
    fprintf(f, "  %-*s%*s%-*s", (int)label - 2, r->label, GAP, "", (int)unit, r->unit);
    for (unsigned c = first; c < end; c++)
      fprintf(f, "%*s%*s", GAP, "", (int)table_column_width(t, c), table_cell_text(r->cell[c]));
    fputc('\n', f);
  }
}

void table_print(const struct table *t, FILE *f) {
  unsigned label = 0, unit = 0;
  for (unsigned i = 0; i < t->nrow; i++) {
    if (!t->row[i].cell) continue;
    unsigned l = (unsigned)strlen(t->row[i].label) + 2, u = (unsigned)strlen(t->row[i].unit);
    if (l > label) label = l;
    if (u > unit) unit = u;
  }
  for (unsigned first = 0, end; first < t->columns; first = end) {
    unsigned used = label + GAP + unit;
    for (end = first; end < t->columns; end++) {
      used += GAP + table_column_width(t, end);
      if (used > WIDTH && end > first) break;
    }
    if (first) fputc('\n', f);
    table_print_block(t, f, first, end, label, unit);
  }
}

const char *text_count(char buf[CELL], uint64_t n) {
  char digits[24];
  if (n == NOT_MODELLED) return snprintf(buf, CELL, "-"), buf;
  int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
  for (int i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0) buf[at++] = ',';
    buf[at++] = digits[i];
  }
  buf[at] = 0;
  return buf;
}

const char *text_ratio(char buf[CELL], uint64_t num, uint64_t den, unsigned decimals) {
  uint64_t scale = 1;
  if (!den) return snprintf(buf, CELL, "-"), buf;
  for (unsigned i = 0; i < decimals; i++) scale *= 10;
  unsigned __int128 v = ((unsigned __int128)num * scale + den / 2) / den;
  char whole[CELL];
  text_count(whole, (uint64_t)(v / scale));
  if (decimals) snprintf(buf, CELL, "%.27s.%0*llu", whole, (int)decimals, (unsigned long long)(v % scale));
  else snprintf(buf, CELL, "%s", whole);
  return buf;
}

const char *text_decimals(char buf[CELL], double x, unsigned decimals) {
  snprintf(buf, CELL, "%.*f", (int)decimals, x);
  return buf;
}

void shares_to_hundredths(const uint64_t *part, unsigned n, uint32_t *hundredths) {
  unsigned __int128 sum = 0;
  uint32_t given = 0;
  for (unsigned i = 0; i < n; i++) sum += part[i];
  for (unsigned i = 0; i < n; i++) {
    hundredths[i] = sum ? (uint32_t)((unsigned __int128)part[i] * 10000 / sum) : 0;
    given += hundredths[i];
  }
  if (!sum) return;
  /* What rounding down left over (less than n) goes to the largest remainders, the first of equals. */
  uint64_t taken = 0;
  for (; given < 10000; given++) {
    unsigned best = n;
    unsigned __int128 most = 0;
    for (unsigned i = 0; i < n; i++) {
      unsigned __int128 rest = (unsigned __int128)part[i] * 10000 % sum;
      if (taken >> i & 1 || rest <= most) continue;
      best = i;
      most = rest;
    }
    if (best == n) break;
    taken |= 1ull << best;
    hundredths[best]++;
  }
}

const char *text_hundredths(char buf[CELL], uint32_t h) {
  snprintf(buf, CELL, "%u.%02u", h / 100, h % 100);
  return buf;
}
