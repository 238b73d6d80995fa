/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolutionSeparable: a 17 x 17 filter that is the product of a row and a column, as two launches of 17
 * taps. The taps lie in constant memory and the host writes them. A group stages its pixels with their halo
 * in shared memory; pixels outside the image count as 0. Width is a multiple of 64 for rows, height of 32 for
 * columns.
 *
 * The taps are weak, so that the compiler may not assume the values given here.
 */
#define RADIUS 8
#define ROW_X 64 /* pixels and work items of a group in `rows`: 64 x 4 */
#define ROW_Y 4
#define COL_X 16 /* in `columns`: 16 x 32 pixels by 16 x 8 work items */
#define COL_Y 32
#define COL_T 8

__attribute__((weak)) __constant float taps[2 * RADIUS + 1] = {0, 0, 0, 0, 0, 0, 0, 0, 1};

__kernel __attribute__((reqd_work_group_size(ROW_X, ROW_Y, 1))) void convolution_rows(
    __global const float *restrict in, __global float *restrict out, int w) {
  __local float line[ROW_Y][ROW_X + 2 * RADIUS];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x0 = (int)get_group_id(0) * ROW_X - RADIUS, y = (int)get_group_id(1) * ROW_Y + ty;

  for (int j = tx; j < ROW_X + 2 * RADIUS; j += ROW_X) {
    int x = x0 + j;
    line[ty][j] = x >= 0 && x < w ? in[y * w + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; k++) sum += taps[k] * line[ty][tx + k];
  out[y * w + x0 + RADIUS + tx] = sum;
}

__kernel __attribute__((reqd_work_group_size(COL_X, COL_T, 1))) void convolution_columns(
    __global const float *restrict in, __global float *restrict out, int w, int h) {
  __local float block[COL_Y + 2 * RADIUS][COL_X + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = (int)get_group_id(0) * COL_X + tx, y0 = (int)get_group_id(1) * COL_Y - RADIUS;

  for (int j = ty; j < COL_Y + 2 * RADIUS; j += COL_T) {
    int y = y0 + j;
    block[j][tx] = y >= 0 && y < h ? in[y * w + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = ty; j < COL_Y; j += COL_T) {
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += taps[k] * block[j + k][tx];
    out[(y0 + RADIUS + j) * w + x] = sum;
  }
}
