/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks: what a block's Verilog costs in the cells of a library at each of its parameter sets, as make synth-record found it
 * (cosim/records/baseline.tsv). A block's row has the blocks that it is made of in it; the memories are left out of area and transistors.
 */
#ifndef RT_COST_BLOCKS_H
#define RT_COST_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cost/sram.h"

enum { LIBRARY_NODE = 180 }; /* nm: OSU's 0.18 um cells */

struct block_cost {
  const char *name; /* "finereg/rmu", or of another set than the first "finereg/rmu@kb64" */
  uint64_t cells, flip_flops, area_um2, transistors;
  double ns;             /* longest path */
  uint64_t memory_bits;  /* of its memories: */
  const char *memories;  /* "1*1rw:32x64 1*1r1w:1024x1024": instances, ports, words, bits of a word; "-": none */
  const char *parameter; /* "NumEntries=1024 LrvcEntries=32"; "-": none */
  bool earlier;          /* of other Verilog than the row of the block's first set: recorded before a change of it */
};

/* Energy of a block's logic at LIBRARY_NODE, pJ (cosim/records/energy.tsv, docs/use/cost.md): of a cycle in which only the clock moves, and of an event
 * of synth/events.tsv: from the streams that kernels left, where there are some, else from the bench. False: none recorded. */
struct block_energy {
  const char *event; /* "look-up" */
  double clock_pj, event_pj;
  bool earlier; /* as above */
};
bool block_energy(const char *block, struct block_energy *out);
/* The same of a block at a set ("malekeh/ccu@base"); where that is not recorded, its first one's. */
bool set_energy(const char *name, struct block_energy *out);

/* True if one of these functions has given this thread figures of earlier Verilog since the last call: that clears the flag. */
bool block_take_earlier_flag(void);
#define EARLIER_NOTE                                                                                                 \
  "figures that were recorded of a block's earlier Verilog are in it; 'regtwin cost SYSTEM' names the command that " \
  "renews them"

struct block_size {
  const char *name; /* of a parameter; NULL ends a list */
  int64_t value;
};
/* The row of a block at these parameters; those that are not named are of any value, the first such row counts. NULL and *e, which
 * names the parameters there are and how to add one. */
const struct block_cost *block_cost(const char *block, const struct block_size *size, struct err *e);

/* A block's memories, one by one: starts at *at = memories; false: no more. */
struct memory {
  uint32_t instances;
  struct sram array; /* rows, width, ports */
};
bool memory_next(const char **at, struct memory *m);
/* The same memory in flip-flops: its own row of the table, or, without one, bits at the cost of the dearest that there is (make synth
 * makes rows up to 8,192 bits; ns is then 0). False: there are none. */
bool memory_in_cells(const struct sram *a, struct block_cost *out);

#endif
