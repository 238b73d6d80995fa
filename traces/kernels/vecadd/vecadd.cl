/* SPDX-License-Identifier: Apache-2.0 */
/* vecadd: c = a + b, one element per work item; the last group is partly idle. */
__kernel void vecadd(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, uint n) {
  uint i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
