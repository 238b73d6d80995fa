/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathtracer: spheres on a tiled floor under a sky, lit by all paths of up to `bounces` reflections (Kajiya
 * 1986). Each pixel averages `samples` random paths from the camera: dull surfaces send a path on in a random
 * direction, more of them along the normal; mirrors reflect it; glass reflects or refracts it, by Fresnel's
 * law after Schlick; light ends it. Beside the image: the variance of each mean, and how many rays a
 * pixel took. Random numbers are xorshift128 (Marsaglia 2003), seeded by the pixel. One pixel a work item,
 * groups of 16 x 16: its paths part, and end at different times.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "shading_cl.h"

#define TILE 16
#define NEAR 0.001f
#define FAR 1e20f
enum { DULL, MIRROR, GLASS, LIGHT };

struct random {
  uint a, b, c, d;
};

/* k a + b */
static inline v3 along(float k, v3 a, v3 b) {
  return vec(fma(k, a.x, b.x), fma(k, a.y, b.y), fma(k, a.z, b.z));
}
static inline v3 times(v3 a, v3 b) { return vec(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline v3 unit(v3 a) {
  float k = recip_rn(sqrt(dot(a, a)));
  return vec(a.x * k, a.y * k, a.z * k);
}

/* In [0, 1). */
static inline float any(struct random *r) {
  uint t = r->a ^ r->a << 11;
  r->a = r->b;
  r->b = r->c;
  r->c = r->d;
  r->d = r->d ^ r->d >> 19 ^ t ^ t >> 8;
  return (float)(r->d >> 8) * (1.0f / 16777216.0f);
}

static inline v3 sky(v3 d) {
  float t = fma(0.5f, d.y, 0.5f);
  return vec(fma(-0.55f, t, 0.9f), fma(-0.35f, t, 0.92f), fma(0.05f, t, 0.95f));
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void pathtracer(
    __global const float4 *restrict sphere, __global const float4 *restrict paint,
    __global float *restrict image, __global float *restrict noise, __global uint *restrict rays, int spheres,
    int w, int h, float scale, int samples, int bounces, uint seed) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  uint i = y * w + x;
  struct random r = {(i + 1) * 0x9e3779b9u ^ seed, i * 0x85ebca6bu + 1, (i ^ seed) * 0xc2b2ae35u + 7,
                     0x12345678u};
  for (int k = 0; k < 4; k++) any(&r);

  v3 sum = vec(0.0f, 0.0f, 0.0f);
  v3 sum2 = sum;
  uint parts = 0;
#pragma unroll 1
  for (int s = 0; s < samples; s++) {
    float right = (float)x + any(&r) - 0.5f * (float)w, up = 0.5f * (float)h - (float)y - any(&r);
    v3 o = vec(0.0f, 1.3f, -4.5f), d = unit(vec(right * scale, fma(up, scale, -0.12f), 1.0f));
    v3 part = vec(1.0f, 1.0f, 1.0f), got = vec(0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int bounce = 0; bounce < bounces; bounce++) {
      parts++;
      /* The first thing on the ray's way. */
      float t = d.y < -NEAR ? div_rn(-o.y, d.y) : FAR;
      int what = -1;
#pragma unroll 1
      for (int k = 0; k < spheres; k++) {
        float4 b = sphere[k];
        v3 to = vec(b.x - o.x, b.y - o.y, b.z - o.z);
        float middle = dot(to, d);
        float q = fma(middle, middle, fma(b.w, b.w, -dot(to, to)));
        if (q <= 0.0f) continue;
        q = sqrt(q);
        float at = middle - q > NEAR ? middle - q : middle + q;
        if (at <= NEAR || at >= t) continue;
        t = at;
        what = k;
      }
      if (t >= FAR) {
        got = times(part, sky(d));
        break;
      }
      o = along(t, d, o);
      v3 n = vec(0.0f, 1.0f, 0.0f);
      float4 p = {0.8f, 0.8f, 0.8f, DULL};
      if (what >= 0) {
        float4 b = sphere[what];
        float over = recip_rn(b.w);
        p = paint[what];
        n = vec((o.x - b.x) * over, (o.y - b.y) * over, (o.z - b.z) * over);
      } else if ((int)floor(o.x) + (int)floor(o.z) & 1) {
        p.x = 0.3f;
        p.y = 0.34f;
        p.z = 0.4f;
      }
      int kind = (int)p.w;
      part = times(part, vec(p.x, p.y, p.z));
      if (kind == LIGHT) {
        got = vec(6.0f * part.x, 6.0f * part.y, 6.0f * part.z);
        break;
      }
      float facing = dot(d, n);
      if (kind == DULL) {
        v3 v;
        float v2;
        do {
          v.x = fma(2.0f, any(&r), -1.0f);
          v.y = fma(2.0f, any(&r), -1.0f);
          v.z = fma(2.0f, any(&r), -1.0f);
          v2 = dot(v, v);
        } while (v2 > 1.0f || v2 < 0.0001f);
        d = unit(along(recip_rn(sqrt(v2)), v, vec(1.001f * n.x, 1.001f * n.y, 1.001f * n.z)));
      } else {
        v3 back = along(-2.0f * facing, n, d);
        float ratio = facing < 0.0f ? 1.0f / 1.5f : 1.5f, c = fabs(facing);
        float rest = fma(-ratio * ratio, fma(-c, c, 1.0f), 1.0f); /* squared cosine on the other side */
        float m = 1.0f - c, share = fma(0.96f, m * m * m * m * m, 0.04f);
        if (kind == MIRROR || rest <= 0.0f || any(&r) < share) {
          d = back;
        } else {
          float k = fma(ratio, c, -sqrt(rest));
          k = facing < 0.0f ? k : -k;
          d = unit(along(k, n, vec(ratio * d.x, ratio * d.y, ratio * d.z)));
        }
      }
      o = along(NEAR, d, o);
    }
    sum = vec(sum.x + got.x, sum.y + got.y, sum.z + got.z);
    sum2 = vec(fma(got.x, got.x, sum2.x), fma(got.y, got.y, sum2.y), fma(got.z, got.z, sum2.z));
  }
  float n = recip_rn((float)samples);
  sum = vec(sum.x * n, sum.y * n, sum.z * n);
  image += 3 * i;
  image[0] = sqrt(fmin(1.0f, sum.x));
  image[1] = sqrt(fmin(1.0f, sum.y));
  image[2] = sqrt(fmin(1.0f, sum.z));
  noise += 3 * i;
  noise[0] = fma(sum2.x, n, -sum.x * sum.x) * n;
  noise[1] = fma(sum2.y, n, -sum.y * sum.y) * n;
  noise[2] = fma(sum2.z, n, -sum.z * sum.z) * n;
  rays[i] = parts;
}
