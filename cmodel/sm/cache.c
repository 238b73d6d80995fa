/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache: the L1 data cache: sets and ways of 128-byte lines in four sectors, LRU, MSHRs that merge. Tags only: data
 * are in the functional memory. Lines are allocated when their reply comes. Set = line number mod sets (any number of
 * sets), or Fermi's hash of the address (l1.hash).
 *
 * write evict: a store goes to L2 unchanged; a line that it hits leaves the cache. write back: a store allocates;
 * whole sectors need no fetch, a partly written one is fetched first.
 *
 * slot.l1 may hold a read that missed: its MSHR is taken and others join it, but no request is sent. A store or atomic
 * to the line closes that MSHR: no more reads join. It may also hold a victim: the new line then waits in its MSHR,
 * first come first served; its reads continue, and later reads of it are hits. A store or atomic to a waiting line
 * drops it. (docs/reference/timing.md, decision 16) It may open and shut single ways: a shut one never hits, and no line goes there.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/private.h"

enum { SHUT = 0xfffffffe }; /* in place of a line's address: the way is shut; it counts as used last */

struct mshr {
  uint32_t line, waiting;  /* first waiter; NONE32 */
  uint32_t next;           /* in its hash chain, or free list */
  uint8_t sectors, dirty;  /* asked for; to be marked dirty when filled */
  uint8_t pending, merged; /* replies to come; reads that it holds */
  uint8_t owner;           /* line_owner of the last load that joined or hit */
  bool fill, used;         /* false fill: passes by the cache */
  bool held, closed;       /* by the l1 choice: no request has left; no read may join */
  bool come;               /* the line is here and waits for its way */
  bool loaded;             /* owner is set */
  bool dram;               /* a reply waited for DRAM */
};
struct waiter {
  uint32_t inflight, next;
};

struct cache {
  uint32_t sets, ways;
  bool hashed;            /* Fermi's sets */
  uint32_t *line;         /* [sets * ways]: address, NONE32 or SHUT */
  uint8_t *valid, *dirty; /* sector masks */
  uint64_t *used;         /* stamp of the last use */
  uint8_t *owner;         /* line_owner of the last load, for l1.evict; 0: only stores have used the line */
  uint64_t stamp;
  bool write_back, sectored;
  uint32_t nmshr, merge, free;
  struct mshr *mshr;
  uint32_t bucket[256];
  struct waiter *waiter;
  uint32_t nwaiter, waiter_free;
  uint32_t *wb_line; /* dirty victims that wait for the interconnect: at most one per MSHR and two more */
  uint8_t *wb_sectors;
  uint32_t wb_n;
  uint32_t *fills;   /* [S->waiting_fills]: MSHRs of lines that wait for their way, in the order in which they came */
  uint32_t promised; /* the way of the first, once the choice holds what is in it; else NONE32 */
  uint32_t nheld;
};

struct cache *cache_new(const struct config *cfg) {
  struct cache *c = xcalloc(1, sizeof *c);
  c->ways = (uint32_t)cfg->l1_ways;
  c->sets = (uint32_t)(cfg->l1_bytes / 128 / cfg->l1_ways);
  c->hashed = cfg->l1_hash == l1_hash_fermi && (c->sets == 32 || c->sets == 64);
  c->line = xmalloc(sizeof *c->line * (c->sets * c->ways + 1));
  for (uint32_t k = 0; k < c->sets * c->ways; k++) c->line[k] = NONE32;
  c->valid = xcalloc(c->sets * c->ways + 1, 1);
  c->dirty = xcalloc(c->sets * c->ways + 1, 1);
  c->used = xcalloc(c->sets * c->ways + 1, sizeof *c->used);
  c->owner = xcalloc(c->sets * c->ways + 1, 1);
  c->promised = NONE32;
  c->write_back = cfg->l1_write == l1_write_back;
  c->sectored = cfg->l1_sector != 0;
  c->nmshr = (uint32_t)cfg->l1_mshrs;
  c->merge = (uint32_t)cfg->l1_merge;
  c->mshr = xcalloc(c->nmshr, sizeof *c->mshr);
  for (uint32_t k = 0; k < c->nmshr; k++) c->mshr[k].next = k + 1 < c->nmshr ? k + 1 : NONE32;
  c->fills = xcalloc(c->nmshr, sizeof *c->fills);
  c->wb_line = xcalloc(c->nmshr + 4, sizeof *c->wb_line);
  c->wb_sectors = xcalloc(c->nmshr + 4, 1);
  memset(c->bucket, 0xff, sizeof c->bucket);
  c->nwaiter = c->nmshr * c->merge;
  c->waiter = xcalloc(c->nwaiter, sizeof *c->waiter);
  for (uint32_t k = 0; k < c->nwaiter; k++) c->waiter[k].next = k + 1 < c->nwaiter ? k + 1 : NONE32;
  return c;
}

