/* SPDX-License-Identifier: Apache-2.0 */
/* character: see character.h. The cost is proportional to the events: instructions, line reads, changes of CTAs. */
#include "lab/kernels/character.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { SLOTS = 256, REGS = 256, SECTOR_BITS = 30 - 5, CODES = 64 };

const char *const mix_names[MIX_COUNT] = {"integer", "float",  "double",       "special", "tensor",
                                          "global",  "shared", "other memory", "atomic",  "control"};

struct warp_view {
  bool here;
  uint32_t next;       /* index of its next instruction; code->n: at its end */
  uint32_t last[REGS]; /* 1 + number of the warp's instruction that accessed the register last; 0: none */
  uint64_t window[REGS], cta_window[REGS]; /* window in which it was accessed last */
};
struct cta_view {
  uint64_t first; /* cycle of the first issue since it began or was ready again; NOT: none yet */
  bool stalled_once;
  uint64_t insns, accessed; /* of the CTA's own window */
  uint64_t window;          /* its number, unique among all CTAs */
  bool had_window;
  uint16_t warps;
};
#define NOT UINT64_MAX

struct watch {
  struct character *out;
  const struct code *code; /* of the launch */
  uint32_t regs;
  struct warp_view *warp; /* by slot */
  struct cta_view cta[SLOTS];
  uint64_t insns, accessed, allocated, window, cta_windows; /* of the SM's window */
  uint32_t resident;                                        /* warps */
  uint32_t *loaded;                                         /* a bit per 32-byte sector below 2^30: read before */
  struct {
    const struct code *code;
    uint32_t *id;
  } codes[CODES]; /* id + 1 of each static load; 0: not met yet */
  unsigned ncodes;
  uint32_t *load_id; /* of this launch's code */
  struct locality_probe *locality;
};

/* ---- registers ---- */

static void window_end(struct watch *v) {
  uint64_t live = 0;
  struct character *o = v->out;
  for (unsigned w = 0; w < SLOTS; w++) {
    if (!v->warp[w].here || v->warp[w].next >= v->code->n) continue;
    const uint64_t *set = v->code->live[v->warp[w].next];
    for (unsigned k = 0; k < 4; k++) live += (unsigned)bit_count64(set[k]);
  }
  uint64_t now = (uint64_t)v->resident * v->regs;
  fraction_add(&o->used, v->accessed, v->allocated);
  fraction_add(&o->live, live, now);
  series_add(&o->used_over, v->accessed, v->allocated);
  series_add(&o->live_over, live, now);
  v->insns = v->accessed = 0;
  v->allocated = now;
  v->window++;
}

static void cta_window_end(struct watch *v, struct cta_view *c) {
  fraction_add(&v->out->used_cta, c->accessed, (uint64_t)c->warps * v->regs);
  c->insns = c->accessed = 0;
  c->window = ++v->cta_windows;
  c->had_window = true;
}

static void character_touch(struct watch *v, struct warp_view *w, struct cta_view *c, unsigned reg) {
  if (w->window[reg] != v->window) {
    w->window[reg] = v->window;
    v->accessed++;
  }
  if (w->cta_window[reg] != c->window) {
    w->cta_window[reg] = c->window;
    c->accessed++;
  }
}

static void character_count_registers(struct watch *v, struct warp_view *w, struct cta_view *c,
                                      const struct warp_inst *inst, const struct op *op) {
  for (unsigned k = 0; k < op->nsrc; k++) {
    unsigned r = op->src[k];
    bool again = false;
    for (unsigned i = 0; i < k; i++) again |= op->src[i] == r;
    if (again) continue;
    if (w->last[r]) histogram_add(&v->out->reuse, inst->seq + 1 - w->last[r]);
    character_touch(v, w, c, r);
    w->last[r] = inst->seq + 1;
  }
  for (unsigned k = 0; k < op->ndst; k++) {
    character_touch(v, w, c, op->dst[k]);
    w->last[op->dst[k]] = inst->seq + 1;
  }
}

