/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range_rules: each rule of the range analysis against what exec's alu computes: every operation with every
 * type, modifier and subtype that the alu knows, on random sets of words (single ones, short and long ranges
 * near the ends of all types, with known low bits), lanes at their ends and inside. And the domain itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/narrow/value_range.h"
#include "base/bits.h"
#include "exec/alu.h"

static uint64_t seed = 1;

static uint64_t draw(uint64_t n) { return rng_next(&seed) % n; }

/* ---- sets and words of them ---- */

static bool holds(unsigned bits, const struct value_range *a, uint64_t x) {
  uint64_t m = bits == 64 ? ~0ull : (1ull << bits) - 1, known = a->known >= 64 ? ~0ull : (1ull << a->known) - 1;
  if (range_empty(a)) return false;
  return ((x - (uint64_t)a->lo) & m) <= (uint64_t)(a->hi - a->lo) && !((x ^ a->low) & known & m);
}

static struct value_range some_arc(unsigned bits) {
  static const unsigned ends[] = {0, 1, 4, 7, 8, 15, 16, 24, 31, 32, 33, 47, 62, 63};
  wide at = wide_power2(ends[draw(sizeof ends / sizeof *ends)]) + (wide)draw(9) - 4, size = 0;
  if (!draw(4)) at = (wide)rng_next(&seed);
  if (draw(2)) at = -at;
  switch (draw(6)) {
    case 0: break;
    case 1: size = (wide)draw(8); break;
    case 2: size = (wide)draw(300); break;
    case 3: size = (wide)(rng_next(&seed) >> draw(64)); break;
    case 4: return range_full(bits);
    default: at = 0, size = (wide)(rng_next(&seed) >> draw(64));
  }
  struct value_range a = range_of(bits, at, at + size);
  struct value_range b = draw(3) ? a : range_known(bits, a, 1 + (unsigned)draw(6), rng_next(&seed));
  return range_empty(&b) ? a : b;
}

static uint64_t some_word(const struct value_range *a, unsigned lane) {
  wide step = a->known >= 64 ? 1 : wide_power2(a->known), last = (a->hi - a->lo) / step;
  uint64_t n = (uint64_t)last + 1, any = rng_next(&seed) >> draw(64); /* n 0: all of 64 bits */
  wide at = lane == 0 ? 0 : lane == 1 ? last : (wide)(n ? any % n : any);
  return (uint64_t)(a->lo + at * step);
}

/* ---- an instruction of the alu ---- */

struct form {
  struct insn i;
  unsigned bits[INSN_SRC], out[INSN_DST];
};

static unsigned words_of(unsigned type) { return dtype_bytes((enum dtype)type) == 8 ? 2 : 1; }

static void give(struct form *f, unsigned k, unsigned words) {
  f->i.src[k] = (struct opnd){.kind = words ? O_REG : O_PRED, .words = (uint8_t)words, .reg = k};
  f->bits[k] = 32 * words;
  if (f->i.nsrc <= k) f->i.nsrc = (uint8_t)(k + 1);
}

static void take(struct form *f, unsigned k, unsigned words) {
  f->i.dst[k] = (struct opnd){.kind = words ? O_REG : O_PRED, .words = (uint8_t)words, .reg = 8 + k};
  f->out[k] = 32 * words;
  if (f->i.ndst <= k) f->i.ndst = (uint8_t)(k + 1);
}

