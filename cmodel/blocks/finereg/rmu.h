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
  uint64_t unanswered_q; /* warps whose vector is not known yet */
  uint64_t lookup_valid_q, lookup_warp_q;
  uint64_t spare_q; /* spare entries: free and promised to no register */
  bool walk_start_q, walk_over_q, drain_hold_q;
  uint32_t vector_valid_q; /* rows of vector_q that are valid; the others are 0 */
  uint64_t remaining_q, drain_warp_q;
  struct rmu_name {
    uint8_t warp, reg;
  } read_name_q[RMU_READS]; /* reads under way (reads_q of them), oldest first */
  struct rmu_name buffer_name_q;
  bool buffer_valid_q;
  /* The walker. The entry in stage 3 is in the window already; its data counts from the next cycle on. */
  bool stage1_valid_q, stage2_valid_q, stage3_valid_q, wait_valid_q;
  uint16_t stage1_index_q, stage2_index_q, wait_index_q;
  unsigned credit_q, window_head_q, window_count_q, passed_count_q, data_count_q;
  /* A ring: its first window_count_q places have their tag, passed_count_q may be written, data_count_q have their data. */
  struct rmu_place {
    struct rmu_name name;
    bool end;
    uint32_t data[PCRF_LANES];
  } window_q[RMU_PLACES];
};

struct rmu {
  struct rmu_state r;
  uint64_t operation_q, outgoing_cta_q, incoming_cta_q, command_warps_q;
  uint64_t incoming_pointer_q, incoming_count_q; /* the incoming CTA's row of the pointer table */
  bool walk_begun_q;                             /* the walk has been started */
  uint64_t register_q;                           /* serial: the register that drain_wait and drain_write move */
  uint64_t stored_valid_q, stored_warp_q, stored_register_q, stored_index_q;
  uint64_t restored_valid_q, restored_warp_q, restored_register_q;
  uint64_t done_valid_q, done_success_q, done_count_q;
  uint64_t walked; /* entries the walk has popped, and registers that all CTAs have in the PCRF: for the
                      asserts only */
  uint64_t held;
  uint64_t vector_q[rmu_NumWarps];
  uint32_t buffer_data_q[PCRF_LANES];
  struct rmu_pipe pipe;
  struct rmu_params size;
  struct lrvc lrvc;
  struct rid rid;
  struct ppt ppt;
  struct fsmon fsmon;
  struct pcrf pcrf;
};

#endif
