/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwt2d: one level of the two-dimensional wavelet transform with the CDF 9/7 filters, by lifting (Daubechies
 * and Sweldens 1998), rows and columns in one pass. Samples are s (even) and d (odd), mirrored at the image's
 * ends; in this order:
 *
 *   d += ALPHA (s + s next)   s += BETA (d before + d)   low = s / SCALE
 *   d += GAMMA (s + s next)   s += DELTA (d before + d)  high = d SCALE
 *
 * A work item owns a pair of columns, a group 192 pairs of which two at each end only help their neighbours.
 * It walks down the image by pairs of rows: these are lifted along x with the neighbours' values through
 * shared memory, then along y with what the item remembers of the pairs above. `rows` pairs come out of a
 * group, behind a run of four more that fill its memory. w and h are even; bands go to `high` in their
 * quadrants, the low one to `low`.
 */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP 192
#define HALO 2
#define ALPHA -1.58613434f
#define BETA -0.0529801185f
#define GAMMA 0.882911076f
#define DELTA 0.443506852f
#define SCALE 1.23017410f
#define UNSCALE 0.812893066f

/* What a column remembers: the last pair of rows as it came, and of the pair before what was lifted so far.
 */
struct column {
  float s, d, d1, s1, d2;
};

/* Takes the next pair of rows; (*low, *high) are those of the second pair before it. */
static inline void down(struct column *c, float s, float d, float *low, float *high) {
  float d1 = fma(ALPHA, c->s + s, c->d);
  float s1 = fma(BETA, c->d1 + d1, c->s);
  float d2 = fma(GAMMA, c->s1 + s1, c->d1);
  float s2 = fma(DELTA, c->d2 + d2, c->s1);
  *low = s2 * UNSCALE;
  *high = d2 * SCALE;
  c->s = s;
  c->d = d;
  c->d1 = d1;
  c->s1 = s1;
  c->d2 = d2;
}

static inline int mirror(int v, int n) {
  v = v < 0 ? -v : v;
  return v < n ? v : 2 * (n - 1) - v;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void dwt2d(__global const float *restrict image,
                                                                       __global float *restrict low,
                                                                       __global float *restrict high, int w,
                                                                       int h, int rows) {
  __local float a0[GROUP + 2], a1[GROUP + 2], b0[GROUP + 2], b1[GROUP + 2];
  int t = get_local_id(0);
  int pair = (int)get_group_id(0) * (GROUP - 2 * HALO) - HALO + t;
  int first = (int)get_group_id(1) * rows, last = min(first + rows, h / 2);
  /* far to the right of the image: any column will do */
  int xs = mirror(min(2 * pair, w + 2), w), xd = mirror(min(2 * pair + 1, w + 2), w);
  int mine = t >= HALO && t < GROUP - HALO && pair < w / 2;
  __local float *at0 = a0 + t + 1, *at1 = a1 + t + 1, *bt0 = b0 + t + 1, *bt1 = b1 + t + 1;
  __asm__ volatile(""
                   : "+l"(at0), "+l"(at1), "+l"(bt0), "+l"(bt1)); /* else another register, and a CTA less on gtx480 */

  struct column even = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, odd = even;
#pragma unroll 1
  for (int y = first - 2; y < last + 2; y++) {
    int ys = mirror(2 * y, h) * w, yd = mirror(2 * y + 1, h) * w;
    float s0 = image[ys + xs], d0 = image[ys + xd], s1 = image[yd + xs], d1 = image[yd + xd];
    *at0 = s0;
    *at1 = s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    d0 = fma(ALPHA, s0 + at0[1], d0);
    d1 = fma(ALPHA, s1 + at1[1], d1);
    *bt0 = d0;
    *bt1 = d1;
    barrier(CLK_LOCAL_MEM_FENCE);
    s0 = fma(BETA, bt0[-1] + d0, s0);
    s1 = fma(BETA, bt1[-1] + d1, s1);
    *at0 = s0;
    *at1 = s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    d0 = fma(GAMMA, s0 + at0[1], d0);
    d1 = fma(GAMMA, s1 + at1[1], d1);
    *bt0 = d0;
    *bt1 = d1;
    barrier(CLK_LOCAL_MEM_FENCE);
    s0 = fma(DELTA, bt0[-1] + d0, s0);
    s1 = fma(DELTA, bt1[-1] + d1, s1);

    float ll, lh, hl, hh;
    down(&even, s0 * UNSCALE, s1 * UNSCALE, &ll, &lh);
    down(&odd, d0 * SCALE, d1 * SCALE, &hl, &hh);
    if (mine && y >= first + 2) {
      int row = y - 2, i = row * w + pair;
      low[row * (w / 2) + pair] = ll;
      high[i + w / 2] = hl;
      high[i + h / 2 * w] = lh;
      high[i + h / 2 * w + w / 2] = hh;
    }
  }
}
