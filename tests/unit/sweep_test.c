/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_test: a plan gives the runs that its lists say, each once, with the values that it says; what cannot be is refused alone;
 * answers of Slurm's tasks come back as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/database/lease.h"
#include "lab/campaign/slurm_files.h"
#include "lab/run/columns.h"

static char dir[] = "/tmp/regtwin_sweep_XXXXXX", path[256];

struct made {
  struct db *db;
  struct sweep_plan plan;
  struct sweep s;
};

static void make(struct made *m, const char *text) {
  struct err e = {0};
  snprintf(path, sizeof path, "%s/db", dir);
  bool ok = sweep_plan_text(&m->plan, "test.yaml", text, strlen(text), &e) && sweep_open(&m->s, &m->plan, text, &e) &&
            (m->db = db_open(path, DB_WRITE, &e)) && sweep_make(&m->s, m->db, &e);
  if (!ok) fail_msg("%s:%d:%d: %s", e.file, e.line, e.col, e.text);
}
static void drop(struct made *m) {
  sweep_free(&m->s);
  sweep_plan_free(&m->plan);
  db_close(m->db);
  snprintf(path, sizeof path, "%s/db", dir);
  unlink(path);
}

static unsigned of_state(const struct sweep *s, enum sweep_state state) {
  unsigned n = 0;
  for (unsigned i = 0; i < s->n; i++) n += s->run[i].run.state == state;
  return n;
}

/* Every combination is there, once. */
static void crossed(void **state) {
  (void)state;
  struct made m;
  make(&m,
       "name: t\nkernels: [vecadd, sgemm]\nsize: small\nseeds: [1, 2]\nsystems: [baseline, VT]\n"
       "sweep: {sm.warps: {from: 16, to: 48, step: 16}, l1.mshrs: [8, 16]}\n"
       "zip: [{dram.latency: 100, l2.latency: 91}, {dram.latency: 200, l2.latency: 92}]\n"
       "exclude: [{sm.warps: 48, l1.mshrs: 8}, {kernel: sgemm, seed: 2}, {system: VT, "
       "dram.latency: 100}]\n");
  unsigned seen[3][2][2][2][2][2] = {0};
  for (unsigned i = 0; i < m.s.n; i++) {
    const struct sweep_run *r = &m.s.run[i];
    const struct config *c = m.s.config[r->config];
    const unsigned w = (unsigned)c->sm_warps / 16 - 1, h = c->l1_mshrs == 16, z = c->dram_latency == 200;
    assert_int_equal(c->l2_latency, z ? 92 : 91);
    assert_true(w < 3 && (h || c->l1_mshrs == 8) && (r->seed == 1 || r->seed == 2));
    seen[w][h][z][r->kernel][r->seed - 1][!strcmp(c->system, "VT")]++;
    for (unsigned k = 0; k < i; k++) assert_string_not_equal(r->run.key, m.s.run[k].run.key);
  }
  for (unsigned w = 0; w < 3; w++)
    for (unsigned b = 0; b < 32; b++) {
      const unsigned h = b & 1, z = b >> 1 & 1, k = b >> 2 & 1, s = b >> 3 & 1, v = b >> 4;
      const bool out = (w == 2 && !h) || (k && s) || (v && !z);
      assert_int_equal(seen[w][h][z][k][s][v], !out);
    }
  assert_int_equal(of_state(&m.s, SWEEP_WAITING), m.s.n);
  drop(&m);
}

/* A value that is impossible leaves the configuration as it was: the possible run of the same configuration is not touched. */
static void refused_alone(void **state) {
  (void)state;
  struct made m;
  make(&m, "name: t\nkernels: vecadd\nsize: small\nsystems: baseline\nsweep: {sm.warps: [x1, x1000, 63]}\n");
  assert_int_equal(m.s.n, 3);
  assert_int_equal(m.s.run[0].run.state, SWEEP_WAITING);
  assert_int_equal(m.s.run[1].run.state, SWEEP_REFUSED);
  assert_int_equal(m.s.run[2].run.state, SWEEP_REFUSED);
  struct err e = {0};
  assert_true(sweep_remake(&m.s, &e));
  assert_int_equal(of_state(&m.s, SWEEP_REFUSED), 2);
  drop(&m);
}

