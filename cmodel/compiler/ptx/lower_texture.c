/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces (compiler/ir/texture.h has the order of the operands).
 *
 * - An instruction has at most six operands in at most six 32-bit registers. A handle in a register pair is taken by its low word
 *   where that is needed; what still does not fit is refused.
 * - Offsets become one operand of four bits per axis.
 * - tex.grad becomes tex.level of log2(max(|dPdx * size|, |dPdy * size|)), computed in f32 as
 *   0.5 * lg2.approx(max(sum of squares, sum of squares)), each sum by mul and fma in the order of the axes.
 * - sust of vectors of bytes or halves that do not fit are packed to words; then vectors are stored in two parts.
 */
#include <string.h>

#include "compiler/ptx/check.h"
#include "compiler/ptx/lower.h"

static struct opnd reg_of(uint32_t vreg, unsigned words) {
  return (struct opnd){.kind = words ? O_REG : O_PRED, .words = (uint8_t)words, .reg = vreg};
}

/* An instruction of up to four sources with a new 32-bit register for its result. */
static struct opnd texture_emit_value(struct lower *l, const char *name, uint8_t op, uint8_t type, unsigned n,
                                      const struct opnd *src) {
  const struct opnd d = reg_of(lower_vreg(l, name, 1), 1);
  struct insn *i = lower_emit(l, op, type);
  i->dst[i->ndst++] = d;
  for (unsigned k = 0; k < n; k++) i->src[i->nsrc++] = src[k];
  return d;
}

static unsigned texture_source_words(const struct insn *i) {
  unsigned n = 0;
  for (unsigned k = 0; k < i->nsrc; k++) n += i->src[k].kind == O_REG ? i->src[k].words : 0;
  return n;
}

/* The low word of the handle, which has all of it. */
static void low_word(struct lower *l, struct opnd *h) {
  if (h->kind != O_REG || h->words < 2) return;
  const struct opnd d = reg_of(lower_vreg(l, "%handle", 1), 1);
  struct insn *i = lower_emit(l, OP_CVT, T_U32);
  i->stype = T_U64;
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = *h;
  *h = d;
}

/* `i` has the operands and the decoded fields; the rest is that of the statement. */
static void texture_emit_op(struct lower *l, uint8_t op, const struct insn *i) {
  struct insn *out = lower_emit(l, op, i->type), x = *i;
  x.op = op;
  x.guard = out->guard;
  x.line = out->line;
  x.col = out->col;
  x.mods = l->at->i->mods;
  *out = x;
}

static bool texture_too_wide(struct lower *l, unsigned operands) {
  const struct ir_insn *s = l->at->i;
  return err_at(l->e, l->ir->file, s->line, s->col,
                "found '%.*s' with %u operands beside its results, expected at most %u: it is not supported", s->ntext,
                s->text, operands, INSN_SRC);
}

static void put_coordinates(struct lower *l, struct insn *i, const struct ir_opnd *o, uint8_t type) {
  const enum tex_geom g = (enum tex_geom)l->at->i->sub;
  const unsigned layer = geom_layered(g) ? 1 : 0, n = layer + geom_axes(g);
  for (unsigned k = 0; k < n; k++) i->src[i->nsrc++] = lower_src(l, ir_opnd_piece(o, k), layer && !k ? T_U32 : type);
}

/* ---- tex, tld4 ---- */

static struct opnd packed_offsets(struct lower *l, const struct ir_opnd *o) {
  const unsigned n = geom_axes((enum tex_geom)l->at->i->sub);
  uint32_t known = 0;
  for (unsigned k = 0; k < n; k++)
    if (ir_opnd_piece(o, k)->kind == IO_IMM) known |= ((uint32_t)ir_opnd_piece(o, k)->imm & 15) << 4 * k;
  struct opnd r = lower_imm(known, T_U32);
  for (unsigned k = 0; k < n; k++) {
    if (ir_opnd_piece(o, k)->kind == IO_IMM) continue;
    const struct opnd src[] = {lower_src(l, ir_opnd_piece(o, k), T_S32), r, lower_imm(4 * k, T_U32),
                               lower_imm(4, T_U32)};
    r = texture_emit_value(l, "%offset", OP_BFI, T_B32, 4, src);
  }
  return r;
}

/* Sum of (derivative * size)^2 over the axes. */
static struct opnd texture_sum_squares(struct lower *l, const struct ir_opnd *gradient, const struct opnd *size,
                                       unsigned n) {
  struct opnd sum = {0};
  for (unsigned k = 0; k < n; k++) {
    struct opnd src[] = {lower_src(l, ir_opnd_piece(gradient, k), T_F32), size[k], {0}};
    const struct opnd d = texture_emit_value(l, "%gradient", OP_MUL, T_F32, 2, src);
    src[0] = src[1] = d;
    src[2] = sum;
    sum = texture_emit_value(l, "%gradient", k ? OP_FMA : OP_MUL, T_F32, k ? 3 : 2, src);
    if (k) l->insn[l->n - 1].rnd = R_RN;
  }
  return sum;
}

