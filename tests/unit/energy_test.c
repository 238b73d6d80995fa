/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy: register file, vectors and logic of LTRF and of the caches that it is compared with, from counters that are made up and figures that are
 * computed here from the formulas of docs/use/cost.md; area of the cache and of the file at the technologies of LTRF's Table 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cost/cost.h"
#include "cost/energy.h"

/* A system of the paper on its machine, with one key set, or none: NULL. */
static struct config configured(const char *system, const char *set) {
  struct config c;
  struct err e = {0};
  if (!config_load(&c, "maxwell", system, &e) || (set && !config_set(&c, set, 0, &e)) || !config_check(&c, &e))
    fail_msg("%s: %s", system, e.text);
  return c;
}

/* Within what the four digits of the page's coefficients leave open. */
static void near(double found, double expected) {
  if (found < expected * 0.9995 || found > expected * 1.0005) fail_msg("found %.9g, expected %.9g", found, expected);
}

/* docs/use/cost.md at 45 nm: an array of R = rows / 128 and C = width / 1024. */
static double read_pj(double r, double c, bool one_port) {
  return 120.5 * c * c * (one_port ? 10 / 15.0 : 1) + 10.71 * c + 7.00 * r * c;
}
static double write_pj(double r, double c, bool one_port) {
  return read_pj(r, c, one_port) + 33.1 * r * c * (one_port ? 14.6 / 19.6 : 1);
}

static const struct sm_stats counted = {.cycles = 1000,
                                        .warp_insns = 300,
                                        .rf_reads = 1000,
                                        .rf_writes = 500,
                                        .main_reads = 100,
                                        .main_writes = 70,
                                        .cache_fills = 90,
                                        .cache_spills = 40,
                                        .activations = 10,
                                        .deactivations = 8};

static struct energy of(const struct config *c) {
  static const struct mem_stats none;
  struct energy e;
  struct err why = {0};
  assert_true(energy_of(c, &counted, &none, &e, &why));
  return e;
}

/* Operands and results in a cache whose banks cost as those of 64 rows; the file has 128 rows a bank. */
static double cached(bool one_port) {
  const double front = 64 / 128.0;
  return (1000 + 40) * read_pj(front, 1, one_port) + (500 + 90) * write_pj(front, 1, one_port) +
         100 * read_pj(1, 1, one_port) + 70 * write_pj(1, 1, one_port);
}

static void test_ltrf(void **state) {
  (void)state;
  static const char *const name[] = {"LTRF", "LTRF+", "LTRF-strand"};
  for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
    const struct config c = configured(name[i], NULL);
    const struct energy e = of(&c);
    near(e.sum[ENERGY_register_file], cached(false));
    near(e.sum[ENERGY_system], 10 * read_pj(0.5, 0.5, false) + 8 * write_pj(0.5, 0.5, false));
    assert_true(e.sum[ENERGY_logic] > 0);
  }
  const struct config plus = configured("LTRF+", NULL); /* the block's first set */
  near(of(&plus).sum[ENERGY_logic],
       1000 * energy_of_block("ltrf/pfu", true) + 300 * energy_of_block("ltrf/pfu", false));
  const struct config one = configured("LTRF", "rf.single_port=true");
  near(of(&one).sum[ENERGY_register_file], cached(true));
}

/* No block: the cache alone. */
static void test_others(void **state) {
  (void)state;
  static const char *const name[] = {"RFC", "SHRF"};
  for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
    const struct config c = configured(name[i], NULL);
    const struct energy e = of(&c);
    near(e.sum[ENERGY_register_file], cached(false));
    assert_true(e.sum[ENERGY_logic] == 0);
  }
}

/* Without a cache rf_reads and rf_writes are the file's, of BL with banks of 136 rows; the other counters are zero in a run. */
static void test_without(void **state) {
  (void)state;
  const struct config c = configured("BL", NULL);
  const struct energy e = of(&c);
  const double r = 136 / 128.0;
  near(e.sum[ENERGY_register_file], (1000 + 100) * read_pj(r, 1, false) + (500 + 70) * write_pj(r, 1, false) +
                                        90 * write_pj(r, 1, false) + 40 * read_pj(r, 1, false));
  assert_true(e.sum[ENERGY_logic] == 0);
}

/* Of other technologies nobody knows the energy of an access. */
static void test_unknown(void **state) {
  (void)state;
  static const struct mem_stats none;
  static const char *const technology[] = {"rf.technology=2", "rf.technology=3", "rf.technology=4",
                                           "rf.technology=5", "rf.technology=6", "rf.technology=7"};
  struct energy e;
  for (unsigned i = 0; i < sizeof technology / sizeof *technology; i++) {
    const struct config c = configured("LTRF", technology[i]);
    struct err why = {0};
    assert_false(energy_of(&c, &counted, &none, &e, &why));
    assert_true(why.set);
  }
}

static struct system_cost cost(const char *system, const char *technology) {
  const struct config c = configured(system, technology);
  struct system_cost s;
  struct err e = {0};
  if (!system_cost(&c, 45, &s, &e)) fail_msg("%s: %s", system, e.text);
  return s;
}

/* LTRF, Table 2: area relative to 256 KB of technology 1; of those with 128 banks. */
static void test_area(void **state) {
  (void)state;
  const double one = cost("RFC", "rf.technology=1").file.mm2.low;
  near(cost("RFC", "rf.technology=3").file.mm2.low, 8 * one);
  near(cost("RFC", "rf.technology=5").file.mm2.low, 8 * one);
  near(cost("RFC", "rf.technology=6").file.mm2.low, 8 * one);
  near(cost("RFC", "rf.technology=7").file.mm2.high, 0.25 * one);
}

/* 16 banks of 8 rows: cells of 294 F2, at most as 16 arrays of 64 rows; transistors by the page's table of parts. */
static void test_cache(void **state) {
  (void)state;
  const double f = 45e-6, w = 15 * f, h = 19.6 * f;
  const struct system_cost s = cost("RFC", "rf.technology=1");
  near(s.blocks.mm2.low, 16 * 8 * 1024 * 294 * f * f);
  near(s.blocks.mm2.high, 16 * (1.187 * 64 * 1024 * w * h + 5.902 * (1024 * w) * (1024 * 2 * f)));
  const unsigned cells = 8 * 8 * 1024, decoders = 2 * (2 * 3 + 24 * 1 + 8 * (2 * 2 + 2)), columns = 16 * 1024;
  assert_int_equal(s.blocks.transistors, 16 * (cells + decoders + columns));
  assert_int_equal(s.blocks.memory_bits, 16 * 8 * 1024);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ltrf),    cmocka_unit_test(test_others),
                                     cmocka_unit_test(test_without), cmocka_unit_test(test_unknown),
                                     cmocka_unit_test(test_area),    cmocka_unit_test(test_cache)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
