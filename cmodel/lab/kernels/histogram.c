/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: see histogram.h. */
#include "lab/kernels/histogram.h"

void histogram_add(struct histogram *h, uint64_t value) {
  h->bin[value < HIST_BINS - 1 ? value : HIST_BINS - 1]++;
  h->count++;
}

uint64_t histogram_above(const struct histogram *h, unsigned limit) {
  uint64_t n = 0;
  for (unsigned k = limit + 1; k < HIST_BINS; k++) n += h->bin[k];
  return n;
}

/* Full: neighbours become one point, and a point holds twice as many steps. */
static void series_fold(struct series *s) {
  for (uint32_t k = 0; k < SERIES_MOST / 2; k++) {
    s->num[k] = s->num[2 * k] + s->num[2 * k + 1];
    s->den[k] = s->den[2 * k] + s->den[2 * k + 1];
  }
  s->n = SERIES_MOST / 2;
  s->stride *= 2;
  s->filled = s->stride;
}

void series_add(struct series *s, uint64_t num, uint64_t den) {
  if (!s->stride) s->stride = 1;
  if (!s->n || s->filled == s->stride) {
    if (s->n == SERIES_MOST) series_fold(s);
    s->num[s->n] = s->den[s->n] = 0;
    s->n++;
    s->filled = 0;
  }
  s->num[s->n - 1] += num;
  s->den[s->n - 1] += den;
  s->filled++;
}

void fraction_add(struct fractions *f, uint64_t num, uint64_t den) {
  if (!den) return;
  double x = (double)num / (double)den;
  if (!f->n || x < f->least) f->least = x;
  if (!f->n || x > f->most) f->most = x;
  f->sum += x;
  f->n++;
}
