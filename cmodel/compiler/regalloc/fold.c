/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold: propagates operands that cost no register into their uses, before allocation.
 *
 * A register whose one definition is an unguarded move of an immediate, a parameter (constant bank) or a
 * launch dimension (which the hardware also keeps in the constant bank) is replaced by that operand where it
 * is read. Any number of constant operands per instruction is accepted: real encodings take one, and ptxas
 * then spends a register for the span of an instruction or two; that is not modelled. Not replaced:
 * - addresses in global and generic memory (a parameter pointer used as an address needs its register pair),
 * and shared, local, constant and parameter addresses other than immediates;
 * - matrices, which the tensor unit reads from registers; zeros are allowed;
 * - data of stores, atomics, shuffles and matches, which the units read from registers; a store of zero is allowed;
 * - guards, and parameters narrower than 32 bits (an operand from the constant bank is read whole).
 * Then instructions without side effects whose results are unused are dropped. Loads from memory stay:
 * they can fault and cause traffic.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"

static void drop_unreachable(struct code *c) {
  struct graph g;
  graph_build(c, &g);
  uint8_t *seen = xcalloc((size_t)g.n + 1, 1), *drop = xcalloc((size_t)c->n + 1, 1);
  uint32_t *stack = xcalloc((size_t)g.n + 1, sizeof *stack), depth = 0;
  if (g.n) {
    stack[depth++] = 0;
    seen[0] = 1;
  }
  while (depth) {
    const struct block *b = &g.block[stack[--depth]];
    for (uint32_t s = 0; s < b->nsucc; s++) {
      if (seen[b->succ[s]]) continue;
      seen[b->succ[s]] = 1;
      stack[depth++] = b->succ[s];
    }
  }
  for (uint32_t i = 0; i < c->n; i++) drop[i] = !seen[g.block_of[i]] || c->insn[i].op == OP_NOP;
  code_drop(c, drop);
  free(stack);
  free(drop);
  free(seen);
  graph_free(&g);
}

static bool whole_word(uint8_t type) {
  return dtype_bytes((enum dtype)type) == 4 || dtype_bytes((enum dtype)type) == 8;
}

/* Whether a move keeps all bits of this operand that readers use: of 16-bit registers they use the low bits only, but
 * a read of the constant bank would include neighbouring bytes. */
static bool moves_all(const struct insn *i, const struct opnd *from) {
  return whole_word(i->type) || (from->kind == O_IMM && dtype_bytes((enum dtype)i->type) == 2);
}

/* Loads of whole parameters and conversions that change nothing become moves. */
static void as_move(const struct code *c, struct insn *i) {
  if (i->op == OP_LD && i->space == SP_PARAM && i->vec <= 1 && i->src[0].kind == O_IMM && whole_word(i->type) &&
      i->dst[0].kind == O_REG) {
    uint64_t at = i->src[0].imm + (uint64_t)i->offset;
    if (at > c->param_bytes || c->param_bytes - at < dtype_bytes((enum dtype)i->type)) return;
    i->op = OP_MOV;
    i->space = 0;
    i->mods = 0;
    i->offset = 0;
    i->src[0] = (struct opnd){.kind = O_CBANK, .words = i->dst[0].words, .reg = (uint32_t)at};
  } else if (i->op == OP_CVT && i->nsrc == 1 && i->src[0].kind == O_REG && whole_word(i->type) &&
             dtype_bytes((enum dtype)i->type) == dtype_bytes((enum dtype)i->stype) && !(i->mods & M_SAT) &&
             !dtype_float((enum dtype)i->type) && !dtype_float((enum dtype)i->stype) &&
             i->src[0].words == i->dst[0].words) {
    i->op = OP_MOV;
    i->stype = T_NONE;
    i->rnd = R_NONE;
    i->mods = 0;
  }
}

static bool is_launch_dimension(uint32_t sreg) {
  return (sreg >= SR_NTID_X && sreg <= SR_NTID_Z) || (sreg >= SR_NCTAID_X && sreg <= SR_NCTAID_Z);
}

static bool is_free_value(const struct opnd *o) {
  return o->kind == O_IMM || o->kind == O_CBANK || (o->kind == O_SREG && is_launch_dimension(o->reg));
}

/* Which sources may be constants: source k of i this value v. One of these per operation, by insn.def. */
typedef bool takes_fn(const struct insn *i, unsigned k, const struct opnd *v);

static bool opnd_is_imm(const struct opnd *v) { return v->kind == O_IMM; }
static bool opnd_is_zero(const struct opnd *v) { return v->kind == O_IMM && v->imm == 0; }

