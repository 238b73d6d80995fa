/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nn: the k points nearest to a given one, of n points in the plane. `distance` is the work, one point per
 * work item. Then k rounds of two launches: `least` finds the nearest point of each group's strided share
 * (the first one of those that are equally near), `pick` the nearest of all, and puts it out of the way.
 */
#define GROUP 256
#define FAR 3.0e38f

__kernel void distance(__global const float2 *restrict point, __global float *restrict d, float x, float y,
                       uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float2 p = point[i];
  float dx = p.x - x, dy = p.y - y;
  d[i] = sqrt(fma(dx, dx, dy * dy));
}

OWN_FN void nearer(__local float *d, __local uint *at, uint t) {
#pragma nounroll
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < span && (d[t + span] < d[t] || (d[t + span] == d[t] && at[t + span] < at[t]))) {
      d[t] = d[t + span];
      at[t] = at[t + span];
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void least(__global const float *restrict d,
                                                                       __global float *restrict part,
                                                                       __global uint *restrict part_at,
                                                                       uint n) {
  __local float best[GROUP];
  __local uint at[GROUP];
  uint t = get_local_id(0), stride = get_global_size(0), where = 0;
  float b = FAR;
#pragma nounroll
  for (uint i = get_global_id(0); i < n; i += stride) {
    float v = d[i];
    if (v < b) {
      b = v;
      where = i;
    }
  }
  best[t] = b;
  at[t] = where;
  nearer(best, at, t);
  if (t == 0) {
    part[get_group_id(0)] = best[0];
    part_at[get_group_id(0)] = at[0];
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pick(
    __global const float *restrict part, __global const uint *restrict part_at, __global float *restrict d,
    __global uint *restrict nearest, __global float *restrict how_far, uint groups, uint round) {
  __local float best[GROUP];
  __local uint at[GROUP];
  uint t = get_local_id(0);
  best[t] = t < groups ? part[t] : FAR;
  at[t] = t < groups ? part_at[t] : 0;
  nearer(best, at, t);
  if (t == 0) {
    nearest[round] = at[0];
    how_far[round] = best[0];
    d[at[0]] = FAR;
  }
}
