/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmu: register management engine: spills, restores and swaps the live registers of CTAs. FineReg, sections
 * V-B and V-C (Fig. 7 to 9); docs/blocks/finereg/rmu.md. It contains lrvc, rid, ppt, fsmon and pcrf, which are
 * clocked only when it uses them.
 *
 * While the engine waits for memory or for a read of the ACRF, rmu_idle returns "asleep": the answer is an input.
 */
#ifndef RT_BLOCKS_FINEREG_RMU_H
#define RT_BLOCKS_FINEREG_RMU_H

#include "blocks/finereg/fsmon.h"
#include "blocks/finereg/lrvc.h"
#include "blocks/finereg/pcrf.h"
#include "blocks/finereg/ppt.h"
#include "blocks/finereg/rid.h"

#define BLOCK rmu
#define BLOCK_DEF "blocks/finereg/rmu.def"
#define BLOCK_BUSY
#include "blocks/declare.h"

struct rmu {
  struct rmu_state r;
  uint64_t op_q, a_q, b_q, nw_q;
  uint64_t ptr_q, cnt_q; /* b's row of the pointer table */
  bool begun_q;          /* the walk has been started */
  uint64_t reg_q;        /* the register that s_wt and s_wr move */
  uint64_t mvi_v_q, mvi_w_q, mvi_r_q, mvi_idx_q;
  uint64_t mvo_v_q, mvo_w_q, mvo_r_q;
  uint64_t done_v_q, done_ok_q, done_cnt_q;
  uint64_t walked; /* entries the walk has popped, and registers that all CTAs have in the PCRF: for the
                      asserts only */
  uint64_t held;
  uint64_t st_q[rmu_NumWarps];
  uint32_t buf_q[PCRF_LANES];
  struct rmu_params size;
  struct lrvc lrvc;
  struct rid rid;
  struct ppt ppt;
  struct fsmon fsmon;
  struct pcrf pcrf;
};

#endif
