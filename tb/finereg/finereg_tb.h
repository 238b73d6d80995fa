/* SPDX-License-Identifier: Apache-2.0 */
/* What the benches of the FineReg blocks share: ports with one bit for each CTA or entry. */
#ifndef RT_TB_FINEREG_H
#define RT_TB_FINEREG_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/words.h"
#include "tb.h"

static inline bool finereg_bit_of(const uint32_t *w, unsigned i) { return words_get(w, i, 1); }
static inline void finereg_put_bit(uint32_t *w, unsigned i, bool v) { words_set(w, i, 1, v); }

#endif