/* Operands of the size that the operation takes. False: it has no result in a register. */
static bool shape(struct form *f) {
  struct insn *i = &f->i;
  unsigned w = words_of(i->type), pieces = 2 + 2 * (unsigned)draw(2);
  for (unsigned k = 0; k < 3; k++) give(f, k, w);
  take(f, 0, w);
  switch (i->op) {
    case OP_PACK:
      for (unsigned k = 0; k < pieces; k++) give(f, k, 1);
      i->nsrc = (uint8_t)pieces;
      break;
    case OP_UNPACK:
      for (unsigned k = 0; k < pieces; k++) take(f, k, 1);
      i->nsrc = 1;
      break;
    case OP_SELP: give(f, 2, 0); break;
    case OP_SLCT: give(f, 2, 1); break;
    case OP_ADDC:
    case OP_SUBC: give(f, 2, 0); break;
    case OP_MUL:
      if (i->mods & M_WIDE) take(f, 0, dtype_bytes((enum dtype)i->type) == 4 ? 2 : 1);
      break;
    case OP_MAD:
    case OP_MADC:
      if (i->mods & M_WIDE) take(f, 0, dtype_bytes((enum dtype)i->type) == 4 ? 2 : 1), give(f, 2, f->out[0] / 32);
      if (i->op == OP_MADC) give(f, 3, 0);
      break;
    case OP_SHL:
    case OP_SHR: give(f, 1, 1); break;
    case OP_LOP3: i->src[3] = (struct opnd){.kind = O_IMM, .words = 1, .imm = draw(256)}, i->nsrc = 4; break;
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND: take(f, 0, 1); break;
    case OP_BFE: give(f, 1, 1), give(f, 2, 1); break;
    case OP_BFI: give(f, 2, 1), give(f, 3, 1); break;
    case OP_SETP: return false;
    case OP_SET:
      give(f, 0, words_of(i->stype)), give(f, 1, words_of(i->stype));
      take(f, 0, 1);
      break;
    case OP_CVT:
      give(f, 0, words_of(i->stype));
      i->nsrc = i->type == T_F16X2 || i->type == T_BF16X2 ? 2 : 1;
      if (!dtype_float((enum dtype)i->type) && draw(2)) take(f, 0, 2);
      break;
    case OP_SHFL: take(f, 1, 0), give(f, 1, 1), give(f, 2, 1); break;
    case OP_VOTE: give(f, 0, 0), i->nsrc = 1; return i->sub == VOTE_BALLOT;
    case OP_MATCH: take(f, 0, 1), take(f, 1, 0), i->nsrc = 1; break;
    case OP_REDUX: i->nsrc = 1; break;
    default: break;
  }
  if (i->mods & M_CC) take(f, 1, 0);
  return i->type != T_PRED && i->op != OP_TESTP && i->op != OP_MMA;
}

static uint32_t src_rows[INSN_SRC][64] __attribute__((aligned(64))),
    dst_rows[INSN_DST][64] __attribute__((aligned(64)));

static void fill(const struct form *f, const struct value_range *a, struct alu_io *io) {
  *io = (struct alu_io){.lanes = (uint32_t)rng_next(&seed) | 1};
  for (unsigned k = 0; k < INSN_SRC; k++) {
    io->src[k] = src_rows[k];
    io->psrc[k] = (uint32_t)rng_next(&seed);
    if (k >= f->i.nsrc) continue;
    for (unsigned l = 0; l < 32 && f->i.src[k].kind == O_REG; l++) {
      uint64_t x = some_word(&a[k], (l + k) % 8 < 2 ? l >> k & 1 : l);
      src_rows[k][l] = (uint32_t)x;
      src_rows[k][32 + l] = f->bits[k] == 64 ? (uint32_t)(x >> 32) : (uint32_t)rng_next(&seed);
    }
  }
  for (unsigned k = 0; k < INSN_DST; k++) io->dst[k] = dst_rows[k];
}

static const struct code empty = {.name = "k", .file = "k.ptx"};

static void compare(const struct form *f, alu_fn *fn) {
  struct value_range a[INSN_SRC];
  struct alu_io io;
  uint64_t from = seed;
  for (unsigned k = 0; k < INSN_SRC; k++) a[k] = f->bits[k] ? some_arc(f->bits[k]) : range_full(32);
  if (f->i.op == OP_LOP3) a[3] = range_one(64, f->i.src[3].imm);
  fill(f, a, &io);
  fn(&f->i, &io);
  for (unsigned d = 0; d < f->i.ndst; d++) {
    if (f->i.dst[d].kind != O_REG) continue;
    const char *why;
    struct value_range r = range_rule(&empty, NULL, &f->i, d, a, &why);
    for (unsigned l = 0; l < 32; l++) {
      if (!(io.lanes >> l & 1)) continue;
      uint64_t x = dst_rows[d][l] | (f->out[d] == 64 ? (uint64_t)dst_rows[d][32 + l] << 32 : 0);
      if (holds(f->out[d], &r, x)) continue;
      fail_msg(
          "seed %llu: %s.%s.%s mods %x sub %u, destination %u: %llx of %llx %llx %llx is not in %llx .. "
          "%llx, low "
          "%u bits %llx",
          (unsigned long long)from, opcode_name(f->i.op), dtype_name(f->i.type), dtype_name(f->i.stype), f->i.mods,
          f->i.sub, d, (unsigned long long)x, src_rows[0][l] | (unsigned long long)src_rows[0][32 + l] << 32,
          src_rows[1][l] | (unsigned long long)src_rows[1][32 + l] << 32,
          src_rows[2][l] | (unsigned long long)src_rows[2][32 + l] << 32, (unsigned long long)r.lo,
          (unsigned long long)r.hi, r.known, (unsigned long long)r.low);
    }
  }
}

