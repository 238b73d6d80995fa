/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: the state of one SM, and the interfaces between the parts of sm/ and the five slots: ports, ledger, gates,
 * instructions in flight, events. Warp w belongs to scheduler w mod schedulers and is bit w / schedulers of its
 * masks.
 *
 * Invariants (checked at the end of every launch, sm/check.c): every instruction in flight is freed; pending-write
 * and reader sets are empty; fetched = issued = retired; slot counters sum to cycles x schedulers.
 */
#ifndef RT_SM_STATE_H
#define RT_SM_STATE_H

#include "base/bits.h"
#include "config/config.h"
#include "ir/mma.h"
#include "mem/mem.h"
#include "sm/access.h"
#include "sm/latency.h"
#include "sm/laws.h"
#include "sm/probe.h"
#include "sm/slots.h"
#include "sm/sm.h"
#include "sm/stats.h"
#include "sm/twin.h"
#include "stream/stream.h"

enum {
  WARP_MAX = 256,
  SCHED_MAX = 8,
  UNIT_MAX = 64,
  BANK_MAX = 128,
  BANK_WORDS = BANK_MAX / 64,
  CTA_MAX = 256,
  PIPE_MAX = 16,
  IBUF_MAX = 8,
  IBUF_RING = 16
}; /* ring: room for a pseudo instruction with each */
/* Groups of cp.async that a warp has under way at most; a commit waits for room. The same of cp.async.mbarrier.arrive. */
enum { COPY_GROUPS = 16 };
enum { SLOW_MAX = 128 }; /* cycles that a slow bank is busy, at most: a power of two */
enum { WHEEL = 4096, BANK_DONE = 0xff, NONE32 = 0xffffffffu };
#define NEVER UINT64_MAX

/* Why a warp's fetch is stopped. */
enum stop { STOP_NO, STOP_BRANCH, STOP_BARRIER, STOP_ATOMIC, STOP_STREAM, STOP_ICACHE, STOP_EXIT };

struct warp {
  uint64_t wr[4], wrmem[4]; /* registers with a pending write; those of them written by a memory access */
  uint64_t wrfar[4];        /* of wrmem those that come from L2 or beyond; kept if S->far_kept */
  uint64_t rd[4];           /* that issued instructions have yet to read; kept if there are overlaps */
  uint16_t pwr, pwrmem;     /* the same of predicates */
  uint16_t pwrfar;          /* of pwrmem those that an mbarrier's test writes: who waits for one lets others go first */
  uint16_t cta, inflight_count, inflight_mem; /* in flight: all, and memory accesses */
  uint8_t stop, ihead, icount;                /* enum stop; instruction buffer */
  uint8_t scheduler, bit, barrier;            /* barrier: the one it waits at */
  uint8_t cls;                                /* enum cls of its head; CLS_CTRL for a pseudo instruction */
  uint8_t addressed; /* of its instructions those with a row of the address ring that have not left the LSU's queue */
  uint32_t next;     /* op that the next fetch gives, for the instruction cache */
  uint32_t row, rf_slot; /* first physical register; warp index in the register file, which decides the banks */
  uint32_t groups;       /* of cp.async: committed so far */
  uint16_t copies;       /* cp.async under way: all, and by group, modulo COPY_GROUPS */
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
  struct warp_inst inst;
  const struct op *op;    /* NULL: a free record */
  uint32_t next;          /* free list */
  uint32_t mem;           /* ring row of its addresses, for the LSU */
  uint16_t parts;         /* line accesses still out */
  uint8_t written, taken; /* destinations written (or dropped); taken by a storage that writes later: masks */
  uint8_t dropped;        /* destinations that no longer hold the scoreboard: mask */
  bool far;               /* a line of it comes from L2 or beyond */
  bool looked;            /* its addresses are no longer needed */
  bool away;              /* waits outside the pipeline: a global or local access past the LSU's entry, or bar.red */
  uint8_t group;
  uint8_t pipe;        /* unit.reserve: the one reserved, of its class */
  uint8_t copy_group;  /* cp.async: modulo COPY_GROUPS */
  uint8_t copy_arrive; /* the same of copies_at */
  uint8_t copy_passes; /* cp.async: passes of its write to shared memory still to come; 0: none */
  uint8_t note;        /* the storage's own; 0 at issue */
  uint8_t level;       /* enum latency_level */
  bool timed;          /* a load whose latency is counted, from `entry` */
  uint64_t entry; /* of the LSU: the first cycle in which it may look at it; once it has, the cycle in which it did */
};

