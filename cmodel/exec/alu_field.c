/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu_field: bit fields and bytes: bfe, bfi, bmsk, szext, fns, prmt.
 */
#include "exec/alu_row.h"

/* The low n bits of a word of w, n up to 255. */
INLINE uint32_t field_low32(uint32_t n) { return n > 31 ? ~0u : (1u << (n & 31)) - 1; }
INLINE uint64_t field_low64(uint32_t n) { return n > 63 ? ~0ull : (1ull << (n & 63)) - 1; }

/* Bits of a from pos on, len of them. Signed: filled above with the bit at pos + len - 1, or a's top bit if
 * that is beyond it. */
INLINE uint32_t field_extract32(uint32_t a, uint32_t pos, uint32_t len, bool sign) {
  const uint32_t top = pos + len > 32 ? 31 : (pos + len - 1) & 31;
  const bool fill = sign & (len != 0) & (a >> top & 1);
  const uint32_t field = pos > 31 ? 0 : a >> (pos & 31);
  const uint32_t kept = field_low32(len) & (pos > 31 ? 0 : ~0u >> (pos & 31));
  return (field & kept) | (fill ? ~kept : 0);
}
INLINE uint64_t field_extract64(uint64_t a, uint32_t pos, uint32_t len, bool sign) {
  const uint32_t top = pos + len > 64 ? 63 : (pos + len - 1) & 63;
  const bool fill = sign & (len != 0) & (a >> top & 1);
  const uint64_t field = pos > 63 ? 0 : a >> (pos & 63);
  const uint64_t kept = field_low64(len) & (pos > 63 ? 0 : ~0ull >> (pos & 63));
  return (field & kept) | (fill ? ~kept : 0);
}
ROW3(bfe_u32, u32, u32, u32, u32, field_extract32(a, b & 0xff, c & 0xff, false))
ROW3(bfe_s32, u32, u32, u32, u32, field_extract32(a, b & 0xff, c & 0xff, true))
ROW3(bfe_u64, u64, u32, u32, u64, field_extract64(a, b & 0xff, c & 0xff, false))
ROW3(bfe_s64, u64, u32, u32, u64, field_extract64(a, b & 0xff, c & 0xff, true))

/* b with len bits from pos on replaced by a's low ones. */
INLINE uint32_t field_insert32(uint32_t a, uint32_t b, uint32_t pos, uint32_t len) {
  const uint32_t m = pos > 31 ? 0 : field_low32(len) << (pos & 31);
  return (b & ~m) | ((a << (pos & 31)) & m);
}
INLINE uint64_t field_insert64(uint64_t a, uint64_t b, uint32_t pos, uint32_t len) {
  const uint64_t m = pos > 63 ? 0 : field_low64(len) << (pos & 63);
  return (b & ~m) | ((a << (pos & 63)) & m);
}
#define INSERT(T, W)                                                                                      \
  ALU_FN(bfi_##T) {                                                                                       \
    (void)i;                                                                                              \
    const uint32_t *pa = io->src[0], *pb = io->src[1], *pc = io->src[2], *pd = io->src[3];                \
    uint32_t *d = io->dst[0];                                                                             \
    EACH_LANE(l) ST_##T(d, l, field_insert##W(LD_##T(pa, l), LD_##T(pb, l), pc[l] & 0xff, pd[l] & 0xff)); \
  }
INSERT(u32, 32)
INSERT(u64, 64)

/* a, zero- or sign-extended from its low b bits. b wraps to 5 bits, or is clamped: then 32 and above leave a whole. */
INLINE uint32_t field_extend(uint32_t a, uint32_t b, bool clamp, bool sign) {
  const bool whole = clamp & (b >= 32);
  const uint32_t n = b & 31, high = whole ? 0 : ~0u << n;
  const bool minus = sign & (n != 0) & (a >> ((n - 1) & 31) & 1);
  return (a & ~high) | (minus ? high : 0);
}
ROW2(szext_wrap_u, u32, u32, u32, field_extend(a, b, false, false))
ROW2(szext_wrap_s, u32, u32, u32, field_extend(a, b, false, true))
ROW2(szext_clamp_u, u32, u32, u32, field_extend(a, b, true, false))
ROW2(szext_clamp_s, u32, u32, u32, field_extend(a, b, true, true))