static const uint32_t mods[] = {0,
                                M_LO,
                                M_HI,
                                M_WIDE,
                                M_SAT,
                                M_ADD,
                                M_HI | M_SAT,
                                M_CC,
                                M_LO | M_CC,
                                M_HI | M_CC,
                                M_RELU,
                                M_SHIFTAMT,
                                M_CLAMP,
                                M_WRAP,
                                M_LEFT | M_WRAP,
                                M_LEFT | M_CLAMP,
                                M_RIGHT | M_WRAP,
                                M_RIGHT | M_CLAMP,
                                M_SYNC,
                                M_FTZ};

static unsigned try_form(unsigned op, unsigned type, unsigned stype, unsigned m, unsigned turns) {
  struct form f;
  alu_fn *fn = NULL;
  for (unsigned t = 0; t < turns; t++) {
    memset(&f, 0, sizeof f);
    f.i = (struct insn){.op = (uint8_t)op, .type = (uint8_t)type, .stype = (uint8_t)stype, .mods = mods[m]};
    f.i.sub = (uint8_t)draw(7);
    if (op == OP_VABSDIFF4) f.i.sub = draw(2) ? T_U32 : T_S32;
    if (op == OP_SET) f.i.cmp = (uint8_t)draw(6);
    if (op == OP_CVT) f.i.rnd = (uint8_t)draw(R_RPI + 1);
    if (!shape(&f)) continue;
    fn = alu_pick(&f.i);
    if (fn) compare(&f, fn);
  }
  return fn != NULL;
}

static void rules_hold_what_the_alu_computes(void **state) {
  (void)state;
  unsigned forms = 0;
  for (unsigned op = 0; op < OP_COUNT; op++)
    for (unsigned type = T_U8; type < T_COUNT; type++) {
      bool second = op == OP_SET || op == OP_CVT || op == OP_SLCT || op == OP_DP4A || op == OP_DP2A ||
                    op == OP_VABSDIFF4 || op == OP_CVTPACK;
      for (unsigned stype = T_NONE; stype < (second ? T_COUNT : T_NONE + 1); stype++)
        for (unsigned m = 0; m < sizeof mods / sizeof *mods; m++)
          forms += try_form(op, type, stype, m, second ? 100 : 1000);
    }
  print_message("%u forms\n", forms);
  assert_true(forms > 400);
}

static void comparisons_bound_what_they_compare(void **state) {
  (void)state;
  unsigned told = 0;
  for (unsigned type = T_U8; type <= T_B64; type++)
    for (unsigned cmp = C_EQ; cmp <= C_HS; cmp++)
      for (unsigned turn = 0; turn < 2000; turn++) {
        struct form f = {.i = {.op = OP_SETP, .type = (uint8_t)type, .cmp = (uint8_t)cmp}};
        unsigned w = words_of(type);
        give(&f, 0, w), give(&f, 1, w), take(&f, 0, 0);
        alu_fn *fn = alu_pick(&f.i);
        if (!fn) break;
        struct value_range a[INSN_SRC] = {some_arc(32 * w), some_arc(32 * w)}, in[2][2];
        if (!draw(4)) a[1] = a[0];
        struct alu_io io;
        for (unsigned x = 0; x < 2; x++)
          for (unsigned t = 0; t < 2; t++)
            in[x][t] = range_meet(32 * w, a[x], range_where(&f.i, x, t, &a[x], &a[1 - x], 32 * w));
        fill(&f, a, &io);
        fn(&f.i, &io);
        for (unsigned l = 0; l < 32; l++)
          for (unsigned x = 0; x < 2; x++) {
            uint64_t v = src_rows[x][l] | (w == 2 ? (uint64_t)src_rows[x][32 + l] << 32 : 0);
            const struct value_range *r = &in[x][io.pdst[0] >> l & 1];
            told += !range_same(r, &a[x]);
            if (!holds(32 * w, r, v))
              fail_msg("%s %u: source %u is %llx, not in %llx .. %llx", dtype_name((enum dtype)type), cmp, x,
                       (unsigned long long)v, (unsigned long long)r->lo, (unsigned long long)r->hi);
          }
      }
  assert_true(told > 100000);
}

