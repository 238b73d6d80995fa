/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor: references for gemm_tensor, gemm_pipeline, conv_tensor and rnn_tensor, over whole matrices, images and layers.
 * Products of f16 values are added to an f32 sum in ascending k, each with one rounding: what docs/reference/tensor.md
 * says of mma.
 */
#include <math.h>
#include <string.h>

#include "unit/reference/ref.h"

static float from_f16(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  float mag = e == 0 ? ldexpf((float)m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexpf((float)(1024 + m), e - 25);
  return h >> 15 ? -mag : mag;
}

/* To nearest even. */
static uint16_t to_f16(float x) {
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  x = fabsf(x);
  if (x != x) return 0x7fff;
  if (x == 0) return sign;
  if (x >= 65520.0f) return sign | 0x7c00;
  int e;
  frexpf(x, &e); /* x in [2^(e-1), 2^e) */
  int unit = e - 11 < -24 ? -24 : e - 11;
  float m = rintf(ldexpf(x, -unit)); /* the host rounds to nearest even */
  if (unit == -24) return sign | (uint16_t)m;
  return sign | (uint16_t)(((unit + 24) << 10) + (int)m);
}

static float *widen(struct ref *r, const struct launch *l, unsigned param, uint64_t n) {
  const uint16_t *h = ref_take(r, l, param, n, 2);
  float *f = ref_alloc(r, n, 4);
  for (uint64_t i = 0; i < n; i++) f[i] = from_f16(h[i]);
  return f;
}

static void product(struct ref *r, const struct launch *l) {
  uint32_t m = ref_u32(l, 3), n = ref_u32(l, 4), k = ref_u32(l, 5), lda = ref_u32(l, 6), ldb = ref_u32(l, 7),
           ldc = ref_u32(l, 8);
  const float *a = widen(r, l, 0, (uint64_t)m * lda), *b = widen(r, l, 1, (uint64_t)k * ldb);
  float *c = ref_take(r, l, 2, (uint64_t)m * ldc, 4);
  for (uint32_t y = 0; y < m; y++) {
    for (uint32_t x = 0; x < n; x++) c[y * ldc + x] = 0;
    for (uint32_t j = 0; j < k; j++)
      for (uint32_t x = 0; x < n; x++) c[y * ldc + x] = __builtin_fmaf(a[y * lda + j], b[j * ldb + x], c[y * ldc + x]);
  }
  ref_want(r, "C", T_F32, (uint64_t)m * ldc, c, 0, 0);
}

REF(gemm_tensor) {
  if (!index) product(r, l);
}

REF(gemm_pipeline) {
  if (!index) product(r, l);
}

REF(conv_tensor) {
  if (index) return;
  uint32_t images = ref_u32(l, 3), height = ref_u32(l, 4), width = ref_u32(l, 5), channels = ref_u32(l, 6),
           filters = ref_u32(l, 7), depth = 9 * channels;
  uint64_t pixels = (uint64_t)images * height * width;
  const float *in = widen(r, l, 0, pixels * channels), *filter = widen(r, l, 1, (uint64_t)filters * depth);
  float *out = ref_alloc(r, pixels * filters, 4);
  float *turned = ref_alloc(r, (uint64_t)depth * filters, 4); /* the same, the filters side by side */
  for (uint32_t f = 0; f < filters; f++)
    for (uint32_t k = 0; k < depth; k++) turned[(uint64_t)k * filters + f] = filter[(uint64_t)f * depth + k];
  for (uint64_t p = 0; p < pixels; p++)
    for (uint32_t k = 0; k < depth; k++) {
      uint32_t c = k % channels, tap = k / channels;
      int64_t x = (int64_t)(p % width) + tap % 3 - 1, y = (int64_t)(p / width % height) + tap / 3 - 1;
      if (x < 0 || y < 0 || x >= width || y >= height) continue; /* + 0 changes nothing: no sum is -0 */
      float v = in[((p / width / height * height + (uint64_t)y) * width + (uint64_t)x) * channels + c];
      for (uint32_t f = 0; f < filters; f++)
        out[p * filters + f] = __builtin_fmaf(v, turned[(uint64_t)k * filters + f], out[p * filters + f]);
    }
  ref_want(r, "out", T_F32, pixels * filters, out, 0, 0);
}

/* A step each time. The file swaps h and g behind each: h is the newest state, g the one before it. */
REF(rnn_tensor) {
  uint32_t hidden = ref_u32(l, 4), batch = ref_u32(l, 5);
  uint64_t n = (uint64_t)batch * hidden;
  struct layer {
    float *u, *h;
    uint16_t *old, *now;
  } *s = r->keep;
  if (!index) {
    s = r->keep = ref_alloc(r, 1, sizeof *s);
    s->u = widen(r, l, 0, (uint64_t)hidden * hidden);
    s->h = widen(r, l, 1, n);
    s->now = ref_take(r, l, 1, n, 2);
    s->old = ref_alloc(r, n, 2);
    ref_want(r, "h", T_F16, n, s->now, 0, 0);
    ref_want(r, "g", T_F16, n, s->old, 0, 0);
  }
  const float *x = ref_take(r, l, 2, n, 4);
  memcpy(s->old, s->now, n * 2);
  for (uint32_t b = 0; b < batch; b++)
    for (uint32_t j = 0; j < hidden; j++) {
      float z = x[(uint64_t)b * hidden + j];
      const float *u = s->u + (uint64_t)j * hidden, *h = s->h + (uint64_t)b * hidden;
      for (uint32_t k = 0; k < hidden; k++) z = __builtin_fmaf(u[k], h[k], z);
      s->now[(uint64_t)b * hidden + j] = to_f16(z < 0 ? 0 : z > 20 ? 20 : z);
    }
  for (uint64_t i = 0; i < n; i++) s->h[i] = from_f16(s->now[i]);
}
