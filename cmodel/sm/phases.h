/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phases: what sm/cycle.c calls: the phases of a cycle in their order, and for each part of the SM the cycle up to which it has nothing
 * to do. Only sm/ includes it.
 */
#ifndef RT_SM_PHASES_H
#define RT_SM_PHASES_H

#include "sm/private.h"

void slow_banks_begin(struct sm *S); /* first of all, if there are slow banks */
void arrive_phase(struct sm *S);
void lsu_phase(struct sm *S); /* MEMORY */
void tex_phase(struct sm *S); /* MEMORY, after the LSU, if tex_works */
void write_phase(struct sm *S);
void dispatch_phase(struct sm *S);
void issue_phase(struct sm *S);
void fetch_phase(struct sm *S);
void control_phase(struct sm *S);
void commit_phase(struct sm *S);
void slow_banks_end(struct sm *S);          /* last of all */
void commit_skip(struct sm *S, uint64_t n); /* the stalls of this cycle hold for n more */

/* The first cycle after this one in which there is work. 0: now; NEVER: it waits for others. */
uint64_t lsu_idle_until(const struct sm *S);
uint64_t tex_idle_until(const struct sm *S);
uint64_t fetch_idle_until(const struct sm *S);
uint64_t dispatch_idle_until(const struct sm *S);
uint64_t issue_idle_until(const struct sm *S);
uint64_t cta_idle_until(const struct sm *S);

#endif
