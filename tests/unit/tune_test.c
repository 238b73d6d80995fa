/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The widths files of the suite belong to its programs, and with them each kernel has the quality that the
 * table says: executed here again, with the code without slices as the reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/narrow/packing.h"
#include "lab/run/quality.h"
#include "lab/run/widths.h"

static void need(bool ok, const char *kernel, const struct err *e) {
  if (!ok) fail_msg("%s: %s:%d:%d: %s", kernel, e->file, e->line, e->col, e->text);
}

static struct quality_results plain(const char *kernel) {
  struct workload w;
  struct quality_results r = {0};
  struct err e = {0};
  need(workload_open(kernel, "small", &w, &e), kernel, &e);
  need(quality_run(&w, 0, false, NULL, &r, &e), kernel, &e);
  workload_close(&w);
  return r;
}

/* How many floats the file narrows. */
static unsigned narrowed(const char *kernel, const char *path, const char *quality, struct quality_results *r) {
  struct workload w;
  struct widths widths;
  struct err e = {0};
  unsigned n = 0;
  need(workload_read(kernel, "small", &w, &e), kernel, &e);
  need(widths_read(&widths, path, w.module, quality, &e), kernel, &e);
  assert_non_null(widths.of);
  const struct narrowing how = {.floats = &widths, .split = true};
  for (uint32_t k = 0; k < w.module->nkernel; k++) {
    struct code *c = &w.module->kernel[k];
    need(pack_kernel(w.module, c, &how, &e), kernel, &e);
    need(widths_fit(&widths, c, &e), kernel, &e);
    for (uint32_t i = 0; i < c->packing->nweb; i++) n += c->packing->web[i].fp && c->packing->web[i].n < 8;
  }
  need(quality_run(&w, 0, true, NULL, r, &e), kernel, &e);
  widths_free(&widths);
  workload_close(&w);
  return n;
}

static void committed(void **state) {
  (void)state;
  struct suite s;
  struct err e = {0};
  unsigned tables = 0, narrow = 0;
  need(suite_open(&s, &e), "the suite", &e);
  for (unsigned i = 0; i < s.n; i++)
    for (enum quality_level level = QUALITY_HIGH; level <= QUALITY_PERFECT; level++) {
      const char *kernel = s.kernel[i].name;
      struct workload w;
      char path[1100];
      need(workload_find(kernel, &w, &e), kernel, &e);
      snprintf(path, sizeof path, "%.*s.widths", (int)(strlen(w.path) - strlen(".launch")), w.path);
      if (access(path, F_OK)) continue;
      struct quality_results a = plain(kernel), b = {0};
      struct quality q;
      enum quality_metric m;
      narrow += narrowed(kernel, path, quality_level_name(level), &b);
      need(quality_metric_of(w.path, NULL, &m, &e) && quality_compare(m, &a, &b, NULL, &q, &e), kernel, &e);
      if (m == QUALITY_EXACT ? q.level != QUALITY_PERFECT : q.level < level)
        fail_msg("%s: reaches %s (%.9g)", path, quality_level_name(q.level), q.value);
      tables++;
      quality_free(&a);
      quality_free(&b);
    }
  suite_free(&s);
  assert_true(tables >= 22); /* the eleven kernels of the slices paper at least, at both levels */
  assert_true(narrow >= 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(committed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
