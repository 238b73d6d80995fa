/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SM's way to memory, by microbenchmarks whose answers can be computed by hand: shared memory, LSU, L1, latencies by level, stores,
 * the end of a launch. Most cases run a program with n and with m repetitions and compare the difference.
 */
#include "unit/sm_prog.h"

/* ---- shared memory ---- */
static void shared_bank_conflicts(void **state) {
  (void)state;
  for (unsigned way = 1; way <= 32; way *= 2) {
    uint64_t t[2];
    for (int more = 0; more < 2; more++) {
      struct config c = base();
      struct prog *p = prog();
      p->c.shared_bytes = 32 * 128;
      emit(p, OP_MUL, T_U32, M_LO, R(2), SR(SR_TID_X), I(4 * way), NO); /* word stride `way`: way-fold conflict */
      struct insn *st = emit(p, OP_ST, T_U32, 0, NO, R(2), R(2), NO);   /* each word holds its own address */
      st->space = SP_SHARED;
      for (int k = 0; k < (more ? 9 : 1); k++) load(p, SP_SHARED, R(2), R(2), 0);
      finish(p, 8);
      struct run r = run(&c, p, 1, 32);
      t[more] = r.s.cycles;
      assert_int_equal(r.s.shared_conflicts, (way - 1) * (unsigned)(more ? 10 : 2));
      drop(p);
    }
    struct config c = base();
    assert_int_equal(t[1] - t[0], 8 * ((uint64_t)c.shared_latency + way - 1));
  }
}

/* The most different words that lanes want of one bank. */
static unsigned fold(unsigned lanes, unsigned banks, const uint32_t *addr) {
  unsigned most = 0;
  for (unsigned b = 0; b < banks; b++) {
    unsigned n = 0;
    for (unsigned l = 0; l < lanes; l++) {
      bool first = addr[l] / 4 % banks == b;
      for (unsigned k = 0; k < l && first; k++) first = addr[k] / 4 != addr[l] / 4;
      n += first;
    }
    most = n > most ? n : most;
  }
  return most;
}

/* Lanes at (a * tid + b) & mask, some of them at the same word; of a warp that is not full, any number of banks. */
static void shared_patterns(void **state) {
  (void)state;
  static const uint32_t step[] = {0, 4, 36, 68, 124, 128, 132, 256, 1028, 2654435761u}, mask[] = {0x1c, 0x7c, 0xffc};
  static const int64_t banks[] = {32, 1, 16, 24, 64};
  unsigned seen[2] = {0, 0};
  for (unsigned i = 0; i < sizeof step / sizeof *step * 3 * 5 * 2; i++) {
    const unsigned lanes = i & 1 ? 32 : 19;
    const uint32_t a = step[i / 30], and = mask[i / 2 % 3], from = 4 * i;
    struct config c = base();
    c.shared_banks = banks[i / 6 % 5];
    struct prog *p = prog();
    uint32_t addr[32];
    for (unsigned l = 0; l < lanes; l++) addr[l] = (l * a + from) & and;
    p->c.shared_bytes = 4096;
    emit(p, OP_MAD, T_U32, M_LO, R(2), SR(SR_TID_X), I(a), I(from));
    emit(p, OP_AND, T_B32, 0, R(2), R(2), I(and), NO);
    load(p, SP_SHARED, R(3), R(2), 0);
    finish(p, 8);
    const unsigned extra = fold(lanes, (unsigned)c.shared_banks, addr) - 1;
    assert_int_equal(run(&c, p, 1, lanes).s.shared_conflicts, extra);
    seen[extra > 0]++;
    drop(p);
  }
  assert_true(seen[0] > 50 && seen[1] > 50);
}

/* With a word per bank in two cycles: each pass but the first costs two, and the port is held for two a pass. */
static uint64_t shared_loads(const struct config *c, unsigned n, unsigned warps, unsigned way, bool dependent) {
  struct prog *p = prog();
  p->c.shared_bytes = 32 * 128;
  emit(p, OP_AND, T_B32, 0, R(2), SR(SR_TID_X), I(31), NO);
  emit(p, OP_MUL, T_U32, M_LO, R(2), R(2), I(4 * way), NO);
  emit(p, OP_ST, T_U32, 0, NO, R(2), R(2), NO)->space = SP_SHARED;
  for (unsigned k = 0; k < n; k++) load(p, SP_SHARED, dependent ? R(2) : R(4 + k % 16), R(2), 0);
  finish(p, 24);
  uint64_t t = run(c, p, 1, 32 * warps).s.cycles;
  drop(p);
  return t;
}

