/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trf_read: the file of a trace: sections are walked from its beginning, so that every header is checked; frames are read
 * when a CTA needs them, and the last ones kept.
 */
#define _GNU_SOURCE /* fseeko */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/io.h"
#include "trace/trf/trf_codec.h"

enum {
  KEPT = 16,
  ACCESSES = 1 << 22,
  INDEX_MOST = 1 << 30,
  IN_MEMORY = 1 << 27 /* META, CODE and LAUNCH sections together, which stay in memory */
};

struct frame {
  uint64_t at; /* of its section */
  struct section s;
};
struct kept { /* a frame in memory */
  uint8_t *raw;
  uint32_t frame;
  uint64_t used;
};

struct trf {
  char *path;
  uint32_t flags;
  uint64_t bytes;
  bool whole;
  const char *meta;
  struct trf_code *code;
  struct of_code { /* of each code */
    struct form *form;
    uint32_t slots;
  } * of_code;
  struct launch_index *launch;
  struct frame *frame;
  uint32_t ncode, ccode, nlaunch, claunch, nframe, cframe;
  struct arena arena;
  pthread_mutex_t lock; /* of what follows */
  struct kept kept[KEPT];
  uint64_t clock;
};

static const char *const names[TRF_TYPES] = {"", "META", "CODE", "LAUNCH", "FRAME", "TOTAL", "INDEX", "END", "NEAR"};

/* ---- walking ---- */

struct walk {
  struct trf *t;
  FILE *f;
  uint64_t at, headers;
  uint32_t sections;
  struct section s;   /* the one at `at` */
  uint32_t totals;    /* launches whose TOTAL was read */
  uint64_t in_memory; /* bytes of sections that stay in memory */
  uint64_t index_at;
  uint8_t *index; /* its bytes */
  size_t nindex;
};

