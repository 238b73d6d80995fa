/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tex_cache: a texture cache of its own (tex.cache=separate): sets and ways of lines of tex.line bytes, LRU, tags only. The set is
 * the 128-byte block modulo the sets, so that the lines of a block share one: bits 7 and 8 of the address with four sets
 * (Mei and Chu, TPDS'17, of Fermi and Kepler). Lines are allocated when their reply comes; any number of instructions in
 * the FIFO may wait for one.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/private.h"

struct miss {
  uint32_t line;                 /* NONE32: free */
  uint64_t waits[TEX_FIFO / 64]; /* places of the FIFO whose instruction needs it */
};

struct tex_cache {
  uint32_t sets, ways, nmiss, used;
  uint32_t *line; /* [sets * ways]: address, or NONE32 */
  uint64_t *stamp, now;
  struct miss *miss;
};

struct tex_cache *tex_cache_new(const struct config *cfg) {
  if (cfg->tex_cache == tex_cache_unified) return NULL;
  struct tex_cache *c = xcalloc(1, sizeof *c);
  c->ways = (uint32_t)cfg->tex_ways;
  c->sets = (uint32_t)(cfg->tex_bytes / cfg->tex_line / cfg->tex_ways);
  c->nmiss = (uint32_t)cfg->tex_mshrs;
  c->line = xmalloc(sizeof *c->line * c->sets * c->ways);
  c->stamp = xcalloc(c->sets * c->ways, sizeof *c->stamp);
  c->miss = xcalloc(c->nmiss, sizeof *c->miss);
  for (uint32_t k = 0; k < c->nmiss; k++) c->miss[k].line = NONE32;
  tex_cache_empty(c);
  return c;
}

void tex_cache_free(struct tex_cache *c) {
  if (!c) return;
  free(c->line), free(c->stamp), free(c->miss), free(c);
}

void tex_cache_empty(struct tex_cache *c) { memset(c->line, 0xff, sizeof *c->line * c->sets * c->ways); }

bool tex_cache_drained(const struct tex_cache *c) { return !c || !c->used; }

static uint32_t tex_cache_set_of(const struct tex_cache *c, uint32_t line) { return (line >> 7) % c->sets * c->ways; }

static void wait_for(struct sm *S, struct miss *m, unsigned place, uint32_t inflight) {
  const uint64_t bit = 1ull << place % 64;
  if (m->waits[place / 64] & bit) return;
  m->waits[place / 64] |= bit;
  S->inflight[inflight].parts++;
}

enum access tex_cache_read(struct sm *S, const struct txn *t, unsigned place) {
  struct tex_cache *c = S->tex.cache;
  for (uint32_t k = tex_cache_set_of(c, t->line), end = k + c->ways; k < end; k++)
    if (c->line[k] == t->line) {
      c->stamp[k] = ++c->now;
      S->st.tex_hits++;
      S->st.tex_own_reads++;
      return ACC_HIT;
    }
  uint32_t at = NONE32;
  for (uint32_t k = 0; k < c->nmiss; k++) {
    if (c->miss[k].line == t->line) {
      wait_for(S, &c->miss[k], place, t->inflight);
      S->st.tex_merges++;
      S->st.tex_own_reads++;
      return ACC_WAIT;
    }
    if (c->miss[k].line == NONE32 && at == NONE32) at = k;
  }
  if (at == NONE32) return ACC_STALL_MSHR;
  if (!mem_can_post(S->mem, S->id, S->now)) return ACC_STALL_CREDIT;
  const unsigned sectors = (unsigned)S->cfg->tex_line / 32;
  struct mem_req r = {.addr = t->line & ~127u,
                      .tag = TAG_TEX | at,
                      .kind = MEM_READ,
                      .sectors = (uint8_t)(((1u << sectors) - 1) << (t->line >> 5 & 3))};
  sm_post(S, &r);
  c->miss[at] = (struct miss){.line = t->line};
  c->used++;
  wait_for(S, &c->miss[at], place, t->inflight);
  S->st.tex_misses++;
  S->st.tex_own_reads++;
  S->st.tex_own_misses++;
  return ACC_WAIT;
}

static void tex_cache_install(struct tex_cache *c, uint32_t line) {
  const uint32_t base = tex_cache_set_of(c, line);
  uint32_t v = base;
  for (uint32_t k = base; k < base + c->ways && c->line[v] != NONE32; k++)
    if (c->line[k] == NONE32 || c->stamp[k] < c->stamp[v]) v = k;
  c->line[v] = line;
  c->stamp[v] = ++c->now;
}

void tex_cache_reply(struct sm *S, const struct mem_reply *r) {
  struct tex_cache *c = S->tex.cache;
  struct miss *m = &c->miss[r->tag & ~TAG_TEX];
  const uint8_t level = r->dram ? LATENCY_DRAM : LATENCY_L2;
  tex_cache_install(c, m->line);
  for (unsigned k = 0; k < TEX_FIFO / 64; k++)
    for (uint64_t x = m->waits[k]; x; x &= x - 1) {
      struct inflight_inst *f = &S->inflight[S->tex.fifo[64 * k + (unsigned)bit_low64(x)].inflight];
      if (f->level < level) f->level = level;
      f->parts--;
    }
  m->line = NONE32;
  c->used--;
}
