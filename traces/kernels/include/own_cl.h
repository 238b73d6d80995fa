/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_cl: the part of OpenCL C that our kernels use, for Debian's clang-14 and its NVPTX backend, with
 * neither libclc nor opencl-c.h. Work-item functions are special registers, barriers are bar.sync, native_*
 * are the .approx instructions.
 *
 *   clang-14 -x cl -cl-std=CL1.2 -cl-no-stdinc -include traces/kernels/include/own_cl.h \
 *            --target=nvptx64-nvidia-cuda -march=sm_75 -O2 -S k.cl -o k.ptx
 *
 * Plain `a / b` on floats becomes div.full (OpenCL allows 2.5 ulp); div_rn is the correctly rounded one.
 * clang contracts a * b + c to fma.rn, so a plain-C reference writes fmaf there.
 */
#ifndef RT_OWN_CL_H
#define RT_OWN_CL_H

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef uint uint2 __attribute__((ext_vector_type(2)));
typedef uint uint4 __attribute__((ext_vector_type(4)));

#define OWN_FN __attribute__((overloadable, always_inline)) static inline

/* ---- where a work item is: d is a literal in every use, so the choice folds away ---- */
#define OWN_SREG(name, reg)                             \
  OWN_FN uint name(uint d) {                            \
    return d == 0   ? __nvvm_read_ptx_sreg_##reg##_x()  \
           : d == 1 ? __nvvm_read_ptx_sreg_##reg##_y()  \
                    : __nvvm_read_ptx_sreg_##reg##_z(); \
  }
OWN_SREG(get_local_id, tid)
OWN_SREG(get_group_id, ctaid)
OWN_SREG(get_local_size, ntid)
OWN_SREG(get_num_groups, nctaid)
OWN_FN uint get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
OWN_FN uint get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }

/* ---- synchronisation ---- */
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
/* Not __syncthreads(): across that, clang-14 takes a __local array whose address goes nowhere for the work
 * item's own, and uses an element again that it loaded before, if the item stored to other elements only. */
#define barrier(fences) __asm__ volatile("bar.sync 0;" : : : "memory")

/* ---- exact: correctly rounded, or no rounding at all ---- */
OWN_FN float fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
OWN_FN float div_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
OWN_FN float recip_rn(float a) { return __nvvm_rcp_rn_f(a); }
OWN_FN float sqrt(float a) { return __nvvm_sqrt_rn_f(a); }
OWN_FN float fabs(float a) { return __nvvm_fabs_f(a); }
OWN_FN float fmin(float a, float b) { return __nvvm_fmin_f(a, b); }
OWN_FN float fmax(float a, float b) { return __nvvm_fmax_f(a, b); }
OWN_FN float floor(float a) { return __nvvm_floor_f(a); }
OWN_FN float ceil(float a) { return __nvvm_ceil_f(a); }
OWN_FN int min(int a, int b) { return a < b ? a : b; }
OWN_FN int max(int a, int b) { return a > b ? a : b; }
OWN_FN uint min(uint a, uint b) { return a < b ? a : b; }
OWN_FN uint max(uint a, uint b) { return a > b ? a : b; }
OWN_FN int clamp(int a, int lo, int hi) { return min(max(a, lo), hi); }

/* ---- approximate: the special-function unit ---- */
OWN_FN float native_sqrt(float a) { return __nvvm_sqrt_approx_f(a); }
OWN_FN float native_rsqrt(float a) { return __nvvm_rsqrt_approx_f(a); }
OWN_FN float native_exp2(float a) { return __nvvm_ex2_approx_f(a); }
OWN_FN float native_log2(float a) { return __nvvm_lg2_approx_f(a); }
OWN_FN float native_exp(float a) { return native_exp2(a * 1.44269504088896341f); }
OWN_FN float native_log(float a) { return native_log2(a) * 0.69314718055994531f; }
OWN_FN float native_sin(float a) { return __nvvm_sin_approx_f(a); }
OWN_FN float native_cos(float a) { return __nvvm_cos_approx_f(a); }

/* ---- atomics: relaxed, device scope ---- */
#define atomic_add(p, v) __sync_fetch_and_add((p), (v))
#define atomic_inc(p) __sync_fetch_and_add((p), 1)

#endif
