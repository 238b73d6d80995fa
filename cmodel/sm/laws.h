/* SPDX-License-Identifier: Apache-2.0 */
/*
 * laws: with sim.check, conservation laws between the SM and what a slot's choice tells its blocks. A law has two sides. The SM's side is
 * counted in sm/, where the event happens. The block's side is read from the block's ports, in systems/NAME/laws.c, before each clock
 * edge (struct twin_net). The wiring lies between the two, so an error in it breaks a law (docs/reference/laws.md).
 *
 * Three kinds of laws:
 *   ports     in each cycle, the ports of banks that are taken are those of the rows that are accessed
 *   accounts  sums over the launch: each event that one side counts, the other side counts too
 *   same      a port's value is the SM's own copy of it, in the same cycle
 *
 * sm_view(S)->laws is NULL without sim.check; then nothing here is called but law_rows and law_main_file. The book of laws and the
 * functions for sm/ alone are in sm/law_book.h.
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

enum { LAW_BANKS = 128, LAW_WARPS_MAX = 256 };

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

/* The n-th event of this kind in this cycle, or NULL; how many there are. */
const struct law_event *law_nth(const struct sm *S, enum law_kind kind, unsigned n);
unsigned law_count(const struct sm *S, enum law_kind kind);

/* ---- ports ---- */
/* Where rows lie, if not all are the flat file's: by a storage's plan, the last one that has the row counts. */
void law_rows(struct sm *S, uint32_t first, uint32_t rows, uint32_t regs, bool main, bool shifted);
/* The main register file: its banks; cycles from a request to its data; cycles that a port is busy. */
void law_main_file(struct sm *S, unsigned banks, unsigned access, unsigned busy, bool one_port);
/* A block grants the banks' ports in this launch: only its bank numbers are compared. */
void law_arbitrate(struct sm *S);
unsigned law_bank(const struct sm *S, uint32_t row);
/* The row is read or written in this cycle (RF_READ, RF_WRITE), in this group. */
void law_access(struct sm *S, unsigned group, int what, uint32_t row);
unsigned law_group(const struct sm *S, unsigned w); /* of the warp */
void law_main_taken(struct sm *S, unsigned bank, int what);
void law_main_free(struct sm *S, unsigned bank, int what, bool free);

/* ---- operands and units ---- */
/* The unit's bank has given operand i. */
void law_read(struct sm *S, const struct collector_unit *u, unsigned i, unsigned bank);
/* The storage gives operand i to the unit that takes its instruction, from no bank. */
void law_given(struct sm *S, const struct collector_unit *u, unsigned i);
/* The main register file has given operand i. */
void law_operand(struct sm *S, const struct collector_unit *u, unsigned i);

/* ---- the SM's side, for laws of ports (`same`) ---- */
/* Returns the launch's kernel. */
const struct code *law_code(const struct sm *S);
/* Returns the warp's next instruction, in program order. */
uint32_t law_next(const struct sm *S, unsigned w);
/* Returns the warps that the scheduler was last asked to pick from. */
uint64_t law_ready(const struct sm *S, unsigned s);
/* Returns those of them whose instruction needs no collector unit. */
uint64_t law_direct(const struct sm *S, unsigned s);
/* Returns the cycle in which the last CTA began. */
uint64_t law_began(const struct sm *S);
/* Returns the first cycle after a residency's last use of shared memory's port. */
uint64_t law_shared_end(const struct sm *S);
/* Returns the instructions retired before the launch. */
uint64_t law_retired(const struct sm *S);
/* Returns how many rows of group g have been written in this cycle. */
unsigned law_rows_written(const struct sm *S, unsigned g);
/* Returns the first row of the n-th call of law_rows. */
uint32_t law_rows_first(const struct sm *S, unsigned n);
/* Returns the banks of the main register file. */
unsigned law_main_banks(const struct sm *S);
/* Returns the main register file's cycles from a request to its data. */
unsigned law_main_access(const struct sm *S);
/* True if the bank of the main register file is free in this cycle, as its accesses say. */
bool law_main_is_free(const struct sm *S, unsigned bank, int what);

#endif
