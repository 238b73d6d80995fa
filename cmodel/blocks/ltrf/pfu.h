/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pfu: warp control blocks and prefetch unit: where the registers of active warps are, and how they get there. LTRF,
 * sections 3.2 and 4.1 (Figs. 5 to 8); docs/blocks/ltrf/pfu.md.
 *
 * Its parts are an aau of cache banks for each slot, one of the slots, and farb. A cycle costs what happens in it: after
 * each change of a slot its registers decide anew what it does next, and the masks below name the slots that do something. A slot that
 * waits for reads is in none of them; if all slots do, pfu_idle returns "asleep": what comes from the main register file is an input.
 * pfu_hold says so, too, while no slot that asks for the main register file is granted.
 */
#ifndef RT_BLOCKS_LTRF_PFU_H
#define RT_BLOCKS_LTRF_PFU_H

#include "blocks/ltrf/aau.h"
#include "blocks/ltrf/farb.h"

#define BLOCK pfu
#define BLOCK_DEF "blocks/ltrf/pfu.def"
#define BLOCK_BUSY
#define BLOCK_HOLDS
#define BLOCK_ADVANCES
#include "blocks/declare.h"

enum { PFU_SOURCES = 6, PFU_DESTINATIONS = 4, PFU_WORDS = 4 }; /* words of 64 bits: a set of registers */

struct pfu {
  struct pfu_state r;
  struct pfu_params size;

  /* what the slots do in this cycle: from their registers only */
  uint32_t steps;  /* change their state: load, nothing to be handled any more, all reads have come back */
  uint32_t drops;  /* give up, or get, a register that is dead */
  uint32_t asks;   /* want the main register file */
  uint32_t evicts; /* of drops and asks: those in evict */
  uint32_t done;   /* candidates for done */
  uint8_t next[pfu_NumSlots_most]; /* [slot] of drops and asks: the lowest register in todo_q */
  uint8_t main_bank[pfu_NumSlots_most], cache_bank[pfu_NumSlots_most]; /* [slot] of asks: its banks */

  uint64_t started;           /* warps with a start since reset or their last END: for the rules only */
  uint8_t slot[pfu_NumWarps]; /* [warp] of active warps */
  uint8_t bank[pfu_NumSlots_most][pfu_NumRegisters];
  struct aau slots, banks[pfu_NumSlots_most];
  struct farb farb;
  struct pfu_row { /* of a warp without a slot */
    uint64_t working_set[PFU_WORDS], live[PFU_WORDS];
  } row[pfu_NumWarps];

  uint32_t reading; /* ports whose look-up of an earlier cycle is still read */
  struct pfu_lookup {
    uint8_t warp, count, pair, hit; /* pair: that is read next; hit: a mask of sources */
    uint8_t source[PFU_SOURCES], bank[PFU_SOURCES];
  } lookup[pfu_NumPorts_most];
  struct pfu_response { /* the outputs response_*: zero for ports that are not valid */
    uint64_t valid;
    uint8_t slot[pfu_NumPorts_most], hit[pfu_NumPorts_most], bank[pfu_NumPorts_most][PFU_SOURCES];
  } response;
};

/* Slots whose register would leave, but a result for it wants to be written (cosim/whole_sm/inside.c shows farb its requests by it, too). */
uint32_t pfu_kept(const struct pfu *s, const struct pfu_in *in);

#endif
