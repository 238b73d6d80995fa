/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans: Lloyd's iteration. `assign` gives every point (one work item) its nearest centre and counts in
 * `moved` how many changed; points are stored feature by feature, so loads are coalesced. `update` moves the
 * centres: one group per centre, every work item adds up its strided share of the points, then a
 * shared-memory tree, feature by feature.
 */
#define FEATURES 8
#define GROUP 128

__kernel void kmeans_assign(__global const float *restrict point, __global const float *restrict centre,
                            __global int *restrict label, __global uint *moved, uint n, uint k) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float p[FEATURES];
  for (uint f = 0; f < FEATURES; f++) p[f] = point[f * n + i];

  int best = 0;
  float least = 3.0e38f;
  for (uint c = 0; c < k; c++) {
    float d2 = 0.0f;
    for (uint f = 0; f < FEATURES; f++) {
      float d = p[f] - centre[c * FEATURES + f];
      d2 = fma(d, d, d2);
    }
    if (d2 < least) {
      least = d2;
      best = c;
    }
  }
  if (label[i] != best) {
    label[i] = best;
    atomic_inc(moved);
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void kmeans_update(
    __global const float *restrict point, __global const int *restrict label, __global float *restrict centre,
    uint n) {
  __local float sum[FEATURES][GROUP];
  __local int count[GROUP];
  uint t = get_local_id(0);
  int c = get_group_id(0);

  float s[FEATURES];
  for (uint f = 0; f < FEATURES; f++) s[f] = 0.0f;
  int members = 0;
  for (uint i = t; i < n; i += GROUP) {
    if (label[i] != c) continue;
    members++;
    for (uint f = 0; f < FEATURES; f++) s[f] += point[f * n + i];
  }
  for (uint f = 0; f < FEATURES; f++) sum[f][t] = s[f];
  count[t] = members;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) {
      for (uint f = 0; f < FEATURES; f++) sum[f][t] += sum[f][t + span];
      count[t] += count[t + span];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  /* A centre without points stays where it is. */
  if (t < FEATURES && count[0] > 0) centre[c * FEATURES + t] = div_rn(sum[t][0], (float)count[0]);
}