static void shared_bandwidth(void **state) {
  (void)state;
  struct config c = base();
  c.shared_interval = 2;
  for (unsigned way = 1; way <= 32; way *= 2)
    assert_int_equal(shared_loads(&c, 9, 1, way, true) - shared_loads(&c, 1, 1, way, true),
                     8 * ((uint64_t)c.shared_latency + 2 * (way - 1)));
  /* independent loads of 16 warps: 16 x 64 of them at a load in two cycles, 64 bytes a cycle */
  assert_int_equal(shared_loads(&c, 128, 16, 1, false) - shared_loads(&c, 64, 16, 1, false), 16 * 64 * 2);
  c.shared_interval = 1;
  assert_in_range(shared_loads(&c, 128, 16, 1, false) - shared_loads(&c, 64, 16, 1, false), 16 * 64, 16 * 64 * 2 - 1);
}

/* ---- L1, L2, DRAM by pointer chase ---- */
static uint64_t chase(const struct config *c, unsigned n, uint32_t bytes, uint32_t stride, uint32_t mods) {
  struct prog *p = prog();
  uint32_t at;
  /* the buffer's address is known before the program is built: the first allocation of an empty module */
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *probe = memory_new(&empty);
  at = memory_alloc(probe, "chase", bytes);
  memory_free(probe);
  emit(p, OP_MOV, T_U64, 0, RR(2), II(at), NO, NO);
  for (unsigned k = 0; k < n; k++) load(p, SP_GLOBAL, RR(2), RR(2), mods);
  finish(p, 8);
  struct memory *mem = chased(p, &at, bytes, stride);
  uint64_t t = run_in(c, p, mem, 1, 1).s.cycles;
  memory_free(mem);
  drop(p);
  return t;
}

/* Cycles of `n` dependent loads of 8 bytes by `lanes` lanes; lane k's is at k * stride and holds its own address. */
static uint64_t strided(const struct config *c, unsigned n, unsigned lanes, uint32_t stride, uint32_t mods) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "own", lanes * stride);
  for (uint32_t k = 0; k < lanes; k++) {
    uint64_t own = at + k * stride;
    memcpy(memory_at(mem, (uint32_t)own, 8), &own, 8);
  }
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(stride), II(at));
  for (unsigned k = 0; k < n; k++) load(p, SP_GLOBAL, RR(2), RR(2), mods);
  finish(p, 8);
  uint64_t t = run_in(c, p, mem, 1, lanes).s.cycles;
  memory_free(mem);
  drop(p);
  return t;
}

/* The 48 sets and 8 ways hold all lines, so that all loads but the first hit; the last line's access of n ends n - 1
 * cycles after the first one's. */
static void lines_of_a_cycle(void **state) {
  (void)state;
  const struct {
    unsigned lines, lanes, stride, cycles;
  } want[] = {{1, 32, 128, 32},     /* one line a cycle */
              {4, 32, 128, 8},      /* four neighbours, in four sets */
              {8, 32, 128, 4},      /* eight */
              {4, 32, 32, 2},       /* four sectors of a line are one access: 8 lines */
              {4, 8, 48 * 128, 8},  /* all in one set: one a cycle */
              {4, 8, 24 * 128, 4},  /* two sets in turn: two a cycle */
              {4, 12, 16 * 128, 4}, /* three: a fourth line would be in the first one's set */
              {1, 8, 48 * 128, 8}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    struct config c = base();
    assert_int_equal(c.l1_bytes / 128 / c.l1_ways, 48);
    c.lsu_lines = want[k].lines;
    uint64_t took =
        strided(&c, 12, want[k].lanes, want[k].stride, 0) - strided(&c, 4, want[k].lanes, want[k].stride, 0);
    assert_int_equal(took, 8 * ((unsigned)c.l1_latency + want[k].cycles - 1));
  }
}

/* l1.hash: eight lines that stand in 8 ways; four of them a cycle, in order, to distinct sets. */
static void hashed_sets(void **state) {
  (void)state;
  const struct {
    int hash;
    unsigned sets, stride, cycles;
  } want[] = {
      {l1_hash_none, 32, 8192, 8},    /* all in one set */
      {l1_hash_fermi, 32, 8192, 2},   /* bits 13, 14, 15: eight sets */
      {l1_hash_fermi, 32, 4096, 5},   /* bit 12 counts for 64 sets only: two lines of each set, one behind the other */
      {l1_hash_fermi, 64, 4096, 2},   /* bits 12, 13, 14 */
      {l1_hash_fermi, 32, 65536, 4},  /* of bits 16 to 19 of 1 to 8 x 65536 only 17 counts: sets 0 8 8 0 0 8 8 0 */
      {l1_hash_fermi, 32, 262144, 5}, /* of bits 18, 19 and 20 only 19: sets 0 0 16 16 0 0 16 16 */
      {l1_hash_fermi, 32, 128, 2}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    struct config c = base();
    c.l1_hash = want[k].hash, c.l1_ways = 8, c.l1_bytes = 128 * 8 * want[k].sets, c.lsu_lines = 4;
    uint64_t took = strided(&c, 12, 8, want[k].stride, 0) - strided(&c, 4, 8, want[k].stride, 0);
    assert_int_equal(took, 8 * ((unsigned)c.l1_latency + want[k].cycles - 1));
  }
}

