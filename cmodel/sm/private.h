/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private: the state of one SM, and the interfaces between the parts of sm/: ledger, scoreboard, instructions in flight, events. Only sm/
 * includes it. What choices may see of the SM and do to it is in slot_api.h. A struct whose first member is another struct without a name
 * has that one's fields as its own (-fms-extensions): the view that choices have.
 *
 * Invariants (checked at the end of every launch, sm/check.c): every instruction in flight is freed; pending-write
 * and reader sets are empty; fetched = issued = retired; slot counters sum to cycles x schedulers.
 */
#ifndef RT_SM_PRIVATE_H
#define RT_SM_PRIVATE_H

#include <stddef.h>

#include "base/bits.h"
#include "base/hashtab.h"
#include "config/config.h"
#include "compiler/ir/mma.h"
#include "mem/mem.h"
#include "sm/access.h"
#include "sm/latency.h"
#include "sm/law_book.h"
#include "sm/sm.h"
#include "sm/slot_api.h"
#include "sm/twin.h"
#include "trace/stream.h"

enum { PIPE_MAX = 16, IBUF_MAX = 8, IBUF_RING = 16 }; /* ring: room for a pseudo instruction with each */
/* Groups of cp.async that a warp has under way at most; a commit waits for room. The same of cp.async.mbarrier.arrive. */
enum { COPY_GROUPS = 16 };
enum { SLOW_MAX = 128 }; /* cycles that a slow bank is busy, at most: a power of two */
enum { WHEEL = 4096 };

/* Why a warp's fetch is stopped. */
enum stop { STOP_NO, STOP_BRANCH, STOP_BARRIER, STOP_ATOMIC, STOP_STREAM, STOP_ICACHE, STOP_EXIT };

struct warp {
  struct warp_view;
  uint64_t wrmem[4];           /* of wr, those written by a memory access; wrfar is a subset */
  uint64_t rd[4];              /* that issued instructions have yet to read; kept if there are overlaps */
  uint16_t pwrmem;             /* the same of pwr; pwrfar is a subset */
  uint16_t inflight_mem;       /* memory accesses in flight */
  uint8_t stop, ihead, icount; /* enum stop; instruction buffer */
  uint8_t barrier;             /* the one it waits at */
  uint8_t cls;                 /* enum cls of its head; CLS_CTRL for a pseudo instruction */
  uint8_t addressed; /* of its instructions those with a row of the address ring that have not left the LSU's queue */
  uint32_t next;     /* op that the next fetch gives, for the instruction cache */
  uint32_t groups;   /* of cp.async: committed so far */
  uint16_t copies;   /* cp.async under way: all, and by group, modulo COPY_GROUPS */
  uint16_t copies_of[COPY_GROUPS];
  uint32_t arrives, arrived; /* of cp.async.mbarrier.arrive: issued; of them those that have arrived */
  /* copies under way by the arrives that were issued before them, modulo COPY_GROUPS */
  uint16_t copies_at[COPY_GROUPS];
  uint8_t rows, row_next; /* of the address ring, with textures under way: from the oldest in use on; the next one */
  uint32_t iway;          /* where the instruction cache had its last line */
  uint64_t tested;        /* the number of its last test of an mbarrier, of all tests from 1; 0: none */
  struct warp_inst ibuf[IBUF_RING];
};

struct inflight_inst { /* an instruction between issue and write-back */
  struct inflight_view;
  uint32_t next;       /* free list */
  uint32_t mem;        /* ring row of its addresses, for the LSU */
  uint16_t parts;      /* line accesses still out */
  uint8_t accepted;    /* destinations that the storage accepted (RESULT_ACCEPTED) and writes itself: mask */
  uint8_t dropped;     /* destinations that no longer hold the scoreboard: mask */
  bool looked;         /* its addresses are no longer needed */
  bool away;           /* waits outside the pipeline: a global or local access past the LSU's entry, or bar.red */
  uint8_t pipe;        /* unit.reserve: the one reserved, of its class */
  uint8_t copy_group;  /* cp.async: modulo COPY_GROUPS */
  uint8_t copy_arrive; /* the same of copies_at */
  uint8_t copy_passes; /* cp.async: passes of its write to shared memory still to come; 0: none */
  uint8_t level;       /* enum latency_level */
  bool timed;          /* a load whose latency is counted, from `entry` */
  uint64_t entry; /* of the LSU: the first cycle in which it may look at it; once it has, the cycle in which it did */
};

enum pipe { PIPE_INT, PIPE_SP, PIPE_DP, PIPE_SFU, PIPE_TENSOR, PIPE_COUNT };

