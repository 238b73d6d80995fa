/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malekeh: the scheduler of Malekeh (sections IV-B1 and IV-B2): the warp that issued last, then warps whose registers lie in a collector
 * unit, then the others, each oldest first; a unit with near registers of another warp is spared for some cycles. The block alloc of the
 * collector `ccu` decides it.
 */
#include "systems/malekeh/malekeh.h"

const struct scheduler_ops scheduler_malekeh = {.name = "malekeh", .pick = malekeh_pick};
