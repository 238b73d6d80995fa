/* SPDX-License-Identifier: Apache-2.0 */
/* facts: see facts.h. */
#include "lab/run/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch_facts *facts_new(const struct module *m) {
  struct launch_facts *f = xcalloc((size_t)m->nkernel + 1, sizeof *f);
  for (uint32_t i = 0; i < m->nkernel; i++) f[i].param = xcalloc((size_t)m->kernel[i].nparam + 1, sizeof *f[i].param);
  return f;
}

void facts_free(struct launch_facts *f, const struct module *m) {
  if (!f) return;
  for (uint32_t i = 0; i < m->nkernel; i++) free(f[i].param);
  free(f);
}

/* A value of `bytes` bytes, as a number without and with a sign. */
struct number {
  uint64_t u;
  int64_t s;
};
static struct number number_from_bits(uint64_t bits, unsigned bytes) {
  unsigned up = 64 - 8 * bytes;
  return (struct number){bits << up >> up, (int64_t)(bits << up) >> up};
}

static bool is_scalar(const struct param *p) {
  return !p->array && (p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8);
}

static struct number param_value(const struct param *p, const struct launch *l) {
  uint64_t bits = 0;
  memcpy(&bits, l->param + p->offset, p->size);
  return number_from_bits(bits, p->size);
}

static void bounds_widen(struct bounds *b, struct number x, bool any) {
  if (!any || x.u < b->lo) b->lo = x.u;
  if (!any || x.u > b->hi) b->hi = x.u;
  if (!any || x.s < b->slo) b->slo = x.s;
  if (!any || x.s > b->shi) b->shi = x.s;
}

static bool bounds_contain(const struct bounds *b, struct number x) {
  return bounds_signed(b) ? x.s >= b->slo && x.s <= b->shi : x.u >= b->lo && x.u <= b->hi;
}

void facts_add(struct launch_facts *f, const struct code *c, const struct launch *l) {
  for (unsigned k = 0; k < 3; k++) {
    bounds_widen(&f->ntid[k], number_from_bits(l->block[k], 4), f->any);
    bounds_widen(&f->nctaid[k], number_from_bits(l->grid[k], 4), f->any);
  }
  bounds_widen(&f->shared_dyn, number_from_bits(l->shared_dyn, 4), f->any);
  for (uint32_t p = 0; p < c->nparam; p++)
    if (is_scalar(&c->param[p])) bounds_widen(&f->param[p], param_value(&c->param[p], l), f->any);
  f->any = true;
}

static void print_number(char buf[24], bool sign, struct number x) {
  if (sign) snprintf(buf, 24, "%" PRId64, x.s);
  else snprintf(buf, 24, "%" PRIu64, x.u);
}

static bool bounds_refuse(const struct code *c, const char *what, const struct bounds *b, struct number x,
                          struct err *e) {
  char found[24], least[24], most[24];
  bool sign = bounds_signed(b);
  print_number(found, sign, x);
  print_number(least, sign, (struct number){b->lo, b->slo});
  print_number(most, sign, (struct number){b->hi, b->shi});
  return err_at(e, c->file, (int)c->line, (int)c->col,
                "kernel '%.160s': found %.100s %s, expected %s to %s as in the run that the code was made for", c->name,
                what, found, least, most);
}

bool facts_cover(const struct launch_facts *f, const struct code *c, const struct launch *l, struct err *e) {
  static const char *const block[] = {"ntid.x", "ntid.y", "ntid.z"};
  static const char *const grid[] = {"nctaid.x", "nctaid.y", "nctaid.z"};
  if (!f->any)
    return err_at(e, c->file, (int)c->line, (int)c->col,
                  "kernel '%.160s': found a launch, expected none as in the run that the code was made for", c->name);
  for (unsigned k = 0; k < 3; k++) {
    struct number b = number_from_bits(l->block[k], 4), g = number_from_bits(l->grid[k], 4);
    if (!bounds_contain(&f->ntid[k], b)) return bounds_refuse(c, block[k], &f->ntid[k], b, e);
    if (!bounds_contain(&f->nctaid[k], g)) return bounds_refuse(c, grid[k], &f->nctaid[k], g, e);
  }
  struct number shared = number_from_bits(l->shared_dyn, 4);
  if (!bounds_contain(&f->shared_dyn, shared))
    return bounds_refuse(c, "dynamic shared memory of", &f->shared_dyn, shared, e);
  for (uint32_t p = 0; p < c->nparam; p++) {
    if (!is_scalar(&c->param[p])) continue;
    struct number x = param_value(&c->param[p], l);
    if (!bounds_contain(&f->param[p], x)) return bounds_refuse(c, c->param[p].name, &f->param[p], x, e);
  }
  return true;
}

struct collect {
  const struct module *m;
  struct launch_facts *f;
};

static bool facts_collect(void *ctx, const struct launch *l, struct err *e) {
  const struct collect *to = ctx;
  struct exec_counts counts = {0};
  facts_add(&to->f[l->code - to->m->kernel], l->code, l);
  return exec_run(l, 0, &counts, e);
}

bool facts_run(struct workload *w, uint64_t seed, bool unchecked, struct launch_facts *f, struct quality_results *r,
               struct err *e) {
  struct collect to = {w->module, f};
  const struct launcher by = {facts_collect, &to};
  return quality_run(w, seed, unchecked, &by, r, e);
}
