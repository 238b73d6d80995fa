/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hybridsort_tex: floats of [0, 1) sorted by buckets, then each bucket by merging (Sintorn and Assarsson 2008), in the form
 * of Rodinia's hybridsort: pivots and the quads (four keys) that are merged come from references to textures of linear
 * memory, the buckets' beginnings from constant memory; a warp counts and moves BAND keys a work item.
 *
 *   histogram   1024 bins, counted in shared memory
 *   pivots      1023 of them, so that the bins promise 1024 buckets of equal size; one group
 *   count       each key's bucket by binary search in the pivots, its place among those of its warp
 *   prefix      over the warps: where the keys of each begin in a bucket, and how many a bucket has
 *   offsets     where buckets begin, padded to whole quads and not; one group
 *   scatter     keys to their places, infinity in the padding
 *   sort4       one quad a work item
 *   merge       two sorted runs of `span` / 2 quads a work item; the next quads of both are fetched in each round, and that
 *               one is taken whose first key is lower
 *   pack        the padding out
 *
 * Work items of merge and pack are shared out evenly, `share` to a bucket, so those of smaller buckets idle.
 */
#pragma OPENCL FP_CONTRACT OFF
#include "texture_cl.h"
#define GROUP 256
#define WARP 32
#define BAND 128
#define BUCKETS 1024
#define LOG_BUCKETS 10
#define OWN (BUCKETS / GROUP) /* buckets of a work item, where one group works for all */
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

TEXTURE(t_pivot);
TEXTURE(t_quad);
/* The host writes it; weak, else the compiler takes the zeros for its values. */
__attribute__((weak)) __constant uint first_quad[BUCKETS + 1] = {0};

