// SPDX-License-Identifier: Apache-2.0
// CUB's functions for a block and for the device.
#include <cub/cub.cuh>
#include <vector>
#include "../cuda/common.h"

enum { T = 128, BLOCKS = 32, N = T * BLOCKS };

__global__ void block(const int *in, int *sums, int *scanned) {
  using Reduce = cub::BlockReduce<int, T>;
  using Scan = cub::BlockScan<int, T>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } room;
  int i = (int)(blockIdx.x * T + threadIdx.x), v = in[i], upto;
  int sum = Reduce(room.reduce).Sum(v);
  __syncthreads();
  Scan(room.scan).InclusiveSum(v, upto);
  scanned[i] = upto;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
  std::vector<int> in(N), sums(BLOCKS), scanned(N), bins(13), want(13);
  for (int &v : in) v = (int)(random_int() % 13), want[(size_t)v]++;
  int *din, *dsums, *dscanned;
  CHECK(cudaMalloc(&din, N * sizeof(int)));
  CHECK(cudaMalloc(&dsums, N * sizeof(int)));
  CHECK(cudaMalloc(&dscanned, N * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  block<<<BLOCKS, T>>>(din, dsums, dscanned);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sums.data(), dsums, BLOCKS * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(scanned.data(), dscanned, N * sizeof(int), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int b = 0, sum = 0; b < BLOCKS; b++, sum = 0) {
    for (int i = b * T; i < (b + 1) * T; i++) wrong += scanned[(size_t)i] != (sum += in[(size_t)i]);
    wrong += sums[(size_t)b] != sum;
  }
  EXPECT(wrong == 0);

  void *room = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceHistogram::HistogramEven(room, bytes, din, dsums, 14, 0, 13, (int)N));
  CHECK(cudaMalloc(&room, bytes));
  CHECK(cub::DeviceHistogram::HistogramEven(room, bytes, din, dsums, 14, 0, 13, (int)N));
  CHECK(cudaMemcpy(bins.data(), dsums, 13 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(bins == want);
  return done("cub");
}
