/* SPDX-License-Identifier: Apache-2.0 */
/* alloc: memory allocation that ends the program when there is none; see err.h. With an image (image.h) it lies there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/image.h"

void no_memory(size_t n, size_t size) {
  char of[32] = "";
  if (size != 1) snprintf(of, sizeof of, " x %zu", size);
  dprintf(STDERR_FILENO, "regtwin: error: found no memory for %zu%s bytes, expected it (a limit by ulimit -v?)\n", n,
          of);
  _exit(2);
}

void *xmalloc(size_t size) {
  void *p = image_on() ? image_alloc(size) : malloc(size ? size : 1);
  if (!p) no_memory(size, 1);
  return p;
}

void *xcalloc(size_t n, size_t size) {
  if (size && n > SIZE_MAX / 2 / size) no_memory(n, size);
  void *p = image_on() ? image_alloc(n * size) : calloc(n ? n : 1, size ? size : 1);
  if (!p) no_memory(n, size);
  return p;
}

void *xrealloc(void *p, size_t size) {
  p = image_on() && (!p || image_holds(p)) ? image_realloc(p, size) : realloc(p, size ? size : 1);
  if (!p) no_memory(size, 1);
  return p;
}

void *xmalloc_lines(size_t n, size_t size) {
  if (size && n > SIZE_MAX / 2 / size) no_memory(n, size);
  size_t bytes = (n * size + 63) / 64 * 64;
  void *p = image_on() ? image_alloc(bytes) : aligned_alloc(64, bytes ? bytes : 64);
  if (!p) no_memory(bytes, 1);
  return p;
}

void *xcalloc_lines(size_t n, size_t size) {
  void *p = xmalloc_lines(n, size);
  if (!image_on()) memset(p, 0, n * size);
  return p;
}
