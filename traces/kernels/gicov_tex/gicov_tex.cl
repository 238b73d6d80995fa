/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gicov_tex: gicov with its gradients read as Rodinia's original reads them, through two references to textures of
 * linear memory. It finds where a round cell could be (Dong, Ray and Acton 2005). For every pixel and every radius, the
 * image's gradient is sampled along a circle and projected on the circle's normal; the score is mean * mean /
 * variance of these: high where the whole circle lies on an edge of one sign. The best radius's is kept.
 *
 *   gradient  central differences
 *   gicov     one pixel a work item; those nearer to the border than the largest circle are left out
 */
#pragma OPENCL FP_CONTRACT OFF
#include "texture_cl.h"
#define GROUP 192
#define CIRCLES 5
#define POINTS 40

TEXTURE(t_grad_x);
TEXTURE(t_grad_y);

/* The host writes these; weak, else the compiler takes the zeros for their values. */
#define HOST __attribute__((weak)) __constant
HOST float cosine[POINTS] = {0};
HOST float sine[POINTS] = {0};
HOST int shift_x[CIRCLES * POINTS] = {0};
HOST int shift_y[CIRCLES * POINTS] = {0};

__kernel void gradient(__global const float *restrict image, __global float *restrict gx,
                       __global float *restrict gy, int w, int h) {
  int i = get_global_id(0);
  if (i >= w * h) return;
  int y = i / w, x = i - y * w;
  gx[i] = 0.5f * (image[x < w - 1 ? i + 1 : i] - image[x > 0 ? i - 1 : i]);
  gy[i] = 0.5f * (image[y < h - 1 ? i + w : i] - image[y > 0 ? i - w : i]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void gicov(__global float *restrict score, int w, int h,
                                                                       int margin) {
  int i = get_global_id(0), inner = w - 2 * margin;
  int y = i / inner, x = i - y * inner + margin;
  y += margin;
  if (y >= h - margin) return;

  float best = 0.0f;
#pragma unroll 1
  for (int c = 0; c < CIRCLES * POINTS; c += POINTS) {
    float sum = 0.0f, sum2 = 0.0f;
#pragma unroll 2
    for (int k = 0; k < POINTS; k++) {
      int at = (y + shift_y[c + k]) * w + x + shift_x[c + k];
      float dx, dy;
      FETCH1(t_grad_x, at, dx);
      FETCH1(t_grad_y, at, dy);
      float n = fma(dx, cosine[k], dy * sine[k]);
      sum += n;
      sum2 = fma(n, n, sum2);
    }
    float mean = sum * (1.0f / POINTS);
    float variance = fma(-sum, mean, sum2) * (1.0f / (POINTS - 1));
    best = fmax(best, div_rn(mean * mean, variance));
  }
  score[y * w + x] = best;
}
