/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans: Lloyd's iteration. `assign` gives every point (one work item) its nearest centre and counts in
 * `moved` how many changed; points are stored by fours of features, so loads are coalesced, and are
 * read again for every centre instead of being kept in registers. `update` moves the centres: one group
 * per feature, every work item adds up its strided share of the points in a column of shared memory per
 * centre, then trees.
 */
#define QUADS 4
#define FEATURES (4 * QUADS)
#define CENTRES 8 /* at most */
#define GROUP 128

__kernel void kmeans_assign(__global const float4 *restrict point, __global const float4 *restrict centre,
                            __global int *restrict label, __global uint *moved, uint n, uint k) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int best = 0;
  float least = 3.0e38f;
#pragma clang loop unroll(disable)
  for (uint c = 0; c < k; c++) {
    float d2 = 0.0f;
#pragma clang loop unroll(disable)
    for (uint q = 0; q < QUADS; q++) {
      float4 d = point[q * n + i] - centre[c * QUADS + q];
      d2 = fma(d.w, d.w, fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, d2))));
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
    uint n, uint k) {
  __local float sum[CENTRES][GROUP];
  __local int count[CENTRES][GROUP];
  uint t = get_local_id(0), f = get_group_id(0);

#pragma clang loop unroll(disable)
  for (uint c = 0; c < k; c++) {
    sum[c][t] = 0.0f;
    count[c][t] = 0;
  }
#pragma clang loop unroll(disable)
  for (uint i = t; i < n; i += GROUP) {
    int c = label[i];
    sum[c][t] += point[(f / 4 * n + i) * 4 + f % 4];
    count[c][t]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) {
#pragma clang loop unroll(disable)
      for (uint c = 0; c < k; c++) {
        sum[c][t] += sum[c][t + span];
        count[c][t] += count[c][t + span];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  /* A centre without points stays where it is. */
  if (t < k && count[t][0] > 0) centre[t * FEATURES + f] = div_rn(sum[t][0], (float)count[t][0]);
}
