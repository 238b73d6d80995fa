/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot3d: temperature of a chip with layers, one explicit step of a 3D heat stencil with a power source
 * per cell; outside cells equal the edge cell:
 *
 *   t' = t + step * (p + (e + w - 2t) rx + (n + s - 2t) ry + (u + d - 2t) rz + (amb - t) ra)
 *
 * A work item marches through all layers with six cells of a column (y) in registers, and of these the layer
 * below and the one above: of a cell's six neighbours only those in x, and in y at the ends of the six, are
 * loaded a second time. A group of 64 x 4 work items covers 64 x 24 cells; h is a multiple of 6.
 */
#pragma OPENCL FP_CONTRACT OFF
#define GX 64
#define GY 4
#define OWN 6

static inline float flow(float p, float c, float we, float rx, float ns, float ry, float du, float rz,
                         float amb, float ra, float step) {
  float two = 2.0f * c;
  float f = fma(we - two, rx, p);
  f = fma(ns - two, ry, f);
  f = fma(du - two, rz, f);
  f = fma(amb - c, ra, f);
  return fma(step, f, c);
}

__kernel __attribute__((reqd_work_group_size(GX, GY, 1))) void hotspot3d(
    __global const float *restrict power, __global const float *restrict from, __global float *restrict to,
    int w, int h, int layers, float step, float rx, float ry, float rz, float ra, float amb) {
  int x = get_global_id(0), y = (int)get_global_id(1) * OWN;
  if (x >= w || y >= h) return;
  int layer = w * h, base = y * w + x;
  int west = x > 0 ? -1 : 0, east = x < w - 1 ? 1 : 0;
  int north = y > 0 ? -w : 0, south = y + OWN < h ? OWN * w : (OWN - 1) * w;

  float below[OWN], here[OWN], above[OWN];
#pragma unroll
  for (int k = 0; k < OWN; k++) below[k] = here[k] = from[base + k * w];
#pragma unroll 1
  for (int z = 0; z < layers; z++) {
    __asm__ volatile("" : "+r"(base)); /* else each of the 27 addresses gets a register of its own */
    int up = z < layers - 1 ? layer : 0;
    float n = from[base + north], s = from[base + south];
#pragma unroll
    for (int k = 0; k < OWN; k++) above[k] = from[base + up + k * w];
#pragma unroll
    for (int k = 0; k < OWN; k++) {
      int i = base + k * w;
      float ns = (k > 0 ? here[k - 1] : n) + (k < OWN - 1 ? here[k + 1] : s);
      to[i] = flow(power[i], here[k], from[i + west] + from[i + east], rx, ns, ry, below[k] + above[k], rz,
                   amb, ra, step);
    }
#pragma unroll
    for (int k = 0; k < OWN; k++) {
      below[k] = here[k];
      here[k] = above[k];
    }
    base += layer;
  }
}
