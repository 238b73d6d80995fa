/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic: read-modify-write accesses. On shared memory they happen at once; on global memory they wait in a queue, in
 * fetch order, for the end of the quantum. Lanes of one instruction take their turns in ascending order.
 */
#include "exec/warp.h"

enum { ADATA = 5 * LANES }; /* addresses, first operand (low, high), second operand (low, high) */

static uint64_t cell_read(const uint8_t *p, unsigned size) {
  uint64_t v = 0;
  memcpy(&v, p, size);
  return v;
}

/* Performs one lane; the old value goes to row dst (NULL: not kept). */
static void atomic_perform(struct exec *x, const struct dinsn *d, uint8_t *p, const uint32_t *a, const uint32_t *b,
                           unsigned lane, uint32_t *dst, unsigned words) {
  uint64_t old = cell_read(p, d->size), mask = d->size == 8 ? ~0ull : (1ull << (8 * d->size)) - 1;
  uint64_t va = a[lane], vb = b[lane];
  if (d->size == 8) {
    va |= (uint64_t)a[LANES + lane] << 32;
    vb |= (uint64_t)b[LANES + lane] << 32;
  }
  uint64_t now = alu_atomic(d->insn->sub, d->insn->type, old, va & mask, vb & mask);
  memcpy(p, &now, d->size);
  x->changes += ((now ^ old) & mask) != 0;
  if (!dst) return;
  dst[lane] = (uint32_t)old;
  if (words == 2) dst[LANES + lane] = d->size == 8 ? (uint32_t)(old >> 32) : d->sext && (uint32_t)old >> 31 ? FULL : 0;
}

static const uint32_t *atomic_operand(const struct exec *x, const struct warp *w, const struct dinsn *d, unsigned k) {
  static _Alignas(64) const uint32_t none[2 * LANES];
  return k < d->nsrc ? exec_row(x, w, d, k) : none;
}

static void atomic_perform_shared(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes,
                                  const struct access *c, uint32_t *dst) {
  uint8_t *base = access_base(x, w, SP_SHARED);
  _Alignas(64) uint32_t ab[2][2][LANES]; /* the destination may be a source */
  for (unsigned k = 0; k < 2; k++) {
    const uint32_t *row = atomic_operand(x, w, d, k + 1);
    memcpy(ab[k][0], row, ROW_BYTES);
    if (d->size == 8) memcpy(ab[k][1], row + LANES, ROW_BYTES);
  }
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned i = (unsigned)bit_low32(rest);
    atomic_perform(x, d, base + c->a[i], ab[0][0], ab[1][0], i, dst, d->dwords[0]);
  }
}

static void atomic_enqueue(struct exec *x, struct warp *w, const struct dinsn *d, uint32_t lanes,
                           const struct access *c, uint32_t val) {
  if (x->nadata + ADATA > x->cadata) {
    x->cadata = x->cadata ? x->cadata * 2 : 64 * ADATA;
    x->adata = xrealloc(x->adata, (size_t)x->cadata * sizeof *x->adata);
  }
  uint32_t *data = x->adata + x->nadata;
  memcpy(data, c->a, ROW_BYTES);
  for (unsigned k = 0; k < 2; k++) {
    const uint32_t *row = atomic_operand(x, w, d, k + 1);
    memcpy(row_at(data, 1 + 2 * k), row, ROW_BYTES);
    if (d->size == 8) memcpy(row_at(data, 2 + 2 * k), row + LANES, ROW_BYTES);
  }
  VEC_PUSH(x->atom, x->natom, x->catom) = (struct atom){
      (uint32_t)(d - x->dec), lanes, w->slot, w->gen, val, x->nadata, x->races ? races_leave(x, w) : NULL};
  x->nadata += ADATA;
}

