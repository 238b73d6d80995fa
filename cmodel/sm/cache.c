/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache: the L1 data cache: sets and ways of 128-byte lines in four sectors, LRU, MSHRs that merge. Tags only: data
 * are in the functional memory. Lines are allocated when their reply comes. Set = line number mod sets (any number of
 * sets).
 *
 * write evict: a store goes to L2 unchanged; a line that it hits leaves the cache. write back: a store allocates;
 * whole sectors need no fetch, a partly written one is fetched first.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/state.h"

struct mshr {
  uint32_t line, waiting;  /* first waiter; NONE32 */
  uint32_t next;           /* in its hash chain, or free list */
  uint8_t sectors, dirty;  /* asked for; to be marked dirty when filled */
  uint8_t pending, merged; /* replies to come; requests that it holds */
  bool fill, used;         /* false fill: passes by the cache */
};
struct waiter {
  uint32_t inflight, next;
};

struct cache {
  uint32_t sets, ways;
  uint32_t *line;         /* [sets * ways]: address, or NONE32 */
  uint8_t *valid, *dirty; /* sector masks */
  uint64_t *used;         /* stamp of the last use */
  uint64_t stamp;
  bool write_back, sectored;
  uint32_t nmshr, merge, inflight, free;
  struct mshr *mshr;
  uint32_t bucket[256];
  struct waiter *waiter;
  uint32_t nwaiter, waiter_free;
  uint32_t *wb_line; /* dirty victims that wait for the interconnect: at most one per MSHR and two more */
  uint8_t *wb_sectors;
  uint32_t wb_n;
};

struct cache *cache_new(const struct config *cfg) {
  struct cache *c = xcalloc(1, sizeof *c);
  c->ways = (uint32_t)cfg->l1_ways;
  c->sets = (uint32_t)(cfg->l1_bytes / 128 / cfg->l1_ways);
  c->line = xmalloc(sizeof *c->line * (c->sets * c->ways + 1));
  for (uint32_t k = 0; k < c->sets * c->ways; k++) c->line[k] = NONE32;
  c->valid = xcalloc(c->sets * c->ways + 1, 1);
  c->dirty = xcalloc(c->sets * c->ways + 1, 1);
  c->used = xcalloc(c->sets * c->ways + 1, sizeof *c->used);
  c->write_back = cfg->l1_write == l1_write_back;
  c->sectored = cfg->l1_sector != 0;
  c->nmshr = (uint32_t)cfg->l1_mshrs;
  c->merge = (uint32_t)cfg->l1_merge;
  c->mshr = xcalloc(c->nmshr, sizeof *c->mshr);
  for (uint32_t k = 0; k < c->nmshr; k++) c->mshr[k].next = k + 1 < c->nmshr ? k + 1 : NONE32;
  c->wb_line = xcalloc(c->nmshr + 4, sizeof *c->wb_line);
  c->wb_sectors = xcalloc(c->nmshr + 4, 1);
  memset(c->bucket, 0xff, sizeof c->bucket);
  c->nwaiter = c->nmshr * c->merge;
  c->waiter = xcalloc(c->nwaiter, sizeof *c->waiter);
  for (uint32_t k = 0; k < c->nwaiter; k++) c->waiter[k].next = k + 1 < c->nwaiter ? k + 1 : NONE32;
  return c;
}

void cache_free(struct cache *c) {
  if (!c) return;
  free(c->line), free(c->valid), free(c->dirty), free(c->used), free(c->mshr), free(c->waiter);
  free(c->wb_line), free(c->wb_sectors), free(c);
}

bool cache_drained(const struct cache *c) { return !c->inflight && !c->wb_n; }

static uint32_t find(const struct cache *c, uint32_t line) {
  if (!c->sets) return NONE32;
  uint32_t base = (line >> 7) % c->sets * c->ways;
  for (uint32_t k = base; k < base + c->ways; k++)
    if (c->line[k] == line) return k;
  return NONE32;
}

static uint32_t *bucket_of(struct cache *c, uint32_t line) { return &c->bucket[(line >> 7) % 256]; }

static uint32_t find_mshr(struct cache *c, uint32_t line) {
  uint32_t m = *bucket_of(c, line);
  while (m != NONE32 && c->mshr[m].line != line) m = c->mshr[m].next;
  return m;
}

