/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functional: a stream whose instructions are executed when they are asked for. All memory is taken when the
 * stream is made; nothing is allocated while it runs but the queue of atomics, which a quantum bounds, and a warp's
 * queue of asynchronous copies at its first.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { SHARED_MAX = 227 * 1024, THREADS_MAX = 1024, SLOTS_MAX = 4096 };

static int functional_next(struct stream *s, unsigned slot, struct wi *out) {
  struct exec *x = (struct exec *)s;
  return exec_step(x, &x->warp[slot], out);
}

static void functional_begin(struct stream *s, unsigned cta_slot, uint32_t cta, const uint16_t *slot) {
  struct exec *x = (struct exec *)s;
  struct cta *c = &x->cta[cta_slot];
  const uint32_t *g = x->launch->grid;
  const uint32_t at[3] = {cta % g[0], cta / g[0] % g[1], cta / g[0] / g[1]};
  uint8_t *shared = c->shared;
  *c = (struct cta){.id = cta, .shared = shared, .used = true};
  memset(shared, 0, s->shared_bytes);
  x->changes++;
  for (uint32_t k = 0; k < s->warps_per_cta; k++) {
    struct warp *w = &x->warp[slot[k]];
    uint32_t threads = s->threads_per_cta - k * LANES, *rows = w->rows, gen = w->gen + 1;
    size_t local = (size_t)x->local_words * ROW_BYTES;
    bool used = w->local_used;
    struct copies *copies = w->copies;
    c->slot[k] = slot[k];
    *w = (struct warp){
        .rows = rows, .gen = gen, .slot = slot[k], .cta_slot = (uint16_t)cta_slot, .index = (uint16_t)k};
    w->copies = copies;
    exec_cp_forget(w);
    w->active = threads >= LANES ? FULL : (1u << threads) - 1;
    w->watch = x->lim.max_insns < WATCH_EVERY ? x->lim.max_insns : WATCH_EVERY;
    w->rpc = s->nop;
    w->pred[PRED_TRUE] = FULL;
    w->hash = hash_mix(hash_mix(FNV_START, cta), k);
    w->local_used = local != 0;
    if (used) memset(x->local + w->slot * local, 0, local);
    memset(rows, 0, (size_t)x->row_count * ROW_BYTES);
    for (unsigned a = 0; a < 3; a++) {
      int32_t tid = x->sreg_row[SR_TID_X + a], id = x->sreg_row[SR_CTAID_X + a];
      if (tid >= 0) memcpy(row_at(rows, (uint32_t)tid), row_at(x->tid, k * 3 + a), ROW_BYTES);
      if (id >= 0) row_fill(row_at(rows, (uint32_t)id), at[a]);
    }
    if (x->sreg_row[SR_WARPID] >= 0) row_fill(row_at(rows, (uint32_t)x->sreg_row[SR_WARPID]), k);
  }
}

static void functional_end(struct stream *s, unsigned cta_slot) {
  struct exec *x = (struct exec *)s;
  struct cta *c = &x->cta[cta_slot];
  if (!c->used) return;
  for (uint32_t k = 0; k < s->warps_per_cta; k++) {
    x->warp[c->slot[k]].state = WS_EMPTY;
    x->warp[c->slot[k]].gen++;
  }
  c->used = false;
}

static unsigned functional_quantum(struct stream *s) { return exec_quantum((struct exec *)s); }
static bool functional_deadlock(struct stream *s, struct err *e) {
  return exec_deadlock((struct exec *)s, e);
}

static void functional_free(struct stream *s) {
  struct exec *x = (struct exec *)s;
  if (!x) return;
  exec_decode_free(x);
  for (unsigned k = 0; x->warp && k < x->lim.warp_slots; k++) free(x->warp[k].copies);
  free(x->warp);
  free(x->cta);
  free(x->rows);
  free(x->tid);
  free(x->param);
  free(x->local);
  free(x->shared);
  free(x->addr_ring);
  free(x->val_ring);
  free(x->atom);
  free(x->adata);
  free(x);
}

static const struct stream_ops functional_ops = {
    .next = functional_next,
    .cta_begin = functional_begin,
    .cta_end = functional_end,
    .quantum = functional_quantum,
    .free = functional_free,
    .deadlock = functional_deadlock,
};

/* ---- what a launch must satisfy ---- */

static bool check_shape(const struct launch *l, struct err *e) {
  const struct code *c = l->code;
  int line = (int)c->line;
  uint64_t threads = 1, ctas = 1, most = 1;
  const uint32_t *b = l->block, *g = l->grid;
  static const char axis[] = "xyz";
  for (unsigned k = 0; k < 3; k++) {
    uint32_t top = k == 2 ? 64 : 1024, wide = k ? 65535 : 0x7fffffff,
             want = c->reqntid[k] ? c->reqntid[k] : 1;
    if (!b[k] || b[k] > top)
      return err_at(e, c->file, line, (int)c->col,
                    "kernel '%.160s': found a block of %u threads in %c, expected 1 to %u", c->name, b[k],
                    axis[k], top);
    if (!g[k] || g[k] > wide)
      return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': found a grid of %u CTAs in %c, expected 1 to %u",
                    c->name, g[k], axis[k], wide);
    if (c->reqntid[0] && b[k] != want)
      return err_at(
          e, c->file, line, (int)c->col,
          "kernel '%.160s': found a block of (%u,%u,%u) threads, expected (%u,%u,%u) as .reqntid says",
          c->name, b[0], b[1], b[2], c->reqntid[0], c->reqntid[1] ? c->reqntid[1] : 1,
          c->reqntid[2] ? c->reqntid[2] : 1);
    threads *= b[k];
    ctas *= g[k]; /* 31 + 16 + 16 bits */
    most *= c->maxntid[k] ? c->maxntid[k] : 1;
    if (most > THREADS_MAX) most = THREADS_MAX;
  }
  if (threads > THREADS_MAX)
    return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': found a block of %u threads, expected at most %d",
                  c->name, (unsigned)threads, THREADS_MAX);
  if (c->maxntid[0] && threads > most)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found a block of %u threads, expected at most %u as .maxntid says",
                  c->name, (unsigned)threads, (unsigned)most);
  if (ctas > UINT32_MAX)
    return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': found a grid of %llu CTAs, expected at most %u",
                  c->name, (unsigned long long)ctas, UINT32_MAX);
  return true;
}

