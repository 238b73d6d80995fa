/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a profile of reuse distances: refused with a message, or read whole; then writing it gives the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/reuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct reuse_profile p;
  struct err e = {0};
  const bool ok = reuse_text(&p, "fuzz.reuse", (const char *)data, n, &e);
  if (ok == e.set || (!ok && (!e.text[0] || e.line < 1 || e.col < 1))) abort();
  if (ok) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    reuse_write(&p, f);
    fclose(f);
    if (size != n || memcmp(text, data, n)) abort();
    free(text);
  }
  reuse_free(&p);
  return 0;
}
