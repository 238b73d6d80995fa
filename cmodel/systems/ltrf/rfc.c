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
#include "systems/ltrf/main_file.h"

enum { WARPS = 64, ENTRIES = 32, SLOTS = 16, NO_REG = 0xffff, NO_SLOT = 0xff };

struct place {
  uint16_t reg[ENTRIES];
  uint8_t reads[ENTRIES]; /* operands that are to be read from it */
  uint8_t next;           /* the entry that the next result replaces */
};

struct operand { /* to be read from the main file */
  const struct collector_unit *unit;
  uint8_t k;
};

struct rfc {
  struct main_file main;
  unsigned entries, slots;
  struct place slot[SLOTS];
  uint32_t used;           /* slots */
  uint8_t of[WARPS];       /* the warp's slot, or NO_SLOT */
  uint64_t live[WARPS][4]; /* registers, that may be read again */
  uint32_t all[WARPS];     /* lanes that the warp began with */
  uint8_t operands[WARPS]; /* that its units have still to read */
  uint64_t leaving;        /* warps whose entries are written back */
  uint64_t fresh,
      looked; /* units taken in the cycle before, whose look-up is this cycle's; looked up in the last one */
  const struct collector_unit *unit[UNIT_MAX];
  uint8_t missing[UNIT_MAX]; /* operands of the unit that the main file has still to give */
  struct operand *wait;      /* operands that wait for a bank, in order */
  unsigned waits, waits_cap;
  uint32_t cache_row; /* with sim.check: of the cache, in check's file */
};

static struct rfc *rfc_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }
static uint64_t rfc_bit_of(unsigned w) { return 1ull << w; }

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct rfc *x = xcalloc_lines(1, sizeof *x);
  choice_set(S, SLOT_STORAGE, x);
  x->entries = (unsigned)sm_view(S)->cfg->ltrf_interval;
  x->slots = (unsigned)sm_view(S)->cfg->sm_active_warps;
  main_file_init(&x->main, sm_view(S)->cfg, false);
  plan_cache_banks(S, x->entries);
  if (sm_view(S)->check) x->cache_row = check_more(S, x->entries * x->slots);
  return true;
}

static void done(struct sm *S) {
  if (rfc_of(S)) free(rfc_of(S)->wait);
  free(rfc_of(S));
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct rfc *x = rfc_of(S);
  if (!storage_flat.plan(S, k, e)) return false;
  x->used = 0;
  x->leaving = x->fresh = x->looked = 0;
  x->waits = 0;
  memset(x->of, NO_SLOT, sizeof x->of);
  memset(x->operands, 0, sizeof x->operands);
  main_file_reset(&x->main);
  main_file_laws(S, &x->main, x->cache_row, x->entries, x->slots, false);
  return true;
}

/* ---- entries ---- */

static unsigned rfc_entry_of(const struct rfc *x, unsigned slot, unsigned reg) {
  unsigned i = 0;
  while (i < x->entries && x->slot[slot].reg[i] != reg) i++;
  return i;
}

static uint32_t rfc_row_of(const struct rfc *x, unsigned slot, unsigned i) {
  return x->cache_row + slot * x->entries + i;
}

/* Writes the entry's register to the main file; false: its bank, or the entry's, is not free in this cycle. */
static bool rfc_write_back(struct sm *S, struct rfc *x, unsigned w, unsigned i) {
  const unsigned slot = x->of[w], reg = x->slot[slot].reg[i], bank = main_file_bank(&x->main, w, reg);
  if (!main_file_free(&x->main, sm_view(S)->now, bank, RF_WRITE) || !rf_claim(S, 0, i, RF_READ)) {
    sm_counters(S)->main_waits++;
    return false;
  }
  main_file_take(&x->main, sm_view(S)->now, bank, RF_WRITE);
  sm_counters(S)->main_writes++;
  sm_counters(S)->cache_spills++;
  if (sm_view(S)->check) memcpy(check_row(S, w, reg), check_file(S, rfc_row_of(x, slot, i)), 128);
  if (sm_view(S)->laws) {
    law_access(S, 0, RF_READ, rfc_row_of(x, slot, i));
    law_access(S, 0, RF_WRITE, warp_view(S, w)->row + reg);
  }
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
  x->operands[u->warp] = (uint8_t)(x->operands[u->warp] + op->nsrc);
}

