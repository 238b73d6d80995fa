/* SPDX-License-Identifier: Apache-2.0 */
/* results_test: what is read of a database, the means of its runs, and the report: the same bytes twice, closed tags, foreign text
 * without markup, no more than 2 MB for 1,000 runs; runs that were cut short are in no mean. */
#define _GNU_SOURCE /* nftw */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/database/db.h"
#include "lab/database/results/csv.h"
#include "lab/database/results/list.h"
#include "lab/database/results/report.h"
#include "dir_kit.h"
#include "kit.h"

/* ---- a database of made-up runs ---- */

struct made { /* a run: its configuration is that of the system with the settings */
  const char *kernel, *system, *set, *set2;
  uint64_t seed, cycles;
  const char *part, *state; /* NULL: whole; done */
};

static struct db *db;
static unsigned made;

static void sql(const char *text) {
  struct err e = {0};
  need(db_exec(db, text, &e), &e);
}

static void result_of(const struct made *m, const struct config *cfg, struct run_result *r) {
  memset(r, 0, sizeof *r);
  r->cfg = *cfg;
  snprintf(r->size, sizeof r->size, "small");
  r->seed = m->seed;
  r->cycles = r->sm.cycles = m->cycles;
  r->sm.warp_insns = 1000000;
  r->sm.warp_cycles = m->cycles * 24;
  r->sm.slot_issued = 1000000;
  r->sm.slot_memory = m->cycles * 4 > 1000000 ? m->cycles * 4 - 1000000 : 0;
  r->launches = 1;
  r->partial = m->part ? PARTIAL_CYCLES : 0;
  snprintf(r->part, sizeof r->part, "%s", m->part ? m->part : "");
}

static void put(const struct made *m) {
  static struct run_result r;
  struct err e = {0};
  struct db_run run = {.w = {.suite = true}};
  struct task t = {.size = "small", .seed = m->seed};
  struct answer a = {.ok = !m->state || !strcmp(m->state, "done"), .seconds = 0.5, .peak_rss_bytes = 1000000};
  char text[600];
  need(config_load(&t.cfg, "gtx980", m->system, &e), &e);
  need(!m->set || config_set(&t.cfg, m->set, 0, &e), &e);
  need(!m->set2 || config_set(&t.cfg, m->set2, 0, &e), &e);
  snprintf(text, sizeof text, "%s %u", m->kernel, made++);
  identity_run(text, "", "", "", 0, run.key);
  identity_run(m->kernel, "", "", "", 0, run.work);
  need(identity_config(&t.cfg, run.config, &e), &e);
  snprintf(run.w.name, sizeof run.w.name, "%s", m->kernel);
  snprintf(run.w.path, sizeof run.w.path, "traces/kernels/%s/%s.launch", m->kernel, m->kernel);
  result_of(m, &t.cfg, &r);
  need(db_register(db, &work_run, &t, &run, &e), &e);
  err_at(&a.e, "x.launch", 3, 0, "found <nothing>, expected a & b");
  if (!m->state || strcmp(m->state, "waiting")) need(db_finish(db, &work_run, &run, &a, &r, &e), &e);
  if (m->state && strcmp(m->state, "waiting")) {
    snprintf(text, sizeof text, "UPDATE run SET state = '%s' WHERE key = '%s'", m->state, run.key);
    sql(text);
  }
}

static void fill(const char *name, const struct made *m, unsigned n) {
  struct err e = {0};
  db = db_open(path_of(name), DB_WRITE, &e);
  need(db, &e);
  need(db_begin(db, &e), &e);
  for (unsigned i = 0; i < n; i++) put(&m[i]);
  need(db_end(db, true, &e), &e);
}

static void read_set(struct outcome_set *s, const char *name, const struct wanted *w) {
  struct err e = {0};
  need(outcome_read(s, path_of(name), w, &e), &e);
}

static char *page_of(const struct outcome_set *s, size_t *n) {
  char *text = NULL;
  FILE *f = open_memstream(&text, n);
  const struct report r = {.set = s, .measure = measure_find("ipc"), .title = "<Title> & \"more\""};
  assert_non_null(f);
  report_html(&r, f);
  fclose(f);
  return text;
}

/* ---- is it a page? ---- */

static const char *name_end(const char *s) { return s + strcspn(s, " \t\n/>"); }

