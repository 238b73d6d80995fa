/* SPDX-License-Identifier: Apache-2.0 */
/* grid: see grid.h. */
#include "lab/report/grid.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/show.h"

enum { COLUMNS = 24 };

struct grid {
  struct arena arena;
  struct {
    const char *cell[COLUMNS];
    unsigned n;
  } * row;
  unsigned n, cap, width[COLUMNS];
  unsigned wrap; /* 0: rows stay whole */
  bool right[COLUMNS];
};

struct grid *grid_new(void) {
  return xcalloc(1, sizeof(struct grid));
}

void grid_free(struct grid *g) {
  arena_free(&g->arena);
  free(g->row);
  free(g);
}

void grid_row(struct grid *g) { VEC_PUSH(g->row, g->n, g->cap).n = 0; }

void grid_cell(struct grid *g, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  unsigned c = g->row[g->n - 1].n++;
  if (c >= COLUMNS) die("more than %d columns", COLUMNS);
  const char *shown = SHOWN(text);
  unsigned n = (unsigned)strlen(shown);
  g->row[g->n - 1].cell[c] = arena_strndup(&g->arena, shown, n);
  if (n > g->width[c]) g->width[c] = n;
}

void grid_put_heads(struct grid *g, const char *const *head, unsigned n) {
  grid_row(g);
  for (unsigned i = 0; i < n; i++) grid_cell(g, "%s", head[i]);
}

void grid_right(struct grid *g, unsigned first, unsigned last) {
  for (unsigned c = first; c <= last; c++) g->right[c] = true;
}

void grid_wrap(struct grid *g, unsigned width) { g->wrap = width; }

enum { GAP = 2, LEAST_TEXT = 24 }; /* a narrower text is not broken */

void grid_print(const struct grid *g, FILE *f) {
  for (unsigned r = 0; r < g->n; r++)
    for (unsigned c = 0, at = 0; c < g->row[r].n; at += g->width[c++] + GAP) {
      bool last = c + 1 == g->row[r].n;
      int width = last && !g->right[c] ? 0 : (int)g->width[c];
      if (last && c && g->wrap >= at + LEAST_TEXT) show_wrapped(f, g->row[r].cell[c], at, at, g->wrap);
      else fprintf(f, "%*s%s", g->right[c] ? width : -width, g->row[r].cell[c], last ? "\n" : "  ");
    }
}