struct collector_unit { /* collector unit: operands on their way to one instruction */
  union {
    uint8_t bank[8]; /* per operand (of slices: 2 x operand + part); BANK_DONE once it has been read */
    uint64_t banks;  /* all at once: ~0 when nothing is left to read */
  };
  uint32_t inflight, row[8];
  uint16_t warp;
  uint8_t group, index;
  uint8_t got;   /* operands taken in this cycle */
  uint8_t hold;  /* the storage has more to do for it: neither full nor free before that */
  uint8_t extra; /* cycles between it and its execution unit (storage.convert) */
  uint8_t cls;   /* of its instruction, so that a unit that must wait needs no look at that */
};

enum pipe { PIPE_INT, PIPE_SP, PIPE_DP, PIPE_SFU, PIPE_TENSOR, PIPE_COUNT };

struct group {                       /* the private part of one sub-core; of the whole SM when there are none */
  uint64_t free, full;               /* units: empty; with all operands, to be dispatched */
  uint64_t all;                      /* units that exist */
  uint64_t banks_wanted[BANK_WORDS]; /* banks with a bit in want */
  uint64_t want[BANK_MAX];           /* per bank: units that want an operand from it */
  uint64_t rd_used[BANK_WORDS], wr_used[BANK_WORDS]; /* banks claimed in this cycle, or slow and busy */
  uint64_t pipe_free[PIPE_COUNT][PIPE_MAX];          /* first cycle in which the pipe takes an instruction */
  uint64_t pipe_next[PIPE_COUNT][PIPE_MAX];          /* unit.reserve: the first in which one for it may issue */
  unsigned lsu_held, lsu_room; /* unit.reserve: places of the LSU's queue that it holds from issue on; has */
  unsigned tex_held, tex_room; /* the same of the texture unit's */
  uint8_t pipes[PIPE_COUNT], rr[BANK_MAX], dispatch_rr;
  uint32_t *wq; /* results waiting for write ports, in order */
  uint32_t wqn, wqcap;
  struct collector_view view;
  struct collector_unit unit[UNIT_MAX];
};

struct slow_banks { /* ports that are busy for more than their cycle: of reads, of writes */
  uint64_t busy[2][BANK_WORDS];
  uint64_t ends[SLOW_MAX][2][BANK_WORDS]; /* by cycle, modulo SLOW_MAX: those that are free again from it on */
  uint64_t seen;                          /* cycles before this one have been dealt with */
};

struct scheduler {            /* masks over its warps */
  uint64_t resident, live;    /* in a slot; with its exit not yet issued */
  uint64_t head, dep, depmem; /* an instruction at the head; it waits for a register; for memory's */
  uint64_t depfar;        /* for one that comes from L2 or beyond, or for all accesses (a fence); kept if S->far_kept */
  uint64_t of[CLS_COUNT]; /* by warp.cls: of those of head, the instruction's class */
  uint64_t gate[SLOT_COUNT]; /* closed gates, one mask per slot */
  uint64_t token;            /* warps whose misses may allocate in the L1: all, unless a residency takes some away */
  uint64_t stop, full;       /* fetch is stopped; instruction buffer is full */
  uint64_t barrier, atomic;  /* waiting at one */
  uint64_t test;             /* the instruction at the head tests an mbarrier */
  uint64_t blocked;          /* as the choice was last told (warp_told) */
  uint64_t older[64];        /* per warp: those launched before it */
  bool inactive;             /* in the last cycle warps were ready, and the scheduler picked none of them */
  uint8_t last, fetch_rr;    /* last issued; next to fetch */
};

