/* SPDX-License-Identifier: Apache-2.0 */
/* rebuild_work: what rebuild.c has learnt, of which convert.c and layout.c make code. Private to them. */
#ifndef RT_ACCELSIM_REBUILD_WORK_H
#define RT_ACCELSIM_REBUILD_WORK_H

#include <string.h>

#include "base/hashtab.h"
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

struct rebuild {
  const struct opmap *map;
  uint32_t most, regs;
  struct stat *insn;
  uint32_t n, room, last;
  struct edge *edge;
  uint32_t nedge, edge_room;
  struct hashtab ids, edges; /* of insn, by rebuild_hash_of; of edge, by from << 32 | to */
  bool copies, ends;         /* it has asynchronous copies; a warp's trace ends without an exit */
  uint32_t start;
  uint32_t *op_of; /* [n] after rebuild_finish */
  struct arena arena;
};

#endif
