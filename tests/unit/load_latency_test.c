/* SPDX-License-Identifier: Apache-2.0 */
/* load_latency: the bins, and percentiles by hand. What the SM counts: tests/unit/sm_memory_test.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/run/load_latency.h"

static void bins(void **state) {
  (void)state;
  for (uint64_t v = 0; v < 256; v++) assert_int_equal(latency_bin(v), v);
  for (unsigned b = 0; b < LATENCY_BINS; b++) { /* each holds its least value, and the one below is the last one's */
    assert_int_equal(latency_bin(latency_least(b)), b);
    if (b) assert_int_equal(latency_bin(latency_least(b) - 1), b - 1);
    uint64_t width = latency_least(b + 1) - latency_least(b);
    assert_true(b < 256 ? width == 1 : (width - 1) * 128 < latency_least(b));
  }
  assert_int_equal(latency_bin(257), 256); /* 256..257, 258..259, ... */
  assert_int_equal(latency_bin(258), 257);
  assert_int_equal(latency_bin(1 << 24), LATENCY_BINS - 1);
  assert_int_equal(latency_bin(UINT64_MAX), LATENCY_BINS - 1);
}

static void percentiles(void **state) {
  (void)state;
  static struct latency l;
  struct load_latency s[LATENCY_ROWS];
  load_latencies(&l, s);
  assert_int_equal(s[LATENCY_ALL].loads + s[LATENCY_ALL].p50 + s[LATENCY_ALL].p95, 0);
  for (unsigned v = 1; v <= 100; v++) latency_add(&l, v <= 60 ? LATENCY_L1 : LATENCY_DRAM, v);
  load_latencies(&l, s);
  assert_int_equal(s[LATENCY_ALL].loads, 100);
  assert_int_equal(s[LATENCY_ALL].cycles, 5050);
  assert_int_equal(s[LATENCY_ALL].p50, 50);
  assert_int_equal(s[LATENCY_ALL].p95, 95);
  assert_int_equal(s[LATENCY_ALL].most, 100);
  assert_int_equal(s[LATENCY_L1].p50, 30);
  assert_int_equal(s[LATENCY_L1].p95, 57);
  assert_int_equal(s[LATENCY_DRAM].p50, 80); /* of 61..100 the 20th */
  assert_int_equal(s[LATENCY_DRAM].p95, 98);
  assert_int_equal(s[LATENCY_L2].loads, 0);
  latency_add(&l, LATENCY_L2, 1001); /* octave 512: bins of 4 cycles, 1000 to 1003 */
  load_latencies(&l, s);
  assert_int_equal(s[LATENCY_L2].p50, 1000);
  assert_int_equal(s[LATENCY_L2].most, 1001);
  assert_int_equal(s[LATENCY_L2].cycles, 1001);
}

static void picture_without_loads(void **state) {
  (void)state;
  static struct latency l;
  struct err e = {0};
  char path[] = "/tmp/latency-XXXXXX.svg", text[1 << 16];
  close(mkstemps(path, 4));
  if (!load_latency_draw(&l, "nothing", path, &e)) fail_msg("%s", e.text);
  FILE *f = fopen(path, "r");
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  unlink(path);
  assert_non_null(strstr(text, "nothing: 0 loads"));
  assert_null(strstr(text, "p50 1"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bins), cmocka_unit_test(percentiles),
                                     cmocka_unit_test(picture_without_loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
