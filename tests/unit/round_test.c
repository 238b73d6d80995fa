/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounding of floats in slices (exec/round.c). Every random program runs twice in step: as packed code and as plain
 * code, which before each instruction gets the packed one's registers; so each instruction is checked separately.
 */
#include "unit/exec_kern.h"

#include "base/bits.h"
#include "blocks/slice/vcl.h"
#include "blocks/slice/vtl.h"
#include "exec/warp.h"

enum { REGS = 12, STEPS = 100, PROGRAMS = 200, CELLS = 64 };

static uint32_t draw(uint64_t *d, uint32_t n) { return (uint32_t)(rng_next(d) >> 33) % n; }
static struct opnd any(uint64_t *d) { return R(draw(d, REGS)); }

/* An aligned address in `cells` words of a buffer, another in each lane. */
static struct opnd address(struct kern *k, uint64_t *d, uint32_t base, uint32_t cells) {
  put(k, OP_AND, T_B32, R(REGS), any(d), I((cells - 1) * 4 & ~15u), NONE);
  add(k, R(REGS), R(REGS), I(base));
  return R(REGS);
}

static struct insn *random_insn(struct kern *k, uint64_t *d, uint32_t buf) {
  struct insn *i;
  switch (draw(d, 12)) {
    case 0: return put(k, OP_ADD, T_F32, any(d), any(d), any(d), NONE);
    case 1: return put(k, OP_MUL, T_F32, any(d), any(d), any(d), NONE);
    case 2:
      i = put(k, OP_FMA, T_F32, any(d), any(d), any(d), any(d));
      i->rnd = R_RN;
      return i;
    case 3: return put(k, OP_MOV, T_F32, any(d), I((uint32_t)rng_next(d)), NONE, NONE);
    case 4: return put(k, OP_SELP, T_F32, any(d), any(d), any(d), P(draw(d, 2)));
    case 5:
      i = put(k, OP_SHFL, T_B32, any(d), any(d), I(draw(d, 32)), I(31));
      i->sub = SHFL_BFLY;
      return i;
    case 6: {
      unsigned v = 1u << draw(d, 3), r = draw(d, REGS - 3);
      i = ld(k, SP_GLOBAL, T_F32, R(r), address(k, d, buf, CELLS), 0);
      i->vec = i->ndst = (uint8_t)v;
      for (unsigned n = 1; n < v; n++) i->dst[n] = R(r + n);
      if (draw(d, 2)) i->dst[draw(d, v)] = NONE; /* PTX _ */
      return i;
    }
    case 7:
    case 8: {
      bool shared = draw(d, 2);
      struct opnd to = any(d), a = address(k, d, shared ? 0 : buf, CELLS), v = any(d);
      i = atom(k, shared ? SP_SHARED : SP_GLOBAL, draw(d, 2) ? ATOM_ADD : ATOM_EXCH, to, a, v, NONE);
      i->type = i->sub == ATOM_ADD ? T_F32 : T_B32;
      return i;
    }
    case 9:
      i = put(k, OP_MMA, T_F32, R(2), any(d), any(d), any(d));
      i->stype = T_F16;
      i->sub = MMA_K8;
      i->mods = M_SYNC | M_ROWS_0;
      i->dst[i->ndst++] = R(3);
      i->src[i->nsrc++] = any(d);
      return i;
    case 10: return put(k, OP_CVT, T_F32, any(d), any(d), NONE, NONE);
    default:
      i = put(k, OP_SETP, T_F32, P(draw(d, 2)), any(d), any(d), NONE);
      i->cmp = C_LT;
      return i;
  }
}

static struct kern *program(uint64_t seed, uint32_t *buf) {
  uint64_t d = seed;
  struct kern *k = kern(20 + draw(&d, 13), 1); /* some lanes may be missing */
  bool whole = k->l.block[0] == 32;
  *buf = buffer(k, "b", 4 * CELLS);
  k->c.shared_bytes = 4 * CELLS;
  for (unsigned n = 0; n < CELLS; n++) set_word(k, *buf + 4 * n, (uint32_t)rng_next(&d));
  for (unsigned r = 0; r < REGS; r++) /* lanes of their own, exponents in the middle */
    put(k, OP_MAD, T_U32, R(r), S(SR_TID_X), I(rng_next(&d) & 0x7ffffff), I(0x3c000000))->mods = M_LO;
  while (k->c.n + 4 < STEPS) {
    struct insn *i = random_insn(k, &d, *buf);
    if (i->op == OP_MMA && !whole) {
      k->c.n--;
      continue;
    }
    if (i->op == OP_CVT) i->stype = T_S32, i->rnd = R_RN;
    if (i->op != OP_MMA && draw(&d, 2)) i->guard = draw(&d, 2) ? P(draw(&d, 2)) : NP(draw(&d, 2));
  }
  leave(k);
  return k;
}

