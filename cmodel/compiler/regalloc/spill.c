/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spill: registers that do not fit are kept elsewhere between their uses: a general register in a slot of local
 * memory (or rematerialised, if it is a constant), a predicate in a general register. Every use gets a register of
 * its own that is live for an instruction or two; such a register is never spilled again, so the rounds terminate.
 *
 * A guarded write of a spilled register first fetches the old value, so that the store behind it need not be guarded.
 *
 * Choice: a sweep in program order; where a point holds more registers than its cap, the one with the least cost per
 * occupied point is spilled. Cost: reads and writes, times eight for each loop level.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"

#define NO_HOME UINT32_MAX

struct spiller {
  struct work *w;
  bool pred;
  uint64_t *price;    /* per register: cost per point and word */
  uint8_t *gone;      /* chosen in this round */
  uint32_t *home;     /* chosen: byte offset in local memory; or general register; NO_HOME: rematerialised */
  struct opnd *value; /* constant registers: what makes them */
  uint32_t *def_count;
  struct edit *edit;
  uint32_t nedit, cap;
};

/* ---- choice ---- */

static void add_cost(struct spiller *s, const struct opnd *o, uint64_t weight) { s->price[o->reg] += weight; }

static void find_prices(struct spiller *s) {
  const struct code *c = s->w->c;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    const struct opnd *o[INSN_SRC + 1];
    uint64_t weight = 4ull << (3 * (s->w->depth[i] > 6 ? 6 : s->w->depth[i]));
    unsigned n = insn_reads(in, o);
    for (unsigned k = 0; k < n; k++) add_cost(s, o[k], weight);
    n = insn_writes(in, o);
    for (unsigned k = 0; k < n; k++) {
      add_cost(s, o[k], weight);
      s->def_count[o[k]->reg] += 1 + (in->guard.kind == O_PRED);
    }
  }
  for (uint32_t i = 0; i < c->n && !s->pred; i++) {
    const struct insn *in = &c->insn[i];
    if (in->op != OP_MOV || in->dst[0].kind != O_REG || s->def_count[in->dst[0].reg] != 1) continue;
    if (in->src[0].kind != O_IMM && in->src[0].kind != O_CBANK) continue;
    s->value[in->dst[0].reg] = in->src[0];
    s->price[in->dst[0].reg] /= 4;
  }
  for (uint32_t v = 0; v < s->w->nv; v++) {
    uint64_t points = live_ranges_length(&s->w->r, v) * (s->w->words[v] == 2 ? 2 : 1);
    s->price[v] = (s->price[v] << 16) / (points + 1);
  }
}

struct heap {
  uint32_t *v, n, cap;
  const uint64_t *price;
};

static bool price_heap_less(const struct heap *h, uint32_t a, uint32_t b) {
  return h->price[a] != h->price[b] ? h->price[a] < h->price[b] : a < b;
}

static void price_heap_push(struct heap *h, uint32_t v) {
  VEC_PUSH(h->v, h->n, h->cap) = v;
  for (uint32_t i = h->n - 1; i > 0 && price_heap_less(h, h->v[i], h->v[(i - 1) / 2]); i = (i - 1) / 2) {
    uint32_t t = h->v[i];
    h->v[i] = h->v[(i - 1) / 2];
    h->v[(i - 1) / 2] = t;
  }
}

static uint32_t price_heap_pop(struct heap *h) {
  uint32_t top = h->v[0], i = 0;
  h->v[0] = h->v[--h->n];
  for (;;) {
    uint32_t k = 2 * i + 1;
    if (k >= h->n) return top;
    if (k + 1 < h->n && price_heap_less(h, h->v[k + 1], h->v[k])) k++;
    if (!price_heap_less(h, h->v[k], h->v[i])) return top;
    uint32_t t = h->v[i];
    h->v[i] = h->v[k];
    h->v[k] = t;
    i = k;
  }
}

/* Registers by the point where a segment begins, and where one ends: two lists in counting-sort form. */
struct events {
  uint32_t *at, *v;
};

