/* SPDX-License-Identifier: Apache-2.0 */
/* pointers: a map from addresses to addresses. A key of NULL is none; the first value of a key stays. */
#ifndef RT_CUDART_POINTERS_H
#define RT_CUDART_POINTERS_H

#include <stddef.h>

struct pointers { /* zeroes: empty */
  struct pointer_pair {
    const void *key;
    void *value;
  } * slot;
  size_t slots, used;
};
void pointers_add(struct pointers *p, const void *key, void *value);
void *pointers_find(const struct pointers *p, const void *key); /* NULL: none */
void pointers_clear(struct pointers *p);                        /* empty again; frees */

#endif
