/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot_api: what a choice of a slot may know of its SM, and what it may do to it. With sm/wires.h it is the only header of sm/ that
 * systems/ includes (tests/layers.sh). struct sm and the structs of its parts stay incomplete there.
 *
 * State comes as const views: small structs, of which the parts of the SM (sm/private.h) begin with one. Each change has a function
 * with a name. Functions that the SM calls in every cycle are inline and write to a view; all others are in sm/slot_api.c or in the
 * file of sm/ whose state they change. A choice casts no view (tests/layers.sh).
 *
 * Warp w belongs to scheduler w mod schedulers and is bit w / schedulers of its masks. Group g is the private part of sub-core g; without
 * sub-cores there is one group.
 */
#ifndef RT_SM_SLOT_API_H
#define RT_SM_SLOT_API_H

#include "base/bits.h"
#include "config/config.h"
#include "mem/mem.h"
#include "sm/laws.h"
#include "sm/ledger.h"
#include "sm/probe.h"
#include "sm/slots.h"
#include "sm/stats.h"
#include "sm/twin.h"
#include "trace/stream.h"

enum {
  WARP_MAX = 256,
  SCHED_MAX = 8,
  UNIT_MAX = 64,
  BANK_MAX = 128,
  BANK_WORDS = BANK_MAX / 64,
  CTA_MAX = 256,
  BANK_DONE = 0xff, /* in the place of a bank: the operand has been read */
  NONE32 = 0xffffffffu
};
#define NEVER UINT64_MAX

/* ---- 1. views ---- */

/* The part of a collector that one sub-core has. */
struct group_view {
  uint64_t free, full;                               /* units: empty; with all operands, to be dispatched */
  uint64_t all;                                      /* units that exist */
  uint64_t banks_wanted[BANK_WORDS];                 /* banks with a bit in want */
  uint64_t want[BANK_MAX];                           /* per bank: units that want an operand from it */
  uint64_t rd_used[BANK_WORDS], wr_used[BANK_WORDS]; /* banks claimed in this cycle, or slow and busy */
  struct collector_view view;                        /* as the choice showed it last */
  struct collector_unit {                            /* operands on their way to one instruction */
    union {
      uint8_t bank[8]; /* per operand (of slices: 2 x operand + part); BANK_DONE once it has been read */
      uint64_t banks;  /* all at once: ~0 when nothing is left to read */
    };
    uint32_t inflight, row[8]; /* the instruction's number; the operands' rows */
    const struct op *op;       /* the instruction; not of a unit that never had one */
    uint16_t warp;
    uint8_t group, index;
    uint8_t hold;  /* the storage has more to do for it: neither full nor free before that */
    uint8_t extra; /* cycles between it and its execution unit (storage.convert) */
    uint8_t cls;   /* of its instruction, so that a unit that must wait needs no look at that */
  } unit[UNIT_MAX];
};

/* A scheduler's masks over its warps. */
struct scheduler_view {
  uint64_t resident, live;    /* in a slot; with its exit not yet issued */
  uint64_t head, dep, depmem; /* an instruction at the head; it waits for a register; for memory's */
  uint64_t depfar;           /* for one that comes from L2 or beyond, or for all accesses (a fence); kept if far_kept */
  uint64_t of[CLS_COUNT];    /* of those of head, by class of the instruction; CLS_CTRL for a pseudo instruction */
  uint64_t gate[SLOT_COUNT]; /* closed gates, one mask per slot */
  uint64_t barrier, atomic;  /* waiting at one */
  uint64_t older[64];        /* per warp: those launched before it */
  uint8_t last;              /* last issued */
};

struct warp_view {
  uint64_t wr[4];        /* registers with a pending write */
  uint64_t wrfar[4];     /* of these, those that come from L2 or beyond; kept if far_kept */
  uint32_t row, rf_slot; /* first physical register; warp index in the register file, which decides the banks */
  uint16_t pwr;          /* predicates with a pending write */
  uint16_t pwrfar;       /* subset of pwr written by mbarrier.test; warps waiting for these have the lowest priority */
  uint16_t cta, inflight_count; /* instructions in flight */
  uint8_t scheduler, bit;
};

