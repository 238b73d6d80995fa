/* SPDX-License-Identifier: Apache-2.0 */
/* What the benches of the FineReg blocks share: names of bins by the dozen, and ports with one bit for each
 * CTA. */
#ifndef RT_TB_FINEREG_H
#define RT_TB_FINEREG_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/words.h"
#include "tb.h"

/* Bins p0, p1, ...: one for each value of a port. */
#define TB_4(B, p) B(p##0) B(p##1) B(p##2) B(p##3)
#define TB_8(B, p) TB_4(B, p) B(p##4) B(p##5) B(p##6) B(p##7)
#define TB_10(B, p) TB_8(B, p) B(p##8) B(p##9)
#define TB_16(B, p) TB_10(B, p) TB_4(B, p##1) B(p##14) B(p##15)
#define TB_32(B, p) TB_10(B, p) TB_10(B, p##1) TB_10(B, p##2) B(p##30) B(p##31)
#define TB_64(B, p) TB_10(B, p) TB_10(B, p##1) TB_10(B, p##2) TB_10(B, p##3) TB_10(B, p##4) TB_10(B, p##5) TB_4(B, p##6)
/* clang-format off */
#define TB_128(B, p)                                                                                    \
  TB_10(B, p) TB_10(B, p##1) TB_10(B, p##2) TB_10(B, p##3) TB_10(B, p##4) TB_10(B, p##5) TB_10(B, p##6) \
  TB_10(B, p##7) TB_10(B, p##8) TB_10(B, p##9) TB_10(B, p##10) TB_10(B, p##11) TB_8(B, p##12)
/* clang-format on */

static inline bool bit_of(const uint32_t *w, unsigned i) { return words_get(w, i, 1); }
static inline void put_bit(uint32_t *w, unsigned i, bool v) { words_set(w, i, 1, v); }

#endif
