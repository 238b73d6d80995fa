/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regtwin_cl: what an OpenCL C program is compiled with, beside clang's own declarations and libclc 14 for NVPTX: the
 * functions that libclc lacks, or that NVPTX cannot select there. clang reads it before the program (host/opencl/build.c), so
 * it names nothing that a program may define as a macro.
 *
 * A name that is defined here hides all of clang's declarations of it: every overload of OpenCL C 1.2 must be here.
 *
 * __regtwin_offset and __regtwin_work_dim are defined when the whole program is known (host/opencl/hidden.c): global offsets
 * cost nothing in a launch that has none.
 */
#ifndef RT_OPENCL_REGTWIN_CL_H
#define RT_OPENCL_REGTWIN_CL_H
#pragma clang system_header

#ifndef __OPENCL_VERSION__ /* of the device; clang only has that of the language */
#define __OPENCL_VERSION__ 120
#endif

#define __RT static inline __attribute__((overloadable, always_inline))
#define __RT_ONE static inline __attribute__((always_inline))

/* ---- all widths of a type: X is called with each vector type, and what else is given ---- */

#define __RT_WIDTHS(X, t) X(t##2) X(t##3) X(t##4) X(t##8) X(t##16)
#define __RT_WIDTHS_1(X, t) X(t) __RT_WIDTHS(X, t)
#define __RT_INTEGERS(Y, X) Y(X, char) Y(X, uchar) Y(X, short) Y(X, ushort) Y(X, int) Y(X, uint) Y(X, long) Y(X, ulong)
#define __RT_TYPES(Y, X) __RT_INTEGERS(Y, X) Y(X, float) Y(X, double)

/* A function of one to three numbers of type t, defined, for each element of a vector: its parts are vectors of half the width. */
#define __RT_PARTS_1(f, v, a, b) \
  __RT v f(v __x) { return (v)(f(__x.a), f(__x.b)); }
#define __RT_PARTS_2(f, v, w, a, b) \
  __RT v f(v __x, w __y) { return (v)(f(__x.a, __y.a), f(__x.b, __y.b)); }
#define __RT_PARTS_3(f, v, a, b) \
  __RT v f(v __x, v __y, v __z) { return (v)(f(__x.a, __y.a, __z.a), f(__x.b, __y.b, __z.b)); }
