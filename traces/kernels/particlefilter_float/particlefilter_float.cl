/* SPDX-License-Identifier: Apache-2.0 */
/*
 * particlefilter_float: tracks a bright disc through the frames of a noisy film with a particle filter
 * (Gordon, Salmond and Smith 1993). A work item is a particle; per frame:
 *   move       motion and its noise (a linear congruential generator per particle); the pixels under the
 *              disc, kept particle by particle; the weight by the likelihood ratio of disc and background;
 *              the groups' sums of weights
 *   scan       normalised weights and their running sum; the groups' shares of the mean position
 *   resample   particle i takes the place of the first one whose running sum reaches (i + offset) / n
 */
#define GROUP 512
#define FILTER __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define BACKGROUND 100
#define BRIGHT 228
#define VARIANCE 400.0f
#pragma OPENCL FP_CONTRACT OFF

/* Uniform in [-1/2, 1/2). */
static inline float uniform(uint *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return fma((float)(*seed >> 8), 1.0f / 16777216.0f, -0.5f);
}

/* Nearly normal: the sum of four uniform ones, of variance 1. */
static inline float noise(uint *seed) {
  float a = uniform(seed), b = uniform(seed), c = uniform(seed), d = uniform(seed);
  return 1.7320508f * (a + b + c + d);
}

/* e^a for |a| < 80 to 2 ulp, without ex2.approx, so that resampling does not depend on how that rounds */
static inline float exp_fma(float a) {
  float k = floor(fma(a, 1.44269504f, 0.5f));
  float r = fma(k, 2.12194440e-4f, fma(k, -0.693359375f, a));
  float p = fma(r, 1.0f / 720.0f, 1.0f / 120.0f);
  p = fma(p, r, 1.0f / 24.0f);
  p = fma(p, r, 1.0f / 6.0f);
  p = fma(p, r, 0.5f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  return p * __nvvm_bitcast_i2f(((int)k + 127) << 23);
}

/* The far half onto the near half; s[0] is the sum of all. */
static inline void tree(__local float *s, uint t) {
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) s[t] += s[t + span];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

FILTER void pf_move(__global float *restrict x, __global float *restrict y, __global uint *restrict seed,
                    __global const int *restrict dx, __global const int *restrict dy,
                    __global const uchar *restrict frame, __global uint *restrict under,
                    __global float *restrict weight, __global float *restrict part, int points, int w,
                    int h) {
  __local float s[GROUP];
  uint t = get_local_id(0), i = get_global_id(0), state = seed[i];
  float px = x[i] + fma(5.0f, noise(&state), 1.0f), py = y[i] + fma(2.0f, noise(&state), -2.0f);
  seed[i] = state;
  x[i] = px;
  y[i] = py;

  int cx = (int)floor(px + 0.5f), cy = (int)floor(py + 0.5f);
#pragma clang loop unroll(disable)
  for (int k = 0; k < points; k++)
    under[i * points + k] = clamp(cy + dy[k], 0, h - 1) * w + clamp(cx + dx[k], 0, w - 1);
  int sum = 0;
#pragma clang loop unroll(disable)
  for (int k = 0; k < points; k++) {
    int v = frame[under[i * points + k]];
    sum += (v - BACKGROUND) * (v - BACKGROUND) - (v - BRIGHT) * (v - BRIGHT);
  }
  float m = exp_fma(div_rn((float)sum, 2.0f * VARIANCE * (float)points));
  weight[i] = m;
  s[t] = m;
  tree(s, t);
  if (t == 0) part[get_group_id(0)] = s[0];
}

FILTER void pf_scan(__global const float *restrict x, __global const float *restrict y,
                    __global float *restrict weight, __global const float *restrict part,
                    __global float *restrict running, __global float *restrict mean_x,
                    __global float *restrict mean_y) {
  __local float s[GROUP], sx[GROUP], sy[GROUP];
  uint t = get_local_id(0), i = get_global_id(0), group = get_group_id(0), groups = get_num_groups(0);
  float before = 0.0f, total = 0.0f;
#pragma clang loop unroll(disable)
  for (uint g = 0; g < groups; g++) {
    if (g == group) before = total;
    total += part[g];
  }
  float share = div_rn(weight[i], total);
  weight[i] = share;
  s[t] = share;
  sx[t] = share * x[i];
  sy[t] = share * y[i];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (uint span = 1; span < GROUP; span <<= 1) {
    float v = t >= span ? s[t - span] + s[t] : s[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  running[i] = div_rn(before, total) + s[t];
  tree(sx, t);
  tree(sy, t);
  if (t == 0) {
    mean_x[group] = sx[0];
    mean_y[group] = sy[0];
  }
}

FILTER void pf_resample(__global const float *restrict x, __global const float *restrict y,
                        __global const float *restrict running, __global float *restrict to_x,
                        __global float *restrict to_y, float offset) {
  uint i = get_global_id(0), n = get_global_size(0);
  float want = div_rn((float)i + offset, (float)n);
  uint low = 0, high = n - 1;
#pragma clang loop unroll(disable)
  while (low < high) {
    uint middle = (low + high) / 2;
    if (running[middle] >= want) high = middle;
    else low = middle + 1;
  }
  to_x[i] = x[low];
  to_y[i] = y[low];
}