static void sets_of_words(void **state) {
  (void)state;
  for (unsigned turn = 0; turn < 200000; turn++) {
    unsigned bits = draw(2) ? 32 : 64;
    struct value_range a = some_arc(bits), b = some_arc(bits), j = range_join(bits, a, b), m = range_meet(bits, a, b);
    struct value_range sum = range_add(bits, a, b), less = range_sub(bits, a, b), times = range_mul(bits, a, b);
    for (unsigned l = 0; l < 4; l++) {
      uint64_t x = some_word(&a, l), y = some_word(&b, l >> 1);
      assert_true(holds(bits, &a, x) && holds(bits, &j, x) && holds(bits, &j, y));
      assert_true(!holds(bits, &b, x) || holds(bits, &m, x));
      assert_true(holds(bits, &sum, x + y) && holds(bits, &less, x - y) && holds(bits, &times, x * y));
    }
  }
  struct value_range a = range_join(32, range_of(32, -1, -1), range_of(32, 3, 5));
  assert_true(a.lo == -1 && a.hi == 5);
  a = range_join(32, range_of(32, 0x7ffffff0, 0x7ffffff1), range_of(32, 0x80000003, 0x80000004));
  assert_true(a.lo == 0x7ffffff0 && a.hi == 0x80000004);
  a = range_known(32, range_of(32, 1, 30), 3, 4);
  assert_true(a.lo == 4 && a.hi == 28);
  a = range_add(32, range_of(32, 0, 9), range_one(64, 0xffffffff)); /* -1 */
  assert_true(a.lo == -1 && a.hi == 8);
}

static void nibbles(void **state) {
  (void)state;
  static const struct {
    wide lo, hi;
    unsigned words, n[2], sgn[2];
  } want[] = {
      {0, 0, 1, {1}, {0}},
      {0, 15, 1, {1}, {0}},
      {0, 16, 1, {2}, {0}},
      {-8, 7, 1, {1}, {1}},
      {-8, 8, 1, {2}, {1}},
      {-9, 0, 1, {2}, {1}},
      {0, 0xffff, 1, {4}, {0}},
      {0, 0xfffffff, 1, {7}, {0}},
      {0, 0x10000000, 1, {8}, {0}},
      {-(1 << 27), 5, 1, {7}, {1}},
      {-(1 << 27) - 1, 5, 1, {8}, {0}},
      {0, 0xffffffff, 1, {8}, {0}},
      {0, 0xffffffff, 2, {8, 1}, {0, 0}},
      {0, (wide)1 << 32, 2, {8, 1}, {0, 0}},
      {-1, 5, 2, {1, 1}, {1, 1}},
      {0x1000000000, 0x10000000ff, 2, {2, 2}, {0, 0}},
      {0, (wide)0x7fffffff << 32, 2, {8, 8}, {0, 0}},
  };
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++)
    for (unsigned w = 0; w < want[k].words; w++) {
      uint8_t n, sgn;
      range_nibbles(&(struct value_bounds){want[k].lo, want[k].hi}, want[k].words, w, &n, &sgn);
      assert_int_equal(n, want[k].n[w]);
      assert_int_equal(sgn, want[k].sgn[w]);
    }
}

int main(void) {
  const char *s = getenv("RANGE_SEED");
  if (s) seed = strtoull(s, NULL, 0);
  print_message("seed %llu\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(sets_of_words), cmocka_unit_test(nibbles),
                                     cmocka_unit_test(rules_hold_what_the_alu_computes),
                                     cmocka_unit_test(comparisons_bound_what_they_compare)};
  return cmocka_run_group_tests_name("range_rules", tests, NULL, NULL);
}
