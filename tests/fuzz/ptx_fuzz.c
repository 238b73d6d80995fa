/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as PTX: parsed, lowered and allocated, or packed if their number is odd; or refused with a message. The last
 * byte picks a forced register count, so that spilling is reached too. Every other pair of lengths is a module of a session
 * (ptx_parse_at), whose variables there is room for, or not. */
#include <stdlib.h>

#include "compiler/narrow/packing.h"
#include "compiler/regalloc/regalloc.h"
#include "compiler/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool some_place(void *ctx, uint64_t bytes, uint32_t align, uint32_t *base) {
  (void)ctx;
  *base = align;
  return bytes < 1 << 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  const struct ptx_place place = {some_place, NULL};
  struct err e = {0};
  uint32_t regs = n && data[n - 1] < 64 ? data[n - 1] : 0;
  struct module *m = n & 2 ? ptx_parse_at("fuzz.ptx", (const char *)data, n, &place, &e)
                           : ptx_parse("fuzz.ptx", (const char *)data, n, &e);
  if ((m != NULL) == e.set || (!m && !e.text[0])) abort();
  const struct narrowing how = {.ints = true, .split = true};
  for (uint32_t i = 0; m && i < m->nkernel; i++) {
    struct err alloc = {0};
    struct code *c = &m->kernel[i];
    if ((n & 1 ? pack_kernel(m, c, &how, &alloc) : alloc_kernel(m, c, regs, &alloc)) == alloc.set) abort();
  }
  module_free(m);
  return 0;
}
