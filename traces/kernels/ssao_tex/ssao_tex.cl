/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssao_tex: screen-space ambient occlusion as ssao has it, with the buffers between its passes as renderers have
 * them: a pass draws to surfaces, the next one reads these as textures, whose clamping replaces that of the
 * indices. Space is the camera's: x right, y up, z ahead. One pixel a work item, groups of 16 x 16.
 *
 *   gbuffer   depth and normal of every pixel: a floor, a wall, spheres
 *   ssao      16 points in the half ball over the pixel's surface (the same 16, mirrored at one of 16 random
 *             planes); each that lies behind the depth buffer's surface takes light away, less if far off
 *   blur      mean of 4 x 4 pixels, as many as there are planes
 */
#pragma OPENCL FP_CONTRACT OFF
#include "shading_cl.h"
#include "texture_cl.h"

#define TILE 16
#define SAMPLES 16
#define PLANES 16
#define KERNEL __kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))

KERNEL void gbuffer(ulong depth, ulong normal, __global const float4 *restrict sphere, int spheres, int w, int h,
                    float scale, float eye, float wall) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  v3 d = ahead(x, y, w, h, scale), n = vec(0.0f, 0.0f, -1.0f);
  float z = wall;
  if (d.y * z < -eye) {
    z = div_rn(-eye, d.y);
    n = vec(0.0f, 1.0f, 0.0f);
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
  }
  float4 v = {n.x, n.y, n.z, 0.0f};
  surf_write(depth, 4 * x, y, z);
  surf_write(normal, 16 * x, y, v);
}

KERNEL void ssao(ulong depth, ulong normal, __global const float *restrict point,
                 __global const float *restrict plane, ulong light, int w, int h, float scale, float radius,
                 float bias) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float z = tex_2d(depth, (float)x, (float)y).x;
  float4 v = tex_2d(normal, (float)x, (float)y);
  v3 n = vec(v.x, v.y, v.z), p = ahead(x, y, w, h, scale);
  p.x *= z;
  p.y *= z;
  p.z = z;
  int k = 3 * ((y & 3) * 4 + (x & 3));
  v3 m = vec(plane[k], plane[k + 1], plane[k + 2]);
  float hidden = 0.0f, unscale = recip_rn(scale);
#pragma unroll 1
  for (k = 0; k < 3 * SAMPLES; k += 3) {
    v3 s = vec(point[k], point[k + 1], point[k + 2]);
    float twice = -2.0f * dot(s, m);
    s = vec(fma(twice, m.x, s.x), fma(twice, m.y, s.y), fma(twice, m.z, s.z));
    float r = dot(s, n) < 0.0f ? -radius : radius;
    s = vec(fma(r, s.x, p.x), fma(r, s.y, p.y), fma(r, s.z, p.z));
    /* Its pixel, or the nearest one on the screen: the texture's own doing. */
    float to = div_rn(unscale, s.z);
    float there = tex_2d(depth, fma(s.x, to, 0.5f * (float)w), fma(-s.y, to, 0.5f * (float)h)).x;
    if (there < s.z - bias) hidden += fmin(1.0f, div_rn(radius, fabs(z - there)));
  }
  surf_write(light, 4 * x, y, fma(hidden, -1.0f / SAMPLES, 1.0f));
}

KERNEL void blur(ulong light, __global float *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int dy = -2; dy < 2; dy++)
    for (int dx = -2; dx < 2; dx++) sum += tex_2d(light, (float)(x + dx), (float)(y + dy)).x;
  out[y * w + x] = sum * 0.0625f;
}
