/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_row: macros for the alu's functions; private to exec/alu*.c.
 *
 * Every function is one loop over 32 lanes. In one pass lane l reads lane l of all its sources and then writes lane l
 * of its destinations, so it does not matter which rows are shared between them: there is no dependence between
 * passes, which EACH_LANE states to the compiler. Functions that read other lanes (shfl, match...) copy their sources
 * first.
 *
 * A lane type T (u16 ... s64, f32, f64, and h16 for the bits of f16 or bf16) has a C type T##_t_ and LD_T / ST_T.
 */
#ifndef RT_EXEC_ALU_ROW_H
#define RT_EXEC_ALU_ROW_H

#include <stddef.h>
#include <string.h>

#include "exec/alu.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH_LANE(l) _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (unsigned l = 0; l < 32; l++)
#else
#define EACH_LANE(l) _Pragma("GCC ivdep") for (unsigned l = 0; l < 32; l++)
#endif

typedef uint16_t u16_t_, h16_t_;
typedef int16_t s16_t_;
typedef uint32_t u32_t_;
typedef int32_t s32_t_;
typedef uint64_t u64_t_;
typedef int64_t s64_t_;
typedef float f32_t_;
typedef double f64_t_;
typedef unsigned __int128 u128;

INLINE float f32_of(uint32_t b) {
  float x;
  memcpy(&x, &b, 4);
  return x;
}
INLINE uint32_t of_f32(float x) {
  uint32_t b;
  memcpy(&b, &x, 4);
  return b;
}
INLINE double f64_of(uint64_t b) {
  double x;
  memcpy(&x, &b, 8);
  return x;
}
INLINE uint64_t of_f64(double x) {
  uint64_t b;
  memcpy(&b, &x, 8);
  return b;
}

/* The upper half of a product. */
INLINE uint64_t mulhi_u64(uint64_t a, uint64_t b) { return (uint64_t)((u128)a * b >> 64); }
INLINE uint64_t mulhi_s64(int64_t a, int64_t b) { return (uint64_t)((__int128)a * b >> 64); }
INLINE uint32_t mulhi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
INLINE uint32_t mulhi_s32(int32_t a, int32_t b) { return (uint32_t)((uint64_t)((int64_t)a * b) >> 32); }

INLINE uint64_t LD_u64(const uint32_t *p, unsigned l) { return p[l] | (uint64_t)p[32 + l] << 32; }
INLINE uint32_t LD_u32(const uint32_t *p, unsigned l) { return p[l]; }
INLINE uint16_t LD_u16(const uint32_t *p, unsigned l) { return (uint16_t)p[l]; }
INLINE uint16_t LD_h16(const uint32_t *p, unsigned l) { return (uint16_t)p[l]; }
INLINE uint8_t LD_u8(const uint32_t *p, unsigned l) { return (uint8_t)p[l]; }
INLINE int64_t LD_s64(const uint32_t *p, unsigned l) { return (int64_t)LD_u64(p, l); }
INLINE int32_t LD_s32(const uint32_t *p, unsigned l) { return (int32_t)p[l]; }
INLINE int16_t LD_s16(const uint32_t *p, unsigned l) { return (int16_t)p[l]; }
INLINE int8_t LD_s8(const uint32_t *p, unsigned l) { return (int8_t)p[l]; }
INLINE float LD_f32(const uint32_t *p, unsigned l) { return f32_of(p[l]); }
INLINE double LD_f64(const uint32_t *p, unsigned l) { return f64_of(LD_u64(p, l)); }

INLINE void ST_u64(uint32_t *p, unsigned l, uint64_t x) {
  p[l] = (uint32_t)x;
  p[32 + l] = (uint32_t)(x >> 32);
}
INLINE void ST_u32(uint32_t *p, unsigned l, uint32_t x) { p[l] = x; }
INLINE void ST_u16(uint32_t *p, unsigned l, uint32_t x) { p[l] = x & 0xffff; }
INLINE void ST_h16(uint32_t *p, unsigned l, uint32_t x) { p[l] = x & 0xffff; }
INLINE void ST_s64(uint32_t *p, unsigned l, int64_t x) { ST_u64(p, l, (uint64_t)x); }
INLINE void ST_s32(uint32_t *p, unsigned l, int32_t x) { p[l] = (uint32_t)x; }
INLINE void ST_s16(uint32_t *p, unsigned l, int32_t x) { p[l] = (uint32_t)x & 0xffff; }
INLINE void ST_f32(uint32_t *p, unsigned l, float x) { p[l] = of_f32(x); }
INLINE void ST_f64(uint32_t *p, unsigned l, double x) { ST_u64(p, l, of_f64(x)); }