static bool trf_section_error(const struct walk *w, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool trf_section_error(const struct walk *w, struct err *e, const char *fmt, ...) {
  char text[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  const char *name = w->s.type && w->s.type < TRF_TYPES ? names[w->s.type] : "at its head";
  return err_at(e, w->t->path, 0, 0, "section %s at byte %" PRIu64 ": found %s", name, w->at, text);
}

static bool trf_read_bytes(struct walk *w, void *p, size_t n, struct err *e) {
  if (fread(p, 1, n, w->f) == n) return true;
  if (ferror(w->f)) return trf_section_error(w, e, "that it cannot be read: %s", strerror(errno));
  return trf_section_error(w, e, "the end of the file, expected %zu more bytes", n);
}

/* The header at w->at. */
static bool trf_read_header(struct walk *w, struct err *e) {
  uint8_t h[SEC_HEAD];
  w->s = (struct section){0};
  if (!trf_read_bytes(w, h, sizeof h, e)) return false;
  w->s = (struct section){get_u32(h), get_u32(h + 4), get_u64(h + 8), get_u64(h + 16)};
  if (get_u32(h + 24) != (uint32_t)fnv1a(FNV_START, h, 24) || get_u32(h + 28))
    return w->s.type = 0, trf_section_error(w, e, "a header with a wrong checksum");
  const struct section *s = &w->s;
  if ((!s->type || s->type >= TRF_TYPES) && !(s->flags & SEC_SKIP))
    return trf_section_error(w, e, "type %" PRIu32 ", expected one of version 1, or one that may be skipped", s->type);
  if (s->stored > w->t->bytes - w->at - SEC_HEAD)
    return trf_section_error(w, e, "%" PRIu64 " bytes, expected at most the %" PRIu64 " that the file still has",
                             s->stored, w->t->bytes - w->at - SEC_HEAD);
  const uint64_t most = s->type == TRF_FRAME ? FRAME_MOST : INDEX_MOST;
  const uint64_t room = trf_room(s->type, s->stored);
  if (s->raw > most || s->raw > room || (!(s->flags & SEC_ZSTD) && s->raw != s->stored))
    return trf_section_error(w, e, "%" PRIu64 " bytes from %" PRIu64 " stored ones, expected at most %" PRIu64, s->raw,
                             s->stored, most < room ? most : room);
  if (s->type == TRF_META || s->type == TRF_CODE || s->type == TRF_LAUNCH || s->type == TRF_NEAR)
    w->in_memory += s->raw;
  if (w->in_memory > IN_MEMORY)
    return trf_section_error(w, e, "more than %d bytes of kernels and launches, expected fewer", IN_MEMORY);
  w->headers = s->type == TRF_END ? w->headers : fnv1a(w->headers, h, sizeof h);
  w->sections += s->type != TRF_END;
  return true;
}

/* The bytes of the section whose header was read; NULL and *e. */
static uint8_t *trf_read_content(struct walk *w, struct err *e) {
  const struct section *s = &w->s;
  uint8_t *stored = xmalloc(s->stored + 1), *raw = NULL;
  if (trf_read_bytes(w, stored, s->stored, e)) {
    if (!(s->flags & SEC_ZSTD)) {
      raw = stored;
      stored = NULL;
    } else {
      raw = xmalloc(s->raw + 1);
      const size_t n = ZSTD_decompress(raw, s->raw, stored, s->stored);
      if (ZSTD_isError(n) || n != s->raw) {
        trf_section_error(w, e, "damaged bytes: %s",
                          ZSTD_isError(n) ? ZSTD_getErrorName(n) : "another length than the header says");
        free(raw);
        raw = NULL;
      }
    }
  }
  free(stored);
  if (raw) raw[s->raw] = 0;
  return raw;
}

static bool get_meta(struct walk *w, const uint8_t *p, struct err *e) {
  if (w->t->meta) return trf_section_error(w, e, "a second one, expected one");
  if (memchr(p, 0, w->s.raw)) return trf_section_error(w, e, "a zero byte, expected JSON text");
  w->t->meta = arena_strndup(&w->t->arena, (const char *)p, w->s.raw);
  return true;
}

static bool get_code(struct walk *w, const uint8_t *p, struct err *e) {
  struct trf *t = w->t;
  struct cursor c = {p, p + w->s.raw, false};
  struct trf_code code;
  const char *why;
  if (!trf_get_code(&c, &t->arena, &code, &why)) return trf_section_error(w, e, "%s", why);
  struct of_code of = {0};
  of.form = trf_forms(code.code, &of.slots);
  uint32_t n = t->ncode, cap = t->ccode;
  VEC_PUSH(t->of_code, n, cap) = of;
  VEC_PUSH(t->code, t->ncode, t->ccode) = code;
  return true;
}

static bool get_near(struct walk *w, const uint8_t *p, struct err *e) {
  struct trf *t = w->t;
  struct cursor c = {p, p + w->s.raw, false};
  const char *why;
  return trf_get_near(&c, &t->arena, t->code, t->ncode, &why) || trf_section_error(w, e, "%s", why);
}

static bool get_launch(struct walk *w, const uint8_t *p, struct err *e) {
  struct trf *t = w->t;
  struct cursor c = {p, p + w->s.raw, false};
  struct launch_index in = {0};
  const char *why;
  if (w->totals != t->nlaunch)
    return trf_section_error(w, e, "it before the TOTAL of the launch before, expected that first");
  if (!trf_get_launch(&c, &t->arena, &in.is, &why)) return trf_section_error(w, e, "%s", why);
  if (in.is.code >= t->ncode)
    return trf_section_error(w, e, "kernel %" PRIu32 ", expected one of the %" PRIu32 " before it", in.is.code,
                             t->ncode);
  const struct code *k = t->code[in.is.code].code;
  if (in.is.local_words != (k->local_bytes + 3) / 4 || in.is.regs != k->nreg)
    return trf_section_error(w, e, "other registers or local memory than those of the kernel");
  in.form = t->of_code[in.is.code].form;
  in.slots = t->of_code[in.is.code].slots;
  if ((uint64_t)in.slots * ((in.is.block[0] * in.is.block[1] * in.is.block[2] + 31) / 32) > ACCESSES)
    return trf_section_error(w, e, "a kernel of %" PRIu32 " accesses, expected fewer with so many warps", in.slots);
  VEC_PUSH(t->launch, t->nlaunch, t->claunch) = in;
  return true;
}

static bool get_total(struct walk *w, const uint8_t *p, struct err *e) {
  struct trf *t = w->t;
  struct cursor c = {p, p + w->s.raw, false};
  if (w->totals + 1 != t->nlaunch) return trf_section_error(w, e, "it without a launch, expected one before it");
  struct trf_launch *l = &t->launch[w->totals++].is;
  l->ctas = get_number(&c);
  l->warp_insns = get_varint(&c);
  l->thread_insns = get_varint(&c);
  const uint8_t *h = get_bytes(&c, 8);
  if (h) l->hash = get_u64(h);
  return (!c.bad && c.p == c.end) || trf_section_error(w, e, "a wrong number, or another length");
}

static bool get_frame(struct walk *w, struct err *e) {
  struct trf *t = w->t;
  if (w->totals == t->nlaunch)
    return trf_section_error(w, e, "it outside of a launch, expected it between LAUNCH and TOTAL");
  struct trf_launch *l = &t->launch[t->nlaunch - 1].is;
  l->raw_bytes += w->s.raw;
  l->stored_bytes += SEC_HEAD + w->s.stored;
  VEC_PUSH(t->frame, t->nframe, t->cframe) = (struct frame){w->at, w->s};
  return !fseeko(w->f, (off_t)w->s.stored, SEEK_CUR) ||
         trf_section_error(w, e, "that it cannot be read: %s", strerror(errno));
}

static bool one_section(struct walk *w, struct err *e) {
  if (w->s.type == TRF_FRAME) return get_frame(w, e);
  if (w->s.type >= TRF_TYPES)
    return !fseeko(w->f, (off_t)w->s.stored, SEEK_CUR) || trf_section_error(w, e, "%s", strerror(errno));
  uint8_t *p = trf_read_content(w, e);
  if (!p) return false;
  bool ok = true;
  switch (w->s.type) {
    case TRF_META: ok = get_meta(w, p, e); break;
    case TRF_CODE: ok = get_code(w, p, e); break;
    case TRF_NEAR: ok = get_near(w, p, e); break;
    case TRF_LAUNCH: ok = get_launch(w, p, e); break;
    case TRF_TOTAL: ok = get_total(w, p, e); break;
    case TRF_INDEX:
      if (w->index || w->totals != w->t->nlaunch) {
        ok = trf_section_error(w, e, "it within a launch or a second time, expected one behind the launches");
        break;
      }
      w->index = p;
      w->nindex = w->s.raw;
      w->index_at = w->at;
      return true;
    default: {
      char tail[8];
      if (w->s.raw != 20 || get_u64(p) != w->index_at || get_u32(p + 8) != w->sections || get_u64(p + 12) != w->headers)
        ok = trf_section_error(w, e, "other numbers than those of the sections before it");
      else
        ok = trf_read_bytes(w, tail, sizeof tail, e) &&
             (!memcmp(tail, TRF_TAIL, 8) || trf_section_error(w, e, "no mark of the end behind it"));
      if (ok && w->at + SEC_HEAD + w->s.stored + 8 != w->t->bytes)
        ok = trf_section_error(w, e, "bytes behind it, expected none");
    }
  }
  free(p);
  return ok;
}

/* ---- the index ---- */

static int by_cta(const void *a, const void *b) {
  const struct cta_at *x = a, *y = b;
  return (x->cta > y->cta) - (x->cta < y->cta);
}

static uint32_t trf_grid_ctas(const struct trf_launch *l) { return l->grid[0] * l->grid[1] * l->grid[2]; }

/* The CTAs are known in the order of the file: sorted; each once, of the grid, of the stride. */
static bool sort_ctas(struct trf *t, struct launch_index *in, struct err *e) {
  const uint32_t n = in->is.ctas;
  if (n) qsort(in->cta, n, sizeof *in->cta, by_cta);
  for (uint32_t k = 0; k < n; k++)
    if (in->cta[k].cta >= trf_grid_ctas(&in->is) || in->cta[k].cta % in->is.stride ||
        (k && in->cta[k].cta == in->cta[k - 1].cta))
      return err_at(e, t->path, 0, 0,
                    "section INDEX: found CTA %" PRIu32 " of launch %" PRIu32 ", expected each one of the grid once",
                    in->cta[k].cta, (uint32_t)(in - t->launch));
  return true;
}

struct index_walk {
  struct cursor in;
  uint32_t frame;
  uint64_t end; /* of the block before, in its frame */
  uint64_t cap;
};

static bool index_block(struct trf *t, struct launch_index *in, struct index_walk *x) {
  const uint32_t skip = get_number(&x->in);
  const uint64_t at = get_varint(&x->in), n = get_varint(&x->in);
  if (skip) x->end = 0;
  if (x->in.bad || skip > t->nframe || x->frame + skip >= t->nframe) return false;
  x->frame += skip;
  const uint64_t raw = t->frame[x->frame].s.raw;
  if (at > raw || n > raw || x->end + at + n > raw || n > UINT32_MAX) return false;
  VEC_PUSH(in->block, in->nblock, x->cap) = (struct block_at){x->frame, (uint32_t)(x->end + at), (uint32_t)n};
  x->end += at + n;
  return true;
}

static bool index_launch(struct trf *t, struct launch_index *in, struct index_walk *x) {
  const uint32_t n = get_number(&x->in);
  uint32_t last = UINT32_MAX;
  if (x->in.bad || n != in->is.ctas || n > (uint64_t)(x->in.end - x->in.p) / 5) return false;
  in->cta = xcalloc(n, sizeof *in->cta);
  x->end = 0;
  x->cap = 0;
  for (uint32_t k = 0; k < n; k++) {
    last += (uint32_t)get_signed(&x->in) + 1;
    in->cta[k] = (struct cta_at){.cta = last, .blocks = get_number(&x->in), .first = in->nblock};
    if (x->in.bad || !in->cta[k].blocks || in->cta[k].blocks > (uint64_t)(x->in.end - x->in.p) / 3) return false;
    for (uint32_t b = 0; b < in->cta[k].blocks; b++)
      if (!index_block(t, in, x)) return false;
  }
  return true;
}

static bool trf_read_index(struct walk *w, struct err *e) {
  struct trf *t = w->t;
  struct index_walk x = {.in = {w->index, w->index + w->nindex, false}};
  w->s = (struct section){.type = TRF_INDEX};
  w->at = w->index_at;
  bool ok = get_number(&x.in) == t->nframe;
  for (uint64_t k = 0, at = 0; ok && k < t->nframe; k++) ok = (at += get_varint(&x.in)) == t->frame[k].at;
  ok = ok && get_number(&x.in) == t->nlaunch;
  for (uint32_t k = 0; ok && k < t->nlaunch; k++) {
    if (!index_launch(t, &t->launch[k], &x)) ok = false;
    else if (!sort_ctas(t, &t->launch[k], e)) return false;
  }
  return (ok && !x.in.bad && x.in.p == x.in.end) ||
         trf_section_error(w, e, "other frames, launches or CTAs than the file has");
}

/* ---- a file that breaks off: the index from the frames ---- */

struct rebuild {
  struct launch_index *in;
  uint32_t cap, blocks; /* blocks: of the CTA at work */
  uint64_t cap_block;
  struct trf_launch *is;
};

static bool scan_block(struct rebuild *r, uint32_t frame, uint32_t at, struct cursor c) {
  const uint64_t n = (uint64_t)(c.end - c.p);
  const uint64_t cta = get_varint(&c), k = get_varint(&c);
  if (c.bad || k >> 1 != r->blocks || cta >= trf_grid_ctas(r->is)) return false;
  VEC_PUSH(r->in->block, r->in->nblock, r->cap_block) = (struct block_at){frame, at, (uint32_t)n};
  r->blocks++;
  if (!(k & 1)) return true;
  const uint64_t insns = get_varint(&c), threads = get_varint(&c);
  const uint8_t *h = get_bytes(&c, 8);
  if (!h) return false;
  r->is->warp_insns += insns;
  r->is->thread_insns += threads;
  r->is->hash += get_u64(h);
  VEC_PUSH(r->in->cta, r->is->ctas, r->cap) =
      (struct cta_at){.cta = (uint32_t)cta, .blocks = r->blocks, .first = r->in->nblock - r->blocks};
  r->blocks = 0;
  return true;
}

static bool scan_frame(struct walk *w, struct rebuild *r, uint32_t frame, struct err *e) {
  struct trf *t = w->t;
  w->at = t->frame[frame].at;
  w->s = t->frame[frame].s;
  if (fseeko(w->f, (off_t)(w->at + SEC_HEAD), SEEK_SET)) return trf_section_error(w, e, "%s", strerror(errno));
  uint8_t *p = trf_read_content(w, e);
  if (!p) return false;
  struct cursor c = {p, p + w->s.raw, false};
  bool ok = true;
  while (ok && c.p != c.end) {
    const uint64_t n = get_varint(&c);
    const uint32_t at = (uint32_t)(c.p - p);
    const uint8_t *block = get_bytes(&c, n);
    ok = block && scan_block(r, frame, at, (struct cursor){block, block + n, false});
  }
  free(p);
  return ok || trf_section_error(w, e, "a wrong block");
}

/* What is whole of a file that breaks off with *why. Frames belong to the launches in their order. */
static bool trf_rebuild(struct walk *w, const uint32_t *frames, struct err *why, struct err *e) {
  struct trf *t = w->t;
  uint32_t frame = 0;
  bool ok = true;
  for (uint32_t k = 0; k < t->nlaunch; k++) {
    struct rebuild r = {.in = &t->launch[k], .is = &t->launch[k].is};
    r.is->ctas = 0;
    r.is->warp_insns = r.is->thread_insns = r.is->hash = 0;
    for (; ok && frames && frame < frames[k]; frame++) ok = scan_frame(w, &r, frame, why);
    if (!sort_ctas(t, r.in, e)) return false;
  }
  return true;
}

/* ---- opening ---- */

static bool trf_read_head(struct walk *w, struct err *e) {
  uint8_t h[TRF_HEAD];
  if (fread(h, 1, sizeof h, w->f) != sizeof h || memcmp(h, TRF_MAGIC, 8) != 0)
    return err_at(e, w->t->path, 0, 0, "found no head of a trace, expected a file that 'regtwin trace' has written");
  if ((get_u32(h + 8) & 0xffff) != 1)
    return err_at(e, w->t->path, 0, 0, "found version %u of the trace format, expected 1", get_u32(h + 8) & 0xffff);
  w->headers = fnv1a(FNV_START, h, sizeof h);
  w->t->flags = get_u32(h + 12);
  return w->t->flags < 8 || err_at(e, w->t->path, 0, 0, "found flags 0x%x, expected those of version 1", w->t->flags);
}

static bool trf_check_parts(struct walk *w, struct err *e) {
  struct trf *t = w->t;
  if (!t->meta) return err_at(e, t->path, 0, 0, "found no section META, expected one at the beginning");
  for (uint32_t k = 0; k < t->ncode; k++)
    if (!t->code[k].text != !(t->flags & TRF_IMPORTED))
      return err_at(e, t->path, 0, 0, "found code %s texts of another simulator, expected it as the file's flags say",
                    t->code[k].text ? "with" : "without");
  return true;
}

/* Walks the file. *why: where it breaks off. */
static bool trf_walk(struct walk *w, struct err *why, struct err *e) {
  struct trf *t = w->t;
  uint32_t *frames = NULL, n = 0, cap = 0; /* frames up to the end of each launch */
  if (!trf_read_head(w, e)) return false;
  for (w->at = TRF_HEAD;; w->at += SEC_HEAD + w->s.stored) {
    const uint32_t launches = t->nlaunch;
    if (!trf_read_header(w, why) || !one_section(w, why)) break;
    if (t->nlaunch != launches) VEC_PUSH(frames, n, cap) = 0;
    if (n) frames[n - 1] = t->nframe;
    if (w->s.type != TRF_END) continue;
    t->whole = true;
    break;
  }
  if (t->whole && !w->index) t->whole = trf_section_error(w, why, "no section INDEX before it, expected one");
  bool ok = t->whole ? trf_check_parts(w, e) && trf_read_index(w, e) : true;
  if (!t->whole && t->meta) ok = trf_check_parts(w, e) && trf_rebuild(w, frames, why, e);
  free(frames);
  return ok;
}

static struct trf *open_walk(const char *path, struct err *why, struct err *e) {
  char reason[IO_WHY];
  struct walk w = {.f = input_open(path, reason)};
  if (!w.f) {
    err_at(e, path, 0, 0, "cannot read: %s", reason);
    return NULL;
  }
  struct trf *t = w.t = xcalloc(1, sizeof *t);
  pthread_mutex_init(&t->lock, NULL);
  t->path = arena_strndup(&t->arena, path, strlen(path));
  bool ok = !fseeko(w.f, 0, SEEK_END);
  t->bytes = ok ? (uint64_t)ftello(w.f) : 0;
  rewind(w.f);
  ok = trf_walk(&w, why, e);
  free(w.index);
  fclose(w.f);
  if (ok && (t->whole || t->meta)) return t;
  if (ok && why->set) *e = *why;
  trf_free(t);
  return NULL;
}

struct trf *trf_open_partial(const char *path, struct err *why, struct err *e) {
  *why = (struct err){0};
  return open_walk(path, why, e);
}

struct trf *trf_open(const char *path, struct err *e) {
  struct err why = {0};
  struct trf *t = open_walk(path, &why, e);
  if (!t || t->whole) return t;
  *e = why;
  trf_free(t);
  return NULL;
}

void trf_free(struct trf *t) {
  if (!t) return;
  for (uint32_t k = 0; k < t->nlaunch; k++) {
    free(t->launch[k].cta);
    free(t->launch[k].block);
  }
  for (unsigned k = 0; k < KEPT; k++) free(t->kept[k].raw);
  for (uint32_t k = 0; k < t->ncode; k++) free(t->of_code[k].form);
  free(t->of_code);
  free(t->code);
  free(t->launch);
  free(t->frame);
  pthread_mutex_destroy(&t->lock);
  arena_free(&t->arena);
  free(t);
}

/* ---- frames ---- */

static uint8_t *trf_read_frame(struct trf *t, uint32_t frame, struct err *e) {
  char why[IO_WHY];
  struct walk w = {.t = t, .f = input_open(t->path, why), .at = t->frame[frame].at, .s = t->frame[frame].s};
  if (!w.f) {
    err_at(e, t->path, 0, 0, "cannot read: %s", why);
    return NULL;
  }
  uint8_t *p = NULL;
  if (fseeko(w.f, (off_t)(w.at + SEC_HEAD), SEEK_SET))
    trf_section_error(&w, e, "that it cannot be read: %s", strerror(errno));
  else p = trf_read_content(&w, e);
  fclose(w.f);
  return p;
}

/* The frame's bytes; with the lock. */
static const uint8_t *frame_of(struct trf *t, uint32_t frame, struct err *e) {
  struct kept *oldest = &t->kept[0];
  t->clock++;
  for (unsigned k = 0; k < KEPT; k++) {
    struct kept *x = &t->kept[k];
    if (x->raw && x->frame == frame) {
      x->used = t->clock;
      return x->raw;
    }
    if (!x->raw || (oldest->raw && x->used < oldest->used)) oldest = x;
  }
  uint8_t *raw = trf_read_frame(t, frame, e);
  if (!raw) return NULL;
  free(oldest->raw);
  *oldest = (struct kept){raw, frame, t->clock};
  return raw;
}

uint8_t *trf_block(struct trf *t, const struct block_at *b, struct err *e) {
  uint8_t *copy = NULL;
  pthread_mutex_lock(&t->lock);
  const uint8_t *raw = frame_of(t, b->frame, e);
  if (raw) {
    copy = xmalloc(b->n);
    memcpy(copy, raw + b->at, b->n);
  }
  pthread_mutex_unlock(&t->lock);
  return copy;
}

/* ---- what is there ---- */

const char *trf_path(const struct trf *t) { return t->path; }
bool trf_whole(const struct trf *t) { return t->whole; }
uint32_t trf_flags(const struct trf *t) { return t->flags; }
uint64_t trf_bytes(const struct trf *t) { return t->bytes; }
const char *trf_meta(const struct trf *t) { return t->meta; }
uint32_t trf_codes(const struct trf *t) { return t->ncode; }
const struct trf_code *trf_code(const struct trf *t, uint32_t number) { return &t->code[number]; }
uint32_t trf_launches(const struct trf *t) { return t->nlaunch; }
const struct trf_launch *trf_launch(const struct trf *t, uint32_t launch) { return &t->launch[launch].is; }
const struct launch_index *trf_index(const struct trf *t, uint32_t launch) { return &t->launch[launch]; }
uint64_t trf_frame_at(const struct trf *t, uint32_t frame) { return t->frame[frame].at; }
uint32_t trf_cta_at(const struct trf *t, uint32_t launch, uint32_t k) { return t->launch[launch].cta[k].cta; }
