/* SPDX-License-Identifier: Apache-2.0 */
/* tapped: see tapped.h. */
#include "lab/run/tapped.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

struct tapped_warp {
  uint32_t cta; /* of the grid */
  uint16_t cta_slot, index;
  bool waits; /* `last` is to be recorded when its values are there: with the warp's next instruction */
  struct warp_inst last;
};
struct tapped_cta {
  struct trf_rec *rec; /* NULL: the slot is empty */
  uint64_t hash;
};
struct tapped {
  struct stream s; /* first */
  struct stream *in;
  struct tap_to to;
  struct stream_room room;
  struct tapped_warp *warp;
  struct tapped_cta *cta, *ended; /* ended: since the last quantum */
  uint32_t nended, cended;
  uint32_t local_bytes; /* of a warp */
  uint64_t hash;        /* of `in`, when a warp ended last */
};

/* ---- recording ---- */

static void tapped_record(struct tapped *t, const struct tapped_warp *w, const struct warp_inst *inst) {
  const struct stream *in = t->in;
  const enum space sp = W_SPACE_OF(inst);
  const bool access = inst->mem && !(inst->flags & W_BARRIER);
  const uint32_t *addr = access ? inst_addr(in, inst) : NULL, *to = NULL;
  uint32_t local[32], val[4][32], texel[8][32];
  if (access && sp == SP_LOCAL) {
    const uint32_t base = LOCAL_BASE + (t->room.sm * t->room.warp_slots + inst->warp) * t->local_bytes;
    for (unsigned l = 0; l < 32; l++) local[l] = addr[l] - base;
    addr = local;
  }
  if (access && in->op[inst->op].async == OA_COPY && sp == SP_GLOBAL) {
    struct warp_inst before = *inst;
    before.mem = (before.mem + ADDR_RING - 2) % ADDR_RING + 1;
    to = inst_addr(in, &before);
  }
  if (access && sp == SP_TEX) {
    for (unsigned k = 0; k < tex_rows(inst->mem); k++) {
      struct warp_inst row = *inst;
      row.mem = ((inst->mem & 0xff) + k - 1) % ADDR_RING + 1;
      memcpy(texel[k], inst_addr(in, &row), sizeof texel[k]);
    }
    addr = texel[0];
  }
  for (unsigned k = 0; k < inst->nval; k++) memcpy(val[k], inst_val(in, inst, k), sizeof val[k]);
  trf_add(t->cta[w->cta_slot].rec, w->index, inst, addr, to, (const uint32_t(*)[32])val);
}

static void tapped_record_next(struct tapped *t, struct tapped_warp *w, const struct warp_inst *inst) {
  if (w->waits) tapped_record(t, w, &w->last);
  w->waits = inst->nval != 0;
  if (w->waits) w->last = *inst;
  else tapped_record(t, w, inst);
  if (!(inst->flags & W_EXIT)) return;
  t->cta[w->cta_slot].hash += t->in->hash - t->hash;
  t->hash = t->in->hash;
}

static void tapped_give_ended(struct tapped *t) {
  for (uint32_t k = 0; k < t->nended; k++) trf_cta_end(t->to.writer, t->ended[k].rec, t->ended[k].hash);
  t->nended = 0;
}

/* ---- the stream ---- */

static int tapped_fail(struct tapped *t) {
  if (t->in->err.set && !t->s.err.set) t->s.err = t->in->err;
  return STREAM_ERROR;
}

static int tapped_next(struct stream *s, unsigned slot, struct warp_inst *out) {
  struct tapped *t = (struct tapped *)s;
  struct tapped_warp *w = &t->warp[slot];
  if (s->err.set) return STREAM_ERROR;
  const int given = t->in->ops->next(t->in, slot, out);
  if (given == STREAM_ERROR) return tapped_fail(t);
  if (given != STREAM_GIVEN) return given;
  if (t->to.tap && !t->to.tap->insn(t->to.tap->ctx, w->cta, w->index, out, &s->err)) return STREAM_ERROR;
  if (t->to.writer) tapped_record_next(t, w, out);
  s->hash = t->in->hash;
  return given;
}

