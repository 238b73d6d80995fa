/* SPDX-License-Identifier: Apache-2.0 */
/*
 * btree: queries to a B+ tree (Bayer and McCreight 1972, all values in the leaves), one group a query, one
 * work item a key of the node that the group looks at: the one whose interval holds the key names the child.
 * A node has ORDER children, `least` holds the least key of each and one more, the least key beyond the node;
 * unused places hold the largest number.
 *   find    the value of a key, or -1
 *   range   the values from key `from` to key `to`: place of the first one, and how many
 * Shared words that all read and one writes are volatile: clang keeps them in registers across barriers.
 */
#define ORDER 256
#define NODE (ORDER + 1)
#define QUERY __kernel __attribute__((reqd_work_group_size(ORDER, 1, 1)))

QUERY void btree_find(__global const int *restrict least, __global const int *restrict child,
                      __global const int *restrict key, __global int *restrict found, int levels) {
  volatile __local int node, value;
  uint t = get_local_id(0), query = get_group_id(0);
  int want = key[query];
  if (t == 0) {
    node = 0;
    value = -1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (int level = 1; level < levels; level++) {
    int at = node;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (least[at * NODE + t] <= want && want < least[at * NODE + t + 1]) node = child[at * ORDER + t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (least[node * NODE + t] == want) value = child[node * ORDER + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0) found[query] = value;
}

QUERY void btree_range(__global const int *restrict least, __global const int *restrict child,
                       __global const int *restrict from, __global const int *restrict to,
                       __global int *restrict first, __global int *restrict length, int levels) {
  volatile __local int node[2], place[2];
  uint t = get_local_id(0), query = get_group_id(0);
  int low = from[query], high = to[query];
  if (t < 2) node[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma clang loop unroll(disable)
  for (int level = 1; level < levels; level++) {
    int a = node[0], b = node[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (least[a * NODE + t] <= low && low < least[a * NODE + t + 1]) node[0] = child[a * ORDER + t];
    if (least[b * NODE + t] <= high && high < least[b * NODE + t + 1]) node[1] = child[b * ORDER + t];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  /* values are the keys' ranks: the last key below the interval, and the last one in it */
  int a = node[0], b = node[1];
  if (least[a * NODE + t] <= low && low < least[a * NODE + t + 1])
    place[0] = child[a * ORDER + t] + (least[a * NODE + t] < low);
  if (least[b * NODE + t] <= high && high < least[b * NODE + t + 1]) place[1] = child[b * ORDER + t] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0) {
    first[query] = place[0];
    length[query] = max(place[1] - place[0], 0);
  }
}
