/* SPDX-License-Identifier: Apache-2.0 */
/* null scheduler: takes every hook and changes nothing; must equal `gto` in every statistic. */
#include "sm/state.h"

static uint64_t idle(struct sm *S) { (void)S; return NEVER; }
static void skip(struct sm *S, uint64_t n) { (void)S, (void)n; }
static bool init(struct sm *S, struct err *e) { (void)S, (void)e; return true; }
static void done(struct sm *S) { (void)S; }
static struct pick pick(struct sm *S, unsigned s, uint64_t ready) { return scheduler_gto.pick(S, s, ready); }
static void issued(struct sm *S, unsigned s, unsigned bit) { (void)S, (void)s, (void)bit; }
static void warp(struct sm *S, unsigned w, enum warp_event ev) { (void)S, (void)w, (void)ev; }
static void control(struct sm *S) { (void)S; }

const struct scheduler_ops scheduler_null = {.name = "null", .init = init, .idle = idle, .skip = skip, .done = done, .pick = pick,
                                             .issued = issued, .warp = warp, .control = control};