struct group { /* the private part of one sub-core; of the whole SM when there are none */
  struct group_view;
  uint64_t pipe_free[PIPE_COUNT][PIPE_MAX]; /* first cycle in which the pipe takes an instruction */
  uint64_t pipe_next[PIPE_COUNT][PIPE_MAX]; /* unit.reserve: the first in which one for it may issue */
  unsigned lsu_held, lsu_room; /* unit.reserve: places of the LSU's queue that it holds from issue on; has */
  unsigned tex_held, tex_room; /* the same of the texture unit's */
  uint8_t pipes[PIPE_COUNT], dispatch_rr;
  uint32_t *wq; /* results waiting for write ports, in order */
  uint32_t wqn, wqcap;
};

struct slow_banks { /* ports that are busy for more than their cycle: of reads, of writes */
  uint64_t busy[2][BANK_WORDS];
  uint64_t ends[SLOW_MAX][2][BANK_WORDS]; /* by cycle, modulo SLOW_MAX: those that are free again from it on */
  uint64_t seen;                          /* cycles before this one have been dealt with */
};

struct scheduler { /* masks over its warps */
  struct scheduler_view;
  uint64_t token;      /* warps whose misses may allocate in the L1: all, unless a residency takes some away */
  uint64_t stop, full; /* fetch is stopped; instruction buffer is full */
  uint64_t test;       /* the instruction at the head tests an mbarrier */
  uint64_t blocked;    /* as the choice was last told (warp_told) */
  bool inactive;       /* in the last cycle warps were ready, and the scheduler picked none of them */
  uint8_t fetch_rr;    /* next to fetch */
};

struct cta {
  struct cta_view;
  bool dirty, seen_stalled; /* seen_stalled: as last reported to the probe */
  uint16_t far;             /* in flight that waits for L2 or beyond */
  uint16_t inside;          /* in flight and not `away`: must end before its registers may move */
  uint32_t index;           /* in the grid */
  struct {
    uint16_t arrived, waiting;
    uint32_t threads;
    uint32_t red;
  } bar[16]; /* red: first instruction in flight of a bar.red, chained */
};

/* COMPLETE: result_complete_at, 4 x inflight + destination; OPERANDS: UNIT_MAX x group + unit, whose last operand has come from a slow bank */
enum event_kind { EV_RESULT, EV_PART, EV_FETCH, EV_COMPLETE, EV_OPERANDS };
struct event {
  uint32_t next, arg;
  uint8_t kind;
};

struct icache;
struct check;

/* ---- the victim port (victim_port.c) ---- */
struct victim_access {
  uint32_t row, tag;
  uint8_t bank;
  bool write;
};
struct victim_port {
  struct victim_access queue[VICTIM_PORT];
  uint8_t head, count;
  bool granted; /* the access at the head, in this cycle */
};

struct sm {
  struct sm_view;
  struct mem *mem;
  struct stream *stream;
  struct cta_source *source; /* of the launch: the CTAs that may begin here */
  /* Per instruction, or NULL: other registers in the slices that it writes. They are dead, but pending reads of them
   * must come first. */
  const uint64_t (*overlap)[4];
  unsigned id;
  uint64_t
      asleep;     /* up to this cycle nothing happens by itself, as was known at the last quantum's end; 0: not known */
  uint64_t tests; /* of mbarriers that have issued */
  unsigned test_turn; /* the scheduler whose test comes first */
  struct latency *latency;

  unsigned bank_busy;      /* rf.latency: cycles for which an access takes its bank's port */
  struct slow_banks *slow; /* [ngroup]; NULL: every port is free again in the next cycle */
  const char *limiter;
  unsigned room;  /* CTAs that fit, however few the grid has */
  unsigned words; /* 64-bit words that hold a set of the kernel's registers, 1 to 4 */
  uint32_t ended_ctas;
  uint64_t ctas_end;    /* the cycle after the end of the last CTA; after sm_drain that of the drain */
  uint64_t occ_since;   /* for mean occupancy */
  uint64_t memory_seen; /* replies and DRAM bursts when the deadlock watch last looked */
  unsigned resident_warps;
  bool cta_dirty; /* a CTA's stall state must be checked */

  /* configuration used in every cycle */
  uint16_t lat[CLS_COUNT], interval[CLS_COUNT], tensor_interval[RATE_COUNT];
  uint8_t pipe_of[CLS_COUNT];
  unsigned lat_ctrl, lat_shared, lat_l1, lat_const, lat_shfl, wq_width, fetch_warps, fetch_width, ibuf, lsu_lines,
      lsu_bytes, shared_interval;
  unsigned tex_quads, tex_interval, tex_lines, tex_data, tex_filter; /* data: issue to texels; filter: the rest */
  unsigned ring; /* places of an instruction buffer less one: 2 x ibuf, up to a power of two */
  bool reserve;

