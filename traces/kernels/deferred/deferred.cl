/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred: deferred shading, a pass of real-time renderers. Space is the camera's: x right, y up, z ahead.
 * Groups of 16 x 16 work items.
 *
 *   gbuffer    what every pixel shows: depth, normal, colour, shine; a tiled floor, a wall, spheres
 *   deferred   adds up the lights, each with its colour, its place and a radius that it reaches: diffuse
 *              (normal . light) and a highlight (normal . half way)^32, times
 *              (1 - (distance / radius)^2)^2; then v / (1 + v) to fit the screen, a square root for gamma
 */
#pragma OPENCL FP_CONTRACT OFF
#include "shading_cl.h"

#define TILE 16
#define KERNEL __kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))

/* Planes of w * h floats in `surface`: depth, normal x y z, red, green, blue, shine. */
KERNEL void gbuffer(__global float *restrict surface, __global const float4 *restrict sphere,
                    __global const float4 *restrict paint, int spheres, int w, int h, float scale, float eye,
                    float wall) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  v3 d = ahead(x, y, w, h, scale), n = vec(0.0f, 0.0f, -1.0f);
  float z = wall;
  float4 colour = {0.5f, 0.5f, 0.55f, 0.0f};
  if (d.y * z < -eye) {
    z = div_rn(-eye, d.y);
    n = vec(0.0f, 1.0f, 0.0f);
    int dark = (int)floor(d.x * z) + (int)floor(z) & 1;
    colour.x = colour.y = colour.z = dark ? 0.25f : 0.75f;
    colour.w = 0.25f;
  }
  float dd = dot(d, d);
#pragma unroll 1
  for (int k = 0; k < spheres; k++) {
    float4 s = sphere[k];
    v3 c = vec(s.x, s.y, s.z);
    float b = dot(d, c);
    float q = fma(b, b, -dd * fma(-s.w, s.w, dot(c, c)));
    if (q <= 0.0f) continue;
    float t = div_rn(b - sqrt(q), dd);
    if (t <= 0.0f || t >= z) continue;
    float over = recip_rn(s.w);
    z = t;
    n = vec((d.x * t - c.x) * over, (d.y * t - c.y) * over, (t - c.z) * over);
    colour = paint[k];
  }
  int plane = w * h;
  surface += y * w + x;
  surface[0] = z;
  surface[plane] = n.x;
  surface[2 * plane] = n.y;
  surface[3 * plane] = n.z;
  surface[4 * plane] = colour.x;
  surface[5 * plane] = colour.y;
  surface[6 * plane] = colour.z;
  surface[7 * plane] = colour.w;
}

struct pixel {
  v3 place, normal, colour, view, sum;
  float shine;
};

static inline struct pixel pixel_at(__global const float *surface, int x, int y, int w, int h, float scale,
                                    float ambient) {
  int plane = w * h;
  surface += y * w + x;
  struct pixel p;
  float z = surface[0];
  p.normal = vec(surface[plane], surface[2 * plane], surface[3 * plane]);
  p.colour = vec(surface[4 * plane], surface[5 * plane], surface[6 * plane]);
  p.shine = surface[7 * plane];
  p.place = ahead(x, y, w, h, scale);
  p.place = vec(p.place.x * z, p.place.y * z, z);
  float near = -recip_rn(sqrt(dot(p.place, p.place)));
  p.view = vec(p.place.x * near, p.place.y * near, p.place.z * near);
  p.sum = vec(ambient * p.colour.x, ambient * p.colour.y, ambient * p.colour.z);
  return p;
}

static inline v3 lit(const struct pixel *p, float4 at, float4 glow) {
  v3 l = vec(at.x - p->place.x, at.y - p->place.y, at.z - p->place.z);
  float d2 = dot(l, l);
  float fade = 1.0f - div_rn(d2, at.w * at.w);
  if (fade <= 0.0f) return p->sum;
  float by = recip_rn(sqrt(d2));
  l = vec(l.x * by, l.y * by, l.z * by);
  float facing = dot(p->normal, l);
  if (facing <= 0.0f) return p->sum;
  fade = fade * fade;
  v3 half_way = vec(l.x + p->view.x, l.y + p->view.y, l.z + p->view.z);
  float spot = fmax(0.0f, dot(p->normal, half_way) * recip_rn(sqrt(dot(half_way, half_way))));
  spot *= spot;
  spot *= spot;
  spot *= spot;
  spot *= spot;
  spot *= spot * p->shine;
  return vec(fma(glow.x * fade, fma(p->colour.x, facing, spot), p->sum.x),
             fma(glow.y * fade, fma(p->colour.y, facing, spot), p->sum.y),
             fma(glow.z * fade, fma(p->colour.z, facing, spot), p->sum.z));
}

static inline float screen(float v) { return sqrt(div_rn(v, 1.0f + v)); }

static inline void put(__global float *image, const struct pixel *p, int i) {
  image += 3 * i;
  image[0] = screen(p->sum.x);
  image[1] = screen(p->sum.y);
  image[2] = screen(p->sum.z);
}

/* Two pixels a work item, 16 rows apart, so that a light is loaded once for both. */
KERNEL void deferred(__global const float *restrict surface, __global const float4 *restrict place,
                     __global const float4 *restrict glow, __global float *restrict image, int lights, int w,
                     int h, float scale, float ambient) {
  int x = get_global_id(0), y = (int)get_group_id(1) * 2 * TILE + (int)get_local_id(1), below = y + TILE;
  if (x >= w || y >= h) return;
  struct pixel a = pixel_at(surface, x, y, w, h, scale, ambient);
  struct pixel b = pixel_at(surface, x, min(below, h - 1), w, h, scale, ambient);
#pragma unroll 1
  for (int k = 0; k < lights; k++) {
    float4 at = place[k], g = glow[k];
    a.sum = lit(&a, at, g);
    b.sum = lit(&b, at, g);
  }
  put(image, &a, y * w + x);
  if (below < h) put(image, &b, below * w + x);
}