static struct events list_events(const struct spiller *s, bool ends) {
  const struct live_ranges *r = &s->w->r;
  struct events e = {xcalloc((size_t)s->w->c->n + 2, sizeof *e.at),
                     xcalloc((size_t)r->start[r->nreg] + 1, sizeof *e.v)};
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t v = 0; v < r->nreg; v++) {
      if ((s->w->words[v] == 0) != s->pred) continue;
      for (uint32_t k = r->start[v]; k < r->start[v + 1]; k++) {
        uint32_t p = ends ? r->seg[k].to : r->seg[k].from;
        if (pass == 0) e.at[p + 1]++;
        else e.v[--e.at[p + 1]] = v;
      }
    }
    if (pass == 0)
      for (uint32_t p = 1; p <= s->w->c->n + 1; p++) e.at[p] += e.at[p - 1];
  }
  return e;
}

/* After the second pass at[p + 1] is where p's events begin; they end where the next point's begin. */
static uint32_t events_end(const struct spiller *s, const struct events *e, uint32_t p) {
  return p + 2 <= s->w->c->n + 1 ? e->at[p + 2] : s->w->r.start[s->w->r.nreg];
}

static uint32_t choose_spills(struct spiller *s, const uint32_t *cap) {
  struct work *w = s->w;
  struct events from = list_events(s, false), to = list_events(s, true);
  struct heap heap = {.price = s->price};
  uint8_t *active = xcalloc((size_t)w->nv + 1, 1);
  uint32_t now = 0, chosen = 0;
  for (uint32_t p = 0; p < w->c->n; p++) {
    for (uint32_t k = to.at[p + 1], end = events_end(s, &to, p); k < end; k++) {
      if (!active[to.v[k]]) continue;
      active[to.v[k]] = 0;
      now -= w->words[to.v[k]] == 2 ? 2 : 1;
    }
    for (uint32_t k = from.at[p + 1], end = events_end(s, &from, p); k < end; k++) {
      uint32_t v = from.v[k];
      if (s->gone[v]) continue;
      active[v] = 1;
      now += w->words[v] == 2 ? 2 : 1;
      if (!w->temp[v]) price_heap_push(&heap, v);
    }
    while (now > cap[p] && heap.n) {
      uint32_t v = price_heap_pop(&heap);
      if (!active[v]) continue;
      active[v] = 0;
      s->gone[v] = 1;
      now -= w->words[v] == 2 ? 2 : 1;
      chosen++;
    }
  }
  free(active);
  free(heap.v);
  free(from.at);
  free(from.v);
  free(to.at);
  free(to.v);
  return chosen;
}

/* ---- slots ---- */

struct slot {
  uint32_t offset, words, end;
};
struct span {
  uint32_t from, to, v;
};

static int by_from(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}

/* Registers whose ranges, first point to last, do not overlap share slots. Slots are assigned per round. */
static void give_slots(struct spiller *s) {
  struct work *w = s->w;
  struct span *span = NULL;
  struct slot *slot = NULL;
  uint32_t n = 0, cap = 0, nslot = 0, scap = 0;
  for (uint32_t v = 0; v < w->r.nreg; v++) {
    if (!s->gone[v] || s->value[v].kind != O_NONE) continue;
    VEC_PUSH(span, n, cap) = (struct span){w->r.seg[w->r.start[v]].from, w->r.seg[w->r.start[v + 1] - 1].to, v};
  }
  if (n) qsort(span, n, sizeof *span, by_from);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t words = w->words[span[k].v], at = 0;
    while (at < nslot && !(slot[at].words == words && slot[at].end <= span[k].from)) at++;
    if (at == nslot) {
      uint32_t offset = (w->c->local_bytes + 4 * words - 1) & ~(4 * words - 1);
      w->c->local_bytes = offset + 4 * words;
      VEC_PUSH(slot, nslot, scap) = (struct slot){offset, words, 0};
    }
    slot[at].end = span[k].to;
    s->home[span[k].v] = slot[at].offset;
  }
  free(span);
  free(slot);
}