static bool takes_address(const struct insn *i, unsigned k, const struct opnd *v) {
  return k == 0 && opnd_is_imm(v) && i->space != SP_GLOBAL && i->space != SP_GENERIC;
}
static bool takes_stored(const struct insn *i, unsigned k, const struct opnd *v) {
  return k ? opnd_is_zero(v) : takes_address(i, k, v);
}
static bool takes_atomic(const struct insn *i, unsigned k, const struct opnd *v) { return takes_address(i, k, v); }
static bool takes_mbarrier(const struct insn *i, unsigned k, const struct opnd *v) {
  return opnd_is_imm(v) && (k > 0 || i->space == SP_SHARED);
}
static bool takes_lanes(const struct insn *i, unsigned k, const struct opnd *v) {
  (void)i;
  return k > 0 && opnd_is_imm(v);
}
static bool takes_immediate(const struct insn *i, unsigned k, const struct opnd *v) {
  (void)i, (void)k;
  return opnd_is_imm(v);
}
static bool takes_zero(const struct insn *i, unsigned k, const struct opnd *v) {
  (void)i, (void)k;
  return opnd_is_zero(v);
}
static bool takes_copied(const struct insn *i, unsigned k, const struct opnd *v) {
  (void)i;
  return opnd_is_imm(v) && k != 1;
}
static bool takes_texture(const struct insn *i, unsigned k, const struct opnd *v) {
  return tex_source(i, k) == TS_HANDLE ? v->kind != O_SREG : opnd_is_zero(v);
}

static takes_fn *const takes_of[OP_COUNT] = {
#define SPECIAL(name, constants, ...) [OP_##name] = constants,
#include "compiler/ir/insn.def"
#undef SPECIAL
};

static bool fold_takes(const struct insn *i, unsigned k, const struct opnd *v) {
  return !takes_of[i->op] || takes_of[i->op](i, k, v);
}

struct defs {
  uint32_t *count;
  struct opnd *value;
}; /* per register; value.kind O_NONE: not a constant */

static void find_constants(const struct code *c, uint32_t nv, struct defs *d) {
  memset(d->count, 0, nv * sizeof *d->count);
  for (uint32_t i = 0; i < c->n; i++) {
    const struct opnd *o[INSN_DST];
    unsigned n = insn_writes(&c->insn[i], o);
    for (unsigned k = 0; k < n; k++) d->count[o[k]->reg] += 1 + (c->insn[i].guard.kind == O_PRED);
  }
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    if (in->op != OP_MOV || in->ndst != 1 || in->dst[0].kind != O_REG || !moves_all(in, &in->src[0])) continue;
    if (d->count[in->dst[0].reg] != 1 || !is_free_value(&in->src[0])) continue;
    d->value[in->dst[0].reg] = in->src[0];
    d->value[in->dst[0].reg].words = in->dst[0].words;
  }
}

/* Adding 0, as to the address of a symbol at 0, is a move. */
static void drop_zero(struct insn *i) {
  if (i->op != OP_ADD || !whole_word(i->type) || dtype_float((enum dtype)i->type) || i->mods & (M_CC | M_SAT)) return;
  for (unsigned k = 0; k < 2; k++) {
    if (i->src[k].kind != O_IMM || i->src[k].imm != 0) continue;
    i->op = OP_MOV;
    i->mods = 0;
    i->src[0] = i->src[1 - k];
    i->src[1] = (struct opnd){0};
    i->nsrc = 1;
    return;
  }
}

static struct opnd *fold_find_handles(const struct code *c, uint32_t nv, const struct defs *d) {
  struct opnd *whole = xcalloc((size_t)nv + 1, sizeof *whole);
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    const bool low = in->op == OP_CVT && in->type == T_U32 && in->stype == T_U64 && in->ndst == 1;
    if (low && in->dst[0].kind == O_REG && d->count[in->dst[0].reg] == 1 &&
        (in->src[0].kind == O_IMM || in->src[0].kind == O_CBANK))
      whole[in->dst[0].reg] = in->src[0];
  }
  return whole;
}

/* The low word of a handle is not taken (compiler/ptx/lower_texture.c) where the handle turns out to be a constant. */
static void whole_handles(struct code *c, uint32_t nv, const struct defs *d) {
  struct opnd *whole = NULL; /* per register: what it is the low word of; O_NONE: of no constant */
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    for (unsigned k = 0; insn_texture(in) && k < in->nsrc; k++) {
      struct opnd *s = &in->src[k];
      if (tex_source(in, k) != TS_HANDLE || s->kind != O_REG || s->words != 1) continue;
      if (!whole) whole = fold_find_handles(c, nv, d);
      if (whole[s->reg].kind != O_NONE) *s = whole[s->reg];
    }
  }
  free(whole);
}

