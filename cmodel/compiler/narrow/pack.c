/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack: from virtual registers to slices of physical ones (the slices paper, section 4), in place of alloc.c.
 *
 * Every 32-bit word of a web gets a place: a table entry that names as many slices as it has nibbles, in one physical
 * register or split over two. For each program point a bit set holds the occupied slices, a byte per row (physical
 * register); a word may use the slices that are free at all points of its live range. So, as in color.c, interference
 * is exact and holes in ranges are used. A search over several orders minimises the number of rows, starting at the
 * lower bound; operands are split only if that saves a row.
 *
 * Equal places share a table index: an architectural register. The two indices of a 64-bit web must be consecutive,
 * so one place may have several.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/narrow/packing.h"

#include "compiler/regalloc/work.h"
#include "base/bits.h"
#include "blocks/slice/entry.h"

enum { KNOWN_ORDERS = 4, ORDERS = 24, REPEATS = 12, FULL = 8, ROW_WORDS = (REG_MAX + 8) / 8 };
#define BUDGET 120000000ull /* words of bit sets that the search may examine, without and with split operands */

struct packer {
  struct work *w;
  uint8_t (*n)[2];      /* per register and word: nibbles */
  uint32_t (*entry)[2]; /* per register and word: its place; 0: none */
  bool split;           /* operands may be split */
  bool thrifty;         /* prefers a place that has an index to a better one */
  bool full;            /* a place found no index */
  uint32_t rows, wide;  /* rows that may be used; 64-bit words that hold their slices */
  uint64_t *occ;        /* [point][wide] */
  uint32_t *order, norder;
  uint32_t pair[REG_MAX / 2][2], npair; /* places so far: of neighbours */
  uint32_t one[REG_MAX], none;          /* of single registers, if not among the pairs */
  uint64_t length, spent;               /* of ranges; looked at */
};

static bool packing_reg_lives(const struct work *w, uint32_t v) {
  return w->words[v] && w->r.start[v + 1] > w->r.start[v];
}

/* ---- free slices of a live range ---- */

static void busy_of(const struct packer *k, uint32_t v, uint64_t *busy) {
  const struct live_ranges *r = &k->w->r;
  memset(busy, 0, k->wide * sizeof *busy);
  for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++)
    for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++)
      for (uint32_t j = 0; j < k->wide; j++) busy[j] |= k->occ[(size_t)p * k->wide + j];
}

static unsigned row_free(const uint64_t *busy, uint32_t row) {
  return (unsigned)(~busy[row >> 3] >> 8 * (row & 7)) & 0xff;
}

static void take_part(uint64_t *set, uint32_t row, unsigned mask) { set[row >> 3] |= (uint64_t)mask << 8 * (row & 7); }

static void take_entry(uint64_t *set, uint32_t e) {
  take_part(set, entry_r(e, false), entry_m(e, false));
  take_part(set, entry_r(e, true), entry_m(e, true));
}

static void packer_take(struct packer *k, uint32_t v) {
  const struct live_ranges *r = &k->w->r;
  for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++)
    for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++)
      for (unsigned word = 0; word < k->w->words[v]; word++)
        take_entry(k->occ + (size_t)p * k->wide, k->entry[v][word]);
}

/* ---- one word ---- */

static unsigned slices_lowest(unsigned mask, unsigned n) { /* of the mask, n bits */
  unsigned out = 0;
  for (; n; n--, mask &= mask - 1) out |= mask & -mask;
  return out;
}

static unsigned slices_count(unsigned mask) { return (unsigned)bit_count32(mask); }

static bool entry_fits(const uint64_t *busy, uint32_t e) {
  return !(entry_m(e, false) & ~row_free(busy, entry_r(e, false))) &&
         !(entry_m(e, true) & ~row_free(busy, entry_r(e, true)));
}

/* Free slices left in the rows of a place: the fewer, the better the fit. Split places come last. */
static unsigned left_by(const uint64_t *busy, uint32_t e) {
  unsigned left = slices_count(row_free(busy, entry_r(e, false)) & ~entry_m(e, false));
  if (entry_m(e, true)) left += FULL + slices_count(row_free(busy, entry_r(e, true)) & ~entry_m(e, true));
  return left;
}

struct choice {
  uint32_t e; /* 0: none yet */
  unsigned left;
};

