/* SPDX-License-Identifier: Apache-2.0 */
/* table: the threshold controller's table from a file (docs/blocks/malekeh/sthld.md), for a run and for E-MK9. */
#ifndef RT_SYSTEMS_MALEKEH_TABLE_H
#define RT_SYSTEMS_MALEKEH_TABLE_H

#include "base/err.h"
#include "blocks/malekeh/sthld.h"

/* Reads the rows as on the block's port. False and *e with the place. */
bool malekeh_table(const char *path, uint16_t rows[STHLD_ROWS], struct err *e);

#endif
