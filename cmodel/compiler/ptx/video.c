/* SPDX-License-Identifier: Apache-2.0 */
/*
 * video: the SIMD video instructions on four bytes: vop4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c
 * (PTX ISA, SIMD video instructions). Operands are registers, as ptxas 13 has it.
 *
 * The operation itself takes a and b byte by byte. Selectors other than .b3210 and .b7654 become a prmt of a and b before it.
 * A mask becomes a prmt that takes the other bytes from c; with .add an `and` of both sources, so that the other bytes add 0.
 */
#include "compiler/ptx/lower.h"
#include "compiler/ptx/check_parts.h"

enum { BYTES = 4, SELECT_A = 0x3210, SELECT_B = 0x7654 };

bool video_mods(struct ctx *c) {
  struct ir_insn *i = c->i;
  const bool second = c->seen & G(ATOM);
  if (second && i->sub != ATOM_ADD) return AT_INSN(c, "found a second operation in '%.*s', expected .add", SHOW(i));
  if (second && c->seen & G(SAT)) return AT_INSN(c, "found .sat and .add in '%.*s', expected one of them", SHOW(i));
  if (second) i->mods |= M_ADD;
  i->sub = i->btype;
  return true;
}

/* ---- operands ---- */

/* .b3210 and the like: digits, the last one first. */
static bool digits_fit(const struct ir_opnd *o, bool mask) {
  for (unsigned k = 0; k < o->nselect; k++) {
    const unsigned digit = o->select >> 4 * k & 15;
    if (digit >= (mask ? BYTES : 2 * BYTES) || (mask && k && digit <= (o->select >> 4 * (k - 1) & 15u))) return false;
  }
  return mask || !o->nselect || o->nselect == BYTES;
}

bool video_opnds(struct ctx *c) {
  struct ir_insn *i = c->i;
  if (!check_count(c, 4, 4)) return false;
  for (unsigned k = 0; k < 4; k++) {
    const struct ir_opnd *o = &i->opnd[k];
    if (!check_dest(c, o, T_U32, false)) return false; /* the sources are registers, too */
    if (k == 3 && o->nselect) return AT_OPND(c, o, "found bytes selected of the last operand, expected none");
    if (!digits_fit(o, k == 0))
      return AT_OPND(c, o, "found wrong bytes of operand '%.60s', expected %s", o->name,
                     k ? "four digits from 0 to 7, as .b3210" : "digits from 3 to 0, each once, as .b310");
  }
  return true;
}

/* ---- lowering ---- */

static struct insn *video_emit(struct lower *l, uint8_t op, struct opnd to, struct opnd a, struct opnd b) {
  struct insn *i = lower_emit(l, op, T_B32);
  i->dst[i->ndst++] = to;
  i->src[i->nsrc++] = a;
  i->src[i->nsrc++] = b;
  return i;
}

static struct opnd video_new_register(struct lower *l) {
  return (struct opnd){.kind = O_REG, .words = 1, .reg = lower_vreg(l, "%video", 1)};
}

/* Bytes of a and b by a selector; `as_is` if it is the default. */
static struct opnd video_emit_select(struct lower *l, struct opnd a, struct opnd b, unsigned selector, unsigned as_is,
                                     struct opnd plain) {
  if (selector == as_is) return plain;
  const struct opnd to = video_new_register(l);
  struct insn *i = video_emit(l, OP_PRMT, to, a, b);
  i->src[i->nsrc++] = lower_imm(selector, T_B32);
  return to;
}

static struct opnd video_emit_mask(struct lower *l, struct opnd a, uint32_t bytes) {
  const struct opnd to = video_new_register(l);
  video_emit(l, OP_AND, to, a, lower_imm(bytes, T_B32));
  return to;
}

void lower_video(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  const struct ir_opnd *o = s->opnd;
  const struct opnd d = lower_dst(l, &o[0]), a = lower_src(l, &o[1], T_B32), b = lower_src(l, &o[2], T_B32);
  const struct opnd c = lower_src(l, &o[3], T_B32);
  uint32_t bytes = o[0].nselect ? 0 : UINT32_MAX; /* those that the mask has */
  for (unsigned k = 0; k < o[0].nselect; k++) bytes |= 0xffu << 8 * (o[0].select >> 4 * k & 3);
  const bool whole = bytes == UINT32_MAX, adds = s->mods & M_ADD;
  struct opnd x = video_emit_select(l, a, b, o[1].nselect ? o[1].select : SELECT_A, SELECT_A, a);
  struct opnd y = video_emit_select(l, a, b, o[2].nselect ? o[2].select : SELECT_B, SELECT_B, b);
  if (adds && !whole) x = video_emit_mask(l, x, bytes), y = video_emit_mask(l, y, bytes);
  const struct opnd to = adds || whole ? d : video_new_register(l);
  struct insn *i = video_emit(l, s->rule->op, to, x, y);
  i->src[i->nsrc++] = c;
  i->type = s->type;
  i->stype = s->stype;
  i->sub = s->sub;
  i->mods = s->mods;
  if (adds || whole) return;
  unsigned selector = 0;
  for (unsigned k = 0; k < BYTES; k++) selector |= (bytes >> 8 * k & 1 ? k : BYTES + k) << 4 * k;
  i = video_emit(l, OP_PRMT, d, to, c);
  i->src[i->nsrc++] = lower_imm(selector, T_B32);
}
