/* SPDX-License-Identifier: Apache-2.0 */
/* quality: see quality.h. */
#include "lab/run/quality.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool quality_metric_of(const char *launch_file, const char *name, enum quality_metric *m, struct err *e) {
  struct arena arena = {0};
  struct about about = {.metric = name};
  bool there = false, ok = name || about_beside(&about, &arena, launch_file, &there, e);
  if (ok && !name && !there)
    ok = err_at(e, launch_file, 0, 0, "found no about.yaml beside it, expected one or --metric %s", quality_metrics);
  if (ok && !quality_metric(about.metric, m))
    ok = err_at(e, NULL, 0, 0, "found metric '%.40s', expected one of %s", about.metric, quality_metrics);
  arena_free(&arena);
  return ok;
}

const char *quality_level_name(enum quality_level l) {
  return l == QUALITY_PERFECT ? "perfect" : l == QUALITY_HIGH ? "high" : "low";
}

void quality_text(const struct quality *q, char *buf, size_t size) {
  if (q->metric == QUALITY_SSIM) snprintf(buf, size, "ssim %.6f", q->value);
  else if (q->metric == QUALITY_DEVIATION) snprintf(buf, size, "deviation %.6g %%", q->value);
  else if (!q->differ) snprintf(buf, size, "exact");
  else snprintf(buf, size, "exact: %" PRIu64 " of %" PRIu64 " elements differ", q->differ, q->of);
}

/* ---- the metrics ---- */

/* 64-bit integers that a double cannot tell apart differ, too; floats are compared as numbers. */
static bool element_is_equal(enum dtype t, const void *reference, const void *other, uint64_t i) {
  unsigned bytes = dtype_bytes(t);
  if (!memcmp((const char *)reference + i * bytes, (const char *)other + i * bytes, bytes)) return true;
  if (!dtype_float(t)) return false;
  double r = host_number(t, reference, i), x = host_number(t, other, i);
  return r == x || (isnan(r) && isnan(x));
}

uint64_t quality_differ(enum dtype t, const void *reference, const void *other, uint64_t n) {
  uint64_t differ = 0;
  for (uint64_t i = 0; i < n; i++) differ += !element_is_equal(t, reference, other, i);
  return differ;
}

double quality_deviation(enum dtype t, const void *reference, const void *other, uint64_t n) {
  double off = 0, all = 0;
  for (uint64_t i = 0; i < n; i++) {
    double r = host_number(t, reference, i);
    if (isfinite(r)) all += fabs(r);
    if (!element_is_equal(t, reference, other, i)) off += fabs(host_number(t, other, i) - r);
  }
  if (off == 0) return 0;
  return isfinite(off) && isfinite(all) && all > 0 ? 100 * (off / all) : INFINITY;
}

/* exp(-k * k / (2 * 1.5 * 1.5)) for k = -5..5, over their sum: written down, so that no library rounds them.
 */
static const double weight[QUALITY_WINDOW] = {0.00102838008447911,  0.007598758135239185, 0.03600077212843083,
                                              0.10936068950970002,  0.2130055377112537,   0.26601172486179436,
                                              0.2130055377112537,   0.10936068950970002,  0.03600077212843083,
                                              0.007598758135239185, 0.00102838008447911};

struct moments { /* weighted sums over a window, or over a column of it */
  double x, y, xx, yy, xy;
};

static void moments_add(struct moments *m, double w, const struct moments *p) {
  m->x += w * p->x;
  m->y += w * p->y;
  m->xx += w * p->xx;
  m->yy += w * p->yy;
  m->xy += w * p->xy;
}

static double pixel_luminance(const uint8_t *level, unsigned channels) {
  return channels == 1 ? level[0] : (299 * level[0] + 587 * level[1] + 114 * level[2]) / 1000.0;
}

static double moments_similarity(const struct moments *m) {
  const double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
  double variance_x = m->xx - m->x * m->x, variance_y = m->yy - m->y * m->y;
  double covariance = m->xy - m->x * m->y;
  return (2 * (m->x * m->y) + c1) * (2 * covariance + c2) /
         ((m->x * m->x + m->y * m->y + c1) * (variance_x + variance_y + c2));
}

/* The weights are a product of one for the row and one for the column, so a row of windows takes sums of
 * columns first. */
