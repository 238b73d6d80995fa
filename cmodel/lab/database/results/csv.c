/* SPDX-License-Identifier: Apache-2.0 */
/* csv: see csv.h. */
#include "lab/database/results/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "lab/database/results/report.h"

/* Digits, with a sign, a point and an exponent: no spreadsheet reads more than a number in it. */
static bool csv_is_numeric(const char *s) {
  s += *s == '-' || *s == '+';
  const char *digits = s;
  s += strspn(s, "0123456789");
  s += *s == '.';
  s += strspn(s, "0123456789");
  if (s > digits && *s == 'e') {
    s += 1 + (s[1] == '-' || s[1] == '+');
    s += strspn(s, "0123456789");
  }
  return s > digits && !*s;
}

/* A text that a spreadsheet would take for a formula gets an apostrophe before it, which spreadsheets take for "this is a text". */
void csv_text(FILE *f, const char *text) {
  const size_t size = 4 * strlen(text) + 1;
  char *all = show_text(xmalloc(size), size, text);
  const bool formula = all[0] && strchr("=+-@", all[0]) && !csv_is_numeric(all);
  const bool quote = all[strcspn(all, ",\"")] || all[0] == ' ';
  if (quote) fputc('"', f);
  if (formula) fputc('\'', f);
  for (const char *s = all; *s; s++) {
    if (*s == '"') fputc('"', f);
    fputc(*s, f);
  }
  if (quote) fputc('"', f);
  free(all);
}

/* Seven digits are what any of the measures is good for, and enough to compare. */
static void csv_put_number(FILE *f, double x) {
  if (!isnan(x)) fprintf(f, x == floor(x) && fabs(x) < 1e15 ? "%.0f" : "%.7g", x);
}

/* ---- a line for each run ---- */

/* Keys of which two runs have different values. */
static unsigned csv_list_keys(const struct outcome_set *s, const struct key **key) {
  const struct outcome *first = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < s->n && !first; i++)
    if (s->row[i].known) first = &s->row[i];
  for (unsigned k = 0; first && k < config_nkeys; k++)
    for (unsigned i = 0; i < s->n; i++)
      if (s->row[i].known && s->row[i].cfg != first->cfg && !key_same(s->row[i].cfg, first->cfg, &config_keys[k])) {
        key[n++] = &config_keys[k];
        break;
      }
  return n;
}

static bool csv_is_zero(const char *text) { return !text[0] || !text[strspn(text, "0")]; }

/* Columns of a result that some run has; those that the line has by itself, and the host's, are left out. */
static unsigned csv_list_counters(const struct outcome_set *s, enum csv_columns which, const struct column **out) {
  static const char *const left_out[] = {"ran_size",       "ran_seed", "functional", "host_ns",
                                         "peak_rss_bytes", "partial",  "part"};
  unsigned n = 0;
  for (unsigned c = 0; which != CSV_MEASURES && c < run_ncolumns; c++) {
    char buf[COLUMN_TEXT_MOST];
    bool there = which == CSV_COUNTERS;
    for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++)
      if (!strcmp(run_columns[c].name, left_out[i])) goto next;
    for (unsigned i = 0; i < s->n && !there; i++)
      there = s->row[i].run && !csv_is_zero(outcome_counter(s->row[i].run, &run_columns[c], buf));
    if (there) out[n++] = &run_columns[c];
  next:;
  }
  return n;
}

static void csv_put_head(const struct key *const *key, unsigned keys, const struct column *const *column,
                         unsigned columns, FILE *f) {
  fputs("run,kernel,size,seed,machine,system,state,partial,seconds,memory_bytes", f);
  for (unsigned k = 0; k < keys; k++) fprintf(f, ",%s.%s", key[k]->section, key[k]->name);
  for (unsigned m = 0; m < nmeasures; m++) fprintf(f, ",%s", measures[m].key);
  fputs(",no_area,no_energy", f);
  for (unsigned c = 0; c < columns; c++)
    fprintf(f, ",%s%s", measure_find(column[c]->name) ? "counter_" : "", column[c]->name);
  fputc('\n', f);
}

