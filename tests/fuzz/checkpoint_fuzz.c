/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a checkpoint: refused with one message, or whole; nothing is mapped. The first byte says how much of a file the
 * others are: 0, all of it; 1, what lies between the magic number and a right checksum; 2, a whole header with its text is made, and the
 * others are what its frame holds.
 */
#define _GNU_SOURCE /* memfd_create */
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROOM = 1 << 20, FIXED = 72 };

static void put(uint8_t *p, uint64_t v) {
  for (unsigned i = 0; i < 8; i++) p[i] = (uint8_t)(v >> 8 * i);
}

/* A header of 16 pages, of which as many are in the file as the first byte says. */
static size_t whole(uint8_t *out, const uint8_t *data, size_t n) {
  memset(out, 0, FIXED);
  memcpy(out, "RTIMAGE", 8);
  out[8] = IMAGE_VERSION;
  out[12] = 4;
  put(out + 16, IMAGE_BASE);
  put(out + 24, 16 * 4096);
  put(out + 32, n ? data[0] % 20 * 4096 : 0);
  memcpy(out + FIXED, "text", 4);
  const size_t got = ZSTD_compress(out + FIXED + 4, ROOM - FIXED - 64, data, n, 1);
  return FIXED + 4 + (ZSTD_isError(got) ? 0 : got);
}

static size_t file_of(uint8_t *out, const uint8_t *data, size_t n) {
  const unsigned how = n ? data[0] % 3 : 0;
  if (n) data++, n--;
  if (n > ROOM / 2) n = ROOM / 2;
  size_t all = n;
  if (how == 2) {
    all = whole(out, data, n);
  } else {
    if (how) memcpy(out, "RTIMAGE", 8);
    memcpy(out + (how ? 8 : 0), data, n);
    if (how) all += 8;
  }
  if (!how) return all;
  struct sha256_ctx h;
  sha256_init(&h);
  sha256_update(&h, all, out);
  sha256_digest(&h, SHA256_DIGEST_SIZE, out + all);
  return all + SHA256_DIGEST_SIZE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static uint8_t out[ROOM + 64];
  struct image_info info;
  struct err e = {0};
  char path[64];
  const size_t size = file_of(out, data, n);
  const int fd = memfd_create("checkpoint", MFD_CLOEXEC);
  if (fd < 0 || write(fd, out, size) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const bool ok = image_inspect(path, &info, &e);
  if (ok == e.set || (!ok && (!e.text[0] || info.about)) || (ok && (!info.about || info.program)) || image_on())
    abort();
  free(info.about);
  close(fd);
  return 0;
}
