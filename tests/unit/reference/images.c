/* SPDX-License-Identifier: Apache-2.0 */
/* images: references for imgvf, hotspot3d, hotspot3d_column, dwt2d, gicov and hybridsort: whole windows, volumes and images. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/reference/ref.h"

/* ---- imgvf ---- */
enum { VF_W = 83, VF_H = 40, VF_SHARES = 320 };

static float vf_atan(float z) {
  static const float c[] = {0.0208351f, -0.085133f, 0.180141f, -0.3302995f, 0.999866f};
  float a = fabsf(z), t = a > 1 ? 1 / a : a, p = c[0];
  for (int k = 1; k < 5; k++) p = fma32(t * t, p, c[k]);
  p *= t;
  if (a > 1) p = 1.57079633f - p;
  return z < 0 ? -p : p;
}

/* One step over the whole window; returns the mean change, added up in 320 strided shares, these as a tree.
 */
static float vf_step(const float *f, float *w, float *next, const float *v, float mu, float lambda, float sharp) {
  static const int around[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
  float share[VF_SHARES] = {0};
  for (int y = 0; y < VF_H; y++)
    for (int x = 0; x < VF_W; x++) {
      int p = y * VF_W + x;
      float sum = 0;
      for (int k = 0; k < 8; k++) {
        int dx = around[k][0], dy = around[k][1];
        float d = w[clip(y + dy, VF_H) * VF_W + clip(x + dx, VF_W)] - w[p];
        float along = (float)dx * v[0] + (float)dy * v[1];
        sum = fma32(fma32(vf_atan(d * along * sharp), 0.318309886f, 0.5f), d, sum);
      }
      float g = fma32(mu, sum, w[p]);
      next[p] = fma32(-lambda, f[p] * (g - f[p]), g);
      share[p % VF_SHARES] += fabsf(next[p] - w[p]);
    }
  memcpy(w, next, sizeof *w * VF_W * VF_H);
  for (int span = VF_SHARES / 2; span >= 5; span /= 2)
    for (int t = 0; t < span; t++) share[t] += share[t + span];
  return (share[0] + share[1] + share[2] + share[3] + share[4]) * (1.0f / (VF_W * VF_H));
}

REF(imgvf) {
  if (index) return;
  uint64_t cells = r->small ? 2 : 12, n = VF_W * VF_H;
  float mu = ref_f32(l, 4), lambda = ref_f32(l, 5), sharp = ref_f32(l, 6), enough = ref_f32(l, 7);
  uint32_t most = ref_u32(l, 8), *steps = ref_alloc(r, cells, 4);
  const float *edge = ref_take(r, l, 0, cells * n, 4), *motion = ref_take(r, l, 2, 2 * cells, 4);
  float *field = ref_alloc(r, cells * n, 4), *next = ref_alloc(r, n, 4);
  memcpy(field, edge, cells * n * sizeof *field);
  for (uint64_t c = 0; c < cells; c++) {
    float change = enough + 1;
    while (steps[c] < most && change > enough) {
      change = vf_step(edge + c * n, field + c * n, next, motion + 2 * c, mu, lambda, sharp);
      steps[c]++;
    }
  }
  ref_want(r, "field", T_F32, cells * n, field, 0, 0);
  ref_want(r, "steps", T_U32, cells, steps, 0, 0);
}

/* ---- hotspot3d: cell after cell, step after step ---- */
REF(hotspot3d) {
  if (index) return;
  int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4), layers = (int)ref_u32(l, 5), steps = r->small ? 2 : 4;
  float step = ref_f32(l, 6), rx = ref_f32(l, 7), ry = ref_f32(l, 8), rz = ref_f32(l, 9), ra = ref_f32(l, 10);
  float amb = ref_f32(l, 11);
  uint64_t n = (uint64_t)w * (uint64_t)h * (uint64_t)layers;
  const float *power = ref_take(r, l, 0, n, 4);
  float *from = ref_take(r, l, 1, n, 4), *to = ref_alloc(r, n, 4);
#define AT(x, y, z) from[((int64_t)clip(z, layers) * h + clip(y, h)) * w + clip(x, w)]
  for (int s = 0; s < steps; s++) {
    int64_t i = 0;
    for (int z = 0; z < layers; z++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++, i++) {
          float t = from[i];
          float heat = fma32(AT(x - 1, y, z) + AT(x + 1, y, z) - 2 * t, rx, power[i]);
          heat = fma32(AT(x, y - 1, z) + AT(x, y + 1, z) - 2 * t, ry, heat);
          heat = fma32(AT(x, y, z - 1) + AT(x, y, z + 1) - 2 * t, rz, heat);
          heat = fma32(amb - t, ra, heat);
          to[i] = fma32(step, heat, t);
        }
    float *swap = from;
    from = to;
    to = swap;
  }
#undef AT
  ref_want(r, "from", T_F32, n, from, 0, 0);
}

