/* SPDX-License-Identifier: Apache-2.0 */
/* mem: latencies, bandwidths, orders against numbers computed by hand; any quantum; stress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/internal.h"

static struct config defaults(void) {
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

static void start(struct run *r, const struct config *cfg, unsigned sms) {
  memset(r, 0, sizeof *r);
  r->m = mem_new(cfg, sms);
}

static void add(struct run *r, unsigned sm, uint64_t cycle, int kind, uint32_t addr, uint8_t sectors) {
  struct mem_req q = {.addr = addr, .tag = r->n[sm], .kind = (uint8_t)kind, .sectors = sectors};
  if (kind == MEM_WRITE) q.words = mem_words(sectors);
  if (kind != MEM_READ) q.bytes = (uint8_t)(32 * bit_count32(sectors));
  VEC_PUSH(r->item[sm], r->n[sm], r->cap[sm]) = (struct item){cycle, q};
}

static bool posted_all(const struct run *r) {
  for (unsigned s = 0; s < r->m->sms; s++)
    if (r->done[s] < r->n[s]) return false;
  return true;
}

static void quantum(struct run *r, uint64_t length) {
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

static void drain(struct run *r, uint64_t length) {
  for (uint64_t stop = r->now + 100000000; r->now < stop;) {
    quantum(r, length);
    if (posted_all(r) && mem_next(r->m) == NEVER) return;
  }
  fail_msg("memory does not drain");
}

static void checked(const struct run *r) {
  struct err e = {0};
  if (!mem_check(r->m, &e)) fail_msg("%s", e.text);
}

static void finish(struct run *r) {
  drain(r, r->m->quantum);
  checked(r);
  mem_free(r->m);
  for (unsigned s = 0; s < 32; s++) {
    free(r->item[s]);
    free(r->rep[s]);
  }
}

/* Cycle of the reply to item `tag`. */
static uint64_t reply_at(const struct run *r, unsigned sm, uint32_t tag) {
  for (uint32_t i = 0; i < r->reps[sm]; i++)
    if (r->rep[sm][i].tag == tag) {
      assert_int_equal(r->rep[sm][i].addr, r->item[sm][tag].req.addr);
      return r->rep[sm][i].cycle;
    }
  fail_msg("no reply with tag %u", tag);
  return 0;
}

/* The k-th line (from 0) in this place. */
static uint32_t line_in(const struct mem *m, uint32_t ch, uint32_t bank, uint32_t row, uint32_t k) {
  for (uint32_t line = 0; line < 1u << 25; line++) {
    struct place p = dram_place(m, line);
    if (p.channel == ch && p.bank == bank && p.row == row && k-- == 0) return line << 7;
  }
  fail_msg("no such line");
  return 0;
}

/* ---- latencies ---- */
static void latencies(void **state) {
  (void)state;
  struct config c = defaults();
  /* 64 there, 60, floor(135 / 32) = 4 to serialise, 64 back */
  assert_int_equal(mem_hit_latency(&c), 192);
  /* 12000 ps at 1126 MHz are 13.51 cycles; one channel with 352500/16 MB/s moves 128 bytes in
   * 128 * 1126 * 16 / 352500 = 6.54: tRCD + CL + burst = 33.57, 34; 60 for the controller */
  assert_int_equal(mem_dram_latency(&c), 192 + 34 + 60);
  struct run r;
  start(&r, &c, 1);
  add(&r, 0, 10, MEM_READ, 0x1000, 15);
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 0) - 10, mem_dram_latency(&c));
  uint64_t t = r.now + 3;
  add(&r, 0, t, MEM_READ, 0x1000, 15);
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 1) - t, mem_hit_latency(&c));
  t = r.now;
  add(&r, 0, t, MEM_READ, 0x1000, 2); /* 40 bytes: one cycle more than the first */
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 2) - t, 64 + 60 + 1 + 64);
  t = r.now;
  add(&r, 0, t, MEM_READ, 0x1080, 4); /* same row, open: no tRCD; 13.51 + 1.64, 16 */
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 3) - t, 64 + 60 + 1 + 64 + 16 + 60);
  t = r.now;
  uint32_t other = line_in(r.m, 0, dram_place(r.m, 0x1000 >> 7).bank, 1, 0);
  add(&r, 0, t, MEM_READ, other, 1); /* another row is open: tRP; 3 * 13.51 + 1.64 = 42.17, 43 */
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 4) - t, 64 + 60 + 1 + 64 + 43 + 60);
  t = r.now;
  add(&r, 0, t, MEM_ATOMIC, 0x1000, 1); /* packet of 40 bytes: one cycle more */
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 5) - t, 1 + 64 + 60 + 1 + 64);
  const struct mem_stats *s = mem_stats(r.m);
  assert_int_equal(s->dram_row_miss, 1);
  assert_int_equal(s->dram_row_hit, 1);
  assert_int_equal(s->dram_row_conflict, 1);
  assert_int_equal(s->dram_read_sectors, 6);
  assert_int_equal(s->l2_read_hit, 2);
  assert_int_equal(s->l2_read_miss, 3);
  assert_int_equal(s->noc_request_bytes, 5 * 8 + 40);
  assert_int_equal(s->noc_reply_bytes, 6 * 8 + 32 * (4 + 4 + 1 + 1 + 1 + 1));
  mem_touch(r.m, 0x200000);
  t = r.now;
  add(&r, 0, t, MEM_READ, 0x200000, 15);
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 6) - t, mem_hit_latency(&c));
  finish(&r);
}

