/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_stream: a launch of a trace as a stream. The trace has what was executed; what a warp has to wait for follows here
 * from the rules of execution (exec/): branches, barriers, atomics on global memory, and accesses behind a red that is
 * queued, or that came to a barrier with another warp.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trf/trf_codec.h"

enum { ROW = 32, BARRIERS = 16 };

struct replay_warp {
  struct trf_cta *from;
  struct trf_step held;                       /* of an access that waits: it was read already */
  bool is_held, running, atomic, red, queued; /* queued: an atomic of it waits for the quantum */
  uint16_t cta, index;
  uint32_t apos, vpos; /* next rows of the rings */
};
struct replay_barrier {
  uint32_t waiting, arrived; /* warps, bits */
  uint32_t arrivals, need;   /* need 0: all that have not exited */
  bool red;
};
struct replay_cta {
  struct trf_cta *from;
  uint32_t exited;
  uint16_t slot[TRF_WARPS];
  struct replay_barrier bar[BARRIERS];
};
struct replay {
  struct stream s; /* first */
  struct trf *t;
  const struct launch_index *in;
  uint32_t launch, stride, local_words;
  uint64_t local_base;
  struct stream_room room;
  struct replay_warp *warp;
  struct replay_cta *cta;
  uint32_t *addr_ring, *val_ring;
  uint16_t *queue; /* warp slots of atomics since the last quantum */
  uint32_t nqueue, cqueue;
  bool red_spread;
  uint32_t (*val)[ROW]; /* of one instruction */
  uint32_t texel[TEX_ROWS][ROW];
};

static uint32_t all_warps(const struct replay *x) {
  return x->s.warps_per_cta >= 32 ? UINT32_MAX : (1u << x->s.warps_per_cta) - 1;
}

static uint32_t replay_live_warps(const struct replay *x, const struct replay_cta *c) {
  return (uint32_t)bit_count32(all_warps(x) & ~c->exited);
}

/* ---- barriers ---- */

static void open_if_complete(struct replay *x, struct replay_cta *c, struct replay_barrier *b) {
  if (!b->arrivals) return;
  if (b->need ? b->arrivals < b->need : (b->arrived | c->exited) != all_warps(x)) return;
  for (uint32_t rest = b->waiting; b->red && rest; rest &= rest - 1) x->warp[c->slot[bit_low32(rest)]].red = true;
  x->red_spread |= b->red;
  *b = (struct replay_barrier){0};
}

static void replay_arrive(struct replay *x, struct replay_warp *w, const struct trf_step *s, bool waits,
                          struct warp_inst *out) {
  struct replay_cta *c = &x->cta[w->cta];
  struct replay_barrier *b = &c->bar[s->barrier];
  if (!b->arrivals) *b = (struct replay_barrier){.need = s->warps};
  b->arrivals++;
  b->arrived |= 1u << w->index;
  b->red |= w->red;
  if (waits) b->waiting |= 1u << w->index;
  out->flags |= W_BARRIER;
  out->mem = (uint32_t)s->barrier | (s->warps ? s->warps : replay_live_warps(x, c)) * 32 << 16 | (waits ? 0 : 1u << 31);
  open_if_complete(x, c, b);
}

static void replay_exit_warp(struct replay *x, struct replay_warp *w) {
  struct replay_cta *c = &x->cta[w->cta];
  c->exited |= 1u << w->index;
  w->running = false;
  for (unsigned k = 0; k < BARRIERS; k++) open_if_complete(x, c, &c->bar[k]);
}

/* ---- rows ---- */

static uint32_t *address_row(const struct replay *x, unsigned slot, uint32_t pos) {
  return x->addr_ring + ((uint64_t)slot * ADDR_RING + pos % ADDR_RING) * ROW;
}

static void give_rows(struct replay *x, unsigned slot, const struct trf_step *s, struct warp_inst *out) {
  struct replay_warp *w = &x->warp[slot];
  if (s->rows == 2) { /* the shared side of a copy comes before the other */
    uint32_t row[ROW];
    memcpy(row, s->to, sizeof row);
    memcpy(s->to, s->addr, sizeof row);
    memcpy(s->addr, row, sizeof row);
  }
  if (s->space == SP_TEX) {
    out->mem = s->tex | (w->apos % ADDR_RING + 1);
    out->flags |= SP_TEX << 4;
    for (unsigned k = 0; k < tex_rows(s->tex); k++)
      memcpy(address_row(x, slot, w->apos + k), x->texel[k], sizeof *x->texel);
    w->apos += tex_rows(s->tex);
    return;
  }
  w->apos += s->rows;
  out->mem = (w->apos - 1) % ADDR_RING + 1;
  out->flags |= (uint8_t)(s->space << 4);
  if (s->space == SP_LOCAL) {
    const uint32_t base = (uint32_t)(x->local_base + slot * x->local_words * 128);
    for (unsigned l = 0; l < ROW; l++) s->addr[l] += base;
  }
}

