/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every combination of operation, types, modifiers, rounding and comparison that the alu accepts, on random rows: a
 * hash per opcode, which must be the same with every compiler, optimisation and machine. The other alu tests check
 * the values; this one checks that they do not depend on how the simulator was built, and that no combination is
 * lost.
 */
#include "alu_kit.h"

struct expected {
  enum opcode op;
  unsigned combinations;
  uint64_t hash;
};
static const struct expected expected[] = {
#include "alu_hash.inc"
};

static const char *const names[] = {
#define OPCODE(name, ...) #name,
#include "compiler/ir/insn.def"
#undef OPCODE
};

struct tally {
  unsigned n;
  uint64_t hash;
};

static unsigned operands(enum opcode op) {
  switch (op) {
    case OP_ABS:
    case OP_NEG:
    case OP_MOV:
    case OP_NOT:
    case OP_CNOT:
    case OP_POPC:
    case OP_CLZ:
    case OP_BFIND:
    case OP_BREV:
    case OP_RCP:
    case OP_SQRT:
    case OP_RSQRT:
    case OP_SIN:
    case OP_COS:
    case OP_LG2:
    case OP_EX2:
    case OP_TANH:
    case OP_TESTP:
    case OP_UNPACK:
    case OP_CVT: return 1;
    case OP_FMA:
    case OP_MAD:
    case OP_MAD24:
    case OP_SAD:
    case OP_DP4A:
    case OP_DP2A:
    case OP_VABSDIFF4:
    case OP_CVTPACK:
    case OP_SELP:
    case OP_SLCT:
    case OP_SETP:
    case OP_SET:
    case OP_ADDC:
    case OP_SUBC:
    case OP_SHF:
    case OP_BFE:
    case OP_FNS:
    case OP_PRMT: return 3;
    case OP_MADC:
    case OP_LOP3:
    case OP_BFI:
    case OP_SHFL: return 4;
    case OP_ACTIVEMASK: return 0;
    default: return 2;
  }
}

static void fill(struct lane_run *r, uint64_t *seed) {
  for (unsigned k = 0; k < INSN_SRC; k++) {
    const unsigned bits = dtype_bytes(r->i.stype ? r->i.stype : r->i.type) * 8;
    for (unsigned l = 0; l < 32; l++) {
      const uint64_t v = lane_value(seed, bits == 64 ? 64 : bits == 32 ? 32 : 16);
      lane_put(r, k, l, bits < 64 ? v | rng_next(seed) << 32 : v);
      if (bits == 16) r->src[k][l] |= (uint32_t)rng_next(seed) << 16;
    }
    r->io.psrc[k] = (uint32_t)rng_next(seed);
  }
  r->io.lanes = (uint32_t)rng_next(seed) | 1u << (rng_next(seed) & 31);
  r->i.src[3].imm = rng_next(seed) & 0xff;
  for (unsigned k = 0; k < INSN_DST; k++) memset(r->dst[k], 0, sizeof r->dst[k]), r->io.pdst[k] = 0;
}

static void take(struct lane_run *r, struct tally *t) {
  if (!alu_pick(&r->i)) return;
  uint64_t seed = t->n++;
  for (int round = 0; round < 8; round++) {
    fill(r, &seed);
    assert_true(lane_go(r));
    t->hash = fnv1a(t->hash, r->dst, sizeof r->dst);
    t->hash = fnv1a(t->hash, r->io.pdst, sizeof r->io.pdst);
  }
}

/* All that comes after op, types, modifiers and rounding. */
static void details(struct lane_run *r, struct tally *t) {
  const enum opcode op = r->i.op;
  const bool compares = op == OP_SETP || op == OP_SET;
  const bool subs = op == OP_PRMT || op == OP_VABSDIFF4 || op == OP_TESTP || op == OP_SHFL || op == OP_VOTE ||
                    op == OP_MATCH || op == OP_REDUX;
  for (unsigned cmp = 0; cmp <= (compares ? C_NAN : 0); cmp++)
    for (unsigned boolop = 0; boolop <= (compares ? B_XOR : 0); boolop++)
      for (unsigned sub = 0; sub <= (subs ? 10u : 0u); sub++) {
        r->i.cmp = (uint8_t)cmp, r->i.boolop = (uint8_t)boolop, r->i.sub = (uint8_t)sub;
        take(r, t);
      }
}

static void shapes(struct lane_run *r, struct tally *t) {
  const enum opcode op = r->i.op;
  const unsigned words = r->i.dst[0].words, nsrc = r->i.nsrc;
  details(r, t);
  if (op == OP_CVT) {
    r->i.nsrc = 2;
    take(r, t);
    r->i.nsrc = 1;
    r->i.dst[0].words = 2;
    take(r, t);
  } else if (op == OP_PACK || op == OP_UNPACK) {
    r->i.nsrc = op == OP_PACK ? 4 : 1, r->i.ndst = op == OP_PACK ? 1 : 4;
    take(r, t);
    r->i.ndst = 2;
    if (op == OP_UNPACK) take(r, t);
    r->i.ndst = 1;
  } else if (op == OP_VOTE || op == OP_MATCH || op == OP_REDUX) {
    r->i.nsrc = 1;
    details(r, t);
  }
  r->i.nsrc = (uint8_t)nsrc, r->i.dst[0].words = (uint8_t)words;
}

/* Every choice of up to `most` modifiers. */
static void modifiers(enum opcode op, unsigned type, unsigned stype, unsigned rnd, uint32_t mods, unsigned from,
                      int most, struct tally *t) {
  struct lane_run r = lane_insn(op, type, mods, rnd, operands(op));
  r.i.stype = (uint8_t)stype;
  shapes(&r, t);
  if (most > 0)
    for (unsigned bit = from; bit < 22; bit++) modifiers(op, type, stype, rnd, mods | 1u << bit, bit + 1, most - 1, t);
}

static struct tally tally(enum opcode op) {
  struct tally t = {0, FNV_START};
  const bool two = op == OP_CVT || op == OP_SET || op == OP_SLCT || op == OP_DP4A || op == OP_DP2A ||
                   op == OP_VABSDIFF4 || op == OP_CVTPACK;
  const int most = op == OP_SETP || op == OP_SET ? 1 : op == OP_MIN || op == OP_MAX ? 3 : 2;
  for (unsigned type = 0; type < T_COUNT; type++)
    for (unsigned stype = 0; stype < (two ? T_COUNT : 1u); stype++)
      for (unsigned rnd = R_NONE; rnd <= R_RNA; rnd++) modifiers(op, type, stype, rnd, 0, 0, most, &t);
  return t;
}

static void test_hash(void **state) {
  (void)state;
  unsigned wrong = 0, at = 0;
  for (unsigned op = 0; op < OP_COUNT; op++) {
    const struct tally t = tally(op);
    if (!t.n) continue;
    const bool same = at < sizeof expected / sizeof *expected && expected[at].op == op &&
                      expected[at].combinations == t.n && expected[at].hash == t.hash;
    at++;
    if (same) continue;
    wrong++;
    print_message("differs: { OP_%s, %u, 0x%016llx },\n", names[op], t.n, (unsigned long long)t.hash);
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(at, sizeof expected / sizeof *expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
