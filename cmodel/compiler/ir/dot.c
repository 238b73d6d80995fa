/* SPDX-License-Identifier: Apache-2.0 */
/* dot: a kernel as readable text: registers, blocks, reconvergence and liveness; and its graph for Graphviz. */
#include <inttypes.h>
#include <stdlib.h>

#include "compiler/ir/flow.h"
#include "base/bits.h"
#include "base/show.h"

struct view {
  const struct code *c;
  struct graph g;
  uint32_t *ipdom;
  struct live live;
};

static void view_begin(struct view *v, const struct code *c) {
  v->c = c;
  graph_build(c, &v->g);
  v->ipdom = xcalloc((size_t)v->g.n + 1, sizeof *v->ipdom);
  pdom_build(&v->g, v->ipdom);
  live_build(c, &v->live);
}

static void view_end(struct view *v) {
  live_free(&v->live);
  free(v->ipdom);
  graph_free(&v->g);
}

static uint32_t dot_words_of(const struct code *c, uint32_t r) {
  return c->allocated ? r < LIVE_PRED : c->vreg[r].words;
}

static uint32_t live_count(const struct view *v, uint32_t i) {
  const uint64_t *in = v->live.in + (size_t)i * v->live.words;
  uint32_t n = 0;
  for (uint32_t w = 0; w < v->live.words; w++)
    for (uint64_t x = in[w]; x; x &= x - 1) n += dot_words_of(v->c, w * 64 + (uint32_t)bit_low64(x));
  return n;
}

static uint32_t warp_count(const struct code *c, uint32_t i) {
  uint32_t n = 0;
  for (unsigned w = 0; w < 4; w++) n += (uint32_t)bit_count64(c->warp_live[i][w]);
  return n;
}

/* A set of registers as "R0-R5 R8"; with up to 63 registers also as the hardware's 64-bit vector. */
static void dot_put_vector(const struct code *c, uint32_t i, FILE *f) {
  const uint64_t *set = c->warp_live[i];
  if (live_vectors(c)) fprintf(f, " %016" PRIx64, live_vector(c, i));
  for (uint32_t r = 0, to; r < c->nreg; r = to) {
    for (to = r; to < c->nreg && set_has(set, to); to++) continue;
    if (to == r) to++;
    else if (to == r + 1) fprintf(f, " R%" PRIu32, r);
    else fprintf(f, " R%" PRIu32 "-R%" PRIu32, r, to - 1);
  }
}

static uint32_t dot_bar_scale(uint32_t most) { /* registers per character of the bar */
  return most <= 40 ? 1 : (most + 39) / 40;
}

static void dot_put_legend(const struct code *c, uint32_t most, bool vectors, FILE *f) {
  if (!vectors)
    fprintf(f, "  bar           one # for %" PRIu32 " live register%s before the instruction\n", dot_bar_scale(most),
            dot_bar_scale(most) > 1 ? "s" : "");
  else if (live_vectors(c))
    fprintf(f, "  vector        bit r: some lane of the warp may still read Rr; then these registers\n");
  else
    fprintf(f,
            "  vector        none: %" PRIu32
            " registers, a vector has %d; registers that some lane of the warp may still read\n",
            c->nreg, LIVE_VECTOR_REGS);
}

static void dot_put_header(const struct code *c, const uint32_t *count, uint32_t most, bool vectors, FILE *f) {
  uint32_t regs = 0, preds = 0;
  for (uint32_t r = 0; r < c->nvreg; r++) {
    regs += c->vreg[r].words;
    preds += c->vreg[r].words == 0;
  }
  fprintf(f, "kernel %s (%s:%" PRIu32 ")\n", c->name, SHOWN(c->file ? c->file : "?"), c->line);
  fprintf(f, "  instructions  %" PRIu32 "\n", c->n);
  fprintf(f, "  registers     ");
  if (c->allocated)
    fprintf(f, "%" PRIu32 " (32-bit, per thread), at most %" PRIu32 " live at once, from %" PRIu32 " virtual\n",
            c->nreg, c->maxlive, regs);
  else fprintf(f, "not allocated; at most %" PRIu32 " live at once, %" PRIu32 " virtual\n", most, regs);
  if (c->allocated) fprintf(f, "  predicates    %" PRIu32 ", from %" PRIu32 " virtual\n", c->npred, preds);
  else fprintf(f, "  predicates    %" PRIu32 " virtual\n", preds);
  fprintf(f, "  shared        %" PRIu32 " bytes%s\n", c->shared_bytes,
          c->dyn_shared ? " + dynamic part, given by the launch" : "");
  fprintf(f, "  local         %" PRIu32 " bytes per thread, %" PRIu32 " loads and stores are spills\n", c->local_bytes,
          c->spills);
  fprintf(f, "  parameters    %" PRIu32 " bytes\n", c->param_bytes);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->n; i++) sum += count[i];
  if (c->n)
    fprintf(f, "  live          %" PRIu64 ".%" PRIu64 " in the mean over the text\n", sum / c->n, sum * 10 / c->n % 10);
  if (c->n) dot_put_legend(c, most, vectors, f);
}

