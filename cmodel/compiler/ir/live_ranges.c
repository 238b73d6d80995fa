/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_ranges: the points that each register occupies, as segments.
 *
 * Registers that live in one block only need no data flow. The others are taken in chunks, so that memory is
 * bounded by the number of blocks, whatever the number of registers. Per chunk: backward liveness; forward
 * "some path has written it", because a guarded write does not end a range and without this one written under
 * a guard first would be live from the entry on; then one walk that emits the segments, last block first.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/flow.h"
#include "base/bits.h"

enum { CHUNK_WORDS = 16 }; /* at least; more while the sets stay below SET_BYTES */
#define SET_BYTES ((size_t)64 << 20)
#define LOCAL UINT32_MAX
#define NONE UINT32_MAX

struct node {
  uint32_t from, to, next;
};

struct builder {
  const struct code *c;
  const struct graph *g;
  uint32_t *order;  /* blocks, each behind its successors where the graph has no loop */
  uint32_t *global; /* register -> number among those live between blocks, or LOCAL */
  uint32_t *by_number, nglobal;
  uint32_t chunk, words, bits;         /* current chunk; words and registers of one */
  uint64_t *in, *kill, *gen, *given;   /* [block][words] */
  uint64_t *open;                      /* word: registers whose segment goes on into the block above */
  uint32_t *end;                       /* register: 0, or where its open segment ends */
  uint32_t *first_write, *write_block; /* register: earliest write met in the block being walked */
  struct node *node;
  uint32_t nnode, cap;
  uint32_t *head; /* register: its earliest segment so far */
};

static void post_order(struct builder *b) {
  const struct graph *g = b->g;
  uint32_t *stack = xcalloc((size_t)g->n + 1, sizeof *stack), n = 0;
  uint8_t *edge = xcalloc((size_t)g->n + 1, 1); /* 0: not met; else 1 + edges taken */
  for (uint32_t root = 0; root < g->n; root++) {
    if (edge[root]) continue;
    uint32_t depth = 0;
    stack[depth++] = root;
    edge[root] = 1;
    while (depth) {
      uint32_t k = stack[depth - 1];
      const struct block *bl = &g->block[k];
      if (edge[k] > bl->nsucc) {
        b->order[n++] = k;
        depth--;
        continue;
      }
      uint32_t to = bl->succ[edge[k]++ - 1];
      if (edge[to]) continue;
      edge[to] = 1;
      stack[depth++] = to;
    }
  }
  free(stack);
  free(edge);
}

/* A register is global if some block reads it before (certainly) writing it. */
static void find_globals(struct builder *b, uint32_t nreg) {
  uint32_t *killed = xcalloc((size_t)nreg + 1, sizeof *killed);
  for (uint32_t v = 0; v < nreg; v++) b->global[v] = LOCAL;
  for (uint32_t k = 0; k < b->g->n; k++) {
    for (uint32_t i = b->g->block[k].first; i < b->g->block[k].end; i++) {
      const struct insn *in = &b->c->insn[i];
      const struct opnd *o[INSN_SRC + 1];
      unsigned n = insn_reads(in, o);
      for (unsigned j = 0; j < n; j++) {
        uint32_t v = o[j]->reg;
        if (killed[v] == k + 1 || b->global[v] != LOCAL) continue;
        b->by_number[b->nglobal] = v;
        b->global[v] = b->nglobal++;
      }
      if (in->guard.kind == O_PRED) continue;
      n = insn_writes(in, o);
      for (unsigned j = 0; j < n; j++) killed[o[j]->reg] = k + 1;
    }
  }
  free(killed);
}

static bool in_chunk(const struct builder *b, uint32_t v) {
  return b->global[v] != LOCAL && b->global[v] / b->bits == b->chunk;
}

static void local_sets(struct builder *b) {
  size_t bytes = (size_t)b->g->n * b->words * sizeof *b->in;
  memset(b->in, 0, bytes);
  memset(b->kill, 0, bytes);
  memset(b->gen, 0, bytes);
  for (uint32_t k = 0; k < b->g->n; k++) {
    size_t row = (size_t)k * b->words;
    for (uint32_t i = b->g->block[k].end; i-- > b->g->block[k].first;) {
      const struct insn *in = &b->c->insn[i];
      const struct opnd *o[INSN_SRC + 1];
      unsigned n = insn_writes(in, o);
      for (unsigned j = 0; j < n; j++) {
        if (!in_chunk(b, o[j]->reg)) continue;
        uint32_t bit = b->global[o[j]->reg] % b->bits;
        set_add(b->gen + row, bit);
        if (in->guard.kind == O_PRED) continue;
        set_add(b->kill + row, bit);
        set_del(b->in + row, bit);
      }
      n = insn_reads(in, o);
      for (unsigned j = 0; j < n; j++)
        if (in_chunk(b, o[j]->reg)) set_add(b->in + row, b->global[o[j]->reg] % b->bits);
    }
  }
}

