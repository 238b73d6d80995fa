/* SPDX-License-Identifier: Apache-2.0 */
/* trf_code: sections CODE and LAUNCH of a trace. */
#include <string.h>

#include "compiler/ir/traits.h"
#include "trace/trf/trf_codec.h"

enum { REGS_MOST = 255, PREDS_MOST = 16, THREADS_MOST = 1024, SHARED_MOST = 227 * 1024, PTX_MOST = 1 << 26 };

static void trf_put_text(struct bytes *b, const char *s) {
  const size_t n = s ? strlen(s) : 0;
  put_varint(b, n);
  put_bytes(b, s, n);
}

static void trf_put_wide(struct bytes *b, int64_t v) { put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }
static int64_t trf_get_wide(struct cursor *c) {
  const uint64_t v = get_varint(c);
  return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* ---- instructions ---- */

static void trf_put_opnd(struct bytes *b, const struct opnd *o) {
  put_u8(b, (uint8_t)(o->kind | o->words << 3 | (o->neg != 0) << 5 | o->last << 6));
  if (o->kind == O_NONE) return;
  put_varint(b, o->reg);
  put_varint(b, o->imm);
}

static void trf_put_insn(struct bytes *b, const struct insn *i) {
  const uint8_t of[] = {i->op,     i->type, i->stype, i->space, i->rnd, i->cmp,
                        i->boolop, i->sub,  i->ndst,  i->nsrc,  i->vec};
  put_bytes(b, of, sizeof of);
  if (trf_is_tex(i)) put_u8(b, i->tex);
  put_varint(b, i->mods);
  trf_put_wide(b, i->offset);
  trf_put_wide(b, i->offset2);
  put_varint(b, i->target);
  put_varint(b, i->line);
  put_varint(b, i->col);
  trf_put_opnd(b, &i->guard);
  for (unsigned k = 0; k < i->ndst; k++) trf_put_opnd(b, &i->dst[k]);
  for (unsigned k = 0; k < i->nsrc; k++) trf_put_opnd(b, &i->src[k]);
}

void trf_put_code(struct bytes *b, const struct trf_code *t) {
  const struct code *c = t->code;
  const uint32_t of[] = {c->line,         c->col,         c->n,           c->nreg,       c->npred,   c->spills,
                         c->shared_bytes, c->local_bytes, c->param_bytes, c->dyn_shared, c->minctas, c->maxnreg};
  trf_put_text(b, c->name);
  trf_put_text(b, c->file);
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) put_varint(b, of[k]);
  put_u8(b, (uint8_t)((t->text != NULL) | (t->cls != NULL) << 1));
  for (uint32_t k = 0; k < c->n; k++) {
    trf_put_insn(b, &c->insn[k]);
    if (t->text) trf_put_text(b, t->text[k]);
    if (t->cls) put_u8(b, t->cls[k]);
  }
  trf_put_text(b, t->ptx);
}

/* ---- reading: what is wrong is said by *why ---- */

static bool trf_code_wrong(const char **why, const char *what) {
  if (!*why) *why = what;
  return false;
}

static const char *trf_get_text(struct cursor *c, struct arena *a, uint64_t most) {
  const uint64_t n = get_varint(c);
  const uint8_t *p = n <= most ? get_bytes(c, n) : (c->bad = true, NULL);
  if (!p || memchr(p, 0, n)) {
    c->bad = true;
    return "";
  }
  return arena_strndup(a, (const char *)p, n);
}

static bool trf_get_opnd(struct cursor *c, const struct code *k, struct opnd *o, const char **why) {
  const uint8_t of = get_u8(c);
  *o = (struct opnd){.kind = of & 7, .words = of >> 3 & 3, .neg = of >> 5 & 1, .last = of >> 6};
  if (o->kind == O_NONE) return true;
  o->reg = get_number(c);
  o->imm = get_varint(c);
  if (o->kind > O_SREG || o->words > 2) return trf_code_wrong(why, "an operand of an unknown kind");
  if (o->kind == O_REG && (!o->words || o->reg >= k->nreg || o->words > k->nreg - o->reg))
    return trf_code_wrong(why, "a register that the kernel does not have");
  if (o->kind == O_PRED && o->reg >= k->npred) return trf_code_wrong(why, "a predicate that the kernel does not have");
  if (o->kind == O_SREG && o->reg >= SR_COUNT) return trf_code_wrong(why, "an unknown special register");
  return true;
}

static bool trf_access_fits(const struct insn *i) {
  const unsigned vec = i->vec ? i->vec : 1, bytes = dtype_bytes((enum dtype)i->type) * vec;
  if (i->op == OP_CPASYNC) return i->sub != ASYNC_COPY || i->vec == 4 || i->vec == 8 || i->vec == 16;
  if (i->op == OP_LDMATRIX) return i->ndst == 1 || i->ndst == 2 || i->ndst == 4;
  if (i->op != OP_LD && i->op != OP_ST && i->op != OP_ATOM) return true;
  return bytes && bytes <= 16 && !(bytes & (bytes - 1));
}

