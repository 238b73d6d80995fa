/* SPDX-License-Identifier: Apache-2.0 */
/* pointers: see pointers.h. Open addressing, at most half full. */
#include "host/cudart/pointers.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

/* The slot of this key, or the free one where it belongs. */
static struct pointer_pair *pointers_slot_of(const struct pointers *p, const void *key) {
  size_t i = (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 20) & (p->slots - 1);
  while (p->slot[i].key && p->slot[i].key != key) i = (i + 1) & (p->slots - 1);
  return &p->slot[i];
}

static void pointers_grow(struct pointers *p) {
  struct pointers old = *p;
  p->slots = old.slots ? 2 * old.slots : 64;
  p->slot = xcalloc(p->slots, sizeof *p->slot);
  for (size_t i = 0; i < old.slots; i++)
    if (old.slot[i].key) *pointers_slot_of(p, old.slot[i].key) = old.slot[i];
  free(old.slot);
}

void pointers_add(struct pointers *p, const void *key, void *value) {
  if (!key) return;
  if (2 * (p->used + 1) > p->slots) pointers_grow(p);
  struct pointer_pair *s = pointers_slot_of(p, key);
  if (s->key) return;
  *s = (struct pointer_pair){key, value};
  p->used++;
}

void *pointers_find(const struct pointers *p, const void *key) {
  return key && p->slots ? pointers_slot_of(p, key)->value : NULL;
}

void pointers_clear(struct pointers *p) {
  free(p->slot);
  *p = (struct pointers){0};
}