double quality_ssim(const uint8_t *reference, const uint8_t *other, uint32_t width, uint32_t height,
                    unsigned channels) {
  struct moments *column = xmalloc(width * sizeof *column);
  double sum = 0;
  for (uint32_t top = 0; top + QUALITY_WINDOW <= height; top++) {
    memset(column, 0, width * sizeof *column);
    for (unsigned k = 0; k < QUALITY_WINDOW; k++)
      for (uint32_t i = 0; i < width; i++) {
        uint64_t at = ((uint64_t)(top + k) * width + i) * channels;
        double x = pixel_luminance(reference + at, channels), y = pixel_luminance(other + at, channels);
        moments_add(&column[i], weight[k], &(struct moments){x, y, x * x, y * y, x * y});
      }
    for (uint32_t left = 0; left + QUALITY_WINDOW <= width; left++) {
      struct moments m = {0};
      for (unsigned k = 0; k < QUALITY_WINDOW; k++) moments_add(&m, weight[k], &column[left + k]);
      sum += moments_similarity(&m);
    }
  }
  free(column);
  return sum / ((double)(width - QUALITY_WINDOW + 1) * (double)(height - QUALITY_WINDOW + 1));
}

/* Pixels; ssim is 1 if and only if there are none, though rounding may hide a single one. */
static uint64_t pixels_differ(const uint8_t *reference, const uint8_t *other, uint64_t n, unsigned channels) {
  uint64_t differ = 0;
  for (uint64_t i = 0; i < n; i++)
    differ += pixel_luminance(reference + i * channels, channels) != pixel_luminance(other + i * channels, channels);
  return differ;
}

/* ---- results of a run ---- */

static void *copy_of(void *old, const void *data, size_t bytes) {
  free(old);
  void *copy = xmalloc(bytes);
  memcpy(copy, data, bytes);
  return copy;
}

static struct quality_buffer *quality_find_buffer(const struct quality_results *r, const char *name) {
  for (unsigned i = 0; i < r->n; i++)
    if (!strcmp(r->buffer[i].name, name)) return &r->buffer[i];
  return NULL;
}

void quality_keep(struct quality_results *r, const struct host_result *is) {
  struct quality_buffer *b = quality_find_buffer(r, is->name);
  if (!b) {
    b = &VEC_PUSH(r->buffer, r->n, r->cap);
    memset(b, 0, sizeof *b);
    snprintf(b->name, sizeof b->name, "%s", is->name);
  }
  if (is->width || !b->is.width) b->is = *is;
  b->is.name = NULL;
  b->is.data = NULL;
  if (!is->width) {
    b->n = is->n;
    b->data = copy_of(b->data, is->data, is->n * dtype_bytes(is->type));
    return;
  }
  free(b->picture);
  b->picture = xmalloc(is->n);
  host_levels(is, b->picture);
}

void quality_free(struct quality_results *r) {
  for (unsigned i = 0; i < r->n; i++) {
    free(r->buffer[i].data);
    free(r->buffer[i].picture);
  }
  free(r->buffer);
  memset(r, 0, sizeof *r);
}

struct run {
  const struct launcher *by;
  struct quality_results *r;
};

static bool quality_execute(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  const struct run *run = ctx;
  struct exec_counts counts = {0};
  (void)index;
  return run->by ? run->by->launch(run->by->ctx, l, e) : exec_run(l, 0, &counts, e);
}

static void quality_keep_result(void *ctx, const struct host_result *is) { quality_keep(((struct run *)ctx)->r, is); }

bool quality_run(struct workload *w, uint64_t seed, bool unchecked, const struct launcher *by,
                 struct quality_results *r, struct err *e) {
  struct run run = {by, r};
  const struct host_ops ops = {.launch = quality_execute,
                               .ctx = &run,
                               .result = quality_keep_result,
                               .unchecked = unchecked,
                               .trial = true,
                               .steered = &r->steered,
                               .limits = w->limits};
  memcpy(r->path, w->path, sizeof r->path);
  return script_run(w->script, w->module, seed, &ops, e);
}

/* ---- comparing ---- */

static bool is_result(enum quality_metric m, const struct quality_buffer *b) {
  return b->data && (m != QUALITY_SSIM || b->picture);
}

static const char *pixel_form_name(const struct host_result *r) {
  return r->channels == 1 ? "gray" : r->channels == 3 ? "rgb" : "rgba";
}

static bool quality_same_shape(enum quality_metric m, const struct quality_results *reference,
                               const struct quality_buffer *b, const struct quality_results *other,
                               const struct quality_buffer *o, struct err *e) {
  const struct host_result *want = &b->is, *is = o ? &o->is : NULL;
  if (!o || !is_result(m, o))
    return err_at(e, other->path, 0, 0, "found no %s of '%s', expected it as in %s", o && o->data ? "image" : "expect",
                  b->name, reference->path);
  if (is->type != want->type || o->n != b->n)
    return err_at(e, other->path, is->line, is->col, "found '%s' of %" PRIu64 " %s, expected %" PRIu64 " %s as in %s",
                  b->name, o->n, dtype_name(is->type), b->n, dtype_name(want->type), reference->path);
  if (m != QUALITY_SSIM) return true;
  if (is->width != want->width || is->height != want->height || is->channels != want->channels)
    return err_at(e, other->path, is->line, is->col, "found '%s' of %u x %u %s pixels, expected %u x %u %s as in %s",
                  b->name, is->width, is->height, pixel_form_name(is), want->width, want->height, pixel_form_name(want),
                  reference->path);
  if (is->black != want->black || is->white != want->white)
    return err_at(e, other->path, is->line, is->col, "found '%s' in the range %.9g %.9g, expected %.9g %.9g as in %s",
                  b->name, is->black, is->white, want->black, want->white, reference->path);
  return (is->width >= QUALITY_WINDOW && is->height >= QUALITY_WINDOW) ||
         err_at(e, reference->path, want->line, want->col,
                "found '%s' of %u x %u pixels, expected at least %d x %d for ssim", b->name, want->width, want->height,
                QUALITY_WINDOW, QUALITY_WINDOW);
}