static void full_if_done(struct sm *S, struct rfc *x, const struct collector_unit *u) {
  if (x->missing[u->index]) return;
  unit_release(S, u);
  if (u->banks == ~0ull) unit_set_full(S, u);
}

static bool rfc_op_writes(const struct op *op, unsigned reg) {
  bool is = false;
  for (unsigned k = 0; k < op->ndst; k++) is |= op->dst[k] == reg;
  return is;
}

/* Where its operands are (from here on dead ones are not kept, but for these reads): banks of the cache are asked in this cycle, the main file's when they are free. */
static void rfc_ask(struct sm *S, struct rfc *x, const struct collector_unit *u) {
  const struct op *op = u->op;
  const unsigned slot = x->of[u->warp];
  uint64_t banks = ~0ull;
  x->missing[u->index] = 0;
  for (unsigned k = 0; k < op->nsrc; k++) {
    const unsigned i = rfc_entry_of(x, slot, op->src[k]);
    if (i < x->entries) {
      x->slot[slot].reads[i]++;
      banks ^= (uint64_t)(i ^ BANK_DONE) << 8 * k;
      unit_set_row(S, u, k, rfc_row_of(x, slot, i));
    } else {
      VEC_PUSH(x->wait, x->waits, x->waits_cap) = (struct operand){u, (uint8_t)k};
      unit_set_row(S, u, k, warp_view(S, u->warp)->row + op->src[k]);
      x->missing[u->index]++;
    }
  }
  for (unsigned k = 0; k < op->nsrc; k++)
    if (op->dead >> k & 1 && !rfc_op_writes(op, op->src[k])) set_del(x->live[u->warp], op->src[k]);
  unit_set_banks(S, u, banks);
  if (banks != ~0ull) unit_want_all(S, u);
  full_if_done(S, x, u);
}

/* Operands from the main file: of each bank that is free the one that waits longest. */
static void read_main(struct sm *S, struct rfc *x) {
  unsigned kept = 0;
  for (unsigned n = 0; n < x->waits; n++) {
    const struct operand o = x->wait[n];
    const unsigned w = o.unit->warp, reg = o.unit->op->src[o.k], bank = main_file_bank(&x->main, w, reg);
    if (!main_file_free(&x->main, sm_view(S)->now, bank, RF_READ)) {
      x->wait[kept++] = o;
      sm_counters(S)->rf_read_conflicts++;
      continue;
    }
    main_file_take(&x->main, sm_view(S)->now, bank, RF_READ);
    sm_counters(S)->main_reads++;
    x->operands[w]--;
    if (sm_view(S)->check) check_operand(S, o.unit, o.k);
    if (sm_view(S)->laws) law_operand(S, o.unit, o.k);
    main_file_operand(S, &x->main, o.unit);
  }
  x->waits = kept;
  sm_keep_awake(S);
}

static void look(struct sm *S) {
  struct rfc *x = rfc_of(S);
  for (uint64_t m = x->looked; m; m &= m - 1) rfc_ask(S, x, x->unit[bit_low64(m)]);
  if ((x->looked | x->fresh) != 0) sm_keep_awake(S);
  x->looked = x->fresh;
  x->fresh = 0;
  if (x->waits) read_main(S, x);
}

/* ARRIVE: an operand has come from the main file. */
static void operands(struct sm *S, const struct collector_unit *u) {
  struct rfc *x = rfc_of(S);
  x->missing[u->index]--;
  full_if_done(S, x, u);
}