  struct scheduler sched[SCHED_MAX];
  struct group *group; /* [ngroup] */
  struct warp *warp;   /* [WARP_MAX] */
  struct cta *cta;     /* [CTA_MAX] */
  uint8_t *readers;    /* [WARP_MAX][256]: issued instructions that have yet to read the register */

  struct inflight_inst *inflight;
  uint32_t ninflight, inflight_free, inflight_count;

  struct event *event;
  uint32_t nevent, event_free, events;
  uint32_t wheel_head[WHEEL], wheel_tail[WHEEL];
  uint64_t wheel_bits[WHEEL / 64];

  const struct mem_reply *reply; /* of this quantum */
  uint32_t nreply, ireply;
  uint64_t red_out;       /* atomics posted without a waiting instruction, replies to come */
  uint32_t l1_mshrs;      /* in use */
  uint32_t waiting_fills; /* lines that have come and wait for a way of the L1 */

  struct lsu lsu;
  struct victim_port victim;
  struct cache *l1;
  struct icache *icache;
  const struct observer *observer; /* lockstep, recorder; NULL: none */
  const struct probe *probe;       /* characterisation; NULL: none */
  uint64_t sample_at;              /* cycle in which it wants the counters */
  struct err err;                  /* when it failed */
  uint64_t failed_at;              /* cycle */
  uint64_t hash;                   /* of all launches so far */
  struct tex_unit tex;
  struct hashtab warned; /* kernels that plan_warn_without has named */
};

_Static_assert(!offsetof(struct sm, now) && !offsetof(struct group, free) && !offsetof(struct scheduler, resident) &&
                   !offsetof(struct warp, wr) && !offsetof(struct cta, used) && !offsetof(struct inflight_inst, inst) &&
                   !offsetof(struct txn, line),
               "a view is not at its struct's beginning");

/* True if the instruction accesses memory through the LSU or the texture unit; warp.inflight_mem counts it. */
static inline bool op_access(const struct op *op) { return (op->cls == CLS_LSU || op->cls == CLS_TEX) && op->kind; }
/* True if inst.mem names rows of lane addresses; that of a barrier or of a pseudo instruction does not. */
static inline bool has_address(const struct warp_inst *inst) {
  return inst->mem && !(inst->flags & (W_BARRIER | W_PSEUDO));
}
/* Returns the code address of instruction op: for the instruction cache, and to distinguish loads. */
static inline uint32_t inst_address(const struct sm *S, uint32_t op) {
  return S->fetch_base + (S->at ? S->at[op] : op) * S->insn_bytes;
}
/* Returns a load's code address in five bits: an L1 line keeps that of its last load (Linebacker, section 4.1). */
static inline unsigned line_owner(uint32_t address) {
  uint32_t x = address ^ address >> 15;
  return (x ^ x >> 5 ^ x >> 10 ^ address >> 30) & 31;
}
/* Return the views of an instruction and of a line access, which hooks get. */
static inline const struct inflight_view *inflight_seen(const struct inflight_inst *f) {
  return (const struct inflight_view *)f;
}
static inline const struct txn_view *txn_seen(const struct txn *t) { return (const struct txn_view *)t; }
static inline struct group *group_ptr(struct sm *S, unsigned sc) { return &S->group[S->ngroup == 1 ? 0 : sc]; }

/* ---- the victim port (victim_port.c) ---- */
void victim_port_arrive(struct sm *S);    /* ARRIVE: reports the access granted in the last cycle */
void victim_port_write(struct sm *S);     /* end of WRITE */
bool victim_port_read(struct sm *S);      /* before COLLECT: true: a read wants its bank */
void victim_port_collected(struct sm *S); /* after COLLECT, if so: has it been granted? */
void victim_port_settle(struct sm *S);    /* the launch ends: the port is empty */

void cta_touch(struct sm *S, unsigned w); /* its blocked state changed: check the CTA's stall state */

/* The texture unit holds instructions; otherwise its phase is left out. */
static inline bool tex_works(const struct sm *S) { return S->tex.count || S->tex.waiting; }
static inline bool tex_blocked(const struct sm *S) { return S->tex.blocked > S->now && S->tex.busy <= S->now; }
uint64_t *tex_stall(struct sm *S); /* where the cycles count in which it is blocked */
static inline unsigned inst_rows(const struct warp_inst *inst) {
  return W_SPACE_OF(inst) == SP_TEX ? tex_rows(inst->mem) : 1;
}

/* True if the texture unit takes no instruction because memory refuses an access. */
static inline bool tex_full(const struct sm *S) { return S->tex.count >= S->tex.room && tex_blocked(S); }

