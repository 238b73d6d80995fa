/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm_f64: C = A B in f64 on tensor cores; A is m x k, B k x n, row-major; m and n are multiples of 32, k of 16. Four warps make a
 * tile of 32 x 32, a warp 16 x 16 of it, through shared memory.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "tensor_cl.h"
#include "wmma_cl.h"

typedef double double2 __attribute__((ext_vector_type(2)));
#define BT 32
#define BK 16
#define AP (BK + 2)
#define BP (BT + 2)

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void gemm_f64(__global const double *restrict A,
                                                                        __global const double *restrict B,
                                                                        __global double *restrict C, uint n, uint k) {
  __local ALIGN16 double as[BT * AP], bs[BK * BP];
  uint t = get_local_id(0), lane = t & 31, warp = t >> 5, group = lane >> 2, in = lane & 3;
  uint row0 = get_group_id(1) * BT, col0 = get_group_id(0) * BT;
  uint ar = t >> 3, ac = (t & 7) * 2, br = t >> 4, bc = (t & 15) * 2;
  __global const double *a_from = A + (row0 + ar) * k + ac, *b_from = B + br * n + col0 + bc;
  uint wm = (warp & 1) * 16, wn = (warp >> 1) * 16;
  double acc[2][2][2];
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 2; j++) acc[i][j][0] = acc[i][j][1] = 0.0;
#pragma unroll 1
  for (uint step = 0; step < k; step += BK) {
    double2 a0 = *(__global const double2 *)a_from, a1 = *(__global const double2 *)(a_from + 16 * k);
    double2 b0 = *(__global const double2 *)b_from, b1 = *(__global const double2 *)(b_from + 8 * n);
    a_from += BK;
    b_from += BK * n;
    barrier(CLK_LOCAL_MEM_FENCE);
    *(__local double2 *)&as[ar * AP + ac] = a0;
    *(__local double2 *)&as[(ar + 16) * AP + ac] = a1;
    *(__local double2 *)&bs[br * BP + bc] = b0;
    *(__local double2 *)&bs[(br + 8) * BP + bc] = b1;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint kk = 0; kk < BK; kk += 4) {
      double a[2], b[2];
#pragma unroll
      for (uint i = 0; i < 2; i++) a[i] = as[(wm + i * 8 + group) * AP + kk + in];
#pragma unroll
      for (uint j = 0; j < 2; j++) b[j] = bs[(kk + in) * BP + wn + j * 8 + group];
#pragma unroll
      for (uint i = 0; i < 2; i++)
#pragma unroll
        for (uint j = 0; j < 2; j++) mma_f64(acc[i][j], a[i], b[j]);
    }
  }
#pragma unroll
  for (uint i = 0; i < 2; i++)
#pragma unroll
    for (uint j = 0; j < 2; j++)
      *(__global double2 *)&C[(row0 + wm + i * 8 + group) * n + col0 + wn + j * 8 + in * 2] =
          (double2)(acc[i][j][0], acc[i][j][1]);
}