struct cta {
  bool used, stalled, dirty, seen_stalled; /* seen_stalled: as last reported to the probe */
  uint16_t warps, live;                    /* in all; exit not issued */
  uint16_t far;                            /* in flight that waits for L2 or beyond */
  uint16_t inside;                         /* in flight and not `away`: must end before its registers may move */
  uint32_t index, order;                   /* in the grid; as it began: the n-th */
  uint16_t slot[64];                       /* warp slots */
  struct {
    uint16_t arrived, waiting;
    uint32_t threads;
    uint32_t red;
  } bar[16]; /* red: first instruction in flight of a bar.red, chained */
};

/* WRITTEN: 4 x inflight + destination; OPERANDS: UNIT_MAX x group + unit, whose last operand has come from a slow bank */
enum event_kind { EV_RESULT, EV_PART, EV_FETCH, EV_WRITTEN, EV_OPERANDS };
struct event {
  uint32_t next, arg;
  uint8_t kind;
};

struct icache;
struct check;

/* ---- the victim port (victim_port.c) ---- */
enum { VICTIM_PORT = 4 };            /* accesses in its queue */
enum { VICTIM_UNIT = UNIT_MAX - 1 }; /* the bit in group.want of a read at its head */
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
  const struct config *cfg;
  struct slots slots, chosen; /* chosen: those of the configuration, which slots may wrap */
  struct mem *mem;
  struct stream *stream;
  struct cta_source *source; /* of the launch: the CTAs that may begin here */
  const struct op *op;
  /* Per instruction, or NULL: other registers in the slices that it writes. They are dead, but pending reads of them
   * must come first. */
  const uint64_t (*overlap)[4];
  unsigned id;
  uint64_t now; /* this cycle */
  uint64_t
      asleep;     /* up to this cycle nothing happens by itself, as was known at the last quantum's end; 0: not known */
  bool busy;      /* something happened in this cycle that may go on in the next */
  uint64_t tests; /* of mbarriers that have issued */
  unsigned test_turn; /* the scheduler whose test comes first */
  struct sm_stats st;
  struct latency *latency;

  unsigned nsched, ngroup, nbank, nwarp; /* banks of one group; warp slots in use in this launch */
  unsigned bank_mask;                    /* nbank - 1 if that is a power of two above 1, else 0 */
  unsigned operand_late,
      bank_busy; /* rf.latency: cycles by which an operand comes later; that an access takes its bank's port */
  bool far_kept; /* a scheduler asks for depfar */
  struct slow_banks *slow;       /* [ngroup]; NULL: every port is free again in the next cycle */
  unsigned wpc, cta_limit, ncta; /* warps per CTA; CTAs that fit; resident now */
  unsigned nactive, rf_slots;    /* of those resident, CTAs that may issue; CTAs whose registers the file can hold */
  const char *limiter;
  unsigned room;                  /* CTAs that fit, however few the grid has */
  unsigned words;                 /* 64-bit words that hold a set of the kernel's registers, 1 to 4 */
  uint32_t warp_regs;             /* physical registers per warp, from storage.plan */
  uint32_t pool_regs;             /* the same: registers that no CTA may take, whatever their number */
  uint32_t next_cta, ended_ctas;  /* begun, ended */
  uint32_t code_base, fetch_base; /* addresses of code slot 0: at 8 bytes an instruction; at insn_bytes */
  const uint32_t *at;             /* code slot of each instruction, from storage.plan; NULL: its index */
  uint64_t ctas_end;              /* the cycle after the end of the last CTA; after sm_drain that of the drain */
  uint64_t last_issue, occ_since; /* for the deadlock watch; for mean occupancy */
  uint64_t memory_seen;           /* replies and DRAM bursts when the deadlock watch last looked */
  unsigned resident_warps;
  bool cta_dirty; /* a CTA's stall state must be checked */

  /* configuration used in every cycle */
  uint16_t lat[CLS_COUNT], interval[CLS_COUNT], tensor_interval[RATE_COUNT];
  uint8_t pipe_of[CLS_COUNT];
  uint64_t units_of[CLS_COUNT]; /* collector units of a group that take the class */
  unsigned lat_ctrl, lat_shared, lat_l1, lat_const, lat_shfl, wq_width, arrivals, fetch_warps, fetch_width, ibuf,
      lsu_lines, lsu_bytes, shared_interval, insn_bytes;
  unsigned tex_quads, tex_interval, tex_lines, tex_data, tex_filter; /* data: issue to texels; filter: the rest */
  unsigned ring; /* places of an instruction buffer less one: 2 x ibuf, up to a power of two */
  bool single_port, reserve;

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
  struct check *check;
  struct laws *laws;               /* with sim.check; else NULL */
  const struct observer *observer; /* lockstep, recorder; NULL: none */
  const struct probe *probe;       /* characterisation; NULL: none */
  uint64_t sample_at;              /* cycle in which it wants the counters */
  void *choice[SLOT_COUNT];        /* the slot choices' own state */
  struct err err;                  /* when it failed */
  bool failed;
  uint64_t failed_at; /* cycle */
  uint64_t hash;      /* of all launches so far */
  struct tex_unit tex;
};

