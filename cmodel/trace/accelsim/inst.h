/* SPDX-License-Identifier: Apache-2.0 */
/* inst: one line of a warp. Private to trace/accelsim/. */
#ifndef RT_ACCELSIM_INST_H
#define RT_ACCELSIM_INST_H

#include "trace/accelsim/scan.h"
#include "trace/accelsim/traceg.h"

bool traceg_inst(const struct traceg_head *h, uint32_t warp, struct scan *s, struct traceg_inst *i);

#endif
