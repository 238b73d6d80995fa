/* SPDX-License-Identifier: Apache-2.0 */
/* measure: see measure.h. */
#include "lab/campaign/measure.h"

#include <math.h>
#include <string.h>

#include "base/similar.h"
#include "cost/cost.h"
#include "cost/energy.h"
#include "sm/slots.h"

/* What this thread's last energies and areas lack: why one is not known, or whose logic an energy takes; not set: nothing. */
static _Thread_local struct err lack;
static _Thread_local bool
    lack_wanted; /* measure_lack asks: block_cost, which marks figures of earlier Verilog, is called only then */

/* pJ of a component, of all (-1). */
static double energy_sum(const struct run_result *r, int component) {
  struct energy e;
  if (!run_energy(r, &e)) return 0;
  return component < 0 ? e.total : e.sum[component];
}
static double energy_known(const struct run_result *r) {
  struct energy e;
  struct err why = {0};
  const bool known = run_energy_explained(r, &e, &why);
  if (!known) err_at(&lack, NULL, 0, 0, "no energy: %.900s", why.text);
  else if (lack_wanted && !cost_sizes_recorded(&r->cfg, &why))
    err_at(&lack, NULL, 0, 0, "its energy takes the logic of a block's first set: %.900s", why.text);
  return known;
}
/* 0: not known. */
static double area_mm2(const struct run_result *r) {
  struct system_cost s;
  struct err e = {0};
  const bool known = system_cost(&r->cfg, COST_NODE, &s, &e);
  if (known && !s.partial) return cost_uses_larger_bound() ? s.total.mm2.high : s.total.mm2.low;
  if (!known) err_at(&lack, NULL, 0, 0, "no area: %.900s", e.text);
  else if (s.unpriced) err_at(&lack, NULL, 0, 0, "no area: %.300s " UNPRICED_NOTE, s.unpriced);
  else err_at(&lack, NULL, 0, 0, "no area: not built: %.600s", s.missing ? s.missing : "");
  return 0;
}

/* The same with the logic at the larger of both bounds. */
static double energy_sum_most(const struct run_result *r, int component) {
  const bool was = cost_uses_larger_bound();
  cost_use_larger_bound(true);
  const double pj = energy_sum(r, component);
  cost_use_larger_bound(was);
  return pj;
}
static double area_mm2_most(const struct run_result *r) {
  const bool was = cost_uses_larger_bound();
  cost_use_larger_bound(true);
  const double mm2 = area_mm2(r);
  cost_use_larger_bound(was);
  return mm2;
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
  const bool there = measure_of(m, r, &v);
  return block_take_earlier_flag() && there;
}

bool measure_lack(const struct measure *m, const struct run_result *r, char *buf, size_t size) {
  double v;
  lack = (struct err){0};
  lack_wanted = true;
  measure_of(m, r, &v);
  lack_wanted = false;
  snprintf(buf, size, "%s", lack.set ? lack.text : "");
  return lack.set;
}

const struct measure *measure_most(const struct measure *m) {
  char key[64];
  snprintf(key, sizeof key, "%.50s_most", m->key);
  return measure_find(key);
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