static inline unsigned warp_of(const struct sm *S, unsigned sc, unsigned bit) { return bit * S->nsched + sc; }
/* The bank of register r of the warp in this slot of the register file: neighbouring warps start in neighbouring
 * banks. */
static inline unsigned rf_bank(const struct sm *S, unsigned r, unsigned rf_slot) {
  return S->bank_mask ? (r + rf_slot) & S->bank_mask : (r + rf_slot) % S->nbank;
}
/* The bank of a physical row of the file that holds S->warp_regs registers of a warp after the other. */
static inline unsigned rf_row_bank(const struct sm *S, uint32_t row) {
  const uint32_t regs = S->warp_regs ? S->warp_regs : 1; /* a kernel may have none */
  return rf_bank(S, row % regs, row / regs);
}
/* It accesses memory, or, LSU and texture unit, needs none; the access counts in warp.inflight_mem. */
static inline bool op_access(const struct op *op) { return (op->cls == CLS_LSU || op->cls == CLS_TEX) && op->kind; }
/* Code address of an instruction: for the instruction cache, and to distinguish loads. */
static inline bool has_address(const struct warp_inst *inst) {
  return inst->mem && !(inst->flags & (W_BARRIER | W_PSEUDO));
}
static inline uint32_t inst_address(const struct sm *S, uint32_t op) {
  return S->fetch_base + (S->at ? S->at[op] : op) * S->insn_bytes;
}
/* Who used an L1 line last: the code address of the load in five bits (Linebacker, section 4.1). */
static inline unsigned line_owner(uint32_t address) {
  uint32_t x = address ^ address >> 15;
  return (x ^ x >> 5 ^ x >> 10 ^ address >> 30) & 31;
}
static inline struct group *group_of(struct sm *S, unsigned sc) { return &S->group[S->ngroup == 1 ? 0 : sc]; }

/* ---- ports of the register file: granted or not in this cycle; the caller counts conflicts ---- */
enum { RF_READ, RF_WRITE };
static inline bool rf_free(const struct sm *S, const struct group *g, unsigned bank, int what) {
  const unsigned k = bank / 64;
  uint64_t taken = what == RF_READ ? g->rd_used[k] : g->wr_used[k];
  if (S->single_port) taken = g->rd_used[k] | g->wr_used[k];
  return !(taken >> bank % 64 & 1);
}
static inline bool rf_claim(struct sm *S, struct group *g, unsigned bank, int what) {
  const unsigned k = bank / 64;
  const uint64_t b = 1ull << bank % 64;
  if (!rf_free(S, g, bank, what)) return false;
  if (what == RF_READ) g->rd_used[k] |= b;
  else g->wr_used[k] |= b;
  return true;
}

