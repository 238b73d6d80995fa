/* SPDX-License-Identifier: Apache-2.0 */
/* pages: see pages.h. */
#include "trace/accelsim/pages.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/hashtab.h"
#include "trace/stream.h"

enum { SMALL = 12, MOST = (LOCAL_BASE - GLOBAL_BASE) >> SMALL };
#define NO_PAGE UINT64_MAX /* no page of 4 KB has this number */

struct pages {
  uint64_t *page; /* pages of 4 KB; then numbers of the parts, ascending */
  uint32_t n, room;
  struct hashtab seen;             /* pages */
  uint64_t last;                   /* the one that was touched, or mapped, last */
  uint32_t parts, shift, base, at; /* at: place of the last one that was mapped */
};

struct pages *pages_new(void) {
  struct pages *p = xcalloc(1, sizeof *p);
  p->last = NO_PAGE;
  return p;
}

void pages_free(struct pages *p) {
  if (!p) return;
  free(p->page);
  hashtab_free(&p->seen);
  free(p);
}

bool pages_touch(struct pages *p, uint64_t addr) {
  const uint64_t page = addr >> SMALL;
  if (page == p->last) return true;
  p->last = page;
  if (hashtab_add(&p->seen, page, 0)) VEC_PUSH(p->page, p->n, p->room) = page;
  return p->n <= MOST;
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
  uint64_t *const page = p->page;
  const uint32_t n = p->n;
  p->last = NO_PAGE;
  if (!n) return;
  qsort(page, n, sizeof *page, u64_compare);
  if (page[n - 1] < LOCAL_BASE >> SMALL) return;
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
      if (p->page[mid] <= part) from = mid;
      else to = mid;
    }
    p->at = from;
    p->last = part;
  }
  return ((p->base + p->at) << p->shift) + (uint32_t)(addr & ((1u << p->shift) - 1));
}

uint32_t pages_part(const struct pages *p) { return p->shift ? 1u << p->shift : 0; }
uint32_t pages_parts(const struct pages *p) { return p->parts; }
