/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near: near bits of operands (docs/reference/reuse-distance.md) as the systems of Malekeh take them. A collector that uses them has
 * malekeh_near as its hook `near`; the run then makes them before its first launch, and malekeh_near_bits reads them.
 * Source: Malekeh section III-A.
 */
#ifndef RT_SYSTEMS_MALEKEH_NEAR_H
#define RT_SYSTEMS_MALEKEH_NEAR_H

#include "sm/slot_api.h"
#include "trace/stream.h"

/* What the keys malekeh.near, malekeh.profile and malekeh.rthld say; *want->file lives as long as *cfg. */
void malekeh_near(const struct config *cfg, struct near_want *want);

/* Bit per operand of this execution of the instruction, in the order of struct op: source k is bit k, destination k is bit
 * 8 + k. */
static inline unsigned malekeh_near_bits(const struct config *cfg, const struct op *op, const struct warp_inst *inst) {
  return cfg->malekeh_near == malekeh_near_exact ? inst->near : op->near;
}

#endif