static void latencies_of_other_machines(void **state) {
  (void)state;
  static const int64_t sms[] = {1, 10, 15, 16, 24};
  for (unsigned i = 0; i < 5; i++) {
    struct config c = defaults();
    c.gpu_sms = sms[i];
    c.noc_reply_bytes = 1 + (int64_t)i * 40;
    c.noc_request_bytes = 1 + (int64_t)i * 3;
    c.l2_interval = 1 + (int64_t)i;
    c.dram_channels = 1 + (int64_t)i * 3;
    c.noc_latency = 1 + (int64_t)i * 33;
    struct run r;
    start(&r, &c, 1);
    add(&r, 0, 5, MEM_READ, 0x7700, 15);
    drain(&r, r.m->quantum);
    assert_int_equal(reply_at(&r, 0, 0) - 5, mem_dram_latency(&c));
    uint64_t t = r.now;
    add(&r, 0, t, MEM_READ, 0x7700, 15);
    drain(&r, r.m->quantum);
    assert_int_equal(reply_at(&r, 0, 1) - t, mem_hit_latency(&c));
    finish(&r);
  }
}

/* ---- L2 ---- */
static void merging(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 2);
  add(&r, 0, 0, MEM_READ, 0x4000, 1);
  add(&r, 0, 0, MEM_READ, 0x4000, 1); /* joins */
  add(&r, 1, 0, MEM_READ, 0x4000, 3); /* joins, and one more sector is fetched */
  add(&r, 1, 0, MEM_ATOMIC, 0x4000, 2);
  drain(&r, 64);
  const struct mem_stats *s = mem_stats(r.m);
  assert_int_equal(s->l2_read_miss, 1);
  assert_int_equal(s->l2_read_merge, 2);
  assert_int_equal(s->l2_atomics, 1);
  assert_int_equal(s->dram_read_sectors, 2);
  uint64_t first = reply_at(&r, 0, 0);
  assert_int_equal(reply_at(&r, 0, 1), first + 1); /* filled together; 40 bytes each, 32 a cycle */
  assert_true(reply_at(&r, 1, 0) >= first);
  add(&r, 0, r.now, MEM_READ, 0x4000, 3);
  drain(&r, 64);
  assert_int_equal(s->l2_read_hit, 1);
  finish(&r);
}

static void mshrs_run_out(void **state) {
  (void)state;
  struct config c = defaults();
  c.l2_mshrs = 1;
  struct run r;
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 4; i++) add(&r, 0, 0, MEM_READ, i * 128, 15);
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 0), mem_dram_latency(&c));
  /* the next one starts when the one before has been filled; the row is open: CL and burst
   * 13.51 + 6.54, 21, controller 60 */
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, i - 1), 21 + 60);
  finish(&r);
}

static void write_back(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 1);
  const struct mem_stats *s = mem_stats(r.m);
  uint32_t sets = r.m->by_set.n, set = 5;
  assert_int_equal(sets, 2097152 / 16 / 128 / 8); /* one slice */
  uint32_t lines[10], n = 0;                      /* ten lines of one set */
  for (uint32_t line = 0; n < 10; line++)
    if (part_fold(r.m->by_set, line) == set) lines[n++] = line << 7;
  assert_int_equal(lines[0], 5 << 7);
  add(&r, 0, 0, MEM_WRITE, lines[0], 15); /* whole: never fetched */
  add(&r, 0, 0, MEM_WRITE, lines[1], 3);
  r.item[0][1].req.words = 0xff; /* sector 1 only in part: merged on write-back */
  drain(&r, 64);
  assert_int_equal(s->l2_write_miss, 2);
  assert_int_equal(s->dram_read_sectors, 0);
  assert_int_equal(s->noc_request_bytes, 136 + 72);
  add(&r, 0, r.now, MEM_READ, lines[0], 15); /* hits what was written; lines[1] is now the oldest */
  for (uint32_t i = 2; i < 8; i++) add(&r, 0, r.now, MEM_READ, lines[i], 1);
  drain(&r, 64);
  assert_int_equal(s->l2_read_hit, 1);
  assert_int_equal(s->dram_read_sectors, 6);
  assert_int_equal(s->l2_writebacks, 0);
  add(&r, 0, r.now, MEM_READ, lines[8], 1);
  drain(&r, 64);
  assert_int_equal(s->l2_writebacks, 1);
  assert_int_equal(s->dram_write_sectors, 2);
  assert_int_equal(s->dram_read_sectors, 6 + 1 + 1);
  add(&r, 0, r.now, MEM_WRITE, lines[9], 1); /* a write evicts, too */
  drain(&r, 64);
  assert_int_equal(s->l2_writebacks, 2);
  assert_int_equal(s->dram_write_sectors, 6);
  assert_int_equal(s->dram_read_sectors, 8);
  /* a part sector that is read is fetched then, and not once more later */
  add(&r, 0, r.now, MEM_WRITE, 0x40000, 1);
  r.item[0][r.n[0] - 1].req.words = 0xf;
  add(&r, 0, r.now, MEM_READ, 0x40000, 1);
  drain(&r, 64);
  assert_int_equal(s->dram_read_sectors, 9);
  assert_int_equal(s->l2_write_hit, 0);
  finish(&r);
}

/* A write of words of the first line of set 0, or of others to evict it. Sectors read and written by then. */
static void written(struct run *r, uint32_t line, uint8_t sectors, uint32_t words) {
  add(r, 0, r->now, MEM_WRITE, line, sectors);
  r->item[0][r->n[0] - 1].req.words = words;
}

