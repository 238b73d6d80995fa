/* SPDX-License-Identifier: Apache-2.0 */
/* pool: tasks of any kind in child processes; one that dies takes nothing with it; the caller may have enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/campaign/pool.h"

struct job {
  unsigned number, sleep;
  int signal;      /* it dies of, 0: it lives */
  const char *bad; /* it fails with this; NULL: it does not */
};
struct made {
  unsigned square;
  pid_t pid;
};

static bool work_on(const void *task, void *out, struct err *e) {
  const struct job *j = task;
  struct made *m = out;
  if (j->signal) raise(j->signal);
  sleep(j->sleep);
  *m = (struct made){j->number * j->number, getpid()};
  return !j->bad || err_at(e, "job", (int)j->number, 0, "%s", j->bad);
}
static const struct work work = {"squares", sizeof(struct made), sizeof(struct job), work_on, NULL};

struct seen {
  unsigned n, last, most; /* answers; the last one's task; wanted */
};
static bool count(void *ctx, unsigned task, const struct answer *a) {
  struct seen *s = ctx;
  (void)a;
  s->last = task;
  return ++s->n < s->most;
}

static void each_alone(void **state) {
  (void)state;
  const struct job job[5] = {
      {.number = 1}, {.number = 2, .signal = SIGKILL}, {.number = 3, .bad = "no"}, {.number = 4}, {.number = 5}};
  for (unsigned jobs = 1; jobs <= 7; jobs += 3) {
    struct made m[5];
    struct answer a[5];
    struct seen s = {.most = 100};
    const struct pool pool = {.work = &work, .jobs = jobs, .done = count, .ctx = &s};
    pool_run(&pool, job, 5, m, a);
    assert_int_equal(s.n, 5);
    assert_true(a[0].ok && !a[1].ok && !a[2].ok && a[3].ok && a[4].ok);
    assert_true(m[0].square == 1 && m[3].square == 16 && m[4].square == 25);
    assert_true(m[0].pid != getpid() && m[0].pid != m[3].pid);
    assert_string_equal(a[1].e.text, "the child process died: Killed");
    assert_string_equal(a[2].e.text, "no");
    assert_int_equal(a[2].e.line, 3);
  }
}

/* Those under way are ended, the rest is not begun. */
static void enough(void **state) {
  (void)state;
  const struct job job[4] = {{.number = 1, .sleep = 100}, {.number = 2}, {.number = 3, .sleep = 100}, {.number = 4}};
  struct made m[4] = {0};
  struct answer a[4];
  struct seen s = {.most = 1};
  const struct pool pool = {.work = &work, .jobs = 2, .done = count, .ctx = &s};
  const time_t from = time(NULL);
  pool_run(&pool, job, 4, m, a);
  assert_true(time(NULL) - from < 50);
  assert_true(s.n == 1 && s.last == 1);
  assert_true(a[1].ok && m[1].square == 4);
  assert_true(!a[0].ok && !a[2].ok && !a[3].ok);
  assert_true(!a[0].e.set && !a[3].e.set && !m[3].square); /* neither done nor failed */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_alone), cmocka_unit_test(enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
