/* SPDX-License-Identifier: Apache-2.0 */
/* cost/sram: transistors counted by hand, deviations from CACTI's points, monotonicity, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cost/sram.h"

static struct sram_count counted(struct sram a) {
  struct sram_count n;
  struct err e = {0};
  if (!sram_count(&a, &n, &e)) fail_msg("%s", e.text);
  return n;
}

static struct sram_figures figures(struct sram a) {
  struct sram_figures f;
  struct err e = {0};
  if (!sram_figures(&a, &f, &e)) fail_msg("%s", e.text);
  return f;
}

/* ---- transistors ---- */

static void four_rows_with_tag(void **state) {
  (void)state;
  struct sram_count n = counted((struct sram){.rows = 4, .width = 3, .ports = SRAM_1RW, .tag_bits = 2});
  assert_int_equal(n.bits, 12);
  assert_int_equal(n.cells, 72);                /* 12 x 6 */
  assert_int_equal(n.decoders, 4 + 24 + 4 * 4); /* 2 inverters, 1 predecoder, 4 rows: an inverter as NAND1, a driver */
  assert_int_equal(n.columns, 48);              /* 3 x (3 + 7 + 6) */
  assert_int_equal(n.comparator, 2 * 10 + 6);   /* 2 XNOR, 1 AND2 */
  assert_int_equal(n.transistors, 72 + 44 + 48 + 26);
}

static void five_rows_two_ports(void **state) {
  (void)state;
  struct sram_count n = counted((struct sram){.rows = 5, .width = 8, .ports = SRAM_1R1W});
  assert_int_equal(n.bits, 40);
  assert_int_equal(n.cells, 320);                           /* 40 x 8 */
  assert_int_equal(n.decoders, 2 * (6 + 24 + 5 * (4 + 2))); /* 3 inverters, 1 predecoder, 5 rows: NAND2, driver */
  assert_int_equal(n.columns, 128);
  assert_int_equal(n.comparator, 0);
  assert_int_equal(n.transistors, 320 + 120 + 128);
}

/* A register-file bank of 16 KB: 7 address bits. */
static void a_bank(void **state) {
  (void)state;
  struct sram_count n = counted((struct sram){.rows = 128, .width = 1024, .ports = SRAM_1R1W});
  assert_int_equal(n.cells, 1048576);
  assert_int_equal(n.decoders, 2 * (14 + 72 + 128 * 10));
  assert_int_equal(n.transistors, 1048576 + 2732 + 16384);
}

static void rows_that_are_no_power_of_two(void **state) {
  (void)state;
  assert_int_equal(counted((struct sram){.rows = 2, .width = 1}).decoders, 2 + 2 * 4);
  assert_int_equal(counted((struct sram){.rows = 64, .width = 1}).decoders, 12 + 72 + 64 * 8);
  assert_int_equal(counted((struct sram){.rows = 65, .width = 1}).decoders, 14 + 72 + 65 * 10);
  assert_int_equal(counted((struct sram){.rows = 1u << 24, .width = 1u << 24, .ports = SRAM_1R1W}).cells, 1ull << 51);
}

/* ---- CACTI's points ---- */

/* The largest deviations in percent, as they are, rounded up to a whole percent. */
static void near_cacti(void **state) {
  (void)state;
  assert_int_equal(sram_npoints, 11);
  for (unsigned i = 0; i < sram_npoints; i++) {
    const struct sram_figures m = figures(sram_points[i].array), *c = &sram_points[i].cacti;
    const struct {
      const char *name;
      double model, cacti, most;
    } k[] = {
        {"access", m.access_ns, c->access_ns, 5},    {"cycle", m.cycle_ns, c->cycle_ns, 6},
        {"read", m.read_pj, c->read_pj, 2},          {"write", m.write_pj, c->write_pj, 3},
        {"leakage", m.leakage_mw, c->leakage_mw, 3}, {"area", m.mm2, c->mm2, 5},
    };
    for (unsigned j = 0; j < sizeof k / sizeof *k; j++) {
      const double d = 100 * (k[j].model / k[j].cacti - 1);
      if (!(fabs(d) <= k[j].most))
        fail_msg("point %u, %s: %g, CACTI %g: %+.2f %%, expected at most %g", i, k[j].name, k[j].model, k[j].cacti, d,
                 k[j].most);
    }
    assert_false(m.extrapolated);
  }
}