struct cta_view {
  bool used, stalled;
  uint16_t warps, live; /* in all; exit not issued */
  uint32_t order;       /* as it began: the n-th of the launch */
  uint16_t slot[64];    /* warp slots */
};

/* An instruction between issue and write-back. */
struct inflight_view {
  struct warp_inst inst;
  const struct op *op; /* NULL: a free record */
  uint8_t completed;   /* destinations that wait for no write: stored in a bank or elsewhere, or dropped; a mask */
  uint8_t group;
  uint8_t note; /* the storage's own; 0 at issue */
  bool far;     /* a line of it comes from L2 or beyond */
};

/* One line access of a memory instruction. */
struct txn_view {
  uint32_t line;     /* byte address of the 128-byte line */
  uint32_t inflight; /* number of the instruction */
};

/* The SM in this launch and this cycle. */
struct sm_view {
  uint64_t now;        /* this cycle */
  uint64_t last_issue; /* the last cycle in which an instruction issued */
  const struct config *cfg;
  struct slots slots, chosen; /* chosen: those of the configuration, which slots may wrap */
  struct check *check;        /* NULL without sim.check */
  struct laws *laws;          /* NULL without sim.check */
  void *choice[SLOT_COUNT];   /* the slot choices' own state */
  bool busy;                  /* something happened in this cycle that may go on in the next */
  bool failed;                /* the run ends with an error */
  /* the machine */
  bool single_port;             /* a bank is read or written */
  unsigned nsched, ngroup;      /* schedulers; groups */
  unsigned nbank, bank_mask;    /* banks of one group; nbank - 1 if that is a power of two above 1, else 0 */
  unsigned operand_late;        /* rf.latency: cycles by which an operand comes later */
  unsigned arrivals;            /* operands that a collector unit takes in a cycle */
  uint64_t units_of[CLS_COUNT]; /* collector units of a group that take the class */
  const struct group_view *group_at[SCHED_MAX];
  const struct scheduler_view *scheduler_at[SCHED_MAX];
  const struct warp_view *warp_at[WARP_MAX];
  /* the launch */
  const struct op *op;            /* the kernel's instructions */
  const uint32_t *at;             /* code slot of each instruction (plan_code); NULL: its index */
  uint32_t code_base, fetch_base; /* addresses of code slot 0: at 8 bytes an instruction; at insn_bytes */
  unsigned insn_bytes;
  unsigned wpc, nwarp;    /* warps per CTA; warp slots in use */
  uint32_t warp_regs;     /* physical registers per warp (plan_registers) */
  uint32_t pool_regs;     /* registers that no CTA may take (plan_pool) */
  unsigned cta_limit;     /* CTAs that fit */
  unsigned rf_slots;      /* CTAs whose registers the file can hold */
  unsigned ncta, nactive; /* resident CTAs; of these, those that may issue */
  uint32_t next_cta;      /* CTAs begun */
  bool far_kept;          /* depfar and wrfar are kept (scheduler_keep_far) */
  struct sm_stats st;     /* counters; to count, sm_counters */
};

/* Returns the SM's view. */
static inline const struct sm_view *sm_view(const struct sm *S) { return (const struct sm_view *)S; }
/* Returns the view of a group. */
static inline const struct group_view *group_view(const struct sm *S, unsigned g) { return sm_view(S)->group_at[g]; }
/* Returns a unit of a group. */
static inline const struct collector_unit *unit_view(const struct sm *S, unsigned g, unsigned k) {
  return &group_view(S, g)->unit[k];
}
/* Returns the view of a scheduler. */
static inline const struct scheduler_view *scheduler_view(const struct sm *S, unsigned s) {
  return sm_view(S)->scheduler_at[s];
}
/* Returns the view of the warp in slot w. */
static inline const struct warp_view *warp_view(const struct sm *S, unsigned w) { return sm_view(S)->warp_at[w]; }
/* Returns the view of the CTA in slot c. */
const struct cta_view *cta_view(const struct sm *S, unsigned c);
/* Returns the view of instruction number i, or of a free record; valid until the next instruction issues. */
const struct inflight_view *inflight_view(const struct sm *S, uint32_t i);
/* Returns the number of an instruction in flight. */
uint32_t inflight_number(const struct sm *S, const struct inflight_view *f);
/* Returns how many records of instructions in flight there are; some are free. */
uint32_t inflight_records(const struct sm *S);

