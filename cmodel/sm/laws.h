/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws: with sim.check, conservation laws between the SM and what a slot's choice tells its blocks. A law has two sides. The SM's side is
 * counted in sm/, where the event happens. The block's side is read from the block's ports, in systems/NAME/laws.c, before each clock
 * edge (struct twin_net). The wiring lies between the two, so an error in it breaks a law (docs/laws.md).
 *
 * Three kinds of laws:
 *   ports     in each cycle, the ports of banks that are taken are those of the rows that are accessed
 *   accounts  sums over the launch: each event that one side counts, the other side counts too
 *   same      a port's value is the SM's own copy of it, in the same cycle
 *
 * S->laws is NULL without sim.check; then nothing here is called.
 */
#ifndef RT_SM_LAWS_H
#define RT_SM_LAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sm;
struct err;
struct code;
struct kernel;
struct collector_unit;
struct inflight_inst;
struct warp_inst;

/* Accounts. The text names the SM's side first. */
#define LAW_ACCOUNTS_LIST(ACCOUNT)                                                                           \
  ACCOUNT(LAW_BEGUN, "CTAs begun = CTAs told to the block")                                                  \
  ACCOUNT(LAW_ENDED, "CTAs ended = CTAs told to the block")                                                  \
  ACCOUNT(LAW_WARPS, "warps begun = warps told to the block")                                                \
  ACCOUNT(LAW_ACTIVE, "changes of the active set = commands to the block")                                   \
  ACCOUNT(LAW_ISSUED, "instructions issued = instructions told to the block")                                \
  ACCOUNT(LAW_LOOKED_UP, "instructions with operands = look-ups in the block")                               \
  ACCOUNT(LAW_STORED, "stores and atomics of the LSU = their requests to memory, line by line")              \
  ACCOUNT(LAW_RESULTS, "results = results told to the block")                                                \
  ACCOUNT(LAW_LATE, "late results taken = late results told to the block")                                   \
  ACCOUNT(LAW_CONTEXT, "cycles of shared memory's port for contexts = contexts moved x cycles of a context") \
  ACCOUNT(LAW_MOVED, "memory requests of the residency = requests of the block")                             \
  ACCOUNT(LAW_REPLIES, "replies to the residency = replies told to the block")                               \
  ACCOUNT(LAW_LIVE, "live vectors requested = live vectors told to the block")
#define LAW_ID(id, text) id,
enum law_account { LAW_ACCOUNTS_LIST(LAW_ID) LAW_ACCOUNTS };
#undef LAW_ID

/* Events of this cycle. */
enum law_kind {
  LAW_L1_HIT,     /* a read hits: line, op */
  LAW_L1_MISS,    /* a read that the l1 choice holds: line, op, id: its MSHR */
  LAW_L1_MISSED,  /* a read whose request leaves at once: the same */
  LAW_L1_GONE,    /* a held read whose request leaves: line, id */
  LAW_L1_EVICT,   /* a line may leave: line, id: its owner, answer */
  LAW_L1_STORE,   /* a store or an atomic passes: line */
  LAW_READ,       /* a bank gives an operand: op: operand, id: unit, line: bank */
  LAW_RESULT,     /* the storage is given a result: id: instruction in flight, op: destination, answer */
  LAW_PORT,       /* the collector is asked for a result's write port: the same; answer: granted */
  LAW_ISSUE,      /* an instruction issues: id: warp, op; answer: it is the storage's own */
  LAW_WARP_ENDED, /* id: warp */
  LAW_DISPATCHED  /* id: unit */
};
struct law_event {
  uint8_t kind, answer;
  uint8_t group;
  uint32_t line, op, id;
  /* of LAW_RESULT and LAW_PORT: the result */
  uint8_t reg;
  uint16_t warp, near;
  uint32_t inst, lanes;
};

enum { LAW_EVENTS = 1024, LAW_STRIPES = 4, LAW_BANKS = 128, LAW_WARPS_MAX = 256, LAW_UNITS = 64, LAW_GROUPS = 8 };

/* Rows from `first` on: row first + k lies in bank (k mod regs + k / regs) mod banks, if not shifted k mod regs mod banks. */
struct law_stripe {
  uint32_t first, rows, regs;
  bool main, shifted; /* of the main register file (law_main_file); the SM's own banks */
};

