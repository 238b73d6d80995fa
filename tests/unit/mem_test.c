/* SPDX-License-Identifier: Apache-2.0 */
/* mem: latencies, L2, orders against numbers computed by hand; any quantum; stress. DRAM: dram_test.c. */
#include "unit/mem_kit.h"

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
      cmocka_unit_test(quantum_does_not_matter),
      cmocka_unit_test(sleeping),
      cmocka_unit_test(stress),
      cmocka_unit_test(conservation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
