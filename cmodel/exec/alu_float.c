/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_float: f32 and f64 arithmetic. Round-to-nearest is the host's own, contraction off; f32 in the other
 * modes goes through a double rounded to odd, f64 through integers (alu_soft.c).
 */
#include "exec/alu_fp.h"

enum { ADD_, SUB_, MUL_, FMA_, DIV_, RCP_, SQRT_ };

INLINE uint32_t float_finish32(uint32_t b, bool ftz, bool sat) {
  b = f32_flush_if(b, ftz);
  return sat ? f32_saturate(b) : b;
}

INLINE uint32_t float_round_near32(int op, float a, float b, float c) {
  switch (op) {
    case ADD_: return f32_canonical(a + b);
    case SUB_: return f32_canonical(a - b);
    case MUL_: return f32_canonical(a * b);
    case FMA_: return f32_canonical(__builtin_fmaf(a, b, c));
    case DIV_: return f32_canonical(a / b);
    case RCP_: return f32_canonical(1.0f / a);
    default: return f32_canonical(__builtin_sqrtf(a));
  }
}
INLINE uint64_t float_round_near64(int op, double a, double b, double c) {
  switch (op) {
    case ADD_: return f64_canonical(a + b);
    case SUB_: return f64_canonical(a - b);
    case MUL_: return f64_canonical(a * b);
    case FMA_: return f64_canonical(__builtin_fma(a, b, c));
    case DIV_: return f64_canonical(a / b);
    case RCP_: return f64_canonical(1.0 / a);
    default: return f64_canonical(__builtin_sqrt(a));
  }
}

/* The exact result as a double rounded to odd; none of these over- or underflows there. */
INLINE uint32_t float_round_mode32(int op, double a, double b, double c, unsigned rnd) {
  uint64_t r;
  switch (op) {
    case ADD_: r = zero_sign(add_odd(a, b), a, b, rnd); break;
    case SUB_: r = zero_sign(add_odd(a, -b), a, -b, rnd); break;
    case MUL_: r = of_f64(a * b); break;
    case FMA_: r = zero_sign(add_odd(a * b, c), a * b, c, rnd); break;
    case SQRT_: {
      const double s = __builtin_sqrt(a);
      r = to_odd(s, __builtin_fma(-s, s, a));
      break;
    }
    default: {
      const double n = op == RCP_ ? 1.0 : a, d = op == RCP_ ? a : b;
      const double q = n / d, rest = __builtin_fma(-q, d, n);
      r = to_odd(q, d < 0 ? -rest : rest);
    }
  }
  return f32_of_double(r, rnd);
}
INLINE uint64_t float_round_mode64(int op, uint64_t a, uint64_t b, uint64_t c, unsigned rnd) {
  switch (op) {
    case ADD_: return soft_add64(a, b, rnd);
    case SUB_: return soft_add64(a, b ^ 1ull << 63, rnd);
    case MUL_: return soft_mul64(a, b, rnd);
    case FMA_: return soft_fma64(a, b, c, rnd);
    case DIV_: return soft_div64(a, b, rnd);
    case RCP_: return soft_div64(of_f64(1.0), a, rnd);
    default: return soft_sqrt64(a, rnd);
  }
}

#define READS_B(op) ((op) != RCP_ && (op) != SQRT_)
INLINE void float_rows32(int op, struct alu_io *io, bool ftz, bool sat) {
  const uint32_t *pa = io->src[0], *pb = READS_B(op) ? io->src[1] : pa, *pc = op == FMA_ ? io->src[2] : pa;
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const float a = f32_of(f32_flush_if(pa[l], ftz)), b = f32_of(f32_flush_if(pb[l], ftz)),
                c = f32_of(f32_flush_if(pc[l], ftz));
    d[l] = float_finish32(float_round_near32(op, a, b, c), ftz, sat);
  }
}
INLINE void float_rows32_mode(int op, struct alu_io *io, bool ftz, bool sat, unsigned rnd) {
  const uint32_t *pa = io->src[0], *pb = READS_B(op) ? io->src[1] : pa, *pc = op == FMA_ ? io->src[2] : pa;
  uint32_t *d = io->dst[0];
  EACH_LANE(l) {
    const float a = f32_of(f32_flush_if(pa[l], ftz)), b = f32_of(f32_flush_if(pb[l], ftz)),
                c = f32_of(f32_flush_if(pc[l], ftz));
    d[l] = float_finish32(float_round_mode32(op, a, b, c, rnd), ftz, sat);
  }
}
INLINE void float_rows64(int op, struct alu_io *io) {
  const uint32_t *pa = io->src[0], *pb = READS_B(op) ? io->src[1] : pa, *pc = op == FMA_ ? io->src[2] : pa;
  uint32_t *d = io->dst[0];
  EACH_LANE(l) ST_u64(d, l, float_round_near64(op, LD_f64(pa, l), LD_f64(pb, l), LD_f64(pc, l)));
}

