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

#include "systems/ltrf/shrf.h"
#include "systems/ltrf/warp_cache.h"

enum { DIRTY = 128 };

struct shrf {
  struct warp_cache c;
  struct subgraphs strands;
  struct operand_place *place;
  const struct code *code; /* whose they are */
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
};

static struct shrf *shrf_of(const struct sm *S) { return choice_of(S, SLOT_STORAGE); }

static bool init(struct sm *S, struct err *e) {
  (void)e;
  struct shrf *x = xcalloc_lines(1, sizeof *x);
  choice_set(S, SLOT_STORAGE, x);
  warp_cache_init(S, &x->c);
  if (sm_view(S)->check) x->tag = xcalloc(WARPS, sizeof *x->tag);
  return true;
}

static void done(struct sm *S) {
  struct shrf *x = shrf_of(S);
  if (!x) return;
  subgraphs_free(&x->strands);
  free(x->place), free(x->c.wait), free(x->tag), free(x);
}

static bool plan(struct sm *S, const struct kernel *k, struct err *e) {
  struct shrf *x = shrf_of(S);
  if (!storage_flat.plan(S, k, e)) return false;
  if (x->code != k->code) {
    subgraphs_free(&x->strands);
    free(x->place);
    x->code = NULL, x->place = NULL;
    if (!subgraphs_make(&x->strands, sm_view(S)->cfg, k->code, e)) return false;
    x->place = shrf_place(k->code, &x->strands, x->c.entries);
    x->code = k->code;
  }
  warp_cache_plan(S, &x->c);
  return true;
}

/* ---- operands ---- */

static void shrf_clear(struct shrf *x, unsigned w) {
  x->ndirty[w] = 0;
  for (unsigned i = 0; i < x->c.entries; i++) x->entry[w][i].value = NONE32;
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
  x->c.missing[u->index] = 0;
  for (unsigned k = 0; k < f->op->nsrc; k++) {
    const uint8_t at = p->src[k];
    /* a copy may not have been made yet: then there is the main file */
    const bool ready = at != NO_ENTRY && (!(p->copied >> k & 1) || x->entry[w][at].value == p->value_src[k]);
    const bool entry = ready && !(p->copy >> k & 1) && !x->main_only[w];
    if (entry) {
      x->entry[w][p->src[k]].reads++;
      banks ^= (uint64_t)(p->src[k] ^ BANK_DONE) << 8 * k;
      unit_set_row(S, u, k, warp_cache_row(&x->c, x->c.of[w], p->src[k]));
      continue;
    }
    /* other lanes may have come here before: theirs is not this copy */
    if (at != NO_ENTRY && p->copy >> k & 1) x->entry[w][at].value = NONE32;
    const uint8_t writes = at == NO_ENTRY ? 0 : x->entry[w][at].writes;
    warp_cache_wait(S, &x->c, (struct waiting_operand){u, (uint8_t)k, writes});
  }
  unit_set_banks(S, u, banks);
  if (x->c.missing[u->index]) unit_hold(S, u);
  else unit_release(S, u);
  x->c.operands[w] = (uint8_t)(x->c.operands[w] + f->op->nsrc);
}

/* A bank of the main file has given the operand; the first read of a copied register also writes its entry. */
static void shrf_take(struct sm *S, struct waiting_operand o) {
  struct shrf *x = shrf_of(S);
  const struct inflight_view *f = inflight_view(S, o.unit->inflight);
  const struct operand_place *p = &x->place[f->inst.op];
  const unsigned w = o.unit->warp;
  const bool same = x->pass[w] == f->note;
  if (p->copy >> o.k & 1 && same && !x->main_only[w] && x->c.of[w] != NO_SLOT && !x->entry[w][p->src[o.k]].reads &&
      x->entry[w][p->src[o.k]].writes == o.writes) {
    sm_counters(S)->cache_fills++;
    shrf_hold(x, w, p->src[o.k], p->value_src[o.k], f->inst.active);
    const uint32_t *from = sm_view(S)->check ? check_file(S, o.unit->row[o.k]) : NULL;
    uint32_t *to = sm_view(S)->check ? check_file(S, warp_cache_row(&x->c, x->c.of[w], p->src[o.k])) : NULL;
    for (uint32_t m = to ? f->inst.active : 0; m; m &= m - 1) to[bit_low32(m)] = from[bit_low32(m)];
  }
}

