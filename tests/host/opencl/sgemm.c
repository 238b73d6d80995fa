/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sgemm FILE.ptx: the kernel of traces/kernels/sgemm as a binary, with the buffers of its launch file in their order and its size
 * small, so that a simulator has the cycles of that launch file. Checks the product.
 */
#include "common.h"

enum { N = 96, TILE = 16 };
static float a[N * N], b[N * N], c[N * N], found[N * N];

int main(int argc, char **argv) {
  const struct gpu g = gpu_open(0);
  static unsigned char ptx[1 << 16];
  FILE *f = fopen(argc > 1 ? argv[1] : "sgemm.ptx", "r");
  size_t n = f ? fread(ptx, 1, sizeof ptx, f) : 0;
  if (f) fclose(f);
  const unsigned char *text = ptx;
  cl_program p;
  MADE(p, clCreateProgramWithBinary(g.context, 1, &g.device, &n, &text, NULL, &status));
  OK(clBuildProgram(p, 1, &g.device, NULL, NULL, NULL));
  const cl_kernel k = kernel_of(p, "sgemm");
  uint32_t seed = 7;
  for (int i = 0; i < N * N; i++)
    a[i] = (float)random_below(&seed, 9), b[i] = (float)random_below(&seed, 9), c[i] = (float)random_below(&seed, 9);
  const cl_mem A = buffer_of(&g, sizeof a, a), B = buffer_of(&g, sizeof b, b), C = buffer_of(&g, sizeof c, c);
  const cl_uint side = N;
  const cl_float alpha = 1.5f, beta = 0.5f;
  const size_t global[] = {N, N}, local[] = {TILE, TILE};
  ARG(k, 0, A), ARG(k, 1, B), ARG(k, 2, C), ARG(k, 3, side), ARG(k, 4, side), ARG(k, 5, alpha), ARG(k, 6, beta);
  OK(clEnqueueNDRangeKernel(g.queue, k, 2, NULL, global, local, 0, NULL, NULL));
  read_back(&g, C, found, sizeof found);
  int wrong = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float sum = 0;
      for (int m = 0; m < N; m++) sum += a[i * N + m] * b[m * N + j];
      wrong += found[i * N + j] != alpha * sum + beta * c[i * N + j];
    }
  check(!wrong, "%d elements", N * N);
  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)), OK(clReleaseMemObject(C)), OK(clReleaseKernel(k)),
      OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}
