/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrf: a software-managed hierarchy of register files (Gebhart et al., MICRO 2011, as the LTRF paper compares with it): each active warp
 * has a small file of a few entries, and the compiler says of each operand which entry, or the main file (shrf_place.c). There are no
 * tags, no look-up and no instructions that move registers. Nothing survives the end of a strand. What is modelled and what is our
 * reading: docs/reference/comparators.md.
 *
 * An entry is not overwritten while the value before is to be read from it; the result waits.
 *
 * What a global or local load writes goes to the main file alone. A warp that leaves the active set within a strand (at a barrier,
 * for an atomic) has its entries written back, one in a cycle, and works from the main file to the strand's end.
 */
#include <stdlib.h>
#include <string.h>

#include "systems/ltrf/main_file.h"
#include "systems/ltrf/shrf.h"

enum { WARPS = 64, ENTRIES = 32, SLOTS = 16, DIRTY = 128, NO_SLOT = 0xff };

struct operand { /* to be read from the main file */
  const struct collector_unit *unit;
  uint8_t k, writes; /* writes: of the entry that it is to be copied into, when it issued */
};

struct shrf {
  struct main_file main;
  unsigned entries, slots;
  struct subgraphs strands;
  struct operand_place *place;
  const struct code *code; /* whose they are */
  uint32_t used;           /* slots */
  uint8_t of[WARPS];       /* the warp's slot, or NO_SLOT */
  uint32_t strand[WARPS];  /* of the last instruction that issued */
  uint32_t came[WARPS];    /* lanes with which the warp came to that strand's first instruction */
  uint8_t pass[WARPS];     /* number of its passes through strands, to tell a result of an earlier one */
  bool main_only[WARPS];   /* to the end of that strand */
  struct entry {
    uint32_t value; /* which of the compiler's values was written last, in some lanes */
    uint8_t reads;  /* operands that are to be read from it */
    uint8_t writes; /* so far: a copy that comes late is not made */
  } entry[WARPS][ENTRIES];
  struct dirty { /* lanes of a register that an entry holds and the main file does not */
    uint32_t lanes;
    uint8_t entry, reg;
  } dirty[WARPS][DIRTY];
  uint8_t ndirty[WARPS];
  uint32_t (*tag)[ENTRIES][32]; /* [WARPS], with sim.check: the value that each lane holds */
  uint8_t operands[WARPS];      /* that its units have still to read */
  uint64_t leaving;             /* warps whose entries are written back */
  uint8_t missing[UNIT_MAX];
  struct operand *wait; /* operands that wait for a bank of the main file, in order */
  unsigned waits, waits_cap;
  uint32_t cache_row; /* with sim.check: of the entries, in check's file */
};

static struct shrf *shrf_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }
static uint64_t shrf_bit_of(unsigned w) { return 1ull << w; }
static uint32_t shrf_row_of(const struct shrf *x, unsigned slot, unsigned i) {
  return x->cache_row + slot * x->entries + i;
}

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct shrf *x = xcalloc_lines(1, sizeof *x);
  choice_set(S, SLOT_STORAGE, x);
  x->entries = (unsigned)sm_view(S)->cfg->ltrf_interval;
  x->slots = (unsigned)sm_view(S)->cfg->sm_active_warps;
  main_file_init(&x->main, sm_view(S)->cfg, false);
  plan_cache_banks(S, x->entries);
  if (sm_view(S)->check) {
    x->cache_row = check_more(S, x->entries * x->slots);
    x->tag = xcalloc(WARPS, sizeof *x->tag);
  }
  return true;
}

static void done(struct sm *S) {
  struct shrf *x = shrf_of(S);
  if (!x) return;
  subgraphs_free(&x->strands);
  free(x->place), free(x->wait), free(x->tag), free(x);
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct shrf *x = shrf_of(S);
  if (!storage_flat.plan(S, k, e)) return false;
  if (x->code != k->code) {
    subgraphs_free(&x->strands);
    free(x->place);
    x->code = NULL, x->place = NULL;
    if (!subgraphs_make(&x->strands, sm_view(S)->cfg, k->code, e)) return false;
    x->place = shrf_place(k->code, &x->strands, x->entries);
    x->code = k->code;
  }
  x->used = 0;
  x->leaving = 0;
  x->waits = 0;
  memset(x->of, NO_SLOT, sizeof x->of);
  memset(x->operands, 0, sizeof x->operands);
  main_file_reset(&x->main);
  main_file_laws(S, &x->main, x->cache_row, x->entries, x->slots, false);
  return true;
}

