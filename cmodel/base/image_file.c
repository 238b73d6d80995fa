/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_file: an image begins, empty or from a file; see image.h. Apart from image.c, so that base/alloc.c needs nothing of this.
 * The file, numbers little-endian:
 *
 *   offset  bytes  what
 *        0      8  "RTIMAGE" and a NUL
 *        8      4  version
 *       12      4  bytes of `about`
 *       16      8  where the image is mapped
 *       24      8  its length (image_heap.top)
 *       32      8  bytes of the pages in the file
 *       40     32  SHA-256 of the program
 *       72      n  about
 *    72 + n         one zstd frame of runs of pages: first page, number of pages (8 bytes each), the pages; 0 pages end it
 *                  SHA-256 of all bytes before it
 *
 * A file is read twice: image_inspect holds it against its last 32 bytes and against the runs' limits before image_map
 * maps anything.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "base/image.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/image_heap.h"

enum { FIXED = 72, HASH = SHA256_DIGEST_SIZE, CHUNK = 1 << 17 };
static const char magic[8] = "RTIMAGE";

/* ---- begin ---- */

/* Maps the range, empty. */
static bool image_reserve(struct err *e) {
  if (image_on()) return err_at(e, NULL, 0, 0, "found a process that has an image already, expected one without");
  if (!image_linked())
    return err_at(e, NULL, 0, 0, "found a program that was not linked for checkpoints, expected regtwin");
  void *at = mmap((void *)IMAGE_BASE, IMAGE_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == (void *)IMAGE_BASE) return true;
  if (at != MAP_FAILED) munmap(at, IMAGE_SIZE);
  return err_at(e, NULL, 0, 0,
                "found no room for the addresses of a checkpoint (%s), expected it (a limit by ulimit -v?)",
                at == MAP_FAILED ? strerror(errno) : "an old kernel");
}

bool image_begin(struct err *e) {
  if (!image_reserve(e)) return false;
  image_use();
  image_start();
  return true;
}

/* ---- files ---- */

static uint64_t image_get_number(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++) v |= (uint64_t)p[i] << 8 * i;
  return v;
}

static void image_put_number(uint8_t *p, uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> 8 * i);
}

/* Of the program that runs, whatever lies under its name by now; read once. */
static bool program_hash(uint8_t out[HASH]) {
  static uint8_t known[HASH];
  static bool read;
  uint8_t buf[CHUNK / 4];
  struct sha256_ctx h;
  FILE *f = read ? NULL : fopen("/proc/self/exe", "rbe");
  if (f) {
    sha256_init(&h);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f));) sha256_update(&h, n, buf);
    read = !ferror(f);
    fclose(f);
    sha256_digest(&h, HASH, known);
  }
  memcpy(out, known, HASH);
  return read;
}

/* ---- write ---- */

struct writer {
  FILE *f;
  struct sha256_ctx hash;
  ZSTD_CCtx *zstd;
  uint8_t *out;
  size_t room;
  int error; /* errno; 0: none so far */
};

static void image_write_plain(struct writer *w, const void *p, size_t n) {
  if (w->error) return;
  errno = 0;
  if (fwrite(p, 1, n, w->f) != n) w->error = errno ? errno : EIO;
  sha256_update(&w->hash, n, p);
}

static void image_write_packed(struct writer *w, const void *p, size_t n, bool last) {
  ZSTD_inBuffer in = {p, n, 0};
  for (size_t left = 1; !w->error && (last ? left : in.pos < in.size);) {
    ZSTD_outBuffer out = {w->out, w->room, 0};
    left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) w->error = ENOMEM;
    else image_write_plain(w, w->out, out.pos);
  }
}

static bool page_is_zero(const uint64_t *page) {
  uint64_t any = 0;
  for (unsigned i = 0; i < IMAGE_PAGE / 8; i++) any |= page[i];
  return !any;
}

/* Which pages from `first` on were ever written, as the kernel says: bits 63 and 62 of an entry, in memory or swapped. All of
 * them, if it does not say. */
static void pages_touched(int fd, uint64_t first, uint64_t n, uint64_t *entry) {
  const off_t at = (off_t)((IMAGE_BASE / IMAGE_PAGE + first) * 8);
  if (fd >= 0 && pread(fd, entry, n * 8, at) == (ssize_t)(n * 8)) return;
  for (uint64_t i = 0; i < n; i++) entry[i] = UINT64_MAX;
}

typedef void page_run_fn(void *ctx, uint64_t first, uint64_t n);

/* Calls `each` for the runs of pages that are not zero. */
static void page_runs(uint64_t pages, page_run_fn *each, void *ctx) {
  enum { AT_ONCE = 4096 };
  uint64_t entry[AT_ONCE], start = 0, n = 0;
  const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  for (uint64_t p = 0; p < pages; p++) {
    if (p % AT_ONCE == 0) pages_touched(fd, p, pages - p < AT_ONCE ? pages - p : AT_ONCE, entry);
    const bool full = entry[p % AT_ONCE] >> 62 && !page_is_zero((const uint64_t *)(IMAGE_BASE + p * IMAGE_PAGE));
    if (full && !n++) start = p;
    if (full || !n) continue;
    each(ctx, start, n);
    n = 0;
  }
  if (n) each(ctx, start, n);
  if (fd >= 0) close(fd);
}

