/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The alu's integer, bit, predicate and warp operations against plain restatements of the PTX manual (bit
 * loops, 128-bit integers).
 */
#include "alu_kit.h"

typedef __int128 wide;

static const enum dtype int_types[] = {T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};

/* A lane's source as an exact number of the type. */
static wide number(const struct lane_run *r, unsigned k, unsigned l, enum dtype t) {
  const unsigned bits = 8 * dtype_bytes(t);
  const uint64_t v = (r->src[k][l] | (uint64_t)r->src[k][32 + l] << 32) << (64 - bits);
  return dtype_signed(t) ? (wide)((int64_t)v >> (64 - bits)) : (wide)(v >> (64 - bits));
}
static uint64_t raw(const struct lane_run *r, unsigned k, unsigned l) {
  return r->src[k][l] | (uint64_t)r->src[k][32 + l] << 32;
}
static uint64_t cut(uint64_t v, unsigned bits) { return bits == 64 ? v : v & ((1ull << bits) - 1); }

static void fill(struct lane_run *r, uint64_t *seed, unsigned bits) {
  for (unsigned l = 0; l < 32; l++) {
    for (unsigned k = 0; k < 4; k++) {
      const uint64_t v = lane_value(seed, bits);
      /* what lies above a narrow value is not to be read */
      lane_put(r, k, l, bits == 64 ? v : v | rng_next(seed) << 32 | (bits == 16 ? 0xabcd0000u : 0));
    }
    if (l % 5 == 0) memcpy(&r->src[1][l], &r->src[0][l], 4), r->src[1][32 + l] = r->src[0][32 + l];
  }
  for (unsigned k = 0; k < INSN_SRC; k++) r->io.psrc[k] = (uint32_t)rng_next(seed);
}

static uint64_t result(const struct lane_run *r, unsigned l, unsigned bits) {
  return bits == 64 ? lane_get(r, 0, l) : r->dst[0][l];
}

/* ---- arithmetic ---- */
typedef wide arith_fn(wide a, wide b, wide c, unsigned bits);
static wide w_add(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return a + b;
}
static wide w_sub(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return a - b;
}
typedef unsigned __int128 uwide;
static wide w_mul(wide a, wide b, wide c, unsigned n) { return (void)c, (void)n, (wide)((uwide)a * (uwide)b); }
static wide w_mulhi(wide a, wide b, wide c, unsigned n) { return w_mul(a, b, c, n) >> n; }
static wide w_mad(wide a, wide b, wide c, unsigned n) { return (wide)((uwide)w_mul(a, b, 0, n) + (uwide)c); }
static wide w_madhi(wide a, wide b, wide c, unsigned n) { return w_mulhi(a, b, 0, n) + c; }
static wide w_sad(wide a, wide b, wide c, unsigned n) {
  (void)n;
  return c + (a < b ? b - a : a - b);
}
static wide w_min(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return a < b ? a : b;
}
static wide w_max(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return a > b ? a : b;
}
static wide w_div(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return b ? a / b : -1;
}
static wide w_rem(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return b ? a % b : a;
}
static wide w_neg(wide a, wide b, wide c, unsigned n) {
  (void)b, (void)c, (void)n;
  return -a;
}
static wide w_abs(wide a, wide b, wide c, unsigned n) {
  (void)b, (void)c, (void)n;
  return a < 0 ? -a : a;
}

static void check(enum opcode op, enum dtype t, uint32_t mods, unsigned nsrc, arith_fn *f, unsigned out_bits) {
  struct lane_run r = lane_insn(op, t, mods, R_NONE, nsrc);
  const unsigned bits = 8 * dtype_bytes(t);
  uint64_t seed = op * 100 + t + mods;
  for (unsigned n = 0; n < 60; n++) {
    fill(&r, &seed, bits);
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      const wide c = out_bits > bits ? (wide)cut(raw(&r, 2, l), out_bits) : number(&r, 2, l, t);
      const wide a = number(&r, 0, l, t), b = number(&r, 1, l, t);
      const uint64_t want = cut((uint64_t)f(a, b, c, bits), out_bits), got = result(&r, l, out_bits);
      if (got != want)
        fail_msg("%s.%s mods %x: %llx %llx gives %llx, not %llx", opcode_name(op), dtype_name(t), mods,
                 (unsigned long long)a, (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
    }
  }
}

static void test_arith(void **state) {
  (void)state;
  for (unsigned k = 0; k < 6; k++) {
    const enum dtype t = int_types[k];
    const unsigned bits = 8 * dtype_bytes(t);
    check(OP_ADD, t, 0, 2, w_add, bits), check(OP_SUB, t, 0, 2, w_sub, bits);
    check(OP_MUL, t, M_LO, 2, w_mul, bits), check(OP_MUL, t, M_HI, 2, w_mulhi, bits);
    check(OP_MAD, t, M_LO, 3, w_mad, bits), check(OP_MAD, t, M_HI, 3, w_madhi, bits);
    if (bits < 64) check(OP_MUL, t, M_WIDE, 2, w_mul, 2 * bits), check(OP_MAD, t, M_WIDE, 3, w_mad, 2 * bits);
    check(OP_SAD, t, 0, 3, w_sad, bits);
    check(OP_MIN, t, 0, 2, w_min, bits), check(OP_MAX, t, 0, 2, w_max, bits);
    check(OP_DIV, t, 0, 2, w_div, bits), check(OP_REM, t, 0, 2, w_rem, bits);
    if (dtype_signed(t)) check(OP_NEG, t, 0, 1, w_neg, bits), check(OP_ABS, t, 0, 1, w_abs, bits);
  }
}

static wide clamp32(wide x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x; }
static wide w_addsat(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return clamp32(a + b);
}
static wide w_subsat(wide a, wide b, wide c, unsigned n) {
  (void)c, (void)n;
  return clamp32(a - b);
}
static wide w_madsat(wide a, wide b, wide c, unsigned n) { return clamp32((a * b >> n) + c); }
static wide w_minrelu(wide a, wide b, wide c, unsigned n) { return w_max(w_min(a, b, c, n), 0, c, n); }
static wide w_maxrelu(wide a, wide b, wide c, unsigned n) { return w_max(w_max(a, b, c, n), 0, c, n); }
static wide s24(wide a) { return (wide)((int64_t)((uint64_t)a << 40) >> 40); }
static wide u24(wide a) { return a & 0xffffff; }
static wide w_24lou(wide a, wide b, wide c, unsigned n) {
  (void)n;
  return u24(a) * u24(b) + c;
}
static wide w_24los(wide a, wide b, wide c, unsigned n) {
  (void)n;
  return s24(a) * s24(b) + c;
}
static wide w_24hiu(wide a, wide b, wide c, unsigned n) {
  (void)n;
  return (u24(a) * u24(b) >> 16) + c;
}
static wide w_24his(wide a, wide b, wide c, unsigned n) {
  (void)n;
  return (s24(a) * s24(b) >> 16) + c;
}
static wide w_24sat(wide a, wide b, wide c, unsigned n) { return clamp32(w_24his(a, b, c, n)); }
#define NO_C(f)                                          \
  static wide f##0(wide a, wide b, wide c, unsigned n) { \
    (void)c;                                             \
    return f(a, b, 0, n);                                \
  }
