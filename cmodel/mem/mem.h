/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem: interconnect, L2 slices and DRAM channels behind the SMs, advanced a quantum at a time.
 *
 * A request posted at cycle c reaches L2 at c + noc.latency at the earliest (plus what injection bandwidth costs); a reply
 * that leaves L2 at r reaches the SM at r + noc.latency at the earliest. A quantum is at most noc.latency, so what the
 * SM does in a quantum cannot depend on what L2 does in the same one, nor L2 on the SM: both run at once, or in any order.
 * Credits: an SM holds noc.credits request slots; a request takes one when posted, and it comes back to the SM
 * noc.latency after the request has left the L2 input queue. Event driven: an idle memory costs nothing.
 *
 * With gpu.sms = N configured and `share` = 1, one SM sees 1/N of L2 capacity and bandwidth and of DRAM bandwidth.
 */
#ifndef RT_MEM_MEM_H
#define RT_MEM_MEM_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC };

struct mem_req {
  uint32_t addr;   /* 128-byte line address (low 7 bits zero) */
  uint32_t tag;    /* the SM's own; comes back in the reply */
  uint8_t kind;    /* enum mem_kind; READ and ATOMIC are answered, WRITE is not */
  uint8_t sectors; /* 4 bits: 32-byte sectors wanted or written */
  uint8_t bytes;   /* WRITE, ATOMIC: bytes that really change, for traffic counts (1..128) */
  uint32_t words;  /* WRITE: of the line's 32 words those of which all four bytes are written */
};

/* Words of whole sectors; sectors of which all words are there. Sectors are 4 bits, words 32. */
static inline uint32_t mem_words(uint32_t sectors) { return (sectors * 0x204081 & 0x01010101) * 0xff; }
static inline uint8_t mem_whole(uint32_t words) {
  uint32_t x = words & words >> 4;
  x &= x >> 2;
  x &= x >> 1;
  return (uint8_t)((x & 0x01010101) * 0x01020408 >> 24 & 15);
}

struct mem_reply {
  uint64_t cycle;
  uint32_t tag, addr;
  bool dram; /* the request waited for DRAM */
};

struct mem_stats {                             /* every event counted once, where it happens; sectors are 32 bytes */
  uint64_t cycles;                             /* that it was advanced, the drain at the end of launches included */
  uint64_t req_reads, req_writes, req_atomics; /* requests accepted */
  uint64_t l2_read_hit, l2_read_miss, l2_read_merge; /* reads: hit, new miss, joined a pending miss */
  uint64_t l2_write_hit, l2_write_miss, l2_atomics;
  uint64_t l2_writebacks; /* dirty lines sent to DRAM */
  uint64_t l2_mshr_busy;  /* L2 MSHRs in use, summed over cycles */
  uint64_t dram_read_sectors, dram_write_sectors;
  uint64_t dram_row_hit, dram_row_miss, dram_row_conflict; /* per burst: open row; bank closed; other row open */
  uint64_t dram_busy;  /* data-bus cycles in use, summed over the share's channels, in 1/256 cycle */
  uint64_t dram_turns; /* changes of a data bus's direction */
  uint64_t noc_request_bytes, noc_reply_bytes;
  uint64_t replies;
};

struct mem;
struct mem *mem_new(const struct config *cfg, unsigned sms); /* sms that share it: 1 gives one SM its 1/N share */
void mem_free(struct mem *m);

/* May a request be posted by this SM at this cycle? (credit in hand and the injection link free) */
bool mem_can_post(const struct mem *m, unsigned sm, uint64_t cycle);
/* When mem_can_post would be true at the earliest as far as is known now (the link); UINT64_MAX: waits for a credit. */
uint64_t mem_post_at(const struct mem *m, unsigned sm, uint64_t cycle);
/* Posts; the caller has asked mem_can_post. Cycles of one SM never go back. */
void mem_post(struct mem *m, unsigned sm, uint64_t cycle, const struct mem_req *req);

/* Advances L2 and DRAM from the last end to `end` (exclusive): requests by (arrival cycle, SM). It needs what the SMs
 * have posted in the quantum before, not what they post in this one: those requests reach L2 after it. So the SMs may
 * post, each with a host thread of its own, while another thread is in here. */
void mem_advance(struct mem *m, uint64_t end);
/* After mem_advance and the SMs: requests, credits and replies change sides. */
void mem_exchange(struct mem *m, uint64_t end);
/* Both, also for requests that were posted before the last end. */
void mem_quantum(struct mem *m, uint64_t end);

/* Replies of one SM that arrive before the end of the coming quantum, ascending by cycle (equal cycles in order of leaving L2).
 * Valid until the next mem_exchange; then gone: the SM takes all of them. */
const struct mem_reply *mem_replies(struct mem *m, unsigned sm, uint32_t *n);

/* First cycle at or after which something is still to happen in here (arrivals, banks, replies not yet handed out); UINT64_MAX: nothing.
 * The SM may sleep up to it (rounded to a quantum end). */
uint64_t mem_next(const struct mem *m);

/* First cycle after L2 has taken the last write or atomic of this SM: every later access sees it. 0: there was none. */
uint64_t mem_stored(const struct mem *m, unsigned sm);

/* Warm-up: L2 tags as if the line had been read. */
void mem_touch(struct mem *m, uint32_t line_addr);
/* End of kernel: dirty lines stay (next launch may hit); statistics run on. Checks conservation: false and *e when broken
 * (reads + atomics == replies, sectors in == sectors out, credits all home). Legal only when mem_next is UINT64_MAX. */
bool mem_check(const struct mem *m, struct err *e);
const struct mem_stats *mem_stats(const struct mem *m);

struct
    mem_share { /* what the simulated SMs (sim.sms) see together of L2 and DRAM, and the cycles that one of them is taken by one event */
  unsigned slices, mshrs, channels;
  double request, activate; /* of a slice; of a channel's activates */
};
struct mem_share mem_share(const struct config *cfg);

/* Cycles from posting a read of a whole line (4 sectors) to its reply, one SM, memory idle: in L2; in DRAM, no row open.
 * The formulae are at the head of mem.c. */
uint64_t mem_hit_latency(const struct config *cfg);
uint64_t mem_dram_latency(const struct config *cfg);

#endif