/* Who has a run, and who gets it. */
static void leases(void **state) {
  (void)state;
  struct made m;
  struct err e = {0};
  char mine[LEASE_OWNER], dead[LEASE_OWNER];
  make(&m, "name: t\nkernels: [vecadd, sgemm]\nsize: small\nsystems: baseline\nlimits: {tries: 1}\n");
  lease_owner(mine);
  assert_false(lease_dead(mine));
  assert_false(lease_dead("elsewhere 1 1"));
  assert_false(lease_dead("slurm rt-x-1-2-3 4"));
  snprintf(dead, sizeof dead, "%.*s 999999999 5", (int)strcspn(mine, " "), mine);
  assert_true(lease_dead(dead));
  struct sweep_run *r = &m.s.run[0];
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, "elsewhere 1 1", &e), LEASE_MINE);
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_THEIRS);
  assert_true(lease_renew(m.s.db, "elsewhere 1 1", 0, &e)); /* its time is over */
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, dead, &e), LEASE_MINE);
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_MINE);
  struct answer a = {.lost = LOST_MEMORY};
  err_at(&a.e, NULL, 0, 0, "no room");
  assert_true(lease_end(m.s.db, &r->run, &a, NULL, &e));
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_MINE); /* lost once: again */
  assert_true(lease_end(m.s.db, &r->run, &a, NULL, &e));
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_OVER);
  assert_int_equal(r->run.state, SWEEP_LOST);
  assert_true(sweep_again(&m.s, &e));
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_MINE);
  a = (struct answer){0};
  err_at(&a.e, NULL, 0, 0, "wrong");
  assert_true(lease_end(m.s.db, &r->run, &a, NULL, &e));
  assert_int_equal(lease_take(m.s.db, &r->run, m.s.plan->tries, mine, &e), LEASE_OVER); /* failed: never again */
  assert_false(e.set);
  drop(&m);
}

static void by_file(void **state) {
  (void)state;
  static struct run_result want;
  struct made m;
  struct err e = {0};
  struct slurm_answers a;
  const unsigned run[] = {0, 1};
  char out[256];
  make(&m, "name: t\nkernels: [vecadd, reduction]\nsize: small\nsystems: VT\nset: {l1.mshrs: 9}\n");
  snprintf(path, sizeof path, "%s/task-7.json", dir);
  snprintf(out, sizeof out, "%s/out-7.json", dir);
  assert_true(slurm_write_task(&m.s, run, 2, path, &e));
  if (!slurm_task(path, &e) || !slurm_read_answers(out, &a, &e)) fail_msg("%s", e.text);
  assert_int_equal(a.n, 2);
  for (unsigned i = 0; i < 2; i++) {
    struct task *t = malloc(sizeof *t);
    struct blob more = {0};
    assert_string_equal(a.of[i].key, m.s.run[i].run.key);
    if (!a.of[i].answer.ok) fail_msg("%s", a.of[i].answer.e.text);
    assert_true(work_run.run_more(sweep_task(&m.s, &m.s.run[i], t), &want, &more, &e));
    assert_memory_equal(&a.of[i].result->sm, &want.sm, sizeof want.sm);
    assert_memory_equal(&a.of[i].result->mem, &want.mem, sizeof want.mem);
    assert_int_equal(a.of[i].answer.more.n, more.n);
    const struct run_launch *back = a.of[i].answer.more.data, *made = more.data;
    for (size_t k = 0; k < more.n / sizeof *made; k++)
      assert_true(columns_sum(&back[k], launch_columns, launch_ncolumns) ==
                  columns_sum(&made[k], launch_columns, launch_ncolumns));
    free(more.data);
    free(t);
  }
  slurm_answers_free(&a);
  unlink(path), unlink(out);
  drop(&m);
}

static int begin(void **state) {
  (void)state;
  return mkdtemp(dir) == NULL;
}
static int end(void **state) {
  (void)state;
  return rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(crossed), cmocka_unit_test(refused_alone),
                                     cmocka_unit_test(leases), cmocka_unit_test(by_file)};
  return cmocka_run_group_tests(tests, begin, end);
}
