/* SPDX-License-Identifier: Apache-2.0 */
/* alloc: memory or the end; see err.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

void *xmalloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p) die("no memory for %zu bytes", size);
  return p;
}

void *xcalloc(size_t n, size_t size) {
  void *p = calloc(n ? n : 1, size ? size : 1);
  if (!p) die("no memory for %zu x %zu bytes", n, size);
  return p;
}

void *xrealloc(void *p, size_t size) {
  p = realloc(p, size ? size : 1);
  if (!p) die("no memory for %zu bytes", size);
  return p;
}

void *xcalloc_lines(size_t n, size_t size) {
  if (size && n > SIZE_MAX / 2 / size) die("no memory for %zu x %zu bytes", n, size);
  size_t bytes = (n * size + 63) / 64 * 64;
  void *p = aligned_alloc(64, bytes ? bytes : 64);
  if (!p) die("no memory for %zu bytes", bytes);
  memset(p, 0, bytes);
  return p;
}
