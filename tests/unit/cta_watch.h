/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that observe every instruction of a launch as it is executed. */
#ifndef RT_TEST_CTA_WATCH_H
#define RT_TEST_CTA_WATCH_H

#include "exec/exec.h"

enum { LANES = 32, WARPS = 32, TURN = 4096 /* instructions: a warp may wait in a loop for another one */ };

struct watcher {
  void (*begin)(void *ctx, uint32_t warps); /* a CTA */
  /* An instruction, before its values are looked at; false: it is enough. */
  bool (*given)(void *ctx, const struct code *c, const struct warp_inst *inst);
  /* What it wrote is there (inst_val), of an atomic too; or NULL. */
  void (*written)(void *ctx, const struct code *c, const struct stream *s, const struct warp_inst *inst);
};

/* One CTA, its warps in turn; when all have had one, atomics are performed, and arrivals that wait for copies. */
static bool watch_cta(const struct watcher *h, void *ctx, struct stream *s, uint32_t cta, const struct code *c,
                      struct err *e) {
  uint16_t slot[WARPS];
  bool over[WARPS] = {false}, waits[WARPS] = {false};
  struct warp_inst inst[WARPS];
  for (uint32_t w = 0; w < s->warps_per_cta; w++) slot[w] = (uint16_t)w;
  h->begin(ctx, s->warps_per_cta);
  s->ops->cta_begin(s, 0, cta, slot);
  for (uint32_t left = s->warps_per_cta; left;) {
    bool moved = false;
    for (uint32_t w = 0; w < s->warps_per_cta; w++)
      for (unsigned n = 0; n < TURN && !over[w] && !waits[w] && s->ops->next(s, w, &inst[w]) == STREAM_GIVEN; n++) {
        moved = true;
        if (!h->given(ctx, c, &inst[w])) return err_at(e, c->file, 0, 0, "it takes too long");
        if (inst[w].flags & W_ATOMIC) waits[w] = true;
        else if (h->written) h->written(ctx, c, s, &inst[w]);
        if (!(inst[w].flags & W_EXIT)) continue;
        over[w] = true;
        left--;
      }
    moved |= s->ops->quantum(s) > 0;
    for (uint32_t w = 0; w < s->warps_per_cta; w++)
      while (s->ops->landed && s->ops->landed(s, w) == STREAM_GIVEN) moved = true;
    for (uint32_t w = 0; w < s->warps_per_cta; w++) {
      if (waits[w] && h->written) h->written(ctx, c, s, &inst[w]);
      waits[w] = false;
    }
    if (s->err.set) return *e = s->err, false;
    if (!moved) return err_at(e, c->file, 0, 0, "CTA %u does not move", cta);
  }
  s->ops->cta_end(s, 0);
  return true;
}

/* All of them, one after the other. */
static bool watch_launch(const struct watcher *h, void *ctx, const struct launch *l, struct err *e) {
  struct exec_limits lim = {.warp_slots = WARPS, .cta_slots = 1, .values = h->written != NULL};
  struct stream *s = stream_functional(l, &lim, e);
  if (!s) return false;
  bool ok = true;
  for (uint32_t cta = 0; ok && cta < s->ctas; cta++) ok = watch_cta(h, ctx, s, cta, l->code, e);
  s->ops->free(s);
  return ok;
}

#endif
