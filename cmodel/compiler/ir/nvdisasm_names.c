/* SPDX-License-Identifier: Apache-2.0 */
/* nvdisasm_names: a hash table of the names in a file, by scope. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/nvdisasm_reader.h"

static struct name *names_find_slot(const struct names *t, const char *text, uint64_t scope, size_t at, size_t n) {
  const uint64_t h = fnv1a(fnv1a(FNV_START, &scope, sizeof scope), text + at, n);
  for (uint32_t k = (uint32_t)(h ^ h >> 32) & (t->room - 1);; k = (k + 1) & (t->room - 1)) {
    struct name *s = &t->slot[k];
    if (!s->used || (s->scope == scope && s->n == n && !memcmp(text + s->at, text + at, n))) return s;
  }
}

const struct name *name_find(const struct names *t, const char *text, uint64_t scope, size_t at, size_t n) {
  const struct name *s = t->room ? names_find_slot(t, text, scope, at, n) : NULL;
  return s && s->used ? s : NULL;
}

static void names_grow(struct names *t, const char *text) {
  struct names to = {.room = t->room ? 2 * t->room : 64, .n = t->n};
  to.slot = xcalloc(to.room, sizeof *to.slot);
  for (uint32_t k = 0; k < t->room; k++) {
    const struct name *s = &t->slot[k];
    if (s->used) *names_find_slot(&to, text, s->scope, s->at, s->n) = *s;
  }
  free(t->slot);
  *t = to;
}

bool name_add(struct names *t, const char *text, uint64_t scope, size_t at, size_t n, uint32_t value) {
  if (2 * (t->n + 1) > t->room) names_grow(t, text);
  struct name *s = names_find_slot(t, text, scope, at, n);
  if (s->used) return false;
  *s = (struct name){scope, at, n, value, true};
  t->n++;
  return true;
}
