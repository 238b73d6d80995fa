/* SPDX-License-Identifier: Apache-2.0 */
/* twin: evaluation, clock edge, sleep and observer of the golden models in the SM (twin.h). */
#include "sm/twin.h"

#include <assert.h>
#include <string.h>

#include "sm/state.h"

static void *at(struct twins *t, size_t offset, size_t bytes, unsigned k) { return (char *)t + offset + bytes * k; }
static void *state_of(struct twins *t, const struct twin_kind *b, unsigned k) {
  return at(t, b->state, b->state_bytes, k);
}
static void *in_of(struct twins *t, const struct twin_kind *b, unsigned k) { return at(t, b->in, b->in_bytes, k); }
static void *out_of(struct twins *t, const struct twin_kind *b, unsigned k) { return at(t, b->out, b->out_bytes, k); }

/* The cycles that a block has slept through. */
static void catch_up(struct twins *t, const struct twin_kind *b, unsigned k) {
  uint64_t *ticked = at(t, b->ticked, sizeof *ticked, k);
  if (*ticked >= t->sm->now) return;
  b->skip(state_of(t, b, k), t->sm->now - *ticked);
  *ticked = t->sm->now;
}

void twin_evaluate(struct twins *t, unsigned kind, unsigned k) {
  const struct twin_kind *b = &t->net->kind[kind];
  const struct observer *o = t->sm->observer;
  void *in = in_of(t, b, k), *out = out_of(t, b, k);
  if (b->skip) catch_up(t, b, k);
  b->eval(state_of(t, b, k), in, out);
  if (o && o->outputs) {
    for (unsigned u = 0; u < b->units; u++) b->replace(t, u);
    if (!b->units) o->outputs(o->ctx, b->name, k, in, out);
  }
  t->stale[kind] &= ~(1ull << k);
  if (t->net->wired >> kind & 1) t->net->drive(t, kind, k);
}

void twins_start(struct twins *t, const struct twin_net *net, struct sm *S, unsigned leave_out) {
  *t = (struct twins){.net = net, .sm = S, .observed = S->observer != NULL, .values = S->check || S->observer};
  const uint64_t control_only = !t->values;
  for (unsigned i = 0; i < net->kinds; i++) {
    const struct twin_kind *b = &net->kind[i];
    memset(in_of(t, b, 0), 0, b->in_bytes * b->n);
    memset(out_of(t, b, 0), 0, b->out_bytes * b->n);
    if (leave_out >> i & 1) continue;
    t->present[i] = t->stale[i] = ~0ull >> (64 - b->n);
    if (!b->reset) continue;
    t->awake[i] = t->changed[i] = t->present[i];
    t->active |= 1u << i;
    for (unsigned k = 0; k < b->n; k++) {
      b->reset(state_of(t, b, k));
      memcpy((char *)state_of(t, b, k) + b->control_only, &control_only, sizeof control_only);
      memcpy(at(t, b->ticked, sizeof S->now, k), &S->now, sizeof S->now);
      for (unsigned u = 0; S->observer && u < (b->units ? b->units : 1); u++)
        S->observer->reset(S->observer->ctx, b->name, b->units ? u : k);
    }
  }
}

void twins_settle(struct twins *t) {
  const unsigned which = t->begun ? t->net->late : t->net->wired;
  bool more = true;
  t->begun = true;
  for (unsigned round = 0; more; round++) {
    assert(round < TWIN_ROUNDS);
    more = false;
    for (unsigned i = 0; i < t->net->kinds; i++) {
      if (!(which >> i & 1)) continue;
      for (uint64_t m = t->stale[i]; m; m &= m - 1) {
        twin_evaluate(t, i, (unsigned)bit_low64(m));
        more = true;
      }
    }
  }
}

/* An instance, or each unit of a bank. */
static void show(struct twins *t, const struct twin_kind *b, unsigned k) {
  struct sm *S = t->sm;
  const struct observer *o = S->observer;
  unsigned differs = k, u = 0;
  bool same = true;
  if (!b->units) same = o->cycle(o->ctx, b->name, k, S->now, state_of(t, b, k), in_of(t, b, k), out_of(t, b, k));
  for (; same && u < b->units; u++) same = b->show(t, differs = u);
  if (!same) sm_fail(S, "%s %u: the Verilog differs from the C twin", b->name, differs);
}

/* Nothing sleeps: every instance, with its final inputs and outputs. */
static void observe(struct twins *t) {
  struct sm *S = t->sm;
  for (unsigned i = 0; i < t->net->kinds; i++) {
    const struct twin_kind *b = &t->net->kind[i];
    if (b->skip) t->awake[i] = t->present[i];
    for (uint64_t m = t->awake[i]; m && !S->failed; m &= m - 1) {
      const unsigned k = (unsigned)bit_low64(m);
      twin_read(t, i, k);
      show(t, b, k);
    }
  }
}

void twins_commit(struct twins *t) {
  uint64_t ticks[TWIN_KINDS] = {0};
  twins_settle(t);
  if (t->sm->observer) observe(t);
  t->active = 0;
  for (unsigned i = 0; i < t->net->kinds; i++) {
    ticks[i] = t->net->kind[i].edge ? t->awake[i] : 0;
    t->awake[i] = t->changed[i] = 0;
    if (ticks[i]) t->net->kind[i].edge(t, ticks[i], t->sm->now);
  }
  for (unsigned i = 0; i < t->net->kinds; i++)
    if (ticks[i]) t->net->kind[i].next(t, ticks[i], t->sm->observer != NULL);
}

uint64_t twins_idle(struct twins *t) {
  uint64_t least = UINT64_MAX;
  twins_settle(t);
  for (unsigned i = 0; i < t->net->kinds; i++) {
    const struct twin_kind *b = &t->net->kind[i];
    for (uint64_t m = t->awake[i]; m; m &= m - 1) {
      const unsigned k = (unsigned)bit_low64(m);
      const uint64_t n = b->wait(state_of(t, b, k), in_of(t, b, k), t->changed[i] >> k & 1);
      if (n < least) least = n;
    }
  }
  return least;
}

void twins_skip(struct twins *t, uint64_t n) {
  for (unsigned i = 0; i < t->net->kinds; i++) {
    const struct twin_kind *b = &t->net->kind[i];
    for (uint64_t m = t->awake[i]; m; m &= m - 1) {
      const unsigned k = (unsigned)bit_low64(m);
      b->skip(state_of(t, b, k), n);
      *(uint64_t *)at(t, b->ticked, sizeof(uint64_t), k) += n;
      t->stale[i] |= 1ull << k;
    }
  }
  for (unsigned i = 0; i < t->net->kinds; i++)
    for (uint64_t m = t->net->wired >> i & 1 ? t->awake[i] & t->stale[i] : 0; m; m &= m - 1)
      twin_evaluate(t, i, (unsigned)bit_low64(m));
}
