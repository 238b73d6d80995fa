/* SPDX-License-Identifier: Apache-2.0 */
/*
 * color: assigns physical registers. For each program point a bit set holds the occupied registers; a register may
 * use the numbers that are free at all points of its live range. So interference is exact, holes in ranges are used,
 * and the cost is the sum of all lengths: no interference graph is built.
 *
 * Registers are coloured one after the other. The order decides how close the count comes to the maximum pressure:
 * several orders are tried for each count from the pressure upwards, each a few times with the registers that failed
 * moved to the front. Registers made by spilling come first, pairs before singles: around one instruction they are a
 * clique that fits if its words fit, so spilling always makes progress.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/regalloc/work.h"
#include "base/bits.h"

enum { ORDERS = 4, REPEATS = 12, SLACK = 6 };
#define NO_REG UINT32_MAX
#define EVENS 0x5555555555555555ull

struct key {
  uint64_t key;
  uint32_t v;
  uint8_t temp;
};

struct wish {
  uint32_t other;
  int delta;
}; /* prefers the number of `other` plus delta */

struct colorer {
  struct work *w;
  unsigned nw; /* words per point: 4; predicates 1 */
  uint64_t *occ;
  uint32_t *order, n;
  uint32_t *wish_at; /* per register, into wish; nv + 1 */
  struct wish *wish;
  uint64_t length, spent; /* points of one try; of all so far */
};

static bool of_kind(const struct work *w, uint32_t v, bool pred) {
  return (w->words[v] == 0) == pred && w->r.start[v + 1] > w->r.start[v];
}

void pressure_build(const struct work *w, bool pred, uint32_t *words) {
  memset(words, 0, ((size_t)w->c->n + 1) * sizeof *words);
  for (uint32_t v = 0; v < w->nv; v++) {
    if (!of_kind(w, v, pred)) continue;
    uint32_t size = pred ? 1 : w->words[v];
    for (uint32_t s = w->r.start[v]; s < w->r.start[v + 1]; s++) {
      words[w->r.seg[s].from] += size;
      words[w->r.seg[s].to] -= size; /* wraps and comes back in the sum */
    }
  }
  for (uint32_t p = 1; p <= w->c->n; p++) words[p] += words[p - 1];
}

/* ---- preferences: both ends of the remaining moves, halves and their pair ---- */

static void wish_pair(const struct opnd *d, int dd, const struct opnd *s, int ds, uint32_t *count, struct colorer *k) {
  if (d->kind != s->kind || (d->kind != O_REG && d->kind != O_PRED)) return;
  if (!k) {
    count[d->reg]++;
    count[s->reg]++;
    return;
  }
  k->wish[--k->wish_at[d->reg + 1]] = (struct wish){s->reg, ds - dd};
  k->wish[--k->wish_at[s->reg + 1]] = (struct wish){d->reg, dd - ds};
}

static void wishes_of(const struct insn *i, uint32_t *count, struct colorer *k) {
  switch (i->op) {
    case OP_MOV:
      if (i->ndst == 1 && i->nsrc == 1 && i->dst[0].words == i->src[0].words)
        wish_pair(&i->dst[0], 0, &i->src[0], 0, count, k);
      break;
    case OP_CVT:
      if (i->nsrc == 1 && i->dst[0].words == 1 && i->src[0].words == 2 && !dtype_float((enum dtype)i->type) &&
          !dtype_float((enum dtype)i->stype))
        wish_pair(&i->dst[0], 0, &i->src[0], 0, count, k);
      break;
    case OP_PACK:
      for (int h = 0; h < 2 && i->nsrc == 2 && i->dst[0].words == 2; h++)
        wish_pair(&i->dst[0], h, &i->src[h], 0, count, k);
      break;
    case OP_UNPACK:
      for (int h = 0; h < 2 && i->ndst == 2 && i->src[0].words == 2; h++)
        wish_pair(&i->dst[h], 0, &i->src[0], h, count, k);
      break;
    default: break;
  }
}

/* The number of `other` plus delta: for a half, its pair's number plus 0 or 1; for the pair, the half's minus 0 or
 * 1. */
