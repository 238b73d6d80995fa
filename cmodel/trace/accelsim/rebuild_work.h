/* SPDX-License-Identifier: Apache-2.0 */
/* rebuild_work: what rebuild.c has learnt and layout.c makes code of. Private to them. */
#ifndef RT_ACCELSIM_REBUILD_WORK_H
#define RT_ACCELSIM_REBUILD_WORK_H

#include <string.h>

#include "trace/accelsim/rebuild.h"

#define NONE UINT32_MAX

struct stat {
  struct traced t;
  uint32_t then; /* the one that followed it last */
  bool unknown, guarded;
};
struct edge {
  uint32_t from, to; /* from NONE: the kernel begins there */
};
struct slot {
  uint64_t hash;
  uint32_t item; /* NONE: free */
};
struct table {
  struct slot *slot;
  uint32_t room, n;
};

struct rebuild {
  const struct opmap *map;
  uint32_t most, regs;
  struct stat *insn;
  uint32_t n, room, last;
  struct edge *edge;
  uint32_t nedge, edge_room;
  struct table ids, edges;
  bool copies, ends; /* it has asynchronous copies; a warp's trace ends without an exit */
  uint32_t start;
  uint32_t *op_of; /* [n] after rebuild_finish */
  struct arena arena;
};

#endif
