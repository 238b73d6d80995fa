/* SPDX-License-Identifier: Apache-2.0 */
/* matmul: a product of matrices with tiles in __local variables and in __local arguments; a sum over groups. */
#include "common.h"

static const char source[] =
    "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
    "void with_variables(__global const float *a, __global const float *b, __global float *c, int n) {\n"
    "  __local float ta[TILE][TILE], tb[TILE][TILE];\n"
    "  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k += TILE) {\n"
    "    ta[y][x] = a[row * n + k + x];\n"
    "    tb[y][x] = b[(k + y) * n + column];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < TILE; i++) sum += ta[y][i] * tb[i][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[row * n + column] = sum;\n"
    "}\n"
    /* one variable beside two arguments */
    "__kernel void with_arguments(__global const float *a, __global const float *b, __global float *c, int n,\n"
    "                             __local float *ta, __local float *tb) {\n"
    "  __local int width;\n"
    "  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);\n"
    "  if (x == 0 && y == 0) width = get_local_size(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k += width) {\n"
    "    ta[y * width + x] = a[row * n + k + x];\n"
    "    tb[y * width + x] = b[(k + y) * n + column];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < width; i++) sum += ta[y * width + i] * tb[i * width + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[row * n + column] = sum;\n"
    "}\n"
    /* tree of sums; the argument that lies behind another of an odd size */
    "__kernel void sums(__global const int *from, __global int *to, __local char *odd, __local int *part) {\n"
    "  int l = get_local_id(0);\n"
    "  odd[l % 3] = l;\n"
    "  part[l] = from[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {\n"
    "    if (l < s) part[l] += part[l + s];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (l == 0) to[get_group_id(0)] = part[0];\n"
    "}\n";

enum { N = 64, TILE = 16, GROUPS = 8, GROUP = 64 };
static float a[N * N], b[N * N], c[N * N], want[N * N];

static void product(const struct gpu *g, cl_kernel k, const char *name, size_t tile) {
  const cl_mem C = buffer_of(g, sizeof c, NULL);
  const size_t global[] = {N, N}, local[] = {tile, tile};
  ARG(k, 2, C);
  OK(clEnqueueNDRangeKernel(g->queue, k, 2, NULL, global, local, 0, NULL, NULL));
  read_back(g, C, c, sizeof c);
  check(!memcmp(c, want, sizeof c), "%s, tiles of %zu: %d elements", name, tile, N * N);
  OK(clReleaseMemObject(C));
}

int main(void) {
  const struct gpu g = gpu_open(0);
  const cl_program p = program_of(&g, source, "-D TILE=16");
  const cl_kernel variables = kernel_of(p, "with_variables"), arguments = kernel_of(p, "with_arguments"),
                  sums = kernel_of(p, "sums");
  uint32_t seed = 2;
  /* whole numbers, so that no order of additions rounds */
  for (int i = 0; i < N * N; i++) a[i] = (float)random_below(&seed, 16) - 8, b[i] = (float)random_below(&seed, 16) - 8;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) want[i * N + j] += a[i * N + k] * b[k * N + j];

  const cl_mem A = buffer_of(&g, sizeof a, a), B = buffer_of(&g, sizeof b, b);
  const cl_int n = N;
  ARG(variables, 0, A), ARG(variables, 1, B), ARG(variables, 3, n);
  product(&g, variables, "__local variables", TILE);
  ARG(arguments, 0, A), ARG(arguments, 1, B), ARG(arguments, 3, n);
  for (size_t tile = 16; tile >= 4; tile /= 2) {
    OK(clSetKernelArg(arguments, 4, tile * tile * sizeof(float), NULL));
    OK(clSetKernelArg(arguments, 5, tile * tile * sizeof(float), NULL));
    product(&g, arguments, "__local arguments", tile);
  }

  cl_ulong local = 0;
  size_t required[3] = {0}, most = 0, multiple = 0;
  OK(clGetKernelWorkGroupInfo(variables, g.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
  check(local == 2 * TILE * TILE * sizeof(float), "bytes of __local variables: %llu", (unsigned long long)local);
  OK(clGetKernelWorkGroupInfo(variables, g.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  check(required[0] == TILE && required[1] == TILE && required[2] == 1, "required size of a group");
  OK(clGetKernelWorkGroupInfo(arguments, g.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  check(!required[0] && !required[1] && !required[2], "none required");
  OK(clGetKernelWorkGroupInfo(arguments, g.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  OK(clGetKernelWorkGroupInfo(arguments, g.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                              &multiple, NULL));
  check(most >= 256 && multiple >= 1 && most % multiple == 0, "how large a group may be");

  int from[GROUPS * GROUP], to[GROUPS], sum[GROUPS] = {0};
  for (int i = 0; i < GROUPS * GROUP; i++) from[i] = (int)random_below(&seed, 1000), sum[i / GROUP] += from[i];
  const cl_mem F = buffer_of(&g, sizeof from, from), T = buffer_of(&g, sizeof to, NULL);
  ARG(sums, 0, F), ARG(sums, 1, T);
  OK(clSetKernelArg(sums, 2, 3, NULL));
  OK(clSetKernelArg(sums, 3, GROUP * sizeof(int), NULL));
  run_1d(&g, sums, GROUPS * GROUP, GROUP);
  read_back(&g, T, to, sizeof to);
  check(!memcmp(to, sum, sizeof to), "sums of %d groups, an argument behind one of 3 bytes", GROUPS);

  OK(clReleaseMemObject(A)), OK(clReleaseMemObject(B)), OK(clReleaseMemObject(F)), OK(clReleaseMemObject(T));
  OK(clReleaseKernel(variables)), OK(clReleaseKernel(arguments)), OK(clReleaseKernel(sums)), OK(clReleaseProgram(p));
  gpu_close(&g);
  return finish();
}
