/* SPDX-License-Identifier: Apache-2.0 */
/* timed: see timed.h. */
#include "lab/run/timed.h"

#include <stdlib.h>

#include "base/bits.h"
#include "lab/run/record.h"
#include "lab/run/tapped.h"

static struct stream *timed_make_stream(const struct gpu *g, unsigned sm, const struct launch *l, struct all_sms *all,
                                        struct err *e) {
  const struct stream_room room = gpu_room(g, sm);
  const struct tap_to to = {
      .tap = l->trace ? l->tap : NULL, .writer = l->record ? recording_writer(l->record) : NULL, .code = l->code};
  const struct exec_limits limits = {.warp_slots = room.warp_slots,
                                     .cta_slots = room.cta_slots,
                                     .values = room.values,
                                     .sm = room.sm,
                                     .sms = room.sms,
                                     .all = all,
                                     .stride = room.stride ? room.stride : l->stride};
  struct stream *s =
      l->trace ? trf_stream(l->trace, l->trace_launch, l->code, &room, e) : stream_functional(l, &limits, e);
  return s && (to.tap || to.writer) ? stream_tapped(s, &room, &to) : s;
}

static struct kernel timed_kernel_of(const struct launch *l) {
  if (!l->trace) return launch_kernel(l);
  return (struct kernel){
      .code = l->code, .code_base = trf_launch(l->trace, l->trace_launch)->code_base, .most_insns = l->most_insns};
}

struct timed {
  struct gpu *g;
  const struct launch *l;
  struct stream **stream; /* of each SM */
  struct all_sms *all;    /* of several SMs */
  uint64_t before;        /* warp instructions of earlier launches */
  bool begun;
};

static bool timed_make_streams(struct timed *t, struct err *e) {
  const unsigned sms = gpu_sms(t->g);
  t->stream = xcalloc(sms, sizeof *t->stream);
  t->all = sms > 1 ? all_sms_new(sms) : NULL;
  for (unsigned i = 0; i < sms; i++)
    if (!(t->stream[i] = timed_make_stream(t->g, i, t->l, t->all, e))) return false;
  /* those that an execution would have executed between the others */
  if (t->l->trace && t->l->untimed && trf_whole(t->l->trace))
    *t->l->untimed += (uint64_t)t->l->grid[0] * t->l->grid[1] * t->l->grid[2] - t->stream[0]->ctas;
  return true;
}

struct timed *timed_begin(struct gpu *g, const struct launch *l, struct err *e) {
  struct timed *t = xcalloc(1, sizeof *t);
  t->g = g;
  t->l = l;
  t->before = gpu_insns(g);
  const struct kernel k = timed_kernel_of(l);
  if (timed_make_streams(t, e)) {
    if (l->record) recording_launch(l->record, l, t->stream[0], k.code_base);
    t->begun = true;
    if (gpu_begin(g, t->stream, &k, e)) return t;
  }
  timed_end(t);
  return NULL;
}

bool timed_go(struct timed *t, const struct gpu_progress *p, struct err *e) {
  while (gpu_step(t->g, p, e)) {
  }
  return gpu_end(t->g, e);
}

void timed_end(struct timed *t) {
  if (!t) return;
  if (t->begun && t->l->ran) *t->l->ran += gpu_insns(t->g) - t->before;
  for (unsigned i = 0; i < gpu_sms(t->g); i++)
    if (t->stream[i]) t->stream[i]->ops->free(t->stream[i]);
  if (t->begun && t->l->record) recording_launch_end(t->l->record);
  free(t->stream);
  all_sms_free(t->all);
  free(t);
}

bool timed_launch(struct gpu *g, const struct launch *l, const struct gpu_progress *p, struct err *e) {
  struct timed *t = timed_begin(g, l, e);
  const bool ok = t && timed_go(t, p, e);
  timed_end(t);
  return ok;
}
