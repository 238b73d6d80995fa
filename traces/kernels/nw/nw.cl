/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nw: global alignment of two sequences (Needleman and Wunsch 1970), for several pairs at once:
 *   score[y][x] = max(score[y-1][x-1] + match[y][x], score[y-1][x] - gap, score[y][x-1] - gap)
 * The table is cut into tiles of 16 x 16. Tiles on one antidiagonal do not need each other: a launch computes
 * all of them, one group of 16 work items each, for every pair. Inside the tile a wave runs over the
 * antidiagonals in shared memory, a work item per column.
 */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void nw(__global const int *restrict match,
                                                                   __global int *restrict score, int n,
                                                                   int diagonal, int gap) {
  __local int m[TILE][TILE];
  __local int s[TILE + 1][TILE + 1];
  int t = get_local_id(0), tiles = n / TILE;
  int bx = max(0, diagonal - (tiles - 1)) + (int)get_group_id(0), by = diagonal - bx;
  int wide = n + 1;
  match += (int)get_group_id(1) * n * n + by * TILE * n + bx * TILE;
  score += (int)get_group_id(1) * wide * wide + by * TILE * wide + bx * TILE;

#pragma clang loop unroll(disable)
  for (int y = 0; y < TILE; y++) m[y][t] = match[y * n + t];
  s[0][t + 1] = score[t + 1];
  s[t + 1][0] = score[(t + 1) * wide];
  if (t == 0) s[0][0] = score[0];
  barrier(CLK_LOCAL_MEM_FENCE);

#pragma clang loop unroll(disable)
  for (int wave = 0; wave < 2 * TILE - 1; wave++) {
    int y = wave - t;
    if (y >= 0 && y < TILE) s[y + 1][t + 1] = max(s[y][t] + m[y][t], max(s[y + 1][t], s[y][t + 1]) - gap);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

#pragma clang loop unroll(disable)
  for (int y = 1; y <= TILE; y++) score[y * wide + t + 1] = s[y][t + 1];
}
