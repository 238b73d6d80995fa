/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streamcluster: would it pay to open point x as a new centre? Each work item is a point: it computes its squared distance to
 * x (coordinates lie dimension after dimension, so a warp's loads are coalesced, and x's are the same for all), times its
 * weight. A point to which x is nearer than its own centre would move there: a flag, and the gain. The others add what the
 * closing of their centre would save. Each work item has a row of its own for that, an entry a centre and the last one for x.
 */
#pragma OPENCL FP_CONTRACT OFF
struct point {
  float weight;
  ulong coord; /* the host's pointer */
  long assign; /* the point that is its centre */
  float cost;
};

__kernel void streamcluster_gain(__global const struct point *point, __global const float *coord, __global float *work,
                                 __global const int *centre, __global uchar *moves, uint n, uint dim, uint x,
                                 uint centres) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float distance = 0.0f;
#pragma unroll 4
  for (uint k = 0; k < dim; k++) {
    float d = coord[k * n + i] - coord[k * n + x];
    distance = fma(d, d, distance);
  }
  float there = distance * point[i].weight, here = point[i].cost;
  __global float *row = work + (ulong)i * (centres + 1);
  if (there < here) {
    moves[i] = 1;
    row[centres] += there - here;
  } else {
    row[centre[point[i].assign]] += here - there;
  }
}
