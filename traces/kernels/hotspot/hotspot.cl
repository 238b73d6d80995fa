/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot: temperature of a chip, an explicit 2D heat stencil with a power source per cell:
 *   t' = t + step * (p + (n + s - 2t) * ry + (e + w - 2t) * rx + (amb - t) * rz);  outside cells equal the
 * edge cell. A group of 16 x 16 loads a tile and advances it `steps` times in shared memory; each step loses
 * one ring of cells at the tile's edge (the neighbours lie in other tiles), so a group delivers (16 - 2
 * steps) squared cells and tiles overlap. The 2 is a double, as in the original: so is all that it meets.
 */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void hotspot(
    __global const float *restrict power, __global const float *restrict from, __global float *restrict to,
    int w, int h, int steps, float step, float rx, float ry, float rz, float amb) {
  __local float t[TILE][TILE];
  __local float next[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int inner = TILE - 2 * steps;
  int x0 = (int)get_group_id(0) * inner - steps, y0 = (int)get_group_id(1) * inner - steps;
  int x = x0 + tx, y = y0 + ty;
  int inside = x >= 0 && x < w && y >= 0 && y < h;

  float p = 0.0f;
  if (inside) {
    t[ty][tx] = from[y * w + x];
    p = power[y * w + x];
  }
  /* Neighbours in the tile, moved inwards at the chip's edge. */
  int west = x > 0 ? tx - 1 : tx, east = x < w - 1 ? tx + 1 : tx;
  int north = y > 0 ? ty - 1 : ty, south = y < h - 1 ? ty + 1 : ty;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int s = 1; s <= steps; s++) {
    int valid = inside && tx >= s && tx < TILE - s && ty >= s && ty < TILE - s;
    if (valid) {
      float c = t[ty][tx];
      double flow = p, down = t[south][tx] + t[north][tx], across = t[ty][east] + t[ty][west];
      flow = __builtin_fma(__builtin_fma(-2.0, c, down), ry, flow);
      flow = __builtin_fma(__builtin_fma(-2.0, c, across), rx, flow);
      flow += (amb - c) * rz;
      next[ty][tx] = __builtin_fma(step, flow, c);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (valid) t[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && tx >= steps && tx < TILE - steps && ty >= steps && ty < TILE - steps)
    to[y * w + x] = t[ty][tx];
}
