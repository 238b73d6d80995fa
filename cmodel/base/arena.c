/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { BLOCK = 64 * 1024 };

struct arena_block {
  struct arena_block *next;
  size_t used, size;
  _Alignas(16) unsigned char data[];
};

void *arena_alloc(struct arena *a, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (!a->head || a->head->size - a->head->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    struct arena_block *b = xcalloc(1, sizeof *b + room);
    b->size = room;
    b->next = a->head;
    a->head = b;
  }
  void *p = a->head->data + a->head->used;
  a->head->used += size;
  return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n) {
  char *p = arena_alloc(a, n + 1);
  memcpy(p, s, n);
  return p;
}

void arena_free(struct arena *a) {
  while (a->head) {
    struct arena_block *next = a->head->next;
    free(a->head);
    a->head = next;
  }
}
