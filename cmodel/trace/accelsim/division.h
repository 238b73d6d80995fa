/* SPDX-License-Identifier: Apache-2.0 */
/* division: divisions, reciprocals and square roots as a compiler writes them. Private to sass.c. */
#ifndef RT_ACCELSIM_DIVISION_H
#define RT_ACCELSIM_DIVISION_H

#include "compiler/ir/flow.h"
#include "trace/accelsim/sass.h"

/* live: the registers that hold something before each instruction. Appends the lines of instruction k to l->line, which has *n of *room; l->regs grows by temporaries that no free register is
 * there for. Returns false, and appends nothing, if it is no division. */
bool division_lines(const struct code *c, const struct live *live, uint32_t k, struct sass_listing *l, uint32_t *n,
                    uint32_t *room);

#endif