static void parts_make_a_sector(void **state) {
  (void)state;
  /* what a sector's writes leave to be read from DRAM when its line is evicted; words of sectors 0 (low byte) and 1 */
  static const struct {
    uint32_t first, second;
    uint8_t sectors[2], read_words, read_sectors; /* sectors read at eviction, with masks of words; of sectors */
  } want[] = {{0x0f, 0xf0, {1, 1}, 0, 1},         /* two halves */
              {0x0f, 0x0f, {1, 1}, 1, 1},         /* the same half twice */
              {0x0f, 0x78, {1, 1}, 1, 1},         /* the last word is missing */
              {0x3f, 0xfc, {1, 1}, 0, 1},         /* with an overlap */
              {0xf00f, 0x0ff0, {3, 3}, 0, 2},     /* halves of two sectors, other ones */
              {0xff0f, 0x00f0, {3, 1}, 0, 1},     /* the second sector is whole already */
              {0xf00f, 0xfff0, {3, 3}, 0, 1},     /* one by parts, one whole over its part */
              {0xf00f, 0x00f0, {3, 1}, 1, 2},     /* the second sector stays in part */
              {0x00, 0xff, {1, 1}, 0, 0},         /* bytes of words first, then whole */
              {0x00, 0xfe, {1, 1}, 1, 1}};        /* bytes of a word count as none of it */
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++)
    for (int words = 0; words < 2; words++) {
      struct config c = defaults();
      struct run r;
      c.l2_mask = words ? 4 : 32;
      start(&r, &c, 1);
      const struct mem_stats *s = mem_stats(r.m);
      uint32_t lines[16], n = 0;
      for (uint32_t line = 0; n < 16; line++)
        if (part_fold(r.m->by_set, line) == 5) lines[n++] = line << 7;
      written(&r, lines[0], want[k].sectors[0], want[k].first);
      written(&r, lines[0], want[k].sectors[1], want[k].second);
      for (uint32_t i = 1; i < 9; i++) written(&r, lines[i], 15, ~0u); /* the eighth evicts it */
      drain(&r, 64);
      assert_int_equal(s->l2_writebacks, 1);
      assert_int_equal(s->dram_write_sectors, want[k].sectors[0] == 3 ? 2 : 1);
      assert_int_equal(s->dram_read_sectors, words ? want[k].read_words : want[k].read_sectors);
      /* eight lines later it gets the same way, which knows nothing of those words: its sector is in part */
      for (uint32_t i = 9; i < 16; i++) written(&r, lines[i], 15, ~0u);
      written(&r, lines[0], 1, 0xf0);
      add(&r, 0, r.now, MEM_READ, lines[0], 1);
      uint64_t before = s->dram_read_sectors;
      drain(&r, 64);
      assert_int_equal(s->dram_read_sectors, before + 1);
      finish(&r);
    }
}

static void atomics(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 10; i++) add(&r, 0, 0, MEM_ATOMIC, 0x100, 1);
  drain(&r, 64);
  const struct mem_stats *s = mem_stats(r.m);
  assert_int_equal(s->l2_atomics, 10);
  assert_int_equal(s->dram_read_sectors, 1);
  assert_int_equal(s->replies, 10);
  uint64_t t = r.now;
  for (uint32_t i = 0; i < 8; i++) add(&r, 0, t, MEM_ATOMIC, 0x100, 1);
  drain(&r, 64);
  for (uint32_t i = 0; i < 8; i++) /* one per interval of the slice: 2 cycles */
    assert_int_equal(reply_at(&r, 0, 10 + i), t + 1 + 64 + 60 + 1 + 64 + 2 * i);
  finish(&r);
}

/* ---- credits ---- */
static void credits(void **state) {
  (void)state;
  struct config c = defaults();
  c.noc_credits = 3;
  struct run r;
  start(&r, &c, 1);
  struct mem_req q = {.addr = 0, .kind = MEM_READ, .sectors = 1};
  for (uint32_t i = 0; i < 3; i++) {
    assert_true(mem_can_post(r.m, 0, 0));
    q.tag = i;
    mem_post(r.m, 0, 0, &q);
  }
  assert_false(mem_can_post(r.m, 0, 0));
  assert_int_equal(mem_post_at(r.m, 0, 0), NEVER);
  assert_int_equal(mem_next(r.m), 64);
  mem_quantum(r.m, 64);
  assert_int_equal(mem_post_at(r.m, 0, 64), NEVER);
  mem_quantum(r.m, 128); /* they left the queue at 64, 66, 68 */
  assert_int_equal(mem_post_at(r.m, 0, 128), 128);
  assert_true(mem_can_post(r.m, 0, 128));
  q.tag = 3;
  mem_post(r.m, 0, 128, &q);
  assert_int_equal(mem_post_at(r.m, 0, 128), 130);
  assert_false(mem_can_post(r.m, 0, 129));
  assert_true(mem_can_post(r.m, 0, 130));
  r.now = 128;
  finish(&r);

  c = defaults(); /* the link: 32 bytes in a cycle, 136 bytes in 4.25 */
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 4; i++) {
    assert_true(mem_can_post(r.m, 0, 7));
    mem_post(r.m, 0, 7, &q);
  }
  assert_false(mem_can_post(r.m, 0, 7));
  assert_int_equal(mem_post_at(r.m, 0, 7), 8);
  struct mem_req w = {.addr = 0, .kind = MEM_WRITE, .sectors = 15, .words = ~0u, .bytes = 128};
  mem_post(r.m, 0, 8, &w);
  assert_int_equal(mem_post_at(r.m, 0, 8), 12);
  finish(&r);
}

