/* SPDX-License-Identifier: Apache-2.0 */
/*
 * farb: fill arbiter: which slot reads or writes the main register file in this cycle. LTRF, section 4.1;
 * docs/blocks/ltrf/farb.md. pfu has one and uses the inline functions: farb_eval decides by farb_choose.
 */
#ifndef RT_BLOCKS_LTRF_FARB_H
#define RT_BLOCKS_LTRF_FARB_H

#include <stdbool.h>

#include "base/bits.h"

#define BLOCK farb
#define BLOCK_DEF "blocks/ltrf/farb.def"
#include "blocks/declare.h"

struct farb {
  struct farb_state r;
  struct farb_params size; /* powers of two */
};

/* True if slot k may be granted: both banks that its request needs are free. */
static inline bool farb_eligible(const struct farb_in *in, unsigned k) {
  const unsigned bank = in->request_main_bank_i[k];
  return in->main_ready_i[bank / 32] >> bank % 32 & 1 &&
         (!(in->request_write_back_i >> k & 1) || in->cache_ready_i >> in->request_cache_bank_i[k] & 1);
}

/* The slot that is granted; -1: none is eligible. */
static inline int farb_choose(const struct farb *s, const struct farb_in *in) {
  const uint64_t after = ~0ull << s->r.pointer_q;
  const uint64_t part[2] = {in->request_valid_i & after, in->request_valid_i & ~after};
  for (unsigned i = 0; i < 2; i++) {
    for (uint64_t m = part[i]; m; m &= m - 1) {
      const int k = bit_low64(m);
      if (farb_eligible(in, (unsigned)k)) return k;
    }
  }
  return -1;
}

static inline void farb_granted(struct farb *s, uint64_t k) { s->r.pointer_q = (k + 1) & (s->size.NumSlots - 1); }

#endif
