/* SPDX-License-Identifier: Apache-2.0 */
/* triad: out = b + s * c, and the largest element of every group of 64 work items. */
__kernel void triad(__global const float *b, __global const float *c, __global float *out,
                    __global float *peak, float s, uint n, __local float *part) {
  uint i = get_global_id(0), t = get_local_id(0);
  float v = -3.0e38f;
  if (i < n) {
    v = b[i] + s * c[i];
    out[i] = v;
  }
  part[t] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = get_local_size(0) / 2; span > 0; span >>= 1) {
    if (t < span) part[t] = fmax(part[t], part[t + span]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) peak[get_group_id(0)] = part[0];
}
