/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpacf: two-point angular correlation, the histogram of the angles between the points of two sets on the
 * sphere (Landy and Szalay 1993 need it of data with data, data with random, random with random). A group
 * compares 256 points of the first set, one per work item, with 256 of the second, which it keeps in shared
 * memory, and finds the bin of each cosine by bisection. Two work items share a private histogram in shared
 * memory, so that few additions meet; in the end these are added up.
 */
#define GROUP 256
#define BINS 20
#define COLUMNS 128
#pragma OPENCL FP_CONTRACT OFF

__attribute__((weak)) __constant float edge[BINS - 1] = {1.0f};

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void tpacf(
    __global const float *restrict ax, __global const float *restrict ay, __global const float *restrict az,
    __global const float *restrict bx, __global const float *restrict by, __global const float *restrict bz,
    __global uint *histogram, uint na, uint nb) {
  __local float x[GROUP], y[GROUP], z[GROUP];
  __local uint count[BINS][COLUMNS];
  uint t = get_local_id(0), i = get_global_id(0), first = get_group_id(1) * GROUP;

#pragma clang loop unroll(disable)
  for (uint k = t; k < BINS * COLUMNS; k += GROUP) count[0][k] = 0;
  if (first + t < nb) {
    x[t] = bx[first + t];
    y[t] = by[first + t];
    z[t] = bz[first + t];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (i < na) {
    float px = ax[i], py = ay[i], pz = az[i];
    uint others = min((uint)GROUP, nb - first);
#pragma clang loop unroll(disable)
    for (uint j = 0; j < others; j++) {
      float cosine = fma(pz, z[j], fma(py, y[j], px * x[j]));
      /* edges fall; bin k lies between edge k - 1 and edge k */
      uint low = 0, high = BINS - 1;
#pragma clang loop unroll(disable)
      while (low < high) {
        uint middle = (low + high) / 2;
        if (cosine >= edge[middle]) high = middle;
        else low = middle + 1;
      }
      atomic_inc(&count[low][t % COLUMNS]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  /* eight work items a bin, each with every eighth column */
  if (t < BINS * 8) {
    uint sum = 0;
#pragma clang loop unroll(disable)
    for (uint k = t % 8; k < COLUMNS; k += 8) sum += count[t / 8][k];
    atomic_add(&histogram[t / 8], sum);
  }
}
