/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs_worklist: levels of a breadth-first search over a list of edges, one edge per work item. Every launch
 * goes through the whole list: an edge from a node of the last level gives its end the next level, if it has
 * none. Stores that race write the same value. The list streams by; a warp diverges little, and most of its
 * lanes have nothing to do.
 */
__kernel void bfs_worklist(__global const uint *restrict from, __global const uint *restrict to,
                           __global int *level, __global uint *more, int depth, uint edges) {
  uint e = get_global_id(0);
  if (e >= edges || level[from[e]] != depth - 1) return;
  uint v = to[e];
  if (level[v] >= 0) return;
  level[v] = depth;
  *more = 1;
}