static void tapped_begin(struct stream *s, unsigned cta_slot, uint32_t cta, const uint16_t *slot) {
  struct tapped *t = (struct tapped *)s;
  const uint32_t number = cta * s->stride;
  t->in->ops->cta_begin(t->in, cta_slot, cta, slot);
  for (uint32_t k = 0; k < s->warps_per_cta; k++)
    t->warp[slot[k]] = (struct tapped_warp){.cta = number, .cta_slot = (uint16_t)cta_slot, .index = (uint16_t)k};
  if (t->to.writer) t->cta[cta_slot] = (struct tapped_cta){.rec = trf_cta_begin(t->to.writer, number)};
}

static void tapped_end(struct stream *s, unsigned cta_slot) {
  struct tapped *t = (struct tapped *)s;
  t->in->ops->cta_end(t->in, cta_slot);
  s->hash = t->in->hash;
  if (!t->to.writer || !t->cta[cta_slot].rec) return;
  VEC_PUSH(t->ended, t->nended, t->cended) = t->cta[cta_slot];
  t->cta[cta_slot].rec = NULL;
}

static unsigned tapped_quantum(struct stream *s) {
  struct tapped *t = (struct tapped *)s;
  tapped_give_ended(t);
  if (t->to.writer && trf_failed(t->to.writer)) err_at(&s->err, NULL, 0, 0, "the trace cannot be written");
  return t->in->ops->quantum(t->in);
}

static void tapped_settle(struct stream *s) {
  struct stream *in = ((struct tapped *)s)->in;
  if (in->ops->settle) in->ops->settle(in);
}

static int tapped_landed(struct stream *s, unsigned warp) {
  struct tapped *t = (struct tapped *)s;
  const int got = t->in->ops->landed ? t->in->ops->landed(t->in, warp) : STREAM_FINISHED;
  return got == STREAM_ERROR ? tapped_fail(t) : got;
}

static bool tapped_deadlock(struct stream *s, struct err *e) {
  struct stream *in = ((struct tapped *)s)->in;
  return in->ops->deadlock && in->ops->deadlock(in, e);
}

static void tapped_runaway(struct stream *s, const char *limit) {
  struct tapped *t = (struct tapped *)s;
  if (t->in->ops->runaway) t->in->ops->runaway(t->in, limit);
  tapped_fail(t);
}

static void tapped_free(struct stream *s) {
  struct tapped *t = (struct tapped *)s;
  tapped_give_ended(t);
  for (unsigned k = 0; k < t->room.cta_slots; k++)
    if (t->cta[k].rec) trf_cta_drop(t->to.writer, t->cta[k].rec);
  t->in->ops->free(t->in);
  free(t->warp);
  free(t->cta);
  free(t->ended);
  free(t);
}

static const struct stream_ops tapped_ops = {.next = tapped_next,
                                             .cta_begin = tapped_begin,
                                             .cta_end = tapped_end,
                                             .quantum = tapped_quantum,
                                             .settle = tapped_settle,
                                             .landed = tapped_landed,
                                             .free = tapped_free,
                                             .deadlock = tapped_deadlock,
                                             .runaway = tapped_runaway};

struct stream *stream_tapped(struct stream *in, const struct stream_room *room, const struct tap_to *to) {
  struct tapped *t = xcalloc(1, sizeof *t);
  t->s = *in;
  t->s.ops = &tapped_ops;
  t->in = in;
  t->to = *to;
  t->room = *room;
  t->local_bytes = (to->code->local_bytes + 3) / 4 * 128;
  t->hash = in->hash;
  t->warp = xcalloc(room->warp_slots, sizeof *t->warp);
  t->cta = xcalloc(room->cta_slots, sizeof *t->cta);
  return &t->s;
}
