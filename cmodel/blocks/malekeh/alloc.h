/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc: issue and allocation of a sub-core: which warp issues, into which collector. Malekeh, sections IV-B1 and IV-B2 (Fig. 6);
 * docs/blocks/malekeh/alloc.md.
 *
 * One warp of the page's order matters: the first one that is not passed over issues or ends the search.
 */
#ifndef RT_BLOCKS_MALEKEH_ALLOC_H
#define RT_BLOCKS_MALEKEH_ALLOC_H

#include <stdbool.h>

#define BLOCK alloc
#define BLOCK_DEF "blocks/malekeh/alloc.def"
#define BLOCK_HOLDS
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum alloc_policy { ALLOC_MALEKEH = 1, ALLOC_PER_WARP = 2, ALLOC_RANDOM = 3 };

struct alloc {
  struct alloc_state r;
  struct alloc_params size; /* NumWarps, NumCollectors: powers of two */
};

#endif