/* Why the run has no area, or no energy; or whose logic its energy takes. */
static void csv_put_run_lack(const struct outcome *o, const char *measure, FILE *f) {
  char text[1200] = "";
  if (o->run) measure_lack(measure_find(measure), o->run, text, sizeof text);
  fputc(',', f);
  csv_text(f, text);
}

static void csv_put_line(const struct outcome *o, const struct key *const *key, unsigned keys,
                         const struct column *const *column, unsigned columns, FILE *f) {
  const char *const text[] = {o->kernel, o->size};
  fprintf(f, "%.16s", o->key);
  for (unsigned i = 0; i < 2; i++) fputc(',', f), csv_text(f, text[i]);
  fprintf(f, ",%llu,", (unsigned long long)o->seed);
  csv_text(f, o->machine), fputc(',', f);
  csv_text(f, o->system);
  fprintf(f, ",%s,", outcome_state_name[o->state]);
  csv_text(f, o->partial);
  fputc(',', f);
  if (o->seconds > 0) fprintf(f, "%.2f", o->seconds);
  fputc(',', f);
  if (o->memory) fprintf(f, "%llu", (unsigned long long)o->memory);
  for (unsigned k = 0; k < keys; k++) {
    char value[KEY_TEXT] = "";
    if (o->known) key_print(o->cfg, key[k], value, sizeof value);
    fputc(',', f);
    csv_text(f, value);
  }
  for (unsigned m = 0; m < nmeasures; m++) {
    double x;
    fputc(',', f);
    if (o->run && measure_of(&measures[m], o->run, &x)) csv_put_number(f, x);
  }
  csv_put_run_lack(o, "area", f), csv_put_run_lack(o, "energy", f);
  for (unsigned c = 0; c < columns; c++) {
    char buf[COLUMN_TEXT_MOST];
    fputc(',', f);
    if (o->run) csv_text(f, outcome_counter(o->run, column[c], buf));
  }
  fputc('\n', f);
}

void csv_runs(const struct outcome_set *s, enum csv_columns which, FILE *f) {
  const struct key **key = xcalloc(config_nkeys, sizeof *key);
  const struct column **column = xcalloc(run_ncolumns, sizeof *column);
  const unsigned keys = csv_list_keys(s, key), columns = csv_list_counters(s, which, column);
  csv_put_head(key, keys, column, columns, f);
  for (unsigned i = 0; i < s->n; i++) csv_put_line(&s->row[i], key, keys, column, columns, f);
  free(key), free(column);
}

/* ---- kernels and systems ---- */

struct table {
  const struct view *v;
  const struct measure *m;
  bool ratio;
};

static double csv_table_value(const struct table *t, unsigned k, unsigned s) {
  unsigned n;
  if (k == t->v->nkernel) return view_mean(t->v, t->m, t->ratio, s, &n);
  return t->ratio ? view_ratio(t->v, t->m, k, s, own_spot) : view_value(t->v, t->m, k, s, own_spot);
}

static void csv_put_name(const struct table *t, bool system, unsigned i, FILE *f) {
  if (system) csv_text(f, t->v->system[i]);
  else if (i == t->v->nkernel) fputs(t->ratio ? "geometric mean" : "mean", f);
  else csv_text(f, t->v->kernel[i]);
}

/* Some run's number is an area or an energy. */
static bool csv_table_has_cost(const struct table *t) {
  for (unsigned i = 0; i < t->v->nseat; i++)
    if (t->v->seat[i].of->run) return measure_has_cost(t->m, t->v->seat[i].of->run);
  return false;
}

/* What the numbers of a row lack: of system s, or of all systems (measure_lack), each reason once: "SYSTEM: no area: ...; ...". */
static void csv_put_lacks(const struct table *t, bool systems_down, unsigned row, FILE *f) {
  char all[4000] = "", one[1200], text[1400];
  size_t n = 0;
  for (unsigned i = 0; i < t->v->nseat && n < sizeof all; i++) {
    const struct seat *x = &t->v->seat[i];
    if (row != (systems_down ? x->system : x->kernel) || !x->of->run ||
        !measure_lack(t->m, x->of->run, one, sizeof one))
      continue;
    snprintf(text, sizeof text, "%s%.150s: %s", n ? "; " : "", t->v->system[x->system], one);
    if (!strstr(all, n ? text + 2 : text)) n += (size_t)snprintf(all + n, sizeof all - n, "%s", text);
  }
  csv_text(f, all);
}