/* ---- operands ---- */

static void shrf_clear(struct shrf *x, unsigned w) {
  x->ndirty[w] = 0;
  for (unsigned i = 0; i < x->entries; i++) x->entry[w][i].value = NONE32;
}

/* These lanes of a register, or of an entry, are no longer what only the entry has. */
static void shrf_clean(struct shrf *x, unsigned w, int entry, int reg, uint32_t lanes) {
  unsigned kept = 0;
  for (unsigned n = 0; n < x->ndirty[w]; n++) {
    struct dirty d = x->dirty[w][n];
    if (d.entry == entry || d.reg == reg) d.lanes &= ~lanes;
    if (d.lanes) x->dirty[w][kept++] = d;
  }
  x->ndirty[w] = (uint8_t)kept;
}

/* Lanes of the entry hold this value from here on. */
static void shrf_hold(struct shrf *x, unsigned w, unsigned i, uint32_t value, uint32_t lanes) {
  x->entry[w][i].value = value;
  x->entry[w][i].writes++;
  shrf_clean(x, w, (int)i, -1, lanes);
  for (; x->tag && lanes; lanes &= lanes - 1) x->tag[w][i][bit_low32(lanes)] = value;
}

/* Its instruction begins another strand, or goes on in the middle of one with lanes that waited there, and from the main file: entries
 * hold nothing. Other lanes may have begun the same strand again meanwhile. */
static void shrf_enter(struct shrf *x, unsigned w, const struct warp_inst *inst) {
  const uint32_t to = x->strands.of[inst->op];
  const bool begins = inst->op == x->strands.header[to];
  if (x->strand[w] == to && !begins && !(inst->active & ~x->came[w])) return;
  x->pass[w]++;
  x->strand[w] = to;
  x->main_only[w] = !begins;
  x->came[w] = begins ? inst->active : UINT32_MAX;
  shrf_clear(x, w);
}

static void locate(struct sm *S, const struct collector_unit *u) {
  struct shrf *x = shrf_of(S);
  const struct inflight_view *f = inflight_view(S, u->inflight);
  const unsigned w = u->warp;
  shrf_enter(x, w, &f->inst);
  inflight_set_note(S, f, x->pass[w]);
  const struct operand_place *p = &x->place[f->inst.op];
  uint64_t banks = ~0ull;
  x->missing[u->index] = 0;
  for (unsigned k = 0; k < f->op->nsrc; k++) {
    const uint8_t at = p->src[k];
    /* a copy may not have been made yet: then there is the main file */
    const bool ready = at != NO_ENTRY && (!(p->copied >> k & 1) || x->entry[w][at].value == p->value_src[k]);
    const bool entry = ready && !(p->copy >> k & 1) && !x->main_only[w];
    if (entry) {
      x->entry[w][p->src[k]].reads++;
      banks ^= (uint64_t)(p->src[k] ^ BANK_DONE) << 8 * k;
      unit_set_row(S, u, k, shrf_row_of(x, x->of[w], p->src[k]));
      continue;
    }
    /* other lanes may have come here before: theirs is not this copy */
    if (p->copy >> k & 1) x->entry[w][at].value = NONE32;
    VEC_PUSH(x->wait, x->waits, x->waits_cap) =
        (struct operand){u, (uint8_t)k, at == NO_ENTRY ? 0 : x->entry[w][at].writes};
    unit_set_row(S, u, k, warp_view(S, w)->row + f->op->src[k]);
    x->missing[u->index]++;
  }
  unit_set_banks(S, u, banks);
  if (x->missing[u->index]) unit_hold(S, u);
  else unit_release(S, u);
  x->operands[w] = (uint8_t)(x->operands[w] + f->op->nsrc);
}