/* Returns the warp slot of bit `bit` of scheduler sc. */
static inline unsigned warp_of(const struct sm *S, unsigned sc, unsigned bit) { return bit * sm_view(S)->nsched + sc; }
/* Returns the group of scheduler sc. */
static inline unsigned group_of(const struct sm *S, unsigned sc) { return sm_view(S)->ngroup == 1 ? 0 : sc; }
/* True while the warp's exit has not issued. */
static inline bool warp_lives(const struct sm *S, unsigned w) {
  return scheduler_view(S, w % sm_view(S)->nsched)->live >> w / sm_view(S)->nsched & 1;
}
/* Returns the physical registers of all warps of a CTA. */
static inline uint32_t registers_of_cta(const struct sm *S) { return sm_view(S)->wpc * sm_view(S)->warp_regs; }
/* Returns the index of the instruction at which the warp stands: the head of its buffer, or the next one to fetch. */
uint32_t warp_stands_at(const struct sm *S, unsigned w);
/* Returns the instruction that has just issued from the warp's buffer; for the scheduler's hook `issued`. */
const struct warp_inst *warp_issued(const struct sm *S, unsigned w);
/* True if an issued instruction of the warp has yet to read register r. */
bool warp_reads(const struct sm *S, unsigned w, unsigned r);
/* Returns the value of destination k, 32 lanes. A run has values with sim.check or an observer only (twins.values); without them the run
 * stops with an error, and zeros are returned. */
const uint32_t *result_values(struct sm *S, const struct warp_inst *inst, unsigned k);
/* Returns the code address of the load that makes the access. */
uint32_t load_address(const struct sm *S, const struct txn_view *t);

/* ---- 2. the choice itself: its state, its counters, time ---- */