/* mem's latencies are of a whole line; these loads want one sector, whose reply packet is shorter. */
static uint64_t one_sector_less(const struct config *c) {
  return (uint64_t)((8 + 128 - 1) / c->noc_reply_bytes - (8 + 32 - 1) / c->noc_reply_bytes);
}

/* Eight-byte loads that hit; b bytes a cycle: 32 lanes' data need 256 / b cycles, behind which the next load follows. */
static void bytes_of_a_cycle(void **state) {
  (void)state;
  struct config c = base();
  c.lsu_lines = 4;
  const struct {
    unsigned bytes, lanes, stride, cycles;
  } want[] = {{0, 32, 8, 1},    /* two lines, no limit */
              {64, 32, 8, 4},   /* 256 bytes */
              {64, 8, 8, 1},    /* 64 bytes of one line */
              {64, 9, 8, 2},    /* 72 bytes: a cycle begun */
              {64, 32, 128, 8}, /* 32 lines take longer than their data */
              {128, 32, 8, 2}};
  for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
    c.lsu_bytes = want[k].bytes;
    uint64_t took =
        strided(&c, 12, want[k].lanes, want[k].stride, 0) - strided(&c, 4, want[k].lanes, want[k].stride, 0);
    assert_int_equal(took, 8 * ((unsigned)c.l1_latency + want[k].cycles - 1));
  }
}

/* Loads of 32 lines that hit L2, whose slice serves one request in two cycles; L: latency of one of them. Without a
 * limit the last reply comes 31 x 2 cycles after the first. Of eight MSHRs each is free with the reply: four batches of
 * eight, each L after the one before, the last reply 7 x 2 behind the first of its batch. Of eight credits each is back
 * noc.latency after the slice has served the request, 2 x noc.latency after it was posted. */
static void misses_in_flight(void **state) {
  (void)state;
  struct config c = base(), few = base(), poor = base();
  c.l1_mshrs = c.noc_credits = c.l2_mshrs = 256;
  few.l1_mshrs = 8;
  poor.noc_credits = 8;
  uint64_t L = mem_hit_latency(&c) - one_sector_less(&c), far = 2 * (uint64_t)c.noc_latency;
  assert_int_equal(strided(&c, 12, 32, 128, M_CG) - strided(&c, 4, 32, 128, M_CG), 8 * (3 + L + 31 * 2));
  assert_int_equal(strided(&few, 12, 32, 128, M_CG) - strided(&few, 4, 32, 128, M_CG), 8 * (3 + 4 * L + 7 * 2));
  assert_int_equal(strided(&poor, 12, 32, 128, M_CG) - strided(&poor, 4, 32, 128, M_CG), 8 * (3 + 3 * far + L + 7 * 2));
}

static void pointer_chase(void **state) {
  (void)state;
  struct config c = base();
  /* a line that points to itself: all but the first hit L1 */
  assert_int_equal(chase(&c, 12, 128, 128, 0) - chase(&c, 4, 128, 128, 0), 8 * c.l1_latency);
  /* past the L1: all but the first hit L2; load to use = 3 cycles from issue to the LSU, then the memory's own latency */
  assert_int_equal(chase(&c, 12, 128, 128, M_CG) - chase(&c, 4, 128, 128, M_CG),
                   8 * (3 + mem_hit_latency(&c) - one_sector_less(&c)));
}

static void dram_latency(void **state) {
  (void)state;
  struct config c = base();
  /* The second line lies in a bank that is not open (neither for the first line nor for the instructions). */
  uint64_t one = chase(&c, 1, 1 << 20, 1 << 17, 0), two = chase(&c, 2, 1 << 20, 1 << 17, 0);
  assert_int_equal(two - one, 3 + mem_dram_latency(&c));
}

