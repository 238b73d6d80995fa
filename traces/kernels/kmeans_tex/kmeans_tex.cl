/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans_tex: Lloyd's iteration in the form of Rodinia's kmeans. `invert_mapping` stores the features apart, feature after
 * feature, so that neighbouring points lie side by side. `kmeans_point` gives every point (one work item) its nearest
 * centre: features are read through a reference to a texture of linear memory, one a fetch and again for every
 * centre; the centres lie in constant memory. `kmeans_update` moves the centres, which Rodinia's host does: one
 * group per feature, every work item adds up its strided share of the points in a column of shared memory per
 * centre, then trees.
 */
#include "texture_cl.h"
#define FEATURES 34
#define CENTRES 8 /* at most */
#define GROUP 128

TEXTURE(t_features);
/* The host writes it; weak, else the compiler takes the zeros for its values. */
__attribute__((weak)) __constant float c_clusters[CENTRES * FEATURES] = {0};

__kernel void invert_mapping(__global const float *restrict in, __global float *restrict out, int points) {
  int i = get_global_id(0);
  if (i >= points) return;
#pragma clang loop unroll(disable)
  for (int f = 0; f < FEATURES; f++) out[i + points * f] = in[i * FEATURES + f];
}

__kernel void kmeans_point(int points, int clusters, __global int *restrict membership) {
  int i = get_global_id(0);
  if (i >= points) return;
  int best = -1;
  float least = 3.402823466e38f;
#pragma clang loop unroll(disable)
  for (int c = 0; c < clusters; c++) {
    float sum = 0.0f;
#pragma clang loop unroll(disable)
    for (int f = 0; f < FEATURES; f++) {
      float v;
      FETCH1(t_features, i + f * points, v);
      float d = v - c_clusters[c * FEATURES + f];
      sum = fma(d, d, sum);
    }
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  membership[i] = best;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void kmeans_update(
    __global const float *restrict feature, __global const int *restrict membership,
    __global float *restrict centre, int points, int clusters) {
  __local float sum[CENTRES][GROUP];
  __local int count[CENTRES][GROUP];
  int t = get_local_id(0), f = get_group_id(0);

#pragma clang loop unroll(disable)
  for (int c = 0; c < clusters; c++) {
    sum[c][t] = 0.0f;
    count[c][t] = 0;
  }
#pragma clang loop unroll(disable)
  for (int i = t; i < points; i += GROUP) {
    int c = membership[i];
    sum[c][t] += feature[f * points + i];
    count[c][t]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (int span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) {
#pragma clang loop unroll(disable)
      for (int c = 0; c < clusters; c++) {
        sum[c][t] += sum[c][t + span];
        count[c][t] += count[c][t + span];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  /* A centre without points stays where it is. */
  if (t < clusters && count[t][0] > 0) centre[t * FEATURES + f] = div_rn(sum[t][0], (float)count[t][0]);
}
