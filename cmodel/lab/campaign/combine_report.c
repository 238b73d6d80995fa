/* SPDX-License-Identifier: Apache-2.0 */
/* combine: the matrix, and what its pairs gave; see combine.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/combine.h"
#include "lab/report/grid.h"
#include "lab/report/json.h"

/* ---- the matrix ---- */

enum { NOTE = 768 };
struct notes { /* each reason once, in the order of the matrix */
  char (*text)[NOTE];
  unsigned n, cap;
};

/* "slot.l1 cerf with slot.storage ltrf, expected ..." without what was found, so that one note serves a row. */
static void note_shorten(const char *why, char text[NOTE]) {
  const char *with = strstr(why, " with slot."), *expected = strstr(why, ", expected slot.");
  if (with && expected && with < expected) snprintf(text, NOTE, "%.*s%s", (int)(with - why), why, expected);
  else snprintf(text, NOTE, "%s", why);
}

static unsigned note_of(struct notes *x, const char *why) {
  char text[NOTE];
  note_shorten(why, text);
  for (unsigned i = 0; i < x->n; i++)
    if (!strcmp(x->text[i], text)) return i + 1;
  memcpy(VEC_PUSH(x->text, x->n, x->cap), text, NOTE);
  return x->n;
}

static char combine_choice_letter(unsigned i) { return (char)(i < 26 ? 'a' + i : 'A' + i - 26); }

/* "+", "+n": with what note n says, "n": refused for that reason. */
static void combine_mark_text(const struct combination *x, struct notes *notes, char text[16]) {
  const char *why = x->legal ? x->brought : x->why;
  if (why[0]) snprintf(text, 16, "%s%u", x->legal ? "+" : "", note_of(notes, why));
  else snprintf(text, 16, "+");
}

void combine_print(const struct combine *c, FILE *f) {
  struct grid *g = grid_new();
  struct notes notes = {0};
  unsigned legal = 0, refused = 0;
  grid_row(g);
  grid_cell(g, "choice");
  for (unsigned b = 0; b < c->n; b++) grid_cell(g, "%c", combine_choice_letter(b));
  for (unsigned a = 0; a < c->n; a++) {
    grid_row(g);
    grid_cell(g, "%c %s %s", combine_choice_letter(a), c->choice[a].slot->name, c->choice[a].name);
    for (unsigned b = 0; b < c->n; b++) {
      char text[16] = ".";
      const struct combination *x = combine_of(c, a, b);
      if (combine_asked(c, a, b)) {
        combine_mark_text(x, &notes, text);
        if (a < b) ++*(x->legal ? &legal : &refused);
      }
      grid_cell(g, "%s", text);
    }
  }
  grid_right(g, 1, c->n);
  grid_print(g, f);
  fprintf(
      f,
      "\n%u pairs run, %u are refused. +: runs, alone or with what the note says; number: refused, why; .: one slot\n",
      legal, refused);
  for (unsigned i = 0; i < notes.n; i++) {
    const bool needs = !strncmp(notes.text[i], "slot.", 5) && !strchr(notes.text[i], ' ');
    fprintf(f, "%3u  %s%s\n", i + 1, needs ? "with " : "", notes.text[i]);
  }
  grid_free(g);
  free(notes.text);
}

json_t *combine_json(const struct combine *c) {
  json_t *all = json_array();
  for (unsigned a = 0; a < c->n; a++)
    for (unsigned b = a + 1; b < c->n; b++) {
      const struct combination *x = combine_of(c, a, b);
      if (!combine_asked(c, a, b)) continue;
      json_t *o = json_object(), *slots = json_object();
      json_put(slots, c->choice[a].slot->name, json_text(c->choice[a].name));
      json_put(slots, c->choice[b].slot->name, json_text(c->choice[b].name));
      json_put(o, "choices", slots);
      json_put(o, "runs", json_boolean(x->legal));
      json_put(o, "machine", x->legal ? json_text(x->cfg.machine) : json_null());
      json_put(o, "options", x->legal ? json_text(x->command) : json_null());
      json_put(o, "with", x->brought[0] ? json_text(x->brought) : json_null());
      json_put(o, "reason", x->legal ? json_null() : json_text(x->why));
      json_array_append_new(all, o);
    }
  json_t *j = json_object();
  json_put(j, "combinations", all);
  return j;
}

/* ---- what they gave ---- */

static int system_of(const struct matrix *m, const char *label) {
  for (unsigned i = 0; i < m->nsystem; i++)
    if (!strcmp(m->system[i].label, label)) return (int)i;
  return -1;
}

static void combine_add_system(struct matrix *m, const char *label, const struct config *cfg) {
  struct plan p = {.cfg = *cfg};
  if (system_of(m, label) >= 0) return;
  snprintf(p.label, sizeof p.label, "%s", label);
  VEC_PUSH(m->system, m->nsystem, m->systems_cap) = p;
}

enum { LABEL = 128 };
static void combine_pair_label(const struct combine *c, const struct combination *x, char text[LABEL]) {
  snprintf(text, LABEL, "%.50s + %.50s", c->choice[x->a].name, c->choice[x->b].name);
}
static void combine_label_on(const char *what, const struct config *c, char text[LABEL]) {
  snprintf(text, LABEL, "%.50s on %.50s", what, c->machine);
}

static void add_pair(const struct combine *c, struct matrix *m, const struct combination *x) {
  char label[LABEL];
  struct config base;
  struct err e = {0};
  if (!config_load(&base, x->cfg.machine, "baseline", &e)) die("%s", e.text);
  base.sim_check = x->cfg.sim_check;
  combine_label_on("baseline", &base, label);
  combine_add_system(m, label, &base);
  for (unsigned i = 0; i < 2; i++) {
    combine_label_on(c->choice[i ? x->b : x->a].name, &base, label);
    if (x->alone[i].machine[0]) combine_add_system(m, label, &x->alone[i]);
  }
  combine_pair_label(c, x, label);
  combine_add_system(m, label, &x->cfg);
}

