/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: the allocator; see image.h. Blocks are multiples of 64 bytes, with a header of 16 bytes before the address that is
 * given out; freed ones wait in a list per size. The allocator's own state is the image's first page, so that it is saved
 * with the rest; locks are not.
 */
#include "base/image.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/image_heap.h"

enum { UNIT = 64, HEAD = 16, LARGE = 1 << 16 };

struct head {
  uint32_t class;
  uint32_t used; /* IMAGE_USED, or 0 */
  uint64_t size; /* that was asked for */
};
_Static_assert(sizeof(struct head) == HEAD, "the header fills the gap before a line");
_Static_assert(sizeof(struct image_heap) <= IMAGE_PAGE, "it is the first page");

static struct image_heap *heap; /* NULL: off */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool image_on(void) { return heap; }
struct image_heap *image_heap(void) {
  return heap;
}
static struct head *image_head_of(void *p) { return (struct head *)((char *)p - HEAD); }

/* ---- sizes ---- */

/* Classes 0 to 15 are 1 to 16 units; then four to a power of two. */
static uint32_t image_class_of(size_t size) {
  size_t n = (size + HEAD + UNIT - 1) / UNIT;
  if (n <= 16) return n ? (uint32_t)n - 1 : 0;
  const unsigned log = 63 - (unsigned)__builtin_clzll(n - 1), step = log - 2; /* 2^log <= n - 1 < 2^(log+1) */
  return 16 + (log - 4) * 4 + (uint32_t)(((n - 1) >> step) & 3);
}

static size_t class_units(uint32_t class) {
  if (class < 16) return class + 1;
  const unsigned log = (class - 16) / 4 + 4, part = (class - 16) % 4;
  return ((size_t)1 << log) + ((size_t)(part + 1) << (log - 2));
}

static size_t room_of(uint32_t class) { return class_units(class) * UNIT - HEAD; }

/* ---- blocks ---- */

static char *page_up(char *p) { return (char *)(((uintptr_t)p + IMAGE_PAGE - 1) & ~(uintptr_t)(IMAGE_PAGE - 1)); }
static char *page_down(char *p) { return (char *)((uintptr_t)p & ~(uintptr_t)(IMAGE_PAGE - 1)); }

/* Gives the whole pages of a large block back to the system, which zeroes them. */
static void drop_pages(char *p, size_t room) {
  char *from = page_up(p), *to = page_down(p + room);
  if (room >= LARGE && from < to) madvise(from, (size_t)(to - from), MADV_DONTNEED);
}

/* A block that was used before: the pages of a large one are zero already but for the first and the last. */
static void image_clear_block(char *p, size_t room) {
  if (room < LARGE) {
    memset(p, 0, room);
    return;
  }
  char *first = page_up(p + 1), *last = page_down(p + room);
  memset(p, 0, (size_t)(first - p));
  memset(last, 0, (size_t)(p + room - last));
}

static void *image_take_block(uint32_t class) {
  char *p = heap->free[class];
  if (p) {
    memcpy(&heap->free[class], p, sizeof(void *));
    image_clear_block(p, room_of(class));
    return p;
  }
  const uint64_t bytes = class_units(class) * UNIT;
  if (bytes > IMAGE_SIZE - heap->top) return NULL;
  p = (char *)IMAGE_BASE + heap->top + HEAD;
  heap->top += bytes;
  return p;
}

void *image_alloc(size_t size) {
  if (size > IMAGE_SIZE / 2) return NULL;
  const uint32_t class = image_class_of(size);
  pthread_mutex_lock(&lock);
  void *p = image_take_block(class);
  pthread_mutex_unlock(&lock);
  if (p) *image_head_of(p) = (struct head){class, IMAGE_USED, size ? size : 1};
  return p;
}

static void image_free(void *p) {
  if (!p || !heap) return;
  struct head *h = image_head_of(p);
  if (h->used != IMAGE_USED) die("free of %p in the image, where no allocation begins", p);
  h->used = 0;
  drop_pages(p, room_of(h->class));
  pthread_mutex_lock(&lock);
  memcpy(p, &heap->free[h->class], sizeof(void *));
  heap->free[h->class] = p;
  pthread_mutex_unlock(&lock);
}

void *image_realloc(void *p, size_t size) {
  if (!p) return image_alloc(size);
  struct head *h = image_head_of(p);
  const size_t room = room_of(h->class), old = h->size;
  if (size <= room && size >= room / 4) {
    if (size < old) memset((char *)p + size, 0, old - size);
    h->size = size;
    return p;
  }
  void *q = image_alloc(size);
  if (!q) return NULL;
  memcpy(q, p, old < size ? old : size);
  image_free(p);
  return q;
}

/* ---- pages ---- */