static bool trf_insn_known(const struct insn *i) {
  if (i->op >= OP_COUNT) return false;
  const unsigned most = insn_is(i, TRAIT_SUB_IS_TYPE) ? T_COUNT /* of insn.sub */
                        : i->op == OP_MMA             ? MMA_SHAPES
                        : i->op == OP_TXQ             ? 16
                                                      : 10;
  return i->type < T_COUNT && i->stype < T_COUNT && i->space <= SP_PARAM && i->rnd <= R_RNA && i->cmp <= C_NAN &&
         i->boolop <= B_XOR && i->sub < most && i->ndst <= INSN_DST && i->nsrc <= INSN_SRC;
}

static bool trf_get_insn(struct cursor *c, const struct code *k, struct insn *i, const char **why) {
  const uint8_t *of = get_bytes(c, 11);
  if (!of) return trf_code_wrong(why, "the end of the section");
  *i = (struct insn){.op = of[0],
                     .type = of[1],
                     .stype = of[2],
                     .space = of[3],
                     .rnd = of[4],
                     .cmp = of[5],
                     .boolop = of[6],
                     .sub = of[7],
                     .ndst = of[8],
                     .nsrc = of[9],
                     .vec = of[10]};
  if (!trf_insn_known(i)) return trf_code_wrong(why, "an unknown instruction");
  if (trf_is_tex(i)) i->tex = get_u8(c);
  i->mods = get_number(c);
  i->offset = trf_get_wide(c);
  i->offset2 = trf_get_wide(c);
  i->target = get_number(c);
  i->line = get_number(c);
  i->col = get_number(c);
  bool ok = trf_get_opnd(c, k, &i->guard, why);
  for (unsigned d = 0; ok && d < i->ndst; d++) ok = trf_get_opnd(c, k, &i->dst[d], why);
  for (unsigned s = 0; ok && s < i->nsrc; s++) ok = trf_get_opnd(c, k, &i->src[s], why);
  if (!ok) return false;
  if (i->guard.kind != O_NONE && i->guard.kind != O_PRED) return trf_code_wrong(why, "a guard that is no predicate");
  if (i->op == OP_BRA && i->target >= k->n) return trf_code_wrong(why, "a branch out of the kernel");
  return trf_access_fits(i) || trf_code_wrong(why, "an access of a wrong width");
}

static bool trf_insn_ends(const struct insn *i) { return insn_ends_block(i) && i->guard.kind == O_NONE; }

static bool trf_get_body(struct cursor *c, struct arena *a, struct code *k, struct trf_code *out, const char **why) {
  const uint8_t has = get_u8(c);
  const char **text = has & 1 ? arena_alloc(a, k->n * sizeof *text) : NULL;
  uint8_t *cls = has & 2 ? arena_alloc(a, k->n) : NULL;
  k->insn = arena_alloc(a, (size_t)k->n * sizeof *k->insn);
  for (uint32_t i = 0; i < k->n; i++) {
    if (!trf_get_insn(c, k, &k->insn[i], why)) return false;
    if (text) text[i] = trf_get_text(c, a, 256);
    if (cls && (cls[i] = get_u8(c)) >= CLS_COUNT) return trf_code_wrong(why, "an unknown class of instructions");
    if (c->bad) return trf_code_wrong(why, "the end of the section, or a wrong number");
  }
  out->text = text;
  out->cls = cls;
  return trf_insn_ends(&k->insn[k->n - 1]) || trf_code_wrong(why, "a last instruction that does not end the kernel");
}

bool trf_get_code(struct cursor *c, struct arena *a, struct trf_code *out, const char **why) {
  struct code *k = arena_alloc(a, sizeof *k);
  *why = NULL;
  *out = (struct trf_code){.code = k};
  k->name = trf_get_text(c, a, 4096);
  k->file = trf_get_text(c, a, 4096);
  uint32_t dyn, *const of[] = {&k->line,         &k->col,         &k->n,           &k->nreg, &k->npred,   &k->spills,
                               &k->shared_bytes, &k->local_bytes, &k->param_bytes, &dyn,     &k->minctas, &k->maxnreg};
  for (unsigned i = 0; i < sizeof of / sizeof *of; i++) *of[i] = get_number(c);
  k->dyn_shared = dyn != 0;
  k->allocated = true;
  if (c->bad) return trf_code_wrong(why, "the end of the section, or a wrong number");
  if (!k->n || k->n > TRF_INSNS || k->n > (uint64_t)(c->end - c->p) / 11)
    return trf_code_wrong(why, "a wrong number of instructions");
  if (k->nreg > REGS_MOST || k->npred > PREDS_MOST) return trf_code_wrong(why, "too many registers");
  if (k->shared_bytes > SHARED_MOST || k->local_bytes > CODE_BASE - LOCAL_BASE)
    return trf_code_wrong(why, "too much shared or local memory");
  if (!trf_get_body(c, a, k, out, why)) return false;
  out->ptx = trf_get_text(c, a, PTX_MOST);
  out->shape = trf_shape(k);
  if (c->bad || c->p != c->end) return trf_code_wrong(why, "bytes behind the kernel, or too few");
  return true;
}

