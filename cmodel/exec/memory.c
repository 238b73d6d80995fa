/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: the memory image of a process: module variables and buffers in one flat space.
 *
 * Buffers are never adjacent: an access past a buffer's end is detected. Of a launch file, they lie one behind the other and the
 * image is as long as what lies in it, so that a host pointer is good until the next memory_alloc. Of a session,
 * the image has all addresses from the start; what is freed can be used again.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/image.h"
#include "exec/warp.h"

enum { BUFFER_ALIGN = 256, IMAGE_STEP = 1 << 20, MAPPED_HIGH = 0x10000000, LARGE = 1 << 16 };

static const char block_name[] = "variables of a module"; /* of a region that memory_block made */

/* ---- the image ---- */

/* Makes the image long enough for the addresses below `end`; false: the host has no memory for it. */
static bool memory_reach(struct memory *m, uint64_t end) {
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

/* The image at host address 0, from `first` on; false: something else is there. */
static bool map_at_zero(struct memory *m, uint32_t first) {
  void *want = host_at(NULL, first);
  void *p = mmap(want, LOCAL_BASE - first, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED) return false;
  if (p != want) { /* a kernel that does not know MAP_FIXED_NOREPLACE */
    munmap(p, LOCAL_BASE - first);
    return false;
  }
  m->mapped = true;
  m->first = first;
  m->bytes = LOCAL_BASE;
  return true;
}

static void memory_unmap(struct memory *m) {
  if (m->mapped) munmap(host_at(NULL, m->first), LOCAL_BASE - m->first);
  else if (image_holds(m->image)) image_pages_free(m->image);
  else if (m->image) munmap(m->image, m->bytes);
}

/* Zeros; of a large part the pages are given back to the host. */
static void memory_clear(struct memory *m, uint32_t at, uint64_t bytes) {
  uint8_t *p = image_at(m, at);
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p, to = from + bytes;
  const uintptr_t lo = (from + page - 1) / page * page, hi = to / page * page;
  if (bytes >= LARGE && !image_on() && lo < hi && !madvise((void *)lo, hi - lo, MADV_DONTNEED)) {
    memset(p, 0, lo - from);
    memset((void *)hi, 0, to - hi);
  } else if (bytes) {
    memset(p, 0, bytes);
  }
}

/* ---- of a launch file ---- */

static uint32_t symbols_end(const struct module *m) {
  uint32_t most = m->global_end > GLOBAL_BASE ? m->global_end : GLOBAL_BASE;
  for (uint32_t i = 0; i < m->nsymbol; i++) {
    const struct symbol *s = &m->symbol[i];
    uint64_t end = (uint64_t)s->addr + s->size;
    if (s->space == SP_CONST) continue;
    if (end > LOCAL_BASE) die("variable '%s' ends at 0x%llx, beyond its space", s->name, (unsigned long long)end);
    if (end > most) most = (uint32_t)end;
  }
  return most;
}

struct memory *memory_new(const struct module *m) {
  struct memory *mem = xcalloc(1, sizeof *mem);
  mem->first = GLOBAL_BASE;
  mem->end = symbols_end(m);
  if (!memory_reach(mem, mem->end)) no_memory(mem->end, 1);
  mem->bank = bank_new(m);
  memory_module(mem, m);
  return mem;
}

void memory_free(struct memory *m) {
  if (!m) return;
  memory_unmap(m);
  bank_free(m->bank);
  region_free(&m->global);
  hashtab_free(&m->warned);
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
  if (!room || bytes > room || !memory_reach(m, end)) return 0;
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
  const struct region *r = region_find(&m->global, addr);
  if (!r) r = region_below(&m->global, addr); /* zero bytes at the end */
  if (!r) return NULL;
  uint32_t off = addr - r->base;
  return off <= r->size && bytes <= r->size - off ? image_at(m, addr) : NULL;
}

uint8_t *memory_const(struct memory *m) { return m->bank->data; }

/* ---- of a session ---- */

struct memory *memory_open(const struct memory_options *o) {
  static const struct module none = {.global_end = GLOBAL_BASE};
  struct memory *m = xcalloc(1, sizeof *m);
  m->lenient = o->lenient;
  m->first = GLOBAL_BASE;
  if (!o->mapped || !(map_at_zero(m, GLOBAL_BASE) || map_at_zero(m, MAPPED_HIGH))) memory_reach(m, LOCAL_BASE);
  m->end = m->first;
  m->bank = bank_new(&none);
  return m;
}

bool memory_mapped(const struct memory *m) { return m->mapped; }

static uint64_t memory_cost(uint64_t bytes) {
  return (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN + BUFFER_ALIGN;
}

static uint32_t memory_place(struct memory *m, uint64_t bytes, uint32_t align, const char *name) {
  uint32_t base = region_room(&m->global, m->first, LOCAL_BASE, bytes, align);
  uint64_t end = base + bytes;
  if (!base || !memory_reach(m, end)) return 0;
  region_add(&m->global, (struct region){.base = base, .size = (uint32_t)bytes, .name = name});
  if (base < m->end || m->lenient || m->mapped) memory_clear(m, base, bytes);
  if (end > m->end) m->end = (uint32_t)end;
  m->used += memory_cost(bytes);
  return base;
}

uint32_t memory_buffer(struct memory *m, uint64_t bytes, uint32_t align) { return memory_place(m, bytes, align, NULL); }

uint32_t memory_block(struct memory *m, uint64_t bytes, uint32_t align) {
  return memory_place(m, bytes, align, block_name);
}

bool memory_release(struct memory *m, uint32_t addr) {
  const struct region *r = region_below(&m->global, addr);
  if (!r || r->base != addr || (r->name && r->name != block_name)) return false;
  const uint32_t bytes = r->size;
  region_remove(&m->global, addr, r->name);
  m->used -= memory_cost(bytes);
  if (bytes >= LARGE) memory_clear(m, addr, bytes);
  return true;
}

void memory_module(struct memory *m, const struct module *module) {
  if (module->global_base) memory_release(m, module->global_base);
  for (uint32_t i = 0; i < module->nsymbol; i++) {
    const struct symbol *s = &module->symbol[i];
    if (s->space == SP_CONST) continue;
    region_add(&m->global, (struct region){.base = s->addr, .size = s->size, .symbol = true, .name = s->name});
    m->used += memory_cost(s->size);
    if (s->init && s->size) memcpy(image_at(m, s->addr), s->init, s->size);
  }
}

void memory_drop_module(struct memory *m, const struct module *module) {
  for (uint32_t i = 0; i < module->nsymbol; i++) {
    const struct symbol *s = &module->symbol[i];
    if (s->space != SP_CONST && region_remove(&m->global, s->addr, s->name)) m->used -= memory_cost(s->size);
  }
}

uint64_t memory_total(const struct memory *m) { return LOCAL_BASE - m->first; }

uint64_t memory_unused(const struct memory *m) {
  const uint64_t total = memory_total(m);
  return m->used < total ? total - m->used : 0;
}

bool memory_span(const struct memory *m, uint32_t addr, uint32_t *base, uint32_t *size, bool *symbol) {
  const struct region *r = region_find(&m->global, addr);
  if (!r) r = region_below(&m->global, addr);
  if (!r || (addr - r->base >= r->size && (r->size || addr != r->base))) return false;
  if (base) *base = r->base;
  if (size) *size = r->size;
  if (symbol) *symbol = r->symbol || r->name == block_name;
  return true;
}

void memory_warn(struct memory *m, const struct code *c, const struct err *e) {
  const size_t n = strlen(c->name);
  if (hashtab_find_text(&m->warned, c->name, n)) return;
  hashtab_put_text(&m->warned, arena_strndup(&m->names, c->name, n));
  warn("%s:%d:%d: %s", e->file, e->line, e->col, e->text);
}
