/* SPDX-License-Identifier: Apache-2.0 */
/* null l1: takes every hook and changes nothing; must equal `plain` in every statistic. */
#include "sm/state.h"

static uint64_t idle(struct sm *S) { (void)S; return NEVER; }
static void skip(struct sm *S, uint64_t n) { (void)S, (void)n; }
static bool init(struct sm *S, struct err *e) { (void)S, (void)e; return true; }
static void done(struct sm *S) { (void)S; }
static bool plan(struct sm *S, const struct launch *l, struct err *e) { (void)S, (void)l, (void)e; return true; }
static enum l1_answer go(struct sm *S, struct txn *t) { (void)S, (void)t; return L1_GO; }
static void evict(struct sm *S, uint32_t line) { (void)S, (void)line; }
static void store(struct sm *S, struct txn *t) { (void)S, (void)t; }
static void each(struct sm *S) { (void)S; }
static bool lease(struct sm *S, uint32_t first) { (void)S, (void)first; return true; }

const struct l1_ops l1_null = {.name = "null", .init = init, .idle = idle, .skip = skip, .done = done, .plan = plan, .hit = go,
                               .miss = go, .evict = evict, .store = store, .window = each, .engine = each, .lease = lease};
