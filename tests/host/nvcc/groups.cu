// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: a barrier of the grid, tiles of a warp and their reduction.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "../cuda/common.h"

namespace cg = cooperative_groups;

__global__ void reverse_sum(int *a, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = (int)grid.thread_rank();
  a[i] = i * i;
  grid.sync();
  int sum = cg::reduce(tile, a[n - 1 - i], cg::plus<int>());
  if (tile.thread_rank() == 0) out[i / 8] = sum;
}

int main() {
  enum { N = 512 };
  int *a, *out, n = N, got[N / 8], wrong = 0, value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(value == 1);
  CHECK(cudaMalloc(&a, N * sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof got));
  void *args[] = {&a, &out, &n};
  CHECK(cudaLaunchCooperativeKernel((const void *)reverse_sum, dim3(4), dim3(N / 4), args, 0, 0));
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < N / 8; t++) {
    int sum = 0;
    for (int i = 8 * t; i < 8 * t + 8; i++) sum += (N - 1 - i) * (N - 1 - i);
    wrong += got[t] != sum;
  }
  EXPECT(wrong == 0);
  return done("groups");
}