/* A bank has a bit in want. */
static inline bool banks_are_wanted(const struct group *g) {
  uint64_t any = 0;
  for (unsigned k = 0; k < BANK_WORDS; k++) any |= g->banks_wanted[k];
  return any != 0;
}

/* The unit's banks have been set: its operands are wanted from them. */
static inline void collector_want(struct group *g, const struct collector_unit *u) {
  for (uint64_t banks = u->banks; banks != ~0ull; banks = banks >> 8 | (uint64_t)BANK_DONE << 56) {
    const unsigned b = banks & 0xff;
    if (b == BANK_DONE) continue;
    g->want[b] |= 1ull << u->index;
    g->banks_wanted[b / 64] |= 1ull << b % 64;
  }
}

/* An access (RF_READ, RF_WRITE) of the l1 choice to a row, which l1.ported(tag) follows; false: the port holds four. */
bool victim_port_put(struct sm *S, int what, uint32_t row, uint32_t tag);
/* An access to the row is in the port: a result for it waits, behind what it would overwrite. */
static inline bool victim_port_holds(const struct sm *S, uint32_t row) {
  const struct victim_port *p = &S->victim;
  bool is = false;
  for (unsigned k = 0; k < p->count; k++) is |= p->queue[(p->head + k) % VICTIM_PORT].row == row;
  return is;
}
void victim_port_arrive(struct sm *S);    /* ARRIVE: reports the access granted in the last cycle */
void victim_port_write(struct sm *S);     /* end of WRITE */
bool victim_port_read(struct sm *S);      /* before COLLECT: true: a read wants its bank */
void victim_port_collected(struct sm *S); /* behind COLLECT, if so: has it been granted? */
void victim_port_settle(struct sm *S);    /* the launch ends: the port is empty */

/* ---- gates: each slot closes and opens its own only ---- */
void cta_touch(struct sm *S, unsigned w); /* its blocked state changed: check the CTA's stall state */
static inline void gate_close(struct sm *S, enum slot s, unsigned w) {
  S->sched[w % S->nsched].gate[s] |= 1ull << (w / S->nsched);
  if (s == SLOT_STORAGE && S->slots.residency->cta) cta_touch(S, w);
}
static inline void gate_open(struct sm *S, enum slot s, unsigned w) {
  S->sched[w % S->nsched].gate[s] &= ~(1ull << (w / S->nsched));
  if (s == SLOT_STORAGE && S->slots.residency->cta) cta_touch(S, w);
  S->busy = true;
}

/* ---- ledger (ledger.c): resources of a CTA of this launch, and how many fit ---- */
bool ledger_plan(struct sm *S, const struct kernel *k, struct err *e); /* sets cta_limit, limiter */
/* Addresses at which a residency keeps registers of CTAs in memory: each SM has a part of its own. saved_fits, after cta_limit is known:
 * false and *e if the registers of so many CTAs are more than a part. */
enum { SAVED_ROOM = 22 << 20 };
static inline uint32_t saved_base(const struct sm *S) { return 0x50000000u + S->id * SAVED_ROOM; }
bool saved_fits(const struct sm *S, struct err *e);

/* The texture unit holds instructions; otherwise its phase is left out. */
static inline bool tex_works(const struct sm *S) { return S->tex.count || S->tex.waiting; }
static inline bool tex_blocked(const struct sm *S) { return S->tex.blocked > S->now && S->tex.busy <= S->now; }
uint64_t *tex_stall(struct sm *S); /* where the cycles count in which it is blocked */
static inline unsigned rows_of(const struct warp_inst *inst) {
  return W_SPACE_OF(inst) == SP_TEX ? tex_rows(inst->mem) : 1;
}

