/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: loops that cannot end. Lanes that wait for a lane of their own warp (a spin lock taken by one of them) wait for
 * ever, since that lane waits at the point of reconvergence; so do warps that wait for a value which nobody writes.
 *
 * A warp that has come to the same state (pc, stack, registers, predicates) twice, while no memory changed, goes on so
 * until something changes. When all warps that can run do that, nothing ever will: exec.changes counts every store, every
 * atomic that alters its word, every arrival at a barrier, every exit and every new CTA. Two quanta without a change have
 * performed whatever was queued. A loop that counts its rounds never repeats a state: for it there is max_insns.
 *
 * Every WATCH_EVERY instructions of a warp its state is hashed, and again each time the same pc comes by, LOOKS times.
 */
#include "exec/warp.h"

enum { LOOKS = 32, STEPS = 8192, CALM = 2 };

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

static void rest(const struct exec *x, struct warp *w) {
  uint64_t left = x->lim.max_insns - w->count;
  w->watch = w->count + (left < WATCH_EVERY ? left : WATCH_EVERY);
  w->mark_looks = 0;
}

/* No warp can leave its loop. */
static bool all_spin(const struct exec *x) {
  for (unsigned k = 0; k < x->lim.warp_slots; k++) {
    const struct warp *w = &x->warp[k];
    if ((w->state == WS_RUN || w->state == WS_ATOMIC) && w->spins != x->changes + 1) return false;
  }
  return x->calm >= CALM;
}

/* Lanes of the warp that wait for the active ones. */
static uint32_t waiting(const struct warp *w) {
  uint32_t others = 0;
  for (uint32_t k = 0; k < w->depth; k++) others |= w->stack[k].mask;
  return others & ~w->active;
}

/* Names a warp whose lanes wait for each other, if there is one: it is why the rest waits too. */
static int livelock(struct exec *x, struct warp *asked) {
  for (unsigned k = 0; k < x->lim.warp_slots; k++) {
    struct warp *w = &x->warp[k];
    if (w->state != WS_RUN && w->state != WS_ATOMIC) continue;
    uint32_t others = waiting(w);
    if (!others) continue;
    return exec_fault(x, w, w->pc, bit_low32(w->active),
                      "a loop that cannot end: it waits for a value that no warp will write, while other lanes of "
                      "the same warp (lane %d) wait for these to leave it (a lock between lanes?)",
                      bit_low32(others));
  }
  return exec_fault(x, asked, asked->pc, bit_low32(asked->active),
                    "a loop that cannot end: it waits for a value that no warp will write; "
                    "every warp that can run does so");
}

int exec_watch(struct exec *x, struct warp *w) {
  if (w->count >= x->lim.max_insns)
    return exec_fault(x, w, w->pc, bit_low32(w->active),
                      "a runaway loop: the warp has executed %llu instructions", (unsigned long long)w->count);
  if (w->mark_looks && w->since != x->changes) w->mark_looks = 0; /* what it waited for may have come */
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
    if (all_spin(x)) return livelock(x, w);
    rest(x, w);
    return STREAM_GIVEN;
  }
  w->watch = w->count + 1;
  if (w->pc == w->mark_pc && w->active == w->mark_active) {
    w->mark_looks--;
    if (state_hash(x, w) == w->mark) {
      w->spins = x->changes + 1;
      if (all_spin(x)) return livelock(x, w);
      rest(x, w);
      return STREAM_GIVEN;
    }
  }
  if (!--w->mark_steps || !w->mark_looks) rest(x, w);
  return STREAM_GIVEN;
}
