/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout: code of ours from what rebuild.c has learnt. The instructions lie in the order of their PCs, from that of the
 * first one on. An instruction of ours has at most two successors, the next one and a branch's target. So one that goes
 * on elsewhere is followed by branches, which are never executed: they are there for liveness and all other analyses
 * that follow the control flow.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "trace/accelsim/rebuild_work.h"

struct place {
  uint32_t pc, rank, id;
};

struct layout {
  struct rebuild *r;
  struct place *order;         /* [r->n] */
  uint32_t *at;                /* per static instruction: place in the order */
  uint32_t *first, *successor; /* per place: successor[first[p]] .. successor[first[p + 1] - 1], ascending places */
};

static int place_by_pc(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : x->rank < y->rank ? -1 : 1;
}

static bool find_start(struct rebuild *r, const char *file, struct err *e) {
  for (uint32_t k = 0; k < r->nedge; k++) {
    if (r->edge[k].from != NONE) continue;
    if (r->start != NONE)
      return err_at(e, file, 0, 0, "found a warp that begins at PC %x, and one at PC %x, expected the same of all",
                    r->insn[r->start].t.pc, r->insn[r->edge[k].to].t.pc);
    r->start = r->edge[k].to;
  }
  return r->start != NONE || err_at(e, file, 0, 0, "found warps whose first lanes are unknown, expected a mask");
}

/* The first one is the first of its PC, as well. */
static void layout_sort(struct layout *l) {
  const struct rebuild *r = l->r;
  for (uint32_t k = 0; k < r->n; k++)
    l->order[k] = (struct place){r->insn[k].t.pc - r->insn[r->start].t.pc, k == r->start ? 0 : k + 1, k};
  qsort(l->order, r->n, sizeof *l->order, place_by_pc);
  for (uint32_t p = 0; p < r->n; p++) l->at[l->order[p].id] = p;
}

static void find_successors(struct layout *l) {
  const struct rebuild *r = l->r;
  for (uint32_t k = 0; k < r->nedge; k++)
    if (r->edge[k].from != NONE) l->first[l->at[r->edge[k].from] + 1]++;
  for (uint32_t p = 0; p < r->n; p++) l->first[p + 1] += l->first[p];
  uint32_t *next = xmalloc((r->n + 1) * sizeof *next);
  memcpy(next, l->first, (r->n + 1) * sizeof *next);
  for (uint32_t k = 0; k < r->nedge; k++)
    if (r->edge[k].from != NONE) l->successor[next[l->at[r->edge[k].from]]++] = l->at[r->edge[k].to];
  free(next);
  for (uint32_t p = 0; p < r->n; p++)
    if (l->first[p + 1] > l->first[p])
      qsort(l->successor + l->first[p], l->first[p + 1] - l->first[p], sizeof *l->successor, u32_compare);
}

static bool is_branch(const struct stat *s) { return s->t.cls == OC_BRANCH || s->t.cls == OC_JUMP; }

/* Places other than the next one that this one goes on to; *falls: the next one, too. */
static uint32_t jumps_of(const struct layout *l, uint32_t p, bool *falls) {
  uint32_t n = 0;
  *falls = false;
  for (uint32_t k = l->first[p]; k < l->first[p + 1]; k++) {
    if (l->successor[k] == p + 1) *falls = true;
    else n++;
  }
  return n;
}

static uint32_t layout_size_of(const struct layout *l, uint32_t p) {
  bool falls;
  const uint32_t jumps = jumps_of(l, p, &falls);
  return 1 + jumps - (is_branch(&l->r->insn[l->order[p].id]) && jumps);
}

static void layout_guard(struct insn *i) { i->guard = (struct opnd){.kind = O_PRED}; }

static void make_branch(struct insn *i, uint32_t target, bool guarded, uint32_t line) {
  *i = (struct insn){.op = OP_BRA, .target = target, .line = line, .col = 1};
  if (guarded) layout_guard(i);
}

