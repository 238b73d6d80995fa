/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream: the only interface between execution and timing (docs/reference/timing.md). The SM requests the next instruction of a
 * warp; the stream produces it on demand. Functional execution is one stream (exec/stream.c), recorded traces will be
 * others. The caller of the SM makes the stream, with room for as many warps and CTAs as the SM says (sm_room in
 * sm/sm.h), and frees it after the launch.
 *
 * The deterministic rule: an instruction is executed when it is fetched. The SM stops a warp's fetch
 * behind an instruction with a W_STOP flag until, in its own time, a branch issues, a barrier opens,
 * an atomic is performed. A warp that has a `red` outstanding is stopped by the stream itself
 * (STREAM_WAIT) before its next global access, until stream_quantum has performed it.
 */
#ifndef RT_TRACE_STREAM_H
#define RT_TRACE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "compiler/ir/code.h"

enum {                /* inst.flags */
       W_BRANCH = 1,  /* stop fetch until it issues (only when control may leave the straight line) */
       W_BARRIER = 2, /* stop fetch until the barrier opens; inst.mem = id | threads expected << 16 | arrive-only << 31;
                                counted in whole warps; without a count: of the warps that have not exited yet */
       W_ATOMIC = 4,  /* returns a value: stop fetch until performed (the next quantum end) */
       W_EXIT = 8,    /* the warp's last instruction: no lane is left */
       W_SPACE = 0x70,  /* enum space of a memory access, << 4 (never generic) */
       W_PSEUDO = 0x80, /* not of the kernel: put before this op by a storage (PREFETCH, acquire, ...) */
};
#define W_SPACE_OF(inst) ((enum space)(((inst)->flags & W_SPACE) >> 4))

struct warp_inst {        /* 32 B, one per executed warp instruction */
  uint32_t op, next;      /* index now; index of the warp's next one */
  uint32_t active, lanes; /* SIMT mask; those of it whose predicate holds */
  uint32_t seq;           /* the warp's own count, from 0 */
  uint32_t mem;           /* 1-based, into the warp's ring: 32 addresses. 0: none */
  uint16_t val;           /* likewise, 128 B per destination word (inst_val); until WRITE only this number moves on */
  uint16_t near; /* near bit per operand, as op.near, of this execution alone; 0 unless recorded (lab/run/near.h) */
  uint16_t warp;
  uint8_t flags, nval; /* nval: destination words in val */
};
_Static_assert(sizeof(struct warp_inst) == 32, "half a cache line");

/* Addresses in the rings: buffers lie at the bottom; local memory from LOCAL_BASE on; the SM fetches instructions
 * from CODE_BASE on. All of it is below GLOBAL_END (compiler/ir/insn.h), so that lines of two kinds never alias. */
#define LOCAL_BASE 0x30000000u
#define CODE_BASE 0x3f000000u

/* The SM's view of the kernel that a stream executes. */
struct kernel {
  const struct code *code; /* allocated: registers, live vectors, packing */
  uint32_t code_base;      /* address of instruction 0 in code of 8 bytes an instruction */
  uint64_t most_insns;     /* of all warps together; beyond it the launch fails (stream_ops.runaway); 0: no limit */
};

/* What a stream must have room for: how many warps and CTAs are resident at once at most; whether the value ring is
 * filled; which of so many SMs it feeds: their streams share the launch's memory, each with its own local memory.
 * stride: sm.cta_stride of the config. */
struct stream_room {
  unsigned warp_slots, cta_slots;
  bool values;
  unsigned sm, sms, stride;
};

enum { STREAM_GIVEN = 1, STREAM_FINISHED = 0, STREAM_WAIT = 2, STREAM_ERROR = -1 };

