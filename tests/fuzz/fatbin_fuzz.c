/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a fat binary: its PTX, or an error with a text; the same again. The first byte says which of the fields that every container
 * has are set right, so that inputs get past them. */
#include <stdlib.h>
#include <string.h>

#include "host/cudart/fatbin.c"

static void repair(uint8_t *p, size_t n, uint8_t how) {
  if ((how & 1) && n >= CONTAINER) {
    const uint64_t head = FATBIN_MAGIC | (uint64_t)1 << 32 | (uint64_t)CONTAINER << 48, left = n - CONTAINER;
    memcpy(p, &head, sizeof head);
    memcpy(p + 8, &left, sizeof left);
  }
  if ((how & 2) && n >= CONTAINER + ENTRY) {
    uint8_t *entry = p + CONTAINER;
    const uint32_t payload = (uint32_t)(n - CONTAINER - ENTRY), flags = how & 4 ? FLAG_LZ4 : FLAG_ZSTD;
    memcpy(entry, &(uint32_t){KIND_PTX}, 4);
    memcpy(entry + 4, &(uint32_t){ENTRY}, 4);
    memcpy(entry + 8, &(uint64_t){payload}, 8);
    memcpy(entry + 16, &payload, 4);
    memcpy(entry + 40, &flags, 4);
    memset(entry + 58, 0, 6); /* the size after decompression: up to 64 KB */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  if (!n) return 0;
  n--;
  uint8_t *p = malloc(n ? n : 1);
  if (!p) abort();
  memcpy(p, data + 1, n);
  repair(p, n, data[0]);
  struct err e = {0}, again = {0};
  struct fatbin_ptx a, b;
  enum fatbin_status first = fatbin_read(p, n, &a, &e), second = fatbin_read(p, n, &b, &again);
  if (first != second || a.n != b.n || strcmp(e.text, again.text) != 0) abort();
  if ((first == FATBIN_OK) == e.set || (e.set && !e.text[0])) abort();
  if (first == FATBIN_OK && (memcmp(a.text, b.text, a.n + 1) != 0 || a.text[a.n] || a.target != fatbin_target(p, n)))
    abort();
  free(a.text);
  free(b.text);
  free(p);
  return 0;
}