static void latency_is(unsigned level, unsigned loads, uint64_t cycles) {
  assert_int_equal(took[level].loads, loads);
  assert_int_equal(took[level].cycles, loads * cycles);
  assert_int_equal(took[level].p50, loads ? cycles : 0);
  assert_int_equal(took[level].p95, loads ? cycles : 0);
  assert_int_equal(took[level].most, loads ? cycles : 0);
}

/* A line that points to itself, from the LSU's look-up, three cycles behind the issue, to the register. */
static void load_latencies_by_level(void **state) {
  (void)state;
  struct config c = base();
  c.dram_latency = 8; /* so that a load from DRAM is below 256 cycles, where bins are exact */
  uint64_t l1 = (uint64_t)c.l1_latency - 3, l2 = mem_hit_latency(&c) - one_sector_less(&c);
  chase(&c, 12, 128, 128, 0);
  latency_is(LATENCY_L1, 11, l1);
  latency_is(LATENCY_L2, 0, 0);
  latency_is(LATENCY_DRAM, 1, mem_dram_latency(&c)); /* the whole line */
  assert_int_equal(took[LATENCY_ALL].p50, l1);
  assert_int_equal(took[LATENCY_ALL].p95, mem_dram_latency(&c)); /* 11 of 12 are but 91.7 % */
  assert_int_equal(took[LATENCY_ALL].cycles, 11 * l1 + mem_dram_latency(&c));
  chase(&c, 12, 128, 128, M_CG);
  latency_is(LATENCY_L1, 0, 0);
  latency_is(LATENCY_L2, 11, l2);
  assert_int_equal(took[LATENCY_DRAM].loads, 1);
  chase(&c, 21, 128, 128, 0); /* 20 of 21 are 95.2 % */
  assert_int_equal(took[LATENCY_ALL].p95, l1);
  /* 32 lines of one load, one a cycle: its latency is that of the last */
  strided(&c, 2, 32, 128, 0);
  latency_is(LATENCY_L1, 1, l1 + 31);
  assert_int_equal(took[LATENCY_DRAM].loads, 1);
}

/* ---- streaming, merging ---- */
static struct run stream_read(const struct config *c, unsigned ctas, unsigned loads) {
  struct prog *p = prog();
  struct module empty = {.global_end = GLOBAL_BASE};
  struct memory *probe = memory_new(&empty);
  uint32_t bytes = ctas * 1024 * 4 * loads, at = memory_alloc(probe, "in", bytes);
  memory_free(probe);
  emit(p, OP_MAD, T_U32, M_LO, R(4), SR(SR_CTAID_X), I(1024), SR(SR_TID_X));
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), R(4), I(4), II(at));
  for (unsigned k = 0; k < loads; k++) {
    load(p, SP_GLOBAL, R(8 + k), RR(2), 0);
    p->insn[p->n - 1].offset = (int64_t)k * ctas * 4096;
  }
  finish(p, 8 + loads);
  struct memory *mem = memory_new(&p->m);
  assert_int_equal(memory_alloc(mem, "in", bytes), at);
  struct run r = run_in(c, p, mem, ctas, 1024);
  memory_free(mem);
  drop(p);
  return r;
}

static void streaming_reads_reach_their_share(void **state) {
  (void)state;
  struct config c = base();
  struct run a = stream_read(&c, 32, 8);
  double share =
      (double)c.dram_mbps * 1e6 / (double)(c.gpu_clock_mhz * 1000000) / (double)c.gpu_sms; /* bytes per cycle */
  double got = (double)a.m.dram_read_sectors * 32 / (double)a.s.cycles;
  print_message("streaming: %.2f of %.2f bytes per cycle (%.1f %%)\n", got, share, 100 * got / share);
  assert_true(got <= share);
  assert_true(got >= 0.85 * share);
}

static void mshr_merges(void **state) {
  (void)state;
  struct config c = base();
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "line", 128);
  emit(p, OP_MOV, T_U64, 0, RR(2), II(at), NO, NO);
  load(p, SP_GLOBAL, R(4), RR(2), 0);
  finish(p, 8);
  struct run r = run_in(&c, p, mem, 1, 128); /* four warps, one line */
  assert_int_equal(r.s.l1_reads, 4);
  assert_int_equal(r.s.l1_read_misses, 1);
  assert_int_equal(r.s.l1_read_merges, 3);
  assert_int_equal(r.m.req_reads, 1 + r.s.icache_misses);
  c.l1_merge = 1; /* no room for a second: the others wait, then hit */
  r = run_in(&c, p, mem, 1, 128);
  assert_int_equal(r.s.l1_read_merges, 0);
  assert_int_equal(r.s.l1_read_hits, 3);
  assert_true(r.s.lsu_stall_mshr > 0);
  memory_free(mem);
  drop(p);
}

