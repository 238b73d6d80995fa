/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit: CTA limit controller: how many CTAs may issue, from the cycles in which the SM waited. After DYNCTA (PACT 2013), cited from memory;
 * docs/blocks/example/limit.md.
 */
#ifndef RT_BLOCKS_EXAMPLE_LIMIT_H
#define RT_BLOCKS_EXAMPLE_LIMIT_H

#define BLOCK limit
#define BLOCK_DEF "blocks/example/limit.def"
#define BLOCK_BUSY
#define BLOCK_COUNTS
#include "blocks/declare.h"

enum { LIMIT_MOST = 32 }; /* CTAs */

struct limit {
  struct limit_state r;
  struct limit_params size;
  uint64_t idle_i, memory_i; /* of the last clock edge: what limit_skip counts */
};

#endif
