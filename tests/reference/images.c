/* SPDX-License-Identifier: Apache-2.0 */
/* images: references for imgvf, hotspot3d, dwt2d, gicov and hybridsort: whole windows, volumes and images. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/ref.h"

#define fma32 __builtin_fmaf

static int clip(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

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

/* One step over the whole window; returns the mean change, added up in 320 strided shares, these as a tree. */
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
