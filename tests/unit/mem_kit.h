/* SPDX-License-Identifier: Apache-2.0 */
/* mem_kit: a driver of the memory, and what its tests ask of it. */
#ifndef RT_TESTS_MEM_KIT_H
#define RT_TESTS_MEM_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/internal.h"

static inline struct config defaults(void) {
  struct config c;
  config_defaults(&c);
  return c;
}

/* ---- a driver: posts each SM's list in order, as early as it may ---- */
struct item {
  uint64_t cycle;
  struct mem_req req;
};
struct run {
  struct mem *m;
  uint64_t now;
  struct item *item[32];
  uint32_t n[32], cap[32], done[32];
  struct mem_reply *rep[32];
  uint32_t reps[32], rep_cap[32];
};

static inline void start(struct run *r, const struct config *cfg, unsigned sms) {
  memset(r, 0, sizeof *r);
  r->m = mem_new(cfg, sms);
}

static inline void add(struct run *r, unsigned sm, uint64_t cycle, int kind, uint32_t addr, uint8_t sectors) {
  struct mem_req q = {.addr = addr, .tag = r->n[sm], .kind = (uint8_t)kind, .sectors = sectors};
  if (kind == MEM_WRITE) q.words = mem_words(sectors);
  if (kind != MEM_READ) q.bytes = (uint8_t)(32 * bit_count32(sectors));
  VEC_PUSH(r->item[sm], r->n[sm], r->cap[sm]) = (struct item){cycle, q};
}

static inline bool posted_all(const struct run *r) {
  for (unsigned s = 0; s < r->m->sms; s++)
    if (r->done[s] < r->n[s]) return false;
  return true;
}

static inline void quantum(struct run *r, uint64_t length) {
  uint64_t end = r->now + length;
  for (uint64_t c = r->now; c < end; c++)
    for (unsigned s = 0; s < r->m->sms; s++)
      while (r->done[s] < r->n[s] && r->item[s][r->done[s]].cycle <= c && mem_can_post(r->m, s, c))
        mem_post(r->m, s, c, &r->item[s][r->done[s]++].req);
  mem_quantum(r->m, end);
  r->now = end;
  for (unsigned s = 0; s < r->m->sms; s++) {
    uint32_t n;
    const struct mem_reply *p = mem_replies(r->m, s, &n);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(p[i].cycle >= end && p[i].cycle < end + r->m->quantum);
      if (r->reps[s]) assert_true(p[i].cycle >= r->rep[s][r->reps[s] - 1].cycle);
      VEC_PUSH(r->rep[s], r->reps[s], r->rep_cap[s]) = p[i];
    }
  }
}

static inline void drain(struct run *r, uint64_t length) {
  for (uint64_t stop = r->now + 100000000; r->now < stop;) {
    quantum(r, length);
    if (posted_all(r) && mem_next(r->m) == NEVER) return;
  }
  fail_msg("memory does not drain");
}

static inline void checked(const struct run *r) {
  struct err e = {0};
  if (!mem_check(r->m, &e)) fail_msg("%s", e.text);
}

static inline void finish(struct run *r) {
  drain(r, r->m->quantum);
  checked(r);
  mem_free(r->m);
  for (unsigned s = 0; s < 32; s++) {
    free(r->item[s]);
    free(r->rep[s]);
  }
}

/* Cycle of the reply to item `tag`. */
static inline uint64_t reply_at(const struct run *r, unsigned sm, uint32_t tag) {
  for (uint32_t i = 0; i < r->reps[sm]; i++)
    if (r->rep[sm][i].tag == tag) {
      assert_int_equal(r->rep[sm][i].addr, r->item[sm][tag].req.addr);
      return r->rep[sm][i].cycle;
    }
  fail_msg("no reply with tag %u", tag);
  return 0;
}

/* The k-th line (from 0) in this place. */
static inline uint32_t line_in(const struct mem *m, uint32_t ch, uint32_t bank, uint32_t row, uint32_t k) {
  for (uint32_t line = 0; line < 1u << 25; line++) {
    struct place p = dram_place(m, line);
    if (p.channel == ch && p.bank == bank && p.row == row && k-- == 0) return line << 7;
  }
  fail_msg("no such line");
  return 0;
}

#endif
