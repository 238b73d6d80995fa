/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an opcode map: refused with a message and its place, or read; then each of its lookups ends. */
#include <stdlib.h>
#include <string.h>

#include "trace/accelsim/opmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct err e = {0};
  enum op_class c = OC_COUNT;
  struct opmap *m = opmap_text("fuzz.map", (const char *)data, n, &e);
  if (!m == !e.set || (!m && (!e.text[0] || e.line < 1 || e.col < 1))) abort();
  if (!m) return 0;
  char word[100];
  for (size_t at = 0; at < n; at += 7) { /* what stands in the file, and its beginnings */
    size_t k = 0;
    while (at + k < n && k < sizeof word - 1 && data[at + k] > ' ') word[k] = (char)data[at + k], k++;
    word[k] = 0;
    opmap_find(m, word, &c);
    if (c >= OC_COUNT) abort();
  }
  opmap_free(m);
  return 0;
}
