/* SPDX-License-Identifier: Apache-2.0 */
/* saved: a copy of what lies in memory. */
#include <stdlib.h>

#include "exec/warp.h"

struct saved {
  uint32_t end; /* of what is copied */
  uint8_t bytes[];
};

struct saved *memory_save(struct memory *m) {
  const size_t n = m->end > m->first ? m->end - m->first : 0;
  struct saved *s = malloc(sizeof *s + n); /* as large as the user's buffers */
  if (!s) return NULL;
  s->end = m->end;
  if (n) memcpy(s->bytes, image_at(m, m->first), n);
  return s;
}

void memory_restore(struct memory *m, struct saved *s) {
  if (s->end > m->first) memcpy(image_at(m, m->first), s->bytes, s->end - m->first);
  free(s);
}
