/* SPDX-License-Identifier: Apache-2.0 */
/* node: from the technology in which blocks are synthesized to another: factors with their error bar (node.def has the source). */
#ifndef RT_COST_NODE_H
#define RT_COST_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct range {
  double low, high;
};
static inline struct range range_times(double x, struct range r) { return (struct range){x * r.low, x * r.high}; }
static inline struct range range_sum(struct range a, struct range b) {
  return (struct range){a.low + b.low, a.high + b.high};
}

/* Factors on a figure at `from` nm: each between the published factor and ideal scaling, the smaller one first. */
struct node_factors {
  struct range area, delay, energy;
};
/* False and *e: no factors for one of the two; the message names those that there are. */
bool node_factors(uint32_t from, uint32_t to, struct node_factors *out, struct err *e);

#endif
