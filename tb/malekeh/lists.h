/* SPDX-License-Identifier: Apache-2.0 */
/* What Malekeh's benches share: lists of bins, one for each unit, bank, result and warp, at the bench's parameters (tb.h); and any elements. */
#ifndef RT_TB_MALEKEH_LISTS_H
#define RT_TB_MALEKEH_LISTS_H

#include "blocks/words.h"
#include "tb.h"

#define LIST_2 TB_2
#define LIST_4 TB_4
#define LIST_8 TB_8
#define LIST_16 TB_16
#define LIST_32 TB_32
#define LIST2(n, B, p) LIST_##n(B, p)
#define LIST(n, B, p) LIST2(n, B, p)
#define OF_UNITS(B, p) LIST(TB_PARAM(NumCollectors), B, p)
#define OF_BANKS(B, p) LIST(TB_PARAM(NumBanks), B, p)
#define OF_RESULTS(B, p) LIST(TB_PARAM(NumResults), B, p)
#define OF_WARPS(B, p) LIST(TB_PARAM(NumWarps), B, p)

/* n elements of `width` bits, any; one draw of all of them. */
static inline void any_elements(struct tb_rng *r, uint8_t *to, unsigned n, unsigned width) {
  uint32_t words[RT_WORDS(64 * 8)] = {0};
  if (n * width > 64) {
    tb_words(r, words, n * width);
  } else {
    words_set(words, 0, n * width, tb_bits(r, n * width));
  }
  for (unsigned k = 0; k < n; k++) to[k] = (uint8_t)words_get(words, k * width, width);
}

#endif
