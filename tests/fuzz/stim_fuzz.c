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
#include "../../cosim/engine/stim.c"

/* e_i is in->e_i[2][3] of 7 bits; d_q an array of two registers. */
static const struct item items[] = {
    {.name = "a_i", .kind = ITEM_IN, .width = 5, .bytes = 8, .shape = {.element = 8}, .stim_bytes = 8},
    {.name = "b_i",
     .kind = ITEM_IN,
     .width = 70,
     .offset = 8,
     .bytes = 12,
     .shape = {.element = 12},
     .stim_offset = 8,
     .stim_bytes = 12},
    {.name = "e_i",
     .kind = ITEM_IN,
     .width = 7,
     .n = 6,
     .offset = 20,
     .bytes = 6,
     .shape = {2, {2, 3, 0}, {3, 1, 0}, 1},
     .stim_offset = 24,
     .stim_bytes = 8},
    {.name = "c_o", .kind = ITEM_OUT, .width = 1, .bytes = 8, .shape = {.element = 8}},
    {.name = "d_q",
     .kind = ITEM_STATE,
     .width = 7,
     .n = 2,
     .bytes = 2,
     .shape = {1, {2, 0, 0}, {1, 0, 0}, 1},
     .array = 1,
     .stim_bytes = 16},
};
static const struct block_desc block = {.name = "fuzz",
                                        .item = items,
                                        .items = 5,
                                        .in_bytes = 32,
                                        .out_bytes = 8,
                                        .state_bytes = 8,
                                        .stim_in_bytes = 32,
                                        .stim_state_bytes = 32};

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
  struct head h = {.block = "fuzz", .version = desc_hash(&block), .packed = n, .sum = fnv1a(0, data, n)};
  unsigned long long raw = ZSTD_getFrameContentSize(data, n);
  memcpy(h.magic, magic, sizeof magic);
  h.cycles = raw < 1u << 20 ? raw / 40 : n;
  store(path, &h, HEAD, data, n);
  try(path);
  /* and with states: as many as the first byte says */
  memcpy(h.magic, magic_states, sizeof magic);
  h.states = n ? data[n - 1] % 4 : 0;
  if (raw < 1u << 20) h.cycles = (raw - h.states * block.stim_state_bytes) / 40;
  store(path, &h, sizeof h, data, n);
  try(path);
  remove(path);
  return 0;
}