static bool post(struct sm *S, uint32_t tag, uint32_t line, enum mem_kind kind, uint8_t sectors, uint8_t bytes,
                 uint8_t full) {
  if (!mem_can_post(S->mem, S->id, S->now)) return false;
  struct mem_req r = {
      .addr = line, .tag = tag, .kind = (uint8_t)kind, .sectors = sectors, .bytes = bytes, .full = full};
  mem_post(S->mem, S->id, S->now, &r);
  return true;
}

/* Dirty victims leave before anything else may be posted, which bounds their number. */
static bool flush_victims(struct sm *S, struct cache *c) {
  while (c->wb_n) {
    uint8_t s = c->wb_sectors[c->wb_n - 1];
    if (!post(S, 0, c->wb_line[c->wb_n - 1], MEM_WRITE, s, (uint8_t)(32 * bit_count32(s)), s)) return false;
    c->wb_n--;
    S->st.l1_writebacks++;
  }
  return true;
}

void cache_flush(struct sm *S) { flush_victims(S, S->l1); }

/* Takes a way of the line's set; the old line is evicted. */
static uint32_t allocate(struct sm *S, struct cache *c, uint32_t line) {
  uint32_t base = (line >> 7) % c->sets * c->ways, v = base;
  for (uint32_t k = base; k < base + c->ways; k++) {
    if (c->line[k] == NONE32) {
      v = k;
      break;
    }
    if (c->used[k] < c->used[v]) v = k;
  }
  if (c->line[v] != NONE32) {
    S->st.l1_evictions++;
    l1_evict(S, c->line[v]);
    if (c->dirty[v]) {
      c->wb_line[c->wb_n] = c->line[v];
      c->wb_sectors[c->wb_n++] = c->dirty[v];
    }
  }
  c->line[v] = line;
  c->valid[v] = c->dirty[v] = 0;
  c->used[v] = ++c->stamp;
  return v;
}

static void wait_on(struct cache *c, struct mshr *m, uint32_t inflight) {
  uint32_t k = c->waiter_free;
  c->waiter_free = c->waiter[k].next;
  c->waiter[k] = (struct waiter){.inflight = inflight, .next = m->waiting};
  m->waiting = k;
  m->merged++;
}

/* Requests sectors of a line from L2 for instruction `inflight` (NONE32: none). Joins a pending request if possible. */
static enum access fetch(struct sm *S, struct cache *c, uint32_t line, uint8_t sectors, uint32_t inflight, bool fill,
                         uint8_t dirty) {
  uint32_t k = fill ? find_mshr(c, line) : NONE32;
  if (k != NONE32) {
    struct mshr *m = &c->mshr[k];
    if (inflight != NONE32 && m->merged == c->merge) return ACC_STALL_MSHR;
    uint8_t more = sectors & (uint8_t)~m->sectors;
    if (more) {
      if (!post(S, k, line, MEM_READ, more, 0, 0)) return ACC_STALL_CREDIT;
      m->sectors |= more;
      m->pending++;
      if (inflight != NONE32) S->st.l1_read_misses++;
      else S->st.l1_write_fetches++;
    } else {
      S->st.l1_read_merges += inflight != NONE32;
    }
    m->dirty |= dirty;
    if (inflight != NONE32) wait_on(c, m, inflight);
    return ACC_WAIT;
  }
  if (c->free == NONE32) return ACC_STALL_MSHR;
  k = c->free;
  struct mshr *m = &c->mshr[k];
  if (!post(S, k, line, MEM_READ, sectors, 0, 0)) return ACC_STALL_CREDIT;
  c->free = m->next;
  *m = (struct mshr){.line = line,
                     .waiting = NONE32,
                     .sectors = sectors,
                     .dirty = dirty,
                     .pending = 1,
                     .fill = fill,
                     .used = true,
                     .next = NONE32};
  if (fill) {
    m->next = *bucket_of(c, line);
    *bucket_of(c, line) = k;
  }
  c->inflight++;
  if (inflight == NONE32) {
    S->st.l1_write_fetches++;
    return ACC_WAIT;
  }
  wait_on(c, m, inflight);
  if (fill) S->st.l1_read_misses++;
  else S->st.l1_bypass++;
  return ACC_WAIT;
}

static void tell(struct sm *S, const struct txn *t, enum probe_read what) {
  if (!S->probe) return;
  uint8_t sectors = S->cfg->l1_sector ? t->sectors : 15; /* of the line, those that a miss fetches */
  S->probe->read(S->probe->ctx, S->now, S->inflight[t->inflight].inst.op, t->line, sectors, what);
}