static struct opnd texture_gradient_level(struct lower *l, const struct opnd *texture) {
  const struct ir_insn *s = l->at->i;
  const unsigned n = geom_axes((enum tex_geom)s->sub);
  struct opnd size[3], src[2];
  for (unsigned k = 0; k < n; k++) {
    const struct opnd texels = texture_emit_value(l, "%size", OP_TXQ, T_B32, 1, texture);
    l->insn[l->n - 1].sub = (uint8_t)(TXQ_WIDTH + k);
    size[k] = texture_emit_value(l, "%size", OP_CVT, T_F32, 1, &texels);
    l->insn[l->n - 1].stype = T_U32;
    l->insn[l->n - 1].rnd = R_RN;
  }
  src[0] = texture_sum_squares(l, &s->opnd[2], size, n);
  src[1] = texture_sum_squares(l, &s->opnd[3], size, n);
  src[0] = texture_emit_value(l, "%level", OP_MAX, T_F32, 2, src);
  src[0] = texture_emit_value(l, "%level", OP_LG2, T_F32, 1, src);
  l->insn[l->n - 1].mods = M_APPROX;
  src[1] = lower_imm(0x3f000000, T_F32);
  src[0] = texture_emit_value(l, "%level", OP_MUL, T_F32, 2, src);
  if (s->stype == T_F32) return src[0];
  src[0] = texture_emit_value(l, "%level", OP_CVT, T_S32, 1, src);
  l->insn[l->n - 1].stype = T_F32;
  l->insn[l->n - 1].rnd = R_RNI;
  return src[0];
}

static bool lower_sample(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  const struct ir_opnd *place = &s->opnd[1];
  const bool sampler = place->n == 3, gradient = s->cmp == TEX_GRADIENT;
  const uint8_t op = s->rule->op;
  struct insn i = {.type = s->type,
                   .stype = s->stype,
                   .sub = s->sub,
                   .cmp = gradient ? TEX_LEVEL : s->cmp,
                   .boolop = s->boolop,
                   .vec = s->vec,
                   .tex = s->tex | (sampler ? TEX_SAMPLER : 0)};
  unsigned k = 2;
  if (gradient && (s->sub == GEOM_CUBE || s->sub == GEOM_ACUBE))
    return err_at(l->e, l->ir->file, s->line, s->col, "found '%.*s': gradients of cubes are not supported", s->ntext,
                  s->text);
  const unsigned operands = 1u + sampler + (geom_layered((enum tex_geom)s->sub) ? 1u : 0) +
                            geom_axes((enum tex_geom)s->sub) + (s->cmp != TEX_BASE) + !!(s->tex & TEX_OFFSET) +
                            !!(s->tex & TEX_COMPARE);
  if (operands > INSN_SRC) return texture_too_wide(l, operands);
  for (unsigned d = 0; d < s->vec; d++) i.dst[i.ndst++] = lower_dst(l, ir_opnd_piece(&s->opnd[0], d));
  i.src[i.nsrc++] = lower_src(l, &place->elem[0], T_U64);
  if (sampler) i.src[i.nsrc++] = lower_src(l, &place->elem[1], T_U64);
  put_coordinates(l, &i, &place->elem[place->n - 1], s->stype);
  if (gradient) i.src[i.nsrc++] = texture_gradient_level(l, &i.src[0]), k += 2;
  if (s->cmp == TEX_LEVEL) i.src[i.nsrc++] = lower_src(l, &s->opnd[k++], s->stype);
  if (s->tex & TEX_OFFSET) i.src[i.nsrc++] = packed_offsets(l, &s->opnd[k++]);
  if (s->tex & TEX_COMPARE) i.src[i.nsrc++] = lower_src(l, &s->opnd[k++], T_F32);
  for (unsigned h = 0; h <= sampler && texture_source_words(&i) > INSN_SRC; h++) low_word(l, &i.src[h]);
  texture_emit_op(l, op, &i);
  return true;
}

/* ---- txq, suq ---- */

static void lower_query(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.type = T_B32, .vec = 1, .cmp = s->cmp};
  i.sub = s->sub == TXQ_FORCE_UNNORMALIZED ? TXQ_NORMALIZED : s->sub;
  i.dst[i.ndst++] = lower_dst(l, &s->opnd[0]);
  i.src[i.nsrc++] = lower_src(l, &s->opnd[1].elem[0], T_U64);
  if (s->cmp == TEX_LEVEL) i.src[i.nsrc++] = lower_src(l, &s->opnd[2], T_U32);
  texture_emit_op(l, OP_TXQ, &i);
}

/* ---- suld, sust ---- */