/* A table of areas or energies has a last column with what they lack. */
static void csv_put_table(const struct table *t, bool systems_down, FILE *f) {
  const bool cost = csv_table_has_cost(t);
  const unsigned kernels = t->v->nkernel + 1, down = systems_down ? t->v->nsystem : kernels,
                 side = systems_down ? kernels : t->v->nsystem;
  fprintf(f, "machine,size,%s", systems_down ? "system" : "kernel");
  for (unsigned i = 0; i < side; i++) fputc(',', f), csv_put_name(t, !systems_down, i, f);
  fputs(cost ? ",note\n" : "\n", f);
  for (unsigned j = 0; j < down; j++) {
    csv_text(f, t->v->machine), fputc(',', f);
    csv_text(f, t->v->size), fputc(',', f);
    csv_put_name(t, systems_down, j, f);
    for (unsigned i = 0; i < side; i++) {
      fputc(',', f);
      csv_put_number(f, systems_down ? csv_table_value(t, i, j) : csv_table_value(t, j, i));
    }
    if (cost) fputc(',', f), csv_put_lacks(t, systems_down, j, f);
    fputc('\n', f);
  }
}

/* Appends ":section.key=value" of the run to name. */
static size_t csv_add_key(char *name, size_t n, size_t size, const struct outcome *o, const struct key *k) {
  char value[KEY_TEXT];
  if (n >= size) return n;
  key_print(o->cfg, k, value, sizeof value);
  return n + (size_t)snprintf(name + n, size - n, ":%s.%s=%s", k->section, k->name, value);
}

/* The name of a run's system with the swept keys that are not at its own point, "VT:l1.mshrs=16", and those that always change together with
 * them. */
static const char *csv_point_name(struct view *v, const struct seat *x) {
  char name[1024];
  size_t n = (size_t)snprintf(name, sizeof name, "%s", x->of->system);
  for (unsigned w = 0; w < v->nswept && n < sizeof name; w++) {
    const struct swept *k = &v->swept[w];
    if (x->at[w] == k->own[x->system]) continue;
    n = csv_add_key(name, n, sizeof name, x->of, k->key);
    for (unsigned i = 0; i < k->nother; i++) n = csv_add_key(name, n, sizeof name, x->of, k->other[i]);
  }
  return arena_strndup(&v->arena, name, strlen(name));
}

static const struct seat *csv_find_seat(const struct view *v, const struct outcome *o) {
  for (unsigned r = 0; r < v->nseat; r++)
    if (v->seat[r].of == o) return &v->seat[r];
  return NULL;
}

/* A table of the runs of one machine and size, in which each point of a swept key is a system of its own. */
static void csv_put_group(const struct report_group *g, const struct measure *m, const char *base, bool ratio,
                          bool systems_down, FILE *f) {
  struct outcome *run = xcalloc(g->n, sizeof *run);
  const struct outcome **at = xcalloc(g->n, sizeof *at);
  struct view v, points;
  view_make(&v, g->run, g->n, base);
  for (unsigned i = 0; i < g->n; i++) {
    const struct seat *x = csv_find_seat(&v, g->run[i]);
    run[i] = *g->run[i];
    if (x && run[i].known) run[i].system = csv_point_name(&v, x);
  }
  for (unsigned own = 0, n = 0; own < 2; own++) /* a system at its own point stands before its others */
    for (unsigned i = 0; i < g->n; i++)
      if ((strcmp(run[i].system, g->run[i]->system) != 0) == (own != 0)) at[n++] = &run[i];
  view_make(&points, at, g->n, v.nsystem ? v.system[0] : base);
  const struct table t = {&points, m, ratio};
  csv_put_table(&t, systems_down, f);
  view_free(&points), view_free(&v);
  free(run), free(at);
}

void csv_table(const struct outcome_set *s, const struct measure *m, const char *base, bool ratio, bool systems_down,
               FILE *f) {
  struct report_group *g;
  const unsigned n = report_groups(s, &g);
  for (unsigned i = 0; i < n; i++) {
    if (i) fputc('\n', f);
    csv_put_group(&g[i], m, base, ratio, systems_down, f);
  }
  report_groups_free(g, n);
}
