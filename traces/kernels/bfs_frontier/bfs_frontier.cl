/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs_frontier: levels of a breadth-first search over a graph in CSR form, with a queue of the nodes of the
 * frontier. A work item takes one node from the queue and follows its edges; who first gives a node its
 * level, by compare and swap, appends it to the next queue with an atomic counter. The order in the queue
 * depends on the order of the atomics; levels do not.
 */
__kernel void bfs_frontier(__global const uint *restrict first, __global const uint *restrict edge,
                           __global int *level, __global const uint *restrict queue, __global uint *next,
                           __global uint *tail, int depth, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  uint v = queue[i], end = first[v + 1];
#pragma clang loop unroll(disable)
  for (uint e = first[v]; e < end; e++) {
    uint to = edge[e];
    if (level[to] < 0 && __sync_val_compare_and_swap(&level[to], -1, depth) < 0) next[atomic_inc(tail)] = to;
  }
}