KERNEL void histogram(__global const float *restrict key, __global uint *bins, uint n) {
  __local uint bin[BUCKETS];
  uint t = get_local_id(0);
  for (uint k = t; k < BUCKETS; k += GROUP) bin[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bin[(uint)(key[i] * (float)BUCKETS)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = t; k < BUCKETS; k += GROUP)
    if (bin[k]) atomic_add(&bins[k], bin[k]);
}

/* The running sum of v over the group's work items, own one included. `sum` is shared. */
static inline uint running(__local uint *sum, uint t, uint v) {
  sum[t] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < GROUP; d <<= 1) {
    uint before = t >= d ? sum[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    v += before;
    sum[t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return v;
}

/* Pivot k splits off (k + 1) / 1024 of the keys, within its bin as if these lay evenly. */
KERNEL void pivots(__global const uint *restrict bins, __global float *restrict pivot, uint n) {
  __local uint sum[GROUP], upto[BUCKETS];
  uint t = get_local_id(0), own = 0;
  for (uint k = 0; k < OWN; k++) own += bins[OWN * t + k];
  uint all = running(sum, t, own) - own;
  for (uint k = 0; k < OWN; k++) upto[OWN * t + k] = all += bins[OWN * t + k];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
  for (uint k = t; k < BUCKETS; k += GROUP) {
    uint want = (uint)(((ulong)(k + 1) * n) / BUCKETS);
    uint lo = 0; /* bins that with all before hold fewer */
#pragma unroll 1
    for (uint step = BUCKETS / 2; step > 0; step >>= 1)
      if (upto[lo + step - 1] < want) lo += step;
    uint before = lo > 0 ? upto[lo - 1] : 0;
    float part = div_rn((float)(want - before), (float)(upto[lo] - before));
    pivot[k] = ((float)lo + part) * (1.0f / BUCKETS);
  }
}

__kernel __attribute__((reqd_work_group_size(WARP, 1, 1))) void count(__global const float *restrict key,
                                                                      __global uint *restrict place,
                                                                      __global uint *restrict of_warp, uint n) {
  __local uint c[BUCKETS];
  uint t = get_local_id(0), g = get_group_id(0);
  for (uint k = t; k < BUCKETS; k += WARP) c[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    float v = key[i];
    uint b = 0;
#pragma unroll 1
    for (uint step = BUCKETS / 2; step > 0; step >>= 1) {
      float pivot;
      FETCH1(t_pivot, b + step - 1, pivot);
      if (pivot <= v) b += step;
    }
    place[i] = atomic_inc(&c[b]) << LOG_BUCKETS | b;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = t; k < BUCKETS; k += WARP) of_warp[g * BUCKETS + k] = c[k];
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void prefix(__global uint *restrict of_warp,
                                                                     __global uint *restrict counts, uint warps) {
  uint b = get_global_id(0), sum = 0;
#pragma unroll 1
  for (uint k = 0; k < warps; k++) {
    uint c = of_warp[k * BUCKETS + b];
    of_warp[k * BUCKETS + b] = sum;
    sum += c;
  }
  counts[b] = sum;
}

KERNEL void offsets(__global const uint *restrict counts, __global uint *restrict first,
                    __global uint *restrict quads, __global uint *largest) {
  __local uint sum[GROUP];
  uint t = get_local_id(0), n = 0, own = 0, most = 0;
  for (uint k = OWN * t; k < OWN * (t + 1); k++) {
    uint q = (counts[k] + 3) / 4;
    n += counts[k];
    own += q;
    most = max(most, q);
  }
  uint at = running(sum, t, n) - n;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint all = running(sum, t, own), quad = all - own;
  for (uint k = OWN * t; k < OWN * (t + 1); k++) {
    first[k] = at;
    quads[k] = quad;
    at += counts[k];
    quad += (counts[k] + 3) / 4;
  }
  if (t == GROUP - 1) quads[BUCKETS] = all;
  barrier(CLK_LOCAL_MEM_FENCE);
  sum[t] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) sum[t] = max(sum[t], sum[t + span]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) *largest = sum[0];
}

__kernel __attribute__((reqd_work_group_size(WARP, 1, 1))) void scatter(__global const float *restrict key,
                                                                        __global const uint *restrict place,
                                                                        __global const uint *restrict of_warp,
                                                                        __global float *restrict padded, uint n) {
  __local uint at[BUCKETS];
  uint t = get_local_id(0), g = get_group_id(0);
  for (uint k = t; k < BUCKETS; k += WARP) at[k] = 4 * first_quad[k] + of_warp[g * BUCKETS + k];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
    uint p = place[i];
    padded[at[p & (BUCKETS - 1)] + (p >> LOG_BUCKETS)] = key[i];
  }
}

/* Sorts a bitonic quad. */
static inline float4 settle(float4 v) {
  float4 w = {fmin(v.x, v.z), fmin(v.y, v.w), fmax(v.x, v.z), fmax(v.y, v.w)};
  float4 r = {fmin(w.x, w.y), fmax(w.x, w.y), fmin(w.z, w.w), fmax(w.z, w.w)};
  return r;
}

KERNEL void sort4(__global float4 *quad, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float4 v = quad[i];
  float4 w = {fmin(v.x, v.y), fmax(v.x, v.y), fmax(v.z, v.w), fmin(v.z, v.w)};
  quad[i] = settle(w);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void merge(__global float4 *restrict to, uint span,
                                                                       uint share) {
  uint b = get_global_id(0) / share, k = get_global_id(0) - b * share;
  if (b >= BUCKETS) return;
  uint end = first_quad[b + 1], at = first_quad[b] + k * span;
  if (at >= end) return;
  end = min(end, at + span);
  uint i = at, i_end = min(at + span / 2, end), j = i_end;
  float4 x, y;
  FETCH4(t_quad, i, x);
  if (j >= end) { /* one run only */
    for (; i < end; i++) {
      FETCH4(t_quad, i, x);
      to[i] = x;
    }
    return;
  }
  FETCH4(t_quad, j, y);
#pragma unroll 1
  for (;;) {
    float4 next_i, next_j;
    FETCH4(t_quad, i + 1, next_i);
    FETCH4(t_quad, j + 1, next_j);
    /* Of eight keys the lower four are next in the output. */
    float4 lo = {fmin(x.x, y.w), fmin(x.y, y.z), fmin(x.z, y.y), fmin(x.w, y.x)};
    float4 hi = {fmax(x.x, y.w), fmax(x.y, y.z), fmax(x.z, y.y), fmax(x.w, y.x)};
    to[at++] = settle(lo);
    x = settle(hi);
    int more_i = i + 1 < i_end, more_j = j + 1 < end;
    if (!more_i && !more_j) break;
    if (more_i && (!more_j || next_i.x < next_j.x)) {
      i++;
      y = next_i;
    } else {
      j++;
      y = next_j;
    }
  }
  to[at] = x;
}

KERNEL void pack(__global const float *restrict padded, __global float *restrict out,
                 __global const uint *restrict counts, __global const uint *restrict first, uint share) {
  uint b = get_global_id(0) / share, k = get_global_id(0) - b * share;
  if (b < BUCKETS && k < counts[b]) out[first[b] + k] = padded[4 * first_quad[b] + k];
}
