/* SPDX-License-Identifier: Apache-2.0 */
/* measure: see measure.h. */
#include "lab/campaign/measure.h"

#include <math.h>
#include <string.h>

#include "base/similar.h"
#include "cost/cost.h"
#include "cost/energy.h"
#include "sm/slots.h"

/* pJ of a component, of all (-1). */
static double energy_sum(const struct run_result *r, int component) {
  struct energy e;
  if (!run_energy(r, &e)) return 0;
  return component < 0 ? e.total : e.sum[component];
}
static double energy_known(const struct run_result *r) {
  struct energy e;
  return run_energy(r, &e);
}
/* 0: not known. */
static double area_mm2(const struct run_result *r) {
  struct system_cost s;
  struct err e = {0};
  if (!system_cost(&r->cfg, COST_NODE, &s, &e) || s.partial) return 0;
  return cost_uses_larger_bound() ? s.total.mm2.high : s.total.mm2.low;
}

/* Accesses to the banks of the register file, not to those of a cache of registers. */
struct file_accesses {
  uint64_t reads, writes;
};
static struct file_accesses file_of(const struct run_result *r) {
  struct file_accesses a = {r->sm.rf_reads, r->sm.rf_writes};
  slots_main_file(&r->cfg, &r->sm, &a.reads, &a.writes);
  return a;
}

#define MEASURE(key, label, unit, decimals, better, num, den) \
  static double num_##key(const struct run_result *r) {       \
    const struct config *c = &r->cfg;                         \
    return (void)c, (double)(num);                            \
  }                                                           \
  static double den_##key(const struct run_result *r) {       \
    const struct config *c = &r->cfg;                         \
    return (void)c, (double)(den);                            \
  }
#include "gen/systems/measures.def"

const struct measure measures[] = {
#define LESS BETTER_LESS
#define MORE BETTER_MORE
#define MIXED BETTER_MIXED
#define MEASURE(key, label, unit, decimals, better, num, den) \
  {#key, label, unit, decimals, better, num_##key, den_##key},
#include "gen/systems/measures.def"
};
const unsigned nmeasures = sizeof measures / sizeof *measures;

const struct measure *measure_find(const char *key) {
  for (unsigned i = 0; i < nmeasures; i++)
    if (!strcmp(measures[i].key, key)) return &measures[i];
  return NULL;
}

char *measure_suggest(const char *key, char *buf, size_t size) {
  return similar_among(key, &measures[0].key, sizeof *measures, nmeasures, ", expected one of 'regtwin list measures'",
                       buf, size);
}

bool measure_of(const struct measure *m, const struct run_result *r, double *out) {
  double den = m->den(r);
  *out = den > 0 ? m->num(r) / den : 0;
  return den > 0;
}

bool measure_has_earlier_figures(const struct measure *m, const struct run_result *r) {
  double v;
  block_take_earlier_flag();
  measure_of(m, r, &v);
  return block_take_earlier_flag();
}

bool measure_has_cost(const struct measure *m, const struct run_result *r) {
  double v;
  cost_take_asked_flag();
  measure_of(m, r, &v);
  return cost_take_asked_flag();
}

void mean_add(struct mean *m, double x) {
  m->n++;
  m->sum += x;
  if (x > 0) m->logs += log(x);
  else m->nonpositive++;
}

bool mean_arithmetic(const struct mean *m, double *out) {
  *out = m->n ? m->sum / m->n : 0;
  return m->n != 0;
}

double mean_or_nan(const struct mean *m) {
  double v;
  return mean_arithmetic(m, &v) ? v : NAN;
}

bool mean_geometric(const struct mean *m, double *out) {
  bool there = m->n && !m->nonpositive;
  *out = there ? exp(m->logs / m->n) : 0;
  return there;
}

double mean_geometric_or_nan(struct mean m) {
  double x;
  return mean_geometric(&m, &x) ? x : NAN;
}
