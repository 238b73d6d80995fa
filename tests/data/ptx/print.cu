// SPDX-License-Identifier: Apache-2.0
// Source of print_clang.ptx: printf as a compiler calls it, the arguments in a buffer of the thread; a kernel that
// cannot be run, beside it.
//   clang-14 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -O2 -S print.cu -o print_clang.ptx
#define DEV __attribute__((device))
#define KER __attribute__((global))
extern "C" DEV int printf(const char *, ...);
typedef int (*function)(int);
DEV int twice(int x) { return 2 * x; }
DEV int square(int x) { return x * x; }
DEV function table[2] = {twice, square};

static DEV int index() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
}

KER void squares(int *out) {
  int i = index();
  out[i] = i % 3 ? printf("%2d: %lld %.1f %s\n", i, (long long)i * i, i * 0.5, i & 1 ? "odd" : "even") : 0;
  if (i == 7) printf("seven\n");
}

KER void dispatch(int *out) { out[index()] = table[index() & 1](index()); }