static uint32_t shared_total(const struct launch *l, uint64_t *wide) {
  const struct code *c = l->code;
  uint64_t stat = c->shared_bytes, n;
  if (l->shared_dyn || c->dyn_shared) stat = (stat + 15) & ~15ull;
  n = stat + l->shared_dyn;
  *wide = n;
  return (uint32_t)n;
}

static bool check_launch(const struct launch *l, const struct exec_limits *lim, struct err *e) {
  const struct code *c = l->code;
  int line = (int)c->line;
  uint64_t shared;
  if (!c->n || !c->reconv || !c->allocated)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': its registers are not allocated, expected allocated code", c->name);
  if (!check_shape(l, e)) return false;
  shared_total(l, &shared);
  if (shared > SHARED_MAX)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found %llu bytes of shared memory per CTA, expected at most %d", c->name,
                  (unsigned long long)shared, SHARED_MAX);
  if (c->param_bytes && !l->param)
    return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': found no parameters, expected %u bytes", c->name,
                  c->param_bytes);
  uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + LANES - 1) / LANES;
  if (lim->warp_slots < warps || !lim->cta_slots || lim->warp_slots > SLOTS_MAX || lim->cta_slots > SLOTS_MAX)
    return err_at(
        e, c->file, line, (int)c->col,
        "kernel '%.160s': found %u warp slots and %u CTA slots, expected at least %u and 1, at most %d",
        c->name, lim->warp_slots, lim->cta_slots, warps, SLOTS_MAX);
  uint64_t words = ((uint64_t)c->local_bytes + 3) / 4, local = words * ROW_BYTES * lim->warp_slots;
  if (local > CODE_BASE - LOCAL_BASE)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found %u bytes of local memory per thread, expected at most %llu with %u "
                  "resident warps",
                  c->name, c->local_bytes,
                  (unsigned long long)(CODE_BASE - LOCAL_BASE) / lim->warp_slots / ROW_BYTES * 4,
                  lim->warp_slots);
  return true;
}

/* Thread indices of each warp of a CTA: the same for all CTAs. */
static void fill_tid(struct exec *x) {
  const uint32_t *b = x->launch->block;
  x->tid = xcalloc_lines((size_t)x->s.warps_per_cta * 3, ROW_BYTES);
  for (uint32_t t = 0; t < x->s.warps_per_cta * LANES; t++) {
    uint32_t *row = row_at(x->tid, (size_t)3 * (t / LANES)) + t % LANES;
    *row = t % b[0];
    *row_at(row, 1) = t / b[0] % b[1];
    *row_at(row, 2) = t / b[0] / b[1];
  }
}

struct stream *stream_functional(const struct launch *l, const struct exec_limits *lim, struct err *e) {
  uint64_t wide;
  const struct code *c = l->code;
  if (!check_launch(l, lim, e)) return NULL;
  struct exec *x = xcalloc_lines(1, sizeof *x);
  x->s.ops = &functional_ops;
  x->s.op = c->op;
  x->s.nop = c->n;
  x->s.ctas = l->grid[0] * l->grid[1] * l->grid[2];
  x->s.threads_per_cta = l->block[0] * l->block[1] * l->block[2];
  x->s.warps_per_cta = (x->s.threads_per_cta + LANES - 1) / LANES;
  x->s.regs = c->nreg;
  x->s.shared_bytes = shared_total(l, &wide);
  x->launch = l;
  x->code = c;
  x->lim = *lim;
  if (!x->lim.max_insns) x->lim.max_insns = 1ull << 32;
  x->param = xcalloc(1, (size_t)c->param_bytes + 8);
  if (c->param_bytes) memcpy(x->param, l->param, c->param_bytes);
  if (!exec_decode(x, e)) {
    functional_free(&x->s);
    return NULL;
  }
  x->local_words = (c->local_bytes + 3) / 4;
  x->local = xcalloc((size_t)lim->warp_slots * x->local_words, ROW_BYTES);
  x->warp = xcalloc(lim->warp_slots, sizeof *x->warp);
  x->cta = xcalloc(lim->cta_slots, sizeof *x->cta);
  x->rows = xcalloc_lines((size_t)lim->warp_slots * x->row_count, ROW_BYTES);
  x->addr_ring = xcalloc_lines((size_t)lim->warp_slots * ADDR_RING, ROW_BYTES);
  if (lim->values) x->val_ring = xcalloc_lines((size_t)lim->warp_slots * VAL_RING, ROW_BYTES);
  x->s.addr_ring = x->addr_ring;
  x->s.val_ring = x->val_ring;
  size_t stride = ((size_t)x->s.shared_bytes + 127) / 64 * 64;
  x->shared = xcalloc_lines(lim->cta_slots, stride);
  for (unsigned k = 0; k < lim->cta_slots; k++) x->cta[k].shared = x->shared + k * stride;
  for (unsigned k = 0; k < lim->warp_slots; k++) {
    x->warp[k].rows = x->rows + (size_t)k * x->row_count * LANES;
    x->warp[k].slot = (uint16_t)k;
    x->warp[k].state = WS_EMPTY;
  }
  fill_tid(x);
  return &x->s;
}
