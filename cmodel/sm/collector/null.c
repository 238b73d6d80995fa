/* SPDX-License-Identifier: Apache-2.0 */
/* null collector: takes every hook and changes nothing; must equal `ocu` in every statistic. */
#include "sm/state.h"

static uint64_t idle(struct sm *S) { (void)S; return NEVER; }
static void skip(struct sm *S, uint64_t n) { (void)S, (void)n; }
static bool init(struct sm *S, struct err *e) { (void)S, (void)e; return true; }
static void done(struct sm *S) { (void)S; }
static const struct cu_view *view(struct sm *S, unsigned sc) { return collector_ocu.view(S, sc); }
static enum take take(struct sm *S, unsigned sc, unsigned w, const struct wi *wi, int unit, uint32_t flight) {
  return collector_ocu.take(S, sc, w, wi, unit, flight);
}
static void collect(struct sm *S) { collector_ocu.collect(S); }
static void result(struct sm *S, struct flight *f, unsigned k) { (void)S, (void)f, (void)k; }
static enum move warp(struct sm *S, unsigned w) { (void)S, (void)w; return MOVE_DONE; }

const struct collector_ops collector_null = {.name = "null", .init = init, .idle = idle, .skip = skip, .done = done,
                                             .view = view, .take = take, .collect = collect, .result = result, .warp = warp};