/* clang-format off */
NO_C(w_24lou)
NO_C(w_24los)
NO_C(w_24hiu)
NO_C(w_24his)
/* clang-format on */

static void test_saturating_and_24(void **state) {
  (void)state;
  check(OP_ADD, T_S32, M_SAT, 2, w_addsat, 32), check(OP_SUB, T_S32, M_SAT, 2, w_subsat, 32);
  check(OP_MAD, T_S32, M_HI | M_SAT, 3, w_madsat, 32);
  check(OP_MIN, T_S32, M_RELU, 2, w_minrelu, 32), check(OP_MAX, T_S32, M_RELU, 2, w_maxrelu, 32);
  check(OP_MUL24, T_U32, M_LO, 2, w_24lou0, 32), check(OP_MUL24, T_S32, M_LO, 2, w_24los0, 32);
  check(OP_MUL24, T_U32, M_HI, 2, w_24hiu0, 32), check(OP_MUL24, T_S32, M_HI, 2, w_24his0, 32);
  check(OP_MAD24, T_U32, M_LO, 3, w_24lou, 32), check(OP_MAD24, T_S32, M_LO, 3, w_24los, 32);
  check(OP_MAD24, T_U32, M_HI, 3, w_24hiu, 32), check(OP_MAD24, T_S32, M_HI, 3, w_24his, 32);
  check(OP_MAD24, T_S32, M_HI | M_SAT, 3, w_24sat, 32);
}

/* ---- carry chains: the sum as one exact number ---- */
static void test_carry(void **state) {
  (void)state;
  static const enum opcode op[] = {OP_ADD, OP_ADDC, OP_SUB, OP_SUBC, OP_MAD, OP_MADC};
  uint64_t seed = 21;
  for (unsigned k = 0; k < 6; k++)
    for (unsigned t = 2; t < 6; t++)
      for (unsigned hi = 0; hi < (k < 4 ? 1 : 2); hi++) {
        const enum dtype type = int_types[t];
        const unsigned bits = 8 * dtype_bytes(type), carry_at = k < 4 ? 2 : 3;
        const uint32_t mods = M_CC | (k < 4 ? 0 : hi ? M_HI : M_LO);
        struct lane_run r = lane_insn(op[k], type, mods, R_NONE, k > 3 ? 4 : k & 1 ? 3 : 2);
        for (unsigned n = 0; n < 60; n++) {
          fill(&r, &seed, bits);
          assert_true(lane_go(&r));
          for (unsigned l = 0; l < 32; l++) {
            const wide in = k & 1 ? r.io.psrc[carry_at] >> l & 1 : 0;
            const wide a = (wide)cut(raw(&r, 0, l), bits), b = (wide)cut(raw(&r, 1, l), bits),
                       c = (wide)cut(raw(&r, 2, l), bits);
            const wide p = w_mul(number(&r, 0, l, type), number(&r, 1, l, type), 0, bits);
            const wide part = (wide)cut((uint64_t)(hi ? p >> bits : p), bits);
            const wide sum = k < 2 ? a + b + in : k < 4 ? a - b - in : part + c + in;
            assert_int_equal(result(&r, l, bits), cut((uint64_t)sum, bits));
            assert_int_equal(r.io.pdst[1] >> l & 1, sum >> bits != 0);
          }
        }
      }
}

