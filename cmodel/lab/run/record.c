/* SPDX-License-Identifier: Apache-2.0 */
/* record: see record.h. */
#include "lab/run/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/io.h"
#include "lab/run/run.h"
#include "lab/run/tapped.h"
#include "lab/run/trace.h"
#include "sm/slots.h"

enum { PTX_MOST = 1 << 26, TURN = 32 };

struct recording {
  struct trf_writer *w;
  const struct module *m;
  uint32_t *number; /* of each kernel of the module, in the trace, from 1; 0: not there yet */
  char *ptx;        /* text of the module's file; NULL: not read */
  bool ptx_there;   /* it is in the trace */
  bool values;
  bool near; /* the run has a profile of near bits */
};

/* Of a run of `w` (no trace) under `cfg`; path NULL: a temporary file without a name. The run gets it as
 * run_progress.record. functional: without timing. NULL and *e: the file cannot be written. */
static struct recording *recording_new(const struct workload *w, const struct config *cfg, uint64_t seed,
                                       bool functional, bool values, const char *path, struct err *e) {
  char *meta = trace_meta(w, cfg, seed, functional), why[IO_WHY];
  const uint32_t flags = (functional ? TRF_UNTIMED : 0u) | (values ? TRF_VALUES : 0u);
  struct trf_writer *writer = trf_create(path, flags, meta, e);
  free(meta);
  if (!writer) return NULL;
  struct recording *r = xcalloc(1, sizeof *r);
  size_t n;
  *r = (struct recording){
      .w = writer, .m = w->module, .values = values, .number = xcalloc(w->module->nkernel, sizeof *r->number)};
  r->near = !functional && slots_near(cfg).source == NEAR_PROFILE;
  r->ptx = input_read(w->module->file, PTX_MOST, &n, why);
  return r;
}

/* ok: the run has ended well, and the trace is finished; else nothing is left of it. *fd as trf_finish. */
static bool recording_end(struct recording *r, bool ok, int *fd, struct err *e) {
  ok = trf_finish(r->w, ok, fd, e);
  free(r->number);
  free(r->ptx);
  free(r);
  return ok;
}

struct trf_writer *recording_writer(struct recording *r) {
  return r->w;
}

static uint32_t recording_code_number(struct recording *r, const struct code *c) {
  uint32_t *n = &r->number[c - r->m->kernel];
  if (*n) return *n - 1;
  uint16_t *near = r->near ? xmalloc(c->n * sizeof *near) : NULL;
  for (uint32_t i = 0; near && i < c->n; i++) near[i] = c->op[i].near;
  const struct trf_code code = {.code = c, .ptx = r->ptx_there ? "" : r->ptx, .near = near};
  r->ptx_there = true;
  *n = trf_add_code(r->w, &code) + 1;
  free(near);
  return *n - 1;
}

void recording_launch(struct recording *r, const struct launch *l, const struct stream *s, uint32_t code_base) {
  struct trf_launch is = {.code = recording_code_number(r, l->code),
                          .shared_bytes = s->shared_bytes,
                          .shared_dyn = l->shared_dyn,
                          .regs = s->regs,
                          .local_words = (l->code->local_bytes + 3) / 4,
                          .code_base = code_base,
                          .stride = s->stride,
                          .param = l->param,
                          .param_bytes = l->code->param_bytes};
  memcpy(is.grid, l->grid, sizeof is.grid);
  memcpy(is.block, l->block, sizeof is.block);
  trf_launch_begin(r->w, &is);
}

void recording_launch_end(struct recording *r) { trf_launch_end(r->w); }

/* ---- without timing ---- */

struct turns {
  struct stream *s;
  unsigned resident;
  uint32_t next;
  struct {
    uint32_t left; /* warps that have not exited; 0: the slot is free */
  } cta[64];
  bool *over; /* per warp slot */
  struct exec_counts n;
};

static void turns_begin_cta(struct turns *t, unsigned slot) {
  uint16_t at[TRF_WARPS];
  if (t->next == t->s->ctas) return;
  for (uint32_t k = 0; k < t->s->warps_per_cta; k++) {
    at[k] = (uint16_t)(slot * t->s->warps_per_cta + k);
    t->over[at[k]] = false;
  }
  t->s->ops->cta_begin(t->s, slot, t->next++, at);
  t->cta[slot].left = t->s->warps_per_cta;
}

/* A warp's turn, as exec/run.c has them: to its first access to global or shared memory. False: an error. */
static bool turns_run_warp(struct turns *t, unsigned slot, unsigned warp, bool *moved) {
  struct warp_inst inst = {0};
  for (unsigned k = 0; k < TURN; k++) {
    const int given = t->s->ops->next(t->s, warp, &inst);
    if (given == STREAM_ERROR) return false;
    if (given != STREAM_GIVEN) return true;
    *moved = true;
    t->n.warp_insns++;
    t->n.thread_insns += (unsigned)bit_count32(inst.lanes);
    if (inst.flags & W_EXIT) {
      t->over[warp] = true;
      t->cta[slot].left--;
      return true;
    }
    const enum space sp = W_SPACE_OF(&inst);
    if (sp == SP_GLOBAL || sp == SP_SHARED) return true;
  }
  return true;
}

