/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices_map: see slices_map.h. An architectural register's slices are in use after an instruction that writes it,
 * and wherever it is live; they hold the web that was written last in program order.
 */
#include "lab/run/slices_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/slice/entry.h"
#include "lab/report/chart.h"
#include "lab/report/frame.h"

enum { WIDE = PLOT_WIDE, LEFT = 66, HIGH = 900, KINDS = 9 }; /* pixels; kinds */

static const struct {
  const char *name, *colour;
} kinds[KINDS] = {
    {"unsigned", "#4477aa"}, {"signed", "#66ccee"},  {"float8", "#fff3b0"},
    {"float12", "#ffe08a"},  {"float16", "#fdc35a"}, {"float20", "#f79d3c"},
    {"float24", "#e8702a"},  {"float28", "#cc4125"}, {"float32", "#8f1d1d"},
};

static unsigned web_kind_of(const struct web *w) { return w->fp ? w->n : w->sgn; } /* n: 2..8 */

/* Registers whose slices are in use after instruction i: live before a successor, or written. */
static void slices_registers_after(const struct code *c, uint32_t i, uint64_t set[4]) {
  const struct insn *in = &c->insn[i];
  bool ends = insn_ends_block(in);
  memset(set, 0, 4 * sizeof *set);
  for (unsigned k = 0; k < 4; k++) {
    if (i + 1 < c->n && (!ends || in->guard.kind == O_PRED)) set[k] |= c->live[i + 1][k];
    if (in->op == OP_BRA) set[k] |= c->live[in->target][k];
  }
  for (unsigned k = 0; k < c->op[i].ndst; k++) set_add(set, c->op[i].dst[k]);
}

struct piece {
  uint32_t from, to, web;
};

struct map {
  const struct code *c;
  struct piece *piece;
  uint32_t n, cap;
};

/* From instruction to instruction, each register's slices with one web in them. */
static void slices_find_pieces(struct map *m) {
  const struct code *c = m->c;
  uint32_t open[256], web[256] = {0}; /* piece, web; plus 1 */
  memset(open, 0, sizeof open);
  for (uint32_t i = 0; i < c->n; i++) {
    uint64_t set[4];
    slices_registers_after(c, i, set);
    for (unsigned k = 0; k < c->op[i].ndst; k++) web[c->op[i].dst[k]] = c->packing->insn[i].dst[k] + 1;
    for (uint32_t a = 0; a < c->nreg; a++) {
      if (!set_has(set, a) || !web[a]) {
        open[a] = 0;
        continue;
      }
      if (!open[a] || m->piece[open[a] - 1].web != web[a] - 1) {
        VEC_PUSH(m->piece, m->n, m->cap) = (struct piece){i, i, web[a] - 1};
        open[a] = m->n;
      }
      m->piece[open[a] - 1].to = i + 1;
    }
  }
}

/* "from to bottom top" of each run of slices; of webs of a kind, or of split ones. Returns how many there are. */
static unsigned slices_put_pieces(const struct map *m, const char *name, unsigned kind, bool split, FILE *f) {
  unsigned n = 0;
  fprintf(f, "$%s << EOD\n", name);
  for (uint32_t k = 0; k < m->n; k++) {
    const struct piece *p = &m->piece[k];
    const struct web *w = &m->c->packing->web[p->web];
    uint32_t e = m->c->packing->entry[w->reg];
    if (split ? !entry_m(e, true) : web_kind_of(w) != kind) continue;
    for (unsigned part = 0; part < 2; part++)
      for (unsigned s = 0, end; s < 8; s = end + 1) {
        for (end = s; end < 8 && entry_m(e, part) >> end & 1;) end++;
        if (end == s) continue;
        fprintf(f, "%u %u %u %u\n", p->from, p->to, 8 * entry_r(e, part) + s, 8 * entry_r(e, part) + end);
        n++;
      }
  }
  fprintf(f, "-1 -1 -1 -1\nEOD\n"); /* never empty, never seen */
  return n;
}

