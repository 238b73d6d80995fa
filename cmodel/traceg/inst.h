/* SPDX-License-Identifier: Apache-2.0 */
/* inst: one line of a warp. Private to traceg/. */
#ifndef RT_TRACEG_INST_H
#define RT_TRACEG_INST_H

#include "traceg/scan.h"
#include "traceg/traceg.h"

bool traceg_inst(const struct traceg_head *h, uint32_t warp, struct scan *s, struct traceg_inst *i);

#endif
