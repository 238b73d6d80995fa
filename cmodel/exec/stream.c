/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: the functional stream: an instruction is executed when it is requested. All memory is allocated with the
 * stream, except the queue of atomics, which a quantum bounds, and a warp's queue of asynchronous copies, at its
 * first copy.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { SLOTS_MAX = 8192 };

static int functional_next(struct stream *s, unsigned slot, struct warp_inst *out) {
  struct exec *x = (struct exec *)s;
  return exec_next(x, &x->warp[slot], out);
}

int exec_tapped(struct exec *x, struct warp *w, struct warp_inst *out) {
  if (x->tap->insn(x->tap->ctx, x->cta[w->cta_slot].id, w->index, out, &x->s.err)) return STREAM_GIVEN;
  w->state = WS_ERROR;
  return STREAM_ERROR;
}

static void functional_begin(struct stream *s, unsigned cta_slot, uint32_t cta, const uint16_t *slot) {
  struct exec *x = (struct exec *)s;
  struct cta *c = &x->cta[cta_slot];
  const uint32_t *g = x->launch->grid;
  cta *= x->lim.stride;
  const uint32_t at[3] = {cta % g[0], cta / g[0] % g[1], cta / g[0] / g[1]};
  const uint32_t next = x->grid - cta > x->lim.stride ? cta + x->lim.stride : x->grid;
  const bool fine = next == cta + 1 || exec_others(x, cta + 1, next);
  uint8_t *shared = c->shared;
  exec_mbarrier_forget(x, c);
  *c = (struct cta){.id = cta, .shared = shared, .used = true, .mbar = c->mbar};
  memset(shared, 0, s->shared_bytes);
  if (x->races) races_cta(x, cta_slot);
  x->changes++;
  x->begun++;
  for (uint32_t k = 0; k < s->warps_per_cta; k++) {
    struct warp *w = &x->warp[slot[k]];
    uint32_t threads = s->threads_per_cta - k * LANES, *rows = w->rows, gen = w->gen + 1;
    size_t local = (size_t)x->local_words * ROW_BYTES;
    struct copies *copies = w->copies;
    c->slot[k] = slot[k];
    *w = (struct warp){.rows = rows, .gen = gen, .slot = slot[k], .cta_slot = (uint16_t)cta_slot, .index = (uint16_t)k};
    w->copies = copies;
    exec_cp_forget(w);
    if (!fine) w->state = WS_ERROR;
    w->active = threads >= LANES ? FULL : (1u << threads) - 1;
    w->watch = x->lim.max_insns < x->watch_every ? x->lim.max_insns : x->watch_every;
    w->rpc = s->nop;
    w->pred[PRED_TRUE] = FULL;
    w->hash = hash_mix(hash_mix(FNV_START, cta), k);
    if (local) memset(x->local + w->slot * local, 0, local);
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

/* By one thread, SM by SM: the same warning with any number of threads. */
static void warn_beyond(struct exec *x) {
  if (!x->beyond.set || x->beyond_told) return;
  memory_warn(x->launch->mem, x->code, &x->beyond);
  x->beyond_told = true;
}

static unsigned functional_quantum(struct stream *s) {
  struct exec *x = (struct exec *)s;
  warn_beyond(x);
  if (x->said.n) exec_print_quantum(x);
  return exec_quantum(x);
}
static void functional_settle(struct stream *s) {
  struct exec *x = (struct exec *)s;
  if (x->all) all_sms_quantum(x->all);
}
static int functional_landed(struct stream *s, unsigned slot) {
  struct exec *x = (struct exec *)s;
  return exec_landed(x, &x->warp[slot]);
}
static bool functional_deadlock(struct stream *s, struct err *e) { return exec_deadlock((struct exec *)s, e); }

static void functional_runaway(struct stream *s, const char *limit) { exec_runaway((struct exec *)s, limit); }

static void functional_free(struct stream *s) {
  struct exec *x = (struct exec *)s;
  if (!x) return;
  warn_beyond(x);
  exec_others_free(x);
  exec_decode_free(x);
  texture_free(x);
  for (uint32_t k = 0; k < x->natom; k++) races_drop(x->atom[k].left);
  for (unsigned k = 0; x->warp && k < x->lim.warp_slots; k++) free(x->warp[k].copies);
  for (unsigned k = 0; x->cta && k < x->lim.cta_slots; k++) exec_mbarrier_free(&x->cta[k]);
  free(x->warp);
  free(x->cta);
  free(x->rows);
  free(x->tid);
  free(x->param);
  free(x->local);
  free(x->shared);
  free(x->addr_ring);
  free(x->s.addr_row);
  free(x->val_ring);
  free(x->atom);
  free(x->adata);
  overlay_free(&x->over);
  free(x->said.item);
  free(x->said.text);
  if (x->all) x->all->x[x->lim.sm] = NULL;
  free(x);
}

static const struct stream_ops functional_ops = {
    .next = functional_next,
    .cta_begin = functional_begin,
    .cta_end = functional_end,
    .quantum = functional_quantum,
    .settle = functional_settle,
    .landed = functional_landed,
    .free = functional_free,
    .deadlock = functional_deadlock,
    .runaway = functional_runaway,
};

/* ---- what a launch must satisfy ---- */

bool launch_fits(const struct code *c, const uint32_t grid[3], const uint32_t block[3], struct err *e) {
  uint64_t threads = 1, ctas = 1;
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t top = k == 2 ? 64 : 1024, wide = k ? 65535 : 0x7fffffff;
    if (!block[k] || block[k] > top)
      return err_at(e, c->file, (int)c->line, (int)c->col,
                    "kernel '%.160s': found a block of %u threads in %c, expected 1 to %u", c->name, block[k], "xyz"[k],
                    top);
    if (!grid[k] || grid[k] > wide)
      return err_at(e, c->file, (int)c->line, (int)c->col,
                    "kernel '%.160s': found a grid of %u CTAs in %c, expected 1 to %u", c->name, grid[k], "xyz"[k],
                    wide);
    threads *= block[k];
    ctas *= grid[k]; /* 31 + 16 + 16 bits */
  }
  if (threads > THREADS_MAX)
    return err_at(e, c->file, (int)c->line, (int)c->col,
                  "kernel '%.160s': found a block of %u threads, expected at most %d", c->name, (unsigned)threads,
                  THREADS_MAX);
  return ctas <= UINT32_MAX || err_at(e, c->file, (int)c->line, (int)c->col,
                                      "kernel '%.160s': found a grid of %llu CTAs, expected at most %u", c->name,
                                      (unsigned long long)ctas, UINT32_MAX);
}

bool launch_wanted(const struct code *c, const uint32_t block[3], struct err *e) {
  const uint32_t threads = block[0] * block[1] * block[2];
  uint64_t most = 1;
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t want = c->reqntid[k] ? c->reqntid[k] : 1;
    if (c->reqntid[0] && block[k] != want)
      return err_at(e, c->file, (int)c->line, (int)c->col,
                    "kernel '%.160s': found a block of (%u,%u,%u) threads, expected (%u,%u,%u) as .reqntid says",
                    c->name, block[0], block[1], block[2], c->reqntid[0], c->reqntid[1] ? c->reqntid[1] : 1,
                    c->reqntid[2] ? c->reqntid[2] : 1);
    most *= c->maxntid[k] ? c->maxntid[k] : 1;
    if (most > THREADS_MAX) most = THREADS_MAX;
  }
  return !c->maxntid[0] || threads <= most ||
         err_at(e, c->file, (int)c->line, (int)c->col,
                "kernel '%.160s': found a block of %u threads, expected at most %u as .maxntid says", c->name, threads,
                (unsigned)most);
}

