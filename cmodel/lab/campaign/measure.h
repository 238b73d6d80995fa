/* SPDX-License-Identifier: Apache-2.0 */
/* measure: the named quantities by which systems are compared; and means over kernels. */
#ifndef RT_CAMPAIGN_MEASURE_H
#define RT_CAMPAIGN_MEASURE_H

#include "lab/run/run.h"

enum better { BETTER_MORE, BETTER_LESS, BETTER_MIXED };
struct measure {
  const char *key, *label, *unit;
  unsigned decimals;
  enum better better; /* LESS: a small number is the good one (area, energy, cycles); MIXED: it depends on the kernel */
  double (*num)(const struct run_result *), (*den)(const struct run_result *);
};
extern const struct measure measures[];
extern const unsigned nmeasures;
const struct measure *measure_find(const char *key); /* NULL: none */
/* What a message says after an unknown one: the measures that are similar (base/similar.h), or where they are listed. Returns buf. */
char *measure_suggest(const char *key, char *buf, size_t size);
/* False: the run has no such number (a miss ratio without reads). */
bool measure_of(const struct measure *m, const struct run_result *r, double *out);
/* True if it has a figure of a block's earlier Verilog in it (cost/blocks.h): those have a ~ in tables. */
bool measure_has_earlier_figures(const struct measure *m, const struct run_result *r);
/* Writes what the run's figure lacks to buf: why there is no area or energy, or that an energy takes a block's first set in place of a size that
 * is not recorded. False: nothing, and buf is "". */
bool measure_lack(const struct measure *m, const struct run_result *r, char *buf, size_t size);
/* The same measure with logic at the larger bound (energy: energy_most); NULL: it has none. */
const struct measure *measure_most(const struct measure *m);
/* True if it is an area or an energy: its figures come from the cost of the run's configuration (cost/cost.h). */
bool measure_has_cost(const struct measure *m, const struct run_result *r);

/* Means of numbers that come one by one. The geometric one is of positive numbers only: with another it is none. */
struct mean {
  unsigned n, nonpositive;
  double sum, logs;
};
void mean_add(struct mean *m, double x);
bool mean_arithmetic(const struct mean *m, double *out);
bool mean_geometric(const struct mean *m, double *out);
double mean_or_nan(const struct mean *m); /* the arithmetic one; NaN: none */
double mean_geometric_or_nan(struct mean m);

#endif
