/* SPDX-License-Identifier: Apache-2.0 */
/* node: see node.h. */
#include "cost/node.h"

#include <stdio.h>
#include <string.h>

static const struct node {
  uint32_t nm;
  double area, delay, energy, area_ideal, delay_ideal, energy_ideal; /* on a figure at 180 nm */
} nodes[] = {
#define NODE(nm, ...) {nm, __VA_ARGS__},
#include "cost/node.def"
#undef NODE
};
enum { NODES = sizeof nodes / sizeof *nodes };

static const struct node *node_find(uint32_t nm, struct err *e) {
  char known[128] = "";
  for (unsigned i = 0; i < NODES; i++) {
    if (nodes[i].nm == nm) return &nodes[i];
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%u", i ? ", " : "", nodes[i].nm);
  }
  err_at(e, NULL, 0, 0, "found a node of %u nm, expected one with scaling factors: %s nm", nm, known);
  return NULL;
}

static struct range range_between(double a, double b) { return a < b ? (struct range){a, b} : (struct range){b, a}; }

bool node_factors(uint32_t from, uint32_t to, struct node_factors *out, struct err *e) {
  const struct node *f = node_find(from, e), *t = f ? node_find(to, e) : NULL;
  if (!t) return false;
  out->area = range_between(t->area / f->area, t->area_ideal / f->area_ideal);
  out->delay = range_between(t->delay / f->delay, t->delay_ideal / f->delay_ideal);
  out->energy = range_between(t->energy / f->energy, t->energy_ideal / f->energy_ideal);
  return true;
}