static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  struct rfc *x = rfc_of(S);
  x->slot[x->of[u->warp]].reads[u->bank[i]]--;
  x->operands[u->warp]--;
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
  struct place *s = &x->slot[x->of[w]];
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
  const unsigned w = f->inst.warp, reg = f->op->dst[k], slot = x->of[w];
  if (slot == NO_SLOT) return main_file_only(S, &x->main, f, k);
  struct place *s = &x->slot[slot];
  const bool whole = !(x->all[w] & ~f->inst.lanes);
  unsigned i = rfc_entry_of(x, slot, reg);
  if (i < x->entries && f->far && whole) {
    const enum result_answer a = main_file_only(S, &x->main, f, k);
    if (a == RESULT_LATER) s->reg[i] = NO_REG;
    return a;
  }
  if (i == x->entries) {
    if (f->far || !whole || x->leaving >> w & 1) return main_file_only(S, &x->main, f, k);
    i = s->next;
    if (!rfc_give_up(S, x, w, i)) return RESULT_BUSY;
  }
  *bank = i;
  *row = rfc_row_of(x, slot, i);
  if (group_view(S, 0)->wr_used[0] >> i & 1) return RESULT_BUSY; /* before it takes the entry */
  if (s->reg[i] != reg) {
    s->next = (uint8_t)((i + 1) % x->entries);
    if (sm_view(S)->check) check_lost(S, *row, 1);
  }
  s->reg[i] = (uint16_t)reg;
  return RESULT_NOW;
}

/* ---- warps ---- */

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct rfc *x = rfc_of(S);
  switch (what) {
    case WARP_BEGIN: memset(x->live[w], 0, sizeof x->live[w]); return MOVE_DONE;
    case WARP_IN: {
      const unsigned slot = (unsigned)bit_low64(~(uint64_t)x->used);
      x->used |= 1u << slot;
      x->of[w] = (uint8_t)slot;
      memset(&x->slot[slot], 0, sizeof x->slot[slot]);
      for (unsigned i = 0; i < ENTRIES; i++) x->slot[slot].reg[i] = NO_REG;
      return MOVE_DONE;
    }
    case WARP_OUT:
      x->leaving |= rfc_bit_of(w);
      gate_close(S, SLOT_STORAGE, w);
      return MOVE_PENDING;
    case WARP_END: break;
  }
  if (x->of[w] != NO_SLOT) x->used &= ~(1u << x->of[w]);
  x->of[w] = NO_SLOT;
  if (x->leaving >> w & 1) gate_open(S, SLOT_STORAGE, w);
  x->leaving &= ~rfc_bit_of(w);
  return MOVE_DONE;
}

/* Of each warp that leaves: an entry in this cycle; true: it has none left. */
static bool rfc_flush(struct sm *S, struct rfc *x, unsigned w) {
  const struct warp_view *W = warp_view(S, w);
  struct place *s = &x->slot[x->of[w]];
  const bool live = scheduler_view(S, W->scheduler)->live >> W->bit & 1;
  unsigned i = 0;
  if (x->operands[w] || (!live && W->inflight_count)) return false;
  while (live && i < x->entries && (s->reg[i] == NO_REG || !set_has(x->live[w], s->reg[i]))) i++;
  if (!live || i == x->entries) return true;
  if (rfc_write_back(S, x, w, i)) s->reg[i] = NO_REG;
  return false;
}

static void engine(struct sm *S) {
  struct rfc *x = rfc_of(S);
  for (uint64_t m = x->leaving; m; m &= m - 1) {
    const unsigned w = (unsigned)bit_low64(m);
    sm_keep_awake(S);
    if (!rfc_flush(S, x, w)) continue;
    struct place *s = &x->slot[x->of[w]];
    for (unsigned i = 0; i < x->entries; i++)
      if (sm_view(S)->check && s->reg[i] != NO_REG) check_lost(S, warp_view(S, w)->row + s->reg[i], 1);
    x->used &= ~(1u << x->of[w]);
    x->of[w] = NO_SLOT;
    x->leaving &= ~rfc_bit_of(w);
    gate_open(S, SLOT_STORAGE, w);
  }
}

static uint64_t idle(struct sm *S) {
  const struct rfc *x = rfc_of(S);
  return x->leaving | x->fresh | x->looked | x->waits ? 0 : NEVER;
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