static void dot_put_block_line(const struct view *v, uint32_t b, FILE *f) {
  const struct block *k = &v->g.block[b];
  fprintf(f, "\nB%" PRIu32 "  from", b);
  if (b == 0) fprintf(f, " entry");
  for (uint32_t p = 0; p < k->npred; p++) fprintf(f, " B%" PRIu32, k->pred[p]);
  fprintf(f, "  to");
  for (uint32_t s = 0; s < k->nsucc; s++) fprintf(f, " B%" PRIu32, k->succ[s]);
  if (k->leave == LEAVE_TRAP) fprintf(f, " trap");
  else if (k->leave) fprintf(f, " exit");
  if (k->nsucc > 1) {
    if (v->ipdom[b] == v->g.n) fprintf(f, "  meets at exit");
    else fprintf(f, "  meets at B%" PRIu32, v->ipdom[b]);
  }
  fputc('\n', f);
}

static void dot_put_text(const struct code *c, bool vectors, FILE *f) {
  struct view v;
  view_begin(&v, c);
  uint32_t *count = xcalloc((size_t)c->n + 1, sizeof *count), most = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    count[i] = vectors ? warp_count(c, i) : live_count(&v, i);
    if (count[i] > most) most = count[i];
  }
  dot_put_header(c, count, most, vectors, f);
  for (uint32_t b = 0; b < v.g.n; b++) {
    dot_put_block_line(&v, b, f);
    for (uint32_t i = v.g.block[b].first; i < v.g.block[b].end; i++) {
      char text[256];
      insn_print(c, i, text, sizeof text);
      fprintf(f, "%6" PRIu32 "  %-60s %4" PRIu32 " ", i, text, count[i]);
      if (vectors) dot_put_vector(c, i, f);
      for (uint32_t k = 0; !vectors && k < (count[i] + dot_bar_scale(most) - 1) / dot_bar_scale(most); k++)
        fputc('#', f);
      fputc('\n', f);
    }
  }
  free(count);
  view_end(&v);
}

void analyze_text(const struct code *c, FILE *f) { dot_put_text(c, false, f); }

void analyze_live(const struct code *c, FILE *f) { dot_put_text(c, true, f); }

/* Text inside a record label. */
static void dot_put_escaped(const char *s, FILE *f) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\' || *s == '{' || *s == '}' || *s == '|' || *s == '<' || *s == '>' || *s == ' ')
      fputc('\\', f);
    fputc(*s, f);
  }
}

void dot_put_quoted(const char *s, FILE *f) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') fputc('\\', f);
    fputc(*s, f);
  }
}

void analyze_dot(const struct code *c, FILE *f) {
  struct view v;
  view_begin(&v, c);
  fputs("digraph \"", f);
  dot_put_quoted(c->name, f);
  fputs(
      "\" {\n  node [shape=record, fontname=\"monospace\", fontsize=9];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
      f);
  for (uint32_t b = 0; b < v.g.n; b++) {
    const struct block *k = &v.g.block[b];
    fprintf(f, "  b%" PRIu32 " [label=\"{B%" PRIu32 "  (%" PRIu32 " live)|", b, b, live_count(&v, k->first));
    for (uint32_t i = k->first; i < k->end; i++) {
      char text[256];
      insn_print(c, i, text, sizeof text);
      fprintf(f, "%" PRIu32 "\\ \\ ", i);
      dot_put_escaped(text, f);
      fputs("\\l", f);
    }
    fputs("}\"];\n", f);
  }
  for (uint32_t b = 0; b < v.g.n; b++) {
    const struct block *k = &v.g.block[b];
    const struct insn *t = &c->insn[k->end - 1];
    for (uint32_t s = 0; s < k->nsucc; s++) {
      bool taken = t->op == OP_BRA && v.g.block_of[t->target] == k->succ[s];
      fprintf(f, "  b%" PRIu32 " -> b%" PRIu32 " [label=\"%s\"];\n", b, k->succ[s],
              k->nsucc > 1 || k->leave ? taken ? "taken" : "fall-through" : "");
    }
    if (k->nsucc > 1 && v.ipdom[b] != v.g.n)
      fprintf(f, "  b%" PRIu32 " -> b%" PRIu32 " [style=dashed, constraint=false, color=gray, label=\"meets\"];\n", b,
              v.ipdom[b]);
  }
  fputs("}\n", f);
  view_end(&v);
}
