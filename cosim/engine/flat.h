/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat: between a port or register with a shape (blocks/declare.h) in a C struct and the flat vector that it is in Verilog, in words,
 * word 0 lowest. C and C++; little-endian hosts.
 */
#ifndef RT_COSIM_FLAT_H
#define RT_COSIM_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "blocks/shape.h"

/* Where the elements of a member lie. A flat port has rank 0 and one element. */
struct flat_shape {
  unsigned rank;            /* dimensions */
  unsigned dim[RT_RANK];    /* at this set; 0 from rank on */
  unsigned stride[RT_RANK]; /* bytes in the C array from one index to the next */
  unsigned element;         /* bytes of an element in C: 1, 2, 4, 8, or words */
};

/* An initializer: member is an expression of its C type, `...` the shape at the set. */
#define FLAT_STRIDES0(m)
#define FLAT_STRIDES1(m) sizeof(m)[0]
#define FLAT_STRIDES2(m) sizeof(m)[0], sizeof(m)[0][0]
#define FLAT_STRIDES3(m) sizeof(m)[0], sizeof(m)[0][0], sizeof(m)[0][0][0]
#define FLAT_ELEMENT0(m) sizeof(m)
#define FLAT_ELEMENT1(m) sizeof(m)[0]
#define FLAT_ELEMENT2(m) sizeof(m)[0][0]
#define FLAT_ELEMENT3(m) sizeof(m)[0][0][0]
#define FLAT_SHAPE(member, ...)                                                                       \
  {                                                                                                   \
    RT_RANK_OF(__VA_ARGS__), {RT_LIST(__VA_ARGS__)}, {RT_OF_RANK(FLAT_STRIDES, __VA_ARGS__)(member)}, \
        RT_OF_RANK(FLAT_ELEMENT, __VA_ARGS__)(member)                                                 \
  }

/* True if a set's shape fits the member: each dimension, and the width of an element. */
#define FLAT_FITS0(m, w) (RT_WORDS(w) * 4u <= sizeof(m))
#define FLAT_FITS1(m, a, w) ((a) <= sizeof(m) / sizeof(m)[0] && (w) <= 8 * sizeof(m)[0])
#define FLAT_FITS2(m, a, b, w) ((a) <= sizeof(m) / sizeof(m)[0] && FLAT_FITS1((m)[0], b, w))
#define FLAT_FITS3(m, a, b, c, w) ((a) <= sizeof(m) / sizeof(m)[0] && FLAT_FITS2((m)[0], b, c, w))
#define FLAT_FITS(member, ...) (RT_LEGAL(__VA_ARGS__) && RT_OF_RANK(FLAT_FITS, __VA_ARGS__)(member, __VA_ARGS__))

static inline unsigned flat_count(const struct flat_shape *s) {
  unsigned n = 1;
  for (unsigned r = 0; r < s->rank; r++) n *= s->dim[r];
  return n;
}

/* The place of an element, counted in the order of the flat vector, in bytes from the member's start. */
static inline size_t flat_place(const struct flat_shape *s, unsigned element) {
  size_t at = 0;
  for (unsigned r = s->rank; r--; element /= s->dim[r]) at += (size_t)(element % s->dim[r]) * s->stride[r];
  return at;
}

static inline uint64_t flat_load(const void *at, unsigned bytes) {
  uint64_t v = 0;
  memcpy(&v, at, bytes < 8 ? bytes : 8);
  return v;
}

static inline void flat_store(void *at, unsigned bytes, uint64_t v) { memcpy(at, &v, bytes < 8 ? bytes : 8); }

/* Visits the elements in order: n is an element's number, p (a char pointer) its place. */
#define FLAT_EACH(s, n, p, base)                                               \
  for (unsigned n = 0, i_ = 0; i_ < ((s)->rank > 0 ? (s)->dim[0] : 1); i_++)   \
    for (unsigned j_ = 0; j_ < ((s)->rank > 1 ? (s)->dim[1] : 1); j_++)        \
      for (unsigned k_ = 0; k_ < ((s)->rank > 2 ? (s)->dim[2] : 1); k_++, n++) \
        if (((p) = (base) + (size_t)i_ * (s)->stride[0] + (size_t)j_ * (s)->stride[1] + (size_t)k_ * (s)->stride[2]))

/* Copies n bits between words; whole words at once where both begin with one. */
static inline void flat_copy(uint32_t *dst, unsigned to, const uint32_t *src, unsigned from, unsigned n) {
  if ((to | from) % 32 == 0) {
    memcpy(dst + to / 32, src + from / 32, 4 * (size_t)(n / 32));
    to += n / 32 * 32, from += n / 32 * 32, n %= 32;
  }
  words_copy(dst, to, src, from, n);
}

/* True if the member's bytes are the flat vector: whole words, one element after the other. */
static inline bool flat_dense(const struct flat_shape *s, unsigned width) {
  if (width % 32 || width != 8 * s->element) return false;
  size_t bytes = s->element;
  for (unsigned r = s->rank; r--; bytes *= s->dim[r])
    if (s->stride[r] != bytes) return false;
  return true;
}

/* Packs the elements, each of `width` bits, into RT_WORDS(count * width) words. What an element has above its width is left out. */
static inline void flat_pack(const struct flat_shape *s, unsigned width, const void *member, uint32_t *words) {
  const char *p;
  if (flat_dense(s, width)) {
    memcpy(words, member, (size_t)flat_count(s) * s->element);
    return;
  }
  memset(words, 0, 4 * (size_t)RT_WORDS(flat_count(s) * width));
  FLAT_EACH(s, n, p, (const char *)member) {
    if (width > 64) flat_copy(words, n * width, (const uint32_t *)(const void *)p, 0, width);
    else words_set(words, n * width, width, flat_load(p, s->element));
  }
}

/* The inverse. Elements beyond the set's dimensions are left as they are. */
static inline void flat_unpack(const struct flat_shape *s, unsigned width, const uint32_t *words, void *member) {
  char *p;
  if (flat_dense(s, width)) {
    memcpy(member, words, (size_t)flat_count(s) * s->element);
    return;
  }
  FLAT_EACH(s, n, p, (char *)member) {
    if (s->element > 8) memset(p, 0, s->element);
    if (width > 64) flat_copy((uint32_t *)(void *)p, 0, words, n * width, width);
    else flat_store(p, s->element, words_get(words, n * width, width));
  }
}

/* True if the element at p holds these bits and is zero above them. */
static inline bool flat_same_element(const struct flat_shape *s, unsigned width, const uint32_t *words, unsigned at,
                                     const void *p) {
  if (width <= 64 && s->element <= 8) return flat_load(p, s->element) == words_get(words, at, width);
  const uint32_t *element = (const uint32_t *)p;
  unsigned w = 0;
  for (; w < RT_WORDS(width); w++) {
    const unsigned left = width - 32 * w;
    if (element[w] != words_get(words, at + 32 * w, left < 32 ? left : 32)) return false;
  }
  for (; w < s->element / 4; w++)
    if (element[w]) return false;
  return true;
}

/* True if the member is what flat_unpack makes of the words, up to the set's dimensions. */
static inline bool flat_equal(const struct flat_shape *s, unsigned width, const uint32_t *words, const void *member) {
  const char *p;
  if (flat_dense(s, width)) return !memcmp(words, member, (size_t)flat_count(s) * s->element);
  FLAT_EACH(s, n, p, (const char *)member) {
    if (!flat_same_element(s, width, words, n * width, p)) return false;
  }
  return true;
}

#endif
