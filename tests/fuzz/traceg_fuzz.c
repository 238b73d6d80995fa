/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a trace of Accel-Sim: refused with a message and its place, or imported; then the trace of ours that it became is
 * sound: every step of it can be read, and it has as many as were imported. A first byte of 'x' says that the rest is
 * compressed by xz, of 'l' that it is a list.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/trf/trf.h"
#include "trace/accelsim/import.h"
#include "trace/accelsim/traceg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The bytes as a file, under a name in a directory of the process's own. */
static const char *file_of(const uint8_t *data, size_t n, const char *name) {
  static char path[128];
  static char dir[64];
  if (!dir[0]) {
    snprintf(dir, sizeof dir, "/dev/shm/traceg_fuzz.XXXXXX");
    if (!mkdtemp(dir)) abort();
  }
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "wb");
  if (!f || (n && fwrite(data, 1, n, f) != n) || fclose(f)) abort();
  return path;
}

static uint64_t steps(struct trf *t, uint32_t launch) {
  struct err e = {0};
  uint32_t addr[32], to[32];
  uint64_t n = 0;
  struct trf_step s = {.addr = addr, .to = to};
  const struct trf_launch *l = trf_launch(t, launch);
  for (uint32_t k = 0; k < l->ctas; k++) {
    struct trf_cta *c = trf_cta_open(t, launch, trf_cta_at(t, launch, k), &e);
    if (!c) abort();
    for (unsigned w = 0; w < (l->block[0] * l->block[1] * l->block[2] + 31) / 32; w++) {
      int got;
      while ((got = trf_next(c, w, &s, &e)) == STREAM_GIVEN) n++;
      if (got != STREAM_FINISHED) abort();
    }
    trf_cta_close(c);
  }
  return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct err e = {0};
  struct import_report r;
  char name[64];
  int fd = -1;
  const char kind = n ? (char)data[0] : 0;
  const bool cut = kind == 'x' || kind == 'l';
  const char *path = file_of(data + cut, n - cut, kind == 'x' ? "k.traceg.xz" : kind == 'l' ? "k.g" : "k.traceg");
  const bool good = traceg_import(path, NULL, NULL, &fd, &r, &e);
  if (good == e.set || (!good && !e.text[0])) abort();
  if (good) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    struct trf *t = trf_open(name, &e);
    if (!t) abort();
    uint64_t all = 0;
    for (uint32_t k = 0; k < trf_launches(t); k++) all += steps(t, k);
    if (all != r.warp_insns + r.no_exit) abort();
    trf_free(t);
    close(fd);
  }
  return 0;
}
