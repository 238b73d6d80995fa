/* SPDX-License-Identifier: Apache-2.0 */
/* cost/node: the factors of node.def against the polynomials that they were computed from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cost/node.h"

/* Stillmaker and Baas (2017): area relative to 180 nm, then coefficients of delay (V^3 to 1) and energy (V^2 to 1), and the supply. */
static const struct {
  uint32_t nm;
  double area, volts, delay[4], energy[3];
} published[] = {
    {180, 1, 1.8, {0, 97.09, -356.7, 406.5}, {0, 24.64, -17.98}},
    {130, 0.34, 1.3, {-76.65, 334.9, -493.4, 275.8}, {7.171, -6.709, 2.904}},
    {90, 0.15, 1.2, {-60.34, 262.5, -384.2, 210.9}, {4.762, -4.781, 2.092}},
    {65, 0.08, 1.1, {-53.3, 230.4, -333.9, 178.6}, {3.755, -4.398, 1.975}},
    {45, 0.053, 1.0, {-501.6, 1567, -1619, 566.1}, {1.018, -0.3107, 0.1539}},
    {32, 0.025, 0.9, {-1047, 2982, -2797, 873.5}, {0.8367, -0.4341, 0.1701}},
    {20, 0.011, 0.9, {0, 34.63, -66.37, 41.15}, {0.373, -0.1582, 0.04104}},
};
enum { PUBLISHED = sizeof published / sizeof *published };

static double delay(unsigned i) {
  const double v = published[i].volts, *c = published[i].delay;
  return ((c[0] * v + c[1]) * v + c[2]) * v + c[3];
}
static double energy(unsigned i) {
  const double v = published[i].volts, *c = published[i].energy;
  return (c[0] * v + c[1]) * v + c[2];
}

/* One end of the range is the published factor, the other the ideal one. */
static void spans(struct range r, double a, double b) {
  if (fabs(r.low - fmin(a, b)) > 0.01 * r.low || fabs(r.high - fmax(a, b)) > 0.01 * r.high)
    fail_msg("found %g to %g, expected %g and %g", r.low, r.high, a, b);
}
static struct node_factors factors(uint32_t from, uint32_t to) {
  struct node_factors f;
  struct err e = {0};
  if (!node_factors(from, to, &f, &e)) fail_msg("%s", e.text);
  return f;
}

static void as_published(void **state) {
  (void)state;
  for (unsigned i = 0; i < PUBLISHED; i++) {
    const struct node_factors f = factors(180, published[i].nm);
    const double s = published[i].nm / 180.0, v = published[i].volts / 1.8;
    spans(f.area, published[i].area, s * s);
    spans(f.delay, delay(i) / delay(0), s);
    spans(f.energy, energy(i) / energy(0), s * v * v);
  }
}

/* A power of the node between two neighbours. */
static void between_neighbours(void **state) {
  (void)state;
  static const struct { uint32_t nm, above, below; } in[] = {{40, 45, 32}, {28, 32, 20}};
  for (unsigned i = 0; i < 2; i++) {
    const double t = log((double)in[i].above / in[i].nm) / log((double)in[i].above / in[i].below);
    const struct node_factors f = factors(180, in[i].nm), a = factors(180, in[i].above), b = factors(180, in[i].below);
    /* the published factor is the lower end, except for the delay at 20 nm */
    const double of[6] = {f.area.low, f.delay.low, f.energy.low, f.area.high, f.delay.high, f.energy.high};
    const double up[6] = {a.area.low, a.delay.low, a.energy.low, a.area.high, a.delay.high, a.energy.high};
    const double down[6] = {b.area.low, b.delay.high, b.energy.low, b.area.high, b.delay.low, b.energy.high};
    for (unsigned k = 0; k < 6; k++) {
      const double below = in[i].nm == 28 ? down[k] : k == 1 ? b.delay.low : k == 4 ? b.delay.high : down[k];
      const double want = up[k] * pow(below / up[k], t);
      if (fabs(of[k] / want - 1) > 0.015) fail_msg("%u nm, factor %u: found %g, expected %g", in[i].nm, k, of[k], want);
    }
  }
}

static void there_and_back(void **state) {
  (void)state;
  const struct node_factors there = factors(180, 45), back = factors(45, 180), none = factors(45, 45);
  assert_true(fabs(there.area.low * back.area.high - 1) < 1e-9);
  assert_true(none.delay.low == 1 && none.delay.high == 1);
}

static void unknown(void **state) {
  (void)state;
  struct node_factors f;
  struct err e = {0};
  assert_false(node_factors(180, 7, &f, &e));
  assert_string_equal(
      e.text, "found a node of 7 nm, expected one with scaling factors: 180, 130, 90, 65, 45, 40, 32, 28, 20 nm");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_published), cmocka_unit_test(between_neighbours),
                                     cmocka_unit_test(there_and_back), cmocka_unit_test(unknown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
