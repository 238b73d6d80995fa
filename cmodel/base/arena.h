/* SPDX-License-Identifier: Apache-2.0 */
/* arena: many small allocations that are freed together. Memory is zeroed and aligned to 16 bytes. */
#ifndef RT_BASE_ARENA_H
#define RT_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
  struct arena_block *head;
}; /* zero-initialise; free with arena_free */

void *arena_alloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_free(struct arena *a); /* everything at once; *a is empty again */

#endif
