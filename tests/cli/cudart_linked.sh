#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Objects of nvcc -rdc=true: functions, variables and templates that one takes from another, and names that several have. Without
# nvcc: tests/unit/link_test.c, cudart_launch_test.c.
# needs: binary host
. "$(dirname "$0")/../lib.sh"
nvcc=$(nvcc_path)
skip_unless 'objects of nvcc -rdc=true' 'no nvcc here' test -n "$nvcc"
check 'the libraries are built' make -s host
cat >"$tmp/common.h" <<'END'
#include <cstdio>
template <class T> __device__ __noinline__ T twice(T x) { return x + x; }
static __device__ int mine[4] = {1, 2, 3, 4};
extern __constant__ int factor[4];
extern __device__ int calls;
extern __device__ int add_one(int);
END
cat >"$tmp/a.cu" <<'END'
#include "common.h"
__constant__ int factor[4];
__global__ void first(int *p) { printf("first %d\n", *p); *p = twice(add_one(*p)) + mine[1]; }
extern __global__ void second(int *);
int main() {
  const int f[4] = {1, 10, 100, 1000};
  int n = 5, *p;
  cudaMalloc(&p, 4);
  cudaMemcpy(p, &n, 4, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(factor, f, sizeof f);
  first<<<1, 1>>>(p);
  second<<<1, 1>>>(p);
  cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);
  puts(cudaGetErrorName(cudaGetLastError()));
  printf("%d\n", n);
  cudaMemcpyFromSymbol(&n, calls, 4);
  printf("%d\n", n);
}
END
cat >"$tmp/b.cu" <<'END'
#include "common.h"
__device__ int calls = 40;
__device__ int add_one(int x) { calls++; return x + 1; }
__global__ void second(int *p) { printf("second %d\n", *p); mine[1] += factor[2]; *p = twice(add_one(*p)) + mine[1]; }
END
printf '%s\n' 'first 5' 'second 14' cudaSuccess 132 42 >"$tmp/want"
for options in '-arch=sm_75' '-gencode arch=compute_75,code=compute_75' '-arch=sm_90 -O0 -lineinfo' '-arch=sm_80 --compress-mode none'; do
  # shellcheck disable=SC2086
  check "built with $options" "$nvcc" -cudart shared -rdc=true $options -o "$tmp/program" "$tmp/a.cu" "$tmp/b.cu"
  "$regtwin" host "$tmp/program" >"$tmp/out" 2>"$tmp/err"
  same "runs: $options" "$tmp/want" "$tmp/out"
  equal 'without a message' "$(wc -l <"$tmp/err") $(head -n 1 "$tmp/err")" '0 '
done
check 'built without PTX' "$nvcc" -cudart shared -rdc=true -gencode arch=compute_75,code=sm_75 -o "$tmp/program" "$tmp/a.cu" "$tmp/b.cu"
"$regtwin" host "$tmp/program" >"$tmp/out" 2>"$tmp/err"
has 'which is an error' '^cudaErrorNoKernelImageForDevice$' "$tmp/out"
has 'that names the option' '^regtwin: program: it holds no PTX \(only machine code for sm_75\); .*-gencode arch=compute_75,code=compute_75' "$tmp/err"
