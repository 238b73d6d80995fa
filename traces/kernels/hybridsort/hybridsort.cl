/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hybridsort: floats of [0, 1) sorted by buckets, then each bucket by merging (Sintorn and Assarsson 2008).
 *
 *   histogram   1024 bins, counted in shared memory
 *   pivots      1023 of them, so that the bins promise 1024 buckets of equal size; one group
 *   count       each key's bucket by binary search, its place there by atomics, per group, then over all
 *   offsets     where buckets begin, padded to whole quads (four keys) and not; one group
 *   scatter     keys to their places, infinity in the padding
 *   sort4       one quad a work item
 *   merge       two sorted runs of `width` quads a work item, quad by quad in registers; widths 1, 2, 4...
 *   pack        the padding out
 *
 * Work items of merge and pack are shared out evenly, `share` to a bucket, so those of smaller buckets idle.
 */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP 256
#define BUCKETS 1024
#define OWN (BUCKETS / GROUP) /* buckets of a work item, where one group works for all */
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

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

KERNEL void count(__global const float *restrict key, __global const float *restrict pivot,
                  __global uint *counts, __global uint *restrict bucket, __global uint *restrict rank,
                  uint n) {
  __local float p[BUCKETS];
  __local uint c[BUCKETS], base[BUCKETS];
  uint t = get_local_id(0), i = get_global_id(0);
  for (uint k = t; k < BUCKETS; k += GROUP) {
    p[k] = pivot[k];
    c[k] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint b = 0, r = 0;
  if (i < n) {
    float k = key[i];
    for (uint step = BUCKETS / 2; step > 0; step >>= 1)
      if (p[b + step - 1] <= k) b += step;
    r = atomic_inc(&c[b]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = t; k < BUCKETS; k += GROUP)
    if (c[k]) base[k] = atomic_add(&counts[k], c[k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) {
    bucket[i] = b;
    rank[i] = base[b] + r;
  }
}

KERNEL void offsets(__global const uint *restrict counts, __global uint *restrict first,
                    __global uint *restrict first_quad, __global uint *largest) {
  __local uint sum[GROUP];
  uint t = get_local_id(0), n = 0, quads = 0, most = 0;
  for (uint k = OWN * t; k < OWN * (t + 1); k++) {
    uint q = (counts[k] + 3) / 4;
    n += counts[k];
    quads += q;
    most = max(most, q);
  }
  uint at = running(sum, t, n) - n;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint at_quad = running(sum, t, quads) - quads;
  for (uint k = OWN * t; k < OWN * (t + 1); k++) {
    first[k] = at;
    first_quad[k] = at_quad;
    at += counts[k];
    at_quad += (counts[k] + 3) / 4;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum[t] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) sum[t] = max(sum[t], sum[t + span]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) *largest = sum[0];
}

KERNEL void scatter(__global const float *restrict key, __global const uint *restrict bucket,
                    __global const uint *restrict rank, __global const uint *restrict first_quad,
                    __global float *restrict padded, uint n) {
  uint i = get_global_id(0);
  if (i < n) padded[4 * first_quad[bucket[i]] + rank[i]] = key[i];
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

KERNEL void merge(__global const float4 *restrict from, __global float4 *restrict to,
                  __global const uint *restrict counts, __global const uint *restrict first_quad, uint width,
                  uint share) {
  uint b = get_global_id(0) / share, k = get_global_id(0) - b * share;
  if (b >= BUCKETS) return;
  uint begin = first_quad[b], end = begin + (counts[b] + 3) / 4;
  begin += k * 2 * width;
  if (begin >= end) return;
  end = min(end, begin + 2 * width);
  uint i = begin, i_end = min(begin + width, end), j = i_end;

  /* x and y are the runs' next quads; infinity behind their ends. */
  const float4 none = {__builtin_inff(), __builtin_inff(), __builtin_inff(), __builtin_inff()};
  float4 x = none, y = none, kept;
  if (j < end && from[j].x < from[i].x) {
    kept = from[j++];
    x = from[i];
    if (j < end) y = from[j];
  } else {
    kept = from[i++];
    if (i < i_end) x = from[i];
    if (j < end) y = from[j];
  }
#pragma unroll 1
  for (end -= 1; begin < end; begin++) {
    int first = x.x <= y.x;
    float4 next = first ? x : y, after = none;
    i += first;
    j += !first;
    if (first ? i < i_end : j <= end) after = from[first ? i : j];
    x = first ? after : x;
    y = first ? y : after;
    /* Of eight keys the lower four are next in the output. */
    float4 lo = {fmin(kept.x, next.w), fmin(kept.y, next.z), fmin(kept.z, next.y), fmin(kept.w, next.x)};
    float4 hi = {fmax(kept.x, next.w), fmax(kept.y, next.z), fmax(kept.z, next.y), fmax(kept.w, next.x)};
    to[begin] = settle(lo);
    kept = settle(hi);
  }
  to[end] = kept;
}

KERNEL void pack(__global const float *restrict padded, __global float *restrict out,
                 __global const uint *restrict counts, __global const uint *restrict first,
                 __global const uint *restrict first_quad, uint share) {
  uint b = get_global_id(0) / share, k = get_global_id(0) - b * share;
  if (b < BUCKETS && k < counts[b]) out[first[b] + k] = padded[4 * first_quad[b] + k];
}
