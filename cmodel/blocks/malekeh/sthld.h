/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sthld: threshold controller: how long an allocation waits, from the IPC of the last two intervals. Malekeh, section IV-B3 (Figs. 7 to 9);
 * docs/blocks/malekeh/sthld.md. The table of its states is reconstructed: the paper's figure is not in its text.
 */
#ifndef RT_BLOCKS_MALEKEH_STHLD_H
#define RT_BLOCKS_MALEKEH_STHLD_H

#define BLOCK sthld
#define BLOCK_DEF "blocks/malekeh/sthld.def"
#include "blocks/declare.h"

enum { STHLD_ROWS = 12, STHLD_MOST = 63 };

struct sthld {
  struct sthld_state r;
  struct sthld_params size;
};

/* The built-in table: states by small and large change. */
extern const uint16_t sthld_table[STHLD_ROWS];

#endif
