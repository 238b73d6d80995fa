/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a manifest: read whole, or refused with a message. */
#include <stdlib.h>

#include "lab/kernels/suite/about.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct about a;
  struct arena arena = {0};
  struct err e = {0};
  bool ok = about_text(&a, &arena, "fuzz.yaml", (const char *)data, n, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (ok && (!a.what[0] || !a.suite[0] || !a.entry[0] || !a.metric[0] || !a.differs[0])) abort();
  arena_free(&arena);
  return 0;
}