/* ---- DRAM ---- */
static void row_hits_first(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 1);
  add(&r, 0, 0, MEM_READ, line_in(r.m, 0, 3, 0, 0), 15);
  add(&r, 0, 1, MEM_READ, line_in(r.m, 0, 3, 1, 0), 15); /* same bank, another row */
  add(&r, 0, 2, MEM_READ, line_in(r.m, 0, 3, 0, 1), 15); /* the open row: goes first */
  add(&r, 0, 3, MEM_READ, line_in(r.m, 0, 9, 1, 0), 15); /* another bank: opened meanwhile */
  drain(&r, 64);
  uint64_t a = reply_at(&r, 0, 0), b = reply_at(&r, 0, 1), a2 = reply_at(&r, 0, 2);
  uint64_t other = reply_at(&r, 0, 3);
  assert_int_equal(a, mem_dram_latency(&c));
  assert_true(a < a2 && a2 < other && other < b);
  /* L2 sees the first at 64; its data is on the bus from 91.02 to 97.57, that of the third to 104.11 */
  assert_int_equal(a2 - a, 105 - 98);
  /* the quarter of a channel activates every 4 * 6.193 = 24.77 cycles at most: bank 3 at 64, bank 9 at 88.77; bank 3
   * could be activated again at 64 + tRAS 31.53 + tRP 13.51 = 109.04, and is at 113.54 */
  assert_int_equal(b, 148 + 60 + 60 + 4 + 64);     /* 113.54 + 27.02 + 6.54 = 147.11 */
  assert_int_equal(other, 123 + 60 + 60 + 4 + 64); /* 88.77 + 27.02 + 6.54 = 122.34 */
  const struct mem_stats *s = mem_stats(r.m);
  assert_int_equal(s->dram_row_hit, 1);
  assert_int_equal(s->dram_row_miss, 2);
  assert_int_equal(s->dram_row_conflict, 1);
  finish(&r);
}

static void one_bank_ping_pong(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 24; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, 2, i, 0), 1);
  drain(&r, 64);
  /* tRC: 40000 ps at 1126 MHz are 45.04 cycles, and the first data has come after 13.51 + 13.51 + 1.64 = 28.66: up to
   * the eighth (28.66 + 7 * 45.04 = 343.9) 45 apart, then one more once in 24 */
  for (uint32_t i = 1; i < 24; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, 0), 45 * i + (i > 7));
  finish(&r);
}

static void starving(void **state) {
  (void)state;
  struct config c = defaults();
  c.dram_starve = 100;
  struct run r;
  start(&r, &c, 1);
  uint32_t hits = 0;
  add(&r, 0, 0, MEM_READ, line_in(r.m, 0, 0, 0, 0), 15);
  add(&r, 0, 0, MEM_READ, line_in(r.m, 0, 0, 1, 0), 15);
  for (uint32_t i = 1; i < 16; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, 0, 0, i), 15);
  c.dram_starve = 20;
  struct run q;
  start(&q, &c, 1);
  for (uint32_t i = 0; i < r.n[0]; i++) add(&q, 0, 0, MEM_READ, r.item[0][i].req.addr, 15);
  drain(&r, 64);
  drain(&q, 64);
  for (uint32_t i = 2; i < 17; i++) hits += reply_at(&q, 0, i) < reply_at(&q, 0, 1);
  /* Served by L2 every 2 cycles: the other row waits since 66. Column commands are given at 77.5 and then every
   * 6.54 cycles as the bus allows: 84.1, 90.6, ...; at each the bank chooses the next. The other row is 11, 18,
   * 24 old: it is chosen at 90.6, after two hits (chosen at 77.5 and 84.1). */
  assert_int_equal(hits, 2);
  assert_true(reply_at(&r, 0, 1) > reply_at(&r, 0, 14));
  assert_true(reply_at(&r, 0, 1) < reply_at(&r, 0, 16));
  finish(&r);
  finish(&q);
}

/* Banks apart, rows closed: activates are tRRD apart, which is a rate and never rounded: the i-th datum is complete at
 * 28.66 + i * tRRD after the first activate (13.51 + 13.51 + 1.64). */
static void activates(void **state) {
  (void)state;
  static const uint64_t whole[] = {0, 6, 13, 19, 25, 31, 37, 44}; /* 28.66, 34.9, 41.0, 47.2, 53.4, 59.6, 65.8, 72.0 */
  static const uint64_t quarter[] = {0, 25, 50, 74, 99, 124, 149, 174}; /* 28.66, 53.4, 78.2, 103.0, ... 202.1 */
  struct config c = defaults(); /* tRRD: 5500 ps are 6.193 cycles; a whole channel */
  c.dram_faw_ps = 0;
  c.dram_channels = 16;
  struct run r;
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 8; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, i, 0, 0), 1);
  drain(&r, 64);
  for (uint32_t i = 1; i < 8; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, 0), whole[i]);
  finish(&r);
  c.dram_channels = 4; /* a quarter of a channel: a quarter of its activates, one in 24.77 cycles */
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 8; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, i, 0, 0), 1);
  drain(&r, 64);
  for (uint32_t i = 1; i < 8; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, 0), quarter[i]);
  finish(&r);
}

