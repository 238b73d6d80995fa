/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost: bits, transistors, area, longest path and energies of what a configuration's SM has for its registers: the register file's banks
 * and the blocks of its system; and of the L1's data and shared memory, each at the sizes that a run of that configuration has. From committed tables: no synthesis tool is needed.
 */
#ifndef RT_COST_COST_H
#define RT_COST_COST_H

#include "config/config.h"
#include "cost/blocks.h"
#include "cost/node.h"

enum { COST_NODE = 45, COST_PARTS = 48 }; /* nm, without another wish */

enum part_kind {
  PART_LOGIC, /* a block, its memories left out */
  PART_SRAM,  /* a memory, by the model of cost/sram.h */
  PART_CELLS, /* a memory that is too small for it: between its SRAM cells alone and flip-flops from the library */
  PART_FILE,  /* the register file's banks, by the same model */
  PART_CACHE /* the data of the L1, and shared memory, into which some systems move registers: rows of 1,024 bits, by the same model */
};
struct part {
  char name[64]; /* "finereg/rmu"; of a memory "1024 x 22 bits, 1R1W" below its block */
  enum part_kind kind;
  uint32_t n; /* instances; the figures below are of all */
  uint64_t flip_flops, memory_bits, transistors;
  struct range mm2;
  struct range ns;                      /* longest path of logic; access time of a memory; 0: unknown */
  const char *ports;                    /* of a memory of the model: "1RW" or "1R1W"; of others NULL */
  double read_pj, write_pj, leakage_mw; /* of a memory of the model: an access; all. Of others 0 */
  const struct block_cost *block;       /* PART_LOGIC; and energies of one instance: */
  struct range clock_pj, event_pj;      /* a cycle in which only clocks move, an event; event NULL: not recorded */
  const char *event;
  bool earlier, energy_earlier; /* figures, energies of earlier Verilog (cost/blocks.h); of a sum: of some part */
};
struct system_cost {
  uint32_t node;
  unsigned n;
  struct part part[COST_PARTS];
  const char *missing;  /* what of the system is not in it; NULL: nothing that is known */
  const char *unpriced; /* blocks without a cost (cost_facts); NULL: none */
  bool collectors;      /* the collector units are in it */
  bool partial;         /* so much is not in it that its area is not one to compare */
  struct part blocks, file, cache,
      total; /* sums: logic and memories of the blocks; the register file; L1 and shared memory; all */
};
/* What the COST lines of systems (systems/NAME/cost.def) say of a configuration; COST(when, member, value) sets a member. */
struct cost_facts {
  const char *missing; /* what of the system was not built and is not in its cost; NULL: nothing that is known */
  const char *
      unpriced; /* "mine/keep, mine/late": blocks of the system that no COST_BLOCK has; sets no_area and no_energy; NULL: none */
  bool no_area; /* so much is missing that its area is not one to compare; likewise: */
  bool no_energy;
  int64_t file_elsewhere; /* bytes of the register file that are not in its banks but in a memory of a block */
  double file_area;       /* area of the register file's banks, over that of the same SRAM; 0: 1 */
  int64_t cache_banks;    /* a register cache in front of the file; 0: none */
  int64_t cache_rows;     /* registers in each of its banks */
  const char *without; /* the same machine without this system, with collector units in its cost, too; NULL: baseline */
  const char *own_keys; /* keys of `without` that are this system's own ("malekeh."); NULL: none */
};
struct cost_facts cost_facts(const struct config *c);
/* The text for a user after the names of unpriced blocks. */
#define UNPRICED_NOTE "has no cost yet: a line COST_BLOCK in cost.def gives it (docs/start/your-idea.md, section 7)"
/* True if this thread has asked for the cost or the energy of a configuration (cost_facts) since the last call. */
bool cost_take_asked_flag(void);

/* Lets this thread's energies of logic (energy_of), and the areas that measures take, be the larger of both bounds, until it is called with false. */
void cost_use_larger_bound(bool on);
bool cost_uses_larger_bound(void);

/* False and *e: a configuration that no run takes, a block at a size that nobody synthesized, a node without factors, banks that
 * the model of memories refuses. */
bool system_cost(const struct config *c, uint32_t node, struct system_cost *out, struct err *e);
/* True if the cost of every block of the system is recorded at the sizes of this configuration. False: *e names the first one that is not. */
bool cost_sizes_recorded(const struct config *c, struct err *e);

/* The system that is the same machine without this one, "baseline" as a rule; *section: keys of it are this system's own ("malekeh."), NULL: none.
 * One with the collector units in its cost is compared with one that has them, too. */
const char *system_without(const struct config *c, const char **section);

/* Area of an SM: Linebacker (ISCA'19), section 4.2. */
#define SM_MM2 22.0

#endif
