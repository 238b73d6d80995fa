/* SPDX-License-Identifier: Apache-2.0 */
/* grid: references for hotspot and srad_v1. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/reference/ref.h"

/* The whole chip step by step, where the kernel advances overlapping tiles by several steps. */
REF(hotspot) {
  if (index) return;
  int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4), steps = r->small ? 4 : 8;
  float step = ref_f32(l, 6), rx = ref_f32(l, 7), ry = ref_f32(l, 8), rz = ref_f32(l, 9), amb = ref_f32(l, 10);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *power = ref_take(r, l, 0, n, 4);
  float *from = ref_take(r, l, 1, n, 4), *to = ref_alloc(r, n, 4);
  for (int s = 0; s < steps; s++) {
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float c = from[y * w + x];
        float ns = from[clip(y + 1, h) * w + x] + from[clip(y - 1, h) * w + x];
        float ew = from[y * w + clip(x + 1, w)] + from[y * w + clip(x - 1, w)];
        double flow = __builtin_fma((double)ns - 2.0 * (double)c, (double)ry, (double)power[y * w + x]);
        flow = __builtin_fma((double)ew - 2.0 * (double)c, (double)rx, flow);
        flow += (double)((amb - c) * rz);
        to[y * w + x] = (float)__builtin_fma((double)step, flow, (double)c);
      }
    float *t = from;
    from = to;
    to = t;
  }
  ref_want(r, "from", T_F32, n, from, 0, 0);
}

/* ---- srad_v1 ---- */
struct srad {
  float *image, *dn, *ds, *dw, *de, *coeff;
  int w, h;
};

/* Sum of n values by repeated passes: groups of 256 added pairwise, far half onto near half. */
static float tree_sum(const float *in, uint64_t n, float *work) {
  memcpy(work, in, n * sizeof *in);
  while (n > 1) {
    uint64_t groups = (n + 255) / 256;
    for (uint64_t g = 0; g < groups; g++) {
      float s[256];
      for (uint64_t t = 0; t < 256; t++) s[t] = g * 256 + t < n ? work[g * 256 + t] : 0;
      for (int width = 128; width; width /= 2)
        for (int t = 0; t < width; t++) s[t] += s[t + width];
      work[g] = s[0];
    }
    n = groups;
  }
  return work[0];
}

static void srad_step(struct srad *m, float q0) {
  for (int y = 0; y < m->h; y++)
    for (int x = 0; x < m->w; x++) {
      int i = y * m->w + x;
      const float *im = m->image;
      float c = im[i];
      float n = im[clip(y - 1, m->h) * m->w + x] - c, s = im[clip(y + 1, m->h) * m->w + x] - c;
      float w = im[y * m->w + clip(x - 1, m->w)] - c, e = im[y * m->w + clip(x + 1, m->w)] - c;
      float sq = __builtin_fmaf(e, e, __builtin_fmaf(w, w, __builtin_fmaf(n, n, s * s)));
      float grad = sq / (c * c), lap = (n + s + w + e) / c;
      float num = (float)(0.5 * (double)grad - 0.0625 * (double)(lap * lap)), den = (float)(0.25 * (double)lap + 1.0);
      float q = num / (den * den);
      float k = (float)(1.0 / (1.0 + (double)((q - q0) / (q0 * (1.0f + q0)))));
      m->dn[i] = n, m->ds[i] = s, m->dw[i] = w, m->de[i] = e;
      m->coeff[i] = k < 0 ? 0 : k > 1 ? 1 : k;
    }
}

static void srad_update(struct srad *m, float lambda) {
  for (int y = 0; y < m->h; y++)
    for (int x = 0; x < m->w; x++) {
      int i = y * m->w + x;
      float c = m->coeff[i], s = m->coeff[clip(y + 1, m->h) * m->w + x], e = m->coeff[y * m->w + clip(x + 1, m->w)];
      float d = __builtin_fmaf(c, m->dn[i], s * m->ds[i]);
      d = __builtin_fmaf(e, m->de[i], __builtin_fmaf(c, m->dw[i], d));
      m->image[i] = (float)__builtin_fma(0.25 * (double)lambda, (double)d, (double)m->image[i]);
    }
}

static struct srad *srad_new(struct ref *r, float *image, uint32_t n) {
  struct srad *m = ref_alloc(r, 1, sizeof *m);
  float **part[] = {&m->dn, &m->ds, &m->dw, &m->de, &m->coeff};
  for (unsigned k = 0; k < 5; k++) *part[k] = ref_alloc(r, n, 4);
  m->image = image;
  m->w = r->small ? 80 : 256;
  m->h = (int)n / m->w;
  return m;
}

static void srad_rounds(struct ref *r, struct srad *m, uint32_t n) {
  float *square = ref_alloc(r, n, 4), *work = ref_alloc(r, n, 4);
  for (int round = 0; round < (r->small ? 2 : 5); round++) {
    for (uint32_t i = 0; i < n; i++) square[i] = m->image[i] * m->image[i];
    double mean = (double)tree_sum(m->image, n, work) / n;
    double variance = (double)tree_sum(square, n, work) / n - mean * mean;
    srad_step(m, (float)(variance / (mean * mean)));
    srad_update(m, 0.5f);
  }
}

static float *srad_log(struct ref *r, const float *image, uint32_t n) {
  float *out = ref_alloc(r, n, 4);
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(log((double)image[i]) * 255.0);
  return out;
}

/*
 * ex2 and lg2 are approximate, so three parts: `extract` within 4 ulp of exp (two roundings and 2 ulp of ex2
 * near 1); everything between `extract` and `compress` bit for bit, starting from what extract gave;
 * `compress` within the absolute error of lg2.approx times 255 ln 2. And the whole of it once more without
 * the simulator, to a hundredth of a grey level: that is what the launch files' `expect` lines hold.
 */
REF(srad_v1) {
  if (index == 0) {
    uint32_t n = ref_u32(l, 1);
    float *want = ref_take(r, l, 0, n, 4), *image = ref_alloc(r, n, 4);
    for (uint32_t i = 0; i < n; i++) image[i] = want[i] = (float)exp((double)want[i] / 255.0);
    r->keep = want;
    struct srad *m = srad_new(r, image, n);
    srad_rounds(r, m, n);
    ref_want(r, "image", T_F32, n, srad_log(r, m->image, n), 0, 0.01);
  } else if (index == 1) {
    uint32_t n = ref_u32(l, 3);
    struct ref_out o = {"image after extract", T_F32, n, r->keep, 5e-7, 0, false};
    struct srad *m = r->keep = srad_new(r, ref_take(r, l, 0, n, 4), n);
    r->echo = true;
    if (!ref_compare(r, &o, m->image, T_F32, n)) return;
    srad_rounds(r, m, n);
    ref_want(r, "coeff", T_F32, n, m->coeff, 0, 0);
  } else if (!strcmp(l->code->name, "compress")) {
    const struct srad *m = r->keep;
    uint32_t n = ref_u32(l, 1);
    struct ref_out o = {"image before compress", T_F32, n, m->image, 0, 0, false};
    if (ref_compare(r, &o, ref_take(r, l, 0, n, 4), T_F32, n))
      ref_want(r, "image", T_F32, n, srad_log(r, m->image, n), 1e-6, 1e-4);
  }
}
