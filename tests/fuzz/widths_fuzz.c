/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a widths file: read whole, or refused with a message. */
#include <stdlib.h>
#include <string.h>

#include "compiler/narrow/packing.h"
#include "lab/run/widths.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct widths w;
  struct err e = {0};
  bool ok = widths_text(&w, "fuzz.widths", (const char *)data, n, NULL, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (ok && (!w.ptx[0] || w.of != w.table)) abort();
  for (uint32_t k = 0; ok && k < w.ntable; k++) {
    const struct width_table *t = w.of = &w.table[k];
    if (!t->quality[0] || !t->command[0]) abort();
    for (uint32_t i = 0; i < t->n; i++)
      if (t->width[i].nibbles < 2 || widths_of(&w, t->width[i].entry, t->width[i].web) != t->width[i].nibbles) abort();
  }
  widths_free(&w);
  return 0;
}