static void packer_consider(const struct packer *k, const uint64_t *busy, unsigned n, uint32_t e, struct choice *c) {
  if (entry_n(e) != n || !entry_fits(busy, e) || (entry_m(e, true) && !k->split)) return;
  unsigned left = left_by(busy, e);
  if (!c->e || left < c->left) *c = (struct choice){e, left};
}

static struct choice known_place(const struct packer *k, const uint64_t *busy, unsigned n) {
  struct choice c = {0, 0};
  for (uint32_t p = 0; p < k->npair; p++)
    for (unsigned word = 0; word < 2; word++) packer_consider(k, busy, n, k->pair[p][word], &c);
  for (uint32_t p = 0; p < k->none; p++) packer_consider(k, busy, n, k->one[p], &c);
  return c;
}

static struct choice whole_place(const struct packer *k, const uint64_t *busy, unsigned n) {
  struct choice c = {0, 0};
  for (uint32_t row = 0; row < k->rows; row++) {
    unsigned f = row_free(busy, row);
    if (slices_count(f) < n || (c.e && slices_count(f) - n >= c.left)) continue;
    c = (struct choice){entry_make(row, slices_lowest(f, n), 0, 0), slices_count(f) - n};
  }
  return c;
}

/* Over two rows, each with less than n. */
static struct choice split_place(const struct packer *k, const uint64_t *busy, unsigned n) {
  struct choice c = {0, 0};
  for (uint32_t a = 0; k->split && a < k->rows; a++) {
    unsigned fa = row_free(busy, a);
    if (!fa || slices_count(fa) >= n) continue;
    for (uint32_t b = a + 1; b < k->rows; b++) {
      unsigned fb = row_free(busy, b), both = slices_count(fa) + slices_count(fb);
      if (!fb || slices_count(fb) >= n || both < n || (c.e && both - n + FULL >= c.left)) continue;
      c = (struct choice){entry_make(a, fa, b, slices_lowest(fb, n - slices_count(fa))), both - n + FULL};
    }
  }
  return c;
}

static struct choice packer_choose(const struct packer *k, const uint64_t *busy, unsigned n) {
  struct choice known = known_place(k, busy, n), fresh;
  if (known.e && (k->thrifty || !known.left)) return known;
  fresh = whole_place(k, busy, n);
  if (!fresh.e) fresh = split_place(k, busy, n);
  return known.e && (!fresh.e || known.left <= fresh.left) ? known : fresh;
}

/* ---- one register ---- */

static bool is_known(const struct packer *k, const uint32_t e[2], unsigned words) {
  for (uint32_t p = 0; p < k->npair; p++) {
    if (words == 2 && k->pair[p][0] == e[0] && k->pair[p][1] == e[1]) return true;
    if (words == 1 && (k->pair[p][0] == e[0] || k->pair[p][1] == e[0])) return true;
  }
  for (uint32_t p = 0; words == 1 && p < k->none; p++)
    if (k->one[p] == e[0]) return true;
  return false;
}

/* False: there is no index left for it. */
static bool packer_remember(struct packer *k, const uint32_t e[2], unsigned words) {
  if (is_known(k, e, words)) return true;
  if (2 * k->npair + k->none + words > REG_MAX) return false;
  if (words == 2) memcpy(k->pair[k->npair++], e, sizeof *k->pair);
  else k->one[k->none++] = e[0];
  return true;
}

static bool best_pair(const struct packer *k, const uint64_t *busy, const uint8_t n[2], uint32_t e[2]) {
  unsigned least = UINT32_MAX;
  for (uint32_t p = 0; p < k->npair; p++) {
    const uint32_t *x = k->pair[p];
    if (entry_n(x[0]) != n[0] || entry_n(x[1]) != n[1] || !entry_fits(busy, x[0]) || !entry_fits(busy, x[1])) continue;
    unsigned left = left_by(busy, x[0]) + left_by(busy, x[1]);
    if (left >= least || ((entry_m(x[0], true) || entry_m(x[1], true)) && !k->split)) continue;
    least = left;
    memcpy(e, x, 2 * sizeof *e);
  }
  return least != UINT32_MAX;
}

static bool place_words(const struct packer *k, const uint64_t *busy, uint32_t v, uint32_t e[2]) {
  uint64_t now[ROW_WORDS];
  memcpy(now, busy, k->wide * sizeof *now);
  for (unsigned word = 0; word < k->w->words[v]; word++) {
    e[word] = packer_choose(k, now, k->n[v][word]).e;
    if (!e[word]) return false;
    take_entry(now, e[word]);
  }
  return true;
}

