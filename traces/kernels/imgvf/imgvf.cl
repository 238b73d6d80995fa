/* SPDX-License-Identifier: Apache-2.0 */
/*
 * imgvf: motion gradient vector flow around tracked cells (Ray and Acton 2004). Over each cell's small window
 * an edge map f in [0, 1] is spread into a smooth field w, further along the cell's motion v than against it:
 *
 *   w' = g - lambda f (g - f)   with   g = w + mu sum over 8 neighbours k of H((w_k - w) (v . k)) (w_k - w)
 *   H(z) = 1/2 + atan(z / epsilon) / pi;   neighbours outside the window equal the edge's pixel
 *
 * until the mean change of a step is below `enough`, or `most` steps. One group a window, which lies in
 * shared memory; a work item owns every 320th pixel and keeps their next values in registers over the
 * barrier.
 */
#pragma OPENCL FP_CONTRACT OFF
#define WIDTH 83
#define HEIGHT 40
#define PIXELS (WIDTH * HEIGHT)
#define GROUP 320
#define OWN 11 /* pixels of a work item; the last one is there for some only */

/* atan on [0, 1] by an odd polynomial, above by pi/2 - atan(1/x); within 1e-5. */
static inline float arctan(float z) {
  float a = fabs(z);
  float t = a > 1.0f ? recip_rn(a) : a;
  float s = t * t;
  float p = fma(s, fma(s, fma(s, fma(s, 0.0208351f, -0.085133f), 0.180141f), -0.3302995f), 0.999866f) * t;
  float r = a > 1.0f ? 1.57079633f - p : p;
  return z < 0.0f ? -r : r;
}

/* What a neighbour that differs by d adds, if v . k is `along`. */
static inline float pull(float d, float along, float sharp, float sum) {
  float h = fma(arctan(d * along * sharp), 0.318309886f, 0.5f);
  sum = fma(h, d, sum);
  __asm__ volatile(""
                   : "+f"(sum)
                   :
                   : "memory"); /* one neighbour after the other, else all eight are loaded first */
  return sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void imgvf(__global const float *restrict edge,
                                                                       __global float *restrict field,
                                                                       __global const float *restrict motion,
                                                                       __global uint *restrict steps,
                                                                       float mu, float lambda, float sharp,
                                                                       float enough, uint most) {
  __local float w[PIXELS];
  __local float change[GROUP];
  int t = get_local_id(0);
  uint cell = get_group_id(0);
  float vx = motion[2 * cell], vy = motion[2 * cell + 1];
  edge += cell * PIXELS;
  field += cell * PIXELS;

  float f[OWN], next[OWN];
#pragma unroll
  for (int k = 0; k < OWN; k++) {
    int p = t + k * GROUP;
    if (p < PIXELS) w[p] = f[k] = edge[p];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  uint step = 0;
  for (float mean = enough + 1.0f; step < most && mean > enough; step++) {
    float moved = 0.0f;
#pragma unroll
    for (int k = 0; k < OWN; k++) {
      int p = t;
      /* Else the compiler works out the places of all 99 pixels before the loop, in 200 registers. */
      __asm__ volatile("" : "+r"(p));
      p += k * GROUP;
      if (p >= PIXELS) continue;
      int y = p / WIDTH, x = p - y * WIDTH;
      int l = x > 0 ? -1 : 0, r = x < WIDTH - 1 ? 1 : 0;
      int u = y > 0 ? -WIDTH : 0, d = y < HEIGHT - 1 ? WIDTH : 0;
      float c = w[p], sum = 0.0f;
      sum = pull(w[p + u + l] - c, -vx - vy, sharp, sum);
      sum = pull(w[p + u] - c, -vy, sharp, sum);
      sum = pull(w[p + u + r] - c, vx - vy, sharp, sum);
      sum = pull(w[p + l] - c, -vx, sharp, sum);
      sum = pull(w[p + r] - c, vx, sharp, sum);
      sum = pull(w[p + d + l] - c, vy - vx, sharp, sum);
      sum = pull(w[p + d] - c, vy, sharp, sum);
      sum = pull(w[p + d + r] - c, vx + vy, sharp, sum);
      float g = fma(mu, sum, c);
      next[k] = fma(-lambda, f[k] * (g - f[k]), g);
      moved += fabs(next[k] - c);
    }
    change[t] = moved;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < OWN; k++) {
      int p = t + k * GROUP;
      if (p < PIXELS) w[p] = next[k];
    }
    /* 320 = 5 * 64 */
    for (int span = GROUP / 2; span >= 5; span >>= 1) {
      if (t < span) change[t] += change[t + span];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    mean = (change[0] + change[1] + change[2] + change[3] + change[4]) * (1.0f / PIXELS);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#pragma unroll
  for (int k = 0; k < OWN; k++) {
    int p = t + k * GROUP;
    if (p < PIXELS) field[p] = w[p];
  }
  if (t == 0) steps[cell] = step;
}
