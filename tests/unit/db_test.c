/* SPDX-License-Identifier: Apache-2.0 */
/* db_test: a result that the database gives back is the run's to the bit; what was changed on the disk is not taken; files of others,
 * of other versions and damaged ones are refused by one message, and stay as they are. */
#define _GNU_SOURCE /* asprintf */
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/database/db.h"
#include "lab/run/columns.h"
#include "dir_kit.h"

static struct task task_of(const char *name, const char *system) {
  struct task t = {.size = "small"};
  struct err e = {0};
  snprintf(t.name, sizeof t.name, "%s", name);
  if (!config_load(&t.cfg, NULL, system, &e)) fail_msg("%s", e.text);
  return t;
}

static struct db *open_db(const char *name, enum db_mode mode) {
  struct err e = {0};
  struct db *d = db_open(path_of(name), mode, &e);
  if (!d) print_message("%s\n", e.text);
  assert_non_null(d);
  return d;
}

static void run_one(const struct task *t, struct run_result *r) {
  struct err e = {0};
  if (!work_run.run(t, r, &e)) fail_msg("%s: %s", t->name, e.text);
}

/* ---- results ---- */

static void same_bits(void **state) {
  (void)state;
  static const char *const runs[][2] = {
      {"vecadd", "baseline"}, {"sgemm", "FineReg"}, {"gather", "LB"}, {"hotspot", "SL-Full-P"}};
  struct db *d = open_db("a.db", DB_WRITE);
  static struct run_result want, got;
  const struct answer done = {.ok = true, .seconds = 1.5, .peak_rss_bytes = 12345};
  for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
    const struct task t = task_of(runs[i][0], runs[i][1]);
    run_one(&t, &want);
    assert_false(db_get(d, &work_run, &t, &got));
    db_put(d, &work_run, &t, &done, &want);
    assert_true(db_get(d, &work_run, &t, &got));
    assert_memory_equal(&got, &want, sizeof got);
    struct task other = t;
    other.seed = 7;
    assert_false(db_get(d, &work_run, &other, &got));
    other = t;
    other.cfg.sm_warps -= 4;
    assert_false(db_get(d, &work_run, &other, &got));
    assert_false(db_get(d, &work_functional, &t, &got));
  }
  db_close(d);
  d = open_db("a.db", DB_READ);
  const struct task t = task_of("hotspot", "SL-Full-P");
  assert_true(db_get(d, &work_run, &t, &got));
  assert_memory_equal(&got, &want, sizeof got);
  db_close(d);
}

/* Every number and text of a result is a column: none is lost. */
static void all_columns(void **state) {
  (void)state;
  static struct run_result r, back;
  memset(&r, 0, sizeof r);
  for (unsigned i = 0; i < sizeof r.sm / 8; i++) ((uint64_t *)&r.sm)[i] = i + 1;
  for (unsigned i = 0; i < sizeof r.mem / 8; i++) ((uint64_t *)&r.mem)[i] = i * 3 + 1;
  for (unsigned i = 0; i < sizeof r.latency / 8; i++) ((uint64_t *)&r.latency)[i] = UINT64_MAX - i;
  r.quality.value = INFINITY;
  unsigned covered = 0;
  for (unsigned i = 0; i < run_ncolumns; i++) {
    char text[COLUMN_TEXT_MOST];
    const struct column *c = &run_columns[i];
    covered += (unsigned)c->size;
    assert_true(column_read(&back, c, column_text(&r, c, text)));
    for (unsigned k = 0; k < i; k++) assert_string_not_equal(c->name, run_columns[k].name);
  }
  assert_memory_equal(&back, &r, sizeof r);
  const unsigned path = sizeof r.kernel + sizeof r.path + sizeof r.cfg;
  assert_in_range(sizeof r - path - covered, 0, 40); /* padding */
  const uint64_t sum = columns_sum(&r, run_columns, run_ncolumns);
  r.mem.replies++;
  assert_true(columns_sum(&r, run_columns, run_ncolumns) != sum);
  r.mem.replies--;
  r.quality.value = NAN;
  assert_true(columns_sum(&r, run_columns, run_ncolumns) != sum);
  assert_false(column_read(&r, &run_columns[0], "-1"));
  assert_false(column_read(&r, &run_columns[0], "1x"));
  assert_false(column_read(&r, &run_columns[0], ""));
  assert_false(column_read(&r, &run_columns[0], "99999999999999999999"));
}

