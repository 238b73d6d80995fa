/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of the memory system, shared by port, noc, l2, dram and mem. Outside cmodel/mem only the unit
 * test includes it.
 *
 * Three kinds of component have events: DRAM channels, SM ports (arrivals at L2), L2 slices; in this order
 * they get their ids, and this is their order within a cycle. A tournament tree holds each one's next
 * event, so the order of events is a function of the state alone and never of how long the quanta are.
 * Rates that are no whole number of cycles (a share of a slice or channel) are kept exactly: time in 1/256
 * cycle and a remainder over a denominator. A thing whose time falls within cycle t happens in cycle t.
 */
#ifndef RT_MEM_INTERNAL_H
#define RT_MEM_INTERNAL_H

#include "base/bits.h"
#include "mem/mem.h"

#define NEVER UINT64_MAX
#define NONE UINT32_MAX
#define ID_BITS 11 /* 1024 SMs + 128 slices + 128 channels */

/* ---- exact rates ---- */
struct rate {
  uint64_t step, rem, den;
}; /* one item takes step + rem/den, in 1/256 cycle */
struct pace {
  uint64_t at, frac;
}; /* free from at + frac/den on */

static inline struct rate rate_of(uint64_t num, uint64_t den) { /* num/den cycles per item */
  return (struct rate){num * 256 / den, num * 256 % den, den};
}
static inline uint64_t pace_cycle(const struct pace *p) { return p->at >> 8; }
static inline uint64_t pace_end(const struct pace *p) { return (p->at + (p->frac > 0) + 255) >> 8; }
/* n items from time x (1/256 cycle) or from when it is free, whatever is later. */
static inline void pace_take(struct pace *p, const struct rate *r, uint64_t x, uint32_t n) {
  if (p->at < x) *p = (struct pace){x, 0};
  p->at += n * r->step;
  for (p->frac += n * r->rem; p->frac >= r->den; p->at++) p->frac -= r->den;
}

/* Sectors in a mask of four. */
static inline uint32_t sectors_in(uint32_t mask) { return (uint32_t)(0x4332322132212110ull >> 4 * (mask & 15)) & 15; }

/* ---- dividing an address ---- */
struct part {
  uint32_t n;
  int shift;
}; /* n parts; shift: log2 n, or -1 */

static inline uint32_t part_div(struct part p, uint32_t x) { return p.shift >= 0 ? x >> p.shift : x / p.n; }
/* The digits of x in base n combined into one: by xor when n is a power of two, else by their sum mod n. x
 * itself below n; then a permutation of 0..n-1 that changes with x / n: strides that are powers of n spread
 * evenly, and x / n with fold(x) names x. */
static inline uint32_t part_fold(struct part p, uint32_t x) {
  if (p.shift > 0) { /* 2, 4, 8... digits at a time: x has 25 bits */
    for (int s = p.shift; s < 25; s *= 2) x ^= x >> s;
    return x & (p.n - 1);
  }
  if (!p.shift) return 0;
  uint32_t sum = 0;
  for (; x; x /= p.n) sum += x;
  return sum % p.n;
}

/* ---- a link of so many bytes per cycle ---- */
struct link {
  uint64_t cycle;
  uint32_t used;
}; /* used < bytes per cycle */

/* Sends; the cycle in which the last byte leaves. */
static inline uint64_t link_send(struct link *l, uint32_t per_cycle, uint64_t t, uint32_t bytes) {
  if (l->cycle < t) *l = (struct link){t, 0};
  uint32_t pos = l->used + bytes;
  uint64_t last = l->cycle + (pos - 1) / per_cycle;
  l->cycle += pos / per_cycle;
  l->used = pos % per_cycle;
  return last;
}

/* ---- SM side ---- */
struct inflight_inst {
  uint64_t at;
  struct mem_req req;
}; /* on the way to L2, there at `at` */

/* One SM. Within a quantum the SM's thread writes the first part and the memory's thread the second; mem_exchange moves
 * requests, credits and replies from one to the other. */
struct port {
  uint32_t home;              /* credits in hand */
  uint32_t back_head, back_n; /* credits on their way back: a ring of arrival cycles, ascending */
  uint32_t mask, out_n;       /* of the rings; requests posted in this quantum */
  uint64_t *back;
  struct inflight_inst *out;
  struct link up;
  uint64_t posts[3], up_bytes; /* in this quantum */
  struct mem_reply *given;     /* the replies that arrive in this quantum */
  uint32_t given_n, given_cap;
  char pad[64]; /* no line is shared between host threads */

