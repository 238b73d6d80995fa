/* SPDX-License-Identifier: Apache-2.0 */
/* hashtab: see hashtab.h. */
#include "base/hashtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/err.h"

/* The slot to look at after `step` others. Each bit of a key changes the upper bits of the product. */
static struct hashtab_slot *hashtab_slot_at(const struct hashtab *t, uint64_t key, uint64_t step) {
  return &t->slot[((key * 0x9e3779b97f4a7c15ull >> (__builtin_clzll(t->room) + 1)) + step) & (t->room - 1)];
}

uint64_t hashtab_next(const struct hashtab *t, uint64_t key, uint64_t *at) {
  while (t->room) {
    const struct hashtab_slot *s = hashtab_slot_at(t, key, (*at)++);
    if (s->value == HASHTAB_NONE || s->key == key) return s->value;
  }
  return HASHTAB_NONE;
}

uint64_t hashtab_find(const struct hashtab *t, uint64_t key) { return hashtab_next(t, key, &(uint64_t){0}); }

static void hashtab_grow(struct hashtab *t) {
  const struct hashtab old = *t;
  t->room = old.room ? 2 * old.room : 64;
  t->slot = xmalloc(t->room * sizeof *t->slot);
  hashtab_clear(t);
  for (uint64_t k = 0; k < old.room; k++)
    if (old.slot[k].value != HASHTAB_NONE) hashtab_put(t, old.slot[k].key, old.slot[k].value);
  free(old.slot);
}

void hashtab_put(struct hashtab *t, uint64_t key, uint64_t value) {
  if (2 * t->n >= t->room) hashtab_grow(t);
  uint64_t k = 0;
  while (hashtab_slot_at(t, key, k)->value != HASHTAB_NONE) k++;
  *hashtab_slot_at(t, key, k) = (struct hashtab_slot){key, value};
  t->n++;
}

bool hashtab_add(struct hashtab *t, uint64_t key, uint64_t value) {
  if (hashtab_find(t, key) != HASHTAB_NONE) return false;
  hashtab_put(t, key, value);
  return true;
}

void hashtab_put_text(struct hashtab *t, const char *text) {
  hashtab_put(t, fnv1a(FNV_START, text, strlen(text)), (uintptr_t)text);
}

const char *hashtab_find_text(const struct hashtab *t, const char *s, size_t n) {
  const uint64_t key = fnv1a(FNV_START, s, n);
  for (uint64_t step = 0, v; (v = hashtab_next(t, key, &step)) != HASHTAB_NONE;) {
    const char *text = (const char *)(uintptr_t)v;
    if (strlen(text) == n && !memcmp(text, s, n)) return text;
  }
  return NULL;
}

void hashtab_clear(struct hashtab *t) {
  if (t->room) memset(t->slot, 0xff, t->room * sizeof *t->slot);
  t->n = 0;
}

void hashtab_free(struct hashtab *t) {
  free(t->slot);
  *t = (struct hashtab){0};
}