/* It is full behind an instruction that memory refuses. */
static inline bool tex_full(const struct sm *S) { return S->tex.count >= S->tex.room && tex_blocked(S); }

enum { ISSUE_TO_ACCESS = 3 }; /* cycles; an L1 hit of cycle t ends in t + l1.latency - ISSUE_TO_ACCESS */
static inline bool lsu_blocked(const struct sm *S) {
  return S->lsu.open && S->lsu.blocked > S->now && S->lsu.busy <= S->now;
}
/* The LSU or the texture unit is full behind an access that memory refuses. */
static inline bool memory_full(const struct sm *S) {
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

/* ---- slow banks (slow_banks.c): the first and the last thing of a cycle ---- */
void slow_banks_begin(struct sm *S);
void slow_banks_end(struct sm *S);
/* Cycles from a register's request to its data, and for which its bank is then busy, with this rf.latency in percent: the paper gives no
 * absolute times; docs/timing.md, decision 23. */
static inline unsigned slow_access(int64_t percent) { return (unsigned)((4 * percent + 50) / 100); }
static inline unsigned slow_busy(unsigned access) { return access > 4 ? access - 3 : 1; }

/* ---- the phases, in the order of sm/cycle.c ---- */
void arrive_phase(struct sm *S);
void lsu_phase(struct sm *S);
void write_phase(struct sm *S);
void dispatch_phase(struct sm *S);
uint64_t units_refuse(const struct sm *S, unsigned sc, uint64_t ready); /* ISSUE, unit.reserve: those of `ready` */
void unit_reserve(struct sm *S, struct inflight_inst *f);
void issue_phase(struct sm *S);
void fetch_phase(struct sm *S);
void control_phase(struct sm *S);
void commit_phase(struct sm *S);
void commit_skip(struct sm *S, uint64_t n); /* the stalls of this cycle hold for n more */

/* ---- between phases ---- */
void result_push(struct sm *S, uint32_t inflight);                /* finished: to the write-back queue of its group */
void result_written(struct sm *S, uint32_t inflight, unsigned k); /* by the storage that took result k (RESULT_LATER) */
void inflight_retire(struct sm *S, uint32_t inflight);            /* nothing more to write */
void lsu_done(struct sm *S, uint32_t inflight);                   /* the last line of a memory instruction is here */
/* MEMORY: the line at work hits: the cycle in which its data come from an L1. */
uint64_t lsu_hit_end(const struct sm *S, const struct txn *t);
/* A hit that the l1 choice held (L1_HELD): its data were read in cycle `read`, and come no earlier than lsu_hit_end said. */
void lsu_hit_done(struct sm *S, uint32_t inflight, uint64_t read, uint64_t least);
void lsu_take(struct sm *S, uint32_t inflight);      /* DISPATCH; the caller has seen room in the queue */
void lsu_far(struct sm *S, struct inflight_inst *f); /* one of its lines comes from L2 or beyond */
void tex_take(struct sm *S, uint32_t inflight);      /* as lsu_take */
void tex_phase(struct sm *S);                        /* MEMORY, behind the LSU, if tex_works */
void lsu_reply(struct sm *S, const struct mem_reply *r);
uint64_t lsu_shared_port(struct sm *S, uint64_t n); /* n cycles of shared memory's port; the first cycle after them */
void fetch_resume(struct sm *S, unsigned w, enum stop why);
void fetch_reply(struct sm *S, uint32_t line);
void barrier_arrive(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t inflight_or_none);
void warp_exit(struct sm *S, unsigned w);
void cta_inflight_done(struct sm *S, unsigned w); /* an instruction in flight of this warp has ended */
void cta_inside(struct sm *S, unsigned w,
                int more); /* changes the number of its instructions in flight that are not away */
void cta_rf_slot(struct sm *S, unsigned c, unsigned rf_slot); /* sets the position of the CTA's registers */
int cta_lowest(struct sm *S,
               unsigned *rf_slot); /* residency.launch: the lowest free slot, and the rf_slot of that number */
/* For a residency that holds CTAs back: none of the CTA's warps may issue, or all may (its own gate); the used CTA that began next after the n-th,
 * `order` (-1: the oldest), CTA_MAX: none. */
void cta_gate(struct sm *S, unsigned c, bool shut);
unsigned cta_younger(const struct sm *S, int64_t order);
void probe_full(struct sm *S); /* the LSU or the collector is full: which CTAs are stalled by that? */
void probe_issue(struct sm *S, unsigned w, const struct warp_inst *inst, const struct op *op);
void occupancy_note(struct sm *S); /* before resident CTAs or warps change */

uint64_t lsu_idle_until(const struct sm *S); /* 0: has work now; NEVER: waits for others */
uint64_t tex_idle_until(const struct sm *S);
uint64_t fetch_idle_until(const struct sm *S);
uint64_t dispatch_idle_until(const struct sm *S);
uint64_t issue_idle_until(const struct sm *S);
uint64_t cta_idle_until(const struct sm *S);

/* ---- instruction cache (fetch.c), value check (check.c) ---- */
struct icache *icache_new(const struct config *cfg);
void icache_free(struct icache *c);
void icache_launch(struct sm *S);
bool icache_pending(const struct icache *c);

enum { CHECK_LOST = 0xdeadbeef }; /* a lane that holds no value */
void check_latch(struct sm *S, const struct collector_unit *u, unsigned k,
                 const uint32_t *row);                                    /* operand k as a storage made it */
const uint32_t *check_shadow(const struct sm *S, unsigned w, unsigned r); /* what was last written, in program order */
/* For a storage whose operands arrive after dispatch (unit.extra); false: S->err. */
bool check_value(struct sm *S, const struct warp_inst *inst, const struct op *op, unsigned k, const uint32_t *got,
                 const uint32_t *want);
struct check *check_new(const struct config *cfg);
/* init of a storage: so many further rows of the file; the first one's number. */
uint32_t check_more(struct sm *S, uint32_t rows);
void check_free(struct check *c);
void check_operand(struct sm *S, const struct collector_unit *u, unsigned k); /* latched from the bank */
bool check_dispatch(struct sm *S, const struct collector_unit *u);            /* false: S->err says which operand */
void check_result(struct sm *S, const struct inflight_inst *f, unsigned k, uint32_t row); /* written to the bank */
void check_late(struct sm *S, const struct inflight_inst *f);      /* values that exist only now (atomics, bar.red) */
void check_lost(struct sm *S, uint32_t row, uint32_t rows);        /* physical rows lose their values */
void check_lost_lanes(struct sm *S, uint32_t row, uint32_t lanes); /* lanes of one row do */
void check_cta(struct sm *S, unsigned cta);                        /* registers of a new CTA start at zero */
uint32_t *check_file(const struct sm *S, uint32_t row);            /* 32 values of a row of the file */
uint32_t *check_row(const struct sm *S, unsigned w,
                    unsigned r);                    /* what the register file holds for the warp's register */
bool check_launch_end(struct sm *S, struct err *e); /* conservation laws */

/* Posts a request to memory; the caller has asked mem_can_post. A residency's requests lie above what a kernel can address. */
static inline void sm_post(struct sm *S, const struct mem_req *r) {
  mem_post(S->mem, S->id, S->now, r);
  if (!S->laws) return;
  if (r->addr >= GLOBAL_END) law_own(S, LAW_MOVED, r->addr, (uint64_t)r->kind << 8 | r->sectors);
  else if (r->kind != MEM_READ) law_told(S, LAW_STORED, r->addr, (uint64_t)r->bytes << 8 | r->sectors);
}

void sm_fail(struct sm *S, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sm_failing(struct sm *S); /* in this cycle; S->err says why */

#include "sm/hooks.h"

#endif