static bool turns_run_round(struct turns *t, bool *moved, bool *busy) {
  for (unsigned c = 0; c < t->resident; c++) {
    for (uint32_t k = 0; k < t->s->warps_per_cta && t->cta[c].left; k++) {
      const unsigned warp = c * t->s->warps_per_cta + k;
      if (!t->over[warp] && !turns_run_warp(t, c, warp, moved)) return false;
    }
    if (t->cta[c].left) *busy = true;
    else if (t->next != t->s->ctas) {
      if (t->next > c) t->s->ops->cta_end(t->s, c);
      turns_begin_cta(t, c);
      *busy = true;
    }
  }
  *moved |= t->s->ops->quantum(t->s) > 0;
  for (unsigned w = 0; w < t->resident * t->s->warps_per_cta; w++) {
    int given;
    while ((given = t->s->ops->landed(t->s, w)) == STREAM_GIVEN) *moved = true;
    if (given == STREAM_ERROR) return false;
  }
  return true;
}

static bool turns_run_all(struct turns *t, const struct launch *l, struct err *e) {
  bool busy = true;
  for (unsigned c = 0; c < t->resident; c++) turns_begin_cta(t, c);
  while (busy) {
    bool moved = false;
    busy = false;
    if (!turns_run_round(t, &moved, &busy)) return *e = t->s->err, false;
    if (l->most_insns && t->n.warp_insns > l->most_insns) {
      t->s->ops->runaway(t->s, NULL);
      return *e = t->s->err, false;
    }
    if (!busy || moved) continue;
    if (!t->s->ops->deadlock(t->s, e))
      err_at(e, NULL, 0, 0, "kernel '%.160s': found warps that wait for each other, expected none without timing",
             l->code->name);
    return false;
  }
  for (unsigned c = 0; c < t->resident; c++)
    if (t->next > c) t->s->ops->cta_end(t->s, c);
  return true;
}

bool recording_run(struct recording *r, const struct launch *l, struct exec_counts *counts, struct err *e) {
  const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
  const unsigned resident = warps && warps <= 32 ? 64 / warps : 1;
  const struct stream_room room = {.warp_slots = resident * (warps ? warps : 1), .cta_slots = resident};
  const struct exec_limits limits = {.warp_slots = room.warp_slots, .cta_slots = resident, .values = r->values};
  struct stream *s = stream_functional(l, &limits, e);
  if (!s) return false;
  recording_launch(r, l, s, launch_kernel(l).code_base);
  const struct tap_to to = {.writer = r->w, .code = l->code};
  struct turns t = {.s = stream_tapped(s, &room, &to), .resident = resident};
  if (t.resident > t.s->ctas) t.resident = t.s->ctas;
  t.over = xcalloc(room.warp_slots, sizeof *t.over);
  const bool ok = turns_run_all(&t, l, e);
  t.s->ops->free(t.s);
  free(t.over);
  if (ok) recording_launch_end(r);
  if (l->ran) *l->ran += t.n.warp_insns;
  if (counts) *counts = t.n;
  return ok;
}

/* ---- the whole of it ---- */

/* What a recording cannot hold. */
static bool recording_is_possible(const struct workload *w, const struct config *c, struct err *e) {
  if (w->is_trace) return err_at(e, w->path, 0, 0, "found a trace, expected a launch file: it is recorded already");
  if (w->compiled)
    return err_at(e, w->path, 0, 0, "found compile.narrow to be recorded, expected none: traces have no narrow code");
  if (c->sim_roi[0])
    return err_at(e, w->path, 0, 0, "found sim.roi in a recording, expected none: --roi is for the run of the trace");
  if (c->sim_stop_cycles || c->sim_stop_ctas)
    return err_at(e, w->path, 0, 0,
                  "found sim.stop_cycles or sim.stop_ctas, expected 0 in a recording: CTAs would be cut off");
  return true;
}

bool record_workload(const struct record_what *what, struct run_progress *hooks, struct err *e) {
  struct workload w;
  struct config c = *what->cfg;
  c.sim_check |= what->values; /* the streams have values then */
  if (!workload_compile(what->name, what->size, &c, what->seed, &w, e)) return false;
  struct recording *r = NULL;
  bool ok = recording_is_possible(&w, &c, e);
  if (ok) r = recording_new(&w, &c, what->seed, what->functional, what->values, what->path, e);
  if (r) {
    struct run_result *out = xcalloc(1, sizeof *out);
    struct err why = {0};
    hooks->record = r;
    ok = run_workload(&w, &c, what->seed, what->functional, hooks, out, e);
    ok = recording_end(r, ok, NULL, &why) && ok;
    if (why.set) *e = why; /* a run that ended since nothing could be written */
    free(out);
  }
  workload_close(&w);
  return ok && r;
}
