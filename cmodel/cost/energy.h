/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy: what a run's SM used, with its share of L2, interconnect and DRAM: events that the simulator counted, times an energy for each
 * (energy.def and the systems' cost.def), and idle power times time. Absolute values are rough; ratios of two systems on one machine are what
 * they are for. All at 45 nm. Energies of logic are scaled by the published factor, the smaller of both bounds, but see cost_use_larger_bound.
 */
#ifndef RT_COST_ENERGY_H
#define RT_COST_ENERGY_H

#include <stdio.h>

#include "config/config.h"
#include "mem/mem.h"
#include "sm/stats.h"

/* name, label */
#define ENERGY_COMPONENTS(X)                 \
  X(register_file, "register file, dynamic") \
  X(system, "the system's own memories")     \
  X(logic, "logic of the system\'s blocks")  \
  X(switching, "contexts of suspended CTAs") \
  X(execution, "fetch and execution")        \
  X(l1, "L1 and shared memory")              \
  X(l2, "L2")                                \
  X(noc, "interconnect")                     \
  X(dram, "DRAM")                            \
  X(idle, "idle power of the SM times time")

enum energy_component {
#define X(name, label) ENERGY_##name,
  ENERGY_COMPONENTS(X)
#undef X
      ENERGY_SUMS
};
extern const char *const energy_component_key[ENERGY_SUMS], *const energy_component_label[ENERGY_SUMS];

struct energy_line {
  const char *key, *label, *source;
  enum energy_component of;
};
extern const struct energy_line energy_lines[];
extern const unsigned nenergy_lines;
enum { MOST_ENERGY_LINES = 64 };

struct energy {
  double events[MOST_ENERGY_LINES], each[MOST_ENERGY_LINES]; /* of each line: events, pJ of one */
  double sum[ENERGY_SUMS], total;                            /* pJ */
};
/* False, no energy, and *e says why: the banks of this register file are not among those that the model of memories takes (cost/sram.h),
 * or nobody knows what they take (no_energy of the COST lines, cost/cost.h), or no energies are recorded of a block that the SM has. */
bool energy_of(const struct config *c, const struct sm_stats *s, const struct mem_stats *m, struct energy *out,
               struct err *e);
/* The total with line i's energy multiplied; with those of a whole component. */
double energy_with(const struct energy *e, unsigned i, double times);
double energy_with_all(const struct energy *e, enum energy_component c, double times);

/* pJ of a block's logic at its first set (cosim/records/energy.tsv), scaled from the library's node by the published factor: of a cycle's clock pins,
 * or of its event (synth/events.tsv). */
double energy_of_block(const char *block, bool clock);

#endif