/* ---- near bits ---- */

/* Sources from bit 0, destinations from bit 8. */
#define NEAR_BITS (((1u << INSN_SRC) - 1) | ((1u << INSN_DST) - 1) << 8)

void trf_put_near(struct bytes *b, uint32_t number, const struct trf_code *t) {
  put_varint(b, number);
  for (uint32_t k = 0; k < t->code->n; k++) put_varint(b, t->near[k]);
}

bool trf_get_near(struct cursor *c, struct arena *a, struct trf_code *codes, uint32_t n, const char **why) {
  *why = NULL;
  const uint32_t number = get_number(c);
  if (c->bad || number >= n) return trf_code_wrong(why, "a kernel that is not before it");
  struct trf_code *t = &codes[number];
  if (t->near) return trf_code_wrong(why, "a second one of a kernel");
  uint16_t *near = arena_alloc(a, t->code->n * sizeof *near);
  for (uint32_t k = 0; k < t->code->n; k++) {
    const uint32_t bits = get_number(c);
    if (bits & ~NEAR_BITS) return trf_code_wrong(why, "a near bit of an operand that no instruction has");
    near[k] = (uint16_t)bits;
  }
  t->near = near;
  return (!c->bad && c->p == c->end) || trf_code_wrong(why, "a wrong number, or another length");
}

/* ---- launches ---- */

void trf_put_launch(struct bytes *b, const struct trf_launch *l) {
  const uint32_t of[] = {l->code,        l->grid[0],   l->grid[1],      l->grid[2],    l->block[0],
                         l->block[1],    l->block[2],  l->shared_bytes, l->shared_dyn, l->regs,
                         l->local_words, l->code_base, l->stride};
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) put_varint(b, of[k]);
  put_varint(b, l->param_bytes);
  put_bytes(b, l->param, l->param_bytes);
}

static bool trf_launch_fits(const struct trf_launch *l, const char **why) {
  uint64_t threads = 1, ctas = 1;
  for (unsigned k = 0; k < 3; k++) {
    if (!l->block[k] || l->block[k] > THREADS_MOST || !l->grid[k])
      return trf_code_wrong(why, "a block or grid of a wrong size");
    threads *= l->block[k];
    if (ctas > UINT32_MAX / l->grid[k]) return trf_code_wrong(why, "a grid of more than 2^32 - 1 CTAs");
    ctas *= l->grid[k];
  }
  if (threads > THREADS_MOST) return trf_code_wrong(why, "a block of more than 1024 threads");
  if (l->shared_bytes > SHARED_MOST || l->shared_dyn > l->shared_bytes)
    return trf_code_wrong(why, "too much shared memory");
  if (l->regs > REGS_MOST) return trf_code_wrong(why, "too many registers");
  if (l->local_words > (CODE_BASE - LOCAL_BASE) / 128) return trf_code_wrong(why, "too much local memory");
  if (l->code_base < CODE_BASE || l->code_base >= GLOBAL_END) return trf_code_wrong(why, "a wrong address of the code");
  return l->stride && l->stride <= ctas ? true : trf_code_wrong(why, "a wrong stride of CTAs");
}

bool trf_get_launch(struct cursor *c, struct arena *a, struct trf_launch *out, const char **why) {
  *why = NULL;
  *out = (struct trf_launch){0};
  uint32_t *const of[] = {&out->code,        &out->grid[0],   &out->grid[1],      &out->grid[2],    &out->block[0],
                          &out->block[1],    &out->block[2],  &out->shared_bytes, &out->shared_dyn, &out->regs,
                          &out->local_words, &out->code_base, &out->stride};
  for (unsigned k = 0; k < sizeof of / sizeof *of; k++) *of[k] = get_number(c);
  out->param_bytes = get_number(c);
  const uint8_t *param = get_bytes(c, out->param_bytes);
  if (c->bad || c->p != c->end) return trf_code_wrong(why, "a wrong number, or a section of another length");
  if (out->param_bytes) {
    uint8_t *copy = arena_alloc(a, out->param_bytes);
    memcpy(copy, param, out->param_bytes);
    out->param = copy;
  }
  return trf_launch_fits(out, why);
}
