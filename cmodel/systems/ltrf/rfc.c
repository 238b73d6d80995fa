/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rfc: a register cache without a compiler's help (Gebhart et al., ISCA 2011, as the LTRF paper compares with it): of each active warp the
 * last results, 16 at ltrf.interval 16, first in, first out. What is modelled and what is our reading: docs/reference/comparators.md.
 *
 * A result enters the cache, unless it comes from L2 or beyond, or writes only some lanes of a register that is not there; then it goes to the
 * main file. The entry that it replaces is written to the main file, unless its register is dead (op.dead). Operands are looked up
 * in one cycle; those that are not there are read from the main file, and do not enter. When a warp leaves the active set its live
 * entries are written back, one in a cycle; one that comes begins with none.
 *
 * An entry is not replaced while an operand is to be read from it; the result waits.
 */
#include <stdlib.h>
#include <string.h>

#include "systems/ltrf/ltrf.h"
#include "systems/ltrf/warp_cache.h"

enum { NO_REG = 0xffff };

struct place {
  uint16_t reg[ENTRIES];
  uint8_t reads[ENTRIES]; /* operands that are to be read from it */
  uint8_t next;           /* the entry that the next result replaces */
};

struct rfc {
  struct warp_cache c;
  struct place slot[SLOTS];
  uint64_t live[WARPS][4]; /* registers, that may be read again */
  uint32_t all[WARPS];     /* lanes that the warp began with */
  uint64_t fresh,
      looked; /* units taken in the cycle before, whose look-up is this cycle's; looked up in the last one */
  const struct collector_unit *unit[UNIT_MAX];
};

static struct rfc *rfc_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct rfc *x = xcalloc_lines(1, sizeof *x);
  choice_set(S, SLOT_STORAGE, x);
  warp_cache_init(S, &x->c);
  return true;
}

static void done(struct sm *S) {
  if (rfc_of(S)) free(rfc_of(S)->c.wait);
  free(rfc_of(S));
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct rfc *x = rfc_of(S);
  if (!storage_flat.plan(S, k, e)) return false;
  x->fresh = x->looked = 0;
  warp_cache_plan(S, &x->c);
  return true;
}

/* ---- entries ---- */

static unsigned rfc_entry_of(const struct rfc *x, unsigned slot, unsigned reg) {
  unsigned i = 0;
  while (i < x->c.entries && x->slot[slot].reg[i] != reg) i++;
  return i;
}

/* Writes the entry's register to the main file; false: its bank, or the entry's, is not free in this cycle. */
static bool rfc_write_back(struct sm *S, struct rfc *x, unsigned w, unsigned i) {
  const unsigned slot = x->c.of[w], reg = x->slot[slot].reg[i];
  if (!warp_cache_spill(S, &x->c, w, i, reg)) {
    sm_counters(S)->main_waits++;
    return false;
  }
  if (sm_view(S)->check) memcpy(check_row(S, w, reg), check_file(S, warp_cache_row(&x->c, slot, i)), 128);
  return true;
}

/* ---- operands ---- */

static void locate(struct sm *S, const struct collector_unit *u) {
  struct rfc *x = rfc_of(S);
  const struct op *op = u->op;
  if (!op->nsrc) return;
  unit_hold(S, u);
  x->unit[u->index] = u;
  x->fresh |= 1ull << u->index;
  x->c.operands[u->warp] = (uint8_t)(x->c.operands[u->warp] + op->nsrc);
}

static bool rfc_op_writes(const struct op *op, unsigned reg) {
  bool is = false;
  for (unsigned k = 0; k < op->ndst; k++) is |= op->dst[k] == reg;
  return is;
}

/* Where its operands are (from here on dead ones are not kept, but for these reads): banks of the cache are asked in this cycle, the main file's when they are free. */
static void rfc_ask(struct sm *S, struct rfc *x, const struct collector_unit *u) {
  const struct op *op = u->op;
  const unsigned slot = x->c.of[u->warp];
  uint64_t banks = ~0ull;
  x->c.missing[u->index] = 0;
  for (unsigned k = 0; k < op->nsrc; k++) {
    const unsigned i = rfc_entry_of(x, slot, op->src[k]);
    if (i < x->c.entries) {
      x->slot[slot].reads[i]++;
      banks ^= (uint64_t)(i ^ BANK_DONE) << 8 * k;
      unit_set_row(S, u, k, warp_cache_row(&x->c, slot, i));
    } else {
      warp_cache_wait(S, &x->c, (struct waiting_operand){.unit = u, .k = (uint8_t)k});
    }
  }
  for (unsigned k = 0; k < op->nsrc; k++)
    if (op->dead >> k & 1 && !rfc_op_writes(op, op->src[k])) set_del(x->live[u->warp], op->src[k]);
  unit_set_banks(S, u, banks);
  if (banks != ~0ull) unit_want_all(S, u);
  warp_cache_unit_step(S, &x->c, u);
}

static void look(struct sm *S) {
  struct rfc *x = rfc_of(S);
  for (uint64_t m = x->looked; m; m &= m - 1) rfc_ask(S, x, x->unit[bit_low64(m)]);
  if ((x->looked | x->fresh) != 0) sm_keep_awake(S);
  x->looked = x->fresh;
  x->fresh = 0;
  warp_cache_read_main(S, &x->c, NULL);
}

