/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmu: register management engine: spills, restores and swaps the live registers of CTAs. FineReg, sections
 * V-B, V-C and V-E (Fig. 7 to 9); docs/blocks/finereg/rmu.md. Two engines with the same ports (parameter Engine): the pipelined one
 * (rmu.c) and the serial one of the first version (rmu_serial.c). Both contain lrvc, ppt and fsmon, the serial one rid and pcrf, too, of
 * which the pipelined one has only the memories. A part is clocked only when it is used.
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

enum { RMU_SERIAL = 1, RMU_PIPELINED = 2 }; /* Engine */
enum { RMU_PLACES = 5, RMU_READS = 2 };

/* What the pipelined engine has of its own. */
struct rmu_pipe {
  uint64_t left_q; /* warps without an answer */
  uint64_t lk_v_q, lk_w_q;
  uint64_t sp_q; /* spare entries: free and promised to no register */
  bool wk_q, over_q, hold_q;
  uint32_t st_v_q; /* rows of st_q that are valid; the others are 0 */
  uint64_t rem_q, dw_q;
  struct rmu_name {
    uint8_t w, r;
  } rd_q[RMU_READS]; /* reads under way (x_q of them), oldest first */
  struct rmu_name buf_id_q;
  bool buf_v_q;
  /* The walker. The entry in p3 is in the window already, which counts its data from the next cycle on. */
  bool p1_v_q, p2_v_q, p3_v_q, wait_v_q;
  uint16_t p1_q, p2_q, wait_q;
  unsigned credit_q, head_q, nt_q, np_q, nd_q;
  struct rmu_place {
    struct rmu_name id;
    bool end;
    uint32_t d[PCRF_LANES];
  } window_q[RMU_PLACES]; /* a ring; its first nt_q places are read, np_q passed, nd_q have their data */
};

struct rmu {
  struct rmu_state r;
  uint64_t op_q, a_q, b_q, nw_q;
  uint64_t ptr_q, cnt_q; /* b's row of the pointer table */
  bool begun_q;          /* the walk has been started */
  uint64_t reg_q;        /* serial: the register that s_wt and s_wr move */
  uint64_t mvi_v_q, mvi_w_q, mvi_r_q, mvi_idx_q;
  uint64_t mvo_v_q, mvo_w_q, mvo_r_q;
  uint64_t done_v_q, done_ok_q, done_cnt_q;
  uint64_t walked; /* entries the walk has popped, and registers that all CTAs have in the PCRF: for the
                      asserts only */
  uint64_t held;
  uint64_t st_q[rmu_NumWarps];
  uint32_t buf_q[PCRF_LANES];
  struct rmu_pipe pipe;
  struct rmu_params size;
  struct lrvc lrvc;
  struct rid rid;
  struct ppt ppt;
  struct fsmon fsmon;
  struct pcrf pcrf;
};

#endif
