/* SPDX-License-Identifier: Apache-2.0 */
/* pack: all kernels in packed code give their right results, in no more rows than alloc_kernel takes
 * registers. */
#include <glob.h>
#include <stdio.h>

#include "analysis_make.h"
#include "blocks/slice/entry.h"
#include "exec/exec.h"
#include "ptx/ptx.h"

static bool run_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  (void)index;
  (void)ctx;
  struct exec_counts n;
  return exec_run(l, 4, &n, e);
}

static bool run_file(const char *path, struct err *e) {
  struct script *s = script_read(path, e);
  if (!s) return false;
  struct module *m = ptx_load(script_ptx(s), e), *plain = ptx_load(script_ptx(s), e);
  bool ok = m && plain;
  const struct narrowing how = {.split = true};
  for (uint32_t i = 0; ok && i < m->nkernel; i++) {
    ok = pack_kernel(m, &m->kernel[i], &how, e) && alloc_kernel(plain, &plain->kernel[i], 0, e);
    if (ok && m->kernel[i].packing->rows > plain->kernel[i].nreg)
      fail_msg("%s: %u rows, more than %u registers", m->kernel[i].name, m->kernel[i].packing->rows,
               plain->kernel[i].nreg);
  }
  ok = ok && script_run(s, m, 0, &(struct host_ops){.launch = run_launch}, e);
  module_free(m);
  module_free(plain);
  script_free(s);
  return ok;
}

static void kernels_are_right(void **state) {
  (void)state;
  glob_t all;
  assert_int_equal(glob("traces/*/small.launch", 0, NULL, &all), 0);
  for (size_t i = 0; i < all.gl_pathc; i++) {
    struct err e = {0};
    if (!run_file(all.gl_pathv[i], &e))
      fail_msg("%s:%d: %s", e.file[0] ? e.file : all.gl_pathv[i], e.line, e.text);
  }
  globfree(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
