/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotspot FILE.cl [SIDE [STEPS]]: heat on a chip of SIDE x SIDE cells, a launch for each step. Its kernels come from the file. Global
 * offsets, groups of which the driver chooses the size, mathematics, atomics, printf.
 */
#include "common.h"

enum { GROUP = 16 };

static char *file_text(const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) {
    printf("failed: cannot read %s\n", path);
    exit(3);
  }
  char *text = calloc(1, 1 << 16);
  const size_t n = fread(text, 1, (1 << 16) - 1, f);
  text[n] = 0;
  fclose(f);
  return text;
}

static void reference_step(const float *power, const float *from, float *to, int side, cl_float4 k) {
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const int n = y ? y - 1 : 0, s = y < side - 1 ? y + 1 : y, w = x ? x - 1 : 0, e = x < side - 1 ? x + 1 : x;
      const float c = from[y * side + x];
      const float down = from[n * side + x] + from[s * side + x] - 2 * c,
                  across = from[y * side + w] + from[y * side + e] - 2 * c;
      to[y * side + x] = c + k.s[0] * power[y * side + x] + k.s[1] * down + k.s[2] * across + k.s[3] * (80 - c);
    }
}

/* Power, in four quarters with an offset each. */
static void sources(const struct gpu *g, cl_kernel k, cl_mem power, int side) {
  const size_t half = (size_t)side / 2;
  ARG(k, 0, power), ARG(k, 1, side), ARG(k, 2, side);
  for (size_t i = 0; i < 4; i++) {
    const size_t offset[] = {i % 2 * half, i / 2 * half},
                 global[] = {i % 2 ? (size_t)side - half : half, i / 2 ? (size_t)side - half : half};
    OK(clEnqueueNDRangeKernel(g->queue, k, 2, offset, global, NULL, 0, NULL, NULL));
  }
}

static float expected_power(int x, int y, int side) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double cx = side * (0.5 + 0.3 * cos(2.0 * i)), cy = side * (0.5 + 0.3 * sin(2.0 * i));
    const double r = hypot(x - cx, y - cy) / (0.1 * side);
    sum += exp(-r * r) * pow(1.5, i);
  }
  return (float)sum;
}

int main(int argc, char **argv) {
  const int side = argc > 2 ? atoi(argv[2]) : 50, steps = argc > 3 ? atoi(argv[3]) : 6;
  if (argc < 2 || side < 2 || side > 4096 || steps < 0 || steps > 10000) {
    printf("usage: hotspot FILE.cl [SIDE [STEPS]]\n");
    return 3;
  }
  const struct gpu g = gpu_open(CL_QUEUE_PROFILING_ENABLE);
  char *source = file_text(argv[1]);
  const cl_program p = program_of(&g, source, NULL);
  const cl_kernel make = kernel_of(p, "sources"), heat = kernel_of(p, "heat"), hottest = kernel_of(p, "hottest"),
                  report = kernel_of(p, "report");
  const int n = side * side;
  const size_t bytes = (size_t)n * sizeof(float), padded = ((size_t)side + GROUP - 1) / GROUP * GROUP;
  float *power = malloc(bytes), *t = malloc(bytes), *want = malloc(bytes), *next = malloc(bytes);
  for (int i = 0; i < n; i++) t[i] = want[i] = 320.0f + (float)(i % 7);

  const cl_mem P = buffer_of(&g, bytes, NULL), zero = buffer_of(&g, 4, (const cl_uint[]){0});
  cl_mem from = buffer_of(&g, bytes, t), to = buffer_of(&g, bytes, NULL);
  sources(&g, make, P, side);
  read_back(&g, P, power, bytes);
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += fabsf(power[i] - expected_power(i % side, i / side, side)) > 1e-4f;
  check(!wrong, "power of %d cells, made in four parts", n);

  const cl_float4 k = {{0.5f, 0.125f, 0.1f, 0.001f}};
  cl_ulong ns = 0;
  ARG(heat, 0, P), ARG(heat, 3, side), ARG(heat, 4, side), ARG(heat, 5, k);
  OK(clSetKernelArg(heat, 6, (GROUP + 2) * (GROUP + 2) * sizeof(float), NULL));
  for (int i = 0; i < steps; i++) {
    cl_event e;
    const size_t global[] = {padded, padded}, local[] = {GROUP, GROUP};
    ARG(heat, 1, from), ARG(heat, 2, to);
    OK(clEnqueueNDRangeKernel(g.queue, heat, 2, NULL, global, local, 0, NULL, &e));
    OK(clWaitForEvents(1, &e));
    ns += profile(e, CL_PROFILING_COMMAND_END) - profile(e, CL_PROFILING_COMMAND_START);
    OK(clReleaseEvent(e));
    const cl_mem m = from;
    from = to, to = m;
  }
  for (int i = 0; i < steps; i++) {
    reference_step(power, want, next, side, k);
    float *const m = want;
    want = next, next = m;
  }
  read_back(&g, from, t, bytes);
  float most = 0;
  for (int i = 0; i < n; i++) wrong += fabsf(t[i] - want[i]) > 1e-3f * fabsf(want[i]), most = fmaxf(most, t[i]);
  check(!wrong, "temperature after %d steps", steps);

  float found = 0;
  ARG(hottest, 0, from), ARG(hottest, 1, zero), ARG(hottest, 2, n);
  run_1d(&g, hottest, (size_t)n, 0);
  read_back(&g, zero, &found, sizeof found);
  check(found == most, "the hottest cell, %.2f", (double)most);
  ARG(report, 0, from), ARG(report, 1, zero), ARG(report, 2, side), ARG(report, 3, n);
  fflush(stdout);
  run_1d(&g, report, (size_t)n, 0);
  OK(clFinish(g.queue));
  printf("steps: %llu ns\n", (unsigned long long)ns);

  OK(clReleaseMemObject(P)), OK(clReleaseMemObject(zero)), OK(clReleaseMemObject(from)), OK(clReleaseMemObject(to));
  OK(clReleaseKernel(make)), OK(clReleaseKernel(heat)), OK(clReleaseKernel(hottest)), OK(clReleaseKernel(report));
  OK(clReleaseProgram(p));
  gpu_close(&g);
  free(power), free(t), free(want), free(next), free(source);
  return finish();
}
