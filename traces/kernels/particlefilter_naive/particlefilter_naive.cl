/* SPDX-License-Identifier: Apache-2.0 */
/*
 * particlefilter_naive: the resampling step of a particle filter in double precision, as one would write it
 * first: a work item is a new particle and goes through the running sum of the weights from its start, until
 * it reaches the particle's own mark.
 */
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void particlefilter_naive(
    __global const double *restrict x, __global const double *restrict y,
    __global const double *restrict running, __global const double *restrict mark,
    __global double *restrict to_x, __global double *restrict to_y, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  double want = mark[i];
  uint at = n - 1;
#pragma clang loop unroll(disable)
  for (uint k = 0; k < n; k++)
    if (running[k] >= want) {
      at = k;
      break;
    }
  to_x[i] = x[at];
  to_y[i] = y[at];
}
