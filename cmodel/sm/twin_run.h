/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twin_run: how the blocks of a net run (twin.h): settling, the clock edge, sleep. Every function takes the net's table and is
 * inlined into the choice that has it: the table is a constant there, the loops over kinds and wires unroll, and calls of blocks
 * are direct. Nothing here depends on that, nor on whether there is an observer, but for the two lines that say so.
 */
#ifndef RT_SM_TWIN_RUN_H
#define RT_SM_TWIN_RUN_H

#include <assert.h>
#include <string.h>

#include "sm/slot_api.h"
#include "sm/twin.h"

#define TWIN_INLINE static inline __attribute__((always_inline))
#define TWIN_UNROLL _Pragma("GCC unroll 64")
/* k is each instance of the mask; of a kind with one instance there is no search. */
#define TWIN_EACH(b, k, mask)                                                                \
  for (uint64_t m_ = (mask), k; m_ && (k = (b)->n == 1 ? 0 : (uint64_t)bit_low64(m_), true); \
       m_ = (b)->n == 1 ? 0 : m_ & (m_ - 1))

TWIN_INLINE void *twin_state(struct twins *t, const struct twin_kind *b, unsigned k) {
  return (char *)t + b->state + b->state_bytes * k;
}
TWIN_INLINE void *twin_in(struct twins *t, const struct twin_kind *b, unsigned k) {
  return (char *)t + b->in + b->in_bytes * k;
}
TWIN_INLINE void *twin_out(struct twins *t, const struct twin_kind *b, unsigned k) {
  return (char *)t + b->out + b->out_bytes * k;
}
TWIN_INLINE uint64_t *twin_ticked(struct twins *t, const struct twin_kind *b, unsigned k) {
  return (uint64_t *)((char *)t + b->ticked) + k;
}

/* Kinds with an output on a wire; late: with one of the same cycle. */
TWIN_INLINE unsigned twin_wired(const struct twin_net *net, bool late) {
  unsigned kinds = 0;
  TWIN_UNROLL
  for (unsigned i = 0; i < net->wires; i++)
    if (!late || net->wire[i].late) kinds |= 1u << net->wire[i].from;
  return kinds;
}

/* The cycles that a block has slept through. */
TWIN_INLINE void twin_catch_up(struct twins *t, const struct twin_kind *b, unsigned k) {
  uint64_t *ticked = twin_ticked(t, b, k);
  if (!b->counts || *ticked >= sm_view(t->sm)->now) return;
  b->skip(twin_state(t, b, k), sm_view(t->sm)->now - *ticked);
  *ticked = sm_view(t->sm)->now;
}

/* Instance k's outputs to the inputs on their wires. */
TWIN_INLINE void twin_drive(struct twins *t, const struct twin_net *net, unsigned kind, unsigned k) {
  TWIN_UNROLL
  for (unsigned i = 0; i < net->wires; i++) {
    const struct twin_wire *w = &net->wire[i];
    if (w->from != kind || (w->data && !t->values)) continue;
    const void *out = (char *)twin_out(t, &net->kind[kind], k) + w->out;
    void *in = (char *)twin_in(t, &net->kind[w->to], k) + w->in;
    if (!w->data && !memcmp(in, out, w->bytes)) continue;
    memcpy(in, out, w->bytes);
    if (!w->data) twin_write(t, w->to, k, strstr(net->kind[w->to].depends, w->input));
  }
}

TWIN_INLINE void twin_evaluate(struct twins *t, const struct twin_net *net, unsigned kind, unsigned k) {
  const struct twin_kind *b = &net->kind[kind];
  twin_catch_up(t, b, k);
  b->eval(twin_state(t, b, k), twin_in(t, b, k), twin_out(t, b, k));
  if (t->observed) twin_replace(t, b, k);
  t->stale[kind] &= ~(1ull << k);
  twin_drive(t, net, kind, k);
}

/* Evaluates these kinds, a mask, until no output of theirs is stale. */
TWIN_INLINE void twin_settle(struct twins *t, const struct twin_net *net, unsigned which) {
  bool more = true;
  for (unsigned round = 0; more; round++) {
    assert(round < TWIN_ROUNDS);
    more = false;
    TWIN_UNROLL
    for (unsigned i = 0; i < net->kinds; i++) {
      if (!(which >> i & 1)) continue;
      TWIN_EACH(&net->kind[i], k, t->stale[i]) net->kind[i].evaluate(t, (unsigned)k), more = true;
    }
  }
}

/* Evaluates what drives wires of the same cycle: from here on every input is this cycle's, if the choice has set its own. */
TWIN_INLINE void twins_settle(struct twins *t, const struct twin_net *net) {
  twin_settle(t, net, twin_wired(net, true));
}

