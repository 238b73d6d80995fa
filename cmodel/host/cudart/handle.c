/* SPDX-License-Identifier: Apache-2.0 */
/* handle: see handle.h. */
#include "host/cudart/handle.h"

#include <stdlib.h>

#include "base/err.h"
#include "host/cudart/runtime.h"

struct handle_place {
  void *object;          /* NULL: free */
  uint32_t count, spare; /* spare: as in struct handles, the next free place */
};

enum { PLACE_SHIFT = 8, COUNT_SHIFT = 32, PLACES = 1 << 24 };

static void handle_free(const struct handles *h, void *object) {
  if (h->release) h->release(object);
  free(object);
}

static void handles_forget(struct handles *h) {
  for (uint32_t i = 0; i < h->n; i++)
    if (h->place[i].object) {
      handle_free(h, h->place[i].object);
      h->place[i] = (struct handle_place){.count = h->place[i].count, .spare = h->spare};
      h->spare = i + 1;
    }
}

static void handles_renew(struct handles *h) {
  if (h->generation != rt_generation()) handles_forget(h);
  h->generation = rt_generation();
}

void *handle_new(struct handles *h, void *object) {
  handles_renew(h);
  uint32_t i = h->spare ? h->spare - 1 : h->n;
  if (i == PLACES - 1) return NULL;
  if (h->spare) h->spare = h->place[i].spare;
  else VEC_PUSH(h->place, h->n, h->cap) = (struct handle_place){0};
  struct handle_place *p = &h->place[i];
  p->object = object;
  p->count++;
  return (void *)((uintptr_t)p->count << COUNT_SHIFT | (uintptr_t)(i + 1) << PLACE_SHIFT | h->tag);
}

static struct handle_place *handle_find(struct handles *h, const void *handle) {
  handles_renew(h);
  uintptr_t v = (uintptr_t)handle;
  uint32_t i = (uint32_t)(v >> PLACE_SHIFT & (PLACES - 1));
  if ((v & 0xff) != h->tag || !i || i > h->n) return NULL;
  struct handle_place *p = &h->place[i - 1];
  return p->object && p->count == v >> COUNT_SHIFT ? p : NULL;
}

void *handle_get(struct handles *h, const void *handle) {
  struct handle_place *p = handle_find(h, handle);
  return p ? p->object : NULL;
}

void handle_drop(struct handles *h, const void *handle) {
  struct handle_place *p = handle_find(h, handle);
  if (!p) return;
  handle_free(h, p->object);
  *p = (struct handle_place){.count = p->count, .spare = h->spare};
  h->spare = (uint32_t)(p - h->place) + 1;
}
