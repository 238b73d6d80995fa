/* SPDX-License-Identifier: Apache-2.0 */
/* memory: buffers of a session. */
#include <stdlib.h>
#include <string.h>

#include "device/session.h"

bool space_open(struct device *d, bool mapped, struct err *e) {
  static const struct module none;
  (void)mapped, (void)e;
  d->mem = memory_new(&none);
  return true;
}

void space_close(struct device *d) {
  memory_free(d->mem);
  free(d->buffer);
}

bool device_is_mapped(const struct device *d) { return (void)d, false; }

static uint64_t in_use(const struct device *d) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < d->buffers; i++) n += d->buffer[i].bytes;
  return n;
}

uint64_t device_memory_total(const struct device *d) { return memory_room(d->mem, 0) + in_use(d); }
uint64_t device_memory_free(const struct device *d) { return memory_room(d->mem, 0); }

enum device_status device_alloc(struct device *d, uint64_t bytes, uint32_t align, uint32_t *addr, struct err *e) {
  *addr = 0;
  if (align & (align - 1))
    return err_at(e, NULL, 0, 0, "found an alignment of %u, expected a power of two", align), DEVICE_BAD_VALUE;
  const uint64_t room = memory_room(d->mem, 0);
  if (bytes > room || !(*addr = memory_alloc(d->mem, "buffer", (uint32_t)bytes)))
    return err_at(e, NULL, 0, 0,
                  "found a buffer of %llu bytes, expected at most %llu, what is left of the device's memory",
                  (unsigned long long)bytes, (unsigned long long)room),
           DEVICE_NO_MEMORY;
  VEC_PUSH(d->buffer, d->buffers, d->buffers_cap) = (struct buffer){*addr, (uint32_t)bytes};
  return DEVICE_OK;
}

static struct buffer *buffer_at(const struct device *d, uint64_t addr) {
  for (uint32_t i = 0; i < d->buffers; i++)
    if (addr >= d->buffer[i].addr && addr - d->buffer[i].addr <= d->buffer[i].bytes) return &d->buffer[i];
  return NULL;
}

enum device_status device_free(struct device *d, uint32_t addr, struct err *e) {
  struct buffer *b = buffer_at(d, addr);
  if (!b || b->addr != addr)
    return err_at(e, NULL, 0, 0, "found the address 0x%x, expected that of a buffer", addr), DEVICE_BAD_VALUE;
  *b = d->buffer[--d->buffers];
  return DEVICE_OK;
}

uint8_t *device_at(struct device *d, uint64_t addr, uint64_t bytes) {
  const struct buffer *b = buffer_at(d, addr);
  if (!b || bytes > b->bytes - (addr - b->addr)) return NULL;
  return memory_at(d->mem, (uint32_t)addr, (uint32_t)bytes);
}

bool device_span(const struct device *d, uint64_t addr, uint32_t *base, uint32_t *bytes) {
  const struct buffer *b = buffer_at(d, addr);
  if (!b || addr - b->addr >= b->bytes) return false;
  *base = b->addr;
  *bytes = b->bytes;
  return true;
}