static bool place_register(struct packer *k, uint32_t v) {
  uint64_t busy[ROW_WORDS];
  uint32_t e[2] = {0, 0}, words = k->w->words[v];
  busy_of(k, v, busy);
  bool found = words == 2 && k->thrifty && best_pair(k, busy, k->n[v], e);
  found = found || place_words(k, busy, v, e);
  if (found && !packer_remember(k, e, words)) {
    k->full = true;
    e[0] = known_place(k, busy, k->n[v][0]).e;
    found = words == 2 ? best_pair(k, busy, k->n[v], e) : e[0] != 0;
  }
  if (!found) return false;
  memcpy(k->entry[v], e, sizeof e);
  packer_take(k, v);
  return true;
}

/* ---- orders ---- */

struct key {
  uint64_t key;
  uint32_t v;
};

static int packing_by_key(const void *a, const void *b) {
  const struct key *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->v < y->v ? -1 : x->v > y->v;
}

static void packer_make_order(struct packer *k, unsigned which) {
  const struct live_ranges *r = &k->w->r;
  struct key *key = xcalloc((size_t)k->norder + 1, sizeof *key);
  uint64_t seed = which;
  for (uint32_t i = 0; i < k->norder; i++) {
    uint32_t v = k->order[i], from = r->seg[r->start[v]].from, to = r->seg[r->start[v + 1] - 1].to;
    uint64_t narrow = 2 * FULL - k->n[v][0] - k->n[v][1], x = 0;
    switch (which) {
      case 0: x = (uint64_t)from << 8 | narrow; break;                              /* in program order */
      case 1: x = narrow << 32 | from; break;                                       /* wide ones first */
      case 2: x = UINT64_MAX - (live_ranges_length(r, v) << 8 | k->n[v][0]); break; /* long ones first */
      case 3: x = UINT64_MAX - ((uint64_t)to << 8 | (2 * FULL - narrow)); break;    /* in reverse program order */
      default: x = rng_next(&seed); break;                                          /* any */
    }
    key[i] = (struct key){x, v};
  }
  qsort(key, k->norder, sizeof *key, packing_by_key);
  for (uint32_t i = 0; i < k->norder; i++) k->order[i] = key[i].v;
  free(key);
}

/* Returns how many found no place; they come first in the order then. */
static uint32_t packer_try(struct packer *k) {
  uint32_t *next = xmalloc(((size_t)k->norder + 1) * sizeof *next), nfail = 0, nplaced = 0;
  memset(k->occ, 0, (size_t)k->w->c->n * k->wide * sizeof *k->occ);
  memset(k->entry, 0, k->w->nv * sizeof *k->entry);
  k->npair = k->none = 0;
  k->full = false;
  for (uint32_t i = 0; i < k->norder; i++)
    if (!place_register(k, k->order[i])) next[nfail++] = k->order[i];
  for (uint32_t i = 0; i < k->norder; i++)
    if (k->entry[k->order[i]][0]) next[nfail + nplaced++] = k->order[i];
  memcpy(k->order, next, k->norder * sizeof *next);
  free(next);
  k->spent += k->length * k->wide;
  return nfail;
}

static bool packer_reach(struct packer *k, uint32_t rows, bool must) {
  bool full = false;
  k->rows = rows;
  k->wide = (rows + 7) / 8;
  for (unsigned thrifty = 0; thrifty <= full; thrifty++)
    for (unsigned which = 0; which < ORDERS; which++) {
      k->thrifty = thrifty;
      packer_make_order(k, which);
      for (unsigned t = 0; t < REPEATS; t++) {
        if (k->spent >= BUDGET && !(must && t == 0 && which < KNOWN_ORDERS)) break;
        if (packer_try(k) == 0) return true;
        full |= k->full;
      }
    }
  return false;
}

static uint32_t most_slices(const struct packer *k) {
  const struct live_ranges *r = &k->w->r;
  uint32_t *slices = xcalloc((size_t)k->w->c->n + 1, sizeof *slices), most = 0;
  for (uint32_t i = 0; i < k->norder; i++) {
    uint32_t v = k->order[i];
    for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++)
      for (uint32_t p = r->seg[s].from; p < r->seg[s].to; p++) {
        slices[p] += k->n[v][0] + k->n[v][1];
        if (slices[p] > most) most = slices[p];
      }
  }
  free(slices);
  return most;
}