/* Returns the state of a slot's choice. */
static inline void *choice_of(const struct sm *S, enum slot s) { return sm_view(S)->choice[s]; }
/* Sets the state of a slot's choice; in its hook `init`. */
void choice_set(struct sm *S, enum slot s, void *state);
/* Returns the counters (sm/stats.def, systems/NAME/system.def), to count in. */
static inline struct sm_stats *sm_counters(struct sm *S) { return &((struct sm_view *)S)->st; }
/* Keeps the SM from jumping over the next cycle. */
static inline void sm_keep_awake(struct sm *S) { ((struct sm_view *)S)->busy = true; }
/* Stops the run with an error in this cycle. */
void sm_fail(struct sm *S, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Tells the probe, if there is one, the status of a CTA. */
void probe_tell(const struct sm *S, unsigned c, enum probe_status what);

/* ---- 3. a launch is planned ---- */

/* storage.plan: sets the physical registers of a warp. */
void plan_registers(struct sm *S, uint32_t warp_regs);
/* storage.plan: sets the registers of the file that no CTA may take. */
void plan_pool(struct sm *S, uint32_t pool_regs);
/* storage.plan: sets the code slot of each instruction; `at` outlives the launch. */
void plan_code(struct sm *S, const uint32_t *at);
/* storage.plan: sets, per instruction, other registers in the slices that it writes; NULL: none. They are dead, but pending reads of
 * them must come first. */
void plan_overlap(struct sm *S, const uint64_t (*overlap)[4]);
/* storage.init: the SM's banks are those of a fast register cache, so many. */
void plan_cache_banks(struct sm *S, unsigned banks);
/* scheduler.init: has the SM keep depfar and wrfar. */
void scheduler_keep_far(struct sm *S);
/* residency.plan: sets cta_limit, rf_slots and the limiter from the ledger of registers, shared memory, warps and threads. */
bool ledger_plan(struct sm *S, const struct kernel *k, struct err *e);
/* Returns what a CTA of this launch takes of the SM. */
struct cta_need ledger_need(const struct sm *S);
/* Returns how many CTAs the launch has. */
uint32_t launch_ctas(const struct sm *S);
/* residency.plan, after ledger_plan: `limit` CTAs are resident at most, `fit` however few the grid has, `rf_slots` have registers in
 * the file; `limiter` says what limits them. */
void plan_ctas(struct sm *S, unsigned limit, unsigned fit, unsigned rf_slots, const char *limiter);
/* Warns that the kernel runs without what the choice of slot s adds. The warning comes once for each kernel, from the first of the SMs,
 * however often the kernel is launched. */
void plan_warn_without(struct sm *S, enum slot s, const struct kernel *k, const char *what, const char *why);
/* False and *e if the registers of cta_limit CTAs are more than this SM's part of the memory for them. */
bool saved_fits(const struct sm *S, struct err *e);
/* Returns the first address of that part. */
uint32_t saved_base(const struct sm *S);

/* ---- 4. CTAs: launch, gates, ages ---- */

/* True if the grid has a CTA for this SM. */
bool grid_has_cta(const struct sm *S);
/* Promises to begin n CTAs of those that the grid has for this SM; they are not taken back. */
void grid_keep(struct sm *S, uint32_t n);
/* residency.launch: the lowest free CTA slot, and the rf_slot of that number; below 0: none. */
int cta_lowest(struct sm *S, unsigned *rf_slot);
/* Sets the position of the CTA's registers. */
void cta_rf_slot(struct sm *S, unsigned c, unsigned rf_slot);
/* Shuts or opens the residency's gate of the CTA's warps, and tells the scheduler which warps come or go. */
void cta_gate(struct sm *S, unsigned c, bool shut);
/* Shuts or opens the residency's gate of the CTA's warps; tells nobody. */
void cta_gate_alone(struct sm *S, unsigned c, bool shut);
/* Tells the scheduler that the CTA's live warps come (WEV_IN) or go (WEV_OUT). */
void cta_tell_scheduler(struct sm *S, unsigned c, enum warp_event event);
/* Returns the used CTA that began next after the n-th, `order` (-1: the oldest); CTA_MAX: none. */
unsigned cta_younger(const struct sm *S, int64_t order);
/* True if nothing of the live CTA is in flight but reductions that wait at a barrier. */
bool cta_is_quiet(const struct sm *S, unsigned c);
/* Counts occupancy up to this cycle; before resident or active CTAs change. */
void occupancy_note(struct sm *S);
/* Sets how many of the resident CTAs may issue; after occupancy_note. */
void cta_set_active(struct sm *S, unsigned n);
/* Lets the warp's misses allocate in the L1, or not. */
void warp_set_token(struct sm *S, unsigned w, bool has);

/* Views that the functions below may change; hooks have const pointers to them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual" /* systems/ is compiled with it */
static inline struct scheduler_view *scheduler_to_change(struct sm *S, unsigned s) {
  return (struct scheduler_view *)scheduler_view(S, s);
}
static inline struct group_view *group_to_change(struct sm *S, unsigned g) {
  return (struct group_view *)group_view(S, g);
}
static inline struct collector_unit *unit_to_change(struct sm *S, const struct collector_unit *u) {
  (void)S;
  return (struct collector_unit *)u;
}
#pragma GCC diagnostic pop

/* ---- 5. warps: gates, pending registers ---- */

/* Closes the slot's gate of the warp: it does not issue. Each slot closes and opens its own only. */
void gate_close(struct sm *S, enum slot s, unsigned w);
/* Opens that gate. */
void gate_open(struct sm *S, enum slot s, unsigned w);
/* Marks whether the warp waits for L2 or beyond, for a warp whose pseudo instruction the storage holds at the head. */
static inline void warp_mark_far(struct sm *S, unsigned w, bool far) {
  const struct warp_view *W = warp_view(S, w);
  struct scheduler_view *sc = scheduler_to_change(S, W->scheduler);
  const uint64_t bit = 1ull << W->bit;
  sc->depfar = far ? sc->depfar | bit : sc->depfar & ~bit;
}

/* ---- 6. banks and their ports ---- */

enum { RF_READ, RF_WRITE };
/* Returns the bank of register r of the warp at this position of the register file: neighbouring warps start in neighbouring banks. */
static inline unsigned rf_bank(const struct sm *S, unsigned r, unsigned rf_slot) {
  const struct sm_view *v = sm_view(S);
  return v->bank_mask ? (r + rf_slot) & v->bank_mask : (r + rf_slot) % v->nbank;
}
/* Returns the bank of a physical row of the file that holds warp_regs registers of a warp after the other. */
static inline unsigned rf_row_bank(const struct sm *S, uint32_t row) {
  const uint32_t regs = sm_view(S)->warp_regs ? sm_view(S)->warp_regs : 1; /* a kernel may have none */
  return rf_bank(S, row % regs, row / regs);
}
/* True if the bank's port (RF_READ, RF_WRITE) is free in this cycle. */
static inline bool rf_free(const struct sm *S, unsigned g, unsigned bank, int what) {
  const struct group_view *v = group_view(S, g);
  const unsigned k = bank / 64;
  uint64_t taken = what == RF_READ ? v->rd_used[k] : v->wr_used[k];
  if (sm_view(S)->single_port) taken = v->rd_used[k] | v->wr_used[k];
  return !(taken >> bank % 64 & 1);
}
/* Claims the bank's port for this cycle; false: it is taken. The caller counts conflicts. */
static inline bool rf_claim(struct sm *S, unsigned g, unsigned bank, int what) {
  struct group_view *v = group_to_change(S, g);
  if (!rf_free(S, g, bank, what)) return false;
  (what == RF_READ ? v->rd_used : v->wr_used)[bank / 64] |= 1ull << bank % 64;
  return true;
}
/* Returns the cycles from a register's request to its data with this rf.latency in percent: the paper gives no absolute times
 * (docs/reference/timing.md, decision 23). */
static inline unsigned slow_access(int64_t percent) { return (unsigned)((4 * percent + 50) / 100); }
/* Returns the cycles for which the bank is busy with such an access. */
static inline unsigned slow_busy(unsigned access) { return access > 4 ? access - 3 : 1; }
/* True if an operand of the group waits for its bank. */
static inline bool banks_are_wanted(const struct sm *S, unsigned g) {
  uint64_t any = 0;
  for (unsigned k = 0; k < BANK_WORDS; k++) any |= group_view(S, g)->banks_wanted[k];
  return any != 0;
}

/* ---- 7. collector units ---- */

/* Sets what the hook `view` answers, and returns it. */
static inline const struct collector_view *group_show(struct sm *S, unsigned g, struct collector_view view) {
  group_to_change(S, g)->view = view;
  return &group_view(S, g)->view;
}
/* Gives a unit an instruction of a warp; it is no longer free, and no operand is wanted yet. */
static inline const struct collector_unit *unit_begin(struct sm *S, unsigned g, unsigned k, unsigned w,
                                                      uint32_t inflight, const struct op *op) {
  struct group_view *v = group_to_change(S, g);
  struct collector_unit *u = &v->unit[k];
  u->inflight = inflight;
  u->op = op;
  u->warp = (uint16_t)w;
  u->cls = op->cls;
  u->banks = ~0ull;
  v->free &= ~(1ull << k);
  return u;
}
/* The unit has its operands: it may be dispatched. */
static inline void unit_set_full(struct sm *S, const struct collector_unit *u) {
  group_to_change(S, u->group)->full |= 1ull << u->index;
}
/* The unit can take an instruction, or not. */
static inline void unit_set_free(struct sm *S, unsigned g, unsigned k, bool is) {
  uint64_t *free = &group_to_change(S, g)->free;
  *free = (*free & ~(1ull << k)) | (uint64_t)is << k;
}
/* Holds a unit: it becomes neither full nor free without unit_release. */
static inline void unit_hold(struct sm *S, const struct collector_unit *u) { unit_to_change(S, u)->hold = 1; }
/* Releases a held unit. */
static inline void unit_release(struct sm *S, const struct collector_unit *u) { unit_to_change(S, u)->hold = 0; }
/* Sets the cycles that the unit's instruction needs between unit and pipe. */
static inline void unit_delay(struct sm *S, const struct collector_unit *u, unsigned cycles) {
  unit_to_change(S, u)->extra = (uint8_t)cycles;
}
/* Sets the row of operand k. */
static inline void unit_set_row(struct sm *S, const struct collector_unit *u, unsigned k, uint32_t row) {
  unit_to_change(S, u)->row[k] = row;
}
/* Sets the banks of all operands, a byte for each; BANK_DONE: nothing is to be read. */
static inline void unit_set_banks(struct sm *S, const struct collector_unit *u, uint64_t banks) {
  unit_to_change(S, u)->banks = banks; /* stored at once: it is read back as one word at once */
}
/* Sets bank and row of operand k. */
static inline void unit_set_place(struct sm *S, const struct collector_unit *u, unsigned k, unsigned bank,
                                  uint32_t row) {
  unit_to_change(S, u)->bank[k] = (uint8_t)bank;
  unit_to_change(S, u)->row[k] = row;
}
/* Requests an operand of the unit from this bank. */
static inline void unit_want(struct sm *S, const struct collector_unit *u, unsigned bank) {
  struct group_view *v = group_to_change(S, u->group);
  v->want[bank] |= 1ull << u->index;
  v->banks_wanted[bank / 64] |= 1ull << bank % 64;
}
/* Requests all operands of the unit from their banks. */
static inline void unit_want_all(struct sm *S, const struct collector_unit *u) {
  for (uint64_t banks = u->banks; banks != ~0ull; banks = banks >> 8 | (uint64_t)BANK_DONE << 56)
    if ((banks & 0xff) != BANK_DONE) unit_want(S, u, banks & 0xff);
}
/* Takes the unit's requests to this bank back: the bank has read its last operand. */
static inline void unit_want_no_more(struct sm *S, const struct collector_unit *u, unsigned bank) {
  struct group_view *v = group_to_change(S, u->group);
  v->want[bank] &= ~(1ull << u->index);
  if (!v->want[bank]) v->banks_wanted[bank / 64] &= ~(1ull << bank % 64);
}
/* Marks operand i as read; returns the banks that are left. */
static inline uint64_t unit_take_operand(struct sm *S, const struct collector_unit *u, unsigned i) {
  /* Read and written as one word: a byte that was just written delays a read of the whole. */
  return unit_to_change(S, u)->banks |= (uint64_t)BANK_DONE << 8 * (i & 7);
}
/* storage.locate, after the banks are set: gives operand k to the unit at once, from no bank. `value` are its 32 lanes, with sim.check. */
void unit_give(struct sm *S, const struct collector_unit *u, unsigned k, const uint32_t *value);
/* Has the hook storage.operands called in `cycle`, in which the unit's operand has come. */
void unit_operands_at(struct sm *S, const struct collector_unit *u, uint64_t cycle);
/* Asks the storage for the banks of the instruction's operands, without a unit. */
void operand_banks(struct sm *S, unsigned w, uint32_t inflight, const struct op *op, uint8_t bank[8]);

/* ---- 8. results ---- */

/* Completes destination k, which the storage accepted in an earlier cycle (RESULT_ACCEPTED) and has now written. Once all
 * destinations are complete, the instruction returns to the write-back queue and retires. */
void result_complete_accepted(struct sm *S, uint32_t inflight, unsigned k);
/* Has result_complete_accepted called for destination k in `cycle`, which is after this one. */
void result_complete_at(struct sm *S, const struct inflight_view *f, unsigned k, uint64_t cycle);
/* Completes destination k in this cycle, within the hook storage.result or residency.late: the choice has stored it itself. */
void result_complete_now(struct sm *S, const struct inflight_view *f, unsigned k);
/* Completes destination k without a write, since it is dead: its register is no longer pending. */
void result_drop(struct sm *S, const struct inflight_view *f, unsigned k);
/* Sets the storage's note on the instruction. */
void inflight_set_note(struct sm *S, const struct inflight_view *f, unsigned note);

/* ---- 9. memory ---- */

/* A residency's requests have this bit in their tag. */
enum { TAG_RESIDENCY = 1u << 28 };
/* Addresses of saved registers: each SM has a part of its own, of so many bytes. */
enum { SAVED_ROOM = 22 << 20 };
/* True if memory takes a request of this SM in this cycle. */
bool memory_takes(const struct sm *S);
/* Returns the first cycle in which memory takes a request; NEVER: not before a quantum's end. */
uint64_t memory_takes_at(const struct sm *S);
/* Posts a request to memory; the caller has asked memory_takes. A residency's requests lie above what a kernel can address. */
void sm_post(struct sm *S, const struct mem_req *r);
/* True if the LSU or the texture unit is full because memory refuses an access. */
bool memory_full(const struct sm *S);
/* Takes shared memory's port for n cycles; returns the first cycle after them. */
uint64_t lsu_shared_port(struct sm *S, uint64_t n);

/* ---- 10. the L1, for the choices of slot.l1 ---- */

/* Returns the cycle in which the data of the line at work come from an L1 that hits. */
uint64_t lsu_hit_end(const struct sm *S, const struct txn_view *t);
/* Ends a hit that the choice held (L1_HELD): its data were read in cycle `read`, and come no earlier than `least`, from lsu_hit_end. */
void lsu_hit_done(struct sm *S, uint32_t inflight, uint64_t read, uint64_t least);
/* Ends a miss that the choice held: the MSHR's reads end as an L1 hit of now would, and it is free. */
void cache_held_done(struct sm *S, uint32_t mshr);
/* Sends the request of a miss that the choice held; false: memory takes none now. */
bool cache_held_go(struct sm *S, uint32_t mshr);
/* True if an MSHR holds the line. */
bool cache_fetching(struct sm *S, uint32_t line);
/* Ends a held eviction: the victim has left, the new line gets its way. */
void cache_install(struct sm *S);
/* Returns the number of sets. */
uint32_t cache_sets(const struct sm *S);
/* Gives each set so many ways, all of them shut; before the first access. A way is known by set x ways + way. */
void cache_more_ways(struct sm *S, uint32_t ways);
/* Opens a way. */
void cache_way_open(struct sm *S, uint32_t way);
/* Shuts a way; true: a line has left. */
bool cache_way_shut(struct sm *S, uint32_t way);
/* Returns when the open way was used: the larger the later; 0: it is empty; NEVER: it is shut. */
uint64_t cache_way_used(const struct sm *S, uint32_t way);

/* The victim port reads and writes rows of the register file for the l1 choice; it holds so many accesses. */
enum { VICTIM_PORT = 4 };
enum { VICTIM_UNIT = UNIT_MAX - 1 }; /* a read at its head wants its bank as this collector unit */
/* Puts an access (RF_READ, RF_WRITE) to a row into the port; l1.ported(tag) follows. False: the port is full. */
bool victim_port_put(struct sm *S, int what, uint32_t row, uint32_t tag);
/* Returns how many accesses the port holds. */
unsigned victim_port_count(const struct sm *S);
/* True if an access to the row is in the port. */
bool victim_port_holds(const struct sm *S, uint32_t row);
/* Gives the newest access in the port; false: it is empty. */
bool victim_port_last(const struct sm *S, uint32_t *row, uint32_t *tag, bool *write);

/* ---- 11. values, with sim.check (sm_view.check) ---- */

enum { CHECK_LOST = 0xdeadbeef }; /* a lane that holds no value */
/* Adds so many rows to the file; returns the number of the first one. In a storage's `init`. */
uint32_t check_more(struct sm *S, uint32_t rows);
/* Returns the 32 values of a row of the file. */
uint32_t *check_file(const struct sm *S, uint32_t row);
/* Returns the row of the file that the warp's register has. */
uint32_t *check_row(const struct sm *S, unsigned w, unsigned r);
/* Returns the value that was last written to the register, in program order. */
const uint32_t *check_shadow(const struct sm *S, unsigned w, unsigned r);
/* Latches operand k of the unit from its row. */
void check_operand(struct sm *S, const struct collector_unit *u, unsigned k);
/* Latches operand k of the unit as the storage made it. */
void check_latch(struct sm *S, const struct collector_unit *u, unsigned k, const uint32_t *row);
/* Compares operand k, which arrives after dispatch (unit_delay); false: the SM has failed. */
bool check_value(struct sm *S, const struct warp_inst *inst, const struct op *op, unsigned k, const uint32_t *got,
                 const uint32_t *want);
/* Writes destination k to a row. */
void check_write_row(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t row);
/* Rows lose their values. */
void check_lost(struct sm *S, uint32_t row, uint32_t rows);
/* Lanes of a row lose their values. */
void check_lost_lanes(struct sm *S, uint32_t row, uint32_t lanes);

/* The hooks of other slots that a choice calls: storage_locate(S, u), scheduler_warp(S, w, event) ... (sm/slot.def). */
#include "gen/hooks.h"

#endif
