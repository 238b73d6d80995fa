/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database whose values were changed by any bytes, and some of whose bytes were: refused with a message, or read whole; then lists,
 * tables and the report are made of it, and no markup of the page comes from a value.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "lab/database/db.h"
#include "lab/database/results/csv.h"
#include "lab/database/results/list.h"
#include "lab/database/results/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char dir[] = "/tmp/regtwin_results_fuzz_XXXXXX", base[64], copy[64];
static char *image;
static size_t image_size;

/* ---- the database as it was ---- */

static void must(bool ok) {
  if (!ok) abort();
}

/* With runs of this program, whose results have a checksum, and (odd ones) of another, whose counters are taken as they are. */
static void put(struct db *d, unsigned i, const char *system, const char *kernel) {
  static struct run_result r;
  struct err e = {0};
  struct db_run run = {.w = {.suite = true}};
  struct task t = {.size = "small", .seed = i % 3};
  struct answer a = {.ok = i % 7 != 6, .seconds = 0.5};
  char text[200];
  must(config_load(&t.cfg, "gtx980", system, &e));
  if (i)
    snprintf(t.cfg.machine, sizeof t.cfg.machine,
             "own"); /* of which no paper says anything: its manifests are not read each time */
  snprintf(text, sizeof text, "l1.mshrs=%u", 16u << i % 3);
  must(config_set(&t.cfg, text, 0, &e));
  identity_run("key", "", "", "", i, run.key);
  identity_run(kernel, "", "", "", 0, run.work);
  must(identity_config(&t.cfg, run.config, &e));
  snprintf(run.w.name, sizeof run.w.name, "%s", kernel);
  memset(&r, 0, sizeof r);
  r.cycles = r.sm.cycles = 1000 + 77 * i;
  r.sm.warp_insns = 1000, r.sm.slot_issued = 1000, r.sm.warp_cycles = 20000;
  r.partial = i % 5 == 4;
  err_at(&a.e, NULL, 0, 0, "found a <fault>, expected none");
  must(db_register(d, &work_run, &t, &run, &e) && db_finish(d, &work_run, &run, &a, &r, &e));
  if (i % 2) {
    snprintf(text, sizeof text, "UPDATE run SET program = 'feed' WHERE key = '%s'", run.key);
    must(db_exec(d, text, &e));
  }
}

static void make_base(void) {
  static const char *const systems[] = {"FR-Base", "VT", "FineReg"}, *const kernels[] = {"vecadd", "sgemm", "hotspot"};
  struct err e = {0};
  char why[IO_WHY];
  must(mkdtemp(dir));
  snprintf(base, sizeof base, "%s/base.db", dir);
  snprintf(copy, sizeof copy, "%s/copy.db", dir);
  struct db *d = db_open(base, DB_WRITE, &e);
  must(d && db_begin(d, &e));
  must(db_exec(d, "INSERT INTO program VALUES('feed', '0', 1)", &e));
  for (unsigned i = 0; i < 12; i++) put(d, i, systems[i % 3], kernels[i / 3 % 3]);
  must(db_exec(d,
               "INSERT INTO campaign(name, base) VALUES('one', 'FR-Base');"
               "INSERT INTO member(campaign, number, run, kernel, system, machine, size) SELECT 'one', row_number() "
               "OVER (ORDER BY key), key, "
               "'k', config.system, config.machine, 'small' FROM run JOIN config ON config.id = run.config",
               &e));
  must(db_end(d, true, &e));
  db_close(d);
  image = input_read(base, 1 << 26, &image_size, why);
  must(image);
  unlink(base);
}

/* ---- what an input changes ---- */

struct bytes {
  const uint8_t *at;
  size_t n;
};
static unsigned take(struct bytes *b) { return b->n ? b->n--, *b->at++ : 0; }

static void bind(sqlite3_stmt *s, struct bytes *b) {
  static const sqlite3_int64 whole[] = {0, 1, -1, INT64_MAX, INT64_MIN, 255, 1000000007};
  const unsigned kind = take(b), n = take(b) % 48;
  switch (kind % 5) {
    case 0: sqlite3_bind_null(s, 1); break;
    case 1: sqlite3_bind_int64(s, 1, whole[n % 7]); break;
    case 2: sqlite3_bind_double(s, 1, n % 3 ? 1e308 * n : -0.5); break;
    default: {
      const size_t size = n < b->n ? n : b->n;
      if (kind % 5 == 3) sqlite3_bind_text(s, 1, (const char *)b->at, (int)size, SQLITE_TRANSIENT);
      else sqlite3_bind_blob(s, 1, b->at, (int)size, SQLITE_TRANSIENT);
      b->at += size, b->n -= size;
    }
  }
}