enum access cache_read(struct sm *S, struct txn *t) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c)) return ACC_STALL_CREDIT;
  bool bypass = (t->kind & K_BYPASS) || !c->sets || (S->cfg->l1_local_only && t->line < LOCAL_BASE);
  uint32_t v = find(c, t->line);
  bool hit = v != NONE32 && !(t->sectors & ~c->valid[v]);
  if (bypass && !(v != NONE32 && (c->dirty[v] & t->sectors)))
    return fetch(S, c, t->line, t->sectors, t->inflight, false, 0);
  if (hit) {
    if (l1_hit(S, t) == L1_HELD) return ACC_WAIT;
    c->used[v] = ++c->stamp;
    S->st.l1_reads++;
    S->st.l1_read_hits++;
    tell(S, t, PROBE_HIT);
    return ACC_HIT;
  }
  if (l1_miss(S, t) == L1_HELD) return ACC_WAIT;
  uint64_t merges = S->st.l1_read_merges;
  enum access a = fetch(S, c, t->line, c->sectored ? t->sectors : 15, t->inflight, true, 0);
  if (a != ACC_WAIT) return a;
  S->st.l1_reads++;
  tell(S, t, S->st.l1_read_merges != merges ? PROBE_MERGE : PROBE_MISS);
  return a;
}

enum access cache_write(struct sm *S, struct txn *t) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c)) return ACC_STALL_CREDIT;
  uint32_t v = find(c, t->line);
  if (!c->write_back || !c->sets || (t->kind & K_BYPASS)) {
    if (!post(S, 0, t->line, MEM_WRITE, t->sectors, t->bytes, t->full)) return ACC_STALL_CREDIT;
    if (v != NONE32) {
      c->line[v] = NONE32;
      S->st.l1_write_hits++;
    }
  } else {
    uint8_t partial = t->sectors & (uint8_t)~t->full;
    if (v != NONE32) partial &= (uint8_t)~c->valid[v];
    if (partial) { /* fetched, then dirty */
      enum access a = fetch(S, c, t->line, partial, NONE32, true, partial);
      if (a != ACC_WAIT) return a;
    }
    if (v != NONE32) S->st.l1_write_hits++;
    else v = allocate(S, c, t->line);
    c->valid[v] |= t->sectors & (uint8_t)~partial;
    c->dirty[v] |= t->sectors & (uint8_t)~partial;
    c->used[v] = ++c->stamp;
  }
  l1_store(S, t);
  S->st.l1_writes++;
  return ACC_HIT;
}

enum access cache_atomic(struct sm *S, struct txn *t, bool answered) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c)) return ACC_STALL_CREDIT;
  uint32_t tag = answered ? TAG_ATOMIC | t->inflight : TAG_RED;
  if (!post(S, tag, t->line, MEM_ATOMIC, t->sectors, t->bytes, t->full)) return ACC_STALL_CREDIT;
  uint32_t v = find(c, t->line);
  if (v != NONE32) {
    if (c->dirty[v]) { /* what the cache holds goes to L2 first */
      c->wb_line[c->wb_n] = t->line;
      c->wb_sectors[c->wb_n++] = c->dirty[v];
      c->dirty[v] = 0;
    }
    c->line[v] = NONE32;
  }
  S->st.atomics++;
  if (answered) return ACC_WAIT;
  S->red_out++;
  return ACC_HIT;
}

void cache_reply(struct sm *S, const struct mem_reply *r) {
  struct cache *c = S->l1;
  struct mshr *m = &c->mshr[r->tag];
  if (--m->pending) return;
  if (m->fill) {
    uint32_t *link = bucket_of(c, m->line);
    while (*link != r->tag) link = &c->mshr[*link].next;
    *link = m->next;
    uint32_t v = find(c, m->line);
    if (v == NONE32) v = allocate(S, c, m->line);
    c->valid[v] |= m->sectors;
    c->dirty[v] |= m->dirty;
    c->used[v] = ++c->stamp;
  }
  uint32_t order[256], n = 0; /* waiters were pushed in front: they finish in order of arrival */
  for (uint32_t k = m->waiting; k != NONE32;) {
    uint32_t next = c->waiter[k].next;
    order[n++] = c->waiter[k].inflight;
    c->waiter[k].next = c->waiter_free;
    c->waiter_free = k;
    k = next;
  }
  while (n--) {
    uint32_t fi = order[n];
    if (--S->inflight[fi].parts == 0) lsu_done(S, fi);
  }
  m->used = false;
  m->next = c->free;
  c->free = r->tag;
  c->inflight--;
}
