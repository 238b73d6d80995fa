/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch: see dispatch.h. */
#include "gpu/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { QUEUE = 512 }; /* above what an SM has room for; a power of two */

struct share {              /* of one SM */
  struct cta_source source; /* first: a struct cta_source * is a struct share * */
  struct dispatch *of;
  uint32_t head, index[QUEUE]; /* a ring: the CTAs given and not begun, ascending */
  struct dispatch_room room;   /* when they were given */
  uint32_t given;              /* how many of them then */
  char pad[64];                /* the SM's thread writes it */
};

struct dispatch {
  struct share *share;
  unsigned sms;
  uint32_t ctas, next;   /* next: the first CTA that was never given */
  uint32_t *back, at, n; /* CTAs that have come back, ascending; those from `at` on were not given again */
};

static void dispatch_give_one(struct dispatch *d, struct share *s) {
  const uint32_t cta = d->at < d->n ? d->back[d->at++] : d->next++;
  s->index[(s->head + s->source.ready++) % QUEUE] = cta;
}

static uint32_t dispatch_take_one(struct cta_source *source) {
  struct share *s = (struct share *)source;
  if (!source->ready) die("an SM began a CTA that it was not given");
  const uint32_t index = s->index[s->head++ % QUEUE];
  source->ready--;
  if (s->of->sms == 1 && dispatch_left(s->of)) dispatch_give_one(s->of, s);
  return index;
}

struct dispatch *dispatch_new(unsigned sms) {
  struct dispatch *d = xcalloc(1, sizeof *d);
  d->sms = sms;
  d->share = xcalloc_lines(sms, sizeof *d->share);
  d->back = xcalloc((size_t)(sms + 1) * QUEUE, sizeof *d->back);
  for (unsigned i = 0; i < sms; i++) d->share[i] = (struct share){.source = {.take = dispatch_take_one}, .of = d};
  return d;
}

void dispatch_free(struct dispatch *d) {
  if (!d) return;
  free(d->share);
  free(d->back);
  free(d);
}

void dispatch_begin(struct dispatch *d, uint32_t ctas) {
  d->ctas = ctas;
  d->next = d->at = d->n = 0;
  for (unsigned i = 0; i < d->sms; i++) {
    struct share *s = &d->share[i];
    s->source.ready = s->source.kept = s->head = s->given = 0;
    s->room = (struct dispatch_room){UINT32_MAX, UINT32_MAX};
  }
}

/* Whether anything could be given otherwise than last time. */
static bool dispatch_has_changed(const struct dispatch *d, const struct dispatch_room *room) {
  for (unsigned i = 0; i < d->sms; i++) {
    const struct share *s = &d->share[i];
    if (s->source.ready != s->given || room[i].free != s->room.free || room[i].held != s->room.held) return true;
  }
  return false;
}

static void take_back(struct dispatch *d) {
  d->n -= d->at;
  memmove(d->back, d->back + d->at, d->n * sizeof *d->back);
  d->at = 0;
  for (unsigned i = 0; i < d->sms; i++) {
    struct share *s = &d->share[i];
    const uint32_t kept = s->source.kept < s->source.ready ? s->source.kept : s->source.ready;
    for (uint32_t k = kept; k < s->source.ready; k++) d->back[d->n++] = s->index[(s->head + k) % QUEUE];
    s->source.ready = kept;
  }
  qsort(d->back, d->n, sizeof *d->back, u32_compare);
}

/* The SMs in turn, until each has as many as there is room for. */
static void dispatch_in_turn(struct dispatch *d, unsigned first, const struct dispatch_room *room, bool spares) {
  for (bool gave = true; gave;) {
    gave = false;
    for (unsigned k = 0; k < d->sms && dispatch_left(d); k++) {
      const unsigned i = (first + k) % d->sms;
      const uint32_t most = room[i].free + (spares ? room[i].held : 0);
      if (d->share[i].source.ready >= (most < QUEUE ? most : QUEUE)) continue;
      dispatch_give_one(d, &d->share[i]);
      gave = true;
    }
  }
}

void dispatch_give(struct dispatch *d, unsigned first, const struct dispatch_room *room) {
  if (d->sms == 1) {
    if (!d->share->source.ready && dispatch_left(d)) dispatch_give_one(d, d->share);
    return;
  }
  if (!dispatch_has_changed(d, room)) return;
  take_back(d);
  dispatch_in_turn(d, first, room, false);
  dispatch_in_turn(d, first, room, true);
  for (unsigned i = 0; i < d->sms; i++) {
    d->share[i].room = room[i];
    d->share[i].given = d->share[i].source.ready;
  }
}

uint32_t dispatch_left(const struct dispatch *d) { return d->ctas - d->next + d->n - d->at; }
struct cta_source *dispatch_source(struct dispatch *d, unsigned sm) {
  return &d->share[sm].source;
}
