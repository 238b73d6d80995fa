/* SPDX-License-Identifier: Apache-2.0 */
/* sm_kit: a kernel made by hand, in physical registers, run on the whole GPU with its values checked. */
#ifndef RT_TESTS_SM_KIT_H
#define RT_TESTS_SM_KIT_H

#include <stdio.h>

#include "analysis_make.h"
#include "kit.h"
#include "lab/run/timed.h"
#include "sm/sm.h"

enum { BUFFER = 1 << 20 }; /* memory's one allocation */

static inline struct opnd SR(enum sreg s) {
  return (struct opnd){.kind = O_SREG, .words = 1, .reg = s};
}

static inline struct make
kernel_begin(void) {
  struct make k;
  make_begin(&k);
  k.m->global_end = GLOBAL_BASE;
  k.c->param_bytes = 0;
  return k;
}

static inline void sum(struct make *k, uint32_t d, uint32_t a, uint32_t b) { op2(k, OP_ADD, T_U32, R(d), R(a), R(b)); }

static inline void kernel_done(struct make *k, uint32_t nreg) {
  add(k, OP_EXIT, T_NONE);
  make_done(k);
  k->c->allocated = true;
  k->c->nreg = nreg;
  k->c->npred = 1;
  finish_code(k->m, k->c);
}

static inline void checked(struct config *c) {
  config_defaults(c);
  snprintf(c->machine, sizeof c->machine, "test");
  c->sim_check = true;
  c->sim_deadlock = 20000;
}

struct run {
  struct sm_stats s;
  uint64_t hash;
  uint32_t fit;
  const char *limiter;
};

/* probe: who watches, or NULL */
static inline bool try_run(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads,
                           const struct probe *probe, struct run *r, struct err *e) {
  struct gpu *g = gpu_new(c, 1, e);
  if (!g) fail_msg("%s", e->text);
  sm_probe(gpu_sm(g, 0), probe);
  struct memory *mem = memory_new(k->m);
  memory_alloc(mem, "b", BUFFER);
  struct launch l = {.module = k->m, .code = k->c, .mem = mem, .grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
  const bool ok = timed_launch(g, &l, NULL, e);
  if (ok) {
    *r = (struct run){.s = *sm_stats(gpu_sm(g, 0)), .hash = gpu_hash(g)};
    r->fit = sm_occupancy(gpu_sm(g, 0), &r->limiter);
  }
  memory_free(mem);
  gpu_free(g);
  return ok;
}

static inline struct run run(const struct config *c, const struct make *k, uint32_t ctas, uint32_t threads) {
  struct run r;
  struct err e = {0};
  if (!try_run(c, k, ctas, threads, NULL, &r, &e)) fail_msg("%s", e.text);
  return r;
}

static inline void equal(const struct run *a, const struct run *b) {
  stats_equal(&a->s, &b->s);
  assert_int_equal(a->hash, b->hash);
}

#endif
