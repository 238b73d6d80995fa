// SPDX-License-Identifier: Apache-2.0
// c = a + b in parts over two streams, with events, callbacks and asynchronous copies.
#include "common.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) c[i] = a[i] + b[i];
}

static void count(void *data) { ++*(int *)data; }
static void CUDART_CB count_stream(cudaStream_t, cudaError_t e, void *data) {
  *(int *)data += e == cudaSuccess ? 10 : 0;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 5000, half = n / 2;
  size_t bytes = (size_t)n * sizeof(float);
  float *a, *b, *c, *da, *db, *dc;
  CHECK(cudaMallocHost(&a, bytes));
  CHECK(cudaMallocHost(&b, bytes));
  CHECK(cudaHostAlloc(&c, bytes, cudaHostAllocDefault));
  for (int i = 0; i < n; i++) a[i] = random_float(), b[i] = random_float(), c[i] = -1;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  cudaStream_t s[2];
  int least, greatest;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithPriority(&s[1], cudaStreamNonBlocking, greatest));
#if CUDART_VERSION >= 11020
  CHECK(cudaMallocAsync(&dc, bytes, s[0]));
#else
  CHECK(cudaMalloc(&dc, bytes));
#endif

  cudaEvent_t begin, end, copied;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CHECK(cudaMemcpyAsync(da, a, bytes, cudaMemcpyHostToDevice, s[0]));
  CHECK(cudaMemcpyAsync(db, b, bytes, cudaMemcpyHostToDevice, s[0]));
  CHECK(cudaMemsetAsync(dc, 0, bytes, s[0]));
  CHECK(cudaEventRecord(copied, s[0]));
  CHECK(cudaStreamWaitEvent(s[1], copied, 0));

  int called = 0;
  CHECK(cudaEventRecord(begin, s[0]));
  add<<<(half + 255) / 256, 256, 0, s[0]>>>(da, db, dc, half);
  add<<<(n - half + 127) / 128, 128, 0, s[1]>>>(da + half, db + half, dc + half, n - half);
  CHECK(cudaGetLastError());
  CHECK(cudaLaunchHostFunc(s[0], count, &called));
  CHECK(cudaStreamAddCallback(s[1], count_stream, &called, 0));
  CHECK(cudaEventRecord(end, s[1]));
  for (int k = 0; k < 2; k++) CHECK(cudaStreamSynchronize(s[k]));
  EXPECT(called == 11);
  CHECK(cudaMemcpyAsync(c, dc, bytes, cudaMemcpyDeviceToHost, s[1]));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamQuery(s[0]));
  CHECK(cudaEventQuery(end));
  CHECK(cudaEventSynchronize(end));

  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += c[i] != a[i] + b[i];
  EXPECT(wrong == 0);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0);
  EXPECT_ERROR(cudaEventElapsedTime(&ms, begin, copied), cudaErrorInvalidResourceHandle);
  printf("n = %d, kernels: %.4f ms\n", n, (double)ms);

#if CUDART_VERSION >= 11020
  CHECK(cudaFreeAsync(dc, s[0]));
#else
  CHECK(cudaFree(dc));
#endif
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaEventDestroy(copied));
  for (int k = 0; k < 2; k++) CHECK(cudaStreamDestroy(s[k]));
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(nullptr));
  CHECK(cudaFreeHost(a));
  CHECK(cudaFreeHost(b));
  CHECK(cudaFreeHost(c));
  return done("vecadd");
}
