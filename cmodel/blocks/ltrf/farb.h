/* SPDX-License-Identifier: Apache-2.0 */
/*
 * farb: fill arbiter: which slot reads or writes the main register file in this cycle. LTRF, section 4.1;
 * docs/blocks/ltrf/farb.md. pfu has one and uses the inline functions: farb_choose is what farb_eval decides by.
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

struct farb_request {
  uint8_t mb, rb; /* bank of the main register file; of a write-back the cache bank, too */
};

static inline bool farb_eligible(struct farb_request q, bool wb, const uint32_t *mrf_rdy, uint64_t rfc_rdy) {
  return mrf_rdy[q.mb >> 5] >> (q.mb & 31) & 1 && (!wb || rfc_rdy >> q.rb & 1);
}

/* The granted one of the slots `asks`, of which `wb` ask for a write-back; -1: none is eligible. */
static inline int farb_choose(const struct farb *s, uint64_t asks, uint64_t wb, const struct farb_request *q,
                              const uint32_t *mrf_rdy, uint64_t rfc_rdy) {
  const uint64_t from_ptr = ~0ull << s->r.ptr_q, part[2] = {asks & from_ptr, asks & ~from_ptr};
  for (unsigned i = 0; i < 2; i++) {
    for (uint64_t m = part[i]; m; m &= m - 1) {
      const int k = bit_low64(m);
      if (farb_eligible(q[k], wb >> k & 1, mrf_rdy, rfc_rdy)) return k;
    }
  }
  return -1;
}

static inline void farb_granted(struct farb *s, uint64_t k) { s->r.ptr_q = (k + 1) & (s->size.Nact - 1); }

#endif
