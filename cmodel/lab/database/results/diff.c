/* SPDX-License-Identifier: Apache-2.0 */
/* diff: what differs between two runs, and between two sets of runs; see list.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/show.h"
#include "lab/campaign/measure.h"
#include "config/keys.h"
#include "lab/report/grid.h"
#include "lab/database/results/list.h"

/* Of the host, no two runs have the same. */
static bool of_host(const struct column *c) {
  return !strcmp(c->name, "host_ns") || !strcmp(c->name, "peak_rss_bytes");
}

static bool diff_counter_differs(const struct run_result *a, const struct run_result *b, const struct column *c,
                                 char x[COLUMN_TEXT_MOST], char y[COLUMN_TEXT_MOST]) {
  const char *p = outcome_counter(a, c, x), *q = outcome_counter(b, c, y);
  if (c->type == COLUMN_COUNT && !p[0]) p = "0"; /* not modelled, which is no difference to having counted nothing */
  if (c->type == COLUMN_COUNT && !q[0]) q = "0";
  return !of_host(c) && strcmp(p, q) != 0;
}

static unsigned diff_count_counters(const struct run_result *a, const struct run_result *b) {
  char x[COLUMN_TEXT_MOST], y[COLUMN_TEXT_MOST];
  unsigned n = 0;
  for (unsigned i = 0; i < run_ncolumns; i++) n += diff_counter_differs(a, b, &run_columns[i], x, y);
  return n;
}

/* ---- two runs ---- */

static void text_row(struct grid *g, const char *name, const char *a, const char *b) {
  grid_row(g);
  grid_cell(g, "%s", name);
  grid_cell(g, "%s", a);
  grid_cell(g, "%s", b);
}

static void diff_add_head(struct grid *g, const char *what, const struct outcome *a, const struct outcome *b) {
  char x[16], y[16];
  snprintf(x, sizeof x, "%.12s", a->key);
  snprintf(y, sizeof y, "%.12s", b->key);
  text_row(g, what, x, y);
}

static void diff_print_grid(struct grid *g, unsigned rows, const char *what, FILE *f) {
  grid_right(g, 1, 3);
  if (rows) grid_print(g, f);
  else fprintf(f, "%s: no difference\n", what);
  fputc('\n', f);
  grid_free(g);
}

static void diff_print_asked(const struct outcome *a, const struct outcome *b, FILE *f) {
  const struct {
    const char *name, *a, *b;
  } all[] = {
      {"kernel", a->kernel, b->kernel},    {"size", a->size, b->size},
      {"machine", a->machine, b->machine}, {"system", a->system, b->system},
      {"program", a->program, b->program}, {"work", a->work, b->work},
      {"partial", a->partial, b->partial}, {"state", outcome_state_name[a->state], outcome_state_name[b->state]}};
  struct grid *g = grid_new();
  unsigned n = 0;
  diff_add_head(g, "what was run", a, b);
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (strcmp(all[i].a, all[i].b))
      text_row(g, all[i].name, all[i].a[0] ? all[i].a : "-", all[i].b[0] ? all[i].b : "-"), n++;
  if (a->seed != b->seed) {
    char x[24], y[24];
    snprintf(x, sizeof x, "%" PRIu64, a->seed);
    snprintf(y, sizeof y, "%" PRIu64, b->seed);
    text_row(g, "seed", x, y), n++;
  }
  diff_print_grid(g, n, "what was run", f);
}

static void diff_print_keys(const struct outcome *a, const struct outcome *b, FILE *f) {
  struct grid *g = grid_new();
  unsigned n = 0;
  diff_add_head(g, "key", a, b);
  for (unsigned i = 0; a->known && b->known && i < config_nkeys; i++) {
    char name[128], x[KEY_TEXT], y[KEY_TEXT];
    if (key_same(a->cfg, b->cfg, &config_keys[i])) continue;
    snprintf(name, sizeof name, "%s.%s", config_keys[i].section, config_keys[i].name);
    key_print(a->cfg, &config_keys[i], x, sizeof x);
    key_print(b->cfg, &config_keys[i], y, sizeof y);
    text_row(g, name, x, y);
    n++;
  }
  diff_print_grid(g, n, "keys of the configuration", f);
}

static void diff_put_ratio(struct grid *g, double x, double y) {
  if (x > 0 && isfinite(x) && isfinite(y)) grid_cell(g, "%.4f", y / x);
  else grid_cell(g, "-");
}

static void diff_print_measures(const struct outcome *a, const struct outcome *b, FILE *f) {
  struct grid *g = grid_new();
  unsigned n = 0;
  diff_add_head(g, "measure", a, b);
  grid_cell(g, "second / first");
  for (unsigned i = 0; i < nmeasures; i++) {
    double x, y;
    const bool has = measure_of(&measures[i], a->run, &x), had = measure_of(&measures[i], b->run, &y);
    if ((!has && !had) || (has && had && x == y)) continue;
    grid_row(g);
    grid_cell(g, "%s", measures[i].key);
    grid_cell(g, has ? "%.*f" : "-", (int)measures[i].decimals, x);
    grid_cell(g, had ? "%.*f" : "-", (int)measures[i].decimals, y);
    diff_put_ratio(g, has ? x : NAN, y);
    n++;
  }
  diff_print_grid(g, n, "measures", f);
}

