/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region: the allocations of a memory image or constant bank, sorted by address. They lie in chunks of a few hundred, so that
 * with many thousands of buffers one can still be added, removed and found in little time; of each chunk is known how
 * large a buffer fits behind one of its regions.
 */
#include <stdlib.h>

#include "exec/warp.h"

enum { CHUNK = 256, GAP = 256 /* buffers are aligned to it, and so far apart at least */, SYMBOL_TAIL = 16 };

struct region_chunk {
  uint32_t n;
  int64_t room; /* bytes of the largest buffer aligned to GAP that fits behind one of them; -1: none */
  struct region at[CHUNK];
};

struct spot {
  uint32_t chunk, i;
};

/* ---- order ---- */

/* The last region with base <= a; false: there is none. */
static bool region_spot_below(const struct region_list *l, uint64_t a, struct spot *s) {
  uint32_t lo = 0, hi = l->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (l->chunk[mid]->at[0].base <= a) lo = mid + 1;
    else hi = mid;
  }
  if (!lo) return false;
  const struct region_chunk *c = l->chunk[s->chunk = lo - 1];
  lo = 1;
  hi = c->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (c->at[mid].base <= a) lo = mid + 1;
    else hi = mid;
  }
  s->i = lo - 1;
  return true;
}

static const struct region *region_of(const struct region_list *l, struct spot s) {
  return &l->chunk[s.chunk]->at[s.i];
}

static const struct region *region_after(const struct region_list *l, struct spot s) {
  if (s.i + 1 < l->chunk[s.chunk]->n) return &l->chunk[s.chunk]->at[s.i + 1];
  return s.chunk + 1 < l->n ? &l->chunk[s.chunk + 1]->at[0] : NULL;
}

static bool region_back(const struct region_list *l, struct spot *s) {
  if (!s->i && !s->chunk) return false;
  if (!s->i) s->i = l->chunk[--s->chunk]->n;
  s->i--;
  return true;
}

static const struct region *region_first(const struct region_list *l) { return l->n ? &l->chunk[0]->at[0] : NULL; }

const struct region *region_below(const struct region_list *l, uint64_t a) {
  struct spot s;
  return region_spot_below(l, a, &s) ? region_of(l, s) : NULL;
}

const struct region *region_find(const struct region_list *l, uint32_t a) {
  struct spot s;
  if (!region_spot_below(l, a, &s)) return NULL;
  const struct region *r = region_of(l, s);
  if (a - r->base < r->size) return r;
  /* an empty variable may share its neighbour's address */
  for (uint32_t base = r->base; !r->size && region_back(l, &s) && region_of(l, s)->base == base;) r = region_of(l, s);
  return a - r->base < r->size ? r : NULL;
}

const struct region *region_reads(const struct region_list *l, uint32_t a) {
  const struct region *r = region_find(l, a);
  if (r) return r;
  struct spot s;
  const bool some = region_spot_below(l, a, &s);
  if (some && a - region_of(l, s)->base < (uint64_t)region_of(l, s)->size + region_of(l, s)->pad)
    return region_of(l, s);
  r = some ? region_after(l, s) : region_first(l);
  return r && r->base - a <= r->pad ? r : NULL;
}

const struct region *region_near(const struct region_list *l, uint64_t a) {
  struct spot s;
  if (!region_spot_below(l, a, &s)) return region_first(l);
  const struct region *r = region_of(l, s), *next = region_after(l, s);
  uint64_t end = (uint64_t)r->base + r->size;
  if (a < end || !next) return r;
  return a - end <= next->base - a ? r : next;
}

/* ---- room ---- */

static uint64_t region_align_up(uint64_t a, uint64_t align) { return (a + align - 1) & ~(align - 1); }

/* Where a buffer may begin behind r. */
static uint64_t begin_behind(const struct region *r) {
  return region_align_up((uint64_t)r->base + r->size + r->pad + (r->symbol ? SYMBOL_TAIL : 0), GAP) + GAP;
}
/* Where one must end before r. */
static int64_t end_before(const struct region *r) { return ((int64_t)r->base - r->pad) / GAP * GAP - GAP; }

