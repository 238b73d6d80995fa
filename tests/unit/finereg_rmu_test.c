/* SPDX-License-Identifier: Apache-2.0 */
/* FineReg's pcrf and rmu: golden models against the cycle numbers and the rules of docs/blocks/finereg. */
#include "unit/finereg_kit.h"

#include "blocks/finereg/rmu.h"

NOW(pcrf)
NOW(rmu)
SKIPS(pcrf)
SKIPS(rmu)

/* ---- pcrf ---- */
/* What a chain of the test holds, in the order of the walk. */
struct link {
  unsigned idx, w, r;
  uint32_t d[32];
};

static void pcrf_put(struct pcrf_in *in, const struct link *l, bool end, unsigned next) {
  in->write_valid_i = 1;
  in->write_index_i = l->idx;
  in->write_end_i = end;
  in->write_next_i = next;
  in->write_warp_i = l->w;
  in->write_register_i = l->r;
  memcpy(in->write_data_i, l->d, sizeof in->write_data_i);
}

static void pcrf_is(const struct pcrf_out *o, const struct link *l, bool end) {
  assert_int_equal(o->head_valid_o, 1);
  assert_int_equal(o->head_index_o, l->idx);
  assert_int_equal(o->head_end_o, end);
  assert_int_equal(o->head_warp_o, l->w);
  assert_int_equal(o->head_register_o, l->r);
  assert_memory_equal(o->head_data_o, l->d, sizeof l->d);
}
static bool pcrf_empty(const struct pcrf_out *o) {
  static const struct pcrf_out none;
  return !memcmp(o, &none, sizeof none);
}

/* A chain of n in entries 5, 12, 19, ...; written last first. */
enum { CHAIN = 10 };
static void pcrf_chain(struct pcrf *s, struct link chain[CHAIN]) {
  pcrf_reset(s);
  for (unsigned k = CHAIN; k--;) {
    chain[k] = (struct link){.idx = 5 + 7 * k, .w = k & 3, .r = 62 - k};
    for (int i = 0; i < 32; i++) chain[k].d[i] = rnd(UINT32_MAX);
    struct pcrf_in in = {0};
    pcrf_put(&in, &chain[k], k == CHAIN - 1, k == CHAIN - 1 ? 0 : chain[k + 1].idx);
    pcrf_tick(s, &in);
  }
}

static void pcrf_cycles(void **state) {
  (void)state;
  seed = 6;
  static struct pcrf s;
  struct link chain[CHAIN];
  const struct pcrf_in none = {0}, pop = {.head_pop_i = 1};
  pcrf_chain(&s, chain); /* popped at once: the first after four cycles, then every second */
  for (unsigned t = 0; t < 4 + 2 * CHAIN; t++) {
    const struct pcrf_in in = {
        .walk_valid_i = t == 0, .walk_pointer_i = t == 0 ? chain[0].idx : 0, .head_pop_i = t >= 4 && t % 2 == 0};
    const struct pcrf_out o = pcrf_now(&s, &in);
    if (in.head_pop_i) pcrf_is(&o, &chain[t / 2 - 2], t == 4 + 2 * (CHAIN - 1));
    else assert_true(pcrf_empty(&o));
    pcrf_skips(&s, &none);
    pcrf_tick(&s, &in);
  }
  assert_int_equal(s.r.credit_q, 4);
  assert_true(pcrf_idle(&s) == UINT64_MAX);

  pcrf_chain(&s, chain); /* without a pop: four credits, and no fifth */
  for (unsigned t = 0; t < 20; t++) {
    assert_int_equal(s.r.credit_q, t == 0 ? 4 : t <= 2 ? 3 : t <= 4 ? 2 : t <= 6 ? 1 : 0);
    const struct pcrf_out o = pcrf_now(&s, &none);
    if (t >= 4) pcrf_is(&o, &chain[0], false);
    else assert_true(pcrf_empty(&o));
    assert_int_equal(pcrf_idle(&s), t == 0 || t >= 10 ? UINT64_MAX : 0);
    pcrf_skips(&s, &none);
    pcrf_tick(&s, t ? &none : &(struct pcrf_in){.walk_valid_i = 1, .walk_pointer_i = chain[0].idx});
  }
  for (unsigned t = 0; t < 4;
       t++) { /* four pops; the fifth's tag is read a cycle after the first, so it comes at 1 + 4 */
    const struct pcrf_out o = pcrf_now(&s, &pop);
    pcrf_is(&o, &chain[t], false);
    assert_int_equal(s.r.credit_q, t == 0 ? 0 : t == 1 ? 1 : t - 1); /* read in 1, and again two cycles later */
    pcrf_tick(&s, &pop);
  }
  assert_true(!s.fifo_count_q);
  struct pcrf_out o = pcrf_now(&s, &none);
  assert_true(pcrf_empty(&o));
  pcrf_tick(&s, &none);
  o = pcrf_now(&s, &none);
  pcrf_is(&o, &chain[4], false);
}

/* Chains are walked, popped at random; what a pop frees is written again as part of the next chain; lanes
 * change late. */