/* The clock edge of some instances. What an observer replaced is no output to advance from. */
TWIN_INLINE void twin_edge(struct twins *t, const struct twin_net *net, unsigned kind, uint64_t which) {
  const struct twin_kind *b = &net->kind[kind];
  TWIN_EACH(b, k, which) {
    twin_catch_up(t, b, (unsigned)k);
    void *state = twin_state(t, b, (unsigned)k), *in = twin_in(t, b, (unsigned)k);
    if (t->observed || t->stale[kind] >> k & 1) b->tick(state, in);
    else b->advance(state, in, twin_out(t, b, (unsigned)k));
    if (b->counts) *twin_ticked(t, b, (unsigned)k) = sm_view(t->sm)->now + 1;
  }
}

TWIN_INLINE void twin_clear_pulses(void *in, const struct twin_net *net, unsigned kind) {
  TWIN_UNROLL
  for (unsigned i = 0; i < net->pulses; i++)
    if (net->pulse[i].kind == kind) memset((char *)in + net->pulse[i].in, 0, net->pulse[i].bytes);
}

/* Behind it: PULSEs are zero, outputs that are on wires are evaluated, who does not sleep is awake. */
TWIN_INLINE void twin_next(struct twins *t, const struct twin_net *net, unsigned kind, uint64_t which) {
  const struct twin_kind *b = &net->kind[kind];
  t->stale[kind] |= which;
  TWIN_EACH(b, k, which) {
    void *in = twin_in(t, b, (unsigned)k);
    twin_clear_pulses(in, net, kind);
    if (twin_wired(net, false) >> kind & 1) b->evaluate(t, (unsigned)k);
    if (b->quiet(in) && b->idle(twin_state(t, b, (unsigned)k)) == UINT64_MAX) continue;
    t->awake[kind] |= 1ull << k;
    t->active |= 1u << kind;
  }
}

/* COMMIT: settles, shows the blocks to the observer, takes the clock edge. */
TWIN_INLINE void twins_commit(struct twins *t, const struct twin_net *net) {
  uint64_t ticks[TWIN_KINDS] = {0};
  twins_settle(t, net);
  if (t->laws) t->laws(t);
  for (unsigned i = 0; t->pairs && i < net->kinds; i++)
    TWIN_EACH(&net->kind[i], k, t->changed[i]) twin_watch_pairs(t, i, (unsigned)k);
  if (t->observed) twins_observe(t);
  if ((t->laws || t->pairs) && sm_view(t->sm)->failed) return; /* no clock edge with inputs that break a law */
  const unsigned active = t->active;
  t->active = 0;
  TWIN_UNROLL
  for (unsigned i = 0; i < net->kinds; i++) {
    if (!(active >> i & 1)) continue;
    ticks[i] = net->kind[i].clocked ? t->awake[i] : 0;
    t->awake[i] = t->changed[i] = 0;
    twin_edge(t, net, i, ticks[i]);
  }
  TWIN_UNROLL
  for (unsigned i = 0; i < net->kinds; i++)
    if (ticks[i]) twin_next(t, net, i, ticks[i]);
}

/* After COMMIT: for how many cycles the blocks only count (0: busy, UINT64_MAX: until an input is set). */
TWIN_INLINE uint64_t twins_idle(struct twins *t, const struct twin_net *net) {
  uint64_t least = UINT64_MAX;
  twins_settle(t, net);
  TWIN_UNROLL
  for (unsigned i = 0; i < net->kinds; i++) {
    const struct twin_kind *b = &net->kind[i];
    if (!b->clocked) continue;
    TWIN_EACH(b, k, t->awake[i]) {
      const void *state = twin_state(t, b, (unsigned)k), *in = twin_in(t, b, (unsigned)k);
      const uint64_t idle = !(t->changed[i] >> k & 1) && b->quiet(in) ? b->idle(state) : 0, hold = b->hold(state, in);
      const uint64_t n = idle > hold ? idle : hold;
      if (n < least) least = n;
    }
  }
  return least;
}

/* n such cycles at once. */
TWIN_INLINE void twins_skip(struct twins *t, const struct twin_net *net, uint64_t n) {
  TWIN_UNROLL
  for (unsigned i = 0; i < net->kinds; i++) {
    const struct twin_kind *b = &net->kind[i];
    if (!b->clocked) continue;
    TWIN_EACH(b, k, t->awake[i]) {
      b->skip(twin_state(t, b, (unsigned)k), n);
      *twin_ticked(t, b, (unsigned)k) += n;
    }
    t->stale[i] |= t->awake[i];
  }
  TWIN_UNROLL
  for (unsigned i = 0; i < net->kinds; i++)
    if (twin_wired(net, false) >> i & 1)
      TWIN_EACH(&net->kind[i], k, t->awake[i] & t->stale[i]) net->kind[i].evaluate(t, (unsigned)k);
}

#endif
