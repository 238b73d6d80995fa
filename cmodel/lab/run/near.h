/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near: the near bits that a configuration asks for (slots_near), made for a workload before it is timed.
 *
 * NEAR_PROFILE: op.near of the workload's kernels, from a file, from two CTAs of each kernel, or from a trace that was recorded
 * with the same ones.
 * NEAR_EXACT: warp_inst.near. Another workload of the same files is executed first, without time, and a bit recorded for each
 * operand of each instruction of each warp that will be timed; the timed run reads them. A warp that then executes other
 * instructions, or other lanes, than were recorded is an error.
 *
 * Cost of NEAR_EXACT: the functional run; and of each warp a bit for each operand that it executes, and some 40 bytes; bits of
 * a warp are freed when it exits in the timed run.
 */
#ifndef RT_RUN_NEAR_H
#define RT_RUN_NEAR_H

#include "lab/run/load.h"
#include "sm/slots.h"

/* Of a workload as workload_compile left it; seed: that of the run. NULL: nothing more is needed (op.near is set), unless *ok
 * is false and *e says what is wrong. */
struct near_record;
struct near_record *near_make(struct workload *w, const struct near_want *want, const struct config *cfg, uint64_t seed,
                              bool *ok, struct err *e);
/* Launch `index` of the timed run: a tap (exec/exec.h) for it, which sets warp_inst.near. NULL and *e: it was not recorded. */
const struct exec_tap *near_launch(struct near_record *r, const struct launch *l, unsigned index, struct err *e);
void near_free(struct near_record *r); /* NULL is fine */

/* The largest distance that is near: of the near bits that the configuration asks for; else the paper's 12. */
uint32_t near_most(const struct config *cfg);

/* For tests and reports: bytes that the bits take, and what they were recorded of. */
struct near_size {
  uint64_t bytes, bits, insns, warps;
};
struct near_size near_size(const struct near_record *r);

#endif
