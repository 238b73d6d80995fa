/* SPDX-License-Identifier: Apache-2.0 */
/* memory: buffers of a session, in exec/'s image. */
#include "host/session/session.h"

bool device_is_mapped(const struct device *d) { return memory_mapped(d->mem); }
uint64_t device_memory_total(const struct device *d) { return memory_total(d->mem); }
uint64_t device_memory_free(const struct device *d) { return memory_unused(d->mem); }

enum device_status device_alloc(struct device *d, uint64_t bytes, uint32_t align, uint32_t *addr, struct err *e) {
  *addr = 0;
  if (align & (align - 1))
    return err_at(e, NULL, 0, 0, "found an alignment of %u bytes, expected a power of two", align), DEVICE_BAD_VALUE;
  if ((*addr = memory_buffer(d->mem, bytes, align < 256 ? 256 : align))) return DEVICE_OK;
  const unsigned long long left = memory_unused(d->mem), all = memory_total(d->mem);
  err_at(e, NULL, 0, 0,
         "found a buffer of %llu bytes, expected one that fits beside the others: %llu of the device's %llu bytes are "
         "free%s",
         (unsigned long long)bytes, left, all, bytes <= left ? ", in several parts" : "");
  return DEVICE_NO_MEMORY;
}

enum device_status device_free(struct device *d, uint32_t addr, struct err *e) {
  if (memory_release(d->mem, addr)) return DEVICE_OK;
  return err_at(e, NULL, 0, 0, "found the device address 0x%x, expected one at which a buffer begins", addr),
         DEVICE_BAD_VALUE;
}

uint8_t *device_at(struct device *d, uint64_t addr, uint64_t bytes) {
  if (addr > UINT32_MAX || bytes > UINT32_MAX) return NULL;
  return memory_at(d->mem, (uint32_t)addr, (uint32_t)bytes);
}

bool device_span(const struct device *d, uint64_t addr, uint32_t *base, uint32_t *bytes) {
  return addr <= UINT32_MAX && memory_span(d->mem, (uint32_t)addr, base, bytes, NULL);
}
