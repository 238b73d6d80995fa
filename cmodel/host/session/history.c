/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: see history.h. A launch is packed as a list of words, the kernel's number and then what it counted. A word
 * takes seven bits a byte, the lowest first; the top bit says that more follow. Zeros are a byte 0 and their number, as
 * a word.
 */
#include "host/session/history.h"

#include <stdlib.h>
#include <string.h>

enum {
  KERNEL,
  GRID,
  BLOCK = GRID + 3,
  SHARED = BLOCK + 3,
  FLAGS, /* 1: timed, 2: stopped */
  PAUSE, /* ns, since the launch before ended */
  TIME,  /* ns */
  COUNTS,
  WORDS = COUNTS + sizeof(struct counted) / 8,
  WORD_BYTES = 10,
  PAGE_BYTES = 1 << 16
};
_Static_assert(sizeof(struct counted) == sizeof(struct sm_stats) + sizeof(struct mem_stats) + 8, "only counters");
_Static_assert(WORDS *WORD_BYTES <= PAGE_BYTES, "a page has room for every launch");

struct history_page {
  struct history_page *next;
  uint32_t used;
  uint8_t data[PAGE_BYTES];
};

static uint8_t *history_put_word(uint8_t *to, uint64_t v) {
  for (; v >= 128; v >>= 7) *to++ = (uint8_t)(v | 128);
  *to++ = (uint8_t)v;
  return to;
}

static const uint8_t *history_get_word(const uint8_t *from, uint64_t *v) {
  unsigned shift = 0;
  *v = 0;
  for (; *from & 128; shift += 7) *v |= (uint64_t)(*from++ & 127) << shift;
  *v |= (uint64_t)*from++ << shift;
  return from;
}

static uint8_t *history_pack(uint8_t *to, const uint64_t v[WORDS]) {
  for (unsigned i = 0; i < WORDS;) {
    unsigned zeros = 0;
    while (i + zeros < WORDS && !v[i + zeros]) zeros++;
    to = history_put_word(to, v[i]);
    if (zeros) to = history_put_word(to, zeros);
    i += zeros ? zeros : 1;
  }
  return to;
}

static const uint8_t *history_unpack(const uint8_t *from, uint64_t v[WORDS]) {
  uint64_t zeros = 1;
  memset(v, 0, WORDS * sizeof *v);
  for (uint64_t k = 0; k < WORDS; k += zeros) {
    from = history_get_word(from, &v[k]);
    zeros = 1;
    if (!v[k]) from = history_get_word(from, &zeros);
  }
  return from;
}

static char *history_copy_name(const char *text) {
  const size_t n = strlen(text) + 1;
  return memcpy(xmalloc(n), text, n);
}

static uint32_t history_kernel_index(struct history *h, const char *name) {
  for (uint32_t i = h->names; i--;)
    if (!strcmp(h->name[i], name)) return i;
  VEC_PUSH(h->name, h->names, h->names_cap) = history_copy_name(name);
  return h->names - 1;
}

static struct history_page *page_with_room(struct history *h) {
  struct history_page *p = h->last;
  if (p && PAGE_BYTES - p->used >= WORDS * WORD_BYTES) return p;
  p = xmalloc(sizeof *p);
  p->next = NULL;
  p->used = 0;
  if (h->last) h->last->next = p;
  else h->first = p;
  return h->last = p;
}

static void history_keep(struct history *h, const char *kernel, const struct device_launch *l,
                         const struct device_result *r, bool stopped, const struct counted *counts) {
  struct history_page *p = page_with_room(h);
  uint64_t v[WORDS] = {[KERNEL] = history_kernel_index(h, kernel),
                       [SHARED] = l->shared_dyn,
                       [FLAGS] = r->timed | (unsigned)stopped << 1,
                       [PAUSE] = r->begin_ns - h->end_ns,
                       [TIME] = r->end_ns - r->begin_ns};
  for (unsigned i = 0; i < 3; i++) v[GRID + i] = l->grid[i], v[BLOCK + i] = l->block[i];
  memcpy(v + COUNTS, counts, sizeof *counts);
  p->used = (uint32_t)(history_pack(p->data + p->used, v) - p->data);
  h->end_ns = r->end_ns;
}

void history_add(struct history *h, const char *kernel, const struct device_launch *l, const struct device_result *r,
                 bool stopped, const struct err *failed) {
  const struct counted counts = {r->sm, r->mem, r->cycles};
  h->n++;
  h->timed += r->timed;
  counted_add(&h->total, &counts);
  if (h->keeps) history_keep(h, kernel, l, r, stopped, &counts);
  if (!failed) return;
  char text[1200];
  err_format(failed, text, sizeof text);
  h->failed = history_copy_name(text);
}

bool history_next(const struct history *h, struct history_at *at, struct past *out) {
  uint64_t v[WORDS];
  if (!at->page) at->page = h->first;
  if (at->page && at->byte == at->page->used) at->page = at->page->next, at->byte = 0;
  if (!at->page || at->launch == h->n) return false;
  at->byte = (uint32_t)(history_unpack(at->page->data + at->byte, v) - at->page->data);
  at->launch++;
  *out = (struct past){.kernel = h->name[v[KERNEL]],
                       .shared_dyn = (uint32_t)v[SHARED],
                       .timed = v[FLAGS] & 1,
                       .stopped = v[FLAGS] & 2,
                       .begin_ns = at->end_ns + v[PAUSE],
                       .failed = at->launch == h->n ? h->failed : NULL};
  at->end_ns = out->end_ns = out->begin_ns + v[TIME];
  for (unsigned i = 0; i < 3; i++) out->grid[i] = (uint32_t)v[GRID + i], out->block[i] = (uint32_t)v[BLOCK + i];
  memcpy(&out->counts, v + COUNTS, sizeof out->counts);
  return true;
}

void history_free(struct history *h) {
  while (h->first) {
    struct history_page *p = h->first;
    h->first = p->next;
    free(p);
  }
  for (uint32_t i = 0; i < h->names; i++) free(h->name[i]);
  free(h->name);
  free(h->failed);
  *h = (struct history){0};
}
