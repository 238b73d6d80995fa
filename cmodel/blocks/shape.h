/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape: macros for the shape of a port or register in a .def (declare.h): `...` is the dimensions, the outermost first, then the width of
 * one element. A width alone is a flat port.
 */
#ifndef RT_BLOCKS_SHAPE_H
#define RT_BLOCKS_SHAPE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "blocks/words.h"

enum { RT_RANK = 3 }; /* dimensions, at most */

/* form0 of a flat port, form1 of one dimension, and so on; RT_SHAPE calls it. */
#define RT_PICK(a, b, c, d, form, ...) form
#define RT_OF_RANK(form, ...) RT_PICK(__VA_ARGS__, form##3, form##2, form##1, form##0, )
#define RT_SHAPE(form, ...) RT_OF_RANK(form, __VA_ARGS__)(__VA_ARGS__)

/* Dimensions: how many; a list of them; as brackets of a C declaration. */
#define RT_RANK_OF0(w) 0
#define RT_RANK_OF1(a, w) 1
#define RT_RANK_OF2(a, b, w) 2
#define RT_RANK_OF3(a, b, c, w) 3
#define RT_RANK_OF(...) RT_SHAPE(RT_RANK_OF, __VA_ARGS__)
#define RT_LIST0(w)
#define RT_LIST1(a, w) (a)
#define RT_LIST2(a, b, w) (a), (b)
#define RT_LIST3(a, b, c, w) (a), (b), (c)
#define RT_LIST(...) RT_SHAPE(RT_LIST, __VA_ARGS__)
#define RT_DIMS0(w)
#define RT_DIMS1(a, w) [a]
#define RT_DIMS2(a, b, w) [a][b]
#define RT_DIMS3(a, b, c, w) [a][b][c]
#define RT_DIMS(...) RT_SHAPE(RT_DIMS, __VA_ARGS__)

/* Elements; bits of one; bits of all, those of the flat port. True if none of the numbers is zero. */
#define RT_COUNT0(w) 1
#define RT_COUNT1(a, w) (a)
#define RT_COUNT2(a, b, w) ((a) * (b))
#define RT_COUNT3(a, b, c, w) ((a) * (b) * (c))
#define RT_COUNT(...) RT_SHAPE(RT_COUNT, __VA_ARGS__)
#define RT_WIDTH0(w) (w)
#define RT_WIDTH1(a, w) (w)
#define RT_WIDTH2(a, b, w) (w)
#define RT_WIDTH3(a, b, c, w) (w)
#define RT_WIDTH(...) RT_SHAPE(RT_WIDTH, __VA_ARGS__)
#define RT_BITS0(w) (w)
#define RT_BITS1(a, w) ((a) * (w))
#define RT_BITS2(a, b, w) ((a) * (b) * (w))
#define RT_BITS3(a, b, c, w) ((a) * (b) * (c) * (w))
#define RT_BITS(...) RT_SHAPE(RT_BITS, __VA_ARGS__)
#define RT_LEGAL0(w) ((w) >= 1)
#define RT_LEGAL1(a, w) ((a) >= 1 && (w) >= 1)
#define RT_LEGAL2(a, b, w) ((a) >= 1 && (b) >= 1 && (w) >= 1)
#define RT_LEGAL3(a, b, c, w) ((a) >= 1 && (b) >= 1 && (c) >= 1 && (w) >= 1)
#define RT_LEGAL(...) RT_SHAPE(RT_LEGAL, __VA_ARGS__)

/* An OUTC line has a string after its shape: the shape; the string. */
#define RT_PICK5(a, b, c, d, e, form, ...) form
#define RT_BEFORE0(w, s) w
#define RT_BEFORE1(a, w, s) a, w
#define RT_BEFORE2(a, b, w, s) a, b, w
#define RT_BEFORE3(a, b, c, w, s) a, b, c, w
#define RT_BEFORE(...) RT_PICK5(__VA_ARGS__, RT_BEFORE3, RT_BEFORE2, RT_BEFORE1, RT_BEFORE0, )(__VA_ARGS__)
#define RT_DEPENDS0(w, s) s
#define RT_DEPENDS1(a, w, s) s
#define RT_DEPENDS2(a, b, w, s) s
#define RT_DEPENDS3(a, b, c, w, s) s
#define RT_DEPENDS(...) RT_PICK5(__VA_ARGS__, RT_DEPENDS3, RT_DEPENDS2, RT_DEPENDS1, RT_DEPENDS0, )(__VA_ARGS__)

/* The C types: RT_FLAT of a flat port, RT_ELEMENT of an element. Above 64 bits both are uint32_t[], word 0 lowest. */
#ifdef __cplusplus
extern "C++" {
#include <type_traits>
template <std::size_t W>
using rt_flat = std::conditional_t<(W > 64), uint32_t[RT_WORDS(W)], uint64_t>;
template <std::size_t W>
using rt_element =
    std::conditional_t<(W > 32), rt_flat<W>,
                       std::conditional_t<(W > 16), uint32_t, std::conditional_t<(W > 8), uint16_t, uint8_t>>>;
}
#define RT_FLAT(w) rt_flat<(w)>
#define RT_ELEMENT(w) rt_element<(w)>
#else
#define RT_CHOOSE(yes, a, b) __builtin_choose_expr((yes), (a *)0, (b)0)
#define RT_FLAT(w) __typeof__(*RT_CHOOSE((w) <= 64, uint64_t, uint32_t(*)[RT_WORDS(w)]))
#define RT_ELEMENT(w)                \
  __typeof__(*__builtin_choose_expr( \
      (w) <= 8, (uint8_t *)0,        \
      __builtin_choose_expr(         \
          (w) <= 16, (uint16_t *)0,  \
          __builtin_choose_expr((w) <= 32, (uint32_t *)0, RT_CHOOSE((w) <= 64, uint64_t, uint32_t(*)[RT_WORDS(w)])))))
#endif
#define RT_TYPE0(w) RT_FLAT(w)
#define RT_TYPE1(a, w) RT_ELEMENT(w)
#define RT_TYPE2(a, b, w) RT_ELEMENT(w)
#define RT_TYPE3(a, b, c, w) RT_ELEMENT(w)
#define RT_TYPE(...) RT_SHAPE(RT_TYPE, __VA_ARGS__)
/* A member of a struct. What fills a shaped one up to 8 bytes is a member too, so that copies and comparisons see no padding. */
#define RT_FILL0(name, w)
#define RT_FILL1(name, ...) \
  unsigned char RT_CAT(name, _fill)[(8 - sizeof(RT_ELEMENT(RT_WIDTH(__VA_ARGS__))) * RT_COUNT(__VA_ARGS__) % 8) % 8];
#define RT_FILL2(name, ...) RT_FILL1(name, __VA_ARGS__)
#define RT_FILL3(name, ...) RT_FILL1(name, __VA_ARGS__)
#define RT_MEMBER(name, ...)                      \
  RT_TYPE(__VA_ARGS__) name RT_DIMS(__VA_ARGS__); \
  RT_OF_RANK(RT_FILL, __VA_ARGS__)(name, __VA_ARGS__)

/* Not zero if some byte is not zero. n is a constant. */
static inline __attribute__((always_inline)) uint64_t rt_any(const void *at, size_t n) {
  const unsigned char *p = (const unsigned char *)at;
  uint64_t any = 0, v;
  for (; n >= 8; n -= 8, p += 8) memcpy(&v, p, 8), any |= v;
  for (; n; n--) any |= *p++;
  return any;
}

#endif