static void give_homes(struct spiller *s) {
  for (uint32_t v = 0; v < s->w->r.nreg; v++)
    if (s->gone[v]) s->home[v] = work_reg(s->w, 1, false);
}

/* ---- rewriting ---- */

static struct opnd reg_opnd(uint8_t kind, uint8_t words, uint32_t reg) {
  return (struct opnd){.kind = kind, .words = words, .reg = reg};
}

static struct insn local_access(struct spiller *s, uint8_t op, uint32_t v, uint32_t temp) {
  uint8_t words = s->w->words[v];
  struct insn i = {.op = op, .type = words == 2 ? T_B64 : T_B32, .space = SP_LOCAL, .vec = 1, .nsrc = 1};
  i.src[0] = (struct opnd){.kind = O_IMM, .words = 2, .imm = s->home[v]};
  if (op == OP_LD) i.dst[i.ndst++] = reg_opnd(O_REG, words, temp);
  else i.src[i.nsrc++] = reg_opnd(O_REG, words, temp);
  s->w->c->spills++;
  return i;
}

static struct insn fetch_of(struct spiller *s, uint32_t v, uint32_t temp) {
  uint8_t words = s->w->words[v];
  if (s->pred) {
    struct insn i = {.op = OP_SETP, .type = T_U32, .cmp = C_NE, .ndst = 1, .nsrc = 2, .vec = 1};
    i.dst[0] = reg_opnd(O_PRED, 0, temp);
    i.src[0] = reg_opnd(O_REG, 1, s->home[v]);
    i.src[1] = (struct opnd){.kind = O_IMM, .words = 1};
    return i;
  }
  if (s->value[v].kind == O_NONE) return local_access(s, OP_LD, v, temp);
  struct insn i = {.op = OP_MOV, .type = words == 2 ? T_B64 : T_B32, .ndst = 1, .nsrc = 1, .vec = 1};
  i.dst[0] = reg_opnd(O_REG, words, temp);
  i.src[0] = s->value[v];
  return i;
}

static struct insn keep_of(struct spiller *s, uint32_t v, uint32_t temp) {
  if (!s->pred) return local_access(s, OP_ST, v, temp);
  struct insn i = {.op = OP_SELP, .type = T_B32, .ndst = 1, .nsrc = 3, .vec = 1};
  i.dst[0] = reg_opnd(O_REG, 1, s->home[v]);
  i.src[0] = (struct opnd){.kind = O_IMM, .words = 1, .imm = 1};
  i.src[1] = (struct opnd){.kind = O_IMM, .words = 1};
  i.src[2] = reg_opnd(O_PRED, 0, temp);
  return i;
}

static void spill_insert(struct spiller *s, uint32_t at, bool after, struct insn i) {
  VEC_PUSH(s->edit, s->nedit, s->cap) = (struct edit){at, after, i};
}

struct fetched {
  uint32_t v[INSN_SRC + 1 + INSN_DST], temp[INSN_SRC + 1 + INSN_DST], n;
};

static uint32_t spill_fetch(struct spiller *s, struct fetched *f, uint32_t at, uint32_t v) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->v[k] == v) return f->temp[k];
  uint32_t t = work_reg(s->w, s->w->words[v], true);
  spill_insert(s, at, false, fetch_of(s, v, t));
  f->v[f->n] = v;
  f->temp[f->n++] = t;
  return t;
}

static bool is_gone(const struct spiller *s, const struct opnd *o) {
  return opnd_is_register(o) && (o->kind == O_PRED) == s->pred && s->gone[o->reg];
}

