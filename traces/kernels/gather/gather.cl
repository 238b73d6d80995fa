/* SPDX-License-Identifier: Apache-2.0 */
/* gather: out[i] = in[index[i]], with indices at random over a table larger than the caches: 32 lines a load.
 */
__kernel void gather(__global const uint *restrict in, __global const uint *restrict index,
                     __global uint *restrict out, uint n) {
  uint i = get_global_id(0);
  if (i < n) out[i] = in[index[i]];
}