static void color_build_wishes(struct colorer *k) {
  const struct code *c = k->w->c;
  uint32_t *count = xcalloc((size_t)k->w->nv + 1, sizeof *count), total = 0;
  for (uint32_t i = 0; i < c->n; i++) wishes_of(&c->insn[i], count, NULL);
  k->wish_at = xcalloc((size_t)k->w->nv + 2, sizeof *k->wish_at);
  for (uint32_t v = 0; v < k->w->nv; v++) k->wish_at[v + 1] = total += count[v];
  k->wish = xcalloc((size_t)total + 1, sizeof *k->wish);
  /* wish_at[v + 1] counts down to where v's begin: then it is v's start */
  for (uint32_t i = 0; i < c->n; i++) wishes_of(&c->insn[i], count, k);
  for (uint32_t v = 0; v < k->w->nv; v++) k->wish_at[v] = k->wish_at[v + 1];
  k->wish_at[k->w->nv] = total;
  free(count);
}

/* ---- one try ---- */

static void color_free_numbers(const struct colorer *k, uint32_t v, const uint64_t *allowed, uint64_t *out) {
  uint64_t busy[4] = {0, 0, 0, 0};
  const struct live_ranges *r = &k->w->r;
  for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++) {
    if (k->nw == 1) {
      for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++) busy[0] |= k->occ[p];
      continue;
    }
    for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++)
      for (unsigned j = 0; j < 4; j++) busy[j] |= k->occ[4 * (size_t)p + j];
  }
  for (unsigned j = 0; j < 4; j++) out[j] = allowed[j] & ~busy[j];
}

static void color_take(struct colorer *k, uint32_t v, uint32_t reg) {
  uint64_t bits = (k->w->words[v] == 2 ? 3ull : 1ull) << (reg & 63);
  const struct live_ranges *r = &k->w->r;
  for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++)
    for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++) k->occ[(size_t)p * k->nw + (reg >> 6)] |= bits;
  k->w->phys[v] = reg;
}

static uint32_t color_lowest(const uint64_t *set) {
  for (unsigned j = 0; j < 4; j++)
    if (set[j]) return j * 64 + (uint32_t)bit_low64(set[j]);
  return NO_REG;
}

static uint32_t color_choose(const struct colorer *k, uint32_t v, const uint64_t *allowed) {
  uint64_t f[4], best[4];
  color_free_numbers(k, v, allowed, f);
  bool pair = k->w->words[v] == 2;
  for (unsigned j = 0; j < 4; j++) {
    uint64_t both = f[j] & (f[j] >> 1) & EVENS;
    if (pair) f[j] = both;
    best[j] = f[j] & ~(both | both << 1); /* a single prefers a place where no pair fits */
  }
  for (uint32_t i = k->wish_at[v]; i < k->wish_at[v + 1]; i++) {
    uint32_t other = k->w->phys[k->wish[i].other];
    if (other == NO_REG) continue;
    uint32_t want = (uint32_t)((int64_t)other + k->wish[i].delta);
    if (want < 256 && set_has(f, want)) return want;
  }
  uint32_t reg = pair || k->nw == 1 ? NO_REG : color_lowest(best);
  return reg != NO_REG ? reg : color_lowest(f);
}

/* Returns how many found no place; those are in fail[]. */
static uint32_t color_try(struct colorer *k, uint32_t limit, uint32_t *fail) {
  uint64_t allowed[4] = {0, 0, 0, 0};
  uint32_t nfail = 0;
  for (uint32_t b = 0; b < limit; b++) set_add(allowed, b);
  memset(k->occ, 0, (size_t)k->w->c->n * k->nw * sizeof *k->occ);
  for (uint32_t i = 0; i < k->n; i++) k->w->phys[k->order[i]] = NO_REG;
  for (uint32_t i = 0; i < k->n; i++) {
    uint32_t v = k->order[i], reg = color_choose(k, v, allowed);
    if (reg == NO_REG) fail[nfail++] = v;
    else color_take(k, v, reg);
  }
  k->spent += k->length;
  return nfail;
}

/* ---- orders ---- */

static int color_by_key(const void *a, const void *b) {
  const struct key *x = a, *y = b;
  if (x->temp != y->temp) return x->temp ? -1 : 1;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}