/* ARRIVE: an operand has come from the main file. */
static void operands(struct sm *S, const struct collector_unit *u) {
  struct rfc *x = rfc_of(S);
  x->c.missing[u->index]--;
  warp_cache_unit_step(S, &x->c, u);
}

static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  struct rfc *x = rfc_of(S);
  x->slot[x->c.of[u->warp]].reads[u->bank[i]]--;
  x->c.operands[u->warp]--;
  if (sm_view(S)->check) check_operand(S, u, i);
}

static void issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  struct rfc *x = rfc_of(S);
  const struct op *op = &sm_view(S)->op[inst->op];
  if (!inst->seq) x->all[w] = inst->active;
  for (unsigned k = 0; k < op->ndst; k++) set_add(x->live[w], op->dst[k]);
}

/* ---- results ---- */

/* The entry is free for another register. */
static bool rfc_give_up(struct sm *S, struct rfc *x, unsigned w, unsigned i) {
  struct place *s = &x->slot[x->c.of[w]];
  if (s->reads[i]) return false;
  if (s->reg[i] != NO_REG && set_has(x->live[w], s->reg[i]) && !rfc_write_back(S, x, w, i)) return false;
  if (sm_view(S)->check && s->reg[i] != NO_REG && !set_has(x->live[w], s->reg[i]))
    check_lost(S, warp_view(S, w)->row + s->reg[i], 1);
  s->reg[i] = NO_REG;
  return true;
}

static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  struct rfc *x = rfc_of(S);
  const unsigned w = f->inst.warp, reg = f->op->dst[k], slot = x->c.of[w];
  if (slot == NO_SLOT) return main_file_only(S, &x->c.main, f, k);
  struct place *s = &x->slot[slot];
  const bool whole = !(x->all[w] & ~f->inst.lanes);
  unsigned i = rfc_entry_of(x, slot, reg);
  if (i < x->c.entries && f->far && whole) {
    const enum result_answer a = main_file_only(S, &x->c.main, f, k);
    if (a == RESULT_ACCEPTED) s->reg[i] = NO_REG;
    return a;
  }
  if (i == x->c.entries) {
    if (f->far || !whole || x->c.leaving >> w & 1) return main_file_only(S, &x->c.main, f, k);
    i = s->next;
    if (!rfc_give_up(S, x, w, i)) return RESULT_BUSY;
  }
  *bank = i;
  *row = warp_cache_row(&x->c, slot, i);
  if (group_view(S, 0)->wr_used[0] >> i & 1) return RESULT_BUSY; /* before it takes the entry */
  if (s->reg[i] != reg) {
    s->next = (uint8_t)((i + 1) % x->c.entries);
    if (sm_view(S)->check) check_lost(S, *row, 1);
  }
  s->reg[i] = (uint16_t)reg;
  return RESULT_TO_BANK;
}

/* ---- warps ---- */

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct rfc *x = rfc_of(S);
  switch (what) {
    case WARP_BEGIN: memset(x->live[w], 0, sizeof x->live[w]); return MOVE_DONE;
    case WARP_IN: {
      const unsigned slot = warp_cache_enter(&x->c, w);
      memset(&x->slot[slot], 0, sizeof x->slot[slot]);
      for (unsigned i = 0; i < ENTRIES; i++) x->slot[slot].reg[i] = NO_REG;
      return MOVE_DONE;
    }
    case WARP_OUT: return warp_cache_leave(S, &x->c, w);
    case WARP_END: warp_cache_forget(S, &x->c, w); return MOVE_DONE;
  }
  return MOVE_DONE;
}

/* Of each warp that leaves: an entry in this cycle; true: it has none left. */
static bool rfc_flush(struct sm *S, struct rfc *x, unsigned w) {
  struct place *s = &x->slot[x->c.of[w]];
  const bool live = warp_lives(S, w);
  unsigned i = 0;
  if (warp_cache_is_busy(S, &x->c, w)) return false;
  while (live && i < x->c.entries && (s->reg[i] == NO_REG || !set_has(x->live[w], s->reg[i]))) i++;
  if (!live || i == x->c.entries) return true;
  if (rfc_write_back(S, x, w, i)) s->reg[i] = NO_REG;
  return false;
}

static void engine(struct sm *S) {
  struct rfc *x = rfc_of(S);
  for (uint64_t m = x->c.leaving; m; m &= m - 1) {
    const unsigned w = (unsigned)bit_low64(m);
    sm_keep_awake(S);
    if (!rfc_flush(S, x, w)) continue;
    struct place *s = &x->slot[x->c.of[w]];
    for (unsigned i = 0; i < x->c.entries; i++)
      if (sm_view(S)->check && s->reg[i] != NO_REG) check_lost(S, warp_view(S, w)->row + s->reg[i], 1);
    warp_cache_forget(S, &x->c, w);
  }
}

static uint64_t idle(struct sm *S) {
  const struct rfc *x = rfc_of(S);
  return x->c.leaving | x->fresh | x->looked | x->c.waits ? 0 : NEVER;
}

const struct storage_ops storage_rfc = {.name = "rfc",
                                        .main_file = main_file_accesses,
                                        .fits = main_file_fits,
                                        .init = init,
                                        .done = done,
                                        .plan = plan,
                                        .issue = issue,
                                        .locate = locate,
                                        .look = look,
                                        .operands = operands,
                                        .read = read,
                                        .result = result,
                                        .warp = warp,
                                        .engine = engine,
                                        .idle = idle};
