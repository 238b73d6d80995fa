/* SPDX-License-Identifier: Apache-2.0 */
/* facts: the facts common to all launches of a search and of a kernel with dimensions, and a launch outside of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/run/facts.h"
#include "kit.h"

static struct launch seen;
static uint8_t bytes[256];

/* The last launch, as the kernel with `code` saw it. */
static void remember(struct launch_facts *f, const struct code *c, const struct launch *l) {
  facts_add(f, c, l);
  seen = *l;
  memcpy(bytes, l->param, c->param_bytes);
  seen.param = bytes;
}

static void a_search(void **state) {
  (void)state;
  struct workload w;
  struct err e = {0};
  struct quality_results r = {0};
  need(workload_open("bfs", "small", &w, &e), &e);
  struct launch_facts *f = facts_new(w.module);
  need(facts_run(&w, 0, false, f, &r, &e), &e);
  assert_int_equal(r.n, 3);
  assert_true(r.steered); /* the host's loop reads a flag of each level */
  const struct code *c = module_kernel(w.module, "bfs_advance");
  const struct launch_facts *a = &f[c - w.module->kernel];
  assert_true(a->any);
  assert_true(a->ntid[0].lo == 256 && a->ntid[0].hi == 256 && a->ntid[1].hi == 1);
  assert_true(a->nctaid[0].lo == 12 && a->nctaid[0].hi == 12);
  assert_true(a->param[0].lo == a->param[0].hi && a->param[0].lo >= GLOBAL_BASE);
  assert_true(a->param[4].lo == 1 && a->param[4].hi > 2 && a->param[4].hi < 100); /* depth */
  assert_true(a->param[5].lo == 3000 && a->param[5].hi == 3000);
  facts_free(f, w.module);
  quality_free(&r);
  workload_close(&w);
}

static void bounds_of_both_kinds(void **state) {
  (void)state;
  struct param param[2] = {{.name = "n", .offset = 0, .size = 4, .type = T_U32},
                           {.name = "v", .offset = 8, .size = 16, .type = T_B8, .array = true}};
  struct code c = {.name = "k", .file = "k.ptx", .param = param, .nparam = 2, .param_bytes = 24};
  struct module m = {.kernel = &c, .nkernel = 1};
  struct launch_facts *f = facts_new(&m);
  struct err e = {0};
  int32_t value[6] = {-3};
  struct launch l = {.code = &c, .grid = {7, 1, 1}, .block = {64, 2, 1}, .param = (uint8_t *)value};
  assert_false(facts_cover(f, &c, &l, &e));
  remember(f, &c, &l);
  value[0] = 5;
  l.grid[0] = 9;
  remember(f, &c, &l);
  assert_true(f->param[0].slo == -3 && f->param[0].shi == 5);
  assert_true(f->param[0].lo == 5 && f->param[0].hi == 0xfffffffd);
  assert_true(f->nctaid[0].lo == 7 && f->nctaid[0].hi == 9);

  memset(&e, 0, sizeof e);
  value[0] = 6;
  value[4] = 77;
  need(facts_cover(f, &c, &seen, &e), &e);
  assert_false(facts_cover(f, &c, &l, &e));
  assert_non_null(strstr(e.text, "found n 6, expected -3 to 5"));
  memset(&e, 0, sizeof e);
  value[0] = 0;
  need(facts_cover(f, &c, &l, &e), &e);
  l.block[1] = 1;
  assert_false(facts_cover(f, &c, &l, &e));
  assert_non_null(strstr(e.text, "found ntid.y 1, expected 2 to 2"));
  memset(&e, 0, sizeof e);
  l.block[1] = 2;
  l.grid[0] = 10;
  assert_false(facts_cover(f, &c, &l, &e));
  assert_non_null(strstr(e.text, "found nctaid.x 10, expected 7 to 9"));
  memset(&e, 0, sizeof e);
  l.grid[0] = 9;
  l.shared_dyn = 16;
  assert_false(facts_cover(f, &c, &l, &e));
  assert_non_null(strstr(e.text, "found dynamic shared memory of 16, expected 0 to 0"));
  facts_free(f, &m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_search), cmocka_unit_test(bounds_of_both_kinds)};
  return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
