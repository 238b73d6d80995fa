/* SPDX-License-Identifier: Apache-2.0 */
/* character: histograms, series, fractions and the locality of loads, against answers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab/kernels/locality.h"

static void histogram_counts(void **state) {
  (void)state;
  struct histogram h = {0};
  const uint64_t v[] = {0, 1, 3, 3, 4, 10, 11, 62, 63, 64, 1000000};
  for (unsigned i = 0; i < sizeof v / sizeof *v; i++) histogram_add(&h, v[i]);
  assert_int_equal(h.count, 11);
  assert_int_equal(h.bin[3], 2);
  assert_int_equal(h.bin[63], 1);
  assert_int_equal(h.bin[64], 2); /* 64 and a million */
  assert_int_equal(histogram_above(&h, 3), 7);
  assert_int_equal(histogram_above(&h, 10), 5);
  assert_int_equal(histogram_above(&h, 62), 3);
}

/* However long, a series keeps the sums; a point is a whole number of steps, the last one perhaps not yet
 * full. */
static void series_keeps_sums(void **state) {
  (void)state;
  for (unsigned steps = 1; steps < 3000; steps = steps * 3 / 2 + 1) {
    struct series s = {0};
    uint64_t num = 0, den = 0;
    for (unsigned i = 0; i < steps; i++) series_add(&s, i, 2 * i + 1);
    for (unsigned k = 0; k < s.n; k++) {
      num += s.num[k], den += s.den[k];
      uint64_t first = (uint64_t)k * s.stride, n = k + 1 < s.n ? s.stride : s.filled;
      assert_int_equal(s.num[k], n * (2 * first + n - 1) / 2);
    }
    assert_true(s.n <= SERIES_MOST);
    assert_int_equal(num, (uint64_t)steps * (steps - 1) / 2);
    assert_int_equal(den, (uint64_t)steps * steps);
    assert_int_equal((s.n - 1) * s.stride + s.filled, steps);
  }
  struct series s = {0};
  for (unsigned i = 0; i < 2 * SERIES_MOST + 1; i++) series_add(&s, 1, 1);
  assert_int_equal(s.stride, 4);
  assert_int_equal(s.n, SERIES_MOST / 2 + 1);
}

static void fractions_bound(void **state) {
  (void)state;
  struct fractions f = {0};
  fraction_add(&f, 5, 0); /* of nothing: no window */
  assert_int_equal(f.n, 0);
  fraction_add(&f, 1, 2);
  fraction_add(&f, 1, 4);
  fraction_add(&f, 3, 4);
  assert_int_equal(f.n, 3);
  assert_true(f.sum == 1.5 && f.least == 0.25 && f.most == 0.75);
}

static struct locality out;

/* One window: load 0 reads lines 0..18 once and 0 again (19 of 20 miss: exactly 95 %, it does not stream);
 * load 1 reads 40 lines once and one again (40 of 41 miss: it streams). */
static void streaming_is_above_95_percent(void **state) {
  (void)state;
  struct locality_probe *p = locality_new(&out);
  for (uint32_t k = 0; k < 19; k++) locality_read(p, k, 0, k << 7);
  locality_read(p, 30, 0, 0);
  for (uint32_t k = 0; k < 40; k++) locality_read(p, 40 + k, 1, (100 + k) << 7);
  locality_read(p, 90, 1, 100 << 7);
  locality_end(p);
  assert_int_equal(out.windows, 1);
  assert_int_equal(out.loads, 2);
  assert_int_equal(out.streaming, 1);
  assert_int_equal(out.stream_lines, 40);
  assert_int_equal(out.reused_lines, 1); /* line 0; what a streaming load reuses does not count */
  assert_int_equal(out.private_lines, 1);
  assert_int_equal(out.load[0].misses, 19);
  assert_int_equal(out.load[1].accesses, 41);
}

/* Six loads that reuse: only the four with most accesses count, of equals the first. Lines that two loads
 * read are not private. */
static void four_loads_and_what_is_private(void **state) {
  (void)state;
  static const unsigned times[6] = {2, 5, 4, 3, 3, 3};
  struct locality_probe *p = locality_new(&out);
  for (uint32_t l = 0; l < 6; l++)
    for (unsigned i = 0; i < times[l]; i++) locality_read(p, 1, l, (l < 3 ? l : 3) << 7);
  locality_end(p);
  /* chosen: 1, 2, 3, 4; loads 3, 4 and 5 share line 3 */
  assert_int_equal(out.reused_lines, 4);
  assert_int_equal(out.private_lines, 2);
  assert_int_equal(out.streaming, 0);
}

static void windows_of_50000_cycles(void **state) {
  (void)state;
  struct locality_probe *p = locality_new(&out);
  locality_read(p, 1000, 0, 128);  /* the first read begins the first window: 1000..50999 */
  locality_read(p, 50999, 0, 128); /* reused */
  locality_read(p, 51000, 0, 128); /* the second window: not reused in it */
  locality_read(p, 251000, 1, 0);  /* three empty windows between; the last one is short and does not count */
  locality_read(p, 251001, 1, 0);
  locality_end(p);
  assert_int_equal(out.windows, 2);
  assert_int_equal(out.reused_lines, 1);
  assert_int_equal(out.streaming, 1);
  assert_int_equal(out.stream_lines, 1);
  assert_int_equal(out.load[0].windows, 2);
  assert_int_equal(out.load[1].reused, 1); /* a load's own sums have the short window, too */
}

/* More lines than the table begins with: none is lost. */
static void many_lines(void **state) {
  (void)state;
  enum { N = 50000 };
  struct locality_probe *p = locality_new(&out);
  for (unsigned twice = 0; twice < 2; twice++)
    for (uint32_t k = 0; k < N; k++) locality_read(p, 7, 3, k * 37 % N << 7);
  locality_end(p);
  assert_int_equal(out.load[3].accesses, 2 * N);
  assert_int_equal(out.load[3].misses, N);
  assert_int_equal(out.reused_lines, N);
  assert_int_equal(out.private_lines, N);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(histogram_counts),
      cmocka_unit_test(series_keeps_sums),
      cmocka_unit_test(fractions_bound),
      cmocka_unit_test(streaming_is_above_95_percent),
      cmocka_unit_test(four_loads_and_what_is_private),
      cmocka_unit_test(windows_of_50000_cycles),
      cmocka_unit_test(many_lines),
  };
  return cmocka_run_group_tests_name("character", tests, NULL, NULL);
}