/* Four activates in tFAW: 33 ns are 37.16 cycles, so the fifth is 37.16 after the first, not 4 * 6.19 = 24.77. */
static void four_activates(void **state) {
  (void)state;
  static const uint64_t want[] = {0, 6, 13, 19, 37, 44, 50, 56}; /* 28.66, 34.9, 41.0, 47.2; 65.8, 72.0, 78.2, 84.4 */
  struct config c = defaults();
  c.dram_channels = 16; /* a whole channel */
  c.dram_faw_ps = 33000;
  struct run r;
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 8; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, i, 0, 0), 1);
  drain(&r, 64);
  for (uint32_t i = 1; i < 8; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, 0), want[i]);
  finish(&r);
  c.dram_channels = 4; /* a quarter: 148.64 cycles, the fifth at 28.66 + 148.64 = 177.3 */
  start(&r, &c, 1);
  for (uint32_t i = 0; i < 5; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, i, 0, 0), 1);
  drain(&r, 64);
  assert_int_equal(reply_at(&r, 0, 3) - reply_at(&r, 0, 0), 74); /* 28.66 + 3 * 24.77 = 102.98 */
  assert_int_equal(reply_at(&r, 0, 4) - reply_at(&r, 0, 0), 178 - 29);
  finish(&r);
}

static uint64_t bus_end(const struct mem *m) { return m->channel[0].bus.at * 100 >> 8; } /* of the last data, 1/100 */

static void ask(struct mem *m, uint32_t bank, uint32_t row, bool write, uint64_t t) {
  const struct place p = {.bank = bank, .row = row};
  if (write) {
    dram_write(m, p, 15, 0, t);
  } else {
    uint32_t h = m->slice[0].free[--m->slice[0].free_n];
    m->mshr[h] = (struct mshr){.way = h, .head = NONE, .tail = NONE, .out = 15};
    dram_read(m, p, 15, h, t);
  }
}

/* The bus turns: a write's data 2 ns (2.25 cycles) after a read's, a read's tWTR + CL, 17 ns (19.14), after a write's. */
static void turnaround(void **state) {
  (void)state;
  struct config c = defaults();
  c.dram_channels = 16; /* a whole channel: tRCD, CL 13.52, WL 4.51, a line 6.54, tRRD 6.19 */
  struct mem *m = mem_new(&c, 1);
  const struct mem_stats *s = mem_stats(m);
  mem_quantum(m, 100);
  ask(m, 0, 0, true, 100);  /* activated at 100, could go at 113.52 */
  ask(m, 1, 0, false, 100); /* activated at 106.19, goes first: 119.71 + 13.52 + 6.54 */
  mem_quantum(m, 137);
  assert_int_equal(bus_end(m), 13976);
  assert_int_equal(s->dram_turns, 0);
  mem_quantum(m, 138); /* no other read: the write's data come 2.25 later, its command WL before, at 137.51 */
  assert_int_equal(bus_end(m), 14855); /* 139.76 + 2.25 + 6.54 */
  assert_int_equal(s->dram_turns, 1);
  mem_quantum(m, 141);
  ask(m, 1, 0, false, 141); /* its row is open, but the bus has to turn: 148.55 + 19.14 + 6.54 */
  mem_quantum(m, 300);
  assert_int_equal(bus_end(m), 17423); /* 148.555 + 19.145 + 6.542 = 174.24, a little less by the fractions cut off */
  assert_int_equal(s->dram_turns, 2);
  mem_free(m);
  c.dram_channels = 4; /* a quarter: the line 6.54 as before (the bandwidth is the same), the turn 4 times as long */
  m = mem_new(&c, 1);
  ask(m, 0, 0, true, 0); /* 13.52 + 4.51 + 6.54 */
  mem_quantum(m, 20);
  assert_int_equal(bus_end(m), 2456);
  ask(m, 0, 0, false, 20);
  mem_quantum(m, 200);
  assert_int_equal(bus_end(m), 10767); /* 24.566 + 4 * 19.145 + 6.542 = 107.69, less the fractions cut off */
  mem_free(m);
}

/* Of reads and writes in open rows: nine writes wait, then the tenth comes and they go until four are left. */
static void watermarks(void **state) {
  (void)state;
  struct config c = defaults();
  c.dram_channels = 16;
  c.dram_write_high = 10;
  c.dram_write_low = 4;
  c.dram_queue = 64;
  struct mem *m = mem_new(&c, 1);
  for (uint32_t i = 0; i < 60; i++) ask(m, 1, 0, false, 0);
  for (uint32_t i = 0; i < 9; i++) ask(m, 0, 0, true, 0);
  /* the reads go every 6.54 cycles from 13.52 + 13.52 on; the 25th is complete at 190.6, its command given at 170.5 */
  mem_quantum(m, 171);
  assert_int_equal(m->st.dram_read_sectors, 25 * 4);
  assert_int_equal(m->st.dram_write_sectors, 0);
  ask(m, 0, 0, true, 171);
  mem_quantum(m, 400);
  assert_int_equal(m->st.dram_write_sectors, 6 * 4); /* four are left, and reads go again */
  assert_int_equal(m->st.dram_turns, 2);
  assert_int_equal(m->channel[0].n[1], 4);
  mem_quantum(m, 1000); /* no reads any more: the last four, too */
  assert_int_equal(m->st.dram_write_sectors, 10 * 4);
  assert_int_equal(m->st.dram_turns, 3);
  mem_free(m);
}

