/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op: the timing model's view of a static instruction, in one cache line; shared by all warps.
 * Everything here is in physical 32-bit registers (docs/reference/timing.md).
 */
#ifndef RT_IR_OP_H
#define RT_IR_OP_H

#include <stdint.h>

enum cls { /* execution-unit class: latency and interval come from the configuration */
           CLS_INT,
           CLS_IMUL,
           CLS_SP,
           CLS_DP,
           CLS_SFU,
           CLS_DIV,
           CLS_TENSOR,
           CLS_LSU,
           CLS_CTRL,
           CLS_TEX,
           CLS_COUNT
};

enum { /* op.kind: bits */
       K_LOAD = 1,
       K_STORE = 2,
       K_ATOMIC = 4, /* LSU; shfl has none of the three */
       K_BAR = 8,
       K_BRANCH = 16,
       K_EXIT = 32,
       K_BYPASS = 64, /* volatile, .cg: past the L1 */
       K_STREAM = 128
};

enum op_async { /* cp.async: 0: none of these */
                OA_NONE,
                OA_COPY,
                OA_COMMIT,
                OA_WAIT,
                OA_WAIT_ALL,
                OA_ARRIVE, /* cp.async.mbarrier.arrive: at an mbarrier, once the warp's copies before it are done */
                OA_TEST    /* mbarrier.test_wait, try_wait */
};

struct op {
  uint64_t need[4];  /* registers read or written: one AND with the pending writes */
  uint32_t pc, line; /* 8 * index; source line, for messages */
  uint16_t pneed,
      near; /* predicates read or written; near bit per operand (Malekeh; sources from bit 0, destinations from bit 8) */
  uint8_t src[6], dst[4];
  uint8_t nsrc, ndst; /* 32-bit registers */
  uint8_t cls, kind;
  union {
    uint8_t bytes; /* per lane, of a memory access */
    uint8_t rate;  /* mma: enum mma_rate */
  };
  uint8_t dead;  /* bit per source: last use by the warp */
  uint16_t pdst; /* predicates written */
  uint8_t async; /* enum op_async */
  union {
    uint8_t count;     /* wait: groups that may be under way; ldmatrix: lanes that give an address; else 0 */
    uint8_t intervals; /* mma: of the tensor unit */
  };
};
_Static_assert(sizeof(struct op) == 64, "one cache line");

#endif