enum { ISSUE_TO_ACCESS = 3 }; /* cycles; an L1 hit of cycle t ends in t + l1.latency - ISSUE_TO_ACCESS */
static inline bool lsu_blocked(const struct sm *S) {
  return S->lsu.open && S->lsu.blocked > S->now && S->lsu.busy <= S->now;
}
/* The LSU or the texture unit is full after an access that memory refuses; memory_full for choices. */
static inline bool memory_is_full(const struct sm *S) {
  return (S->lsu.count >= S->lsu.room && lsu_blocked(S)) || tex_full(S);
}
/* Where the cycles count in which the LSU is blocked. */
static inline uint64_t *lsu_stall(struct sm *S) {
  return S->lsu.why == ACC_STALL_MSHR     ? &S->st.lsu_stall_mshr
         : S->lsu.why == ACC_STALL_CREDIT ? &S->st.lsu_stall_credit
                                          : &S->st.lsu_stall_l1;
}

/* ---- events and instructions in flight (event_wheel.c) ---- */
void event_at(struct sm *S, uint64_t cycle, enum event_kind k, uint32_t arg); /* now < cycle < now + WHEEL */
uint64_t event_next(const struct sm *S);                                      /* first cycle with an event; NEVER */
void events_due(struct sm *S, void (*f)(struct sm *, enum event_kind, uint32_t arg));
uint32_t inflight_new(struct sm *S, const struct warp_inst *inst);
void inflight_free(struct sm *S, uint32_t f);

/* ---- scoreboard (scoreboard.c) ---- */
void scoreboard_issue(struct sm *S, unsigned w, const struct op *op, bool owed_by_memory);
void scoreboard_far(struct sm *S, const struct inflight_inst *f);    /* a line of it comes from L2 or beyond */
void scoreboard_read(struct sm *S, unsigned w, const struct op *op); /* sources have been read: WAR may go on */
void scoreboard_done(struct sm *S, unsigned w, const struct op *op,
                     unsigned dropped);                       /* destinations are written; not these */
void scoreboard_drop(struct sm *S, unsigned w, unsigned reg); /* its pending write is dropped */
void scoreboard_copy(struct sm *S, unsigned w, const struct op *op, struct inflight_inst *f); /* ISSUE of a cp.async */
/* A copy of the warp is done, or an arrive issued: those due arrive. */
void scoreboard_landed(struct sm *S, unsigned w);
void scoreboard_check(struct sm *S, unsigned w); /* updates whether the head waits */
/* Tells the scheduler's choice when the warp has become blocked or ready: on a memory load, at a barrier, or on an atomic
 * when all before it has issued. */
void warp_told(struct sm *S, unsigned w);

/* ---- between phases ---- */
void result_push(struct sm *S, uint32_t inflight);     /* finished: to the write-back queue of its group */
void inflight_retire(struct sm *S, uint32_t inflight); /* nothing more to write */
void lsu_done(struct sm *S, uint32_t inflight);        /* the last line of a memory instruction is here */
void lsu_take(struct sm *S, uint32_t inflight);        /* DISPATCH; the caller has seen room in the queue */
void lsu_far(struct sm *S, struct inflight_inst *f);   /* one of its lines comes from L2 or beyond */
void tex_take(struct sm *S, uint32_t inflight);        /* as lsu_take */
void lsu_reply(struct sm *S, const struct mem_reply *r);
void fetch_resume(struct sm *S, unsigned w, enum stop why);
void fetch_reply(struct sm *S, uint32_t line);
void barrier_arrive(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t inflight_or_none);
void warp_exit(struct sm *S, unsigned w);
void cta_inflight_done(struct sm *S, unsigned w); /* an instruction in flight of this warp has ended */
void cta_inside(struct sm *S, unsigned w,
                int more);     /* changes the number of its instructions in flight that are not away */
void probe_full(struct sm *S); /* the LSU or the collector is full: which CTAs are stalled by that? */
void probe_issue(struct sm *S, unsigned w, const struct warp_inst *inst, const struct op *op);
uint64_t units_refuse(const struct sm *S, unsigned sc, uint64_t ready); /* ISSUE, unit.reserve: those of `ready` */
void unit_reserve(struct sm *S, struct inflight_inst *f);

/* ---- instruction cache (fetch.c), value check (check.c) ---- */
struct icache *icache_new(const struct config *cfg);
void icache_free(struct icache *c);
void icache_launch(struct sm *S);
bool icache_pending(const struct icache *c);

struct check *check_new(const struct config *cfg);
void check_free(struct check *c);
bool check_dispatch(struct sm *S, const struct collector_unit *u); /* false: S->err says which operand */
void check_late(struct sm *S, const struct inflight_inst *f);      /* values that exist only now (atomics, bar.red) */
void check_cta(struct sm *S, unsigned cta);                        /* registers of a new CTA start at zero */
bool check_launch_end(struct sm *S, struct err *e);                /* conservation laws */

void sm_failing(struct sm *S); /* in this cycle; S->err says why */

#endif
