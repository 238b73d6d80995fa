/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srad_v1: speckle reducing anisotropic diffusion of an image (Yu and Acton 2002), one pixel per work item, a
 * kernel per step:
 *
 *   extract   image -> exp(image / 255)
 *   prepare   value and its square, to be summed
 *   reduce    sums of both in a shared-memory tree, one pair per group; launched again until one pair is left
 *   srad      differences to the four neighbours, diffusion coefficient from the host's q0 (mean and variance
 *             of the sums)
 *   srad2     divergence and update
 *   compress  log(value) * 255
 *
 * 0.5, 1/16, 0.25 and 1 are doubles in `srad` and `srad2`, as in the original: so is what they meet.
 */
#define GROUP 256

__kernel void extract(__global float *image, uint n) {
  uint i = get_global_id(0);
  if (i < n) image[i] = native_exp(image[i] * (1.0f / 255.0f));
}

__kernel void prepare(__global const float *restrict image, __global float *restrict sums,
                      __global float *restrict sums2, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float v = image[i];
  sums[i] = v;
  sums2[i] = v * v;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduce(__global const float *restrict in,
                                                                        __global const float *restrict in2,
                                                                        __global float *restrict out,
                                                                        __global float *restrict out2,
                                                                        uint n) {
  __local float s[GROUP], s2[GROUP];
  uint t = get_local_id(0), i = get_global_id(0);
  s[t] = i < n ? in[i] : 0.0f;
  s2[t] = i < n ? in2[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) {
      s[t] += s[t + span];
      s2[t] += s2[t + span];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    out[get_group_id(0)] = s[0];
    out2[get_group_id(0)] = s2[0];
  }
}

__kernel void srad(__global const float *restrict image, __global float *restrict dn,
                   __global float *restrict ds, __global float *restrict dw, __global float *restrict de,
                   __global float *restrict coeff, int w, int h, float q0) {
  int i = get_global_id(0);
  if (i >= w * h) return;
  int y = i / w, x = i - y * w;
  float c = image[i];
  float n = image[y > 0 ? i - w : i] - c, s = image[y < h - 1 ? i + w : i] - c;
  float l = image[x > 0 ? i - 1 : i] - c, r = image[x < w - 1 ? i + 1 : i] - c;

  float grad = div_rn(fma(r, r, fma(l, l, fma(n, n, s * s))), c * c);
  float lap = div_rn(n + s + l + r, c);
  float num = __builtin_fma(-1.0 / 16.0, lap * lap, 0.5 * grad);
  float den = __builtin_fma(0.25, lap, 1.0);
  float q = div_rn(num, den * den);
  float k = 1.0 / (1.0 + div_rn(q - q0, q0 * (1.0f + q0)));

  dn[i] = n;
  ds[i] = s;
  dw[i] = l;
  de[i] = r;
  coeff[i] = fmin(fmax(k, 0.0f), 1.0f);
}

__kernel void srad2(__global float *restrict image, __global const float *restrict dn,
                    __global const float *restrict ds, __global const float *restrict dw,
                    __global const float *restrict de, __global const float *restrict coeff, int w, int h,
                    float lambda) {
  int i = get_global_id(0);
  if (i >= w * h) return;
  int y = i / w, x = i - y * w;
  float c = coeff[i];
  float south = coeff[y < h - 1 ? i + w : i], east = coeff[x < w - 1 ? i + 1 : i];
  float d = fma(east, de[i], fma(c, dw[i], fma(c, dn[i], south * ds[i])));
  image[i] = __builtin_fma(0.25 * lambda, d, image[i]);
}

__kernel void compress(__global float *image, uint n) {
  uint i = get_global_id(0);
  if (i < n) image[i] = native_log(image[i]) * 255.0f;
}
