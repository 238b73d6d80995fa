/* SPDX-License-Identifier: Apache-2.0 */
/* nvdisasm_names: the names in a file, by scope. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "compiler/ir/nvdisasm_reader.h"

static uint64_t name_hash(const char *text, uint64_t scope, size_t at, size_t n) {
  return fnv1a(fnv1a(FNV_START, &scope, sizeof scope), text + at, n);
}

const struct name *name_find(const struct names *t, const char *text, uint64_t scope, size_t at, size_t n) {
  const uint64_t h = name_hash(text, scope, at, n);
  for (uint64_t step = 0, k; (k = hashtab_next(&t->index, h, &step)) != HASHTAB_NONE;) {
    const struct name *s = &t->item[k];
    if (s->scope == scope && s->n == n && !memcmp(text + s->at, text + at, n)) return s;
  }
  return NULL;
}

bool name_add(struct names *t, const char *text, uint64_t scope, size_t at, size_t n, uint32_t value) {
  if (name_find(t, text, scope, at, n)) return false;
  hashtab_put(&t->index, name_hash(text, scope, at, n), t->n);
  VEC_PUSH(t->item, t->n, t->room) = (struct name){scope, at, n, value};
  return true;
}

void names_free(struct names *t) {
  free(t->item);
  hashtab_free(&t->index);
}