static void look(struct sm *S) { warp_cache_read_main(S, &shrf_of(S)->c, shrf_take); }

static void operands(struct sm *S, const struct collector_unit *u) {
  struct shrf *x = shrf_of(S);
  x->c.missing[u->index]--;
  warp_cache_unit_step(S, &x->c, u);
}

static void read(struct sm *S, const struct collector_unit *u, unsigned i) {
  struct shrf *x = shrf_of(S);
  x->entry[u->warp][u->bank[i]].reads--;
  x->c.operands[u->warp]--;
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
  const unsigned w = f->inst.warp, slot = x->c.of[w];
  const struct operand_place *p = &x->place[f->inst.op];
  const bool here = p->dst[k] != NO_ENTRY && slot != NO_SLOT && !x->main_only[w] && x->pass[w] == f->note;
  if (!here) {
    const enum result_answer a = main_file_only(S, &x->c.main, f, k);
    if (a == RESULT_ACCEPTED) shrf_clean(x, w, -1, f->op->dst[k], f->inst.lanes);
    return a;
  }
  *bank = p->dst[k];
  *row = warp_cache_row(&x->c, slot, p->dst[k]);
  const bool other = x->entry[w][*bank].value != p->value_dst[k];
  if (group_view(S, 0)->wr_used[0] >> *bank & 1 || (other && x->entry[w][*bank].reads)) return RESULT_BUSY;
  if (p->main >> k & 1 && !main_file_result(S, &x->c.main, f, k)) return RESULT_BUSY;
  shrf_hold(x, w, *bank, p->value_dst[k], f->inst.lanes);
  shrf_clean(x, w, -1, f->op->dst[k], f->inst.lanes);
  if (!(p->main >> k & 1)) {
    if (x->ndirty[w] == DIRTY) die("shrf: more than %d values", DIRTY);
    x->dirty[w][x->ndirty[w]++] = (struct dirty){f->inst.lanes, (uint8_t)*bank, f->op->dst[k]};
    if (sm_view(S)->check) check_lost_lanes(S, warp_view(S, w)->row + f->op->dst[k], f->inst.lanes);
  }
  return RESULT_TO_BANK;
}

/* ---- warps ---- */

static enum move warp(struct sm *S, unsigned w, enum warp_move what) {
  struct shrf *x = shrf_of(S);
  switch (what) {
    case WARP_BEGIN:
      x->strand[w] = NONE32;
      memset(x->entry[w], 0, sizeof x->entry[w]);
      return MOVE_DONE;
    case WARP_IN: warp_cache_enter(&x->c, w); return MOVE_DONE;
    case WARP_OUT: return warp_cache_leave(S, &x->c, w);
    case WARP_END: warp_cache_forget(S, &x->c, w); return MOVE_DONE;
  }
  return MOVE_DONE;
}

/* Of a warp that leaves: a value in this cycle; true: it has none left. */
static bool shrf_flush(struct sm *S, struct shrf *x, unsigned w) {
  if (warp_cache_is_busy(S, &x->c, w)) return false;
  if (!warp_lives(S, w) || !x->ndirty[w]) return true;
  const struct dirty d = x->dirty[w][x->ndirty[w] - 1];
  if (!warp_cache_spill(S, &x->c, w, d.entry, d.reg)) return false;
  const uint32_t *from = sm_view(S)->check ? check_file(S, warp_cache_row(&x->c, x->c.of[w], d.entry)) : NULL;
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
  for (uint64_t m = x->c.leaving; m; m &= m - 1) {
    const unsigned w = (unsigned)bit_low64(m);
    sm_keep_awake(S);
    if (!shrf_is_within(S, x, w)) shrf_clear(x, w);
    if (!shrf_flush(S, x, w)) continue;
    x->main_only[w] = true;
    warp_cache_forget(S, &x->c, w);
  }
}

static uint64_t idle(struct sm *S) {
  const struct shrf *x = shrf_of(S);
  return x->c.leaving | x->c.waits ? 0 : NEVER;
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
