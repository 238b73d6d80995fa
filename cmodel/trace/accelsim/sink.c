/* SPDX-License-Identifier: Apache-2.0 */
/* sink: see sink.h. */
#include "trace/accelsim/sink.h"

#include <lzma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

enum { BUFFER = 1 << 16, PRESET = 1 }; /* what Accel-Sim's tracer compresses with */

struct sink {
  char *path;
  struct output *o;
  FILE *f;
  bool xz, failed;
  lzma_stream z;
  uint8_t *out;
  uint64_t bytes;
};

struct sink *sink_open(const char *path, bool xz, struct err *e) {
  char why[IO_WHY];
  struct output *o = output_open(path, why);
  if (!o) {
    err_at(e, path, 0, 0, "cannot write it: %s", why);
    return NULL;
  }
  struct sink *s = xcalloc(1, sizeof *s);
  s->path = memcpy(xmalloc(strlen(path) + 1), path, strlen(path) + 1);
  s->o = o;
  s->f = output_stream(o);
  s->xz = xz;
  s->z = (lzma_stream)LZMA_STREAM_INIT;
  if (xz && lzma_easy_encoder(&s->z, PRESET, LZMA_CHECK_CRC64) != LZMA_OK) no_memory(1, 1 << 24);
  if (xz) s->out = xmalloc(BUFFER);
  return s;
}

bool sink_failed(const struct sink *s) { return s->failed; }

static void sink_write(struct sink *s, const void *p, size_t n) {
  if (n && fwrite(p, 1, n, s->f) != n) s->failed = true;
  s->bytes += n;
}

static void sink_compress(struct sink *s, const char *text, size_t n, lzma_action action) {
  lzma_ret r;
  s->z.next_in = (const uint8_t *)text;
  s->z.avail_in = n;
  do {
    s->z.next_out = s->out;
    s->z.avail_out = BUFFER;
    r = lzma_code(&s->z, action);
    if (r == LZMA_MEM_ERROR) no_memory(1, 1 << 24);
    if (r != LZMA_OK && r != LZMA_STREAM_END) die("xz: found error %d of the encoder", (int)r);
    sink_write(s, s->out, BUFFER - s->z.avail_out);
  } while (action == LZMA_FINISH ? r != LZMA_STREAM_END : s->z.avail_in > 0);
}

void sink_put(struct sink *s, const char *text, size_t n) {
  if (s->failed || !n) return;
  if (s->xz) sink_compress(s, text, n, LZMA_RUN);
  else sink_write(s, text, n);
}

void sink_print(struct sink *s, const char *fmt, ...) {
  char *text = xmalloc(BUFFER);
  va_list ap;
  va_start(ap, fmt);
  const int n = vsnprintf(text, BUFFER, fmt, ap);
  va_end(ap);
  sink_put(s, text, n < BUFFER ? (size_t)n : BUFFER - 1);
  free(text);
}

bool sink_close(struct sink *s, bool ok, uint64_t *bytes, struct err *e) {
  char why[IO_WHY];
  if (ok && s->xz && !s->failed) sink_compress(s, "", 0, LZMA_FINISH);
  const bool good = output_close(s->o, ok, why);
  if (ok && !good) err_at(e, s->path, 0, 0, "cannot write it: %s", why);
  *bytes = s->bytes;
  lzma_end(&s->z);
  free(s->out);
  free(s->path);
  free(s);
  return good;
}