static void write_then_precharge(void **state) {
  (void)state;
  struct config c = defaults();
  c.l2_bytes = 4096 * 16; /* 32 lines: 4 sets of 8 */
  struct run r;
  start(&r, &c, 1);
  uint32_t n = 0, victim = 0;
  for (uint32_t line = 0; n < 9; line++)
    if (part_fold(r.m->by_set, line) == 0 && dram_place(r.m, line).row == 0) {
      if (!n) victim = line << 7;
      add(&r, 0, 0, n ? MEM_READ : MEM_WRITE, line << 7, 15);
      n++;
    }
  drain(&r, 64); /* the ninth line evicts the first, which is dirty */
  const struct mem_stats *s = mem_stats(r.m);
  assert_int_equal(s->l2_writebacks, 1);
  assert_int_equal(s->dram_write_sectors, 4);
  uint64_t t = r.now;
  add(&r, 0, t, MEM_READ, victim, 15); /* comes from DRAM again */
  drain(&r, 64);
  assert_int_equal(s->dram_read_sectors, 8 * 4 + 4);
  finish(&r);
}

/* ---- bandwidth ---- */
static struct config wide(int64_t sms) { /* nothing but DRAM limits */
  struct config c = defaults();
  c.gpu_sms = sms;
  c.noc_request_bytes = c.noc_reply_bytes = 1024;
  c.noc_credits = 1024;
  c.l2_mshrs = 1024;
  c.l2_interval = 1;
  c.l2_queue = 64;
  return c;
}

enum { SUM = 3 }; /* two arrays are read, a third one is written */

static void stream_items(struct run *r, unsigned sms, uint32_t lines, int kind, uint32_t stride) {
  for (uint32_t i = 0; i < lines; i++)
    if (kind != SUM) add(r, i % sms, 0, kind, i * stride * 128, 15);
    else add(r, i % sms, 0, i % 3 == 2 ? MEM_WRITE : MEM_READ, (i % 3 << 26) + i / 3 * stride * 128, 15);
}

/* Bytes that came in the second half of the run in percent of the share, times 100; must not be above it. */
static uint64_t stream(const struct config *c, unsigned sms, uint32_t lines, int kind, uint32_t stride) {
  struct run r;
  start(&r, c, sms);
  stream_items(&r, sms, lines, kind, stride);
  while (!posted_all(&r) && r.now < 100000000) quantum(&r, r.m->quantum);
  uint64_t end = r.now;
  const struct mem_stats *s = mem_stats(r.m);
  uint64_t sectors = s->dram_read_sectors + s->dram_write_sectors, from = end / 2;
  assert_true(s->dram_busy <= (end + 256) * 256 * r.m->nchannels);
  struct run q; /* the same again, stopped half way */
  start(&q, c, sms);
  stream_items(&q, sms, lines, kind, stride);
  from -= from % q.m->quantum;
  while (q.now < from) quantum(&q, q.m->quantum);
  uint64_t before = mem_stats(q.m)->dram_read_sectors + mem_stats(q.m)->dram_write_sectors;
  /* share in bytes per cycle: mbps * sms / gpu.sms / clock */
  uint64_t moved = (sectors - before) * 32 * (uint64_t)c->gpu_clock_mhz * (uint64_t)c->gpu_sms;
  uint64_t could = (uint64_t)c->dram_mbps * sms * (end - from);
  uint64_t slack = 8 * 32 * (uint64_t)c->gpu_clock_mhz * (uint64_t)c->gpu_sms * r.m->nchannels;
  assert_true(moved <= could + slack); /* at both edges a burst may be cut */
  finish(&r);
  finish(&q);
  return moved * 10000 / could;
}

static void streaming(void **state) {
  (void)state;
  static const int64_t sms[] = {16, 10, 24, 1};
  for (unsigned i = 0; i < 4; i++) {
    struct config c = wide(sms[i]);
    uint64_t got = stream(&c, 1, 20000, MEM_READ, 1);
    if (got < 9700) fail_msg("gpu.sms %d: %d / 10000 of the share", (int)sms[i], (int)got);
  }
  struct config c = defaults(); /* the default machine as it is */
  uint64_t got = stream(&c, 1, 20000, MEM_READ, 1);
  if (got < 9700) fail_msg("default: %d / 10000 of the share", (int)got);
  got = stream(&c, 16, 40000, MEM_READ, 1);
  if (got < 9200) fail_msg("16 SMs: %d / 10000 of the share", (int)got);
  got = stream(&c, 1, 20000, MEM_WRITE, 1);
  if (got < 8500) fail_msg("writes: %d / 10000 of the share", (int)got);
  /* Batches of 12 writes and 24 reads, 6.54 cycles each, and two turns of the bus, (19.14 + 2.25) * 4/3 cycles: 0.892;
   * more where a batch is longer (what a bank has begun is finished), less where the next row is not yet open. */
  c.dram_channels = 12;
  got = stream(&c, 1, 60000, SUM, 1);
  if (got < 8700 || got > 9300) fail_msg("sum of two arrays: %d / 10000 of the share", (int)got);
}

/* A share is the same, whether one SM has it or several: services of a slice per cycle. */
static void shares(void **state) {
  (void)state;
  static const int64_t slices[] = {16, 6, 16, 8}, sms[] = {16, 15, 10, 24};
  for (unsigned i = 0; i < 4; i++) {
    struct config c = wide(sms[i]);
    c.l2_slices = slices[i];
    c.l2_interval = 2;
    struct run r;
    start(&r, &c, 1);
    mem_touch(r.m, 0);
    for (uint32_t k = 0; k < 1001; k++) add(&r, 0, 0, MEM_READ, (k & 1) * 128, 1);
    mem_touch(r.m, 128);
    drain(&r, 64);
    /* 1000 hits later, on one slice, or alternating on two: gpu.sms / slices * 2 cycles each */
    uint64_t took = r.rep[0][1000].cycle - r.rep[0][0].cycle;
    uint64_t want = 2000 * (uint64_t)sms[i] / (uint64_t)slices[i];
    assert_true(took + 2 >= want && took <= want + 2);
    assert_int_equal(r.m->by_set.n * r.m->nslices * r.m->ways * 128 <= c.l2_bytes / sms[i], true);
    finish(&r);
  }
  struct config c = defaults();
  c.l2_bytes = 786432;
  c.gpu_sms = 15;
  struct run r;
  start(&r, &c, 1);
  assert_int_equal(r.m->by_set.n, 51); /* 52428 bytes: no power of two */
  finish(&r);
  c = defaults();
  start(&r, &c, 16);
  assert_int_equal(r.m->nslices, 16);
  assert_int_equal(r.m->nchannels, 4);
  assert_int_equal(r.m->by_set.n * r.m->nslices * r.m->ways * 128, 2097152);
  finish(&r);
}

