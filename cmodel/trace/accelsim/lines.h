/* SPDX-License-Identifier: Apache-2.0 */
/* lines: a text file line by line, plain or, if its name ends in .xz, compressed. Memory is bounded whatever the file says. */
#ifndef RT_ACCELSIM_LINES_H
#define RT_ACCELSIM_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { LINES_MOST = 1 << 16 }; /* bytes of a line */

struct lines;
struct lines *lines_open(const char *path, struct err *e); /* NULL and *e */
/* Plain text in memory, which outlives the reader. */
struct lines *lines_text(const char *name, const char *text, size_t n);
void lines_close(struct lines *l); /* NULL is fine */
/* 1: the next line, without its end, NUL-terminated until the next call. 0: there is none. -1 and *e: it cannot be read,
 * is too long, or has a NUL. */
int lines_next(struct lines *l, char **text, size_t *n, struct err *e);
const char *lines_path(const struct lines *l);
int lines_line(const struct lines *l); /* number of the line that lines_next has given last; 0: none yet */

#endif
