/* SPDX-License-Identifier: Apache-2.0 */
/* near: see near.h. */
#include "lab/run/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "lab/run/compile.h"
#include "lab/run/reuse.h"
#include "lab/run/trace.h"

/* A warp's bits stand one behind the other: of each instruction those of its sources, then those of its destinations. */
struct warp_bits {
  uint64_t *word;
  uint64_t bits; /* recorded; in the timed run: not yet read are those from `at` on */
  uint64_t at, hash, seen;
  uint32_t insns, read, words; /* words: allocated */
};
struct launch_bits {
  char kernel[128];
  uint32_t grid[3], block[3], stride, ctas, wpc;
  struct warp_bits *warp; /* [ctas * wpc] */
};
struct near_record {
  struct launch_bits *launch;
  unsigned n, cap;
  struct near_size size;
  uint32_t near, stride;
  /* of the launch at work */
  struct launch_bits *now;
  const struct code *code;
  struct reuse_warp **reuse; /* per warp, while it runs: when recording */
  struct warp_bits *target;
  struct exec_tap tap;
};

static unsigned op_count_operands(const struct op *op) { return op->nsrc + op->ndst; }

static uint64_t near_mix_hash(uint64_t h, const struct warp_inst *i) {
  return hash_mix(h, (uint64_t)i->lanes << 32 | i->op);
}

/* ---- recording ---- */

/* tag: place of the instruction's first bit, 8 times, and its number of sources */
static void near_mark_reuse(void *ctx, uint64_t tag, unsigned which, uint64_t distance) {
  const struct near_record *r = ctx;
  if (!distance || distance > r->near) return;
  const unsigned packed = (which & 0x3f) | (which >> 8) << (tag & 7);
  for (unsigned m = packed; m; m &= m - 1) {
    const uint64_t at = (tag >> 3) + (unsigned)bit_low32(m);
    r->target->word[at >> 6] |= 1ull << (at & 63);
  }
}

static void warp_bits_reserve(struct warp_bits *b, unsigned more) {
  const uint32_t need = (uint32_t)((b->bits + more + 63) / 64), had = b->words;
  if (need <= had) return;
  b->words = had ? 2 * had : 8;
  b->word = xrealloc(b->word, b->words * sizeof *b->word);
  memset(b->word + had, 0, (b->words - had) * sizeof *b->word);
}

static bool near_record_inst(void *ctx, uint32_t cta, uint32_t warp, struct warp_inst *inst, struct err *e) {
  struct near_record *r = ctx;
  const struct op *op = &r->code->op[inst->op];
  (void)e;
  if (cta % r->now->stride) return true;
  const size_t index = (size_t)(cta / r->now->stride) * r->now->wpc + warp;
  struct reuse_warp **w = &r->reuse[index];
  struct warp_bits *b = r->target = &r->now->warp[index];
  if (!*w) *w = xcalloc(1, sizeof **w);
  warp_bits_reserve(b, op_count_operands(op));
  reuse_step(*w, op, b->bits << 3 | op->nsrc, near_mark_reuse, r);
  b->bits += op_count_operands(op);
  b->insns++;
  b->hash = near_mix_hash(b->hash, inst);
  if (!(inst->flags & W_EXIT)) return true;
  free(*w); /* what has not been reused is far, as it stands */
  *w = NULL;
  b->words = (uint32_t)((b->bits + 63) / 64);
  b->word = xrealloc(b->word, b->words * sizeof *b->word + 1);
  r->size.bytes += b->words * sizeof *b->word + sizeof *b;
  r->size.bits += b->bits;
  r->size.insns += b->insns;
  r->size.warps++;
  return true;
}

static bool near_record_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct near_record *r = ctx;
  struct launch_bits *b = r->now = &VEC_PUSH(r->launch, r->n, r->cap);
  struct exec_counts counts;
  struct launch tapped = *l;
  const uint64_t grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  (void)index;
  *b = (struct launch_bits){.stride = r->stride   ? r->stride
                                      : l->stride ? l->stride
                                                  : 1,
                            .wpc = (l->block[0] * l->block[1] * l->block[2] + 31) / 32};
  snprintf(b->kernel, sizeof b->kernel, "%s", l->code->name);
  memcpy(b->grid, l->grid, sizeof b->grid);
  memcpy(b->block, l->block, sizeof b->block);
  b->ctas = (uint32_t)((grid + b->stride - 1) / b->stride);
  b->warp = xcalloc((size_t)b->ctas * b->wpc + 1, sizeof *b->warp);
  r->code = l->code;
  r->reuse = xcalloc((size_t)b->ctas * b->wpc + 1, sizeof *r->reuse);
  tapped.tap = &r->tap;
  const bool ok = exec_run(&tapped, 0, &counts, e);
  for (size_t i = 0; i < (size_t)b->ctas * b->wpc; i++) free(r->reuse[i]);
  free(r->reuse);
  return ok;
}

/* ---- the timed run ---- */

static bool near_refuse_stream(const struct near_record *r, uint32_t cta, uint32_t warp, struct err *e) {
  const struct code *c = r->code;
  return err_at(
      e, c->file, (int)c->line, (int)c->col,
      "kernel '%.160s': found another instruction stream of CTA %u, warp %u, than in the run that recorded its "
      "exact near bits, expected the same: its branches depend on the order of memory accesses",
      c->name, (unsigned)cta, (unsigned)warp);
}

