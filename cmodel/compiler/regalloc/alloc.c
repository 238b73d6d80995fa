/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc: from virtual to physical registers, the whole way: constants into operands (fold.c), copies merged (coalesce.c),
 * predicates numbered, then general registers, each with rounds of spilling (spill.c) until they fit (color.c), operands
 * rewritten, annotations made (finish.c). It works on a private copy of the kernel's instructions; on an error the
 * kernel stays as it was.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"

#define BUDGET 120000000ull /* keeps the search for a better colouring below half a second or so */

uint32_t work_reg(struct work *w, uint8_t words, bool temp) {
  if (w->nv == w->cap) {
    w->cap = w->cap * 2 + 16;
    w->words = xrealloc(w->words, w->cap);
    w->temp = xrealloc(w->temp, w->cap);
    w->phys = xrealloc(w->phys, w->cap * sizeof *w->phys);
  }
  w->words[w->nv] = words;
  w->temp[w->nv] = temp;
  w->phys[w->nv] = 0;
  return w->nv++;
}

/* Loop depth, from program order: the number of backward branches that span an instruction.
 */
static void find_depth(struct work *w) {
  const struct code *c = w->c;
  int64_t *delta = xcalloc((size_t)c->n + 2, sizeof *delta), now = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    if (c->insn[i].op != OP_BRA || c->insn[i].target > i) continue;
    delta[c->insn[i].target]++;
    delta[i + 1]--;
  }
  w->depth = xrealloc(w->depth, (size_t)c->n + 1);
  for (uint32_t i = 0; i < c->n; i++) {
    now += delta[i];
    w->depth[i] = now > 8 ? 8 : (uint8_t)now;
  }
  free(delta);
}

void work_ranges(struct work *w) {
  struct graph g;
  live_ranges_free(&w->r);
  graph_build(w->c, &g);
  live_ranges_build(w->c, &g, w->nv, &w->r);
  graph_free(&g);
  find_depth(w);
}

void work_begin(struct work *w, struct module *m, struct code *c, struct code *copy) {
  *copy = *c;
  copy->insn = xmalloc(((size_t)c->n + 1) * sizeof *copy->insn);
  memcpy(copy->insn, c->insn, (size_t)c->n * sizeof *copy->insn);
  *w = (struct work){.m = m, .c = copy, .budget = BUDGET};
  for (uint32_t v = 0; v < c->nvreg; v++) work_reg(w, c->vreg[v].words, false);
  fold_code(w->c, w->nv);
  work_ranges(w);
  coalesce_copies(w);
  drop_empty_branches(w->c);
}

void work_end(struct work *w) {
  free(w->c->insn);
  free(w->words);
  free(w->temp);
  free(w->phys);
  free(w->depth);
  live_ranges_free(&w->r);
}

/* ---- physical numbers within a limit, with spilling where needed ---- */

static uint32_t pressure_greatest(const uint32_t *x, uint32_t n) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < n; i++)
    if (x[i] > most) most = x[i];
  return most;
}

/* The point of v where most registers are occupied. */
static uint32_t crowded_point(const struct work *w, uint32_t v, const uint32_t *pressure) {
  uint32_t best = w->r.seg[w->r.start[v]].from;
  for (uint32_t s = w->r.start[v]; s < w->r.start[v + 1]; s++)
    for (uint32_t p = w->r.seg[s].from; p < w->r.seg[s].to; p++)
      if (pressure[p] > pressure[best]) best = p;
  return best;
}

bool work_fit(struct work *w, bool pred, uint32_t limit, uint32_t *used) {
  for (;;) {
    work_ranges(w);
    uint32_t *cap = xcalloc((size_t)w->c->n + 1, sizeof *cap);
    uint32_t *pressure = xcalloc((size_t)w->c->n + 1, sizeof *pressure);
    uint32_t *fail = xcalloc((size_t)w->nv + 1, sizeof *fail), nfail = 0;
    for (uint32_t p = 0; p <= w->c->n; p++) cap[p] = limit;
    pressure_build(w, pred, pressure);
    bool over = pressure_greatest(pressure, w->c->n) > limit;
    if (!over) {
      *used = color_search(w, pred, limit, fail, &nfail);
      for (uint32_t k = 0; k < nfail; k++) {
        uint32_t p = crowded_point(w, fail[k], pressure), size = w->words[fail[k]] == 2 ? 2 : 1;
        uint32_t room = pressure[p] > size ? pressure[p] - size : 0;
        if (room < cap[p]) cap[p] = room;
      }
    }
    uint32_t spilled = over || nfail ? spill_round(w, pred, cap) : 0;
    free(cap);
    free(pressure);
    free(fail);
    if (!over && !nfail) return true;
    if (!spilled) return false;
  }
}

/* ---- physical names ---- */

static void work_rename_opnd(const struct work *w, struct opnd *o) {
  if (opnd_is_register(o)) o->reg = w->phys[o->reg];
}

void work_rename(struct work *w) {
  for (uint32_t i = 0; i < w->c->n; i++) {
    struct insn *in = &w->c->insn[i];
    work_rename_opnd(w, &in->guard);
    for (unsigned k = 0; k < in->ndst; k++) work_rename_opnd(w, &in->dst[k]);
    for (unsigned k = 0; k < in->nsrc; k++) work_rename_opnd(w, &in->src[k]);
  }
}

