/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access: accesses of an SM to lines of memory: the units that make them, LSU and texture unit, and the caches that answer them, L1
 * and texture cache. Part of sm/private.h.
 */
#ifndef RT_SM_ACCESS_H
#define RT_SM_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/slot_api.h"

struct cache;
struct config;
struct mem_reply;
struct sm;
struct tex_cache;

struct txn { /* one line access of a memory instruction */
  struct txn_view;
  uint32_t words;         /* of a store: of its 32 those of which all four bytes are written */
  uint8_t sectors, bytes; /* 32-byte sectors touched; bytes touched (1..128) */
  uint8_t kind;           /* op.kind */
  bool texel;             /* of the texture unit: l1.local_only does not concern it */
};

/* HELD: a hit whose read the l1 choice ends; SLOT: the l1 choice refused */
enum access { ACC_HIT, ACC_HELD, ACC_WAIT, ACC_STALL_MSHR, ACC_STALL_CREDIT, ACC_STALL_SLOT };

/* The first cycle in which a refused access (of a texture ACC_HIT: its FIFO is full) is tried again; NEVER: a reply or the filter opens it. */
uint64_t access_again(struct sm *S, enum access why);

/* ---- the LSU (lsu.c) ---- */
struct lsu {
  uint32_t queue[64];
  uint32_t head, count, room;
  bool open; /* the head instruction has been expanded into txn */
  uint8_t ntxn, cur;
  struct txn txn[32];
  uint64_t busy;                /* first cycle in which it works again */
  uint64_t data;                /* first cycle after the data of the head instruction have passed (lsu.bytes) */
  uint64_t shared;              /* first cycle in which shared memory's port takes an access again */
  uint64_t tags;                /* the last cycle in which it looked up a line in the L1, plus one */
  uint64_t blocked;             /* tried and refused: not again before this cycle, a reply or a quantum end */
  uint8_t why;                  /* enum access: the reason of the refusal */
  uint32_t landed, landed_last; /* copies whose lines have arrived, to be written to shared memory: a chain */
};

/* ---- the texture unit (tex.c) ---- */
enum { TEX_FIFO = 256, TEX_QUADS = 4, TEX_LINES = TEX_QUADS * 4 * 8, TEX_ASKED = 32 };
struct tex_unit {
  /* looked at in every cycle: first, in one cache line */
  uint32_t count, waiting; /* instructions before the address units, the one at work included; in the FIFO */
  bool turn;         /* unified: the LSU had the tags of the L1 in the last cycle; they are this unit's in this one */
  bool open;         /* the one at work: its step is in txn */
  uint8_t why;       /* enum access: the reason of the refusal; ACC_HIT: the FIFO is full */
  uint8_t ntxn, cur; /* lines of its step; of these, looked up */
  uint32_t left;     /* its quads that have yet to be looked up: bit per quad */
  uint64_t began;    /* its step: the first cycle */
  uint64_t busy;     /* first cycle in which the address units work again */
  uint64_t blocked;  /* tried and refused: not again before this cycle, a reply or a quantum end */
  uint64_t filtered; /* the cycle after the filter's last work so far */
  uint32_t head, room, first;
  unsigned nasked;
  struct tex_cache *cache; /* NULL: the L1's */
  uint32_t queue[64];
  /* between tags and filter, in order: an instruction leaves when the filter begins with it */
  struct {
    uint32_t inflight;
    uint32_t work;  /* cycles of the filter */
    uint64_t first; /* cycle in which its first texels can be here */
  } fifo[TEX_FIFO];
  struct {
    uint32_t line;
    uint8_t sectors;
  } asked[TEX_ASKED]; /* lines that it waits for already */
  struct txn txn[TEX_LINES];
};

/* ---- L1 (cache.c) ---- */
struct cache *cache_new(const struct config *cfg);
void cache_free(struct cache *c);
uint32_t cache_set(const struct sm *S, uint32_t line); /* without an L1 every line is a set of its own */
/* The line lies in the same set as one of the n before it. */
static inline bool cache_set_taken(const struct sm *S, const struct txn *t, unsigned n) {
  for (unsigned k = 1; k <= n; k++)
    if (cache_set(S, t->line) == cache_set(S, t[-(int)k].line)) return true;
  return false;
}
enum access cache_read(struct sm *S, struct txn *t);  /* WAIT: a reply will finish the part */
enum access cache_write(struct sm *S, struct txn *t); /* HIT: done with */
enum access cache_atomic(struct sm *S, struct txn *t, bool answered);
void cache_reply(struct sm *S, const struct mem_reply *r);
void cache_arrive(struct sm *S);           /* ARRIVE, first, if there are waiting_fills */
void cache_settle(struct sm *S);           /* the launch ends: what waits for a way is dropped */
void cache_flush(struct sm *S);            /* quantum end: dirty victims leave if they can */
bool cache_must_flush(const struct sm *S); /* there is something for it to do */
bool cache_drained(const struct sm *S);    /* nothing is on its way to or from L2 */
enum {
  TAG_ICACHE = 1u << 31,
  TAG_ATOMIC = 1u << 30,
  TAG_RED = 1u << 29,
  TAG_TEX = 1u << 27
}; /* beside TAG_RESIDENCY */

/* ---- a texture cache of its own (tex_cache.c) ---- */
struct tex_cache *tex_cache_new(const struct config *cfg); /* NULL: tex.cache=unified */
void tex_cache_free(struct tex_cache *c);
void tex_cache_empty(struct tex_cache *c); /* a launch begins */
bool tex_cache_drained(const struct tex_cache *c);
/* A line of tex.line bytes: HIT, WAIT (its reply ends a part of the instruction, once), STALL_MSHR or STALL_CREDIT. `place`: in the FIFO. */
enum access tex_cache_read(struct sm *S, const struct txn *t, unsigned place);
void tex_cache_reply(struct sm *S, const struct mem_reply *r);

#endif
