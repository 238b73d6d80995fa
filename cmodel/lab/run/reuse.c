/* SPDX-License-Identifier: Apache-2.0 */
/* reuse: the profile by execution; see reuse.h. Its file is reuse_file.c's. */
#include "lab/run/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "lab/run/trace.h"
#include "lab/run/widths.h"

/* A kernel of the module while it is profiled. */
struct subject {
  struct reuse_entry *entry; /* NULL: the launch file does not name it */
  uint32_t ctas;             /* whose warps have ended, or are of the launch at work */
};
struct profiler {
  const struct module *m;
  struct reuse_profile *p;
  struct subject *of; /* per kernel of the module */
  uint32_t ctas;      /* of each kernel */
  /* of the launch at work */
  struct subject *now;
  const struct op *op;
  uint32_t first, wpc, left; /* CTAs that are profiled, in the grid from 0; warps of a CTA; warps that have not ended */
  struct reuse_warp **warp;  /* [first * wpc]; made at its first instruction */
  bool enough;               /* nothing is left to be profiled: the run ends */
};

static void profiler_count_reuse(void *ctx, uint64_t tag, unsigned operands, uint64_t distance) {
  const struct profiler *r = ctx;
  struct reuse_entry *x = r->now->entry;
  reuse_count(&x->insn[tag].count, operands, distance && distance <= r->p->near);
  if (distance) x->bin[distance < REUSE_BINS ? distance : 0]++;
  else x->never++;
}

static bool profiler_is_done(const struct profiler *r) {
  for (uint32_t k = 0; k < r->m->nkernel; k++)
    if (r->of[k].entry && r->of[k].ctas < r->ctas) return false;
  return true;
}

static bool profiler_count_inst(void *ctx, uint32_t cta, uint32_t warp, struct warp_inst *inst, struct err *e) {
  struct profiler *r = ctx;
  if (cta >= r->first) return true;
  struct reuse_warp **w = &r->warp[(size_t)cta * r->wpc + warp];
  if (!*w) *w = xcalloc(1, sizeof **w);
  reuse_step(*w, &r->op[inst->op], inst->op, profiler_count_reuse, r);
  r->now->entry->insns++;
  if (!(inst->flags & W_EXIT)) return true;
  reuse_end(*w, profiler_count_reuse, r);
  free(*w);
  *w = NULL;
  r->now->entry->warps++;
  r->enough = !--r->left && profiler_is_done(r);
  return !r->enough || err_at(e, NULL, 0, 0, "all is profiled");
}

static bool profiler_launch(void *ctx, const struct launch *l, unsigned index, struct err *e) {
  struct profiler *r = ctx;
  struct exec_counts counts;
  struct launch tapped = *l;
  const struct exec_tap tap = {profiler_count_inst, r};
  const uint64_t grid = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  (void)index;
  r->now = &r->of[l->code - r->m->kernel];
  if (!r->now->entry || r->now->ctas >= r->ctas || !grid) return exec_run(l, 0, &counts, e);
  const uint32_t most = r->ctas - r->now->ctas;
  r->op = l->code->op;
  r->first = grid < most ? (uint32_t)grid : most;
  r->wpc = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
  r->left = r->first * r->wpc;
  r->warp = xcalloc((size_t)r->first * r->wpc + 1, sizeof *r->warp);
  if (r->ctas != REUSE_ALL) r->now->ctas += r->first;
  tapped.tap = &tap;
  const bool ok = exec_run(&tapped, 0, &counts, e);
  for (size_t i = 0; i < (size_t)r->first * r->wpc; i++) free(r->warp[i]);
  free(r->warp);
  return ok;
}

static void profiler_add_subject(struct profiler *r, uint32_t k) {
  struct reuse_profile *p = r->p;
  const struct code *c = &r->m->kernel[k];
  struct reuse_entry *x = r->of[k].entry = &p->entry[p->n++];
  *x = (struct reuse_entry){.name = arena_strndup(&p->arena, c->name, strlen(c->name)),
                            .code = reuse_code_hash(c),
                            .insn = xcalloc(c->n, sizeof *x->insn),
                            .n = c->n};
  for (uint32_t i = 0; i < c->n; i++) x->insn[i].has = (uint16_t)reuse_mask(&c->op[i]);
}

static void profiler_add_subjects(struct profiler *r, const struct workload *w) {
  r->p->entry = xcalloc(r->m->nkernel, sizeof *r->p->entry);
  for (uint32_t k = 0; k < r->m->nkernel; k++)
    if (workload_has_kernel(w, r->m->kernel[k].name)) profiler_add_subject(r, k);
}

bool reuse_run(struct workload *w, uint64_t seed, uint32_t ctas, uint32_t near, struct reuse_profile *p,
               struct err *e) {
  *p = (struct reuse_profile){.file = "", .near = near};
  struct profiler r = {.m = w->module, .p = p, .ctas = ctas};
  const struct host_ops ops = {
      .launch = profiler_launch, .ctx = &r, .unchecked = true, .trial = true, .limits = w->limits};
  if (!w->trace && !widths_hash(w->module, &p->hash, e)) return false;
  r.of = xcalloc(w->module->nkernel, sizeof *r.of);
  profiler_add_subjects(&r, w);
  const bool ok = workload_go(w, seed, &ops, e);
  free(r.of);
  if (!ok && !r.enough) return false;
  *e = (struct err){0};
  return true;
}

bool reuse_of_launch(const struct launch *l, uint32_t ctas, uint32_t near, struct err *e) {
  struct reuse_profile p = {.file = "", .near = near};
  struct profiler r = {.m = l->module, .p = &p, .ctas = ctas};
  struct code *c = &l->module->kernel[l->code - l->module->kernel];
  r.of = xcalloc(l->module->nkernel, sizeof *r.of);
  p.entry = xcalloc(1, sizeof *p.entry);
  profiler_add_subject(&r, (uint32_t)(c - l->module->kernel));
  const bool ok = profiler_launch(&r, l, 0, e) || r.enough;
  if (ok) *e = (struct err){0};
  for (uint32_t i = 0; ok && i < c->n; i++) c->op[i].near = reuse_near(&p.entry->insn[i].count);
  reuse_free(&p);
  free(r.of);
  return ok;
}

void reuse_free(struct reuse_profile *p) {
  for (uint32_t i = 0; i < p->n; i++) free(p->entry[i].insn);
  free(p->entry);
  arena_free(&p->arena);
  *p = (struct reuse_profile){0};
}

void reuse_apply(const struct reuse_profile *p, struct module *m) {
  for (uint32_t k = 0; k < m->nkernel; k++) {
    struct code *c = &m->kernel[k];
    const struct reuse_entry *x = p->entry, *end = p->entry + p->n;
    const uint64_t code = c->op ? reuse_code_hash(c) : 0;
    while (x != end && (x->n != c->n || x->code != code || strcmp(x->name, c->name) != 0)) x++;
    for (uint32_t i = 0; i < c->n && c->op; i++) c->op[i].near = x == end ? 0 : reuse_near(&x->insn[i].count);
  }
}
