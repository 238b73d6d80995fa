/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quality: the metrics against values worked out by hand, and SSIM against its definition written out in
 * double for one window at a time, two-dimensional, with means first and variances about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/run/quality.h"

static double deviation(const float *r, const float *x, uint64_t n) { return quality_deviation(T_F32, r, x, n); }

static void deviation_by_hand(void **state) {
  (void)state;
  const float r[4] = {1, -2, 0, 5};
  assert_true(deviation(r, r, 4) == 0);
  assert_true(deviation(r, (const float[4]){1, -2, 1, 5}, 4) == 12.5); /* 1 of 8 */
  assert_true(deviation(r, (const float[4]){-1, 2, 0, 5}, 4) == 75);   /* 2 + 4 of 8 */
  assert_true(deviation(r, (const float[4]){0, 0, 0, 0}, 4) == 100);
  assert_true(deviation(r, (const float[4]){1, -2, -0.0f, 5}, 4) == 0);
  assert_int_equal(quality_differ(T_F32, r, (const float[4]){1, -2, -0.0f, 5}, 4), 0);
  assert_int_equal(quality_differ(T_F32, r, (const float[4]){-1, 2, 0, 5}, 4), 2);

  const float zero[2] = {0, -0.0f};
  assert_true(deviation(zero, zero, 2) == 0);
  assert_true(deviation(zero, (const float[2]){0, 1e-30f}, 2) == INFINITY);

  const float odd[4] = {NAN, INFINITY, 4, -INFINITY};
  assert_true(deviation(odd, (const float[4]){-NAN, INFINITY, 5, -INFINITY}, 4) == 25);
  assert_true(deviation(odd, (const float[4]){1, INFINITY, 4, -INFINITY}, 4) == INFINITY);
  assert_true(deviation(odd, (const float[4]){NAN, 1, 4, -INFINITY}, 4) == INFINITY);
  assert_true(deviation(odd, (const float[4]){NAN, INFINITY, NAN, -INFINITY}, 4) == INFINITY);
  assert_true(deviation(odd, (const float[4]){NAN, INFINITY, 4, INFINITY}, 4) == INFINITY);
  assert_int_equal(quality_differ(T_F32, odd, (const float[4]){-NAN, -INFINITY, NAN, INFINITY}, 4), 3);

  const double huge[2] = {1e308, 1e308};
  assert_true(quality_deviation(T_F64, huge, (const double[2]){1e308, 0}, 2) == INFINITY);
  assert_true(quality_deviation(T_F64, huge, huge, 2) == 0);
}

static void deviation_of_integers(void **state) {
  (void)state;
  assert_true(quality_deviation(T_S32, (const int32_t[2]){-3, 1}, (const int32_t[2]){3, 3}, 2) == 200);
  assert_true(quality_deviation(T_U8, (const uint8_t[2]){200, 200}, (const uint8_t[2]){255, 155}, 2) == 25);
  const uint64_t top[1] = {1ull << 63}, half[1] = {1ull << 62}, next[1] = {(1ull << 63) + 1};
  assert_true(quality_deviation(T_U64, top, half, 1) == 50);
  assert_int_equal(quality_differ(T_U64, top, next, 1), 1);
}

/* The definition, for one window of one channel. */
static double window(const double *x, const double *y, unsigned width, unsigned left, unsigned top) {
  double w[11][11], all = 0, mx = 0, my = 0, vx = 0, vy = 0, cov = 0;
  for (int i = 0; i < 11; i++)
    for (int j = 0; j < 11; j++) all += w[i][j] = exp(-((i - 5) * (i - 5) + (j - 5) * (j - 5)) / (2 * 1.5 * 1.5));
  for (unsigned i = 0; i < 11; i++)
    for (unsigned j = 0; j < 11; j++) {
      unsigned at = (top + i) * width + left + j;
      mx += w[i][j] / all * x[at];
      my += w[i][j] / all * y[at];
    }
  for (unsigned i = 0; i < 11; i++)
    for (unsigned j = 0; j < 11; j++) {
      unsigned at = (top + i) * width + left + j;
      vx += w[i][j] / all * (x[at] - mx) * (x[at] - mx);
      vy += w[i][j] / all * (y[at] - my) * (y[at] - my);
      cov += w[i][j] / all * (x[at] - mx) * (y[at] - my);
    }
  return (2 * mx * my + 6.5025) * (2 * cov + 58.5225) / ((mx * mx + my * my + 6.5025) * (vx + vy + 58.5225));
}

static double mean(const double *x, const double *y, unsigned width, unsigned height) {
  double sum = 0;
  unsigned n = 0;
  for (unsigned top = 0; top + 11 <= height; top++)
    for (unsigned left = 0; left + 11 <= width; left++, n++) sum += window(x, y, width, left, top);
  return sum / n;
}

