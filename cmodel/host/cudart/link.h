/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link: the PTX of the objects that nvcc -rdc=true links, as one text. What a text takes from others (.extern) is left out where one of them
 * defines it; of several .weak definitions the first stays; names of one text alone that another one has, too, get a suffix. A text is in it if it defines
 * one of the wanted names, or what a text that is in it takes from others.
 */
#ifndef RT_CUDART_LINK_H
#define RT_CUDART_LINK_H

#include <stddef.h>

struct link_text {
  const char *text; /* n bytes, a NUL behind them */
  size_t n;
};
/* A text and a NUL, *size bytes without it, freed by the caller; NULL: no memory. What is no PTX is passed on as far as it can be, so
 * that who reads the result finds the error. */
char *link_ptx(const struct link_text *in, unsigned n, const char *const *wanted, unsigned wanted_n, size_t *size);

#endif