  uint32_t fl_head, fl_n; /* requests on their way: a ring, arrivals ascending */
  bool blocked;           /* the first of them waits for room in its slice's queue */
  struct inflight_inst *fl;
  struct link down;
  uint64_t *credit; /* arrival cycles of the credits that have left in this quantum */
  uint32_t credit_n;
  uint32_t rep_head, rep_n, rep_cap; /* replies on their way: [head, n) */
  struct mem_reply *rep;
  uint64_t stored; /* first cycle after L2 has taken its last write or atomic */
  char pad2[64];
};

/* ---- L2 ---- */
struct inreq {
  struct mem_req req;
  uint32_t sm;
};
#define PENDING (1ull << 63)
struct way {
  uint8_t valid, dirty, part, pad;
  uint32_t mshr;
}; /* sector masks; part: dirty, words of it still missing */
struct target {
  uint32_t next, tag, sm;
  uint8_t kind, need;
};
struct mshr {
  uint32_t way, head, tail;
  uint8_t out;
}; /* out: sectors on their way */

struct slice {
  struct pace pace;
  struct inreq *q; /* ring of m->l2_queue */
  uint32_t q_head, q_n;
  uint32_t set, found;        /* of the first request, once looked up; else set is NONE */
  bool for_channel, for_fill; /* what the first request waits for */
  uint32_t *wait;             /* SMs blocked on this slice, first come first: ring of m->sms */
  uint32_t wait_head, wait_n;
  uint32_t *free; /* MSHRs not in use, a stack */
  uint32_t free_n;
};

/* ---- DRAM ---- */
struct entry { /* a request in a channel's read or write queue */
  uint64_t seq, since;
  uint32_t row, mshr;
  uint16_t next, prev;               /* in its bank's list; NIL ends */
  uint8_t bank, mask, nread, nwrite; /* sectors to be read (a write: partial ones, merged) and written */
  bool write;
};
struct fill {
  uint64_t at;
  uint32_t mshr;
  uint8_t mask;
};
struct bank {
  uint32_t row;              /* open row or NONE */
  uint16_t cur;              /* entry in service, NIL: idle */
  uint16_t head[2], tail[2]; /* waiting reads [0], writes [1], oldest first */
  uint64_t act, pre_ok;      /* last activate; precharge not before this; times, in 1/256 cycle */
};
#define NIL UINT16_MAX

struct channel {
  struct pace bus, act;
  uint64_t four[4], acts;             /* times of the last four activates, a ring; how many there were */
  uint64_t act_wait, col_wait, ready; /* banks whose `cur` waits for: activate, tRCD, the data bus */
  uint64_t *when, *age;               /* per bank: next command of `cur` not before this time; its seq */
  uint64_t *turn;                     /* per bank: age << 6 | bank while in act_wait, else NEVER */
  uint64_t next;                      /* cycle of the first command that can be given */
  uint64_t any[2], busy, writing;     /* banks with waiting reads, writes; with a `cur`; with one that is a write */
  uint32_t n[2];                      /* reads, writes: waiting or in service */
  bool drain, dir;                    /* writes go first; the last burst was a write */
  uint32_t batch;                     /* bursts since `drain` has changed, in cycle `since` */
  uint64_t since;
  uint16_t free; /* unused entries, a list */
  uint64_t seq;
  struct entry *e;
  struct bank *bank;
  struct fill *fills; /* ring, ascending */
  uint32_t fill_head, fill_n, fill_cap;
  uint64_t waiting[2]; /* slices that want room here */
};

