/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_cvtfloat: cvt between floating-point types: widening, narrowing in any mode, rounding to an integral
 * value in the same type, tf32, and packing of two f32. NaN becomes the result type's canonical NaN. .ftz
 * concerns the f32 sides only.
 */
#include "exec/alu_fp.h"

enum { F16_, BF16_, F32_, F64_ };

struct mode {
  uint32_t ftz, sat, relu;
}; /* 0 or 1 */
INLINE struct mode cvtfloat_mode(const struct insn *i) {
  return (struct mode){(i->mods & M_FTZ) != 0, (i->mods & M_SAT) != 0, (i->mods & M_RELU) != 0};
}
INLINE uint32_t cvtfloat_flush_if(uint32_t b, uint32_t ftz) { return u32_select(ftz, f32_flush(b), b); }

/* To f64 bits, exact; the NaN is some NaN. */
INLINE uint64_t cvtfloat_widen(int from, const uint32_t *p, unsigned l, uint32_t ftz) {
  switch (from) {
    case F16_: return of_f64((double)f32_of_f16(p[l] & 0xffff));
    case BF16_: return of_f64((double)f32_of(p[l] << 16));
    case F32_: return of_f64((double)f32_of(cvtfloat_flush_if(p[l], ftz)));
    default: return LD_u64(p, l);
  }
}
INLINE uint64_t cvtfloat_shorten(int to, uint64_t v, unsigned rnd) {
  switch (to) {
    case F16_: return f16_of_double(v, rnd);
    case BF16_: return bf16_of_double(v, rnd);
    case F32_: return f32_of_double(v, rnd);
    default: return f64_canonical(f64_of(v));
  }
}
INLINE uint64_t cvtfloat_to_integral(uint64_t v, unsigned rnd) {
  const double x = f64_of(v);
  switch (rnd) {
    case R_RNI: return of_f64(__builtin_rint(x));
    case R_RZI: return of_f64(__builtin_trunc(x));
    case R_RMI: return of_f64(__builtin_floor(x));
    case R_RPI: return of_f64(__builtin_ceil(x));
    default: return v;
  }
}
INLINE uint64_t cvtfloat_finish(int to, uint64_t r, struct mode m) {
  const uint32_t w = (uint32_t)r;
  switch (to) {
    case F64_: return u64_select(m.sat, f64_saturate(r), r);
    case F32_: {
      const uint32_t b = cvtfloat_flush_if(w, m.ftz);
      return u32_select(m.sat, f32_saturate(b), b);
    }
    default: {
      const uint32_t b = u32_select(m.relu, h16_relu(w), w);
      return u32_select(m.sat, h16_saturate(to == BF16_, b), b);
    }
  }
}
/* `whole`: the integral rounding, a constant; `rnd`: that to the narrower format. */
INLINE void cvtfloat_rows(int to, int from, const struct insn *i, struct alu_io *io, unsigned whole, unsigned rnd) {
  const struct mode m = cvtfloat_mode(i);
  const uint32_t *pa = io->src[0];
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const uint64_t r = cvtfloat_finish(
        to, cvtfloat_shorten(to, cvtfloat_to_integral(cvtfloat_widen(from, pa, l, m.ftz), whole), rnd), m);
    if (to == F64_) ST_u64(d, l, r);
    else d[l] = (uint32_t)r;
  }
}
#define CONVERT(D, S, to, from) \
  ALU_FN(D##_from_##S) { cvtfloat_rows(to, from, i, io, R_NONE, i->rnd); }
#define INTEGRAL(T, t)                                            \
  ALU_FN(T##_integral) {                                          \
    switch (i->rnd) {                                             \
      case R_RNI: cvtfloat_rows(t, t, i, io, R_RNI, R_RN); break; \
      case R_RZI: cvtfloat_rows(t, t, i, io, R_RZI, R_RN); break; \
      case R_RMI: cvtfloat_rows(t, t, i, io, R_RMI, R_RN); break; \
      case R_RPI: cvtfloat_rows(t, t, i, io, R_RPI, R_RN); break; \
      default: cvtfloat_rows(t, t, i, io, R_NONE, R_RN); break;   \
    }                                                             \
  }
/* clang-format off */
CONVERT(f16, bf16, F16_, BF16_)
CONVERT(f16, f64, F16_, F64_)
CONVERT(bf16, f16, BF16_, F16_)
CONVERT(bf16, f64, BF16_, F64_)
CONVERT(f32, f16, F32_, F16_)
CONVERT(f32, bf16, F32_, BF16_)
CONVERT(f32, f64, F32_, F64_)
CONVERT(f64, f16, F64_, F16_)
CONVERT(f64, bf16, F64_, BF16_)
CONVERT(f64, f32, F64_, F32_)
INTEGRAL(f16, F16_)
INTEGRAL(bf16, BF16_)
INTEGRAL(f32, F32_)
INTEGRAL(f64, F64_)

/* The usual ones, without modifiers. */
ROW1(f32_from_f64_near, f64, u32, f32_canonical((float)a))
ROW1(f64_from_f32_plain, f32, u64, f64_canonical((double)a))
ROW1(f32_from_f16_plain, u32, u32, f32_canonical(f32_of_f16(a & 0xffff)))
ROW1(f32_rni, f32, u32, f32_canonical(__builtin_rintf(a)))
ROW1(f32_rzi, f32, u32, f32_canonical(__builtin_truncf(a)))
ROW1(f32_rmi, f32, u32, f32_canonical(__builtin_floorf(a)))
ROW1(f32_rpi, f32, u32, f32_canonical(__builtin_ceilf(a)))
/* clang-format on */

INLINE uint32_t cvtfloat_shorten16(bool bf, uint32_t a, const struct insn *i, unsigned rnd) {
  const struct mode m = cvtfloat_mode(i);
  return (uint32_t)cvtfloat_finish(bf ? BF16_ : F16_, h16_of_f32(bf, cvtfloat_flush_if(a, m.ftz), rnd), m);
}
ROW1(f16_from_f32, u32, u32, cvtfloat_shorten16(false, a, i, i->rnd))
ROW1(bf16_from_f32, u32, u32, cvtfloat_shorten16(true, a, i, i->rnd))
ROW1(f16_from_f32_near, u32, u32, f16_of_f32(a, R_RN))
ROW1(bf16_from_f32_near, u32, u32, bf16_of_f32(a, R_RN))
/* The first source goes to the high half. */
ROW2(f16x2_from_f32, u32, u32, u32,
     cvtfloat_shorten16(false, a, i, i->rnd) << 16 | cvtfloat_shorten16(false, b, i, i->rnd))
ROW2(bf16x2_from_f32, u32, u32, u32,
     cvtfloat_shorten16(true, a, i, i->rnd) << 16 | cvtfloat_shorten16(true, b, i, i->rnd))

INLINE uint32_t cvtfloat_to_tf32(uint32_t a, unsigned rnd, bool relu) {
  const uint32_t r = tf32_of_f32(a, rnd);
  return relu && r >> 31 ? 0 : r;
}
ROW1(tf32_from_f32, u32, u32, cvtfloat_to_tf32(a, i->rnd, i->mods &M_RELU))

static alu_fn *pick_special(const struct insn *i) {
  const bool near = i->rnd == R_RN || i->rnd == R_RZ, pair = i->nsrc == 2;
  if (i->stype != T_F32) return NULL;
  switch (i->type) {
    case T_TF32:
      if (pair || (!near && i->rnd != R_RNA)) return NULL;
      return mods_in(i, near ? M_RELU : 0) ? tf32_from_f32 : NULL;
    case T_F16X2: return pair && near && mods_in(i, M_FTZ | M_RELU | M_SAT) ? f16x2_from_f32 : NULL;
    case T_BF16X2: return pair && near && mods_in(i, M_RELU) ? bf16x2_from_f32 : NULL;
    default: return NULL;
  }
}

static int cvtfloat_place(unsigned type) {
  switch (type) {
    case T_F16: return F16_;
    case T_BF16: return BF16_;
    case T_F32: return F32_;
    case T_F64: return F64_;
    default: return -1;
  }
}

alu_fn *alu_pick_cvtfloat(const struct insn *i) {
  static alu_fn *const table[4][4] = {
      /* [to][from] */
      {f16_integral, f16_from_bf16, f16_from_f32, f16_from_f64},
      {bf16_from_f16, bf16_integral, bf16_from_f32, bf16_from_f64},
      {f32_from_f16, f32_from_bf16, f32_integral, f32_from_f64},
      {f64_from_f16, f64_from_bf16, f64_from_f32, f64_integral},
  };
  const int to = cvtfloat_place(i->type), from = cvtfloat_place(i->stype);
  if (to < 0 || from < 0 || i->nsrc == 2) return pick_special(i);
  const bool same = to == from, widens = !same && to >= F32_ && to > from, narrows = !same && !widens;
  if (same ? i->rnd != R_NONE && (i->rnd < R_RNI || i->rnd > R_RPI) : false) return NULL;
  if (widens && i->rnd != R_NONE) return NULL;
  if (narrows && (i->rnd < R_RN || i->rnd > R_RP)) return NULL;
  const uint32_t ftz = to == F32_ || from == F32_ ? M_FTZ : 0;
  const uint32_t relu = to < F32_ && from == F32_ && (i->rnd == R_RN || i->rnd == R_RZ) ? M_RELU : 0;
  if (!mods_in(i, M_SAT | ftz | relu) || (i->mods & M_SAT && i->mods & M_RELU)) return NULL;
  if (!i->mods) {
    static alu_fn *const f32_whole[4] = {f32_rni, f32_rzi, f32_rmi, f32_rpi};
    if (to == F32_ && same && i->rnd != R_NONE) return f32_whole[i->rnd - R_RNI];
    if (to == F32_ && from == F64_ && i->rnd == R_RN) return f32_from_f64_near;
    if (to == F64_ && from == F32_) return f64_from_f32_plain;
    if (to == F32_ && from == F16_) return f32_from_f16_plain;
    if (from == F32_ && to == F16_ && i->rnd == R_RN) return f16_from_f32_near;
    if (from == F32_ && to == BF16_ && i->rnd == R_RN) return bf16_from_f32_near;
  }
  return table[to][from];
}
