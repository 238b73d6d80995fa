/* SPDX-License-Identifier: Apache-2.0 */
/* bank: a module's constant memory: its variables, and behind them what a launch adds. */
#include <stdlib.h>

#include "exec/warp.h"

enum { BANK_BYTES = 65536 };

/* The module's variables as they are in the file. */
static void bank_add_variables(struct bank *b) {
  const struct module *m = b->module;
  b->fixed = m->const_bytes;
  for (uint32_t i = 0; i < m->nsymbol; i++) {
    const struct symbol *s = &m->symbol[i];
    if (s->space != SP_CONST) continue;
    uint64_t end = (uint64_t)s->addr + s->size;
    if (end > BANK_BYTES) die("constant variable '%s' ends at 0x%llx", s->name, (unsigned long long)end);
    if (end > b->fixed) b->fixed = (uint32_t)end;
    region_add(&b->list, (struct region){.base = s->addr, .size = s->size, .symbol = true, .name = s->name});
  }
  b->end = b->fixed;
}

struct bank *bank_new(const struct module *m) {
  struct bank *b = xcalloc(1, sizeof *b);
  b->module = m;
  b->data = xcalloc_lines(1, BANK_BYTES);
  bank_add_variables(b);
  for (uint32_t i = 0; i < m->nsymbol; i++) {
    const struct symbol *s = &m->symbol[i];
    if (s->space == SP_CONST && s->init && s->size) memcpy(b->data + s->addr, s->init, s->size);
  }
  return b;
}

void bank_free(struct bank *b) {
  if (!b) return;
  region_free(&b->list);
  arena_free(&b->names);
  free(b->data);
  free(b);
}

bool bank_add(struct bank *b, const char *name, uint32_t bytes, uint32_t align, uint32_t *offset) {
  const uint64_t at = ((uint64_t)b->end + align - 1) & ~((uint64_t)align - 1);
  if (at + bytes > BANK_BYTES) return false;
  region_add(&b->list, (struct region){
                           .base = (uint32_t)at, .size = bytes, .name = arena_strndup(&b->names, name, strlen(name))});
  if (bytes) memset(b->data + at, 0, bytes);
  b->end = (uint32_t)(at + bytes);
  *offset = (uint32_t)at;
  return true;
}

void bank_reset(struct bank *b) {
  if (b->end == b->fixed && !b->names.head) return;
  region_free(&b->list);
  arena_free(&b->names);
  bank_add_variables(b);
}

uint8_t *bank_at(struct bank *b, uint32_t offset, uint32_t bytes) {
  return offset <= b->end && bytes <= b->end - offset ? b->data + offset : NULL;
}
