/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srad_v2: speckle reducing anisotropic diffusion (Yu and Acton 2002) of an image in 16 x 16 tiles, two
 * kernels a round; speckle's own scale q0 falls exponentially, as their section on it proposes, so that
 * nothing goes back to the host. Outside the image lies a copy of its edge. 0.5, 1/16, 0.25 and 1 are
 * doubles, as in the original: so is what they meet.
 *   coefficient   a tile of the image with its rim in shared memory; differences to the four neighbours and
 *                 the diffusion coefficient
 *   update        a tile of coefficients with its southern and eastern rim; divergence and the new image
 */
#define TILE 16
#define TILED __kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
#pragma OPENCL FP_CONTRACT OFF

TILED void srad2_coefficient(__global const float *restrict image, __global float *restrict dn,
                             __global float *restrict ds, __global float *restrict dw,
                             __global float *restrict de, __global float *restrict coeff, int w, int h,
                             float q0) {
  __local float t[TILE + 2][TILE + 2];
  int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
  int gx = get_global_id(0), gy = get_global_id(1);
  int x = min(gx, w - 1), y = min(gy, h - 1);
  t[ty][tx] = image[y * w + x];
  if (ty == 1) t[0][tx] = image[max(y - 1, 0) * w + x];
  if (ty == TILE) t[TILE + 1][tx] = image[min(y + 1, h - 1) * w + x];
  if (tx == 1) t[ty][0] = image[y * w + max(x - 1, 0)];
  if (tx == TILE) t[ty][TILE + 1] = image[y * w + min(x + 1, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gx >= w || gy >= h) return;

  float c = t[ty][tx];
  float n = t[ty - 1][tx] - c, s = t[ty + 1][tx] - c, l = t[ty][tx - 1] - c, r = t[ty][tx + 1] - c;
  float gradient = div_rn(fma(r, r, fma(l, l, fma(s, s, n * n))), c * c);
  float laplace = div_rn(n + s + l + r, c);
  float num = __builtin_fma(-1.0 / 16.0, laplace * laplace, 0.5 * gradient);
  float den = __builtin_fma(0.25, laplace, 1.0);
  float q = div_rn(num, den * den);
  float k = 1.0 / (1.0 + div_rn(q - q0, fma(q0, q0, q0)));

  int i = y * w + x;
  dn[i] = n;
  ds[i] = s;
  dw[i] = l;
  de[i] = r;
  coeff[i] = fmin(fmax(k, 0.0f), 1.0f);
}

TILED void srad2_update(__global float *restrict image, __global const float *restrict dn,
                        __global const float *restrict ds, __global const float *restrict dw,
                        __global const float *restrict de, __global const float *restrict coeff, int w, int h,
                        float lambda) {
  __local float c[TILE + 1][TILE + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int gx = get_global_id(0), gy = get_global_id(1);
  int x = min(gx, w - 1), y = min(gy, h - 1);
  c[ty][tx] = coeff[y * w + x];
  if (ty == TILE - 1) c[TILE][tx] = coeff[min(y + 1, h - 1) * w + x];
  if (tx == TILE - 1) c[ty][TILE] = coeff[y * w + min(x + 1, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gx >= w || gy >= h) return;

  int i = y * w + x;
  float own = c[ty][tx];
  float divergence = fma(own, dn[i], fma(c[ty + 1][tx], ds[i], fma(own, dw[i], c[ty][tx + 1] * de[i])));
  image[i] = __builtin_fma(0.25 * lambda, divergence, image[i]);
}
