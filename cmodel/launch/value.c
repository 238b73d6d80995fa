/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value: conversions between expression values and elements in memory. Little-endian, any alignment, the same
 * bits on every host: float to integer truncates and clamps, integer to integer keeps the low bits, to a
 * narrower float rounds to nearest even.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "launch/script.h"

enum dtype script_type(const char *s, size_t n) {
  static const struct {
    const char *s;
    uint8_t t;
  } table[] = {
      {"u8", T_U8},      {"u16", T_U16},  {"u32", T_U32},   {"u64", T_U64},    {"s8", T_S8},     {"s16", T_S16},
      {"s32", T_S32},    {"s64", T_S64},  {"f16", T_F16},   {"f32", T_F32},    {"f64", T_F64},   {"uchar", T_U8},
      {"ushort", T_U16}, {"uint", T_U32}, {"ulong", T_U64}, {"char", T_S8},    {"short", T_S16}, {"int", T_S32},
      {"long", T_S64},   {"half", T_F16}, {"float", T_F32}, {"double", T_F64},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strlen(table[k].s) == n && !memcmp(table[k].s, s, n)) return table[k].t;
  return T_NONE;
}

struct value script_load(enum dtype t, const void *p) {
  uint64_t u = 0;
  float f;
  double d;
  switch (t) {
    case T_F16: memcpy(&u, p, 2); return value_float(half_to_double((uint16_t)u));
    case T_F32: memcpy(&f, p, 4); return value_float((double)f);
    case T_F64: memcpy(&d, p, 8); return value_float(d);
    default: break;
  }
  unsigned bytes = dtype_bytes(t);
  memcpy(&u, p, bytes);
  if (dtype_signed(t) && bytes < 8) {
    uint64_t top = 1ull << (bytes * 8 - 1);
    u = (u ^ top) - top;
  }
  return value_int((int64_t)u);
}

/* x truncated and clamped to the type's range; 0 for NaN. */
static int64_t script_clamp(enum dtype t, double d) {
  if (d != d) return 0;
  unsigned bits = dtype_bytes(t) * 8;
  if (dtype_signed(t)) {
    double lim = bits == 64 ? 0x1p63 : (double)(1ull << (bits - 1));
    if (d >= lim) return (int64_t)((1ull << (bits - 1)) - 1);
    if (d <= -lim) return -(int64_t)((1ull << (bits - 1)) - 1) - 1;
    return (int64_t)d;
  }
  double lim = bits == 64 ? 0x1p64 : (double)(1ull << bits);
  if (d <= 0) return 0;
  if (d >= lim) return bits == 64 ? -1 : (int64_t)((1ull << bits) - 1);
  return (int64_t)(uint64_t)d;
}

void script_store(enum dtype t, void *p, struct value v) {
  if (dtype_float(t)) {
    double d = value_double(v);
    if (t == T_F64) {
      memcpy(p, &d, 8);
    } else if (t == T_F32) {
      /* Integers are rounded once, not first to a double. */
      float f = v.flt ? (float)d : (float)v.i;
      memcpy(p, &f, 4);
    } else {
      uint16_t h = half_from_double(d);
      memcpy(p, &h, 2);
    }
    return;
  }
  int64_t i = v.flt ? script_clamp(t, v.f) : v.i;
  memcpy(p, &i, dtype_bytes(t));
}

struct value script_convert(enum dtype t, struct value v) {
  uint8_t buf[8];
  script_store(t, buf, v);
  return script_load(t, buf);
}

bool script_whole(struct value v, int64_t *out) {
  if (!v.flt) {
    *out = v.i;
    return true;
  }
  if (!(v.f >= -0x1p63 && v.f < 0x1p63)) return false;
  *out = (int64_t)v.f;
  return (double)*out == v.f;
}

bool script_fits(enum dtype t, int64_t i) {
  unsigned bits = dtype_bytes(t) * 8;
  if (bits >= 64) return true;
  int64_t half = (int64_t)(1ull << (bits - 1));
  return dtype_signed(t) ? i >= -half && i < half : i >= 0 && i < 2 * half;
}

bool script_finite(enum dtype t, struct value v) {
  double d = value_double(v);
  return d - d != 0 || script_convert(t, v).f - script_convert(t, v).f == 0;
}

const char *script_range(enum dtype t, char buf[80]) {
  unsigned bits = dtype_bytes(t) * 8;
  if (bits == 64) snprintf(buf, 80, "of 64 bits");
  else if (dtype_signed(t)) snprintf(buf, 80, "from -%llu to %llu", 1ull << (bits - 1), (1ull << (bits - 1)) - 1);
  else snprintf(buf, 80, "from 0 to %llu", (1ull << bits) - 1);
  return buf;
}

const char *script_print(enum dtype t, struct value v, char buf[40]) {
  if (!v.flt && t == T_U64) snprintf(buf, 40, "%llu", (unsigned long long)v.i);
  else if (!v.flt) snprintf(buf, 40, "%lld", (long long)v.i);
  else if (v.f != v.f) snprintf(buf, 40, "nan");
  else snprintf(buf, 40, "%.*g", t == T_F32 ? 9 : t == T_F16 ? 5 : 17, v.f);
  return buf;
}