enum { W = 19, H = 14 };

static void check_gray(const uint8_t *a, const uint8_t *b, double least, double most) {
  double x[W * H], y[W * H];
  for (unsigned i = 0; i < W * H; i++) x[i] = a[i], y[i] = b[i];
  double found = quality_ssim(a, b, W, H, 1), expected = mean(x, y, W, H);
  if (!(fabs(found - expected) < 1e-10)) fail_msg("found %.17g, expected %.17g", found, expected);
  if (!(expected >= least && expected <= most)) fail_msg("%g is not in %g..%g", expected, least, most);
  assert_true(quality_ssim(b, a, W, H, 1) == found);
}

static void ssim_by_its_definition(void **state) {
  (void)state;
  uint8_t a[W * H], b[W * H];
  uint32_t noise = 12345;
  for (unsigned i = 0; i < W * H; i++) a[i] = (uint8_t)(i % W * 11 + i / W * 3);
  assert_true(quality_ssim(a, a, W, H, 1) == 1);

  for (unsigned i = 0; i < W * H; i++) b[i] = a[i] + 2; /* brighter: still much the same */
  check_gray(a, b, 0.99, 0.99999);
  for (unsigned i = 0; i < W * H; i++) b[i] = a[i - i % W + (i % W + 4) % W]; /* four pixels to the left */
  check_gray(a, b, 0.2, 0.95);
  for (unsigned i = 0; i < W * H; i++) b[i] = 255 - a[i];
  check_gray(a, b, -1, 0);
  for (unsigned i = 0; i < W * H; i++) {
    noise = noise * 1664525 + 1013904223;
    b[i] = (uint8_t)(noise >> 24);
  }
  check_gray(a, b, -0.2, 0.2);
  memcpy(b, a, sizeof b);
  b[0] ^= 1; /* one level in a corner pixel */
  check_gray(a, b, 0.99999, nextafter(1, 0));
}

/* Flat pictures have no variance: one factor is left. */
static void ssim_by_hand(void **state) {
  (void)state;
  uint8_t black[121] = {0}, white[121];
  memset(white, 255, sizeof white);
  double c1 = 6.5025;
  assert_true(fabs(quality_ssim(black, white, 11, 11, 1) - c1 / (65025 + c1)) < 1e-9);
  memset(black, 100, sizeof black);
  memset(white, 200, sizeof white);
  assert_true(fabs(quality_ssim(black, white, 11, 11, 1) - (40000 + c1) / (50000 + c1)) < 1e-9);
}

static void ssim_of_luminance(void **state) {
  (void)state;
  uint8_t a[3 * W * H], b[3 * W * H];
  double x[W * H], y[W * H];
  for (unsigned i = 0; i < 3 * W * H; i++) a[i] = (uint8_t)(i * 7 + i / 50), b[i] = (uint8_t)(a[i] + i % 5 * 3);
  for (unsigned i = 0; i < W * H; i++) {
    x[i] = 0.299 * a[3 * i] + 0.587 * a[3 * i + 1] + 0.114 * a[3 * i + 2];
    y[i] = 0.299 * b[3 * i] + 0.587 * b[3 * i + 1] + 0.114 * b[3 * i + 2];
  }
  double found = quality_ssim(a, b, W, H, 3);
  assert_true(fabs(found - mean(x, y, W, H)) < 1e-10);
  assert_true(found < 0.99);
  assert_true(quality_ssim(a, a, W, H, 3) == 1);
}

/* ---- results of two runs ---- */

static void show(struct quality_results *r, const char *name, const void *data, uint64_t n, uint32_t width,
                 unsigned channels, double white) {
  quality_keep(r, &(struct host_result){.name = name,
                                        .type = T_F32,
                                        .data = data,
                                        .n = n,
                                        .width = width,
                                        .height = (uint32_t)(n / width / channels),
                                        .channels = channels,
                                        .white = white,
                                        .line = 6,
                                        .col = 1});
}

static void give(struct quality_results *r, const char *name, const void *data, uint64_t n, uint32_t width) {
  if (width) show(r, name, data, n, width, 1, 10);
  quality_keep(r, &(struct host_result){.name = name, .type = T_F32, .data = data, .n = n, .line = 7, .col = 1});
}