/* The instruction of a place, and the branches behind it. */
static void layout_put_place(const struct layout *l, uint32_t p, struct rebuilt *out) {
  const struct stat *s = &l->r->insn[l->order[p].id];
  uint32_t at = l->r->op_of[l->order[p].id], n = 0;
  bool falls;
  const uint32_t jumps = jumps_of(l, p, &falls);
  struct insn *i = &out->insn[at];
  convert_insn(&s->t, l->r->copies, i, &out->cls[at]);
  out->text[at] = s->t.opcode;
  if (s->guarded) layout_guard(i);
  if (is_branch(s) && !jumps) { /* it was never taken, or ends the trace */
    i->target = at + 1 < out->n ? at + 1 : at;
    layout_guard(i);
  }
  for (uint32_t k = l->first[p]; k < l->first[p + 1]; k++) {
    if (l->successor[k] == p + 1) continue;
    const uint32_t target = l->r->op_of[l->order[l->successor[k]].id];
    const bool more = ++n < jumps || falls;
    if (n == 1 && is_branch(s)) {
      i->target = target;
      if (more) layout_guard(i);
      continue;
    }
    make_branch(&out->insn[++at], target, more, s->t.line);
    out->text[at] = "BRA";
    out->cls[at] = CLS_CTRL;
    out->added++;
  }
}

static void layout_count_registers(struct rebuilt *out, uint32_t named) {
  out->nreg = named ? named : 1;
  for (uint32_t k = 0; k < out->n; k++) {
    const struct insn *i = &out->insn[k];
    const struct opnd *o[INSN_SRC + 1];
    for (unsigned w = 0, n = insn_reads(i, o); w < n; w++)
      if (o[w]->kind == O_REG && o[w]->reg + o[w]->words > out->nreg) out->nreg = o[w]->reg + o[w]->words;
    for (unsigned w = 0, n = insn_writes(i, o); w < n; w++)
      if (o[w]->reg + o[w]->words > out->nreg) out->nreg = o[w]->reg + o[w]->words;
    if (i->guard.kind == O_PRED) out->npred = 1;
  }
}

/* Where the control flow could leave the code's end. */
static bool open_end(const struct layout *l, uint32_t p) {
  const struct stat *s = &l->r->insn[l->order[p].id];
  bool falls;
  const uint32_t jumps = jumps_of(l, p, &falls);
  if (s->t.cls == OC_EXIT) return s->guarded && !jumps;
  return !jumps || falls || (jumps == 1 && is_branch(s) && s->guarded);
}

static bool layout_make_code(struct layout *l, const char *file, uint32_t most, struct rebuilt *out, struct err *e) {
  struct rebuild *r = l->r;
  uint64_t n = 0;
  for (uint32_t p = 0; p < r->n; p++) {
    r->op_of[l->order[p].id] = (uint32_t)n;
    n += layout_size_of(l, p);
    if (n >= most)
      return err_at(e, file, 0, 0, "found a kernel of more than %u instructions, expected fewer", most - 1);
  }
  const bool exit = r->ends || open_end(l, r->n - 1);
  out->n = (uint32_t)n + exit;
  out->exit = exit ? (uint32_t)n : NONE;
  out->insn = arena_alloc(&r->arena, out->n * sizeof *out->insn);
  out->text = arena_alloc(&r->arena, out->n * sizeof *out->text);
  out->cls = arena_alloc(&r->arena, out->n);
  for (uint32_t p = 0; p < r->n; p++) layout_put_place(l, p, out);
  if (exit) {
    struct insn *before = &out->insn[n - 1]; /* some path comes to the exit */
    if ((before->op == OP_BRA || before->op == OP_EXIT) && before->guard.kind == O_NONE) layout_guard(before);
    out->insn[n] = (struct insn){.op = OP_EXIT, .line = 1, .col = 1};
    out->text[n] = "EXIT";
    out->cls[n] = CLS_CTRL;
  }
  layout_count_registers(out, r->regs);
  return true;
}

bool rebuild_finish(struct rebuild *r, const char *file, uint32_t most, struct rebuilt *out, struct err *e) {
  *out = (struct rebuilt){0};
  if (!find_start(r, file, e)) return false;
  struct layout l = {.r = r,
                     .order = xcalloc(r->n, sizeof *l.order),
                     .at = xcalloc(r->n, sizeof *l.at),
                     .first = xcalloc(r->n + 1, sizeof *l.first),
                     .successor = xcalloc(r->nedge + 1, sizeof *l.successor)};
  r->op_of = xcalloc(r->n, sizeof *r->op_of);
  layout_sort(&l);
  find_successors(&l);
  const bool good = layout_make_code(&l, file, most, out, e);
  free(l.order);
  free(l.at);
  free(l.first);
  free(l.successor);
  return good;
}

uint32_t rebuild_op(const struct rebuild *r, uint32_t id) { return r->op_of[id]; }