void *image_pages(size_t bytes) {
  if (!heap) return NULL;
  bytes = (bytes + IMAGE_PAGE - 1) & ~(size_t)(IMAGE_PAGE - 1);
  pthread_mutex_lock(&lock);
  struct image_area *a = NULL;
  for (unsigned i = 0; i < IMAGE_AREAS && !a; i++) {
    struct image_area *x = &heap->area[i];
    if (x->used || (x->bytes && x->bytes < bytes)) continue;
    a = x;
  }
  if (a && !a->bytes) { /* new; the blocks that follow begin at a whole line again */
    const uint64_t at = (heap->top + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1);
    if (bytes > IMAGE_SIZE / 2 || at + bytes + UNIT > IMAGE_SIZE) a = NULL;
    else {
      *a = (struct image_area){.at = IMAGE_BASE + at, .bytes = bytes};
      heap->top = at + bytes + UNIT - HEAD;
    }
  }
  if (a) a->used = true;
  pthread_mutex_unlock(&lock);
  return a ? (void *)(uintptr_t)a->at : NULL;
}

void image_pages_free(void *p) {
  for (unsigned i = 0; heap && p && i < IMAGE_AREAS; i++)
    if (heap->area[i].at == (uintptr_t)p) {
      madvise(p, heap->area[i].bytes, MADV_DONTNEED);
      heap->area[i].used = false;
    }
}

/* ---- begin and end ---- */

extern void __real_free(void *p) __attribute__((weak)); /* NULL: linked without --wrap=free */
void __wrap_free(void *p);
void __wrap_free(void *p) {
  if (image_holds(p)) image_free(p);
  else __real_free(p);
}

bool image_linked(void) { return &__real_free; }

void image_use(void) { heap = (struct image_heap *)IMAGE_BASE; }

void image_start(void) {
  heap->magic = IMAGE_MAGIC;
  heap->top = IMAGE_PAGE + UNIT - HEAD; /* so that what is given out begins at a whole line */
}

void image_end(void) {
  if (heap) munmap(heap, IMAGE_SIZE);
  heap = NULL;
}

void image_set_root(void *root) { heap->root = root; }
void *image_root(void) { return heap->root; }

/* ---- words that point elsewhere ---- */

struct range {
  uint64_t from, to;
  char name[48];
};

void image_foreign_begin(void) {
  mallopt(M_MMAP_THRESHOLD, 0); /* all of it is mapped, near the libraries, and nothing more lies in [heap] */
  mallopt(M_MMAP_MAX, 1 << 20);
}

/* What is mapped above the image, where the stack and libraries lie: at most `most` ranges, ascending. Below it are the program
 * and what a sanitizer keeps for itself. */
static unsigned foreign_ranges(struct range *r, unsigned most) {
  unsigned n = 0;
  char line[512];
  FILE *f = fopen("/proc/self/maps", "re");
  while (f && n < most && fgets(line, sizeof line, f)) {
    unsigned long from, to;
    int at = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) < 2 || from < IMAGE_BASE + IMAGE_SIZE) continue;
    r[n] = (struct range){.from = from, .to = to};
    snprintf(r[n++].name, sizeof r->name, "%.*s", (int)strcspn(line + at, "\n"), at ? line + at : "");
  }
  if (f) fclose(f);
  return n;
}

static const struct range *foreign_range_of(const struct range *r, unsigned n, uint64_t word) {
  for (unsigned lo = 0, hi = n; lo < hi;) {
    const unsigned mid = (lo + hi) / 2;
    if (word < r[mid].from) hi = mid;
    else if (word >= r[mid].to) lo = mid + 1;
    else return &r[mid];
  }
  return NULL;
}

/* The area of pages that begins at the image's offset `at`; NULL: none, a block is there. */
static const struct image_area *area_at(uint64_t at) {
  for (unsigned i = 0; i < IMAGE_AREAS; i++)
    if (heap->area[i].bytes && heap->area[i].at == IMAGE_BASE + at) return &heap->area[i];
  return NULL;
}

unsigned image_foreign(FILE *f) {
  enum { RANGES = 1024, SHOWN = 20 };
  struct range *r = calloc(RANGES, sizeof *r);
  const unsigned n = r ? foreign_ranges(r, RANGES) : 0;
  unsigned found = 0;
  for (uint64_t at = IMAGE_PAGE + UNIT - HEAD; r && at < heap->top;) {
    const struct image_area *a = area_at((at + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1));
    struct head *h = (struct head *)(IMAGE_BASE + at);
    if (a && !h->used && !h->size) {
      at = a->at - IMAGE_BASE + a->bytes + UNIT - HEAD;
      continue;
    }
    const uint64_t *word = (const uint64_t *)(h + 1);
    for (size_t i = 0; h->used && i < h->size / 8; i++) {
      const struct range *in = foreign_range_of(r, n, word[i]);
      if (in && found++ < SHOWN)
        fprintf(f, "image: %p, word %zu of %zu bytes: found 0x%llx, which lies in %s\n", (const void *)word, i,
                (size_t)h->size, (unsigned long long)word[i], in->name[0] ? in->name : "memory of a library");
    }
    at += class_units(h->class) * UNIT;
  }
  free(r);
  return found;
}
