/* SPDX-License-Identifier: Apache-2.0 */
/* scan: words and numbers of one line of a trace. Private to trace/accelsim/. The first error of a line is kept in *e. */
#ifndef RT_ACCELSIM_SCAN_H
#define RT_ACCELSIM_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct scan {
  const char *file, *line, *at; /* at: what comes next */
  int number;                   /* of the line */
  struct err *e;
};

/* False and the error: what stands at `at` is not what was expected. */
bool scan_wrong(const struct scan *s, const char *at, const char *expected);
static inline void scan_blanks(struct scan *s) {
  while (*s->at == ' ' || *s->at == '\t') s->at++;
}
static inline int scan_col(const struct scan *s, const char *at) { return (int)(at - s->line) + 1; }
/* After blanks: exactly this text, which is passed. */
bool scan_is(struct scan *s, const char *text);
/* The same; else an error. */
bool scan_text(struct scan *s, const char *text);
/* A decimal number, perhaps with a minus; `what` it is is told, with its range, if it is none. */
bool scan_int(struct scan *s, int64_t least, int64_t most, const char *what, int64_t *v);
bool scan_u32(struct scan *s, uint32_t least, uint32_t most, const char *what, uint32_t *v);
/* A hexadecimal one, with or without 0x. */
bool scan_hex(struct scan *s, uint64_t most, const char *what, uint64_t *v);
bool scan_end(struct scan *s); /* nothing but blanks follows */

#endif
