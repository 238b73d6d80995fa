/* SPDX-License-Identifier: Apache-2.0 */
/* finereg_kit: helpers for the tests of FineReg's blocks. */
#ifndef RT_TESTS_FINEREG_KIT_H
#define RT_TESTS_FINEREG_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "unit/asserts.h"

static uint64_t seed;
static uint32_t rnd(uint32_t n) { return (uint32_t)(rng_next(&seed) >> 32) % n; }
static inline bool chance(uint32_t percent) { return rnd(100) < percent; }

/* The outputs of this cycle; every field is written. */
#define NOW(b)                                                                \
  static struct b##_out b##_now(const struct b *s, const struct b##_in *in) { \
    struct b##_out out;                                                       \
    memset(&out, 0xa5, sizeof out);                                           \
    b##_eval(s, in, &out);                                                    \
    assert_int_equal(out.end_of_ports, 0);                                    \
    return out;                                                               \
  }

/* As far as the block says that it only counts, skip(n) is n ticks with `in`, which has all valids low. */
#define SKIPS(b)                                                       \
  static void b##_skips(const struct b *s, const struct b##_in *in) {  \
    static struct b ticked, skipped;                                   \
    const uint64_t idle = b##_idle(s), n = idle < 40 ? idle : rnd(40); \
    memcpy(&ticked, s, sizeof ticked);                                 \
    memcpy(&skipped, s, sizeof skipped);                               \
    for (uint64_t i = 0; i < n; i++) b##_tick(&ticked, in);            \
    b##_skip(&skipped, n);                                             \
    assert_memory_equal(&ticked, &skipped, sizeof ticked);             \
  }

/* What memory has at an address: the compiler's vectors, here any. */
static inline uint64_t vector_at(uint64_t a) { return fnv1a(FNV_START, &a, sizeof a) >> 1; }

#endif
