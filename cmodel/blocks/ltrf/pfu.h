/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pfu: warp control blocks and prefetch unit: where the registers of active warps are, and how they get there. LTRF,
 * sections 3.2 and 4.1 (Figs. 5 to 8); docs/blocks/ltrf/pfu.md.
 *
 * Its parts are an aau of cache banks for each slot, one of the slots, and farb. A cycle costs what happens in it: behind
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

enum { PFU_SOURCES = 6, PFU_DESTS = 4, PFU_WORDS = 4 }; /* words of 64 bits: a vector of registers */

struct pfu {
  struct pfu_state r;
  struct pfu_params size;
  unsigned bank_bits, slot_bits;

  /* what the slots do in this cycle: from their registers only */
  uint32_t steps;              /* change their state: ld, nothing to be handled any more, all reads have come back */
  uint32_t drops;              /* give up, or get, a register that is dead */
  uint32_t asks;               /* want the main register file */
  uint32_t evicts;             /* of drops and asks: those in evict */
  uint32_t done;               /* candidates for d */
  uint8_t next[pfu_Nact_most]; /* of drops and asks: the lowest register in todo */
  struct farb_request rq[pfu_Nact_most]; /* of asks */

  uint64_t begun;            /* warps with an st since reset or their last END: for the rules only */
  uint8_t slot[pfu_NumWarp]; /* of active warps */
  uint8_t bank[pfu_Nact_most][pfu_NumReg];
  struct aau slots, banks[pfu_Nact_most];
  struct farb farb;
  struct pfu_row {
    uint64_t ws[PFU_WORDS], live[PFU_WORDS];
  } row[pfu_NumWarp];

  uint32_t reading; /* look-up ports whose look-up of an earlier cycle is still read */
  struct pfu_look {
    uint8_t w, n, at, ok; /* at: the pair that is read next */
    uint8_t r[PFU_SOURCES], bank[PFU_SOURCES];
  } look[pfu_Np_most];
  struct pfu_result { /* the outputs lr; zero without v */
    uint64_t v, off, ok;
    uint32_t bank[RT_WORDS(pfu_Np_most * PFU_SOURCES * RT_CLOG2(pfu_Nr_most))];
  } result;
};

/* Slots whose register would leave, but a result for it wants to be written (cosim/inside.c shows farb its requests by it, too). */
uint32_t pfu_kept(const struct pfu *s, const struct pfu_in *in);

#endif
