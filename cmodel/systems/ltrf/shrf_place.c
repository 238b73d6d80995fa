/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrf_place: the compiler's part of SHRF: for each operand of a kernel, whether it is read from an entry of the small register file, and for each
 * destination, whether it is written to one, to the main file, or to both.
 *
 * Within a strand, values are webs: writes of a register that a read may see together. A web that no value from before the strand reaches can
 * live in an entry; so can a register that the strand only reads, twice or more: its first read copies it. What a global or local load or
 * such an atomic writes stays in the main file. A web within one basic block needs its entry from its first write (of a copy: its first read) to its last
 * read; one of several blocks keeps it to the strand's end, whatever path a warp takes first. Webs choose in descending order of reads saved for
 * each instruction of that span. What is live after the strand is written to the main file, too, and so is a web of several blocks: a warp
 * whose lanes part leaves the strand with some of them and comes back with the others.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/cfg.h"
#include "systems/ltrf/shrf.h"

enum { NO_WEB = NONE32 };

struct value {
  uint32_t parent; /* union-find */
  uint32_t first, last, reads, block;
  uint32_t last_read;      /* not of a copy */
  bool outside, far, many; /* a value from before the strand reaches it; a load writes it; it is in several blocks */
  bool copy;               /* only read in the strand */
  uint32_t span;           /* instructions that it needs its entry for */
  uint8_t entry;
};

struct placer {
  const struct code *code;
  const struct subgraphs *strands;
  unsigned entries;
  struct graph g;
  uint32_t *block_of; /* per instruction */
  struct value *web;  /* per definition: 4 x instruction + destination; then per source: 6 x instruction + source */
  uint32_t *of_src;   /* per instruction and source: its web */
  struct operand_place *place;
};

static uint32_t placer_find(struct placer *p, uint32_t w) {
  while (p->web[w].parent != w) w = p->web[w].parent = p->web[p->web[w].parent].parent;
  return w;
}

static uint32_t placer_join(struct placer *p, uint32_t a, uint32_t b) {
  a = placer_find(p, a), b = placer_find(p, b);
  if (a == b) return a;
  if (b < a) {
    const uint32_t t = a;
    a = b, b = t;
  }
  struct value *A = &p->web[a], *B = &p->web[b];
  B->parent = a;
  if (B->first < A->first) A->first = B->first;
  if (B->last > A->last) A->last = B->last;
  if (B->last_read > A->last_read) A->last_read = B->last_read;
  A->many |= B->many || A->block != B->block;
  A->reads += B->reads;
  A->outside |= B->outside;
  A->far |= B->far;
  return a;
}

/* The value of each register at a place of a strand: the web of the writes that reach it, whether one from before the strand does. */
struct reach {
  uint32_t web[256];
  bool outside[256];
  uint32_t copy[256]; /* within the block: web of the reads of a value from before the strand */
};

static void at_entry(struct reach *r) {
  for (unsigned k = 0; k < 256; k++) r->web[k] = r->copy[k] = NO_WEB, r->outside[k] = true;
}

static void placer_merge(struct placer *p, struct reach *to, const struct reach *from) {
  for (unsigned k = 0; k < 256; k++) {
    to->outside[k] |= from->outside[k];
    if (from->web[k] == NO_WEB) continue;
    to->web[k] = to->web[k] == NO_WEB ? from->web[k] : placer_join(p, to->web[k], from->web[k]);
  }
}

/* A read in instruction i: the web spans it. */
static void placer_touch(struct placer *p, uint32_t w, uint32_t i) {
  struct value *W = &p->web[placer_find(p, w)];
  if (i > W->last) W->last = i;
  if (i > W->last_read) W->last_read = i;
  W->many |= W->block != p->block_of[i];
}

/* Reads of a register that the strand has not written: a web for each register and block. */
static void read_outside(struct placer *p, struct reach *r, uint32_t i, unsigned k, unsigned reg) {
  if (r->copy[reg] == NO_WEB) {
    const uint32_t w = r->copy[reg] = 4 * p->code->n + 6 * i + k;
    p->web[w] = (struct value){.parent = w, .first = i, .block = p->block_of[i], .copy = true};
  }
  struct value *W = &p->web[r->copy[reg]];
  W->reads++;
  W->last = i;
  p->of_src[6 * i + k] = r->copy[reg];
}

