/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: loops that cannot end. Lanes that wait for a lane of their own warp (a spin lock taken by one of them) wait
 * forever, since that lane waits at the point of reconvergence; so do warps that wait for a value which no warp
 * writes.
 *
 * A warp that has come to the same state (pc, stack, registers, predicates) twice, while no memory changed, repeats
 * until something changes. When all warps that can run repeat, the launch is endless: exec.changes counts every
 * store, every atomic that alters its word, every arrival at a barrier, every exit and every new CTA; with several SMs
 * those of all of them, from the quantum's end on, and whether all warps repeat is looked at there. After WATCH_CALM
 * quanta without a change all queued atomics are performed. A loop that counts its iterations never repeats a state:
 * max_insns bounds it.
 *
 * Every watch_every instructions of a warp its state is hashed, and again each time the same pc comes by,
 * LOOKS times. A change of memory ends this: the warp is looked at again watch_every instructions later, so that a
 * kernel that stores all the time pays for one hash in watch_every instructions. An endless loop is still found, since
 * nothing changes in it: at most 2 * watch_every + STEPS instructions of each warp after the last change.
 */
#include <stdio.h>

#include "exec/warp.h"

enum { LOOKS = 32, STEPS = 8192 };

static uint64_t state_hash(const struct exec *x, const struct warp *w) {
  uint64_t h = hash_mix(w->rpc, w->depth), two;
  for (uint32_t k = 0; k < w->depth; k++)
    h = hash_mix(hash_mix(h, (uint64_t)w->stack[k].pc << 32 | w->stack[k].rpc), w->stack[k].mask);
  for (unsigned k = 0; k < PRED_FALSE; k++) h = hash_mix(h, w->pred[k]);
  for (size_t k = 0; k < (size_t)x->row_count * LANES; k += 2) {
    memcpy(&two, w->rows + k, sizeof two);
    h = hash_mix(h, two);
  }
  return h;
}

static void watch_rest(const struct exec *x, struct warp *w) {
  uint64_t left = x->lim.max_insns - w->count;
  w->watch = w->count + (left < x->watch_every ? left : x->watch_every);
  w->mark_looks = 0;
}

/* No warp of this SM can leave its loop. */
static bool here_spin(const struct exec *x) {
  if (x->landing) return false; /* copies under way may end one */
  for (unsigned k = 0; k < x->lim.warp_slots; k++) {
    const struct warp *w = &x->warp[k];
    if ((w->state == WS_RUN || w->state == WS_ATOMIC) && w->spins != x->changes + 1) return false;
  }
  return true;
}

/* No warp can leave its loop. */
static bool all_spin(const struct exec *x) { return !exec_apart(x) && here_spin(x) && x->calm >= WATCH_CALM; }

/* Lanes of the warp that wait for the active ones. */
static uint32_t watch_waiting_lanes(const struct warp *w) {
  uint32_t others = 0;
  for (uint32_t k = 0; k < w->depth; k++) others |= w->stack[k].mask;
  return others & ~w->active;
}

/* Names a warp whose lanes wait for each other, if there is one: it blocks the others. */
static int watch_livelock(struct exec *x, struct warp *asked, uint64_t begun) {
  for (unsigned k = 0; k < x->lim.warp_slots; k++) {
    struct warp *w = &x->warp[k];
    if (w->state != WS_RUN && w->state != WS_ATOMIC) continue;
    uint32_t others = watch_waiting_lanes(w);
    if (!others) continue;
    return exec_fault(x, w, FAULT_ENDLESS, w->pc, bit_low32(w->active),
                      "a loop that cannot end: it waits for a value that no warp will write, while other lanes of "
                      "the same warp (lane %d) wait for these to leave it (a lock between lanes?)",
                      bit_low32(others));
  }
  char more[240] = "";
  if (x->untimed || x->lim.stride > 1)
    snprintf(
        more, sizeof more,
        ", and %s: CTAs that wait for each other need stride 1 (--set sm.cta_stride=1, no stride in the launch file)",
        x->untimed ? "these CTAs of other SMs are executed without time, on their own"
                   : "CTAs of other SMs are executed without time, when one of this SM begins");
  else if (begun < x->s.ctas)
    snprintf(more, sizeof more, ", and %llu of %u CTAs wait for them to end", (unsigned long long)(x->s.ctas - begun),
             x->s.ctas);
  return exec_fault(x, asked, FAULT_ENDLESS, asked->pc, bit_low32(asked->active),
                    "a loop that cannot end: it waits for a value that no warp will write; every warp that can run "
                    "does so%s",
                    more);
}

/* All warps spin: the launch is endless, unless CTAs that have not begun may help. */
static int watch_hopeless(struct exec *x, struct warp *w) {
  if (!x->patient) return watch_livelock(x, w, x->begun);
  x->stuck = true;
  x->watch_every = WATCH_STUCK;
  watch_rest(x, w);
  return STREAM_GIVEN;
}

