/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netsim: a mapped netlist in simulation, behind the interface that the engine of make cosim has for Verilated RTL, so that a
 * block's bench and its recorded streams drive it and its outputs are compared with the C twin's in every cycle. It
 * counts the transitions of every net.
 *
 * Zero delay: in a cycle the registers take their new values and the inputs arrive, then each gate is evaluated once,
 * after those that drive it. A net makes at most one transition in a cycle: glitches are not seen. Resets are not
 * counted. One simulation in a program.
 */
#ifndef RT_SYNTH_NETSIM_H
#define RT_SYNTH_NETSIM_H

#include "describe.h"
#include "netlist.h"

struct netsim_counts {           /* since the last netsim_clear */
  uint64_t cycles, *rise, *fall; /* of a net */
};

extern const struct rtl_api netsim_api;

void netsim_open(const struct netlist *n, const struct block_desc *d);
/* `each` is called in every cycle, when inputs and outputs are there, with the values of the nets. */
void netsim_clear(void (*each)(const uint8_t *value));
/* Counts no more than so many of the cycles that follow: a replay evaluates once more after its last one. */
void netsim_most(uint64_t cycles);
const struct netsim_counts *netsim_end(void); /* after a run: with the transitions that its last edge causes */

#endif