/* ---- events of the SM ---- */

static enum mix mix_of(const struct warp_inst *inst, const struct op *op) {
  switch (op->cls) {
    case CLS_INT:
    case CLS_IMUL: return MIX_INT;
    case CLS_SP: return MIX_SP;
    case CLS_DP: return MIX_DP;
    case CLS_SFU:
    case CLS_DIV: return MIX_SFU;
    case CLS_TENSOR: return MIX_TENSOR;
    case CLS_CTRL: return MIX_CTRL;
    default: break;
  }
  if (op->kind & K_ATOMIC) return MIX_ATOMIC;
  if (!op->kind) return MIX_OTHER_MEM; /* shuffle */
  enum space s = W_SPACE_OF(inst);
  return s == SP_GLOBAL || s == SP_TEX ? MIX_GLOBAL : s == SP_SHARED ? MIX_SHARED : MIX_OTHER_MEM;
}

static void character_on_issue(void *ctx, uint64_t cycle, unsigned cta, const struct warp_inst *inst,
                               const struct op *op) {
  struct watch *v = ctx;
  struct warp_view *w = &v->warp[inst->warp];
  struct cta_view *c = &v->cta[cta];
  if (c->first == NOT) c->first = cycle;
  v->out->mix[mix_of(inst, op)]++;
  character_count_registers(v, w, c, inst, op);
  w->next = inst->flags & W_EXIT ? v->code->n : inst->next;
  if (++v->insns == REGISTER_WINDOW) window_end(v);
  if (++c->insns == REGISTER_WINDOW) cta_window_end(v, c);
}

static void character_begin_cta(struct watch *v, struct cta_view *c, const uint16_t *slot, unsigned warps) {
  *c = (struct cta_view){.first = NOT, .window = ++v->cta_windows, .warps = (uint16_t)warps};
  for (unsigned k = 0; k < warps; k++) {
    struct warp_view *w = &v->warp[slot[k]];
    memset(w, 0, sizeof *w);
    w->here = true;
  }
  v->resident += warps;
  v->allocated += (uint64_t)warps * v->regs;
}

static void character_end_cta(struct watch *v, struct cta_view *c, const uint16_t *slot, unsigned warps) {
  for (unsigned k = 0; k < warps; k++) v->warp[slot[k]].here = false;
  v->resident -= warps;
  if (c->insns && !c->had_window) cta_window_end(v, c); /* a CTA shorter than a window is one */
  v->out->ctas_never += !c->stalled_once;
}

static void character_cta_stalled(struct watch *v, struct cta_view *c, uint64_t cycle) {
  if (c->first == NOT) return; /* it has issued nothing since it was ready: the same stall */
  uint64_t n = cycle - c->first;
  if (!c->stalled_once) {
    v->out->stall_n++;
    v->out->stall_cycles += n;
    histogram_add(&v->out->stall, n / STALL_BIN);
  }
  v->out->again_n++;
  v->out->again_cycles += n;
  c->stalled_once = true;
  c->first = NOT;
}

static void character_on_cta(void *ctx, uint64_t cycle, unsigned cta, enum probe_cta what, const uint16_t *slot,
                             unsigned warps) {
  struct watch *v = ctx;
  struct cta_view *c = &v->cta[cta];
  switch (what) {
    case PROBE_CTA_BEGIN: character_begin_cta(v, c, slot, warps); break;
    case PROBE_CTA_STALLED: character_cta_stalled(v, c, cycle); break;
    case PROBE_CTA_READY: break;
    case PROBE_CTA_END: character_end_cta(v, c, slot, warps); break;
  }
}

/* Read before: all of the sectors. Marks them. */
static bool character_read_before(struct watch *v, uint32_t line, uint8_t sectors) {
  uint32_t bit = line >> 5, *word = &v->loaded[bit >> 5], mask = (uint32_t)sectors << (bit & 31);
  bool all = (*word & mask) == mask;
  *word |= mask;
  return all;
}