static void test_dot(void **state) {
  (void)state;
  static const enum dtype ty[] = {T_U32, T_S32};
  uint64_t seed = 4;
  for (unsigned form = 0; form < 3; form++)
    for (unsigned s = 0; s < 4; s++) {
      const uint32_t mods = form == 0 ? 0 : form == 1 ? M_LO : M_HI;
      struct lane_run r = lane_insn(form ? OP_DP2A : OP_DP4A, ty[s & 1], mods, R_NONE, 3);
      r.i.stype = (uint8_t)ty[s >> 1];
      for (unsigned n = 0; n < 50; n++) {
        fill(&r, &seed, 32);
        assert_true(lane_go(&r));
        for (unsigned l = 0; l < 32; l++) {
          wide sum = r.src[2][l];
          for (unsigned k = 0; k < (form ? 2 : 4); k++) {
            const uint32_t x = form ? r.src[0][l] >> 16 * k & 0xffff : r.src[0][l] >> 8 * k & 0xff;
            const uint32_t y = r.src[1][l] >> 8 * (k + (form == 2 ? 2 : 0)) & 0xff;
            const int32_t sx = form ? (int16_t)x : (int8_t)x;
            sum += (wide)(s & 1 ? sx : (int32_t)x) * (s & 2 ? (int8_t)y : (int32_t)y);
          }
          assert_int_equal(r.dst[0][l], (uint32_t)sum);
        }
      }
    }
}

/* ---- bits, as loops over bits ---- */
static bool bit(uint64_t v, unsigned at) { return at < 64 && v >> at & 1; }

