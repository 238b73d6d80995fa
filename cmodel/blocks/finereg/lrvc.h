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
  struct lrvc_params size; /* NumEntries: a power of two, at least 2 */
  uint64_t pc_q;           /* PC of the look-up that missed */
  uint64_t m_a_q;          /* address of its vector */
  uint64_t rs_vec_q;       /* zero without rs_v_q */
  bool rs_v_q, rs_hit_q;
  bool begun; /* base and cbase hold since the last inv or the first look-up; for the asserts only */
  uint64_t base, cbase;
  uint32_t tag_m[lrvc_NumEntries_most];
  uint64_t vec_m[lrvc_NumEntries_most];
};

#endif