#define OP32(name, op)                  \
  ALU_FN(name##_f32) {                  \
    (void)i;                            \
    float_rows32(op, io, false, false); \
  }                                     \
  ALU_FN(name##_f32_ftz) {              \
    (void)i;                            \
    float_rows32(op, io, true, false);  \
  }                                     \
  ALU_FN(name##_f32_sat) {              \
    (void)i;                            \
    float_rows32(op, io, false, true);  \
  }                                     \
  ALU_FN(name##_f32_ftz_sat) {          \
    (void)i;                            \
    float_rows32(op, io, true, true);   \
  }                                     \
  ALU_FN(name##_f32_mode) { float_rows32_mode(op, io, i->mods &M_FTZ, i->mods &M_SAT, i->rnd); }
#define OP64(name, op)                                                                                    \
  ALU_FN(name##_f64) {                                                                                    \
    (void)i;                                                                                              \
    float_rows64(op, io);                                                                                 \
  }                                                                                                       \
  ALU_FN(name##_f64_mode) {                                                                               \
    const uint32_t *pa = io->src[0], *pb = READS_B(op) ? io->src[1] : pa;                                 \
    const uint32_t *pc = op == FMA_ ? io->src[2] : pa;                                                    \
    for (unsigned l = 0; l < 32; l++)                                                                     \
      ST_u64(io->dst[0], l, float_round_mode64(op, LD_u64(pa, l), LD_u64(pb, l), LD_u64(pc, l), i->rnd)); \
  }
/* clang-format off */
OP32(add, ADD_)
OP32(sub, SUB_)
OP32(mul, MUL_)
OP32(fma, FMA_)
OP32(div, DIV_)
OP32(rcp, RCP_)
OP32(sqrt, SQRT_)
OP64(add, ADD_)
OP64(sub, SUB_)
OP64(mul, MUL_)
OP64(fma, FMA_)
OP64(div, DIV_)
OP64(rcp, RCP_)
OP64(sqrt, SQRT_)

/* Only the sign bit; NaN bits stay. */
ROW1(abs_f32, u32, u32, a & 0x7fffffff)
ROW1(abs_f32_ftz, u32, u32, f32_flush(a) & 0x7fffffff)
ROW1(neg_f32, u32, u32, a ^ 0x80000000)
ROW1(neg_f32_ftz, u32, u32, f32_flush(a) ^ 0x80000000)
ROW1(abs_f64, u64, u64, a & ~(1ull << 63))
ROW1(neg_f64, u64, u64, a ^ 1ull << 63)
/* clang-format on */

#define TABLE32(name) \
  { name##_f32, name##_f32_ftz, name##_f32_sat, name##_f32_ftz_sat, name##_f32_mode }
static alu_fn *const table32[7][5] = {
    TABLE32(add), TABLE32(sub), TABLE32(mul), TABLE32(fma), TABLE32(div), TABLE32(rcp), TABLE32(sqrt),
};
#define TABLE64(name) \
  { name##_f64, name##_f64_mode }
static alu_fn *const table64[7][2] = {
    TABLE64(add), TABLE64(sub), TABLE64(mul), TABLE64(fma), TABLE64(div), TABLE64(rcp), TABLE64(sqrt),
};

static int float_operation(unsigned op) {
  switch (op) {
    case OP_ADD: return ADD_;
    case OP_SUB: return SUB_;
    case OP_MUL: return MUL_;
    case OP_FMA:
    case OP_MAD: return FMA_;
    case OP_DIV: return DIV_;
    case OP_RCP: return RCP_;
    case OP_SQRT: return SQRT_;
    default: return -1;
  }
}

alu_fn *alu_pick_float(const struct insn *i) {
  const bool f32 = i->type == T_F32, ftz = i->mods & M_FTZ, sat = i->mods & M_SAT;
  if (!f32 && i->type != T_F64) return NULL;
  if (i->op == OP_ABS || i->op == OP_NEG) {
    if (!mods_in(i, f32 ? M_FTZ : 0) || i->rnd != R_NONE) return NULL;
    if (i->op == OP_ABS) return !f32 ? abs_f64 : ftz ? abs_f32_ftz : abs_f32;
    return !f32 ? neg_f64 : ftz ? neg_f32_ftz : neg_f32;
  }
  const int op = float_operation(i->op);
  const bool optional = op == ADD_ || op == SUB_ || op == MUL_ || (i->op == OP_MAD && f32);
  const bool can_sat = op <= FMA_;
  if (op < 0 || !mods_in(i, f32 ? (can_sat ? M_FTZ | M_SAT : M_FTZ) : 0)) return NULL;
  if (i->rnd > R_RP || (i->rnd == R_NONE && !optional)) return NULL;
  const bool mode = i->rnd > R_RN;
  return f32 ? table32[op][mode ? 4 : ftz + 2 * sat] : table64[op][mode];
}