static void pcrf_traffic(unsigned entries, unsigned most) {
  static struct pcrf s;
  static struct link old[pcrf_NumEntries_most], new[pcrf_NumEntries_most];
  static bool used[pcrf_NumEntries_most];
  unsigned n_old = 0, full = 0;
  memset(used, 0, sizeof used);
  pcrf_reset(&s);
  if (entries != pcrf_NumEntries) {
    struct pcrf_params size = pcrf_defaults();
    size.NumEntries = entries;
    pcrf_size(&s, &size);
  }
  for (int round = 0; round < 60; round++) {
    const unsigned n_new = 1 + rnd(most), patience = 5 + rnd(95);
    unsigned at = 0, made = 0;
    bool walking = false;
    while (at < n_old || made < n_new) {
      struct pcrf_in in = {0};
      const struct pcrf_out o = pcrf_now(&s, &in);
      if (n_old && !walking) in.walk_valid_i = walking = true, in.walk_pointer_i = old[0].idx;
      if (o.head_valid_o) {
        pcrf_is(&o, &old[at], at == n_old - 1);
        full += s.fifo_count_q == PCRF_PLACES;
        in.head_pop_i = chance(patience);
        if (in.head_pop_i) used[old[at++].idx] = false;
      }
      const unsigned idx = rnd(entries);
      if (made < n_new && !used[idx] && chance(50) && !(in.head_pop_i && old[at - 1].idx == idx && s.walk_q)) {
        struct link *l = &new[n_new - 1 - made];
        *l = (struct link){.idx = idx, .w = rnd(32), .r = rnd(63)};
        for (int i = 0; i < 32; i++) l->d[i] = rnd(UINT32_MAX);
        pcrf_put(&in, l, made == 0, made ? l[1].idx : 0);
        used[idx] = true;
        made++;
      } else if (made && chance(20)) {
        struct link *l = &new[n_new - 1 - rnd(made)];
        in.fill_valid_i = 1, in.fill_index_i = l->idx, in.fill_lanes_i = rnd(UINT32_MAX);
        for (int i = 0; i < 32; i++) {
          in.fill_data_i[i] = rnd(UINT32_MAX);
          if (in.fill_lanes_i >> i & 1) l->d[i] = in.fill_data_i[i];
        }
      }
      pcrf_tick(&s, &in);
      if (chance(1)) pcrf_skips(&s, &(struct pcrf_in){0});
    }
    assert_int_equal(s.r.credit_q, 4);
    memcpy(old, new, n_new * sizeof *new);
    n_old = n_new;
  }
  assert_true(full > 50);
}
static void pcrf_sizes(void **state) {
  (void)state;
  seed = 7;
  pcrf_traffic(1024, 100);
  pcrf_traffic(16, 8);
  pcrf_traffic(2048, 100);
}

static void pcrf_break_rule(uint32_t rule) {
  static struct pcrf s;
  struct link chain[CHAIN];
  pcrf_chain(&s, chain);
  if (rule == 0) pcrf_tick(&s, &(struct pcrf_in){.head_pop_i = 1});
  if (rule == 1) pcrf_tick(&s, &(struct pcrf_in){.walk_valid_i = 1, .walk_pointer_i = 6}); /* never written */
  struct pcrf_in in = {.walk_valid_i = 1, .walk_pointer_i = 5};
  if (rule == 2) in.write_valid_i = 1, in.write_index_i = 5;
  pcrf_tick(&s, &in);
  if (rule == 3) pcrf_tick(&s, &in); /* walks already */
  const struct pcrf_in wr = {.write_valid_i = 1, .write_index_i = 5}, fl = {.fill_valid_i = 1, .fill_index_i = 5};
  for (uint32_t t = 1; t < 8; t++) { /* the first entry, read at 0, is popped at 7 */
    in = t == (rule - 4) / 2 ? rule % 2 ? wr : fl : (struct pcrf_in){0};
    in.head_pop_i = t == 7;
    pcrf_tick(&s, &in);
  }
  in = (struct pcrf_in){0};
  if (rule == 20) in.fill_valid_i = in.write_valid_i = 1, in.write_index_i = 5;
  if (rule == 21) in = fl;
  pcrf_tick(&s, &in);
}
static void pcrf_asserts(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < 4; rule++) assert_true(asserts(pcrf_break_rule, rule));
  for (uint32_t rule = 6; rule < 18; rule++) assert_true(asserts(pcrf_break_rule, rule));
  for (uint32_t rule = 18; rule < 20; rule++) assert_false(asserts(pcrf_break_rule, rule));
  assert_true(asserts(pcrf_break_rule, 20));
  assert_false(asserts(pcrf_break_rule, 21));
}

/* ---- rmu ---- */
/*
 * A model of the engine's environment: CTAs of a few warps whose registers lie in ACRF slots, a memory of vectors, and
 * loads that come late. want[] is the whole truth: what each register holds, wherever it is.
 */