/* Every tag is closed in its order, and no markup is in a text. */
static void closed(const char *page) {
  static char open[64][24];
  unsigned depth = 0;
  for (const char *s = page; (s = strchr(s, '<'));) {
    const char *end = strchr(s, '>');
    char name[24];
    assert_non_null(end);
    if (s[1] == '!') {
      s = end;
      continue;
    }
    const bool closes = s[1] == '/';
    const char *from = s + 1 + closes;
    snprintf(name, sizeof name, "%.*s", (int)(name_end(from) - from), from);
    if (closes) {
      if (!depth || strcmp(open[--depth], name)) fail_msg("found </%s>, expected </%s>", name, open[depth]);
    } else if (end[-1] != '/') {
      assert_true(depth < 64);
      snprintf(open[depth++], sizeof *open, "%s", name);
    }
    s = end;
  }
  assert_int_equal(depth, 0);
}

static void is_page(const char *page, size_t n) {
  assert_true(n == strlen(page));
  closed(page);
  assert_null(strstr(page, "<script"));
  assert_null(strstr(page, "http"));
  assert_null(strstr(page, "src="));
  assert_null(strstr(page, "nan"));
  assert_null(strstr(page, "\x1b"));
  assert_non_null(strstr(page, "</html>"));
}

/* ---- means ---- */

static const struct measure *ipc(void) { return measure_find("ipc"); }

