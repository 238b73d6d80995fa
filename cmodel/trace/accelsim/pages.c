/* SPDX-License-Identifier: Apache-2.0 */
/* pages: see pages.h. */
#include "trace/accelsim/pages.h"

#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"

enum { SMALL = 12, MOST = (LOCAL_BASE - GLOBAL_BASE) >> SMALL };
#define NO_PAGE UINT64_MAX /* no page of 4 KB has this number */

struct pages {
  uint64_t *slot; /* pages of 4 KB, by open addressing */
  uint32_t room, n;
  uint64_t last;                   /* the one that was touched, or mapped, last */
  uint64_t *part;                  /* numbers of the parts, ascending */
  uint32_t parts, shift, base, at; /* at: place of the last one that was mapped */
};

struct pages *pages_new(void) {
  struct pages *p = xcalloc(1, sizeof *p);
  p->last = NO_PAGE;
  return p;
}

void pages_free(struct pages *p) {
  if (!p) return;
  free(p->slot);
  free(p->part);
  free(p);
}

static bool pages_put(struct pages *p, uint64_t page) {
  uint32_t k = (uint32_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (p->room - 1);
  while (p->slot[k] != NO_PAGE && p->slot[k] != page) k = (k + 1) & (p->room - 1);
  if (p->slot[k] == page) return false;
  p->slot[k] = page;
  return true;
}

static void pages_grow(struct pages *p) {
  uint64_t *old = p->slot;
  const uint32_t room = p->room;
  p->room = room ? 2 * room : 1024;
  p->slot = xmalloc(p->room * sizeof *p->slot);
  memset(p->slot, 0xff, p->room * sizeof *p->slot);
  for (uint32_t k = 0; k < room; k++)
    if (old[k] != NO_PAGE) pages_put(p, old[k]);
  free(old);
}

bool pages_touch(struct pages *p, uint64_t addr) {
  const uint64_t page = addr >> SMALL;
  if (page == p->last) return true;
  p->last = page;
  if (2 * p->n >= p->room) pages_grow(p);
  p->n += pages_put(p, page);
  return p->n <= MOST;
}

static int page_ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* How many parts of 2^shift bytes there are; they are written over the sorted pages if `keep`. */
static uint32_t parts_of(uint64_t *page, uint32_t n, uint32_t shift, bool keep) {
  uint32_t parts = 0;
  uint64_t last = NO_PAGE;
  for (uint32_t k = 0; k < n; k++) {
    const uint64_t part = page[k] >> (shift - SMALL);
    if (part == last) continue;
    last = part;
    if (keep) page[parts] = part;
    parts++;
  }
  return parts;
}

void pages_place(struct pages *p) {
  static const uint32_t shifts[] = {21, 16, SMALL};
  uint64_t *page = xmalloc((p->n + 1) * sizeof *page);
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->room; k++)
    if (p->slot[k] != NO_PAGE) page[n++] = p->slot[k];
  qsort(page, n, sizeof *page, page_ascending);
  p->last = NO_PAGE;
  p->part = page;
  if (!n || page[n - 1] < LOCAL_BASE >> SMALL) return;
  for (unsigned k = 0; k < sizeof shifts / sizeof *shifts; k++) {
    p->shift = shifts[k];
    p->base = ((GLOBAL_BASE - 1) >> p->shift) + 1;
    if (parts_of(page, n, p->shift, false) <= (LOCAL_BASE >> p->shift) - p->base) break;
  }
  p->parts = parts_of(page, n, p->shift, true);
}

uint32_t pages_map(struct pages *p, uint64_t addr) {
  if (!p->shift) return (uint32_t)addr;
  const uint64_t part = addr >> p->shift;
  if (part != p->last) {
    uint32_t from = 0, to = p->parts;
    while (to - from > 1) {
      const uint32_t mid = from + (to - from) / 2;
      if (p->part[mid] <= part) from = mid;
      else to = mid;
    }
    p->at = from;
    p->last = part;
  }
  return ((p->base + p->at) << p->shift) + (uint32_t)(addr & ((1u << p->shift) - 1));
}

uint32_t pages_part(const struct pages *p) { return p->shift ? 1u << p->shift : 0; }
uint32_t pages_parts(const struct pages *p) { return p->parts; }
