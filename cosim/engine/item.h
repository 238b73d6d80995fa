/* SPDX-License-Identifier: Apache-2.0 */
/*
 * item: the values of a port or register in a C struct, whatever its shape, by struct item (describe.h). `base` is the struct. An element
 * has a number, in the order of the flat vector; a flat port has one element. A value of up to 64 bits is a number, a wider one words.
 */
#ifndef RT_COSIM_ITEM_H
#define RT_COSIM_ITEM_H

#include <stdio.h>

#include "describe.h"

static inline unsigned item_count(const struct item *i) { return i->n ? i->n : 1; }
/* Bits of the flat vector; of an array in the RTL, of all elements. */
static inline unsigned item_bits(const struct item *i) { return i->width * item_count(i); }

static inline const void *item_at(const struct item *i, const void *base, unsigned element) {
  return (const char *)base + i->offset + flat_place(&i->shape, element);
}

static inline uint64_t item_number(const struct item *i, const void *base, unsigned element) {
  return flat_load(item_at(i, base, element), i->shape.element);
}
static inline const uint32_t *item_words(const struct item *i, const void *base, unsigned element) {
  return (const uint32_t *)item_at(i, base, element);
}

/* Word w of an element, zero above its storage. */
static inline uint32_t item_word(const struct item *i, const void *base, unsigned element, unsigned w) {
  if (i->width > 64) return item_words(i, base, element)[w];
  return (uint32_t)(item_number(i, base, element) >> 32 * w);
}

/* Word w of an element of more than 64 bits; of another one its number. */
static inline uint64_t item_value(const struct item *i, const void *base, unsigned element, unsigned w) {
  return i->width > 64 ? item_words(i, base, element)[w] : item_number(i, base, element);
}

static inline bool item_zero(const struct item *i, const void *base, unsigned element) {
  return !rt_any(item_at(i, base, element), i->shape.element);
}

static inline bool item_same(const struct item *i, const void *a, const void *b, unsigned element) {
  return !memcmp(item_at(i, a, element), item_at(i, b, element), i->shape.element);
}

static inline void item_flip(const struct item *i, void *base, unsigned element, unsigned bit) {
  unsigned char *p = (unsigned char *)base + i->offset + flat_place(&i->shape, element);
  p[bit / 8] = (unsigned char)(p[bit / 8] ^ 1u << bit % 8);
}

/* True if the element is zero above its width. */
static inline bool item_fits(const struct item *i, const void *base, unsigned element) {
  const unsigned char *p = (const unsigned char *)item_at(i, base, element);
  unsigned over = i->width % 8 ? p[i->width / 8] >> i->width % 8 : 0;
  for (size_t k = (i->width + 7) / 8; k < i->shape.element; k++) over |= p[k];
  return !over;
}

/* The flat vector, RT_WORDS(item_bits(i)) words. */
static inline void item_pack(const struct item *i, const void *base, uint32_t *words) {
  flat_pack(&i->shape, i->width, (const char *)base + i->offset, words);
}
static inline void item_unpack(const struct item *i, const uint32_t *words, void *base) {
  memset((char *)base + i->offset, 0, i->bytes);
  flat_unpack(&i->shape, i->width, words, (char *)base + i->offset);
}

/* issue_src_i[1][3]; with another form of an index, "_%u", issue_src_i_1_3. Returns name. */
enum { ITEM_NAME = 112 };
static inline const char *item_name_as(const struct item *i, unsigned element, const char *index,
                                       char name[ITEM_NAME]) {
  unsigned at[RT_RANK] = {0};
  size_t n = (size_t)snprintf(name, ITEM_NAME, "%.64s", i->name);
  for (unsigned r = i->shape.rank; r--; element /= i->shape.dim[r]) at[r] = element % i->shape.dim[r];
  for (unsigned r = 0; r < i->shape.rank; r++) n += (size_t)snprintf(name + n, ITEM_NAME - n, index, at[r]);
  return name;
}
static inline const char *item_name(const struct item *i, unsigned element, char name[ITEM_NAME]) {
  return item_name_as(i, element, "[%u]", name);
}

#endif
