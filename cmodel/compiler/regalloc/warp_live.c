/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp_live: the registers that a warp needs before each instruction, in any lane (docs/blocks/finereg/overview.md,
 * F14).
 *
 * A thread needs the registers that its own paths read. A diverged warp needs more: while some lanes execute one side
 * of a branch, the others wait before the other side or at the reconvergence point, with values in the same
 * registers; a write is masked and does not end their lifetime. Hence every block of a side also needs what is live
 * before the other side and at the reconvergence point, whichever side is executed first. (Connecting the end of each
 * side with the start of the other is not enough: a write between would end a value of the waiting lanes.)
 *
 * A source is dead behind an instruction if neither the thread's own paths nor lanes that wait read its value again: the
 * dead-operand bits of LTRF+ (struct op). An instruction that is not guarded and writes the register ends the value of
 * the lanes that execute it, so only those that wait count.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/cfg.h"
#include "compiler/regalloc/work.h"

struct walk {
  struct graph g;
  regset *extra;                  /* per block: what waiting lanes need */
  uint32_t *ipdom, *stack, *seen; /* seen: the walk that came here last */
  uint32_t walks;
};

/* Adds `need` to all blocks from `side` on that lie before block `meet`. */
static void add_side(struct walk *w, uint32_t side, uint32_t meet, const regset need) {
  uint32_t n = 0;
  if (side == meet) return;
  w->seen[side] = ++w->walks;
  w->stack[n++] = side;
  while (n) {
    uint32_t b = w->stack[--n];
    regset_join(w->extra[b], need);
    for (uint32_t s = 0; s < w->g.block[b].nsucc; s++) {
      uint32_t to = w->g.block[b].succ[s];
      if (to == meet || w->seen[to] == w->walks) continue;
      w->seen[to] = w->walks;
      w->stack[n++] = to;
    }
  }
}

/* Lanes on one side of a branch: the others wait before the other side, or at the reconvergence point. */
static void add_branch(const struct code *c, struct walk *w, uint32_t b) {
  const struct block *k = &w->g.block[b];
  uint32_t meet = w->ipdom[b];
  for (uint32_t s = 0; s < 2; s++) {
    regset need = {0};
    regset_join(need, c->live[w->g.block[k->succ[1 - s]].first]);
    if (meet != w->g.n) regset_join(need, c->live[w->g.block[meet].first]);
    add_side(w, k->succ[s], meet, need);
  }
}

void warp_live_build(const struct code *c, uint64_t (*out)[4], uint64_t (*waiting)[4]) {
  struct walk w = {.walks = 0};
  graph_build(c, &w.g);
  w.ipdom = xcalloc((size_t)w.g.n * 3 + 1, sizeof *w.ipdom);
  w.stack = w.ipdom + w.g.n;
  w.seen = w.stack + w.g.n;
  w.extra = xcalloc((size_t)w.g.n + 1, sizeof *w.extra);
  pdom_build(&w.g, w.ipdom);
  for (uint32_t b = 0; b < w.g.n; b++)
    if (w.g.block[b].nsucc == 2) add_branch(c, &w, b);
  for (uint32_t i = 0; i < c->n; i++) {
    memcpy(waiting[i], w.extra[w.g.block_of[i]], sizeof *waiting);
    memcpy(out[i], c->live[i], sizeof *out);
    regset_join(out[i], waiting[i]);
  }
  free(w.extra);
  free(w.ipdom);
  graph_free(&w.g);
}
