/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slices_map: see slices_map.h. An architectural register's slices are in use after an instruction that writes it,
 * and wherever it is live; they hold the web that was written last in program order.
 */
#include "lab/run/slices_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "blocks/slice/entry.h"
#include "lab/report/plot.h"

enum { WIDE = 1300, AROUND = 150, HIGH = 900, KINDS = 9 };

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

static void slices_put_axes(const struct code *c, struct plot *plot) {
  const struct packing *p = c->packing;
  FILE *f = plot_script(plot);
  fprintf(f,
          "set title %s\n"
          "set xrange [0:%u]\nset yrange [0:%u]\nset xlabel 'instruction'\nset ylabel 'physical register'\n"
          "set xtics out nomirror\nset ytics out nomirror scale 0.5\nset style fill solid 1 noborder\n"
          "set bmargin 6\nset key at screen 0.5, screen 0.002 center bottom horizontal reverse Left samplen 1.5 "
          "noenhanced\nset ytics (",
          plot_text(plot, "%s: %u values of 32 bits in %u registers of 8 slices; at most %u slices taken at once",
                    c->name, p->nweb, p->rows, p->slices),
          c->n, 8 * p->rows);
  const unsigned step = p->rows > 96 ? 8 : p->rows > 40 ? 4 : p->rows > 16 ? 2 : 1;
  for (uint32_t r = 0; r < p->rows; r += step) fprintf(f, "%s'%u' %u", r ? ", " : "", r, 8 * r + 4);
  fprintf(f, ")\n");
  for (uint32_t r = 1; r < p->rows; r++)
    fprintf(f, "set arrow from 0,%u to %u,%u nohead lw 0.5 lc rgb '#bbbbbb' front\n", 8 * r, c->n, 8 * r);
}

bool slices_draw(const struct code *c, const char *path, struct err *e) {
  const unsigned slices = 8 * c->packing->rows;
  const unsigned line = slices <= HIGH / 6 ? 6 : slices <= HIGH / 4 ? 4 : slices <= HIGH / 2 ? 2 : 1;
  FILE *f;
  struct plot *p = plot_open(path, WIDE, AROUND + slices * line, &f, e);
  if (!p) return false;
  struct map m = {.c = c};
  bool any[KINDS];
  slices_find_pieces(&m);
  for (unsigned k = 0; k < KINDS; k++) {
    char name[8];
    snprintf(name, sizeof name, "k%u", k);
    any[k] = slices_put_pieces(&m, name, k, false, f) > 0;
  }
  bool split = slices_put_pieces(&m, "split", 0, true, f) > 0;
  slices_put_axes(c, p);
  fprintf(f, "plot ");
  for (unsigned k = 0; k < KINDS; k++)
    if (any[k])
      fprintf(f, "$k%u using 1:3:1:2:3:4 with boxxyerror lc rgb '%s' title '%s', \\\n", k, kinds[k].colour,
              kinds[k].name);
  if (split)
    fprintf(f,
            "$split using 1:(($3+$4)/2):($2-$1):(0) with vectors nohead lw 1 lc rgb '#000000' title 'part of one "
            "that is split', \\\n");
  fprintf(f, "-1 notitle\n");
  free(m.piece);
  return plot_close(p, e);
}
