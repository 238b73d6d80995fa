/* SPDX-License-Identifier: Apache-2.0 */
/* vc: value converter: six warp units, one cycle, no back-pressure (docs/blocks/slice/vc.md). */
#ifndef RT_BLOCKS_SLICE_VC_H
#define RT_BLOCKS_SLICE_VC_H

#define BLOCK vc
#define BLOCK_DEF "blocks/slice/vc.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

enum { VC_UNITS = 6 };

struct vc {
  struct vc_state r;
  uint64_t converted_valid_q;
  uint32_t converted_data_q[VC_UNITS][32]; /* zero where converted_valid_q is zero */
};

#endif