static uint64_t reference(const struct insn *i, uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned bits) {
  const unsigned msb = bits - 1;
  const bool sign = dtype_signed(i->type), clamp = i->mods & M_CLAMP;
  uint64_t r = 0;
  switch (i->op) {
    case OP_AND: return a & b;
    case OP_OR: return a | b;
    case OP_XOR: return a ^ b;
    case OP_NOT: return cut(~a, bits);
    case OP_CNOT: return a == 0;
    case OP_SHL:
      for (unsigned k = 0; k < bits; k++) r |= (uint64_t)(k >= (uint32_t)b && bit(a, k - (uint32_t)b)) << k;
      return r;
    case OP_SHR:
      for (uint64_t k = 0; k < bits; k++) {
        const uint64_t from = k + (uint32_t)b;
        r |= (uint64_t)(from < bits ? bit(a, (unsigned)from) : sign && bit(a, msb)) << k;
      }
      return r;
    case OP_SHF: {
      const uint64_t x = b << 32 | a;
      unsigned n = clamp ? ((uint32_t)c > 32 ? 32 : (uint32_t)c) : c & 31;
      if (i->mods & M_LEFT) n = 32 - n;
      for (unsigned k = 0; k < 32; k++) r |= (uint64_t)bit(x, k + n) << k;
      return r;
    }
    case OP_LOP3:
      for (unsigned k = 0; k < 32; k++) {
        const unsigned row = bit(a, k) * 4 + bit(b, k) * 2 + bit(c, k);
        r |= (uint64_t)bit(i->src[3].imm, row) << k;
      }
      return r;
    case OP_POPC:
      for (unsigned k = 0; k < bits; k++) r += bit(a, k);
      return r;
    case OP_CLZ:
      while (r < bits && !bit(a, msb - (unsigned)r)) r++;
      return r;
    case OP_BREV:
      for (unsigned k = 0; k < bits; k++) r |= (uint64_t)bit(a, msb - k) << k;
      return r;
    case OP_BFIND:
      if (sign && bit(a, msb)) a = cut(~a, bits);
      for (int k = (int)msb; k >= 0; k--)
        if (bit(a, (unsigned)k)) return i->mods & M_SHIFTAMT ? msb - (unsigned)k : (unsigned)k;
      return 0xffffffff;
    case OP_BFE: {
      const unsigned pos = b & 0xff, len = c & 0xff, top = pos + len - 1 < msb ? pos + len - 1 : msb;
      const bool fill_bit = sign && len && bit(a, top);
      for (unsigned k = 0; k < bits; k++) {
        const bool in = k < len && pos + k <= msb;
        r |= (uint64_t)(in ? bit(a, pos + k) : fill_bit) << k;
      }
      return r;
    }
    case OP_BFI: {
      const unsigned pos = c & 0xff, len = d & 0xff;
      r = b;
      for (unsigned k = 0; k < len && pos + k <= msb; k++)
        r = (r & ~(1ull << (pos + k))) | (uint64_t)bit(a, k) << (pos + k);
      return r;
    }
    case OP_SZEXT: {
      const unsigned n = b & 31;
      if (clamp && (uint32_t)b > 31) return a;
      for (unsigned k = 0; k < 32; k++) r |= (uint64_t)(k < n ? bit(a, k) : sign && n && bit(a, n - 1)) << k;
      return r;
    }
    case OP_BMSK: {
      const uint64_t from = clamp ? (uint32_t)a : a & 31, n = clamp ? (uint32_t)b : b & 31;
      for (uint64_t k = 0; k < 32; k++) r |= (uint64_t)(k >= from && k < from + n) << k;
      return r;
    }
    case OP_FNS: {
      const int32_t offset = (int32_t)(uint32_t)c;
      if ((uint32_t)b > 31) return 0xffffffff;
      if (offset == 0) return bit(a, (unsigned)b) ? b : 0xffffffff;
      int64_t count = offset < 0 ? -(int64_t)offset : offset;
      for (int pos = (int)b; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
        if (bit(a, (unsigned)pos) && --count == 0) return (uint64_t)pos;
      return 0xffffffff;
    }
    case OP_PRMT: {
      static const uint8_t table[7][4][4] = {/* [mode][c & 3][result byte] */
                                             {{0}},
                                             {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
                                             {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
                                             {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
                                             {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
                                             {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
                                             {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}};
      for (unsigned k = 0; k < 4; k++) {
        const unsigned s = i->sub ? table[i->sub][c & 3][k] : (unsigned)(c >> 4 * k) & 15;
        const uint64_t v = (s & 7) < 4 ? a >> 8 * (s & 3) & 0xff : b >> 8 * (s & 3) & 0xff;
        r |= (s & 8 ? (v & 0x80 ? 0xff : 0) : v) << 8 * k;
      }
      return r;
    }
    default: fail_msg("no reference for %s", opcode_name(i->op)); return 0;
  }
}

static void check_bits(enum opcode op, enum dtype t, uint32_t mods, unsigned nsrc, unsigned sub) {
  struct lane_run r = lane_insn(op, t, mods, R_NONE, nsrc);
  const unsigned bits = 8 * dtype_bytes(t);
  const bool counts = op == OP_POPC || op == OP_CLZ || op == OP_BFIND;
  uint64_t seed = op * 31 + t + mods + sub;
  r.i.sub = (uint8_t)sub;
  for (unsigned n = 0; n < 60; n++) {
    fill(&r, &seed, bits);
    const bool small = n & 1; /* amounts, places and lengths are rarely large */
    for (unsigned l = 0; l < 32 && small; l++) {
      if (op != OP_BFI && op != OP_PRMT) r.src[1][l] %= 70;
      if (op != OP_PRMT) r.src[2][l] %= 70, r.src[3][l] %= 70;
      if (op == OP_FNS) r.src[2][l] -= 35;
      if (op == OP_BMSK) r.src[0][l] %= 40;
    }
    r.i.src[3].kind = O_IMM;
    r.i.src[3].imm = rng_next(&seed) & 0xff;
    assert_true(lane_go(&r));
    for (unsigned l = 0; l < 32; l++) {
      const bool amount = op == OP_SHL || op == OP_SHR || op == OP_BFE;
      const uint64_t a = cut(raw(&r, 0, l), bits), b = amount ? r.src[1][l] : cut(raw(&r, 1, l), bits);
      const uint64_t want = reference(&r.i, a, b, r.src[2][l], r.src[3][l], bits),
                     got = result(&r, l, counts ? 32 : bits);
      if (got != want)
        fail_msg("%s.%s mods %x sub %u: %llx %llx %x %x gives %llx, not %llx", opcode_name(op), dtype_name(t), mods,
                 sub, (unsigned long long)a, (unsigned long long)b, r.src[2][l], r.src[3][l], (unsigned long long)got,
                 (unsigned long long)want);
    }
  }
}

static void test_bits(void **state) {
  (void)state;
  static const enum dtype b[] = {T_B16, T_B32, T_B64};
  static const enum opcode logic[] = {OP_AND, OP_OR, OP_XOR, OP_NOT, OP_CNOT, OP_SHL, OP_SHR};
  for (unsigned t = 0; t < 3; t++)
    for (unsigned k = 0; k < 7; k++) check_bits(logic[k], b[t], 0, k == 3 || k == 4 ? 1 : 2, 0);
  for (unsigned t = 0; t < 6; t++) check_bits(OP_SHR, int_types[t], 0, 2, 0);
  for (unsigned t = 1; t < 3; t++) {
    check_bits(OP_POPC, b[t], 0, 1, 0), check_bits(OP_CLZ, b[t], 0, 1, 0), check_bits(OP_BREV, b[t], 0, 1, 0);
    check_bits(OP_BFI, b[t], 0, 4, 0);
  }
  for (unsigned t = 2; t < 6; t++) {
    check_bits(OP_BFIND, int_types[t], 0, 1, 0), check_bits(OP_BFIND, int_types[t], M_SHIFTAMT, 1, 0);
    check_bits(OP_BFE, int_types[t], 0, 3, 0);
  }
  for (unsigned m = 0; m < 4; m++)
    check_bits(OP_SHF, T_B32, (m & 1 ? M_LEFT : M_RIGHT) | (m & 2 ? M_WRAP : M_CLAMP), 3, 0);
  for (unsigned m = 0; m < 2; m++) {
    check_bits(OP_SZEXT, T_U32, m ? M_WRAP : M_CLAMP, 2, 0);
    check_bits(OP_SZEXT, T_S32, m ? M_WRAP : M_CLAMP, 2, 0);
    check_bits(OP_BMSK, T_B32, m ? M_WRAP : M_CLAMP, 2, 0);
  }
  check_bits(OP_LOP3, T_B32, 0, 4, 0), check_bits(OP_FNS, T_B32, 0, 3, 0);
  for (unsigned sub = PRMT_DEFAULT; sub <= PRMT_RC16; sub++) check_bits(OP_PRMT, T_B32, 0, 3, sub);
}

static void test_predicates(void **state) {
  (void)state;
  static const enum opcode op[] = {OP_AND, OP_OR, OP_XOR, OP_NOT, OP_MOV};
  for (unsigned k = 0; k < 5; k++) {
    struct lane_run r = lane_insn(op[k], T_PRED, 0, R_NONE, k < 3 ? 2 : 1);
    const uint32_t a = r.io.psrc[0] = 0xcafe1234, b = r.io.psrc[1] = 0x0ff0a5a5;
    assert_true(lane_go(&r));
    const uint32_t want[] = {a & b, a | b, a ^ b, ~a, a};
    assert_int_equal(r.io.pdst[0], want[k]);
  }
}

/* ---- comparison and selection ---- */
static bool compare(enum cmpop c, bool lt, bool eq, bool nan) {
  const bool gt = !lt && !eq && !nan;
  switch (c) {
    case C_EQ: return eq;
    case C_NE: return lt || gt;
    case C_LT:
    case C_LO: return lt;
    case C_LE:
    case C_LS: return lt || eq;
    case C_GT:
    case C_HI: return gt;
    case C_GE:
    case C_HS: return gt || eq;
    case C_EQU: return eq || nan;
    case C_NEU: return !eq;
    case C_LTU: return lt || nan;
    case C_LEU: return lt || eq || nan;
    case C_GTU: return gt || nan;
    case C_GEU: return gt || eq || nan;
    case C_NUM: return !nan;
    default: return nan;
  }
}
static bool combined(enum boolop b, bool t, bool c) {
  return b == B_AND ? t && c : b == B_OR ? t || c : b == B_XOR ? t != c : t;
}

static double float_of(enum dtype t, uint64_t v) {
  double d;
  float f;
  uint32_t w = (uint32_t)v;
  if (t == T_F64) return memcpy(&d, &v, 8), d;
  if (t == T_BF16) w <<= 16;
  if (t == T_F16) {
    const uint32_t e = w >> 10 & 31, m = w & 1023;
    d = e ? (m + 1024) * 0x1p-25 * (double)(1ull << e) : m * 0x1p-24;
    if (e == 31) d = m ? __builtin_nan("") : __builtin_inf();
    return w & 0x8000 ? -d : d;
  }
  return memcpy(&f, &w, 4), f;
}

static void check_setp(enum dtype t, bool unsigned_cmps, bool set) {
  const bool flt = dtype_float(t);
  const unsigned bits = 8 * dtype_bytes(t);
  uint64_t seed = t;
  for (enum cmpop c = C_EQ; c <= C_NAN; c++)
    for (enum boolop b = B_NONE; b <= B_XOR; b++) {
      struct lane_run r = lane_insn(set ? OP_SET : OP_SETP, set ? T_U32 : t, 0, R_NONE, b ? 3 : 2);
      r.i.stype = set ? (uint8_t)t : 0;
      r.i.cmp = (uint8_t)c, r.i.boolop = (uint8_t)b, r.i.ndst = set ? 1 : 2;
      const bool exists = c <= C_GE || (c <= C_HS ? unsigned_cmps : flt);
      assert_true((alu_pick(&r.i) != NULL) == exists);
      for (unsigned n = 0; n < 8 && exists; n++) {
        fill(&r, &seed, bits);
        assert_true(lane_go(&r));
        for (unsigned l = 0; l < 32; l++) {
          const uint64_t a = cut(raw(&r, 0, l), bits), x = cut(raw(&r, 1, l), bits);
          const double fa = float_of(t, a), fx = float_of(t, x);
          const wide ia = number(&r, 0, l, t), ix = number(&r, 1, l, t);
          const bool nan = flt && (fa != fa || fx != fx);
          const bool eq = flt ? fa == fx : ia == ix, lt = flt ? fa < fx : ia < ix;
          const bool want = compare(c, lt, eq, nan), in = r.io.psrc[2] >> l & 1;
          if (set) {
            assert_int_equal(r.dst[0][l], combined(b, want, in) ? 0xffffffff : 0);
          } else {
            assert_int_equal(r.io.pdst[0] >> l & 1, combined(b, want, in));
            assert_int_equal(r.io.pdst[1] >> l & 1, combined(b, !want, in));
          }
        }
      }
    }
}
static void test_setp(void **state) {
  (void)state;
  static const enum dtype f[] = {T_F16, T_BF16, T_F32, T_F64};
  for (unsigned set = 0; set < 2; set++) {
    for (unsigned k = 0; k < 6; k++) check_setp(int_types[k], !dtype_signed(int_types[k]), set);
    for (unsigned k = 0; k < 4; k++) check_setp(f[k], false, set);
  }
  struct lane_run r = lane_insn(OP_SETP, T_F16X2, 0, R_NONE, 2);
  r.i.cmp = C_LT, r.i.ndst = 2;
  for (unsigned l = 0; l < 32; l++) r.src[0][l] = l & 1 ? 0x3c000000 : 0x00003c00, r.src[1][l] = 0x3c003c00;
  assert_true(lane_go(&r));
  assert_int_equal(r.io.pdst[0], 0xaaaaaaaa), assert_int_equal(r.io.pdst[1], 0x55555555);
  r.i.type = T_B32;
  assert_null(alu_pick(&r.i)); /* bits have no order */
  struct lane_run f32 = lane_insn(OP_SET, T_F32, 0, R_NONE, 2);
  f32.i.stype = T_S32, f32.i.cmp = C_LT, f32.src[1][7] = 1;
  assert_true(lane_go(&f32));
  assert_int_equal(f32.dst[0][7], 0x3f800000), assert_int_equal(f32.dst[0][8], 0);
  struct lane_run z = lane_insn(OP_SETP, T_F32, M_FTZ, R_NONE, 2);
  z.i.cmp = C_EQ, z.src[0][0] = 1, z.src[1][0] = 0x807fffff, z.src[0][1] = 0x00800000;
  assert_true(lane_go(&z));
  assert_int_equal(z.io.pdst[0], 0xfffffffd);
}

static void test_select(void **state) {
  (void)state;
  static const enum dtype t[] = {T_B16, T_F32, T_U64};
  uint64_t seed = 12;
  for (unsigned k = 0; k < 3; k++) {
    const unsigned bits = 8 * dtype_bytes(t[k]);
    struct lane_run r = lane_insn(OP_SELP, t[k], 0, R_NONE, 3), s = lane_insn(OP_SLCT, t[k], 0, R_NONE, 3), f = s;
    s.i.stype = T_S32, f.i.stype = T_F32;
    fill(&r, &seed, bits), fill(&s, &seed, bits);
    memcpy(f.src, s.src, sizeof f.src);
    const uint32_t c[] = {0, 0x80000000, 1, 0x80000001, 0x7fc00000, 0xffc00000, 0x3f800000, 0xbf800000};
    for (unsigned l = 0; l < 32; l++) s.src[2][l] = f.src[2][l] = c[l % 8];
    assert_true(lane_go(&r) && lane_go(&s) && lane_go(&f));
    for (unsigned l = 0; l < 32; l++) {
      assert_int_equal(result(&r, l, bits), cut(raw(&r, r.io.psrc[2] >> l & 1 ? 0 : 1, l), bits));
      assert_int_equal(result(&s, l, bits), cut(raw(&s, (int32_t)c[l % 8] >= 0 ? 0 : 1, l), bits));
      assert_int_equal(result(&f, l, bits), cut(raw(&f, float_of(T_F32, c[l % 8]) >= 0 ? 0 : 1, l), bits));
    }
    f.i.mods = M_FTZ; /* -2^-149 flushes to -0, which counts as 0 */
    assert_true(lane_go(&f));
    assert_int_equal(result(&f, 3, bits), cut(raw(&f, 0, 3), bits));
  }
}

static void test_testp_copysign(void **state) {
  (void)state;
  static const uint64_t v32[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001};
  static const uint64_t v64[] = {0,
                                 1ull << 63,
                                 1,
                                 0x800fffffffffffff,
                                 0x0010000000000000,
                                 0xffefffffffffffff,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff0000000000001};
  static const uint32_t want[] = {0x03f, 0x0c0, 0x0ff, 0x100, 0x030, 0x00c}; /* by TESTP_*, bit per value */
  for (unsigned wide_ = 0; wide_ < 2; wide_++)
    for (unsigned sub = TESTP_FINITE; sub <= TESTP_SUBNORMAL; sub++) {
      struct lane_run r = lane_insn(OP_TESTP, wide_ ? T_F64 : T_F32, 0, R_NONE, 1);
      r.i.sub = (uint8_t)sub;
      for (unsigned l = 0; l < 9; l++) lane_put(&r, 0, l, wide_ ? v64[l] : v32[l]);
      assert_true(lane_go(&r));
      assert_int_equal(r.io.pdst[0] & 0x1ff, want[sub]);
    }
  struct lane_run c = lane_insn(OP_COPYSIGN, T_F64, 0, R_NONE, 2);
  lane_put(&c, 0, 0, 0xbff0000000000000), lane_put(&c, 1, 0, 0x7ff8000000001234);
  assert_true(lane_go(&c));
  assert_true(lane_get(&c, 0, 0) == 0xfff8000000001234);
}

/* ---- moves ---- */
static void test_moves(void **state) {
  (void)state;
  static const struct {
    enum dtype type;
    unsigned n;
  } form[] = {{T_B16, 2}, {T_B32, 2}, {T_B64, 2}, {T_B32, 4}, {T_B64, 4}};
  uint64_t seed = 31;
  for (unsigned k = 0; k < 5; k++) {
    const unsigned bits = 8 * dtype_bytes(form[k].type), piece = bits / form[k].n;
    struct lane_run p = lane_insn(OP_PACK, form[k].type, 0, R_NONE, form[k].n),
                    u = lane_insn(OP_UNPACK, form[k].type, 0, R_NONE, 1);
    u.i.ndst = (uint8_t)form[k].n;
    fill(&p, &seed, 32);
    assert_true(lane_go(&p));
    memcpy(u.src[0], p.dst[0], sizeof u.src[0]);
    if (bits == 16)
      for (unsigned l = 0; l < 32; l++) u.src[0][l] |= 0xdead0000;
    assert_true(lane_go(&u));
    for (unsigned l = 0; l < 32; l++) {
      uint64_t want = 0;
      for (unsigned n = 0; n < form[k].n; n++) {
        want |= cut(p.src[n][l], piece) << n * piece;
        assert_int_equal(u.dst[n][l], cut(p.src[n][l], piece));
      }
      assert_int_equal(result(&p, l, bits), want);
    }
  }
  static const enum dtype t[] = {T_U8, T_S8, T_B16, T_S16, T_F16, T_U32, T_F32, T_F16X2, T_S64, T_F64};
  for (unsigned k = 0; k < 10; k++) {
    struct lane_run m = lane_insn(OP_MOV, t[k], 0, R_NONE, 1);
    fill(&m, &seed, 64);
    assert_true(lane_go(&m));
    const unsigned bits = 8 * dtype_bytes(t[k]);
    for (unsigned l = 0; l < 32; l++) assert_int_equal(result(&m, l, bits), cut(raw(&m, 0, l), bits));
  }
}

static void test_cvt_int(void **state) {
  (void)state;
  static const enum dtype t[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
  uint64_t seed = 6;
  for (unsigned to = 0; to < 8; to++)
    for (unsigned from = 0; from < 8; from++)
      for (unsigned form = 0; form < 4; form++) {
        const bool sat = form & 1, two = form & 2 || to > 5, sign = dtype_signed(t[to]);
        struct lane_run r = lane_insn(OP_CVT, t[to], sat ? M_SAT : 0, R_NONE, 1);
        r.i.stype = (uint8_t)t[from], r.i.dst[0].words = two ? 2 : 1;
        const unsigned bits = 8 * dtype_bytes(t[to]);
        const wide lo = sign ? -((wide)1 << (bits - 1)) : 0, hi = ((wide)1 << (bits - sign)) - 1;
        for (unsigned n = 0; n < 8; n++) {
          fill(&r, &seed, 64);
          assert_true(lane_go(&r));
          for (unsigned l = 0; l < 32; l++) {
            wide v = number(&r, 0, l, t[from]);
            if (sat) v = v < lo ? lo : v > hi ? hi : v;
            const uint64_t low = cut((uint64_t)v, bits);
            const uint64_t want = sign ? (uint64_t)((int64_t)(low << (64 - bits)) >> (64 - bits)) : low;
            assert_int_equal(result(&r, l, two ? 64 : 32), two ? want : (uint32_t)want);
          }
        }
      }
}

/* ---- across lanes ---- */
static void test_shfl(void **state) {
  (void)state;
  uint64_t seed = 15;
  for (unsigned sub = SHFL_UP; sub <= SHFL_IDX; sub++)
    for (unsigned n = 0; n < 200; n++) {
      struct lane_run r = lane_insn(OP_SHFL, T_B32, n & 1 ? M_SYNC : 0, R_NONE, n & 1 ? 4 : 3);
      r.i.sub = (uint8_t)sub;
      fill(&r, &seed, 32);
      /* a power of two of lanes */
      const unsigned seg = n & 2 ? 0 : (unsigned)(32 - (1 << rng_next(&seed) % 6));
      const unsigned clamp = sub == SHFL_UP ? 0 : n & 4 ? 31 : (unsigned)rng_next(&seed) & 31;
      for (unsigned l = 0; l < 32; l++) {
        r.src[1][l] = n & 8 ? (uint32_t)rng_next(&seed) & 63 : n % 33;
        r.src[2][l] = seg << 8 | clamp;
      }
      r.io.lanes = n & 16 ? (uint32_t)rng_next(&seed) : ~0u;
      assert_true(lane_go(&r));
      for (int l = 0; l < 32; l++) {
        const int b = (int)(r.src[1][l] & 31), s = (int)seg, max = (l & s) | ((int)clamp & ~s & 31), min = l & s;
        const int j = sub == SHFL_UP     ? l - b
                      : sub == SHFL_DOWN ? l + b
                      : sub == SHFL_BFLY ? l ^ b
                                         : min | (b & ~s & 31);
        const bool ok = sub == SHFL_UP ? j >= max : j <= max;
        assert_int_equal(r.io.pdst[1] >> l & 1, ok);
        const bool off = ok && !(r.io.lanes >> j & 1);
        assert_int_equal(r.dst[0][l], off ? 0 : r.src[0][ok ? j : l]);
      }
    }
  /* the usual down-shuffle of a reduction: the last lanes keep their own */
  struct lane_run r = lane_insn(OP_SHFL, T_B32, M_SYNC, R_NONE, 4);
  r.i.sub = SHFL_DOWN;
  for (unsigned l = 0; l < 32; l++) r.src[0][l] = l, r.src[1][l] = 16, r.src[2][l] = 31, r.src[3][l] = ~0u;
  assert_true(lane_go(&r));
  for (unsigned l = 0; l < 32; l++) assert_int_equal(r.dst[0][l], l < 16 ? l + 16 : l);
  assert_int_equal(r.io.pdst[1], 0xffff);
}

static void test_vote_match_redux(void **state) {
  (void)state;
  uint64_t seed = 16;
  for (unsigned n = 0; n < 200; n++) {
    const unsigned with_mask = n & 1;
    const uint32_t lanes = n & 2 ? ~0u : (uint32_t)rng_next(&seed);
    const uint32_t member = n & 4 ? ~0u : (uint32_t)rng_next(&seed), m = with_mask ? lanes & member : lanes;
    const uint32_t p = n & 8 ? ~0u : n & 16 ? 0 : (uint32_t)rng_next(&seed);
    struct lane_run v = lane_insn(OP_VOTE, T_B32, M_SYNC, R_NONE, 1 + with_mask);
    v.io.lanes = lanes, v.io.psrc[0] = p;
    for (unsigned l = 0; l < 32; l++) v.src[1][l] = member;
    const bool all = (p & m) == m, any = (p & m) != 0;
    for (unsigned sub = VOTE_ALL; sub <= VOTE_BALLOT; sub++) {
      v.i.sub = (uint8_t)sub;
      assert_true(lane_go(&v));
      const bool want = sub == VOTE_ALL ? all : sub == VOTE_ANY ? any : all || !any;
      if (sub == VOTE_BALLOT) assert_int_equal(v.dst[0][5], p & m);
      else assert_int_equal(v.io.pdst[0], want ? ~0u : 0);
    }
    for (unsigned wide_ = 0; wide_ < 2; wide_++)
      for (unsigned sub = MATCH_ANY; sub <= MATCH_ALL; sub++) {
        struct lane_run r = lane_insn(OP_MATCH, wide_ ? T_B64 : T_B32, M_SYNC, R_NONE, 1 + with_mask);
        r.i.sub = (uint8_t)sub, r.io.lanes = lanes;
        for (unsigned l = 0; l < 32; l++) {
          r.src[1][l] = member, r.src[0][l] = n & 32 ? 7 : (uint32_t)rng_next(&seed) % 3;
          r.src[0][32 + l] = n & 32 ? 1 : (uint32_t)rng_next(&seed) & 1;
        }
        assert_true(lane_go(&r));
        for (unsigned l = 0; l < 32; l++) {
          uint32_t same = 0;
          for (unsigned k = 0; k < 32; k++)
            if (m >> k & 1 && (wide_ ? raw(&r, 0, k) == raw(&r, 0, l) : r.src[0][k] == r.src[0][l])) same |= 1u << k;
          assert_int_equal(r.dst[0][l], sub == MATCH_ANY ? same : same == m ? m : 0);
          if (sub == MATCH_ALL) assert_int_equal(r.io.pdst[1] >> l & 1, same == m);
        }
      }
    for (unsigned sub = ATOM_ADD; sub <= ATOM_XOR; sub++) {
      if (sub == ATOM_INC || sub == ATOM_DEC) continue;
      const enum dtype type = sub >= ATOM_AND ? T_B32 : n & 64 ? T_S32 : T_U32;
      struct lane_run r = lane_insn(OP_REDUX, type, M_SYNC, R_NONE, 2);
      fill(&r, &seed, 32);
      r.i.sub = (uint8_t)sub, r.io.lanes = lanes;
      wide acc = 0;
      bool first = true;
      for (unsigned l = 0; l < 32; l++) {
        r.src[1][l] = member;
        if (!((lanes & member) >> l & 1)) continue;
        const wide x = number(&r, 0, l, type);
        if (first) acc = x;
        else if (sub == ATOM_MIN) acc = x < acc ? x : acc;
        else if (sub == ATOM_MAX) acc = x > acc ? x : acc;
        else acc = sub == ATOM_ADD ? acc + x : sub == ATOM_AND ? acc & x : sub == ATOM_OR ? acc | x : acc ^ x;
        first = false;
      }
      assert_true(lane_go(&r));
      for (unsigned l = 0; l < 32; l++) assert_int_equal(r.dst[0][l], (uint32_t)acc);
    }
  }
  struct lane_run a = lane_insn(OP_ACTIVEMASK, T_B32, 0, R_NONE, 0);
  a.io.lanes = 0x12345678;
  assert_true(lane_go(&a));
  assert_int_equal(a.dst[0][31], 0x12345678);
}

static void test_atomic(void **state) {
  (void)state;
  const struct {
    uint8_t sub, type;
    uint64_t old, a, b, want;
  } t[] = {
      {ATOM_ADD, T_U32, 0xffffffff, 2, 0, 1},
      {ATOM_ADD, T_U64, ~0ull, 2, 0, 1},
      {ATOM_ADD, T_S32, 5, 0xfffffffe, 0, 3},
      {ATOM_ADD, T_F32, 0x3f800000, 0x33800000, 0, 0x3f800000},
      {ATOM_ADD, T_F32, 1, 1, 0, 2},
      {ATOM_ADD, T_F32, 0x7f800000, 0xff800000, 0, 0x7fffffff},
      {ATOM_ADD, T_F64, 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
      {ATOM_ADD, T_F16, 0x3c00, 0x3c00, 0, 0x4000},
      {ATOM_ADD, T_BF16, 0x3f80, 0x3f80, 0, 0x4000},
      {ATOM_ADD, T_F16X2, 0x3c003c00, 0xbc003c00, 0, 0x00004000},
      {ATOM_ADD, T_BF16X2, 0x3f803f80, 0xbf803f80, 0, 0x4000},
      {ATOM_MIN, T_U32, 1, 0xffffffff, 0, 1},
      {ATOM_MIN, T_S32, 1, 0xffffffff, 0, 0xffffffff},
      {ATOM_MAX, T_U64, 1, ~0ull, 0, ~0ull},
      {ATOM_MAX, T_S64, 1, ~0ull, 0, 1},
      {ATOM_MIN, T_F32, 0, 0x80000000, 0, 0x80000000},
      {ATOM_MAX, T_F32, 0x7fc00000, 0xbf800000, 0, 0xbf800000},
      {ATOM_MIN, T_F32, 0xbf800000, 0xc0000000, 0, 0xc0000000},
      {ATOM_MAX, T_F64, 0xbff0000000000000, 0, 0, 0},
      {ATOM_MIN, T_F16X2, 0x3c00bc00, 0x4000c000, 0, 0x3c00c000},
      {ATOM_INC, T_U32, 4, 5, 0, 5},
      {ATOM_INC, T_U32, 5, 5, 0, 0},
      {ATOM_INC, T_U32, 9, 5, 0, 0},
      {ATOM_DEC, T_U32, 4, 5, 0, 3},
      {ATOM_DEC, T_U32, 0, 5, 0, 5},
      {ATOM_DEC, T_U32, 9, 5, 0, 5},
      {ATOM_AND, T_B32, 0xff0, 0x0ff, 0, 0x0f0},
      {ATOM_OR, T_B64, 1ull << 40, 1, 0, 1ull << 40 | 1},
      {ATOM_XOR, T_B32, 0xff0, 0x0ff, 0, 0xf0f},
      {ATOM_EXCH, T_B32, 1, 2, 0, 2},
      {ATOM_CAS, T_B64, 7, 7, 9, 9},
      {ATOM_CAS, T_B32, 7, 6, 9, 7},
      {ATOM_CAS, T_B16, 7, 0xabcd0007, 0x10009, 9},
  };
  for (unsigned k = 0; k < sizeof t / sizeof *t; k++)
    if (alu_atomic(t[k].sub, t[k].type, t[k].old, t[k].a, t[k].b) != t[k].want)
      fail_msg("case %u gives %llx", k, (unsigned long long)alu_atomic(t[k].sub, t[k].type, t[k].old, t[k].a, t[k].b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arith),
      cmocka_unit_test(test_saturating_and_24),
      cmocka_unit_test(test_carry),
      cmocka_unit_test(test_dot),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_predicates),
      cmocka_unit_test(test_setp),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_testp_copysign),
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_cvt_int),
      cmocka_unit_test(test_shfl),
      cmocka_unit_test(test_vote_match_redux),
      cmocka_unit_test(test_atomic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