/* Values of a step that was read go to the next rows of the ring; they are given with it. */
static void keep_values(struct replay *x, unsigned slot, const struct trf_step *s) {
  const struct replay_warp *w = &x->warp[slot];
  for (unsigned k = 0; x->room.values && k < s->nval; k++)
    memcpy(x->val_ring + ((uint64_t)slot * VAL_RING + (w->vpos + k) % VAL_RING) * ROW, x->val[k], sizeof *x->val);
}

static void give_values(struct replay *x, unsigned slot, const struct form *f, struct warp_inst *out) {
  struct replay_warp *w = &x->warp[slot];
  if (!x->room.values || !f->nval) return;
  out->val = (uint16_t)(w->vpos + 1);
  out->nval = f->nval;
  w->vpos = (w->vpos + f->nval) % VAL_RING;
}

/* ---- the stream ---- */

static void replay_queue_atomic(struct replay *x, unsigned slot, const struct form *f, struct warp_inst *out) {
  struct replay_warp *w = &x->warp[slot];
  VEC_PUSH(x->queue, x->nqueue, x->cqueue) = (uint16_t)slot;
  w->queued = true;
  if (f->flags & F_RESULT) {
    out->flags |= W_ATOMIC;
    w->atomic = true;
  } else {
    w->red = true;
  }
}

static int replay_next(struct stream *st, unsigned slot, struct warp_inst *out) {
  struct replay *x = (struct replay *)st;
  struct replay_warp *w = &x->warp[slot];
  struct trf_step *s = &w->held;
  if (!w->running) return STREAM_FINISHED;
  if (st->err.set) return STREAM_ERROR;
  if (w->atomic) return STREAM_WAIT;
  if (!w->is_held) {
    s->addr = address_row(x, slot, w->apos);
    s->to = address_row(x, slot, w->apos + 1);
    s->val = x->val;
    s->texel = x->texel;
    if (trf_next(w->from, w->index, s, &st->err) != STREAM_GIVEN) return STREAM_ERROR;
    keep_values(x, slot, s);
  }
  const struct form *f = &x->in->form[s->op];
  w->is_held = w->red && f->flags & F_RED && s->lanes;
  if (w->is_held) return STREAM_WAIT;
  *out = (struct warp_inst){.op = s->op,
                            .next = s->next,
                            .active = s->active,
                            .lanes = s->lanes,
                            .seq = s->seq,
                            .warp = (uint16_t)slot,
                            .flags = f->flags & F_BRANCH ? W_BRANCH : 0};
  if (s->rows) give_rows(x, slot, s, out);
  else if (s->space == SP_TEX) out->flags |= SP_TEX << 4;
  if (s->barrier >= 0) replay_arrive(x, w, s, !(f->flags & F_ARRIVE), out);
  if (s->rows && f->flags & F_ATOMIC && s->space == SP_GLOBAL) replay_queue_atomic(x, slot, f, out);
  give_values(x, slot, f, out);
  if (s->last) {
    out->flags |= W_EXIT;
    replay_exit_warp(x, w);
  }
  return STREAM_GIVEN;
}

static void replay_begin(struct stream *s, unsigned cta_slot, uint32_t cta, const uint16_t *slot) {
  struct replay *x = (struct replay *)s;
  struct replay_cta *c = &x->cta[cta_slot];
  *c =
      (struct replay_cta){.from = trf_cta_open(x->t, x->launch, trf_cta_at(x->t, x->launch, cta * x->stride), &s->err)};
  for (uint32_t k = 0; k < s->warps_per_cta; k++) {
    struct replay_warp *w = &x->warp[slot[k]];
    c->slot[k] = slot[k];
    *w = (struct replay_warp){.from = c->from, .cta = (uint16_t)cta_slot, .index = (uint16_t)k, .running = true};
  }
}

static void replay_end(struct stream *s, unsigned cta_slot) {
  struct replay *x = (struct replay *)s;
  struct replay_cta *c = &x->cta[cta_slot];
  if (!c->from) return;
  s->hash += trf_cta_hash(c->from);
  for (uint32_t k = 0; k < s->warps_per_cta; k++) x->warp[c->slot[k]] = (struct replay_warp){0};
  trf_cta_close(c->from);
  c->from = NULL;
}

static unsigned replay_quantum(struct stream *s) {
  struct replay *x = (struct replay *)s;
  const unsigned n = x->nqueue;
  for (unsigned k = 0; k < n; k++) {
    struct replay_warp *w = &x->warp[x->queue[k]];
    if (!w->queued) continue; /* of a CTA that has ended */
    w->queued = w->red = w->atomic = false;
  }
  for (unsigned k = 0; x->red_spread && k < x->room.warp_slots; k++) x->warp[k].red = false;
  x->red_spread = false;
  x->nqueue = 0;
  return n;
}

