/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline: functions that are `inline` without `static`. C99, which OpenCL C 1.2 is, wants their definition for calls that are not
 * inlined from another translation unit, and there is none: clang marks the body that it has as available_externally, and the call
 * stays undefined. Drivers of GPUs take that body, and so does this one: in the text of the IR it becomes the module's own.
 */
#define _GNU_SOURCE
#include <string.h>

#include "host/opencl/program.h"

/* With the end of the line before, since a string may have the same words. */
static const char external_mark[] = "\ndefine available_externally ", own[] = "\ndefine internal ",
                  of_all[] = "\ndefine ";
#define LENGTH(text) (sizeof(text) - 1)

void inline_define(struct blob *ir) {
  char *to = memmem(ir->s, ir->n, external_mark, LENGTH(external_mark));
  if (!to) return;
  for (const char *from = to, *last = ir->s + ir->n; from < last;) {
    const char *at = memmem(from, (size_t)(last - from), external_mark, LENGTH(external_mark));
    const size_t between = (size_t)((at ? at : last) - from);
    memmove(to, from, between); /* the text becomes shorter */
    to += between;
    if (!at) break;
    from = at + LENGTH(external_mark);
    const char *end = memchr(from, '\n', (size_t)(last - from));
    const bool kernel = end && memmem(from, (size_t)(end - from), "spir_kernel ", 12);
    const char *instead = kernel ? of_all : own;
    memcpy(to, instead, strlen(instead));
    to += strlen(instead);
  }
  ir->n = (size_t)(to - ir->s);
  *to = 0;
}