static uint64_t out_word(const struct builder *b, uint32_t k, uint32_t w) {
  const struct block *bl = &b->g->block[k];
  uint64_t x = 0;
  for (uint32_t s = 0; s < bl->nsucc; s++) x |= b->in[(size_t)bl->succ[s] * b->words + w];
  return x;
}

static void flow_back(struct builder *b, uint8_t *dirty) {
  memset(dirty, 1, b->g->n);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t q = 0; q < b->g->n; q++) {
      uint32_t k = b->order[q];
      if (!dirty[k]) continue;
      dirty[k] = 0;
      bool changed = false;
      size_t row = (size_t)k * b->words;
      for (uint32_t w = 0; w < b->words; w++) {
        uint64_t x = b->in[row + w] | (out_word(b, k, w) & ~b->kill[row + w]);
        changed |= x != b->in[row + w];
        b->in[row + w] = x;
      }
      if (!changed) continue;
      again = true;
      for (uint32_t p = 0; p < b->g->block[k].npred; p++) dirty[b->g->block[k].pred[p]] = 1;
    }
  }
}

/* given: written on some path before the block. Only computed when something is live at the entry. */
static void flow_forward(struct builder *b, uint8_t *dirty) {
  size_t bytes = (size_t)b->g->n * b->words * sizeof *b->given;
  uint64_t any = 0;
  for (uint32_t w = 0; w < b->words; w++) any |= b->in[w];
  memset(b->given, any ? 0 : 0xff, bytes);
  if (!any) return;
  memset(dirty, 1, b->g->n);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t q = b->g->n; q-- > 0;) {
      uint32_t k = b->order[q];
      if (!dirty[k]) continue;
      dirty[k] = 0;
      const struct block *bl = &b->g->block[k];
      size_t row = (size_t)k * b->words;
      for (uint32_t s = 0; s < bl->nsucc; s++) {
        size_t to = (size_t)bl->succ[s] * b->words;
        bool changed = false;
        for (uint32_t w = 0; w < b->words; w++) {
          uint64_t x = b->given[to + w] | b->given[row + w] | b->gen[row + w];
          changed |= x != b->given[to + w];
          b->given[to + w] = x;
        }
        dirty[bl->succ[s]] |= changed;
        again |= changed;
      }
    }
  }
}

static void live_ranges_emit(struct builder *b, uint32_t v, uint32_t from, uint32_t to) {
  uint32_t h = b->head[v];
  if (from >= to) return;
  if (h != NONE && b->node[h].from <= to) { /* touches the one behind it */
    b->node[h].from = from;
    return;
  }
  VEC_PUSH(b->node, b->nnode, b->cap) = (struct node){from, to, h};
  b->head[v] = b->nnode - 1;
}

static void live_ranges_meet_write(struct builder *b, uint32_t v, uint32_t i, uint32_t k, bool guarded) {
  b->first_write[v] = i;
  b->write_block[v] = k + 1;
  if (!b->end[v]) {
    live_ranges_emit(b, v, i, i + 1);
  } else if (!guarded) {
    live_ranges_emit(b, v, i, b->end[v]);
    b->end[v] = 0;
  }
}

/* Live behind the block and written by then on some path. */
static uint64_t behind_word(const struct builder *b, uint32_t k, uint32_t w) {
  size_t at = (size_t)k * b->words + w;
  return out_word(b, k, w) & (b->given[at] | b->gen[at]);
}

/* The register of the lowest bit of x, a part of word w. */
static uint32_t number_at(const struct builder *b, uint32_t w, uint64_t x) {
  return b->by_number[b->chunk * b->bits + w * 64 + (uint32_t)bit_low64(x)];
}

/* Registers live before this block and after the preceding one stay open: no segment ends there.
 */