/* ---- words of stores ---- */
/* Lane k stores `t` at k * 8 + first, then at k * 8 + second, and reads 4 bytes at k * 8 from L2; sectors from DRAM. */
static uint64_t stored(struct config *c, enum dtype t, int first, int second) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "parts", 256);
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(8), II(at));
  for (int k = 0; k < 2; k++) {
    struct insn *st = emit(p, OP_ST, t, 0, NO, RR(2), t == T_U64 ? RR(2) : R(2), NO);
    st->space = SP_GLOBAL;
    st->offset = k ? second : first;
  }
  emit(p, OP_BAR, T_NONE, 0, NO, I(0), NO, NO)->sub =
      BAR_SYNC; /* the load, with one operand less, does not overtake them */
  load(p, SP_GLOBAL, R(4), RR(2), M_CG);
  finish(p, 8);
  struct run r = run_in(c, p, mem, 1, 32);
  memory_free(mem);
  drop(p);
  return r.m.dram_read_sectors - 4 * r.s.icache_misses;
}

static void stores_of_parts(void **state) {
  (void)state;
  struct config c = base();
  assert_int_equal(stored(&c, T_U32, 0, 4), 0); /* even words, odd words: the eight sectors are whole */
  assert_int_equal(stored(&c, T_U32, 0, 0), 8); /* even ones twice */
  assert_int_equal(stored(&c, T_U16, 0, 2), 8); /* half words */
  assert_int_equal(stored(&c, T_U64, 0, 0), 0);
  c.l2_mask = 32;
  assert_int_equal(stored(&c, T_U32, 0, 4), 8);
  assert_int_equal(stored(&c, T_U64, 0, 0), 0);
}

/* ---- the end of a launch ---- */
/* One warp writes n lines in a row and exits. */
static struct run writes(const struct config *c, int n) {
  struct prog *p = prog();
  struct memory *mem = memory_new(&(struct module){.global_end = GLOBAL_BASE});
  uint32_t at = memory_alloc(mem, "lines", 128 * 32);
  emit(p, OP_MAD, T_U32, M_WIDE, RR(2), SR(SR_TID_X), I(4), II(at));
  for (int k = 0; k < n; k++) {
    struct insn *st = emit(p, OP_ST, T_U32, 0, NO, RR(2), R(2), NO);
    st->space = SP_GLOBAL;
    st->offset = 128 * k;
  }
  finish(p, 8);
  struct run r = run_in(c, p, mem, 1, 32);
  memory_free(mem);
  drop(p);
  return r;
}

/* The last CTA ends in the cycle in which its last store is posted, p. Of the packet, 8 bytes and 128, the last byte leaves
 * at p + floor(135 / 32) = p + 4 (or, at 8 bytes a cycle, p + 16) and is at L2 noc.latency later, which takes it then. */
static void stores_are_drained(void **state) {
  (void)state;
  struct config c = base();
  assert_int_equal(writes(&c, 0).s.drain_cycles, 0);
  for (int n = 1; n <= 8; n++) assert_int_equal(writes(&c, n).s.drain_cycles, 4 + 64);
  struct run with = writes(&c, 8);
  c.gpu_drain = false;
  struct run without = writes(&c, 8);
  assert_int_equal(without.s.drain_cycles, 0);
  assert_int_equal(without.s.cycles + 4 + 64, with.s.cycles);
  assert_int_equal(without.s.slot_empty + 4 * (4 + 64), with.s.slot_empty); /* four schedulers */
  assert_int_equal(without.m.cycles, with.m.cycles);
  c.gpu_drain = true;
  c.noc_latency = 164;
  assert_int_equal(writes(&c, 8).s.drain_cycles, 4 + 164);
  c.noc_request_bytes = 8;
  assert_int_equal(writes(&c, 1).s.drain_cycles, 16 + 164);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_bank_conflicts),
      cmocka_unit_test(shared_patterns),
      cmocka_unit_test(shared_bandwidth),
      cmocka_unit_test(pointer_chase),
      cmocka_unit_test(load_latencies_by_level),
      cmocka_unit_test(lines_of_a_cycle),
      cmocka_unit_test(hashed_sets),
      cmocka_unit_test(bytes_of_a_cycle),
      cmocka_unit_test(misses_in_flight),
      cmocka_unit_test(dram_latency),
      cmocka_unit_test(streaming_reads_reach_their_share),
      cmocka_unit_test(mshr_merges),
      cmocka_unit_test(stores_of_parts),
      cmocka_unit_test(stores_are_drained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