uint64_t launch_shared(const struct code *c, uint32_t dyn) {
  uint64_t n = c->shared_bytes;
  if (dyn || c->dyn_shared) n = (n + 15) & ~15ull;
  return n + dyn;
}

/* Of a warp. */
static uint64_t warp_local_bytes(const struct code *c) { return ((uint64_t)c->local_bytes + 3) / 4 * ROW_BYTES; }

bool launch_local(const struct code *c, uint32_t resident, struct err *e) {
  return warp_local_bytes(c) * resident <= CODE_BASE - LOCAL_BASE ||
         err_at(e, c->file, (int)c->line, (int)c->col,
                "kernel '%.160s': found %u bytes of local memory per thread, expected at most %llu with %u resident "
                "warps",
                c->name, c->local_bytes, (unsigned long long)(CODE_BASE - LOCAL_BASE) / resident / ROW_BYTES * 4,
                resident);
}

static bool check_launch(const struct launch *l, const struct exec_limits *lim, struct err *e) {
  const struct code *c = l->code;
  int line = (int)c->line;
  const uint64_t shared = launch_shared(c, l->shared_dyn);
  if (!c->n || !c->reconv || !c->allocated)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': its registers are not allocated, expected allocated code", c->name);
  if (!launch_fits(c, l->grid, l->block, e) || !launch_wanted(c, l->block, e)) return false;
  if (shared > SHARED_MAX)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found %llu bytes of shared memory per CTA, expected at most %d", c->name,
                  (unsigned long long)shared, SHARED_MAX);
  if (c->param_bytes && !l->param)
    return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': found no parameters, expected %u bytes", c->name,
                  c->param_bytes);
  uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + LANES - 1) / LANES;
  if (lim->warp_slots < warps || !lim->cta_slots || lim->warp_slots > SLOTS_MAX || lim->cta_slots > SLOTS_MAX)
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found %u warp slots and %u CTA slots, expected at least %u and 1, at most %d",
                  c->name, lim->warp_slots, lim->cta_slots, warps, SLOTS_MAX);
  if (!launch_local(c, lim->warp_slots * (lim->sms ? lim->sms : 1), e)) return false;
  if (l->races && lim->sms > 1)
    return err_at(e, c->file, line, (int)c->col, "kernel '%.160s': races are looked for on one SM, found %u SMs",
                  c->name, lim->sms);
  if (lim->stride > 1 && (l->races || lim->sms > 1))
    return err_at(e, c->file, line, (int)c->col,
                  "kernel '%.160s': found a stride of %u CTAs (sm.cta_stride, or of the launch file), expected 1 %s",
                  c->name, lim->stride,
                  l->races ? "while races are looked for"
                           : "with several SMs, which run all CTAs themselves: --set sm.cta_stride=1, or --sms 1");
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

