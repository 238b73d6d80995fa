// SPDX-License-Identifier: Apache-2.0
// C = A B with tiles in shared memory, static and dynamic; rows with a pitch; occupancy; both ways to launch.
#include "common.h"

enum { TILE = 16 };

__global__ void multiply_static(const float *a, const float *b, float *c, int n, size_t pitch) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int x = (int)(blockIdx.x * TILE + threadIdx.x), y = (int)(blockIdx.y * TILE + threadIdx.y);
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    ta[threadIdx.y][threadIdx.x] = a[y * pitch + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * pitch + x];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[y * pitch + x] = sum;
}

__global__ void __launch_bounds__(256) multiply_dynamic(const float *a, const float *b, float *c, int n, size_t pitch) {
  extern __shared__ float tiles[];
  unsigned side = blockDim.x;
  float *ta = tiles, *tb = tiles + side * side;
  unsigned x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  float sum = 0;
  for (unsigned t = 0; t < (unsigned)n; t += side) {
    ta[threadIdx.y * side + threadIdx.x] = a[y * pitch + t + threadIdx.x];
    tb[threadIdx.y * side + threadIdx.x] = b[(t + threadIdx.y) * pitch + x];
    __syncthreads();
    for (unsigned k = 0; k < side; k++) sum += ta[threadIdx.y * side + k] * tb[k * side + threadIdx.x];
    __syncthreads();
  }
  c[y * pitch + x] = sum;
}

enum { N = 48 };
static float a[N * N], b[N * N], c[N * N], want[N * N];

static void fetch(const float *dc, size_t pitch, const char *which) {
  memset(c, 0, sizeof c);
  CHECK(cudaMemcpy2D(c, N * sizeof(float), dc, pitch, N * sizeof(float), N, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N * N; i++) wrong += !near(c[i], want[i]);
  printf("%s: %d wrong\n", which, wrong);
  EXPECT(wrong == 0);
}

static void occupancy() {
  cudaFuncAttributes f;
  CHECK(cudaFuncGetAttributes(&f, multiply_static));
  EXPECT(f.sharedSizeBytes == 2 * TILE * TILE * sizeof(float));
  EXPECT(f.numRegs > 0 && f.numRegs <= 255 && f.maxThreadsPerBlock >= TILE * TILE);
  CHECK(cudaFuncGetAttributes(&f, multiply_dynamic));
  EXPECT(f.sharedSizeBytes == 0 && f.maxThreadsPerBlock == 256);
  int few, many, none;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, multiply_dynamic, 64, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, multiply_dynamic, 64, 16384));
  EXPECT(many >= few && few >= 1);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, multiply_dynamic, 64, 1 << 20));
  EXPECT(none == 0);
#ifdef __NVCC__
  int grid, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, multiply_static, 0, 0));
  EXPECT(grid >= 1 && block >= 32);
#endif
}

int main() {
  for (int i = 0; i < N * N; i++) a[i] = random_float() - 0.5f, b[i] = random_float() - 0.5f;
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += (double)a[y * N + k] * (double)b[k * N + x];
      want[y * N + x] = (float)sum;
    }
  float *da, *db, *dc;
  size_t pitch, second;
  CHECK(cudaMallocPitch(&da, &pitch, N * sizeof(float), N));
  CHECK(cudaMallocPitch(&db, &second, N * sizeof(float), N));
  EXPECT(pitch == second && pitch >= N * sizeof(float) && pitch % 64 == 0);
  CHECK(cudaMallocPitch(&dc, &second, N * sizeof(float), N));
  CHECK(cudaMemcpy2D(da, pitch, a, N * sizeof(float), N * sizeof(float), N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(db, pitch, b, N * sizeof(float), N * sizeof(float), N, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaMemcpy2D(db, 16, b, N * sizeof(float), N * sizeof(float), N, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidPitchValue);

  size_t row = pitch / sizeof(float);
  CHECK(cudaMemset2D(dc, pitch, 0xff, N * sizeof(float), N));
  multiply_static<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc, N, row);
  CHECK(cudaGetLastError());
  fetch(dc, pitch, "static");

  CHECK(cudaFuncSetAttribute(multiply_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * 16 * 16 * 4));
  for (unsigned side = 8; side <= 16; side += 8) {
    CHECK(cudaMemset2D(dc, pitch, 0xff, N * sizeof(float), N));
    multiply_dynamic<<<dim3(N / side, N / side), dim3(side, side), 2 * side * side * sizeof(float)>>>(da, db, dc, N,
                                                                                                      row);
    CHECK(cudaGetLastError());
    fetch(dc, pitch, side == 8 ? "dynamic, tiles of 8" : "dynamic, tiles of 16");
  }

  int n = N;
  void *args[] = {&da, &db, &dc, &n, &row};
  CHECK(cudaMemset(dc, 0, pitch * N));
  CHECK(cudaLaunchKernel((const void *)multiply_static, dim3(N / TILE, N / TILE), dim3(TILE, TILE), args, 0, 0));
  fetch(dc, pitch, "cudaLaunchKernel");
#if CUDART_VERSION >= 11080
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(N / 8, N / 8);
  config.blockDim = dim3(8, 8);
  config.dynamicSmemBytes = 2 * 8 * 8 * sizeof(float);
  CHECK(cudaMemset(dc, 0, pitch * N));
  CHECK(cudaLaunchKernelExC(&config, (const void *)multiply_dynamic, args));
  fetch(dc, pitch, "cudaLaunchKernelExC");
#endif
  occupancy();
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return done("matmul");
}
