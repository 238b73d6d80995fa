/* SPDX-License-Identifier: Apache-2.0 */
/* rmu_serial: rmu's serial engine (Engine = 1), and what both engines share. docs/blocks/finereg/rmu.md. */
#ifndef RT_BLOCKS_FINEREG_RMU_SERIAL_H
#define RT_BLOCKS_FINEREG_RMU_SERIAL_H

#include "blocks/finereg/rmu.h"

/* rmu_serial.c: the outputs of each state but idle that the pipelined engine decides otherwise; the edge; rmu_idle without events. */
void rmu_serial_eval(const struct rmu *s, struct rmu_out *out);
void rmu_serial_tick(struct rmu *s, const struct rmu_in *in);
uint64_t rmu_serial_idle(const struct rmu *s);

/* rmu.c: the parts of a command that both engines have. */
static inline bool rmu_takes_outgoing(const struct rmu *s) { return s->operation_q != RMU_RESTORE; }
static inline bool rmu_takes_incoming(const struct rmu *s) { return s->operation_q != RMU_SPILL; }
static inline uint64_t rmu_free_entries(const struct rmu *s) { return s->size.NumEntries - s->fsmon.used; }
void rmu_ask_memory(const struct rmu *s, struct rmu_out *out);
/* Notes the command and the incoming CTA's row, and clears the counts. */
void rmu_accept(struct rmu *s, const struct rmu_in *in);
void rmu_new_kernel(struct rmu *s, const struct rmu_in *in);
void rmu_rule_look_up(const struct rmu *s, const struct rmu_in *in);
/* A register of the outgoing CTA has been given this entry: it becomes the head of the CTA's chain. */
void rmu_entered(struct rmu *s, uint64_t index, uint64_t warp, uint64_t reg);
void rmu_done(struct rmu *s, bool ok, uint64_t count);
void rmu_finish(struct rmu *s);

#endif
