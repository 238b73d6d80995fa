/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin: writes a fat binary, the container in which a CUDA program carries its device code, for tests without CUDA.
 *
 *   fatbin OUT [none|lz4|zstd] KIND:ARCH:FILE...       e.g.  fatbin out.fatbin zstd ptx:70:a.ptx elf:90:b.cubin
 *
 * The layout is that of nvcc 13's own files: a header of 16 bytes, then entries, each a header and a payload padded to 8
 * bytes. A compressed payload is one raw LZ4 block (flag 0x2000) or one zstd frame (flag 0x8000). PTX has a 0 behind it.
 * A mode holds for the entries behind it. Numbers are little-endian.
 */
#include <lz4.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum mode { NONE = 0, LZ4 = 0x2000, ZSTD = 0x8000 };

struct bytes {
  uint8_t *p;
  size_t n;
};

static void fail(const char *what, const char *of) {
  fprintf(stderr, "fatbin: %s '%s'\n", what, of);
  exit(2);
}

static void *grow(void *p, size_t n) {
  p = realloc(p, n ? n : 1);
  if (!p) fail("no memory for", "a file");
  return p;
}

static void append(struct bytes *b, const void *p, size_t n) {
  b->p = grow(b->p, b->n + n);
  memcpy(b->p + b->n, p, n);
  b->n += n;
}

static void number(struct bytes *b, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) append(b, &(uint8_t){(uint8_t)(v >> 8 * i)}, 1);
}

static struct bytes read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) fail("cannot open", path);
  struct bytes b = {0};
  uint8_t part[65536];
  size_t n;
  while ((n = fread(part, 1, sizeof part, f)) > 0) append(&b, part, n);
  fclose(f);
  return b;
}

static struct bytes pack(struct bytes from, enum mode mode) {
  if (mode == NONE) {
    struct bytes same = {0};
    append(&same, from.p, from.n);
    return same;
  }
  size_t room = mode == LZ4 ? (size_t)LZ4_compressBound((int)from.n) : ZSTD_compressBound(from.n);
  struct bytes to = {grow(NULL, room), 0};
  if (mode == LZ4) to.n = (size_t)LZ4_compress_default((char *)from.p, (char *)to.p, (int)from.n, (int)room);
  else to.n = ZSTD_compress(to.p, room, from.p, from.n, 19);
  if (!to.n || (mode == ZSTD && ZSTD_isError(to.n))) fail("cannot compress", mode == LZ4 ? "lz4" : "zstd");
  return to;
}

static void entry(struct bytes *out, bool ptx, unsigned arch, struct bytes file, enum mode mode) {
  if (ptx) append(&file, "", 1);
  struct bytes body = pack(file, mode);
  size_t padded = (body.n + 7) / 8 * 8;
  unsigned header = ptx ? 80 : 64;
  number(out, ptx ? 1 : 2, 2);
  number(out, 0x101, 2);
  number(out, header, 4);
  number(out, padded, 8);
  number(out, mode ? body.n : 0, 4);
  number(out, ptx ? 64 : 0, 4); /* where the compiler's options lie in the header */
  number(out, 0, 2);            /* version of the PTX or of the cubin */
  number(out, ptx ? 6 : 1, 2);
  number(out, arch, 4);
  number(out, 0, 8);                      /* name of the source: none */
  number(out, 0x11u | (unsigned)mode, 8); /* 0x1: 64-bit addresses; 0x10: for Linux */
  number(out, 0, 8);
  number(out, mode ? file.n : 0, 8);
  if (ptx) number(out, 72, 8), number(out, 0, 8); /* options: none */
  append(out, body.p, body.n);
  number(out, 0, (int)(padded - body.n));
  free(body.p);
  free(file.p);
}

int main(int argc, char **argv) {
  if (argc < 3) fail("expected OUT [none|lz4|zstd] KIND:ARCH:FILE..., found", argc > 1 ? argv[1] : "nothing");
  struct bytes all = {0}, out = {0};
  enum mode mode = NONE;
  for (int i = 2; i < argc; i++) {
    char kind[4];
    unsigned arch;
    int at = 0;
    if (!strcmp(argv[i], "none")) mode = NONE;
    else if (!strcmp(argv[i], "lz4")) mode = LZ4;
    else if (!strcmp(argv[i], "zstd")) mode = ZSTD;
    else if (sscanf(argv[i], "%3[a-z]:%u:%n", kind, &arch, &at) != 2 || !at ||
             (strcmp(kind, "ptx") && strcmp(kind, "elf")))
      fail("expected ptx:ARCH:FILE or elf:ARCH:FILE, found", argv[i]);
    else entry(&all, !strcmp(kind, "ptx"), arch, read_file(argv[i] + at), mode);
  }
  number(&out, 0xba55ed50, 4);
  number(&out, 1, 2);
  number(&out, 16, 2);
  number(&out, all.n, 8);
  append(&out, all.p, all.n);
  FILE *f = fopen(argv[1], "wb");
  if (!f || fwrite(out.p, 1, out.n, f) != out.n || fclose(f)) fail("cannot write", argv[1]);
  free(all.p);
  free(out.p);
}
