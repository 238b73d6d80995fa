/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lrvc: cache of live-register vectors: direct mapped, one miss at a time. The vectors lie in memory, 8 bytes
 * for each instruction. FineReg, section V-C (Fig. 8); docs/blocks/finereg/lrvc.md.
 */
#ifndef RT_BLOCKS_FINEREG_LRVC_H
#define RT_BLOCKS_FINEREG_LRVC_H

#include <stdbool.h>

#define BLOCK lrvc
#define BLOCK_DEF "blocks/finereg/lrvc.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct lrvc {
  struct lrvc_state r;
  struct lrvc_params size;    /* NumEntries: a power of two, at least 2 */
  uint64_t miss_pc_q;         /* PC of the look-up that missed */
  uint64_t miss_addr_q;       /* address of its vector */
  uint64_t response_vector_q; /* zero without response_valid_q */
  bool response_valid_q, response_hit_q;
  bool
      begun; /* vector_base and code_base hold since the last invalidate_i or the first look-up; for the asserts only */
  uint64_t vector_base, code_base;
  uint32_t tag_q[lrvc_NumEntries_most];
  uint64_t vector_q[lrvc_NumEntries_most];
};

#endif