enum { W_CTAS = 10, W_WARPS = 4, W_REGS = 63, NOWHERE = -1, ACTIVE, PENDING };
enum { SPILL, RESTORE, SWAP };
static unsigned engine; /* of the worlds that are made from now on */
struct world {
  struct rmu s;
  struct rmu_in base; /* vector_base_i and code_base_i */
  unsigned patience;  /* how willing ports and memory are, in percent */
  unsigned density;   /* of the live vectors, in 64ths */
  unsigned slots;
  int where[W_CTAS], slot[W_CTAS];
  unsigned count[W_CTAS]; /* registers in the PCRF */
  uint32_t pc[W_CTAS][W_WARPS];
  bool finished[W_CTAS][W_WARPS];
  int entry[W_CTAS][W_WARPS][W_REGS]; /* in the PCRF, or NOWHERE */
  uint32_t acrf[W_CTAS][W_WARPS][W_REGS][32];
  uint32_t want[W_CTAS][W_WARPS][W_REGS][32];
  /* the command under way */
  unsigned op, a, b;
  unsigned reads; /* of the ACRF under way */
  int vector_in;  /* answer of memory */
  uint32_t vector_a;
  unsigned awr, ard, mvi, mvo, cycles, first_awr, last_awr, last_ard;
};
static struct world W;

static uint64_t live_at(uint32_t a) {
  uint64_t v = 0, s = vector_at(a);
  for (unsigned r = 0; r < W_REGS; r++) v |= (uint64_t)(rng_next(&s) % 64 < W.density) << r;
  return v;
}
static uint64_t live_of(unsigned cta, unsigned w) {
  return W.finished[cta][w] ? 0 : live_at((uint32_t)(W.base.vector_base_i + W.pc[cta][w] - W.base.code_base_i));
}
static unsigned live_count(unsigned cta) {
  unsigned n = 0;
  for (unsigned w = 0; w < W_WARPS; w++) n += (unsigned)bit_count64(live_of(cta, w));
  return n;
}

static void launch(unsigned cta, int slot) {
  W.where[cta] = ACTIVE;
  W.slot[cta] = slot;
  for (unsigned w = 0; w < W_WARPS; w++) {
    W.pc[cta][w] = (uint32_t)W.base.code_base_i + 8 * rnd(40);
    W.finished[cta][w] = chance(10);
    for (unsigned r = 0; r < W_REGS; r++) {
      W.entry[cta][w][r] = NOWHERE;
      for (unsigned l = 0; l < 32; l++) W.want[cta][w][r][l] = W.acrf[slot][w][r][l] = rnd(UINT32_MAX);
    }
  }
}

static void world(unsigned entries, unsigned slots, unsigned density, unsigned patience) {
  memset(&W.base, 0, sizeof W - offsetof(struct world, base));
  rmu_reset(&W.s);
  struct rmu_params size = rmu_defaults();
  size.NumEntries = entries;
  size.LrvcEntries = 8;
  size.Engine = engine;
  rmu_size(&W.s, &size);
  W.base = (struct rmu_in){.vector_base_i = 0x70000, .code_base_i = 0x400};
  W.patience = patience;
  W.density = density;
  W.slots = slots;
  for (unsigned c = 0; c < W_CTAS; c++) W.where[c] = W.slot[c] = NOWHERE;
  memset(W.entry, 0xff, sizeof W.entry); /* NOWHERE */
  for (unsigned c = 0; c < slots; c++) launch(c, (int)c);
  struct rmu_in in = W.base;
  in.invalidate_i = 1;
  rmu_tick(&W.s, &in);
}

/* The lanes of a load that comes back late, for a register in the PCRF. */
static void late_load(struct rmu_in *in, const struct rmu_out *o) {
  const unsigned c = rnd(W_CTAS), w = rnd(W_WARPS), r = rnd(W_REGS);
  if (!o->fill_ready_o || W.entry[c][w][r] == NOWHERE) return;
  if (o->busy_o && ((o->busy_outgoing_valid_o && o->busy_outgoing_cta_o == c) ||
                    (o->busy_incoming_valid_o && o->busy_incoming_cta_o == c)))
    return;
  in->fill_valid_i = 1;
  in->fill_index_i = (uint64_t)W.entry[c][w][r];
  in->fill_lanes_i = rnd(UINT32_MAX);
  for (unsigned l = 0; l < 32; l++) {
    in->fill_data_i[l] = rnd(UINT32_MAX);
    if (in->fill_lanes_i >> l & 1) W.want[c][w][r][l] = in->fill_data_i[l];
  }
}

/* The oldest read of the ACRF is answered with the value that it had at its accept; another one is accepted. */
static void acrf_read(struct rmu_in *in, const struct rmu_out *o) {
  static uint32_t value[RMU_READS][32];
  static unsigned due[RMU_READS];
  static int offered; /* in the cycle before, and refused: it stays */
  const int name = (int)(64 * o->acrf_read_warp_o + o->acrf_read_register_o);
  if (W.cycles && offered >= 0) assert_true(o->acrf_read_valid_o && name == offered);
  offered = o->acrf_read_valid_o && !in->acrf_read_ready_i ? name : -1;
  if (W.reads && W.cycles >= due[0]) {
    in->acrf_response_valid_i = 1;
    memcpy(in->acrf_response_data_i, value[0], sizeof value[0]);
    memcpy(value[0], value[1], sizeof value[0]);
    due[0] = due[1];
    W.reads--;
  }
  if (!o->acrf_read_valid_o || !in->acrf_read_ready_i) return;
  assert_in_range(W.reads, 0, W.s.size.Engine - 1);
  memcpy(value[W.reads], W.acrf[W.slot[W.a]][o->acrf_read_warp_o][o->acrf_read_register_o], sizeof value[0]);
  due[W.reads++] = W.cycles + 1 + (W.patience == 100 ? 0 : rnd(4));
  W.last_ard = W.cycles;
  W.ard++;
}