static void diff_print_counters(const struct outcome *a, const struct outcome *b, FILE *f) {
  struct grid *g = grid_new();
  unsigned n = 0;
  diff_add_head(g, "counter", a, b);
  grid_cell(g, "second / first");
  for (unsigned i = 0; i < run_ncolumns; i++) {
    char x[COLUMN_TEXT_MOST], y[COLUMN_TEXT_MOST];
    const struct column *c = &run_columns[i];
    if (!diff_counter_differs(a->run, b->run, c, x, y)) continue;
    text_row(g, c->name, x[0] ? x : "-", y[0] ? y : "-");
    if (c->type == COLUMN_COUNT || c->type == COLUMN_SMALL)
      diff_put_ratio(g, x[0] ? strtod(x, NULL) : NAN, y[0] ? strtod(y, NULL) : NAN);
    n++;
  }
  diff_print_grid(g, n, "counters", f);
}

void results_diff(const struct outcome *a, const struct outcome *b, FILE *f) {
  diff_print_asked(a, b, f);
  diff_print_keys(a, b, f);
  if (!a->run || !b->run) {
    fprintf(f, "%s of them has a result: no counters to compare\n", !a->run && !b->run ? "neither" : "one");
    return;
  }
  diff_print_measures(a, b, f);
  diff_print_counters(a, b, f);
}

/* ---- two sets ---- */

struct entry { /* a run, and what it is found by in the other set */
  const struct outcome *of;
  uint64_t cfg;
};

static int by_identity(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  int c = strcmp(x->of->kernel, y->of->kernel);
  if (!c) c = strcmp(x->of->machine, y->of->machine);
  if (!c) c = strcmp(x->of->system, y->of->system);
  if (!c) c = strcmp(x->of->size, y->of->size);
  if (!c) c = (x->of->seed > y->of->seed) - (x->of->seed < y->of->seed);
  return c ? c : (x->cfg > y->cfg) - (x->cfg < y->cfg);
}

/* Of the values of all keys that this program has, so that one which another program did not have yet changes nothing. */
static uint64_t config_hash(const struct config *c) {
  uint64_t h = FNV_START;
  char text[KEY_TEXT];
  for (unsigned i = 0; i < config_nkeys; i++) {
    key_print(c, &config_keys[i], text, sizeof text);
    h = fnv1a(h, text, strlen(text) + 1);
  }
  return h;
}

static struct entry *diff_sort_entries(const struct outcome_set *s) {
  struct entry *all = xcalloc(s->n, sizeof *all);
  for (unsigned i = 0; i < s->n; i++) all[i] = (struct entry){&s->row[i], config_hash(s->row[i].cfg)};
  if (s->n) qsort(all, s->n, sizeof *all, by_identity);
  return all;
}

struct tally {
  unsigned same, differ, only_a, only_b, without;
};

static void pair_row(struct grid *g, const struct outcome *a, const struct outcome *b, const char *what) {
  const struct outcome *o = a ? a : b;
  grid_row(g);
  grid_cell(g, "%s", o->kernel);
  grid_cell(g, "%s", o->size);
  grid_cell(g, "%s", o->machine);
  grid_cell(g, "%s", o->system);
  grid_cell(g, a ? "%.12s" : "-", a ? a->key : "");
  grid_cell(g, b ? "%.12s" : "-", b ? b->key : "");
  grid_cell(g, "%s", what);
}

static void diff_tally_pair(struct grid *g, const struct outcome *a, const struct outcome *b, struct tally *t) {
  char what[160];
  if (!a->run || !b->run) {
    t->without++;
    if (a->state == b->state) return;
    snprintf(what, sizeof what, "%s, then %s", outcome_state_name[a->state], outcome_state_name[b->state]);
  } else {
    const unsigned n = diff_count_counters(a->run, b->run);
    const double x = (double)a->run->cycles, y = (double)b->run->cycles;
    if (!n) {
      t->same++;
      return;
    }
    t->differ++;
    snprintf(what, sizeof what, "%u counters; cycles %.0f, then %.0f (%+.2f %%)%s", n, x, y,
             x > 0 ? 100 * (y - x) / x : 0, strcmp(a->work, b->work) ? "; the kernel's files differ" : "");
  }
  pair_row(g, a, b, what);
}

void results_diff_sets(const struct outcome_set *a, const char *name_a, const struct outcome_set *b, const char *name_b,
                       FILE *f) {
  struct entry *x = diff_sort_entries(a), *y = diff_sort_entries(b);
  struct grid *g = grid_new();
  struct tally t = {0};
  static const char *const names[] = {"kernel", "size", "machine", "system", "first", "second", "what"};
  grid_row(g);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) grid_cell(g, "%s", names[i]);
  for (unsigned i = 0, j = 0; i < a->n || j < b->n;) {
    const int c = i == a->n ? 1 : j == b->n ? -1 : by_identity(&x[i], &y[j]);
    if (c < 0) pair_row(g, x[i++].of, NULL, "only in the first"), t.only_a++;
    else if (c > 0) pair_row(g, NULL, y[j++].of, "only in the second"), t.only_b++;
    else diff_tally_pair(g, x[i++].of, y[j++].of, &t);
  }
  fputs("first: ", f), show_line(f, name_a);
  fputs("\nsecond: ", f), show_line(f, name_b);
  fputs("\n\n", f);
  if (t.differ || t.only_a || t.only_b || t.without) grid_print(g, f), fputc('\n', f);
  fprintf(f, "%u runs are the same to the bit, %u differ, %u are in the first only, %u in the second only", t.same,
          t.differ, t.only_a, t.only_b);
  if (t.without) fprintf(f, ", %u without a result in one of them", t.without);
  fputc('\n', f);
  grid_free(g);
  free(x), free(y);
}
