/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite_kit: kernels of the suite, small, on a machine with settings that a test always has, a system, and other settings; and
 * errors that an observer plants in them. Lists of settings end with NULL. After cmocka.
 */
#ifndef RT_TESTS_SUITE_KIT_H
#define RT_TESTS_SUITE_KIT_H

#include <string.h>

#include "lab/run/run.h"
#include "sm/twin.h"
#include "kit.h"

struct suite_machine {
  const char *name, *always[3];
};

static inline bool config_set_all(struct config *c, const char *const *set, struct err *e) {
  for (; *set; set++)
    if (!config_set(c, *set, 0, e)) return false;
  return true;
}

static inline bool suite_configure(const struct suite_machine *m, const char *system, const char *const *set,
                                   struct config *c, struct err *e) {
  return config_load(c, m->name, system, e) && config_set_all(c, m->always, e) && config_set_all(c, set, e) &&
         config_check(c, e);
}

static inline bool suite_compile(const struct suite_machine *m, const char *kernel, const char *system,
                                 const char *const *set, struct config *c, struct workload *w, struct err *e) {
  return suite_configure(m, system, set, c, e) && workload_compile(kernel, "small", c, 0, w, e);
}

/* o: NULL for none. */
static inline bool suite_run(const struct suite_machine *m, const char *kernel, const char *system,
                             const char *const *set, const struct observer *o, struct run_result *r, struct err *e) {
  struct config c;
  struct workload w;
  const struct run_progress progress = {.observer = o};
  if (!suite_compile(m, kernel, system, set, &c, &w, e)) return false;
  const bool ok = run_workload(&w, &c, 0, false, &progress, r, e);
  workload_close(&w);
  return ok;
}

static inline struct run_result suite_right(const struct suite_machine *m, const char *kernel, const char *system,
                                            const char *const *set) {
  struct run_result r;
  struct err e = {0};
  if (!suite_run(m, kernel, system, set, NULL, &r, &e)) fail_msg("%s on %s: %s", system, kernel, e.text);
  return r;
}

/* ---- planted errors ---- */
/* A run in which an error was planted so many times has failed with this message. */
static inline void planted_found(bool ok, const char *kernel, const char *system, unsigned times, const struct err *e,
                                 const char *message) {
  if (ok) fail_msg("%s on %s: planted %u times, and not found", system, kernel, times);
  assert_true(times > 0);
  if (!strstr(e->text, message)) fail_msg("found '%s', expected '%s'", e->text, message);
}

#endif