static void mapping(void **state) {
  (void)state;
  static const int64_t banks[] = {16, 12, 1, 8, 16}, channels[] = {4, 3, 1, 6, 12};
  for (unsigned i = 0; i < 5; i++) {
    struct config c = defaults();
    c.gpu_sms = 1;
    c.dram_banks = banks[i];
    c.dram_channels = channels[i];
    struct mem *m = mem_new(&c, 1);
    uint32_t n = 1 << 16, rows = n, per = (uint32_t)(banks[i] * channels[i]);
    uint8_t *seen = xcalloc((size_t)rows * per, 1);
    for (uint32_t line = 0; line < n; line++) { /* at most the 16 columns of a row fall in one place */
      struct place p = dram_place(m, line);
      assert_true(p.channel < channels[i] && p.bank < banks[i] && p.row < rows);
      assert_true(++seen[((size_t)p.row * banks[i] + p.bank) * channels[i] + p.channel] <= 16);
    }
    free(seen);
    mem_free(m);
  }
}

/* Twelve channels behind sixteen slices: strides by powers of two reach every channel equally often, from all slices
 * together within 2 %, and from each slice (64 lines for each channel if it were exact). */
static void twelve_channels(void **state) {
  (void)state;
  struct config c = defaults();
  c.dram_channels = 12;
  struct mem *m = mem_new(&c, 16);
  assert_int_equal(m->nchannels, 12);
  assert_int_equal(m->nslices, 16);
  for (uint32_t stride = 1; stride <= 4096; stride *= 2) {
    uint32_t channel[12] = {0}, both[16][12] = {{0}}, n = 16 * 12 * 64;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t line = i * stride, ch = dram_place(m, line).channel;
      channel[ch]++;
      both[l2_slice(m, line)][ch]++;
    }
    for (unsigned k = 0; k < 12; k++) {
      assert_in_range(channel[k], n / 12 * 98 / 100, n / 12 * 102 / 100);
      for (unsigned s = 0; s < 16; s++) assert_in_range(both[s][k], 40, 96);
    }
  }
  mem_free(m);
}

/* ---- any quantum, the same replies ---- */
static void random_items(struct run *r, uint64_t seed, uint32_t n, uint32_t lines, uint64_t pause) {
  for (unsigned s = 0; s < r->m->sms; s++) {
    uint64_t t = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint64_t x = rng_next(&seed);
      unsigned pick = x & 15;
      t += (x >> 4) % (pause + 1);
      add(r, s, t,
          pick < 9    ? MEM_READ
          : pick < 14 ? MEM_WRITE
                      : MEM_ATOMIC,
          (uint32_t)((x >> 32) % lines) * 128, (uint8_t)(1 + (x >> 16) % 15));
      struct mem_req *q = &r->item[s][r->n[s] - 1].req;
      q->words &= (uint32_t)(x >> 24) * 0x01010101u | mem_words((uint8_t)(x >> 12) & 15);
    }
  }
}

static void quantum_does_not_matter(void **state) {
  (void)state;
  static const int64_t quanta[] = {64, 1, 7, 33};
  for (unsigned sms = 1; sms <= 5; sms += 4) {
    struct run r[4];
    for (unsigned i = 0; i < 4; i++) {
      struct config c = defaults();
      c.gpu_quantum = quanta[i];
      c.l2_bytes = 65536;
      c.gpu_sms = 10;
      c.l2_slices = 5;
      c.l2_queue = 2;
      c.l2_mshrs = 6;
      c.noc_credits = 9;
      c.dram_queue = 6;
      c.dram_write_high = 4;
      c.dram_write_low = 1;
      start(&r[i], &c, sms);
      random_items(&r[i], 42, 1500, 300, 12);
      drain(&r[i], (uint64_t)quanta[i]);
      checked(&r[i]);
      assert_true(r[i].reps[0] > 500);
      struct mem_stats a = *mem_stats(r[i].m), b = *mem_stats(r[0].m);
      assert_int_equal(a.cycles % (uint64_t)quanta[i], 0); /* it is advanced by whole quanta; all else is the same */
      a.cycles = b.cycles;
      assert_memory_equal(&a, &b, sizeof a);
      for (unsigned s = 0; s < sms; s++) {
        assert_int_equal(r[i].reps[s], r[0].reps[s]);
        for (uint32_t k = 0; k < r[0].reps[s]; k++) {
          assert_int_equal(r[i].rep[s][k].cycle, r[0].rep[s][k].cycle);
          assert_int_equal(r[i].rep[s][k].tag, r[0].rep[s][k].tag);
        }
      }
    }
    for (unsigned i = 0; i < 4; i++) finish(&r[i]);
  }
}