/* Words 0..3 of an instruction's destinations, in struct op's order. */
static unsigned destinations(const struct insn *i, uint32_t *reg) {
  unsigned n = 0;
  for (unsigned k = 0; k < i->ndst; k++)
    if (i->dst[k].kind == O_REG) reg[n++] = i->dst[k].reg;
  return n;
}

static struct stream *begin(struct kern *k) {
  const struct exec_limits lim = {.warp_slots = 1, .cta_slots = 1, .values = true};
  struct stream *s = stream_functional(&k->l, &lim, &k->e);
  if (!s) fail_msg("%s", k->e.text);
  s->ops->cta_begin(s, 0, 0, (uint16_t[]){0});
  return s;
}

static unsigned check_step(const struct exec *packed, const struct exec *plain, const struct warp_inst *inst) {
  const struct narrow *n = &packed->code->packing->insn[inst->op];
  const struct insn *i = &packed->code->insn[inst->op];
  uint32_t reg[4], want[REGS + 1][32];
  unsigned count = destinations(i, reg), rounded = 0;
  memcpy(want, plain->warp[0].rows, sizeof want);
  for (unsigned k = 0; k < count; k++)
    for (unsigned l = 0; l < 32; l++) {
      if (!(inst->lanes >> l & 1) || !(n->fp >> k & 1) || n->n[k] == 8) continue;
      uint32_t *v = &want[reg[k]][l], y = vcl_convert(vtl_truncate(*v, n->n[k], true), n->n[k]);
      rounded += y != *v;
      *v = y;
    }
  assert_memory_equal(packed->warp[0].rows, want, sizeof want);
  for (unsigned k = 0; k < inst->nval; k++)
    assert_memory_equal(inst_val(&packed->s, inst, k), want[reg[k]], sizeof want[0]);
  return rounded;
}

static void test_every_writer(void **state) {
  (void)state;
  unsigned rounded[OP_COUNT] = {0};
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    uint32_t buf;
    struct kern *a = program(seed, &buf), *b = program(seed, &buf);
    struct narrow narrow[MAX] = {0};
    struct packing packing = {.insn = narrow};
    uint64_t d = seed ^ 0x5eed;
    for (uint32_t n = 0; n < a->c.n; n++) {
      uint32_t reg[4];
      unsigned count = destinations(&a->insn[n], reg);
      for (unsigned k = 0; k < count; k++) {
        narrow[n].n[k] = (uint8_t)(2 + draw(&d, 7));
        if (reg[k] < REGS && n >= REGS && draw(&d, 4)) narrow[n].fp |= (uint8_t)(1u << k);
      }
    }
    a->c.packing = &packing;
    struct stream *s = begin(a), *t = begin(b);
    struct exec *x = (struct exec *)s, *y = (struct exec *)t;
    struct warp_inst inst, other;
    int got, same;
    for (;;) {
      memcpy(y->warp[0].rows, x->warp[0].rows, (size_t)x->row_count * ROW_BYTES);
      got = s->ops->next(s, 0, &inst);
      same = t->ops->next(t, 0, &other);
      assert_int_equal(got, same);
      s->ops->quantum(s);
      t->ops->quantum(t);
      if (got == STREAM_WAIT) continue;
      if (got != STREAM_GIVEN) break;
      assert_int_equal(inst.op, other.op);
      assert_int_equal(inst.lanes, other.lanes);
      rounded[a->insn[inst.op].op] += check_step(x, y, &inst);
    }
    assert_int_equal(got, STREAM_FINISHED);
    s->ops->free(s);
    t->ops->free(t);
    end(a);
    end(b);
  }
  const enum opcode writers[] = {OP_ADD, OP_MUL, OP_FMA, OP_MOV, OP_SELP, OP_SHFL, OP_LD, OP_ATOM, OP_MMA, OP_CVT};
  for (unsigned k = 0; k < sizeof writers / sizeof *writers; k++)
    if (!rounded[writers[k]]) fail_msg("no %s was rounded", opcode_name(writers[k]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_writer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
