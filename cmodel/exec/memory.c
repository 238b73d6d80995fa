/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: the memory image of a process: module variables and buffers in one flat space, the constant bank.
 * The image is as long as what lies in it, so a host pointer is good until the next memory_alloc.
 * Buffers are never adjacent: an access past a buffer's end is detected.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/image.h"
#include "exec/warp.h"

enum { BANK_BYTES = 65536, BUFFER_ALIGN = 256, IMAGE_STEP = 1 << 20 };

static void region_add(struct region_list *l, struct region r) {
  VEC_PUSH(l->at, l->n, l->cap) = r;
  uint32_t i = l->n - 1;
  for (; i && l->at[i - 1].base > r.base; i--) l->at[i] = l->at[i - 1];
  l->at[i] = r;
}

/* Index of the last region with base <= a, or -1. */
static int64_t region_below(const struct region_list *l, uint64_t a) {
  uint32_t lo = 0, hi = l->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (l->at[mid].base <= a) lo = mid + 1;
    else hi = mid;
  }
  return (int64_t)lo - 1;
}

const struct region *region_find(const struct region_list *l, uint32_t a) {
  int64_t i = region_below(l, a);
  /* an empty variable may share its neighbour's address */
  while (i > 0 && !l->at[i].size && l->at[i - 1].base == l->at[i].base) i--;
  return i >= 0 && a - l->at[i].base < l->at[i].size ? &l->at[i] : NULL;
}

const struct region *region_reads(const struct region_list *l, uint32_t a) {
  int64_t i = region_below(l, a);
  const struct region *r = region_find(l, a);
  if (r) return r;
  if (i >= 0 && a - l->at[i].base < (uint64_t)l->at[i].size + l->at[i].pad) return &l->at[i];
  r = (uint32_t)(i + 1) < l->n ? &l->at[i + 1] : NULL;
  return r && r->base - a <= r->pad ? r : NULL;
}

const struct region *region_near(const struct region_list *l, uint64_t a) {
  int64_t i = region_below(l, a);
  if (i < 0) return l->n ? &l->at[0] : NULL;
  const struct region *r = &l->at[i];
  uint64_t end = (uint64_t)r->base + r->size;
  if (a < end || (uint32_t)i + 1 == l->n) return r;
  return a - end <= r[1].base - a ? r : &r[1];
}

/* Makes the image long enough for the addresses below `end`; false: the host has no memory for it. */
static bool reach(struct memory *m, uint64_t end) {
  size_t want = (end + IMAGE_STEP - 1) / IMAGE_STEP * IMAGE_STEP;
  if (want <= m->bytes) return true;
  if (image_on() && !m->image && !(m->image = image_pages(LOCAL_BASE))) return false; /* it never moves */
  void *p = image_on() ? m->image
            : m->image ? mremap(m->image, m->bytes, want, MREMAP_MAYMOVE)
                       : mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
  m->image = p;
  m->bytes = want;
  return true;
}

static uint32_t symbols_end(const struct module *m) {
  uint32_t most = m->global_end > GLOBAL_BASE ? m->global_end : GLOBAL_BASE;
  for (uint32_t i = 0; i < m->nsymbol; i++) {
    const struct symbol *s = &m->symbol[i];
    bool constant = s->space == SP_CONST;
    uint64_t end = (uint64_t)s->addr + s->size, limit = constant ? BANK_BYTES : LOCAL_BASE;
    if (end > limit) die("variable '%s' ends at 0x%llx, beyond its space", s->name, (unsigned long long)end);
    if (!constant && end > most) most = (uint32_t)end;
  }
  return most;
}

struct memory *memory_new(const struct module *m) {
  struct memory *mem = xcalloc(1, sizeof *mem);
  mem->end = symbols_end(m);
  if (!reach(mem, mem->end)) no_memory(mem->end, 1);
  mem->bank = xcalloc_lines(1, BANK_BYTES);
  for (uint32_t i = 0; i < m->nsymbol; i++) {
    const struct symbol *s = &m->symbol[i];
    bool constant = s->space == SP_CONST;
    region_add(constant ? &mem->constant : &mem->global,
               (struct region){.base = s->addr, .size = s->size, .symbol = true, .name = s->name});
    if (s->init && s->size) memcpy((constant ? mem->bank : mem->image) + s->addr, s->init, s->size);
  }
  return mem;
}

void memory_free(struct memory *m) {
  if (!m) return;
  if (image_holds(m->image)) image_pages_free(m->image);
  else munmap(m->image, m->bytes);
  free(m->bank);
  free(m->global.at);
  free(m->constant.at);
  arena_free(&m->names);
  free(m);
}

uint64_t memory_room(const struct memory *m, uint64_t pad) {
  /* a gap of at least BUFFER_ALIGN bytes before every buffer but the first */
  uint64_t base = ((uint64_t)m->end + pad + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
  if (m->end > GLOBAL_BASE || m->global.n) base += BUFFER_ALIGN;
  return base + pad < LOCAL_BASE ? LOCAL_BASE - pad - base : 0;
}

uint32_t memory_alloc_padded(struct memory *m, const char *name, uint32_t bytes, uint32_t pad) {
  uint64_t room = memory_room(m, pad), base = LOCAL_BASE - pad - room, end = base + bytes + pad;
  if (!room || bytes > room || !reach(m, end)) return 0;
  region_add(
      &m->global,
      (struct region){
          .base = (uint32_t)base, .size = bytes, .pad = pad, .name = arena_strndup(&m->names, name, strlen(name))});
  m->end = (uint32_t)end;
  return (uint32_t)base;
}

uint32_t memory_alloc(struct memory *m, const char *name, uint32_t bytes) {
  return memory_alloc_padded(m, name, bytes, 0);
}

uint8_t *memory_at(struct memory *m, uint32_t addr, uint32_t bytes) {
  int64_t i = region_below(&m->global, addr);
  if (i < 0) return NULL;
  const struct region *r = region_find(&m->global, addr);
  if (!r) r = &m->global.at[i]; /* zero bytes at the end */
  uint32_t off = addr - r->base;
  return off <= r->size && bytes <= r->size - off ? m->image + addr : NULL;
}

uint8_t *memory_const(struct memory *m) { return m->bank; }
