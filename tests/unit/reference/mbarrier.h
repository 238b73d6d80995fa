/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier: the mbarrier objects of PTX in plain C, written from the PTX ISA (version 9.1, sections 9.7.13.15.1 to 9.7.13.15.17)
 * without a look at the simulator. An operation that the manual leaves undefined is refused, so a sequence of operations that were
 * all accepted is one whose answers the manual gives. What the manual calls opaque, the bits of an object and of a token,
 * is as docs/reference/tensor.md has it.
 */
#ifndef RT_TESTS_MBARRIER_H
#define RT_TESTS_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { MBREF_MOST = (1 << 20) - 1 }; /* the greatest value of each count */

struct mbref {
  uint32_t place; /* the caller's: where the object is */
  uint32_t life;  /* how many objects have been there, this one among them */
  bool valid;     /* between init and inval */
  uint64_t phase;
  uint32_t pending, expected; /* arrivals: still missing in this phase; of the next phase */
  int32_t tx;
};

struct mbref_token { /* the state that an arrival returns */
  uint32_t place, life;
  uint64_t phase;
  uint32_t pending;
  bool no_complete; /* from .noComplete: pending_count may be asked */
};

enum mbref_op {
  MBREF_INIT,
  MBREF_INVAL,
  MBREF_ARRIVE,
  MBREF_ARRIVE_NO_COMPLETE,
  MBREF_ARRIVE_EXPECT,
  MBREF_DROP,
  MBREF_DROP_NO_COMPLETE,
  MBREF_DROP_EXPECT,
  MBREF_EXPECT,
  MBREF_COMPLETE,
  MBREF_WAIT,        /* test_wait, try_wait with a token */
  MBREF_WAIT_PARITY, /* the same with a parity */
  MBREF_PENDING_COUNT,
  MBREF_COPIES,       /* cp.async.mbarrier.arrive: what it does at once, */
  MBREF_COPIES_NOINC, /* the same with .noinc, */
  MBREF_COPIED,       /* and the arrival when the copies are done */
  MBREF_OPS
};

/*
 * One thread's operation with the operand n (a count, a number of transactions, a parity; 0 where there is none). Arrivals write
 * *t, waits and pending_count read it. *answer: 0 or 1 of a wait, the count of pending_count, the bits of the token of an
 * arrival; else untouched. False, and nothing changed: undefined.
 */
bool mbref_do(struct mbref *o, enum mbref_op op, uint32_t n, struct mbref_token *t, uint64_t *answer);

/* The 8 bytes of a valid object. */
uint64_t mbref_bits(const struct mbref *o);

#endif
