/* SPDX-License-Identifier: Apache-2.0 */
/* What Malekeh's benches share: lists of bins, one for each unit, bank, result and warp, at the bench's parameters (tb.h); and any elements. */
#ifndef RT_TB_MALEKEH_LISTS_H
#define RT_TB_MALEKEH_LISTS_H

#include "blocks/words.h"
#include "tb.h"

#define OF_UNITS(B, p) TB_LIST(TB_PARAM(NumCollectors), B, p)
#define OF_BANKS(B, p) TB_LIST(TB_PARAM(NumBanks), B, p)
#define OF_RESULTS(B, p) TB_LIST(TB_PARAM(NumResults), B, p)
#define OF_WARPS(B, p) TB_LIST(TB_PARAM(NumWarps), B, p)

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