static void worst_result_counts(void **state) {
  (void)state;
  struct quality_results r = {.path = "a.launch"}, x = {.path = "b.launch"};
  struct quality each[2], worst;
  struct err e = {0};
  const float first[2] = {1, 3}, second[2] = {10, 10}, stale[2] = {9, 9};
  give(&r, "first", stale, 2, 0);
  give(&r, "second", second, 2, 0);
  give(&r, "first", first, 2, 0); /* the last one counts */
  give(&x, "second", (const float[2]){10, 12}, 2, 0);
  give(&x, "first", (const float[2]){1, 2}, 2, 0);
  assert_true(quality_compare(QUALITY_DEVIATION, &r, &x, each, &worst, &e));
  assert_true(each[0].value == 25 && each[0].level == QUALITY_LOW);
  assert_true(each[1].value == 10 && each[1].level == QUALITY_HIGH);
  assert_true(worst.value == 25 && worst.level == QUALITY_LOW);
  assert_true(quality_compare(QUALITY_EXACT, &r, &x, each, &worst, &e));
  assert_true(worst.value == 2 && worst.of == 4 && worst.level == QUALITY_LOW);
  char text[80];
  quality_text(&worst, text, sizeof text);
  assert_string_equal(text, "exact: 2 of 4 elements differ");
  assert_true(quality_compare(QUALITY_DEVIATION, &r, &r, NULL, &worst, &e));
  assert_true(worst.value == 0 && worst.level == QUALITY_PERFECT);
  assert_true(quality_compare(QUALITY_EXACT, &r, &r, NULL, &worst, &e));
  assert_true(worst.level == QUALITY_PERFECT);
  quality_free(&r);
  quality_free(&x);
}

/* A name may be swapped to a smaller buffer between its picture and its expect: each counts with its own
 * size. */
static void a_picture_of_another_size(void **state) {
  (void)state;
  struct quality_results r = {.path = "a.launch"}, x = {.path = "b.launch"};
  struct quality worst;
  struct err e = {0};
  float p[144];
  for (unsigned i = 0; i < 144; i++) p[i] = (float)i / 14.4f;
  float *few = malloc(2 * sizeof *few); /* so that ASan sees a read behind it */
  few[0] = 1, few[1] = 2;
  show(&r, "out", p, 144, 12, 1, 10), show(&x, "out", p, 144, 12, 1, 10);
  give(&r, "out", few, 2, 0), give(&x, "out", few, 2, 0);
  assert_true(quality_compare(QUALITY_DEVIATION, &r, &x, NULL, &worst, &e));
  assert_true(worst.of == 2 && worst.level == QUALITY_PERFECT);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.of == 144);
  give(&x, "out", p, 144, 0);
  assert_false(quality_compare(QUALITY_EXACT, &r, &x, NULL, &worst, &e));
  assert_string_equal(e.text, "found 'out' of 144 f32, expected 2 f32 as in a.launch");
  free(few);
  quality_free(&r);
  quality_free(&x);
}

/* NaN agrees with NaN and 0 with 0, so a reference of nothing else cannot be missed. */
static void no_ground_to_judge_by(void **state) {
  (void)state;
  static const float nan4[4] = {NAN, NAN, INFINITY, NAN}, zero[4] = {0, -0.0f, 0, 0}, one[4] = {NAN, 0, 5, 0};
  static const struct {
    const float *data;
    enum quality_metric m;
    const char *words;
  } t[] = {{nan4, QUALITY_EXACT, "without a finite number"},
           {nan4, QUALITY_DEVIATION, "without a finite number"},
           {zero, QUALITY_EXACT, NULL},
           {zero, QUALITY_DEVIATION, "with 0 everywhere"},
           {one, QUALITY_EXACT, NULL},
           {one, QUALITY_DEVIATION, NULL}};
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
    struct quality_results r = {.path = "a.launch"};
    struct quality worst;
    struct err e = {0};
    give(&r, "out", t[k].data, 4, 0);
    assert_int_equal(quality_compare(t[k].m, &r, &r, NULL, &worst, &e), !t[k].words);
    if (t[k].words) assert_non_null(strstr(e.text, t[k].words));
    if (t[k].words) assert_int_equal(e.line, 7);
    quality_free(&r);
  }
}

/* What a picture does not show, a level being 10 / 255 wide, is no loss; what it shows is one. */
static void pictures_have_levels(void **state) {
  (void)state;
  struct quality_results r = {.path = "a.launch"}, x = {.path = "b.launch"};
  struct quality worst;
  struct err e = {0};
  float p[144], q[144];
  for (unsigned i = 0; i < 144; i++) p[i] = (float)i / 14.4f, q[i] = p[i];
  q[77] += 0.001f;
  give(&r, "out", p, 144, 12);
  give(&x, "out", q, 144, 12);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.value == 1 && worst.level == QUALITY_PERFECT && worst.differ == 0);
  q[77] += 0.5f;
  give(&x, "out", q, 144, 12);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.value < 1 && worst.value >= 0.9 && worst.level == QUALITY_HIGH);
  assert_true(worst.differ == 1 && worst.of == 144);
  for (unsigned i = 0; i < 144; i++) q[i] = i % 3 ? p[i] : p[i] / 2;
  give(&x, "out", q, 144, 12);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  double low = worst.value;
  assert_true(low > 0.6 && low < 0.9 && worst.level == QUALITY_LOW);
  give(&r, "more", p, 144, 12); /* equal: the other one is worse, whichever comes first */
  give(&x, "more", p, 144, 12);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.value == low && worst.of == 288);
  give(&x, "out", p, 144, 12);
  give(&x, "more", q, 144, 12);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.value == low && worst.level == QUALITY_LOW);
  quality_free(&r);
  quality_free(&x);
}

