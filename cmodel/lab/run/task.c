/* SPDX-License-Identifier: Apache-2.0 */
/* task: see task.h. */
#include "lab/run/task.h"

#include <string.h>

static bool task_run(const struct task *t, bool functional, struct run_detail *d, struct run_result *out,
                     struct err *e) {
  struct workload w;
  const struct run_progress p = {.detail = d, .threads = t->threads};
  if (!workload_compile(t->name, t->size, &t->cfg, t->seed, &w, e)) return false;
  bool ok = run_workload(&w, &t->cfg, t->seed, functional, &p, out, e);
  workload_close(&w);
  return ok;
}
static bool task_run_timed(const void *task, void *out, struct err *e) { return task_run(task, false, NULL, out, e); }
static bool task_run_functional(const void *task, void *out, struct err *e) {
  return task_run(task, true, NULL, out, e);
}

static bool task_run_launches(const void *task, void *out, struct blob *more, struct err *e) {
  struct run_detail d = {.by_launch = true};
  const bool ok = task_run(task, false, &d, out, e);
  if (ok && d.launches) {
    more->n = d.launches * sizeof *d.launch;
    more->data = memcpy(xmalloc(more->n), d.launch, more->n);
  }
  run_detail_free(&d);
  return ok;
}
const struct work work_run = {"run", sizeof(struct run_result), sizeof(struct task), task_run_timed, task_run_launches};
const struct work work_functional = {"functional", sizeof(struct run_result), sizeof(struct task), task_run_functional,
                                     NULL};