static bool near_replay_inst(void *ctx, uint32_t cta, uint32_t warp, struct warp_inst *inst, struct err *e) {
  struct near_record *r = ctx;
  const struct op *op = &r->code->op[inst->op];
  struct warp_bits *b = &r->now->warp[(size_t)(cta / r->now->stride) * r->now->wpc + warp];
  const unsigned n = op_count_operands(op);
  if (b->read == b->insns || b->at + n > b->bits) return near_refuse_stream(r, cta, warp, e);
  unsigned bits = 0;
  for (unsigned k = 0; k < n; k++, b->at++) bits |= (unsigned)(b->word[b->at >> 6] >> (b->at & 63) & 1) << k;
  inst->near = (uint16_t)((bits & ((1u << op->nsrc) - 1)) | bits >> op->nsrc << 8);
  b->read++;
  b->seen = near_mix_hash(b->seen, inst);
  const bool last = inst->flags & W_EXIT;
  if (last != (b->read == b->insns) || (last && (b->seen != b->hash || b->at != b->bits)))
    return near_refuse_stream(r, cta, warp, e);
  if (!last) return true;
  free(b->word);
  b->word = NULL;
  return true;
}

const struct exec_tap *near_launch(struct near_record *r, const struct launch *l, unsigned index, struct err *e) {
  struct launch_bits *b = index < r->n ? &r->launch[index] : NULL;
  if (!b || strncmp(b->kernel, l->code->name, sizeof b->kernel - 1) != 0 || memcmp(b->grid, l->grid, sizeof b->grid) ||
      memcmp(b->block, l->block, sizeof b->block)) {
    err_at(e, l->code->file, (int)l->code->line, (int)l->code->col,
           "kernel '%.160s': found another launch than in the run that recorded its exact near bits, expected the same",
           l->code->name);
    return NULL;
  }
  r->now = b;
  r->code = l->code;
  r->tap = (struct exec_tap){near_replay_inst, r};
  return &r->tap;
}

/* ---- both ---- */

static bool near_record_run(struct near_record *r, struct workload *w, uint64_t seed, struct err *e) {
  const struct host_ops ops = {
      .launch = near_record_launch, .ctx = r, .unchecked = true, .trial = true, .limits = w->limits};
  r->tap = (struct exec_tap){near_record_inst, r};
  return workload_go(w, seed, &ops, e);
}

/* The trace has the bits that its recording had of the file; a file that is still there says the same. */
static bool file_stays(const struct workload *w, const char *path, struct err *e) {
  struct reuse_profile p = {0};
  char why[IO_WHY];
  size_t n;
  char *text = path[0] ? input_read(path, REUSE_FILE, &n, why) : NULL;
  if (!text) return true;
  bool ok = reuse_text(&p, path, text, n, e), same = true;
  free(text);
  if (ok) reuse_apply(&p, w->module);
  for (uint32_t k = 0; ok && k < w->module->nkernel; k++)
    for (uint32_t i = 0; i < w->module->kernel[k].n; i++)
      same = same && w->module->kernel[k].op[i].near == trf_code(w->trace, k)->near[i];
  if (!same)
    ok = err_at(e, path, 0, 0, "found other near bits than %.200s was recorded with, expected the same file", w->path);
  reuse_free(&p);
  return ok;
}

static bool near_apply_profile(struct workload *w, const struct near_want *want, const struct config *cfg,
                               uint64_t seed, struct err *e) {
  struct reuse_profile p = {0};
  struct workload first;
  bool ok;
  if (want->file[0] && w->trace)
    return err_at(e, w->path, 0, 0,
                  "found a trace with a file of near bits (%.200s), expected a launch file, or no file", want->file);
  if (want->file[0]) ok = reuse_read(&p, want->file, w, want->most, e);
  else {
    ok = workload_compile(w->path, w->size, cfg, seed, &first, e);
    if (ok) {
      ok = reuse_run(&first, seed, REUSE_CTAS, want->most, &p, e);
      workload_close(&first);
    }
  }
  if (ok) reuse_apply(&p, w->module);
  reuse_free(&p);
  return ok;
}

struct near_record *near_make(struct workload *w, const struct near_want *want, const struct config *cfg, uint64_t seed,
                              bool *ok, struct err *e) {
  struct workload first;
  *ok = true;
  if (want->source == NEAR_PROFILE && w->trace && trace_near(w, cfg)) *ok = file_stays(w, want->file, e);
  else if (want->source == NEAR_PROFILE) *ok = near_apply_profile(w, want, cfg, seed, e);
  if (want->source != NEAR_EXACT) return NULL;
  if (!(*ok = workload_compile(w->path, w->size, cfg, seed, &first, e))) return NULL;
  struct near_record *r = xcalloc(1, sizeof *r);
  r->near = want->most;
  r->stride = config_stride(cfg, (unsigned)cfg->sim_sms);
  *ok = near_record_run(r, &first, seed, e);
  workload_close(&first);
  if (*ok) return r;
  near_free(r);
  return NULL;
}

uint32_t near_most(const struct config *cfg) {
  const struct near_want want = slots_near(cfg);
  return want.source == NEAR_NONE ? REUSE_NEAR : want.most;
}

struct near_size near_size(const struct near_record *r) {
  return r->size;
}

void near_free(struct near_record *r) {
  if (!r) return;
  for (unsigned k = 0; k < r->n; k++) {
    for (size_t i = 0; i < (size_t)r->launch[k].ctas * r->launch[k].wpc; i++) free(r->launch[k].warp[i].word);
    free(r->launch[k].warp);
  }
  free(r->launch);
  free(r);
}
