/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elevated: a fractal landscape, found by marching along each pixel's ray.
 * Its height is a sum of value noise (random heights on a lattice, smooth between), each octave half as high,
 * twice as fine and turned against the one before, and lower where the octaves above it are steep, so that
 * slopes weather and valleys fill: h += a n / (1 + |gradient so far|^2). A ray steps on by a share of its
 * height over the land, until it is close to it or too far; fewer octaves do for marching and for the shadow
 * than for the normal. Then rock, grass and snow by height and slope, sun, shadow, sky light, and haze with
 * distance. One pixel a work item, groups of 16 x 16.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "shading_cl.h"

#define TILE 16
#define FAR 40.0f
#define WIDE 0.3f
#define HIGH 2.4f
#define TOP 4.8f /* above all land */
static inline v3 mixed(v3 a, v3 b, float t) {
  return vec(fma(t, b.x - a.x, a.x), fma(t, b.y - a.y, a.y), fma(t, b.z - a.z, a.z));
}
static inline float unit(float v) { return fmin(fmax(v, 0.0f), 1.0f); }
static inline float smooth(float v) {
  v = unit(v);
  return v * v * fma(-2.0f, v, 3.0f);
}

/* A lattice point's height in [0, 1). */
static inline float lattice(int x, int z) {
  uint k = (uint)x * 0x8da6b343u ^ (uint)z * 0xd8163841u;
  k = (k ^ k >> 15) * 0x2c1b3c6du;
  k = (k ^ k >> 12) * 0x297a2d39u;
  return (float)(k >> 8) * (1.0f / 16777216.0f);
}

/* A sum of octaves that is being added up. */
struct sum {
  float x, z, dx, dz, height, high;
};

static inline struct sum start(float x, float z) {
  struct sum s = {WIDE * x, WIDE * z, 0.0f, 0.0f, 0.0f, HIGH};
  return s;
}

static inline void octave(struct sum *s) {
  float fx = floor(s->x), fz = floor(s->z);
  int ix = (int)fx, iz = (int)fz;
  float u = s->x - fx, v = s->z - fz;
  float su = u * u * fma(-2.0f, u, 3.0f), sv = v * v * fma(-2.0f, v, 3.0f);
  float a = lattice(ix, iz), b = lattice(ix + 1, iz), c = lattice(ix, iz + 1), d = lattice(ix + 1, iz + 1);
  float bend = a - b - c + d;
  float n = fma(su * sv, bend, fma(sv, c - a, fma(su, b - a, a)));
  /* n's derivatives */
  s->dx = fma(6.0f * u * (1.0f - u), fma(bend, sv, b - a), s->dx);
  s->dz = fma(6.0f * v * (1.0f - v), fma(bend, su, c - a), s->dz);
  s->height = fma(s->high, div_rn(n, fma(s->dz, s->dz, fma(s->dx, s->dx, 1.0f))), s->height);
  s->high *= 0.5f;
  float t = fma(1.6f, s->x, -1.2f * s->z);
  s->z = fma(1.2f, s->x, 1.6f * s->z);
  s->x = t;
}

/* The land's height over (x, z). */
static inline float land(float x, float z, int octaves) {
  struct sum s = start(x, z);
#pragma unroll 1
  for (int k = 0; k < octaves; k++) octave(&s);
  return s.height;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void elevated(
    __global float *restrict image, int w, int h, float scale, float eye_x, float eye_y, float eye_z,
    float sun_x, float sun_y, float sun_z, int steps) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  v3 d = vec(((float)x + 0.5f - 0.5f * (float)w) * scale, (0.35f * (float)h - 0.5f - (float)y) * scale, 1.0f);
  float by = recip_rn(sqrt(dot(d, d)));
  d = vec(d.x * by, d.y * by, d.z * by);
  float sun = fmax(0.0f, fma(d.z, sun_z, fma(d.y, sun_y, d.x * sun_x)));

  /* Sky, paler to the horizon and round the sun. */
  float low = 1.0f - fmax(0.0f, d.y);
  v3 colour = mixed(vec(0.2f, 0.42f, 0.78f), vec(0.75f, 0.8f, 0.88f), low * low * low * low);
  float halo = sun * sun;
  halo *= halo;
  halo *= halo;
  colour = mixed(colour, vec(1.0f, 0.82f, 0.58f), 0.6f * halo);

  float t = 0.3f, over = 1.0f;
#pragma unroll 1
  for (int k = 0; k < steps; k++) {
    float py = fma(t, d.y, eye_y);
    if (t > FAR || (py > TOP && d.y > 0.0f)) break;
    over = py - land(fma(t, d.x, eye_x), fma(t, d.z, eye_z), 4);
    if (over < 0.002f * t) break;
    t = fma(0.65f, over, t);
  }
  if (over < 0.02f * t && t < FAR) {
    float px = fma(t, d.x, eye_x), pz = fma(t, d.z, eye_z), e = 0.004f * t;
    /* Four heights side by side for the normal. */
    struct sum east = start(px + e, pz), west = start(px - e, pz), north = start(px, pz + e),
               south = start(px, pz - e);
#pragma unroll 1
    for (int k = 0; k < 7; k++) {
      octave(&east);
      octave(&west);
      octave(&north);
      octave(&south);
    }
    float here = 0.25f * (east.height + west.height + north.height + south.height);
    v3 n = vec(west.height - east.height, 2.0f * e, south.height - north.height);
    by = recip_rn(sqrt(dot(n, n)));
    n = vec(n.x * by, n.y * by, n.z * by);

    float light = fmax(0.0f, fma(n.z, sun_z, fma(n.y, sun_y, n.x * sun_x)));
    float shade = 1.0f;
    if (light > 0.0f) {
      float s = 0.1f;
#pragma unroll 1
      for (int k = 0; k < 10; k++) {
        float clear = fma(s, sun_y, here) - land(fma(s, sun_x, px), fma(s, sun_z, pz), 3);
        shade = fmin(shade, div_rn(10.0f * clear, s));
        s += fmax(0.08f, 0.6f * clear);
        if (shade < 0.0f) break;
      }
      shade = fmax(0.0f, shade);
    }
    /* Rock; grass where it is flat and low; snow where it is high and not steep. */
    v3 ground = mixed(vec(0.24f, 0.2f, 0.17f), vec(0.13f, 0.2f, 0.06f), smooth((n.y - 0.72f) * 6.0f));
    float snow = smooth((here - 1.75f) * 1.6f) * smooth((n.y - 0.45f) * 4.0f);
    ground = mixed(ground, vec(0.75f, 0.78f, 0.82f), snow);
    float direct = 2.6f * light * smooth(shade), sky = fma(0.25f, n.y, 0.3f);
    v3 seen = vec(ground.x * fma(1.0f, direct, 0.8f * sky), ground.y * fma(0.86f, direct, sky),
                  ground.z * fma(0.66f, direct, 1.3f * sky));
    float haze = t * (1.0f / FAR);
    colour = mixed(vec(fmin(1.0f, seen.x), fmin(1.0f, seen.y), fmin(1.0f, seen.z)), colour,
                   haze * fma(-haze, haze, 2.0f * haze));
  }
  image += 3 * (y * w + x);
  image[0] = sqrt(colour.x);
  image[1] = sqrt(colour.y);
  image[2] = sqrt(colour.z);
}
