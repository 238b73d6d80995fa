/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of nvdisasm -cfg: read whole, or refused with a message; its register-intervals and strands keep
 * their rules, or an instruction names too many registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/nvdisasm.h"
#include "compiler/ir/interval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void show(const struct cfg *g, struct intervals *v, uint32_t most) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  intervals_text(g, v, "strand", most, f);
  intervals_dot(g, v, f);
  fclose(f);
  free(text);
  intervals_clear(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  struct sass s;
  struct err e = {0};
  const bool ok = sass_parse("fuzz.dot", (const char *)data, n, &s, &e);
  if (ok == e.set || (!ok && !e.text[0])) abort();
  if (!ok) return 0;
  static const uint32_t limits[] = {1, 4, 16, 256};
  for (unsigned k = 0; k < sizeof limits / sizeof *limits; k++)
    for (unsigned how = 0; how < 3; how++) {
      struct intervals v;
      struct err why = {0};
      const bool there = how == 2 ? intervals_form(&s.g, limits[k], &v, &why)
                                  : strands_form(&s.g, (enum strand_cut)how, limits[k], &v, &why);
      if (there) show(&s.g, &v, limits[k]);
      else if (!strstr(why.text, "found an instruction of ")) abort();
    }
  sass_free(&s);
  return 0;
}
