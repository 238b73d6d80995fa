// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of traces/kernels/sgemm, whose PTX the program carries in place of this file's, as its launch file
// does: the same buffers in the same order.    sgemm DIRECTORY: reads A, B, C from there, writes C.out
#include "common.h"

extern "C" __global__ void sgemm(const float *, const float *, float *, unsigned, unsigned, float, float) {}

enum { N = 96 };
static float data[3][N * N];

static FILE *file(const char *directory, const char *name, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, mode);
  if (f) return f;
  printf("cannot open %s\n", path);
  exit(1);
}

int main(int argc, char **argv) {
  static const char *const name[] = {"A", "B", "C"};
  if (argc != 2) return 1;
  float *d[3];
  for (int i = 0; i < 3; i++) {
    FILE *f = file(argv[1], name[i], "rb");
    EXPECT(fread(data[i], 1, sizeof data[i], f) == sizeof data[i]);
    fclose(f);
    CHECK(cudaMalloc(&d[i], sizeof data[i]));
    CHECK(cudaMemcpy(d[i], data[i], sizeof data[i], cudaMemcpyHostToDevice));
  }
  sgemm<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(d[0], d[1], d[2], N, N, 1.5f, 0.5f);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(data[2], d[2], sizeof data[2], cudaMemcpyDeviceToHost));
  FILE *f = file(argv[1], "C.out", "wb");
  EXPECT(fwrite(data[2], 1, sizeof data[2], f) == sizeof data[2]);
  fclose(f);
  return done("sgemm");
}