/* A bank of the main file has given the operand; the first read of a copied register also writes its entry. */
static void shrf_take(struct sm *S, struct shrf *x, struct operand o) {
  const struct inflight_view *f = inflight_view(S, o.unit->inflight);
  const struct operand_place *p = &x->place[f->inst.op];
  const unsigned w = o.unit->warp;
  sm_counters(S)->main_reads++;
  x->operands[w]--;
  if (sm_view(S)->check) check_operand(S, o.unit, o.k);
  if (sm_view(S)->laws) law_operand(S, o.unit, o.k);
  const bool same = x->pass[w] == f->note;
  if (p->copy >> o.k & 1 && same && !x->main_only[w] && x->of[w] != NO_SLOT && !x->entry[w][p->src[o.k]].reads &&
      x->entry[w][p->src[o.k]].writes == o.writes) {
    sm_counters(S)->cache_fills++;
    shrf_hold(x, w, p->src[o.k], p->value_src[o.k], f->inst.active);
    const uint32_t *from = sm_view(S)->check ? check_file(S, o.unit->row[o.k]) : NULL;
    uint32_t *to = sm_view(S)->check ? check_file(S, shrf_row_of(x, x->of[w], p->src[o.k])) : NULL;
    for (uint32_t m = to ? f->inst.active : 0; m; m &= m - 1) to[bit_low32(m)] = from[bit_low32(m)];
  }
  main_file_operand(S, &x->main, o.unit);
}

static void look(struct sm *S) {
  struct shrf *x = shrf_of(S);
  if (!x->waits) return;
  unsigned kept = 0;
  const uint64_t now = sm_view(S)->now;
  for (unsigned n = 0; n < x->waits; n++) {
    const struct operand o = x->wait[n];
    const unsigned bank = main_file_bank(&x->main, o.unit->warp, o.unit->op->src[o.k]);
    if (!main_file_free(&x->main, now, bank, RF_READ)) {
      x->wait[kept++] = o;
      sm_counters(S)->rf_read_conflicts++;
      continue;
    }
    main_file_take(&x->main, now, bank, RF_READ);
    shrf_take(S, x, o);
  }
  x->waits = kept;
  sm_keep_awake(S);
}

static void operands(struct sm *S, const struct collector_unit *u) {
  struct shrf *x = shrf_of(S);
  if (--x->missing[u->index]) return;
  unit_release(S, u);
  if (u->banks == ~0ull) unit_set_full(S, u);
}

static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  struct shrf *x = shrf_of(S);
  x->entry[u->warp][u->bank[i]].reads--;
  x->operands[u->warp]--;
  if (!sm_view(S)->check) return;
  const struct inflight_view *f = inflight_view(S, u->inflight);
  uint32_t row[32];
  /* Lanes that do not execute may have the register elsewhere: another path has written it. */
  for (unsigned l = 0; l < 32; l++) {
    const bool holds = x->tag[u->warp][u->bank[i]][l] == x->place[f->inst.op].value_src[i];
    row[l] = f->inst.lanes >> l & 1 && holds ? check_file(S, u->row[i])[l] : CHECK_LOST;
  }
  check_latch(S, u, i, row);
}

/* Instructions that take no collector unit; the others have entered in locate. */
static void issue(struct sm *S, unsigned w, const struct warp_inst *inst) {
  if (sm_view(S)->op[inst->op].cls == CLS_CTRL) shrf_enter(shrf_of(S), w, inst);
}

/* ---- results ---- */

static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  struct shrf *x = shrf_of(S);
  const unsigned w = f->inst.warp, slot = x->of[w];
  const struct operand_place *p = &x->place[f->inst.op];
  const bool here = p->dst[k] != NO_ENTRY && slot != NO_SLOT && !x->main_only[w] && x->pass[w] == f->note;
  if (!here) {
    const enum result_answer a = main_file_only(S, &x->main, f, k);
    if (a == RESULT_LATER) shrf_clean(x, w, -1, f->op->dst[k], f->inst.lanes);
    return a;
  }
  *bank = p->dst[k];
  *row = shrf_row_of(x, slot, p->dst[k]);
  const bool other = x->entry[w][*bank].value != p->value_dst[k];
  if (group_view(S, 0)->wr_used[0] >> *bank & 1 || (other && x->entry[w][*bank].reads)) return RESULT_BUSY;
  if (p->main >> k & 1 && !main_file_result(S, &x->main, f, k)) return RESULT_BUSY;
  shrf_hold(x, w, *bank, p->value_dst[k], f->inst.lanes);
  shrf_clean(x, w, -1, f->op->dst[k], f->inst.lanes);
  if (!(p->main >> k & 1)) {
    if (x->ndirty[w] == DIRTY) die("shrf: more than %d values", DIRTY);
    x->dirty[w][x->ndirty[w]++] = (struct dirty){f->inst.lanes, (uint8_t)*bank, f->op->dst[k]};
    if (sm_view(S)->check) check_lost_lanes(S, warp_view(S, w)->row + f->op->dst[k], f->inst.lanes);
  }
  return RESULT_NOW;
}