/* ---- dwt2d: all rows, then all columns, level by level ---- */

/* One lifting step on n samples `stride` apart: each second one, from `from` on, takes k times its
 * neighbours. */
static void dwt_lift(float *v, int n, int stride, int from, float k) {
  for (int i = from; i < n; i += 2) {
    int l = i > 0 ? i - 1 : 1, r = i < n - 1 ? i + 1 : n - 2;
    v[i * stride] = fma32(k, v[l * stride] + v[r * stride], v[i * stride]);
  }
}

static void dwt_line(float *v, int n, int stride) {
  dwt_lift(v, n, stride, 1, -1.58613434f);
  dwt_lift(v, n, stride, 0, -0.0529801185f);
  dwt_lift(v, n, stride, 1, 0.882911076f);
  dwt_lift(v, n, stride, 0, 0.443506852f);
  for (int i = 0; i < n; i++) v[i * stride] *= i % 2 ? 1.23017410f : 0.812893066f;
}

REF(dwt2d) {
  if (index) return;
  int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4), levels = r->small ? 2 : 3;
  static const char *const names[] = {"high1", "high2", "high3"};
  float *image = ref_take(r, l, 0, (uint64_t)w * (uint64_t)h, 4);
  for (int k = 0; k < levels; k++) {
    uint64_t n = (uint64_t)w * (uint64_t)h;
    float *high = ref_alloc(r, n, 4), *low = ref_alloc(r, n / 4, 4);
    for (int y = 0; y < h; y++) dwt_line(image + y * w, w, 1);
    for (int x = 0; x < w; x++) dwt_line(image + x, h, w);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float v = image[y * w + x];
        if (x % 2 || y % 2) high[(y / 2 + y % 2 * h / 2) * w + x / 2 + x % 2 * w / 2] = v;
        else low[y / 2 * (w / 2) + x / 2] = v;
      }
    ref_want(r, names[k], T_F32, n, high, 0, 0);
    image = low;
    w /= 2;
    h /= 2;
  }
  ref_want(r, r->small ? "low2" : "low3", T_F32, (uint64_t)w * (uint64_t)h, image, 0, 0);
}

/* ---- gicov: mean and variance of the outward gradient on each circle ---- */
static float gicov_circle(const float *gx, const float *gy, int w, int x, int y, const int32_t *dx, const int32_t *dy,
                          const float *c, const float *s, int points) {
  float sum = 0, square = 0;
  for (int k = 0; k < points; k++) {
    int64_t p = (int64_t)(y + dy[k]) * w + x + dx[k];
    float n = fma32(gx[p], c[k], gy[p] * s[k]);
    sum += n;
    square = fma32(n, n, square);
  }
  float mean = sum * (1.0f / (float)points);
  return mean * mean / (fma32(-sum, mean, square) * (1.0f / (float)(points - 1)));
}