/* One sweep; true if a move became a move of a constant, so that another sweep finds more. */
static bool fold_substitute(struct code *c, struct defs *d) {
  bool more = false;
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    for (unsigned k = 0; k < in->nsrc; k++) {
      struct opnd *s = &in->src[k];
      if (s->kind != O_REG || d->value[s->reg].kind == O_NONE || !fold_takes(in, k, &d->value[s->reg])) continue;
      if (d->value[s->reg].words != s->words) continue;
      *s = d->value[s->reg];
      if (in->op == OP_MOV && in->dst[0].kind == O_REG && d->count[in->dst[0].reg] == 1 && moves_all(in, s)) {
        d->value[in->dst[0].reg] = *s;
        more = true;
      }
    }
    drop_zero(in);
  }
  return more;
}

static bool has_effect(const struct insn *i) {
  if (i->op == OP_LD) return i->mods & M_VOLATILE || !(i->space == SP_PARAM || i->space == SP_CONST);
  return insn_is(i, TRAIT_EFFECT);
}

static bool fold_is_unused(const struct insn *i, const uint32_t *reads) {
  const struct opnd *o[INSN_DST];
  unsigned n = insn_writes(i, o);
  for (unsigned k = 0; k < n; k++)
    if (reads[o[k]->reg]) return false;
  return true;
}

static void fold_drop_dead(struct code *c, uint32_t nv) {
  uint32_t *reads = xcalloc((size_t)nv + 1, sizeof *reads);
  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  const struct opnd *o[INSN_SRC + 1];
  for (uint32_t i = 0; i < c->n; i++) {
    unsigned n = insn_reads(&c->insn[i], o);
    for (unsigned k = 0; k < n; k++) reads[o[k]->reg]++;
  }
  /* backwards, as uses mostly follow definitions; repeated a few times while instructions are dropped */
  bool again = true;
  for (unsigned round = 0; again && round < 8; round++) {
    again = false;
    for (uint32_t i = c->n; i-- > 0;) {
      struct insn *in = &c->insn[i];
      if (drop[i] || has_effect(in) || !fold_is_unused(in, reads)) continue;
      drop[i] = again = true;
      unsigned n = insn_reads(in, o);
      for (unsigned k = 0; k < n; k++) reads[o[k]->reg]--;
    }
  }
  /* an atomic with an unused result becomes a red, as ptxas makes it: the warp need not wait for a reply */
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    const bool arrives = in->op == OP_MBARRIER && in->sub != MBAR_TEST; /* nobody wants its token */
    if ((in->op != OP_ATOM && !arrives) || !in->ndst || !fold_is_unused(in, reads)) continue;
    in->ndst = 0;
    in->dst[0] = (struct opnd){0};
  }
  /* components of texels that no instruction reads have no register, as ptxas masks them out */
  for (uint32_t i = 0; i < c->n; i++) {
    struct insn *in = &c->insn[i];
    for (unsigned k = 0; insn_texture(in) && k < in->ndst; k++)
      if (in->dst[k].kind == O_REG && !reads[in->dst[k].reg]) in->dst[k] = (struct opnd){0};
  }
  code_drop(c, drop);
  free(drop);
  free(reads);
}

/* Branches to the next instruction. */
uint32_t find_empty_branches(const struct code *c, uint8_t *drop) {
  uint32_t n = 0;
  uint32_t next = c->n; /* first instruction behind i that stays */
  for (uint32_t i = c->n; i-- > 0;) {
    if (c->insn[i].op == OP_BRA && c->insn[i].target > i && c->insn[i].target <= next && next < c->n) n += drop[i] = 1;
    else next = i;
  }
  return n;
}

void drop_empty_branches(struct code *c) {
  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  if (find_empty_branches(c, drop)) code_drop(c, drop);
  free(drop);
}

void fold_code(struct code *c, uint32_t nv) {
  drop_unreachable(c);
  for (uint32_t i = 0; i < c->n; i++) as_move(c, &c->insn[i]);
  struct defs d = {xcalloc((size_t)nv + 1, sizeof *d.count), xcalloc((size_t)nv + 1, sizeof *d.value)};
  find_constants(c, nv, &d);
  for (unsigned round = 0; fold_substitute(c, &d) && round < 16; round++) continue;
  whole_handles(c, nv, &d);
  free(d.count);
  free(d.value);
  drop_empty_branches(c);
  fold_drop_dead(c, nv);
}
