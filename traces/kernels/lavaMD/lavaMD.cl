/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lavaMD: potential and force on particles from all others in the same box and the 26 boxes around it, with a
 * Gaussian-screened interaction: potential q exp(-a2 r^2) and what follows from it as force. A group is a
 * box of up to 128 particles, a work item a particle of it; neighbour boxes go through shared memory one by
 * one. Boxes at the domain's edge have fewer neighbours.
 */
#define GROUP 128
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void lavaMD(
    __global const float4 *restrict particle, __global float4 *restrict result, int count, float a2) {
  __local float4 p[GROUP];
  int t = get_local_id(0), bx = get_group_id(0), by = get_group_id(1), bz = get_group_id(2);
  int nx = get_num_groups(0), ny = get_num_groups(1), nz = get_num_groups(2);
  int home = ((bz * ny + by) * nx + bx) * count;
  float4 own = 0.0f;
  if (t < count) own = particle[home + t];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f, potential = 0.0f;

#pragma clang loop unroll(disable)
  for (int z = max(bz - 1, 0); z <= min(bz + 1, nz - 1); z++)
#pragma clang loop unroll(disable)
    for (int y = max(by - 1, 0); y <= min(by + 1, ny - 1); y++)
#pragma clang loop unroll(disable)
      for (int x = max(bx - 1, 0); x <= min(bx + 1, nx - 1); x++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < count) p[t] = particle[((z * ny + y) * nx + x) * count + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < count) {
#pragma clang loop unroll(disable)
          for (int j = 0; j < count; j++) {
            float4 o = p[j];
            float dx = own.x - o.x, dy = own.y - o.y, dz = own.z - o.z;
            float v = o.w * native_exp(-a2 * fma(dz, dz, fma(dy, dy, dx * dx)));
            potential += v;
            fx = fma(v, dx, fx);
            fy = fma(v, dy, fy);
            fz = fma(v, dz, fz);
          }
        }
      }
  float k = 2.0f * a2 * own.w;
  float4 r = {k * fx, k * fy, k * fz, potential};
  if (t < count) result[home + t] = r;
}