uint32_t cache_sets(const struct sm *S) { return S->l1->sets; }

void cache_more_ways(struct sm *S, uint32_t ways) {
  struct cache *c = S->l1;
  const size_t n = (size_t)c->sets * ways;
  free(c->line), free(c->valid), free(c->dirty), free(c->used), free(c->owner);
  c->ways = ways;
  c->line = xmalloc(sizeof *c->line * (n + 1));
  c->used = xcalloc(n + 1, sizeof *c->used);
  c->valid = xcalloc(n + 1, 1);
  c->dirty = xcalloc(n + 1, 1);
  c->owner = xcalloc(n + 1, 1);
  for (uint32_t k = 0; k < n; k++) cache_way_shut(S, k);
}

void cache_way_open(struct sm *S, uint32_t way) {
  S->l1->line[way] = NONE32;
  S->l1->used[way] = 0;
}

bool cache_way_shut(struct sm *S, uint32_t way) {
  struct cache *c = S->l1;
  const bool had = c->line[way] != NONE32 && c->line[way] != SHUT;
  assert(!had || !c->dirty[way]);
  c->line[way] = SHUT;
  c->used[way] = NEVER;
  return had;
}

uint64_t cache_way_used(const struct sm *S, uint32_t way) { return S->l1->line[way] == NONE32 ? 0 : S->l1->used[way]; }

void cache_free(struct cache *c) {
  if (!c) return;
  free(c->line), free(c->valid), free(c->dirty), free(c->used), free(c->mshr), free(c->waiter);
  free(c->wb_line), free(c->wb_sectors), free(c->owner), free(c->fills), free(c);
}

bool cache_drained(const struct sm *S) { return S->l1_mshrs == S->waiting_fills && !S->l1->wb_n; }
bool cache_must_flush(const struct sm *S) { return S->l1->wb_n != 0; }

/*
 * Fermi: bits 7 to 11 of the address, each xor one of bits 13, 14, 15, 17 and 19; with 64 sets bit 12 is the highest.
 * Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", HPCA 2014.
 */
static uint32_t fermi_set(uint32_t sets, uint32_t line) {
  const uint32_t upper = (line >> 13 & 7) | (line >> 17 & 1) << 3 | (line >> 19 & 1) << 4;
  return ((line >> 7 & 31) ^ upper) | (sets == 64 ? line >> 12 & 1 : 0) << 5;
}

static uint32_t cache_set_of(const struct cache *c, uint32_t line) {
  return c->hashed ? fermi_set(c->sets, line) : (line >> 7) % c->sets;
}

static uint32_t cache_find_way(const struct cache *c, uint32_t line) {
  if (!c->sets) return NONE32;
  uint32_t base = cache_set_of(c, line) * c->ways;
  for (uint32_t k = base; k < base + c->ways; k++)
    if (c->line[k] == line) return k;
  return NONE32;
}

uint32_t cache_set(const struct sm *S, uint32_t line) { return S->l1->sets ? cache_set_of(S->l1, line) : line >> 7; }

static uint32_t *bucket_of(struct cache *c, uint32_t line) { return &c->bucket[(line >> 7) % 256]; }