/* ---- the file ---- */

static void refused(const char *name, enum db_mode mode, const char *why) {
  struct err e = {0};
  assert_null(db_open(path_of(name), mode, &e));
  if (!strstr(e.text, why)) fail_msg("found '%s', expected '%s'", e.text, why);
}
static void put(const char *name, const char *data, size_t n) {
  FILE *f = fopen(path_of(name), "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, n, f), n);
  assert_int_equal(fclose(f), 0);
}
static void sql(const char *name, const char *text) {
  sqlite3 *h;
  assert_int_equal(sqlite3_open(path_of(name), &h), SQLITE_OK);
  assert_int_equal(sqlite3_exec(h, text, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(h);
}

static void other_files(void **state) {
  (void)state;
  refused("none.db", DB_READ, "No such file");
  put("empty.db", "", 0);
  refused("empty.db", DB_READ, "found an empty file");
  put("text.db", "hello, this is a text, and long enough for a page of a database or so. It is no database at all.",
      97);
  refused("text.db", DB_WRITE, "found a file that is no database");
  refused("text.db", DB_READ, "found a file that is no database");
  sql("other.db", "CREATE TABLE t(x)");
  refused("other.db", DB_WRITE, "another program");
  db_close(open_db("v.db", DB_WRITE));
  sql("v.db", "PRAGMA user_version = 7");
  refused("v.db", DB_WRITE, "version 7, expected version 1");
  refused("v.db", DB_READ, "version 7, expected version 1");
  refused("", DB_WRITE, "found a directory");
  refused("deep/new.db", DB_WRITE, "No such file");
}

/* A key and a counter that the program which made the file had not. */
static void new_columns(void **state) {
  (void)state;
  static struct run_result want, got;
  const struct task t = task_of("vecadd", "baseline");
  const struct answer done = {.ok = true};
  db_close(open_db("c.db", DB_WRITE));
  sql("c.db", "DROP VIEW results; ALTER TABLE result DROP COLUMN cycles; ALTER TABLE config DROP COLUMN \"sm.warps\"");
  struct db *d = open_db("c.db", DB_WRITE);
  run_one(&t, &want);
  db_put(d, &work_run, &t, &done, &want);
  assert_true(db_get(d, &work_run, &t, &got));
  assert_memory_equal(&got, &want, sizeof got);
  db_close(d);
}

/* Any byte of the file changed: refused, or the result as it was; never another. The file of a refused one is not touched. */
static void changed_bytes(void **state) {
  (void)state;
  static struct run_result want, got;
  const struct task t = task_of("vecadd", "baseline");
  const struct answer done = {.ok = true};
  struct db *d = open_db("d.db", DB_WRITE);
  run_one(&t, &want);
  db_put(d, &work_run, &t, &done, &want);
  db_close(d);
  FILE *f = fopen(path_of("d.db"), "rb");
  static char whole[1 << 20];
  const size_t n = fread(whole, 1, sizeof whole, f);
  fclose(f);
  assert_in_range(n, 10000, sizeof whole - 1);
  unsigned refused_ones = 0, given = 0;
  for (size_t at = 0; at < n; at += at < 200 ? 1 : 97) {
    struct err e = {0};
    const char kept = whole[at];
    whole[at] ^= 0x21;
    put("d.db", whole, n);
    unlink(path_of("d.db-wal")), unlink(path_of("d.db-shm"));
    d = db_open(path_of("d.db"), DB_READ, &e);
    assert_true(!d == e.set);
    refused_ones += !d;
    if (d && db_get(d, &work_run, &t, &got)) {
      assert_memory_equal(&got, &want, sizeof got);
      given++;
    }
    db_close(d);
    whole[at] = kept;
  }
  assert_true(refused_ones > 10 && given > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(all_columns),
                                     cmocka_unit_test(other_files), cmocka_unit_test(new_columns),
                                     cmocka_unit_test(changed_bytes)};
  return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