static void view_of(struct view *v, const struct outcome_set *s) {
  const struct outcome **run = xcalloc(s->n, sizeof *run);
  for (unsigned i = 0; i < s->n; i++) run[i] = &s->row[i];
  view_make(v, run, s->n, NULL);
  free(run);
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void means(void **state) {
  (void)state;
  static const struct made runs[] = {
      {"a", "baseline", 0, 0, 0, 1000000, 0, 0}, {"a", "VT", 0, 0, 0, 500000, 0, 0},
      {"b", "baseline", 0, 0, 0, 1000000, 0, 0}, {"b", "VT", 0, 0, 0, 2000000, 0, 0},
      {"c", "baseline", 0, 0, 0, 1000000, 0, 0}, {"c", "VT", 0, 0, 0, 10, "first 10 cycles", 0},
      {"d", "baseline", 0, 0, 0, 1000000, 0, 0}, {"d", "VT", 0, 0, 0, 1, 0, "failed"},
  };
  struct outcome_set s;
  struct view v;
  unsigned n;
  fill("means.db", runs, 8);
  db_close(db);
  read_set(&s, "means.db", &(struct wanted){0});
  assert_int_equal(s.n, 8);
  view_of(&v, &s);
  assert_int_equal(v.nkernel, 4);
  assert_string_equal(v.system[0], "baseline");
  assert_true(near(view_ratio(&v, ipc(), 0, 1, own_spot), 2));
  assert_true(isnan(view_ratio(&v, ipc(), 2, 1, own_spot))); /* cut short */
  assert_true(isnan(view_value(&v, ipc(), 3, 1, own_spot))); /* failed */
  assert_true(view_common(&v, ipc(), true, 1) && !view_common(&v, ipc(), true, 2));
  assert_true(near(view_mean(&v, ipc(), true, 1, &n), 1)); /* of 2 and a half, the geometric one */
  assert_int_equal(n, 2);
  assert_true(near(view_mean(&v, ipc(), false, 0, &n), 1));
  view_free(&v);
  size_t size;
  char *page = page_of(&s, &size);
  is_page(page, size);
  assert_non_null(strstr(page, "class=\"q\" title=\"partial: first 10 cycles"));
  assert_non_null(strstr(page, "found &lt;nothing&gt;, expected a &amp; b"));
  free(page);
  outcome_free(&s);
}

static void seeds(void **state) {
  (void)state;
  static const struct made runs[] = {
      {"a", "baseline", 0, 0, 1, 1000000, 0, 0}, {"a", "baseline", 0, 0, 2, 2000000, 0, 0},
      {"a", "baseline", 0, 0, 3, 10, 0, 0},      {"a", "VT", 0, 0, 1, 500000, 0, 0},
      {"a", "VT", 0, 0, 2, 1000000, 0, 0},
  };
  struct outcome_set s;
  struct view v;
  fill("seeds.db", runs, 5);
  db_close(db);
  read_set(&s, "seeds.db", &(struct wanted){0});
  view_of(&v, &s);
  assert_true(near(view_value(&v, ipc(), 0, 1, own_spot), 1.5));
  assert_true(near(view_ratio(&v, ipc(), 0, 1, own_spot), 2)); /* over seeds 1 and 2, which both have */
  assert_int_equal(v.nswept, 0);
  view_free(&v);
  outcome_free(&s);
}

/* Two keys that change together, one alone; gtx980 has l1.mshrs 64 and l1.ways 8. */
static void sweeps(void **state) {
  (void)state;
  static const struct made runs[] = {
      {"a", "baseline", "l1.mshrs=32", "l1.latency=20", 0, 2000000, 0, 0},
      {"a", "baseline", "l1.mshrs=64", "l1.latency=28", 0, 1000000, 0, 0},
      {"a", "baseline", "l1.mshrs=128", "l1.latency=40", 0, 500000, 0, 0},
      {"a", "VT", "l1.mshrs=32", "l1.latency=20", 0, 1000000, 0, 0},
      {"a", "VT", "l1.mshrs=64", "l1.latency=28", 0, 800000, 0, 0},
  };
  struct outcome_set s;
  struct view v;
  unsigned n;
  fill("sweeps.db", runs, 5);
  db_close(db);
  read_set(&s, "sweeps.db", &(struct wanted){0});
  view_of(&v, &s);
  assert_int_equal(v.nswept, 1);
  assert_non_null(strstr(v.swept[0].name, "l1.mshrs"));
  assert_non_null(strstr(v.swept[0].name, "l1.latency"));
  assert_int_equal(v.swept[0].n, 3);
  assert_int_equal(v.swept[0].own[0], 1);
  assert_true(near(view_ratio(&v, ipc(), 0, 1, own_spot), 1.25));
  assert_true(near(view_curve(&v, ipc(), true, 0, (struct spot){0, 2}, &n), 2));
  assert_true(near(view_curve(&v, ipc(), true, 1, (struct spot){0, 0}, &n), 1));
  assert_true(isnan(view_curve(&v, ipc(), true, 1, (struct spot){0, 2}, &n)));
  view_free(&v);
  size_t size;
  char *page = page_of(&s, &size);
  is_page(page, size);
  assert_non_null(strstr(page, "--set l1.mshrs=128"));
  free(page);
  outcome_free(&s);
}

/* ---- what is asked for ---- */

static void filters(void **state) {
  (void)state;
  static const struct made runs[] = {{"a", "baseline", 0, 0, 0, 1000000, 0, 0},
                                     {"a", "VT", 0, 0, 0, 1000000, 0, 0},
                                     {"b", "VT", 0, 0, 0, 1, 0, "waiting"},
                                     {"b", "baseline", 0, 0, 0, 1, 0, "refused"}};
  struct outcome_set s;
  struct err e = {0};
  fill("filters.db", runs, 4);
  sql("INSERT INTO campaign(name, base) VALUES('zwei', 'VT')");
  sql("INSERT INTO member(campaign, number, run, kernel, system) SELECT 'zwei', 1, key, 'alpha', 'Mine' FROM run JOIN "
      "work ON work.id = "
      "run.work JOIN config ON config.id = run.config WHERE work.kernel = 'a' AND config.system = 'VT'");
  sql("INSERT INTO program VALUES('feed', '0', 1)");
  sql("UPDATE run SET program = 'feed' WHERE state = 'refused'");
  db_close(db);
  static const struct {
    struct wanted w;
    unsigned n;
  } all[] = {{{0}, 4},
             {{.kernel = "a"}, 2},
             {{.kernel = "alpha"}, 1},
             {{.system = "VT"}, 1},
             {{.system = "Mine"}, 1},
             {{.machine = "gtx980"}, 4},
             {{.machine = "gtx480"}, 0},
             {{.size = "small"}, 4},
             {{.state = "waiting"}, 1},
             {{.campaign = "zwei"}, 1},
             {{.program = "fe"}, 1},
             {{.newest = true}, 3}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    read_set(&s, "filters.db", &all[i].w);
    if (s.n != all[i].n) fail_msg("filter %u: found %u runs, expected %u", i, s.n, all[i].n);
    assert_string_equal(s.base, "VT");
    assert_int_equal(s.other, all[i].w.newest ? 1 : 0);
    outcome_free(&s);
  }
  assert_false(outcome_read(&s, path_of("filters.db"), &(struct wanted){.state = "dne"}, &e));
  assert_non_null(strstr(e.text, "expected waiting, running, done"));
  outcome_free(&s);
}

/* What another program's row lacks is its default, and a result of another program is read as far as the counters are the same. */
static void other_program(void **state) {
  (void)state;
  static const struct made runs[] = {{"a", "baseline", 0, 0, 0, 1000000, 0, 0},
                                     {"b", "baseline", 0, 0, 0, 1000000, 0, 0}};
  struct outcome_set a, b;
  char *text = NULL;
  size_t n;
  fill("other.db", runs, 2);
  sql("INSERT INTO program VALUES('feed', '0', 1)");
  sql("UPDATE run SET program = 'feed'");
  sql("UPDATE config SET \"l1.mshrs\" = NULL");
  sql("UPDATE result SET warp_insns = 500000, sum = 'x' WHERE run IN (SELECT key FROM run JOIN work ON work.id = "
      "run.work WHERE kernel = 'b')");
  db_close(db);
  fill("this.db", runs, 2);
  db_close(db);
  read_set(&a, "other.db", &(struct wanted){0});
  read_set(&b, "this.db", &(struct wanted){0});
  assert_int_equal(a.row[0].cfg->l1_mshrs, 64);
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  results_diff_sets(&a, "one", &b, "two", f);
  fclose(f);
  assert_non_null(
      strstr(text, "1 runs are the same to the bit, 1 differ, 0 are in the first only, 0 in the second only"));
  assert_non_null(strstr(text, "1 counters; cycles 1000000, then 1000000"));
  free(text);
  outcome_free(&a), outcome_free(&b);
}

/* ---- the report ---- */

static const char *const odd[] = {"<b>bold</b>",     "a&b",  "\"quoted\"", "x\x1b[31mred",
                                  "\xff\xfe broken", "it's", "new\nline",  "</td></table>"};

static void foreign_text(void **state) {
  (void)state;
  struct made runs[sizeof odd / sizeof *odd];
  struct outcome_set s;
  size_t n;
  for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
    runs[i] = (struct made){odd[i], i & 1 ? "VT" : "baseline", 0, 0, 0, 1000000, i == 3 ? odd[0] : NULL, NULL};
  fill("odd.db", runs, sizeof odd / sizeof *odd);
  sql("INSERT INTO campaign(name) VALUES('<i>name</i>')");
  db_close(db);
  read_set(&s, "odd.db", &(struct wanted){0});
  char *page = page_of(&s, &n);
  is_page(page, n);
  assert_null(strstr(page, "<b>"));
  assert_null(strstr(page, "<i>"));
  assert_non_null(strstr(page, "&lt;b&gt;bold&lt;/b&gt;"));
  assert_non_null(strstr(page, "&lt;Title&gt; &amp; &quot;more&quot;"));
  assert_non_null(strstr(page, "x\\x1b[31mred"));
  assert_non_null(strstr(page, "new\\nline"));
  free(page);
  char *text = NULL;
  FILE *f = open_memstream(&text, &n);
  assert_non_null(f);
  csv_runs(&s, CSV_MEASURES, f);
  fclose(f);
  unsigned lines = 0;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, s.n + 1); /* a new line in a name makes none */
  assert_non_null(strstr(text, ",\"\"\"quoted\"\"\","));
  free(text);
  outcome_free(&s);
}