/* true: drop the instruction (it makes a constant that every use rematerialises) */
static bool spill_rewrite(struct spiller *s, uint32_t at) {
  struct insn *i = &s->w->c->insn[at];
  struct fetched f = {.n = 0};
  bool guarded = i->guard.kind == O_PRED;
  if (i->op == OP_MOV && is_gone(s, &i->dst[0]) && s->value[i->dst[0].reg].kind != O_NONE) return true;
  if (is_gone(s, &i->guard)) i->guard.reg = spill_fetch(s, &f, at, i->guard.reg);
  for (unsigned k = 0; k < i->nsrc; k++)
    if (is_gone(s, &i->src[k])) i->src[k].reg = spill_fetch(s, &f, at, i->src[k].reg);
  uint32_t old[INSN_DST], temp[INSN_DST];
  for (unsigned k = 0; k < i->ndst; k++) { /* all that goes before comes before all that goes behind */
    old[k] = i->dst[k].reg;
    temp[k] = NO_HOME;
    if (!is_gone(s, &i->dst[k])) continue;
    temp[k] = guarded ? spill_fetch(s, &f, at, old[k]) : work_reg(s->w, s->w->words[old[k]], true);
    i->dst[k].reg = temp[k];
  }
  for (unsigned k = 0; k < i->ndst; k++)
    if (temp[k] != NO_HOME) spill_insert(s, at, true, keep_of(s, old[k], temp[k]));
  return false;
}

static void spill_apply(struct spiller *s, uint32_t nv) {
  struct code *c = s->w->c;
  for (uint32_t v = 0; v < nv; v++) s->home[v] = NO_HOME;
  if (s->pred) give_homes(s);
  else give_slots(s);
  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  bool any = false;
  for (uint32_t i = 0; i < c->n; i++) any |= drop[i] = spill_rewrite(s, i);
  /* edits name old places: a dropped instruction has none of its own, so insert first; then its new place is sought */
  if (any) {
    uint32_t *moved = xcalloc((size_t)c->n + 1, sizeof *moved), total = c->n + s->nedit, k = 0;
    for (uint32_t i = 0, at = 0; i < c->n; i++, at++) {
      for (; k < s->nedit && s->edit[k].at == i && !s->edit[k].after; k++) at++;
      moved[i] = at;
      for (; k < s->nedit && s->edit[k].at == i; k++) at++;
    }
    uint8_t *late = xcalloc((size_t)total + 1, 1);
    for (uint32_t i = 0; i < c->n; i++) late[moved[i]] = drop[i];
    code_insert(c, s->edit, s->nedit);
    code_drop(c, late);
    free(late);
    free(moved);
  } else {
    code_insert(c, s->edit, s->nedit);
  }
  free(drop);
}

uint32_t spill_round(struct work *w, bool pred, const uint32_t *cap) {
  uint32_t nv = w->nv;
  struct spiller s = {.w = w, .pred = pred};
  s.price = xcalloc((size_t)nv + 1, sizeof *s.price);
  s.gone = xcalloc((size_t)nv + 1, 1);
  s.home = xcalloc((size_t)nv + 1, sizeof *s.home);
  s.value = xcalloc((size_t)nv + 1, sizeof *s.value);
  s.def_count = xcalloc((size_t)nv + 1, sizeof *s.def_count);
  find_prices(&s);
  uint32_t n = choose_spills(&s, cap);
  if (n) spill_apply(&s, nv);
  free(s.price);
  free(s.gone);
  free(s.home);
  free(s.value);
  free(s.def_count);
  free(s.edit);
  return n;
}

uint32_t spill_least(const struct code *c, uint32_t *at) {
  uint32_t most = 1;
  *at = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    const struct insn *in = &c->insn[i];
    const struct opnd *o[INSN_SRC + 1 + INSN_DST];
    bool guarded = in->guard.kind == O_PRED;
    unsigned n = insn_reads(in, o), w = insn_writes(in, o + n);
    uint32_t read = 0, written = 0;
    for (unsigned k = 0; k < n + w; k++) {
      if (o[k]->kind != O_REG) continue;
      bool before = false;
      for (unsigned j = 0; j < k; j++) before |= o[j]->kind == O_REG && o[j]->reg == o[k]->reg && (j < n || k >= n);
      if (k >= n) written += o[k]->words;
      if (!before && (k < n || guarded)) read += o[k]->words;
    }
    uint32_t need = read > written ? read : written;
    if (need > most) {
      most = need;
      *at = i;
    }
  }
  return most;
}