void combine_systems(const struct combine *c, struct matrix *m) {
  for (unsigned a = 0; a < c->n; a++)
    for (unsigned b = a + 1; b < c->n; b++)
      if (combine_asked(c, a, b) && combine_of(c, a, b)->legal) add_pair(c, m, combine_of(c, a, b));
}

struct gain { /* of a pair */
  const struct combination *of;
  struct mean ipc, one,
      other; /* relative to the baseline, of the pair and its choices alone, over the kernels that all ran */
  unsigned failed, differs;
};

static bool combine_system_ipc(const struct matrix *m, unsigned k, int s, double *out) {
  return s >= 0 && matrix_value(m, measure_find("ipc"), k, (unsigned)s, out) && *out > 0;
}

static struct gain gain_of(const struct combine *c, const struct matrix *m, const struct combination *x) {
  struct gain g = {.of = x};
  char label[LABEL], on[3][LABEL];
  combine_pair_label(c, x, label);
  combine_label_on("baseline", &x->cfg, on[0]);
  combine_label_on(c->choice[x->a].name, &x->cfg, on[1]);
  combine_label_on(c->choice[x->b].name, &x->cfg, on[2]);
  const int s = system_of(m, label), base = system_of(m, on[0]), of_one = system_of(m, on[1]),
            of_other = system_of(m, on[2]);
  if (s < 0 || base < 0) die("no runs of %s", label);
  for (unsigned k = 0; k < m->nkernel; k++) {
    double ipc, was, a, b;
    g.failed += !matrix_cell(m, k, (unsigned)s)->ok;
    g.differs += !m->kernel[k].timed && matrix_differs(m, k, (unsigned)s, (unsigned)base);
    if (!combine_system_ipc(m, k, s, &ipc) || !combine_system_ipc(m, k, base, &was)) continue;
    mean_add(&g.ipc, ipc / was);
    if (combine_system_ipc(m, k, of_one, &a)) mean_add(&g.one, a / was);
    if (combine_system_ipc(m, k, of_other, &b)) mean_add(&g.other, b / was);
  }
  return g;
}

static double over_better(const struct gain *g) {
  const double a = mean_geometric_or_nan(g->one), b = mean_geometric_or_nan(g->other),
               better = isnan(a)            ? b
                        : isnan(b) || a > b ? a
                                            : b;
  return isnan(better) ? mean_geometric_or_nan(g->ipc) : mean_geometric_or_nan(g->ipc) / better;
}

static int by_gain(const void *p, const void *q) {
  const double a = over_better(p), b = over_better(q);
  return a < b ? 1 : a > b ? -1 : 0;
}

static void combine_put_number(struct grid *g, double x) {
  if (isnan(x)) grid_cell(g, "-");
  else grid_cell(g, "%.3f", x);
}

static void combine_print_failures(const struct combine *c, const struct matrix *m, const struct gain *g, FILE *f) {
  char label[LABEL], base[LABEL];
  combine_pair_label(c, g->of, label);
  combine_label_on("baseline", &g->of->cfg, base);
  const unsigned s = (unsigned)system_of(m, label), b = (unsigned)system_of(m, base);
  for (unsigned k = 0; k < m->nkernel; k++) {
    const struct cell *x = matrix_cell(m, k, s);
    if (!x->ok) fprintf(f, "%s: %s: %s\n", label, m->kernel[k].kernel, x->e.text);
    else if (!m->kernel[k].timed && matrix_differs(m, k, s, b))
      fprintf(f, "%s: %s: other work than on the baseline\n", label, m->kernel[k].kernel);
  }
}

unsigned combine_results(const struct combine *c, const struct matrix *m, FILE *f) {
  struct gain *g = xcalloc(c->n * c->n, sizeof *g);
  struct grid *t = grid_new();
  unsigned n = 0, wrong = 0;
  for (unsigned a = 0; a < c->n; a++)
    for (unsigned b = a + 1; b < c->n; b++)
      if (combine_asked(c, a, b) && combine_of(c, a, b)->legal) g[n++] = gain_of(c, m, combine_of(c, a, b));
  qsort(g, n, sizeof *g, by_gain);
  static const char *const head[] = {"pair", "on", "IPC", "first alone", "second alone", "over the better", "kernels"};
  grid_row(t);
  for (unsigned i = 0; i < sizeof head / sizeof *head; i++) grid_cell(t, "%s", head[i]);
  for (unsigned i = 0; i < n; i++) {
    grid_row(t);
    grid_cell(t, "%s + %s", c->choice[g[i].of->a].name, c->choice[g[i].of->b].name);
    grid_cell(t, "%s", g[i].of->cfg.machine);
    combine_put_number(t, mean_geometric_or_nan(g[i].ipc));
    combine_put_number(t, mean_geometric_or_nan(g[i].one));
    combine_put_number(t, mean_geometric_or_nan(g[i].other));
    combine_put_number(t, over_better(&g[i]));
    grid_cell(t, "%u", m->nkernel - g[i].failed - g[i].differs);
    wrong += g[i].failed || g[i].differs;
  }
  grid_right(t, 2, 6);
  grid_print(t, f);
  fprintf(f,
          "\nGeometric means of IPC relative to the machine's baseline; %u pairs on %u kernels of size %s, %u with a "
          "kernel that failed\n",
          n, m->nkernel, m->size, wrong);
  for (unsigned i = 0; i < n; i++) combine_print_failures(c, m, &g[i], f);
  grid_free(t);
  free(g);
  return wrong;
}
