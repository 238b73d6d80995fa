/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges: every kernel is executed, and every value that a lane writes lies in the range of that destination, with
 * launch facts and without. Ranges are found on virtual registers; the packed code that runs is the same but for
 * moves that it needs no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/narrow/packing.h"
#include "compiler/regalloc/work.h"
#include "base/bits.h"
#include "lab/run/facts.h"
#include "compiler/ptx/ptx.h"
#include "kit.h"
#include "sampled.h"

/* ---- a kernel's ranges, by instruction of its packed code ---- */

enum { BLIND, INFORMED, WAYS };
struct ranged {
  struct register_ranges r[WAYS];
  uint32_t *at; /* per instruction of the packed code: which of the virtual code it is */
  uint64_t checked;
};

static bool same_insn(const struct insn *a, const struct insn *b) {
  return a->op == b->op && a->line == b->line && a->type == b->type && a->ndst == b->ndst && a->nsrc == b->nsrc;
}

/* Instructions of the virtual code that the packed one has not are moves (or the like) onto themselves or
 * empty branches. */
static void align(const struct code *virtual, const struct code *packed, uint32_t *at) {
  uint32_t j = 0;
  for (uint32_t i = 0; i < packed->n; i++) {
    while (j < virtual->n && !same_insn(&virtual->insn[j], &packed->insn[i])) {
      unsigned op = virtual->insn[j].op;
      if (op != OP_MOV && op != OP_BRA && op != OP_CVT && op != OP_PACK && op != OP_UNPACK)
        fail_msg("%s:%u: found %s, expected the packed code to have it", virtual->file, virtual->insn[j].line,
                 opcode_name((enum opcode)op));
      j++;
    }
    assert_true(j < virtual->n);
    at[i] = j++;
  }
}

static void make_ranges(struct module *m, struct code *c, const struct launch_facts *f, struct ranged *out) {
  struct work w;
  struct code copy;
  struct err e = {0};
  work_begin(&w, m, c, &copy);
  free(webs_split(&w));
  register_ranges_build(w.c, w.nv, NULL, &out->r[BLIND]);
  register_ranges_build(w.c, w.nv, f, &out->r[INFORMED]);
  struct narrowing how = {.split = true};
  need(pack_kernel(m, c, &how, &e), &e);
  out->at = xcalloc((size_t)c->n + 1, sizeof *out->at);
  align(w.c, c, out->at);
  work_end(&w);
}

static bool within(const struct value_bounds *r, unsigned words, uint64_t x) {
  if (words == 1) return (uint32_t)((uint32_t)x - (uint32_t)r->lo) <= (uint64_t)(r->hi - r->lo);
  return x - (uint64_t)r->lo <= (uint64_t)(r->hi - r->lo);
}

/* A register of n nibbles holds the word: cut and filled again it is the same. */
static bool restored(const struct value_bounds *r, unsigned words, unsigned word, uint32_t x) {
  uint8_t n, sgn;
  range_nibbles(r, words, word, &n, &sgn);
  uint32_t up = 32 - 4u * n;
  return (sgn ? (uint32_t)((int32_t)(x << up) >> up) : x << up >> up) == x;
}

static void check_value(const struct code *c, struct ranged *k, uint32_t op, unsigned d, unsigned words, uint64_t x) {
  for (unsigned way = 0; way < WAYS; way++) {
    const struct value_bounds *r = &k->r[way].dst[k->at[op]][d];
    k->checked++;
    if (within(r, words, x) && restored(r, words, 0, (uint32_t)x) && restored(r, words, 1, (uint32_t)(x >> 32)))
      continue;
    fail_msg("%s:%u: kernel %s, %s, destination %u: found %lld, expected %lld to %lld (%s)", c->file, c->insn[op].line,
             c->name, opcode_name((enum opcode)c->insn[op].op), d, (long long)x, (long long)r->lo, (long long)r->hi,
             way == BLIND ? "without facts" : "with facts");
  }
}