static uint32_t mshr_find(struct cache *c, uint32_t line) {
  uint32_t m = *bucket_of(c, line);
  while (m != NONE32 && c->mshr[m].line != line) m = c->mshr[m].next;
  return m;
}

bool cache_fetching(struct sm *S, uint32_t line) { return mshr_find(S->l1, line) != NONE32; }

static bool cache_has_credit(struct sm *S) { return mem_can_post(S->mem, S->id, S->now); }

static void cache_send(struct sm *S, uint32_t tag, uint32_t line, enum mem_kind kind, uint8_t sectors, uint8_t bytes,
                       uint32_t words) {
  struct mem_req r = {
      .addr = line, .tag = tag, .kind = (uint8_t)kind, .sectors = sectors, .bytes = bytes, .words = words};
  sm_post(S, &r);
}

/* Dirty victims leave before anything else may be posted, which bounds their number. */
static bool flush_victims(struct sm *S, struct cache *c) {
  while (c->wb_n) {
    uint8_t s = c->wb_sectors[c->wb_n - 1];
    if (!cache_has_credit(S)) return false;
    cache_send(S, 0, c->wb_line[c->wb_n - 1], MEM_WRITE, s, (uint8_t)(32 * bit_count32(s)), mem_words(s));
    c->wb_n--;
    S->st.l1_writebacks++;
  }
  return true;
}

void cache_flush(struct sm *S) { flush_victims(S, S->l1); }

/* The way for a new line: a free one of its set, else the least recently used; a shut one if all are. */
static uint32_t cache_find_victim(const struct cache *c, uint32_t line) {
  uint32_t base = cache_set_of(c, line) * c->ways, v = base;
  for (uint32_t k = base; k < base + c->ways; k++) {
    if (c->line[k] == NONE32) return k;
    if (c->used[k] < c->used[v]) v = k;
  }
  return v;
}

static enum l1_answer may_leave(struct sm *S, const struct cache *c, uint32_t v) {
  if (c->line[v] == NONE32) return L1_GO;
  const enum l1_answer answer = l1_evict(S, c->line[v], c->owner[v]);
  if (S->laws)
    law_event(
        S, &(struct law_event){.kind = LAW_L1_EVICT, .line = c->line[v], .id = c->owner[v], .answer = (uint8_t)answer});
  return answer;
}

/* Evicts the line in this way, if any. */
static void cache_evict_way(struct sm *S, struct cache *c, uint32_t v) {
  if (c->line[v] == NONE32) return;
  S->st.l1_evictions++;
  if (c->dirty[v]) {
    c->wb_line[c->wb_n] = c->line[v];
    c->wb_sectors[c->wb_n++] = c->dirty[v];
  }
  c->line[v] = NONE32;
}

static void cache_place_line(struct sm *S, struct cache *c, uint32_t v, uint32_t line) {
  cache_evict_way(S, c, v);
  c->line[v] = line;
  c->valid[v] = c->dirty[v] = c->owner[v] = 0;
  c->used[v] = ++c->stamp;
}

/* The SM's side of laws of the l1 choice (laws.h): what it is asked about this read. */
static void law_l1(struct sm *S, enum law_kind kind, const struct txn *t, uint32_t id) {
  if (!S->laws) return;
  const struct op *op = S->inflight[t->inflight].op;
  law_event(S, &(struct law_event){.kind = (uint8_t)kind, .line = t->line, .op = (uint32_t)(op - S->op), .id = id});
}

/* May a store to the line pass? */
static bool may_store(struct sm *S, uint32_t line) {
  const bool is = l1_store(S, line);
  if (is && S->laws) law_event(S, &(struct law_event){.kind = LAW_L1_STORE, .line = line});
  return is;
}

static unsigned txn_line_owner(const struct sm *S, const struct txn *t) {
  return line_owner(inst_address(S, S->inflight[t->inflight].inst.op));
}

