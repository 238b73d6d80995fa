/* SPDX-License-Identifier: Apache-2.0 */
/* wmma of every type, as nvcc writes it: nvcc -std=c++17 -arch=sm_80 -ptx tests/data/ptx/wmma.cu -o tests/data/ptx/wmma_nvcc.ptx (13.0). */
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template <int M, int N, int K, typename T, typename C, typename D, typename LA, typename LB>
__device__ void go(const T *a, const T *b, const C *c, D *d, unsigned ld) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, D> fd;
  wmma::load_matrix_sync(fa, a, ld);
  wmma::load_matrix_sync(fb, b, ld);
  wmma::load_matrix_sync(fc, c, ld, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, ld, wmma::mem_col_major);
}
#define K(name, M, N, KK, T, C, D, LA, LB)                                                 \
  extern "C" __global__ void name(const T *a, const T *b, const C *c, D *d, unsigned ld) { \
    go<M, N, KK, T, C, D, wmma::LA, wmma::LB>(a, b, c, d, ld);                             \
  }
K(h1, 16, 16, 16, half, float, float, row_major, col_major)
K(h2, 32, 8, 16, half, half, half, col_major, row_major)
K(h3, 8, 32, 16, half, half, float, row_major, row_major)
K(i1, 16, 16, 16, signed char, int, int, row_major, col_major)
K(i2, 32, 8, 16, unsigned char, int, int, col_major, row_major)
K(bf, 16, 16, 16, __nv_bfloat16, float, float, row_major, col_major)
K(dd, 8, 8, 4, double, double, double, row_major, col_major)
extern "C" __global__ void tf(const float *a, const float *b, const float *c, float *d, unsigned ld) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, ld);
  wmma::load_matrix_sync(fb, b, ld);
  for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, ld, wmma::mem_row_major);
}
extern "C" __global__ void s4(const void *a, const void *b, int *d, unsigned ld) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, a, ld);
  wmma::load_matrix_sync(fb, b, ld);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
extern "C" __global__ void b1(const void *a, const void *b, int *d, unsigned ld) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  wmma::fill_fragment(fc, 0);
  __shared__ int4 s[16];
  s[threadIdx.x & 15] = ((const int4 *)a)[threadIdx.x];
  __syncthreads();
  wmma::load_matrix_sync(fa, (void *)s, 128);
  wmma::load_matrix_sync(fb, b, ld);
  wmma::bmma_sync(fc, fa, fb, fc, bmmaBitOpAND);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
