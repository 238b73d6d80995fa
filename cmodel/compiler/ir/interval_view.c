/* SPDX-License-Identifier: Apache-2.0 */
/* interval_view: register-intervals and strands as a table, and as clusters of a control-flow graph for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/flow.h"
#include "base/show.h"
#include "compiler/ir/interval.h"

/* ---- the table ---- */

/* Instructions [from, to) of an interval, all that follow each other. */
struct run {
  uint32_t interval, from, to;
};

static int by_interval(const void *a, const void *b) {
  const struct run *x = a, *y = b;
  if (x->interval != y->interval) return x->interval < y->interval ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static struct run *intervals_find_runs(const struct cfg *g, const struct intervals *v, uint32_t *n) {
  struct run *run = NULL;
  uint32_t room = 0;
  *n = 0;
  for (uint32_t x = 0; x < g->n; x++) {
    if (v->at[x] == INTERVAL_NONE) continue;
    if (*n && run[*n - 1].interval == v->at[x] && run[*n - 1].to == x) run[*n - 1].to++;
    else VEC_PUSH(run, *n, room) = (struct run){v->at[x], x, x + 1};
  }
  if (*n) qsort(run, *n, sizeof *run, by_interval);
  return run;
}

struct span { /* of some numbers */
  uint64_t sum;
  uint32_t n, least, most;
};

static void span_add(struct span *s, uint32_t x) {
  if (!s->n || x < s->least) s->least = x;
  if (!s->n || x > s->most) s->most = x;
  s->sum += x;
  s->n++;
}

static void intervals_put_span(const char *name, const struct span *s, FILE *f) {
  if (!s->n) return;
  fprintf(f, "  %-13s %" PRIu64 ".%" PRIu64 " in the mean, %" PRIu32 " to %" PRIu32 "\n", name, s->sum / s->n,
          s->sum * 10 / s->n % 10, s->least, s->most);
}

static void intervals_put_percent(uint64_t part, uint64_t whole, FILE *f) {
  const uint64_t tenths = whole ? (1000 * part + whole / 2) / whole : 0;
  fprintf(f, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
}

static void intervals_put_head(const struct cfg *g, const struct cfg_func *f, const struct intervals *v, uint32_t from,
                               uint32_t to, const char *what, uint32_t most, FILE *out) {
  const uint32_t n = g->block[f->end - 1].end - g->block[f->first].first;
  const uint64_t bytes = (uint64_t)n * f->insn_bytes, vectors = 32ull * (to - from);
  uint32_t unreached = 0;
  struct span length = {0}, regs = {0};
  for (uint32_t i = from; i < to; i++) {
    span_add(&length, v->of[i].length);
    span_add(&regs, regset_count(v->of[i].regs));
  }
  for (uint32_t b = f->first; b < f->end; b++) unreached += v->in[b] == INTERVAL_NONE;
  fprintf(out, "function %s (%s", SHOWN(f->name), SHOWN(g->file ? g->file : "?"));
  if (g->code) fprintf(out, ":%" PRIu32, g->code->line);
  fprintf(out, ")\n  code          %" PRIu32 " instructions of %" PRIu32 " bytes in %" PRIu32 " blocks\n", n,
          f->insn_bytes, f->end - f->first);
  fprintf(out, "  intervals     %" PRIu32 " %s%s of at most %" PRIu32 " registers\n", to - from, what,
          to - from == 1 ? "" : "s", most);
  intervals_put_span("length", &length, out);
  intervals_put_span("registers", &regs, out);
  fprintf(out, "  PREFETCH      +");
  intervals_put_percent(vectors, bytes, out);
  fprintf(out, " of code for the vectors, +");
  intervals_put_percent(vectors + (uint64_t)f->insn_bytes * (to - from), bytes, out);
  fprintf(out, " with an instruction for each\n");
  if (unreached)
    fprintf(out, "  unreached     %" PRIu32 " block%s, in no interval\n", unreached, unreached == 1 ? "" : "s");
}

static void header_name(const struct cfg *g, const struct reg_interval *i, char *buf, size_t size) {
  char name[256];
  cfg_block_name(g, i->block, name, sizeof name);
  show_text(buf, size, name);
}

static const struct run *intervals_put_interval(const struct cfg *g, const struct intervals *v, uint32_t i,
                                                uint32_t number, int width, const struct run *run,
                                                const struct run *end, FILE *out) {
  const struct reg_interval *it = &v->of[i];
  const uint32_t base = g->block[g->func[it->func].first].first;
  char name[256], regs[2048];
  header_name(g, it, name, sizeof name);
  regset_print(it->regs, regs, sizeof regs);
  fprintf(out, "  %8" PRIu32 "  0x%04" PRIx32 "  %-*s %6" PRIu32 " %9" PRIu32 "  %-40s ", number, it->pc, width, name,
          it->length, regset_count(it->regs), regs[0] ? regs : "-");
  for (; run < end && run->interval == i; run++) {
    fprintf(out, " %" PRIu32, run->from - base);
    if (run->to > run->from + 1) fprintf(out, "-%" PRIu32, run->to - 1 - base);
  }
  fputc('\n', out);
  return run;
}

/* Intervals [from, to), those of function f. */
static const struct run *intervals_put_table(const struct cfg *g, const struct intervals *v, uint32_t from, uint32_t to,
                                             const struct run *run, const struct run *end, FILE *out) {
  int width = 6;
  for (uint32_t i = from; i < to; i++) {
    char name[256];
    header_name(g, &v->of[i], name, sizeof name);
    const int n = (int)strlen(name);
    if (n > width) width = n < 40 ? n : 40;
  }
  fprintf(out, "  interval      pc  %-*s length registers  %-40s  instructions\n", width, "header", "");
  for (uint32_t i = from; i < to; i++) run = intervals_put_interval(g, v, i, i - from, width, run, end, out);
  return run;
}

void intervals_text(const struct cfg *g, const struct intervals *v, const char *what, uint32_t most, FILE *f) {
  uint32_t n;
  struct run *all = intervals_find_runs(g, v, &n);
  const struct run *run = all;
  for (uint32_t k = 0, from = 0, to = 0; k < g->nfunc; k++, from = to) {
    if (g->func[k].first == g->func[k].end) continue;
    while (to < v->n && v->of[to].func == k) to++;
    intervals_put_head(g, &g->func[k], v, from, to, what, most, f);
    run = intervals_put_table(g, v, from, to, run, n ? all + n : NULL, f);
    fputc('\n', f);
  }
  free(all);
}

/* ---- Graphviz ---- */

static const char *const colours[] = {"#dbe9f6", "#fde3c8", "#dcf0d8", "#f6d9dc",
                                      "#e8def2", "#f3efc3", "#d3f0ee", "#ece0d6"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Instructions [from, to) of block b, all in one interval or in none: a node. */
static void intervals_put_piece(const struct cfg *g, bool in, uint32_t b, uint32_t from, uint32_t to, FILE *f) {
  char name[256], text[256];
  cfg_block_name(g, b, name, sizeof name);
  fprintf(f, "    b%" PRIu32 "_%" PRIu32 " [%slabel=\"", b, from, in ? "" : "style=dashed, ");
  dot_put_quoted(name, f);
  fputs(from > g->block[b].first ? " (cut)\\n" : "\\n", f);
  for (uint32_t x = from; x < to; x++) {
    cfg_text(g, x, text, sizeof text);
    fprintf(f, "%" PRIx32 "  ", g->insn[x].pc);
    dot_put_quoted(text, f);
    fputs("\\l", f);
  }
  fputs("\"];\n", f);
}

static uint32_t piece_end(const struct cfg *g, const struct intervals *v, uint32_t b, uint32_t from) {
  uint32_t x = from;
  while (x < g->block[b].end && v->at[x] == v->at[from]) x++;
  return x;
}

/* A piece of a block, for sorting by interval. */
struct piece {
  uint32_t interval, block, from, to;
};

static int by_piece(const void *a, const void *b) {
  const struct piece *x = a, *y = b;
  if (x->interval != y->interval) return x->interval < y->interval ? -1 : 1;
  if (x->block != y->block) return x->block < y->block ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static struct piece *intervals_find_pieces(const struct cfg *g, const struct intervals *v, uint32_t *n) {
  struct piece *piece = NULL;
  uint32_t room = 0;
  *n = 0;
  for (uint32_t b = 0; b < g->nblock; b++) {
    uint32_t x = g->block[b].first;
    do {
      const uint32_t to = piece_end(g, v, b, x), at = x < to ? v->at[x] : v->in[b];
      VEC_PUSH(piece, *n, room) = (struct piece){at, b, x, to};
      x = to;
    } while (x < g->block[b].end);
  }
  if (*n) qsort(piece, *n, sizeof *piece, by_piece);
  return piece;
}

/* number: in its function. */
static void intervals_put_cluster(const struct cfg *g, const struct intervals *v, uint32_t i, uint32_t number,
                                  FILE *f) {
  char regs[2048];
  regset_print(v->of[i].regs, regs, sizeof regs);
  fprintf(f, "  subgraph \"cluster_i%" PRIu32 "\" {\n    style=filled; color=\"%s\"; label=\"", i,
          colours[i % COLOURS]);
  if (g->nfunc > 1) {
    dot_put_quoted(g->func[v->of[i].func].name, f);
    fputs(", ", f);
  }
  fprintf(f, "%" PRIu32 ": %" PRIu32 " registers\\l%s\\l\";\n", number, regset_count(v->of[i].regs), regs);
}

static void intervals_put_edges(const struct cfg *g, const struct intervals *v, uint32_t b, FILE *f) {
  const struct cfg_block *k = &g->block[b];
  uint32_t x = k->first;
  for (uint32_t to; (to = piece_end(g, v, b, x)) < k->end; x = to)
    fprintf(f, "  b%" PRIu32 "_%" PRIu32 " -> b%" PRIu32 "_%" PRIu32 ";\n", b, x, b, to);
  for (uint32_t s = 0; s < k->nsucc; s++) {
    const uint32_t to = g->succ[k->succ + s];
    fprintf(f, "  b%" PRIu32 "_%" PRIu32 " -> b%" PRIu32 "_%" PRIu32 ";\n", b, x, to, g->block[to].first);
  }
}

void intervals_dot(const struct cfg *g, const struct intervals *v, FILE *f) {
  uint32_t n;
  struct piece *piece = intervals_find_pieces(g, v, &n);
  fprintf(f, "digraph \"");
  dot_put_quoted(g->nfunc == 1 ? g->func[0].name : "functions", f);
  fputs(
      "\" {\n  node [shape=box, style=filled, fillcolor=white, fontname=\"monospace\", fontsize=9];\n"
      "  graph [fontname=\"sans-serif\", fontsize=10, labeljust=l, labelloc=b];\n",
      f);
  for (uint32_t k = 0, number = 0; k < n; k++) {
    const bool in = piece[k].interval != INTERVAL_NONE;
    const uint32_t i = piece[k].interval;
    if (in && (!k || piece[k - 1].interval != i)) {
      number = i && v->of[i].func == v->of[i - 1].func ? number + 1 : 0;
      intervals_put_cluster(g, v, i, number, f);
    }
    intervals_put_piece(g, in, piece[k].block, piece[k].from, piece[k].to, f);
    if (in && (k + 1 == n || piece[k + 1].interval != i)) fputs("  }\n", f);
  }
  for (uint32_t b = 0; b < g->nblock; b++) intervals_put_edges(g, v, b, f);
  fputs("}\n", f);
  free(piece);
}
