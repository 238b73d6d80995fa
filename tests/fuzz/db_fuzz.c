/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a database of results, and a good one with bytes changed, cut or added: refused with a message, or what it gives for
 * a run is the result as it was written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/database/db.h"

enum { MOST = 1 << 20 };
static char dir[] = "/tmp/db-fuzz.XXXXXX", path[64];
static struct task task = {.name = "vecadd", .size = "small"};
static struct run_result result;
static uint8_t written[MOST];
static size_t nwritten;

static void end(void) {
  char name[80];
  for (unsigned i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s%s", path, (const char *const[]){"", "-wal", "-shm", "-journal"}[i]);
    unlink(name);
  }
  rmdir(dir);
}

static void begin(void) {
  struct err e = {0};
  const struct answer done = {.ok = true, .seconds = 1};
  atexit(end);
  stderr = fopen("/dev/null", "w"); /* the warnings; libFuzzer and ASan write to the descriptor itself */
  config_defaults(&task.cfg);
  if (!mkdtemp(dir)) abort();
  snprintf(path, sizeof path, "%s/db", dir);
  for (unsigned i = 0; i < sizeof result.sm / 8; i++) ((uint64_t *)&result.sm)[i] = i * 1000003 + 7;
  result.cycles = 12345;
  struct db *d = db_open(path, DB_WRITE, &e);
  if (!d) abort(); /* run from the repository's directory: it has the kernel */
  db_put(d, &work_run, &task, &done, &result);
  db_close(d);
  FILE *f = fopen(path, "rb");
  if (!f || !(nwritten = fread(written, 1, MOST, f)) || nwritten == MOST || fclose(f)) abort();
}

static void try(const uint8_t *data, size_t n) {
  static struct run_result got;
  char name[80];
  for (unsigned i = 0; i < 2; i++) {
    struct err e = {0};
    for (unsigned k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "%s%s", path, (const char *const[]){"-wal", "-shm", "-journal"}[k]);
      unlink(name);
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) abort();
    struct db *d = db_open(path, i ? DB_WRITE : DB_READ, &e);
    if (!d == !e.set || (!d && !e.text[0])) abort();
    if (d && db_get(d, &work_run, &task, &got) && memcmp(&got.sm, &result.sm, sizeof got.sm)) abort();
    if (d && i) db_put(d, &work_run, &task, &(struct answer){.ok = true}, &result);
    db_close(d);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static uint8_t near[MOST];
  if (!nwritten) begin();
  if (n % 8 == 0) try(data, n);
  memcpy(near, written, nwritten);
  size_t length = nwritten;
  for (size_t i = 0; i + 4 <= n; i += 4)
    near[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % nwritten] ^= data[i + 3];
  if (n % 4 == 1) length = nwritten * data[n - 1] / 256;
  try(near, length);
  return 0;
}
