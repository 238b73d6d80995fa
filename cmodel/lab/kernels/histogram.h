/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: counts of whole numbers, one bin each up to a limit; and a series of values that stays short. */
#ifndef RT_KERNELS_HISTOGRAM_H
#define RT_KERNELS_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { HIST_BINS = 65 }; /* 0..63, and one for all that is larger */
struct histogram {
  uint64_t bin[HIST_BINS];
  uint64_t count; /* of all values, the large ones too */
};
void histogram_add(struct histogram *h, uint64_t value);
/* Values above `limit` (at most 63). */
uint64_t histogram_above(const struct histogram *h, unsigned limit);

/* A value per step, kept as means of ever more steps: never more than SERIES_MOST points, whatever the length. */
enum { SERIES_MOST = 256 };
struct series {
  uint64_t num[SERIES_MOST], den[SERIES_MOST]; /* a point is num/den of the steps in it */
  uint32_t n, stride, filled;                  /* points; steps in a full point; steps in the last one */
};
void series_add(struct series *s, uint64_t num, uint64_t den);

/* Mean, least and greatest of fractions. */
struct fractions {
  uint64_t n;
  double sum, least, most;
};
void fraction_add(struct fractions *f, uint64_t num, uint64_t den);

/* 0 of nothing. */
static inline double fraction_of(uint64_t num, uint64_t den) { return den ? (double)num / (double)den : 0; }
static inline double fraction_mean(const struct fractions *f) { return f->n ? f->sum / (double)f->n : 0; }

#endif