/* A register that is read but never written has no number: it is 0, and it counts. */
void code_count_registers(struct code *c) {
  uint32_t regs = 1, preds = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct opnd *o[INSN_SRC + 1 + INSN_DST];
    unsigned n = insn_reads(&c->insn[i], o);
    n += insn_writes(&c->insn[i], o + n);
    for (unsigned k = 0; k < n; k++) {
      uint32_t end = o[k]->reg + (o[k]->words == 2 ? 2 : 1);
      if (o[k]->kind == O_REG && end > regs) regs = end;
      if (o[k]->kind == O_PRED && end > preds) preds = end;
    }
  }
  c->nreg = regs;
  c->npred = preds;
}

static uint32_t registers_live(const struct work *w) {
  uint32_t *pressure = xcalloc((size_t)w->c->n + 1, sizeof *pressure);
  pressure_build(w, false, pressure);
  const uint32_t most = pressure_greatest(pressure, w->c->n);
  free(pressure);
  return most;
}

static bool too_few(const struct work *w, const char *asked, uint32_t limit, struct err *e) {
  uint32_t at, least = spill_least(w->c, &at), need = registers_live(w);
  const struct insn *i = at < w->c->n ? &w->c->insn[at] : NULL;
  return err_at(e, w->c->file, (int)w->c->line, (int)w->c->col,
                "kernel '%.200s': found %s %" PRIu32 ", expected at least %" PRIu32 ": it needs %" PRIu32
                " registers without spilling, and with it the %s in line %" PRIu32 " alone still takes %" PRIu32,
                w->c->name, asked, limit, least, need > least ? need : least, i ? opcode_name((enum opcode)i->op) : "?",
                i ? i->line : 0, least);
}

/* A launch file's count is that of a real compiler's code: if even the code as written must spill for it, a schedule
 * for it would be another one than the compiler's. */
static bool not_scheduled(const struct code *c, uint32_t regs, uint32_t need, struct err *e) {
  return err_at(
      e, c->file, (int)c->line, (int)c->col,
      "kernel '%.200s': found regs %" PRIu32 ", expected at least %" PRIu32
      ": with compile.schedule=list nothing is spilled for a launch file's regs; raise them in the launch file, or "
      "set compile.regs=need or compile.schedule=none",
      c->name, regs, need > regs ? need : regs + 1);
}

void work_hand_over(struct work *w, struct code *c) {
  struct insn *old = c->insn, *now = w->c->insn;
  if (w->c->n > c->n) old = arena_alloc(&w->m->arena, (size_t)w->c->n * sizeof *old);
  memcpy(old, now, (size_t)w->c->n * sizeof *old);
  *c = *w->c;
  c->insn = old;
}

/* Physical numbers below `limit`, in the order of m->schedule; where pairs do not fit into as many registers as are live,
 * in one that occupies fewer, then with loops as they are, and else as written, before anything is spilled. *need: the most
 * that are live. */
static bool fit_scheduled(struct work *w, struct module *m, struct code *c, struct code *copy, uint32_t limit,
                          uint32_t *need) {
  struct schedule how = m->schedule;
  for (uint32_t less = 0;; less += 2) {
    uint32_t used, at;
    if (how.unroll && (less == 8 || less >= limit)) how.unroll = less = 0;
    how.list = how.list && less < 8 && less < limit;
    work_begin(w, m, c, copy);
    if (!unroll_code(w, &how)) how.unroll = 0;
    schedule_code(w, &how, limit - less);
    work_ranges(w);
    *need = registers_live(w);
    bool ok = spill_least(w->c, &at) <= limit && work_fit(w, true, PRED_MAX, &used) && work_fit(w, false, limit, &used);
    if (!how.list || !copy->spills) return ok;
    work_end(w);
  }
}

bool alloc_kernel(struct module *m, struct code *c, uint32_t regs_force, struct err *e) {
  if (regs_force > REG_MAX)
    return err_at(e, c->file, (int)c->line, (int)c->col, "kernel '%.200s': found regs %" PRIu32 ", expected at most %d",
                  c->name, regs_force, REG_MAX);
  const uint32_t limit = regs_force ? regs_force : c->maxnreg && c->maxnreg < REG_MAX ? c->maxnreg : REG_MAX;
  struct work w;
  struct code copy;
  uint32_t need;
  bool ok = fit_scheduled(&w, m, c, &copy, limit, &need);
  if (!ok) too_few(&w, regs_force ? "regs" : c->maxnreg ? ".maxnreg" : "regs", limit, e);
  if (ok && m->schedule.list && regs_force && copy.spills) ok = not_scheduled(c, limit, need, e);
  if (!ok) {
    work_end(&w);
    return false;
  }
  work_rename(&w);
  while (drop_identities(w.c)) continue;
  drop_empty_branches(w.c);
  work_hand_over(&w, c);
  work_end(&w);
  c->allocated = true;
  code_count_registers(c);
  if (regs_force) c->nreg = regs_force;
  finish_code(m, c);
  return true;
}
