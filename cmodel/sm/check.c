/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: (1) sim.check: real values travel through the register file of the timing model, and every operand that
 * reaches an execution unit is compared with a shadow register file that holds the last value written in program
 * order: a scoreboard, bank or architecture that loses a value is detected at its first use. Only active lanes are
 * written; the others keep their value, or LOST where the architecture discarded the register while it was dead. (2)
 * the conservation laws at the end of a launch.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/private.h"

enum { LOST = CHECK_LOST };

struct check {
  uint32_t shadows;
  uint32_t *
      rf; /* [rows][32]: physical rows; behind those of the register file as many as the L1 has (slot.l1 cerf), then check_more's */
  uint32_t rows;
  uint32_t *shadow;  /* [shadows][32]: by warp slot and register, wherever the storage keeps it */
  uint32_t *latched; /* [groups][UNIT_MAX][6][32] */
};

struct check *check_new(const struct config *cfg) {
  if (!cfg->sim_check) return NULL;
  struct check *c = xcalloc(1, sizeof *c);
  c->rows = (uint32_t)((cfg->rf_bytes + cfg->l1_bytes) / 128);
  c->rf = xcalloc_lines(c->rows, 128);
  c->latched = xcalloc_lines((size_t)SCHED_MAX * UNIT_MAX * 6, 128);
  return c;
}

uint32_t check_more(struct sm *S, uint32_t rows) {
  struct check *c = S->check;
  const uint32_t first = c->rows;
  uint32_t *more = xcalloc_lines(first + rows, 128);
  memcpy(more, c->rf, (size_t)first * 128);
  free(c->rf);
  c->rf = more;
  c->rows += rows;
  return first;
}

void check_free(struct check *c) {
  if (!c) return;
  free(c->rf), free(c->shadow), free(c->latched), free(c);
}

static uint32_t *check_shadow_row(const struct sm *S, unsigned w, unsigned r) {
  return S->check->shadow + ((size_t)w * S->stream->regs + r) * 32;
}
const uint32_t *check_shadow(const struct sm *S, unsigned w, unsigned r) { return check_shadow_row(S, w, r); }

static void check_grow(uint32_t **rows, uint32_t *have, uint32_t need) {
  if (need <= *have) return;
  free(*rows);
  *rows = xcalloc_lines(need, 128);
  *have = need;
}

uint32_t *check_row(const struct sm *S, unsigned w, unsigned r) {
  return S->check->rf + (size_t)(S->warp[w].row + r) * 32;
}

uint32_t *check_file(const struct sm *S, uint32_t row) { return S->check->rf + (size_t)row * 32; }

void check_cta(struct sm *S, unsigned cta) {
  struct check *c = S->check;
  check_grow(&c->shadow, &c->shadows, S->nwarp * S->stream->regs);
  for (unsigned i = 0; i < S->wpc; i++) {
    unsigned w = S->cta[cta].slot[i];
    memset(c->rf + (size_t)S->warp[w].row * 32, 0, (size_t)S->warp_regs * 128);
    memset(check_shadow_row(S, w, 0), 0, (size_t)S->stream->regs * 128);
  }
}

static uint32_t *check_latch_row(const struct sm *S, const struct collector_unit *u, unsigned k) {
  return S->check->latched + (((size_t)u->group * UNIT_MAX + u->index) * 6 + k) * 32;
}

void check_latch(struct sm *S, const struct collector_unit *u, unsigned k, const uint32_t *row) {
  memcpy(check_latch_row(S, u, k), row, 128);
}

void check_operand(struct sm *S, const struct collector_unit *u, unsigned k) {
  memcpy(check_latch_row(S, u, k), S->check->rf + (size_t)u->row[k] * 32, 128);
}

void check_lost(struct sm *S, uint32_t row, uint32_t rows) {
  for (size_t k = (size_t)row * 32; k < (size_t)(row + rows) * 32; k++) S->check->rf[k] = LOST;
}

void check_lost_lanes(struct sm *S, uint32_t row, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) S->check->rf[(size_t)row * 32 + (unsigned)bit_low32(lanes)] = LOST;
}

static bool check_writes_late(const struct inflight_inst *f) { return f->inst.flags & (W_ATOMIC | W_BARRIER); }

static void shadow_write(struct sm *S, const struct inflight_inst *f) {
  for (unsigned k = 0; k < f->inst.nval; k++)
    memcpy(check_shadow_row(S, f->inst.warp, f->op->dst[k]), inst_val(S->stream, &f->inst, k), 128);
}

