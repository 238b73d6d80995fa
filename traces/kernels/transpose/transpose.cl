/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose: out[x][y] = in[y][x] for a w x h matrix. A group of 32 x 8 moves a 32 x 32 tile through shared
 * memory, so that both sides are coalesced; rows of the tile are padded by one word against bank conflicts.
 * Edge tiles are partly idle.
 */
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose(
    __global const float *restrict in, __global float *restrict out, uint w, uint h) {
  __local float tile[TILE][TILE + 1];
  uint tx = get_local_id(0), ty = get_local_id(1);
  uint x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;

  if (x0 + tx < w)
    for (uint r = ty; r < TILE; r += ROWS)
      if (y0 + r < h) tile[r][tx] = in[(y0 + r) * w + x0 + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y0 + tx < h)
    for (uint r = ty; r < TILE; r += ROWS)
      if (x0 + r < w) out[(x0 + r) * h + y0 + tx] = tile[tx][r];
}