/* Total rows, given the number of rows besides those of a place. */
static uint32_t rows_with(uint32_t rows, uint32_t e) {
  for (unsigned part = 0; part < 2; part++)
    if (entry_m(e, part) && entry_r(e, part) >= rows) rows = entry_r(e, part) + 1;
  return rows;
}

static uint32_t packer_rows(const struct packer *k) {
  uint32_t rows = 0;
  for (uint32_t i = 0; i < k->norder; i++)
    for (unsigned word = 0; word < k->w->words[k->order[i]]; word++)
      rows = rows_with(rows, k->entry[k->order[i]][word]);
  return rows;
}

static void packer_begin_search(struct packer *k) {
  uint32_t nv = k->w->nv;
  k->order = xcalloc((size_t)nv + 1, sizeof *k->order);
  k->entry = xcalloc((size_t)nv + 1, sizeof *k->entry);
  k->occ = xcalloc((size_t)k->w->c->n + 1, ROW_WORDS * sizeof *k->occ);
  for (uint32_t v = 0; v < nv; v++) {
    if (!packing_reg_lives(k->w, v)) continue;
    k->order[k->norder++] = v;
    k->length += live_ranges_length(&k->w->r, v) + 4;
  }
}

static uint32_t packer_keep(const struct packer *k, uint32_t (*best)[2]) {
  memcpy(best, k->entry, k->w->nv * sizeof *best);
  return packer_rows(k);
}

/* Into k->entry, in as few rows as it can; `split` only if that saves some. False: there are too few indices,
 * or rows.
 */
static bool packer_search(struct packer *k, bool split, uint32_t *slices) {
  *slices = most_slices(k);
  k->spent = 0;
  uint32_t(*best)[2] = xcalloc((size_t)k->w->nv + 1, sizeof *best), rows = 0;
  uint32_t least = (*slices + FULL - 1) / FULL;
  uint32_t from = least <= REG_MAX ? u32_min(least + least / 4 + 2, REG_MAX) : 0;
  for (k->split = false;; k->split = true) {
    for (uint32_t at = from; at && !rows; at = at < REG_MAX ? u32_min(2 * at, REG_MAX) : 0)
      if (packer_reach(k, at, true)) rows = packer_keep(k, best);
    while (rows > least && packer_reach(k, rows - 1, false)) rows = packer_keep(k, best);
    if (k->split || !split || rows == least) break;
    k->spent = 0;
  }
  memcpy(k->entry, best, k->w->nv * sizeof *best);
  free(best);
  return rows != 0 || !k->norder;
}

/* ---- table indices ---- */

struct table {
  uint32_t *entry; /* [256] */
  uint32_t n;
};

static uint32_t table_pair_index(struct table *t, const uint32_t e[2]) {
  for (uint32_t a = 0; a < t->n; a += 2)
    if (t->entry[a] == e[0] && t->entry[a + 1] == e[1]) return a;
  t->entry[t->n++] = e[0];
  t->entry[t->n++] = e[1];
  return t->n - 2;
}

static uint32_t table_single_index(struct table *t, uint32_t e) {
  for (uint32_t a = 0; a < t->n; a++)
    if (t->entry[a] == e) return a;
  t->entry[t->n++] = e;
  return t->n - 1;
}

/* Assigns indices to w->phys, pairs first; there are enough (see packer_remember). A register that is read but never written
 * gets 0. */
static void packer_number_registers(struct packer *k, struct packing *out) {
  struct table t = {out->entry, 0};
  memset(out->entry, 0, sizeof out->entry);
  for (unsigned words = 2; words >= 1; words--)
    for (uint32_t v = 0; v < k->w->nv; v++) {
      if (k->w->words[v] != words) continue;
      if (!packing_reg_lives(k->w, v)) k->w->phys[v] = 0;
      else k->w->phys[v] = words == 2 ? table_pair_index(&t, k->entry[v]) : table_single_index(&t, k->entry[v][0]);
    }
}

/* ---- widths ---- */

static void packer_find_widths(struct packer *k, const struct narrowing *how, struct web *web, const uint32_t *first) {
  struct work *w = k->w;
  struct register_ranges r = {0};
  if (how->ints) register_ranges_build(w->c, w->nv, how->facts, &r);
  for (uint32_t v = 0; v < w->nv; v++)
    for (unsigned word = 0; word < w->words[v]; word++) {
      struct web *x = &web[first[v] + word];
      x->n = FULL;
      if (x->fp && how->floats) x->n = (uint8_t)widths_of(how->floats, w->c->name, x->name);
      if (!x->fp && how->ints) range_nibbles(&r.reg[v], w->words[v], word, &x->n, &x->sgn);
      k->n[v][word] = x->n;
    }
  register_ranges_free(&r);
}