static double slices_put_key(struct plot *p, const bool any[KINDS], bool split, double y) {
  struct frame_key key[KINDS + 1];
  unsigned n = 0;
  for (unsigned k = 0; k < KINDS; k++)
    if (any[k]) key[n++] = (struct frame_key){kinds[k].name, kinds[k].colour, FRAME_BOX, 0};
  if (split) key[n++] = (struct frame_key){"part of one that is split", "#000000", FRAME_LINE, 0};
  return frame_put_key(p, FRAME_EDGE, y, WIDE - 2 * FRAME_EDGE, key, n);
}

static void slices_put_axes(const struct code *c, struct plot *p, const struct frame_area *a) {
  const struct plot_font font = {PLOT_NORMAL, false, 0, NULL}, turned = {PLOT_NORMAL, false, 90, NULL};
  const double row = (a->y1 - a->y0) / c->packing->rows;
  FILE *f = plot_script(p);
  struct frame_scale x = {.most = c->n};
  unsigned step = 1;
  while (step * row < PLOT_LINE_HIGH - 4) step *= 2;
  x.tics = chart_place_ticks(0, x.most, 10, x.tic, &x.decimals);
  frame_put_axes(p, a, &x, 0, 0, NULL);
  fprintf(f, "set yrange [0:%u]\nunset logscale y\nunset ytics\nunset grid\nset style fill solid 1 noborder\n",
          8 * c->packing->rows);
  for (uint32_t r = 0; r < c->packing->rows; r += step)
    plot_put(p, a->x0 - 6, a->y1 - (r + 0.5) * row, PLOT_RIGHT, font, "%u", r);
  for (uint32_t r = 1; r < c->packing->rows; r++)
    plot_put_line(p, a->x0, a->y1 - r * row, a->x1, a->y1 - r * row, 0.5, 1, "#bbbbbb");
  plot_put(p, (a->x0 + a->x1) / 2, a->y1 + 29, PLOT_MIDDLE, font, "instruction");
  plot_put(p, FRAME_EDGE + 8, (a->y0 + a->y1) / 2, PLOT_MIDDLE, turned, "physical register");
}

bool slices_draw(const struct code *c, const char *path, struct err *e) {
  const struct packing *k = c->packing;
  const unsigned slices = 8 * k->rows;
  const double high = fmax(slices * (slices <= HIGH / 6 ? 6 : slices <= HIGH / 4 ? 4 : slices <= HIGH / 2 ? 2 : 1), 96);
  char title[256], about[160];
  FILE *f;
  struct plot *p = plot_open(path, WIDE, WIDE, &f, e);
  if (!p) return false;
  struct map m = {.c = c};
  bool any[KINDS];
  slices_find_pieces(&m);
  for (unsigned i = 0; i < KINDS; i++) {
    char name[8];
    snprintf(name, sizeof name, "k%u", i);
    any[i] = slices_put_pieces(&m, name, i, false, f) > 0;
  }
  const bool split = slices_put_pieces(&m, "split", 0, true, f) > 0;
  snprintf(title, sizeof title, "What the slices of %.200s hold", c->name);
  snprintf(about, sizeof about, "%u values of 32 bits in %u registers of 8 slices; at most %u slices taken at once",
           k->nweb, k->rows, k->slices);
  const double y = slices_put_key(p, any, split, frame_put_head(p, title, about) + 2) + 8;
  const struct frame_area a = {LEFT, y, WIDE - FRAME_EDGE - 10, y + high};
  slices_put_axes(c, p, &a);
  fprintf(f, "plot ");
  for (unsigned i = 0; i < KINDS; i++)
    if (any[i]) fprintf(f, "$k%u using 1:3:1:2:3:4 with boxxyerror lc rgb '%s', ", i, kinds[i].colour);
  if (split) fprintf(f, "$split using 1:(($3+$4)/2):($2-$1):(0) with vectors nohead lw 1 lc rgb '#000000', ");
  fprintf(f, "-1 lc rgb '#ffffff'\n");
  plot_resize(p, WIDE, (unsigned)ceil(a.y1) + 48);
  free(m.piece);
  return plot_close(p, e);
}