static enum quality_level quality_level_of(const struct quality *q) {
  if (!q->differ) return QUALITY_PERFECT;
  if (q->metric == QUALITY_SSIM) return q->value >= 0.9 ? QUALITY_HIGH : QUALITY_LOW;
  return q->metric == QUALITY_DEVIATION && q->value <= 10 ? QUALITY_HIGH : QUALITY_LOW;
}

static struct quality quality_measure(enum quality_metric m, const struct quality_buffer *b,
                                      const struct quality_buffer *o) {
  const struct host_result *is = &b->is;
  struct quality q = {.metric = m, .of = b->n};
  if (m == QUALITY_SSIM) {
    q.of = is->n / is->channels;
    q.differ = pixels_differ(b->picture, o->picture, q.of, is->channels);
    q.value = quality_ssim(b->picture, o->picture, is->width, is->height, is->channels);
  } else {
    q.differ = quality_differ(is->type, b->data, o->data, b->n);
    q.value = m == QUALITY_EXACT ? (double)q.differ : quality_deviation(is->type, b->data, o->data, b->n);
  }
  q.level = quality_level_of(&q);
  return q;
}

/* Can quality be judged from this result of the reference? It needs a finite number (NaN agrees with NaN, infinity
 * with overflow); for a deviation one that is not 0; in a picture two levels. */
struct ground {
  bool finite, differs;
};

static struct ground ground_of(enum quality_metric m, const struct quality_buffer *b) {
  const struct host_result *is = &b->is;
  const uint8_t *level = b->picture;
  struct ground g = {!dtype_float(is->type), m == QUALITY_EXACT};
  for (uint64_t i = 0; i < b->n && !(g.finite && (g.differs || m == QUALITY_SSIM)); i++) {
    double r = host_number(is->type, b->data, i);
    g.finite |= isfinite(r);
    if (m == QUALITY_DEVIATION) g.differs |= isfinite(r) && r != 0;
  }
  for (uint64_t i = 0; m == QUALITY_SSIM && i < is->n && !g.differs; i++)
    g.differs = level[i] != level[i % is->channels];
  return g;
}

/* Counts add up; of the other two values the worse one is kept. */
static void quality_merge(struct quality *worst, const struct quality *q) {
  bool worse = worst->metric == QUALITY_SSIM ? q->value < worst->value : q->value > worst->value;
  worst->differ += q->differ;
  if (worst->metric == QUALITY_EXACT) worst->value = (double)worst->differ;
  else if (worse || !worst->of) worst->value = q->value;
  worst->of += q->of;
  worst->level = quality_level_of(worst);
}

bool quality_compare(enum quality_metric m, const struct quality_results *reference,
                     const struct quality_results *other, struct quality *each, struct quality *worst, struct err *e) {
  const struct quality_buffer *even = NULL; /* a result from which quality cannot be judged */
  bool ground = false;
  *worst = (struct quality){.metric = m};
  for (unsigned i = 0; i < reference->n; i++) {
    const struct quality_buffer *b = &reference->buffer[i], *o = quality_find_buffer(other, b->name);
    if (each) each[i] = (struct quality){.metric = m};
    if (!is_result(m, b)) continue;
    if (!quality_same_shape(m, reference, b, other, o, e)) return false;
    struct ground g = ground_of(m, b);
    if (!g.finite)
      return err_at(e, reference->path, b->is.line, b->is.col,
                    "found '%s' of the reference without a finite number, expected one at least to compare with",
                    b->name);
    ground |= g.differs;
    if (!g.differs) even = b;
    struct quality q = quality_measure(m, b, o);
    quality_merge(worst, &q);
    if (each) each[i] = q;
  }
  if (even && !ground)
    return err_at(e, reference->path, even->is.line, even->is.col,
                  "found '%s' of the reference with %s everywhere, expected something to compare with", even->name,
                  m == QUALITY_SSIM ? "one level" : "0");
  return worst->of ||
         err_at(e, reference->path, 0, 0, "found no result, expected %s",
                m == QUALITY_SSIM ? "a buffer with both an expect and an image statement" : "an expect statement");
}