/* The table of docs/use/cost.md is the one that the program prints. */
static void table_of_the_page(void **state) {
  (void)state;
  static const char begin[] = "<!-- sram deviations -->\n", end[] = "<!-- end of sram deviations -->";
  char *table = NULL, *page = NULL;
  size_t size, n = 0;
  FILE *f = open_memstream(&table, &size);
  sram_deviations(f);
  fclose(f);
  f = fopen("docs/use/cost.md", "r");
  assert_non_null(f);
  assert_true(getdelim(&page, &n, 0, f) > 0);
  fclose(f);
  char *from = strstr(page, begin), *to = strstr(page, end);
  assert_non_null(from);
  assert_non_null(to);
  *to = 0;
  assert_string_equal(from + strlen(begin), table);
  free(table);
  free(page);
}

/* ---- monotonic ---- */

static void not_smaller(struct sram a, struct sram b) {
  const struct sram_figures x = figures(a), y = figures(b);
  const bool ok = y.access_ns >= x.access_ns && y.cycle_ns >= x.cycle_ns && y.read_pj > x.read_pj &&
                  y.write_pj > x.write_pj && y.leakage_mw > x.leakage_mw && y.mm2 > x.mm2;
  if (!ok) fail_msg("%u nm: %u x %u costs less than %u x %u", a.node, b.rows, b.width, a.rows, a.width);
  assert_true(counted(b).bits > counted(a).bits);
  assert_true(counted(b).transistors > counted(a).transistors);
  assert_true(x.write_pj > x.read_pj);
}

/* More rows or columns, a second port, an older node. */
static void more_costs_more(void **state) {
  (void)state;
  static const uint32_t node[] = {22, 32, 45};
  for (unsigned n = 0; n < 3; n++)
    for (unsigned p = SRAM_1RW; p <= SRAM_1R1W; p++)
      for (unsigned c = SRAM_HP; c <= (node[n] == 45 ? SRAM_LSTP : SRAM_HP); c++)
        for (uint32_t rows = SRAM_ROWS_MIN; rows <= SRAM_ROWS_MAX; rows += 60)
          for (uint32_t width = SRAM_WIDTH_MIN; width <= SRAM_WIDTH_MAX; width += 32) {
            struct sram a = {.rows = rows, .width = width, .ports = p, .cells = c, .node = node[n]}, b = a;
            b.rows += 60;
            if (b.rows <= SRAM_ROWS_MAX) not_smaller(a, b);
            b = a;
            b.width += 32;
            if (b.width <= SRAM_WIDTH_MAX) not_smaller(a, b);
            b = a;
            b.ports = SRAM_1R1W;
            if (p == SRAM_1RW) {
              assert_true(figures(b).mm2 > figures(a).mm2);
              assert_true(figures(b).leakage_mw > figures(a).leakage_mw);
              assert_true(figures(b).read_pj > figures(a).read_pj);
              assert_true(figures(b).write_pj > figures(a).write_pj);
              assert_true(figures(b).access_ns > figures(a).access_ns);
            }
            b = a;
            b.node = node[n < 2 ? n + 1 : 2];
            if (n < 2) {
              assert_true(figures(b).mm2 > figures(a).mm2);
              assert_true(figures(b).access_ns > figures(a).access_ns);
              assert_true(figures(b).read_pj > figures(a).read_pj);
            }
          }
}

static void says_what_is_extrapolated(void **state) {
  (void)state;
  struct sram a = {.rows = 256, .width = 768, .ports = SRAM_1R1W, .node = 45};
  assert_false(figures(a).extrapolated);
  a.node = 32; /* its points end at 128 rows */
  assert_true(figures(a).extrapolated);
  a.rows = 96;
  assert_false(figures(a).extrapolated);
  a.ports = SRAM_1RW; /* one point only */
  assert_true(figures(a).extrapolated);
  a.node = 45;
  a.cells = SRAM_LSTP; /* none at all of one port */
  a.rows = 128;
  a.width = 1024;
  assert_true(figures(a).extrapolated);
}

