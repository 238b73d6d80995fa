/* SPDX-License-Identifier: Apache-2.0 */
/* locality: see locality.h. One hash table per window; its cost is proportional to the reads. */
#include "lab/kernels/locality.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hashtab.h"

struct entry {
  uint32_t line, load; /* load NONE: the line itself, `count` is how many loads read it */
  uint32_t count;
};
enum { NONE = 0xffffffffu };

struct locality_probe {
  struct locality *out;
  uint64_t end;        /* of the window; 0: none yet */
  struct entry *entry; /* of this window, in order of arrival */
  uint32_t n, cap;
  struct hashtab index; /* of entries, by line << 32 | load */
  uint64_t accesses[LOCALITY_LOADS], lines[LOCALITY_LOADS], reused[LOCALITY_LOADS];
  uint64_t closed; /* windows closed because another one began */
};

struct locality_probe *locality_new(struct locality *out) {
  struct locality_probe *p = xcalloc(1, sizeof *p);
  memset(out, 0, sizeof *out);
  p->out = out;
  return p;
}

static struct entry *locality_find_entry(struct locality_probe *p, uint32_t line, uint32_t load) {
  const uint64_t key = (uint64_t)line << 32 | load, k = hashtab_find(&p->index, key);
  if (k != HASHTAB_NONE) return &p->entry[k];
  hashtab_put(&p->index, key, p->n);
  VEC_PUSH(p->entry, p->n, p->cap) = (struct entry){line, load, 0};
  return &p->entry[p->n - 1];
}

static bool locality_streams(const struct locality_probe *p, uint32_t k) {
  return p->accesses[k] && p->lines[k] * 100 > p->accesses[k] * 95;
}

/* The four loads with most accesses that do not stream; the first of equals. */
static unsigned locality_top(const struct locality_probe *p, uint32_t out[LOCALITY_TOP]) {
  unsigned n = 0;
  for (uint32_t k = 0; k < LOCALITY_LOADS; k++) {
    if (!p->accesses[k] || locality_streams(p, k)) continue;
    unsigned at = n;
    while (at && p->accesses[out[at - 1]] < p->accesses[k]) at--;
    if (at == LOCALITY_TOP) continue;
    if (n < LOCALITY_TOP) n++;
    for (unsigned i = n - 1; i > at; i--) out[i] = out[i - 1];
    out[at] = k;
  }
  return n;
}

static void locality_count(struct locality_probe *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    const struct entry *e = &p->entry[k];
    if (e->load == NONE) continue;
    p->accesses[e->load] += e->count;
    p->lines[e->load]++;
    p->reused[e->load] += e->count > 1;
  }
}

static void close_window(struct locality_probe *p, bool counts) {
  struct locality *o = p->out;
  uint32_t best[LOCALITY_TOP];
  bool chosen[LOCALITY_LOADS] = {false};
  locality_count(p);
  unsigned n = locality_top(p, best);
  for (unsigned i = 0; i < n; i++) chosen[best[i]] = true;
  for (uint32_t k = 0; k < LOCALITY_LOADS; k++) {
    if (!p->accesses[k]) continue;
    struct locality_load *l = &o->load[k];
    l->accesses += p->accesses[k];
    l->misses += p->lines[k];
    l->reused += p->reused[k];
    l->windows++;
    if (!counts) continue;
    o->loads++;
    o->streaming += locality_streams(p, k);
    o->stream_lines += locality_streams(p, k) ? p->lines[k] : 0;
    o->reused_lines += chosen[k] ? p->reused[k] : 0;
  }
  uint32_t last = p->n;
  for (uint32_t k = 0; counts && k < last; k++) {
    const struct entry e = p->entry[k];
    if (e.load != NONE && chosen[e.load] && e.count > 1)
      o->private_lines += locality_find_entry(p, e.line, NONE)->count == 1;
  }
  o->windows += counts;
  memset(p->accesses, 0, sizeof p->accesses);
  memset(p->lines, 0, sizeof p->lines);
  memset(p->reused, 0, sizeof p->reused);
  hashtab_clear(&p->index);
  p->n = 0;
}

void locality_read(struct locality_probe *p, uint64_t cycle, uint32_t load, uint32_t line) {
  if (!p->end) p->end = cycle + LOCALITY_WINDOW;
  if (cycle >= p->end) {
    close_window(p, true);
    p->closed++;
    p->end += (cycle - p->end) / LOCALITY_WINDOW * LOCALITY_WINDOW + LOCALITY_WINDOW;
  }
  if (!locality_find_entry(p, line, load)->count++) locality_find_entry(p, line, NONE)->count++;
}

void locality_end(struct locality_probe *p) {
  if (p->n) close_window(p, !p->closed);
  free(p->entry), hashtab_free(&p->index), free(p);
}