/* Rounds integers up to fewer different sizes when the table lacks indices. Floats keep theirs, since the number of
 * slices is a float's format. */
static bool packer_round_up(struct packer *k, struct web *web, const uint32_t *first, unsigned step) {
  bool changed = false;
  for (uint32_t v = 0; v < k->w->nv; v++)
    for (unsigned word = 0; word < k->w->words[v]; word++) {
      struct web *x = &web[first[v] + word];
      unsigned n = (x->n + step - 1) / step * step;
      if (x->fp || n == x->n) continue;
      k->n[v][word] = x->n = (uint8_t)n;
      if (n == FULL) x->sgn = 0;
      changed = true;
    }
  return changed;
}

static bool packer_find_places(struct packer *k, bool split, struct packing *p, const uint32_t *first) {
  packer_begin_search(k);
  bool found = packer_search(k, split, &p->slices);
  for (unsigned step = 2; !found && step <= FULL; step *= 2)
    found = packer_round_up(k, p->web, first, step) && packer_search(k, split, &p->slices);
  return found;
}

/* ---- names ---- */

static struct web *list_webs(struct work *w, const uint32_t *origin, uint32_t norigin, uint32_t *first,
                             uint32_t *nweb) {
  const char **name = webs_names(w, origin, norigin);
  bool *fp = xcalloc((size_t)w->nv + 1, sizeof *fp);
  webs_floats(w, fp);
  *nweb = 0;
  for (uint32_t v = 0; v < w->nv; v++) {
    first[v] = *nweb;
    *nweb += w->words[v];
  }
  struct web *web = arena_alloc(&w->m->arena, ((size_t)*nweb + 1) * sizeof *web);
  for (uint32_t v = 0; v < w->nv; v++)
    for (uint8_t word = 0; word < w->words[v]; word++)
      web[first[v] + word] = (struct web){.name = name[v], .words = w->words[v], .word = word, .fp = fp[v]};
  free(fp);
  free(name);
  return web;
}

/* ---- operands of instructions ---- */

/* Webs of the operands' words, as op_build lists their registers. */
static void note_insn(const struct insn *i, const uint32_t *first, const struct web *web, struct narrow *out) {
  const struct opnd *o[INSN_SRC + 1];
  unsigned n = insn_reads(i, o), at = 0;
  for (unsigned k = 0; k < n; k++)
    for (unsigned word = 0; o[k]->kind == O_REG && word < o[k]->words && at < 6; word++, at++) {
      const struct web *x = &web[out->src[at] = first[o[k]->reg] + word];
      out->sgn |= (uint8_t)(x->sgn << at);
      out->cvt |= (uint8_t)((x->fp && x->n < FULL) << at);
    }
  n = insn_writes(i, o);
  at = 0;
  for (unsigned k = 0; k < n; k++)
    for (unsigned word = 0; o[k]->kind == O_REG && word < o[k]->words && at < 4; word++, at++) {
      const struct web *x = &web[out->dst[at] = first[o[k]->reg] + word];
      out->fp |= (uint8_t)(x->fp << at);
      out->n[at] = x->n;
    }
}

/* Does the move change the bits above a 16-bit value? Then it must stay, wherever its operands lie. */
static bool move_extends(const struct insn *i, const uint32_t *first, const struct web *web) {
  return i->op == OP_MOV && i->dst[0].kind == O_REG && dtype_bytes((enum dtype)i->type) == 2 &&
         web[first[i->dst[0].reg]].sgn != web[first[i->src[0].reg]].sgn;
}

/* Removes moves from a place to itself, both in the code and in its copy in webs. */
static void drop_moves(struct code *c, struct code *webs, const uint32_t *first, const struct web *web) {
  uint8_t *drop = xcalloc((size_t)c->n + 1, 1);
  for (uint32_t found = 1; found;) {
    found = find_identities(c, drop);
    for (uint32_t i = 0; i < c->n; i++)
      if (drop[i] && move_extends(&webs->insn[i], first, web)) found -= drop[i]--;
    code_drop(c, drop);
    code_drop(webs, drop);
  }
  memset(drop, 0, c->n);
  find_empty_branches(c, drop);
  code_drop(c, drop);
  code_drop(webs, drop);
  free(drop);
}

