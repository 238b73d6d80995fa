/* SPDX-License-Identifier: Apache-2.0 */
/* device_test: sessions (device/device.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "device/device.h"

static struct device *open_session(const char *machine, const char *system, const char *time) {
  struct err e = {0};
  struct device *d = device_open(&(struct device_settings){.machine = machine, .system = system, .time = time}, &e);
  if (!d) fail_msg("%s", e.text);
  return d;
}

/* The PTX of a kernel of the suite. */
static struct device_module *load(struct device *d, const char *path) {
  char why[IO_WHY];
  size_t n;
  struct err e = {0};
  struct device_module *m;
  char *text = input_read(path, 1 << 24, &n, why);
  assert_non_null(text);
  if (device_load(d, path, text, n, &m, &e) != DEVICE_OK) fail_msg("%s", e.text);
  free(text);
  return m;
}

struct vecadd {
  uint64_t a, b, c;
  uint32_t n;
};

static void vecadd(void **state) {
  (void)state;
  enum { N = 1000 };
  struct device *d = open_session(NULL, NULL, NULL);
  struct device_module *m = load(d, "traces/kernels/vecadd/vecadd.ptx");
  struct device_kernel *k = device_find_kernel(m, "vecadd");
  struct vecadd p = {.n = N};
  struct err e = {0};
  uint32_t at[3];
  for (unsigned i = 0; i < 3; i++) assert_int_equal(device_alloc(d, N * 4, 0, &at[i], &e), DEVICE_OK);
  float *a = (float *)device_at(d, at[0], N * 4), *b = (float *)device_at(d, at[1], N * 4);
  for (unsigned i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
  }
  p.a = at[0], p.b = at[1], p.c = at[2];
  struct device_launch l = {.grid = {(N + 255) / 256, 1, 1}, .block = {256, 1, 1}, .param = &p, .param_bytes = 28};
  struct device_result r;
  assert_int_equal(device_launch(d, k, &l, &r, &e), DEVICE_OK);
  const float *c = (const float *)device_at(d, at[2], N * 4);
  for (unsigned i = 0; i < N; i++) assert_true(c[i] == (float)(3 * i));
  assert_true(r.timed && r.cycles > 0 && r.sm.warp_insns > 0 && r.end_ns > r.begin_ns);
  assert_true(device_write_json(d, "build/test/device_test.json", &e));
  device_close(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vecadd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