/* One cycle: `in` has the command; ports, memory and late loads are the world's. */
static struct rmu_out cycle(struct rmu_in in) {
  in.vector_base_i = W.base.vector_base_i;
  in.code_base_i = W.base.code_base_i;
  const struct rmu_out o = rmu_now(&W.s, &in);
  if (o.restored_valid_o) {
    assert_true(W.entry[W.b][o.restored_warp_o][o.restored_register_o] != NOWHERE);
    W.entry[W.b][o.restored_warp_o][o.restored_register_o] = NOWHERE;
    W.mvo++;
  }
  if (o.stored_valid_o) {
    assert_true(live_of(W.a, (unsigned)o.stored_warp_o) >> o.stored_register_o & 1);
    assert_int_equal(W.entry[W.a][o.stored_warp_o][o.stored_register_o], NOWHERE);
    W.entry[W.a][o.stored_warp_o][o.stored_register_o] = (int)o.stored_index_o;
    W.mvi++;
  }
  in.pc_live_i = !W.finished[W.a][o.pc_warp_o & 3]; /* of no interest outside vector_request */
  in.pc_i = W.pc[W.a][o.pc_warp_o & 3];
  in.memory_request_ready_i = chance(W.patience);
  if (W.vector_in && !--W.vector_in) {
    in.memory_response_valid_i = 1;
    in.memory_response_data_i = live_at(W.vector_a);
  }
  if (o.memory_request_valid_o && in.memory_request_ready_i) {
    W.vector_a = (uint32_t)o.memory_request_addr_o;
    W.vector_in = 1 + (int)rnd(W.patience == 100 ? 1 : 6);
  }
  in.acrf_read_ready_i = chance(W.patience);
  acrf_read(&in, &o);
  in.acrf_write_ready_i = chance(W.patience);
  if (o.acrf_write_valid_o && in.acrf_write_ready_i) {
    memcpy(W.acrf[W.op == SWAP ? W.slot[W.a] : W.slot[W.b]][o.acrf_write_warp_o][o.acrf_write_register_o],
           o.acrf_write_data_o, sizeof o.acrf_write_data_o);
    W.last_awr = W.cycles;
    if (!W.awr++) W.first_awr = W.cycles;
  }
  if (W.patience < 100 && chance(10)) late_load(&in, &o);
  if (chance(2) && rmu_idle(&W.s)) {
    const struct rmu_in quiet = W.base;
    rmu_skips(&W.s, &quiet);
  }
  rmu_tick(&W.s, &in);
  W.cycles++;
  return o;
}

static unsigned pending_registers(void) {
  unsigned n = 0;
  for (unsigned c = 0; c < W_CTAS; c++) n += W.count[c];
  return n;
}

static void came_back(unsigned cta) {
  for (unsigned w = 0; w < W_WARPS; w++) {
    for (unsigned r = 0; r < W_REGS; r++) {
      assert_int_equal(W.entry[cta][w][r], NOWHERE);
      if (live_of(cta, w) >> r & 1)
        assert_memory_equal(W.acrf[W.slot[cta]][w][r], W.want[cta][w][r], sizeof W.want[cta][w][r]);
    }
  }
}

/* A command from its accept (cycle 0) to its end; the cycle of done_v. slot: of b, if it is restored. */
static unsigned command(unsigned op, unsigned a, unsigned b, int slot, bool *ok) {
  static struct rmu before;
  const unsigned need = op == RESTORE ? W.count[b] : live_count(a);
  const unsigned leaves = op == SPILL ? 0 : W.count[b];
  const unsigned room = (unsigned)W.s.size.NumEntries - pending_registers() + leaves;
  W.op = op, W.a = a, W.b = b;
  W.awr = W.ard = W.mvi = W.mvo = W.cycles = W.first_awr = W.last_awr = W.last_ard = W.reads = 0;
  if (op == RESTORE) W.slot[b] = slot;
  memcpy(&before, &W.s, sizeof before);
  struct rmu_out o = cycle((struct rmu_in){.command_valid_i = 1,
                                           .command_operation_i = op,
                                           .command_outgoing_cta_i = a,
                                           .command_incoming_cta_i = b,
                                           .command_warps_i = W_WARPS});
  assert_int_equal(o.command_ready_o, 1);
  while (W.s.r.state_q) {
    o = cycle((struct rmu_in){0});
    assert_true(o.busy_o && o.busy_outgoing_valid_o == (op != RESTORE) && o.busy_incoming_valid_o == (op != SPILL) &&
                !o.done_valid_o);
    assert_int_equal(o.busy_outgoing_cta_o, op != RESTORE ? a : 0);
    assert_int_equal(o.busy_incoming_cta_o, op != SPILL ? b : 0);
    assert_true(W.cycles < 100000);
  }
  const unsigned end = W.cycles;
  o = cycle((struct rmu_in){0});
  assert_true(o.done_valid_o && !o.busy_o && o.command_ready_o);
  *ok = o.done_success_o;
  if (*ok || engine == RMU_SERIAL) assert_int_equal(o.done_count_o, need);
  else assert_in_range(o.done_count_o, room + 1, need); /* what was known */
  assert_int_equal(*ok, op == RESTORE || need <= room);
  if (!*ok) { /* no trace, but for what the cache has learnt and late loads have changed */
    assert_true(!W.awr && !W.ard && !W.mvi && !W.mvo);
    assert_memory_equal(&before.fsmon, &W.s.fsmon, sizeof before.fsmon);
    assert_memory_equal(&before.ppt, &W.s.ppt, sizeof before.ppt);
    assert_memory_equal(before.pcrf.tag_m, W.s.pcrf.tag_m, sizeof before.pcrf.tag_m);
    if (engine == RMU_PIPELINED) assert_int_equal(W.s.pipe.vector_valid_q, 0);
    else
      for (unsigned w = 0; w < 32; w++) assert_int_equal(W.s.vector_q[w], 0);
    return end;
  }
  assert_int_equal(W.mvo, leaves);
  assert_int_equal(W.awr, leaves);
  assert_int_equal(W.mvi, op == RESTORE ? 0 : need);
  assert_int_equal(W.ard, op == RESTORE ? 0 : need);
  if (op != RESTORE) {
    W.where[a] = PENDING;
    W.count[a] = need;
  }
  if (op != SPILL) {
    if (op == SWAP) W.slot[b] = W.slot[a];
    W.where[b] = ACTIVE;
    W.count[b] = 0;
    came_back(b);
  } else { /* the next CTA in the slot */
    for (unsigned w = 0; w < W_WARPS; w++) memset(W.acrf[W.slot[a]][w], 0xdb, sizeof W.acrf[0][w]);
  }
  if (op != RESTORE) W.slot[a] = NOWHERE;
  assert_int_equal(o.free_count_o, W.s.size.NumEntries - pending_registers());
  return end;
}

