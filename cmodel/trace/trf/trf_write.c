/* SPDX-License-Identifier: Apache-2.0 */
/* trf_write: the file of a trace: sections, frames, index. */
#define _GNU_SOURCE /* dup */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/io.h"
#include "trace/trf/trf_codec.h"
#include "trace/trf/trf_write.h"

enum { LEVEL = 3 };

struct kept { /* a code that was added */
  struct form *form;
  uint32_t slots;
};

struct trf_writer {
  struct output *out; /* NULL: a file without a name */
  FILE *f;
  char path[256];
  uint32_t flags;
  bool failed;
  int error;            /* errno of it */
  uint64_t at, headers; /* bytes so far; hash of the headers */
  uint32_t sections;
  ZSTD_CCtx *zstd;
  struct bytes packed;
  struct kept *code;
  uint32_t ncode, ccode;
  /* the launch at work */
  struct trf_launch launch;
  struct rec_room room;
  struct bytes frame; /* that is being filled */
  /* the index: of frames, and of all launches */
  struct bytes frames, index, ctas;
  uint32_t nframe, launches, last_cta, last_frame;
  uint64_t last_offset, last_end;
  pthread_mutex_t lock; /* of `idle` */
  struct trf_rec *idle;
};

/* ---- sections ---- */

static void trf_write_bytes(struct trf_writer *w, const void *p, size_t n) {
  if (w->failed || !n) return;
  errno = 0;
  if (fwrite(p, 1, n, w->f) != n) {
    w->failed = true;
    w->error = errno ? errno : EIO;
  }
  w->at += n;
}

/* Appends one of zstd's frames that readers skip, so that a section of n bytes has as many stored ones as trf_room asks for. */
static void trf_pad_section(struct bytes *b, uint32_t type, size_t n) {
  enum { SKIPPED = 0x184d2a50, HEADER = 8 };
  if (trf_room(type, b->n) >= n) return;
  const size_t need = (n + trf_ratio(type) - 1) / trf_ratio(type), more = need - b->n;
  const uint32_t zeros = more > HEADER ? (uint32_t)more - HEADER : 0;
  put_u32(b, SKIPPED);
  put_u32(b, zeros);
  bytes_room(b, zeros);
  memset(b->p + b->n, 0, zeros);
  b->n += zeros;
}

static const uint8_t *trf_pack_section(struct trf_writer *w, uint32_t type, const uint8_t *p, size_t n,
                                       size_t *packed) {
  w->packed.n = 0;
  bytes_room(&w->packed, ZSTD_compressBound(n));
  *packed = ZSTD_compress2(w->zstd, w->packed.p, w->packed.cap, p, n);
  if (ZSTD_isError(*packed)) die("zstd: %s", ZSTD_getErrorName(*packed));
  w->packed.n = *packed;
  trf_pad_section(&w->packed, type, n);
  *packed = w->packed.n;
  return w->packed.p;
}

static void trf_write_section(struct trf_writer *w, uint32_t type, const uint8_t *p, size_t n) {
  struct bytes head = {0};
  size_t stored = n;
  const bool small = type == TRF_END; /* the others have zstd's checksum */
  if (!small) p = trf_pack_section(w, type, p, n, &stored);
  put_u32(&head, type);
  put_u32(&head, (small ? 0 : SEC_ZSTD) | (type == TRF_NEAR ? SEC_SKIP : 0)); /* older readers skip near bits */
  put_u64(&head, n);
  put_u64(&head, stored);
  put_u32(&head, (uint32_t)fnv1a(FNV_START, head.p, head.n));
  put_u32(&head, 0);
  w->headers = fnv1a(w->headers, head.p, head.n);
  w->sections++;
  trf_write_bytes(w, head.p, head.n);
  trf_write_bytes(w, p, stored);
  free(head.p);
}

/* ---- frames ---- */

