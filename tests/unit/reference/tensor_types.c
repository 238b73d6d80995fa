/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_types: references for the kernels with wmma, and with matrix products of 8-bit integers, single bits and f64, over
 * whole matrices. Sums of f32 and f64 are chains of fma in ascending k: what docs/reference/tensor.md says of mma.
 */
#include <math.h>
#include <string.h>

#include "unit/reference/ref.h"

static float from_f16(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  float mag = e == 0 ? ldexpf((float)m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexpf((float)(1024 + m), e - 25);
  return h >> 15 ? -mag : mag;
}

static double f64_argument(const struct launch *l, unsigned param) {
  double x;
  memcpy(&x, l->param + l->code->param[param].offset, 8);
  return x;
}

REF(gemm_wmma) {
  if (index) return;
  const uint32_t n = ref_u32(l, 3), k = ref_u32(l, 4), m = l->grid[1] * 64;
  const float alpha = ref_f32(l, 5), beta = ref_f32(l, 6);
  const uint16_t *a = ref_take(r, l, 0, (uint64_t)m * k, 2), *b = ref_take(r, l, 1, (uint64_t)k * n, 2);
  float *c = ref_take(r, l, 2, (uint64_t)m * n, 4), *row = ref_alloc(r, n, 4), *bf = ref_alloc(r, (uint64_t)k * n, 4);
  for (uint64_t i = 0; i < (uint64_t)k * n; i++) bf[i] = from_f16(b[i]);
  for (uint32_t y = 0; y < m; y++) {
    memset(row, 0, n * sizeof *row);
    for (uint32_t j = 0; j < k; j++) {
      const float v = from_f16(a[(uint64_t)y * k + j]);
      for (uint32_t x = 0; x < n; x++) row[x] = fma32(v, bf[(uint64_t)j * n + x], row[x]);
    }
    for (uint32_t x = 0; x < n; x++) {
      float *at = &c[(uint64_t)y * n + x];
      const float scaled = beta * *at;
      *at = fma32(alpha, row[x], scaled);
    }
  }
  ref_want(r, "C", T_F32, (uint64_t)m * n, c, 0, 0);
}

/* Sixteen sums of every sixteenth value, added in their order. */
REF(segsum_wmma) {
  if (index) return;
  const uint32_t tiles = ref_u32(l, 2), segments = ref_u32(l, 3);
  const uint64_t length = (uint64_t)tiles * 256;
  const uint16_t *in = ref_take(r, l, 0, segments * length, 2);
  float *out = ref_alloc(r, segments, 4);
  for (uint32_t s = 0; s < segments; s++) {
    float sum[16] = {0};
    for (uint64_t i = 0; i < length; i++) sum[i % 16] += from_f16(in[s * length + i]);
    out[s] = sum[0];
    for (unsigned i = 1; i < 16; i++) out[s] += sum[i];
  }
  ref_want(r, "out", T_F32, segments, out, 0, 0);
}

REF(gemm_s8) {
  if (index) return;
  const uint32_t n = ref_u32(l, 5), k = ref_u32(l, 6), m = l->grid[1] * 64;
  const int8_t *a = ref_take(r, l, 0, (uint64_t)m * k, 1), *w = ref_take(r, l, 1, (uint64_t)n * k, 1);
  const int32_t *bias = ref_take(r, l, 2, n, 4), *scale = ref_take(r, l, 3, n, 4);
  int8_t *out = ref_alloc(r, (uint64_t)m * n, 1);
  for (uint32_t y = 0; y < m; y++)
    for (uint32_t x = 0; x < n; x++) {
      int32_t sum = 0;
      for (uint32_t j = 0; j < k; j++) sum += a[(uint64_t)y * k + j] * w[(uint64_t)x * k + j];
      const int64_t scaled = (int64_t)floor(((double)(sum + bias[x]) * scale[x] + 32768.0) / 65536.0);
      out[(uint64_t)y * n + x] = (int8_t)(scaled < 0 ? 0 : scaled > 127 ? 127 : scaled);
    }
  ref_want(r, "out", T_S8, (uint64_t)m * n, out, 0, 0);
}

REF(hamming_b1) {
  if (index) return;
  const uint32_t queries = l->grid[0] * 64, codes = l->grid[1] * ref_u32(l, 3);
  const uint32_t *q = ref_take(r, l, 0, (uint64_t)queries * 32, 4), *c = ref_take(r, l, 1, (uint64_t)codes * 32, 4);
  uint32_t *best = ref_alloc(r, queries, 4);
  for (uint32_t y = 0; y < queries; y++) {
    best[y] = UINT32_MAX;
    for (uint32_t x = 0; x < codes; x++) {
      uint32_t bits = 0;
      for (unsigned i = 0; i < 32; i++) bits += (uint32_t)__builtin_popcount(q[y * 32 + i] ^ c[x * 32 + i]);
      if ((bits << 20 | x) < best[y]) best[y] = bits << 20 | x;
    }
  }
  ref_want(r, "best", T_U32, queries, best, 0, 0);
}

REF(gemm_f64) {
  if (index) return;
  const uint32_t n = ref_u32(l, 3), k = ref_u32(l, 4), m = l->grid[1] * 32;
  const double *a = ref_take(r, l, 0, (uint64_t)m * k, 8), *b = ref_take(r, l, 1, (uint64_t)k * n, 8);
  double *c = ref_alloc(r, (uint64_t)m * n, 8);
  for (uint32_t y = 0; y < m; y++)
    for (uint32_t j = 0; j < k; j++)
      for (uint32_t x = 0; x < n; x++)
        c[(uint64_t)y * n + x] = fma(a[(uint64_t)y * k + j], b[(uint64_t)j * n + x], c[(uint64_t)y * n + x]);
  ref_want(r, "C", T_F64, (uint64_t)m * n, c, 0, 0);
}

/* The column from above to below, then the row's neighbours from left to right. */
static void star(const double *in, double *out, uint32_t width, uint32_t height, const double *c) {
  static const int distance[] = {2, 1, 0, 1, 2};
  const uint64_t pitch = width + 4;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      double sum = 0;
      for (unsigned i = 0; i < 5; i++) sum = fma(c[distance[i]], in[(y + i) * pitch + x + 2], sum);
      for (unsigned i = 0; i < 5; i++)
        if (i != 2) sum = fma(in[(y + 2) * pitch + x + i], c[distance[i]], sum);
      out[(y + 2) * pitch + x + 2] = sum;
    }
}

REF(stencil_f64) {
  if (index) return;
  const uint32_t width = ref_u32(l, 2), height = l->grid[1] * 8;
  const double c[] = {f64_argument(l, 3), f64_argument(l, 4), f64_argument(l, 5)};
  const uint64_t n = (uint64_t)(width + 4) * (height + 4);
  double *a = ref_take(r, l, 0, n, 8), *b = ref_take(r, l, 1, n, 8);
  star(a, b, width, height, c);
  star(b, a, width, height, c);
  ref_want(r, "b", T_F64, n, b, 0, 0);
  ref_want(r, "a", T_F64, n, a, 0, 0);
}