static void live_ranges_walk_block(struct builder *b, uint32_t k) {
  const struct block *bl = &b->g->block[k];
  size_t row = (size_t)k * b->words;
  for (uint32_t w = 0; w < b->words; w++) {
    uint64_t out = behind_word(b, k, w) & ~b->open[w];
    for (; out; out &= out - 1) b->end[number_at(b, w, out)] = bl->end;
  }
  for (uint32_t i = bl->end; i-- > bl->first;) {
    const struct insn *in = &b->c->insn[i];
    const struct opnd *o[INSN_SRC + 1];
    unsigned n = insn_writes(in, o);
    for (unsigned j = 0; j < n; j++) {
      uint32_t v = o[j]->reg;
      if (in_chunk(b, v) || (b->chunk == 0 && b->global[v] == LOCAL))
        live_ranges_meet_write(b, v, i, k, in->guard.kind == O_PRED);
    }
    n = insn_reads(in, o);
    for (unsigned j = 0; j < n; j++) {
      uint32_t v = o[j]->reg;
      if ((in_chunk(b, v) || (b->chunk == 0 && b->global[v] == LOCAL)) && !b->end[v]) b->end[v] = i;
    }
  }
  for (uint32_t w = 0; w < b->words; w++) {
    uint64_t in = b->in[row + w], given = in & b->given[row + w];
    b->open[w] = k ? given & behind_word(b, k - 1, w) : 0;
    for (uint64_t x = in & ~b->open[w]; x; x &= x - 1) {
      uint32_t v = number_at(b, w, x);
      if (given >> bit_low64(x) & 1) live_ranges_emit(b, v, bl->first, b->end[v]);
      else if (b->write_block[v] == k + 1) live_ranges_emit(b, v, b->first_write[v], b->end[v]);
      b->end[v] = 0;
    }
  }
}

static void live_ranges_flatten(struct builder *b, struct live_ranges *r) {
  r->start = xcalloc((size_t)r->nreg + 1, sizeof *r->start);
  r->seg = xcalloc((size_t)b->nnode + 1, sizeof *r->seg);
  uint32_t n = 0;
  for (uint32_t v = 0; v < r->nreg; v++) {
    r->start[v] = n;
    for (uint32_t h = b->head[v]; h != NONE; h = b->node[h].next) {
      uint32_t from = b->node[h].from, to = b->node[h].to;
      if (n > r->start[v] && r->seg[n - 1].to >= from) r->seg[n - 1].to = to > r->seg[n - 1].to ? to : r->seg[n - 1].to;
      else r->seg[n++] = (struct seg){from, to};
    }
  }
  r->start[r->nreg] = n;
}

void live_ranges_build(const struct code *c, const struct graph *g, uint32_t nreg, struct live_ranges *r) {
  uint32_t n = nreg + 1;
  uint32_t *mem = xcalloc((size_t)n * 6 + g->n + 1, sizeof *mem);
  struct builder b = {.c = c,
                      .g = g,
                      .global = mem,
                      .by_number = mem + n,
                      .end = mem + 2 * (size_t)n,
                      .first_write = mem + 3 * (size_t)n,
                      .write_block = mem + 4 * (size_t)n,
                      .head = mem + 5 * (size_t)n,
                      .order = mem + 6 * (size_t)n};
  for (uint32_t v = 0; v < nreg; v++) b.head[v] = NONE;
  post_order(&b);
  find_globals(&b, nreg);
  b.words = set_words(b.nglobal);
  size_t most = SET_BYTES / (4 * sizeof(uint64_t) * ((size_t)g->n + 1));
  if (most < CHUNK_WORDS) most = CHUNK_WORDS;
  if (b.words > most) b.words = (uint32_t)most;
  b.bits = b.words ? 64 * b.words : 64;
  size_t row = (size_t)g->n * b.words;
  uint64_t *sets = xcalloc(4 * row + b.words + 1, sizeof *sets);
  b.in = sets;
  b.kill = sets + row;
  b.gen = sets + 2 * row;
  b.given = sets + 3 * row;
  b.open = sets + 4 * row;
  uint8_t *dirty = xcalloc((size_t)g->n + 1, 1);
  do {
    local_sets(&b);
    if (g->n && b.words) {
      flow_back(&b, dirty);
      flow_forward(&b, dirty);
    }
    memset(b.end, 0, (size_t)n * sizeof *b.end);
    memset(b.write_block, 0, (size_t)n * sizeof *b.write_block);
    memset(b.open, 0, b.words * sizeof *b.open);
    for (uint32_t k = g->n; k-- > 0;) live_ranges_walk_block(&b, k);
    b.chunk++;
  } while (b.chunk * b.bits < b.nglobal);
  r->nreg = nreg;
  live_ranges_flatten(&b, r);
  free(dirty);
  free(sets);
  free(b.node);
  free(mem);
}

void live_ranges_free(struct live_ranges *r) {
  free(r->start);
  free(r->seg);
  *r = (struct live_ranges){0};
}

uint64_t live_ranges_length(const struct live_ranges *r, uint32_t v) {
  uint64_t n = 0;
  for (uint32_t s = r->start[v]; s < r->start[v + 1]; s++) n += r->seg[s].to - r->seg[s].from;
  return n;
}
