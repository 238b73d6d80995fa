/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolutionSeparable: a 17 x 17 filter that is the product of a row and a column, as two launches of 17
 * taps. The taps lie in constant memory and the host writes them. A group stages its pixels with their halo
 * in shared memory; pixels outside the image count as 0. A work item computes STEPS pixels, a group's width or height
 * apart, as in the CUDA SDK's sample. Width is a multiple of 128 for rows, height of 64 for columns.
 *
 * The host writes the taps: an empty asm hides from the compiler that their values stand here.
 */
#define RADIUS 8
#define STEPS 8
#define ROW_X 16 /* work items of a group in `rows`: 16 x 4, 128 x 4 pixels */
#define ROW_Y 4
#define ROW_W (ROW_X * STEPS)
#define COL_X 16 /* in `columns`: 16 x 8, 16 x 64 pixels */
#define COL_T 8
#define COL_Y (COL_T * STEPS)

__constant float taps[2 * RADIUS + 1] = {0, 0, 0, 0, 0, 0, 0, 0, 1};

__kernel __attribute__((reqd_work_group_size(ROW_X, ROW_Y, 1))) void convolution_rows(
    __global const float *restrict in, __global float *restrict out, int w) {
  __local float line[ROW_Y][ROW_W + 2 * ROW_X];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x0 = (int)get_group_id(0) * ROW_W - ROW_X + tx, y = (int)get_group_id(1) * ROW_Y + ty;

#pragma unroll
  for (int i = 0; i < STEPS + 2; i++) {
    int x = x0 + i * ROW_X;
    line[ty][i * ROW_X + tx] = x >= 0 && x < w ? in[y * w + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __constant const float *tap = taps;
  __asm__("" : "+l"(tap));
#pragma unroll
  for (int i = 1; i <= STEPS; i++) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) sum += tap[k] * line[ty][i * ROW_X + tx + k - RADIUS];
    out[y * w + x0 + i * ROW_X] = sum;
  }
}

__kernel __attribute__((reqd_work_group_size(COL_X, COL_T, 1))) void convolution_columns(
    __global const float *restrict in, __global float *restrict out, int w, int h) {
  __local float block[COL_Y + 2 * RADIUS][COL_X + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = (int)get_group_id(0) * COL_X + tx, y0 = (int)get_group_id(1) * COL_Y - RADIUS;

#pragma unroll
  for (int i = 0; i < STEPS + 2 * RADIUS / COL_T; i++) {
    int j = ty + i * COL_T;
    int y = y0 + j;
    block[j][tx] = y >= 0 && y < h ? in[y * w + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __constant const float *tap = taps;
  __asm__("" : "+l"(tap));
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    int j = ty + i * COL_T;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) sum += tap[k] * block[j + k][tx];
    out[(y0 + RADIUS + j) * w + x] = sum;
  }
}