static void mshr_set_owner(const struct sm *S, struct mshr *m, const struct txn *t) {
  m->owner = (uint8_t)txn_line_owner(S, t);
  m->loaded = true;
}

static void wait_on(struct cache *c, struct mshr *m, uint32_t inflight) {
  uint32_t k = c->waiter_free;
  c->waiter_free = c->waiter[k].next;
  c->waiter[k] = (struct waiter){.inflight = inflight, .next = m->waiting};
  m->waiting = k;
  m->merged++;
}

static uint32_t mshr_take(struct sm *S, struct cache *c, uint32_t line, uint8_t sectors, bool fill, uint8_t dirty) {
  uint32_t k = c->free;
  struct mshr *m = &c->mshr[k];
  c->free = m->next;
  *m = (struct mshr){
      .line = line, .waiting = NONE32, .sectors = sectors, .dirty = dirty, .fill = fill, .used = true, .next = NONE32};
  if (fill) {
    m->next = *bucket_of(c, line);
    *bucket_of(c, line) = k;
  }
  S->l1_mshrs++;
  return k;
}

static void mshr_unlink(struct cache *c, uint32_t k) {
  uint32_t *link = bucket_of(c, c->mshr[k].line);
  while (*link != k) link = &c->mshr[*link].next;
  *link = c->mshr[k].next;
  c->mshr[k].fill = false;
}

static void mshr_free(struct sm *S, struct cache *c, uint32_t k) {
  struct mshr *m = &c->mshr[k];
  if (m->fill) mshr_unlink(c, k);
  m->used = false;
  m->next = c->free;
  c->free = k;
  S->l1_mshrs--;
  S->lsu.blocked = S->tex.blocked = 0;
}

/* Joins a pending request for the line. `t`: the read that waits; NULL: a write that needs the rest of a sector. */
static enum access mshr_join(struct sm *S, struct cache *c, uint32_t k, uint8_t sectors, const struct txn *t,
                             uint8_t dirty) {
  struct mshr *m = &c->mshr[k];
  if (m->closed || (t ? m->merged == c->merge : m->held)) return ACC_STALL_MSHR;
  uint8_t more = sectors & (uint8_t)~m->sectors;
  if (more && !m->held) {
    if (!cache_has_credit(S)) return ACC_STALL_CREDIT;
    cache_send(S, k, m->line, MEM_READ, more, 0, 0);
    m->pending++;
    if (t) S->st.l1_read_misses++;
    else S->st.l1_write_fetches++;
  } else {
    S->st.l1_read_merges += t != NULL;
  }
  m->sectors |= more;
  m->dirty |= dirty;
  if (!t) return ACC_WAIT;
  wait_on(c, m, t->inflight);
  mshr_set_owner(S, m, t);
  return ACC_WAIT;
}

/* May the miss of this warp allocate? */
static bool has_token(const struct sm *S, const struct txn *t) {
  const unsigned w = S->inflight[t->inflight].inst.warp;
  return S->sched[w % S->nsched].token >> w / S->nsched & 1;
}

/* Requests sectors of a line from L2, or joins a pending request. */
static enum access cache_fetch_sectors(struct sm *S, struct cache *c, uint32_t line, uint8_t sectors,
                                       const struct txn *t, bool fill, uint8_t dirty) {
  uint32_t k = fill ? mshr_find(c, line) : NONE32;
  if (k != NONE32) return mshr_join(S, c, k, sectors, t, dirty);
  if (c->free == NONE32) return ACC_STALL_MSHR;
  enum l1_answer answer = t && fill ? l1_miss(S, txn_seen(t), c->free) : L1_GO;
  const bool looked_up = fill;
  fill = fill && (!t || has_token(S, t));
  if (answer == L1_BUSY) return ACC_STALL_SLOT;
  bool held = answer == L1_HELD;
  if (!held && !cache_has_credit(S)) return ACC_STALL_CREDIT;
  k = mshr_take(S, c, line, sectors, fill, dirty);
  struct mshr *m = &c->mshr[k];
  if (t) {
    wait_on(c, m, t->inflight);
    mshr_set_owner(S, m, t);
  }
  if (held) {
    law_l1(S, LAW_L1_MISS, t, k);
    m->held = true;
    c->nheld++;
    return ACC_WAIT;
  }
  cache_send(S, k, line, MEM_READ, sectors, 0, 0);
  m->pending = 1;
  if (!t) S->st.l1_write_fetches++;
  else if (!looked_up) S->st.l1_bypass++;
  else {
    S->st.l1_read_misses++;
    law_l1(S, LAW_L1_MISSED, t, k);
    l1_missed(S, txn_seen(t), k);
  }
  return ACC_WAIT;
}