/* Of `n` items that there were and `to` that shall be: the old block's content. */
static void *more_raw(void *old, size_t n, size_t to, size_t size) {
  char *p = xmalloc_lines(to, size);
  if (n) memcpy(p, old, n * size);
  free(old);
  return p;
}

/* The same, then zeros. */
static void *more_lines(void *old, size_t n, size_t to, size_t size) {
  char *p = more_raw(old, n, to, size);
  memset(p + n * size, 0, (to - n) * size);
  return p;
}

/* So many slots; at least as many as there were. */
static void functional_set_slots(struct exec *x, unsigned warps, unsigned ctas) {
  const unsigned w = x->lim.warp_slots, c = x->lim.cta_slots;
  const size_t stride = ((size_t)x->s.shared_bytes + 127) / 64 * 64;
  const size_t ring = (x->lim.no_addresses ? 0 : ADDR_RING) * (size_t)ROW_BYTES;
  x->warp = more_lines(x->warp, w, warps, sizeof *x->warp);
  x->cta = more_lines(x->cta, c, ctas, sizeof *x->cta);
  /* What is not zeroed here is written before it is read: registers, local and shared memory when a CTA begins. */
  x->rows = more_raw(x->rows, w, warps, (size_t)x->row_count * ROW_BYTES);
  x->local = more_raw(x->local, w, warps, (size_t)x->local_words * ROW_BYTES);
  x->shared = more_raw(x->shared, c, ctas, stride);
  x->addr_ring = more_raw(x->addr_ring, w, warps, ring);
  x->s.addr_row = more_lines(x->s.addr_row, w, warps, 1);
  if (x->lim.values) x->val_ring = more_raw(x->val_ring, w, warps, (size_t)VAL_RING * ROW_BYTES);
  x->s.addr_ring = x->addr_ring;
  x->s.val_ring = x->val_ring;
  for (unsigned k = 0; k < ctas; k++) x->cta[k].shared = x->shared + k * stride;
  for (unsigned k = 0; k < warps; k++) x->warp[k].rows = x->rows + (size_t)k * x->row_count * LANES;
  for (unsigned k = w; k < warps; k++) {
    x->warp[k].slot = (uint16_t)k;
    x->warp[k].state = WS_EMPTY;
  }
  x->lim.warp_slots = warps;
  x->lim.cta_slots = ctas;
}