static bool slot_taken(int slot) {
  for (unsigned c = 0; c < W_CTAS; c++) {
    if (W.slot[c] == slot) return true;
  }
  return false;
}
static int free_slot(void) {
  for (int slot = 0; slot < (int)W.slots; slot++) {
    if (!slot_taken(slot)) return slot;
  }
  return NOWHERE;
}
static int some(int where) {
  const unsigned from = rnd(W_CTAS);
  for (unsigned k = 0; k < W_CTAS; k++) {
    if (W.where[(from + k) % W_CTAS] == where) return (int)((from + k) % W_CTAS);
  }
  return NOWHERE;
}

/* Commands at random, as the ACRF's slots allow; a CTA that goes on has other PCs and writes registers. */
static void rmu_interleavings(unsigned entries, unsigned density, unsigned seen[SWAP + 1][2]) {
  world(entries, 3, density, 60);
  for (int k = 0; k < 150; k++) {
    const int a = some(ACTIVE), b = some(PENDING), slot = free_slot(), fresh = some(NOWHERE);
    bool ok;
    if (slot != NOWHERE && fresh != NOWHERE && chance(50)) {
      launch((unsigned)fresh, slot);
    } else if (slot != NOWHERE && b != NOWHERE && chance(60)) {
      command(RESTORE, 0, (unsigned)b, slot, &ok);
      seen[RESTORE][ok]++;
    } else if (a != NOWHERE && b != NOWHERE && chance(50)) {
      command(SWAP, (unsigned)a, (unsigned)b, 0, &ok);
      seen[SWAP][ok]++;
    } else if (a != NOWHERE) {
      command(SPILL, (unsigned)a, rnd(W_CTAS), 0, &ok);
      seen[SPILL][ok]++;
    }
    const int runs = some(ACTIVE);
    if (runs != NOWHERE) launch((unsigned)runs, W.slot[runs]);
    for (unsigned t = rnd(8); t; t--) cycle((struct rmu_in){0});
    if (chance(5)) { /* another kernel's vectors; spilled warps keep theirs in want[] only until they are back */
      if (some(PENDING) == NOWHERE) {
        struct rmu_in in = W.base;
        W.base.vector_base_i = in.vector_base_i = 0x1000 * rnd(100);
        in.invalidate_i = 1;
        rmu_tick(&W.s, &in);
      }
    }
  }
}
static void rmu_traffic(void) {
  seed = 8;
  unsigned seen[SWAP + 1][2] = {{0}};
  const unsigned sizes[][2] = {{1024, 10}, {200, 10}, {64, 6}, {40, 2}, {2048, 20}, {300, 50}, {1, 1}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) rmu_interleavings(sizes[i][0], sizes[i][1], seen);
  assert_true(seen[SPILL][0] > 20 && seen[SPILL][1] > 20 && seen[RESTORE][1] > 20 && seen[SWAP][0] > 20 &&
              seen[SWAP][1] > 20);
}

