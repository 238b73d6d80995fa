/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stencil_f64: a star of radius two in f64, as two products with band matrices on tensor cores: 8 x 8 values are L U, the column's
 * neighbours and the centre, plus U R, the row's; L is 8 x 12, R 12 x 8, U the values with a frame of two. Images have a frame of
 * two, which is not written. c0, c1, c2: centre, neighbours at distance one and two.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "wmma_cl.h"

typedef double double2 __attribute__((ext_vector_type(2)));

OWN_FN double band(int d, double c0, double c1, double c2) {
  return d == 0 ? c0 : d == 1 || d == -1 ? c1 : d == 2 || d == -2 ? c2 : 0.0;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void stencil_f64(__global const double *restrict in,
                                                                           __global double *restrict out, uint width,
                                                                           double c0, double c1, double c2) {
  uint t = get_local_id(0), lane = t & 31, group = lane >> 2, q = lane & 3;
  uint pitch = width + 4, x = (get_group_id(0) * 8 + (t >> 5)) * 8, y = get_group_id(1) * 8;
  if (x >= width) return;
  __global const double *column = in + (y + q) * pitch + x + 2 + group, *row = in + (y + 2 + group) * pitch + x + q;
  double sum[2] = {0.0, 0.0};
#pragma unroll
  for (int k = 0; k < 12; k += 4) mma_f64(sum, band(k + (int)q - (int)group - 2, c0, c1, c2), column[k * pitch]);
#pragma unroll
  for (int k = 0; k < 12; k += 4) mma_f64(sum, row[k], band(k + (int)q - (int)group - 2, 0.0, c1, c2));
  *(__global double2 *)&out[(y + 2 + group) * pitch + x + 2 + q * 2] = (double2)(sum[0], sum[1]);
}