#define __RT_MAP_1(f, t)         \
  __RT_PARTS_1(f, t##2, lo, hi)  \
  __RT_PARTS_1(f, t##3, s01, s2) \
  __RT_PARTS_1(f, t##4, lo, hi)  \
  __RT_PARTS_1(f, t##8, lo, hi)  \
  __RT_PARTS_1(f, t##16, lo, hi)
#define __RT_MAP_2(f, t, u)            \
  __RT_PARTS_2(f, t##2, u##2, lo, hi)  \
  __RT_PARTS_2(f, t##3, u##3, s01, s2) \
  __RT_PARTS_2(f, t##4, u##4, lo, hi)  \
  __RT_PARTS_2(f, t##8, u##8, lo, hi)  \
  __RT_PARTS_2(f, t##16, u##16, lo, hi)
#define __RT_MAP_3(f, t)         \
  __RT_PARTS_3(f, t##2, lo, hi)  \
  __RT_PARTS_3(f, t##3, s01, s2) \
  __RT_PARTS_3(f, t##4, lo, hi)  \
  __RT_PARTS_3(f, t##8, lo, hi)  \
  __RT_PARTS_3(f, t##16, lo, hi)

/* ---- work items ---- */

size_t __regtwin_offset(uint) __attribute__((const));
uint __regtwin_work_dim(void) __attribute__((const));

__RT_ONE uint get_work_dim(void) { return __regtwin_work_dim(); }
__RT size_t get_global_offset(uint __d) { return __regtwin_offset(__d); }
/* 32 bits without the offset: the driver accepts no greater size. libclc answers 0 for sizes of dimensions that do not exist. */
#define __RT_OF_DIM(x, y, z, other) (__d == 0 ? (uint)(x) : __d == 1 ? (uint)(y) : __d == 2 ? (uint)(z) : other)
#define __RT_SREG(r, other) \
  __RT_OF_DIM(__nvvm_read_ptx_sreg_##r##_x(), __nvvm_read_ptx_sreg_##r##_y(), __nvvm_read_ptx_sreg_##r##_z(), other)
__RT size_t get_local_id(uint __d) { return __RT_SREG(tid, 0u); }
__RT size_t get_group_id(uint __d) { return __RT_SREG(ctaid, 0u); }
__RT size_t get_local_size(uint __d) { return __RT_SREG(ntid, 1u); }
__RT size_t get_num_groups(uint __d) { return __RT_SREG(nctaid, 1u); }
__RT size_t get_global_size(uint __d) {
  return __RT_OF_DIM(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x(),
                     __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ntid_y(),
                     __nvvm_read_ptx_sreg_nctaid_z() * __nvvm_read_ptx_sreg_ntid_z(), 1u);
}
__RT size_t get_global_id(uint __d) {
  return __RT_OF_DIM(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x(),
                     __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y(),
                     __nvvm_read_ptx_sreg_ctaid_z() * __nvvm_read_ptx_sreg_ntid_z() + __nvvm_read_ptx_sreg_tid_z(),
                     0u) +
         __regtwin_offset(__d);
}

/* ---- synchronisation ---- */

/* No builtin: across that, clang-14 takes a __local array whose address goes nowhere for the work item's own, and uses
 * an element again that it loaded before. */
__RT_ONE void barrier(cl_mem_fence_flags __flags) { __asm__ volatile("bar.sync 0;" : : : "memory"); }
__RT_ONE void mem_fence(cl_mem_fence_flags __flags) {
  if (__flags & CLK_GLOBAL_MEM_FENCE) __asm__ volatile("membar.gl;" : : : "memory");
  else __asm__ volatile("membar.cta;" : : : "memory");
}
__RT_ONE void read_mem_fence(cl_mem_fence_flags __flags) { mem_fence(__flags); }
__RT_ONE void write_mem_fence(cl_mem_fence_flags __flags) { mem_fence(__flags); }
__RT_ONE void wait_group_events(int __n, event_t *__events) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }

#define __RT_SIZE \
  ((uint)(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z()))
#define __RT_ITEM                                                                                         \
  ((uint)((__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y()) * \
              __nvvm_read_ptx_sreg_ntid_x() +                                                             \
          __nvvm_read_ptx_sreg_tid_x()))
#define __RT_COPY(t)                                                                                                 \
  __RT event_t async_work_group_strided_copy(__local t *__to, const __global t *__from, size_t __n, size_t __stride, \
                                             event_t __e) {                                                          \
    for (size_t __i = __RT_ITEM; __i < __n; __i += __RT_SIZE) __to[__i] = __from[__i * __stride];                    \
    return __e;                                                                                                      \
  }                                                                                                                  \
  __RT event_t async_work_group_strided_copy(__global t *__to, const __local t *__from, size_t __n, size_t __stride, \
                                             event_t __e) {                                                          \
    for (size_t __i = __RT_ITEM; __i < __n; __i += __RT_SIZE) __to[__i * __stride] = __from[__i];                    \
    return __e;                                                                                                      \
  }                                                                                                                  \
  __RT event_t async_work_group_copy(__local t *__to, const __global t *__from, size_t __n, event_t __e) {           \
    return async_work_group_strided_copy(__to, __from, __n, 1, __e);                                                 \
  }                                                                                                                  \
  __RT event_t async_work_group_copy(__global t *__to, const __local t *__from, size_t __n, event_t __e) {           \
    return async_work_group_strided_copy(__to, __from, __n, 1, __e);                                                 \
  }                                                                                                                  \
  __RT void prefetch(const __global t *__p, size_t __n) {}
__RT_TYPES(__RT_WIDTHS_1, __RT_COPY)

/* ---- the special-function unit ---- */

__RT float native_sin(float __x) { return __nvvm_sin_approx_f(__x); }
__RT float native_cos(float __x) { return __nvvm_cos_approx_f(__x); }
__RT float native_tan(float __x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(__x), __nvvm_cos_approx_f(__x)); }
__RT float native_exp2(float __x) { return __nvvm_ex2_approx_f(__x); }
__RT float native_exp(float __x) { return __nvvm_ex2_approx_f(__x * 0x1.715476p+0f); }
__RT float native_exp10(float __x) { return __nvvm_ex2_approx_f(__x * 0x1.a934f0p+1f); }
__RT float native_log2(float __x) { return __nvvm_lg2_approx_f(__x); }
__RT float native_log(float __x) { return __nvvm_lg2_approx_f(__x) * 0x1.62e430p-1f; }
__RT float native_log10(float __x) { return __nvvm_lg2_approx_f(__x) * 0x1.344136p-2f; }
__RT float native_sqrt(float __x) { return __nvvm_sqrt_approx_f(__x); }
__RT float native_rsqrt(float __x) { return __nvvm_rsqrt_approx_f(__x); }
__RT float native_recip(float __x) { return __nvvm_div_approx_f(1.0f, __x); }
__RT float native_divide(float __x, float __y) { return __nvvm_div_approx_f(__x, __y); }
__RT float native_powr(float __x, float __y) { return __nvvm_ex2_approx_f(__y * __nvvm_lg2_approx_f(__x)); }
__RT_MAP_1(native_sin, float)
__RT_MAP_1(native_cos, float)
__RT_MAP_1(native_tan, float)
__RT_MAP_1(native_exp2, float)
__RT_MAP_1(native_exp, float)
__RT_MAP_1(native_exp10, float)
__RT_MAP_1(native_log2, float)
__RT_MAP_1(native_log, float)
__RT_MAP_1(native_log10, float)
__RT_MAP_1(native_sqrt, float)
__RT_MAP_1(native_rsqrt, float)
__RT_MAP_1(native_recip, float)
__RT_MAP_2(native_divide, float, float)
__RT_MAP_2(native_powr, float, float)

/* ---- where libclc 14 is wrong ---- */

/* ldexp: NaN, and exponents that overflow its sums. Steps that keep a result below the normal range from being rounded twice. */
#define __RT_LDEXP(t, n, bias, digits, up, down, step, as)             \
  __RT t ldexp(t __x, int __n) {                                       \
    __n = clamp(__n, -2 * bias - 60, 2 * bias + 60);                   \
    if (__n > bias) {                                                  \
      __x *= up, __n -= bias;                                          \
      if (__n > bias) __x *= up, __n -= bias;                          \
    } else if (__n < 1 - bias) {                                       \
      __x *= down, __n += step;                                        \
      if (__n < 1 - bias) __x *= down, __n += step;                    \
    }                                                                  \
    return __x * as((n)(__n + bias) << digits);                        \
  }                                                                    \
  __RT_MAP_2(ldexp, t, int)                                            \
  __RT t##2 ldexp(t##2 __x, int __n) { return ldexp(__x, (int2)__n); } \
  __RT t##3 ldexp(t##3 __x, int __n) { return ldexp(__x, (int3)__n); } \
  __RT t##4 ldexp(t##4 __x, int __n) { return ldexp(__x, (int4)__n); } \
  __RT t##8 ldexp(t##8 __x, int __n) { return ldexp(__x, (int8)__n); } \
  __RT t##16 ldexp(t##16 __x, int __n) { return ldexp(__x, (int16)__n); }
__RT_LDEXP(float, int, 127, 23, 0x1p127f, 0x1p-102f, 102, as_float)
__RT_LDEXP(double, long, 1023, 52, 0x1p1023, 0x1p-969, 969, as_double)

/* tgamma: the sign at -0, and below 0; a float by way of double. (Doubles keep libclc's error, up to some 1000 ulp.) */
double __rt_tgamma(double) __asm__("_Z6tgammad") __attribute__((const));
__RT double tgamma(double __x) {
  if (__x == 0) return copysign((double)INFINITY, __x);
  if (__x < -184) return __x == floor(__x) ? (double)NAN : 0.0;
  return __rt_tgamma(__x);
}
__RT float tgamma(float __x) { return (float)tgamma((double)__x); }
__RT_MAP_1(tgamma, float)
__RT_MAP_1(tgamma, double)

/* sinh, cosh of doubles: NaN as index of a table. */
#define __RT_GUARDED(f, label)                                                     \
  float __rt_##f(float) __asm__(label "f") __attribute__((overloadable, const));   \
  double __rt_##f(double) __asm__(label "d") __attribute__((overloadable, const)); \
  __RT float f(float __x) { return __rt_##f(__x); }                                \
  __RT double f(double __x) {                                                      \
    double __r = __rt_##f(isnan(__x) ? 0.0 : __x);                                 \
    return isnan(__x) ? __x : __r;                                                 \
  }                                                                                \
  __RT_MAP_1(f, float)                                                             \
  __RT_MAP_1(f, double)
__RT_GUARDED(sinh, "_Z4sinh")
__RT_GUARDED(cosh, "_Z4cosh")

/* rotate: right in libclc, but with branches. (64 bits: rotate.c repairs what LLVM makes of them.) */
#define __RT_ROTATE(t, u, bits)                             \
  __RT t rotate(t __x, t __y) {                             \
    u __m = as_##u(__x), __n = as_##u(__y) & (u)(bits - 1); \
    u __low = __m >> (((u)bits - __n) & (u)(bits - 1));     \
    __low |= __m << __n;                                    \
    return as_##t(__low);                                   \
  }
#define __RT_ROTATES(t, u, bits) \
  __RT_ROTATE(t, u, bits)        \
  __RT_ROTATE(t##2, u##2, bits)  \
  __RT_ROTATE(t##3, u##3, bits)  \
  __RT_ROTATE(t##4, u##4, bits)  \
  __RT_ROTATE(t##8, u##8, bits)  \
  __RT_ROTATE(t##16, u##16, bits)
__RT_ROTATES(char, uchar, 8)
__RT_ROTATES(uchar, uchar, 8)
__RT_ROTATES(short, ushort, 16)
__RT_ROTATES(ushort, ushort, 16)
__RT_ROTATES(int, uint, 32)
__RT_ROTATES(uint, uint, 32)
__RT_ROTATES(long, ulong, 64)
__RT_ROTATES(ulong, ulong, 64)

/* sub_sat of int and long, mad_sat of long: wrong for some values. */
#define __RT_SAT_SMALL(t)                                                         \
  __RT t sub_sat(t __x, t __y) { return convert_##t##_sat((int)__x - (int)__y); } \
  __RT t mad_sat(t __x, t __y, t __z) { return convert_##t##_sat((long)__x * __y + __z); }
__RT_SAT_SMALL(char)
__RT_SAT_SMALL(uchar)
__RT_SAT_SMALL(short)
__RT_SAT_SMALL(ushort)
__RT int sub_sat(int __x, int __y) { return convert_int_sat((long)__x - __y); }
__RT int mad_sat(int __x, int __y, int __z) { return convert_int_sat((long)__x * __y + __z); }
__RT uint sub_sat(uint __x, uint __y) { return __x > __y ? __x - __y : 0; }
__RT uint mad_sat(uint __x, uint __y, uint __z) { return (uint)min((ulong)__x * __y + __z, (ulong)UINT_MAX); }
__RT ulong sub_sat(ulong __x, ulong __y) { return __x > __y ? __x - __y : 0; }
__RT long sub_sat(long __x, long __y) {
  long __r = (long)((ulong)__x - (ulong)__y);
  return ((__x ^ __y) & (__x ^ __r)) >= 0 ? __r : __x < 0 ? LONG_MIN : LONG_MAX;
}
__RT ulong mad_sat(ulong __x, ulong __y, ulong __z) {
  ulong __low = __x * __y, __sum = __low + __z;
  return mul_hi(__x, __y) || __sum < __low ? ULONG_MAX : __sum;
}
__RT long mad_sat(long __x, long __y, long __z) {
  ulong __low = (ulong)__x * (ulong)__y, __sum = __low + (ulong)__z;
  long __high = mul_hi(__x, __y) + (__z >> 63) + (__sum < __low);
  return __high == (long)__sum >> 63 ? (long)__sum : __high < 0 ? LONG_MIN : LONG_MAX;
}
#define __RT_MAP_SAT(t)     \
  __RT_MAP_2(sub_sat, t, t) \
  __RT_MAP_3(mad_sat, t)
__RT_MAP_SAT(char)
__RT_MAP_SAT(uchar)
__RT_MAP_SAT(short)
__RT_MAP_SAT(ushort)
__RT_MAP_SAT(int)
__RT_MAP_SAT(uint)
__RT_MAP_SAT(long)
__RT_MAP_SAT(ulong)

/* ---- integers, interpolation ---- */

#define __RT_MAD_HI(t) \
  __RT t mad_hi(t __a, t __b, t __c) { return mul_hi(__a, __b) + __c; }
__RT_INTEGERS(__RT_WIDTHS_1, __RT_MAD_HI)

#define __RT_STEP_EQUAL(t)                                \
  __RT t smoothstep(t __a, t __b, t __x) {                \
    t __t = clamp((__x - __a) / (__b - __a), (t)0, (t)1); \
    return __t * __t * ((t)3 - (t)2 * __t);               \
  }
#define __RT_STEP_FLOAT(t) \
  __RT t smoothstep(float __a, float __b, t __x) { return smoothstep((t)__a, (t)__b, __x); }
#define __RT_STEP_DOUBLE(t) \
  __RT t smoothstep(double __a, double __b, t __x) { return smoothstep((t)__a, (t)__b, __x); }
__RT_WIDTHS_1(__RT_STEP_EQUAL, float)
__RT_WIDTHS_1(__RT_STEP_EQUAL, double)
__RT_WIDTHS(__RT_STEP_FLOAT, float)
__RT_WIDTHS(__RT_STEP_DOUBLE, double)

/* ---- 16-bit floats in memory; programs also write such memory as integers, so the accesses may alias ---- */

typedef ushort __rt_half __attribute__((may_alias));

__RT float __rt_from_half(ushort __h) {
  float __f;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(__f) : "h"(__h));
  return __f;
}
#define __RT_TO_HALF(round, rm)                                   \
  __RT ushort __rt_to_half##round(float __x) {                    \
    ushort __h;                                                   \
    __asm__("cvt." rm ".f16.f32 %0, %1;" : "=h"(__h) : "f"(__x)); \
    return __h;                                                   \
  }                                                               \
  __RT ushort __rt_to_half##round(double __x) {                   \
    ushort __h;                                                   \
    __asm__("cvt." rm ".f16.f64 %0, %1;" : "=h"(__h) : "d"(__x)); \
    return __h;                                                   \
  }
__RT_TO_HALF(, "rn")
__RT_TO_HALF(_rte, "rn")
__RT_TO_HALF(_rtz, "rz")
__RT_TO_HALF(_rtp, "rp")
__RT_TO_HALF(_rtn, "rm")

#define __RT_LOAD_HALF(name, n, step, space)                                           \
  __RT float##n name##n(size_t __at, const space half *__p) {                          \
    const space __rt_half *__h = (const space __rt_half *)__p + __at * step;           \
    float##n __r;                                                                      \
    for (int __i = 0; __i < n; __i++) ((float *)&__r)[__i] = __rt_from_half(__h[__i]); \
    return __r;                                                                        \
  }
#define __RT_LOAD_HALVES(space)                                                                \
  __RT float vload_half(size_t __at, const space half *__p) {                                  \
    return __rt_from_half(((const space __rt_half *)__p)[__at]);                               \
  }                                                                                            \
  __RT float vloada_half(size_t __at, const space half *__p) { return vload_half(__at, __p); } \
  __RT_LOAD_HALF(vload_half, 2, 2, space)                                                      \
  __RT_LOAD_HALF(vload_half, 3, 3, space)                                                      \
  __RT_LOAD_HALF(vload_half, 4, 4, space)                                                      \
  __RT_LOAD_HALF(vload_half, 8, 8, space)                                                      \
  __RT_LOAD_HALF(vload_half, 16, 16, space)                                                    \
  __RT_LOAD_HALF(vloada_half, 2, 2, space)                                                     \
  __RT_LOAD_HALF(vloada_half, 3, 4, space)                                                     \
  __RT_LOAD_HALF(vloada_half, 4, 4, space)                                                     \
  __RT_LOAD_HALF(vloada_half, 8, 8, space)                                                     \
  __RT_LOAD_HALF(vloada_half, 16, 16, space)
__RT_LOAD_HALVES(__global)
__RT_LOAD_HALVES(__local)
__RT_LOAD_HALVES(__constant)
__RT_LOAD_HALVES(__private)

#define __RT_STORE_HALF(t, name, n, step, round, space)                                 \
  __RT void name##n##round(t##n __x, size_t __at, space half *__p) {                    \
    space __rt_half *__h = (space __rt_half *)__p + __at * step;                        \
    for (int __i = 0; __i < n; __i++) __h[__i] = __rt_to_half##round(((t *)&__x)[__i]); \
  }
#define __RT_STORE_ROUND(t, round, space)                                                                    \
  __RT void vstore_half##round(t __x, size_t __at, space half *__p) {                                        \
    ((space __rt_half *)__p)[__at] = __rt_to_half##round(__x);                                               \
  }                                                                                                          \
  __RT void vstorea_half##round(t __x, size_t __at, space half *__p) { vstore_half##round(__x, __at, __p); } \
  __RT_STORE_HALF(t, vstore_half, 2, 2, round, space)                                                        \
  __RT_STORE_HALF(t, vstore_half, 3, 3, round, space)                                                        \
  __RT_STORE_HALF(t, vstore_half, 4, 4, round, space)                                                        \
  __RT_STORE_HALF(t, vstore_half, 8, 8, round, space)                                                        \
  __RT_STORE_HALF(t, vstore_half, 16, 16, round, space)                                                      \
  __RT_STORE_HALF(t, vstorea_half, 2, 2, round, space)                                                       \
  __RT_STORE_HALF(t, vstorea_half, 3, 4, round, space)                                                       \
  __RT_STORE_HALF(t, vstorea_half, 4, 4, round, space)                                                       \
  __RT_STORE_HALF(t, vstorea_half, 8, 8, round, space)                                                       \
  __RT_STORE_HALF(t, vstorea_half, 16, 16, round, space)
#define __RT_STORE_SPACE(t, round) \
  __RT_STORE_ROUND(t, round, __global) __RT_STORE_ROUND(t, round, __local) __RT_STORE_ROUND(t, round, __private)
#define __RT_STORE_HALVES(t) \
  __RT_STORE_SPACE(t, )      \
  __RT_STORE_SPACE(t, _rte) __RT_STORE_SPACE(t, _rtz) __RT_STORE_SPACE(t, _rtp) __RT_STORE_SPACE(t, _rtn)
__RT_STORE_HALVES(float)
__RT_STORE_HALVES(double)

/* ---- printf: the arguments, up to 127 as C99 asks for, in a structure, as CUDA's vprintf takes them; pointers as generic addresses, null
 * pointers as 0: the null of __local and __constant is an address that a variable can have, so only constants are known ---- */

int vprintf(ulong, ulong);

#define __RT_PASS(t) \
  __RT t __rt_pass(t __x) { return __x; }
__RT int __rt_pass(char __x) { return __x; }
__RT int __rt_pass(uchar __x) { return __x; }
__RT int __rt_pass(short __x) { return __x; }
__RT int __rt_pass(ushort __x) { return __x; }
__RT double __rt_pass(float __x) { return __x; }
__RT_PASS(int)
__RT_PASS(uint)
__RT_PASS(long)
__RT_PASS(ulong)
__RT_PASS(double)
__RT_TYPES(__RT_WIDTHS, __RT_PASS)
#define __RT_PASS_POINTER(space, cvta)                          \
  __RT ulong __rt_pass(const volatile space void *__p) {        \
    ulong __r;                                                  \
    if (__builtin_constant_p((ulong)__p) && !__p) return 0;     \
    __asm__(cvta ".u64 %0, %1;" : "=l"(__r) : "l"((ulong)__p)); \
    return __r;                                                 \
  }
__RT_PASS_POINTER(__global, "cvta.global")
__RT_PASS_POINTER(__local, "cvta.shared")
__RT_PASS_POINTER(__constant, "cvta.const")
__RT ulong __rt_pass(const volatile __private void *__p) { return (ulong)__p; }
__RT ulong __rt_pass(__private void *__p) { return (ulong)__p; } /* NULL itself, which all of them would take */

/* Arguments are evaluated outside of the structure, within which clang takes (int4)(i, 0, 0, 0) for a constant at file scope. */
#define __RT_D(i, x)                          \
  typedef __typeof__(__rt_pass(x)) __type##i; \
  const __type##i __v##i = __rt_pass(x);
#define __RT_F(i, x) __type##i __a##i;
#define __RT_V(i, x) __v##i,
#define __RT_E0(X, ...)
#define __RT_E1(X, i, x, ...) X(1##i, x)
#define __RT_E2(X, i, x, ...) X(2##i, x) __RT_E1(X, i, __VA_ARGS__)
#define __RT_E3(X, i, x, ...) X(3##i, x) __RT_E2(X, i, __VA_ARGS__)
#define __RT_E4(X, i, x, ...) X(4##i, x) __RT_E3(X, i, __VA_ARGS__)
#define __RT_E5(X, i, x, ...) X(5##i, x) __RT_E4(X, i, __VA_ARGS__)
#define __RT_E6(X, i, x, ...) X(6##i, x) __RT_E5(X, i, __VA_ARGS__)
#define __RT_E7(X, i, x, ...) X(7##i, x) __RT_E6(X, i, __VA_ARGS__)
#define __RT_E8(X, i, x, ...) X(8##i, x) __RT_E7(X, i, __VA_ARGS__)
#define __RT_E9(X, i, x, ...) X(9##i, x) __RT_E8(X, i, __VA_ARGS__)
#define __RT_E10(X, i, x, ...) X(10##i, x) __RT_E9(X, i, __VA_ARGS__)
#define __RT_E11(X, i, x, ...) X(11##i, x) __RT_E10(X, i, __VA_ARGS__)
#define __RT_E12(X, i, x, ...) X(12##i, x) __RT_E11(X, i, __VA_ARGS__)
#define __RT_E13(X, i, x, ...) X(13##i, x) __RT_E12(X, i, __VA_ARGS__)
#define __RT_E14(X, i, x, ...) X(14##i, x) __RT_E13(X, i, __VA_ARGS__)
#define __RT_E15(X, i, x, ...) X(15##i, x) __RT_E14(X, i, __VA_ARGS__)
#define __RT_E16(X, i, x, ...) X(16##i, x) __RT_E15(X, i, __VA_ARGS__)
#define __RT_E17(X, i, x, ...) X(17##i, x) __RT_E16(X, i, __VA_ARGS__)
#define __RT_E18(X, i, x, ...) X(18##i, x) __RT_E17(X, i, __VA_ARGS__)
#define __RT_E19(X, i, x, ...) X(19##i, x) __RT_E18(X, i, __VA_ARGS__)
#define __RT_E20(X, i, x, ...) X(20##i, x) __RT_E19(X, i, __VA_ARGS__)
#define __RT_E21(X, i, x, ...) X(21##i, x) __RT_E20(X, i, __VA_ARGS__)
#define __RT_E22(X, i, x, ...) X(22##i, x) __RT_E21(X, i, __VA_ARGS__)
#define __RT_E23(X, i, x, ...) X(23##i, x) __RT_E22(X, i, __VA_ARGS__)
#define __RT_E24(X, i, x, ...) X(24##i, x) __RT_E23(X, i, __VA_ARGS__)
#define __RT_E25(X, i, x, ...) X(25##i, x) __RT_E24(X, i, __VA_ARGS__)
#define __RT_E26(X, i, x, ...) X(26##i, x) __RT_E25(X, i, __VA_ARGS__)
#define __RT_E27(X, i, x, ...) X(27##i, x) __RT_E26(X, i, __VA_ARGS__)
#define __RT_E28(X, i, x, ...) X(28##i, x) __RT_E27(X, i, __VA_ARGS__)
#define __RT_E29(X, i, x, ...) X(29##i, x) __RT_E28(X, i, __VA_ARGS__)
#define __RT_E30(X, i, x, ...) X(30##i, x) __RT_E29(X, i, __VA_ARGS__)
#define __RT_E31(X, i, x, ...) X(31##i, x) __RT_E30(X, i, __VA_ARGS__)
#define __RT_E32(X, i, x, ...) X(32##i, x) __RT_E31(X, i, __VA_ARGS__)
#define __RT_E33(X, i, x, ...) X(33##i, x) __RT_E32(X, i, __VA_ARGS__)
#define __RT_E34(X, i, x, ...) X(34##i, x) __RT_E33(X, i, __VA_ARGS__)
#define __RT_E35(X, i, x, ...) X(35##i, x) __RT_E34(X, i, __VA_ARGS__)
#define __RT_E36(X, i, x, ...) X(36##i, x) __RT_E35(X, i, __VA_ARGS__)
#define __RT_E37(X, i, x, ...) X(37##i, x) __RT_E36(X, i, __VA_ARGS__)
#define __RT_E38(X, i, x, ...) X(38##i, x) __RT_E37(X, i, __VA_ARGS__)
#define __RT_E39(X, i, x, ...) X(39##i, x) __RT_E38(X, i, __VA_ARGS__)
#define __RT_E40(X, i, x, ...) X(40##i, x) __RT_E39(X, i, __VA_ARGS__)
#define __RT_E41(X, i, x, ...) X(41##i, x) __RT_E40(X, i, __VA_ARGS__)
#define __RT_E42(X, i, x, ...) X(42##i, x) __RT_E41(X, i, __VA_ARGS__)
#define __RT_E43(X, i, x, ...) X(43##i, x) __RT_E42(X, i, __VA_ARGS__)
#define __RT_E44(X, i, x, ...) X(44##i, x) __RT_E43(X, i, __VA_ARGS__)
#define __RT_E45(X, i, x, ...) X(45##i, x) __RT_E44(X, i, __VA_ARGS__)
#define __RT_E46(X, i, x, ...) X(46##i, x) __RT_E45(X, i, __VA_ARGS__)
#define __RT_E47(X, i, x, ...) X(47##i, x) __RT_E46(X, i, __VA_ARGS__)
#define __RT_E48(X, i, x, ...) X(48##i, x) __RT_E47(X, i, __VA_ARGS__)
#define __RT_E49(X, i, x, ...) X(49##i, x) __RT_E48(X, i, __VA_ARGS__)
#define __RT_E50(X, i, x, ...) X(50##i, x) __RT_E49(X, i, __VA_ARGS__)
#define __RT_E51(X, i, x, ...) X(51##i, x) __RT_E50(X, i, __VA_ARGS__)
#define __RT_E52(X, i, x, ...) X(52##i, x) __RT_E51(X, i, __VA_ARGS__)
#define __RT_E53(X, i, x, ...) X(53##i, x) __RT_E52(X, i, __VA_ARGS__)
#define __RT_E54(X, i, x, ...) X(54##i, x) __RT_E53(X, i, __VA_ARGS__)
#define __RT_E55(X, i, x, ...) X(55##i, x) __RT_E54(X, i, __VA_ARGS__)
#define __RT_E56(X, i, x, ...) X(56##i, x) __RT_E55(X, i, __VA_ARGS__)
#define __RT_E57(X, i, x, ...) X(57##i, x) __RT_E56(X, i, __VA_ARGS__)
#define __RT_E58(X, i, x, ...) X(58##i, x) __RT_E57(X, i, __VA_ARGS__)
#define __RT_E59(X, i, x, ...) X(59##i, x) __RT_E58(X, i, __VA_ARGS__)
#define __RT_E60(X, i, x, ...) X(60##i, x) __RT_E59(X, i, __VA_ARGS__)
#define __RT_E61(X, i, x, ...) X(61##i, x) __RT_E60(X, i, __VA_ARGS__)
#define __RT_E62(X, i, x, ...) X(62##i, x) __RT_E61(X, i, __VA_ARGS__)
#define __RT_E63(X, i, x, ...) X(63##i, x) __RT_E62(X, i, __VA_ARGS__)
#define __RT_E64(X, i, x, ...) X(64##i, x) __RT_E63(X, i, __VA_ARGS__)
#define __RT_E65(X, i, x, ...) X(65##i, x) __RT_E64(X, i, __VA_ARGS__)
#define __RT_E66(X, i, x, ...) X(66##i, x) __RT_E65(X, i, __VA_ARGS__)
#define __RT_E67(X, i, x, ...) X(67##i, x) __RT_E66(X, i, __VA_ARGS__)
#define __RT_E68(X, i, x, ...) X(68##i, x) __RT_E67(X, i, __VA_ARGS__)
#define __RT_E69(X, i, x, ...) X(69##i, x) __RT_E68(X, i, __VA_ARGS__)
#define __RT_E70(X, i, x, ...) X(70##i, x) __RT_E69(X, i, __VA_ARGS__)
#define __RT_E71(X, i, x, ...) X(71##i, x) __RT_E70(X, i, __VA_ARGS__)
#define __RT_E72(X, i, x, ...) X(72##i, x) __RT_E71(X, i, __VA_ARGS__)
#define __RT_E73(X, i, x, ...) X(73##i, x) __RT_E72(X, i, __VA_ARGS__)
#define __RT_E74(X, i, x, ...) X(74##i, x) __RT_E73(X, i, __VA_ARGS__)
#define __RT_E75(X, i, x, ...) X(75##i, x) __RT_E74(X, i, __VA_ARGS__)
#define __RT_E76(X, i, x, ...) X(76##i, x) __RT_E75(X, i, __VA_ARGS__)
#define __RT_E77(X, i, x, ...) X(77##i, x) __RT_E76(X, i, __VA_ARGS__)
#define __RT_E78(X, i, x, ...) X(78##i, x) __RT_E77(X, i, __VA_ARGS__)
#define __RT_E79(X, i, x, ...) X(79##i, x) __RT_E78(X, i, __VA_ARGS__)
#define __RT_E80(X, i, x, ...) X(80##i, x) __RT_E79(X, i, __VA_ARGS__)
#define __RT_E81(X, i, x, ...) X(81##i, x) __RT_E80(X, i, __VA_ARGS__)
#define __RT_E82(X, i, x, ...) X(82##i, x) __RT_E81(X, i, __VA_ARGS__)
#define __RT_E83(X, i, x, ...) X(83##i, x) __RT_E82(X, i, __VA_ARGS__)
#define __RT_E84(X, i, x, ...) X(84##i, x) __RT_E83(X, i, __VA_ARGS__)
#define __RT_E85(X, i, x, ...) X(85##i, x) __RT_E84(X, i, __VA_ARGS__)
#define __RT_E86(X, i, x, ...) X(86##i, x) __RT_E85(X, i, __VA_ARGS__)
#define __RT_E87(X, i, x, ...) X(87##i, x) __RT_E86(X, i, __VA_ARGS__)
#define __RT_E88(X, i, x, ...) X(88##i, x) __RT_E87(X, i, __VA_ARGS__)
#define __RT_E89(X, i, x, ...) X(89##i, x) __RT_E88(X, i, __VA_ARGS__)
#define __RT_E90(X, i, x, ...) X(90##i, x) __RT_E89(X, i, __VA_ARGS__)
#define __RT_E91(X, i, x, ...) X(91##i, x) __RT_E90(X, i, __VA_ARGS__)
#define __RT_E92(X, i, x, ...) X(92##i, x) __RT_E91(X, i, __VA_ARGS__)
#define __RT_E93(X, i, x, ...) X(93##i, x) __RT_E92(X, i, __VA_ARGS__)
#define __RT_E94(X, i, x, ...) X(94##i, x) __RT_E93(X, i, __VA_ARGS__)
#define __RT_E95(X, i, x, ...) X(95##i, x) __RT_E94(X, i, __VA_ARGS__)
#define __RT_E96(X, i, x, ...) X(96##i, x) __RT_E95(X, i, __VA_ARGS__)
#define __RT_E97(X, i, x, ...) X(97##i, x) __RT_E96(X, i, __VA_ARGS__)
#define __RT_E98(X, i, x, ...) X(98##i, x) __RT_E97(X, i, __VA_ARGS__)
#define __RT_E99(X, i, x, ...) X(99##i, x) __RT_E98(X, i, __VA_ARGS__)
#define __RT_E100(X, i, x, ...) X(100##i, x) __RT_E99(X, i, __VA_ARGS__)
#define __RT_E101(X, i, x, ...) X(101##i, x) __RT_E100(X, i, __VA_ARGS__)
#define __RT_E102(X, i, x, ...) X(102##i, x) __RT_E101(X, i, __VA_ARGS__)
#define __RT_E103(X, i, x, ...) X(103##i, x) __RT_E102(X, i, __VA_ARGS__)
#define __RT_E104(X, i, x, ...) X(104##i, x) __RT_E103(X, i, __VA_ARGS__)
#define __RT_E105(X, i, x, ...) X(105##i, x) __RT_E104(X, i, __VA_ARGS__)
#define __RT_E106(X, i, x, ...) X(106##i, x) __RT_E105(X, i, __VA_ARGS__)
#define __RT_E107(X, i, x, ...) X(107##i, x) __RT_E106(X, i, __VA_ARGS__)
#define __RT_E108(X, i, x, ...) X(108##i, x) __RT_E107(X, i, __VA_ARGS__)
#define __RT_E109(X, i, x, ...) X(109##i, x) __RT_E108(X, i, __VA_ARGS__)
#define __RT_E110(X, i, x, ...) X(110##i, x) __RT_E109(X, i, __VA_ARGS__)
#define __RT_E111(X, i, x, ...) X(111##i, x) __RT_E110(X, i, __VA_ARGS__)
#define __RT_E112(X, i, x, ...) X(112##i, x) __RT_E111(X, i, __VA_ARGS__)
#define __RT_E113(X, i, x, ...) X(113##i, x) __RT_E112(X, i, __VA_ARGS__)
#define __RT_E114(X, i, x, ...) X(114##i, x) __RT_E113(X, i, __VA_ARGS__)
#define __RT_E115(X, i, x, ...) X(115##i, x) __RT_E114(X, i, __VA_ARGS__)
#define __RT_E116(X, i, x, ...) X(116##i, x) __RT_E115(X, i, __VA_ARGS__)
#define __RT_E117(X, i, x, ...) X(117##i, x) __RT_E116(X, i, __VA_ARGS__)
#define __RT_E118(X, i, x, ...) X(118##i, x) __RT_E117(X, i, __VA_ARGS__)
#define __RT_E119(X, i, x, ...) X(119##i, x) __RT_E118(X, i, __VA_ARGS__)
#define __RT_E120(X, i, x, ...) X(120##i, x) __RT_E119(X, i, __VA_ARGS__)
#define __RT_E121(X, i, x, ...) X(121##i, x) __RT_E120(X, i, __VA_ARGS__)
#define __RT_E122(X, i, x, ...) X(122##i, x) __RT_E121(X, i, __VA_ARGS__)
#define __RT_E123(X, i, x, ...) X(123##i, x) __RT_E122(X, i, __VA_ARGS__)
#define __RT_E124(X, i, x, ...) X(124##i, x) __RT_E123(X, i, __VA_ARGS__)
#define __RT_E125(X, i, x, ...) X(125##i, x) __RT_E124(X, i, __VA_ARGS__)
#define __RT_E126(X, i, x, ...) X(126##i, x) __RT_E125(X, i, __VA_ARGS__)
#define __RT_E127(X, i, x, ...) X(127##i, x) __RT_E126(X, i, __VA_ARGS__)
#define __RT_CHOOSE(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20,     \
                    _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, _38, _39,     \
                    _40, _41, _42, _43, _44, _45, _46, _47, _48, _49, _50, _51, _52, _53, _54, _55, _56, _57, _58,     \
                    _59, _60, _61, _62, _63, _64, _65, _66, _67, _68, _69, _70, _71, _72, _73, _74, _75, _76, _77,     \
                    _78, _79, _80, _81, _82, _83, _84, _85, _86, _87, _88, _89, _90, _91, _92, _93, _94, _95, _96,     \
                    _97, _98, _99, _100, _101, _102, _103, _104, _105, _106, _107, _108, _109, _110, _111, _112, _113, \
                    _114, _115, _116, _117, _118, _119, _120, _121, _122, _123, _124, _125, _126, _127, n, ...)        \
  n
#define __RT_EACH(X, ...)                                                                                           \
  __RT_CHOOSE(                                                                                                      \
      0, ##__VA_ARGS__, __RT_E127, __RT_E126, __RT_E125, __RT_E124, __RT_E123, __RT_E122, __RT_E121, __RT_E120,     \
      __RT_E119, __RT_E118, __RT_E117, __RT_E116, __RT_E115, __RT_E114, __RT_E113, __RT_E112, __RT_E111, __RT_E110, \
      __RT_E109, __RT_E108, __RT_E107, __RT_E106, __RT_E105, __RT_E104, __RT_E103, __RT_E102, __RT_E101, __RT_E100, \
      __RT_E99, __RT_E98, __RT_E97, __RT_E96, __RT_E95, __RT_E94, __RT_E93, __RT_E92, __RT_E91, __RT_E90, __RT_E89, \
      __RT_E88, __RT_E87, __RT_E86, __RT_E85, __RT_E84, __RT_E83, __RT_E82, __RT_E81, __RT_E80, __RT_E79, __RT_E78, \
      __RT_E77, __RT_E76, __RT_E75, __RT_E74, __RT_E73, __RT_E72, __RT_E71, __RT_E70, __RT_E69, __RT_E68, __RT_E67, \
      __RT_E66, __RT_E65, __RT_E64, __RT_E63, __RT_E62, __RT_E61, __RT_E60, __RT_E59, __RT_E58, __RT_E57, __RT_E56, \
      __RT_E55, __RT_E54, __RT_E53, __RT_E52, __RT_E51, __RT_E50, __RT_E49, __RT_E48, __RT_E47, __RT_E46, __RT_E45, \
      __RT_E44, __RT_E43, __RT_E42, __RT_E41, __RT_E40, __RT_E39, __RT_E38, __RT_E37, __RT_E36, __RT_E35, __RT_E34, \
      __RT_E33, __RT_E32, __RT_E31, __RT_E30, __RT_E29, __RT_E28, __RT_E27, __RT_E26, __RT_E25, __RT_E24, __RT_E23, \
      __RT_E22, __RT_E21, __RT_E20, __RT_E19, __RT_E18, __RT_E17, __RT_E16, __RT_E15, __RT_E14, __RT_E13, __RT_E12, \
      __RT_E11, __RT_E10, __RT_E9, __RT_E8, __RT_E7, __RT_E6, __RT_E5, __RT_E4, __RT_E3, __RT_E2, __RT_E1, __RT_E0) \
  (X, , ##__VA_ARGS__)

/* (0 && printf) lets clang compare format and arguments. */
#define printf(fmt, ...)                                          \
  ({                                                              \
    __RT_EACH(__RT_D, ##__VA_ARGS__)                              \
    struct {                                                      \
      int __empty[0];                                             \
      __RT_EACH(__RT_F, ##__VA_ARGS__)                            \
    } __rt_arguments = {{}, __RT_EACH(__RT_V, ##__VA_ARGS__)};    \
    (void)(0 && printf(fmt, ##__VA_ARGS__));                      \
    vprintf(__rt_pass(fmt), (ulong)&__rt_arguments) < 0 ? -1 : 0; \
  })

#endif