int exec_atomic(struct exec *x, struct warp *w, struct dinsn *d, uint32_t lanes, struct warp_inst *out) {
  struct access all, part, report;
  uint32_t global = 0, group;
  enum space seen = SP_GENERIC;
  bool returns = d->ndst && d->dst[0] != NO_ROW;
  uint32_t *dst = returns ? w->rows + d->dst[0] : NULL, shared = 0;
  struct access parts_shared, parts_global;
  access_addresses(x, w, d, lanes, &all);
  for (uint32_t rest = lanes; rest; rest &= ~group) {
    enum space sp = (enum space)d->space;
    group = lanes;
    part = all;
    if (sp == SP_GENERIC) {
      group = access_group(&all, rest);
      access_narrow(&all, group, &part);
      sp = access_window(part.h[part.first]);
      if (sp == SP_GLOBAL || sp == SP_SHARED) {
        memset(part.h, 0, sizeof part.h);
        part.hdiff = 0;
      }
    }
    if (sp != SP_GLOBAL && sp != SP_SHARED)
      return exec_fault(x, w, FAULT_SPACE, (uint32_t)(d - x->dec), (int)part.first,
                        "atomic of %u bytes at address 0x%llx: expected global or shared memory", d->size,
                        (unsigned long long)part.h[part.first] << 32 | part.a[part.first]);
    if (!access_check(x, w, d, sp, group, &part)) return STREAM_ERROR;
    if (x->races) races_insn(x, w, d, sp, group, &part);
    if (sp == SP_GLOBAL) global = group, parts_global = part;
    else shared = group, parts_shared = part;
    if (seen == SP_GENERIC || sp == SP_GLOBAL) report = part, seen = sp;
  }
  if (returns && x->lim.values) {
    out->val = exec_values(w, d->nval);
    out->nval = d->nval;
  }
  if (global) { /* before the shared part, which may overwrite an operand */
    atomic_enqueue(x, w, d, global, &parts_global, out->val);
    if (returns) {
      out->flags |= W_ATOMIC;
      w->state = WS_ATOMIC;
    } else {
      w->red = true;
    }
  }
  if (shared) atomic_perform_shared(x, w, d, shared, &parts_shared, dst);
  if (shared && x->races) {
    races_atomic(x, w, true, true, parts_shared.a, shared, races_leave(x, w));
    if (d->insn->mods & M_ACQUIRE) races_acquire(x, w);
  }
  if (shared && d->rounds) exec_round(x, w, d, shared);
  if (out->val) exec_keep(x, w, d, out->val); /* global lanes: again when performed */
  access_report(x, w, seen, &report, out);
  w->hash = hash_mix(w->hash, all.hash);
  return STREAM_GIVEN;
}

unsigned exec_quantum(struct exec *x) {
  unsigned n = x->natom;
  uint8_t *image = x->launch->mem->image;
  overlay_apply(&x->over, image);
  for (uint32_t k = 0; k < n; k++) {
    const struct atom *t = &x->atom[k];
    const struct dinsn *d = &x->dec[t->op];
    uint32_t *data = x->adata + t->data;
    struct warp *w = &x->warp[t->warp];
    bool here = w->gen == t->gen;
    uint32_t *dst = here && d->ndst && d->dst[0] != NO_ROW ? w->rows + d->dst[0] : NULL;
    for (uint32_t rest = t->lanes; rest; rest &= rest - 1) {
      unsigned i = (unsigned)bit_low32(rest);
      atomic_perform(x, d, host_at(image, data[i]), row_at(data, 1), row_at(data, 3), i, dst, d->dwords[0]);
    }
    if (x->races) races_atomic(x, w, here, false, data, t->lanes, t->left);
    if (!here) continue;
    if (x->races && d->insn->mods & M_ACQUIRE) races_acquire(x, w);
    w->red = false;
    if (w->state == WS_ATOMIC) w->state = WS_RUN;
    if (d->rounds) exec_round(x, w, d, t->lanes);
    if (dst && t->val) exec_keep(x, w, d, t->val);
  }
  if (x->red_spread)
    for (unsigned k = 0; k < x->lim.warp_slots; k++) x->warp[k].red = false;
  x->red_spread = false;
  x->calm = x->changes == x->changes_seen ? x->calm + (x->calm < 1000) : 0;
  x->changes_seen = x->changes;
  x->natom = x->nadata = 0;
  return n;
}