/* One value of one row, or of all; what the tables' rules refuse is not changed. */
static void change(sqlite3 *d, struct bytes *b) {
  static const struct {
    const char *name, *key;
  } table[] = {{"run", "key"},       {"config", "id"},     {"result", "run"}, {"work", "id"},
               {"member", "number"}, {"campaign", "name"}, {"program", "id"}};
  const unsigned t = take(b) % 7, row = take(b) % 20, column = take(b) | take(b) << 8;
  char sql[400], name[160] = "";
  sqlite3_stmt *s = NULL;
  snprintf(sql, sizeof sql, "SELECT * FROM %s", table[t].name);
  if (sqlite3_prepare_v2(d, sql, -1, &s, NULL) == SQLITE_OK)
    snprintf(name, sizeof name, "%s", sqlite3_column_name(s, (int)(column % (unsigned)sqlite3_column_count(s))));
  sqlite3_finalize(s);
  s = NULL;
  snprintf(sql, sizeof sql, "UPDATE %s SET \"%s\" = ?1 WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET %u)", table[t].name,
           name, table[t].key, table[t].key, table[t].name, row);
  if (sqlite3_prepare_v2(d, sql, -1, &s, NULL) == SQLITE_OK) {
    bind(s, b);
    sqlite3_step(s);
  }
  sqlite3_finalize(s);
}

static void write_copy(struct bytes *b) {
  const unsigned changes = take(b) % 8, flips = take(b) % 4 == 3 ? take(b) % 8 : 0;
  sqlite3 *d = NULL;
  FILE *f = fopen(copy, "w+");
  must(f && fwrite(image, 1, image_size, f) == image_size);
  for (unsigned i = 0; i < flips; i++) {
    const size_t at = (take(b) | take(b) << 8 | (size_t)take(b) << 16) % image_size;
    fseek(f, (long)at, SEEK_SET);
    fputc((int)take(b), f);
  }
  must(!fclose(f));
  if (sqlite3_open_v2(copy, &d, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK) {
    sqlite3_exec(d, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_exec(d, "BEGIN", NULL, NULL, NULL);
    for (unsigned i = 0; i < changes; i++) change(d, b);
    sqlite3_exec(d, "COMMIT", NULL, NULL, NULL);
  }
  sqlite3_close(d);
}

/* ---- what is made of it ---- */

/* Each tag that is opened is closed in its order. */
static void closed(const char *page) {
  static char open[64][16];
  unsigned depth = 0;
  for (const char *s = page; (s = strchr(s, '<'));) {
    const char *end = strchr(s, '>'), *from = s + 1 + (s[1] == '/');
    char name[16];
    must(end);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, " \t\n/>"), from);
    if (s[1] == '/') must(depth && !strcmp(open[--depth], name));
    else if (s[1] != '!' && end[-1] != '/') must(depth < 64), memcpy(open[depth++], name, sizeof name);
    s = end;
  }
  must(!depth);
}

static void make_all(const struct outcome_set *s) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  const struct report r = {.set = s, .measure = measure_find("ipc"), .title = "fuzz"};
  must(f);
  report_html(&r, f);
  must(!fclose(f) && strlen(text) == n);
  closed(text);
  free(text);
  text = NULL;
  must((f = open_memstream(&text, &n)));
  results_list(s, f);
  results_show(&s->row[0], true, f);
  results_diff(&s->row[0], &s->row[s->n - 1], f);
  results_diff_sets(s, "a", s, "b", f);
  csv_runs(s, CSV_COUNTERS, f);
  csv_table(s, measure_find("energy"), NULL, true, true, f);
  must(!fclose(f));
  free(text);
}

static void drop_copy(void) {
  char beside[80];
  unlink(copy);
  for (unsigned i = 0; i < 3; i++) {
    snprintf(beside, sizeof beside, "%s-%s", copy, (const char *const[]){"wal", "shm", "journal"}[i]);
    unlink(beside);
  }
}

static void drop_dir(void) { rmdir(dir); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct bytes b = {data, n};
  struct outcome_set s;
  struct err e = {0};
  if (!image) make_base(), atexit(drop_dir);
  write_copy(&b);
  const bool ok = outcome_read(&s, copy, &(struct wanted){0}, &e);
  must(ok != e.set && (ok || e.text[0]));
  if (ok && s.n) make_all(&s);
  outcome_free(&s);
  drop_copy();
  return 0;
}