struct mem {
  uint64_t *tree; /* tournament: cycle << ID_BITS | id, least at [1] */
  uint32_t leaves, sms, nslices, nchannels;
  uint64_t end, quantum; /* end of the last quantum; most cycles of the coming one */
  struct port *port;
  uint32_t noc_latency, up_bytes, down_bytes, credits;
  /* L2 */
  struct slice *slice;
  struct part by_slice, by_set;
  uint32_t ways, l2_latency, l2_queue, mshrs; /* mshrs: of one slice */
  struct rate l2_rate;
  uint32_t *tag; /* [(slice * sets + set) * ways + way]: line number or NONE */
  struct way *way;
  uint32_t *words;        /* [of a way]: words written, of the sectors in way.part */
  bool l2_words;          /* parts of a sector are put together: l2.mask is 4 */
  uint64_t *stamp, clock; /* last use, for LRU; PENDING too while the way has an MSHR */
  struct mshr *mshr;
  struct target *target;
  uint32_t target_free, target_n, target_cap;
  /* DRAM */
  struct channel *channel;
  struct part by_channel, by_column, by_bank;
  struct rate burst, rrd;
  uint32_t banks, dq, write_high, write_low, dram_latency, starve;
  uint64_t cl[2], rcd, rp, ras, rc, wr; /* 1/256 cycle; [1]: of writes */
  uint64_t faw, turn[2]; /* the same, scaled to the share; turn: last data to the first of a read, write */
  uint64_t busy_frac;
  uint64_t mshrs_used, mshrs_since; /* L2 MSHRs in use; the cycle since when */
  struct mem_stats st;
  uint64_t fetched, filled, dirtied, served, replied_sectors, pending_replies; /* for mem_check */
};

/* ---- events ---- */
static inline uint32_t id_port(const struct mem *m, uint32_t sm) { return m->nchannels + sm; }
static inline uint32_t id_slice(const struct mem *m, uint32_t s) { return m->nchannels + m->sms + s; }

static inline void mem_event_at(struct mem *m, uint32_t id, uint64_t cycle) {
  uint64_t *tree = m->tree, least = cycle == NEVER ? NEVER : cycle << ID_BITS | id;
  uint32_t i = m->leaves + id;
  tree[i] = least;
  for (; i > 1; tree[i] = least) { /* no early exit: the branch would be unpredictable */
    uint64_t other = tree[i ^ 1];
    least = other < least ? other : least;
    i >>= 1;
  }
}
static inline void mem_event_by(struct mem *m, uint32_t id, uint64_t cycle) { /* at that cycle or earlier */
  if (m->tree[m->leaves + id] > (cycle << ID_BITS | id)) mem_event_at(m, id, cycle);
}

struct part part_of(uint32_t n);

/* port */
void port_init(struct mem *m, const struct config *cfg);
void port_free(struct mem *m);
void port_collect(struct mem *m); /* takes what the SMs posted */
void port_hand_out(struct mem *m, uint64_t end);
/* noc */
void noc_run(struct mem *m, uint32_t sm, uint64_t t);     /* arrivals of one SM */
void noc_unblock(struct mem *m, uint32_t sm, uint64_t t); /* its slice has room for one */
void noc_credit(struct mem *m, uint32_t sm, uint64_t t);  /* a request has left its slice's queue */
void noc_reply(struct mem *m, uint32_t sm, uint32_t line, uint32_t tag, uint8_t sectors, bool dram, uint64_t ready);
/* l2 */
void l2_init(struct mem *m, const struct config *cfg);
void l2_free(struct mem *m);
static inline uint32_t l2_slice(const struct mem *m, uint32_t line) { return part_fold(m->by_slice, line); }
static inline bool l2_room(const struct mem *m, uint32_t s) { return m->slice[s].q_n < m->l2_queue; }
void l2_push(struct mem *m, uint32_t s, uint32_t sm, const struct mem_req *req, uint64_t t);
void l2_run(struct mem *m, uint32_t s, uint64_t t);
void l2_fill(struct mem *m, uint32_t mshr, uint8_t sectors, uint64_t t);
void l2_retry(struct mem *m, uint32_t s, uint64_t t); /* its channel has room */
void l2_touch(struct mem *m, uint32_t line);
/* dram */
struct place {
  uint32_t channel, bank, row;
};
void dram_init(struct mem *m, const struct config *cfg);
void dram_free(struct mem *m);
static inline struct place dram_place(const struct mem *m, uint32_t line) {
  uint32_t rest = part_div(m->by_column, part_div(m->by_channel, line));
  return (struct place){.channel = part_fold(m->by_channel, line),
                        .bank = part_fold(m->by_bank, rest),
                        .row = part_div(m->by_bank, rest)};
}
static inline bool dram_room(const struct mem *m, uint32_t ch, bool write) { return m->channel[ch].n[write] < m->dq; }
void dram_wait(struct mem *m, uint32_t ch, uint32_t slice); /* l2_retry when an entry is free */
void dram_read(struct mem *m, struct place p, uint8_t sectors, uint32_t mshr, uint64_t t);
void dram_write(struct mem *m, struct place p, uint8_t dirty, uint8_t part, uint64_t t);
void dram_run(struct mem *m, uint32_t ch, uint64_t t);

#endif