static uint32_t load_number(struct watch *v, uint32_t op) {
  if (v->load_id[op]) return v->load_id[op] - 1;
  struct character *o = v->out;
  uint32_t id = o->nload < LOCALITY_LOADS ? o->nload++ : LOCALITY_LOADS - 1;
  v->load_id[op] = id + 1;
  o->load[id].line = v->code->insn[op].line;
  snprintf(o->load[id].kernel, sizeof o->load[id].kernel, "%s", v->code->name);
  return id;
}

static void character_on_read(void *ctx, uint64_t cycle, uint32_t op, uint32_t line, uint8_t sectors,
                              enum probe_read what) {
  struct watch *v = ctx;
  struct character *o = v->out;
  bool before = character_read_before(v, line, sectors);
  o->reads++;
  o->hits += what == PROBE_HIT;
  o->merges += what == PROBE_MERGE;
  o->again += what == PROBE_MISS && before;
  o->cold += what == PROBE_MISS && !before;
  locality_read(v->locality, cycle, load_number(v, op), line);
}

static void character_on_launch(void *ctx, const struct code *kernel, uint64_t cycle) {
  struct watch *v = ctx;
  (void)cycle;
  v->code = kernel;
  v->regs = kernel->nreg;
  unsigned k = 0;
  while (k < v->ncodes && v->codes[k].code != kernel) k++;
  if (k == CODES) die("more than %d kernels in a module", CODES);
  if (k == v->ncodes) {
    v->codes[k].code = kernel;
    v->codes[k].id = xcalloc(kernel->n, sizeof(uint32_t));
    v->ncodes++;
  }
  v->load_id = v->codes[k].id;
}

/* ---- the run ---- */

bool character_measure(const char *name, const char *size, const char *entry, const struct config *cfg,
                       const struct run_progress *p, struct character *out, struct err *e) {
  struct workload w;
  memset(out, 0, sizeof *out);
  if (!workload_compile(name, size, cfg, 0, &w, e)) return false;
  struct watch *v = xcalloc(1, sizeof *v);
  v->out = out;
  v->window = 1;
  v->warp = xcalloc(SLOTS, sizeof *v->warp);
  v->loaded = xcalloc((1u << SECTOR_BITS) / 32, 4);
  v->locality = locality_new(&out->locality);
  struct probe probe = {.launch = character_on_launch,
                        .cta = character_on_cta,
                        .issue = character_on_issue,
                        .read = character_on_read,
                        .ctx = v};
  struct run_progress hooks = p ? *p : (struct run_progress){0};
  struct run_detail detail = {0};
  hooks.probe = &probe;
  hooks.detail = &detail;
  bool ok = shape_of_workload(&w, entry, &out->shape, e) && run_workload(&w, cfg, 0, false, &hooks, &out->run, e);
  if (ok) {
    run_watched(&out->run, &detail); /* as the probe, which sees one SM */
    out->fit = shape_fit(&out->shape, cfg);
    if (!out->used.n && v->insns) window_end(v); /* shorter than a window: one */
  }
  run_detail_free(&detail);
  locality_end(v->locality);
  for (unsigned k = 0; k < v->ncodes; k++) free(v->codes[k].id);
  free(v->warp), free(v->loaded), free(v);
  workload_close(&w);
  return ok;
}

static double character_kb(uint64_t lines, uint64_t windows) { return fraction_of(lines * 128, windows * 1024); }

double character_miss(const struct character *c) { return fraction_of(c->cold + c->again, c->reads); }
double character_again(const struct character *c) { return fraction_of(c->again, c->reads); }
double character_reused_kb(const struct character *c) {
  return character_kb(c->locality.reused_lines, c->locality.windows);
}
double character_private(const struct character *c) {
  return fraction_of(c->locality.private_lines, c->locality.reused_lines);
}
double character_stream_kb(const struct character *c) {
  return character_kb(c->locality.stream_lines, c->locality.windows);
}
