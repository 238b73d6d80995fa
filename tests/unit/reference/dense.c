/* SPDX-License-Identifier: Apache-2.0 */
/* dense: references for vecadd, sgemm, transpose, reduction, convolutionSeparable and gather. */
#include <math.h>
#include <stdio.h>

#include "unit/reference/ref.h"

REF(vecadd) {
  if (index) return;
  uint32_t n = ref_u32(l, 3);
  const float *a = ref_take(r, l, 0, n, 4), *b = ref_take(r, l, 1, n, 4);
  float *c = ref_alloc(r, n, 4);
  for (uint32_t i = 0; i < n; i++) c[i] = a[i] + b[i];
  ref_want(r, "c", T_F32, n, c, 0, 0);
}

/* C = alpha A B + beta C; products are added in the order of k, each with one rounding. */
REF(sgemm) {
  if (index) return;
  uint32_t m = l->grid[1] * 16, n = ref_u32(l, 3), k = ref_u32(l, 4);
  float alpha = ref_f32(l, 5), beta = ref_f32(l, 6);
  const float *a = ref_take(r, l, 0, (uint64_t)m * k, 4), *b = ref_take(r, l, 1, (uint64_t)k * n, 4);
  float *c = ref_take(r, l, 2, (uint64_t)m * n, 4), *row = ref_alloc(r, n, 4);
  for (uint32_t y = 0; y < m; y++) {
    for (uint32_t x = 0; x < n; x++) row[x] = 0;
    for (uint32_t j = 0; j < k; j++)
      for (uint32_t x = 0; x < n; x++) row[x] = __builtin_fmaf(a[y * k + j], b[j * n + x], row[x]);
    for (uint32_t x = 0; x < n; x++) c[y * n + x] = __builtin_fmaf(alpha, row[x], beta * c[y * n + x]);
  }
  ref_want(r, "C", T_F32, (uint64_t)m * n, c, 0, 0);
}

REF(transpose) {
  if (index) return;
  uint32_t w = ref_u32(l, 2), h = ref_u32(l, 3);
  const float *in = ref_take(r, l, 0, (uint64_t)w * h, 4);
  float *out = ref_alloc(r, (uint64_t)w * h, 4);
  for (uint32_t y = 0; y < h; y++)
    for (uint32_t x = 0; x < w; x++) out[x * h + y] = in[y * w + x];
  ref_want(r, "out", T_F32, (uint64_t)w * h, out, 0, 0);
}

/* One level: `groups` sums, each of 256 strided sums that are added pairwise, the far half onto the near
 * half. */
static void sum_level(const float *in, uint32_t n, uint32_t groups, float *out) {
  for (uint32_t g = 0; g < groups; g++) {
    float part[256];
    for (uint32_t t = 0; t < 256; t++) {
      part[t] = 0;
      for (uint64_t i = g * 256 + t; i < n; i += (uint64_t)groups * 256) part[t] += in[i];
    }
    for (uint32_t width = 128; width; width /= 2)
      for (uint32_t t = 0; t < width; t++) part[t] += part[t + width];
    out[g] = part[0];
  }
}

REF(reduction) {
  if (index) return;
  uint32_t n = ref_u32(l, 2), groups = l->grid[0];
  const float *in = ref_take(r, l, 0, n, 4);
  float *part = ref_alloc(r, groups, 4), *sum = ref_alloc(r, 1, 4);
  sum_level(in, n, groups, part);
  sum_level(part, groups, 1, sum);
  ref_want(r, "part", T_F32, groups, part, 0, 0);
  ref_want(r, "result", T_F32, 1, sum, 0, 0);

  /* The same order is not enough: it must also be the sum. */
  double exact = 0;
  for (uint32_t i = 0; i < n; i++) exact += (double)in[i];
  if (fabs((double)*sum - exact) > 1e-5 * fabs(exact))
    snprintf(r->fail, sizeof r->fail, "reference: the tree gives %.9g, the sum is %.9g", (double)*sum, exact);
}

/* 17 taps along rows, then along columns, pixels outside are 0. */
REF(convolutionSeparable) {
  if (index) return;
  enum { RADIUS = 8 };
  int w = (int)ref_u32(l, 2), h = (int)l->grid[1] * 4;
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *in = ref_take(r, l, 0, n, 4), *tap = ref_take_const(r, l, "taps", 2 * RADIUS + 1, 4);
  float *mid = ref_alloc(r, n, 4), *out = ref_alloc(r, n, 4);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = -RADIUS; k <= RADIUS; k++) {
        float p = x + k >= 0 && x + k < w ? in[y * w + x + k] : 0;
        mid[y * w + x] = __builtin_fmaf(tap[RADIUS + k], p, mid[y * w + x]);
      }
  for (int y = 0; y < h; y++)
    for (int k = -RADIUS; k <= RADIUS; k++)
      for (int x = 0; x < w; x++) {
        float p = y + k >= 0 && y + k < h ? mid[(y + k) * w + x] : 0;
        out[y * w + x] = __builtin_fmaf(tap[RADIUS + k], p, out[y * w + x]);
      }
  ref_want(r, "mid", T_F32, n, mid, 0, 0);
  ref_want(r, "out", T_F32, n, out, 0, 0);
}

REF(gather) {
  if (index) return;
  uint32_t n = ref_u32(l, 3), top = 0;
  const uint32_t *at = ref_take(r, l, 1, n, 4);
  for (uint32_t i = 0; i < n; i++)
    if (at[i] > top) top = at[i];
  const uint32_t *in = ref_take(r, l, 0, (uint64_t)top + 1, 4);
  uint32_t *out = ref_alloc(r, n, 4);
  for (uint32_t i = 0; i < n; i++) out[i] = in[at[i]];
  ref_want(r, "out", T_U32, n, out, 0, 0);
}

/* Row by row; the second launch has the first one's product on the left. */
REF(mm2) {
  uint32_t rows = ref_u32(l, 3), cols = ref_u32(l, 4), inner = ref_u32(l, 5), pitch = ref_u32(l, 6);
  const float *b = ref_take(r, l, 1, (uint64_t)inner * pitch, 4);
  const float *a = index ? r->keep : ref_take(r, l, 0, (uint64_t)rows * pitch, 4);
  float *c = ref_alloc(r, (uint64_t)rows * pitch, 4);
  for (uint32_t i = 0; i < rows; i++)
    for (uint32_t k = 0; k < inner; k++)
      for (uint32_t j = 0; j < cols; j++)
        c[i * pitch + j] = fma32(a[i * pitch + k], b[k * pitch + j], c[i * pitch + j]);
  ref_want(r, index ? "e" : "c", T_F32, (uint64_t)rows * pitch, c, 0, 0);
  r->keep = c;
}
