/* SPDX-License-Identifier: Apache-2.0 */
/* trf_form: what each instruction has in a trace's columns; bytes and numbers. */
#include <stdlib.h>
#include <string.h>

#include "trace/trf/trf_codec.h"

static unsigned of_access(const struct insn *i, struct form *f) {
  const unsigned bytes = dtype_bytes((enum dtype)i->type) * (i->vec ? i->vec : 1);
  f->space = i->space;
  switch (i->op) {
    case OP_LD:
    case OP_ST: f->width = (uint8_t)bytes; break;
    case OP_ATOM:
      f->width = (uint8_t)bytes;
      f->flags |= F_ATOMIC;
      if (i->ndst && i->dst[0].kind == O_REG) f->flags |= F_RESULT;
      break;
    case OP_MBARRIER:
      f->width = 8;
      f->space = SP_SHARED;
      break;
    case OP_LDMATRIX:
      f->width = 16;
      f->giving = (uint8_t)(8 * i->ndst);
      f->space = SP_SHARED;
      break;
    default:
      f->width = i->vec;
      f->flags |= F_COPY | F_RED;
      f->space = SP_GLOBAL;
  }
  f->flags |= F_ACCESS;
  if ((i->op == OP_LD || i->op == OP_ST) && i->space <= SP_GLOBAL) f->flags |= F_RED;
  if (f->space == SP_GENERIC) f->flags |= F_GENERIC;
  return i->op == OP_CPASYNC ? 2 : 1;
}

static void of_barrier(const struct insn *i, struct form *f) {
  const bool red = i->sub >= BAR_RED_POPC && i->sub <= BAR_RED_OR;
  f->flags |= F_BARRIER;
  if (i->nsrc > 1u + red) f->flags |= F_COUNT;
  if (i->sub == BAR_ARRIVE) f->flags |= F_ARRIVE;
}

static void trf_mark_reached(const struct code *c, struct form *form) {
  uint32_t *left = xmalloc(((size_t)c->n + 1) * sizeof *left), n = 0; /* marked when it is put there: each once */
  form[0].flags |= F_REACHED;
  left[n++] = 0;
  while (n) {
    const uint32_t k = left[--n];
    const struct insn *i = &c->insn[k];
    const bool branch = i->op == OP_BRA, ends = insn_ends_block(i);
    const bool falls = !ends || i->guard.kind != O_NONE;
    const uint32_t to[] = {branch ? i->target : c->n, falls ? k + 1 : c->n};
    for (unsigned s = 0; s < 2; s++) {
      if (to[s] >= c->n || form[to[s]].flags & F_REACHED) continue;
      form[to[s]].flags |= F_REACHED;
      left[n++] = to[s];
    }
  }
  free(left);
}

struct form *trf_forms(const struct code *c, uint32_t *slots) {
  struct form *form = xcalloc(c->n, sizeof *form);
  const struct opnd *wr[INSN_DST];
  *slots = 0;
  for (uint32_t k = 0; k < c->n; k++) {
    const struct insn *i = &c->insn[k];
    struct form *f = &form[k];
    f->giving = 32;
    f->slot = *slots;
    if (i->guard.kind == O_PRED) f->flags |= F_GUARD;
    for (unsigned w = 0, n = insn_writes(i, wr); w < n; w++)
      if (wr[w]->kind == O_REG) f->nval = (uint8_t)(f->nval + wr[w]->words);
    if (f->nval > 4) f->nval = 4;
    switch (i->op) {
      case OP_BRA: f->flags |= F_BRANCH; break;
      case OP_EXIT:
      case OP_TRAP: f->flags |= F_EXIT; break;
      case OP_BAR:
        if (i->sub != BAR_WARP) of_barrier(i, f);
        break;
      case OP_PRINT: f->flags |= F_RED; break;
      case OP_CPASYNC:
        if (i->sub == ASYNC_COPY) *slots += of_access(i, f);
        break;
      case OP_LD:
      case OP_ST:
      case OP_ATOM:
      case OP_MBARRIER:
      case OP_LDMATRIX: *slots += of_access(i, f); break;
      case OP_TEX:
      case OP_TLD4:
      case OP_SULD:
      case OP_SUST:
        f->flags |= F_ACCESS | F_TEX;
        f->space = SP_TEX;
        *slots += TEX_ROWS;
        break;
      default: break;
    }
  }
  if (c->n) trf_mark_reached(c, form);
  return form;
}

uint64_t trf_shape(const struct code *c) {
  uint64_t h = fnv1a(FNV_START, &c->n, sizeof c->n);
  for (uint32_t k = 0; k < c->n; k++) {
    const struct insn *i = &c->insn[k];
    const uint8_t of[] = {i->op,  i->type, i->stype, i->space, i->rnd,        i->cmp,      i->boolop,
                          i->sub, i->ndst, i->nsrc,  i->vec,   i->guard.kind, i->guard.neg};
    const uint32_t to[] = {i->mods, i->op == OP_BRA ? i->target : trf_is_tex(i) ? i->tex : 0};
    h = fnv1a(h, of, sizeof of);
    h = fnv1a(h, to, sizeof to);
  }
  return h;
}

/* ---- bytes ---- */

void bytes_grow(struct bytes *b, size_t more) {
  size_t cap = b->cap ? 2 * b->cap : 64;
  while (cap - b->n < more) cap *= 2;
  b->p = xrealloc(b->p, cap);
  b->cap = cap;
}

void put_bytes(struct bytes *b, const void *p, size_t n) {
  if (!n) return;
  bytes_room(b, n);
  memcpy(b->p + b->n, p, n);
  b->n += n;
}

void put_u32(struct bytes *b, uint32_t v) {
  const uint8_t p[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
  put_bytes(b, p, sizeof p);
}

void put_u64(struct bytes *b, uint64_t v) {
  put_u32(b, (uint32_t)v);
  put_u32(b, (uint32_t)(v >> 32));
}

uint64_t get_long(struct cursor *c) {
  uint64_t v = 0;
  for (unsigned k = 0; k < 10 && c->p != c->end; k++) {
    const uint8_t b = *c->p++;
    if (k == 9 && b > 1) break;
    v |= (uint64_t)(b & 127) << 7 * k;
    if (b < 128) return v;
  }
  c->bad = true;
  c->p = c->end;
  return 0;
}

const uint8_t *get_bytes(struct cursor *c, uint64_t n) {
  const uint8_t *p = c->p;
  if ((uint64_t)(c->end - p) < n) {
    c->bad = true;
    c->p = c->end;
    return NULL;
  }
  c->p += n;
  return p;
}