static void flush_frame(struct trf_writer *w) {
  if (!w->frame.n) return;
  put_varint(&w->frames, w->at - w->last_offset);
  w->last_offset = w->at;
  w->nframe++;
  trf_write_section(w, TRF_FRAME, w->frame.p, w->frame.n);
  w->frame.n = 0;
}

/* The block goes into the frame, which begins with its length. */
static void trf_add_block(struct trf_writer *w, const uint8_t *p, size_t n) {
  if (w->frame.n && w->frame.n + n > FRAME_BYTES) flush_frame(w);
  put_varint(&w->frame, n);
  const size_t at = w->frame.n;
  put_bytes(&w->frame, p, n);
  if (w->nframe != w->last_frame) w->last_end = 0;
  put_varint(&w->ctas, w->nframe - w->last_frame);
  put_varint(&w->ctas, at - w->last_end);
  put_varint(&w->ctas, n);
  w->last_frame = w->nframe;
  w->last_end = at + n;
}

/* ---- CTAs ---- */

struct trf_rec *trf_cta_begin(struct trf_writer *w, uint32_t cta) {
  pthread_mutex_lock(&w->lock);
  struct trf_rec *r = w->idle;
  if (r) w->idle = *rec_link(r);
  pthread_mutex_unlock(&w->lock);
  if (!r) r = rec_new();
  rec_begin(r, &w->room, cta);
  return r;
}

void trf_cta_drop(struct trf_writer *w, struct trf_rec *r) {
  pthread_mutex_lock(&w->lock);
  *rec_link(r) = w->idle;
  w->idle = r;
  pthread_mutex_unlock(&w->lock);
}

void trf_cta_end(struct trf_writer *w, struct trf_rec *r, uint64_t hash) {
  rec_end(r, hash);
  const struct rec_done d = rec_done(r);
  put_signed(&w->ctas, (int32_t)(d.cta - w->last_cta - 1));
  put_varint(&w->ctas, d.blocks);
  w->last_cta = d.cta;
  for (uint32_t k = 0; k < d.blocks; k++) trf_add_block(w, d.bytes->p + d.block[k].at, d.block[k].n);
  w->launch.ctas++;
  w->launch.warp_insns += d.warp_insns;
  w->launch.thread_insns += d.thread_insns;
  w->launch.hash += hash;
  trf_cta_drop(w, r);
}

/* ---- code and launches ---- */

uint32_t trf_add_code(struct trf_writer *w, const struct trf_code *c) {
  struct bytes b = {0};
  struct kept k = {0};
  k.form = trf_forms(c->code, &k.slots);
  VEC_PUSH(w->code, w->ncode, w->ccode) = k;
  trf_put_code(&b, c);
  trf_write_section(w, TRF_CODE, b.p, b.n);
  if (c->near) {
    b.n = 0;
    trf_put_near(&b, w->ncode - 1, c);
    trf_write_section(w, TRF_NEAR, b.p, b.n);
  }
  free(b.p);
  return w->ncode - 1;
}

void trf_launch_begin(struct trf_writer *w, const struct trf_launch *l) {
  struct bytes b = {0};
  w->launch = *l;
  w->launch.ctas = 0;
  w->launch.warp_insns = w->launch.thread_insns = w->launch.hash = 0;
  const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  w->room = (struct rec_room){w->code[l->code].form, w->code[l->code].slots, threads, (threads + 31) / 32,
                              w->flags & TRF_VALUES};
  w->last_cta = UINT32_MAX;
  w->last_end = 0;
  trf_put_launch(&b, l);
  trf_write_section(w, TRF_LAUNCH, b.p, b.n);
  free(b.p);
}

void trf_launch_end(struct trf_writer *w) {
  struct bytes b = {0};
  flush_frame(w);
  put_varint(&b, w->launch.ctas);
  put_varint(&b, w->launch.warp_insns);
  put_varint(&b, w->launch.thread_insns);
  put_u64(&b, w->launch.hash);
  trf_write_section(w, TRF_TOTAL, b.p, b.n);
  free(b.p);
  w->launches++;
  put_varint(&w->index, w->launch.ctas);
  put_bytes(&w->index, w->ctas.p, w->ctas.n);
  w->ctas.n = 0;
}

