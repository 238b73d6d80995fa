/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a stimulus file: read whole, or refused with a message. As they are, and again as the packed part of a file
 * whose head and sum are right, so that what is behind the sum is reached. What was read is written and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define die stim_die /* what the reader calls; the library has its own */
#include "../../cosim/stim.c"

static const struct item items[] = {
    {"a_i", ITEM_IN, 5, 0, 0, 8, NULL, 0},
    {"b_i", ITEM_IN, 70, 0, 8, 16, NULL, 0},
    {"c_o", ITEM_OUT, 1, 0, 0, 8, NULL, 0},
    {"d_q", ITEM_STATE, 7, 0, 0, 8, NULL, 0},
};
static const struct block_desc block = {
    .name = "fuzz", .item = items, .items = 4, .in_bytes = 24, .out_bytes = 8, .state_bytes = 24};

static jmp_buf refused;
static bool told;

void die(const char *format, ...) {
  char text[1024];
  va_list a;
  va_start(a, format);
  told = vsnprintf(text, sizeof text, format, a) > 0;
  va_end(a);
  longjmp(refused, 1);
}

static bool read_back(struct stim *s, const char *path) {
  told = false;
  if (setjmp(refused)) {
    if (!told) abort();
    return false;
  }
  stim_read(s, &block, path);
  return true;
}

static void try(const char *path) {
  static struct stim s, again;
  if (!read_back(&s, path)) return;
  if (stim_write(&s, &block, path) || !read_back(&again, path)) abort();
  if (again.cycles != s.cycles) abort();
  for (uint64_t k = 0; k < s.cycles; k++) {
    const unsigned char *a = stim_state(&s, &block, k), *b = stim_state(&again, &block, k);
    if (stim_reset(&s, k) != stim_reset(&again, k) || memcmp(stim_in(&s, k), stim_in(&again, k), block.in_bytes))
      abort();
    if (!a != !b || (a && memcmp(a, b, block.state_bytes))) abort();
  }
  stim_free(&s);
  stim_free(&again);
}

static void store(const char *path, const void *head, size_t bytes, const uint8_t *data, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(head, 1, bytes, f) != bytes || fwrite(data, 1, n, f) != n || fclose(f)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/stim-fuzz-%d", (int)getpid());
  store(path, "", 0, data, n);
  try(path);
  struct head h = {.block = "fuzz", .version = desc_hash(&block), .packed = n, .sum = fnv(0, data, n)};
  unsigned long long raw = ZSTD_getFrameContentSize(data, n);
  memcpy(h.magic, magic, sizeof magic);
  h.cycles = raw < 1u << 20 ? raw / 32 : n;
  store(path, &h, HEAD, data, n);
  try(path);
  /* and with states: as many as the first byte says */
  memcpy(h.magic, magic_states, sizeof magic);
  h.states = n ? data[n - 1] % 4 : 0;
  if (raw < 1u << 20) h.cycles = (raw - h.states * block.state_bytes) / 32;
  store(path, &h, sizeof h, data, n);
  try(path);
  remove(path);
  return 0;
}