static bool replay_deadlock(struct stream *s, struct err *e) {
  const struct replay *x = (const struct replay *)s;
  for (unsigned c = 0; c < x->room.cta_slots; c++)
    for (unsigned b = 0; x->cta[c].from && b < BARRIERS; b++)
      if (x->cta[c].bar[b].waiting) {
        err_at(e, trf_path(x->t), 0, 0,
               "launch %" PRIu32 ": found a barrier (%u) at which %u warps have arrived and which does not open",
               x->launch, b, x->cta[c].bar[b].arrivals);
        return true;
      }
  return false;
}

static void replay_runaway(struct stream *s, const char *limit) {
  const struct replay *x = (const struct replay *)s;
  err_at(&s->err, trf_path(x->t), 0, 0, "launch %" PRIu32 ": found %s", x->launch,
         limit ? limit : "more warp instructions than sim.max_insns allows");
}

static void replay_free(struct stream *s) {
  struct replay *x = (struct replay *)s;
  for (unsigned k = 0; k < x->room.cta_slots; k++) trf_cta_close(x->cta[k].from);
  free(x->warp);
  free(x->cta);
  free(x->addr_ring);
  free(x->val_ring);
  free(x->queue);
  free(x->val);
  free(x);
}

static const struct stream_ops replay_ops = {.next = replay_next,
                                             .cta_begin = replay_begin,
                                             .cta_end = replay_end,
                                             .quantum = replay_quantum,
                                             .free = replay_free,
                                             .deadlock = replay_deadlock,
                                             .runaway = replay_runaway};

static bool replay_fits(const struct trf *t, const struct launch_index *in, const struct stream_room *room,
                        struct err *e) {
  const unsigned sms = room->sms ? room->sms : 1;
  const uint32_t stride = room->stride ? room->stride : in->is.stride;
  if (!in->is.ctas) return err_at(e, trf_path(t), 0, 0, "found a launch without a whole CTA, expected one at least");
  if (sms > 1 && stride < in->is.stride)
    return err_at(e, trf_path(t), 0, 0,
                  "found %u SMs, which time all CTAs, but one CTA of %" PRIu32
                  " was recorded, expected a trace of all of them (--sms or --set sm.cta_stride=1 when it is recorded)",
                  sms, in->is.stride);
  if (stride % in->is.stride || (stride != in->is.stride && !trf_whole(t)))
    return err_at(e, trf_path(t), 0, 0,
                  "found one CTA of %" PRIu32 " (sm.cta_stride), but it was recorded with one of %" PRIu32
                  ", expected a multiple of that, of a whole trace",
                  stride, in->is.stride);
  if ((uint64_t)in->is.local_words * 128 * room->warp_slots * sms > CODE_BASE - LOCAL_BASE)
    return err_at(e, trf_path(t), 0, 0,
                  "found %" PRIu32 " words of local memory per thread, expected fewer with %u resident warps",
                  in->is.local_words, room->warp_slots * sms);
  return true;
}

struct stream *trf_stream(struct trf *t, uint32_t launch, const struct code *code, const struct stream_room *room,
                          struct err *e) {
  const struct launch_index *in = trf_index(t, launch);
  if (!replay_fits(t, in, room, e)) return NULL;
  struct replay *x = xcalloc(1, sizeof *x);
  struct stream *s = &x->s;
  *x = (struct replay){.t = t, .in = in, .launch = launch, .room = *room, .local_words = in->is.local_words};
  s->ops = &replay_ops;
  s->op = code->op;
  s->nop = code->n;
  s->threads_per_cta = in->is.block[0] * in->is.block[1] * in->is.block[2];
  s->warps_per_cta = (s->threads_per_cta + 31) / 32;
  s->regs = in->is.regs;
  s->shared_bytes = in->is.shared_bytes;
  s->stride = room->stride ? room->stride : in->is.stride;
  x->stride = s->stride / in->is.stride;
  s->ctas = (in->is.ctas - 1) / x->stride + 1;
  x->local_base = LOCAL_BASE + (uint64_t)room->sm * room->warp_slots * x->local_words * 128;
  x->warp = xcalloc(room->warp_slots, sizeof *x->warp);
  x->cta = xcalloc(room->cta_slots, sizeof *x->cta);
  x->val = xcalloc(4, sizeof *x->val);
  s->addr_ring = x->addr_ring = xcalloc_lines((size_t)room->warp_slots * ADDR_RING, ROW * sizeof *x->addr_ring);
  if (room->values)
    s->val_ring = x->val_ring = xcalloc_lines((size_t)room->warp_slots * VAL_RING, ROW * sizeof *x->val_ring);
  return s;
}
