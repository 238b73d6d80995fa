/* SPDX-License-Identifier: Apache-2.0 */
/* lines: see lines.h. */
#include "trace/accelsim/lines.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

enum { IN_BYTES = 1 << 16, OUT_BYTES = 1 << 18 };
/* xz -9 needs 65 MB to decompress. */
#define XZ_MEMORY (96ull << 20)

struct lines {
  char *path;
  FILE *f;
  const char *text; /* of lines_text */
  size_t left;
  bool xz, whole; /* whole: everything was read */
  lzma_stream z;
  uint8_t *in;
  char *out; /* [OUT_BYTES + 1] */
  size_t at, n;
  int line;
};

static struct lines *lines_new(const char *path) {
  struct lines *l = xcalloc(1, sizeof *l);
  const size_t n = strlen(path);
  l->path = xmalloc(n + 1);
  memcpy(l->path, path, n + 1);
  l->out = xmalloc(OUT_BYTES + 1);
  return l;
}

struct lines *lines_text(const char *name, const char *text, size_t n) {
  struct lines *l = lines_new(name);
  l->text = text;
  l->left = n;
  return l;
}

struct lines *lines_open(const char *path, struct err *e) {
  struct lines *l = lines_new(path);
  char why[IO_WHY];
  const size_t n = strlen(path);
  l->xz = n > 3 && !strcmp(path + n - 3, ".xz");
  if (!(l->f = input_open(path, why))) err_at(e, path, 0, 0, "cannot open it: %s", why);
  else if (!l->xz) return l;
  else if (l->z = (lzma_stream)LZMA_STREAM_INIT, lzma_stream_decoder(&l->z, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
    no_memory(1, (size_t)XZ_MEMORY);
  else {
    l->in = xmalloc(IN_BYTES);
    return l;
  }
  lines_close(l);
  return NULL;
}

void lines_close(struct lines *l) {
  if (!l) return;
  if (l->in) lzma_end(&l->z);
  if (l->f) fclose(l->f);
  free(l->in);
  free(l->out);
  free(l->path);
  free(l);
}

const char *lines_path(const struct lines *l) { return l->path; }
int lines_line(const struct lines *l) { return l->line; }

static int lines_fail(const struct lines *l, struct err *e, const char *found) {
  err_at(e, l->path, l->line + 1, 1, "%s", found);
  return -1;
}

static int lines_check_unpacked(struct lines *l, lzma_ret r, struct err *e) {
  switch (r) {
    case LZMA_OK: return 1;
    case LZMA_STREAM_END: l->whole = true; return 1;
    case LZMA_FORMAT_ERROR: return lines_fail(l, e, "found other data, expected a file of xz");
    case LZMA_MEMLIMIT_ERROR:
      return lines_fail(l, e, "found xz data that need more than 96 MB of memory, expected those of xz -9 or less");
    case LZMA_BUF_ERROR:
      return lines_fail(l, e, "found the end of the compressed data, expected more: the file is cut off");
    case LZMA_MEM_ERROR: no_memory(1, (size_t)XZ_MEMORY);
    default: return lines_fail(l, e, "found compressed data that are damaged, expected a sound file of xz");
  }
}

static int lines_unpack(struct lines *l, char *to, size_t room, size_t *got, struct err *e) {
  l->z.next_out = (uint8_t *)to;
  l->z.avail_out = room;
  while (l->z.avail_out == room && !l->whole) {
    if (!l->z.avail_in && !feof(l->f)) {
      l->z.next_in = l->in;
      l->z.avail_in = fread(l->in, 1, IN_BYTES, l->f);
      if (ferror(l->f)) return lines_fail(l, e, strerror(errno));
    }
    const int k = lines_check_unpacked(l, lzma_code(&l->z, feof(l->f) ? LZMA_FINISH : LZMA_RUN), e);
    if (k < 0) return k;
  }
  *got = room - l->z.avail_out;
  return 1;
}

/* More text behind what is there. */
static int lines_fill(struct lines *l, struct err *e) {
  memmove(l->out, l->out + l->at, l->n -= l->at);
  l->at = 0;
  char *to = l->out + l->n;
  size_t room = OUT_BYTES - l->n, got = 0;
  if (l->xz) {
    if (lines_unpack(l, to, room, &got, e) < 0) return -1;
  } else if (l->f) {
    got = fread(to, 1, room, l->f);
    if (ferror(l->f)) return lines_fail(l, e, strerror(errno));
    l->whole = !got;
  } else {
    got = l->left < room ? l->left : room;
    memcpy(to, l->text, got);
    l->text += got;
    l->left -= got;
    l->whole = !got;
  }
  l->n += got;
  return 1;
}

int lines_next(struct lines *l, char **text, size_t *n, struct err *e) {
  char *end;
  size_t seen = 0; /* of the line, without an end in it */
  while (!(end = memchr(l->out + l->at + seen, '\n', l->n - l->at - seen))) {
    seen = l->n - l->at;
    if (seen > LINES_MOST || l->whole) break;
    if (lines_fill(l, e) < 0) return -1;
  }
  if (!end && l->whole && !seen) return 0;
  *text = l->out + l->at;
  *n = end ? (size_t)(end - *text) : seen;
  if (*n > LINES_MOST) return lines_fail(l, e, "found a line of more than 65536 bytes, expected a shorter one");
  if (l->line == INT_MAX) return lines_fail(l, e, "found more than 2147483647 lines, expected fewer");
  l->line++;
  l->at += *n + (end != NULL);
  const char *nul = memchr(*text, 0, *n);
  if (nul) {
    err_at(e, l->path, l->line, (int)(nul - *text) + 1, "found a NUL, expected text");
    return -1;
  }
  if (*n && (*text)[*n - 1] == '\r') --*n;
  (*text)[*n] = 0;
  return 1;
}