static void placer_go_through(struct placer *p, struct reach *r, uint32_t i) {
  const struct op *op = &p->code->op[i];
  const bool partial = p->code->insn[i].guard.kind != O_NONE;
  for (unsigned k = 0; k < op->nsrc; k++) {
    const unsigned reg = op->src[k];
    if (r->web[reg] == NO_WEB) {
      read_outside(p, r, i, k, reg);
      continue;
    }
    const uint32_t w = placer_find(p, r->web[reg]);
    p->web[w].outside |= r->outside[reg];
    p->web[w].reads++;
    p->of_src[6 * i + k] = w;
    placer_touch(p, w, i);
  }
  for (unsigned k = 0; k < op->ndst; k++) {
    const unsigned reg = op->dst[k];
    const uint32_t w = 4 * i + k;
    p->web[w] =
        (struct value){.parent = w, .first = i, .last = i, .block = p->block_of[i], .far = insn_far(&p->code->insn[i])};
    r->web[reg] = partial && r->web[reg] != NO_WEB ? placer_join(p, r->web[reg], w) : w;
    r->outside[reg] = partial && r->outside[reg];
  }
}

/* ---- entries ---- */

static int by_worth(const void *a, const void *b) {
  const struct value *x = *(const struct value *const *)a, *y = *(const struct value *const *)b;
  const uint64_t sx = x->reads - x->copy, sy = y->reads - y->copy, l = sx * y->span, r = sy * x->span;
  if (l != r) return l > r ? -1 : 1;
  return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->parent > y->parent) - (x->parent < y->parent);
}

/* Entries to the webs of one strand, whose last instruction is `end` - 1. */
static void give_entries(struct placer *p, struct value **list, unsigned n, uint32_t end) {
  uint32_t *free_from = xcalloc((size_t)p->entries * n + 1, 2 * sizeof *free_from); /* spans taken, per entry */
  uint32_t *taken = xcalloc(p->entries, sizeof *taken);
  for (unsigned i = 0; i < n; i++) {
    if (list[i]->many) list[i]->last = end - 1;
    else if (!list[i]->copy) list[i]->last = list[i]->last_read;
    list[i]->span = list[i]->last - list[i]->first + 1;
  }
  qsort(list, n, sizeof *list, by_worth);
  for (unsigned i = 0; i < n; i++) {
    struct value *w = list[i];
    w->entry = NO_ENTRY;
    for (unsigned e = 0; e < p->entries && w->entry == NO_ENTRY; e++) {
      bool fits = true;
      for (uint32_t t = 0; t < taken[e] && fits; t++) {
        const uint32_t *span = &free_from[2 * (e * n + t)];
        fits = w->last < span[0] || w->first > span[1];
      }
      if (!fits) continue;
      uint32_t *span = &free_from[2 * (e * n + taken[e]++)];
      span[0] = w->first, span[1] = w->last;
      w->entry = (uint8_t)e;
    }
  }
  free(free_from), free(taken);
}

static bool placer_is_worth(const struct value *w) {
  return w->copy ? w->reads >= 2 : w->reads >= 1 && !w->outside && !w->far;
}

static void strand_entries(struct placer *p, uint32_t s, struct value **list) {
  unsigned n = 0;
  uint32_t end = 0;
  for (uint32_t i = 0; i < p->code->n; i++) {
    if (p->strands->of[i] != s) continue;
    end = i + 1;
    for (unsigned k = 0; k < p->code->op[i].ndst; k++) {
      struct value *w = &p->web[4 * i + k];
      if (w->parent == 4 * i + k && placer_is_worth(w)) list[n++] = w;
    }
    for (unsigned k = 0; k < p->code->op[i].nsrc; k++) {
      struct value *w = &p->web[placer_find(p, p->of_src[6 * i + k])];
      if (w->copy && w->first == i && placer_is_worth(w) && !w->span) w->span = 1, list[n++] = w;
    }
  }
  give_entries(p, list, n, end);
}