/* Nothing hindered: the page's cycle numbers of the serial engine. */
static void serial_cycles(void **state) {
  (void)state;
  engine = RMU_SERIAL;
  seed = 9;
  bool ok;
  for (unsigned density = 0; density < 64; density += 9) {
    world(1024, 2, density, 100);
    for (unsigned w = 0; w < W_WARPS; w++)
      W.finished[0][w] = false, W.finished[1][w] = w == 2, W.pc[1][w] = W.pc[0][w] = W.pc[0][0];
    const unsigned n = live_count(0), n1 = live_count(1), each = n / W_WARPS;
    /* one miss: vector_request, two cycles to memory and back, the answer; then hits */
    const unsigned drain = 1 + (each ? 1 + 2 * each : 0);
    const unsigned miss = 2;
    assert_int_equal(command(SPILL, 0, 0, 0, &ok), 1 + miss + 2 * W_WARPS + 1 + W_WARPS * drain + 1);
    assert_true(ok);
    const unsigned t = command(RESTORE, 0, 0, 0, &ok); /* accepted in cycle 0: the walk begins at c = 1 */
    assert_int_equal(t, n ? 1 + 6 + 2 * (n - 1) : 2);
    if (n) {
      assert_int_equal(W.first_awr, 1 + 4);
      assert_int_equal(W.last_awr, 1 + 4 + 2 * (n - 1));
    }
    /* hits only, and a warp that has finished: a cycle in vector_request, one in drain_load */
    assert_int_equal(command(SPILL, 1, 0, 0, &ok), 1 + 2 * 3 + 1 + 1 + (drain * 3 + 1) + 1);
    assert_int_equal(n1, 3 * each);
  }
}

/* Two CTAs that fill the PCRF to the last entry change places: in the same entries, and one after the other.
 */
static void rmu_full(void) {
  seed = 10;
  bool ok;
  world(1024, 3, 20, 70);
  for (unsigned c = 0; c < 3; c++) {
    for (unsigned w = 0; w < W_WARPS; w++) W.pc[c][w] = 0x400 + 8 * w, W.finished[c][w] = false;
  }
  const unsigned n = live_count(0);
  rmu_reset(&W.s);
  struct rmu_params size = rmu_defaults();
  size.NumEntries = n;
  size.LrvcEntries = 8;
  size.Engine = engine;
  rmu_size(&W.s, &size);
  command(SPILL, 0, 0, 0, &ok);
  assert_true(ok && rmu_now(&W.s, &W.base).free_count_o == 0);
  command(SPILL, 1, 0, 0, &ok);
  assert_false(ok);
  for (unsigned k = 0; k < 6; k++) { /* the same registers are live: every entry is exchanged */
    command(SWAP, 1 - k % 2, k % 2, 0, &ok);
    assert_true(ok && rmu_now(&W.s, &W.base).free_count_o == 0);
  }
  W.pc[1][0] = 0x400 + 8 * 9; /* other registers: entries of b are freed, and taken again */
  W.pc[1][1] = 0x400 + 8 * 10;
  command(SWAP, 1, 0, 0, &ok);
  assert_true(ok);
  W.finished[2][1] = true; /* fewer registers: entries are left */
  command(SWAP, 2, (unsigned)some(PENDING), 0, &ok);
  assert_true(ok && rmu_now(&W.s, &W.base).free_count_o == n - live_count(2));
}

/* All 32 warps with 63 live registers each: 2016 of them, the most that a CTA can have. */
static void rmu_largest(void) {
  static struct rmu s;
  rmu_reset(&s);
  struct rmu_params size = rmu_defaults();
  size.NumEntries = 2048;
  size.LrvcEntries = 32;
  size.Engine = engine;
  rmu_size(&s, &size);
  unsigned moved_in = 0, moved_out = 0, awr = 0;
  uint64_t ars_w = 0, ars_r = 0;
  bool ars = false;
  for (unsigned op = SPILL; op <= RESTORE; op++) {
    struct rmu_in in = {.command_valid_i = 1, .command_operation_i = op, .command_warps_i = 32};
    struct rmu_out o;
    do {
      o = rmu_now(&s, &in);
      in = (struct rmu_in){.command_valid_i = in.command_valid_i && !o.command_ready_o,
                           .pc_live_i = 1,
                           .memory_request_ready_i = 1,
                           .acrf_read_ready_i = 1,
                           .acrf_write_ready_i = 1};
      if (s.r.state_q == 0 && !o.done_valid_o)
        in.command_valid_i = 1, in.command_operation_i = op, in.command_warps_i = 32;
      if (s.lrvc.r.state_q == 2) in.memory_response_valid_i = 1, in.memory_response_data_i = UINT64_MAX >> 1;
      if (ars) in.acrf_response_valid_i = 1, in.acrf_response_data_i[7] = (uint32_t)(ars_w << 8 | ars_r);
      ars = o.acrf_read_valid_o;
      ars_w = o.acrf_read_warp_o, ars_r = o.acrf_read_register_o;
      if (o.acrf_write_valid_o)
        assert_int_equal(o.acrf_write_data_o[7], o.acrf_write_warp_o << 8 | o.acrf_write_register_o);
      awr += o.acrf_write_valid_o;
      moved_in += o.stored_valid_o;
      moved_out += o.restored_valid_o;
      rmu_tick(&s, &in);
    } while (!o.done_valid_o);
    assert_true(o.done_success_o);
    assert_int_equal(o.done_count_o, 2016);
    assert_int_equal(o.free_count_o, op == SPILL ? 32 : 2048);
  }
  assert_true(moved_in == 2016 && moved_out == 2016 && awr == 2016);
}

