/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an entry of --cache, and a good entry with bytes changed, cut or added: only the entry as it was written is taken for one. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/cache.h"

enum { SIZE = 200, MOST = 4096 };
static const struct work work = {"fuzz", SIZE, sizeof(struct task), NULL};
static struct task task = {.name = "vecadd", .size = "small"};
static struct cache *cache;
static char entry[4096];
static uint8_t written[MOST], result[SIZE];
static size_t nwritten;

static void store(const uint8_t *data, size_t n) {
  FILE *f = fopen(entry, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

static char dir[] = "/tmp/cache-fuzz.XXXXXX";
static void end(void) {
  remove(entry);
  *strrchr(entry, '/') = 0; /* the program's directory, then the cache */
  rmdir(entry);
  rmdir(dir);
}

static void begin(void) {
  static char pattern[64];
  struct err e = {0};
  glob_t g;
  atexit(end);
  stderr = fopen("/dev/null", "w"); /* the warnings; libFuzzer and ASan write to the descriptor itself */
  config_defaults(&task.cfg);
  for (unsigned i = 0; i < SIZE; i++) result[i] = (uint8_t)(i * 7);
  if (!mkdtemp(dir) || !(cache = cache_open(dir, &e))) abort();
  cache_put(cache, &work, &task, result);
  snprintf(pattern, sizeof pattern, "%s/*/fuzz.*", dir);
  if (glob(pattern, 0, NULL, &g) || g.gl_pathc != 1)
    abort(); /* run from the repository's directory: it has the kernel */
  snprintf(entry, sizeof entry, "%s", g.gl_pathv[0]);
  globfree(&g);
  FILE *f = fopen(entry, "rb");
  if (!f || !(nwritten = fread(written, 1, MOST, f)) || fclose(f)) abort();
}

static void try(const uint8_t *data, size_t n) {
  uint8_t out[SIZE];
  const bool same = n == nwritten && !memcmp(data, written, n);
  store(data, n);
  if (cache_get(cache, &work, &task, out) != same || (same && memcmp(out, result, SIZE))) abort();
  cache_put(cache, &work, &task, result); /* a bad entry is written anew */
  if (!cache_get(cache, &work, &task, out) || memcmp(out, result, SIZE)) abort();
}

/* Pairs of a place and what is flipped there; an odd byte at the end cuts the entry there. */
static void near_it(const uint8_t *data, size_t n) {
  uint8_t near[MOST];
  size_t length = nwritten;
  memcpy(near, written, nwritten);
  for (size_t i = 0; i + 3 <= n; i += 3) near[(data[i] << 8 | data[i + 1]) % nwritten] ^= data[i + 2];
  if (n % 3 == 1) length = data[n - 1] % nwritten;
  if (n % 3 == 2 && length < MOST) near[length++] = data[n - 1];
  try(near, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  if (!cache) begin();
  try(data, n);
  near_it(data, n);
  return 0;
}