/* The register may be read after the strand, or at a place of it that a path reaches again. */
static bool is_live_after_strand(const struct placer *p, uint32_t s, uint32_t i, unsigned reg) {
  for (uint32_t k = i; k < p->code->n; k++) {
    if (p->strands->of[k] != s) continue;
    const struct block *b = &p->g.block[p->block_of[k]];
    if (k + 1 != b->end) {
      if (p->strands->of[k + 1] != s && set_has(p->code->warp_live[k + 1], reg)) return true;
      continue;
    }
    for (uint32_t x = 0; x < b->nsucc; x++) {
      const uint32_t to = p->g.block[b->succ[x]].first;
      if ((p->strands->of[to] != s || to <= k) && set_has(p->code->warp_live[to], reg)) return true;
    }
  }
  return false;
}

static void placer_set_places(struct placer *p) {
  for (uint32_t i = 0; i < p->code->n; i++) {
    const struct op *op = &p->code->op[i];
    struct operand_place *o = &p->place[i];
    const uint32_t s = p->strands->of[i];
    for (unsigned k = 0; k < op->nsrc; k++) {
      const struct value *w = p->of_src[6 * i + k] == NO_WEB ? NULL : &p->web[placer_find(p, p->of_src[6 * i + k])];
      o->src[k] = w && placer_is_worth(w) ? w->entry : NO_ENTRY;
      o->value_src[k] = w ? w->parent : NO_WEB;
      if (w && w->copy && w->first != i) o->copied |= (uint8_t)(1u << k);
      o->copy |= (uint8_t)(w && w->copy && o->src[k] != NO_ENTRY && w->first == i ? 1u << k : 0);
    }
    for (unsigned k = 0; k < op->ndst; k++) {
      const struct value *w = &p->web[placer_find(p, 4 * i + k)];
      /* What is read nowhere in the strand might come when the entry is another web's already. */
      const bool read = w->many || i < w->last_read;
      o->dst[k] = s != NONE32 && placer_is_worth(w) && read ? w->entry : NO_ENTRY;
      o->value_dst[k] = w->parent;
      if (o->dst[k] == NO_ENTRY || w->many || is_live_after_strand(p, s, i, op->dst[k])) o->main |= (uint8_t)(1u << k);
    }
  }
}

struct operand_place *shrf_place(const struct code *code, const struct subgraphs *strands, unsigned entries) {
  struct placer p = {.code = code, .strands = strands, .entries = entries};
  graph_build(code, &p.g);
  p.block_of = xcalloc(code->n + 1, sizeof *p.block_of);
  p.web = xcalloc(10 * (size_t)code->n + 1, sizeof *p.web);
  p.of_src = xmalloc((6 * (size_t)code->n + 1) * sizeof *p.of_src);
  memset(p.of_src, 0xff, (6 * (size_t)code->n + 1) * sizeof *p.of_src);
  p.place = xcalloc(code->n + 1, sizeof *p.place);
  struct reach *out = xcalloc(p.g.n, sizeof *out);
  for (uint32_t b = 0; b < p.g.n; b++)
    for (uint32_t i = p.g.block[b].first; i < p.g.block[b].end; i++) p.block_of[i] = b;
  for (uint32_t b = 0; b < p.g.n; b++) { /* within a strand every edge goes forward */
    const struct block *B = &p.g.block[b];
    struct reach r;
    uint32_t within = 0; /* predecessors that end in the strand in which B begins */
    for (uint32_t k = 0; k < B->npred; k++) {
      const struct block *from = &p.g.block[B->pred[k]];
      const bool same =
          from->end > from->first && B->pred[k] < b && strands->of[from->end - 1] == strands->of[B->first];
      if (!same) continue;
      if (!within++) r = out[B->pred[k]];
      else placer_merge(&p, &r, &out[B->pred[k]]);
    }
    /* A strand is entered at its header, which none of its forward edges reaches. */
    assert(!within || within == B->npred || strands->of[B->first] == NONE32);
    if (!within) at_entry(&r);
    memset(r.copy, 0xff, sizeof r.copy);
    for (uint32_t i = B->first; i < B->end; i++) {
      if (i > B->first && strands->of[i] != strands->of[i - 1]) at_entry(&r);
      placer_go_through(&p, &r, i);
    }
    out[b] = r;
  }
  struct value **list = xcalloc(10 * (size_t)code->n + 1, sizeof *list);
  for (uint32_t s = 0; s < strands->n; s++) strand_entries(&p, s, list);
  placer_set_places(&p);
  free(list), free(out), free(p.block_of), free(p.web), free(p.of_src);
  graph_free(&p.g);
  return p.place;
}