static void rmu_break_rule(uint32_t rule) {
  bool ok;
  seed = 11;
  world(1024, 3, 10, 100);
  command(SPILL, 0, 0, 0, &ok);
  struct rmu_in in = W.base;
  in.command_valid_i = 1;
  in.command_outgoing_cta_i = 1;
  in.command_warps_i = 4;
  if (rule == 0) in.command_warps_i = 0;
  if (rule == 1) in.command_warps_i = 33;
  if (rule == 2) in.command_outgoing_cta_i = 0; /* has registers in the PCRF already */
  if (rule == 3) in.command_operation_i = RESTORE, in.command_incoming_cta_i = 1; /* has none */
  if (rule == 4) in.command_operation_i = SWAP, in.command_incoming_cta_i = 1;
  if (rule == 5) in.invalidate_i = 1;
  if (rule == 6) in.fill_valid_i = 1, in.fill_index_i = 1023; /* free */
  if (rule == 7) in.acrf_response_valid_i = 1;
  if (rule == 8) in.memory_response_valid_i = 1;
  rmu_tick(&W.s, &in);
  in = W.base;
  in.pc_live_i = 1;
  in.pc_i = 0x4000;
  in.invalidate_i = rule == 9;
  rmu_tick(&W.s, &in);
}
static void rmu_asserts(void) {
  for (uint32_t rule = 0; rule < 10; rule++) assert_true(asserts(rmu_break_rule, rule));
  assert_false(asserts(rmu_break_rule, 10));
}

/* ---- rmu: the pipelined engine's cycles, by hand ---- */
/*
 * Commands in a world in which every look-up hits, ports and memory are always ready and a read of the ACRF is answered after one cycle.
 * Warp w of CTA c has the vector vec[c][w]. What is seen in each cycle; -1: nothing.
 */
enum { D_CTAS = 3, D_WARPS = 3, D_CYCLES = 64 };
static struct {
  struct rmu s;
  uint64_t vec[D_CTAS][D_WARPS];
  int state[D_CYCLES], ard[D_CYCLES], awr[D_CYCLES], mvi[D_CYCLES], free[D_CYCLES];
  bool ok;
  uint64_t count;
} D;

/* The cycle of done_v; the command is accepted in cycle 0. */
static unsigned drive(unsigned op, unsigned a, unsigned b, unsigned nw) {
  struct rmu_in in = {.command_valid_i = 1,
                      .command_operation_i = op,
                      .command_outgoing_cta_i = a,
                      .command_incoming_cta_i = b,
                      .command_warps_i = nw};
  bool ars = false;
  for (unsigned t = 0; t < D_CYCLES; t++) {
    struct rmu_out o = rmu_now(&D.s, &in);
    D.state[t] = (int)D.s.r.state_q;
    D.ard[t] = o.acrf_read_valid_o ? (int)(64 * o.acrf_read_warp_o + o.acrf_read_register_o) : -1;
    D.awr[t] = o.acrf_write_valid_o ? (int)(64 * o.acrf_write_warp_o + o.acrf_write_register_o) : -1;
    D.mvi[t] = o.stored_valid_o ? (int)o.stored_index_o : -1;
    D.free[t] = (int)o.free_count_o;
    D.ok = o.done_success_o;
    D.count = o.done_count_o;
    if (t && o.done_valid_o) return t;
    in.pc_live_i = D.vec[a][o.pc_warp_o % D_WARPS] != 0;
    in.pc_i = 8 * (D_WARPS * a + o.pc_warp_o);
    in.acrf_read_ready_i = in.acrf_write_ready_i = in.memory_request_ready_i = 1;
    in.memory_response_valid_i = D.s.lrvc.r.state_q == LRVC_MEMORY_WAIT;
    in.memory_response_data_i = in.memory_response_valid_i ? D.vec[a][D.s.lrvc.miss_pc_q / 8 % D_WARPS] : 0;
    in.acrf_response_valid_i = ars;
    ars = o.acrf_read_valid_o;
    rmu_tick(&D.s, &in);
    in = (struct rmu_in){0};
  }
  return D_CYCLES;
}

/* An engine of so many entries with all vectors in its cache: each CTA has been spilled and restored. */
static void drives(unsigned entries) {
  rmu_reset(&D.s);
  struct rmu_params size = rmu_defaults();
  size.NumCtas = 128;
  size.NumWarps = 32;
  size.Engine = RMU_PIPELINED;
  size.NumEntries = 512;
  size.LrvcEntries = 128;
  rmu_size(&D.s, &size);
  for (unsigned c = 0; c < D_CTAS; c++) {
    drive(SPILL, c, 0, D_WARPS);
    assert_true(D.ok);
    drive(RESTORE, 0, c, 0);
  }
  D.s.size.NumEntries = D.s.fsmon.size.NumEntries = entries;
}