/* b ones from bit a on; both wrap to 5 bits, or are clamped to 32. */
INLINE uint32_t field_mask(uint32_t a, uint32_t b) { return a > 31 ? 0 : field_low32(b) << (a & 31); }
ROW2(bmsk_wrap, u32, u32, u32, field_mask(a & 31, b & 31))
ROW2(bmsk_clamp, u32, u32, u32, field_mask(a, b))

/* The |offset|-th set bit of the mask from base on, upwards or downwards; offset 0: base itself, if set. Else
 * all ones. */
static uint32_t field_find_nth(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  uint32_t left = offset > 0 ? (uint32_t)offset : 0u - (uint32_t)offset;
  for (int pos = (int)base; pos >= 0 && pos < 32; pos += step)
    if (mask >> pos & 1 && --left == 0) return (uint32_t)pos;
  return ~0u;
}
ROW3(fns_32, u32, u32, s32, u32, field_find_nth(a, b, c))

/* A byte of b:a. Four bits of the selector: three choose, the fourth spreads the byte's top bit over it. */
INLINE uint32_t field_pick_byte(uint32_t a, uint32_t b, uint32_t s) {
  const uint32_t word = a ^ ((a ^ b) & (0u - (s >> 2 & 1))), v = word >> 8 * (s & 3) & 0xff;
  const uint32_t spread = (0u - (v >> 7)) & 0xff, m = 0u - (s >> 3 & 1);
  return v ^ ((v ^ spread) & m);
}
INLINE uint32_t field_permute(uint32_t a, uint32_t b, uint32_t s) {
  return field_pick_byte(a, b, s) | field_pick_byte(a, b, s >> 4) << 8 | field_pick_byte(a, b, s >> 8) << 16 |
         field_pick_byte(a, b, s >> 12) << 24;
}
/* The other modes take their four selectors from a table by the two low bits of c: result byte 0 in the low nibble. */
#define PERMUTE(name, s0, s1, s2, s3) \
  ROW3(name, u32, u32, u32, u32, field_permute(a, b, (c & 2) ? (c & 1 ? s3 : s2) : (c & 1 ? s1 : s0)))
ROW3(prmt_index, u32, u32, u32, u32, field_permute(a, b, c))
PERMUTE(prmt_f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PERMUTE(prmt_b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PERMUTE(prmt_rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PERMUTE(prmt_ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PERMUTE(prmt_ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PERMUTE(prmt_rc16, 0x1010, 0x3232, 0x1010, 0x3232)

alu_fn *alu_pick_field(const struct insn *i) {
  static alu_fn *const modes[] = {prmt_index, prmt_f4e, prmt_b4e, prmt_rc8, prmt_ecl, prmt_ecr, prmt_rc16};
  static alu_fn *const bfe[4] = {bfe_u32, bfe_s32, bfe_u64, bfe_s64};
  const bool b32 = i->type == T_B32, s32 = i->type == T_S32;
  const bool clamp = i->mods == M_CLAMP, wrap = i->mods == M_WRAP;
  const int t = int_index(i->type) - 2;
  if (i->rnd != R_NONE) return NULL;
  switch (i->op) {
    case OP_BFE: return t >= 0 && !i->mods ? bfe[t] : NULL;
    case OP_BFI: return i->mods ? NULL : b32 ? bfi_u32 : i->type == T_B64 ? bfi_u64 : NULL;
    case OP_BMSK: return !b32 ? NULL : clamp ? bmsk_clamp : wrap ? bmsk_wrap : NULL;
    case OP_SZEXT:
      if (!s32 && i->type != T_U32) return NULL;
      if (clamp) return s32 ? szext_clamp_s : szext_clamp_u;
      return !wrap ? NULL : s32 ? szext_wrap_s : szext_wrap_u;
    case OP_FNS: return b32 && !i->mods ? fns_32 : NULL;
    case OP_PRMT: return b32 && !i->mods && i->sub < sizeof modes / sizeof *modes ? modes[i->sub] : NULL;
    default: return NULL;
  }
}
