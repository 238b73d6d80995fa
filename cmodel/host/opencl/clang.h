/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clang: runs clang-14, or clang-19 where that is not installed (REGTWIN_CLANG: another path), without a shell, in a temporary directory below TMPDIR. What clang writes
 * is foreign text; it only goes to the build log.
 */
#ifndef RT_OPENCL_CLANG_H
#define RT_OPENCL_CLANG_H

#include <stdbool.h>
#include <stddef.h>

#define LIBCLC "/usr/lib/clc/nvptx64--nvidiacl.bc"

struct blob { /* from malloc, with a zero behind its n bytes */
  char *s;
  size_t n;
};

struct workshop { /* a temporary directory and the log of what runs in it */
  char dir[512];
  char *log; /* NULL: nothing was written */
  size_t log_bytes;
};
/* False: no directory can be made; a line says so. */
bool workshop_open(struct workshop *w);
void workshop_close(struct workshop *w); /* removes the directory; the log is freed if it was not taken */
/* Writes a file into the directory, with the directories that its name needs; false: a line says why. The name is relative, and
 * without "..". */
bool workshop_put(struct workshop *w, const char *name, const void *bytes, size_t n);
/* Reads one; false: it is not there, or there is no memory. */
bool workshop_get(struct workshop *w, const char *name, struct blob *out);
/* The path of a file in the directory, from xmalloc. */
char *workshop_path(const struct workshop *w, const char *name);
void workshop_say(struct workshop *w, const char *text); /* a line of our own in the log */

enum clang_end { CLANG_DONE, CLANG_FAILED, CLANG_MISSING };
/* arg: arguments but the program's name, NULL behind the last; input: a file of the directory for standard input, or NULL. Its output
 * is added to the log. CLANG_MISSING: it, or libclc, is not installed; a line says which package. */
enum clang_end clang_run(struct workshop *w, const char *const *arg, const char *input);

#endif