static void is_seen(const int *seen, const char *name, unsigned from, const int *expected, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    if (seen[from + k] != expected[k]) print_error("%s in cycle %u\n", name, from + k);
    assert_int_equal(seen[from + k], expected[k]);
  }
}
#define SEEN(what, from, ...) \
  is_seen(D.what, #what, from, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* The page's example: three equal registers with two free entries, and with none. */
static void pipelined_example(void **state) {
  (void)state;
  memset(&D, 0, sizeof D);
  for (unsigned c = 0; c < D_CTAS; c++) D.vec[c][0] = 0xe; /* w0 r1 r2 r3 */
  drives(5);
  drive(SPILL, 1, 0, 1);
  assert_int_equal(drive(SWAP, 0, 1, 1), 12);
  assert_true(D.ok && D.count == 3);
  SEEN(state, 0, 0, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 9, 0);
  SEEN(ard, 1, -1, -1, -1, -1, 1, 2, 3, -1, -1, -1, -1, -1);
  SEEN(awr, 1, -1, -1, -1, -1, -1, -1, -1, 3, 2, 1, -1, -1);
  SEEN(free, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 2, 2, 2);
  /* r1, in the buffer in 7, goes to r3's entry 2, vacated in 6, below the free ones, 3 and 4; r2 and r3 to those of r2 and r1 */
  SEEN(mvi, 1, -1, -1, -1, -1, -1, -1, -1, 2, 1, 0, -1, -1);
  drives(3);
  drive(SPILL, 1, 0, 1);
  assert_int_equal(drive(SWAP, 0, 1, 1), 13);
  SEEN(ard, 4, -1, -1, -1, 3, 2, 1, -1, -1, -1, -1);
  SEEN(awr, 4, -1, -1, -1, -1, 3, 2, 1, -1, -1, -1);
  SEEN(state, 10, 11, 11, 9, 0);
}

/* The page's table of times. Three warps with `each` registers: M = N = 3 * each. */
static void pipelined_times(void **state) {
  (void)state;
  for (unsigned each = 1; each <= 7; each++) {
    const unsigned n = 3 * each;
    memset(&D, 0, sizeof D);
    for (unsigned w = 0; w < D_WARPS; w++) {
      D.vec[0][w] = D.vec[1][w] = (1u << each) - 1;
      D.vec[2][w] = D.vec[0][w] << each; /* disjoint */
    }
    /* 512 entries: sure in cycle 1, so c = 2. w0 is asked in 1, its vector is in st from 3 on and is the row from 4 on; the others follow in
     * time: a read in each of 4 to 3 + N. The end is 3 + L after the last. */
    drives(512);
    assert_int_equal(drive(SPILL, 0, 0, D_WARPS), 3 + n + 4);
    assert_true(D.ard[3] == -1 && D.ard[4] == 0 && D.ard[3 + n] >= 0 && D.ard[4 + n] == -1);
    assert_int_equal(drive(RESTORE, 0, 0, 0), 6 + n);
    assert_true(D.awr[4] == -1 && D.awr[5] >= 0 && D.awr[4 + n] >= 0 && D.awr[5 + n] == -1);
    /* all vectors first, in move at c = nw + 3 = 6: none free, equal c + 6 + M; one c + 5 + M; none free, disjoint c + 7 + M */
    drives(n);
    drive(SPILL, 1, 0, D_WARPS);
    assert_int_equal(drive(SWAP, 0, 1, D_WARPS), 6 + 6 + n);
    drives(n + 1);
    drive(SPILL, 1, 0, D_WARPS);
    assert_int_equal(drive(SWAP, 0, 1, D_WARPS), 6 + 5 + n);
    drives(n);
    drive(SPILL, 1, 0, D_WARPS);
    assert_int_equal(drive(SWAP, 2, 1, D_WARPS), 6 + 7 + n);
    assert_true(D.ok && D.free[6] == 0);
    /* refused: warp e's vector passes the room: 4 + e, and one more if the next warp has been asked, whose answer counts */
    for (unsigned e = 0; e < D_WARPS; e++) {
      drives(each * (e + 1) - 1);
      assert_int_equal(drive(SPILL, 0, 0, D_WARPS), 4 + e + (e + 1 < D_WARPS));
      assert_false(D.ok);
      assert_int_equal(D.count, each * (e + 1 < D_WARPS ? e + 2 : e + 1));
    }
  }
  /* 3 * 63 entries are enough for any three warps; with one less the first vector is awaited, seen in 3: c = 4 */
  drives(189);
  drive(SPILL, 0, 0, D_WARPS);
  assert_true(D.state[2] == RMU_MOVE && D.ard[4] >= 0);
  drives(188);
  drive(SPILL, 0, 0, D_WARPS);
  assert_true(D.state[3] == RMU_LOOK && D.state[4] == RMU_MOVE && D.ard[4] == -1 && D.ard[5] >= 0);
  memset(&D, 0, sizeof D); /* no register at all: three dead warps are answered in 1, 2, 3, and the end is seen in 4 */
  drives(512);
  assert_int_equal(drive(SPILL, 0, 0, D_WARPS), 6);
  assert_int_equal(drive(RESTORE, 0, 0, 0), 2);
}

static void both_engines(void **state) {
  (void)state;
  for (engine = RMU_SERIAL; engine <= RMU_PIPELINED; engine++) {
    rmu_traffic();
    rmu_full();
    rmu_largest();
    rmu_asserts();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pcrf_cycles),     cmocka_unit_test(pcrf_sizes),   cmocka_unit_test(pcrf_asserts),
      cmocka_unit_test(serial_cycles),   cmocka_unit_test(both_engines), cmocka_unit_test(pipelined_example),
      cmocka_unit_test(pipelined_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
