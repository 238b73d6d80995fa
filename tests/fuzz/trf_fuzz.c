/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged traces. The first byte says how the rest is used: as a whole file; or as changes of the bytes inside the sections of
 * a good trace, whose headers are made right again, so that what lies behind the checksums is reached. What opens is read, dumped
 * and replayed to its end.
 */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "../unit/trf_make.h"
#include "compiler/regalloc/regalloc.h"
#include "trace/trf/trf_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { CTAS = 5, WARPS = 3, SHARED = 4096, SECTIONS = 64 };
static struct part {
  uint32_t type;
  uint8_t *raw;
  size_t n;
} part[SECTIONS];
static unsigned parts;
static int fd = -1;

/* A good trace, its sections uncompressed. */
static void make_base(void) {
  static struct code c;
  static struct insn i[MAKE_INSNS];
  uint64_t seed = 1;
  struct err e = {0};
  int from = -1;
  make_code(&c, i);
  struct trf_writer *w = trf_create(NULL, TRF_VALUES, "{\"program\": \"fuzz\"}", &e);
  const struct trf_code code = {.code = &c, .ptx = "text", .near = make_near};
  struct trf_launch l = {.grid = {CTAS, 1, 1},
                         .block = {80, 1, 1},
                         .shared_bytes = SHARED,
                         .regs = c.nreg,
                         .local_words = 8,
                         .code_base = CODE_BASE,
                         .stride = 1};
  l.code = trf_add_code(w, &code);
  for (unsigned k = 0; k < 2; k++) {
    trf_launch_begin(w, &l);
    for (uint32_t cta = 0; cta < CTAS; cta++) {
      struct trf_rec *r = trf_cta_begin(w, cta);
      for (unsigned v = 0; v < WARPS; v++) {
        struct made_warp m = make_warp(&seed, &c, v == 2 ? 0xffff : UINT32_MAX, WARPS, SHARED, 3, true);
        for (uint32_t s = 0; s < m.n; s++) make_add(r, v, &m.step[s]);
        free(m.step);
      }
      trf_cta_end(w, r, cta);
    }
    trf_launch_end(w);
  }
  if (!trf_finish(w, true, &from, &e)) abort();
  const off_t size = lseek(from, 0, SEEK_END);
  uint8_t *all = xmalloc((size_t)size);
  if (pread(from, all, (size_t)size, 0) != size) abort();
  close(from);
  for (size_t at = TRF_HEAD; at + SEC_HEAD < (size_t)size;) {
    struct part *p = &part[parts++];
    const uint64_t stored = get_u64(all + at + 16);
    *p = (struct part){get_u32(all + at), NULL, get_u64(all + at + 8)};
    p->raw = xmalloc(p->n + 1);
    if (get_u32(all + at + 4) & SEC_ZSTD) {
      if (ZSTD_decompress(p->raw, p->n, all + at + SEC_HEAD, stored) != p->n) abort();
    } else {
      memcpy(p->raw, all + at + SEC_HEAD, p->n);
    }
    at += SEC_HEAD + stored;
    if (p->type == TRF_END) break;
  }
  free(all);
  fd = memfd_create("trace", 0);
}

static void put_section(struct bytes *b, uint32_t type, const uint8_t *p, size_t n, uint64_t *headers) {
  const size_t at = b->n;
  put_u32(b, type);
  put_u32(b, 0);
  put_u64(b, n);
  put_u64(b, n);
  put_u32(b, (uint32_t)fnv1a(FNV_START, b->p + at, 24));
  put_u32(b, 0);
  if (type != TRF_END) *headers = fnv1a(*headers, b->p + at, SEC_HEAD);
  put_bytes(b, p, n);
}

