/* SPDX-License-Identifier: Apache-2.0 */
/* chunks: see chunks.h. */
#include "host/cudart/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "host/cudart/runtime.h"

static struct {
  struct chunk *v;
  unsigned n, cap, generation;
} chunks;

static void chunks_renew(void) {
  if (chunks.generation == rt_generation()) return;
  for (unsigned i = 0; i < chunks.n; i++)
    if (chunks.v[i].kind == CHUNK_HOST) free((void *)chunks.v[i].at);
  chunks.n = 0;
  chunks.generation = rt_generation();
}

/* How many begin at or below p. */
static unsigned up_to(uintptr_t p) {
  unsigned lo = 0, hi = chunks.n;
  while (lo < hi) {
    unsigned mid = lo + (hi - lo) / 2;
    if (chunks.v[mid].at <= p) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

bool chunk_add(struct chunk b) {
  chunks_renew();
  unsigned i = up_to(b.at);
  if (i && b.at - chunks.v[i - 1].at < chunks.v[i - 1].bytes) return false;
  if (i < chunks.n && chunks.v[i].at - b.at < b.bytes) return false;
  VEC_PUSH(chunks.v, chunks.n, chunks.cap) = b;
  memmove(chunks.v + i + 1, chunks.v + i, (chunks.n - 1 - i) * sizeof b);
  chunks.v[i] = b;
  return true;
}

const struct chunk *chunk_of(const void *p) {
  chunks_renew();
  unsigned i = up_to((uintptr_t)p);
  if (!i || (uintptr_t)p - chunks.v[i - 1].at >= chunks.v[i - 1].bytes) return NULL;
  return &chunks.v[i - 1];
}

const struct chunk *chunk_at(const void *p) {
  const struct chunk *b = chunk_of(p);
  return b && b->at == (uintptr_t)p ? b : NULL;
}

void chunk_drop(const struct chunk *b) {
  unsigned i = (unsigned)(b - chunks.v);
  memmove(chunks.v + i, chunks.v + i + 1, (chunks.n - 1 - i) * sizeof *b);
  chunks.n--;
}