/* The lanes that execute; if registers share slices, another one's values may lie in the others. */
bool check_value(struct sm *S, const struct warp_inst *inst, const struct op *op, unsigned k, const uint32_t *got,
                 const uint32_t *want) {
  S->st.operands_checked++;
  for (unsigned l = 0; l < 32; l++)
    if (got[l] != want[l] && (inst->lanes >> l & 1 || (!S->overlap && got[l] != LOST))) {
      sm_fail(
          S, "pc 0x%x line %u warp %u instruction %u: operand %u (R%u) lane %u was read as 0x%08x, last written 0x%08x",
          op->pc, op->line, inst->warp, inst->seq, k, op->src[k], l, got[l], want[l]);
      return false;
    }
  return true;
}

bool check_dispatch(struct sm *S, const struct collector_unit *u) {
  const struct inflight_inst *f = &S->inflight[u->inflight];
  for (unsigned k = 0; k < f->op->nsrc && !u->extra; k++)
    if (!check_value(S, &f->inst, f->op, k, check_latch_row(S, u, k), check_shadow_row(S, f->inst.warp, f->op->src[k])))
      return false;
  if (f->op->ndst != f->inst.nval) {
    sm_fail(S, "pc 0x%x: %u destinations, the stream gave %u values", f->op->pc, f->op->ndst, f->inst.nval);
    return false;
  }
  if (!check_writes_late(f)) shadow_write(S, f);
  return true;
}

void check_late(struct sm *S, const struct inflight_inst *f) {
  if (check_writes_late(f)) shadow_write(S, f);
}

void check_write_row(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t row) {
  const uint32_t *val = inst_val(S->stream, &f->inst, k);
  uint32_t *to = S->check->rf + (size_t)row * 32;
  for (uint32_t m = f->inst.lanes; m; m &= m - 1) to[bit_low32(m)] = val[bit_low32(m)];
}

static bool check_law(struct err *e, bool holds, const char *what, uint64_t a, uint64_t b) {
  return holds || err_at(e, NULL, 0, 0, "conservation law broken: %s (%llu, %llu); this is a bug of the simulator",
                         what, (unsigned long long)a, (unsigned long long)b);
}

bool check_launch_end(struct sm *S, struct err *e) {
  const struct sm_stats *t = &S->st;
  uint64_t slots = t->slot_issued + t->slot_collector + t->slot_inactive + t->slot_gate + t->slot_alu + t->slot_memory +
                   t->slot_barrier + t->slot_atomic + t->slot_fetch + t->slot_empty;
  bool ok =
      check_law(e, S->inflight_count == 0, "instructions still in flight", S->inflight_count, 0) &&
      check_law(e, t->fetched == t->warp_insns, "fetched = issued", t->fetched, t->warp_insns) &&
      check_law(e, t->retired == t->warp_insns, "retired = issued", t->retired, t->warp_insns) &&
      check_law(e, t->slot_issued == t->warp_insns + t->pseudo_insns, "issue slots = issued", t->slot_issued,
                t->warp_insns) &&
      check_law(e, slots == t->cycles * S->nsched, "scheduler slots = cycles x schedulers", slots,
                t->cycles * S->nsched) &&
      check_law(e, t->l1_reads == t->l1_read_hits + t->l1_read_misses + t->l1_read_merges + t->l1_held,
                "L1 reads = hits + misses + merges + held", t->l1_reads,
                t->l1_read_hits + t->l1_read_misses + t->l1_read_merges + t->l1_held) &&
      check_law(e, cache_drained(S), "L1 has nothing under way", 1, 0) &&
      check_law(e, t->tex_lines == t->tex_hits + t->tex_misses + t->tex_merges,
                "texture lines = hits + misses + merges", t->tex_lines, t->tex_hits + t->tex_misses + t->tex_merges) &&
      check_law(e, !tex_works(S) && tex_cache_drained(S->tex.cache), "texture unit has nothing under way", 1, 0) &&
      check_law(e, S->red_out == 0, "atomics answered", S->red_out, 0);
  for (unsigned w = 0; ok && w < S->nwarp; w++) {
    const struct warp *W = &S->warp[w];
    uint64_t left = W->wr[0] | W->wr[1] | W->wr[2] | W->wr[3] | W->pwr;
    for (unsigned r = 0; r < 256; r++) left |= S->readers[(size_t)w * 256 + r];
    ok = check_law(e, left == 0, "scoreboard empty", w, left);
  }
#define END(slot) ok = ok && slot##_end(S, e);
  EACH_SLOT(END)
  return ok && laws_end(S, e);
}

uint64_t sm_reads_posted(const struct sm *S) {
  return 0
#define POSTED(name) +S->st.name
#include "gen/systems/stats.def"
      ;
}

uint64_t sm_writes_posted(const struct sm *S) {
  return 0
#define WRITTEN(name) +S->st.name
#include "gen/systems/stats.def"
      ;
}
