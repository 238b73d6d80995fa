/* SPDX-License-Identifier: Apache-2.0 */
/* Any texts, separated by NUL, as the PTX of linked objects: one text, the same twice. */
#include <stdlib.h>
#include <string.h>

#include "host/cudart/link.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static const char *const wanted[] = {"k", "f", "$v"};
  struct link_text in[4] = {0};
  unsigned texts = 0;
  char *copy = malloc(n + 1);
  if (!copy) abort();
  memcpy(copy, data, n);
  copy[n] = 0;
  for (size_t at = 0; at <= n && texts < 4; at += in[texts++].n + 1)
    in[texts] = (struct link_text){copy + at, strlen(copy + at)};
  size_t size, again;
  char *a = link_ptx(in, texts, wanted, 3, &size), *b = link_ptx(in, texts, wanted, 3, &again);
  if (!a || !b || size != again || strlen(a) != size || strcmp(a, b) != 0) abort();
  free(a);
  free(b);
  free(copy);
  return 0;
}
