/* SPDX-License-Identifier: Apache-2.0 */
/* limit: CTA limit controller. docs/blocks/example/limit.md. */
#include "blocks/example/limit.h"

#include <stdbool.h>

#include "blocks/rules.h"

void limit_size(struct limit *s, const struct limit_params *p) {
  BLOCK_RULE(p->Period <= limit_Period_most && p->Low <= p->High);
  s->size = *p;
}

void limit_reset(struct limit *s) {
  *s = (struct limit){.r = {.limit_q = 1, .max_ctas_q = 1}};
  const struct limit_params p = limit_defaults();
  limit_size(s, &p);
}

void limit_eval(const struct limit *s, const struct limit_in *in, struct limit_out *out) {
  (void)in;
  *out = (struct limit_out){.limit_o = s->r.limit_q};
}

static uint64_t last_cycle(const struct limit *s) { return (1ull << s->size.Period) - 1; }

static void limit_start(struct limit *s, uint64_t most) {
  BLOCK_RULE(most >= 1 && most <= LIMIT_MOST);
  s->r.max_ctas_q = most;
  s->r.limit_q = most > 1 ? most / 2 : 1;
  s->r.cycle_q = s->r.idle_cycles_q = s->r.memory_cycles_q = 0;
}

/* The period's last cycle has ended. */
static void limit_decide(struct limit *s, uint64_t idle, uint64_t mem) {
  const bool more = idle > s->size.Idle || mem < s->size.Low;
  if (more && s->r.limit_q < s->r.max_ctas_q) s->r.limit_q++;
  if (!more && mem > s->size.High && s->r.limit_q > 1) s->r.limit_q--;
  s->r.cycle_q = s->r.idle_cycles_q = s->r.memory_cycles_q = 0;
}

static void limit_count_cycles(struct limit *s, uint64_t n) {
  s->r.cycle_q += n;
  s->r.idle_cycles_q += n * s->idle_i;
  s->r.memory_cycles_q += n * s->memory_i;
}

void limit_tick(struct limit *s, const struct limit_in *in) {
  BLOCK_RULE(!(in->idle_i && in->memory_i));
  s->idle_i = in->idle_i;
  s->memory_i = in->memory_i;
  if (in->start_i) limit_start(s, in->max_ctas_i);
  else if (s->r.cycle_q == last_cycle(s))
    limit_decide(s, s->r.idle_cycles_q + in->idle_i, s->r.memory_cycles_q + in->memory_i);
  else limit_count_cycles(s, 1);
  BLOCK_INVARIANT(s->r.limit_q >= 1 && s->r.limit_q <= s->r.max_ctas_q && s->r.max_ctas_q <= LIMIT_MOST);
  BLOCK_INVARIANT(s->r.idle_cycles_q + s->r.memory_cycles_q <= s->r.cycle_q && s->r.cycle_q <= last_cycle(s));
}

uint64_t limit_idle(const struct limit *s) { return last_cycle(s) - s->r.cycle_q; }

void limit_skip(struct limit *s, uint64_t n) { limit_count_cycles(s, n); }