/* Sleeping up to mem_next loses nothing: as with every quantum taken. */
static void sleeping(void **state) {
  (void)state;
  for (uint64_t quantum_length = 1; quantum_length <= 64; quantum_length = quantum_length * 4 + 3) {
    struct config c = defaults();
    c.gpu_quantum = (int64_t)(quantum_length > 64 ? 64 : quantum_length);
    struct run a;
    start(&a, &c, 1);
    random_items(&a, 7, 200, 5000, 300);
    drain(&a, a.m->quantum);
    struct run b;
    start(&b, &c, 1);
    random_items(&b, 7, 200, 5000, 300);
    uint64_t slept = 0;
    for (;;) { /* posts when it may; with nothing to post it sleeps */
      uint64_t next = mem_next(b.m), post = NEVER, q = b.m->quantum;
      if (!posted_all(&b)) {
        uint64_t due = b.item[0][b.done[0]].cycle;
        post = mem_post_at(b.m, 0, due > b.now ? due : b.now);
      }
      if (post < next) next = post;
      if (next == NEVER) break;
      if (next > b.now + q) {
        uint64_t to = next / q * q;
        slept += to - b.now;
        mem_quantum(b.m, to);
        b.now = to;
        uint32_t n;
        const struct mem_reply *p = mem_replies(b.m, 0, &n);
        for (uint32_t i = 0; i < n; i++) VEC_PUSH(b.rep[0], b.reps[0], b.rep_cap[0]) = p[i];
        continue;
      }
      quantum(&b, q);
    }
    assert_true(slept > 0);
    assert_int_equal(a.reps[0], b.reps[0]);
    for (uint32_t i = 0; i < a.reps[0]; i++) assert_int_equal(a.rep[0][i].cycle, b.rep[0][i].cycle);
    finish(&a);
    finish(&b);
  }
}

/* ---- stress: the least and the oddest of everything ---- */
static void stress(void **state) {
  (void)state;
  uint64_t seed = 2024;
  for (unsigned round = 0; round < 60; round++) {
    struct config c = defaults();
#define ANY(lo, hi) (int64_t)(lo + rng_next(&seed) % (hi - lo + 1))
    c.gpu_sms = ANY(1, 24);
    unsigned sms = (unsigned)ANY(1, c.gpu_sms);
    c.noc_latency = ANY(1, 80);
    c.gpu_quantum = ANY(0, 80);
    c.noc_request_bytes = ANY(1, 64);
    c.noc_reply_bytes = ANY(1, 64);
    c.noc_credits = ANY(1, 70);
    c.l2_bytes = ANY(4096, 200000);
    c.l2_ways = ANY(1, 16);
    c.l2_slices = ANY(1, 20);
    c.l2_interval = ANY(1, 4);
    c.l2_mshrs = ANY(1, 8);
    c.l2_queue = ANY(1, 5);
    c.dram_channels = ANY(1, 9);
    c.dram_banks = ANY(1, 64);
    c.dram_queue = ANY(1, 20);
    c.dram_write_high = ANY(1, c.dram_queue);
    c.dram_write_low = ANY(0, c.dram_write_high - 1);
    c.dram_row_bytes = 128 * ANY(2, 17);
    c.dram_starve = ANY(1, 300);
    c.dram_mbps = ANY(10000, 800000);
    if (round % 7 == 0) c.dram_rrd_ps = c.dram_rcd_ps = c.dram_rp_ps = c.dram_cl_ps = 0;
    struct run r;
    start(&r, &c, sms);
    random_items(&r, seed, 400, (uint32_t)ANY(2, 3000), (uint64_t)ANY(0, 9));
    finish(&r);
  }
}

/* The check at the end does see what is broken. */
static void conservation(void **state) {
  (void)state;
  struct config c = defaults();
  struct run r;
  start(&r, &c, 1);
  random_items(&r, 3, 300, 2000, 3);
  drain(&r, 64);
  checked(&r);
  uint64_t *count[] = {&r.m->st.replies,   &r.m->st.l2_read_hit,    &r.m->filled, &r.m->dirtied, &r.m->st.dram_row_hit,
                       &r.m->st.dram_busy, &r.m->st.noc_reply_bytes};
  for (unsigned i = 0; i < 7; i++) {
    struct err e = {0};
    ++*count[i];
    assert_false(mem_check(r.m, &e));
    assert_true(e.set && strstr(e.text, "expected"));
    --*count[i];
  }
  struct err e = {0};
  r.m->port[0].home--;
  assert_false(mem_check(r.m, &e));
  assert_non_null(strstr(e.text, "credits"));
  r.m->port[0].home++;
  finish(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(latencies),
      cmocka_unit_test(latencies_of_other_machines),
      cmocka_unit_test(merging),
      cmocka_unit_test(mshrs_run_out),
      cmocka_unit_test(write_back),
      cmocka_unit_test(parts_make_a_sector),
      cmocka_unit_test(atomics),
      cmocka_unit_test(credits),
      cmocka_unit_test(row_hits_first),
      cmocka_unit_test(one_bank_ping_pong),
      cmocka_unit_test(starving),
      cmocka_unit_test(activates),
      cmocka_unit_test(four_activates),
      cmocka_unit_test(turnaround),
      cmocka_unit_test(watermarks),
      cmocka_unit_test(write_then_precharge),
      cmocka_unit_test(streaming),
      cmocka_unit_test(shares),
      cmocka_unit_test(mapping),
      cmocka_unit_test(twelve_channels),
      cmocka_unit_test(quantum_does_not_matter),
      cmocka_unit_test(sleeping),
      cmocka_unit_test(stress),
      cmocka_unit_test(conservation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