struct laws {
  const struct code *code; /* of this launch */
  bool arbitrated;         /* a block grants the banks' ports: only its bank numbers are compared */
  struct {
    uint64_t n[2], sum[2]; /* the SM's side, the block's */
    bool open;             /* some block has such a side */
  } account[LAW_ACCOUNTS];
  struct law_event event[LAW_EVENTS]; /* of this cycle */
  unsigned events;
  uint32_t next[LAW_WARPS_MAX]; /* the warp's next instruction, in program order */
  uint64_t ready[LAW_GROUPS];   /* warps that the scheduler was last asked to pick from; */
  uint64_t control[LAW_GROUPS]; /* of these, those whose instruction needs no collector unit */
  uint64_t began;               /* cycle in which the last CTA began */
  uint64_t shared_end;          /* first cycle after the last use of shared memory's port that a residency made */
  uint64_t retired;             /* when the launch began */
  struct law_stripe stripe[LAW_STRIPES];
  unsigned stripes;
  /* ports: banks of the rows accessed in this cycle, by RF_READ and RF_WRITE */
  uint64_t told[LAW_GROUPS][2][LAW_BANKS / 64];
  struct law_main {
    unsigned banks, access, busy; /* access: cycles from a request to its data */
    bool one_port;
    uint64_t told[2][LAW_BANKS / 64], taken[2][LAW_BANKS / 64]; /* in this cycle */
    uint64_t until[2][LAW_BANKS];                               /* first cycle in which the port is free */
  } main;
  struct law_unit { /* of collector `ocu`: operands of the unit's instruction */
    bool on;
    uint8_t left;   /* still to be given */
    uint64_t ready; /* first cycle in which it may be dispatched */
  } unit[LAW_GROUPS][LAW_UNITS];
  bool times_units;
  struct law_memory {
    void *at;
    size_t size;
    bool fresh;
  } memory[8];
};

struct laws *laws_new(void);
void laws_free(struct laws *l);
void laws_begin(struct sm *S, const struct kernel *k); /* a launch begins, before plan */
void laws_cycle(struct sm *S);                         /* the end of COMMIT */
bool laws_end(struct sm *S, struct err *e);            /* the end of a launch, after the slots' */

/* False, and the SM fails: "law broken: WHAT: found TOLD, expected OWN". */
bool law_same(struct sm *S, const char *what, uint64_t told, uint64_t own);
/* The same of 32 words each. */
bool law_same_words(struct sm *S, const char *what, const uint32_t *told, const uint32_t *own);
/* One side of an account counts an event (x, y). Its block's laws open the account, in the launch's first cycle. */
void law_open(struct sm *S, enum law_account a);
void law_own(struct sm *S, enum law_account a, uint64_t x, uint64_t y);
void law_told(struct sm *S, enum law_account a, uint64_t x, uint64_t y);
/* A number made of so many bytes. */
uint64_t law_hash(const void *bytes, size_t n);
/* Memory of a choice's laws, zero in the first cycle of a launch (*fresh). */
void *law_memory(struct sm *S, unsigned slot, size_t size, bool *fresh);

void law_event(struct sm *S, const struct law_event *e);
/* The n-th event of this kind in this cycle, or NULL; how many there are. */
const struct law_event *law_nth(const struct sm *S, enum law_kind kind, unsigned n);
unsigned law_count(const struct sm *S, enum law_kind kind);

/* ---- ports ---- */
/* Where rows lie, if not all are the flat file's: by a storage's plan, the last one that has the row counts. */
void law_rows(struct sm *S, uint32_t first, uint32_t rows, uint32_t regs, bool main, bool shifted);
/* The main register file: its banks; cycles from a request to its data; cycles that a port is busy. */
void law_main_file(struct sm *S, unsigned banks, unsigned access, unsigned busy, bool one_port);
unsigned law_bank(const struct sm *S, uint32_t row);
/* The row is read or written in this cycle (RF_READ, RF_WRITE), in this group. */
void law_access(struct sm *S, unsigned group, int what, uint32_t row);
unsigned law_group(const struct sm *S, unsigned w); /* of the warp */
void law_main_taken(struct sm *S, unsigned bank, int what);
void law_main_free(struct sm *S, unsigned bank, int what, bool free);

/* ---- operands and units ---- */
void law_issue(struct sm *S, unsigned w, const struct warp_inst *inst, uint32_t inflight_or_none);
void law_read(struct sm *S, const struct collector_unit *u, unsigned i,
              unsigned bank);                                               /* the unit's bank has given i */
void law_operand(struct sm *S, const struct collector_unit *u, unsigned i); /* so has the main file */
void law_dispatch(struct sm *S);                                            /* DISPATCH begins */
void law_dispatched(struct sm *S, const struct collector_unit *u);

#endif