void packing_overlaps(struct module *m, struct code *c) {
  struct packing *p = c->packing;
  uint64_t other[256][4] = {{0}};
  for (uint32_t a = 0; a < c->nreg; a++)
    for (uint32_t b = 0; b < c->nreg; b++)
      for (unsigned x = 0; a != b && x < 4; x++) {
        uint32_t ea = p->entry[a], eb = p->entry[b];
        bool xa = x & 1, xb = x >> 1;
        if (entry_r(ea, xa) == entry_r(eb, xb) && entry_m(ea, xa) & entry_m(eb, xb)) set_add(other[a], b);
      }
  p->overlap = arena_alloc(&m->arena, (size_t)c->n * sizeof *p->overlap);
  memset(p->overlap, 0, (size_t)c->n * sizeof *p->overlap);
  for (uint32_t i = 0; i < c->n; i++)
    for (unsigned j = 0; j < 4; j++) {
      for (unsigned d = 0; d < c->op[i].ndst; d++) p->overlap[i][j] |= other[c->op[i].dst[d]][j];
      c->op[i].need[j] |= p->overlap[i][j];
    }
}

/* Registers that are read but never written get the first index. */
static void packing_settle(struct work *w, const struct code *c, struct packing *p, const uint32_t *first) {
  for (uint32_t a = 0; a < c->nreg; a++)
    if (!p->entry[a]) p->entry[a] = entry_make(0, 0xff, 0, 0);
  p->rows = 1;
  for (unsigned a = 0; a < 256; a++) p->rows = rows_with(p->rows, p->entry[a]);
  for (uint32_t v = 0; v < w->nv; v++)
    for (unsigned word = 0; word < w->words[v]; word++) {
      struct web *x = &p->web[first[v] + word];
      x->reg = (uint8_t)(w->phys[v] + word);
      if (!packing_reg_lives(w, v)) x->n = (uint8_t)entry_n(p->entry[x->reg]);
    }
}

static void packing_finish(struct work *w, struct code *c, struct packing *p, const uint32_t *first) {
  struct code webs = *w->c;
  webs.insn = xmalloc(((size_t)webs.n + 1) * sizeof *webs.insn);
  memcpy(webs.insn, w->c->insn, (size_t)webs.n * sizeof *webs.insn);
  work_rename(w);
  drop_moves(w->c, &webs, first, p->web);
  work_hand_over(w, c);
  c->packing = p;
  c->allocated = true;
  code_count_registers(c);
  packing_settle(w, c, p, first);
  p->insn = arena_alloc(&w->m->arena, (size_t)c->n * sizeof *p->insn);
  for (uint32_t i = 0; i < c->n; i++) note_insn(&webs.insn[i], first, p->web, &p->insn[i]);
  free(webs.insn);
  finish_code(w->m, c);
  packing_overlaps(w->m, c);
}

bool pack_kernel(struct module *m, struct code *c, const struct narrowing *how, struct err *e) {
  struct work w;
  struct code copy;
  uint32_t preds;
  work_begin(&w, m, c, &copy);
  schedule_code(&w, &m->schedule, 0);
  uint32_t *origin = webs_split(&w), norigin = w.nv;
  bool ok = work_fit(&w, true, PRED_MAX, &preds);
  if (!ok)
    err_at(e, c->file, (int)c->line, (int)c->col,
           "kernel '%.200s': found no way to hold its predicates in %d registers, expected fewer that are live at "
           "once",
           c->name, PRED_MAX);
  if (ok) {
    work_ranges(&w);
    struct packing *p = arena_alloc(&m->arena, sizeof *p);
    uint32_t *first = xcalloc((size_t)w.nv + 1, sizeof *first);
    struct packer k = {.w = &w, .n = xcalloc((size_t)w.nv + 1, sizeof *k.n)};
    p->web = list_webs(&w, origin, norigin, first, &p->nweb);
    packer_find_widths(&k, how, p->web, first);
    ok = packer_find_places(&k, how->split, p, first);
    if (ok) {
      packer_number_registers(&k, p);
      packing_finish(&w, c, p, first);
    } else {
      err_at(e, c->file, (int)c->line, (int)c->col,
             "kernel '%.200s': found more than %d places for its values, expected at most so many entries of the "
             "table; only without narrow operands (compile.narrow=none) registers are spilled to memory",
             c->name, REG_MAX);
    }
    free(first);
    free(k.n);
    free(k.entry);
    free(k.occ);
    free(k.order);
  }
  free(origin);
  work_end(&w);
  return ok;
}
