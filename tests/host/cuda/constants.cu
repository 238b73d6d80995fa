// SPDX-License-Identifier: Apache-2.0
// Constant memory, symbols of the device, and arguments of many types and alignments.
#include "common.h"

struct params {
  float scale;
  int shift[3];
};
__constant__ float coefficient[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ struct params setup;
__device__ int table[100];
__device__ float4 corner = {1, 2, 3, 4};
static __device__ unsigned calls;

__global__ void polynomial(const float *x, float *y, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float sum = 0;
  for (int k = 7; k >= 0; k--) sum = sum * x[i] + coefficient[k];
  y[i] = sum * setup.scale + (float)setup.shift[i % 3];
  atomicAdd(&calls, 1u);
}

__global__ void fill_table(int by) {
  if (threadIdx.x < 100) table[threadIdx.x] += (int)threadIdx.x * by;
  if (threadIdx.x == 0) corner.w = corner.x + corner.y + corner.z;
}

struct mixed {
  char c;
  double d;
  short s[3];
  uchar3 rgb;
  const int *where;
  bool flag;
};
__global__ void arguments(double *out, char c, short s, float4 v, struct mixed m, bool flag, long long l, float2 w,
                          double d, uchar3 u, unsigned char last) {
  double values[] = {
      (double)c,      (double)s,       (double)v.x,      (double)v.y,    (double)v.z,  (double)v.w, (double)m.c, m.d,
      (double)m.s[2], (double)m.rgb.z, (double)*m.where, (double)m.flag, (double)flag, (double)l,   (double)w.y, d,
      (double)u.y,    (double)last};
  for (int i = 0; i < 18; i++) out[i] = values[i];
}

template <class T>
__global__ void twice(T *p, T by) {
  p[threadIdx.x] *= by;
}

static void symbols() {
  int n[100];
  for (int i = 0; i < 100; i++) n[i] = 1000;
  CHECK(cudaMemcpyToSymbol(table, n, sizeof n));
  fill_table<<<1, 128>>>(3);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyFromSymbol(n, table, 50 * sizeof(int), 50 * sizeof(int)));
  int wrong = 0;
  for (int i = 0; i < 50; i++) wrong += n[i] != 1000 + 3 * (50 + i);
  EXPECT(wrong == 0);
  float4 v;
  CHECK(cudaMemcpyFromSymbol(&v, corner, sizeof v, 0, cudaMemcpyDeviceToHost));
  EXPECT(v.x == 1 && v.z == 3 && v.w == 6);

  size_t size = 0;
  void *address = nullptr;
  CHECK(cudaGetSymbolSize(&size, table));
  EXPECT(size == sizeof n);
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaMemcpy(n, (int *)address + 7, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(n[0] == 1021);
  CHECK(cudaMemset(address, 0, sizeof n));
  CHECK(cudaMemcpyFromSymbol(n, table, sizeof n));
  EXPECT(n[0] == 0 && n[99] == 0);
  int none = 0;
  EXPECT_ERROR(cudaMemcpyToSymbol(none, n, sizeof none), cudaErrorInvalidSymbol);
  EXPECT_ERROR(cudaMemcpyToSymbol(table, n, sizeof n, 8), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaGetSymbolAddress(&address, none), cudaErrorInvalidSymbol);
  cudaGetLastError();
}

static void many_arguments(double *out) {
  double got[18],
      want[18] = {-5, 300, 0.5, 1.5, 2.5, 3.5, 9, 2.25, -3, 8, 1021, 1, 1, -(1ll << 40), 7.5, 0.125, 5, 200};
  int *where;
  CHECK(cudaMalloc(&where, 64));
  int value = 1021;
  CHECK(cudaMemcpy(where + 3, &value, sizeof value, cudaMemcpyHostToDevice));
  struct mixed m = {9, 2.25, {-1, -2, -3}, {6, 7, 8}, where + 3, true};
  arguments<<<1, 1>>>(out, -5, 300, make_float4(0.5f, 1.5f, 2.5f, 3.5f), m, true, -(1ll << 40), make_float2(6.5f, 7.5f),
                      0.125, uchar3{4, 5, 6}, 200);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 18; i++) {
    if (got[i] != want[i]) printf("argument %d: found %g, expected %g\n", i, got[i], want[i]);
    EXPECT(got[i] == want[i]);
  }
  CHECK(cudaFree(where));
}

int main() {
  enum { N = 300 };
  float x[N], y[N], *dx, *dy;
  for (int i = 0; i < N; i++) x[i] = random_float();
  CHECK(cudaMalloc(&dx, sizeof x));
  CHECK(cudaMalloc(&dy, 4096));
  CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
  float changed[2] = {-3.5f, 0.25f};
  struct params p = {2.0f, {10, 20, 30}};
  CHECK(cudaMemcpyToSymbolAsync(setup, &p, sizeof p, 0, cudaMemcpyHostToDevice, 0));
  for (int round = 0; round < 2; round++) {
    if (round) CHECK(cudaMemcpyToSymbol(coefficient, changed, sizeof changed, 2 * sizeof(float)));
    polynomial<<<(N + 63) / 64, 64>>>(dx, dy, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    float c[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (round) memcpy(c + 2, changed, sizeof changed);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int k = 7; k >= 0; k--) sum = sum * (double)x[i] + (double)c[k];
      wrong += !near(y[i], (float)(sum * 2 + 10 * (i % 3 + 1)));
    }
    EXPECT(wrong == 0);
  }
  unsigned called;
  CHECK(cudaMemcpyFromSymbol(&called, calls, sizeof called));
  EXPECT(called == 2 * N);
  symbols();
  many_arguments((double *)dy);

  int four[32];
  for (int i = 0; i < 32; i++) four[i] = i;
  CHECK(cudaMemcpy(dy, four, sizeof four, cudaMemcpyHostToDevice));
  twice<int><<<1, 32>>>((int *)dy, 5);
  twice<float><<<1, 32>>>(dx, 2.0f);
  CHECK(cudaMemcpy(four, dy, sizeof four, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(y, dx, sizeof x, cudaMemcpyDeviceToHost));
  EXPECT(four[31] == 155 && y[31] == 2 * x[31] && y[32] == x[32]);
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return done("constants");
}
