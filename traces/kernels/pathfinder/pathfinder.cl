/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathfinder: cheapest way down through a grid of costs, row by row: a cell costs its own weight and the
 * least of the three cells above it. A group holds 256 columns in shared memory and goes `rows` rows down in
 * one launch; each row loses one column at either end, so a group delivers 256 - 2 rows columns and groups
 * overlap.
 */
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pathfinder(__global const int *restrict wall,
                                                                            __global const int *restrict from,
                                                                            __global int *restrict to,
                                                                            int cols, int first, int rows) {
  __local int cost[2][GROUP];
  int t = get_local_id(0);
  int x = (int)get_group_id(0) * (GROUP - 2 * rows) - rows + t;
  int inside = x >= 0 && x < cols;
  int west = x > 0 ? t - 1 : t, east = x < cols - 1 ? t + 1 : t;

  if (inside) cost[0][t] = from[x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < rows; r++) {
    if (inside && t > r && t < GROUP - 1 - r) {
      __local const int *above = cost[r & 1];
      int least = min(above[t], min(above[west], above[east]));
      cost[~r & 1][t] = least + wall[(first + r) * cols + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && t >= rows && t < GROUP - rows) to[x] = cost[rows & 1][t];
}