/* Fifty kernels, five systems, a key with four values. */
static void thousand(void **state) {
  (void)state;
  static const char *const systems[] = {"baseline", "VT", "FineReg", "LB", "Malekeh"}, *const set[] = {"l1.mshrs=16",
                                                                                                       "l1.mshrs=32",
                                                                                                       "l1.mshrs=64",
                                                                                                       "l1.mshrs=128"};
  static char names[50][32];
  static struct made runs[1000];
  struct outcome_set s;
  size_t n, again;
  uint32_t x = 1;
  for (unsigned i = 0; i < 1000; i++) {
    const unsigned k = i / 20;
    snprintf(names[k], sizeof names[k], "kernel_number_%u", k);
    x = x * 1664525 + 1013904223;
    runs[i] = (struct made){names[k], systems[i % 5],      set[i / 5 % 4], NULL,
                            0,        1000000 + (x >> 12), NULL,           i % 97 == 96 ? "lost" : NULL};
  }
  fill("many.db", runs, 1000);
  db_close(db);
  read_set(&s, "many.db", &(struct wanted){.newest = true});
  assert_int_equal(s.n, 1000);
  char *page = page_of(&s, &n);
  is_page(page, n);
  print_message("1,000 runs: %zu bytes\n", n);
  assert_true(n < 2000000);
  outcome_free(&s);
  read_set(&s, "many.db", &(struct wanted){.newest = true});
  char *same = page_of(&s, &again);
  assert_true(n == again && !memcmp(page, same, n));
  free(page), free(same);
  outcome_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(means),         cmocka_unit_test(seeds),
                                     cmocka_unit_test(sweeps),        cmocka_unit_test(filters),
                                     cmocka_unit_test(other_program), cmocka_unit_test(foreign_text),
                                     cmocka_unit_test(thousand)};
  return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
