/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm2: the product of three matrices by two launches, C += A B and then E += C D, row-major, rows `pitch` floats apart. A work
 * item computes one element: along a warp its column changes, so loads of the right factor are coalesced and those of the left
 * one are the same for the whole warp. The sum lies in memory and is stored in every iteration, as a program without
 * `restrict` does.
 */
__kernel void mm2_product(__global const float *a, __global const float *b, __global float *c, uint rows, uint cols,
                          uint inner, uint pitch) {
  uint j = get_global_id(0), i = get_global_id(1);
  if (i >= rows || j >= cols) return;
#pragma nounroll
  for (uint k = 0; k < inner; k++) c[i * pitch + j] = fma(a[i * pitch + k], b[k * pitch + j], c[i * pitch + j]);
}
