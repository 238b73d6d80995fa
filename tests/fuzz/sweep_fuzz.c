/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a plan of regtwin sweep: refused with a message, or whole: every key has values, every list what it may have. */
#include <stdlib.h>
#include <string.h>

#include "lab/campaign/sweep_plan.h"

static void check_axes(const struct sweep_axes *a, unsigned values) {
  for (unsigned i = 0; i < a->n; i++) {
    if (!a->axis[i].key || !a->axis[i].value.n || (values && a->axis[i].value.n != values)) abort();
    for (unsigned k = 0; k < a->axis[i].value.n; k++)
      if (!a->axis[i].value.word[k].text || a->axis[i].value.word[k].line < 1) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct sweep_plan p;
  struct err e = {0};
  const bool ok = sweep_plan_text(&p, "fuzz.yaml", (const char *)data, n, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (ok) {
    if (!p.name || !p.base || !p.size || !p.kernels.n || !p.systems.n) abort();
    if (p.set.n + p.sweep.n + p.zip.n > SWEEP_SETS) abort();
    check_axes(&p.set, 1);
    check_axes(&p.sweep, 0);
    check_axes(&p.zip, p.zip.n ? p.zip.axis[0].value.n : 0);
    for (unsigned i = 0; i < p.nexclude; i++)
      if (!p.exclude[i].n) abort();
  }
  sweep_plan_free(&p);
  return 0;
}