static void count_run(void *ctx, uint64_t first, uint64_t n) {
  (void)first;
  *(uint64_t *)ctx += n * IMAGE_PAGE;
}

static void write_run(void *ctx, uint64_t first, uint64_t n) {
  uint8_t head[16];
  image_put_number(head, first, 8);
  image_put_number(head + 8, n, 8);
  image_write_packed(ctx, head, sizeof head, false);
  image_write_packed(ctx, (const void *)(IMAGE_BASE + first * IMAGE_PAGE), n * IMAGE_PAGE, false);
}

static void image_write_all(struct writer *w, const char *about, size_t n) {
  const struct image_heap *heap = image_heap();
  const uint64_t pages = (heap->top + IMAGE_PAGE - 1) / IMAGE_PAGE;
  uint64_t bytes = 0;
  uint8_t head[FIXED], hash[HASH];
  page_runs(pages, count_run, &bytes);
  memcpy(head, magic, sizeof magic);
  image_put_number(head + 8, IMAGE_VERSION, 4);
  image_put_number(head + 12, n, 4);
  image_put_number(head + 16, IMAGE_BASE, 8);
  image_put_number(head + 24, heap->top, 8);
  image_put_number(head + 32, bytes, 8);
  if (!program_hash(head + 40)) w->error = EIO;
  image_write_plain(w, head, sizeof head);
  image_write_plain(w, about, n);
  page_runs(pages, write_run, w);
  image_write_packed(w, (const uint8_t[16]){0}, 16, true);
  sha256_digest(&w->hash, HASH, hash);
  image_write_plain(w, hash, HASH);
  if (!w->error && fflush(w->f)) w->error = errno;
}

bool image_write(FILE *f, const char *about, size_t n, char why[IO_WHY]) {
  struct writer w = {.f = f, .zstd = ZSTD_createCCtx(), .room = ZSTD_CStreamOutSize()};
  w.out = malloc(w.room); /* not of the image, which must not change now */
  if (!w.zstd || !w.out) w.error = ENOMEM;
  sha256_init(&w.hash);
  if (!w.error) {
    ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_compressionLevel, 1);
    image_write_all(&w, about, n);
  }
  ZSTD_freeCCtx(w.zstd);
  free(w.out);
  if (w.error) snprintf(why, IO_WHY, "%s", strerror(w.error));
  return !w.error;
}

/* ---- read ---- */

struct reader {
  FILE *f;
  const char *path;
  struct err *e;
  struct sha256_ctx hash;
  uint64_t left; /* bytes before the last hash */
  ZSTD_DCtx *zstd;
  uint8_t *buf;
  ZSTD_inBuffer in;
  bool ended; /* the frame has */
  uint64_t top, bytes;
  uint32_t about;
};

static bool image_bad_file(struct reader *r, const char *found) {
  return err_at(r->e, r->path, 0, 0, "found %s, expected a checkpoint that regtwin wrote", found);
}

static bool image_read_plain(struct reader *r, void *p, size_t n) {
  if (n > r->left || fread(p, 1, n, r->f) != n) return image_bad_file(r, "a file that ends too early");
  r->left -= n;
  sha256_update(&r->hash, n, p);
  return true;
}

/* n bytes of the frame; p NULL: they are dropped. */
static bool image_read_packed(struct reader *r, void *p, size_t n) {
  uint8_t drop[IMAGE_PAGE];
  while (n) {
    const size_t want = p || n < sizeof drop ? n : sizeof drop;
    ZSTD_outBuffer out = {p ? p : drop, want, 0};
    while (out.pos < out.size) {
      if (r->ended) return image_bad_file(r, "pages that end too early");
      if (r->in.pos == r->in.size) {
        const size_t more = r->left < CHUNK ? r->left : CHUNK;
        if (!more) return image_bad_file(r, "pages that end too early");
        if (!image_read_plain(r, r->buf, more)) return false;
        r->in = (ZSTD_inBuffer){r->buf, more, 0};
      }
      const size_t status = ZSTD_decompressStream(r->zstd, &out, &r->in);
      if (ZSTD_isError(status)) return image_bad_file(r, "damaged pages");
      r->ended = !status;
    }
    if (p) p = (uint8_t *)p + want;
    n -= want;
  }
  return true;
}

