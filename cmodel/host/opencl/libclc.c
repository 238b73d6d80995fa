/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libclc: a fault of libclc 14. Sine, cosine and tangent of large doubles read 16 bytes at once from its table of bits of 2/pi,
 * up to byte 160, and it has 158: two more bytes, which do not change a result, keep them within the variable.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host/opencl/program.h"

static const char table[] = "@PIBITS_TBL", found_type[] = "[158 x i8]", padded_type[] = "[160 x i8]",
                  more[] = "\\00\\00";

/* All types of the table in the line [p, end). */
static void libclc_retype(char *p, const char *end) {
  const size_t n = sizeof found_type - 1;
  while ((p = memmem(p, (size_t)(end - p), found_type, n))) memcpy(p, padded_type, n);
}

bool libclc_pad(struct blob *ir) {
  char *quote = NULL, *at = memmem(ir->s, ir->n, table, sizeof table - 1);
  if (!at) return true;
  for (char *p = ir->s, *last = ir->s + ir->n, *end; p < last; p = end + 1) {
    end = memchr(p, '\n', (size_t)(last - p));
    if (!end) end = last;
    if (!memmem(p, (size_t)(end - p), table, sizeof table - 1)) continue;
    bool definition = *p == '@' && memmem(p, (size_t)(end - p), found_type, sizeof found_type - 1);
    libclc_retype(p, end);
    if (definition) quote = memmem(p, (size_t)(end - p), "\", align ", 9);
  }
  if (!quote) return true; /* another libclc */
  const size_t n = sizeof more - 1, before = (size_t)(quote - ir->s);
  char *s = realloc(ir->s, ir->n + n + 1);
  if (!s) return false;
  memmove(s + before + n, s + before, ir->n - before + 1);
  memcpy(s + before, more, n);
  *ir = (struct blob){s, ir->n + n};
  return true;
}