static void cache_tell_probe(struct sm *S, const struct txn *t, enum probe_read what) {
  if (!S->probe) return;
  uint8_t sectors = S->cfg->l1_sector ? t->sectors : 15; /* of the line, those that a miss fetches */
  S->probe->read(S->probe->ctx, S->now, S->inflight[t->inflight].inst.op, t->line, sectors, what);
}

static enum access read_hits(struct sm *S, const struct txn *t) {
  S->st.l1_reads++;
  S->st.l1_read_hits++;
  cache_tell_probe(S, t, PROBE_HIT);
  return ACC_HIT;
}

uint64_t access_again(struct sm *S, enum access why) {
  if (why == ACC_HIT || why == ACC_STALL_MSHR) return NEVER;
  if (why == ACC_STALL_SLOT) S->busy = true; /* the l1 choice is asked in every cycle */
  const uint64_t at = why == ACC_STALL_CREDIT ? mem_post_at(S->mem, S->id, S->now) : 0;
  return at > S->now ? at : S->now + 1;
}

enum access cache_read(struct sm *S, struct txn *t) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c)) return ACC_STALL_CREDIT;
  bool bypass = (t->kind & K_BYPASS) || !c->sets || (S->cfg->l1_local_only && t->line < LOCAL_BASE && !t->texel);
  uint32_t v = cache_find_way(c, t->line);
  bool hit = v != NONE32 && !(t->sectors & ~c->valid[v]);
  if (bypass && !(v != NONE32 && (c->dirty[v] & t->sectors)))
    return cache_fetch_sectors(S, c, t->line, t->sectors, t, false, 0);
  if (hit) {
    const enum l1_answer answer = l1_hit(S, txn_seen(t), v);
    if (answer == L1_BUSY) return ACC_STALL_SLOT;
    law_l1(S, LAW_L1_HIT, t, v);
    c->used[v] = ++c->stamp;
    if (S->slots.l1->evict) c->owner[v] = (uint8_t)txn_line_owner(S, t);
    read_hits(S, t);
    return answer == L1_HELD ? ACC_HELD : ACC_HIT;
  }
  uint32_t k = S->waiting_fills ? mshr_find(c, t->line) : NONE32;
  if (k != NONE32 && c->mshr[k].come) { /* a missing sector is requested once the line is in its way */
    if (t->sectors & ~c->mshr[k].sectors) return ACC_STALL_SLOT;
    mshr_set_owner(S, &c->mshr[k], t);
    return read_hits(S, t);
  }
  uint64_t merges = S->st.l1_read_merges;
  enum access a = cache_fetch_sectors(S, c, t->line, c->sectored ? t->sectors : 15, t, true, 0);
  if (a != ACC_WAIT) return a;
  S->st.l1_reads++;
  cache_tell_probe(S, t, S->st.l1_read_merges != merges ? PROBE_MERGE : PROBE_MISS);
  return a;
}

static void remove_fill(struct sm *S, struct cache *c, uint32_t at) {
  S->waiting_fills--;
  memmove(c->fills + at, c->fills + at + 1, (S->waiting_fills - at) * sizeof *c->fills);
}

