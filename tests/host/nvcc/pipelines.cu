// SPDX-License-Identifier: Apache-2.0
// mbarriers as CUDA's C++ has them: barriers and pipelines of a block, of all threads and of producers and consumers,
// asynchronous copies, and the functions of cuda_awbarrier_primitives.h.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include "../cuda/common.h"

namespace cg = cooperative_groups;
__global__ void bar(float *out, const float *in, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ float t[256];
  auto blk = cg::this_thread_block();
  if (blk.thread_rank() == 0) init(&b, blk.size());
  blk.sync();
  for (int k = 0; k < n; k++) {
    t[threadIdx.x] = in[k * 256 + threadIdx.x];
    auto tok = b.arrive();
    float s = out[threadIdx.x];
    b.wait(std::move(tok));
    s += t[255 - threadIdx.x];
    out[threadIdx.x] = s;
    b.arrive_and_wait();
  }
}
__global__ void prim(float *out, const float *in) {
  __shared__ __mbarrier_t b;
  __shared__ float t[128];
  if (threadIdx.x == 0) __mbarrier_init(&b, blockDim.x);
  __syncthreads();
  t[threadIdx.x] = in[threadIdx.x];
  __mbarrier_token_t tok = __mbarrier_arrive(&b);
  while (!__mbarrier_test_wait(&b, tok))
    ;
  out[threadIdx.x] = t[threadIdx.x ^ 1];
  if (threadIdx.x & 1) {
    __mbarrier_arrive_and_drop(&b);
    return;
  }
  tok = __mbarrier_arrive_and_drop(&b);
}
__global__ void copy(float *out, const float *in, int n) {
  constexpr int S = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  __shared__ float t[S][256];
  auto blk = cg::this_thread_block();
  auto p = cuda::make_pipeline(blk, &st);
  float s = 0;
  for (int k = 0, f = 0; k < n; k++) {
    for (; f < n && f < k + S; f++) {
      p.producer_acquire();
      cuda::memcpy_async(blk, t[f % S], in + f * 256, sizeof(float) * 256, p);
      p.producer_commit();
    }
    p.consumer_wait();
    s += t[k % S][255 - threadIdx.x];
    p.consumer_release();
  }
  out[threadIdx.x] = s;
}
__global__ void roles(float *out, const float *in, int n) {
  constexpr int S = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  __shared__ float t[S][64];
  auto blk = cg::this_thread_block();
  auto role = threadIdx.x < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto p = cuda::make_pipeline(blk, &st, role);
  if (threadIdx.x < 64) {
    for (int k = 0; k < n; k++) {
      p.producer_acquire();
      cuda::memcpy_async(&t[k % S][threadIdx.x], in + k * 64 + threadIdx.x, cuda::aligned_size_t<4>(4), p);
      p.producer_commit();
    }
  } else {
    float s = 0;
    for (int k = 0; k < n; k++) {
      p.consumer_wait();
      s += t[k % S][63 - (threadIdx.x - 64)];
      p.consumer_release();
    }
    out[threadIdx.x - 64] = s;
  }
}
__global__ void barcopy(float *out, const float *in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ alignas(16) float t[256];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&t[threadIdx.x], in + threadIdx.x, sizeof(float), b);
  b.arrive_and_wait();
  out[threadIdx.x] = t[255 - threadIdx.x];
}

enum { N = 8 };
static float in[256 * N], out[256], want[256];
static float *d_in, *d_out;

static void result(const char *what, int n) {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int k = 0; k < n; k++) wrong += out[k] != want[k];
  if (wrong) printf("%s: %d values are wrong\n", what, wrong);
  failures += wrong != 0;
}

int main() {
  for (int k = 0; k < 256 * N; k++) in[k] = (float)(k * 37 % 101);
  CHECK(cudaMalloc(&d_in, sizeof in));
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0, sizeof out));
  for (int t = 0; t < 256; t++)
    for (int k = 0; k < N; k++) want[t] += in[k * 256 + 255 - t];
  bar<<<1, 256>>>(d_out, d_in, N);
  result("barrier", 256);
  copy<<<1, 256>>>(d_out, d_in, N);
  result("pipeline", 256);
  for (int t = 0; t < 128; t++) want[t] = in[t ^ 1];
  prim<<<1, 128>>>(d_out, d_in);
  result("primitives", 128);
  for (int t = 0; t < 64; t++) {
    want[t] = 0;
    for (int k = 0; k < N; k++) want[t] += in[k * 64 + 63 - t];
  }
  roles<<<1, 128>>>(d_out, d_in, N);
  result("producers and consumers", 64);
  for (int t = 0; t < 256; t++) want[t] = in[255 - t];
  barcopy<<<1, 256>>>(d_out, d_in);
  result("a copy at a barrier", 256);
  return done("pipelines");
}