bool exec_all_spin(const struct all_sms *t) {
  uint64_t begun = 0;
  struct warp *first = NULL;
  struct exec *of = NULL;
  for (unsigned i = 0; i < t->sms; i++) {
    struct exec *x = t->x[i];
    if (!x || !here_spin(x)) return false;
    begun += x->begun;
    for (unsigned k = 0; k < x->lim.warp_slots; k++) {
      struct warp *w = &x->warp[k];
      if (w->state == WS_RUN && (!first || (watch_waiting_lanes(w) && !watch_waiting_lanes(first)))) first = w, of = x;
    }
  }
  if (!first) return false;
  watch_livelock(of, first, begun);
  return true;
}

/* ---- too many instructions ---- */

struct loop {
  uint32_t from, to; /* the branch back, where it goes */
};

/* Continues execution, all warps in turn, and returns the outermost loop of w: inner ones are parts of it. It
 * executes as many instructions as w had, so that no loop is too long, up to a limit that keeps it short. */
static bool watch_widest_loop(struct exec *x, const struct warp *w, bool alone, struct loop *l) {
  enum { LEAST = 1 << 12, MOST = 1 << 22 };
  const uint64_t steps = w->count < LEAST ? LEAST : w->count > MOST ? MOST : w->count;
  bool found = false, moved = true;
  struct warp_inst inst;
  for (uint64_t n = 0; n < steps && moved;) {
    moved = false;
    for (unsigned k = 0; k < x->lim.warp_slots; k++) {
      struct warp *v = &x->warp[k];
      if (v->state != WS_RUN || exec_step(x, v, &inst) != STREAM_GIVEN) continue;
      moved = true;
      n++;
      if (v != w || !(inst.flags & W_BRANCH) || inst.next > inst.op || inst.next != x->code->insn[inst.op].target)
        continue;
      if (!found || inst.op - inst.next > l->from - l->to) *l = (struct loop){inst.op, inst.next};
      found = true;
    }
    if (!alone) continue;
    moved |= x->natom != 0;
    exec_quantum(x);
    moved |= exec_land_all(x) > 0;
  }
  return found;
}

/* alone: no other SM runs at this time, so that memory may change. */
static void watch_runaway(struct exec *x, struct warp *w, bool alone, const char *what) {
  struct loop l = {0, 0};
  const uint32_t at = w->pc;
  x->tracing = true;
  const bool found = watch_widest_loop(x, w, alone, &l);
  x->tracing = false;
  x->s.err = (struct err){0};
  if (!found) exec_fault(x, w, FAULT_ENDLESS, at, ALL, "%s", what);
  else
    exec_fault(x, w, FAULT_ENDLESS, l.from, ALL, "%s; the loop that goes back from here to line %u is not over", what,
               x->code->insn[l.to].line);
}

void exec_runaway(struct exec *x, const char *limit) {
  const char *key = x->launch->limit;
  char what[200];
  struct warp *w = &x->warp[0];
  for (unsigned k = 1; k < x->lim.warp_slots; k++) {
    struct warp *v = &x->warp[k];
    const bool runs = v->state != WS_EMPTY && v->state != WS_DONE;
    if (runs && (v->count > w->count || w->state == WS_DONE)) w = v;
  }
  if (limit) snprintf(what, sizeof what, "a runaway launch: %s", limit);
  else
    snprintf(what, sizeof what, "a runaway launch: its warps have executed more than %llu instructions%s%s%s",
             (unsigned long long)x->launch->most_insns, key ? " (" : "", key ? key : "", key ? ")" : "");
  watch_runaway(x, w, true, what);
}

int exec_watch(struct exec *x, struct warp *w) {
  if (x->tracing) return STREAM_GIVEN;
  if (w->count >= x->lim.max_insns) {
    char what[80];
    snprintf(what, sizeof what, "a runaway loop: the warp has executed %llu instructions",
             (unsigned long long)w->count);
    watch_runaway(x, w, !exec_apart(x), what);
    return STREAM_ERROR;
  }
  if (exec_apart(x) && !x->all) { /* another SM may write what it waits for */
    watch_rest(x, w);
    return STREAM_GIVEN;
  }
  if (w->mark_looks && w->since != x->changes) { /* what it waited for may have come */
    watch_rest(x, w);
    return STREAM_GIVEN;
  }
  if (!w->mark_looks) {
    if (w->spins != x->changes + 1) {
      w->mark = state_hash(x, w);
      w->mark_pc = w->pc;
      w->mark_active = w->active;
      w->since = x->changes;
      w->mark_looks = LOOKS;
      w->mark_steps = STEPS;
      w->watch = w->count + 1;
      return STREAM_GIVEN;
    }
    if (all_spin(x)) return watch_hopeless(x, w);
    watch_rest(x, w);
    return STREAM_GIVEN;
  }
  w->watch = w->count + 1;
  if (w->pc == w->mark_pc && w->active == w->mark_active) {
    w->mark_looks--;
    if (state_hash(x, w) == w->mark) {
      w->spins = x->changes + 1;
      if (all_spin(x)) return watch_hopeless(x, w);
      watch_rest(x, w);
      return STREAM_GIVEN;
    }
  }
  if (!--w->mark_steps || !w->mark_looks) watch_rest(x, w);
  return STREAM_GIVEN;
}
