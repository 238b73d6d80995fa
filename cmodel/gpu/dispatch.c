/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch: see dispatch.h. */
#include "gpu/dispatch.h"

#include <stdlib.h>

#include "base/bits.h"

enum { SPARE = 1, QUEUE = 512 }; /* QUEUE: above what an SM has room for, a power of two */

struct share {              /* of one SM */
  struct cta_source source; /* first: a struct cta_source * is a struct share * */
  struct dispatch *of;
  uint32_t head, index[QUEUE]; /* a ring: the CTAs given and not begun */
};

struct dispatch {
  struct share *share;
  unsigned sms;
  uint32_t ctas, next; /* next: the CTA that is given next */
};

static void give(struct dispatch *d, struct share *s) { s->index[(s->head + s->source.ready++) % QUEUE] = d->next++; }

static uint32_t take(struct cta_source *source) {
  struct share *s = (struct share *)source;
  const uint32_t index = s->index[s->head++ % QUEUE];
  source->ready--;
  if (s->of->sms == 1 && dispatch_left(s->of)) give(s->of, s);
  return index;
}

struct dispatch *dispatch_new(unsigned sms) {
  struct dispatch *d = xcalloc(1, sizeof *d);
  d->sms = sms;
  d->share = xcalloc_lines(sms, sizeof *d->share);
  for (unsigned i = 0; i < sms; i++) d->share[i] = (struct share){.source = {.take = take}, .of = d};
  return d;
}

void dispatch_free(struct dispatch *d) {
  if (!d) return;
  free(d->share);
  free(d);
}

void dispatch_begin(struct dispatch *d, uint32_t ctas) {
  d->ctas = ctas;
  d->next = 0;
  for (unsigned i = 0; i < d->sms; i++) d->share[i].source.ready = d->share[i].head = 0;
}

void dispatch_give(struct dispatch *d, unsigned first, const uint32_t *room) {
  for (bool gave = true; gave;) {
    gave = false;
    for (unsigned k = 0; k < d->sms && dispatch_left(d); k++) {
      const unsigned i = (first + k) % d->sms;
      const uint32_t most = d->sms == 1 ? SPARE : room[i] + SPARE;
      if (d->share[i].source.ready >= (most < QUEUE ? most : QUEUE)) continue;
      give(d, &d->share[i]);
      gave = true;
    }
  }
}

uint32_t dispatch_left(const struct dispatch *d) { return d->ctas - d->next; }
struct cta_source *dispatch_source(struct dispatch *d, unsigned sm) {
  return &d->share[sm].source;
}