/* Edits of four bytes: section, place (2), and a byte that is put there; a place behind the end makes it longer. */
static void edit(const uint8_t *data, size_t n, struct bytes *b) {
  uint64_t headers, index = 0;
  struct bytes end = {0}, copy[SECTIONS] = {{0}};
  for (unsigned k = 0; k < parts; k++) put_bytes(&copy[k], part[k].raw, part[k].n);
  for (; n >= 4; data += 4, n -= 4) {
    struct bytes *to = &copy[data[0] % (parts - 1)];
    const size_t at = (size_t)data[1] << 8 | data[2];
    if (at < to->n) to->p[at] = data[3];
    else if (at & 1) put_u8(to, data[3]);
    else if (to->n) to->n--;
  }
  put_bytes(b, TRF_MAGIC, 8);
  put_u32(b, 1);
  put_u32(b, TRF_VALUES);
  headers = fnv1a(FNV_START, b->p, b->n);
  uint64_t frame[SECTIONS], frames = 0;
  for (unsigned k = 0; k + 1 < parts; k++) {
    if (part[k].type == TRF_FRAME) frame[frames++] = b->n;
    if (part[k].type == TRF_INDEX) { /* offsets of frames are those of the uncompressed file */
      struct cursor c = {copy[k].p, copy[k].p + copy[k].n, false};
      struct bytes made = {0};
      const uint64_t old = get_varint(&c);
      for (uint64_t f = 0; f < old && f < frames; f++) get_varint(&c);
      put_varint(&made, frames);
      for (uint64_t f = 0; f < frames; f++) put_varint(&made, frame[f] - (f ? frame[f - 1] : 0));
      put_bytes(&made, c.p, (size_t)(c.end - c.p));
      free(copy[k].p);
      copy[k] = made;
      index = b->n;
    }
    put_section(b, part[k].type, copy[k].p, copy[k].n, &headers);
  }
  put_u64(&end, index);
  put_u32(&end, parts - 1);
  put_u64(&end, headers);
  put_section(b, TRF_END, end.p, end.n, &headers);
  put_bytes(b, TRF_TAIL, 8);
  for (unsigned k = 0; k < parts; k++) free(copy[k].p);
  free(end.p);
}

static void walk(struct trf *t, uint32_t launch) {
  const struct trf_launch *l = trf_launch(t, launch);
  const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
  for (uint32_t k = 0; k < l->ctas; k++) {
    struct err e = {0};
    struct trf_cta *c = trf_cta_open(t, launch, trf_cta_at(t, launch, k), &e);
    for (unsigned w = 0; c && w < warps; w++) {
      uint32_t addr[32], to[32], val[4][32];
      struct trf_step s = {.addr = addr, .to = to, .val = val};
      int given;
      while ((given = trf_next(c, w, &s, &e)) == STREAM_GIVEN)
        if (s.op >= trf_code(t, l->code)->code->n || !s.active || s.lanes & ~s.active) abort();
      if ((given == STREAM_ERROR) != e.set) abort();
      if (e.set) break;
    }
    trf_cta_close(c);
  }
}

/* One CTA after the other, warps in turns. */
static void replay(struct trf *t, uint32_t launch, struct module *m) {
  const struct trf_launch *l = trf_launch(t, launch);
  const uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
  const struct stream_room room = {.warp_slots = warps, .cta_slots = 1, .values = true};
  struct err e = {0};
  struct code *c = &m->kernel[l->code];
  struct stream *s = trf_stream(t, launch, c, &room, &e);
  uint16_t slot[TRF_WARPS];
  if (!s) return;
  for (unsigned w = 0; w < warps; w++) slot[w] = (uint16_t)w;
  for (uint32_t k = 0; k < s->ctas && !s->err.set; k++) {
    s->ops->cta_begin(s, 0, k, slot);
    for (bool moved = true; moved && !s->err.set;) {
      moved = false;
      for (unsigned w = 0; w < warps; w++) {
        struct warp_inst inst;
        if (s->ops->next(s, w, &inst) != STREAM_GIVEN) continue;
        moved = true;
        if (!(inst.flags & W_BARRIER) && (inst.mem & 0xff) > ADDR_RING) abort();
      }
      moved |= s->ops->quantum(s) > 0;
    }
    s->ops->deadlock(s, &e);
    s->ops->cta_end(s, 0);
  }
  s->ops->free(s);
}

static void use(struct trf *t) {
  struct module m = {.nkernel = trf_codes(t)};
  m.kernel = arena_alloc(&m.arena, (m.nkernel + 1) * sizeof *m.kernel);
  for (uint32_t k = 0; k < m.nkernel; k++) {
    char text[256];
    m.kernel[k] = *trf_code(t, k)->code;
    finish_code(&m, &m.kernel[k]);
    for (uint32_t i = 0; i < m.kernel[k].n; i++) insn_print(&m.kernel[k], i, text, sizeof text);
  }
  for (uint32_t k = 0; k < trf_launches(t); k++) {
    walk(t, k);
    replay(t, k, &m);
  }
  arena_free(&m.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct bytes b = {0};
  struct err e = {0}, why = {0};
  char path[64];
  if (fd < 0) make_base();
  if (!n) return 0;
  if (data[0] & 1) put_bytes(&b, data + 1, n - 1);
  else edit(data + 1, n - 1, &b);
  if (ftruncate(fd, 0) || pwrite(fd, b.p, b.n, 0) != (ssize_t)b.n) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct trf *t = trf_open(path, &e);
  if (!t == !e.set) abort();
  if (n == 1 && !(data[0] & 1) && !t) abort(); /* the base itself */
  trf_free(t);
  e = (struct err){0};
  t = trf_open_partial(path, &why, &e);
  if (!t == !e.set) abort();
  if (t) use(t);
  trf_free(t);
  free(b.p);
  return 0;
}
