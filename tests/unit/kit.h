/* SPDX-License-Identifier: Apache-2.0 */
/* kit: what tests of different parts share: errors, text, statistics. After cmocka. */
#ifndef RT_TESTS_KIT_H
#define RT_TESTS_KIT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "sm/stats.h"

/* Fails with the error and its place if ok is false. */
static inline void need(bool ok, const struct err *e) {
  char text[1200];
  if (ok) return;
  err_format(e, text, sizeof text);
  fail_msg("%s", text);
}

/* Appends to a text that has room for it. */
static inline void text_put(char **p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void text_put(char **p, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  *p += vsprintf(*p, fmt, ap);
  va_end(ap);
}

/* Floats and their bits. */
static inline float f32_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint32_t f32_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
static inline double f64_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint64_t f64_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof x);
  return bits;
}

/* Every statistic of an SM is equal. */
static inline void stats_equal(const struct sm_stats *a, const struct sm_stats *b) {
#define STAT(name, unit, text) assert_int_equal(a->name, b->name);
#include "gen/systems/stats.def"
}

/* The reset of an observer that needs none. */
static inline void no_reset(void *ctx, const char *block, unsigned k) { (void)ctx, (void)block, (void)k; }

#endif
