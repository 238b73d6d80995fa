/* SPDX-License-Identifier: Apache-2.0 */
/* null storage: takes every hook and changes nothing; must equal `flat` in every statistic. */
#include "sm/state.h"

static uint64_t idle(struct sm *S) { (void)S; return NEVER; }
static void skip(struct sm *S, uint64_t n) { (void)S, (void)n; }
static bool init(struct sm *S, struct err *e) { (void)S, (void)e; return true; }
static void done(struct sm *S) { (void)S; }
static bool plan(struct sm *S, const struct launch *l, struct err *e) { return storage_flat.plan(S, l, e); }
static bool fetch(struct sm *S, unsigned w, const struct wi *wi, struct wi *pseudo) {
  (void)S, (void)w, (void)wi, (void)pseudo;
  return false;
}
static void issue(struct sm *S, unsigned w, const struct wi *wi) { (void)S, (void)w, (void)wi; }
static void locate(struct sm *S, struct unit *u) { storage_flat.locate(S, u); }
static void each(struct sm *S) { (void)S; }
static bool convert(struct sm *S, struct unit *u) { (void)S, (void)u; return true; }
static enum place result(struct sm *S, struct flight *f, unsigned k, uint32_t *bank, uint32_t *row) {
  return storage_flat.result(S, f, k, bank, row);
}
static enum move warp(struct sm *S, unsigned w, int where) { (void)S, (void)w, (void)where; return MOVE_DONE; }

const struct storage_ops storage_null = {.name = "null", .init = init, .idle = idle, .skip = skip, .done = done, .plan = plan,
                                         .fetch = fetch, .issue = issue, .locate = locate, .look = each, .convert = convert,
                                         .result = result, .warp = warp, .engine = each};