static void blue_counts(void **state) {
  (void)state;
  struct quality_results r = {.path = "a.launch"}, x = {.path = "b.launch"};
  struct quality worst;
  struct err e = {0};
  float p[3 * 144], q[3 * 144];
  for (unsigned i = 0; i < 3 * 144; i++) p[i] = q[i] = 0.3f * (float)(i % 3);
  q[3 * 77 + 2] = 1;
  p[0] = q[0] = 1; /* or the reference had one level alone */
  give(&r, "out", p, 3 * 144, 0);
  give(&x, "out", q, 3 * 144, 0);
  show(&r, "out", p, 3 * 144, 12, 3, 1);
  show(&x, "out", q, 3 * 144, 12, 3, 1);
  assert_true(quality_compare(QUALITY_SSIM, &r, &x, NULL, &worst, &e));
  assert_true(worst.differ == 1 && worst.of == 144 && worst.level != QUALITY_PERFECT);
  quality_free(&r);
  quality_free(&x);
}

static void expect_error(enum quality_metric m, struct quality_results *r, struct quality_results *x,
                         const char *expected) {
  struct err e = {0};
  struct quality worst;
  char text[1200];
  assert_false(quality_compare(m, r, x, NULL, &worst, &e));
  err_format(&e, text, sizeof text);
  assert_string_equal(text, expected);
  quality_free(r);
  quality_free(x);
  snprintf(r->path, sizeof r->path, "a.launch");
  snprintf(x->path, sizeof x->path, "b.launch");
}

static void refusals(void **state) {
  (void)state;
  struct quality_results r = {.path = "a.launch"}, x = {.path = "b.launch"};
  const float p[144] = {0};
  give(&r, "out", p, 120, 12);
  give(&x, "out", p, 120, 12);
  expect_error(QUALITY_SSIM, &r, &x,
               "a.launch:6:1: error: found 'out' of 12 x 10 pixels, expected at least 11 x 11 for ssim");
  give(&r, "out", p, 120, 10);
  give(&x, "out", p, 120, 10);
  expect_error(QUALITY_SSIM, &r, &x,
               "a.launch:6:1: error: found 'out' of 10 x 12 pixels, expected at least 11 x 11 for ssim");
  give(&r, "out", p, 144, 12);
  give(&x, "out", p, 144, 12);
  show(&x, "out", p, 144, 12, 1, 20);
  expect_error(QUALITY_SSIM, &r, &x,
               "b.launch:6:1: error: found 'out' in the range 0 20, expected 0 10 as in a.launch");
  give(&r, "out", p, 144, 12);
  give(&x, "out", p, 144, 16);
  expect_error(QUALITY_SSIM, &r, &x,
               "b.launch:6:1: error: found 'out' of 16 x 9 gray pixels, expected 12 x 12 gray as in a.launch");
  give(&r, "out", p, 144, 12);
  give(&x, "out", p, 144, 0);
  expect_error(QUALITY_SSIM, &r, &x, "b.launch: error: found no image of 'out', expected it as in a.launch");
  give(&r, "out", p, 144, 0);
  give(&x, "out", p, 143, 0);
  expect_error(QUALITY_EXACT, &r, &x, "b.launch:7:1: error: found 'out' of 143 f32, expected 144 f32 as in a.launch");
  give(&r, "out", p, 144, 0);
  give(&x, "else", p, 144, 0);
  expect_error(QUALITY_EXACT, &r, &x, "b.launch: error: found no expect of 'out', expected it as in a.launch");
  give(&r, "out", p, 144, 0);
  expect_error(QUALITY_SSIM, &r, &x,
               "a.launch: error: found no result, expected a buffer with both an expect and an image statement");
  expect_error(QUALITY_EXACT, &r, &x, "a.launch: error: found no result, expected an expect statement");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deviation_by_hand),
      cmocka_unit_test(deviation_of_integers),
      cmocka_unit_test(ssim_by_its_definition),
      cmocka_unit_test(ssim_by_hand),
      cmocka_unit_test(ssim_of_luminance),
      cmocka_unit_test(worst_result_counts),
      cmocka_unit_test(pictures_have_levels),
      cmocka_unit_test(a_picture_of_another_size),
      cmocka_unit_test(no_ground_to_judge_by),
      cmocka_unit_test(blue_counts),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
