/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_atomic: one atomic operation on one memory cell. Floating-point additions round to nearest. f32 is never
 * flushed here: PTX keeps subnormals in shared memory and flushes them in global memory "in current implementations"
 * only; one rule for both spaces is used. min and max of floats order -0 below +0 and prefer a number to a NaN.
 */
#include "exec/alu_fp.h"

static uint64_t atomic_add_h16(bool bf, uint64_t a, uint64_t b) {
  const float s = h16_to_f32(bf, a & 0xffff) + h16_to_f32(bf, b & 0xffff);
  return h16_of_f32(bf, of_f32(s), R_RN);
}

/* Order of a float's bits (sign at bit w - 1) as a signed number; inf: bits of infinity. */
static int64_t atomic_order_float(uint64_t x, unsigned w) {
  const int64_t s = (int64_t)(x << (64 - w));
  return s < 0 ? s ^ INT64_MAX : s;
}
static uint64_t atomic_choose_float(uint64_t a, uint64_t b, unsigned w, uint64_t inf, uint64_t nan, bool max) {
  const uint64_t mag = ~(1ull << (w - 1)) & (w == 64 ? ~0ull : (1ull << (w & 63)) - 1);
  const bool na = (a & mag) > inf, nb = (b & mag) > inf;
  if (na || nb) return na && nb ? nan : na ? b : a;
  return (atomic_order_float(a, w) < atomic_order_float(b, w)) != max ? a : b;
}

static uint64_t atomic_mask(uint8_t type) {
  switch (dtype_bytes(type)) {
    case 1: return 0xff;
    case 2: return 0xffff;
    case 4: return 0xffffffff;
    default: return ~0ull;
  }
}

static uint64_t atomic_add(uint8_t type, uint64_t a, uint64_t b) {
  switch (type) {
    case T_F32: return f32_canonical(f32_of((uint32_t)a) + f32_of((uint32_t)b));
    case T_F64: return f64_canonical(f64_of(a) + f64_of(b));
    case T_F16: return atomic_add_h16(false, a, b);
    case T_BF16: return atomic_add_h16(true, a, b);
    case T_F16X2: return atomic_add_h16(false, a, b) | atomic_add_h16(false, a >> 16, b >> 16) << 16;
    case T_BF16X2: return atomic_add_h16(true, a, b) | atomic_add_h16(true, a >> 16, b >> 16) << 16;
    default: return a + b;
  }
}

static uint64_t atomic_choose(uint8_t type, uint64_t a, uint64_t b, bool max) {
  const uint64_t low = 0xffff;
  switch (type) {
    case T_F32: return atomic_choose_float(a, b, 32, 0x7f800000, NAN_F32, max);
    case T_F64: return atomic_choose_float(a, b, 64, INF_F64, NAN_F64, max);
    case T_F16: return atomic_choose_float(a, b, 16, 0x7c00, NAN_H16, max);
    case T_BF16: return atomic_choose_float(a, b, 16, 0x7f80, NAN_H16, max);
    case T_F16X2:
    case T_BF16X2: {
      const uint64_t inf = type == T_F16X2 ? 0x7c00 : 0x7f80;
      return atomic_choose_float(a & low, b & low, 16, inf, NAN_H16, max) |
             atomic_choose_float(a >> 16 & low, b >> 16 & low, 16, inf, NAN_H16, max) << 16;
    }
    case T_S32: return ((int32_t)(uint32_t)a < (int32_t)(uint32_t)b) != max ? a : b;
    case T_S64: return ((int64_t)a < (int64_t)b) != max ? a : b;
    default: return (a < b) != max ? a : b;
  }
}

uint64_t alu_atomic(uint8_t sub, uint8_t type, uint64_t old, uint64_t a, uint64_t b) {
  const uint64_t m = atomic_mask(type);
  old &= m, a &= m, b &= m;
  switch (sub) {
    case ATOM_ADD: return atomic_add(type, old, a) & m;
    case ATOM_MIN: return atomic_choose(type, old, a, false);
    case ATOM_MAX: return atomic_choose(type, old, a, true);
    case ATOM_INC: return old >= a ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > a ? a : old - 1;
    case ATOM_AND: return old & a;
    case ATOM_OR: return old | a;
    case ATOM_XOR: return old ^ a;
    case ATOM_EXCH: return a;
    case ATOM_CAS: return old == a ? b : old;
    default: return old;
  }
}