/* ---- warps ---- */

static void shrf_forget(struct sm *S, struct shrf *x, unsigned w) {
  if (x->of[w] != NO_SLOT) x->used &= ~(1u << x->of[w]);
  x->of[w] = NO_SLOT;
  if (x->leaving >> w & 1) gate_open(S, SLOT_STORAGE, w);
  x->leaving &= ~shrf_bit_of(w);
}

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct shrf *x = shrf_of(S);
  switch (what) {
    case WARP_BEGIN:
      x->strand[w] = NONE32;
      memset(x->entry[w], 0, sizeof x->entry[w]);
      return MOVE_DONE;
    case WARP_IN: {
      const unsigned slot = (unsigned)bit_low64(~(uint64_t)x->used);
      x->used |= 1u << slot;
      x->of[w] = (uint8_t)slot;
      return MOVE_DONE;
    }
    case WARP_OUT:
      x->leaving |= shrf_bit_of(w);
      gate_close(S, SLOT_STORAGE, w);
      return MOVE_PENDING;
    case WARP_END: shrf_forget(S, x, w); return MOVE_DONE;
  }
  return MOVE_DONE;
}

/* Of a warp that leaves: a value in this cycle; true: it has none left. */
static bool shrf_flush(struct sm *S, struct shrf *x, unsigned w) {
  const struct warp_view *W = warp_view(S, w);
  const bool live = scheduler_view(S, W->scheduler)->live >> W->bit & 1;
  if (x->operands[w] || (!live && W->inflight_count)) return false;
  if (!live || !x->ndirty[w]) return true;
  const struct dirty d = x->dirty[w][x->ndirty[w] - 1];
  const unsigned bank = main_file_bank(&x->main, w, d.reg);
  if (!main_file_free(&x->main, sm_view(S)->now, bank, RF_WRITE) || !rf_claim(S, 0, d.entry, RF_READ)) return false;
  main_file_take(&x->main, sm_view(S)->now, bank, RF_WRITE);
  sm_counters(S)->main_writes++;
  sm_counters(S)->cache_spills++;
  if (sm_view(S)->laws) {
    law_access(S, 0, RF_READ, shrf_row_of(x, x->of[w], d.entry));
    law_access(S, 0, RF_WRITE, warp_view(S, w)->row + d.reg);
  }
  const uint32_t *from = sm_view(S)->check ? check_file(S, shrf_row_of(x, x->of[w], d.entry)) : NULL;
  for (uint32_t m = from ? d.lanes : 0; m; m &= m - 1) check_row(S, w, d.reg)[bit_low32(m)] = from[bit_low32(m)];
  return !--x->ndirty[w];
}

/* The next instruction of the warp lies in the strand of the last one. */
static bool shrf_is_within(const struct sm *S, const struct shrf *x, unsigned w) {
  const uint32_t next = warp_stands_at(S, w);
  return next < x->code->n && x->strands.of[next] == x->strand[w];
}

static void engine(struct sm *S) {
  struct shrf *x = shrf_of(S);
  for (uint64_t m = x->leaving; m; m &= m - 1) {
    const unsigned w = (unsigned)bit_low64(m);
    sm_keep_awake(S);
    if (!shrf_is_within(S, x, w)) shrf_clear(x, w);
    if (!shrf_flush(S, x, w)) continue;
    x->main_only[w] = true;
    shrf_forget(S, x, w);
  }
}

static uint64_t idle(struct sm *S) {
  const struct shrf *x = shrf_of(S);
  return x->leaving | x->waits ? 0 : NEVER;
}

const struct storage_ops storage_shrf = {.name = "shrf",
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
