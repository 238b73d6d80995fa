/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null: tables that take every hook of every slot (sim.null_hooks). A hook passes the call on to the chosen table; one
 * that the chosen table leaves out does nothing. So every statistic must be that of the chosen tables alone, whatever
 * they are, which shows that taking a hook costs nothing by itself.
 */
#include "sm/state.h"

/* what a hook gives when the chosen table has none */
#define CHOSEN(slot, hook) (S->chosen.slot->hook)
#define GIVES(slot, hook, type, nothing, parameters, ...) \
  static type slot##_##hook parameters { return CHOSEN(slot, hook) ? CHOSEN(slot, hook)(__VA_ARGS__) : (nothing); }
#define DOES(slot, hook, parameters, ...)                    \
  static void slot##_##hook parameters {                     \
    if (CHOSEN(slot, hook)) CHOSEN(slot, hook)(__VA_ARGS__); \
  }
#define EACH(slot, hook) DOES(slot, hook, (struct sm * S), S)
#define PLAN(slot) GIVES(slot, plan, bool, true, (struct sm * S, const struct kernel *k, struct err *e), S, k, e)
#define COMMON(slot)                                                   \
  GIVES(slot, init, bool, true, (struct sm * S, struct err * e), S, e) \
  GIVES(slot, idle, uint64_t, NEVER, (struct sm * S), S)               \
  DOES(slot, skip, (struct sm * S, uint64_t n), S, n)                  \
  EACH(slot, done)
#define COMMON_OF(slot) \
  .name = "null", .init = slot##_init, .idle = slot##_idle, .skip = slot##_skip, .done = slot##_done
#define OF(slot, hook) .hook = slot##_##hook

/* clang-format off */
COMMON(residency)
PLAN(residency)
GIVES(residency, launch, int, -1, (struct sm *S, unsigned *rf_slot), S, rf_slot)
DOES(residency, cta, (struct sm *S, unsigned c, enum cta_event ev), S, c, ev)
GIVES(residency, late, enum late, LATE_PASS, (struct sm *S, struct inflight_inst *f), S, f)
DOES(residency, reply, (struct sm *S, const struct mem_reply *r), S, r)
EACH(residency, engine)
EACH(residency, control)
EACH(residency, commit)
GIVES(residency, end, bool, true, (struct sm *S, struct err *e), S, e)

COMMON(storage)
PLAN(storage)
GIVES(storage, fetch, bool, false, (struct sm *S, unsigned w, const struct warp_inst *inst, struct warp_inst *pseudo), S, w, inst, pseudo)
DOES(storage, issue, (struct sm *S, unsigned w, const struct warp_inst *inst), S, w, inst)
DOES(storage, locate, (struct sm *S, struct collector_unit *u), S, u)
EACH(storage, look)
static void storage_read(struct sm *S, struct collector_unit *u, unsigned i) {
  if (CHOSEN(storage, read)) CHOSEN(storage, read)(S, u, i);
  else if (S->check) check_operand(S, u, i); /* as the collector does without this hook */
}
GIVES(storage, convert, bool, true, (struct sm *S, struct collector_unit *u), S, u)
EACH(storage, arrive)
GIVES(storage, result, enum result_answer, RESULT_NOW, (struct sm *S, struct inflight_inst *f, unsigned k, uint32_t *bank, uint32_t *row), S, f, k,
      bank, row)
GIVES(storage, warp, enum move, MOVE_DONE, (struct sm *S, unsigned w, int where), S, w, where)
EACH(storage, engine)
EACH(storage, commit)

COMMON(collector)
GIVES(collector, view, const struct collector_view *, NULL, (struct sm *S, unsigned sc), S, sc)
GIVES(collector, take, enum take, TAKE_STOP,
      (struct sm *S, unsigned sc, unsigned w, const struct warp_inst *inst, int unit, uint32_t inflight), S, sc, w, inst, unit, inflight)
EACH(collector, collect)
DOES(collector, result, (struct sm *S, struct inflight_inst *f, unsigned k), S, f, k)
GIVES(collector, warp, enum move, MOVE_DONE, (struct sm *S, unsigned w), S, w)

COMMON(scheduler)
GIVES(scheduler, pick, struct pick, ((struct pick){-1, ANY_UNIT}), (struct sm *S, unsigned sc, uint64_t ready), S, sc, ready)
DOES(scheduler, issued, (struct sm *S, unsigned sc, unsigned bit), S, sc, bit)
DOES(scheduler, warp, (struct sm *S, unsigned w, enum warp_event ev), S, w, ev)
EACH(scheduler, control)

COMMON(l1)
PLAN(l1)
GIVES(l1, hit, enum l1_answer, L1_GO, (struct sm *S, struct txn *t), S, t)
GIVES(l1, miss, enum l1_answer, L1_GO, (struct sm *S, struct txn *t), S, t)
DOES(l1, evict, (struct sm *S, uint32_t line), S, line)
DOES(l1, store, (struct sm *S, struct txn *t), S, t)
EACH(l1, window)
EACH(l1, engine)
GIVES(l1, lease, bool, true, (struct sm *S, uint32_t first), S, first)

static const struct residency_ops residency = {
  COMMON_OF(residency), OF(residency, plan), OF(residency, launch), OF(residency, cta), OF(residency, late), OF(residency, reply),
  OF(residency, engine), OF(residency, control), OF(residency, commit), OF(residency, end)};
static const struct storage_ops storage = {
  COMMON_OF(storage), OF(storage, plan), OF(storage, fetch), OF(storage, issue), OF(storage, locate), OF(storage, look),
  OF(storage, read), OF(storage, convert), OF(storage, arrive), OF(storage, result), OF(storage, warp), OF(storage, engine),
  OF(storage, commit)};
static const struct collector_ops collector = {
  COMMON_OF(collector), OF(collector, view), OF(collector, take), OF(collector, collect), OF(collector, result),
  OF(collector, warp)};
static const struct scheduler_ops scheduler = {
  COMMON_OF(scheduler), OF(scheduler, pick), OF(scheduler, issued), OF(scheduler, warp), OF(scheduler, control)};
static const struct l1_ops l1 = {
  COMMON_OF(l1), OF(l1, plan), OF(l1, hit), OF(l1, miss), OF(l1, evict), OF(l1, store), OF(l1, window), OF(l1, engine),
  OF(l1, lease)};
/* clang-format on */

const struct slots slots_null = {&residency, &storage, &collector, &scheduler, &l1};
