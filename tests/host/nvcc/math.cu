// SPDX-License-Identifier: Apache-2.0
// CUDA's mathematical functions against the C library's.
#include <cuda_fp16.h>
#include "../cuda/common.h"

enum { FUNCTIONS = 16 };

__global__ void functions(double *out, float x, double y, __half h) {
  double values[FUNCTIONS] = {(double)sinf(x),
                              sin(y),
                              (double)powf(x, 2.5f),
                              pow(y, 1.5),
                              erf(y),
                              lgamma(y),
                              (double)__expf(x),
                              fmod(y, 0.3),
                              cbrt(y),
                              j0(y),
                              sin(1e6 * y),
                              (double)tgammaf(x),
                              rsqrt(y),
                              normcdf(y),
                              (double)__half2float(__hadd(h, h)),
                              log1p(y)};
  for (int i = 0; i < FUNCTIONS; i++) out[i] = values[i];
}

int main() {
  double got[FUNCTIONS], *out, y = 0.75;
  float x = 1.25f;
  CHECK(cudaMalloc(&out, sizeof got));
  functions<<<1, 1>>>(out, x, y, __float2half(1.5f));
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  double want[FUNCTIONS] = {
      sin(1.25),    sin(y),  pow(1.25, 2.5), pow(y, 1.5),  erf(y),       lgamma(y),     exp(1.25),
      fmod(y, 0.3), cbrt(y), j0(y),          sin(1e6 * y), tgamma(1.25), 1.0 / sqrt(y), 0.5 * erfc(-y / sqrt(2.0)),
      3.0,          log1p(y)};
  for (int i = 0; i < FUNCTIONS; i++) {
    bool right = fabs(got[i] - want[i]) <= 1e-5 * (1 + fabs(want[i]));
    if (!right) printf("function %d: found %.9g, expected %.9g\n", i, got[i], want[i]);
    EXPECT(right);
  }
  return done("math");
}