#define ALU_FN(name) static void name(const struct insn *i, struct alu_io *io)

/* name(i, io) with typed lane values a, b, c and a result expression; i is at hand for its modifiers. */
#define ROW1(name, T, R, expr)        \
  ALU_FN(name) {                      \
    (void)i;                          \
    const uint32_t *pa = io->src[0];  \
    uint32_t *d = io->dst[0];         \
    EACH_LANE(l) {                    \
      const T##_t_ a = LD_##T(pa, l); \
      ST_##R(d, l, expr);             \
    }                                 \
  }
#define ROW2(name, T, U, R, expr)                      \
  ALU_FN(name) {                                       \
    (void)i;                                           \
    const uint32_t *pa = io->src[0], *pb = io->src[1]; \
    uint32_t *d = io->dst[0];                          \
    EACH_LANE(l) {                                     \
      const T##_t_ a = LD_##T(pa, l);                  \
      const U##_t_ b = LD_##U(pb, l);                  \
      ST_##R(d, l, expr);                              \
    }                                                  \
  }
#define ROW3(name, T, U, V, R, expr)                                     \
  ALU_FN(name) {                                                         \
    (void)i;                                                             \
    const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = io->src[2]; \
    uint32_t *d = io->dst[0];                                            \
    EACH_LANE(l) {                                                       \
      const T##_t_ a = LD_##T(pa, l);                                    \
      const U##_t_ b = LD_##U(pb, l);                                    \
      const V##_t_ c = LD_##V(pc, l);                                    \
      ST_##R(d, l, expr);                                                \
    }                                                                    \
  }

/* Whether the instruction's modifiers are all among these; else the picker refuses. */
INLINE bool mods_in(const struct insn *i, uint32_t allowed) { return !(i->mods & ~allowed); }

/* Place of an integer type in a table [6] by width and sign; -1: none of these. */
INLINE int int_index(unsigned type) {
  switch (type) {
    case T_U16: return 0;
    case T_S16: return 1;
    case T_U32: return 2;
    case T_S32: return 3;
    case T_U64: return 4;
    case T_S64: return 5;
    default: return -1;
  }
}
/* Place of a type by its width 16, 32, 64 in a table [3], for operations on bits; -1: none of these. */
INLINE int width_index(unsigned type) {
  switch (type) {
    case T_U16:
    case T_S16:
    case T_B16:
    case T_F16:
    case T_BF16: return 0;
    case T_U32:
    case T_S32:
    case T_B32:
    case T_F32:
    case T_F16X2:
    case T_BF16X2:
    case T_TF32: return 1;
    case T_U64:
    case T_S64:
    case T_B64:
    case T_F64: return 2;
    default: return -1;
  }
}
INLINE bool type_is_bits(unsigned type) { return type == T_B16 || type == T_B32 || type == T_B64; }

/* One picker per family; each owns the opcodes named in alu.c. */
alu_fn *alu_pick_int(const struct insn *i);
alu_fn *alu_pick_carry(const struct insn *i);
alu_fn *alu_pick_divide(const struct insn *i);
alu_fn *alu_pick_bits(const struct insn *i);
alu_fn *alu_pick_field(const struct insn *i);
alu_fn *alu_pick_float(const struct insn *i);
alu_fn *alu_pick_minmax(const struct insn *i);
alu_fn *alu_pick_half(const struct insn *i);
alu_fn *alu_pick_approx(const struct insn *i);
alu_fn *alu_pick_compare(const struct insn *i);
alu_fn *alu_pick_select(const struct insn *i);
alu_fn *alu_pick_convert(const struct insn *i);
alu_fn *alu_pick_cvtfloat(const struct insn *i);
alu_fn *alu_pick_move(const struct insn *i);
alu_fn *alu_pick_warp(const struct insn *i);
alu_fn *alu_pick_mma(const struct insn *i);
alu_fn *alu_pick_movmatrix(const struct insn *i);

#endif
