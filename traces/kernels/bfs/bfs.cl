/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs: levels of a breadth-first search over a graph in CSR form, by frontier flags, one node per work item.
 * Two launches a level: `expand` marks the unvisited neighbours of the frontier, `advance` makes the marked
 * nodes the next frontier. The host loops until `advance` found none. Stores that race write the same value,
 * so the result does not depend on their order.
 */
__kernel void bfs_expand(__global const uint *restrict first, __global const uint *restrict edge,
                         __global uchar *frontier, __global uchar *marked, __global const int *level,
                         uint n) {
  uint v = get_global_id(0);
  if (v >= n || !frontier[v]) return;
  frontier[v] = 0;
  for (uint e = first[v]; e < first[v + 1]; e++) {
    uint to = edge[e];
    if (level[to] < 0) marked[to] = 1;
  }
}

__kernel void bfs_advance(__global uchar *frontier, __global uchar *marked, __global int *level,
                          __global uint *more, int depth, uint n) {
  uint v = get_global_id(0);
  if (v >= n || !marked[v]) return;
  marked[v] = 0;
  frontier[v] = 1;
  level[v] = depth;
  *more = 1;
}