static void region_measure_chunk(const struct region_list *l, uint32_t chunk) {
  struct region_chunk *c = l->chunk[chunk];
  c->room = -1;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct region *next = region_after(l, (struct spot){chunk, i});
    const int64_t room = (next ? end_before(next) : INT64_MAX / 2) - (int64_t)begin_behind(&c->at[i]);
    if (room > c->room) c->room = room;
  }
}

uint32_t region_room(const struct region_list *l, uint32_t from, uint32_t end, uint64_t bytes, uint32_t align) {
  if (align < GAP) align = GAP;
  uint64_t at = region_align_up(from, align);
  if (bytes > end) return 0;
  const struct region *next = region_first(l);
  if ((int64_t)(at + bytes) <= (next ? end_before(next) : (int64_t)end)) return (uint32_t)at;
  if (!next) return 0;
  for (uint32_t c = 0; c < l->n; c++) {
    if (l->chunk[c]->room < (int64_t)bytes) continue;
    for (uint32_t i = 0; i < l->chunk[c]->n; i++) {
      next = region_after(l, (struct spot){c, i});
      at = region_align_up(begin_behind(&l->chunk[c]->at[i]), align);
      if (at >= from && (int64_t)(at + bytes) <= (next ? end_before(next) : (int64_t)end)) return (uint32_t)at;
      if (!next) return 0; /* it was the last one */
    }
  }
  return 0;
}

/* ---- changes ---- */

static void region_measure_around(const struct region_list *l, uint32_t chunk) {
  if (chunk < l->n) region_measure_chunk(l, chunk);
  if (chunk) region_measure_chunk(l, chunk - 1);
}

static void region_insert_chunk(struct region_list *l, uint32_t at) {
  if (l->n == l->cap) {
    l->cap = l->cap ? 2 * l->cap : 4;
    l->chunk = xrealloc(l->chunk, l->cap * sizeof *l->chunk);
  }
  memmove(l->chunk + at + 1, l->chunk + at, (l->n - at) * sizeof *l->chunk);
  l->chunk[at] = xcalloc(1, sizeof **l->chunk);
  l->n++;
}

/* The upper half goes to a chunk of its own. */
static void region_split_chunk(struct region_list *l, uint32_t at) {
  region_insert_chunk(l, at + 1);
  struct region_chunk *c = l->chunk[at], *d = l->chunk[at + 1];
  d->n = CHUNK / 2;
  c->n = CHUNK - d->n;
  memcpy(d->at, c->at + c->n, d->n * sizeof *d->at);
}

void region_add(struct region_list *l, struct region r) {
  struct spot s = {0, UINT32_MAX};
  if (!l->n) region_insert_chunk(l, 0);
  else region_spot_below(l, r.base, &s);
  uint32_t at = s.chunk, i = s.i + 1;
  if (l->chunk[at]->n == CHUNK && i == CHUNK && at + 1 == l->n) { /* buffers mostly come in order: full chunks then */
    region_insert_chunk(l, ++at);
    i = 0;
  } else if (l->chunk[at]->n == CHUNK) {
    region_split_chunk(l, at);
    region_measure_chunk(l, at + 1);
    if (i > l->chunk[at]->n) i -= l->chunk[at++]->n;
  }
  struct region_chunk *c = l->chunk[at];
  memmove(c->at + i + 1, c->at + i, (c->n - i) * sizeof *c->at);
  c->at[i] = r;
  c->n++;
  region_measure_around(l, at);
}

bool region_remove(struct region_list *l, uint32_t base, const char *name) {
  struct spot s;
  if (!region_spot_below(l, base, &s)) return false;
  while (region_of(l, s)->name != name || region_of(l, s)->base != base)
    if (region_of(l, s)->base != base || !region_back(l, &s)) return false;
  struct region_chunk *c = l->chunk[s.chunk];
  c->n--;
  memmove(c->at + s.i, c->at + s.i + 1, (c->n - s.i) * sizeof *c->at);
  if (!c->n) {
    free(c);
    l->n--;
    memmove(l->chunk + s.chunk, l->chunk + s.chunk + 1, (l->n - s.chunk) * sizeof *l->chunk);
  }
  region_measure_around(l, s.chunk);
  return true;
}

void region_free(struct region_list *l) {
  for (uint32_t k = 0; k < l->n; k++) free(l->chunk[k]);
  free(l->chunk);
  *l = (struct region_list){0};
}
