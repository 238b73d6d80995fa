/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hashtab: a hash table from 64-bit keys to 64-bit values, by open addressing, at most half full. A key is a number or an address itself,
 * or the fnv1a of something larger. Such keys may be equal by chance: the caller puts the index of an item, or its address,
 * and compares the items that hashtab_next returns.
 *
 * Entries cannot be removed one by one. There is no iteration, since its order would depend on the keys, which may be addresses:
 * whoever needs all items keeps them in an array, and their indices here.
 */
#ifndef RT_BASE_HASHTAB_H
#define RT_BASE_HASHTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASHTAB_NONE UINT64_MAX /* no value */

struct hashtab { /* zeros: empty; free with hashtab_free */
  struct hashtab_slot {
    uint64_t key, value; /* value HASHTAB_NONE: the slot is free */
  } * slot;
  uint64_t room, n; /* slots, 0 or a power of two; entries */
};

/* Adds an entry, even if there are others of this key. value < HASHTAB_NONE. */
void hashtab_put(struct hashtab *t, uint64_t key, uint64_t value);
/* Adds an entry and returns true if there is none of this key; otherwise the table stays as it is. */
bool hashtab_add(struct hashtab *t, uint64_t key, uint64_t value);
/* Value of the key's first entry; HASHTAB_NONE: there is none. */
uint64_t hashtab_find(const struct hashtab *t, uint64_t key);
/* Returns the values of all entries of a key, one a call, then HASHTAB_NONE; *at is 0 before the first call. Their order has no meaning. */
uint64_t hashtab_next(const struct hashtab *t, uint64_t key, uint64_t *at);

/* A table of texts has the address of each as value, its fnv1a as key. Adds a text, which stays where it is as long as the table. */
void hashtab_put_text(struct hashtab *t, const char *text);
/* Text of the table that equals these n bytes; NULL: there is none. Texts of one key are compared. */
const char *hashtab_find_text(const struct hashtab *t, const char *s, size_t n);

void hashtab_clear(struct hashtab *t); /* empty; keeps its memory */
void hashtab_free(struct hashtab *t);  /* empty again; frees */

#endif
