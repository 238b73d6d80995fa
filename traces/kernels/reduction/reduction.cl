/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction: sum of n floats without atomics. Every work item adds up its strided share, the group adds its
 * 256 partial sums in a shared-memory tree and writes one of them; a second launch with one group adds those.
 * The order of the additions is fixed by the sizes, so the result is the same in every run.
 */
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduce_sum(__global const float *restrict in,
                                                                            __global float *restrict out,
                                                                            uint n) {
  __local float part[GROUP];
  uint t = get_local_id(0), stride = get_global_size(0);

  float sum = 0.0f;
  for (uint i = get_global_id(0); i < n; i += stride) sum += in[i];
  part[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint span = GROUP / 2; span > 0; span >>= 1) {
    if (t < span) part[t] += part[t + span];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