/* A store or an atomic to the line has passed. */
static void cache_store_passed(struct sm *S, struct cache *c, uint32_t line) {
  if (!c->nheld && !S->waiting_fills) return;
  uint32_t k = mshr_find(c, line);
  if (k == NONE32) return;
  struct mshr *m = &c->mshr[k];
  m->closed |= m->held;
  if (!m->come) return;
  mshr_unlink(c, k);
  if (k == c->fills[0] && c->promised != NONE32) return; /* cache_install finds that there is nothing to install */
  uint32_t at = 0;
  while (c->fills[at] != k) at++;
  remove_fill(S, c, at);
  mshr_free(S, c, k);
}

static enum access cache_write_back(struct sm *S, struct cache *c, const struct txn *t) {
  uint32_t v = cache_find_way(c, t->line);
  uint8_t partial = t->sectors & (uint8_t)~mem_whole(t->words);
  if (v != NONE32) partial &= (uint8_t)~c->valid[v];
  if (partial) { /* fetched, then dirty */
    enum access a = cache_fetch_sectors(S, c, t->line, partial, NULL, true, partial);
    if (a != ACC_WAIT) return a;
  }
  if (v == NONE32 && S->waiting_fills) return ACC_STALL_SLOT;
  if (!may_store(S, t->line)) return ACC_STALL_SLOT;
  const uint32_t way = v != NONE32 ? v : cache_find_victim(c, t->line);
  if (v != NONE32) {
    S->st.l1_write_hits++;
  } else { /* asked last: a victim that may leave does leave */
    if (may_leave(S, c, way) != L1_GO) return ACC_STALL_SLOT;
    cache_place_line(S, c, way, t->line);
  }
  c->valid[way] |= t->sectors & (uint8_t)~partial;
  c->dirty[way] |= t->sectors & (uint8_t)~partial;
  c->used[way] = ++c->stamp;
  return ACC_HIT;
}

static enum access cache_write_evict(struct sm *S, struct cache *c, const struct txn *t) {
  if (!cache_has_credit(S)) return ACC_STALL_CREDIT;
  if (!may_store(S, t->line)) return ACC_STALL_SLOT;
  cache_send(S, 0, t->line, MEM_WRITE, t->sectors, t->bytes, t->words);
  uint32_t v = cache_find_way(c, t->line);
  if (v != NONE32) {
    c->line[v] = NONE32;
    S->st.l1_write_hits++;
  }
  return ACC_HIT;
}

enum access cache_write(struct sm *S, struct txn *t) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c)) return ACC_STALL_CREDIT;
  bool allocates = c->write_back && c->sets && !(t->kind & K_BYPASS);
  enum access a = allocates ? cache_write_back(S, c, t) : cache_write_evict(S, c, t);
  if (a != ACC_HIT) return a;
  cache_store_passed(S, c, t->line);
  S->st.l1_writes++;
  return ACC_HIT;
}

