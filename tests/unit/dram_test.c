/* SPDX-License-Identifier: Apache-2.0 */
/* dram: banks, activates, the bus's turns, bandwidths and shares against numbers computed by hand. */
#include "unit/mem_kit.h"

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

/* Lines of banks apart, rows closed: each datum is complete so many cycles after the first. */
static void one_of_each_bank(const struct config *c, uint32_t n, const uint64_t *want) {
  struct run r;
  start(&r, c, 1);
  for (uint32_t i = 0; i < n; i++) add(&r, 0, 0, MEM_READ, line_in(r.m, 0, i, 0, 0), 1);
  drain(&r, 64);
  for (uint32_t i = 1; i < n; i++) assert_int_equal(reply_at(&r, 0, i) - reply_at(&r, 0, 0), want[i]);
  finish(&r);
}

/* Activates are tRRD apart, which is a rate and never rounded: the i-th datum is complete at 28.66 + i * tRRD after the first
 * activate (13.51 + 13.51 + 1.64). */
static void activates(void **state) {
  (void)state;
  static const uint64_t whole[] = {0, 6, 13, 19, 25, 31, 37, 44}; /* 28.66, 34.9, 41.0, 47.2, 53.4, 59.6, 65.8, 72.0 */
  static const uint64_t quarter[] = {0, 25, 50, 74, 99, 124, 149, 174}; /* 28.66, 53.4, 78.2, 103.0, ... 202.1 */
  struct config c = defaults(); /* tRRD: 5500 ps are 6.193 cycles; a whole channel */
  c.dram_faw_ps = 0;
  c.dram_channels = 16;
  one_of_each_bank(&c, 8, whole);
  c.dram_channels = 4; /* a quarter of a channel: a quarter of its activates, one in 24.77 cycles */
  one_of_each_bank(&c, 8, quarter);
}

/* Four activates in tFAW: 33 ns are 37.16 cycles, so the fifth is 37.16 after the first, not 4 * 6.19 = 24.77. */
static void four_activates(void **state) {
  (void)state;
  static const uint64_t whole[] = {0, 6, 13, 19, 37, 44, 50, 56}; /* 28.66, 34.9, 41.0, 47.2; 65.8, 72.0, 78.2, 84.4 */
  static const uint64_t quarter[] = {0, 25, 50, 74, 149}; /* 28.66, 53.4, 78.2, 103.0; 148.64 after the first: 177.3 */
  struct config c = defaults();
  c.dram_channels = 16;
  c.dram_faw_ps = 33000;
  one_of_each_bank(&c, 8, whole);
  c.dram_channels = 4;
  one_of_each_bank(&c, 5, quarter);
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

/* The bus is kept for writes that wait for a long turn, until one more comes whose row is closed: then ready reads go first again. Their data
 * come from then on, not when they could have. */
static void reads_behind_a_long_turn(void **state) {
  (void)state;
  struct config c = defaults();
  c.dram_channels = 16;
  c.dram_write_high = 10;
  c.dram_write_low = 4;
  c.dram_queue = 64;
  c.dram_rtw_ps = 1000000; /* 1126 cycles */
  struct mem *m = mem_new(&c, 1);
  mem_quantum(m, 100);
  for (uint32_t i = 0; i < 8; i++) ask(m, 1, 0, false, 100);
  for (uint32_t i = 0; i < 10; i++) ask(m, 0, 0, true, 100);
  mem_quantum(m, 800);
  const uint64_t before = m->st.dram_read_sectors;
  assert_true(before < 8 * 4 && m->st.dram_write_sectors == 0 && m->mshrs_since < 300);
  ask(m, 2, 0, true, 800);
  mem_quantum(m, 801);
  assert_true(m->st.dram_read_sectors > before);
  mem_quantum(m, 900);
  assert_in_range(m->mshrs_since, 800, 900);
  mem_free(m);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_hits_first),
      cmocka_unit_test(one_bank_ping_pong),
      cmocka_unit_test(starving),
      cmocka_unit_test(activates),
      cmocka_unit_test(four_activates),
      cmocka_unit_test(turnaround),
      cmocka_unit_test(watermarks),
      cmocka_unit_test(reads_behind_a_long_turn),
      cmocka_unit_test(write_then_precharge),
      cmocka_unit_test(streaming),
      cmocka_unit_test(shares),
      cmocka_unit_test(mapping),
      cmocka_unit_test(twelve_channels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
