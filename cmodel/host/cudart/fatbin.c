/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin: see fatbin.h. */
#include "host/cudart/fatbin.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { KIND_PTX = 1, KIND_ELF = 2, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, CONTAINER = 16, ENTRY = 64 };

struct entry {
  const uint8_t *data; /* `payload` bytes */
  uint64_t payload, flags, bytes;
  uint32_t packed, target;
  uint16_t kind;
};
struct walk {
  const uint8_t *at;
  uint64_t left;
};

static uint16_t fatbin_get16(const uint8_t *p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static uint32_t fatbin_get32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static uint64_t fatbin_get64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static bool fatbin_damaged(struct err *e, const char *what, uint64_t found) {
  return err_at(e, NULL, 0, 0, "the fat binary is damaged: %s %llu", what, (unsigned long long)found);
}

static bool fatbin_walk_begin(struct walk *w, const void *data, size_t limit, struct err *e) {
  const uint8_t *p = data;
  if (limit < CONTAINER) return fatbin_damaged(e, "the bytes that are left for its header are", limit);
  if (fatbin_get32(p) != FATBIN_MAGIC)
    return err_at(e, NULL, 0, 0, "the fat binary is damaged: it begins with 0x%08x, expected 0x%08x", fatbin_get32(p),
                  FATBIN_MAGIC);
  if (fatbin_get16(p + 4) != 1) return fatbin_damaged(e, "found version", fatbin_get16(p + 4));
  uint16_t header = fatbin_get16(p + 6);
  if (header < CONTAINER || header > limit) return fatbin_damaged(e, "the size of its header is", header);
  w->at = p + header;
  w->left = fatbin_get64(p + 8);
  return w->left <= limit - header ||
         fatbin_damaged(e, "it goes past the end of its section: the bytes of its entries are", w->left);
}

/* The next entry; false at the end, or if it is damaged (e->set). */
static bool fatbin_walk_next(struct walk *w, struct entry *out, struct err *e) {
  if (!w->left) return false;
  if (w->left < ENTRY) return fatbin_damaged(e, "the bytes behind its last entry are", w->left);
  const uint8_t *p = w->at;
  uint32_t header = fatbin_get32(p + 4);
  if (header < ENTRY || header > w->left) return fatbin_damaged(e, "the size of an entry's header is", header);
  *out = (struct entry){.data = p + header,
                        .kind = fatbin_get16(p),
                        .payload = fatbin_get64(p + 8),
                        .packed = fatbin_get32(p + 16),
                        .target = fatbin_get32(p + 28),
                        .flags = fatbin_get64(p + 40),
                        .bytes = fatbin_get64(p + 56)};
  if (out->payload > w->left - header) return fatbin_damaged(e, "the size of an entry is", out->payload);
  w->at = out->data + out->payload;
  w->left -= header + out->payload;
  return true;
}

/* ---- contents ---- */

enum { MACHINE_LIST = 120 };
struct found {
  struct entry ptx; /* of the highest target */
  bool any;
  char machine[MACHINE_LIST]; /* targets of machine code: "sm_75, sm_90" */
};

static void fatbin_add_machine(char list[MACHINE_LIST], uint32_t target) {
  size_t n = strlen(list);
  char name[24];
  int more = snprintf(name, sizeof name, "%ssm_%u", n ? ", " : "", target);
  if (n + (size_t)more < MACHINE_LIST) memcpy(list + n, name, (size_t)more + 1);
}

static bool fatbin_find(const void *data, size_t limit, struct found *f, struct err *e) {
  struct walk w = {0};
  struct entry entry = {0};
  *f = (struct found){0};
  if (!fatbin_walk_begin(&w, data, limit, e)) return false;
  while (fatbin_walk_next(&w, &entry, e)) {
    if (entry.kind == KIND_ELF) fatbin_add_machine(f->machine, entry.target);
    if (entry.kind != KIND_PTX || (f->any && entry.target <= f->ptx.target)) continue;
    f->any = true;
    f->ptx = entry;
  }
  return !e->set;
}

unsigned fatbin_target(const void *data, size_t limit) {
  struct err e = {0};
  struct found f;
  return fatbin_find(data, limit, &f, &e) && f.any ? f.ptx.target : 0;
}

static enum fatbin_status fatbin_say_no_ptx(const struct found *f, struct err *e) {
  err_at(e, NULL, 0, 0,
         "it holds no PTX%s%s%s; compile it with nvcc -gencode arch=compute_75,code=compute_75, or -arch=sm_75 without "
         "code=",
         *f->machine ? " (only machine code for " : "", f->machine, *f->machine ? ")" : "");
  return FATBIN_NO_PTX;
}

/* Into `text`, which has room for n->bytes. */
static bool fatbin_unpack(const struct entry *n, char *text, struct err *e) {
  if (n->packed > n->payload) return fatbin_damaged(e, "the compressed size of its PTX is", n->packed);
  size_t got;
  if (n->flags & FLAG_ZSTD) {
    got = ZSTD_decompress(text, n->bytes, n->data, n->packed);
    if (ZSTD_isError(got))
      return err_at(e, NULL, 0, 0, "the fat binary is damaged: its zstd data: %s", ZSTD_getErrorName(got));
  } else {
    int r =
        n->packed > INT32_MAX ? -1 : LZ4_decompress_safe((const char *)n->data, text, (int)n->packed, (int)n->bytes);
    if (r < 0) return err_at(e, NULL, 0, 0, "the fat binary is damaged: its LZ4 data cannot be read");
    got = (size_t)r;
  }
  return got == n->bytes || fatbin_damaged(e, "the bytes of its PTX after decompression are", got);
}

enum fatbin_status fatbin_read(const void *data, size_t limit, struct fatbin_ptx *out, struct err *e) {
  struct found f;
  *out = (struct fatbin_ptx){0};
  if (!fatbin_find(data, limit, &f, e)) return FATBIN_DAMAGED;
  if (!f.any) return fatbin_say_no_ptx(&f, e);
  bool packed = f.ptx.flags & (FLAG_LZ4 | FLAG_ZSTD);
  uint64_t n = packed ? f.ptx.bytes : f.ptx.payload;
  if (!n || n > FATBIN_MOST) return fatbin_damaged(e, "the size of its PTX is", n), FATBIN_DAMAGED;
  char *text = malloc(n + 1);
  if (!text) {
    err_at(e, NULL, 0, 0, "no memory for %llu bytes of PTX", (unsigned long long)n);
    return FATBIN_NO_MEMORY;
  }
  if (!packed) memcpy(text, f.ptx.data, n);
  else if (!fatbin_unpack(&f.ptx, text, e)) {
    free(text);
    return FATBIN_DAMAGED;
  }
  while (n && !text[n - 1]) n--; /* the payload is padded with zeros */
  text[n] = 0;
  *out = (struct fatbin_ptx){.text = text, .n = n, .target = f.ptx.target};
  return FATBIN_OK;
}
