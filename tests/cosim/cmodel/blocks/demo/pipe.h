/* SPDX-License-Identifier: Apache-2.0 */
/* pipe: a FIFO; the engine's own test block. */
#ifndef RT_BLOCKS_DEMO_PIPE_H
#define RT_BLOCKS_DEMO_PIPE_H

#define BLOCK pipe
#define BLOCK_DEF "blocks/demo/pipe.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#include "blocks/declare.h"

struct pipe {
  struct pipe_state r;
  uint64_t taken; /* words, since the reset */
  uint32_t d[4][RT_WORDS(72)];
};

#endif