static void color_make_order(struct colorer *k, unsigned which) {
  struct key *key = xcalloc((size_t)k->n + 1, sizeof *key);
  for (uint32_t i = 0; i < k->n; i++) {
    uint32_t v = k->order[i], from = k->w->r.seg[k->w->r.start[v]].from;
    uint32_t to = k->w->r.seg[k->w->r.start[v + 1] - 1].to;
    bool single = k->w->words[v] != 2;
    uint64_t x = 0;
    switch (which) {
      case 0: x = 2ull * from + single; break;                         /* in program order */
      case 1: x = ((uint64_t)single << 33) | from; break;              /* pairs first */
      case 2: x = UINT64_MAX - live_ranges_length(&k->w->r, v); break; /* long ones first */
      default: x = UINT64_MAX - (2ull * to + !single); break;          /* in reverse program order */
    }
    uint8_t temp = k->w->temp[v] != 0;
    key[i] = (struct key){temp ? ((uint64_t)single << 33) | from : x, v, temp};
  }
  qsort(key, k->n, sizeof *key, color_by_key);
  for (uint32_t i = 0; i < k->n; i++) k->order[i] = key[i].v;
  free(key);
}

/* Registers that failed move before all others not made by spilling. */
static void to_front(struct colorer *k, const uint32_t *fail, uint32_t nfail, uint32_t *buf) {
  uint32_t n = 0, temps = 0;
  for (uint32_t i = 0; i < nfail; i++) k->w->phys[fail[i]] = NO_REG - 1;
  while (temps < k->n && k->w->temp[k->order[temps]]) temps++;
  for (uint32_t i = 0; i < nfail; i++)
    if (!k->w->temp[fail[i]]) buf[n++] = fail[i];
  for (uint32_t i = temps; i < k->n; i++)
    if (k->w->phys[k->order[i]] != NO_REG - 1) buf[n++] = k->order[i];
  memcpy(k->order + temps, buf, n * sizeof *buf);
}

static void colorer_begin(struct colorer *k, struct work *w, bool pred) {
  *k = (struct colorer){.w = w, .nw = pred ? 1 : 4};
  k->occ = xcalloc((size_t)w->c->n + 1, k->nw * sizeof *k->occ);
  k->order = xcalloc((size_t)w->nv + 1, sizeof *k->order);
  for (uint32_t v = 0; v < w->nv; v++) {
    if ((w->words[v] == 0) == pred) w->phys[v] = 0; /* read but never written: any number */
    if (!of_kind(w, v, pred)) continue;
    k->order[k->n++] = v;
    k->length += live_ranges_length(&w->r, v) + 4;
  }
  color_build_wishes(k);
}

static void colorer_end(struct colorer *k) {
  free(k->occ);
  free(k->order);
  free(k->wish_at);
  free(k->wish);
}

static uint32_t numbers_used(const struct colorer *k) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < k->n; i++) {
    uint32_t v = k->order[i], end = k->w->phys[v] + (k->w->words[v] == 2 ? 2 : 1);
    if (end > used) used = end;
  }
  return used;
}

static bool color_reach(struct colorer *k, uint32_t limit, uint32_t *fail, uint32_t *buf) {
  for (unsigned which = 0; which < ORDERS; which++) {
    color_make_order(k, which);
    for (unsigned r = 0; r < REPEATS && k->spent < k->w->budget / 2; r++) {
      uint32_t n = color_try(k, limit, fail);
      if (n == 0) return true;
      to_front(k, fail, n, buf);
    }
  }
  return false;
}

uint32_t color_search(struct work *w, bool pred, uint32_t limit, uint32_t *fail, uint32_t *nfail) {
  struct colorer k;
  colorer_begin(&k, w, pred);
  uint32_t *buf = xcalloc((size_t)w->nv + w->c->n + 1, sizeof *buf), least = 0, used = 0;
  pressure_build(w, pred, buf);
  for (uint32_t p = 0; p < w->c->n; p++)
    if (buf[p] > least) least = buf[p];
  *nfail = 0;
  bool done = false;
  for (uint32_t at = least; at <= limit && at <= least + SLACK && !done; at++) done = color_reach(&k, at, fail, buf);
  if (!done) {
    color_make_order(&k, 0);
    *nfail = color_try(&k, limit, fail);
    done = *nfail == 0;
  }
  if (done) used = numbers_used(&k);
  w->budget -= k.spent < w->budget ? k.spent : w->budget;
  free(buf);
  colorer_end(&k);
  return used;
}
