/* SPDX-License-Identifier: Apache-2.0 */
/* null residency: takes every hook and changes nothing; must equal `static` in every statistic (tests/unit/sm_test.c). */
#include <stdlib.h>

#include "sm/state.h"

struct seen { uint64_t calls, events[3]; };

static struct seen *seen(struct sm *S) { return S->choice[SLOT_RESIDENCY]; }
static bool init(struct sm *S, struct err *e) {
  (void)e;
  S->choice[SLOT_RESIDENCY] = xcalloc(1, sizeof(struct seen));
  return true;
}
static void done(struct sm *S) { free(seen(S)); }
static bool plan(struct sm *S, const struct launch *l, struct err *e) { return residency_static.plan(S, l, e); }
static void cta(struct sm *S, unsigned c, enum cta_event ev) { seen(S)->events[ev] += S->cta[c].used; }
static enum late late(struct sm *S, struct flight *f) {
  seen(S)->calls += f->op->ndst;
  return LATE_PASS;
}
static void each(struct sm *S) { seen(S)->calls++; }
static bool end(struct sm *S, struct err *e) { return (void)S, (void)e, true; }
static uint64_t idle(struct sm *S) {
  (void)S;
  return NEVER;                        /* it only counts calls, and nobody reads the count while asleep */
}
static void skip(struct sm *S, uint64_t n) { seen(S)->calls += n; }

const struct residency_ops residency_null = {.name = "null", .init = init, .idle = idle, .skip = skip, .done = done,
                                             .plan = plan, .launch = cta_lowest, .cta = cta, .late = late, .engine = each,
                                             .control = each, .commit = each, .end = end};