/* ---- the file ---- */

static bool trf_open_file(struct trf_writer *w, const char *path, struct err *e) {
  char why[IO_WHY];
  if (!path)
    return (w->f = tmpfile()) || err_at(e, NULL, 0, 0, "found no room for a temporary file: %s", strerror(errno));
  if (!(w->out = output_open(path, why))) return err_at(e, path, 0, 0, "cannot be written: %s", why);
  w->f = output_stream(w->out);
  return true;
}

struct trf_writer *trf_create(const char *path, uint32_t flags, const char *meta, struct err *e) {
  struct trf_writer *w = xcalloc(1, sizeof *w);
  snprintf(w->path, sizeof w->path, "%s", path ? path : "a temporary file");
  if (!trf_open_file(w, path, e)) {
    free(w);
    return NULL;
  }
  struct bytes b = {0};
  w->flags = flags;
  pthread_mutex_init(&w->lock, NULL);
  w->zstd = ZSTD_createCCtx();
  if (!w->zstd) no_memory(1, 1 << 20);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
  put_bytes(&b, TRF_MAGIC, 8);
  put_u32(&b, 1); /* major 1, minor 0 */
  put_u32(&b, flags);
  trf_write_bytes(w, b.p, b.n);
  w->headers = fnv1a(FNV_START, b.p, b.n);
  free(b.p);
  trf_write_section(w, TRF_META, (const uint8_t *)meta, strlen(meta));
  return w;
}

bool trf_failed(const struct trf_writer *w) { return w->failed; }

static void trf_write_end(struct trf_writer *w) {
  struct bytes b = {0};
  const uint64_t index = w->at;
  put_varint(&b, w->nframe);
  put_bytes(&b, w->frames.p, w->frames.n);
  put_varint(&b, w->launches);
  put_bytes(&b, w->index.p, w->index.n);
  trf_write_section(w, TRF_INDEX, b.p, b.n);
  b.n = 0;
  put_u64(&b, index);
  put_u32(&b, w->sections);
  put_u64(&b, w->headers);
  trf_write_section(w, TRF_END, b.p, b.n);
  trf_write_bytes(w, TRF_TAIL, 8);
  free(b.p);
}

/* Of a file without a name. */
static bool close_unnamed(struct trf_writer *w, int *fd, char why[IO_WHY]) {
  const bool ok = !fflush(w->f) && (!fd || (*fd = dup(fileno(w->f))) >= 0);
  if (!ok) snprintf(why, IO_WHY, "%s", strerror(errno));
  fclose(w->f);
  return ok;
}

static void trf_writer_free(struct trf_writer *w) {
  for (uint32_t k = 0; k < w->ncode; k++) free(w->code[k].form);
  for (struct trf_rec *r = w->idle, *next; r; r = next) {
    next = *rec_link(r);
    rec_free(r);
  }
  ZSTD_freeCCtx(w->zstd);
  pthread_mutex_destroy(&w->lock);
  free(w->code);
  free(w->packed.p);
  free(w->frame.p);
  free(w->frames.p);
  free(w->index.p);
  free(w->ctas.p);
  free(w);
}

bool trf_finish(struct trf_writer *w, bool ok, int *fd, struct err *e) {
  char why[IO_WHY] = "";
  if (ok) trf_write_end(w);
  const bool good = ok && !w->failed;
  bool closed = w->out ? output_close(w->out, good, why) : close_unnamed(w, good ? fd : NULL, why);
  if (w->failed) snprintf(why, sizeof why, "%s", strerror(w->error));
  if (w->failed || (ok && !closed)) err_at(e, w->path, 0, 0, "cannot be written: %s", why);
  closed &= good;
  trf_writer_free(w);
  return closed;
}