static bool read_runs(struct reader *r, bool map) {
  const uint64_t pages = (r->top + IMAGE_PAGE - 1) / IMAGE_PAGE;
  uint64_t next = 0, bytes = 0;
  for (;;) {
    uint8_t head[16] = {0};
    if (!image_read_packed(r, head, sizeof head)) return false;
    const uint64_t first = image_get_number(head, 8), n = image_get_number(head + 8, 8);
    if (!n) break;
    if (first < next || first > pages || n > pages - first) return image_bad_file(r, "pages outside the image");
    next = first + n;
    bytes += n * IMAGE_PAGE;
    if (bytes > r->bytes) return image_bad_file(r, "more pages than its header says");
    if (!image_read_packed(r, map ? (void *)(IMAGE_BASE + first * IMAGE_PAGE) : NULL, n * IMAGE_PAGE)) return false;
  }
  if (bytes != r->bytes || r->left || r->in.pos != r->in.size)
    return image_bad_file(r, "other pages than its header says");
  return true;
}

static bool read_header(struct reader *r, struct image_info *out) {
  uint8_t head[FIXED] = {0}, own[HASH];
  if (!image_read_plain(r, head, sizeof head)) return false;
  if (memcmp(head, magic, sizeof magic)) return image_bad_file(r, "a file of another kind");
  const uint64_t version = image_get_number(head + 8, 4);
  if (version != IMAGE_VERSION)
    return err_at(r->e, r->path, 0, 0, "found a checkpoint of version %u, expected version %d, that of this program",
                  (unsigned)version, IMAGE_VERSION);
  r->about = (uint32_t)image_get_number(head + 12, 4);
  r->top = image_get_number(head + 24, 8);
  r->bytes = image_get_number(head + 32, 8);
  if (r->about > IMAGE_ABOUT || image_get_number(head + 16, 8) != IMAGE_BASE || r->top > IMAGE_SIZE ||
      r->top < IMAGE_PAGE || r->bytes > r->top + IMAGE_PAGE)
    return image_bad_file(r, "a header with impossible numbers");
  out->bytes = r->bytes;
  out->program = program_hash(own) && !memcmp(own, head + 40, HASH);
  out->about = xcalloc(1, (size_t)r->about + 1);
  return image_read_plain(r, out->about, r->about);
}

/* The checksum first, since what is damaged may look like anything. */
static bool image_read_all(struct reader *r, bool map, struct image_info *out) {
  uint8_t want[HASH], found[HASH];
  struct sha256_ctx all;
  sha256_init(&all);
  rewind(r->f);
  for (uint64_t left = r->left; left;) {
    const size_t n = left < CHUNK ? left : CHUNK;
    if (fread(r->buf, 1, n, r->f) != n) return image_bad_file(r, "a file that ends too early");
    sha256_update(&all, n, r->buf);
    left -= n;
  }
  sha256_digest(&all, HASH, found);
  if (fread(want, 1, HASH, r->f) != HASH) return image_bad_file(r, "a file that ends too early");
  rewind(r->f);
  uint8_t head[sizeof magic];
  const bool ours = fread(head, 1, sizeof head, r->f) == sizeof head && !memcmp(head, magic, sizeof magic);
  rewind(r->f);
  if (!ours) return image_bad_file(r, "a file of another kind");
  if (memcmp(want, found, HASH)) return image_bad_file(r, "a damaged file (its checksum is another)");
  return read_header(r, out) && read_runs(r, map);
}

static bool image_read_file(const char *path, bool map, struct image_info *out, struct err *e) {
  char why[IO_WHY];
  *out = (struct image_info){0};
  struct reader r = {.path = path, .e = e, .f = input_open(path, why)};
  if (!r.f) return err_at(e, path, 0, 0, "%s", why);
  struct stat st;
  if (!fstat(fileno(r.f), &st)) {
    out->owner = st.st_uid;
    out->own = st.st_uid == geteuid() && !(st.st_mode & S_IWOTH);
  }
  sha256_init(&r.hash);
  fseeko(r.f, 0, SEEK_END);
  const off_t end = ftello(r.f);
  out->file_bytes = end > 0 ? (uint64_t)end : 0;
  r.left = out->file_bytes > HASH ? out->file_bytes - HASH : 0;
  r.buf = malloc(CHUNK);
  r.zstd = ZSTD_createDCtx();
  if (!r.buf || !r.zstd) no_memory(CHUNK, 1);
  const bool ok = r.left ? image_read_all(&r, map, out) : image_bad_file(&r, "a file that ends too early");
  ZSTD_freeDCtx(r.zstd);
  free(r.buf);
  fclose(r.f);
  if (!ok) free(out->about), out->about = NULL;
  return ok;
}

bool image_inspect(const char *path, struct image_info *out, struct err *e) {
  return image_read_file(path, false, out, e);
}

bool image_map(const char *path, bool any_owner, struct err *e) {
  struct image_info info;
  if (!image_reserve(e)) return false;
  bool ok = image_read_file(path, true, &info, e);
  free(info.about);
  const struct image_heap *h = (const struct image_heap *)IMAGE_BASE;
  if (ok && !any_owner && !info.own)
    ok = err_at(e, path, 0, 0, "found a file that another user can write, expected one of your own");
  if (ok && (!info.program || h->magic != IMAGE_MAGIC || h->top > IMAGE_SIZE))
    ok = err_at(e, path, 0, 0, "found a checkpoint of another program, expected one of this program");
  image_use();
  if (!ok) image_end();
  return ok;
}
