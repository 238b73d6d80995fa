/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State shared by the steps of register allocation and packing.
 */
#ifndef RT_REGALLOC_WORK_H
#define RT_REGALLOC_WORK_H

#include "compiler/regalloc/regalloc.h"

enum { PRED_MAX = 16, REG_MAX = 255 };

/* A kernel while it is being allocated. c->insn is a private copy, freed or handed over at the end. */
struct work {
  struct module *m;
  struct code *c;
  uint32_t nv, cap; /* virtual registers, those made for spilling included */
  uint8_t *words;   /* per register: 1, 2; 0: predicate */
  uint8_t *temp;    /* per register: made by spilling, never to be spilled again */
  uint32_t *phys;   /* per register: the result */
  struct live_ranges r;
  uint8_t *depth;  /* per instruction: loop depth */
  uint64_t budget; /* points that searches for a better colouring may still visit */
};
uint32_t work_reg(struct work *w, uint8_t words, bool temp); /* a new register */
void work_ranges(struct work *w);                            /* builds or rebuilds w->r and w->depth */
/* Starts on a copy of the kernel's code, with constants folded and copies merged. */
void work_begin(struct work *w, struct module *m, struct code *c, struct code *copy);
void work_end(struct work *w);
/* Sets w->phys of all general (or predicate) registers below `limit`, with ranges rebuilt and rounds of spilling.
 * *used: how many numbers. False: nothing is left to spill. */
bool work_fit(struct work *w, bool pred, uint32_t limit, uint32_t *used);
void work_rename(struct work *w);                    /* operands: from registers to w->phys */
void work_hand_over(struct work *w, struct code *c); /* the copy becomes the kernel's code */
void code_count_registers(struct code *c);           /* nreg and npred, of what instructions name */

/* unroll.c: innermost loops of constant trip count become copies of their bodies, if how->list; true: some did */
bool unroll_code(struct work *w, const struct schedule *how);
uint32_t find_loops(const struct work *w, uint32_t most, struct inner_loop **out); /* as code_loops */

/* schedule.c: instructions into the order of a list schedule, if how->list; limit: 0, or as many registers as there are */
void schedule_code(struct work *w, const struct schedule *how, uint32_t limit);

/* edit.c: targets follow. A branch to a dropped instruction goes to the next one kept; a branch to an
 * instruction goes to what is inserted before it. */
void code_drop(struct code *c, const uint8_t *drop);
struct edit {
  uint32_t at;
  bool after;
  struct insn insn;
};
void code_insert(struct code *c, const struct edit *e, uint32_t n); /* e sorted by (at, after) */

void fold_code(struct code *c, uint32_t nv); /* fold.c: unreachable code, constants into operands, dead code */
void coalesce_copies(struct work *w);        /* coalesce.c: one register for both ends of a move */
/* coalesce.c: physical moves onto themselves: marks them, drops them; how many */
uint32_t find_identities(const struct code *c, uint8_t *drop);
uint32_t drop_identities(struct code *c);

/* webs.c: every register becomes one per web. The result, per new register: what it was part of; freed by the
 * caller. Those of one old register have consecutive numbers, in the order of the text. */
uint32_t *webs_split(struct work *w);
/* Per register, of what webs_split gave: its PTX register, with ".2" for the second web of it, ... In the
 * module's arena; the array is freed by the caller. Registers from norigin on came later, from spilling. */
const char **webs_names(const struct work *w, const uint32_t *origin, uint32_t norigin);
void webs_floats(const struct work *w,
                 bool *fp); /* per register: every definition makes an f32, every read takes one */

/* color.c: physical numbers below `limit` for all general (or predicate) registers, as few as it can:
 * w->phys. Returns how many numbers are used; *nfail != 0: that many registers found no place, in fail[]
 * (room for w->nv). */
uint32_t color_search(struct work *w, bool pred, uint32_t limit, uint32_t *fail, uint32_t *nfail);
void pressure_build(const struct work *w, bool pred, uint32_t *words); /* per point: occupied registers */

/* spill.c: one round: chooses registers so that no point holds more than cap[point], and rewrites the code;
 * general registers go to local memory, predicates to general registers. Returns how many were spilled. */
uint32_t spill_round(struct work *w, bool pred, const uint32_t *cap);
uint32_t spill_least(const struct code *c,
                     uint32_t *at); /* registers that no spilling saves, and at which instruction */

/* warp_live.c: from c->live, what a warp needs before each instruction, and what of it is for lanes that wait while the
 * instruction is executed; out[c->n], waiting[c->n]. */
void warp_live_build(const struct code *c, uint64_t (*out)[4], uint64_t (*waiting)[4]);

/* fold.c: branches to the next instruction: marks them, drops them */
uint32_t find_empty_branches(const struct code *c, uint8_t *drop);
void drop_empty_branches(struct code *c);

#endif