static void gicov(struct ref *r, const struct launch *l) {
  enum { CIRCLES = 5, POINTS = 40, MARGIN = 12 };
  int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4);
  uint64_t n = (uint64_t)w * (uint64_t)h;
  const float *image = ref_take(r, l, 0, n, 4);
  const float *c = ref_take_const(r, l, "cosine", POINTS, 4), *s = ref_take_const(r, l, "sine", POINTS, 4);
  const int32_t *dx = ref_take_const(r, l, "shift_x", CIRCLES * POINTS, 4);
  const int32_t *dy = ref_take_const(r, l, "shift_y", CIRCLES * POINTS, 4);
  float *gx = ref_alloc(r, n, 4), *gy = ref_alloc(r, n, 4), *score = ref_alloc(r, n, 4);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      gx[y * w + x] = 0.5f * (image[y * w + clip(x + 1, w)] - image[y * w + clip(x - 1, w)]);
      gy[y * w + x] = 0.5f * (image[clip(y + 1, h) * w + x] - image[clip(y - 1, h) * w + x]);
    }
  for (int y = MARGIN; y < h - MARGIN; y++)
    for (int x = MARGIN; x < w - MARGIN; x++)
      for (int k = 0; k < CIRCLES; k++) {
        float v = gicov_circle(gx, gy, w, x, y, dx + k * POINTS, dy + k * POINTS, c, s, POINTS);
        if (v > score[y * w + x]) score[y * w + x] = v;
      }
  ref_want(r, "gx", T_F32, n, gx, 0, 0);
  ref_want(r, "gy", T_F32, n, gy, 0, 0);
  ref_want(r, "score", T_F32, n, score, 0, 0);
}

REF(gicov) {
  if (!index) gicov(r, l);
}

/* Linear memory read by integers is a buffer that is read by them. */
REF(gicov_tex) {
  if (!index) gicov(r, l);
}

/* ---- hybridsort: sorted by the C library ---- */
static int ascending(const void *a, const void *b) {
  float x, y;
  memcpy(&x, a, 4);
  memcpy(&y, b, 4);
  return (x > y) - (x < y);
}

REF(hybridsort) {
  if (index) return;
  uint32_t n = ref_u32(l, 2);
  float *key = ref_take(r, l, 0, n, 4);
  qsort(key, n, sizeof *key, ascending);
  ref_want(r, "out", T_F32, n, key, 0, 0);
}

REF(hybridsort_tex) {
  if (index) return;
  uint32_t n = ref_u32(l, 2);
  float *key = ref_take(r, l, 0, n, 4);
  qsort(key, n, sizeof *key, ascending);
  ref_want(r, "out", T_F32, n, key, 0, 0);
}

/* ---- hotspot3d_column: cell after cell, step after step ---- */
REF(hotspot3d_column) {
  if (index) return;
  int w = (int)ref_u32(l, 3), h = (int)ref_u32(l, 4), layers = (int)ref_u32(l, 5);
  float cx = ref_f32(l, 6), cy = ref_f32(l, 7), cz = ref_f32(l, 8), cc = ref_f32(l, 9), heat = ref_f32(l, 10),
        amb = ref_f32(l, 11);
  uint64_t n = (uint64_t)w * (uint64_t)h * (uint64_t)layers;
  const float *power = ref_take(r, l, 0, n, 4);
  float *from = ref_take(r, l, 1, n, 4), *to = ref_alloc(r, n, 4);
#define AT(x, y, z) from[((int64_t)clip(z, layers) * h + clip(y, h)) * w + clip(x, w)]
  for (int s = 0; s < 2; s++) {
    int64_t i = 0;
    for (int z = 0; z < layers; z++)
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++, i++) {
          float t = fma32(cx, AT(x - 1, y, z) + AT(x + 1, y, z), cc * from[i]);
          t = fma32(cy, AT(x, y - 1, z) + AT(x, y + 1, z), t);
          t = fma32(cz, AT(x, y, z - 1) + AT(x, y, z + 1), t);
          to[i] = fma32(heat, power[i], t) + amb;
        }
    float *swap = from;
    from = to;
    to = swap;
  }
#undef AT
  ref_want(r, "from", T_F32, n, from, 0, 0);
}
