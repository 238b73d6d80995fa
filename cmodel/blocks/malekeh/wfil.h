/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfil: write filter: which result each collector caches, which ones it only invalidates. Malekeh, sections III-B and IV-A2;
 * docs/blocks/malekeh/wfil.md. It has a clock, but no register.
 */
#ifndef RT_BLOCKS_MALEKEH_WFIL_H
#define RT_BLOCKS_MALEKEH_WFIL_H

#define BLOCK wfil
#define BLOCK_DEF "blocks/malekeh/wfil.def"
#include "blocks/declare.h"

struct wfil {
  struct wfil_state r;
  struct wfil_params size; /* powers of two */
};

#endif