struct stream;
struct stream_ops {
  /* The next instruction of the warp in this slot. FINISHED: all lanes have exited (after the W_EXIT one). WAIT:
   * ask again after the next stream_quantum. ERROR: stream->err has the place. */
  int (*next)(struct stream *, unsigned warp, struct warp_inst *out);
  /* Puts CTA number `cta` of those that are timed (in the order of the grid) into these warp slots: warp i of the CTA runs in slot[i]. `cta_slot` names
   * the CTA until cta_end. Local and shared memory start zeroed; registers too. */
  void (*cta_begin)(struct stream *, unsigned cta_slot, uint32_t cta, const uint16_t *slot);
  void (*cta_end)(struct stream *, unsigned cta_slot);
  /* End of a quantum: atomics are performed in fetch order; every W_ATOMIC waits no longer. Returns how many atomics.
   * With several SMs each stream sees within a quantum global memory as it was when that began, and its own stores;
   * these are made here, before the atomics. Then several host threads may run the SMs, so next, cta_begin and cta_end
   * of one launch's streams may be called at once, those of one stream by one thread; quantum and settle are called by
   * one thread while no other is in a stream, in the order of the caller's rule. */
  unsigned (*quantum)(struct stream *);
  /* With several SMs: once, of any of the streams, after the quantum of all of them. NULL: there is nothing to do. */
  void (*settle)(struct stream *);
  /* The copies (cp.async) are done that the warp in this slot had executed before the oldest of its
   * cp.async.mbarrier.arrive that has not arrived: it does. GIVEN; FINISHED: there is none; ERROR: stream->err. Called by an
   * SM when it is so, without one at a quantum's end. NULL: it need not be told. */
  int (*landed)(struct stream *, unsigned warp);
  void (*free)(struct stream *);
  /* Called when nothing can run any more: true and *e if warps wait at a barrier that cannot open (which wait where,
   * which do not arrive); false: no warp waits at one. NULL: unknown to this stream. */
  bool (*deadlock)(struct stream *, struct err *e);
  /* The launch exceeds a limit: `limit` ("more than 5 ..."), or if NULL kernel.most_insns. stream->err names the loop that a warp is
   * in, and the stream gives no more. NULL: it cannot say. */
  void (*runaway)(struct stream *, const char *limit);
};

struct stream {
  const struct stream_ops *ops;
  const struct op *op; /* static instructions */
  uint32_t nop;
  uint32_t ctas, stride; /* that are timed: of a grid every stride-th, see exec/run.c */
  uint32_t warps_per_cta, threads_per_cta;
  uint32_t regs, shared_bytes; /* per thread; per CTA, dynamic part included */
  const uint32_t
      *addr_ring; /* [warp][ADDR_RING][32]: byte addresses: global < 2^30; shared: offset in the CTA; local: see exec */
  const uint32_t *val_ring; /* [warp][VAL_RING][32], NULL unless values were asked for */
  uint8_t
      *addr_row; /* per warp: the row that its next access gets. The SM sets it to 0 when it has no access of the warp
                        under way: few rows, hence cache lines of the host, are used then. NULL: it need not */
  uint64_t hash; /* of the work done, independent of the interleaving of warps */
  struct err err;
};

/* Of an access to a texture or surface (W_SPACE: SP_TEX) inst.mem is the first of 1, 2, 4 or 8 rows, those of the texels that
 * each lane reads or writes, and more: below. Rows are consecutive (from the ring's end on from its beginning). A lane that
 * touches no memory repeats the address of one that does; if there is none, mem is 0. */
static inline uint32_t tex_mem(uint32_t row, unsigned rows, unsigned log2_bytes, bool filtered) {
  return row | (rows - 1) << 8 | log2_bytes << 12 | (uint32_t)filtered << 16;
}
static inline unsigned tex_rows(uint32_t mem) { return (mem >> 8 & 15) + 1; }
/* Of a texel; suld, sust: of the access. */
static inline unsigned tex_bytes(uint32_t mem) { return 1u << (mem >> 12 & 15); }
/* Linear, within a level or between two. */
static inline bool tex_filtered(uint32_t mem) { return mem >> 16 & 1; }

enum { ADDR_RING = 64, VAL_RING = 512 }; /* rows per warp; more than can be in flight */

static inline const uint32_t *inst_addr(const struct stream *s, const struct warp_inst *w) {
  return s->addr_ring + ((uint64_t)w->warp * ADDR_RING + (w->mem & 0xff) - 1) * 32;
}
/* Destination word k (0..nval-1, in the order of op.dst). */
static inline const uint32_t *inst_val(const struct stream *s, const struct warp_inst *w, unsigned k) {
  return s->val_ring + ((uint64_t)w->warp * VAL_RING + (w->val - 1 + k) % VAL_RING) * 32;
}

#endif