static void lower_surface_load(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.type = s->type, .sub = s->sub, .cmp = s->cmp, .vec = s->vec};
  for (unsigned k = 0; k < s->vec; k++) i.dst[i.ndst++] = lower_dst(l, ir_opnd_piece(&s->opnd[0], k));
  i.src[i.nsrc++] = lower_src(l, &s->opnd[1].elem[0], T_U64);
  put_coordinates(l, &i, &s->opnd[1].elem[1], T_B32);
  texture_emit_op(l, OP_SULD, &i);
}

/* Bytes or halves to words; returns how many. */
static unsigned texture_pack_values(struct lower *l, struct opnd *value, unsigned n, unsigned bits) {
  const unsigned each = 32 / bits;
  for (unsigned k = 0; k < n / each; k++)
    value[k] = texture_emit_value(l, "%packed", OP_PACK, T_B32, each, &value[k * each]);
  return n / each;
}

static void lower_surface_store(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  struct insn i = {.type = s->type, .sub = s->sub, .cmp = s->cmp, .tex = s->tex};
  struct opnd value[4];
  unsigned n = s->vec, bits = type_bits(s->type), parts = 1;
  i.src[i.nsrc++] = lower_src(l, &s->opnd[0].elem[0], T_U64);
  put_coordinates(l, &i, &s->opnd[0].elem[1], T_B32);
  for (unsigned k = 0; k < n; k++) value[k] = lower_src(l, ir_opnd_piece(&s->opnd[1], k), s->type);
  if (i.nsrc + n > INSN_SRC && bits < 32) {
    n = texture_pack_values(l, value, n, bits);
    i.type = T_B32;
    bits = 32;
  }
  unsigned words = texture_source_words(&i);
  for (unsigned k = 0; k < n; k++) words += value[k].kind == O_REG ? value[k].words : 0;
  if (words > INSN_SRC && i.src[0].kind == O_REG && i.src[0].words == 2) {
    low_word(l, &i.src[0]);
    words--;
  }
  if (i.nsrc + n > INSN_SRC || words > INSN_SRC) parts = 2;
  const unsigned first = i.nsrc;
  i.vec = (uint8_t)(n / parts);
  for (unsigned p = 0; p < parts; p++) {
    i.nsrc = (uint8_t)first;
    for (unsigned k = 0; k < i.vec; k++) i.src[i.nsrc++] = value[p * i.vec + k];
    if (s->tex) i.tex = (uint8_t)(SU_FORMATTED | p * i.vec << 4);
    else if (parts == 2) i.tex = SU_HALF, i.offset = p * i.vec * (bits / 8);
    texture_emit_op(l, OP_SUST, &i);
  }
}

/* ---- istypep ---- */

/* p = handle - first < n, and with `or` also what the predicate holds already. */
static void in_range(struct lower *l, struct opnd p, struct opnd handle, uint64_t first, uint64_t n, bool or) {
  const struct opnd d = reg_of(lower_vreg(l, "%istypep", 2), 2);
  struct insn *i = lower_emit(l, OP_SUB, T_U64);
  i->dst[i->ndst++] = d;
  i->src[i->nsrc++] = handle;
  i->src[i->nsrc++] = lower_imm(first, T_U64);
  i = lower_emit(l, OP_SETP, T_U64);
  i->cmp = C_LT;
  i->dst[i->ndst++] = p;
  i->src[i->nsrc++] = d;
  i->src[i->nsrc++] = lower_imm(n, T_U64);
  if (! or) return;
  i->boolop = B_OR;
  i->src[i->nsrc++] = p;
}

static void lower_istypep(struct lower *l) {
  const struct ir_insn *s = l->at->i;
  const struct opnd p = lower_dst(l, &s->opnd[0]), h = lower_src(l, &s->opnd[1], T_U64);
  const uint8_t kind = s->sub;
  uint32_t first = 0, n = 0;
  for (uint32_t k = 0; k < l->m->ntexref; k++) { /* those of a kind stand together */
    if (l->m->texref[k].kind == kind && !n++) first = k;
  }
  in_range(l, p, h, handle_of((enum handle_kind)kind, 0), 1ull << HANDLE_SHIFT, false);
  if (n) in_range(l, p, h, handle_of(HANDLE_REF, first), n, true);
  if (kind == HANDLE_SAMPLER) in_range(l, p, h, handle_of(HANDLE_CL_SAMPLER, 0), 1ull << HANDLE_SHIFT, true);
}

bool lower_texture(struct lower *l) {
  switch (l->at->i->rule->op) {
    case OP_TXQ: lower_query(l); break;
    case OP_SULD: lower_surface_load(l); break;
    case OP_SUST: lower_surface_store(l); break;
    case OP_ISTYPEP: lower_istypep(l); break;
    default: return lower_sample(l);
  }
  return true;
}