static void check_insn(const struct code *c, struct ranged *k, const struct stream *s, const struct warp_inst *inst) {
  const struct insn *i = &c->insn[inst->op];
  unsigned row = 0;
  for (unsigned d = 0; inst->val && d < i->ndst; d++) {
    if (i->dst[d].kind != O_REG) continue;
    const uint32_t *lo = inst_val(s, inst, row++), *hi = i->dst[d].words == 2 ? inst_val(s, inst, row++) : NULL;
    for (uint32_t left = inst->lanes; left; left &= left - 1) {
      unsigned l = (unsigned)bit_low32(left);
      check_value(c, k, inst->op, d, i->dst[d].words, lo[l] | (hi ? (uint64_t)hi[l] << 32 : 0));
    }
  }
}

/* ---- execution ---- */

/* One CTA at a time, its warps in turn. What atomics and barriers answer comes later: it is looked at when
 * the warp goes on. */
static void run_cta(const struct code *c, struct ranged *k, struct stream *s, uint32_t cta) {
  enum { BURST = 256 };
  uint16_t slot[32];
  struct warp_inst last[32] = {0};
  uint32_t left = s->warps_per_cta;
  for (uint16_t i = 0; i < 32; i++) slot[i] = i;
  s->ops->cta_begin(s, 0, cta, slot);
  while (left) {
    for (uint32_t w = 0; w < s->warps_per_cta; w++) {
      int got = STREAM_WAIT;
      for (unsigned b = 0; b < BURST; b++) {
        struct warp_inst inst;
        got = s->ops->next(s, w, &inst);
        need(got != STREAM_ERROR, &s->err);
        if (got != STREAM_GIVEN) break;
        if (last[w].val) check_insn(c, k, s, &last[w]);
        bool later = inst.flags & (W_ATOMIC | W_BARRIER);
        last[w] = later ? inst : (struct warp_inst){0};
        if (!later) check_insn(c, k, s, &inst);
        if (inst.flags & W_EXIT) left--;
      }
    }
    s->ops->quantum(s);
    for (uint32_t w = 0; w < s->warps_per_cta; w++) /* arrivals that wait for copies */
      while (s->ops->landed(s, w) == STREAM_GIVEN) {
      }
  }
  s->ops->cta_end(s, 0);
}

struct suite_run {
  struct module *m;
  struct ranged *kernel;
};

static bool launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  const struct suite_run *r = ctx;
  struct exec_limits lim = {.warp_slots = 32, .cta_slots = 1, .values = true};
  struct stream *s = stream_functional(l, &lim, e);
  (void)index;
  if (!s) return false;
  for (uint32_t cta = 0; cta < s->ctas; cta++) run_cta(l->code, &r->kernel[l->code - r->m->kernel], s, cta);
  s->ops->free(s);
  return true;
}

static void run_kernel(const char *name, uint64_t *checked) {
  struct workload w;
  struct err e = {0};
  struct quality_results q = {0};
  need(workload_open(name, "small", &w, &e), &e);
  struct launch_facts *f = facts_new(w.module);
  need(facts_run(&w, 0, false, f, &q, &e), &e);
  quality_free(&q);

  struct suite_run r = {.m = ptx_load(script_ptx(w.script), &e)};
  need(r.m != NULL, &e);
  r.kernel = xcalloc(r.m->nkernel, sizeof *r.kernel);
  for (uint32_t k = 0; k < r.m->nkernel; k++) make_ranges(r.m, &r.m->kernel[k], &f[k], &r.kernel[k]);
  const struct host_ops ops = {.launch = launch, .ctx = &r};
  need(script_run(w.script, r.m, 0, &ops, &e), &e);
  for (uint32_t k = 0; k < r.m->nkernel; k++) {
    *checked += r.kernel[k].checked;
    free(r.kernel[k].at);
    for (unsigned way = 0; way < WAYS; way++) register_ranges_free(&r.kernel[k].r[way]);
  }
  free(r.kernel);
  facts_free(f, w.module);
  module_free(r.m);
  workload_close(&w);
}

static void every_kernel_stays_in_its_ranges(void **state) {
  (void)state;
  struct suite s;
  struct err e = {0};
  uint64_t checked = 0;
  need(suite_open(&s, &e), &e);
  assert_true(s.n >= 50);
  for (unsigned i = 0; i < s.n; i++)
    if (sampled(i)) run_kernel(s.kernel[i].name, &checked);
  suite_free(&s);
  print_message("%llu values within their ranges\n", (unsigned long long)checked);
  assert_true(checked > 10000000 / ONE_OF);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_stays_in_its_ranges)};
  return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