/* A comparator adds transistors only. */
static void tags_are_logic(void **state) {
  (void)state;
  struct sram a = {.rows = 64, .width = 512, .ports = SRAM_1RW, .node = 32}, b = a;
  b.tag_bits = 20;
  const struct sram_figures x = figures(a), y = figures(b);
  assert_true(x.mm2 == y.mm2 && x.access_ns == y.access_ns && x.read_pj == y.read_pj);
  assert_int_equal(counted(b).transistors - counted(a).transistors, 314);
}

/* ---- refused ---- */

static void refuses(struct sram a, const char *want) {
  struct sram_figures f, before;
  struct err e = {0};
  memset(&f, 0x5a, sizeof f);
  before = f;
  if (sram_figures(&a, &f, &e)) fail_msg("accepted, expected: %s", want);
  assert_string_equal(e.text, want);
  assert_memory_equal(&f, &before, sizeof f);
}

static void refusals(void **state) {
  (void)state;
  const struct sram good = {.rows = 128, .width = 1024, .ports = SRAM_1R1W, .node = 45};
  struct sram a = good;
  static const uint32_t node[] = {0, 16, 30, 41, 65};
  for (unsigned i = 0; i < 5; i++) {
    char want[80];
    snprintf(want, sizeof want, "found an SRAM at %u nm, expected 45, 40, 32, 28 or 22 nm", node[i]);
    a.node = node[i];
    refuses(a, want);
  }
  a = good, a.cells = SRAM_LSTP, a.node = 22;
  refuses(a, "found an SRAM of LSTP cells at 22 nm, expected 45 nm: there is no other point of CACTI's");
  a = good, a.rows = 63;
  refuses(a,
          "found an SRAM of 63 rows of 1024 bits, expected at least 64 rows of at least 512 bits: small arrays are "
          "costed from cells");
  a = good, a.width = 511, a.rows = 2048;
  refuses(a,
          "found an SRAM of 2048 rows of 511 bits, expected at least 64 rows of at least 512 bits: small arrays are "
          "costed from cells");
  a = good, a.rows = 1025;
  refuses(a,
          "found an SRAM of 1025 rows of 1024 bits, expected at most 1024 rows of at most 1024 bits: larger memories "
          "are several arrays");
  a = good, a.width = 1025;
  refuses(a,
          "found an SRAM of 128 rows of 1025 bits, expected at most 1024 rows of at most 1024 bits: larger memories "
          "are several arrays");
  a = good, a.tag_bits = 1025;
  refuses(a, "found 1025 tag bits in an SRAM, expected at most its 1024 bits per row");
}

static void uncountable(void **state) {
  (void)state;
  static const struct {
    struct sram a;
    const char *want;
  } bad[] = {
      {{.rows = 0, .width = 8}, "found an SRAM of 0 rows, expected 2 to 16777216"},
      {{.rows = 1, .width = 8}, "found an SRAM of 1 rows, expected 2 to 16777216"},
      {{.rows = 1u << 31, .width = 8}, "found an SRAM of 2147483648 rows, expected 2 to 16777216"},
      {{.rows = 8, .width = 0}, "found an SRAM of 0 bits per row, expected 1 to 16777216"},
      {{.rows = 8, .width = UINT32_MAX}, "found an SRAM of 4294967295 bits per row, expected 1 to 16777216"},
      {{.rows = 8, .width = 8, .tag_bits = 9}, "found 9 tag bits in an SRAM, expected at most its 8 bits per row"},
  };
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct sram_count n;
    struct err e = {0};
    assert_false(sram_count(&bad[i].a, &n, &e));
    assert_string_equal(e.text, bad[i].want);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_rows_with_tag),
      cmocka_unit_test(five_rows_two_ports),
      cmocka_unit_test(a_bank),
      cmocka_unit_test(rows_that_are_no_power_of_two),
      cmocka_unit_test(near_cacti),
      cmocka_unit_test(table_of_the_page),
      cmocka_unit_test(more_costs_more),
      cmocka_unit_test(says_what_is_extrapolated),
      cmocka_unit_test(tags_are_logic),
      cmocka_unit_test(refusals),
      cmocka_unit_test(uncountable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
