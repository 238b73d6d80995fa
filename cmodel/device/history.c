/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: see history.h. A counter is packed seven bits a byte, the lowest first; the top bit says that more follow. Zeros are a byte 0
 * and their number, as a counter.
 */
#include "device/history.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = (sizeof(struct sm_stats) + sizeof(struct mem_stats)) / 8, SM_WORDS = sizeof(struct sm_stats) / 8 };
_Static_assert(sizeof(struct sm_stats) % 8 == 0 && sizeof(struct mem_stats) % 8 == 0, "only counters");

static uint8_t *put(uint8_t *to, uint64_t v) {
  for (; v >= 128; v >>= 7) *to++ = (uint8_t)(v | 128);
  *to++ = (uint8_t)v;
  return to;
}

static const uint8_t *get(const uint8_t *from, uint64_t *v) {
  unsigned shift = 0;
  *v = 0;
  for (; *from & 128; shift += 7) *v |= (uint64_t)(*from++ & 127) << shift;
  *v |= (uint64_t)*from++ << shift;
  return from;
}

static uint8_t *packed(const struct device_result *r) {
  uint8_t buf[WORDS * 10], *to = buf;
  uint64_t v[WORDS];
  memcpy(v, &r->sm, sizeof r->sm);
  memcpy(v + SM_WORDS, &r->mem, sizeof r->mem);
  for (unsigned i = 0; i < WORDS;) {
    unsigned zeros = 0;
    while (i + zeros < WORDS && !v[i + zeros]) zeros++;
    to = put(to, v[i]);
    if (zeros) to = put(to, zeros);
    i += zeros ? zeros : 1;
  }
  return memcpy(xmalloc((size_t)(to - buf)), buf, (size_t)(to - buf));
}

void history_counts(const struct history *h, uint32_t i, struct sm_stats *sm, struct mem_stats *mem) {
  const uint8_t *p = h->past[i].counts;
  uint64_t v[WORDS] = {0}, zeros = 1;
  for (uint64_t k = 0; k < WORDS; k += zeros) {
    p = get(p, &v[k]);
    zeros = 1;
    if (!v[k]) p = get(p, &zeros);
  }
  memcpy(sm, v, sizeof *sm);
  memcpy(mem, v + SM_WORDS, sizeof *mem);
}

static char *copy(const char *text) {
  const size_t n = strlen(text) + 1;
  return memcpy(xmalloc(n), text, n);
}

static const char *name_of(struct history *h, const char *name) {
  for (uint32_t i = h->names; i--;)
    if (!strcmp(h->name[i], name)) return h->name[i];
  return VEC_PUSH(h->name, h->names, h->names_cap) = copy(name);
}

void history_add(struct history *h, const char *kernel, const struct device_launch *l, const struct device_result *r,
                 bool stopped, const struct err *failed) {
  struct past *p = &VEC_PUSH(h->past, h->n, h->cap);
  *p = (struct past){.kernel = name_of(h, kernel),
                     .shared_dyn = l->shared_dyn,
                     .timed = r->timed,
                     .stopped = stopped,
                     .cycles = r->cycles,
                     .begin_ns = r->begin_ns,
                     .end_ns = r->end_ns,
                     .counts = packed(r)};
  memcpy(p->grid, l->grid, sizeof p->grid);
  memcpy(p->block, l->block, sizeof p->block);
  if (failed) {
    char text[1200];
    err_format(failed, text, sizeof text);
    p->failed = copy(text);
  }
  h->timed += r->timed;
  counted_add(&h->total, &(struct counted){r->sm, r->mem, r->cycles});
}

void history_free(struct history *h) {
  for (uint32_t i = 0; i < h->n; i++) {
    free(h->past[i].counts);
    free((char *)(uintptr_t)h->past[i].failed);
  }
  for (uint32_t i = 0; i < h->names; i++) free(h->name[i]);
  free(h->past);
  free(h->name);
  *h = (struct history){0};
}
