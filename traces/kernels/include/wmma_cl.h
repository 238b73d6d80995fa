/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma_cl: wmma of f16 at m16n16k16, and mma of integers, bits and f64, for kernels in OpenCL C: inline PTX.
 * Needs own_cl.h, -march=sm_80 and -target-feature +ptx70. ld: elements from row to row.
 */
#ifndef RT_WMMA_CL_H
#define RT_WMMA_CL_H

OWN_FN void wmma_load_b(uint *r, const __global ushort *p, uint ld) {
  __asm__ volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                   : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                   : "l"(p), "r"(ld)
                   : "memory");
}
/* Of a shared array's row length, a constant: a macro, so that it is an immediate. */
#define WMMA_LOAD_TILE(which, r, p, ld)                                                                       \
  __asm__ volatile("wmma.load." which                                                                         \
                   ".sync.aligned.row.m16n16k16.shared.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"              \
                   : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]), "=r"((r)[4]), "=r"((r)[5]),      \
                     "=r"((r)[6]), "=r"((r)[7])                                                               \
                   : "r"(p), "n"(ld)                                                                          \
                   : "memory")

OWN_FN void wmma_load_c(float *r, const __global float *p, uint ld) {
  __asm__ volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                   : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3]), "=f"(r[4]), "=f"(r[5]), "=f"(r[6]), "=f"(r[7])
                   : "l"(p), "r"(ld)
                   : "memory");
}
OWN_FN void wmma_store(__global float *p, const float *r, uint ld) {
  __asm__ volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" ::"l"(p),
                   "f"(r[0]), "f"(r[1]), "f"(r[2]), "f"(r[3]), "f"(r[4]), "f"(r[5]), "f"(r[6]), "f"(r[7]), "r"(ld)
                   : "memory");
}
OWN_FN void wmma_store_shared(uint p, const float *r) {
  __asm__ volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" ::"r"(p),
                   "f"(r[0]), "f"(r[1]), "f"(r[2]), "f"(r[3]), "f"(r[4]), "f"(r[5]), "f"(r[6]), "f"(r[7])
                   : "memory");
}

/* D += A B. */
OWN_FN void wmma_f16(float *d, const uint *a, const uint *b) {
  __asm__ volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                   "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
                     "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}

/* s8: 16 x 32 times 32 x 8. */
OWN_FN void mma_s8(int *d, const uint *a, const uint *b) {
  __asm__ volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                   "{%0,%1,%2,%3};"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/* Bits in which 16 rows and 8 columns of 256 differ, added. */
OWN_FN void mma_b1(int *d, const uint *a, const uint *b) {
  __asm__ volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                   "{%0,%1,%2,%3};"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/* f64: 8 x 4 times 4 x 8. */
OWN_FN void mma_f64(double *d, double a, double b) {
  __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(d[0]), "+d"(d[1])
                   : "d"(a), "d"(b));
}

#endif
