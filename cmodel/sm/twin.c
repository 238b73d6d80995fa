/* SPDX-License-Identifier: Apache-2.0 */
/* twin: reset of the golden models in the SM, and their observer (twin.h). */
#include "sm/private.h"
#include "sm/twin_run.h"

void twins_start(struct twins *t, const struct twin_net *net, struct sm *S, unsigned leave_out) {
  uint64_t present[TWIN_KINDS] = {0};
  for (unsigned i = 0; i < net->kinds; i++)
    if (!(leave_out >> i & 1)) present[i] = ~0ull >> (64 - net->kind[i].n);
  twins_start_some(t, net, S, present);
}

void twins_start_some(struct twins *t, const struct twin_net *net, struct sm *S, const uint64_t *present) {
  *t = (struct twins){.net = net,
                      .sm = S,
                      .observed = S->observer != NULL,
                      .values = S->check || S->observer,
                      .pairs = S->check && net->pairs,
                      .laws = S->laws ? net->laws : NULL};
  const uint64_t control_only = !t->values;
  for (unsigned i = 0; i < net->kinds; i++) {
    const struct twin_kind *b = &net->kind[i];
    memset(twin_in(t, b, 0), 0, b->in_bytes * b->n);
    memset(twin_out(t, b, 0), 0, b->out_bytes * b->n);
    t->present[i] = t->stale[i] = present[i];
    if (!b->clocked) continue;
    memset((char *)t + b->told, 0, b->in_bytes * b->n);
    t->awake[i] = t->changed[i] = t->present[i];
    t->active |= (unsigned)(present[i] != 0) << i;
    for (unsigned k = 0; k < b->n; k++) {
      if (!(present[i] >> k & 1)) continue;
      b->reset(twin_state(t, b, k));
      memcpy((char *)twin_state(t, b, k) + b->control_only, &control_only, sizeof control_only);
      *twin_ticked(t, b, k) = S->now;
      for (unsigned u = 0; S->observer && u < (b->units ? b->units : 1); u++)
        S->observer->reset(S->observer->ctx, b->name, b->units ? u : k);
    }
  }
  twin_settle(t, net, twin_wired(net, false));
}

void twins_resume(struct twins *t, const struct twin_net *net) {
  for (unsigned i = 0; i < net->kinds; i++) {
    const struct twin_kind *b = &net->kind[i];
    t->awake[i] = t->stale[i] = t->changed[i] = t->present[i];
    t->active |= (unsigned)(t->present[i] != 0) << i;
    for (unsigned k = 0; b->clocked && k < b->n; k++) *twin_ticked(t, b, k) = t->sm->now;
  }
  twin_settle(t, net, twin_wired(net, false));
}

static bool twin_is_set(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i]) return true;
  return false;
}

void twin_watch_pairs(struct twins *t, unsigned kind, unsigned k) {
  const struct twin_net *net = t->net;
  const struct twin_kind *b = &net->kind[kind];
  if (!b->clocked || k >= b->n) return;
  char *told = (char *)t + b->told + b->in_bytes * k;
  const char *in = twin_in(t, b, k);
  for (unsigned i = 0; i < net->pairs; i++) {
    const struct twin_pair *p = &net->pair[i];
    if (p->kind != kind || !twin_is_set(told + p->pulse, p->pulse_bytes) || !twin_is_set(in + p->pulse, p->pulse_bytes))
      continue;
    if (!memcmp(told + p->level, in + p->level, p->level_bytes)) continue;
    sm_fail(t->sm,
            "%s %u: %s is set, and %s has changed after it in the same cycle: what was set first is lost (PULSE, LAST "
            "in docs/reference/lists.md)",
            b->name, k, p->name[0], p->name[1]);
  }
  memcpy(told, in, b->in_bytes);
}

void twin_replace(struct twins *t, const struct twin_kind *b, unsigned k) {
  const struct observer *o = t->sm->observer;
  if (!o->outputs) return;
  for (unsigned u = 0; u < b->units; u++) b->unit(t, u, true);
  if (!b->units) o->outputs(o->ctx, b->name, k, twin_in(t, b, k), twin_out(t, b, k));
}

bool twin_show_unit(struct twins *t, const char *name, unsigned u, const void *state, const void *in, const void *out) {
  const struct observer *o = t->sm->observer;
  return o->cycle(o->ctx, name, u, t->sm->now, state, in, out);
}

void twin_replace_unit(struct twins *t, const char *name, unsigned u, const void *in, void *out) {
  const struct observer *o = t->sm->observer;
  o->outputs(o->ctx, name, u, in, out);
}

/* An instance, or each unit of a bank. */
static void twin_show(struct twins *t, const struct twin_kind *b, unsigned k) {
  struct sm *S = t->sm;
  const struct observer *o = S->observer;
  unsigned differs = k, u = 0;
  bool same = true;
  if (!b->units) same = o->cycle(o->ctx, b->name, k, S->now, twin_state(t, b, k), twin_in(t, b, k), twin_out(t, b, k));
  for (; same && u < b->units; u++) same = b->unit(t, differs = u, false);
  if (!same) sm_fail(S, "%s %u: the Verilog differs from the C twin", b->name, differs);
}

/* Nothing sleeps: every instance, with its final inputs and outputs; without a clock those that were used. */
void twins_observe(struct twins *t) {
  for (unsigned i = 0; i < t->net->kinds; i++) {
    const struct twin_kind *b = &t->net->kind[i];
    if (b->clocked) t->awake[i] = t->present[i];
    if (t->awake[i]) t->active |= 1u << i;
    for (uint64_t m = t->awake[i]; m && !t->sm->failed; m &= m - 1) {
      const unsigned k = (unsigned)bit_low64(m);
      twin_read(t, i, k);
      twin_show(t, b, k);
    }
  }
}