unsigned exec_room(struct exec *x, unsigned ctas) {
  const unsigned wpc = x->s.warps_per_cta;
  const uint64_t local = warp_local_bytes(x->code);
  uint64_t warps = SLOTS_MAX;
  if (local && warps > (CODE_BASE - LOCAL_BASE) / local) warps = (CODE_BASE - LOCAL_BASE) / local;
  if (ctas > warps / wpc) ctas = (unsigned)(warps / wpc);
  if (ctas > x->lim.cta_slots) functional_set_slots(x, ctas * wpc, ctas);
  return x->lim.cta_slots;
}

struct stream *stream_functional(const struct launch *l, const struct exec_limits *lim, struct err *e) {
  const struct code *c = l->code;
  if (!check_launch(l, lim, e)) return NULL;
  struct exec *x = xcalloc_lines(1, sizeof *x);
  x->s.ops = &functional_ops;
  x->s.op = c->op;
  x->s.nop = c->n;
  x->grid = l->grid[0] * l->grid[1] * l->grid[2];
  x->s.threads_per_cta = l->block[0] * l->block[1] * l->block[2];
  x->s.warps_per_cta = (x->s.threads_per_cta + LANES - 1) / LANES;
  x->s.regs = c->nreg;
  x->s.shared_bytes = (uint32_t)launch_shared(c, l->shared_dyn);
  x->launch = l;
  x->code = c;
  x->bank = l->bank ? l->bank : l->mem ? l->mem->bank : NULL;
  x->lim = *lim;
  if (!x->lim.stride) x->lim.stride = 1;
  x->s.stride = x->lim.stride;
  x->s.ctas = (x->grid - 1) / x->lim.stride + 1;
  if (!x->lim.max_insns) x->lim.max_insns = 1ull << 32;
  x->param = xcalloc(1, (size_t)c->param_bytes + 8);
  if (c->param_bytes) memcpy(x->param, l->param, c->param_bytes);
  if (!exec_decode(x, e)) {
    functional_free(&x->s);
    return NULL;
  }
  x->local_words = (c->local_bytes + 3) / 4;
  x->local_base = LOCAL_BASE + lim->sm * lim->warp_slots * x->local_words * ROW_BYTES;
  x->watch_every = WATCH_EVERY;
  x->all = exec_apart(x) ? lim->all : NULL;
  if (x->all) x->all->x[lim->sm] = x;
  x->lim.warp_slots = x->lim.cta_slots = 0;
  functional_set_slots(x, lim->warp_slots, lim->cta_slots);
  fill_tid(x);
  x->races = l->races;
  x->tap = l->tap;
  if (x->races) races_launch(x);
  return &x->s;
}

struct kernel launch_kernel(const struct launch *l) {
  uint32_t at = l->module->code_before;
  for (const struct code *k = l->module->kernel; k != l->code; k++) at += (k->n + 15) & ~15u;
  return (struct kernel){
      .code = l->code, .code_base = CODE_BASE + (at * 8) % (GLOBAL_END - CODE_BASE), .most_insns = l->most_insns};
}
