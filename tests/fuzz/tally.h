/* SPDX-License-Identifier: Apache-2.0 */
/* tally: how often each text came; for the campaigns' tables. */
#ifndef FUZZ_TALLY_H
#define FUZZ_TALLY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

struct tally {
  struct tallied {
    char text[320];
    unsigned kind, n, good, first; /* good: of the n; first: number of the case */
  } * of;
  size_t n, room;
};

static inline struct tallied *tally_add(struct tally *t, unsigned kind, const char *text, unsigned number) {
  for (size_t i = 0; i < t->n; i++)
    if (t->of[i].kind == kind && !strcmp(t->of[i].text, text)) return t->of[i].n++, &t->of[i];
  struct tallied *x = &VEC_PUSH(t->of, t->n, t->room);
  *x = (struct tallied){.kind = kind, .n = 1, .first = number};
  snprintf(x->text, sizeof x->text, "%.319s", text);
  return x;
}

static inline int tally_order(const void *a, const void *b) {
  const struct tallied *x = a, *y = b;
  return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->text, y->text);
}
static inline void tally_sort(struct tally *t) {
  if (t->n) qsort(t->of, t->n, sizeof *t->of, tally_order);
}

/* Without its numbers and what is quoted, so that alike is alike. */
static inline void tally_alike(char *out, size_t size, const char *text) {
  size_t n = 0;
  bool number = false;
  for (const char *p = text; *p && n + 2 < size; p++) {
    bool digit = *p >= '0' && *p <= '9';
    if (digit && number) continue;
    number = digit;
    out[n++] = digit ? '#' : *p;
    if (*p == '\'' && strchr(p + 1, '\'')) p = strchr(p + 1, '\''), out[n++] = '\'';
  }
  out[n] = 0;
}

#endif