enum access cache_atomic(struct sm *S, struct txn *t, bool answered) {
  struct cache *c = S->l1;
  if (!flush_victims(S, c) || !cache_has_credit(S)) return ACC_STALL_CREDIT;
  if (!may_store(S, t->line)) return ACC_STALL_SLOT;
  uint32_t tag = answered ? TAG_ATOMIC | t->inflight : TAG_RED;
  cache_send(S, tag, t->line, MEM_ATOMIC, t->sectors, t->bytes, 0);
  cache_store_passed(S, c, t->line);
  uint32_t v = cache_find_way(c, t->line);
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

/* Puts the MSHR's line into this way. */
static void cache_fill_way(struct sm *S, struct cache *c, const struct mshr *m, uint32_t v) {
  if (c->line[v] != m->line) cache_place_line(S, c, v, m->line);
  c->valid[v] |= m->sectors;
  c->dirty[v] |= m->dirty;
  if (m->loaded) c->owner[v] = m->owner;
  c->used[v] = ++c->stamp;
}

/* False: the line has to wait for its way. */
static bool cache_try_install(struct sm *S, struct cache *c, const struct mshr *m) {
  uint32_t v = cache_find_way(c, m->line);
  if (v == NONE32) {
    v = cache_find_victim(c, m->line);
    if (c->line[v] == SHUT) return true; /* the set has no way now: the line is not kept */
    enum l1_answer answer = may_leave(S, c, v);
    if (answer == L1_HELD) c->promised = v;
    if (answer != L1_GO) return false;
  }
  if (l1_fill(S, m->line, v) != L1_GO) return false;
  cache_fill_way(S, c, m, v);
  return true;
}

/* Frees the MSHR's list of waiters. `order`: their instructions, the last that joined first. */
static unsigned mshr_free_waiters(struct cache *c, struct mshr *m, uint32_t *order) {
  unsigned n = 0;
  for (uint32_t k = m->waiting; k != NONE32;) {
    uint32_t next = c->waiter[k].next;
    order[n++] = c->waiter[k].inflight;
    c->waiter[k].next = c->waiter_free;
    c->waiter_free = k;
    k = next;
  }
  m->waiting = NONE32;
  return n;
}

void cache_reply(struct sm *S, const struct mem_reply *r) {
  struct cache *c = S->l1;
  struct mshr *m = &c->mshr[r->tag];
  m->dram |= r->dram;
  if (--m->pending) return;
  const uint8_t level = m->dram ? LATENCY_DRAM : LATENCY_L2;
  bool waits = m->fill && (S->waiting_fills || !cache_try_install(S, c, m));
  uint32_t order[256];
  for (unsigned n = mshr_free_waiters(c, m, order); n--;) {
    uint32_t fi = order[n];
    if (S->inflight[fi].level < level) S->inflight[fi].level = level;
    if (--S->inflight[fi].parts == 0) lsu_done(S, fi);
  }
  if (waits) {
    m->come = true;
    c->fills[S->waiting_fills++] = r->tag;
  } else {
    mshr_free(S, c, r->tag);
  }
}

void cache_arrive(struct sm *S) {
  struct cache *c = S->l1;
  while (S->waiting_fills && c->promised == NONE32) {
    uint32_t k = c->fills[0];
    S->busy = true;
    if (!cache_try_install(S, c, &c->mshr[k])) return;
    remove_fill(S, c, 0);
    mshr_free(S, c, k);
  }
}

void cache_install(struct sm *S) {
  struct cache *c = S->l1;
  assert(c->promised != NONE32);
  uint32_t k = c->fills[0];
  if (c->mshr[k].fill) cache_fill_way(S, c, &c->mshr[k], c->promised);
  else cache_evict_way(S, c, c->promised); /* dropped meanwhile */
  c->promised = NONE32;
  remove_fill(S, c, 0);
  mshr_free(S, c, k);
  S->busy = true;
}

void cache_settle(struct sm *S) {
  struct cache *c = S->l1;
  c->promised = NONE32;
  while (S->waiting_fills) {
    uint32_t k = c->fills[0];
    remove_fill(S, c, 0);
    mshr_free(S, c, k);
  }
}

void cache_held_done(struct sm *S, uint32_t k) {
  struct cache *c = S->l1;
  struct mshr *m = &c->mshr[k];
  assert(m->used && m->held);
  uint32_t order[256];
  for (unsigned n = mshr_free_waiters(c, m, order); n--;)
    event_at(S, S->now + S->lat_l1 - ISSUE_TO_ACCESS, EV_PART, order[n]);
  S->st.l1_held++;
  c->nheld--;
  mshr_free(S, c, k);
  S->busy = true;
}

bool cache_held_go(struct sm *S, uint32_t k) {
  struct cache *c = S->l1;
  struct mshr *m = &c->mshr[k];
  assert(m->used && m->held);
  if (!flush_victims(S, c) || !cache_has_credit(S)) return false;
  cache_send(S, k, m->line, MEM_READ, m->sectors, 0, 0);
  if (S->laws) law_event(S, &(struct law_event){.kind = LAW_L1_GONE, .line = m->line, .id = k});
  m->held = false;
  m->pending = 1;
  c->nheld--;
  S->st.l1_read_misses++;
  S->busy = true;
  return true;
}
