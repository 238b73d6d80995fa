/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_cl: mma, ldmatrix and cp.async for kernels in OpenCL C, which has no words for them: inline PTX.
 * Needs own_cl.h, -march=sm_80 and -target-feature +ptx70. f16 values are the bits in a ushort.
 */
#ifndef RT_TENSOR_CL_H
#define RT_TENSOR_CL_H

#define ALIGN16 __attribute__((aligned(16)))

OWN_FN uint shared_at(const __local ushort *p) { return (uint)(size_t)p; }

/* D += A B: 16 x 16 times 16 x 8. */
OWN_FN void mma_f16(float *d, const uint *a, const uint *b) {
  __asm__ volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* `at` bytes behind the address: a constant, once loops are unrolled. */
OWN_FN void ldmatrix_x4(uint *r, uint shared, uint at) {
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4+%5];"
                   : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                   : "r"(shared), "i"(at)
                   : "memory");
}
OWN_FN void ldmatrix_x4_trans(uint *r, uint shared, uint at) {
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4+%5];"
                   : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                   : "r"(shared), "i"(at)
                   : "memory");
}

/* 16 bytes to shared memory, `at` behind the address (a constant), of which the first `bytes` are read and
 * the others zero; past the L1, or through it. */
OWN_FN void copy16(uint shared, uint at, const __global ushort *from, uint bytes) {
  __asm__ volatile("cp.async.cg.shared.global [%0+%1], [%2], 16, %3;" ::"r"(shared), "i"(at), "l"(from),
                   "r"(bytes)
                   : "memory");
}
OWN_FN void copy16_l1(uint shared, uint at, const __global ushort *from, uint bytes) {
  __asm__ volatile("cp.async.ca.shared.global [%0+%1], [%2], 16, %3;" ::"r"(shared), "i"(at), "l"(from),
                   "r"(bytes)
                   : "memory");
}
OWN_FN void copy_commit(void) { __asm__ volatile("cp.async.commit_group;" ::: "memory"); }
/* All that was committed is here. */
OWN_FN void copy_wait_0(void) { __asm__ volatile("cp.async.wait_group 0;" ::: "memory"); }

OWN_FN ushort f16_of(float x) {
  ushort h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

#endif
